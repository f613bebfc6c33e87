"""Who does the grading: processes on this machine, or a Dask cluster. Same function, same results.

Both keep a bounded number of submissions in flight, so that the coordinator's memory does not depend on the size
of the class, and try again when a worker is killed. What a worker does is `grade.grade_task`.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import socket
import threading
import traceback
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, cast

from autograde.errors import CourseError
from autograde.grade.canaries import CanaryError
from autograde.grade.worker import (
    TRIES,
    Setting,
    Task,
    close_worker_state,
    forget_worker_state,
    grade_task,
    infrastructure,
    worker_state,
)
from autograde.sandbox.inside.lockdown import die_with_parent
from autograde.sandbox.sandbox import SandboxError
from autograde.verdict import Verdict

Keyed = tuple[str, Task]
AHEAD = 2
"""Submissions that a worker of this machine has at a time: the one that it grades, and the next."""
AHEAD_FAR = 4
"""The same for a worker on another machine."""
LAST_SECONDS = 10
"""How long a worker may take to end."""
CONNECT_SECONDS = 20


def refusal(fault: Exception) -> CourseError:
    """What a person reads when no submission may be graded."""
    if isinstance(fault, CanaryError):
        return CourseError(
            "canaries",
            f"{fault}. Nothing was recorded.",
            "See that the grading environment has what the chapter needs (requirements.txt).",
        )
    return CourseError(
        "sandbox",
        f"{fault}",
        "Check that bubblewrap works here (`bwrap --ro-bind / / true`), or grade with "
        "`--sandbox rlimits`: limits but no isolation.",
    )


# ------------------------------------------------------------------------ this machine
def _serve(setting: Setting, pipe: Connection) -> None:
    """What a worker process does: try the canaries, say so, and grade what comes until there is no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    forget_worker_state()
    with contextlib.suppress(OSError):
        die_with_parent()
    try:
        with own_core():
            worker_state(setting)
            pipe.send(None)
            while (task := pipe.recv()) is not None:
                pipe.send(grade_task(task, setting))
    except EOFError:
        pass
    except (CanaryError, SandboxError, CourseError) as fault:
        pipe.send(fault)
    except BaseException:
        pipe.send(RuntimeError(f"in a worker:\n{traceback.format_exc()}"))
    finally:
        close_worker_state()


@contextlib.contextmanager
def own_core() -> Iterator[None]:
    """Stay on a core that no other grader of this machine stays on, if there is one.

    A worker and the student's processes that it starts take turns, and waking somebody on another core costs more
    than a switch. An abstract socket marks the core: it goes when its process goes.
    """
    with contextlib.ExitStack() as stack:
        for core in sorted(os.sched_getaffinity(0)):
            mark = stack.enter_context(socket.socket(socket.AF_UNIX))
            with contextlib.suppress(OSError):
                mark.bind(f"\0self-attention-grader-core-{core}")
                os.sched_setaffinity(0, {core})
                break
        yield


@dataclass(eq=False)
class Worker:
    """A process of this machine, the pipe to it, and what it has been given, the oldest first."""

    process: BaseProcess
    pipe: Connection
    given: deque[Keyed] = field(default_factory=deque)
    is_ready: bool = False


@dataclass
class LocalPool:
    """A process per worker, each with a pipe of its own, so that it is known what a killed one was grading."""

    workers: int | None
    setting: Setting
    pool: list[Worker] = field(default_factory=list, init=False)
    tries: Counter[str] = field(default_factory=Counter, init=False)
    breaks: int = field(default=0, init=False)

    def __enter__(self) -> LocalPool:
        if self.workers is not None and self.workers < 1:
            raise CourseError(
                "--workers", "there must be at least one.", "Leave it out for one a core."
            )
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.pool:
            _let_go(worker)
        for worker in self.pool:
            _stop_worker(worker)

    def verdicts(self, tasks: Iterable[Keyed]) -> Iterator[tuple[str, Verdict]]:
        """The verdicts as they come. Raises CourseError if a worker cannot be trusted, RuntimeError for its faults."""
        coming = iter(tasks)
        again = deque(islice(coming, self.workers or len(os.sched_getaffinity(0))))
        while len(self.pool) < len(again):
            self.pool.append(self._start_worker())
        while not all(worker.is_ready for worker in self.pool):
            for _ in self._hear(again):
                pass
        while True:
            for _ in range(AHEAD):
                for worker in self.pool:
                    self._give(worker, again, coming)
            again = again or deque(islice(coming, 1))
            if not again and not any(worker.given for worker in self.pool):
                return
            yield from self._hear(again)

    def _start_worker(self) -> Worker:
        # A fork needs no imports, and is safe as long as no other thread of Python runs in this process.
        method = "fork" if threading.active_count() == 1 else "spawn"
        context: Any = multiprocessing.get_context(method)
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(self.setting, theirs), daemon=True)
        try:
            process.start()
        except OSError as fault:
            raise CourseError(
                "workers", f"no process could be started: {fault}.", "Name fewer with `--workers`."
            ) from fault
        theirs.close()  # so that the pipe ends when the process does
        return Worker(process, ours)

    def _give(self, worker: Worker, again: deque[Keyed], coming: Iterator[Keyed]) -> None:
        """Give a worker one more task, so that it has one while it is heard."""
        if not worker.is_ready or len(worker.given) >= AHEAD:
            return
        found = again.popleft() if again else next(coming, None)
        if found is not None:
            worker.given.append(found)
            with contextlib.suppress(OSError):  # it is dead: its pipe will say so
                worker.pipe.send(found[1])

    def _hear(self, again: deque[Keyed]) -> Iterator[tuple[str, Verdict]]:
        """What the next workers have to say; one that was killed is replaced."""
        talking = {w.pipe: w for w in self.pool if w.given or not w.is_ready}
        for pipe in wait(list(talking)):
            worker = talking[cast("Connection", pipe)]
            try:
                told = worker.pipe.recv()
            except (EOFError, OSError):
                yield from self._take_back(worker, again)
                self.pool[self.pool.index(worker)] = self._start_worker()
                continue
            if isinstance(told, CanaryError | SandboxError):
                raise refusal(told) from told
            if isinstance(told, Exception):
                raise told
            if told is None:
                worker.is_ready = True
            else:
                yield worker.given.popleft()[0], told

    def _take_back(self, worker: Worker, again: deque[Keyed]) -> Iterator[tuple[str, Verdict]]:
        """Take back what a killed worker had. What it was grading is tried again, but not for ever."""
        _stop_worker(worker)
        if not worker.is_ready:
            self.breaks += 1
            if self.breaks > TRIES:
                raise CourseError(
                    "workers", "they are killed as soon as they start.", "Free some memory."
                )
        if worker.given:
            key, task = worker.given[0]
            self.tries[key] += 1
            if self.tries[key] > TRIES:
                worker.given.popleft()
                yield key, infrastructure(task, self.setting, "its worker was killed")
        again.extend(worker.given)
        worker.given.clear()


