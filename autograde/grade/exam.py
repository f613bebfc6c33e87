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
from typing import Any

from autograde import notebook
from autograde.errors import CourseError
from autograde.layout import Layout
from autograde.notebook import NotebookCell

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

    def is_stub(self, cell: Cell) -> bool:
        """True for a solution cell that is as it was released."""
        return cell.source.strip() == self.stubs.get(cell.title, "").strip()


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
            or (cell.kind == "solution" and cell.title == exercise and not exam.is_stub(cell))
            for cell in self.cells
        )

    def place(self, exercise: str) -> int:
        """Where the last answer to an exercise stands; the end, if there is none."""
        answers = [
            p for p, c in enumerate(self.cells) if (c.kind, c.title) == ("solution", exercise)
        ]
        return max(answers, default=len(self.cells))


class UnreadableError(ValueError):
    """What was handed in is not a notebook."""


def load_exam(chapter: str, layout: Layout) -> Exam:
    """The exam of a built chapter. Raises CourseError if the notebooks are not there or do not fit."""
    solution, released = (
        code_cells(notebook.read(path))
        for path in (layout.solution(chapter), layout.chapter(chapter))
    )
    stubs = {c.grade_id: c.source for c in released if c.role == "solution"}
    setup = tuple(c.source for c in solution if c.grade_id in notebook.INJECTED)
    references = {c.grade_id: c.source for c in solution if c.role == "solution"}
    questions = tuple(
        Question(c.grade_id, c.exercise, c.points, *notebook.parts(c.source))
        for c in solution
        if c.role == "test"
    )
    examples = tuple(_example(c.source) for c in released if not c.role)
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
        found = [c for c in code_cells(json.loads(text)) if c.role in ("", "solution")]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as fault:
        raise UnreadableError("the file is not a notebook") from fault
    examples = {example.source for example in exam.examples}
    paper = []
    for number, cell in enumerate(found, 1):
        if cell.grade_id in exam.stubs:
            paper.append(Cell(cell.grade_id, cell.source, "solution"))
        elif cell.source.strip():
            kind = "example" if cell.source in examples else "extra"
            paper.append(Cell(f"cell {number}", cell.source, kind))
    return paper_of(paper)


def paper_of(cells: list[Cell]) -> Paper:
    """A paper out of its cells."""
    return Paper(tuple(cells), fingerprint([[c.kind, c.title, c.source] for c in cells]))


def fingerprint(content: Any) -> str:
    """SHA-256 of JSON data."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def code_cells(content: dict[str, Any]) -> list[NotebookCell]:
    """The code cells of a notebook."""
    return [cell for cell in notebook.cells(content) if cell.kind == "code"]


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
