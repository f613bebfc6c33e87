"""A verdict as nbgrader sees it: outputs of test cells, and the rows of its gradebook.

`VerdictOutputs` stands where nbgrader's `Execute` stands: it writes each verdict into the notebook as the output
of its test cell. nbgrader's own rule then reads the mark from that output, so the gradebook, late penalties,
Formgrader and exports work as if nbgrader had run the cells. Owns `autograded/` of the course folder.
"""

from __future__ import annotations

from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader import utils
from nbgrader.api import Gradebook, SubmittedAssignment
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets.config import Config

from autograde.collect.submissions import Submission
from autograde.files import write_whole
from autograde.layout import Layout
from autograde.notebook import read
from autograde.records.marks import late_penalty
from autograde.settings import utc
from autograde.verdict import Outcome, QuestionVerdict, State, Verdict


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


# ------------------------------------------------------------------------ one student
def write_student(
    gradebook: Gradebook,
    row: SubmittedAssignment | None,
    submission: Submission,
    outputs: VerdictOutputs,
    layout: Layout,
    config: Config,
) -> bool:
    """Write one student's marks and graded notebook; say whether that changed anything.

    `row`: theirs in the gradebook, if there is one. Raises CourseError if their notebook is not there any more.
    """
    notebook = _graded_notebook(submission, outputs)
    file_changed = _write_graded(notebook, submission, layout)
    marks = {
        cell.metadata.nbgrader.grade_id: utils.determine_grade(cell)[0]
        for cell in notebook.cells
        if utils.is_grade(cell)
    }
    look = outputs.verdicts[submission.student].state is State.UNREADABLE
    row = row or _new_submission(gradebook, submission)
    return _write_marks(gradebook, row, submission, marks, look, config) or file_changed


def _graded_notebook(submission: Submission, outputs: VerdictOutputs) -> NotebookNode:
    """The collected notebook with the verdict in it, for Formgrader. It holds no hidden test."""
    resources = {"nbgrader": {"student": submission.student}}
    notebook = nbformat.from_dict(read(submission.notebook))  # ours: no need to validate it again
    return outputs.preprocess(notebook, resources)[0]


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
    penalty = late_penalty(row.student_id, notebook.score, row.total_seconds_late, config)
    notebook.late_submission_penalty = penalty or None
    after = _state(row)
    gradebook.db.commit()
    return before != after


def _comment(exercise: str, submission: Submission) -> str | None:
    """nbgrader's own remark on an answer, for what the collector says of it."""
    if submission.problem:
        return f"The file could not be read: {submission.problem}."
    about = [r for r in submission.repairs if exercise in r.replace(",", " ").split()]
    return "; ".join(about) or None


def _state(row: SubmittedAssignment) -> tuple[Any, ...]:
    (notebook,) = row.notebooks
    grades = sorted((g.name, g.auto_score, g.needs_manual_grade) for g in notebook.grades)
    comments = sorted((c.name, c.auto_comment) for c in notebook.comments)
    return row.timestamp, notebook.late_submission_penalty, grades, comments
