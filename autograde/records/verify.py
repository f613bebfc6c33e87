"""Are the marks in the gradebook the ones the grader gave?

Reads the log of verdicts, the gradebook, the settings and what was collected, and compares everything that decides
a mark: points, maxima, marks by hand, extra credit, the time the work came, the deadline and the penalty. Changes
nothing. A mark given by hand in Formgrader is the instructor's right: it is listed, and is no fault while it lies
within its bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from autograde.collect.submissions import Submission, load
from autograde.layout import CHAPTER_NAME, Layout
from autograde.records import marks
from autograde.records.log import AuditLog, Entry, read_log
from autograde.settings import Schedule, read_schedule, settings

Said = tuple[bool, str]
"""Whether it is a fault, and a sentence."""


@dataclass(frozen=True)
class Finding:
    """Something that `verify` saw. `fault` is False for what an instructor did by hand, and for hints."""

    fault: bool
    chapter: str
    student: str
    text: str

    def __str__(self) -> str:
        return (
            f"  {'FAULT' if self.fault else 'note '}  {self.chapter}  {self.student}: {self.text}"
        )


@dataclass(frozen=True)
class Verified:
    """The result: how many marks were compared, what was seen, and the log's last hash."""

    marks: int
    findings: tuple[Finding, ...]
    head: str

    @property
    def faults(self) -> list[Finding]:
        return [f for f in self.findings if f.fault]

    def __str__(self) -> str:
        head = f"{self.marks} marks compared with the log, {len(self.faults)} faults."
        lines = [str(f) for f in self.findings]
        return "\n".join([head, *lines, f"The log of verdicts ends with {self.head[:16]}."])


def verify(layout: Layout, chapters: Sequence[str] | None = None, head: str = "") -> Verified:
    """Compare the gradebook with the log.

    Parameters
    ----------
    chapters: which; default: all in the gradebook or the log.
    head: the last hash of the log as noted after an earlier run, or the beginning of it: it must still be in it.

    Raises CourseError if there is no gradebook.
    """
    known = set(marks.chapters(layout))
    log = read_log(layout)
    findings = list(_chain(log, head))
    compared = 0
    config, schedule = settings(layout), read_schedule(layout)
    for chapter in chapters or sorted(known | {e.verdict.chapter for e in log.entries}):
        last = log.last(chapter)
        rows = marks.entries(chapter, layout)
        collected = {s.student: s for s in _collected(chapter, layout)}
        for student in sorted(rows.keys() | last.keys()):
            row, entry = rows.get(student), last.get(student)
            said = list(_student(row, entry, collected.get(student)))
            if row is not None and entry is not None:
                compared += len(row.grades)
                said += _time(row, entry, schedule, chapter)
                due = marks.late_penalty(student, row.raw, row.seconds_late, config)
                if row.penalty != due:
                    text = f"the late penalty is {row.penalty:g} and should be {due:g}"
                    said.append((True, text))
            findings += [Finding(fault, chapter, student, text) for fault, text in said]
    return Verified(compared, tuple(findings), log.head)


def _chain(log: AuditLog, head: str) -> Iterator[Finding]:
    if log.fault:
        yield Finding(True, "-", "verdicts.log", log.fault)
    if log.cut:
        yield Finding(False, "-", "verdicts.log", "a crash cut its last line short; grade again")
    if head and not any(e.hash.startswith(head) for e in log.entries):
        yield Finding(True, "-", "verdicts.log", f"it no longer holds the line {head[:16]}")


def _collected(chapter: str, layout: Layout) -> list[Submission]:
    return load(chapter, layout) if CHAPTER_NAME.fullmatch(chapter) else []


def _student(
    row: marks.Entry | None, entry: Entry | None, submission: Submission | None
) -> Iterator[Said]:
    """What is to be said of one student's points in one chapter: (is it a fault, a sentence)."""
    if row is None:
        yield True, "the grader gave a mark that is not in the gradebook; run record again"
        return
    if entry is None:
        yield True, f"the gradebook has {row.raw - row.penalty:g} points that the grader never gave"
        return
    verdict = entry.verdict
    if submission is not None and submission.sha256 != verdict.submission_sha256:
        yield False, "newer work was collected and is not recorded yet"
    given = {q.id: q for q in verdict.questions}
    for grade in row.grades:
        if grade.name not in given:
            yield True, f"{grade.name} is a question that the grader did not mark"
            continue
        question = given.pop(grade.name)
        yield from _grade(grade, question.score, question.max)
    for name in given:
        yield True, f"{name} was marked by the grader and is not in the gradebook"


def _time(row: marks.Entry, entry: Entry, schedule: Schedule, chapter: str) -> Iterator[Said]:
    """What is to be said of when the work came and when it was due."""
    if row.timestamp != entry.received:
        yield (
            True,
            f"the gradebook says that the work came {_said(row.timestamp, schedule)}, "
            f"the log says {_said(entry.received, schedule)}",
        )
    due = schedule.deadline(chapter)
    if due is not None and row.deadline != due:
        yield (
            True,
            f"the gradebook's deadline is {_said(row.deadline, schedule)}, "
            f"the settings say {_said(due, schedule)}",
        )
    if row.extension:
        yield False, f"the gradebook gives them {row.extension} more time"


def _said(moment: datetime | None, schedule: Schedule) -> str:
    return (
        f"{moment.astimezone(schedule.zone):%Y-%m-%d %H:%M:%S %Z}" if moment else "at no known time"
    )


def _grade(grade: marks.Grade, given: float | None, most: float) -> Iterator[Said]:
    if grade.max != most:
        yield (
            True,
            f"{grade.name} is worth {grade.max:g} points there, and {most:g} in the tests",
        )
    if grade.auto != given:
        yield (
            True,
            f"{grade.name}: the gradebook says {grade.auto}, the grader gave {given:g}",
        )
    if grade.manual is not None:
        within = 0 <= grade.manual <= most
        text = f"{grade.name}: {grade.manual:g} by hand (the grader gave {given:g} of {most:g})"
        yield not within, text
    if grade.extra:
        yield False, f"{grade.name}: {grade.extra:g} extra points by hand"
