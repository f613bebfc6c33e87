"""The one error that people who use this package are meant to read, and how other errors become it."""

from __future__ import annotations

import errno
import sqlite3
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


SYSTEM = {
    errno.ENOSPC: ("the disk is full.", "Make room on it."),
    errno.EDQUOT: ("your share of the disk is used up.", "Make room on it."),
    errno.EACCES: ("it may not be read or written by you.", "Change its owner or its permissions."),
    errno.EPERM: ("the system does not allow it.", "Change its owner or its permissions."),
    errno.EROFS: ("it lies on a disk that is read-only.", "Copy the course to one that is not."),
    errno.ENOENT: ("there is no such file or folder.", "Name one that exists."),
    errno.ENOTDIR: ("a file stands where a folder should be.", "Move the file away."),
    errno.EISDIR: ("a folder stands where a file should be.", "Move the folder away."),
    errno.ENAMETOOLONG: ("the name is too long for this disk.", "Shorten it."),
    errno.EMFILE: ("too many files are open.", "Close other programs, or raise `ulimit -n`."),
    errno.ENOMEM: ("the memory is used up.", "Close other programs, or take fewer --workers."),
}
"""Number of an operating system's error -> what is wrong, and what to do about it."""
DATABASE = {
    "locked": ("another program is using it.", "Close it there, for example Formgrader."),
    "readonly": ("it may not be written.", "Change its owner or its permissions."),
    "malformed": ("it is damaged.", "Put a copy of it back, or move it away"),
    "not a database": ("it is damaged.", "Put a copy of it back, or move it away"),
    "disk is full": SYSTEM[errno.ENOSPC],
    "no such table": ("it is not nbgrader's.", "Put a copy of it back, or move it away"),
    "unable to open": ("it cannot be opened.", "Change its owner or its permissions."),
}
"""Words in a message of the database -> the same."""
AGAIN = "Then run the same command again; what was done stays done."
RECORDED = ": `grade` then writes the marks anew from what was collected."


def in_words(error: BaseException, gradebook: str | Path = "gradebook.db") -> CourseError | None:
    """What a person reads of an operating-system or database error, or of exhausted memory; None for others.

    `gradebook`: the file of the database, which its own errors do not name.
    """
    cause = getattr(error, "orig", error)  # SQLAlchemy wraps what the database raised
    if isinstance(cause, sqlite3.Error):
        text = str(cause)
        for words, (what, remedy) in DATABASE.items():
            if words in text.replace("-", ""):
                remedy += RECORDED if not remedy.endswith(".") else ""
                return CourseError(gradebook, what, f"{remedy} {AGAIN}")
        return CourseError(gradebook, f"the database refuses: {text}.", AGAIN)
    if isinstance(cause, MemoryError):
        return CourseError("this machine", *SYSTEM[errno.ENOMEM])
    if isinstance(cause, OSError) and not isinstance(cause, ConnectionError | TimeoutError):
        what, remedy = SYSTEM.get(
            cause.errno or 0, (f"the system refuses ({cause.strerror or cause}).", "See why.")
        )
        return CourseError(cause.filename or "a file", what, f"{remedy} {AGAIN}")
    return None
