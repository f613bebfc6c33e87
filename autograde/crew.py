"""Who does the grading: processes on this machine, or a Dask cluster. Same function, same results.

Both keep a bounded number of submissions in flight, so that the coordinator's memory does not depend on the size
of the class, and try again when a worker is killed. What a worker does is `grade.grade_task`.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.util
import os
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import cycle, islice
from multiprocessing.queues import SimpleQueue
from typing import Any

from autograde.errors import CourseError
from autograde.grade import (
    TRIES,
    CanaryDied,
    Setting,
    Task,
    close_station,
    forget_station,
    grade_task,
    infrastructure,
    station,
)
from autograde.lockdown import die_with_parent
from autograde.sandbox import SandboxError
from autograde.verdict import Verdict

Keyed = tuple[str, Task]
AHEAD = 4
"""Submissions in flight per worker."""
CONNECT_SECONDS = 20


def refusal(fault: Exception) -> CourseError:
    """What a person reads when no submission may be graded."""
    if isinstance(fault, CanaryDied):
        return CourseError(
            "canaries",
            f"{fault}. Nothing was recorded.",
            "See that the grading environment has what the chapter needs (requirements.txt).",
        )
    return CourseError(
        "sandbox",
        f"{fault}",
        "Check that bubblewrap works here (`bwrap --ro-bind / / true`), or grade with "
        "`--sandbox rlimits`: limits but no wall.",
    )


# ------------------------------------------------------------------------ this machine
_setting: Setting | None = None


def _begin(setting: Setting, cores: SimpleQueue[int]) -> None:
    """In a new worker process.

    It stays on one core with the student's processes that it starts: they take turns with it, and waking somebody
    on another core costs more than the switch.
    """
    global _setting
    _setting = setting
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {cores.get()})
    forget_station()
    with contextlib.suppress(OSError):
        die_with_parent()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    multiprocessing.util.Finalize(None, close_station, exitpriority=1)


def _open(setting: Setting) -> None:
    station(setting)


def _warm() -> None:
    assert _setting is not None
    station(_setting)


def _work(task: Task) -> Verdict:
    assert _setting is not None
    return grade_task(task, _setting)


@dataclass
class LocalCrew:
    """A pool of processes. A killed worker costs a new pool and another try of what it had."""

    workers: int | None
    setting: Setting
    tries: dict[str, int] = field(default_factory=dict)
    breaks: int = 0

    def __enter__(self) -> LocalCrew:
        return self

    def __exit__(self, *_: object) -> None: ...

    def verdicts(self, tasks: Iterable[Keyed]) -> Iterator[tuple[str, Verdict]]:
        """The verdicts as they come. Raises CourseError if a worker cannot be trusted."""
        waiting = iter(tasks)
        suspects = list(islice(waiting, 1))
        while suspects:
            yield from self._until_broken(suspects, waiting)
            suspects = suspects or list(islice(waiting, 1))

    def _until_broken(
        self, suspects: list[Keyed], waiting: Iterator[Keyed]
    ) -> Iterator[tuple[str, Verdict]]:
        """Run a pool until all is done or a worker dies; what was in flight then is in `suspects`.

        Suspects go first, one at a time, so that the one that kills its worker is known.
        """
        count = self.workers or os.cpu_count() or 1
        flying: dict[Future[Verdict], Keyed] = {}
        # A fork needs no imports, and is safe as long as nobody else runs in this process.
        method = "fork" if threading.active_count() == 1 else "spawn"
        context = multiprocessing.get_context(method)
        cores = context.SimpleQueue()
        for core in islice(cycle(sorted(os.sched_getaffinity(0))), count):
            cores.put(core)
        pool = ProcessPoolExecutor(count, context, _begin, (self.setting, cores))
        try:
            wait_for = [pool.submit(_warm) for _ in range(count)]
            for future in wait_for:
                future.result()
            while True:
                if suspects:
                    batch = [] if flying else [suspects.pop()]
                else:
                    batch = list(islice(waiting, AHEAD * count - len(flying)))
                flying.update({pool.submit(_work, task): (key, task) for key, task in batch})
                if not flying:
                    return
                for done in wait(flying, return_when=FIRST_COMPLETED).done:
                    yield flying[done][0], done.result()
                    del flying[done]
        except BrokenProcessPool:
            yield from self._sort(flying, suspects)
        except (CanaryDied, SandboxError) as fault:
            raise refusal(fault) from fault
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _sort(
        self, flying: dict[Future[Verdict], Keyed], suspects: list[Keyed]
    ) -> Iterator[tuple[str, Verdict]]:
        """What a broken pool left: what is done, what is tried again, what was tried often enough."""
        self.breaks += 1
        if not flying and self.breaks > TRIES:
            raise CourseError(
                "workers", "they are killed as soon as they start.", "Free some memory."
            )
        for future, (key, task) in flying.items():
            if future.done() and future.exception() is None:
                yield key, future.result()
                continue
            self.tries[key] = self.tries.get(key, 0) + 1
            if self.tries[key] <= TRIES:
                suspects.append((key, task))
            else:
                yield key, infrastructure(task, self.setting, "its worker was killed")


# ------------------------------------------------------------------------ a cluster
@dataclass
class DaskCrew:
    """Workers of a Dask scheduler; they need this package, NumPy and bubblewrap, and no shared folder."""

    scheduler: str
    setting: Setting

    def __enter__(self) -> DaskCrew:
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
        for future in self._submit(islice(waiting, AHEAD * threads), flying):
            results.add(future)
        for future in results:
            key, task = flying.pop(future)
            yield key, self._result(future, task)
            for other in self._submit(islice(waiting, 1), flying):
                results.add(other)

    def _warm(self) -> None:
        """Have each worker try its canaries before anything is graded."""
        workers = list(self.client.scheduler_info(n_workers=-1)["workers"])
        ready = [
            self.client.submit(
                _open, self.setting, workers=[w], pure=False, allow_other_workers=True
            )
            for w in workers
        ]
        for future in ready:
            fault = future.exception()
            if isinstance(fault, CanaryDied | SandboxError):
                raise refusal(fault) from fault

    def _submit(self, tasks: Iterable[Keyed], flying: dict[Any, Keyed]) -> Iterator[Any]:
        for key, task in tasks:
            future = self.client.submit(
                grade_task,
                task.whole(),
                self.setting,
                key=f"grade-{key}",
                pure=False,
                retries=TRIES,
            )
            flying[future] = (key, task)
            yield future

    def _result(self, future: Any, task: Task) -> Verdict:
        fault = future.exception()
        if isinstance(fault, CanaryDied | SandboxError):
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
