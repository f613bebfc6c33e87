"""Which chapter a notebook belongs to: what stands in it decides, not what the file is called.

Owns the comparison with all released chapters, and what of them is published: text that stands in a locked cell of
the course is nobody's answer, wherever it is pasted.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from autograde import notebook
from autograde.errors import CourseError
from autograde.layout import CHAPTER_NAME, Layout

NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What the compiler raises for text that is none."""


@dataclass(frozen=True)
class Cell:
    """What is taken from a learner's cell: kind, source and the grade id it claims.

    `is_as_released`: it has the checksum with which some release of the chapter gave it out.
    """

    kind: str
    source: str
    grade_id: str | None = None
    is_as_released: bool = False


class Book:
    """All released chapters; those beside the one that is collected are read when one is needed."""

    def __init__(self, chapter: str, layout: Layout) -> None:
        self.chapter, self.layout = chapter, layout
        self.ids = self._ids_of(chapter)

    def _cells_of(self, chapter: str) -> list[notebook.NotebookCell]:
        return list(notebook.cells(notebook.read(self.layout.chapter(chapter))))

    def _ids_of(self, chapter: str) -> set[str]:
        found = {c.grade_id for c in self._cells_of(chapter)}
        return found - {"", *notebook.INJECTED}

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
        cells = [c for found in self.chapters.values() for c in found]
        return {plain(c.source) for c in cells if c.role != "solution"}

    @cached_property
    def statements(self) -> set[str]:
        """The statements of all cells that are not an exercise's own."""
        cells = [c for found in self.chapters.values() for c in found]
        return {
            said
            for c in cells
            if c.kind == "code" and c.role != "solution"
            for said in statements(c.source)
        }

    def fits(self, cells: Sequence[Cell], name: str) -> int:
        """How surely a notebook is this chapter: 2 by its content, 1 by the file's name, 0 by nothing.

        -1 if it is another chapter.
        """
        own = {c.grade_id for c in cells} & self.ids
        foreign = {c.grade_id for c in cells} - self.ids - {None, "", *notebook.INJECTED}
        if own and (not foreign or 2 * len(own) >= len(self.ids)):
            return 2
        sources = {plain(c.source) for c in cells}
        ids = {c.grade_id for c in cells}
        agree = {
            chapter: (len(ids & self._ids_of(chapter)), len(sources & texts))
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


# ------------------------------------------------------------------------ text
def lines_of(source: str) -> list[str]:
    """The lines of a source, cut where Python cuts and nowhere else."""
    return source.split("\n")


def plain(source: str) -> str:
    """A source without what editors change: blanks at line ends, blank lines at both ends."""
    return "\n".join(line.rstrip() for line in lines_of(source.strip()))


def code_of(source: str) -> str:
    """A cell as the Python that Jupyter makes of it. Raises one of NOT_PYTHON."""
    from autograde.sandbox.inside.shell import translate

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return translate(source, "cell")[1]


def statements(source: str) -> dict[str, ast.stmt]:
    """The statements of a cell, each under a key that its spelling does not change; none if it is no Python."""
    try:
        return {ast.dump(node): node for node in ast.parse(code_of(source)).body}
    except NOT_PYTHON:
        return {}
