"""(submission, tests, environment) -> verdict, for one submission or a class of any size.

`grade_task` is the pure function; `grade` runs it over a class: canaries first, every verdict kept under the
hashes of what it depends on, so that the same command after a crash goes on where it stopped. Where the work is
done is up to `crew.py`. Writes the cache and the JSON lines file; never touches the gradebook or a submission.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.metadata
import json
import os
import platform
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from tqdm import tqdm

from autograde.errors import CourseError
from autograde.exam import (
    Cell,
    Exam,
    Paper,
    Unreadable,
    fingerprint,
    load_exam,
    paper_of,
    read_paper,
)
from autograde.layout import Layout
from autograde.sandbox import LEVELS, Limits, Sandbox, SandboxError, command
from autograde.session import telling
from autograde.trial import Bench, run_trial
from autograde.verdict import SENTENCES, Outcome, QuestionVerdict, State, Verdict, verdict_of

TRIES = 3
GRADER_MODULES = (
    "exam",
    "foresight",
    "grade",
    "kernel",
    "lockdown",
    "proxies",
    "sandbox",
    "session",
    "student",
    "trial",
    "verdict",
    "wire",
)


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


@dataclass(frozen=True)
class Setting:
    """All that a verdict depends on besides the submission; sent once to each worker."""

    exam: Exam
    level: str = "bubblewrap"
    limits: Limits = field(default_factory=Limits)
    python: str = sys.executable

    @property
    def environment_sha256(self) -> str:
        return fingerprint(
            [
                self.level,
                dataclasses.asdict(self.limits),
                self.python == sys.executable,
                _versions(),
            ]
        )


@dataclass(frozen=True)
class Task:
    """One submission on its way to a worker: its normalised notebook, or why there is none."""

    student: str
    sha256: str
    notebook: Path | bytes = b""
    problem: str | None = None

    def whole(self) -> Task:
        """With the bytes of the notebook, for a worker that has no such file."""
        return dataclasses.replace(self, notebook=self.read())

    def read(self) -> bytes:
        return self.notebook.read_bytes() if isinstance(self.notebook, Path) else self.notebook


class CanaryDied(Exception):
    """A paper whose marks are known did not get them: the grader or its environment is at fault."""


# ------------------------------------------------------------------------ one submission
@dataclass
class Station:
    """What a worker keeps between submissions: the trusted namespace and the warm sandbox."""

    setting: Setting
    bench: Bench
    sandbox: Sandbox

    @classmethod
    def open(cls, setting: Setting) -> Station:
        """Run setup, start the sandbox, and try the canaries. Raises CanaryDied or SandboxError."""
        try:
            bench = Bench.of(setting.exam)
        except Exception as problem:
            raise CanaryDied(f"the setup cells do not run: {problem!r}") from problem
        exam, limits = setting.exam, setting.limits
        sandbox = Sandbox(exam.setup, setting.level, limits, setting.python, telling(exam))
        for attempt in range(TRIES):
            try:
                sandbox.start()
                break
            except CourseError as fault:
                raise SandboxError(str(fault)) from fault
            except SandboxError:
                if attempt == TRIES - 1:
                    raise
                time.sleep(0.2)
        station = cls(setting, bench, sandbox)
        try:
            station.try_canaries()
        except BaseException:
            sandbox.close()
            raise
        return station

    def try_canaries(self) -> None:
        """Grade papers whose marks are known. Raises CanaryDied if one gets others."""
        exam = self.setting.exam
        for name, paper, full in canaries(exam):
            for question in run_trial(self.bench, paper, self.sandbox):
                wanted = question.max if full else 0.0
                if question.score != wanted:
                    raise CanaryDied(
                        f"{name} should get {wanted:g} of {question.max:g} points for {question.id} and "
                        f"got {question.score:g} ({question.state}: {question.message})"
                    )

    def grade(self, paper: Paper) -> tuple[QuestionVerdict, ...]:
        """Grade a paper; a sandbox that failed is started anew. Raises SandboxError after `TRIES`."""
        for attempt in range(TRIES):
            try:
                return run_trial(self.bench, paper, self.sandbox)
            except SandboxError:
                self.sandbox.close()
                if attempt == TRIES - 1:
                    raise
                time.sleep(0.2 * attempt)
                self.sandbox.start()
        raise AssertionError("unreachable")


_stations = threading.local()


def station(setting: Setting) -> Station:
    """This thread's station for a setting; an older one is closed."""
    key = (setting.exam.sha256, setting.environment_sha256, setting.python, os.getpid())
    if getattr(_stations, "key", None) != key:
        close_station()
        _stations.now = Station.open(setting)
        _stations.key = key
    now: Station = _stations.now
    return now


