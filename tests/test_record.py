"""Marks in nbgrader's gradebook: written once, by one writer, explained by the log, and nbgrader's own to use."""

from __future__ import annotations

import contextlib
import csv
import json
import multiprocessing
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import AssignLatePenalties, CheckCellMetadata, SaveAutoGrades
from sqlalchemy.orm import Session
from traitlets.config import Config

from autograde.collect.collect import collect
from autograde.collect.naming import clean_id
from autograde.collect.submissions import load
from autograde.errors import CourseError
from autograde.layout import ROOT, Layout
from autograde.records.export import export
from autograde.records.gradebook import open_gradebook, register
from autograde.records.log import read_log
from autograde.records.marks import chapters, entries
from autograde.records.outputs import VerdictOutputs
from autograde.records.record import one_writer, record
from autograde.records.regrade import regrade
from autograde.records.verify import verify
from autograde.sample import nbgrader as stock
from autograde.settings import CONFIG, utc
from autograde.verdict import Outcome
from tests import tiny
from tests.marked import CLASS, NN, hand_in, marked_class, verdict, write

RIGHT, WRONG = Outcome.RIGHT, Outcome.WRONG


@pytest.fixture(scope="module")
def registered(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """A course in which nbgrader knows the chapter; copied for each test."""
    layout = tiny.make(tmp_path_factory.mktemp("registered"))
    register(NN, layout)
    return layout


@pytest.fixture
def layout(registered: Layout, tmp_path: Path) -> Layout:
    shutil.copytree(registered.root, tmp_path / "checkout")
    return Layout(tmp_path / "checkout")


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    return tmp_path / "inbox"


def contents(layout: Layout) -> dict[str, Any]:
    """What the gradebook says, without the random ids of its rows."""
    found: dict[str, Any] = {}
    with open_gradebook(layout) as gradebook:
        for row in gradebook.assignment_submissions(NN):
            (notebook,) = row.notebooks
            found[row.student_id] = (
                {
                    g.name: (g.auto_score, g.manual_score, g.needs_manual_grade)
                    for g in notebook.grades
                },
                {c.name: c.comment for c in notebook.comments},
                row.timestamp,
                notebook.late_submission_penalty,
                row.score,
            )
    return found


def scores(layout: Layout) -> dict[str, float]:
    return {student: state[-1] for student, state in contents(layout).items()}


def by_hand(layout: Layout, student: str, question: str, **changes: Any) -> None:
    with open_gradebook(layout) as gradebook:
        grade = gradebook.find_grade(question, NN, NN, student)
        for name, value in changes.items():
            setattr(grade, name, value)
        gradebook.db.commit()


# ------------------------------------------------------------------------ recording
def test_verdicts_become_marks(layout: Layout, inbox: Path) -> None:
    marked_class(layout, inbox)
    done = record(NN, layout)
    assert done.written == ["ada", "bob", "eve"]
    assert scores(layout) == {"ada": 5, "bob": 3, "eve": 0}
    assert not any(flag for s in contents(layout).values() for _, _, flag in s[0].values())


def test_recording_again_changes_nothing(layout: Layout, inbox: Path) -> None:
    marked_class(layout, inbox)
    record(NN, layout)
    before, log = contents(layout), (layout.course / "verdicts.log").read_bytes()
    graded = {p: p.stat().st_mtime_ns for p in layout.course.rglob("autograded/*/*/*")}
    done = record(NN, layout)
    assert (done.written, done.unchanged) == ([], ["ada", "bob", "eve"])
    assert contents(layout) == before
    assert (layout.course / "verdicts.log").read_bytes() == log
    assert {p: p.stat().st_mtime_ns for p in graded} == graded


@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
def test_nbgraders_own_converter_with_our_step_gives_the_same_gradebook(
    layout: Layout, inbox: Path, tmp_path: Path
) -> None:
    submissions = marked_class(layout, inbox)
    record(NN, layout)
    ours = contents(layout)
    shutil.rmtree(layout.course / "autograded")
    (layout.course / "gradebook.db").unlink()
    register(NN, layout)
    outputs = VerdictOutputs({s.student: verdict(s, CLASS[s.student]) for s in submissions})
    config = Config()
    config.CourseDirectory.root = str(layout.course)
    config.CourseDirectory.assignment_id = NN
    converter = Autograde(coursedir=CourseDirectory(config=config), config=config)
    converter.autograde_preprocessors = [
        outputs, SaveAutoGrades, AssignLatePenalties, CheckCellMetadata
    ]  # fmt: skip
    converter.start()
    assert contents(layout) == ours


def test_a_fault_of_the_grader_is_never_a_mark(layout: Layout, inbox: Path) -> None:
    ada, bob, eve = hand_in(layout, inbox, ["ada", "bob", "eve"])
    lost = {"test_double": Outcome.INFRASTRUCTURE, "test_total": RIGHT}
    write(layout, [verdict(ada, CLASS["ada"]), verdict(bob, lost), verdict(eve, CLASS["eve"])])
    done = record(NN, layout)
    assert set(done.skipped) == {"bob"}
    assert "grade again" in done.skipped["bob"]
    assert set(scores(layout)) == {"ada", "eve"}
    assert "bob" not in read_log(layout).last(NN)
    write(layout, [verdict(s, CLASS[s.student]) for s in (ada, bob, eve)])
    assert record(NN, layout).written == ["bob"]


def test_a_fault_later_does_not_take_a_mark_away(layout: Layout, inbox: Path) -> None:
    (ada,) = hand_in(layout, inbox, ["ada"])
    write(layout, [verdict(ada, CLASS["ada"])])
    record(NN, layout)
    write(layout, [verdict(ada, {"test_double": Outcome.INFRASTRUCTURE})])
    record(NN, layout)
    assert scores(layout) == {"ada": 5}


def test_a_verdict_on_work_that_was_replaced_is_not_recorded(layout: Layout, inbox: Path) -> None:
    submissions = hand_in(layout, inbox, ["ada"])
    write(layout, [verdict(s, CLASS["ada"]) for s in submissions])
    new = tiny.handed_in(layout, double="def double(x):\n    return 7")
    (inbox / "ada" / f"{NN}.ipynb").write_text(json.dumps(new))
    collect(NN, inbox, layout)
    assert "replaced" in record(NN, layout).skipped["ada"]


def test_what_could_not_be_read_gets_nought_and_asks_for_a_look(
    layout: Layout, inbox: Path
) -> None:
    (inbox / "ada").mkdir(parents=True)
    (inbox / "ada" / f"{NN}.ipynb").write_text("<html>")
    submissions = collect(NN, inbox, layout)
    write(layout, [verdict(s, {}) for s in submissions])
    assert record(NN, layout).look == ["ada"]
    grades, comments, *_ = contents(layout)["ada"]
    assert set(grades.values()) == {(0.0, None, True)}
    assert "web page" in comments["double"]


def test_a_deleted_test_cell_lowers_nothing_and_waits_for_nobody(
    layout: Layout, inbox: Path
) -> None:
    notebook = tiny.handed_in(layout, **tiny.RIGHT)
    notebook.cells = [c for c in notebook.cells if not c.id.startswith("test")]
    (inbox / "ada").mkdir(parents=True)
    (inbox / "ada" / f"{NN}.ipynb").write_text(json.dumps(notebook))
    write(layout, [verdict(s, CLASS["bob"]) for s in collect(NN, inbox, layout)])
    record(NN, layout)
    (row,) = stock_rows(layout)
    assert (row["score"], row["max_score"], row["needs_manual_grade"]) == (3, 5, False)


def stock_rows(layout: Layout) -> list[dict[str, Any]]:
    """The submissions as nbgrader itself sums them up."""
    with open_gradebook(layout) as gradebook:
        return [row.to_dict() for row in gradebook.assignment_submissions(NN)]


def test_only_one_run_writes_at_a_time(layout: Layout, inbox: Path) -> None:
    marked_class(layout, inbox)
    with one_writer(layout), pytest.raises(CourseError, match="another run"):
        record(NN, layout)
    record(NN, layout)


def test_no_verdicts_is_said(layout: Layout) -> None:
    with pytest.raises(CourseError, match=r"autograde grade 90_tiny"):
        record(NN, layout)


def test_graded_notebooks_hold_no_hidden_test_and_no_markup_of_the_student(
    layout: Layout, inbox: Path
) -> None:
    notebook = tiny.handed_in(layout, double="def double(x):\n    '<script>alert(1)</script>'")
    notebook.cells.append(
        json.loads('{"cell_type": "markdown", "metadata": {}, "source": "<script>x</script>"}')
    )
    (inbox / "ada").mkdir(parents=True)
    (inbox / "ada" / f"{NN}.ipynb").write_text(json.dumps(notebook))
    (ada,) = collect(NN, inbox, layout)
    evil = {"test_double": "<script>alert(2)</script>"}
    write(layout, [verdict(ada, {"test_double": WRONG}, messages=evil)])
    record(NN, layout)
    stock.nbgrader(layout, "generate_feedback", NN)  # the page that Formgrader shows too
    page = (layout.course / "feedback" / "ada" / NN / f"{NN}.html").read_text()
    assert str(tiny.SECRET) not in page
    assert "<script>alert" not in page
    assert "<script>x" not in page


# ------------------------------------------------------------------------ killed
def snapshot(layout: Layout) -> dict[str, Any]:
    files = {
        str(p.relative_to(layout.course)): p.read_bytes()
        for folder in ("autograded", "exports")
        for p in (layout.course / folder).rglob("*")
        if p.is_file() and not p.name.startswith(".unfinished-")
    }
    log = [(e.verdict.to_json(), e.number) for e in read_log(layout).entries]
    return {"gradebook": contents(layout), "files": files, "log": log}


def steps(at: int | None = None) -> list[int]:
    """Count what `record` does to the disk, in this process; kill the process at step `at`."""
    taken = [0]

    def counted(function: Any) -> Any:
        def stepping(*args: Any, **kwargs: Any) -> Any:
            taken[0] += 1
            if taken[0] == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **kwargs)

        return stepping

    os.fsync = counted(os.fsync)
    Path.replace = counted(Path.replace)  # type: ignore[method-assign]
    Session.commit = counted(Session.commit)  # type: ignore[method-assign]
    Session.flush = counted(Session.flush)  # type: ignore[method-assign]
    return taken


