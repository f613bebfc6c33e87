"""Verdicts -> nbgrader's gradebook, by one writer.

`VerdictOutputs` stands where nbgrader's `Execute` stands: it writes each verdict into the notebook as the output
of its test cell. nbgrader's own rule then reads the mark from that output, so the gradebook, late penalties,
Formgrader and exports work as if nbgrader had run the cells. Each student's marks are one transaction, and every
step may be repeated: a run that was killed is finished by the same command.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader import utils
from nbgrader.api import Gradebook, SubmittedAssignment
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets.config import Config

from autograde.collect.submissions import Submission, load
from autograde.errors import CourseError
from autograde.files import write_whole
from autograde.layout import Layout
from autograde.records.gradebook import one_writer, open_gradebook, register, set_deadline
from autograde.records.log import START, append
from autograde.settings import read_schedule, settings, utc
from autograde.verdict import Outcome, QuestionVerdict, State, Verdict


@dataclass
class Recorded:
    """What a run of `record` did.

    Attributes
    ----------
    written: students whose marks were written.
    unchanged: students whose marks already stood there.
    skipped: student -> why no mark was recorded.
    look: students whose file could not be read; Formgrader lists them too.
    head: the last hash of the log of verdicts; note it, and nobody can rewrite the log unseen.
    """

    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    look: list[str] = field(default_factory=list)
    head: str = START

    def __str__(self) -> str:
        lines = [
            f"{len(self.written)} marks written, {len(self.unchanged)} already there, "
            f"{len(self.skipped)} not recorded."
        ]
        lines += [f"  {student}: {why}" for student, why in self.skipped.items()]
        if self.look:
            lines.append(f"Not readable, marked 0, look at them: {', '.join(self.look)}")
        return "\n".join([*lines, f"The log of verdicts ends with {self.head[:16]}."])


class VerdictOutputs(NbGraderPreprocessor):
    """Writes a verdict into a notebook as outputs of its test cells, which nbgrader then reads as marks."""

    def __init__(self, verdicts: dict[str, Verdict], **traits: Any) -> None:
        super().__init__(**traits)
        self.verdicts = verdicts

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """`resources` names the student, as in every step of nbgrader's converters."""
        verdict = self.verdicts[resources["nbgrader"]["student"]]
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
            if utils.is_grade(cell):
                cell.outputs = [_output(verdict.question(cell.metadata.nbgrader.grade_id))]
        return nb, resources


def _output(question: QuestionVerdict) -> NotebookNode:
    """The output from which nbgrader reads the points of a question."""
    if question.state is Outcome.RIGHT and question.score == question.max:
        return new_output("stream", name="stdout", text=question.message + "\n")
    if question.score:
        data = {"text/plain": repr(float(question.score))}
        return new_output("execute_result", data=data, execution_count=None)
    return new_output(
        "error",
        ename=str(question.state),
        evalue=question.message,
        traceback=[f"{question.state}: {question.message}"],
    )


# ------------------------------------------------------------------------ the verb
def record(chapter: str, layout: Layout, lines: Path | None = None) -> Recorded:
    """Write the verdicts of a chapter into the gradebook and the log.

    Parameters
    ----------
    lines: the file that `grade` wrote; default: where it writes by itself.

    A verdict without a mark (the grader's own fault) is never recorded, nor one on work that has been replaced
    since. Raises CourseError if there are no verdicts, or another run is writing.
    """
    with one_writer(layout):
        register(chapter, layout)
        done = Recorded()
        verdicts = _recordable(chapter, layout, lines, done)
        log, _ = append(layout, verdicts.values())
        done.head = log.head
        schedule, config = read_schedule(layout), settings(layout)
        outputs = VerdictOutputs(verdicts)
        submissions = {s.student: s for s in load(chapter, layout)}
        with open_gradebook(layout) as gradebook:
            set_deadline(gradebook, chapter, schedule)
            known = {s.student_id: s for s in gradebook.assignment_submissions(chapter)}
            for student, verdict in verdicts.items():
                submission = submissions[student]
                notebook = _graded_notebook(submission, outputs)
                file_changed = _write_graded(notebook, submission, layout)
                marks = {
                    cell.metadata.nbgrader.grade_id: utils.determine_grade(cell)[0]
                    for cell in notebook.cells
                    if utils.is_grade(cell)
                }
                look = verdict.state is State.UNREADABLE
                done.look += [student] * look
                row = known.get(student) or _new_submission(gradebook, submission)
                changed = _write_marks(gradebook, row, submission, marks, look, config)
                (done.written if changed or file_changed else done.unchanged).append(student)
        return done


