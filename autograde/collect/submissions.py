"""What `collect` leaves behind: one normalised notebook per student, and the list of them.

Owns `collected/` of the course folder and the form of what lies in it. Knows nothing of inboxes, and never changes
what a student answered.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from autograde import notebook
from autograde.errors import CourseError
from autograde.files import write_whole
from autograde.layout import Layout

OWN = "own-"
"""How the ids of the learner's other cells begin."""


@dataclass(frozen=True)
class Submission:
    """One student's work on one chapter, ready to be graded.

    Attributes
    ----------
    student: the id in the gradebook.
    notebook: the released chapter with the student's answers; the bare chapter if there is a `problem`.
    sha256: of the student's part: the same answers give the same value, whatever else the file held.
    received: when it came, by the collector or the LMS; None if nothing says so, and then it is never late.
    repairs: what was put right, a sentence each.
    problem: why it could not be read; None if it could.
    name, lms, number: how the inbox names the student, for the way back.
    is_code: the LMS hid who it is: `student` and `number` are a code of its own, no login.
    file: the file that counts, as the inbox names it.
    state: a hash of all that it was made from: while that is the same, nothing is made anew.
    attempts: how many files of theirs there were for this chapter.
    """

    student: str
    chapter: str
    notebook: Path
    sha256: str
    received: datetime | None
    repairs: tuple[str, ...] = ()
    problem: str | None = None
    name: str = ""
    lms: str = "folder"
    number: str = ""
    attempts: int = 1
    is_code: bool = False
    file: str = ""
    state: str = ""


def load(chapter: str, layout: Layout) -> list[Submission]:
    """What earlier runs of `collect` gave for a chapter; empty if there were none.

    Raises CourseError if the list is damaged.
    """
    path = _manifest(chapter, layout)
    if not path.exists():
        return []
    try:
        return [_from_json(data, layout) for data in json.loads(path.read_text(encoding="utf-8"))]
    except (ValueError, KeyError, TypeError) as error:
        raise CourseError(
            path, f"the list of submissions is damaged ({error}).", "Delete it and collect again."
        ) from error


def refresh(chapter: str, layout: Layout) -> list[Submission]:
    """Put what was collected on the chapter as it is released now, after a test or a text was corrected.

    The students' part and its hash stay what they are.
    """
    released = released_chapter(chapter, layout)
    submissions = load(chapter, layout)
    for submission in submissions:
        fresh = released
        if submission.problem is None:
            fresh = transplant(notebook.read(submission.notebook), released)
        write_whole(submission.notebook, text_of(fresh))
    return submissions


def save(chapter: str, submissions: Iterable[Submission], layout: Layout) -> None:
    """Write the list of all that was collected of a chapter."""
    text = json.dumps([_to_json(s) for s in submissions], indent=1)
    write_whole(_manifest(chapter, layout), text)


def released_chapter(chapter: str, layout: Layout) -> dict[str, Any]:
    """The chapter as learners get it, without outputs. Raises CourseError if it is not built."""
    return notebook.without_outputs(notebook.read(layout.chapter(chapter)))


def place(student: str, chapter: str, layout: Layout) -> Path:
    """Where a student's normalised notebook lies."""
    return layout.course / "collected" / student / chapter / f"{chapter}.ipynb"


def transplant(rebuilt: dict[str, Any], released: dict[str, Any]) -> dict[str, Any]:
    """A rebuilt notebook on another release of its chapter: the same answers and plain cells, nothing chosen anew."""
    answers = {}
    own: dict[str, list[dict[str, Any]]] = {
        "": []
    }  # id of a released cell -> the learner's after it
    place = ""
    for cell in rebuilt["cells"]:
        if str(cell.get("id")).startswith(OWN):
            own.setdefault(place, []).append(cell)
            continue
        place = str(cell.get("id"))
        about = cell["metadata"].get("nbgrader", {})
        if about.get("solution"):
            answers[about["grade_id"]] = cell["source"]
    cells = own.pop("")
    for cell in released["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        answered = {"source": answers[grade_id]} if grade_id in answers else {}
        cells += [cell | answered, *own.pop(str(cell.get("id")), [])]
    return released | {"cells": cells + [cell for lost in own.values() for cell in lost]}


def text_of(notebook: dict[str, Any]) -> str:
    """A collected notebook as the text of its file: on one line, which is ten times faster."""
    return json.dumps(notebook, sort_keys=True, ensure_ascii=False) + "\n"


def own_cell(source: str, number: int) -> dict[str, Any]:
    """A cell of the learner's own."""
    bare: dict[str, Any] = {"metadata": {}, "outputs": [], "execution_count": None}
    return bare | {"cell_type": "code", "id": f"{OWN}{number}", "source": source}


def _manifest(chapter: str, layout: Layout) -> Path:
    return layout.course / "collected" / f"{chapter}.json"


def _to_json(submission: Submission) -> dict[str, Any]:
    data = asdict(submission)
    data.pop("notebook")
    data["received"] = submission.received.isoformat() if submission.received else None
    return data


def _from_json(data: dict[str, Any], layout: Layout) -> Submission:
    data = dict(data)
    data["received"] = datetime.fromisoformat(data["received"]) if data["received"] else None
    data["repairs"] = tuple(data["repairs"])
    return Submission(notebook=place(data["student"], data["chapter"], layout), **data)
