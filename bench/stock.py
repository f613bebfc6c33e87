"""Stock nbgrader on a folder of submissions: a plain course folder, its own commands, nothing of ours.

The course folder is thrown away afterwards. What runs there is hostile in part: `locked_in` gives a command a
file system that is read-only outside the course folder, process numbers of its own and no network.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import venv
from pathlib import Path

from autograde.layout import Layout
from autograde.sandbox.sandbox import bubblewrap

REQUIREMENTS = ("nbgrader==0.9.6", "ipykernel>=6.29,<8", "numpy>=2.0,<3", "matplotlib>=3.8,<4")
CONFIG = """\
c = get_config()
c.CourseDirectory.root = {root!r}
c.CourseDirectory.course_id = "stock"
c.ExecutePreprocessor.timeout = {timeout}
"""
SCORE = """\
import sys
from nbgrader.api import Gradebook, MissingEntry
with Gradebook("sqlite:///" + sys.argv[1]) as book:
    for student in sys.argv[3:]:
        try:
            found = book.find_submission(sys.argv[2], student)
            graded = not found.needs_manual_grade
            print(student, f"{found.score:g}" if graded else "manual", sep="\\t")
        except MissingEntry:
            print(student, "none", sep="\\t")
"""


class NoStockError(Exception):
    """Stock nbgrader cannot be had here; the text says why and what to do."""


def own_environment() -> Path:
    """The Python of an environment that holds stock nbgrader, made on first use. Raises NoStockError."""
    base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    folder = base / "self-attention-course" / "nbgrader-0.9.6"
    python = folder / "bin" / "python"
    if (folder / "ready").exists():
        return python
    print(
        f"making an environment with stock nbgrader in {folder} (once; a minute or two)", flush=True
    )
    try:
        venv.create(folder, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "install", "-q", *REQUIREMENTS]
        subprocess.run(command, check=True, timeout=900, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError) as fault:
        raise NoStockError(
            f"stock nbgrader could not be installed in {folder} ({fault}). It needs a package index: "
            "try again with a network, or set PIP_INDEX_URL or PIP_FIND_LINKS."
        ) from fault
    (folder / "ready").touch()
    return python


def variables(python: Path | str) -> dict[str, str]:
    """Environment variables for a command of stock nbgrader."""
    return os.environ | {
        "PATH": os.pathsep.join([str(Path(python).parent), os.environ["PATH"]]),  # finds alembic
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONWARNINGS": "ignore",
        "MPLBACKEND": "Agg",
    }


def make_course(root: Path, chapter: str, layout: Layout, python: Path | str, timeout: int) -> None:
    """A course folder with the chapter registered and released by nbgrader itself."""
    source = root / "source" / chapter
    source.mkdir(parents=True)
    shutil.copyfile(layout.solution(chapter), source / f"{chapter}.ipynb")
    (root / "nbgrader_config.py").write_text(CONFIG.format(root=str(root), timeout=timeout))
    run(root, python, "generate_assignment", chapter, "--create")


def run(root: Path, python: Path | str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One nbgrader command in the course folder; its return code is not judged."""
    return subprocess.run(
        [str(python), "-m", "nbgrader", *arguments],
        cwd=root,
        env=variables(python),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def run_locked_in(
    root: Path, python: Path | str, *arguments: str, seconds: float = 120, linger: float = 0
) -> str:
    """One nbgrader command behind bubblewrap: ``ok``, ``failed``, or ``dies`` if it was killed or hung."""
    inside = f'"$@"; code=$?; sleep {linger}; exit $code'
    line = [bubblewrap(), "--die-with-parent", "--new-session", "--unshare-pid", "--unshare-net"]
    line += ["--unshare-ipc", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    line += ["--size", str(1 << 29), "--tmpfs", "/tmp", "--bind", str(root), str(root)]
    line += [
        "--chdir",
        str(root),
        "sh",
        "-c",
        inside,
        "sh",
        str(python),
        "-m",
        "nbgrader",
        *arguments,
    ]
    try:
        done = subprocess.run(
            line,
            env=variables(python) | {"HOME": "/tmp", "TMPDIR": "/tmp"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "dies"
    return {0: "ok", 137: "dies", -9: "dies"}.get(done.returncode, "failed")


def scores(root: Path, chapter: str, students: list[str], python: Path | str) -> dict[str, str]:
    """What the gradebook holds for each student: a number, ``manual`` or ``none``."""
    done = subprocess.run(
        [str(python), "-c", SCORE, str(root / "gradebook.db"), chapter, *students],
        env=variables(python),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    return dict(line.split("\t") for line in done.stdout.splitlines() if "\t" in line)
