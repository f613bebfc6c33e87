"""What lies in an inbox.

Owns the reading of a folder or a zip that nobody has checked: nothing is unpacked to disk, no link is followed,
nothing in the inbox is changed, and every size has a cap. Knows nothing of students or notebooks.
"""

from __future__ import annotations

import io
import os
import re
import stat
import struct
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import IO

from autograde.errors import CourseError
from autograde.settings import Schedule

MAX_FILE = 32 * 2**20
"""Bytes that one notebook may have, unpacked."""
MAX_TOTAL = 4 * 2**30
"""Bytes that all notebooks of a zip may have together, unpacked."""
MAX_FILES = 50_000
"""Files that an inbox may hold."""

FIRST = datetime(1980, 1, 2, tzinfo=UTC)
"""Times up to this one are what tools write that know none."""

JUNK = re.compile(
    r"__MACOSX|__pycache__|\.ipynb_checkpoints|\._.*|\.(git|vscode|idea|cache|DS_Store)"
    r"|Thumbs\.db|desktop\.ini",
    re.I,
)
"""What tools leave behind in folders."""


class RefusedError(Exception):
    """A file that is not read; the text says why."""


@dataclass(frozen=True)
class File:
    """A file of the inbox, not yet read.

    Attributes
    ----------
    parts: its path inside the inbox.
    time: when it came, as its folder or zip says; None if that says nothing.
    refused: why it is not read, if it is not.
    read: gives its bytes. Raises RefusedError.
    """

    parts: tuple[str, ...]
    time: datetime | None
    read: Callable[[], bytes]
    refused: str | None = None

    @property
    def where(self) -> str:
        """The path for people, on one line and free of codes that a terminal obeys."""
        return printable("/".join(self.parts))


def printable(text: str) -> str:
    """Text with a replacement for every character that is none, line ends and escape codes too."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def _shown(name: str) -> str:
    """A file name as text: bytes of it that are not UTF-8 are written as ``\\xfc``."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


# ------------------------------------------------------------------------ files
def read_inbox(inbox: Path, schedule: Schedule) -> tuple[list[File], list[tuple[str, ...]]]:
    """The files of a folder or zip, and the paths of its folders that hold none.

    Raises CourseError if there is no such inbox or it is no folder and no zip.
    """
    if inbox.is_dir():
        files, empty = _folder(inbox), _empty_folders(inbox)
    elif inbox.is_file():
        try:
            files, empty = list(_zip(inbox.open("rb"), (), schedule)), []
        except (zipfile.BadZipFile, OSError, ValueError, struct.error) as error:
            raise CourseError(
                inbox,
                f"it cannot be opened as a zip ({error}).",
                "Download it again, or unpack it (.rar, .7z, .tar too) and name the folder instead.",
            ) from error
    else:
        raise CourseError(inbox, "there is no such folder or zip.", "Check the path.")
    files = [_sane(f) for f in files if not any(JUNK.fullmatch(part) for part in f.parts)]
    return sorted(files, key=lambda f: f.parts), empty


def _folder(root: Path) -> list[File]:
    """Every regular file below `root`; links and devices come as refused files."""
    found: list[File] = []
    waiting: list[tuple[Path, tuple[str, ...]]] = [(root, ())]
    while waiting:
        folder, parts = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda e: e.name)
        except OSError as error:
            found.append(_no((*parts, "*"), f"the folder cannot be opened: {error.strerror}"))
            continue
        for entry in entries:
            path = (*parts, _shown(entry.name))
            if entry.is_symlink():
                found.append(_no(path, "it is a link; links are not followed"))
            elif entry.is_dir(follow_symlinks=False):
                waiting.append((Path(entry.path), path))
            elif entry.is_file(follow_symlinks=False):
                found.append(File(path, _file_time(entry), _reader(Path(entry.path))))
            else:
                found.append(_no(path, "it is no regular file"))
            if len(found) > MAX_FILES:
                raise CourseError(
                    root, f"it holds more than {MAX_FILES} files.", "Name a folder below."
                )
    return found


def _file_time(entry: os.DirEntry[str]) -> datetime | None:
    try:
        return datetime.fromtimestamp(entry.stat(follow_symlinks=False).st_mtime, UTC)
    except (OSError, ValueError, OverflowError):  # no year that a calendar knows
        return None


def _empty_folders(root: Path) -> list[tuple[str, ...]]:
    """Folders below `root` in which, at any depth, no file lies."""
    empty = [
        tuple(_shown(part) for part in Path(folder).relative_to(root).parts)
        for folder, _, _ in os.walk(root)
        if Path(folder) != root and not any(names for _, _, names in os.walk(folder))
    ]
    return [p for p in empty if not any(JUNK.fullmatch(part) for part in p)]


