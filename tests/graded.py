"""Classes to grade, for the tests of the grader: the real chapter 3, and exams made of a few lines."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from autograde.grade.exam import Cell, Exam, Example, Question, fingerprint, paper_of
from autograde.grade.judge import judge_paper
from autograde.grade.worker import Setting, WorkerState
from autograde.layout import Layout
from autograde.settings import Limits
from autograde.verdict import QuestionVerdict, Verdict
from bench import corpus

QUICK = Limits(question_seconds=3.0, submission_seconds=20.0)
SETUP = """\
import numpy as np
SEED = None
class CheckFailed(AssertionError):
    pass
def expect(true, text):
    if not true:
        raise CheckFailed(text)
"""


def make_course(root: Path) -> Layout:
    """A checkout with the built chapter 3 and nothing else."""
    here, layout = Layout(), Layout(root)
    for folder in (layout.solutions, layout.chapters, layout.course):
        folder.mkdir(parents=True, exist_ok=True)
    for source, target in (
        (here.source(corpus.CHAPTER), layout.source(corpus.CHAPTER)),
        (here.solution(corpus.CHAPTER), layout.solution(corpus.CHAPTER)),
        (here.chapter(corpus.CHAPTER), layout.chapter(corpus.CHAPTER)),
        (here.course / "nbgrader_config.py", layout.course / "nbgrader_config.py"),
    ):
        shutil.copyfile(source, target)
    return layout


def hand_in(layout: Layout, student: str, answers: Mapping[str, str]) -> SimpleNamespace:
    """A normalised submission with these answers, as `collect` would give it."""
    notebook = corpus.read_released(layout.chapter(corpus.CHAPTER))
    corpus.answers(**answers)(notebook)
    path = layout.root / "normalised" / f"{student}.ipynb"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(notebook))
    sha256 = fingerprint(dict(answers))
    return SimpleNamespace(student=student, notebook=path, sha256=sha256, problem=None)


def timeless(verdict: Verdict) -> dict:
    """A verdict without the one field that differs between two runs."""
    data = verdict.to_json()
    del data["seconds"]
    return data


# ------------------------------------------------------------------------ small exams
def small_exam(
    name: str,
    reference: str,
    shown: str,
    hidden: str = "",
    *,
    setup: str = SETUP,
    more: Mapping[str, str] | None = None,
    examples: tuple[Example, ...] = (),
) -> Exam:
    """An exam of one question about the function `name`, worth 2 points.

    `more`: other exercises without a question of their own, name -> reference.
    """
    references = {name: reference, **(more or {})}
    stubs = {n: f"def {n}(*args, **kwargs):\n    raise NotImplementedError" for n in references}
    question = Question(f"test_{name}", name, 2.0, shown, hidden)
    content = [setup, name, shown, hidden, references, [e.source for e in examples]]
    return Exam(
        "99_small", (setup,), (question,), stubs, references, examples, fingerprint(content)
    )


def ask(
    exam: Exam, source: str, *, before: tuple[Cell, ...] = (), limits: Limits = QUICK
) -> QuestionVerdict:
    """What this solution cell gets for the one question of an exam."""
    name = exam.questions[0].exercise
    return graded_cells(exam, *before, Cell(name, source, "solution"), limits=limits)


def with_second(exam: Exam, shown: str, hidden: str = "") -> Exam:
    """The same exam with a second question, worth 1 point, about a function b that returns 1."""
    return replace(
        exam,
        questions=(*exam.questions, Question("test_b", "b", 1.0, shown, hidden)),
        references={**exam.references, "b": "def b(x):\n    return 1"},
        stubs={**exam.stubs, "b": "def b(x):\n    raise NotImplementedError"},
    )


@contextlib.contextmanager
def opened(exam: Exam, limits: Limits = QUICK) -> Iterator[WorkerState]:
    """A worker for an exam."""
    worker_state = WorkerState.open(Setting(exam, limits=limits))
    try:
        yield worker_state
    finally:
        worker_state.sandbox.close()


def trials(exam: Exam, *papers: Mapping[str, str]) -> list[tuple[QuestionVerdict, ...]]:
    """All verdicts on papers of solution cells, exercise -> source, one after the other in one worker."""
    read = [paper_of([Cell(n, s, "solution") for n, s in paper.items()]) for paper in papers]
    with opened(exam) as state:
        return [judge_paper(state.trusted, paper, state.sandbox) for paper in read]


def all_of(exam: Exam, *sources: str) -> list[QuestionVerdict]:
    """What each of these solution cells gets, one after the other in one worker."""
    name = exam.questions[0].exercise
    return [verdicts[0] for verdicts in trials(exam, *({name: source} for source in sources))]


def graded_cells(exam: Exam, *cells: Cell, limits: Limits = QUICK) -> QuestionVerdict:
    """What a paper of these cells gets for the one question of an exam."""
    with opened(exam, limits) as state:
        [verdict] = judge_paper(state.trusted, paper_of(list(cells)), state.sandbox)
        return verdict