def recorded_and_killed(layout: Layout, at: int | None, said: Any = None) -> None:
    taken = steps(at)
    record(NN, layout)
    if said is not None:
        said.put(taken[0])


def test_killed_at_any_step_and_run_again_gives_the_same(
    layout: Layout, inbox: Path, tmp_path: Path
) -> None:
    students = [f"s{n:02}" for n in range(12)]
    submissions = hand_in(layout, inbox, students)
    outcomes = list(CLASS.values())
    write(layout, [verdict(s, outcomes[n % 3]) for n, s in enumerate(submissions)])
    calm = Layout(tmp_path / "calm")
    shutil.copytree(layout.root, calm.root)
    fork = multiprocessing.get_context("fork")
    said = fork.SimpleQueue()
    run = fork.Process(target=recorded_and_killed, args=(calm, None, said))
    run.start()
    whole = said.get()
    run.join()
    assert whole > 60
    for n in range(20):
        run = fork.Process(target=recorded_and_killed, args=(layout, 1 + n % 7 + n * 2))
        run.start()
        run.join()
        assert run.exitcode in (-signal.SIGKILL, 0)
    record(NN, layout)
    for form in ("csv", "canvas", "moodle"):
        export(NN, layout, form)
        export(NN, calm, form)
    assert snapshot(layout) == snapshot(calm)
    assert verify(layout).faults == []


