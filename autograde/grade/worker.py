"""One submission on one worker: the setting, the warm sandbox, the canaries, the verdict.

`grade_task` is the pure function (submission, tests, environment) -> verdict. Keeps a sandbox warm between
submissions; writes nothing.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import os
import platform
import sys
import threading
import time
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from autograde.errors import CourseError
from autograde.grade.canaries import CanaryError, canaries
from autograde.grade.exam import (
    Exam,
    Paper,
    UnreadableError,
    fingerprint,
    read_paper,
)
from autograde.grade.judge import TrustedNamespace, judge_paper
from autograde.grade.process import trigger_names
from autograde.sandbox.sandbox import Sandbox, SandboxError
from autograde.settings import Limits
from autograde.verdict import SENTENCES, Outcome, QuestionVerdict, State, Verdict, verdict_of

TRIES = 3
GRADER = ("grade", "sandbox", "verdict.py", "settings.py")
"""The folders and files of the package whose text is part of what a verdict depends on."""


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


@dataclass
class WorkerState:
    """What a worker keeps between submissions: the trusted namespace and the warm sandbox."""

    setting: Setting
    trusted: TrustedNamespace
    sandbox: Sandbox

    @classmethod
    def open(cls, setting: Setting) -> WorkerState:
        """Run setup, start the sandbox, and try the canaries. Raises CanaryError or SandboxError."""
        try:
            trusted = TrustedNamespace.of(setting.exam)
        except Exception as problem:
            raise CanaryError(f"the setup cells do not run: {problem!r}") from problem
        exam, limits = setting.exam, setting.limits
        sandbox = Sandbox(exam.setup, setting.level, limits, setting.python, trigger_names(exam))
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
        worker_state = cls(setting, trusted, sandbox)
        try:
            worker_state.try_canaries()
        except BaseException:
            sandbox.close()
            raise
        return worker_state

    def try_canaries(self) -> None:
        """Grade papers whose marks are known. Raises CanaryError if one gets others."""
        exam = self.setting.exam
        for name, paper, full in canaries(exam):
            for question in judge_paper(self.trusted, paper, self.sandbox):
                wanted = question.max if full else 0.0
                if question.score != wanted:
                    raise CanaryError(
                        f"{name} should get {wanted:g} of {question.max:g} points for {question.id} and "
                        f"got {question.score:g} ({question.state}: {question.message})"
                    )

    def grade(self, paper: Paper) -> tuple[QuestionVerdict, ...]:
        """Grade a paper; a sandbox that failed is started anew. Raises SandboxError after `TRIES`."""
        for attempt in range(TRIES):
            try:
                return judge_paper(self.trusted, paper, self.sandbox)
            except SandboxError:
                self.sandbox.close()
                if attempt == TRIES - 1:
                    raise
                time.sleep(0.2 * attempt)
                self.sandbox.start()
        raise AssertionError("unreachable")


_worker_states = threading.local()


def worker_state(setting: Setting) -> WorkerState:
    """This thread's worker state for a setting; an older one is closed."""
    key = (setting.exam.sha256, setting.environment_sha256, setting.python, os.getpid())
    if getattr(_worker_states, "key", None) != key:
        close_worker_state()
        _worker_states.now = WorkerState.open(setting)
        _worker_states.key = key
    now: WorkerState = _worker_states.now
    return now


def close_worker_state() -> None:
    """End this thread's warm sandbox, if it has one."""
    now, _worker_states.now, _worker_states.key = getattr(_worker_states, "now", None), None, None
    if now is not None:
        now.sandbox.close()


def forget_worker_state() -> None:
    """In a forked process: the sandbox of the parent is not ours to use or to end."""
    _worker_states.__dict__.clear()


def grade_task(task: Task, setting: Setting) -> Verdict:
    """The verdict on one submission.

    Raises CanaryError or SandboxError if this worker cannot grade anything; a fault that hits one submission
    alone is a verdict without a mark.
    """
    start = time.monotonic()
    exam = setting.exam
    try:
        if task.problem is not None:
            raise UnreadableError(task.problem)
        paper = read_paper(task.read(), exam)
    except UnreadableError as fault:
        message = f"Nothing could be graded: {fault}"
        nothing = _all(exam, Outcome.NOT_ATTEMPTED, 0.0, message)
        return _verdict(task, setting, nothing, start, State.UNREADABLE)
    except OSError as fault:
        return infrastructure(task, setting, str(fault), start)
    here = worker_state(setting)
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


@lru_cache
def _versions() -> str:
    """Hash of what decides how code runs: Python, NumPy, the machine's kind, the grader itself."""
    package = Path(__file__).parents[1]
    paths = [p for part in GRADER for p in (package / part, *(package / part).rglob("*.py"))]
    own = [p.read_text(encoding="utf-8") for p in sorted(paths) if p.is_file()]
    versions = [importlib.metadata.version(name) for name in ("numpy", "matplotlib")]
    return fingerprint([sys.version, platform.machine(), versions, own])
