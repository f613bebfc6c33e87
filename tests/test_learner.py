"""A learner with one downloaded file: an empty folder, NumPy, matplotlib, and wrong answers too."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from autograde.layout import Layout
from autograde.mistakes import Wrong, load
from tests.answers import chapter

LAYOUT = Layout()
NAMES = LAYOUT.names()
OLDEST = ["numpy==2.0.*", "matplotlib==3.8.*"]


def run_all(name: str, folder: Path, answers: dict[str, str]) -> dict[str, str]:
    """Fill `answers` into the learner's file, run every cell in `folder`; return what each check says."""
    notebook = nbformat.read(LAYOUT.chapter(name), as_version=4)
    for cell in notebook.cells:
        if cell.id in answers:
            cell.source = answers[cell.id]
    NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        extra_arguments=["--IPKernelApp.log_level=40"],
    ).execute()
    said = {}
    for cell in notebook.cells:
        if "check" in cell.metadata.get("tags", []):
            said[cell.id.removeprefix("test_")] = "".join(
                output.get("text", "") or "\n".join(output.get("traceback", []))
                for output in cell.outputs
            )
    return said


@pytest.mark.parametrize("name", NAMES)
def test_run_all_on_the_untouched_file_reaches_the_end(name, tmp_path):
    """A learner who skips an exercise can still run all the rest."""
    said = run_all(name, tmp_path, {})
    assert set(said) == set(chapter(name).shown)
    for exercise, text in said.items():
        assert f"{exercise} is not written yet" in text
        assert "Traceback" not in text
    assert list(tmp_path.iterdir()) == [], "a chapter writes no file"


def test_learner_is_told_of_mistakes_and_of_success(tmp_path):
    name = NAMES[0] if "03_scores" not in NAMES else "03_scores"
    this = chapter(name)
    wrong: dict[str, Wrong] = {}
    for entry in load(name):
        if isinstance(entry, Wrong) and not entry.unnamed:
            wrong.setdefault(entry.exercise, entry)
    said = run_all(name, tmp_path, {exercise: entry.code for exercise, entry in wrong.items()})
    for exercise, entry in wrong.items():
        assert entry.sentence in said[exercise]
        assert "Traceback" not in said[exercise]
    said = run_all(name, tmp_path, this.solutions)
    for exercise, text in said.items():
        assert text.startswith(f"{exercise}: all ")


@pytest.fixture(scope="session")
def oldest(tmp_path_factory):
    """A Python with the oldest NumPy and matplotlib that the course promises, and nothing else."""
    folder = tmp_path_factory.mktemp("oldest")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    done = subprocess.run(
        [python, "-m", "pip", "install", "-q", *OLDEST], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"{' and '.join(OLDEST)} cannot be installed here: {done.stderr[-200:]}")
    return python


RUN = """
import json, sys, warnings
warnings.simplefilter("error")
warnings.simplefilter("ignore", DeprecationWarning)  # of packages older than their dependencies
space = {"__name__": "__main__"}
for number, source in enumerate(json.load(open(sys.argv[1], encoding="utf-8"))):
    exec(compile(source, f"cell {number}", "exec"), space)
import numpy, matplotlib
print("ran with", numpy.__version__, matplotlib.__version__, "IPython" in sys.modules)
"""


@pytest.mark.parametrize("name", NAMES)
def test_chapter_runs_in_the_oldest_numpy_and_matplotlib_and_nothing_else(name, oldest, tmp_path):
    """The reference notebook: every assertion of the text and every check, without Jupyter."""
    notebook = nbformat.read(LAYOUT.solution(name), as_version=4)
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    script, sources = tmp_path / "run.py", tmp_path / "cells.json"
    script.write_text(RUN, encoding="utf-8")
    sources.write_text(json.dumps(cells), encoding="utf-8")
    done = subprocess.run(
        [oldest, "-I", str(script), str(sources)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"MPLBACKEND": "agg", "HOME": str(tmp_path)},
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "ran with 2.0." in done.stdout
    assert done.stdout.rstrip().endswith("False")
    assert sys.version_info >= (3, 11)
