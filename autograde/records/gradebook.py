"""nbgrader's gradebook of the course: opening it to write, and the chapters in it.

Owns the chapter's place in the gradebook: its cells, their points, its deadline. Marks are `record.py`'s.
Everything goes through nbgrader's own API and converters.
"""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import nbformat
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    MissingEntry,
    Notebook,
    SourceCell,
)
from sqlalchemy.exc import SAWarning

from autograde.errors import CourseError
from autograde.layout import Layout
from autograde.nbgrader_bridge import find_alembic, generate_assignment, ready
from autograde.settings import Schedule, utc


@contextmanager
def open_gradebook(layout: Layout) -> Iterator[Gradebook]:
    """nbgrader's gradebook of the course, closed at the end."""
    find_alembic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)  # nbgrader's way of adding rows; harmless
        with Gradebook(f"sqlite:///{layout.course / 'gradebook.db'}") as gradebook:
            yield gradebook


def register(chapter: str, layout: Layout) -> None:
    """Give nbgrader the chapter as it is now: its source with all tests, its cells and points.

    Does nothing if nbgrader already has exactly that. Cells may have been added or removed although there are
    submissions; their marks are then added or removed too.

    Raises CourseError if the chapter is not built, or if nbgrader refuses it.
    """
    built = layout.solution(chapter)
    if not built.exists():
        raise CourseError(built, "the chapter is not built.", "Run `make notebooks` first.")
    ready(layout)
    source = layout.course / "source" / chapter / f"{chapter}.ipynb"
    release = layout.course / "release" / chapter / f"{chapter}.ipynb"
    if release.exists() and source.exists() and source.read_bytes() == built.read_bytes():
        with open_gradebook(layout) as gradebook:
            if _has(gradebook, chapter):
                return
    release.unlink(
        missing_ok=True
    )  # written last by nbgrader: if it is there, all of this was done
    source.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(built, source)
    with open_gradebook(layout) as gradebook:
        _adopt_cells(gradebook, chapter, nbformat.read(built, as_version=4))
    generate_assignment(chapter, layout.course)


def set_deadline(gradebook: Gradebook, chapter: str, schedule: Schedule) -> None:
    """Write the deadline of the settings into the gradebook; one set in Formgrader stays if there is none."""
    due = schedule.deadline(chapter)
    if due is not None:
        gradebook.update_or_create_assignment(chapter, duedate=utc(due))


def _has(gradebook: Gradebook, chapter: str) -> bool:
    try:
        return bool(gradebook.find_assignment(chapter).notebooks)
    except MissingEntry:
        return False


# ------------------------------------------------------------------------ changed cells
def _adopt_cells(gradebook: Gradebook, chapter: str, built: NotebookNode) -> None:
    """Add and remove cells of a chapter that already has submissions, which nbgrader alone refuses to do."""
    try:
        assignment: Assignment = gradebook.find_assignment(chapter)
    except MissingEntry:
        return
    if not assignment.submissions or not assignment.notebooks:
        return
    (notebook,) = assignment.notebooks
    wanted = {
        cell.metadata.nbgrader.grade_id: cell
        for cell in built.cells
        if utils.is_grade(cell) or utils.is_solution(cell) or utils.is_locked(cell)
    }
    for cell in list(notebook.source_cells):
        if cell.name not in wanted:
            gradebook.db.delete(cell)
    for cell in [*notebook.grade_cells, *notebook.solution_cells]:
        if cell.name not in wanted:
            _remove_cell(gradebook, cell)
    known = {cell.name for cell in notebook.source_cells}
    for grade_id, cell in wanted.items():
        if grade_id not in known:
            _add_cell(gradebook, notebook, cell)
    gradebook.db.commit()


def _remove_cell(gradebook: Gradebook, cell: BaseCell) -> None:
    for part in [*cell.grades, *cell.comments]:
        gradebook.db.delete(part)
    gradebook.db.flush()
    gradebook.db.delete(cell)


def _add_cell(gradebook: Gradebook, notebook: Notebook, cell: NotebookNode) -> None:
    """Add a cell to the chapter, and an open mark or comment for it to each submission."""
    about = cell.metadata.nbgrader
    place = (about.grade_id, notebook.name, notebook.assignment.name)
    gradebook.db.add(
        SourceCell(
            name=about.grade_id,
            cell_type=cell.cell_type,
            locked=utils.is_locked(cell),
            source=cell.source,
            notebook=notebook,
        )
    )
    gradebook.db.flush()
    if utils.is_grade(cell):
        new = gradebook.add_grade_cell(*place, max_score=about.points, cell_type=cell.cell_type)
        gradebook.db.add_all(Grade(cell_id=new.id, notebook=s) for s in notebook.submissions)
    elif utils.is_solution(cell):
        new = gradebook.add_solution_cell(*place)
        gradebook.db.add_all(Comment(cell_id=new.id, notebook=s) for s in notebook.submissions)