def close_station() -> None:
    """End this thread's warm sandbox, if it has one."""
    now, _stations.now, _stations.key = getattr(_stations, "now", None), None, None
    if now is not None:
        now.sandbox.close()


def forget_station() -> None:
    """In a forked process: the sandbox of the parent is not ours to use or to end."""
    _stations.__dict__.clear()


def grade_task(task: Task, setting: Setting) -> Verdict:
    """The verdict on one submission.

    Raises CanaryDied or SandboxError if this worker cannot grade anything; a fault that hits one submission
    alone is a verdict without a mark.
    """
    start = time.monotonic()
    exam = setting.exam
    try:
        if task.problem is not None:
            raise Unreadable(task.problem)
        paper = read_paper(task.read(), exam)
    except Unreadable as fault:
        message = f"Nothing could be graded: {fault}"
        nothing = _all(exam, Outcome.NOT_ATTEMPTED, 0.0, message)
        return _verdict(task, setting, nothing, start, State.UNREADABLE)
    except OSError as fault:
        return infrastructure(task, setting, str(fault), start)
    here = station(setting)
    try:
        questions = here.grade(paper)
    except (SandboxError, OSError) as fault:
        return infrastructure(task, setting, str(fault), start)
    return _verdict(task, setting, questions, start)


def infrastructure(task: Task, setting: Setting, why: str, start: float | None = None) -> Verdict:
    """The verdict on a submission that the grader could not grade: no mark."""
    message = f"{SENTENCES[Outcome.INFRASTRUCTURE]} ({why})"[:500]
    questions = _all(setting.exam, Outcome.INFRASTRUCTURE, None, message)
    return _verdict(task, setting, questions, start, State.INFRASTRUCTURE)


def _verdict(
    task: Task,
    setting: Setting,
    questions: tuple[QuestionVerdict, ...],
    start: float | None,
    state: State = State.GRADED,
) -> Verdict:
    return verdict_of(
        student=task.student,
        chapter=setting.exam.chapter,
        questions=questions,
        sandbox="none" if state is State.UNREADABLE else setting.level,
        submission_sha256=task.sha256,
        tests_sha256=setting.exam.sha256,
        environment_sha256=setting.environment_sha256,
        seconds=time.monotonic() - start if start is not None else 0.0,
        state=state,
    )


def _all(
    exam: Exam, outcome: Outcome, score: float | None, message: str
) -> tuple[QuestionVerdict, ...]:
    return tuple(QuestionVerdict(q.id, score, q.points, outcome, message) for q in exam.questions)


# ------------------------------------------------------------------------ canaries
EQUAL_TO_ALL = """\
class Same:
    __array_priority__ = 1e9
    shape, dtype, ndim, size = (), float, 0, 1
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __getattr__(self, name): return Same()
    def __call__(self, *a, **k): return self
    def __array__(self, *a, **k): return np.zeros(())
    def __iter__(self): return iter(())
    def __len__(self): return 0
    def __bool__(self): return True
def {name}(*args, **kwargs):
    return Same()
"""
PATCH_CHECKS = """\
import builtins, sys
for module in (np, np.linalg, builtins):
    for name in ("allclose", "array_equal", "isclose", "all", "abs", "any"):
        if hasattr(module, name):
            setattr(module, name, lambda *a, **k: True)
check = hidden = alike = same = lambda *a, **k: True
frame = sys._getframe()
while frame:
    frame.f_globals.update(check=check, hidden=hidden, alike=alike)
    frame = frame.f_back
def {name}(*args, **kwargs):
    return None
"""
FORGE_FRAMES = """\
import os
def {name}(*args, **kwargs):
    os.write(3, b"\\xff" * 64)
"""


def canaries(exam: Exam) -> Iterator[tuple[str, Paper, bool]]:
    """(what it is, the paper, whether it must get full marks or nothing)."""
    yield "the reference solution", _paper(exam, exam.references), True
    yield "the untouched chapter", _paper(exam, exam.stubs), False
    cheats = {
        "a cheat that returns an object equal to anything": EQUAL_TO_ALL,
        "a cheat that replaces the comparing functions": PATCH_CHECKS,
        "a cheat that writes to the grader's channel": FORGE_FRAMES,
    }
    for what, code in cheats.items():
        yield what, _paper(exam, {name: code.format(name=name) for name in exam.stubs}), False


