"""What a learner gets back: a page and a text with their score, and for each exercise what happened.

Owns `feedback/<student>/<chapter>/` of the course folder. The page holds no script, loads nothing, and shows the
learner's own code escaped. Hidden tests cannot be in it: it is made from the learner's answers and the verdict's
messages, and never from the solution notebook.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from autograde import notebook
from autograde.errors import CourseError
from autograde.files import write_whole
from autograde.layout import Layout
from autograde.records.log import Entry, read_log
from autograde.records.marks import Mark, marks
from autograde.settings import Schedule, read_schedule
from autograde.verdict import SENTENCES, Outcome, QuestionVerdict

WORDS = {
    Outcome.RIGHT: "right",
    Outcome.WRONG: "not right yet",
    Outcome.NOT_ATTEMPTED: "not attempted",
    Outcome.ERROR: "your code raised an error",
    Outcome.TIMEOUT: "not finished in time",
    Outcome.MEMORY: "too much memory",
    Outcome.DIED: "the process ended",
    Outcome.OUTPUT_LIMIT: "too much output",
    Outcome.PROTOCOL: "no answer that could be read",
    Outcome.INFRASTRUCTURE: "not graded",
}

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Characters that steer a terminal or turn the direction of text; none of them is for people to read."""


@dataclass(frozen=True)
class Question:
    """One exercise as the page shows it; all of it is text that is not escaped yet."""

    name: str
    points: str
    max: str
    full: bool
    words: str
    message: str
    remarks: tuple[str, ...]
    code: str


@dataclass(frozen=True)
class Page:
    """All that a learner is told about one chapter; text that is not escaped yet."""

    chapter: str
    title: str
    name: str
    received: str
    total: str
    max: str
    about: tuple[str, ...]
    questions: tuple[Question, ...]
    notes: tuple[str, ...]


def feedback(chapter: str, layout: Layout, students: Sequence[str] | None = None) -> list[Path]:
    """Write the page and the text of every student with a recorded mark, and give the pages.

    Raises CourseError if nothing was recorded.
    """
    schedule = read_schedule(layout)
    history = read_log(layout).history(chapter)
    template = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    ).get_template("feedback.html")
    written = []
    for mark in marks(chapter, layout):
        student = mark.submission.student
        if student not in history or (students is not None and student not in students):
            continue
        page = make_page(mark, history[student], schedule)
        path = layout.course / "feedback" / student / chapter / f"{chapter}.html"
        for suffix, text in ((".html", template.render(vars(page)) + "\n"), (".md", as_text(page))):
            write_whole(path.with_suffix(suffix), CONTROL.sub("\ufffd", text))
        written.append(path)
    return written


def make_page(mark: Mark, history: Sequence[Entry], schedule: Schedule) -> Page:
    """What one learner is told: the newest verdict, with what a person changed and what it was before."""
    submission = mark.submission
    verdict = history[-1].verdict
    received = submission.received
    title, answers = _read(submission.notebook)
    return Page(
        chapter=submission.chapter,
        title=title or submission.chapter,
        name=submission.name,
        received=f"{received.astimezone(schedule.zone):%Y-%m-%d %H:%M %Z}" if received else "",
        total=_number(mark.score),
        max=_number(mark.max),
        about=tuple(_about(mark, history)),
        questions=tuple(_question(q, mark, answers) for q in verdict.questions),
        notes=submission.repairs,
    )


def _about(mark: Mark, history: Sequence[Entry]) -> list[str]:
    lines = []
    if mark.submission.problem:
        lines.append(f"Your file could not be read: {mark.submission.problem}.")
    if mark.penalty:
        lines.append(
            f"It came late: {_number(mark.penalty)} of the {_number(mark.raw)} points that it earned were taken off."
        )
    new = history[-1]
    for old, later in pairwise(history):
        if old.verdict.score == later.verdict.score:
            continue
        same_work = old.verdict.submission_sha256 == later.verdict.submission_sha256
        why = "the tests were corrected" if same_work else "you handed in again"
        lines.append(
            f"Marked before: {_number(old.verdict.score or 0)} points on {old.at:%Y-%m-%d}; then {why}."
        )
    if len(lines) > 0 and len(history) > 1:
        lines.append(f"This mark is of {new.at:%Y-%m-%d}.")
    return lines


def _question(question: QuestionVerdict, mark: Mark, answers: dict[str, str]) -> Question:
    name = question.id.removeprefix("test_")
    points = mark.questions.get(question.id, question.score or 0.0)
    remarks = []
    if points != (question.score or 0.0):
        remarks.append(
            f"Your instructor changed the mark by hand: {_number(question.score or 0.0)} before."
        )
    if name in mark.remarks:
        remarks.append(f"Your instructor writes: {mark.remarks[name]}")
    plain = question.message == SENTENCES[Outcome.RIGHT]  # right, and nothing more to say
    return Question(
        name=name,
        points=_number(points),
        max=_number(question.max),
        full=points >= question.max,
        words=WORDS[question.state],
        message="" if plain else question.message.strip(),
        remarks=tuple(remarks),
        code="" if question.state is Outcome.NOT_ATTEMPTED else answers.get(name, ""),
    )


def _read(path: Path) -> tuple[str, dict[str, str]]:
    """The chapter's title, and exercise -> the learner's own answer, from what was graded; nothing if it is gone."""
    try:
        read = notebook.read(path)
    except CourseError:
        return "", {}
    cells = list(notebook.cells(read))
    return notebook.title(read), {c.grade_id: c.source for c in cells if c.role == "solution"}


# ------------------------------------------------------------------------ text
def as_text(page: Page) -> str:
    """The page in Markdown, to read as it stands. What a learner wrote stands in fences that it cannot close."""
    lines = [
        f"# {_plain(page.title)}",
        "",
        f"{_plain(page.chapter)}, {_plain(page.name)}",
        "",
        f"{page.total} of {page.max} points",
    ]
    lines += [f"\n{_plain(line)}" for line in page.about]
    for q in page.questions:
        lines += ["", f"## `{q.name}`: {q.points} of {q.max}, {q.words}"]
        if q.message:
            lines += ["", *_fenced(q.message, "text")]
        lines += [f"\n{_plain(remark)}" for remark in q.remarks]
        if q.code:
            lines += ["", "What you handed in:", "", *_fenced(q.code, "python")]
    if page.notes:
        lines += ["", "## What was put right when your file was collected", ""]
        lines += [f"- {_plain(note)}" for note in page.notes]
    return "\n".join(lines) + "\n"


def _fenced(text: str, language: str) -> list[str]:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence + language, text, fence]


def _plain(text: str) -> str:
    """One line in which Markdown and HTML mean nothing."""
    return re.sub(r"([\\`*_\[\]#!|])", r"\\\1", html.escape(" ".join(text.split()), quote=False))


def _number(value: float) -> str:
    return f"{value:.10g}"
