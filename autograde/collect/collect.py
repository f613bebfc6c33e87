"""Any inbox -> one normalised notebook per student, and a report.

Owns `originals/`, `collected/` and `submitted/` of the course folder: every file that came, byte for byte; each
student's submission rebuilt on the released chapter; and the same in the place where nbgrader looks for it.
Nothing in an inbox stops the class: what cannot be read gets a stated reason. Nothing here runs a learner's code,
and the inbox itself is never written to.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from autograde.collect.inbox import File, RefusedError, printable, read_inbox
from autograde.collect.naming import HandedIn, understand
from autograde.collect.rebuild import UnreadableError, read_cells, rebuild
from autograde.collect.roster import read_roster
from autograde.collect.submissions import (
    Submission,
    load,
    place,
    released_chapter,
    save,
    text_of,
)
from autograde.collect.which_chapter import Book, Cell
from autograde.files import write_whole
from autograde.layout import Layout
from autograde.settings import Schedule, read_schedule, utc

FORMAT = 1
"""Number to raise when the same files give another submission than before."""
MAX_ATTEMPTS = 20
"""Notebooks of one student that are read, the newest first."""
MAX_READ = 128 * 2**20
"""Bytes of one student's notebooks after which no older one is read."""
OF_ALL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE}
"""Errors of the course folder, whoever's work it is that meets them."""


@dataclass(frozen=True)
class Collected:
    """What a run of `collect` gave.

    Attributes
    ----------
    submissions: all that the chapter now has.
    table: whose each file was taken to be, and by which rule.
    others: what is nobody's submission or replaced an earlier one, a line each.
    """

    submissions: list[Submission]
    table: str
    others: list[str]


@dataclass(frozen=True)
class _Run:
    """What stays the same while a class is collected."""

    chapter: str
    layout: Layout
    released: dict[str, Any]
    book: Book
    schedule: Schedule
    trusted: bool
    about: list[tuple[str, int, int]]  # the chapters' files


# ------------------------------------------------------------------------ the verbs
def collect(chapter: str, inbox: Path, layout: Layout, students: str = "") -> list[Submission]:
    """Normalise every submission of an inbox and give all that the chapter now has.

    May be run again with the same or another inbox: of all that came for a student, the newest that can be read
    counts. `students` says how the inbox names them (``folders``, ``files``, ``lms``), where two ways are
    possible. Raises CourseError if that is not clear, the inbox is no folder and no zip, or the chapter is not
    built; OSError if the course folder cannot be written.
    """
    return collect_with_report(chapter, inbox, layout, students).submissions


def collect_with_report(
    chapter: str,
    inbox: Path,
    layout: Layout,
    students: str = "",
    show: Callable[[str], object] = lambda table: None,
) -> Collected:
    """As `collect`, with what was understood; `show` is given that before anything is recorded."""
    released = released_chapter(chapter, layout)
    schedule = read_schedule(layout)
    known = {s.student: s for s in load(chapter, layout)}
    files = read_inbox(inbox, schedule)
    found = understand(files, chapter, inbox, read_roster(layout), known.values(), students)
    show(found.table())
    paths = sorted(layout.chapters.glob("*.ipynb"))
    about = [(p.name, p.stat().st_size, p.stat().st_mtime_ns) for p in paths]
    run = _Run(chapter, layout, released, Book(chapter, layout), schedule, found.trusted, about)
    others = [f"{f.where}: {f.refused or 'its name says no student'}" for f in found.nobody]
    own_inbox = inbox.resolve().is_relative_to((layout.course / "submitted").resolve())
    for hand in found.hands:
        try:
            state = _state(hand, run)
            old = known.get(hand.id)
            if old is not None and state and old.state == state and old.notebook.exists():
                continue
            made = _submission(hand, run, state)
            if made is None:
                others.append(f"{hand.id}: all that was handed in is of another chapter")
                continue
            submission, rebuilt = made
            if _is_older(submission, old):
                continue
            if old is not None and old.sha256 != submission.sha256:
                others.append(f"{hand.id}: {submission.file} replaces {old.file or 'earlier work'}")
            _put(submission.notebook, text_of(rebuilt))
            if not own_inbox:
                _give_to_nbgrader(submission, layout)
            known[hand.id] = submission
        except OSError as error:
            if error.errno in OF_ALL:
                raise
            others.append(f"{hand.id}: not collected, {error.strerror} ({error.filename})")
    submissions = sorted(known.values(), key=lambda s: s.student)
    save(chapter, submissions, layout)
    return Collected(submissions, found.table(), others)