def _paper(exam: Exam, answers: Mapping[str, str]) -> Paper:
    examples = [Cell("example", example.source, "example") for example in exam.examples]
    solutions = [Cell(name, source, "solution") for name, source in answers.items()]
    return paper_of([*examples, *solutions])


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
    from autograde.crew import DaskCrew, LocalCrew

    if sandbox not in LEVELS:
        raise CourseError(sandbox, "there is no such sandbox.", f"Name one of {', '.join(LEVELS)}.")
    start = time.monotonic()
    if not scheduler:
        command(sandbox, python, 0)  # refuses before anything is started
    setting = Setting(load_exam(chapter, layout), sandbox, limits or Limits(), python)
    lines = json_file or layout.course / "verdicts" / f"{chapter}.jsonl"
    store = Store.open(cache or layout.course / "cache", setting)
    crew = DaskCrew(scheduler, setting) if scheduler else LocalCrew(workers, setting)
    roll = [(s, _key(s)) for s in submissions]
    lost: dict[str, Verdict] = {}
    fresh = {key: s for s, key in roll if key not in store}
    with store, crew:
        tasks = (_task(s, key) for key, s in fresh.items())
        tqdm.monitor_interval = 0  # no thread of its own: see LocalCrew
        bar = tqdm(total=len(fresh), desc=chapter, unit="sub", disable=not progress or not fresh)
        with bar:
            for key, verdict in crew.verdicts(tasks):
                if verdict.state is State.INFRASTRUCTURE:
                    lost[key] = verdict
                else:
                    store.add(key, verdict)
                bar.update()
    states = write_lines(lines, (_named(s, key, store, lost) for s, key in roll))
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


def write_lines(path: Path, verdicts: Iterable[Verdict]) -> Counter[State]:
    """Write one line per verdict; the file appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    states: Counter[State] = Counter()
    with unfinished.open("w", encoding="utf-8") as file:
        for verdict in verdicts:
            file.write(verdict.to_line() + "\n")
            states[verdict.state] += 1
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
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


@lru_cache
def _versions() -> str:
    """Hash of what decides how code runs: Python, NumPy, the machine's kind, the grader itself."""
    here = Path(__file__).parent
    own = [(here / f"{module}.py").read_text(encoding="utf-8") for module in GRADER_MODULES]
    versions = [importlib.metadata.version(name) for name in ("numpy", "matplotlib")]
    return fingerprint([sys.version, platform.machine(), versions, own])


# ------------------------------------------------------------------------ the cache
@dataclass
class Store:
    """Verdicts by content, in one file that only grows. A line cut short by a crash is dropped.

    Holds in memory where each verdict stands, not the verdicts.
    """

    path: Path
    places: dict[str, int]

    @classmethod
    def open(cls, folder: Path, setting: Setting) -> Store:
        """The store of an exam and an environment, made if there is none."""
        name = f"{setting.exam.sha256[:16]}-{setting.environment_sha256[:16]}.jsonl"
        path = folder / setting.exam.chapter / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        places, end = {}, 0
        with path.open("rb") as file:
            for line in file:
                try:
                    places[json.loads(line)["key"]] = end
                except (ValueError, KeyError, TypeError):
                    break
                end += len(line)
        os.truncate(path, end)
        return cls(path, places)

    def __enter__(self) -> Store:
        self.file = self.path.open("ab", buffering=0)
        return self

    def __exit__(self, *_: object) -> None:
        os.fsync(self.file.fileno())
        self.file.close()

    def __contains__(self, key: str) -> bool:
        return key in self.places

    def __getitem__(self, key: str) -> Verdict:
        with self.path.open("rb") as file:
            file.seek(self.places[key])
            return Verdict.from_json(json.loads(file.readline())["verdict"])

    def add(self, key: str, verdict: Verdict) -> None:
        """Append a verdict in one write. Raises CourseError if the disk is full."""
        line = json.dumps({"key": key, "verdict": verdict.to_json()}).encode() + b"\n"
        place = self.file.tell()
        try:
            written = self.file.write(line)
        except OSError as fault:
            raise self._full(str(fault)) from fault
        if written != len(line):
            raise self._full("no space left")
        self.places[key] = place

    def _full(self, why: str) -> CourseError:
        return CourseError(
            self.path,
            f"a verdict could not be written: {why}.",
            "Make room and run the same command again; what was graded is kept.",
        )
