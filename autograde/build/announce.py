"""What the build adds to a chapter's text: minutes and points, in the box at its top and at each exercise.

Owns the rule by which minutes are counted and the words in which they are told. Changes notebooks in memory;
reads and writes no file.
"""

from __future__ import annotations

import math
import re

from nbformat import NotebookNode

from autograde.build.source import Source
from autograde.errors import CourseError
from autograde.nbgrader_bridge import STUB
from autograde.notebook import BEGIN_SOLUTION, END_SOLUTION, visible

DIFFICULTY = {1: ("●○○", 6), 2: ("●○○", 6), 3: ("●●○", 12), 4: ("●●●", 18), 5: ("●●●", 18)}
"""Points -> difficulty and minutes of an exercise."""
WORDS_A_MINUTE, LINES_A_MINUTE, MINUTES_AN_EQUATION, ROUNDED_TO = 150, 25, 0.5, 5
FOLDED = frozenset(["setup", "recap", "figure", "evidence", "touch"])
"""Cells with one of these tags are folded: in the page, in JupyterLab and in Colab."""
HEADING = re.compile(r"^\*\*Exercise ((?:\d+|P)\.\d+) · `(\w+)`\*\*$", re.MULTILINE)
ANNOUNCED = (
    "**Exercise {number} · `{name}`** · {kind} · {difficulty} · {minutes} minutes · {points} points"
)
ONE_POINT = "**Exercise {number} · `{name}`** · {kind} · {difficulty} · {minutes} minutes · 1 point"
KIND_WORDS = {kind: kind for kind in ("build", "derive", "design", "expose", "predict")}
"""How a kind is called where readers see it."""
BOX = re.compile(r"(\*\*Time\*\*.*)\{minutes\}(.*\*\*Points\*\* )\{points\}")
EQUATION = re.compile(r"^\$\$$.*?^\$\$$", re.DOTALL | re.MULTILINE)


def announce(notebook: NotebookNode, source: Source) -> None:
    """Write kind, difficulty, minutes and points into an executed notebook's headings and box.

    Raises CourseError if a heading or the box is missing, or an exercise is announced twice.
    """
    order = []
    total = math.ceil(minutes(notebook, source) / ROUNDED_TO) * ROUNDED_TO
    boxes = 0
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        text, found = BOX.subn(rf"\g<1>{total}\g<2>{sum(source.points.values())}", cell.source)
        boxes += found
        order += [match[2] for match in HEADING.finditer(text)]
        cell.source = HEADING.sub(lambda match: announced(match, source), text)
    if boxes != 1:
        raise CourseError(
            source.path,
            "its box does not leave room for minutes and points.",
            "Write, once, `> **Time** {minutes} minutes · **Points** {points}`, with these braces.",
        )
    if order != list(source.solutions):
        raise CourseError(
            source.path,
            f"its headings announce {', '.join(order) or 'no exercise'}; its exercises are "
            f"{', '.join(source.solutions) or 'none'}.",
            "Give each exercise, in order, one line **Exercise 3.1 · `name`** and no more on it.",
        )


def announced(match: re.Match[str], source: Source) -> str:
    """The heading of an exercise, completed."""
    number, name = match[1], match[2]
    if name not in source.points:
        return match[0]
    points = source.points[name]
    difficulty, length = DIFFICULTY[points]
    return (ANNOUNCED if points > 1 else ONE_POINT).format(
        number=number,
        name=name,
        kind=KIND_WORDS[source.kinds[name]],
        difficulty=difficulty,
        minutes=length,
        points=points,
    )


def minutes(notebook: NotebookNode, source: Source) -> float:
    """Minutes that a chapter takes: its text before anything is announced in it, its equations, its visible code,
    its exercises."""
    texts = [cell.source for cell in source.notebook.cells if cell.cell_type == "markdown"]
    reading = sum(map(words, texts)) / WORDS_A_MINUTE
    reading += sum(len(EQUATION.findall(text)) for text in texts) * MINUTES_AN_EQUATION
    reading += sum(map(code_lines, notebook.cells)) / LINES_A_MINUTE
    return reading + sum(DIFFICULTY[points][1] for points in source.points.values())


def words(text: str) -> int:
    """The words of a markdown cell: an inline formula is one, a displayed one none, an address none."""
    text = re.sub(r"\$[^$\n]+\$", " formula ", EQUATION.sub(" ", text))
    text = re.sub(r"<[^>]+>|\]\([^)]*\)|https?://\S+", " ", text)
    return len(re.findall(r"\S*\w\S*", text))


def code_lines(cell: NotebookNode) -> int:
    """The lines of a code cell that stand open before a learner: blank lines and folded cells count nothing."""
    if cell.cell_type != "code" or FOLDED & set(cell.metadata.get("tags", [])):
        return 0
    shown = re.sub(rf"{BEGIN_SOLUTION}.*?{END_SOLUTION}", STUB, visible(cell.source), flags=re.S)
    return sum(bool(line.strip()) for line in shown.splitlines())


def fold(notebook: NotebookNode) -> None:
    """Fold the code of cells whose tags say so, in JupyterLab and in Colab; the page reads the tags itself."""
    for cell in notebook.cells:
        if cell.cell_type == "code" and FOLDED & set(cell.metadata.get("tags", [])):
            cell.metadata["jupyter"] = {"source_hidden": True}
            cell.metadata["cellView"] = "form"
