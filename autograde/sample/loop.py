"""The whole loop on a made-up class: hand in, collect, grade, record, feedback, export, verify.

Owns nothing but the order of the steps and the comparison at the end; `make grade` runs it. The class is that of
`people.py`, and the marks are those of the sandboxed grader.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from autograde.collect.collect import collect_with_report, report
from autograde.collect.submissions import Submission
from autograde.layout import Layout
from autograde.records.export import FORMS, export
from autograde.records.feedback import feedback
from autograde.records.marks import marks
from autograde.records.record import record
from autograde.records.verify import verify
from autograde.sample import people
from autograde.settings import read_schedule

Grade = Callable[[str, Sequence[Submission], Layout], object]


def hand_in_all(layout: Layout, inbox: Path, chapters: Sequence[str] | None = None) -> str:
    """Write what the sample class hands in, a folder for each student; say how many there are."""
    samples = people.all_samples(layout, chapters)
    for sample in samples:
        people.hand_in(sample, layout, inbox / sample.student)
    return f"{len(samples)} submissions in {inbox}"


def run(layout: Layout, grade: Grade, chapters: Sequence[str] | None = None) -> int:
    """Take a sample class through every step in the course folder and print what each says.

    Parameters
    ----------
    grade: grades the submissions of a chapter and leaves the lines where `record` finds them.
    chapters: which; default: all that are built and have a catalogue.

    Returns 1 if a mark differs from what the catalogue says, or if `verify` finds a fault, else 0.
    Raises CourseError if the course folder holds other students' work.
    """
    samples = people.all_samples(layout, chapters)
    people.make_room(layout, {s.student for s in samples})
    earned: dict[tuple[str, str], float | None] = {}
    for chapter in dict.fromkeys(s.chapter for s in samples):
        with tempfile.TemporaryDirectory() as folder:
            inbox = Path(folder) / "inbox"
            for sample in samples:
                if sample.chapter == chapter:
                    people.hand_in(sample, layout, inbox / sample.student)
            done = collect_with_report(chapter, inbox, layout)
        said = report(done.submissions, done.others, read_schedule(layout))
        print(f"{chapter}\n{said}", flush=True)
        grade(chapter, done.submissions, layout)
        print(record(chapter, layout))
        print(f"{len(feedback(chapter, layout))} pages of feedback in {layout.course / 'feedback'}")
        for form in FORMS:
            print(export(chapter, layout, form))
        earned |= {(m.submission.student, chapter): m.score for m in marks(chapter, layout)}
    table, differing = people.compare(samples, earned)
    checked = verify(layout)
    print(f"{checked}\n{table}")
    return 1 if differing or checked.faults else 0
