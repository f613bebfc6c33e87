"""The same hostile and odd submissions through stock nbgrader and through ours, side by side.

    python -m bench.peers [--quick]

Stock nbgrader runs in an environment of its own, each submission in a fresh course folder behind bubblewrap, since
some of them kill every process they can reach. A line is right if the points are those the submission must earn.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from autograde.collect.collect import collect
from autograde.grade.exam import load_exam
from autograde.grade.grade import grade, read_verdicts
from autograde.layout import Layout
from autograde.settings import Limits
from bench import stock
from bench.corpus import CASES, CHAPTER, Case, read_released

SECONDS = 5
EVERY = 4  # --quick takes one case of so many


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 1 if ours gives one of the submissions anything but what it must earn."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one case in four")
    parser.add_argument("--ours", action="store_true", help="leave stock nbgrader out")
    options = parser.parse_args(arguments)
    cases = CASES[::EVERY] if options.quick else CASES
    layout = Layout()
    points = {q.exercise: q.points for q in load_exam(CHAPTER, layout).questions}
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        root = Path(folder)
        inbox = root / "inbox"
        released = read_released(layout.chapter(CHAPTER))
        for case in cases:
            case.write(released, inbox / case.student)
        ours = run_ours(root / "ours", inbox, layout)
        theirs = {}
        if not options.ours:
            try:
                theirs = run_stock(root / "stock", inbox, cases, layout)
            except stock.NoStockError as fault:
                print(f"stock nbgrader left out: {fault}", file=sys.stderr)
    wrong = show(cases, points, ours, theirs)
    return 1 if wrong else 0


def run_ours(root: Path, inbox: Path, layout: Layout) -> dict[str, str]:
    """student -> points, by ours."""
    here = Layout(root)
    for folder in (here.solutions, here.chapters, here.course):
        folder.mkdir(parents=True)
    for source, target in (
        (layout.source(CHAPTER), here.source(CHAPTER)),
        (layout.solution(CHAPTER), here.solution(CHAPTER)),
        (layout.chapter(CHAPTER), here.chapter(CHAPTER)),
        (layout.course / "nbgrader_config.py", here.course / "nbgrader_config.py"),
    ):
        shutil.copyfile(source, target)
    submissions = collect(CHAPTER, inbox, here)
    done = grade(CHAPTER, submissions, here, limits=Limits(question_seconds=SECONDS))
    return {
        v.student: "none" if v.score is None else f"{v.score:g}" for v in read_verdicts(done.lines)
    }


def run_stock(root: Path, inbox: Path, cases: Sequence[Case], layout: Layout) -> dict[str, str]:
    """student -> points, or what went wrong, by stock nbgrader."""
    python = stock.own_environment()
    clean, course = root / "clean", root / "course"
    root.mkdir()
    stock.make_course(course, CHAPTER, layout, python, SECONDS)
    course.rename(clean)
    found = {}
    for case in tqdm(cases, desc="stock nbgrader", unit="sub"):
        shutil.copytree(clean, course)
        shutil.copytree(
            inbox / case.student, course / "submitted" / case.student / CHAPTER, symlinks=True
        )
        command = ("autograde", CHAPTER, "--create", "--student", case.student)
        linger = 2 if case.line == "a12" else 0
        how = stock.run_locked_in(course, python, *command, linger=linger)
        score = stock.scores(course, CHAPTER, [case.student], python).get(case.student, "none")
        found[case.student] = score if how == "ok" else how
        shutil.rmtree(course)
    return found


def show(
    cases: Sequence[Case], points: dict[str, float], ours: dict[str, str], theirs: dict[str, str]
) -> int:
    """Print both columns; how many of ours are not what they must be."""
    wide = max(len(case.student) for case in cases)
    print(f"{'submission':<{wide}}  must earn      ours     stock")
    good = {"ours": 0, "stock": 0}
    for case in cases:
        must = f"{sum(points[name] for name in case.earns):g}"
        row = {"ours": ours.get(case.student, "none"), "stock": theirs.get(case.student, "-")}
        for side, got in row.items():
            good[side] += number(got) == number(must)
        cells = "".join(
            f"{got:>9}{' ' if number(got) == number(must) else '*'}" for got in row.values()
        )
        print(f"{case.student:<{wide}}  {must:>9}{cells}")
    told = f"as they must be (others are marked *): ours {good['ours']} of {len(cases)}"
    print(told + (f", stock nbgrader {good['stock']} of {len(cases)}" if theirs else ""))
    return len(cases) - good["ours"]


def number(text: str) -> float | None:
    """The points in a cell of the table; an unreadable file that was given nothing counts as 0."""
    try:
        return float(text)
    except ValueError:
        return 0.0 if text == "none" else None


if __name__ == "__main__":
    sys.exit(main())
