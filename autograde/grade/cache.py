"""Verdicts by what they depend on, in one file that only grows.

Owns the `cache/` folder of the course; knows nothing of how a verdict is made.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from autograde.errors import CourseError
from autograde.grade.worker import Setting
from autograde.verdict import Verdict


@dataclass
class Store:
    """Verdicts by content, in one file that only grows. A line cut short by a crash is dropped.

    Holds in memory where each verdict stands, not the verdicts.
    """

    path: Path
    places: dict[str, int]

    @classmethod
    def open(cls, folder: Path, setting: Setting) -> Store:
        """The store of an exam and an environment, made if there is none."""
        name = f"{setting.exam.sha256[:16]}-{setting.environment_sha256[:16]}.jsonl"
        path = folder / setting.exam.chapter / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        places, end = {}, 0
        with path.open("rb") as file:
            for line in file:
                try:
                    places[json.loads(line)["key"]] = end
                except (ValueError, KeyError, TypeError):
                    break
                end += len(line)
        os.truncate(path, end)
        return cls(path, places)

    def __enter__(self) -> Store:
        self.file = self.path.open("ab", buffering=0)
        return self

    def __exit__(self, *_: object) -> None:
        os.fsync(self.file.fileno())
        self.file.close()

    def __contains__(self, key: str) -> bool:
        return key in self.places

    def __getitem__(self, key: str) -> Verdict:
        with self.path.open("rb") as file:
            file.seek(self.places[key])
            return Verdict.from_json(json.loads(file.readline())["verdict"])

    def add(self, key: str, verdict: Verdict) -> None:
        """Append a verdict in one write. Raises CourseError if the disk is full."""
        line = json.dumps({"key": key, "verdict": verdict.to_json()}).encode() + b"\n"
        place = self.file.tell()
        try:
            written = self.file.write(line)
        except OSError as fault:
            raise self._full(str(fault)) from fault
        if written != len(line):
            raise self._full("no space left")
        self.places[key] = place

    def _full(self, why: str) -> CourseError:
        return CourseError(
            self.path,
            f"a verdict could not be written: {why}.",
            "Make room and run the same command again; what was graded is kept.",
        )
