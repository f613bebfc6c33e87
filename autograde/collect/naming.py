"""Whose is it: the rules by which a path in an inbox names a student.

Owns the forms in which Canvas, Moodle, nbgrader and people with folders hand work over, and the spelling of a
student's name that nbgrader can carry. Looks at names and times only; opens nothing.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from autograde.collect.inbox import File
from autograde.layout import CHAPTER_NAME

WRAPPERS = ("submissions", "submitted", "inbox", "class")
CANVAS = re.compile(
    r"(?P<name>.+?)(?P<late>_late)?_((?P<number>\d+)|(?<=anon_)(?P<anonymous>\w{5}))_\d+_.+", re.I
)
MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?P<plugin>[a-z]+)_?(?P<rest>.*)"
)
MAX_ID = 100
"""Bytes of a name that its id keeps; a folder's name may have 255."""
COPY_MARK = re.compile(r"[\s_-]*(\(\d+\)|-\d{1,2}|[\s_-]copy( \d+)?)$", re.I)


@dataclass(frozen=True)
class Student:
    """Who handed something in, as the inbox names them.

    Attributes
    ----------
    raw: what identifies them, as it stands in the path.
    id: the same in characters that nbgrader can carry.
    name: what people call them.
    lms: "canvas", "moodle" or "folder".
    number: the number the LMS gives them, for the way back; empty if there is none.
    """

    raw: str
    id: str
    name: str
    lms: str
    number: str = ""

    @classmethod
    def of(cls, raw: str, name: str, lms: str, number: str = "") -> Student:
        return cls(raw, clean_id(raw), name, lms, number)


@dataclass(frozen=True)
class HandedIn:
    """Everything one student handed in, oldest first; files of unknown time come before the others.

    `trusted` says whether a timestamp.txt among them is nbgrader's and not the student's own.
    """

    student: Student
    files: tuple[File, ...]
    notes: tuple[str, ...] = ()
    trusted: bool = False


def by_student(
    files: list[File], empty: list[tuple[str, ...]], chapter: str, inbox: Path
) -> tuple[list[HandedIn], list[File]]:
    """Sort the files by the student whose they are, and give those that name none.

    The form of the inbox is decided once, for all of it:

    Moodle    ``<full name>_<number>_assignsubmission_file_/...``, or the file's name in place of the slash
    Canvas    ``<name>_<user number>_<file number>_<file>``, perhaps with ``_LATE`` after the name
    folder    a folder per student (nbgrader's ``<student>/<chapter>/`` too), or a file per student, whose
              name without the chapter's name and copy marks is the student
    """
    files, empty, trusted = _unwrapped(files, empty, chapter, inbox)
    rule = _rule([f.parts for f in files])
    files, empty, astray = _of_this_chapter(files, empty, chapter)
    hands: dict[Student, list[File]] = {}
    nobody: list[File] = []
    for file in files:
        if (student := rule(file.parts, chapter)) is not None:
            hands.setdefault(student, []).append(file)
        else:
            nobody.append(file)
    for parts in empty:
        if (student := rule((*parts, "nothing.ipynb"), chapter)) is not None:
            hands.setdefault(student, [])
    here = {student.raw for student in hands}
    nobody += [f for f in astray if (s := rule(f.parts, chapter)) is None or s.raw not in here]
    return [
        HandedIn(student, tuple(sorted(mine, key=_age)), _lms_notes(mine), trusted)
        for student, mine in sorted(_told_apart(hands).items(), key=lambda item: item[0].raw)
    ], nobody


def _age(file: File) -> tuple[bool, datetime, list[int], tuple[str, ...]]:
    """Order of attempts: by time; then by the numbers in the name, ``(2)`` before ``(10)``."""
    time = file.time or datetime.min.replace(tzinfo=UTC)
    numbers = [int(n) for n in re.findall(r"\d{1,18}", file.parts[-1])]
    return (file.time is not None, time, numbers, file.parts)


def _lms_notes(files: list[File]) -> tuple[str, ...]:
    late = any((m := CANVAS.fullmatch(f.parts[0])) and m["late"] for f in files)
    return ("Canvas marks it as late",) if late else ()


def _unwrapped(
    files: list[File], empty: list[tuple[str, ...]], chapter: str, inbox: Path
) -> tuple[list[File], list[tuple[str, ...]], bool]:
    """Drop folders that hold all the rest and name no student, as most zips have.

    The third value says whether nbgrader's collector wrote the inbox, so that its timestamp.txt count.
    """
    nbgrader = inbox.name == "submitted"
    for _ in range(3):
        tops = {f.parts[0] for f in files} | {p[0] for p in empty}
        if len(tops) != 1 or any(len(f.parts) == 1 for f in files):
            break
        (top,) = tops
        below = {p[1] for p in [*(f.parts for f in files), *empty] if len(p) > 1}
        deep = all(len(f.parts) > 2 for f in files) and len(below) > 1
        chapters = any(CHAPTER_NAME.fullmatch(name) for name in below)
        plain = top.lower() in WRAPPERS or top in (inbox.stem, chapter)
        lms = any(CANVAS.fullmatch(name) or MOODLE.fullmatch(name) for name in below)
        if MOODLE.fullmatch(top) or not (plain or lms or (deep and not chapters)):
            break
        nbgrader = nbgrader or top == "submitted"
        files = [replace(f, parts=f.parts[1:]) for f in files]
        empty = [p[1:] for p in empty if len(p) > 1]
    return files, empty, nbgrader


