"""A learner with one downloaded file: an empty folder, NumPy, matplotlib, and wrong answers too."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

from autograde.build.release import build
from autograde.layout import Layout
from autograde.mistakes import Wrong, load
from tests import edition
from tests.answers import chapter

LAYOUT = Layout()
NAMES = LAYOUT.names()
WAITS = "This cell runs on your "
OLDEST = ["numpy==2.0.*", "matplotlib==3.8.*"]


@dataclass
class Said:
    """What the cells of a learner's notebook say: exercise -> its check; position -> its `yours` cell."""

    checks: dict[str, str] = field(default_factory=dict)
    yours: dict[str, list[NotebookNode]] = field(default_factory=dict)


def run_all(layout: Layout, name: str, folder: Path, answers: dict[str, str]) -> Said:
    """Fill `answers` into the learner's file and run every cell in `folder`; only checks may raise."""
    notebook = nbformat.read(layout.chapter(name), as_version=4)
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
    said = Said()
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        if "check" in tags:
            said.checks[cell.id.removeprefix("test_")] = "".join(
                output.get("text", "") or "\n".join(output.get("traceback", []))
                for output in cell.outputs
            )
        if "yours" in tags:
            said.yours[cell.source] = cell.outputs
    return said


def is_one_line(outputs: list[NotebookNode]) -> bool:
    """True if a `yours` cell says in one line what it waits for."""
    text = "".join(output.get("text", "") for output in outputs)
    kinds = {output.output_type for output in outputs}
    return kinds == {"stream"} and len(text.splitlines()) == 1 and text.startswith(WAITS)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """The small chapter of the tests, built."""
    layout = edition.make(tmp_path_factory.mktemp("edition"))
    build(layout=layout)
    return layout


@pytest.fixture(params=[edition.NAME, *NAMES])
def book(request: pytest.FixtureRequest, small: Layout) -> tuple[Layout, str]:
    """The small chapter, then each chapter of the course."""
    return (small if request.param == edition.NAME else LAYOUT), request.param


def test_run_all_on_the_untouched_file_reaches_the_end(book, tmp_path):
    """A learner who skips an exercise can still run all the rest."""
    layout, name = book
    said = run_all(layout, name, tmp_path, {})
    assert set(said.checks) == set(chapter(name, layout.root).shown)
    for exercise, text in said.checks.items():
        assert f"{exercise} is not written yet" in text
        assert "Traceback" not in text
    assert len(said.yours) >= len(said.checks)
    for source, outputs in said.yours.items():
        assert is_one_line(outputs), source
    assert list(tmp_path.iterdir()) == [], "a chapter writes no file"


@pytest.mark.slow
def test_learner_is_told_of_mistakes_and_nothing_breaks(book, tmp_path):
    layout, name = book
    wrong: dict[str, Wrong] = {}
    for entry in load(name, layout):
        if isinstance(entry, Wrong) and not entry.unnamed:
            wrong.setdefault(entry.exercise, entry)
    answers = {exercise: entry.code for exercise, entry in wrong.items()}
    said = run_all(layout, name, tmp_path, answers)
    for exercise, entry in wrong.items():
        assert entry.sentence in said.checks[exercise]
        assert "Traceback" not in said.checks[exercise]
    for source, outputs in said.yours.items():
        assert is_one_line(outputs), source


@pytest.mark.slow
def test_learner_sees_what_the_right_function_does_next(book, tmp_path):
    layout, name = book
    said = run_all(layout, name, tmp_path, chapter(name, layout.root).solutions)
    for exercise, text in said.checks.items():
        assert text.startswith(f"{exercise}: all ")
    for source, outputs in said.yours.items():
        assert outputs, f"it shows nothing: {source}"
        text = "".join(output.get("text", "") for output in outputs)
        assert WAITS not in text, text


@pytest.mark.slow
@pytest.mark.parametrize(
    "taken", ["from numpy import *", "list = [1]\nlen = 4\nextra = check = None", "%%time"]
)
def test_names_and_magics_of_a_learner_do_not_break_right_answers(small, tmp_path, taken):
    """In Jupyter itself: in the cell of the first answer, above all checks."""
    answers = dict(chapter(edition.NAME, small.root).solutions)
    answers["halves"] = f"{taken}\n{answers['halves']}"
    loop = next(
        e.code for e in load(edition.NAME, small) if e.exercise == "is_half" and e.name == "loop"
    )
    answers["is_half"] = (
        loop  # the reference uses `all`, which NumPy's star replaces for the learner, too
    )
    said = run_all(small, edition.NAME, tmp_path, answers)
    for exercise, text in said.checks.items():
        assert text.startswith(f"{exercise}: all "), text
    for outputs in said.yours.values():
        assert WAITS not in "".join(output.get("text", "") for output in outputs)


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
# a check cell runs apart from the notebook's names, as in Jupyter
warnings.simplefilter("error")
warnings.simplefilter("ignore", DeprecationWarning)  # of packages older than their dependencies
space = {"__name__": "__main__"}
sources, checks = json.load(open(sys.argv[1], encoding="utf-8"))
for number, source in enumerate(sources):
    code = compile(source, f"cell {number}", "exec")
    if source in checks:
        space["_check_cell"](code)
    else:
        exec(code, space)
import numpy, matplotlib
print("ran with", numpy.__version__, matplotlib.__version__, "IPython" in sys.modules)
"""


@pytest.mark.parametrize("name", NAMES)
def test_chapter_runs_in_the_oldest_numpy_and_matplotlib_and_nothing_else(name, oldest, tmp_path):
    """The reference notebook: every assertion of the text and every check, without Jupyter."""
    notebook = nbformat.read(LAYOUT.solution(name), as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    checks = [cell.source for cell in cells if "check" in cell.metadata.get("tags", [])]
    script, sources = tmp_path / "run.py", tmp_path / "cells.json"
    script.write_text(RUN, encoding="utf-8")
    sources.write_text(json.dumps([[cell.source for cell in cells], checks]), encoding="utf-8")
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
