"""The learner's version of an executed notebook: stubs for solutions, no hidden test, the reference's outputs.

nbgrader cuts it; this module checks that nothing is left of what learners must not see. Writes into the folder it
is given and nowhere else.
"""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograde.errors import CourseError
from autograde.nbgrader_bridge import generate_assignment


def cut(notebook: NotebookNode, name: str, course: Path) -> NotebookNode:
    """The learner's version of a notebook, made by nbgrader in the empty folder `course`.

    Raises CourseError if nbgrader refuses it.
    """
    target = course / "source" / name / f"{name}.ipynb"
    target.parent.mkdir(parents=True)
    nbformat.write(notebook, target)
    generate_assignment(name, course)
    student = nbformat.read(course / "release" / name / f"{name}.ipynb", as_version=4)
    student.metadata = notebook.metadata.copy()
    for cell in student.cells:
        cell.metadata.pop("execution", None)
        if "check" in cell.metadata.get("tags", []):
            cell.outputs = []  # a verdict on code that is no longer there
            cell.execution_count = None
            cell.metadata["tags"] = [*cell.metadata["tags"], "raises-exception"]  # Run All goes on
        if re.search("BEGIN SOLUTION|BEGIN HIDDEN", cell.source):
            raise CourseError(
                f"{name}, {cell.id}",
                "a solution is left in it.",
                "Report this: the build is wrong.",
            )
    return student
