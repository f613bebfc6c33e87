"""The one error that people who use this package are meant to read."""

from __future__ import annotations

from pathlib import Path


class CourseError(Exception):
    """Something a person must put right: where it is, what is wrong and what to do.

    Parameters
    ----------
    where: the file, or "file, cell" text, in which the fault stands.
    what: what is wrong, one sentence.
    remedy: what to do about it, one sentence.
    """

    def __init__(self, where: str | Path, what: str, remedy: str) -> None:
        self.where = str(where)
        self.what = what
        self.remedy = remedy
        super().__init__(f"{self.where}: {what}\n  What to do: {remedy}")

    def __reduce__(self) -> tuple[type[CourseError], tuple[str, str, str]]:
        return CourseError, (self.where, self.what, self.remedy)  # so that it can cross processes
