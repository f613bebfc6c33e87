"""Marks for other programs: a CSV for people, and the forms that Canvas and Moodle read.

Owns three files in the `exports/` folder of the course. Marks come from nbgrader's gradebook, with late penalties
and marks given by hand; names and numbers from what was collected. Every file is written by the csv module, and
`safe` keeps a spreadsheet from running a name as a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from nbgrader.api import MissingEntry

from autograde.collect.submissions import Submission, load
from autograde.errors import CourseError
from autograde.files import write_whole
from autograde.layout import Layout
from autograde.records.gradebook import open_gradebook
from autograde.records.log import read_log

FORMS = ("csv", "canvas", "moodle")


@dataclass(frozen=True)
class Mark:
    """A student's mark in a chapter, as the gradebook has it.

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
    with open_gradebook(layout) as gradebook:
        try:
            rows = gradebook.find_assignment(chapter).submissions
        except MissingEntry:
            rows = []
        for row in sorted(rows, key=lambda r: r.student_id):
            (notebook,) = row.notebooks
            student = row.student_id
            scores = [e.verdict.score or 0.0 for e in history.get(student, [])]
            penalty = notebook.late_submission_penalty or 0.0
            missing = Submission(student, chapter, Path(), "", row.timestamp, name=student)
            found.append(
                Mark(
                    submission=submissions.get(student, missing),
                    score=max(0.0, notebook.score - penalty),
                    raw=notebook.score,
                    penalty=penalty,
                    max=notebook.max_score,
                    given=scores[-1] if scores else None,
                    earlier=tuple(scores[:-1]),
                    by_hand=any(
                        g.manual_score is not None or g.extra_credit for g in notebook.grades
                    ),
                    questions={
                        g.name: g.score for g in sorted(notebook.grades, key=lambda g: g.name)
                    },
                    remarks={
                        c.name: c.manual_comment for c in notebook.comments if c.manual_comment
                    },
                )
            )
    if not found:
        raise CourseError(
            layout.course,
            f"no marks of {chapter} were recorded.",
            f"Grade it first: python -m autograde grade {chapter}",
        )
    return found


def export(chapter: str, layout: Layout, form: str = "csv") -> Path:
    """Write the marks of a chapter in one of `FORMS` and give the file.

    Raises CourseError for an unknown form, or if no marks were recorded.
    """
    writers = {"csv": _for_people, "canvas": _for_canvas, "moodle": _for_moodle}
    if form not in writers:
        raise CourseError(form, "there is no such form.", f"Name one of {', '.join(FORMS)}.")
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(
        writers[form](marks(chapter, layout), chapter, layout)
    )
    name = chapter if form == "csv" else f"{chapter}-{form}"
    path = layout.course / "exports" / f"{name}.csv"
    # a byte-order mark: without it Excel takes UTF-8 for something else
    write_whole(path, ("\ufeff" if form == "csv" else "") + text.getvalue())
    return path


Row = list[str]


def _for_people(found: list[Mark], chapter: str, layout: Layout) -> Iterable[Row]:
    questions = sorted({q for mark in found for q in mark.questions})
    yield [
        *("student", "name", "chapter", "score", "max_score", "before_penalty", "late_penalty"),
        *("received", "by_hand", "earlier_scores", "problem", *questions),
    ]
    for m in found:
        yield [
            safe(m.submission.student),
            safe(m.submission.name),
            chapter,
            _number(m.score),
            _number(m.max),
            _number(m.raw),
            _number(m.penalty),
            _moment(m.submission.received),
            "yes" if m.by_hand else "",
            " ".join(_number(s) for s in m.earlier),
            safe(m.submission.problem or ""),
            *(_number(m.questions[q]) if q in m.questions else "" for q in questions),
        ]


def _for_canvas(found: list[Mark], chapter: str, layout: Layout) -> Iterable[Row]:
    """The columns that Canvas's gradebook import looks for; ID is the number in the file names it gave.

    Where a student came by another way than Canvas, the id stands as SIS login.
    """
    yield ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", chapter]
    yield ["    Points Possible", "", "", "", "", _number(found[0].max)]
    for m in found:
        s = m.submission
        known = s.lms == "canvas" and s.number.isdigit()
        login = "" if known else safe(s.student)
        yield [safe(s.name), s.number if known else "", "", login, "", _number(m.score)]


def _for_moodle(found: list[Mark], chapter: str, layout: Layout) -> Iterable[Row]:
    """Moodle's offline grading worksheet; Identifier holds the number of the folder names it gave.

    Where a student came by another way than Moodle, the id stands as ID number, for the gradebook's own import.
    """
    yield [
        *("Identifier", "Full name", "ID number", "Grade", "Maximum Grade"),
        *("Last modified (grade)", "Feedback comments"),
    ]
    for m in found:
        s = m.submission
        known = s.lms == "moodle"
        yield [
            *(f"Participant {s.number}" if known else "", safe(s.name)),
            "" if known else safe(s.student),
            *(_number(m.score), _number(m.max), "-", safe(_remark(m))),
        ]


def _remark(mark: Mark) -> str:
    late = f" {mark.penalty:g} points were taken off: it came late." if mark.penalty else ""
    problem = f" {mark.submission.problem}." if mark.submission.problem else ""
    return f"{mark.score:g} of {mark.max:g} points.{late}{problem}"


FORMULA = re.compile(
    r"(?P<start>^|;)(?=[\s\x00-\x1f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]*"
    r"[=+\-@|\uff1d\uff0b\uff0d\uff20\u2212\ufe62-\ufe66\ufe6b])|^(?=[\t\r])"
)
"""Where a spreadsheet may begin to read a formula: blanks, zero-width signs and a byte-order mark before it or
not, in the full-width forms too, and after a semicolon, which splits fields in half of Europe."""


def safe(text: str) -> str:
    """Text that no spreadsheet takes for a formula: an apostrophe before ``= + - @``, tabs and returns.

    The apostrophe is the sign by which spreadsheets know text. Line breaks become blanks.
    """
    return FORMULA.sub(r"\g<start>'", " ".join(text.splitlines()))


def _number(value: float) -> str:
    return f"{value:.10g}"


def _moment(moment: datetime | None) -> str:
    return moment.isoformat(sep=" ", timespec="seconds") if moment else ""
