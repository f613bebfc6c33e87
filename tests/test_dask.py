"""The same function on a cluster: a real scheduler and workers as processes of their own, one of them killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

pytest.importorskip("distributed")
from autograde.errors import CourseError
from autograde.grade import pool as pool
from autograde.grade.grade import grade, read_verdicts
from autograde.verdict import State
from bench import corpus
from tests.graded import QUICK, make_course, timeless
from tests.test_grade import NN, class_of

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """(address of a scheduler, its two workers as processes)."""
    folder = tmp_path_factory.mktemp("cluster")
    told = folder / "scheduler.json"
    started: list[subprocess.Popen[bytes]] = []
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}

    def start(module: str, *options: str) -> None:
        command = [sys.executable, "-m", f"distributed.cli.{module}", *options]
        log = (folder / f"{len(started)}.log").open("wb")
        started.append(
            subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)
        )

    start("dask_scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1",
          "--scheduler-file", str(told))  # fmt: skip
    until = time.monotonic() + 60
    while not (told.exists() and told.read_text().endswith("}")) and time.monotonic() < until:
        time.sleep(0.1)
    address = json.loads(told.read_text())["address"]
    for _ in range(2):
        start("dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
              "--host", "127.0.0.1", "--local-directory", str(folder))  # fmt: skip
    yield address, started[1:]
    for process in reversed(started):
        process.kill()
        process.wait()


def test_a_cluster_gives_what_one_machine_gives_though_a_worker_is_killed(cluster, tmp_path):
    address, workers = cluster
    layout = make_course(tmp_path / "course")
    submissions = class_of(layout, 40)
    here = grade(NN, submissions, layout, workers=1, limits=QUICK, progress=False,
                 cache=tmp_path / "here", json_file=tmp_path / "here.jsonl")  # fmt: skip
    killed: list[int] = []

    def kill_one_at_work() -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until and not killed:
            files = list((layout.course / "cache").rglob("*.jsonl"))
            done = sum(len(p.read_bytes().splitlines()) for p in files)
            busy = [w for w in workers if psutil.Process(w.pid).children()]  # has a sandbox
            if done >= 3 and busy:
                busy[0].kill()
                killed.append(done)
            time.sleep(0.01)

    thread = threading.Thread(target=kill_one_at_work)
    thread.start()
    summary = grade(NN, submissions, layout, scheduler=address, limits=QUICK, progress=False)
    thread.join()
    assert killed
    assert killed[0] < 40
    assert [w.poll() for w in workers].count(None) == 1
    assert summary.states == {State.GRADED: 40}
    assert [timeless(v) for v in read_verdicts(summary.lines)] == [
        timeless(v) for v in read_verdicts(here.lines)
    ]


def test_a_canary_dies_on_a_cluster_too(cluster, tmp_path):
    address, _ = cluster
    layout = make_course(tmp_path / "course")
    path = layout.solution(NN)
    notebook = json.loads(layout.solution(NN).read_text())
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "scores":
            cell["source"] = corpus.WRONG["scores"]
    path.write_text(json.dumps(notebook))
    with pytest.raises(CourseError, match="the reference solution"):
        grade(NN, class_of(layout, 2), layout, scheduler=address, limits=QUICK, progress=False)
    assert not (layout.course / "verdicts").exists()


def test_no_scheduler_there(tmp_path, monkeypatch):
    monkeypatch.setattr(pool, "CONNECT_SECONDS", 1)
    layout = make_course(tmp_path / "course")
    with pytest.raises(CourseError, match="no Dask scheduler answers"):
        grade(NN, class_of(layout, 1), layout, scheduler="tcp://127.0.0.1:9", progress=False)