# ------------------------------------------------------------------------ the log and verify
def test_marks_as_given_pass(layout: Layout, inbox: Path) -> None:
    marked_class(layout, inbox)
    record(NN, layout)
    checked = verify(layout)
    assert (checked.marks, checked.findings) == (6, ())


FORGERIES: dict[str, tuple[dict[str, Any], str]] = {
    "another mark": ({"auto_score": 2.0}, "the gradebook says 2.0, the grader gave 0"),
    "321 of 10 by hand": ({"manual_score": 321.0}, "321 by hand"),
    "below nought": ({"manual_score": -1.0}, "-1 by hand"),
    "no mark": ({"auto_score": None}, "the gradebook says None"),
}


@pytest.mark.parametrize("case", FORGERIES)
def test_a_mark_the_grader_did_not_give_is_a_fault(case: str, layout: Layout, inbox: Path) -> None:
    changes, text = FORGERIES[case]
    marked_class(layout, inbox)
    record(NN, layout)
    by_hand(layout, "eve", "test_double", **changes)
    (fault,) = verify(layout).faults
    assert (fault.student, fault.chapter) == ("eve", NN)
    assert text in str(fault)


def test_a_mark_by_hand_is_listed_and_no_fault(layout: Layout, inbox: Path) -> None:
    marked_class(layout, inbox)
    record(NN, layout)
    by_hand(layout, "eve", "test_double", manual_score=1.5, extra_credit=0.5)
    checked = verify(layout)
    assert checked.faults == []
    said = str(checked)
    assert "test_double: 1.5 by hand (the grader gave 0 of 2)" in said
    assert "0.5 extra points" in said
    record(NN, layout)  # and it stays
    assert scores(layout)["eve"] == 2


