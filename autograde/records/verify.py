"""Are the marks in the gradebook the ones the grader gave?

Reads the log of verdicts, the gradebook and what was collected, and compares. Changes nothing. A mark given by
hand in Formgrader is the instructor's right: it is listed, and is no fault while it lies within its bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nbgrader.api import Grade, SubmittedAssignment
from traitlets.config import Config

from autograde.collect.submissions import Submission, load
from autograde.errors import CourseError
from autograde.layout import CHAPTER_NAME, Layout
from autograde.records.gradebook import open_gradebook
from autograde.records.log import AuditLog, read_log
from autograde.records.record import late_penalty
from autograde.settings import settings
from autograde.verdict import Verdict


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
    """
    if not (layout.course / "gradebook.db").exists():
        raise CourseError(layout.course, "there is no gradebook.", "Record marks first.")
    log = read_log(layout)
    findings = list(_chain(log, head))
    marks = 0
    config = settings(layout)
    with open_gradebook(layout) as gradebook:
        known = {a.name for a in gradebook.assignments} | {e.verdict.chapter for e in log.entries}
        for chapter in chapters or sorted(known):
            last = log.last(chapter)
            rows = {s.student_id: s for s in gradebook.assignment_submissions(chapter)}
            collected = {s.student: s for s in _collected(chapter, layout)}
            for student in sorted(rows.keys() | last.keys()):
                verdict = last[student].verdict if student in last else None
                row = rows.get(student)
                marks += len(row.notebooks[0].grades) if row is not None and verdict else 0
                for fault, text in _student(row, verdict, collected.get(student), config):
                    findings.append(Finding(fault, chapter, student, text))
    return Verified(marks, tuple(findings), log.head)


def _chain(log: AuditLog, head: str) -> Iterator[Finding]:
    if log.fault:
        yield Finding(True, "-", "verdicts.log", log.fault)
    if head and not any(e.hash.startswith(head) for e in log.entries):
        yield Finding(True, "-", "verdicts.log", f"it no longer holds the line {head[:16]}")


def _collected(chapter: str, layout: Layout) -> list[Submission]:
    return load(chapter, layout) if CHAPTER_NAME.fullmatch(chapter) else []


def _student(
    row: SubmittedAssignment | None,
    verdict: Verdict | None,
    submission: Submission | None,
    config: Config,
) -> Iterator[tuple[bool, str]]:
    """What is to be said of one student's marks in one chapter: (is it a fault, a sentence)."""
    if row is None:
        yield True, "the grader gave a mark that is not in the gradebook; run record again"
        return
    if verdict is None:
        yield True, f"the gradebook has {row.score:g} points that the grader never gave"
        return
    if submission is not None and submission.sha256 != verdict.submission_sha256:
        yield False, "newer work was collected and is not recorded yet"
    (notebook,) = row.notebooks
    given = {q.id: q for q in verdict.questions}
    for grade in sorted(notebook.grades, key=lambda g: g.name):
        if grade.name not in given:
            yield True, f"{grade.name} is a question that the grader did not mark"
            continue
        question = given.pop(grade.name)
        yield from _grade(grade, question.score, question.max)
    for name in given:
        yield True, f"{name} was marked by the grader and is not in the gradebook"
    penalty = notebook.late_submission_penalty or 0.0
    due = late_penalty(row, notebook.score, config) or 0.0
    if penalty != due:
        yield True, f"the late penalty is {penalty:g} and should be {due:g}"


def _grade(grade: Grade, given: float | None, most: float) -> Iterator[tuple[bool, str]]:
    if grade.max_score != most:
        yield (
            True,
            f"{grade.name} is worth {grade.max_score:g} points there, and {most:g} in the tests",
        )
    if grade.auto_score != given:
        yield (
            True,
            f"{grade.name}: the gradebook says {grade.auto_score}, the grader gave {given:g}",
        )
    if grade.manual_score is not None:
        within = 0 <= grade.manual_score <= most
        text = (
            f"{grade.name}: {grade.manual_score:g} by hand (the grader gave {given:g} of {most:g})"
        )
        yield not within, text
    if grade.extra_credit:
        yield False, f"{grade.name}: {grade.extra_credit:g} extra points by hand"
