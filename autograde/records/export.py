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
from datetime import datetime
from pathlib import Path

from autograde.errors import CourseError
from autograde.files import write_whole
from autograde.layout import Layout
from autograde.records.marks import Mark, marks


def export(chapter: str, layout: Layout, form: str = "csv") -> Path:
    """Write the marks of a chapter in one of `FORMS` and give the file.

    Raises CourseError for an unknown form, or if no marks were recorded.
    """
    if form not in FORMS:
        raise CourseError(form, "there is no such form.", f"Name one of {', '.join(FORMS)}.")
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(
        FORMS[form](marks(chapter, layout), chapter)
    )
    name = chapter if form == "csv" else f"{chapter}-{form}"
    path = layout.course / "exports" / f"{name}.csv"
    # a byte-order mark: without it Excel takes UTF-8 for something else
    write_whole(path, ("\ufeff" if form == "csv" else "") + text.getvalue())
    return path


def unmatched(chapter: str, layout: Layout, form: str) -> str:
    """A sentence about rows that an import cannot match with a student; empty if there are none."""
    back = {"canvas": "", "moodle": "moodle"}.get(form)
    codes = [m for m in marks(chapter, layout) if m.submission.is_code]
    lost = [m.submission.student for m in codes if back is not None and m.submission.lms != back]
    if not lost:
        return ""
    return (
        f"{len(lost)} rows hold a code ({', '.join(lost[:3])}{', ...' if len(lost) > 3 else ''}): the LMS hid who it "
        "is, and the import will match nobody. Show the names there, collect again, and grade: nothing is graded twice."
    )


Row = list[str]


def _for_people(found: list[Mark], chapter: str) -> Iterable[Row]:
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


def _for_canvas(found: list[Mark], chapter: str) -> Iterable[Row]:
    """The columns that Canvas's gradebook import looks for; ID is the number in the file names it gave.

    Where a student came by another way than Canvas, the id stands as SIS login; never a code behind which an LMS hid
    who it is, which could be somebody else's login.
    """
    yield ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", chapter]
    yield ["    Points Possible", "", "", "", "", _number(found[0].max)]
    for m in found:
        s = m.submission
        known = s.lms == "canvas" and s.number.isdigit()
        login = "" if known or s.is_code else safe(s.student)
        yield [safe(s.name), s.number if known else "", "", login, "", _number(m.score)]


def _for_moodle(found: list[Mark], chapter: str) -> Iterable[Row]:
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
            "" if known or s.is_code else safe(s.student),
            *(_number(m.score), _number(m.max), "-", safe(_remark(m))),
        ]


def _remark(mark: Mark) -> str:
    late = f" {mark.penalty:g} points were taken off: it came late." if mark.penalty else ""
    problem = f" {mark.submission.problem}." if mark.submission.problem else ""
    return f"{mark.score:g} of {mark.max:g} points.{late}{problem}"


FORMS = {"csv": _for_people, "canvas": _for_canvas, "moodle": _for_moodle}
"""What can be written; a new form is a function and a line here."""

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
