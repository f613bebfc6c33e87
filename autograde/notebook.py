"""The form of a built notebook: its markers, what a check cell may use, and its cells, read without nbformat.

Owns how a cell says what it is (nbgrader's metadata, tags) and where the hidden part of a test cell begins. The
builder writes this form; the collector, the grader and the records read it here. Reads files; never writes one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograde.errors import CourseError

BEGIN_SOLUTION, END_SOLUTION = "### BEGIN SOLUTION", "### END SOLUTION"
BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
HIDDEN = re.compile(
    rf"^{BEGIN_HIDDEN}.*?^{END_HIDDEN}[^\n]*", re.DOTALL | re.MULTILINE
)  # as nbgrader cuts it
INJECTED = ("setup", "recap")
"""Grade ids of the cells that the build puts into every chapter; they answer no exercise."""


@dataclass(frozen=True)
class NotebookCell:
    """A cell of a built or normalised notebook.

    Attributes
    ----------
    kind: ``code``, ``markdown`` or ``raw``.
    grade_id: nbgrader's name of it; empty for a plain cell.
    role: ``solution``, ``test``, ``locked`` (setup and recap), or empty for a plain cell.
    points: of a test cell.
    """

    kind: str
    source: str
    id: str = ""
    grade_id: str = ""
    role: str = ""
    points: float = 0.0
    tags: tuple[str, ...] = ()

    @property
    def exercise(self) -> str:
        """The exercise that a solution or a test cell belongs to."""
        return self.grade_id.removeprefix("test_") if self.role == "test" else self.grade_id


def read(path: Path) -> dict[str, Any]:
    """A notebook that this package wrote. Raises CourseError if it is not there, or no notebook any more."""
    try:
        notebook = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise CourseError(path, "the notebook is not there.", remedy(path)) from error
    except ValueError as error:
        raise CourseError(path, "this is no notebook any more.", remedy(path)) from error
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise CourseError(path, "this is no notebook any more.", remedy(path))
    return notebook


def remedy(path: Path) -> str:
    """How to get a notebook of the course back."""
    if path.parent.name in ("chapters", "solutions"):
        return "Run `make notebooks`."
    return "Collect the inbox again; what came is kept in originals/."


def cells(notebook: dict[str, Any]) -> Iterator[NotebookCell]:
    """The cells of a notebook, in order. Raises KeyError, TypeError or AttributeError if it is none."""
    for cell in notebook["cells"]:
        metadata = cell["metadata"]
        about = metadata.get("nbgrader") or {}
        yield NotebookCell(
            kind=cell["cell_type"],
            source=source_of(cell),
            id=str(cell.get("id", "")),
            grade_id=str(about.get("grade_id", "")),
            role=role_of(about),
            points=float(about.get("points", 0)) if about.get("grade") else 0.0,
            tags=tuple(metadata.get("tags", ())),
        )


def role_of(about: dict[str, Any]) -> str:
    """What nbgrader's metadata make of a cell."""
    for role, key in (("solution", "solution"), ("test", "grade"), ("locked", "locked")):
        if about.get(key):
            return role
    return ""


def source_of(cell: dict[str, Any]) -> str:
    """The text of a cell, which the file may hold as one string or as lines."""
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def title(notebook: dict[str, Any]) -> str:
    """The chapter's title: the first line of its first cell."""
    first = source_of(notebook["cells"][0]).lstrip().splitlines() if notebook["cells"] else []
    return first[0].removeprefix("# ") if first else ""


def without_outputs(notebook: dict[str, Any]) -> dict[str, Any]:
    """A copy in which no code cell has an output."""
    bare: dict[str, Any] = {"outputs": [], "execution_count": None}
    emptied = [c | bare if c["cell_type"] == "code" else c for c in notebook["cells"]]
    return notebook | {"cells": emptied}


def text_of(notebook: dict[str, Any]) -> str:
    """The notebook as the text of its file."""
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def parts(test_cell: str) -> tuple[str, str]:
    """The visible and the hidden part of a test cell."""
    shown, marker, rest = test_cell.partition(BEGIN_HIDDEN)
    return shown, marker + rest


def visible(test_cell: str) -> str:
    """What learners see of a test cell."""
    return HIDDEN.sub("", test_cell)