def _reader(path: Path) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            file = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            with os.fdopen(file, "rb") as stream:
                if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                    raise RefusedError("it is no regular file")
                return _capped(stream)
        except OSError as error:
            raise RefusedError(f"it cannot be read: {error.strerror}") from error

    return read


def _zip(stream: IO[bytes], above: tuple[str, ...], schedule: Schedule) -> Iterator[File]:
    """The files in a zip; a zip inside it is opened once more, not deeper."""
    archive = zipfile.ZipFile(stream)
    entries = archive.infolist()
    if len(entries) > MAX_FILES:
        yield _no((*above, "*"), f"the zip holds more than {MAX_FILES} files")
        return
    windows = not any("/" in e.filename for e in entries)
    left = MAX_TOTAL
    for entry in entries:
        if entry.filename.endswith("/"):
            continue
        name = entry.filename.replace("\\", "/") if windows else entry.filename
        path = (*above, *PurePosixPath(name).parts)
        mode = entry.external_attr >> 16
        if len(path) == len(above):
            yield _no((*above, name or "?"), "its name in the zip is empty")
            continue
        if name.startswith("/") or ".." in path or re.match(r"[A-Za-z]:[/\\]", name):
            yield _no(path, "its name in the zip points outside the zip")
        elif stat.S_ISLNK(mode):
            yield _no(path, "it is a link; links are not followed")
        elif entry.file_size > MAX_FILE:
            yield _no(path, _too_large(entry.file_size, entry.compress_size))
        elif name.lower().endswith(".zip") and not above:
            yield from _inner_zip(archive, entry, path, schedule)
        elif name.lower().endswith(".ipynb") and (left := left - entry.file_size) < 0:
            yield _no(path, f"the notebooks before it already unpack to {MAX_TOTAL >> 30} GB")
        else:
            yield File(path, _entry_time(entry, schedule), _entry_reader(archive, entry))


def _inner_zip(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: tuple[str, ...], schedule: Schedule
) -> Iterator[File]:
    def listed() -> list[File]:
        data = io.BytesIO(_entry_reader(archive, entry)())
        return list(_zip(data, (*path[:-1], path[-1][:-4]), schedule))

    def again(number: int) -> Callable[[], bytes]:
        return lambda: listed()[number].read()

    try:
        inner = listed()
    except (zipfile.BadZipFile, OSError, ValueError, struct.error, RefusedError) as error:
        yield _no(path, f"it cannot be opened as a zip ({error})")
        return
    # the time is that at which the zip came, not the one on the learner's machine
    came = _entry_time(entry, schedule)
    # unpacked anew for every file that is read: all inner zips of a class together may be gigabytes
    yield from [replace(file, time=came, read=again(n)) for n, file in enumerate(inner)]


def _entry_reader(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            with archive.open(entry) as stream:
                return _capped(stream)
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError) as error:
            raise RefusedError(f"it cannot be unpacked: {error}") from error
        except Exception as error:  # zlib.error, lzma.LZMAError, struct.error: a damaged entry
            if isinstance(error, RefusedError):
                raise
            raise RefusedError(f"it cannot be unpacked: {error}") from error

    return read


def _entry_time(entry: zipfile.ZipInfo, schedule: Schedule) -> datetime | None:
    """When an entry was written: its UTC stamp if it has one, else its local one in the course's zone."""
    extra = entry.extra
    while len(extra) >= 4:
        kind, size = struct.unpack("<HH", extra[:4])
        if kind == 0x5455 and size >= 5 and len(extra) >= 9 and extra[4] & 1:
            return datetime.fromtimestamp(struct.unpack("<i", extra[5:9])[0], UTC)
        extra = extra[4 + size :]
    if entry.date_time[:3] == (1980, 1, 1):
        return None  # what tools write that know no time
    try:
        return datetime(*entry.date_time, tzinfo=schedule.zone)
    except ValueError:
        return None


def _capped(stream: IO[bytes]) -> bytes:
    """All of a stream, whatever its header says about its size. Raises RefusedError above the cap."""
    data = stream.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise RefusedError(_too_large(len(data)))
    return data


def _too_large(size: int, packed: int = 0) -> str:
    more = f", from {packed / 2**20:.1f} MB packed" if packed else ""
    return f"it is larger than {MAX_FILE >> 20} MB ({size / 2**20:.0f} MB{more})"


def _no(parts: tuple[str, ...], why: str) -> File:
    def read() -> bytes:
        raise RefusedError(why)

    return File(parts, None, read, why)


def _sane(file: File) -> File:
    """A file whose time lies in the future, or before there were notebooks, has no known time."""
    if file.time is not None and not FIRST < file.time < datetime.now(UTC) + timedelta(days=1):
        return replace(file, time=None)
    return file
