"""What lies in an inbox.

Owns the reading of a folder or a zip that nobody has checked: nothing is unpacked to disk, no link is followed,
nothing in the inbox is changed, and every size has a cap. Knows nothing of students or notebooks.
"""

from __future__ import annotations

import io
import mmap
import os
import re
import stat
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO

from autograde.errors import CourseError
from autograde.settings import Schedule

MAX_FILE = 32 * 2**20
"""Bytes that one notebook may have, unpacked."""
MAX_TOTAL = 4 * 2**30
"""Bytes that all notebooks of a zip may have together, unpacked."""
MAX_RATIO = 100
"""How many times smaller than itself a zip in a zip may be; packed once, it hardly shrinks again."""
MAX_FILES = 50_000
"""Files that an inbox may hold."""
MAX_DEPTH = 50
"""Folders within folders that are looked into."""

FIRST = datetime(1980, 1, 2, tzinfo=UTC)
"""Times up to this one are what tools write that know none."""

JUNK = re.compile(
    r"__MACOSX|__pycache__|\.ipynb_checkpoints|\._.*|\.(git|github|vscode|idea|cache|DS_Store)"
    r"|Thumbs\.db|desktop\.ini",
    re.I,
)
"""What tools leave behind in folders."""
EMPTY = "the folder is empty"


class RefusedError(Exception):
    """A file that is not read; the text says why."""


@dataclass(frozen=True)
class File:
    """A file of the inbox, not yet read. A folder without files is one whose last part is empty.

    Attributes
    ----------
    parts: its path inside the inbox, or inside the folder that holds the class.
    time: when it came, as its folder or zip says; None if that says nothing.
    read: gives its bytes. Raises RefusedError.
    refused: why it is not read, if it is not.
    inside: for a file in a zip that lies in the inbox: the time that this zip gives it.
    path: where it lies, from the inbox on.
    zipped: how many parts of `path` lead to the zip in the inbox that holds it; 0 if none does.
    """

    parts: tuple[str, ...]
    time: datetime | None
    read: Callable[[], bytes]
    refused: str | None = None
    inside: datetime | None = None
    path: tuple[str, ...] = ()
    zipped: int = 0

    @property
    def where(self) -> str:
        """The path for people, on one line and free of codes that a terminal obeys."""
        return printable("/".join(self.path or self.parts))

    @property
    def is_in_upload(self) -> bool:
        """Whether the first of its parts is a zip that lay in the inbox."""
        return self.zipped == len(self.path) - len(self.parts) + 1

    @property
    def is_hollow(self) -> bool:
        """Whether it stands for a folder in which there is nothing to read."""
        return not self.parts[-1] and (self.refused or "").startswith("the folder")

    @property
    def is_notebook(self) -> bool:
        return is_notebook(self.parts[-1])


def is_notebook(name: str) -> bool:
    return name.lower().endswith((".ipynb", ".ipynb.json", ".ipynb.txt"))


def printable(text: str) -> str:
    """Text with a replacement for every character that is none, line ends and escape codes too."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def _shown(name: str) -> str:
    """A file name as text: bytes of it that are not UTF-8 are written as ``\\xfc``."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


# ------------------------------------------------------------------------ files
def read_inbox(inbox: Path, schedule: Schedule) -> list[File]:
    """The files of a folder or a zip, or of a folder in a zip (``class.zip/week3``), and its empty folders.

    Raises CourseError if there is no such inbox or it is no folder and no zip.
    """
    zipped = next((p for p in (inbox, *inbox.parents) if p.is_file()), None)
    if inbox.is_dir():
        files = list(_folder(inbox, schedule))
    elif zipped is not None:
        try:
            files = list(_zip(_source(zipped), (), schedule, None))
        except (zipfile.BadZipFile, EOFError, ValueError, struct.error) as error:
            raise CourseError(
                zipped,
                f"it cannot be opened as a zip ({error}).",
                "Download it again, or unpack it (.rar, .7z, .tar too) and name the folder instead.",
            ) from error
        inner = inbox.relative_to(zipped).parts
        files = [
            replace(f, parts=f.parts[len(inner) :])
            for f in files
            if f.parts[: len(inner)] == inner and len(f.parts) > len(inner)
        ]
    else:
        raise CourseError(inbox, "there is no such folder or zip.", "Check the path.")
    if len(files) > MAX_FILES:
        raise CourseError(inbox, f"it holds more than {MAX_FILES} files.", "Name a folder below.")
    return sorted(map(_sane, _without_junk(files)), key=lambda f: f.parts)


