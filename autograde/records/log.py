"""Every mark the grader ever gave, in a file that only grows, each line chained to the one before.

Owns `verdicts.log` of the course folder. A line is a JSON object: its number, when it was written, the verdict,
the hash of the line before, and its own hash over all of that. Who changes, removes or reorders a line breaks the
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
    """One line of the log."""

    number: int
    at: datetime
    verdict: Verdict
    hash: str


@dataclass(frozen=True)
class AuditLog:
    """The log of a course, as far as its chain holds.

    Attributes
    ----------
    entries: all lines, oldest first.
    fault: what breaks the chain, with the line's number; None if nothing does.
    size: bytes of the lines that hold; a line that a crash cut short stands after them.
    """

    path: Path
    entries: tuple[Entry, ...]
    fault: str | None
    size: int

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
    size, fault, before = 0, None, START
    data = path.read_bytes() if path.exists() else b""
    for line in data.splitlines(keepends=True):
        number = len(entries) + 1
        if not line.endswith(b"\n"):
            break  # a crash cut it short; the next write replaces it
        try:
            record = json.loads(line)
            said = record.pop("hash")
            verdict = Verdict.from_json(record["verdict"])
            at = datetime.fromisoformat(record["at"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            fault = f"line {number} is no entry ({error})"
            break
        if record.get("before") != before or record.get("number") != number:
            fault = f"line {number} does not follow the line before it: lines were removed or moved"
            break
        if said != _hash(record):
            fault = f"line {number} was changed after it was written"
            break
        entries.append(Entry(number, at, verdict, said))
        before = said
        size += len(line)
    return AuditLog(path, tuple(entries), fault, size)


def append(layout: Layout, verdicts: Iterable[Verdict]) -> tuple[AuditLog, int]:
    """Add the verdicts that are not already the newest of their student; give the log and how many were new.

    Raises CourseError, and writes nothing, if the chain is broken.
    """
    log = read_log(layout)
    if log.fault:
        raise CourseError(
            log.path,
            log.fault + ".",
            "Find out who changed it. To go on, move the file away: a new log starts with the next marks.",
        )
    newest = {(e.verdict.student, e.verdict.chapter): e.verdict for e in log.entries}
    new = [v for v in verdicts if not _same(newest.get((v.student, v.chapter)), v)]
    if not new:
        return log, 0
    lines, entries, before = [], list(log.entries), log.head
    now = datetime.now(UTC).replace(microsecond=0)
    for verdict in new:
        record = {
            "number": len(entries) + 1,
            "at": now.isoformat(),
            "verdict": verdict.to_json(),
            "before": before,
        }
        before = _hash(record)
        lines.append(json.dumps(record | {"hash": before}) + "\n")
        entries.append(Entry(len(entries) + 1, now, verdict, before))
    added = "".join(lines).encode()
    log.path.parent.mkdir(parents=True, exist_ok=True)
    with log.path.open("ab") as file:
        file.truncate(log.size)
        file.write(added)
        file.flush()
        os.fsync(file.fileno())
    return AuditLog(log.path, tuple(entries), None, log.size + len(added)), len(new)


def _same(old: Verdict | None, new: Verdict) -> bool:
    """Whether two verdicts differ in nothing but the time that grading took."""
    return old is not None and replace(old, seconds=0.0) == replace(new, seconds=0.0)


def _hash(record: dict[str, object]) -> str:
    text = json.dumps(record, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