def test_points_changed_in_the_gradebook_are_a_fault(layout: Layout, inbox: Path) -> None:
    marked_class(layout, inbox)
    record(NN, layout)
    with open_gradebook(layout) as gradebook:
        gradebook.find_grade_cell("test_double", NN, NN).max_score = 100
        gradebook.db.commit()
    assert len(verify(layout).faults) == 3


def test_a_student_put_in_or_taken_out_is_a_fault(layout: Layout, inbox: Path) -> None:
    marked_class(layout, inbox)
    record(NN, layout)
    with open_gradebook(layout) as gradebook:
        gradebook.remove_student("ada")
        gradebook.add_student("mallory")
        gradebook.add_submission(NN, "mallory")
    faults = {f.student: f.text for f in verify(layout).faults}
    assert set(faults) == {"ada", "mallory"}
    assert "not in the gradebook" in faults["ada"]


TAMPERING = {
    "a changed mark": lambda lines: [lines[0].replace('"score": 0.0', '"score": 2.0', 1), *lines[1:]],
    "a removed line": lambda lines: [lines[0], *lines[2:]],
    "lines swapped": lambda lines: [lines[1], lines[0], *lines[2:]],
    "a line put in": lambda lines: [lines[0], lines[0], *lines[1:]],
    "rubbish": lambda lines: [lines[0], "rubbish", *lines[1:]],
    "a changed time": lambda lines: [lines[0].replace("20", "19", 1), *lines[1:]],
}  # fmt: skip


@pytest.mark.parametrize("case", TAMPERING)
def test_a_log_that_was_changed_is_seen_and_not_added_to(
    case: str, layout: Layout, inbox: Path
) -> None:
    submissions = hand_in(layout, inbox, ["eve", "zoe", "yan"])
    write(layout, [verdict(s, CLASS["eve"]) for s in submissions])
    record(NN, layout)
    path = layout.course / "verdicts.log"
    lines = TAMPERING[case](path.read_text().splitlines())
    path.write_text("\n".join(lines) + "\n")
    assert any(f.student == "verdicts.log" for f in verify(layout).faults)
    changed = path.read_bytes()
    with pytest.raises(CourseError, match=r"verdicts\.log"):
        record(NN, layout)
    assert path.read_bytes() == changed


def test_a_line_cut_short_by_a_crash_is_replaced(layout: Layout, inbox: Path) -> None:
    marked_class(layout, inbox)
    head = record(NN, layout).head
    path = layout.course / "verdicts.log"
    path.write_bytes(path.read_bytes()[:-30])
    assert read_log(layout).fault is None
    assert len(read_log(layout).entries) == 2
    record(NN, layout)
    log = read_log(layout)
    assert log.fault is None
    assert len(log.entries) == 3
    assert log.head == head or log.entries[-1].at.isoformat()


