"""Every mark the grader ever gave, in a file that only grows, each line chained to the one before.

Owns `verdicts.log` of the course folder. A line is a JSON object: its number, when it was written, the verdict,
when the work came, the hash of the line before, and its own hash over all of that. Who changes, removes or reorders a line breaks the
chain from there on; who rewrites the whole file changes the last hash, which `record` and `verify` print, so that
an instructor who noted it sees that too.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from autograde.errors import CourseError
from autograde.layout import Layout
from autograde.verdict import Verdict

START = "0" * 64


@dataclass(frozen=True)
class Entry:
    """One line of the log. `received`: when the work came; None if nothing said so."""

    number: int
    at: datetime
    verdict: Verdict
    received: datetime | None
    hash: str


@dataclass(frozen=True)
class AuditLog:
    """The log of a course, as far as its chain holds.

    Attributes
    ----------
    entries: all lines, oldest first.
    fault: what breaks the chain, with the line's number; None if nothing does.
    size: bytes of the lines that hold.
    cut: a line that a crash cut short, after them; the next write replaces it.
    """

    path: Path
    entries: tuple[Entry, ...]
    fault: str | None
    size: int
    cut: bytes = b""

    @property
    def head(self) -> str:
        """The last hash: it stands for the whole log."""
        return self.entries[-1].hash if self.entries else START

    def of(self, chapter: str) -> Iterator[Entry]:
        """The entries of one chapter, oldest first."""
        return (e for e in self.entries if e.verdict.chapter == chapter)

    def last(self, chapter: str) -> dict[str, Entry]:
        """student -> their newest entry."""
        return {e.verdict.student: e for e in self.of(chapter)}

    def history(self, chapter: str) -> dict[str, list[Entry]]:
        """student -> all their entries, oldest first."""
        found: dict[str, list[Entry]] = {}
        for entry in self.of(chapter):
            found.setdefault(entry.verdict.student, []).append(entry)
        return found


def read_log(layout: Layout) -> AuditLog:
    """Read the log and check its chain."""
    path = layout.course / "verdicts.log"
    entries: list[Entry] = []
    size, before = 0, START
    data = path.read_bytes() if path.exists() else b""
    *lines, rest = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        try:
            entry = _entry(line, number, before)
        except ValueError as error:
            return AuditLog(path, tuple(entries), str(error), size)
        entries.append(entry)
        before = entry.hash
        size += len(line) + 1
    start = b'{"number": %d, "at": "' % (len(lines) + 1)
    if not start.startswith(rest[: len(start)]):
        fault = f"it ends with {len(rest)} bytes that are no line of it"
        return AuditLog(path, tuple(entries), fault, size)
    return AuditLog(path, tuple(entries), None, size, rest)


def _entry(line: bytes, number: int, before: str) -> Entry:
    """One line as an entry. Raises ValueError, with what a person is told, if the chain breaks there."""
    try:
        record = json.loads(line)
        said = record.pop("hash")
        verdict = Verdict.from_json(record["verdict"])
        at = datetime.fromisoformat(record["at"])
        came = record.get("received")
        received = datetime.fromisoformat(came) if came else None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"line {number} is no entry ({error})") from error
    if record.get("before") != before or record.get("number") != number:
        raise ValueError(
            f"line {number} does not follow the line before it: lines were removed or moved"
        )
    if said != _hash(record):
        raise ValueError(f"line {number} was changed after it was written")
    return Entry(number, at, verdict, received, said)


Marked = tuple[Verdict, datetime | None]
"""A verdict, and when the work came that it is on."""


def append(layout: Layout, verdicts: Iterable[Marked]) -> tuple[AuditLog, int]:
    """Add what is not already the newest entry of its student; give the log and how many were new.

    Raises CourseError, and writes nothing, if the chain is broken.
    """
    log = read_log(layout)
    if log.fault:
        raise CourseError(
            log.path,
            log.fault + ".",
            "Find out who changed it. To go on, move the file away: a new log starts with the next marks.",
        )
    newest = {(e.verdict.student, e.verdict.chapter): e for e in log.entries}
    new = [
        (v, came) for v, came in verdicts if not _same(newest.get((v.student, v.chapter)), v, came)
    ]
    if not new:
        return log, 0
    lines, entries, before = [], list(log.entries), log.head
    now = datetime.now(UTC).replace(microsecond=0)
    for verdict, came in new:
        record = {
            "number": len(entries) + 1,
            "at": now.isoformat(),
            "verdict": verdict.to_json(),
            "received": came.isoformat() if came else None,
            "before": before,
        }
        before = _hash(record)
        lines.append(json.dumps(record | {"hash": before}) + "\n")
        entries.append(Entry(len(entries) + 1, now, verdict, came, before))
    added = "".join(lines).encode()
    log.path.parent.mkdir(parents=True, exist_ok=True)
    with log.path.open("ab") as file:
        file.truncate(log.size)
        file.write(added)
        file.flush()
        os.fsync(file.fileno())
    return AuditLog(log.path, tuple(entries), None, log.size + len(added), log.cut), len(new)


def _same(old: Entry | None, new: Verdict, came: datetime | None) -> bool:
    """Whether an entry differs from what would be written in nothing but the time that grading took."""
    if old is None or old.received != came:
        return False
    return replace(old.verdict, seconds=0.0) == replace(new, seconds=0.0)


def _hash(record: dict[str, object]) -> str:
    text = json.dumps(record, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