def report(submissions: Iterable[Submission], others: Iterable[str], schedule: Schedule) -> str:
    """What `collect` did, for people: one line per student who needs a look, and a count of the rest."""
    lines = []
    fine = broken = repaired = 0
    for s in submissions:
        notes = list(s.repairs)
        if s.received is None:
            notes.append("nothing says when it came; it counts as on time")
        elif (due := schedule.deadline(s.chapter)) is not None and s.received > due:
            notes.append(f"late: came {s.received.astimezone(schedule.zone):%Y-%m-%d %H:%M %Z}")
        if s.problem:
            broken += 1
            lines.append(f"  not readable  {s.student}: {s.problem}")
        elif s.repairs:
            repaired += 1
        else:
            fine += 1
        lines += [f"  note          {s.student}: {note}" for note in notes]
    lines += [f"  look at       {line}" for line in others]
    total = fine + broken + repaired
    head = f"{total} submissions: {fine} as they should be, {repaired} repaired, {broken} not readable."
    return "\n".join([head, *(printable(line) for line in lines)])


# ------------------------------------------------------------------------ one student
@dataclass(frozen=True)
class _Attempt:
    """A notebook file that was read, or why it was not."""

    file: File
    problem: str | None
    cells: tuple[Cell, ...] = ()  # of the best attempt so far only: all together may be gigabytes
    repairs: tuple[str, ...] = ()
    fits: int = 0  # how surely it is this chapter; -1: it is another
    size: int = 0


def _state(hand: HandedIn, run: _Run) -> str:
    """A hash of everything that a student's submission is made from; empty if that is too much to look at twice."""
    if len(hand.files) > MAX_ATTEMPTS:
        return ""
    said: list[Any] = [FORMAT, run.about, repr(hand.who), hand.notes]
    for file in hand.files:
        try:
            content = file.refused or sha256(file.read()).hexdigest()
        except RefusedError as error:
            content = str(error)
        said += [file.path, str(file.time), content]
    return sha256(json.dumps(said).encode()).hexdigest()


def _submission(hand: HandedIn, run: _Run, state: str) -> tuple[Submission, dict[str, Any]] | None:
    """The submission of one student and its notebook; None if all they handed in is another chapter's."""
    read, best, unread = _read_all(hand, run)
    attempts = [a for a in read if a.fits >= 0]
    if read and not attempts and not unread:
        return None
    notes = list(hand.notes)
    if unread:
        notes.append(
            f"{unread} older files are not read: of one student it is at most "
            f"{MAX_ATTEMPTS} files and {MAX_READ >> 20} MB"
        )
    moment = _timestamp(hand, run, notes)
    problem: str | None = _why_nothing(hand, attempts)
    rebuilt = run.released
    if best is not None:
        try:
            built = rebuild(best.cells, run.released, run.book)
        except (ValueError, OverflowError, RecursionError, OSError) as error:
            problem = f"the collector failed on it ({type(error).__name__}: {error})"
        else:
            problem, rebuilt, digest = None, built.notebook, built.sha256
            notes += _refusals(hand, attempts)
            if len(attempts) + unread > 1:
                notes.append(f"{len(attempts) + unread} files; {best.file.where} counts")
            notes += [*_about_name(best.file, run.chapter), *best.repairs, *built.repairs]
    if problem:
        digest = sha256(f"unreadable: {problem}".encode()).hexdigest()
    times = [a.file.time for a in ([best] if best else attempts) if a.file.time]
    moment = moment or max(times, default=None)
    who = hand.who
    return Submission(
        student=hand.id,
        chapter=run.chapter,
        notebook=place(hand.id, run.chapter, run.layout),
        sha256=digest,
        received=moment.astimezone(run.schedule.zone) if moment else None,
        repairs=tuple(notes),
        problem=problem and printable(problem),
        name=who.name,
        lms=who.lms,
        number=who.number,
        attempts=len(attempts) + unread,
        is_code=who.is_code,
        file=(best.file if best else hand.files[-1]).where,
        state=state,
    ), rebuilt


