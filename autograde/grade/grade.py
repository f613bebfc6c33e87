"""A class of any size: canaries first, every verdict kept, one line for each submission.

`grade` runs `worker.grade_task` over a class wherever `pool.py` finds workers; every verdict is kept under the
hashes of what it depends on (`cache.py`), so that the same command after a crash goes on where it stopped. Writes
the cache and the JSON lines file; never touches the gradebook or a submission.
"""

from __future__ import annotations

import dataclasses
import hashlib
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tqdm import tqdm

from autograde.errors import CourseError
from autograde.files import write_lines
from autograde.grade.cache import Store
from autograde.grade.exam import fingerprint, load_exam
from autograde.grade.pool import DaskPool, LocalPool
from autograde.grade.worker import Setting, Task
from autograde.layout import Layout
from autograde.sandbox.sandbox import LEVELS, command
from autograde.settings import Limits
from autograde.verdict import State, Verdict


class Submitted(Protocol):
    """What `collect` gives for each student; see there."""

    @property
    def student(self) -> str: ...
    @property
    def notebook(self) -> Path | None: ...
    @property
    def sha256(self) -> str: ...
    @property
    def problem(self) -> str | None: ...


# ------------------------------------------------------------------------ a class
@dataclass(frozen=True)
class Summary:
    """What a run did: how many verdicts of each state, how many came from the cache, where the lines are."""

    states: Counter[State]
    cached: int
    graded: int
    lines: Path
    seconds: float

    def __str__(self) -> str:
        others = [f"{n} {state}" for state, n in self.states.items() if state is not State.GRADED]
        known = f", {self.cached} already known" if self.cached else ""
        return ", ".join([f"{self.graded} graded in {self.seconds:.1f} s{known}", *others]) + "."


def grade(
    chapter: str,
    submissions: Iterable[Submitted],
    layout: Layout,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    sandbox: str = "bubblewrap",
    limits: Limits | None = None,
    json_file: Path | None = None,
    cache: Path | None = None,
    python: str = sys.executable,
    progress: bool = True,
) -> Summary:
    """Grade a class and write one line per submission, in their order.

    Parameters
    ----------
    workers: processes on this machine; default: one per core. Not used with a scheduler.
    scheduler: address of a Dask scheduler.
    json_file: where the lines go; default: ``verdicts/CHAPTER.jsonl`` in the course folder.
    cache: folder for verdicts by content; default: ``cache`` in the course folder.
    python: the Python that student code runs with.

    Raises CourseError if the sandbox does not start or a canary fails; then nothing is recorded.
    """
    if sandbox not in LEVELS:
        raise CourseError(sandbox, "there is no such sandbox.", f"Name one of {', '.join(LEVELS)}.")
    start = time.monotonic()
    if not scheduler:
        command(sandbox, python, 0)  # refuses before anything is started
    setting = Setting(load_exam(chapter, layout), sandbox, limits or Limits(), python)
    lines = json_file or layout.course / "verdicts" / f"{chapter}.jsonl"
    store = Store.open(cache or layout.course / "cache", setting)
    pool = DaskPool(scheduler, setting) if scheduler else LocalPool(workers, setting)
    roll = [(s, _key(s)) for s in submissions]
    lost: dict[str, Verdict] = {}
    fresh = {key: s for s, key in roll if key not in store}
    with store, pool:
        tasks = (_task(s, key) for key, s in fresh.items())
        tqdm.monitor_interval = 0  # no thread of its own: see LocalPool
        bar = tqdm(total=len(fresh), desc=chapter, unit="sub", disable=not progress or not fresh)
        with bar:
            for key, verdict in pool.verdicts(tasks):
                if verdict.state is State.INFRASTRUCTURE:
                    lost[key] = verdict
                else:
                    store.add(key, verdict)
                bar.update()
    states = write_verdicts(lines, (_named(s, key, store, lost) for s, key in roll))
    seconds = time.monotonic() - start
    return Summary(states, len(roll) - len(fresh), len(fresh), lines, seconds)


def read_verdicts(lines: Path) -> Iterator[Verdict]:
    """The verdicts of a file that `grade` wrote. Raises CourseError where a line is none."""
    with lines.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                yield Verdict.from_line(line)
            except ValueError as fault:
                raise CourseError(
                    f"{lines}, line {number}", str(fault), "Run `python -m autograde grade` again."
                ) from fault


def write_verdicts(path: Path, verdicts: Iterable[Verdict]) -> Counter[State]:
    """Write one line per verdict; count their states."""
    states: Counter[State] = Counter()

    def lines() -> Iterator[str]:
        for verdict in verdicts:
            states[verdict.state] += 1
            yield verdict.to_line()

    write_lines(path, lines())
    return states


def _key(submitted: Submitted) -> str:
    """What a submission is stored under: the hash of the bytes that are graded."""
    if submitted.problem is not None or submitted.notebook is None:
        return fingerprint(["problem", submitted.problem])
    return hashlib.sha256(submitted.notebook.read_bytes()).hexdigest()


def _task(submitted: Submitted, key: str) -> tuple[str, Task]:
    problem = submitted.problem
    if problem is None and submitted.notebook is None:
        problem = "there is no notebook"
    notebook = submitted.notebook if problem is None else None
    return key, Task(submitted.student, submitted.sha256, notebook or b"", problem)


def _named(submitted: Submitted, key: str, store: Store, lost: dict[str, Verdict]) -> Verdict:
    """The verdict of this content under this student's name."""
    verdict = lost[key] if key in lost else store[key]
    return dataclasses.replace(
        verdict, student=submitted.student, submission_sha256=submitted.sha256
    )