def test_a_log_written_anew_does_not_hold_the_hash_that_was_noted(
    layout: Layout, inbox: Path
) -> None:
    submissions = marked_class(layout, inbox)
    head = record(NN, layout).head
    (layout.course / "verdicts.log").unlink()
    write(layout, [verdict(s, CLASS["ada"]) for s in submissions])
    record(NN, layout)
    assert verify(layout, head=read_log(layout).head[:16]).faults == []
    (fault,) = verify(layout, head=head).faults
    assert "no longer holds" in fault.text


LOST = {
    "bytes without a line end": b"nothing to see here",
    "an empty object": b"{}",
    "the beginning of another line": b'{"number": 7, "at": "2026',
}


@pytest.mark.parametrize("case", LOST)
def test_a_log_replaced_by_something_else_is_never_overwritten_in_silence(
    case: str, layout: Layout, inbox: Path
) -> None:
    submissions = marked_class(layout, inbox)
    record(NN, layout)
    path = layout.course / "verdicts.log"
    path.write_bytes(LOST[case])
    assert any(f.student == "verdicts.log" for f in verify(layout).faults)
    write(layout, [verdict(s, CLASS["ada"]) for s in submissions])
    with pytest.raises(CourseError, match="no line of it"):
        record(NN, layout)
    assert path.read_bytes() == LOST[case]


def test_a_line_cut_short_is_said(layout: Layout, inbox: Path) -> None:
    marked_class(layout, inbox)
    record(NN, layout)
    path = layout.course / "verdicts.log"
    path.write_bytes(path.read_bytes()[:-30])
    assert "cut its last line short" in str(verify(layout))
    assert "A crash had cut" in str(record(NN, layout))
    assert "A crash had cut" not in str(record(NN, layout))


def test_what_is_read_straight_from_the_gradebook_is_what_nbgrader_says(
    layout: Layout, inbox: Path
) -> None:
    late_course(layout, inbox, "zero")
    by_hand(layout, "ada", "test_double", manual_score=0.5)
    by_hand(layout, "bob", "test_total", extra_credit=0.25)
    with open_gradebook(layout) as gradebook:
        gradebook.grant_extension(NN, "ada", hours=3)
        gradebook.find_comment("double", NN, NN, "bob").manual_comment = "see me"
        gradebook.db.commit()
        said = {
            row.student_id: (
                row.timestamp,
                row.duedate,
                row.total_seconds_late,
                row.notebooks[0].late_submission_penalty or 0.0,
                row.notebooks[0].score,
                row.notebooks[0].max_score,
                {g.name: g.score for g in row.notebooks[0].grades},
                {c.name: c.manual_comment for c in row.notebooks[0].comments if c.manual_comment},
            )
            for row in gradebook.assignment_submissions(NN)
        }
    read = {
        student: (
            utc(e.timestamp) if e.timestamp else None,
            utc(e.deadline + e.extension) if e.deadline else None,
            e.seconds_late,
            e.penalty,
            e.raw,
            e.max,
            {g.name: g.score for g in e.grades},
            e.comments,
        )
        for student, e in entries(NN, layout).items()
    }
    assert read == said
    assert chapters(layout) == [NN]


def test_a_gradebook_that_changed_is_written_again(layout: Layout, inbox: Path) -> None:
    """Nothing new is nothing to do, but only while everything that was written is still there."""
    marked_class(layout, inbox)
    record(NN, layout)
    before = contents(layout)
    by_hand(layout, "bob", "test_double", auto_score=2.0)
    assert record(NN, layout).written == ["bob"]
    assert contents(layout) == before
    graded = layout.course / "autograded" / "ada" / NN / f"{NN}.ipynb"
    graded.unlink()
    assert record(NN, layout).written == ["ada"]
    assert graded.exists()
    (layout.course / "gradebook.db").unlink()
    assert record(NN, layout).written == ["ada", "bob", "eve"]
    assert contents(layout) == before


def test_a_collected_notebook_that_is_gone_stops_nobody_else(layout: Layout, inbox: Path) -> None:
    submissions = marked_class(layout, inbox)
    submissions[1].notebook.write_text("{}")
    done = record(NN, layout)
    assert done.written == ["ada", "eve"]
    assert "no notebook any more" in done.skipped["bob"]
    assert "bob" in record(NN, layout).skipped, "it is tried, and said, again"