def _read_all(hand: HandedIn, run: _Run) -> tuple[list[_Attempt], _Attempt | None, int]:
    """A student's notebooks, oldest first; the one that counts; and how many were too many to read.

    Of those that can be read, the newest counts among those that are most surely this chapter. The newest are
    read first, and the cells of one are kept.
    """
    waiting = [f for f in hand.files if f.is_notebook]
    attempts: list[_Attempt] = []
    best: _Attempt | None = None
    room = MAX_READ
    while waiting and len(attempts) < MAX_ATTEMPTS and room > 0:
        attempt = _read(waiting.pop(), hand.id, run)
        room -= attempt.size
        attempts.insert(0, replace(attempt, cells=()))
        fine = attempt.problem is None and attempt.fits >= 0
        if fine and (best is None or attempt.fits > best.fits):
            best = attempt
    return attempts, best, len(waiting)


def _read(file: File, student: str, run: _Run) -> _Attempt:
    """Read one file and keep its bytes among the originals."""
    name = file.parts[-1]
    try:
        data = file.read()
    except RefusedError as error:
        return _Attempt(file, str(error), fits=run.book.fits((), name))
    came = utc(file.time).strftime("%Y%m%dT%H%M%S") if file.time else "unknown"
    kept = run.layout.course / "originals" / run.chapter / student
    kept /= f"{came}-{sha256(data).hexdigest()[:8]}.ipynb"
    if not kept.exists() or kept.stat().st_size != len(data):
        write_whole(kept, data)
    try:
        cells, repairs = read_cells(data)
    except UnreadableError as error:
        return _Attempt(file, str(error), fits=run.book.fits((), name), size=len(data))
    return _Attempt(file, None, tuple(cells), tuple(repairs), run.book.fits(cells, name), len(data))


def _refusals(hand: HandedIn, attempts: list[_Attempt]) -> list[str]:
    """What of a student's files was not read, a sentence each."""
    unread = [(a.file, a.problem) for a in attempts if a.problem]
    unread += [(f, f.refused) for f in hand.files if f.refused and not f.is_notebook]
    return [f"{file.where} is not used: {why}" for file, why in unread]


def _about_name(file: File, chapter: str) -> list[str]:
    name = printable(file.parts[-1])
    return [f"the file was called {name}"] if len(file.parts) > 1 and chapter not in name else []


def _why_nothing(hand: HandedIn, attempts: list[_Attempt]) -> str:
    if attempts:
        return f"{attempts[-1].file.where}: {attempts[-1].problem}"
    if refused := [f"{f.where}: {f.refused}" for f in hand.files if f.refused]:
        return refused[-1]
    names = ", ".join(f.parts[-1] for f in hand.files[:3])
    return f"no notebook among what was handed in ({names})"


# ------------------------------------------------------------------------ times
def _timestamp(hand: HandedIn, run: _Run, notes: list[str]) -> datetime | None:
    """The time in nbgrader's timestamp.txt. A student's own file of that name counts for nothing."""
    own = (hand.top, run.chapter, "timestamp.txt")
    stamps = [f for f in hand.files if run.trusted and f.parts == own]
    if any(f.parts[-1] == "timestamp.txt" for f in hand.files if f not in stamps):
        notes.append("a timestamp.txt lay with the work; only nbgrader's own collector is believed")
    if not stamps:
        return None
    try:
        return run.schedule.read(stamps[-1].read().decode("utf-8", "replace"))
    except (ValueError, RefusedError) as error:
        notes.append(f"timestamp.txt is not readable ({error}); the time of the file is used")
        return None


def _is_older(new: Submission, known: Submission | None) -> bool:
    """Whether what is known already stands against what came now: it is newer, or this is not readable."""
    if known is None or known.problem is not None:
        return False
    if new.problem is not None:
        return True
    long_ago = datetime.min.replace(tzinfo=UTC)
    return (new.received or long_ago) < (known.received or long_ago)


# ------------------------------------------------------------------------ files
def _put(path: Path, content: str) -> None:
    """Write a file unless it holds that already."""
    data = content.encode()
    if not path.exists() or path.read_bytes() != data:
        write_whole(path, data)


def _give_to_nbgrader(submission: Submission, layout: Layout) -> None:
    """Put the normalised notebook and its time where nbgrader looks for submissions."""
    folder = layout.course / "submitted" / submission.student / submission.chapter
    folder.mkdir(parents=True, exist_ok=True)
    # copies, which the next run makes anew where they differ: they need not survive a power cut
    (folder / f"{submission.chapter}.ipynb").write_bytes(submission.notebook.read_bytes())
    (folder / "timestamp.txt").unlink(missing_ok=True)
    if submission.received is not None:
        stamp = f"{utc(submission.received):%Y-%m-%d %H:%M:%S.%f} UTC\n"
        (folder / "timestamp.txt").write_text(stamp, encoding="utf-8")