def _folder(root: Path, schedule: Schedule) -> Iterator[File]:
    """Every regular file below `root`; links and devices come as refused files."""
    waiting: list[tuple[Path, tuple[str, ...]]] = [(root, ())]
    while waiting:
        folder, parts = waiting.pop()
        if len(parts) > MAX_DEPTH:
            yield _no((*parts, ""), f"folders are nested more than {MAX_DEPTH} deep in it")
            continue
        try:
            entries = sorted(os.scandir(folder), key=lambda e: e.name)
        except OSError as error:
            if folder == root:
                raise
            yield _no((*parts, ""), f"it cannot be opened: {error.strerror}")
            continue
        if not entries and parts:
            yield _no((*parts, ""), EMPTY)
        for entry in entries:
            path = (*parts, _shown(entry.name))
            if entry.is_symlink():
                yield _no(path, "it is a link; links are not followed")
            elif entry.is_dir(follow_symlinks=False):
                waiting.append((Path(entry.path), path))
            elif not entry.is_file(follow_symlinks=False):
                yield _no(path, "it is no regular file")
            elif entry.name.lower().endswith(".zip"):
                yield from _opened_zip(Path(entry.path), path, schedule, _file_time(entry))
            else:
                yield File(path, _file_time(entry), _reader(Path(entry.path)))


def _without_junk(files: Iterable[File]) -> list[File]:
    """Leave out what tools leave behind; a folder in which nothing else lies is told as empty."""
    real: list[File] = []
    hollow: dict[tuple[str, ...], File] = {}
    for file in files:
        junk = next((n for n, part in enumerate(file.parts) if JUNK.fullmatch(part)), None)
        if junk is not None:
            folder = file.parts[:junk]
            hollow[folder] = _no((*folder, ""), f"the folder holds only {file.parts[junk]}")
        elif not file.is_hollow:
            real.append(file)
        else:
            hollow.setdefault(file.parts[:-1], file)
    full = {file.parts[:n] for file in real for n in range(len(file.parts))} | {()}
    return real + [file for folder, file in hollow.items() if folder not in full]


def _file_time(entry: os.DirEntry[str]) -> datetime | None:
    try:
        return datetime.fromtimestamp(entry.stat(follow_symlinks=False).st_mtime, UTC)
    except (OSError, ValueError, OverflowError):  # no year that a calendar knows
        return None


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


# ------------------------------------------------------------------------ zips
@dataclass(frozen=True)
class _Source:
    """A zip file as it was at a moment, or the entry of it with this number, a zip too."""

    path: Path
    state: tuple[int, int]
    entry: int = -1


def _source(path: Path) -> _Source:
    about = path.stat()
    return _Source(path, (about.st_mtime_ns, about.st_size))


@lru_cache(2)  # a zip and the zip in it: all inner zips of a class together may be gigabytes
def _archive(source: _Source) -> zipfile.ZipFile:
    if source.entry >= 0:
        stream: IO[bytes] = io.BytesIO(_unpacked(replace(source, entry=-1), source.entry))
    else:
        stream = source.path.open("rb")
    try:
        return zipfile.ZipFile(stream)
    except (UnicodeDecodeError, NotImplementedError):  # of one entry, and it refuses all
        return zipfile.ZipFile(_mended(stream))


class _Map(mmap.mmap):
    def seekable(self) -> bool:
        return True


def _mended(stream: IO[bytes]) -> IO[bytes]:
    """The zip, in memory, without what stops Python at a single entry: a name that is not in the UTF-8
    its flag promises, or a version of the format that is not known."""
    if isinstance(stream, io.BytesIO):
        data: bytearray | _Map = bytearray(stream.getvalue())
    else:
        data = _Map(stream.fileno(), 0, access=mmap.ACCESS_COPY)
    end = data.rfind(b"PK\x05\x06")
    at = end - struct.unpack_from("<I", data, end + 12)[0]
    while at >= 0 and data[at : at + 4] == b"PK\x01\x02":
        name, extra, comment = struct.unpack_from("<HHH", data, at + 28)
        try:
            bytes(data[at + 46 : at + 46 + name]).decode("utf-8")
        except UnicodeDecodeError:
            data[at + 9] &= 0xF7
        data[at + 6] = min(data[at + 6], 63)
        at += 46 + name + extra + comment
    return io.BytesIO(data) if isinstance(data, bytearray) else data  # type: ignore[return-value]


