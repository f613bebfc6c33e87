"""Run a learner's answer against a chapter's check, in this process; used by the tests of the checks."""

from __future__ import annotations

import contextlib
import io
import linecache
import warnings
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import nbformat

from autograde.build import expected as answers
from autograde.grade.judge import WORKING_MEMORY, spare_memory
from autograde.layout import ROOT, Layout


@dataclass
class Chapter:
    """The cells of a chapter that a check needs: learner's file (shown) and the reference (whole)."""

    name: str
    setup: str
    recap: str
    stubs: dict[str, str] = field(default_factory=dict)
    solutions: dict[str, str] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    whole: dict[str, str] = field(default_factory=dict)
    points: dict[str, int] = field(default_factory=dict)

    def run(
        self,
        exercise: str,
        code: str,
        *,
        whole: bool,
        seed: int = 0,
        more: dict[str, Any] | None = None,
        others_checked: bool = False,
        cell: str | None = None,
    ) -> str | None:
        """Put `code` into the cell of `exercise`, reference answers into the others, run the check.

        `more`: further names that the learner's notebook holds; `others_checked`: the checks of the other
        exercises have passed before; `cell`: what to run in place of the check cell. Returns None if it passes, else "ErrorName: text".
        """
        space = answers.namespace(self.setup, self.recap)
        space |= {name: value for name, value in (more or {}).items() if name not in space}
        space["SEED"] = seed
        quiet = contextlib.redirect_stdout(io.StringIO())
        with warnings.catch_warnings(), quiet, spare_memory(WORKING_MEMORY):
            warnings.simplefilter("ignore")
            for other, solution in self.solutions.items():
                exec(solution if other != exercise else "pass", space)
            for other, shown in self.shown.items():
                if other != exercise and others_checked:
                    space["_check_cell"](compile(shown, f"<check {other}>", "exec"))
            try:
                run_cell(code, exercise, space)
                test = cell or (self.whole if whole else self.shown)[exercise]
                space["_check_cell"](compile(test, f"<check {exercise}>", "exec"))
            except Exception as error:
                return f"{type(error).__name__}: {error}"
        return None


def run_cell(code: str, title: str, space: dict[str, Any]) -> None:
    """Run a learner's cell as a notebook does: with its text where a traceback finds it."""
    filename = f"<{title}>"
    linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
    exec(compile(code, filename, "exec"), space)


@cache
def chapter(name: str, root: Path = ROOT) -> Chapter:
    """A chapter read from its two built notebooks."""
    layout = Layout(root)
    learner, reference = cells(layout.chapter(name)), cells(layout.solution(name))
    result = Chapter(name, learner["setup"].source, learner.get("recap", EMPTY).source)
    for grade_id, cell in reference.items():
        about = cell.metadata["nbgrader"]
        if about["solution"]:
            result.solutions[grade_id] = cell.source
            result.stubs[grade_id] = learner[grade_id].source
        if about["grade"]:
            exercise = grade_id.removeprefix("test_")
            result.whole[exercise] = cell.source
            result.shown[exercise] = learner[grade_id].source
            result.points[exercise] = about["points"]
    return result


EMPTY = nbformat.v4.new_code_cell("")


def cells(path: Path) -> dict[str, Any]:
    """Grade id -> cell."""
    notebook = nbformat.read(path, as_version=4)
    marked = (c for c in notebook.cells if "nbgrader" in c.metadata)
    return {c.metadata["nbgrader"]["grade_id"]: c for c in marked}
