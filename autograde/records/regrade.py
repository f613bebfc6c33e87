"""After a test was corrected: grade again, and set old and new marks side by side.

Owns the folder `regrades/` of the course: one CSV per run, which stays. Only what changed is run: verdicts are
kept under the hashes of what they depend on, and the students' answers are the ones that were collected.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograde.collect.submissions import Submission, refresh
from autograde.errors import CourseError
from autograde.files import write_whole
from autograde.layout import Layout
from autograde.records.log import Entry, read_log
from autograde.records.record import Recorded, record

Grade = Callable[[Sequence[Submission]], object]
"""Grades these submissions and leaves the lines where `record` finds them."""


@dataclass(frozen=True)
class Change:
    """A question whose mark or message the new tests changed. `old` is None if it was not marked before."""

    student: str
    question: str
    old: float | None
    new: float | None
    max: float
    message: str


@dataclass(frozen=True)
class Regraded:
    """What a regrade did; `table` is the file with old and new marks of everybody."""

    recorded: Recorded
    changes: tuple[Change, ...]
    students: int
    table: Path

    def __str__(self) -> str:
        lines = [
            f"{len({c.student for c in self.changes})} of {self.students} students have other marks now."
        ]
        lines += [
            f"  {c.student}  {c.question}: {_show(c.old)} -> {_show(c.new)} of {c.max:g}  {c.message}"
            for c in self.changes
        ]
        return "\n".join([*lines, str(self.recorded), f"Old and new marks: {self.table}"])


def regrade(chapter: str, layout: Layout, grade: Grade) -> Regraded:
    """Put what was collected on the chapter as it is now, grade and record it, and compare with before.

    Raises CourseError if nothing was recorded before.
    """
    before = read_log(layout).last(chapter)
    if not before:
        raise CourseError(
            layout.course, f"no marks of {chapter} were recorded yet.", "Grade and record it first."
        )
    grade(refresh(chapter, layout))
    recorded = record(chapter, layout)
    after = read_log(layout).last(chapter)
    rows = [
        row for student in sorted(after) for row in _compare(before.get(student), after[student])
    ]
    tests = next(iter(after.values())).verdict.tests_sha256[:8]
    table = layout.course / "regrades" / f"{chapter}-{tests}.csv"
    write_whole(table, _csv(rows))
    changed = tuple(c for c in rows if c.old != c.new)
    return Regraded(recorded, changed, len(after), table)


def _compare(old: Entry | None, new: Entry) -> list[Change]:
    before = {q.id: q.score for q in old.verdict.questions} if old else {}
    now = {q.id: q for q in new.verdict.questions}
    rows = [
        Change(new.verdict.student, q.id, before.get(q.id), q.score, q.max, q.message)
        for q in now.values()
    ]
    gone = [name for name in before if name not in now]
    return rows + [Change(new.verdict.student, n, before[n], None, 0.0, "removed") for n in gone]


def _csv(rows: Sequence[Change]) -> str:
    from autograde.records.export import safe

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["student", "question", "old", "new", "max", "changed", "message"])
    for c in rows:
        changed = "yes" if c.old != c.new else ""
        writer.writerow(
            [
                safe(c.student),
                c.question,
                _show(c.old),
                _show(c.new),
                f"{c.max:g}",
                changed,
                safe(c.message),
            ]
        )
    return text.getvalue()


def _show(mark: float | None) -> str:
    return "" if mark is None else f"{mark:g}"