def _recordable(
    chapter: str, layout: Layout, lines: Path | None, done: Recorded
) -> dict[str, Verdict]:
    """student -> the verdict to record; why there is none for the others goes to `done`."""
    from autograde.grade.grade import read_verdicts

    path = lines or layout.course / "verdicts" / f"{chapter}.jsonl"
    if not path.exists():
        raise CourseError(
            path, "there are no verdicts.", f"Run `python -m autograde grade {chapter}` first."
        )
    collected = {s.student: s for s in load(chapter, layout)}
    tests = _tests(layout.chapter(chapter))
    good: dict[str, Verdict] = {}
    for verdict in read_verdicts(path):
        student = verdict.student
        if verdict.chapter != chapter:
            done.skipped[student] = f"the verdict is on {verdict.chapter}"
        elif student not in collected:
            done.skipped[student] = "nothing of theirs was collected"
        elif verdict.submission_sha256 != collected[student].sha256:
            done.skipped[student] = "their work was replaced after it was graded; grade again"
        elif verdict.state is State.INFRASTRUCTURE:
            done.skipped[student] = "the grader failed, not the student; grade again"
        elif {q.id: q.max for q in verdict.questions} != tests:
            done.skipped[student] = "the tests have changed since; grade again"
        else:
            good[student] = verdict
    return good


def _tests(chapter: Path) -> dict[str, float]:
    """Grade id -> points of the test cells of a released chapter."""
    return {
        cell.metadata.nbgrader.grade_id: float(cell.metadata.nbgrader.points)
        for cell in _read(chapter).cells
        if utils.is_grade(cell)
    }


# ------------------------------------------------------------------------ one student
def _graded_notebook(submission: Submission, outputs: VerdictOutputs) -> NotebookNode:
    """The collected notebook with the verdict in it, for Formgrader. It holds no hidden test."""
    resources = {"nbgrader": {"student": submission.student}}
    return outputs.preprocess(_read(submission.notebook), resources)[0]


def _read(path: Path) -> NotebookNode:
    """A notebook that this package wrote: no need to validate it again."""
    return nbformat.from_dict(json.loads(path.read_text(encoding="utf-8")))


def _write_graded(notebook: NotebookNode, submission: Submission, layout: Layout) -> bool:
    """Write it where nbgrader keeps graded notebooks; say whether that changed anything."""
    folder = layout.course / "autograded" / submission.student / submission.chapter
    path = folder / f"{submission.chapter}.ipynb"
    text = nbformat.v4.writes(notebook) + "\n"
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    write_whole(path, text)
    return True


def _new_submission(gradebook: Gradebook, submission: Submission) -> SubmittedAssignment:
    gradebook.update_or_create_student(submission.student)
    return gradebook.update_or_create_submission(submission.chapter, submission.student)


def _write_marks(
    gradebook: Gradebook,
    row: SubmittedAssignment,
    submission: Submission,
    marks: dict[str, float | None],
    look: bool,
    config: Config,
) -> bool:
    """Write one student's marks in one transaction; say whether that changed anything.

    A mark given by hand stays and is flagged if the grader's own has changed under it, as nbgrader does it.
    `look` flags every question for a person: the file could not be read.
    """
    before = _state(row)
    row.timestamp = utc(submission.received) if submission.received else None
    (notebook,) = row.notebooks
    for grade in notebook.grades:
        if grade.auto_score != marks[grade.name]:
            grade.auto_score = marks[grade.name]
            grade.needs_manual_grade = look or grade.manual_score is not None
    for comment in notebook.comments:
        comment.auto_comment = _comment(comment.name, submission)
    gradebook.db.flush()
    gradebook.db.expire(notebook)
    notebook.late_submission_penalty = late_penalty(row, notebook.score, config)
    after = _state(row)
    gradebook.db.commit()
    return before != after


def _comment(exercise: str, submission: Submission) -> str | None:
    """nbgrader's own remark on an answer, for what the collector says of it."""
    if submission.problem:
        return f"The file could not be read: {submission.problem}."
    about = [r for r in submission.repairs if exercise in r.replace(",", " ").split()]
    return "; ".join(about) or None


def late_penalty(row: SubmittedAssignment, score: float, config: Config) -> float | None:
    """What the late plugin of the settings takes off `score`; None if the work is not late."""
    late = row.total_seconds_late
    if late <= 0:
        return None
    plugin_class = config.AssignLatePenalties.get("plugin_class", LateSubmissionPlugin)
    penalty = plugin_class(config=config).late_submission_penalty(row.student_id, score, late)
    return None if penalty is None else min(max(0.0, penalty), score)


def _state(row: SubmittedAssignment) -> tuple[Any, ...]:
    (notebook,) = row.notebooks
    grades = sorted((g.name, g.auto_score, g.needs_manual_grade) for g in notebook.grades)
    comments = sorted((c.name, c.auto_comment) for c in notebook.comments)
    return row.timestamp, notebook.late_submission_penalty, grades, comments
