"""Any inbox -> one normalised notebook per student, and a report.

Owns `originals/`, `collected/` and `submitted/` of the course folder: every file that came, byte for byte; each
student's submission rebuilt on the released chapter; and the same in the place where nbgrader looks for it.
Nothing in an inbox stops the class: what cannot be read gets a stated reason. Nothing here runs a learner's code,
and the inbox itself is never written to.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograde.collect.inbox import File, RefusedError, printable, read_inbox
from autograde.collect.naming import HandedIn, Student, by_student
from autograde.collect.rebuild import Cell, UnreadableError, read_cells, rebuild
from autograde.collect.submissions import Submission, load, place, released_chapter, save
from autograde.files import write_whole
from autograde.layout import CHAPTER_NAME, Layout
from autograde.settings import Schedule, read_schedule, utc

MAX_ATTEMPTS = 20
"""Notebooks of one student that are read, the newest first."""
MAX_READ = 128 * 2**20
"""Bytes of one student's notebooks after which no older one is read."""


# ------------------------------------------------------------------------ the verbs
def collect(chapter: str, inbox: Path, layout: Layout) -> list[Submission]:
    """Normalise every submission of an inbox and give all that the chapter now has.

    May be run again with the same or another inbox: of all that came for a student, the newest that can be read
    counts. Raises CourseError if the inbox is no folder and no zip, or the chapter is not built.
    """
    return collect_with_report(chapter, inbox, layout)[0]


def collect_with_report(
    chapter: str, inbox: Path, layout: Layout
) -> tuple[list[Submission], list[str]]:
    """As `collect`, with what stands in the inbox but is nobody's submission, a line each."""
    released = released_chapter(chapter, layout)
    schedule = read_schedule(layout)
    files, empty = read_inbox(inbox, schedule)
    hands, nobody = by_student(files, empty, chapter, inbox)
    known = {s.student: s for s in load(chapter, layout)}
    others = [_nobodys(file) for file in nobody]
    own_inbox = _is_within(inbox, layout.course / "submitted")
    for hand in hands:
        try:
            made = _submission(hand, chapter, released, schedule, layout)
        except (OSError, ValueError, OverflowError) as error:
            made = _failed(hand, chapter, error, layout), released
        if made is None:
            others.append(f"{hand.student.id}: all that was handed in is of another chapter")
            continue
        if _is_older(made[0], known.get(hand.student.id)):
            continue
        submission, notebook = made
        known[submission.student] = submission
        write_whole(submission.notebook, nbformat.v4.writes(notebook) + "\n")
        if not own_inbox:
            _give_to_nbgrader(submission, layout)
    submissions = sorted(known.values(), key=lambda s: s.student)
    save(chapter, submissions, layout)
    return submissions, others


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
    lines += [f"  nobody's      {line}" for line in others]
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
    fits: int = 0  # how surely it is this chapter
    size: int = 0


def _submission(
    hand: HandedIn, chapter: str, released: NotebookNode, schedule: Schedule, layout: Layout
) -> tuple[Submission, NotebookNode] | None:
    """The submission of one student and its notebook; None if all they handed in is another chapter's."""
    student = hand.student
    files, chosen, unread = _read_all(hand, chapter, released, layout)
    attempts = [a for a in files if not _is_other_chapter(a, chapter)]
    if files and not attempts and not unread:
        return None
    notes = list(hand.notes)
    if unread:
        notes.append(
            f"{unread} older files are not read: of one student it is at most "
            f"{MAX_ATTEMPTS} files and {MAX_READ >> 20} MB"
        )
    stamp = _timestamp(hand, chapter, schedule, notes)
    if chosen is not None:
        notes += _refusals(hand, attempts)
        built = rebuild(chosen.cells, released)
        notebook, digest, problem = built.notebook, built.sha256, None
        if len(attempts) + unread > 1:
            notes.append(f"{len(attempts) + unread} files; {chosen.file.where} counts")
        notes += [*_about_name(chosen.file, chapter), *chosen.repairs, *built.repairs]
        came = chosen.file.time
    else:
        problem = _why_nothing(hand, attempts)
        notebook, digest = released, sha256(f"unreadable: {problem}".encode()).hexdigest()
        came = max((a.file.time for a in attempts if a.file.time), default=None)
    moment = stamp or came
    return Submission(
        student=student.id,
        chapter=chapter,
        notebook=place(student.id, chapter, layout),
        sha256=digest,
        received=moment.astimezone(schedule.zone) if moment else None,
        repairs=tuple(notes),
        problem=problem,
        name=student.name,
        lms=student.lms,
        number=student.number,
        attempts=len(attempts) + unread,
    ), notebook


def _failed(hand: HandedIn, chapter: str, error: Exception, layout: Layout) -> Submission:
    """What stands for the work of a student that stopped the collector, so that the class goes on."""
    problem = f"the collector failed on it ({type(error).__name__}: {printable(str(error))})"
    student = hand.student
    return Submission(
        student=student.id,
        chapter=chapter,
        notebook=place(student.id, chapter, layout),
        sha256=sha256(f"unreadable: {problem}".encode()).hexdigest(),
        received=None,
        problem=problem,
        name=student.name,
        lms=student.lms,
        number=student.number,
        attempts=sum(_is_notebook(f) for f in hand.files),
    )


