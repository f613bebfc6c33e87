"""How fast a class is graded: ours beside stock nbgrader, and how far from the least that is possible.

    python -m bench.grading [--quick]

A class of 60 on chapter 3, right, wrong, cheating and broken mixed, through `nbgrader autograde` and through ours
with one and two workers and on a Dask cluster; the CPU time beside that of the same answers run and checked in one
warm process without a sandbox; 5,000 generated submissions with the memory of the coordinator; and how long each
verb of the command line takes for a class of 200. The last line is the ratio of the two wall times of the class.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from autograde import mistakes
from autograde.collect.submissions import Submission
from autograde.grade.exam import Exam, fingerprint, load_exam, read_paper
from autograde.grade.grade import read_verdicts
from autograde.grade.worker import Setting, WorkerState
from autograde.layout import Layout
from autograde.mistakes import Right
from autograde.sandbox.inside.lockdown import adopt_orphans
from autograde.sandbox.inside.shell import Shell
from autograde.sandbox.inside.wire import Batch
from autograde.settings import Limits
from bench import corpus, stock
from bench.corpus import CHAPTER, Case

SECONDS = 5
"""Time limit of one cell, for both."""
LIMIT = "right and wrong: one warm process"


@dataclass(frozen=True)
class Spent:
    """What a run took: wall time, CPU time of it and all it started."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:7.2f} s wall {self.cpu:7.2f} s CPU"


@contextlib.contextmanager
def measured(into: list[Spent]) -> Iterator[None]:
    """Append what the block takes, with all processes it starts, also those that lost their parent."""
    adopt_orphans()  # the parts of a sandbox come here when bubblewrap ends

    known = {child.pid for child in psutil.Process().children()}

    def cpu() -> float:
        until = time.monotonic() + 5
        while {c.pid for c in psutil.Process().children()} - known and time.monotonic() < until:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(-1, os.WNOHANG)
            time.sleep(0.01)
        usage = [
            resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        ]
        return sum(u.ru_utime + u.ru_stime for u in usage)

    before, start = cpu(), time.perf_counter()
    yield
    wall = time.perf_counter() - start
    into.append(Spent(wall, cpu() - before))


