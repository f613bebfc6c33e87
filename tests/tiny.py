"""A chapter of two short exercises in the form that the build gives real ones, for tests of the administration.

`double` is worth 2 points and `total` 3. The cells, in order: title, setup, text, double, its test, a plain
code cell, total, its test, closing text.
"""

from __future__ import annotations

import copy
import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.utils import compute_checksum

from autograde.layout import Layout

CHAPTER = "90_tiny"
SECRET = 987654321
"""A constant of a hidden test: wherever a learner can read it, a hidden test has leaked."""

SETUP = '''SEED = None


def claim(true, sentence):
    """Fail with a sentence for the learner."""
    if not true:
        raise AssertionError(sentence)
'''
DOUBLE = '''def double(x):
    """Twice `x`."""
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION'''
TOTAL = '''def total(numbers):
    """The sum of `numbers`."""
    ### BEGIN SOLUTION
    return sum(numbers)
    ### END SOLUTION'''
TEST_DOUBLE = f"""claim(double(3) == 6, "double(3) is 6. You may have squared it.")
### BEGIN HIDDEN TESTS
claim(double({SECRET}) == 2 * {SECRET}, "double is wrong for large numbers.")
### END HIDDEN TESTS"""
TEST_TOTAL = f"""claim(total([1, 2, 3]) == 6, "total([1, 2, 3]) is 6.")
### BEGIN HIDDEN TESTS
claim(total([]) == 0, "The sum of no numbers is 0.")
claim(total([{SECRET}, 1]) == {SECRET} + 1, "total is wrong for large numbers.")
### END HIDDEN TESTS"""

CATALOGUE = '''from autograde.mistakes import Right, Wrong

CATALOGUE = [
    Wrong("double", "square", "You may have squared it.", "def double(x):\\n    return x * x\\n"),
    Wrong("double", "same", "This returns x itself.", "def double(x):\\n    return x\\n"),
    Right("double", "plus", "def double(x):\\n    return x + x\\n"),
    Wrong("total", "count", "This counts.", "def total(numbers):\\n    return len(numbers)\\n"),
    Wrong("total", "first", "The first.", "def total(numbers):\\n    return numbers[0]\\n"),
    Right("total", "loop", """
def total(numbers):
    s = 0
    for n in numbers:
        s += n
    return s
"""),
    Right("total", "warns", """
def total(numbers):
    import warnings

    warnings.warn("slow")  # n#1904: in stock nbgrader a warning costs all points
    return sum(numbers)
"""),
]
'''

RIGHT = {"double": "def double(x):\n    return x + x", "total": "def total(n):\n    return sum(n)"}


def make(root: Path) -> Layout:
    """Write the chapter into a new checkout at `root`: source, solution, released chapter, catalogue."""
    layout = Layout(root)
    for folder in (layout.solutions, layout.chapters, layout.mistakes):
        folder.mkdir(parents=True)
    layout.source(CHAPTER).write_text("the hand-written text\n")
    layout.catalogue(CHAPTER).write_text(CATALOGUE)
    build(layout, solution())
    return layout


def build(layout: Layout, notebook: NotebookNode) -> None:
    """Write the solution notebook and the released chapter cut from it."""
    nbformat.write(notebook, layout.solution(CHAPTER))
    nbformat.write(released(notebook), layout.chapter(CHAPTER))


def solution() -> NotebookNode:
    """The executed notebook with the reference solutions and all tests."""
    cells = [
        new_markdown_cell("# Two short functions", id="title"),
        _cell("setup", SETUP, locked=True),
        new_markdown_cell("Write the first.", id="text-1"),
        _cell("double", DOUBLE, solution=True),
        _cell("test_double", TEST_DOUBLE, grade=True, locked=True, points=2),
        new_code_cell("print(1 + 1)", id="plain"),
        _cell("total", TOTAL, solution=True),
        _cell("test_total", TEST_TOTAL, grade=True, locked=True, points=3),
        new_markdown_cell("That was all.", id="text-2"),
    ]
    return new_notebook(
        cells=cells,
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        },
    )


def released(notebook: NotebookNode) -> NotebookNode:
    """What a learner gets: stubs for solutions, no hidden test."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook.cells:
        cell.source = re.sub(
            r" *### BEGIN SOLUTION.*?### END SOLUTION",
            "    raise NotImplementedError",
            cell.source,
            flags=re.S,
        )
        cell.source = re.sub(
            r"\n### BEGIN HIDDEN.*?### END HIDDEN TESTS", "", cell.source, flags=re.S
        )
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader["checksum"] = compute_checksum(cell)
    return notebook


def handed_in(layout: Layout, **answers: str) -> NotebookNode:
    """The released chapter with these solution cells filled in."""
    notebook = nbformat.read(layout.chapter(CHAPTER), as_version=4)
    for name, text in answers.items():
        cell_of(notebook, name).source = text
    return notebook


def cell_of(notebook: NotebookNode, grade_id: str) -> NotebookNode:
    """The cell with this grade id; fails if there is not exactly one."""
    (cell,) = (
        c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == grade_id
    )
    return cell


def _cell(
    grade_id: str,
    source: str,
    *,
    grade: bool = False,
    solution: bool = False,
    locked: bool = False,
    points: int | None = None,
) -> NotebookNode:
    about = {
        "grade_id": grade_id,
        "grade": grade,
        "solution": solution,
        "locked": locked,
        "schema_version": 3,
        "task": False,
        "cell_type": "code",
    }
    if points is not None:
        about["points"] = points
    return new_code_cell(source, id=grade_id.replace("_", "-"), metadata={"nbgrader": about})
