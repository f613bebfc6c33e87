"""Which chapter a notebook belongs to: what stands in it decides, not what the file is called.

Owns the comparison with all released chapters, and what of them is published: text that stands in a locked cell of
the course is nobody's answer, wherever it is pasted.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from autograde import notebook
from autograde.errors import CourseError
from autograde.layout import CHAPTER_NAME, Layout
from autograde.sandbox.inside.shell import python_of

NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What the compiler raises for text that is none."""


@dataclass(frozen=True)
class Cell:
    """What is taken from a learner's cell: kind, source and the grade id it claims.

    `is_as_released`: it has the checksum with which some release of the course gave it out.
    """

    kind: str
    source: str
    grade_id: str | None = None
    is_as_released: bool = False


class Book:
    """All released chapters; those beside the one that is collected are read when one is needed."""

    def __init__(self, chapter: str, layout: Layout) -> None:
        self.chapter, self.layout = chapter, layout
        self.ids = _ids(self._cells_of(chapter))

    def _cells_of(self, chapter: str) -> list[notebook.NotebookCell]:
        return list(notebook.cells(notebook.read(self.layout.chapter(chapter))))

    @cached_property
    def chapters(self) -> dict[str, list[notebook.NotebookCell]]:
        """Every chapter that can be read -> its cells."""
        found = {}
        for path in sorted(self.layout.chapters.glob("*.ipynb")):
            if CHAPTER_NAME.fullmatch(path.stem):
                try:
                    found[path.stem] = self._cells_of(path.stem)
                except (CourseError, KeyError, TypeError, AttributeError):
                    continue  # not built: `drift` says so
        return found

    @cached_property
    def all_ids(self) -> dict[str, set[str]]:
        """Chapter -> the grade ids of its exercises and tests."""
        return {name: _ids(cells) for name, cells in self.chapters.items()}

    @cached_property
    def texts(self) -> dict[str, set[str]]:
        """Chapter -> the texts of cells that stand in it alone."""
        found = {
            name: {plain(c.source) for c in cells if c.grade_id not in notebook.INJECTED}
            for name, cells in self.chapters.items()
        }
        times = Counter(text for texts in found.values() for text in texts)
        return {name: {t for t in texts if times[t] == 1} for name, texts in found.items()}

    @cached_property
    def published(self) -> set[str]:
        """The texts of all cells that are not an exercise's own."""
        cells = [c for found in self.chapters.values() for c in found if c.role != "solution"]
        return {plain(c.source) for c in cells if c.kind == "code"}

    @cached_property
    def statements(self) -> set[str]:
        """The statements in them."""
        return {said for text in self.published for said in statements(text)}

    def fits(self, cells: Sequence[Cell], name: str) -> int:
        """How surely a notebook is this chapter: 2 by its content, 1 by the file's name, 0 by nothing.

        -1 if it is another chapter.
        """
        ids = {c.grade_id for c in cells} - {None, "", *notebook.INJECTED}
        own = ids & self.ids
        if own and (own == ids or 2 * len(own) >= len(self.ids)):
            return 2
        if cells:
            sources = {plain(c.source) for c in cells}
            agree = {
                chapter: (len(ids & self.all_ids[chapter]), len(sources & texts))
                for chapter, texts in self.texts.items()
            }
            here = agree.pop(self.chapter, (0, 0))
            if max(agree.values(), default=(0, 0)) > here:
                return -1
            if here > (0, 0):
                return 2
        stem = re.sub(r"\.ipynb.*", "", name)
        if CHAPTER_NAME.fullmatch(stem) and stem != self.chapter:
            return -1
        return int(self.chapter in name)


def _ids(cells: Iterable[notebook.NotebookCell]) -> set[str]:
    return {c.grade_id for c in cells} - {"", *notebook.INJECTED}


# ------------------------------------------------------------------------ text
def plain(source: str) -> str:
    """A source without what editors change: blanks at line ends, blank lines at both ends.

    Lines are cut at line feeds, as Python does once a cell is read, and nowhere else.
    """
    return "\n".join(line.rstrip() for line in source.strip().split("\n"))


def parsed(source: str) -> ast.Module:
    """The tree of a cell, as Jupyter reads it. Raises one of NOT_PYTHON."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except SyntaxError:
            return ast.parse(python_of(source))


def statements(source: str) -> dict[str, ast.stmt]:
    """The statements of a cell, each under a key that its spelling does not change; none if it is no Python."""
    try:
        return {ast.dump(node): node for node in parsed(source).body}
    except NOT_PYTHON:
        return {}
