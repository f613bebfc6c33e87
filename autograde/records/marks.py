"""The marks of a chapter as nbgrader's gradebook has them, read straight from its file.

Owns the reading side of `gradebook.db`: one query a table, no import of nbgrader (2.5 s of processor time). A test
compares what is read here with what nbgrader's own API says. Never writes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from traitlets.config import Config

from autograde.collect.submissions import Submission, load
from autograde.errors import CourseError
from autograde.layout import Layout
from autograde.records.log import read_log

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Grade:
    """One question of one student: the grader's points, and what a person changed."""

    name: str
    max: float
    auto: float | None
    manual: float | None
    extra: float | None

    @property
    def score(self) -> float:
        """What counts, as nbgrader adds it up."""
        given = self.auto if self.manual is None else self.manual
        return (given or 0.0) + (self.extra or 0.0)


@dataclass(frozen=True)
class Entry:
    """One student's row of a chapter.

    Attributes
    ----------
    timestamp: when the work came, in UTC; None if nothing says so.
    deadline: the last moment on time for the class, in UTC; None if there is none.
    extension: how much later this student may hand in.
    penalty: points taken off for lateness.
    comments: exercise -> what a person wrote about it.
    """

    student: str
    timestamp: datetime | None
    deadline: datetime | None
    extension: timedelta
    penalty: float
    grades: tuple[Grade, ...]
    comments: dict[str, str] = field(default_factory=dict)

    @property
    def raw(self) -> float:
        """The points before the penalty."""
        return sum(g.score for g in self.grades)

    @property
    def max(self) -> float:
        return sum(g.max for g in self.grades)

    @property
    def seconds_late(self) -> float:
        if self.timestamp is None or self.deadline is None:
            return 0.0
        return max(0.0, (self.timestamp - self.deadline - self.extension).total_seconds())


@dataclass(frozen=True)
class Mark:
    """A student's mark in a chapter, and where it comes from.

    Attributes
    ----------
    score: after the late penalty. raw: before it. given: the grader's own, before any hand or penalty.
    earlier: the marks that earlier tests or earlier work got, oldest first.
    questions: grade id -> points, by hand or the grader's.
    remarks: exercise -> what an instructor wrote about it in Formgrader.
    """

    submission: Submission
    score: float
    raw: float
    penalty: float
    max: float
    given: float | None
    earlier: tuple[float, ...]
    by_hand: bool
    questions: dict[str, float]
    remarks: dict[str, str]


def marks(chapter: str, layout: Layout) -> list[Mark]:
    """The marks of a chapter by student. Raises CourseError if none were recorded."""
    submissions = {s.student: s for s in load(chapter, layout)}
    history = read_log(layout).history(chapter)
    found = []
    for student, entry in entries(chapter, layout).items():
        scores = [e.verdict.score or 0.0 for e in history.get(student, [])]
        missing = Submission(student, chapter, Path(), "", entry.timestamp, name=student)
        found.append(
            Mark(
                submission=submissions.get(student, missing),
                score=max(0.0, entry.raw - entry.penalty),
                raw=entry.raw,
                penalty=entry.penalty,
                max=entry.max,
                given=scores[-1] if scores else None,
                earlier=tuple(scores[:-1]),
                by_hand=any(g.manual is not None or g.extra for g in entry.grades),
                questions={g.name: g.score for g in entry.grades},
                remarks=entry.comments,
            )
        )
    if not found:
        raise CourseError(
            layout.course,
            f"no marks of {chapter} were recorded.",
            f"Grade it first: python -m autograde grade {chapter}",
        )
    return found


# ------------------------------------------------------------------------ the file
@contextmanager
def reading(layout: Layout) -> Iterator[sqlite3.Connection]:
    """The gradebook, open for reading. Raises CourseError if there is none."""
    path = layout.course / "gradebook.db"
    if not path.exists():
        raise CourseError(layout.course, "there is no gradebook.", "Record marks first.")
    address = path.resolve().as_uri() + "?mode=ro"
    with closing(sqlite3.connect(address, uri=True, timeout=5)) as base:
        base.row_factory = sqlite3.Row
        yield base


def chapters(layout: Layout) -> list[str]:
    """The chapters that the gradebook knows."""
    with reading(layout) as base:
        return [name for (name,) in base.execute("SELECT name FROM assignment ORDER BY name")]


def entries(chapter: str, layout: Layout) -> dict[str, Entry]:
    """student -> their row of a chapter, in order; empty if nothing was recorded.

    Raises CourseError if there is no gradebook.
    """
    if not (layout.course / "gradebook.db").exists():
        return {}
    with reading(layout) as base:
        grades: dict[str, list[Grade]] = {}
        for row in base.execute(GRADES, [chapter]):
            grade = Grade(row["name"], row["max"], row["auto"], row["manual"], row["extra"])
            grades.setdefault(row["student"], []).append(grade)
        comments: dict[str, dict[str, str]] = {}
        for row in base.execute(COMMENTS, [chapter]):
            comments.setdefault(row["student"], {})[row["name"]] = row["comment"]
        found = {}
        for row in base.execute(ROWS, [chapter]):
            student, more = row["student"], _moment(row["extension"])
            found[student] = Entry(
                student,
                _moment(row["timestamp"]),
                _moment(row["duedate"]),
                more - EPOCH if more else timedelta(),
                row["penalty"] or 0.0,
                tuple(grades.get(student, ())),
                comments.get(student, {}),
            )
        return found


def _moment(text: str | None) -> datetime | None:
    """A moment as SQLAlchemy writes it: UTC, without saying so."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None


SUBMITTED = """
FROM submitted_assignment AS submitted
JOIN assignment ON assignment.id = submitted.assignment_id
JOIN submitted_notebook AS notebook ON notebook.assignment_id = submitted.id
"""
ROWS = f"""
SELECT submitted.student_id AS student, submitted.timestamp, submitted.extension, assignment.duedate,
       notebook.late_submission_penalty AS penalty
{SUBMITTED} WHERE assignment.name = ? ORDER BY student
"""
GRADES = f"""
SELECT submitted.student_id AS student, base_cell.name, grade_cells.max_score AS max,
       grade.auto_score AS auto, grade.manual_score AS manual, grade.extra_credit AS extra
{SUBMITTED}
JOIN grade ON grade.notebook_id = notebook.id
JOIN base_cell ON base_cell.id = grade.cell_id
JOIN grade_cells ON grade_cells.id = grade.cell_id
WHERE assignment.name = ? ORDER BY student, base_cell.name
"""
COMMENTS = f"""
SELECT submitted.student_id AS student, base_cell.name, comment.manual_comment AS comment
{SUBMITTED}
JOIN comment ON comment.notebook_id = notebook.id
JOIN base_cell ON base_cell.id = comment.cell_id
WHERE assignment.name = ? AND comment.manual_comment <> ''
"""


def late_penalty(student: str, score: float, seconds_late: float, config: Config) -> float:
    """What the late plugin of the settings takes off `score`; 0 if the work is not late."""
    if seconds_late <= 0:
        return 0.0
    from nbgrader.plugins import LateSubmissionPlugin

    plugin = config.AssignLatePenalties.get("plugin_class", LateSubmissionPlugin)(config=config)
    penalty = plugin.late_submission_penalty(student, score, seconds_late)
    return min(max(0.0, penalty or 0.0), score)