# ------------------------------------------------------------------------ late
NOON = 1790870400
"""2026-10-01 12:00 in New York, as seconds since 1970."""


def late_course(layout: Layout, inbox: Path, method: str) -> None:
    """Deadline noon in New York; ada hands in a second before it, bob a second after."""
    settings = (ROOT / "autograde" / "course" / CONFIG).read_text()
    settings = settings.replace('TIME_ZONE = "UTC"', 'TIME_ZONE = "America/New_York"')
    settings = settings.replace('# "03_scores": "2026-10-12 23:59"', f'"{NN}": "2026-10-01 12:00"')
    settings = settings.replace('penalty_method = "none"', f'penalty_method = "{method}"')
    (layout.course / CONFIG).write_text(settings.replace("[2]", "[1]"))
    hand_in(layout, inbox, ["ada", "bob"])
    for student, moment in (("ada", NOON - 1), ("bob", NOON + 1)):
        os.utime(inbox / student / f"{NN}.ipynb", (moment, moment))
    (layout.course / "collected" / f"{NN}.json").unlink()
    submissions = collect(NN, inbox, layout)
    write(layout, [verdict(s, CLASS["ada"]) for s in submissions])
    record(NN, layout)


def exported(layout: Layout) -> list[list[str]]:
    lines = export(NN, layout).read_text(encoding="utf-8-sig").splitlines()
    return list(csv.reader(lines))


def test_the_late_penalty_is_nbgraders_and_the_deadline_local(layout: Layout, inbox: Path) -> None:
    late_course(layout, inbox, "zero")
    assert {s: c[3] for s, c in contents(layout).items()} == {"ada": None, "bob": 5.0}
    rows = exported(layout)
    assert rows[1][:8] == ["ada", "ada", NN, *"5550", "2026-10-01 11:59:59-04:00"]
    assert rows[2][:8] == ["bob", "bob", NN, *"0555", "2026-10-01 12:00:01-04:00"]
    assert verify(layout).faults == []
    stock.nbgrader(layout, "export", "--to", "grades.csv")
    assert stock.read_grades(layout.course / "grades.csv") == {("ada", NN): 5, ("bob", NN): 0}


TIMES: dict[str, Any] = {
    "the time of the work": ("bob", {"timestamp": datetime(2026, 10, 1, 15, 59)}, "the work came"),
    "and no time at all": ("bob", {"timestamp": None}, "at no known time"),
}


@pytest.mark.parametrize("case", TIMES)
def test_a_late_penalty_that_was_taken_away_is_a_fault(
    case: str, layout: Layout, inbox: Path
) -> None:
    """Seven points instead of none: the time was changed and the penalty went with it."""
    student, changes, text = TIMES[case]
    late_course(layout, inbox, "zero")
    with open_gradebook(layout) as gradebook:
        row = gradebook.find_submission(NN, student)
        for name, value in changes.items():
            setattr(row, name, value)
        row.notebooks[0].late_submission_penalty = None
        gradebook.db.commit()
    assert text in " ".join(f.text for f in verify(layout).faults)


def test_another_deadline_is_a_fault_and_an_extension_is_said(layout: Layout, inbox: Path) -> None:
    late_course(layout, inbox, "none")
    with open_gradebook(layout) as gradebook:
        gradebook.grant_extension(NN, "bob", hours=2)
    checked = verify(layout)
    assert checked.faults == []
    assert "2:00:00 more time" in str(checked)
    with open_gradebook(layout) as gradebook:
        gradebook.update_or_create_assignment(NN, duedate=datetime(2027, 1, 1))
    assert any("deadline" in f.text for f in verify(layout).faults)


def test_without_a_penalty_late_work_keeps_its_points(layout: Layout, inbox: Path) -> None:
    late_course(layout, inbox, "none")
    assert scores(layout) == {"ada": 5, "bob": 5}


# ------------------------------------------------------------------------ regrade
def regraded_with(layout: Layout, outcomes: dict[str, Outcome], **more: Any) -> Any:
    def grade(submissions: Any) -> None:
        write(layout, [verdict(s, outcomes, tests_sha256="3" * 64, **more) for s in submissions])

    return regrade(NN, layout, grade)


