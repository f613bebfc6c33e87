"""Verdicts -> nbgrader's gradebook and the audit log, by one writer.

Each student's marks are one transaction, and every step may be repeated: a run that was killed is finished by the
same command. Where nothing has changed since the last run, nothing is opened, and nbgrader is not even imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from filelock import FileLock, Timeout

from autograde import notebook
from autograde.collect.submissions import Submission, load
from autograde.errors import CourseError
from autograde.files import write_whole
from autograde.layout import Layout
from autograde.nbgrader_bridge import ready
from autograde.records.log import START, append
from autograde.settings import CONFIG, read_schedule, settings
from autograde.verdict import State, Verdict

STOCK = ("source", "release")
"""Folders of the course in which nbgrader keeps a chapter."""


@dataclass
class Recorded:
    """What a run of `record` did.

    Attributes
    ----------
    written: students whose marks were written.
    unchanged: students whose marks already stood there.
    skipped: student -> why no mark was recorded.
    look: students whose file could not be read; Formgrader lists them too.
    head: the last hash of the log of verdicts; note it, and nobody can rewrite the log unseen.
    cut: whether a crash had cut the log's last line short; it was written again.
    """

    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    look: list[str] = field(default_factory=list)
    head: str = START
    cut: bool = False

    def __str__(self) -> str:
        lines = [
            f"{len(self.written)} marks written, {len(self.unchanged)} already there, "
            f"{len(self.skipped)} not recorded."
        ]
        lines += [f"  {student}: {why}" for student, why in self.skipped.items()]
        if self.look:
            lines.append(f"Not readable, marked 0, look at them: {', '.join(self.look)}")
        if self.cut:
            lines.append("A crash had cut the last line of the log short; it was written again.")
        return "\n".join([*lines, f"The log of verdicts ends with {self.head[:16]}."])


# ------------------------------------------------------------------------ the verb
def record(chapter: str, layout: Layout, lines: Path | None = None) -> Recorded:
    """Write the verdicts of a chapter into the gradebook and the log.

    Parameters
    ----------
    lines: the file that `grade` wrote; default: where it writes by itself.

    A verdict without a mark (the grader's own fault) is never recorded, nor one on work that has been replaced
    since. Raises CourseError if there are no verdicts, the log is broken, or another run is writing.
    """
    lines = lines or layout.course / "verdicts" / f"{chapter}.jsonl"
    with one_writer(layout):
        done = Recorded()
        verdicts = _recordable(chapter, layout, lines, done)
        submissions = {s.student: s for s in load(chapter, layout)}
        log, _ = append(layout, [(v, submissions[s].received) for s, v in verdicts.items()])
        done.head, done.cut = log.head, bool(log.cut)
        done.look = [s for s, v in verdicts.items() if v.state is State.UNREADABLE]
        done.unchanged = list(verdicts)
        stamp = layout.course / "cache" / f"{chapter}-recorded"
        if not stamp.exists() or stamp.read_text() != _state_of(chapter, layout, lines):
            _write(chapter, layout, verdicts, submissions, done)
            if len(done.written) + len(done.unchanged) == len(verdicts):
                write_whole(stamp, _state_of(chapter, layout, lines))
        return done


def _state_of(chapter: str, layout: Layout, lines: Path) -> str:
    """Changes with everything that `record` reads and writes: if it is what it was, nothing is to be done."""
    read = [lines, layout.course / "collected" / f"{chapter}.json", layout.solution(chapter)]
    read += [layout.chapter(chapter), layout.course / CONFIG]
    written = [layout.course / "gradebook.db", layout.course / "verdicts.log"]
    written += [layout.course / part / chapter / f"{chapter}.ipynb" for part in STOCK]
    written += sorted(layout.course.glob(f"autograded/*/{chapter}/{chapter}.ipynb"))
    digest = sha256()
    for path in read:
        digest.update(path.read_bytes() if path.exists() else b"-")
    for path in written:
        seen = path.stat() if path.exists() else None
        digest.update(f"{path} {seen and (seen.st_size, seen.st_mtime_ns)}\n".encode())
    return digest.hexdigest()


def _write(
    chapter: str,
    layout: Layout,
    verdicts: dict[str, Verdict],
    submissions: dict[str, Submission],
    done: Recorded,
) -> None:
    """Write what is not in the gradebook yet, and note in `done` whose marks were."""
    from autograde.records.gradebook import open_gradebook, register, set_deadline
    from autograde.records.outputs import VerdictOutputs, write_student

    register(chapter, layout)
    schedule, config = read_schedule(layout), settings(layout)
    outputs = VerdictOutputs(verdicts)
    done.unchanged = []
    with open_gradebook(layout) as gradebook:
        set_deadline(gradebook, chapter, schedule)
        rows = {s.student_id: s for s in gradebook.assignment_submissions(chapter)}
        for student in verdicts:
            place = gradebook, rows.get(student), submissions[student]
            try:
                changed = write_student(*place, outputs, layout, config)
            except CourseError as error:
                done.skipped[student] = f"{error.what} {error.remedy}"
                continue
            (done.written if changed else done.unchanged).append(student)


@contextmanager
def one_writer(layout: Layout) -> Iterator[None]:
    """Hold the course's lock. Raises CourseError if another run holds it. Released when the process dies."""
    ready(layout)
    try:
        with FileLock(layout.course / ".lock", timeout=0):
            yield
    except Timeout as error:
        raise CourseError(
            layout.course / "gradebook.db",
            "another run is writing marks.",
            "Wait until it has finished, then run the same command again.",
        ) from error


def _recordable(chapter: str, layout: Layout, lines: Path, done: Recorded) -> dict[str, Verdict]:
    """student -> the verdict to record; why there is none for the others goes to `done`."""
    from autograde.grade.grade import read_verdicts

    if not lines.exists():
        raise CourseError(
            lines, "there are no verdicts.", f"Run `python -m autograde grade {chapter}` first."
        )
    collected = {s.student: s for s in load(chapter, layout)}
    tests = _tests(layout.chapter(chapter))
    good: dict[str, Verdict] = {}
    for verdict in read_verdicts(lines):
        student = verdict.student
        if verdict.chapter != chapter:
            done.skipped[student] = f"the verdict is on {verdict.chapter}"
        elif student not in collected:
            done.skipped[student] = "nothing of theirs was collected"
        elif verdict.submission_sha256 != collected[student].sha256:
            done.skipped[student] = "their work was replaced after it was graded; grade again"
        elif verdict.state is State.INFRASTRUCTURE:
            done.skipped[student] = "the grader failed, not the student; grade again"
        elif {q.id: q.max for q in verdict.questions} != tests:
            done.skipped[student] = "the tests have changed since; grade again"
        else:
            good[student] = verdict
    return good


def _tests(chapter: Path) -> dict[str, float]:
    """Grade id -> points of the test cells of a released chapter."""
    cells = notebook.cells(notebook.read(chapter))
    return {cell.grade_id: cell.points for cell in cells if cell.role == "test"}