def _of_this_chapter(
    files: list[File], empty: list[tuple[str, ...]], chapter: str
) -> tuple[list[File], list[tuple[str, ...]], list[File]]:
    """Leave out what lies in another chapter's folder, as in nbgrader's ``<student>/<chapter>/``.

    A folder of nbgrader's form is empty for this chapter only if the chapter's own folder is. The third list
    holds a file, refused, for each folder that was left out.
    """

    def other(parts: tuple[str, ...]) -> bool:
        return len(parts) > 1 and bool(CHAPTER_NAME.fullmatch(parts[1])) and parts[1] != chapter

    left_out = [f for f in files if len(f.parts) > 2 and other(f.parts)]
    first = {f.parts[:2]: f for f in reversed(left_out)}
    why = f"it lies in the folder of another chapter, and there is nothing of {chapter}"
    return (
        [f for f in files if len(f.parts) < 3 or not other(f.parts)],
        [p for p in empty if not other(p)],
        [replace(f, refused=why) for _, f in sorted(first.items())],
    )


def _rule(paths: list[tuple[str, ...]]) -> Callable[[tuple[str, ...], str], Student | None]:
    """How this inbox names students: as most of it says, so that no file name of one learner decides."""
    loose = {p[0] for p in paths if len(p) == 1}
    if sum(_form(name) == "canvas" for name in loose) * 2 > len(loose):
        return _canvas
    tops = {p[0] for p in paths}
    if sum(_form(name) == "moodle" for name in tops) * 2 > len(tops):
        return _moodle
    return _plain


def _form(name: str) -> str:
    """Which LMS made a name. Where both could have, it is the one whose number comes first.

    What stands behind that number is the learner's own file name, and may look like anything.
    """
    canvas, moodle = CANVAS.fullmatch(name), MOODLE.fullmatch(name)
    if canvas and not (moodle and moodle.end("name") < canvas.end("name")):
        return "canvas"
    return "moodle" if moodle else ""


def _moodle(parts: tuple[str, ...], chapter: str) -> Student | None:
    match = MOODLE.fullmatch(parts[0])
    if match is None or match["plugin"] != "file":
        return None
    # the number differs from assignment to assignment: the name is the student
    return Student.of(match["name"], match["name"], "moodle", match["number"])


def _canvas(parts: tuple[str, ...], chapter: str) -> Student | None:
    match = CANVAS.fullmatch(parts[0])
    if match is None:
        return None
    number = match["number"] or match["anonymous"]
    return Student.of(number, match["name"], "canvas", number)


def _plain(parts: tuple[str, ...], chapter: str) -> Student | None:
    if len(parts) > 1:
        return Student.of(parts[0], parts[0], "folder")
    stem = re.sub(r"\.(ipynb|zip|json|txt|html?)$", "", parts[0], flags=re.I)
    while (shorter := COPY_MARK.sub("", stem)) != stem:
        stem = shorter
    stem = re.sub(rf"(chapters[_/-])?{re.escape(chapter)}", "", stem, flags=re.I)
    while (shorter := COPY_MARK.sub("", stem).strip(" _-–.,")) != stem:
        stem = shorter
    return Student.of(stem, stem, "folder") if stem else None


def _told_apart(hands: dict[Student, list[File]]) -> dict[Student, list[File]]:
    """Two participants of the same full name are told apart by Moodle's numbers; no two have one id."""
    times = Counter(student.raw for student in hands)
    result: dict[Student, list[File]] = {}
    for student, mine in hands.items():
        if times[student.raw] > 1:
            raw = f"{student.raw} ({student.number})"
            student = Student.of(raw, student.name, student.lms, student.number)
        result[student] = mine
    # the same name in two spellings of Unicode: nothing says that it is the same person
    ids = Counter(student.id for student in result)
    return {
        replace(s, id=f"{s.id}~{_digest(s.raw)}") if ids[s.id] > 1 else s: mine
        for s, mine in result.items()
    }


def clean_id(raw: str) -> str:
    """A student's name in characters that nbgrader's file patterns, pages and CSV can carry.

    Letters, digits, spaces and ``. _ - @ ( ) +`` stay, if a letter or digit comes first. Where anything else
    was replaced or cut, digits of a hash follow, so that two names never become one.
    """
    name = unicodedata.normalize("NFC", raw)
    clean = re.sub(r"[^\w .@()+-]", "_", re.sub(r"\s+", " ", name).strip())
    clean = clean.encode()[:MAX_ID].decode("utf-8", "ignore").rstrip(" .") or "_"
    if not re.match(r"\w", clean):
        clean = "_" + clean[1:]
    return clean if clean == name else f"{clean}~{_digest(name)}"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