def test_a_corrected_test_old_and_new_marks_side_by_side(layout: Layout, inbox: Path) -> None:
    marked_class(layout, inbox)
    record(NN, layout)
    corrected = tiny.solution()
    tiny.cell_of(corrected, "test_double").source = 'claim(double(1) in (1, 2), "1 or 2")'
    tiny.build(layout, corrected)
    done = regraded_with(layout, {"test_double": RIGHT, "test_total": RIGHT})
    assert {(c.student, c.question, c.old, c.new) for c in done.changes} == {
        ("bob", "test_double", 0, 2),
        ("eve", "test_double", 0, 2),
        ("eve", "test_total", 0, 3),
    }
    assert scores(layout) == {"ada": 5, "bob": 5, "eve": 5}
    table = done.table.read_text().splitlines()
    assert table[0] == "student,question,old,new,max,changed,message"
    assert table[3].startswith("bob,test_double,0,2,2,yes")
    assert [row[9] for row in exported(layout)] == ["earlier_scores", "5", "3", "0"]
    with open_gradebook(layout) as gradebook:
        assert "1 or 2" in gradebook.find_source_cell("test_double", NN, NN).source
    assert verify(layout).faults == []


def test_a_test_split_in_two_counts_both_halves(layout: Layout, inbox: Path) -> None:
    marked_class(layout, inbox)
    record(NN, layout)
    by_hand(layout, "eve", "test_total", manual_score=1.0)
    split = tiny.solution()
    first = tiny.cell_of(split, "test_total")
    first.metadata.nbgrader["points"] = 1
    second = tiny.solution().cells[split.cells.index(first)]
    second.metadata.nbgrader.update(grade_id="test_total_empty", points=2)
    second["id"] = "test-total-empty"
    split.cells.insert(split.cells.index(first) + 1, second)
    tiny.build(layout, split)
    tests = {"test_double": 2.0, "test_total": 1.0, "test_total_empty": 2.0}
    done = regraded_with(layout, {"test_double": RIGHT, "test_total_empty": RIGHT}, tests=tests)
    assert scores(layout) == {"ada": 4, "bob": 4, "eve": 5}  # eve's mark by hand is still there
    assert ("ada", "test_total_empty", None, 2) in {
        (c.student, c.question, c.old, c.new) for c in done.changes
    }
    assert verify(layout).faults == []
    # and back again: the removed half takes its marks with it
    tiny.build(layout, tiny.solution())
    regraded_with(layout, {"test_double": RIGHT, "test_total": RIGHT})
    assert scores(layout) == {"ada": 5, "bob": 5, "eve": 3}
    assert verify(layout).faults == []


def test_a_verdict_for_other_tests_is_not_recorded(layout: Layout, inbox: Path) -> None:
    (ada,) = hand_in(layout, inbox, ["ada"])
    write(layout, [verdict(ada, {}, tests={"test_double": 2.0})])
    assert "tests have changed" in record(NN, layout).skipped["ada"]


def test_a_regrade_before_any_grading_is_refused(layout: Layout) -> None:
    with pytest.raises(CourseError, match="no marks"):
        regraded_with(layout, {})


# ------------------------------------------------------------------------ nbgrader's own programs
ODD = "[x] (y)+z, \\q"
"""A name that a web page and a file pattern may trip over."""


@pytest.fixture
def formgrader(layout: Layout, inbox: Path) -> Iterator[tuple[Layout, str]]:
    """A Jupyter server with Formgrader on a recorded class, as `jupyter notebook` starts it."""
    submissions = hand_in(layout, inbox, [*CLASS, ODD])
    write(layout, [verdict(s, CLASS.get(s.student, {})) for s in submissions])
    record(NN, layout)
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root"),
            *("--ServerApp.token=t", "--ServerApp.port=0", "--ServerApp.ip=127.0.0.1"),
            "--ServerApp.jpserver_extensions={'nbgrader.server_extensions.formgrader': True}",
            "--ServerApp.disable_check_xsrf=True",
        ],
        cwd=layout.course,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr is not None
    try:
        for line in server.stderr:
            if match := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                wait_for(int(match[1]))
                yield layout, match[0]
                break
    finally:
        server.kill()
        server.wait()