def _zip(
    source: _Source, above: tuple[str, ...], schedule: Schedule, came: datetime | None
) -> Iterator[File]:
    """The files in a zip; a zip inside it is opened once more, not deeper.

    `came`: for a zip that lies in the inbox, when it came; then the times in it are the learner's own.
    """
    entries = _archive(source).infolist()
    if len(entries) > MAX_FILES:
        yield _no((*above, ""), f"the zip holds more than {MAX_FILES} files")
        return
    windows = not any("/" in e.filename for e in entries)
    left = MAX_TOTAL
    for number, entry in enumerate(entries):
        name = entry.filename.replace("\\", "/") if windows else entry.filename
        path = (*above, *PurePosixPath(name).parts)
        if len(path) == len(above):
            yield _no((*above, ""), "its name in the zip is empty", (*above, name or "?"))
        elif name.startswith("/") or ".." in path or re.match(r"[A-Za-z]:[/\\]", name):
            yield _no((*above, ""), "its name in the zip points outside the zip", path)
        elif name.endswith("/"):
            yield _no((*path, ""), EMPTY)
        elif stat.S_ISLNK(entry.external_attr >> 16):
            yield _no(path, "it is a link; links are not followed")
        elif entry.file_size > MAX_FILE:
            yield _no(path, _too_large(entry.file_size, entry.compress_size))
        elif name.lower().endswith(".zip") and entry.file_size > MAX_RATIO * entry.compress_size:
            yield _no((*path[:-1], path[-1][:-4], ""), "it is a zip made to fill the disk", path)
        elif name.lower().endswith(".zip") and source.entry < 0:
            inner = replace(source, entry=number)
            yield from _opened_zip(inner, path, schedule, came or _entry_time(entry, schedule))
        elif name.lower().endswith(".ipynb") and (left := left - entry.file_size) < 0:
            yield _no(path, f"the notebooks before it already unpack to {MAX_TOTAL >> 30} GB")
        else:
            own = _entry_time(entry, schedule)
            inside = own if above else None
            time = came if above else own
            yield File(path, time, _entry_reader(source, number), None, inside, (), len(above))


def _opened_zip(
    zipped: Path | _Source, path: tuple[str, ...], schedule: Schedule, came: datetime | None
) -> Iterator[File]:
    """The files of a zip that lies in the inbox, as if it were a folder; a refused file if it cannot be opened."""
    within = (*path[:-1], path[-1][:-4], "")
    try:
        source = _source(zipped) if isinstance(zipped, Path) else zipped
        files = list(_zip(source, (*path[:-1], path[-1][:-4]), schedule, came))
    except Exception as error:  # a damaged zip raises whatever its bytes lead to
        yield _no(within, f"it cannot be opened as a zip ({error})", (*path, ""), len(path))
        return
    yield from files or [_no(within, "the zip is empty", (*path, ""), len(path))]


def _entry_reader(source: _Source, number: int) -> Callable[[], bytes]:
    return lambda: _unpacked(source, number)


def _unpacked(source: _Source, number: int) -> bytes:
    """An entry of a zip. Raises RefusedError."""
    try:
        archive = _archive(source)
        with archive.open(archive.infolist()[number]) as stream:
            return _capped(stream)
    except RefusedError:
        raise
    except Exception as error:  # zlib.error, lzma.LZMAError, struct.error and more: a damaged entry
        raise RefusedError(f"it cannot be unpacked: {error}") from error


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


def _no(parts: tuple[str, ...], why: str, path: tuple[str, ...] = (), zipped: int = 0) -> File:
    def read() -> bytes:
        raise RefusedError(why)

    return File(parts, None, read, why, None, path, zipped)


def _sane(file: File) -> File:
    """A file whose time lies in the future, or before there were notebooks, has no known time."""

    def sane(time: datetime | None) -> datetime | None:
        soon = datetime.now(UTC) + timedelta(days=1)
        return time if time is not None and FIRST < time < soon else None

    return replace(
        file, time=sane(file.time), inside=sane(file.inside), path=file.path or file.parts
    )