def _let_go(worker: Worker) -> None:
    """Tell a worker that there is no more; one that has something to do is stopped."""
    with contextlib.suppress(OSError):
        worker.pipe.send(None)
    if worker.given or not worker.is_ready:
        worker.process.terminate()


def _stop_worker(worker: Worker) -> None:
    """Wait for the end of a worker."""
    worker.process.join(LAST_SECONDS)
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join()
    worker.pipe.close()


# ------------------------------------------------------------------------ a cluster
def _open(setting: Setting) -> None:
    worker_state(setting)


@dataclass
class DaskPool:
    """Workers of a Dask scheduler; they need this package, NumPy and bubblewrap, and no shared folder."""

    scheduler: str
    setting: Setting

    def __enter__(self) -> DaskPool:
        from distributed import Client

        try:
            self.client: Any = Client(self.scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as fault:
            raise CourseError(
                self.scheduler,
                f"no Dask scheduler answers there: {fault}.",
                "Start one with `dask scheduler`, and workers with `dask worker ADDRESS`.",
            ) from fault
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def verdicts(self, tasks: Iterable[Keyed]) -> Iterator[tuple[str, Verdict]]:
        """The verdicts as they come. Raises CourseError if a worker cannot be trusted."""
        from distributed import as_completed

        waiting = iter(tasks)
        flying: dict[Any, Keyed] = {}
        self.client.wait_for_workers(1, timeout=60)
        self._warm()
        threads = sum(self.client.nthreads().values()) or 1
        results = as_completed(loop=self.client.loop)
        for future in self._submit(islice(waiting, AHEAD_FAR * threads), flying):
            results.add(future)
        for future in results:
            key, task = flying.pop(future)
            yield key, self._result(future, task)
            for other in self._submit(islice(waiting, 1), flying):
                results.add(other)

    def _warm(self) -> None:
        """Have each worker try its canaries before anything is graded."""
        workers = list(self.client.scheduler_info(n_workers=-1)["workers"])
        where: dict[str, Any] = {"pure": False, "allow_other_workers": True}
        ready = [self.client.submit(_open, self.setting, workers=[w], **where) for w in workers]
        for future in ready:
            fault = future.exception()
            if isinstance(fault, CanaryError | SandboxError):
                raise refusal(fault) from fault

    def _submit(self, tasks: Iterable[Keyed], flying: dict[Any, Keyed]) -> Iterator[Any]:
        for key, task in tasks:
            how: dict[str, Any] = {"key": f"grade-{key}", "pure": False, "retries": TRIES}
            future = self.client.submit(grade_task, task.whole(), self.setting, **how)
            flying[future] = (key, task)
            yield future

    def _result(self, future: Any, task: Task) -> Verdict:
        fault = future.exception()
        if isinstance(fault, CanaryError | SandboxError):
            raise refusal(fault) from fault
        if fault is not None:
            return infrastructure(
                task, self.setting, f"its worker was lost: {type(fault).__name__}"
            )
        verdict: Verdict = future.result()
        if verdict.environment_sha256 != self.setting.environment_sha256:
            raise CourseError(
                "a Dask worker",
                "its Python, NumPy or grader is not the one that runs here. Nothing more was recorded.",
                "Install the same constraints.txt on every machine.",
            )
        return verdict
