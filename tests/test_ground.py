"""The ground: files appear whole, trouble is told in words, times are read in the course's zone."""

from __future__ import annotations

import errno
import io
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from autograde import cli, files
from autograde.errors import CourseError, in_words
from autograde.files import whole, write_whole
from autograde.layout import ROOT
from autograde.settings import Schedule
from autograde.verdict import Verdict
from tests import tiny


# ------------------------------------------------------------------------ files
def test_a_file_is_the_old_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "file.txt"
    write_whole(path, "old")

    def half(path: Path) -> None:
        with whole(path) as file:
            file.write(b"half of the n")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half(path)
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path], "nothing is left behind"


def test_it_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch) -> None:
    done: list[str] = []

    def noted(owner: Any, name: str) -> None:
        function = getattr(owner, name)

        def noting(*args: Any) -> Any:
            done.append(name)
            return function(*args)

        monkeypatch.setattr(owner, name, noting)

    noted(files.os, "fsync")
    noted(Path, "replace")
    write_whole(tmp_path / "file", b"x")
    assert done == ["fsync", "replace"]


def test_two_writers_of_one_file_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with whole(path) as one, whole(path) as two:
        one.write(b"one" * 1000)
        two.write(b"two")
    assert path.read_bytes() in (b"one" * 1000, b"two")


def test_a_new_file_can_be_read_by_others_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, "x")
    assert path.stat().st_mode & 0o777 == 0o666 & ~files.UMASK
    path.chmod(0o640)
    write_whole(path, "y")
    assert path.stat().st_mode & 0o777 == 0o640


# ------------------------------------------------------------------------ trouble in words
TROUBLE = {
    "a full disk": (OSError(errno.ENOSPC, "No space", "/a/b"), "/a/b: the disk is full"),
    "a read-only checkout": (OSError(errno.EROFS, "Read-only", "/a"), "read-only"),
    "no permission": (PermissionError(errno.EACCES, "no", "/a"), "may not be read or written"),
    "another error": (OSError(errno.EIO, "Input/output error", "/a"), "Input/output error"),
    "no memory": (MemoryError(), "memory is used up"),
    "a locked database": (sqlite3.OperationalError("database is locked"), "another program"),
    "a damaged one": (sqlite3.DatabaseError("database disk image is malformed"), "damaged"),
    "no database": (sqlite3.DatabaseError("file is not a database"), "damaged"),
    "a read-only one": (
        sqlite3.OperationalError("attempt to write a readonly database"),
        "may not be written",
    ),
}


@pytest.mark.parametrize("case", TROUBLE)
def test_trouble_becomes_a_sentence_with_file_and_remedy(case: str, monkeypatch, capsys) -> None:
    error, text = TROUBLE[case]

    def run(options: object) -> int:
        raise error

    monkeypatch.setattr(cli, "drift", run)
    assert cli.main(["drift"]) == 1
    said = capsys.readouterr().err
    assert text in said
    assert "What to do: " in said
    assert "Traceback" not in said


def test_a_database_error_that_sqlalchemy_wrapped_is_known_too() -> None:
    wrapped = type("OperationalError", (Exception,), {})("(sqlite3) …")
    wrapped.orig = sqlite3.OperationalError("database is locked")
    told = in_words(wrapped)
    assert told is not None
    assert "another program" in told.what


def test_a_fault_of_ours_stays_a_traceback(monkeypatch) -> None:
    def run(options: object) -> int:
        return 1 // 0

    monkeypatch.setattr(cli, "drift", run)
    assert in_words(KeyError("x")) is None
    with pytest.raises(ZeroDivisionError):
        cli.main(["drift"])


def test_a_damaged_gradebook_is_said_in_words(tmp_path: Path, capsys, monkeypatch) -> None:
    layout = tiny.make(tmp_path)
    layout.course.mkdir(parents=True, exist_ok=True)
    (layout.course / "gradebook.db").write_bytes(b"no database at all" * 100)
    monkeypatch.setattr("autograde.layout.Layout", lambda *_: layout)
    for words in (["verify"], ["export", tiny.CHAPTER]):
        assert cli.main(words) == 1
        assert "damaged" in capsys.readouterr().err


