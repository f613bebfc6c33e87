"""`kill -9` on the whole grader at twenty moments, then the same command again: nothing shows that it happened."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest

from autograde.layout import Layout
from autograde.records.gradebook import open_gradebook
from autograde.records.log import read_log
from autograde.sample import people
from autograde.sandbox.sandbox import command
from bench import corpus

CHAPTER = "03_scores"
FORMS = ("csv", "canvas", "moodle")


def run(layout: Layout, *words: str, kill_after: float | None = None) -> int:
    """One command of the guide in a process group of its own; killed with all it started."""
    process = subprocess.Popen(
        [sys.executable, "-m", "autograde", *words],
        cwd=layout.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    if kill_after is not None:
        time.sleep(kill_after)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    return process.wait(timeout=300)


def marks(layout: Layout) -> dict[str, object]:
    """What the gradebook says, without random ids and without the moment of grading."""
    found: dict[str, object] = {}
    with open_gradebook(layout) as gradebook:
        for row in gradebook.assignment_submissions(CHAPTER):
            (notebook,) = row.notebooks
            grades = {g.name: (g.auto_score, g.manual_score, g.max_score) for g in notebook.grades}
            comments = {c.name: c.comment for c in notebook.comments}
            found[row.student_id] = (grades, comments, row.timestamp, row.score)
    return found


def exports(layout: Layout) -> dict[str, bytes]:
    for form in FORMS:
        assert run(layout, "export", CHAPTER, "--format", form) == 0
    folder = layout.course / "exports"
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_twenty_kills_leave_no_trace(tmp_path):
    """Killed at twenty moments, drawn over the time that a whole run takes; a run that ends by itself is followed
    by one from the beginning, so that there is always something to kill."""
    try:
        command("bubblewrap", sys.executable, 0)
    except Exception as lacking:
        pytest.skip(f"bubblewrap is needed: {lacking}")
    calm, shaken = (
        corpus.copy_of_the_course(tmp_path / "calm"),
        corpus.copy_of_the_course(tmp_path / "shaken"),
    )
    inbox = tmp_path / "inbox"
    samples = people.sample_class(CHAPTER, calm)
    for sample in samples:
        people.hand_in(sample, calm, inbox / sample.student)
    for layout in (calm, shaken):
        assert run(layout, "collect", CHAPTER, str(inbox)) == 0

    start = time.monotonic()
    assert run(calm, "grade", CHAPTER, "--workers", "2") == 0
    seconds = time.monotonic() - start

    rng = random.Random(20)
    kills = 0
    while kills < 20:
        moment = rng.uniform(0.1, seconds)
        if run(shaken, "grade", CHAPTER, "--workers", "2", kill_after=moment) == -signal.SIGKILL:
            kills += 1
        else:  # forget what was judged and that it was recorded; the gradebook and the log stay
            shutil.rmtree(shaken.course / "cache")
            seconds *= 0.8  # the machine is faster than it was
    assert run(shaken, "grade", CHAPTER, "--workers", "2") == 0

    assert marks(shaken) == marks(calm)
    assert len(marks(calm)) == len(samples)
    assert exports(shaken) == exports(calm)
    verdicts = [
        sorted((e.verdict.student, e.verdict.score or 0.0) for e in read_log(layout).entries)
        for layout in (calm, shaken)
    ]
    assert verdicts[0] == verdicts[1], "no verdict is in the log twice"
    for layout in (calm, shaken):
        assert run(layout, "verify") == 0
