"""Writing a file as a whole: a reader, or the next run after a power cut, sees the old or the new one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO


@contextlib.contextmanager
def whole(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, which becomes `path` at the end; if the writing fails, `path` stays what it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=".unfinished-", delete=False) as file:
        unfinished = Path(file.name)
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            unfinished.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~UMASK)
            unfinished.replace(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise


def write_whole(path: Path, content: str | bytes) -> None:
    """Write `content` (text as UTF-8) to `path`, and make its folder where it is missing."""
    with whole(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines of text, as UTF-8, one by one."""
    with whole(path) as file:
        for line in lines:
            file.write(line.encode() + b"\n")


def _umask() -> int:
    now = os.umask(0o077)
    os.umask(now)
    return now


UMASK = _umask()
"""What new files may not be; a temporary file is private to its owner."""