def command(code: str, *arguments: str) -> str:
    """Run Python code in a process of its own, as a command would be; what it printed last."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout.splitlines()[-1] if done.stdout else ""


OURS = """\
import json, sys
from pathlib import Path
from types import SimpleNamespace
from autograde.grade.grade import grade
from autograde.layout import Layout
from autograde.sandbox.inside.lockdown import adopt_orphans
from autograde.settings import Limits
job = json.loads(Path(sys.argv[1]).read_text())
submissions = [SimpleNamespace(student=s, notebook=Path(n), sha256=h, problem=None) for s, n, h in job["class"]]
grade(
    job["chapter"], submissions, Layout(), workers=job["workers"], scheduler=job["scheduler"],
    limits=Limits(question_seconds=job["seconds"]), cache=Path(job["cache"]), json_file=Path(job["lines"]),
    progress=False,
)
"""


# ------------------------------------------------------------------------ classes
def mixed_class(size: int, layout: Layout) -> list[tuple[str, dict[str, str]]]:
    """(student, answers): half right, three in ten wrong, one in ten cheating, one in ten broken."""
    entries = mistakes.load(CHAPTER, layout)
    right = [{e.exercise: e.code} for e in entries if isinstance(e, Right)]
    wrong = [{e.exercise: e.code} for e in entries if not isinstance(e, Right)]
    cheats = [
        answers_of(case)
        for case in corpus.ATTACKS
        if case.line in ("a01", "a02", "a03", "a05", "a07", "a19") and case.change
    ]
    broken = [answers_of(c) for c in corpus.SUBMISSIONS if c.line in ("s22", "s23", "s25", "s26")]
    found = []
    for number in range(size):
        kinds, name = {0: (cheats, "cheat"), 1: (broken, "broken")}.get(
            number % 10, (right, "right")
        )
        if number % 10 in (2, 5, 8):
            kinds, name = wrong, "wrong"
        answers = (
            corpus.RIGHT
            | kinds[number // 10 % len(kinds) if number % 10 < 2 else number % len(kinds)]
        )
        answers["cosine_scores"] += f"\n# {number}"
        found.append((f"{name}-{number:04d}", answers))
    return found


def answers_of(case: Case) -> dict[str, str]:
    """The solution cells of a case."""
    notebook = corpus.read_released(Layout().chapter(CHAPTER))
    assert case.change is not None
    case.change(notebook)
    return {name: corpus.find(notebook, name).source for name in corpus.EXERCISES}


def write_class(
    members: Sequence[tuple[str, dict[str, str]]], folder: Path, layout: Layout
) -> list[Submission]:
    """Write their notebooks as handed in, and without outputs, as `collect` gives them."""
    released = corpus.read_released(layout.chapter(CHAPTER))
    bare = copy.deepcopy(released)
    for cell in bare.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    found = []
    for student, answers in members:
        corpus.answers(**answers)(released)
        corpus.answers(**answers)(bare)
        path = folder / student / CHAPTER / f"{CHAPTER}.ipynb"
        path.parent.mkdir(parents=True)
        corpus.save(released, path)
        path = folder / f"{student}.ipynb"
        corpus.save(bare, path)
        found.append(Submission(student, CHAPTER, path, fingerprint(answers), None))
    return found


# ------------------------------------------------------------------------ the runs
class Bench:
    """One temporary folder and the runs in it."""

    def __init__(self, root: Path, layout: Layout) -> None:
        self.root, self.layout, self.runs = root, layout, 0
        self.limits = Limits(question_seconds=SECONDS)

    def ours(
        self, submissions: Sequence[Submission], workers: int | None, scheduler: str | None = None
    ) -> tuple[Spent, dict[str, float | None]]:
        """Grade with an empty cache; what it took and the points."""
        self.runs += 1
        lines, job = self.root / f"{self.runs}.jsonl", self.root / f"{self.runs}.json"
        told = {
            "chapter": CHAPTER, "workers": workers, "scheduler": scheduler, "seconds": SECONDS,
            "class": [[s.student, str(s.notebook), s.sha256] for s in submissions],
            "cache": str(self.root / f"cache-{self.runs}"), "lines": str(lines),
        }  # fmt: skip
        job.write_text(json.dumps(told))
        spent: list[Spent] = []
        with measured(spent):
            command(OURS, str(job))
        return spent[0], {v.student: v.score for v in read_verdicts(lines)}

    def stock(self, submissions: Sequence[Submission]) -> tuple[Spent, dict[str, str]]:
        """`nbgrader autograde` on the class, with the packages of this environment."""
        course = self.root / "stock"
        stock.make_course(course, CHAPTER, self.layout, sys.executable, SECONDS)
        for submission in submissions:
            shutil.copytree(
                submission.notebook.with_suffix("") / CHAPTER,
                course / "submitted" / submission.student / CHAPTER,
            )
        spent: list[Spent] = []
        with measured(spent):
            stock.run(course, sys.executable, "autograde", CHAPTER, "--create")
        points = stock.scores(course, CHAPTER, [s.student for s in submissions], sys.executable)
        shutil.rmtree(course)
        return spent[0], points

    def warm(self, submissions: Sequence[Submission]) -> Spent:
        """The limit: read, run and check the same answers in one process that has run the setup cell.

        Only for answers that may run without a sandbox.
        """
        (self.root / "warm.json").write_text(json.dumps([str(s.notebook) for s in submissions]))
        code = "import sys; from bench.grading import warm_process; warm_process(sys.argv[1])"
        return Spent(*json.loads(command(code, str(self.root / "warm.json"))))

    def nothing(self) -> Submission:
        """What costs no more than the start of a run."""
        path = self.root / "nothing.ipynb"
        path.write_text("no notebook")
        return Submission("nobody", CHAPTER, path, "", None)

    def beside_the_limit(self, honest: Sequence[Submission], runs: int) -> str:
        """How much CPU ours takes beside the limit and the starts of its processes; all taken in turn."""
        ours = limit = start = each = 0.0
        code = "from bench.grading import start_cost; start_cost(50)"
        for _ in range(runs):
            limit += self.warm(honest).cpu / runs
            ours += self.ours(honest, 1)[0].cpu / runs
            start += self.ours([self.nothing()], 1)[0].cpu / runs
            each += float(command(code)) / runs
        starts = start + each * len(honest)
        return (
            f"CPU on the {len(honest)} that are right or wrong, 1 worker, mean of {runs}: ours {ours:.2f} s; "
            f"limit {limit:.2f} s; starts {starts:.2f} s ({start:.2f} s the run, {each * 1000:.1f} ms a student); "
            f"(ours - starts) / limit = {(ours - starts) / limit:.2f}; "
            f"ours / (limit + starts) = {ours / (limit + starts):.2f}"
        )


def start_cost(count: int) -> None:
    """In a process of its own, on one core as a worker is: print the CPU seconds of starting a student's process.

    It has started when it has answered a request for nothing.
    """
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    setting = Setting(load_exam(CHAPTER, Layout()))
    spent: list[Spent] = []
    for students in (0, count):
        with measured(spent):
            worker_state = WorkerState.open(setting)
            for number in range(students):
                with worker_state.sandbox.student_process() as student_process:
                    student_process.channel.send(
                        Batch(student_process.channel.caps).frame("asks", number)
                    )
                    student_process.channel.receive()
            worker_state.sandbox.close()
    print((spent[1].cpu - spent[0].cpu) / count)


def warm_process(job: str) -> None:
    """In a process of its own: print wall and CPU seconds of running and checking the papers of a job."""
    exam: Exam = load_exam(CHAPTER, Layout())
    shell = Shell(output=1 << 20)
    for source in exam.setup:
        shell.set_up(source)
    tests = [compile(q.shown + q.hidden, f"<{q.id}>", "exec") for q in exam.questions]
    base = dict(shell.namespace)
    spent: list[Spent] = []
    with measured(spent):
        for path in json.loads(Path(job).read_text()):
            paper = read_paper(Path(path).read_bytes(), exam)
            shell.namespace = dict(base)
            for cell in paper.cells:
                if cell.kind == "solution":
                    shell.run(cell.source, cell.title)
            for test in tests:
                with contextlib.suppress(Exception):
                    exec(test, shell.namespace)
    print(json.dumps([spent[0].wall, spent[0].cpu]))


@contextlib.contextmanager
def dask_cluster(folder: Path, workers: int) -> Iterator[str]:
    """The address of a scheduler with workers as processes of their own."""
    told = folder / "scheduler.json"
    start = [sys.executable, "-m"]
    root = str(Path(__file__).resolve().parent.parent)
    environment = os.environ | {"PYTHONPATH": root, "OPENBLAS_NUM_THREADS": "1"}
    scheduler = [*start, "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    scheduler += ["--host", "127.0.0.1", "--scheduler-file", str(told)]

    def run(command: list[str]) -> subprocess.Popen[bytes]:
        nowhere = subprocess.DEVNULL
        return subprocess.Popen(command, env=environment, stdout=nowhere, stderr=nowhere)

    started = [run(scheduler)]
    try:
        until = time.monotonic() + 60
        while not (told.exists() and told.read_text().strip()) and time.monotonic() < until:
            time.sleep(0.1)
        address = json.loads(told.read_text())["address"]
        worker = [*start, "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny"]
        worker += ["--no-dashboard", "--host", "127.0.0.1", "--local-directory", str(folder)]
        started += [run(worker) for _ in range(workers)]
        time.sleep(4)
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


def many(bench: Bench, count: int, workers: int) -> float:
    """Grade generated submissions; print throughput and the coordinator's memory; give submissions/s."""
    kinds = mixed_class(60, bench.layout)
    ending = [answers for student, answers in kinds if student.startswith(("right", "wrong"))]
    members = []
    for number in range(count):
        answers = ending[number % len(ending)]
        members.append((f"s{number:05d}", answers | {"scores": f"{answers['scores']}\n# {number}"}))
    submissions = write_class(members, bench.root / f"many-{count}-{workers}", bench.layout)
    memory: list[float] = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.2):
            for child in psutil.Process().children():
                with contextlib.suppress(psutil.Error):
                    if "autograde.grade.grade" in " ".join(child.cmdline()):
                        memory.append(child.memory_info().rss / 2**20)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        spent, _ = bench.ours(submissions, workers)
    finally:
        over.set()
        watcher.join()
    memory = memory[len(memory) // 10 :]  # after the imports
    told = ", ".join(f"{memory[at]:.1f}" for at in (0, len(memory) // 2, -1))
    print(
        f"{count} generated, {workers} worker{'s' * (workers > 1)}: {spent}, {count / spent.wall:.1f} "
        f"submissions/s; coordinator at start, middle, end: {told} MiB",
        flush=True,
    )
    return count / spent.wall


def verbs(root: Path, size: int) -> None:
    """Print what each verb takes for a class, as a process of its own, and on a hostile archive."""
    layout = corpus.copy_of_the_course(root / "course")
    write_class(mixed_class(size, layout), root / "handed-in", layout)
    inbox = root / "inbox"
    for paper in sorted((root / "handed-in").glob("*/*/*.ipynb")):
        place = inbox / paper.parts[-3] / paper.name
        place.parent.mkdir(parents=True)
        paper.rename(place)
    hostile = root / "hostile.zip"
    with zipfile.ZipFile(hostile, "w") as archive:
        for number in range(10_000):
            archive.writestr(f"student-{number:05d}/{CHAPTER}.ipynb", "{}")
    print(f"a class of {size}, each verb as a command:")
    runs = [
        ("collect", ["collect", CHAPTER, str(inbox)]),
        ("collect again", ["collect", CHAPTER, str(inbox)]),
        ("grade and record", ["grade", CHAPTER]),
        ("grade again, nothing new", ["grade", CHAPTER]),
        ("feedback", ["feedback", CHAPTER]),
        ("export", ["export", CHAPTER]),
        ("verify", ["verify"]),
        ("collect 10,000 notebooks of two bytes", ["collect", CHAPTER, str(hostile)]),
    ]
    for name, words in runs:
        spent: list[Spent] = []
        with measured(spent):
            subprocess.run(
                [sys.executable, "-m", "autograde", *words],
                cwd=layout.root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
            )  # fmt: skip
        print(f"  {name:<38} {spent[0]}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print everything; the last line is the ratio."""
    parser = argparse.ArgumentParser(prog="python -m bench.grading", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a class of 20 and 300 generated submissions"
    )
    options = parser.parse_args(arguments)
    size, generated, runs = (20, 300, 1) if options.quick else (60, 5000, 3)
    layout = Layout()
    with tempfile.TemporaryDirectory(prefix="grading-") as folder:
        bench = Bench(Path(folder), layout)
        submissions = write_class(mixed_class(size, layout), bench.root / "class", layout)
        honest = [s for s in submissions if s.student.startswith(("right", "wrong"))]
        taken: dict[str, list[Spent]] = {}
        points: dict[str, float | None] = {}
        for _ in range(runs):  # in turn, so that what else the machine does hits all of them
            for workers in (1, 2):
                spent, points = bench.ours(submissions, workers)
                taken.setdefault(f"ours, {workers} worker{'s' * (workers > 1)}", []).append(spent)
            taken.setdefault(LIMIT, []).append(bench.warm(honest))
        with dask_cluster(bench.root, 2) as address:
            for _ in range(runs):
                taken.setdefault("ours, Dask, 2 workers", []).append(
                    bench.ours(submissions, None, address)[0]
                )
        stock_spent, stock_points = bench.stock(submissions)
        best = {name: min(rows, key=lambda row: row.wall) for name, rows in taken.items()}
        print(f"a class of {size}, best of {runs}:")
        print(f"  {'stock nbgrader autograde':<38} {stock_spent}")
        for name, spent in best.items():
            print(f"  {name:<38} {spent}")
        agree = sum(
            str(stock_points.get(s)) == f"{p:g}" for s, p in points.items() if p is not None
        )
        print(
            f"  same points as stock nbgrader: {agree} of {size} (it pays cheats, and drops some)"
        )
        print(f"  {bench.beside_the_limit(honest, 2 * runs)}")
        if not options.quick:
            larger = write_class(mixed_class(4 * size, layout), bench.root / "larger", layout)
            honest = [s for s in larger if s.student.startswith(("right", "wrong"))]
            print(f"  {bench.beside_the_limit(honest, runs)}")
        sys.stdout.flush()
        rate = [
            many(bench, generated if workers == 2 else generated // 2, workers)
            for workers in (1, 2)
        ]
        verbs(bench.root, size if options.quick else 200)
        print(f"two workers / one worker: {rate[1] / rate[0]:.2f}x")
        print(f"ours/stock: {stock_spent.wall / best['ours, 2 workers'].wall:.1f}x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