def test_a_console_that_is_not_unicode_shows_what_it_can(monkeypatch) -> None:
    console = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", console)

    def run(options: object) -> int:
        print("Σωκράτης, Zoë")
        return 0

    monkeypatch.setattr(cli, "drift", run)
    assert cli.main(["drift"]) == 0
    console.seek(0)
    assert "Zo\\xeb" in console.read()


def test_a_reader_that_has_read_enough_is_no_fault() -> None:
    """As in `python -m autograde --help | head -1`, with much more to say than a pipe holds."""
    code = (
        "import sys; from autograde import cli\n"
        "def run(options):\n    print('x\\n' * 200_000)\n    return 0\n"
        "cli.drift = run; sys.exit(cli.main(['drift']))"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert run.stdout is not None
    assert run.stderr is not None
    run.stdout.readline()
    run.stdout.close()
    assert run.stderr.read() == b""
    assert run.wait() == 0


# ------------------------------------------------------------------------ times
BERLIN = Schedule(ZoneInfo("Europe/Berlin"), {})
STAMPS = {
    "2026-10-12 23:59": "2026-10-12T23:59:00+02:00",
    "2026-10-12T23:59:01.5": "2026-10-12T23:59:01.500000+02:00",
    "2026-10-12 23:59 UTC": "2026-10-13T01:59:00+02:00",
    "2026-10-12 23:59Z": "2026-10-13T01:59:00+02:00",
    "2026-10-12 23:59 +0200": "2026-10-12T23:59:00+02:00",
    "2026-10-12 23:59+02:00": "2026-10-12T23:59:00+02:00",
    "2026-10-12 23:59 America/New_York": "2026-10-13T05:59:00+02:00",
    "2026-10-12 23:59 CEST": "2026-10-12T23:59:00+02:00",
    "2026-10-25 02:31 CEST": "2026-10-25T02:31:00+02:00",
    "2026-10-25 02:31 CET": "2026-10-25T02:31:00+01:00",
    "2026-10-25 02:31": "2026-10-25T02:31:00+02:00",
    "2026-12-12 12:00 CEST": "2026-12-12T11:00:00+01:00",
}


@pytest.mark.parametrize("stamp", STAMPS)
def test_a_time_stamp_is_read_in_the_zone_of_the_course(stamp: str) -> None:
    assert BERLIN.read(stamp).isoformat() == STAMPS[stamp]


@pytest.mark.parametrize(
    "stamp", ["", "noon", "2026-10-12", "2026-10-12 25:00", "2026-10-12 23:59 XYZ", "12:00"]
)
def test_what_is_no_time_stamp_is_refused(stamp: str) -> None:
    with pytest.raises(ValueError, match="time stamp"):
        BERLIN.read(stamp)


# ------------------------------------------------------------------------ verdicts
VERDICT = {
    "student": "ada", "chapter": "03_scores", "state": "graded", "score": 1.0, "max_score": 2.0,
    "questions": {"test_a": {"score": 1.0, "max": 2.0, "state": "right", "message": "All tests passed."}},
    "sandbox": "bubblewrap", "submission_sha256": "1", "tests_sha256": "2", "environment_sha256": "3",
    "seconds": 0.5,
}  # fmt: skip


@pytest.mark.parametrize("change", [{"student": 3}, {"seconds": "soon"}, {"max_score": None}, {"sandbox": ["x"]}])  # fmt: skip
def test_a_verdict_is_checked_by_type(change: dict[str, object]) -> None:
    assert Verdict.from_json(VERDICT).student == "ada"
    with pytest.raises(ValueError, match="not a verdict"):
        Verdict.from_json(VERDICT | change)
    message = {"test_a": VERDICT["questions"]["test_a"] | {"message": ["x"]}}  # type: ignore[index]
    with pytest.raises(ValueError, match="not a verdict"):
        Verdict.from_json(VERDICT | {"questions": message})


def test_an_error_for_people_crosses_processes() -> None:
    import pickle

    error = CourseError("a", "b.", "c.")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
