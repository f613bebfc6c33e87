"""What is examined and what was handed in, as plain data: the `Exam` of a chapter and a student's `Paper`.

An exam is read from the two built notebooks of a chapter and can be sent to another machine; a paper holds only
the code of one normalised notebook. Both carry the hash of what they hold. Reads notebooks; runs nothing.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograde.errors import CourseError
from autograde.layout import Layout

BEGIN_HIDDEN = "### BEGIN HIDDEN TESTS"
LARGEST_NOTEBOOK = 32 << 20


@dataclass(frozen=True)
class Question:
    """A test cell: its grade id, the exercise it tests, its points, its visible and its hidden part."""

    id: str
    exercise: str
    points: float
    shown: str
    hidden: str


@dataclass(frozen=True)
class Example:
    """A plain cell of the chapter and the names it binds: run for a student whose code reads one of them."""

    source: str
    names: frozenset[str]


@dataclass(frozen=True)
class Exam:
    """The tests of a chapter.

    Attributes
    ----------
    setup: sources of the setup and, if there is one, the recap cell.
    stubs, references: exercise -> the solution cell as it was released, and with its answer.
    sha256: hash of all the rest.
    """

    chapter: str
    setup: tuple[str, ...]
    questions: tuple[Question, ...]
    stubs: Mapping[str, str]
    references: Mapping[str, str]
    examples: tuple[Example, ...]
    sha256: str

    @property
    def max_score(self) -> float:
        return sum(q.points for q in self.questions)


@dataclass(frozen=True)
class Cell:
    """A code cell of a paper. `kind`: ``solution`` (then `title` is the exercise), ``extra``, ``example``."""

    title: str
    source: str
    kind: str


@dataclass(frozen=True)
class Paper:
    """The code of one submission, in order, and the hash of it."""

    cells: tuple[Cell, ...]
    sha256: str

    def attempted(self, exercise: str, exam: Exam) -> bool:
        """False if nothing in the paper can have changed the stub of this exercise."""
        return any(
            cell.kind == "extra"
            or (
                cell.kind == "solution"
                and (cell.title != exercise or cell.source.strip() != exam.stubs[exercise].strip())
            )
            for cell in self.cells
            if cell.title == exercise or cell.kind == "extra"
        )


class UnreadableError(ValueError):
    """What was handed in is not a notebook."""


def load_exam(chapter: str, layout: Layout) -> Exam:
    """The exam of a built chapter. Raises CourseError if the notebooks are not there or do not fit."""
    solution = _cells(_trusted(layout.solution(chapter)))
    released = _cells(_trusted(layout.chapter(chapter)))
    stubs = {_id(c): _source(c) for c in released if _about(c).get("solution")}
    setup = tuple(_source(c) for c in solution if _id(c) in ("setup", "recap"))
    references = {_id(c): _source(c) for c in solution if _about(c).get("solution")}
    questions = tuple(_question(c) for c in solution if _about(c).get("grade"))
    examples = tuple(_example(_source(c)) for c in released if _is_plain(c))
    if set(stubs) != set(references) or not {q.exercise for q in questions} <= set(stubs):
        raise CourseError(
            layout.chapter(chapter),
            "its exercises are not those of the solution notebook.",
            "Run `make notebooks`.",
        )
    content = [
        chapter,
        setup,
        [[q.id, q.points, q.shown, q.hidden] for q in questions],
        stubs,
        references,
        [e.source for e in examples],
    ]
    return Exam(chapter, setup, questions, stubs, references, examples, fingerprint(content))


def read_paper(text: bytes, exam: Exam) -> Paper:
    """The code in a normalised notebook. Only solution cells and plain cells count; locked ones are ours.

    Raises UnreadableError if it is not a notebook.
    """
    if len(text) > LARGEST_NOTEBOOK:
        raise UnreadableError(f"the notebook has {len(text) >> 20} MiB")
    try:
        cells = _cells(json.loads(text))
        found = [c for c in cells if not _about(c) or _about(c).get("solution")]
        named = [(_id(c) if _id(c) in exam.stubs else "", _source(c)) for c in found]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as fault:
        raise UnreadableError("the file is not a notebook") from fault
    examples = {example.source for example in exam.examples}
    paper = []
    for number, (exercise, source) in enumerate(named, 1):
        if exercise:
            paper.append(Cell(exercise, source, "solution"))
        elif source.strip():
            kind = "example" if source in examples else "extra"
            paper.append(Cell(f"cell {number}", source, kind))
    return paper_of(paper)


def paper_of(cells: list[Cell]) -> Paper:
    """A paper out of its cells."""
    return Paper(tuple(cells), fingerprint([[c.kind, c.title, c.source] for c in cells]))


def fingerprint(content: Any) -> str:
    """SHA-256 of JSON data."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _trusted(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_bytes()))
    except FileNotFoundError as fault:
        raise CourseError(path, "the notebook is not built.", "Run `make notebooks`.") from fault
    except ValueError as fault:
        raise CourseError(path, "this is not a notebook.", "Run `make notebooks`.") from fault


def _cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The code cells."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _about(cell: dict[str, Any]) -> dict[str, Any]:
    return dict(cell["metadata"].get("nbgrader") or {})


def _id(cell: dict[str, Any]) -> str:
    return str(_about(cell).get("grade_id", ""))


def _source(cell: dict[str, Any]) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def _is_plain(cell: dict[str, Any]) -> bool:
    return not _about(cell)


def _question(cell: dict[str, Any]) -> Question:
    shown, marker, rest = _source(cell).partition(BEGIN_HIDDEN)
    id = _id(cell)
    points = float(_about(cell)["points"])
    return Question(id, id.removeprefix("test_"), points, shown, marker + rest)


def _example(source: str) -> Example:
    """The names that a plain cell binds at any depth; too many are harmless."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
    return Example(source, frozenset(names))