def wait_for(port: int) -> None:
    """The server says its address a moment before it listens."""
    for _ in range(300):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)


def ask(base: str, path: str, method: str = "GET", body: object = None) -> str:
    request = urllib.request.Request(
        base + path,
        method=method,
        data=json.dumps(body).encode() if body is not None else None,
        headers={"Authorization": "token t", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(answer.read().decode())


def test_formgrader_shows_the_class_and_one_cell_is_marked_by_hand(
    formgrader: tuple[Layout, str],
) -> None:
    layout, base = formgrader
    assert "formgrader" in ask(base, "formgrader/manage_submissions/" + NN)
    table = json.loads(ask(base, f"formgrader/api/submissions/{NN}"))
    odd = clean_id(ODD)
    assert {(s["student"], s["score"], s["autograded"]) for s in table} == {
        ("ada", 5.0, True),
        ("bob", 3.0, True),
        ("eve", 0.0, True),
        (odd, 0.0, True),
    }
    student = json.loads(ask(base, f"formgrader/api/student_submissions/{quote(odd)}"))
    assert [s["autograded"] for s in student] == [True]
    notebooks = json.loads(ask(base, f"formgrader/api/submitted_notebooks/{NN}/{NN}"))
    eve = next(n for n in notebooks if n["student"] == "eve")
    for notebook in notebooks:
        page = ask(base, f"formgrader/submissions/{notebook['id']}")
        assert "def double(x):" in re.sub(r"<[^>]+>", "", page)
    grades = json.loads(ask(base, f"formgrader/api/grades?submission_id={eve['id']}"))
    grade = next(g for g in grades if g["name"] == "test_double")
    ask(base, f"formgrader/api/grade/{grade['id']}", "PUT", {"manual_score": 1.0})
    assert scores(layout)["eve"] == 1
    checked = verify(layout)
    assert checked.faults == []
    assert "1 by hand" in str(checked)
    record(NN, layout)
    assert scores(layout)["eve"] == 1


def test_a_gradebook_that_nbgrader_opens_by_itself(layout: Layout, inbox: Path) -> None:
    marked_class(layout, inbox)
    record(NN, layout)
    stock.nbgrader(layout, "export", "--to", "grades.csv")
    assert stock.read_grades(layout.course / "grades.csv") == {
        ("ada", NN): 5,
        ("bob", NN): 3,
        ("eve", NN): 0,
    }
    assert "ada" in stock.nbgrader(layout, "db", "student", "list")
    with Gradebook(f"sqlite:///{layout.course / 'gradebook.db'}") as gradebook:
        assert gradebook.average_assignment_score(NN) == pytest.approx(8 / 3)


def test_odd_names_survive_nbgraders_own_export(layout: Layout, inbox: Path) -> None:
    names = ["=1+2", 'a,b"c', "DOMAIN\\ada", "[x] (y)+z", "1234567"]
    submissions = hand_in(layout, inbox, names)
    write(layout, [verdict(s, CLASS["ada"]) for s in submissions])
    record(NN, layout)
    stock.nbgrader(layout, "export", "--to", "grades.csv")
    marks = stock.read_grades(layout.course / "grades.csv")
    assert marks == {(s.student, NN): 5 for s in load(NN, layout)}
    assert len(marks) == 5
    assert not any(student.startswith("=") for student, _ in marks)


def test_a_class_of_60_is_recorded_in_seconds(layout: Layout, inbox: Path) -> None:
    submissions = hand_in(layout, inbox, [f"s{n:02}" for n in range(60)])
    write(layout, [verdict(s, CLASS["bob"]) for s in submissions])
    start = time.process_time()  # what others do on the machine is not ours
    record(NN, layout)
    export(NN, layout)
    seconds = time.process_time() - start
    assert len(scores(layout)) == 60
    assert seconds < 15  # 3 s on a quiet machine; nbgrader's converter takes half a second each
