"""The sample class graded by stock nbgrader alone: its commands, its feedback, its CSV.

Shows that the course is a stock nbgrader course; nothing of our grader is used.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from autograde.errors import CourseError
from autograde.layout import ROOT, Layout
from autograde.nbgrader_bridge import find_alembic, ready
from autograde.records.gradebook import register
from autograde.sample.people import all_samples, built, compare, hand_in, make_room


def nbgrader(layout: Layout, *arguments: str) -> str:
    """Run one nbgrader command in the course folder and return what it printed.

    Raises CourseError with the end of its output if it fails.
    """
    ready(layout)
    find_alembic()
    environment = os.environ | {
        # its settings import this package
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(
            os.pathsep
        ),
        "OPENBLAS_NUM_THREADS": "1",
    }
    run = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=layout.course,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if run.returncode:
        raise CourseError(
            layout.course,
            f"`nbgrader {' '.join(arguments)}` failed:\n"
            + "\n".join(run.stdout.splitlines()[-12:]),
            "Run the same command in that folder to see all of it.",
        )
    return run.stdout


def demo(layout: Layout, chapters: Sequence[str] | None = None) -> int:
    """Grade a sample class with stock nbgrader and compare what it earned with what it must earn.

    `chapters` defaults to the first that is built: stock nbgrader takes a few seconds per submission.
    Writes submissions, graded notebooks, feedback, the gradebook and grades.csv into the course folder and
    prints a table. Returns 1 if a mark differs, else 0. Raises CourseError if the folder holds other students.
    """
    samples = all_samples(layout, chapters or built(layout)[:1])
    make_room(layout, {sample.student for sample in samples})
    for chapter in dict.fromkeys(sample.chapter for sample in samples):
        print(f"{chapter}: writing and grading the sample class with nbgrader", flush=True)
        register(chapter, layout)
        for sample in samples:
            if sample.chapter == chapter:
                folder = layout.course / "submitted" / sample.student / chapter
                hand_in(sample, layout, folder)
                # long before any deadline, as nbgrader's own collector would write it
                (folder / "timestamp.txt").write_text("2000-01-01 12:00:00 UTC\n")
        nbgrader(layout, "autograde", chapter)
        nbgrader(layout, "generate_feedback", chapter)
    nbgrader(layout, "export", "--to", "grades.csv")
    earned = read_grades(layout.course / "grades.csv")
    table, differing = compare(samples, earned)
    print(table)
    print(f"Feedback is in {layout.course / 'feedback'}, grades in {layout.course / 'grades.csv'}.")
    return 1 if differing else 0


def read_grades(path: Path) -> dict[tuple[str, str], float | None]:
    """(student, chapter) -> score, from the CSV that `nbgrader export` writes; None if never handed in."""
    with path.open(newline="", encoding="utf-8") as file:
        return {
            (row["student_id"], row["assignment"]): float(row["score"])
            if row["timestamp"]
            else None
            for row in csv.DictReader(file)
        }