def _read_all(
    hand: HandedIn, chapter: str, released: NotebookNode, layout: Layout
) -> tuple[list[_Attempt], _Attempt | None, int]:
    """A student's notebooks, oldest first; the one that counts; and how many were too many to read.

    Of those that can be read, the newest counts among those that are most surely this chapter. The newest are
    read first, and the cells of one are kept.
    """
    waiting = [f for f in hand.files if _is_notebook(f)]
    attempts: list[_Attempt] = []
    best: _Attempt | None = None
    room = MAX_READ
    while waiting and len(attempts) < MAX_ATTEMPTS and room > 0:
        attempt = _read(waiting.pop(), hand.student, chapter, released, layout)
        room -= attempt.size
        bare = replace(attempt, cells=())
        attempts.insert(0, bare)
        fine = attempt.problem is None and not _is_other_chapter(attempt, chapter)
        if fine and (best is None or attempt.fits > best.fits):
            best = attempt
    return attempts, best, len(waiting)


def _refusals(hand: HandedIn, attempts: list[_Attempt]) -> list[str]:
    """What of a student's files was not read, a sentence each."""
    unread = [(a.file, a.problem) for a in attempts if a.problem]
    unread += [(f, f.refused) for f in hand.files if f.refused and not _is_notebook(f)]
    return [f"{file.where} is not used: {why}" for file, why in unread]


def _read(
    file: File, student: Student, chapter: str, released: NotebookNode, layout: Layout
) -> _Attempt:
    """Read one file and keep its bytes among the originals."""
    named = int(chapter in file.parts[-1])
    try:
        data = file.read()
    except RefusedError as error:
        return _Attempt(file, str(error), fits=named)
    came = utc(file.time).strftime("%Y%m%dT%H%M%S") if file.time else "unknown"
    kept = layout.course / "originals" / chapter / student.id
    kept /= f"{came}-{sha256(data).hexdigest()[:8]}.ipynb"
    if not kept.exists():
        write_whole(kept, data)
    try:
        cells, repairs = read_cells(data)
    except UnreadableError as error:
        return _Attempt(file, str(error), fits=named, size=len(data))
    fits = 2 if _holds(cells, released) else named
    return _Attempt(file, None, tuple(cells), tuple(repairs), fits, len(data))


def _is_notebook(file: File) -> bool:
    return file.parts[-1].lower().endswith((".ipynb", ".ipynb.json", ".ipynb.txt"))


def _holds(cells: list[Cell], released: NotebookNode) -> bool:
    """Whether a cell among them is one of the released chapter."""
    own = [c for c in released.cells if c.id not in ("setup", "recap")]
    ids = {c.metadata.get("nbgrader", {}).get("grade_id") for c in own} - {None}
    sources = {c.source.strip() for c in own}
    return any(c.grade_id in ids or c.source.strip() in sources for c in cells)


def _is_other_chapter(attempt: _Attempt, chapter: str) -> bool:
    """Whether the name says that this is another chapter, and nothing in it says that it is this one."""
    name = attempt.file.parts[-1].rsplit(".ipynb", 1)[0]
    named_so = CHAPTER_NAME.fullmatch(name) is not None and name != chapter
    return named_so and attempt.fits < 2


def _about_name(file: File, chapter: str) -> list[str]:
    name = printable(file.parts[-1])
    return [f"the file was called {name}"] if len(file.parts) > 1 and chapter not in name else []


def _why_nothing(hand: HandedIn, attempts: list[_Attempt]) -> str:
    if attempts:
        return f"{attempts[-1].file.where}: {attempts[-1].problem}"
    refused = [f"{f.where}: {f.refused}" for f in hand.files if f.refused]
    if refused:
        return refused[-1]
    if hand.files:
        names = printable(", ".join(f.parts[-1] for f in hand.files[:3]))
        return f"no notebook among what was handed in ({names})"
    return "the folder is empty"


# ------------------------------------------------------------------------ times
def _timestamp(
    hand: HandedIn, chapter: str, schedule: Schedule, notes: list[str]
) -> datetime | None:
    """The time in nbgrader's timestamp.txt. A student's own file of that name counts for nothing."""
    own = (hand.student.raw, chapter, "timestamp.txt")
    stamps = [f for f in hand.files if hand.trusted and f.parts == own]
    if any(f.parts[-1] == "timestamp.txt" for f in hand.files if f not in stamps):
        notes.append("a timestamp.txt lay with the work; only nbgrader's own collector is believed")
    if not stamps:
        return None
    try:
        return schedule.read(stamps[-1].read().decode("utf-8", "replace"))
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
def _give_to_nbgrader(submission: Submission, layout: Layout) -> None:
    """Put the normalised notebook and its time where nbgrader looks for submissions."""
    folder = layout.course / "submitted" / submission.student / submission.chapter
    write_whole(folder / f"{submission.chapter}.ipynb", submission.notebook.read_bytes())
    if submission.received is not None:
        write_whole(
            folder / "timestamp.txt", f"{utc(submission.received):%Y-%m-%d %H:%M:%S.%f} UTC\n"
        )
    else:
        (folder / "timestamp.txt").unlink(missing_ok=True)


def _is_within(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _nobodys(file: File) -> str:
    why = file.refused or "its name says no student"
    return f"{file.where}: {why}"
