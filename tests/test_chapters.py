"""What holds for every chapter: equations are executed, figures speak, the file stands alone."""

from __future__ import annotations

import ast
import io
import re
import sys
from pathlib import Path

import jupytext
import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest

from autograde.build.expected import namespace
from autograde.build.release import read_all, setup_source
from autograde.layout import Layout

LAYOUT = Layout()
NAMES = LAYOUT.names()
EQUATION = re.compile(r"^\$\$$(.*?)^\$\$$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(
    r"\*\*Exercise (\d+)\.(\d+) · `(\w+)`\*\* · difficulty (●○○|●●○|●●●) · (\d+) minutes · (\d+) points?"
)
each_chapter = pytest.mark.parametrize("name", NAMES)


def source(name):
    return jupytext.read(LAYOUT.source(name), fmt="md:myst")


def prose(name):
    return "\n\n".join(c.source for c in source(name).cells if c.cell_type == "markdown")


def code(name):
    return [c for c in source(name).cells if c.cell_type == "code"]


@each_chapter
def test_every_displayed_equation_has_a_number_and_code_that_asserts_it(name):
    numbers = []
    for equation in EQUATION.findall(prose(name)):
        tags = re.findall(r"\\tag\{([\d.]+)\}", equation)
        assert len(tags) == 1, f"one tag an equation: {equation}"
        numbers += tags
    assert prose(name).count("$$") == 2 * len(numbers), "an equation is not on lines of its own"
    chapter = str(int(name[:2]))
    assert numbers == [f"{chapter}.{k + 1}" for k in range(len(numbers))], "numbers in order"
    asserting = [
        c.source
        for c in code(name)
        if "check" not in c.metadata and re.search(r"^\s*assert ", c.source, re.M)
    ]
    for number in numbers:
        pattern = rf"#.*\({re.escape(number)}\)"
        assert any(re.search(pattern, text) for text in asserting), f"({number}) is not executed"


@each_chapter
def test_equations_named_in_the_text_exist(name):
    tags = set(re.findall(r"\\tag\{([\d.]+)\}", prose(name)))
    chapter = str(int(name[:2]))
    named = {n for n in re.findall(r"\((\d+\.\d+)\)", prose(name)) if n.split(".")[0] == chapter}
    assert named <= tags


@each_chapter
def test_figures_and_touch(name):
    notebook = nbformat.read(LAYOUT.chapter(name), as_version=4)
    alts, touches = [], 0
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                alt = cell.metadata.mystnb.image.alt
                assert len(alt) > 60, "the alternative text tells the finding"
                assert not re.search(r"\.(png|svg)$", alt)
                alts.append(alt)
            touches += 'class="touch"' in data.get("text/html", "")
    assert len(alts) >= 4
    assert len(set(alts)) == len(alts)
    assert touches >= 1


@each_chapter
def test_exercises_are_announced_with_difficulty_minutes_and_points(name):
    found = HEADING.findall(prose(name))
    exercises = [(c.metadata["exercise"]) for c in code(name) if "exercise" in c.metadata]
    points = {
        c.metadata["check"]: c.metadata["points"] for c in code(name) if "check" in c.metadata
    }
    assert [f[2] for f in found] == exercises
    assert [int(f[1]) for f in found] == list(range(1, len(found) + 1))
    assert all(int(f[0]) == int(name[:2]) for f in found)
    assert {f[2]: int(f[5]) for f in found} == points
    total = re.search(r"\*\*Points\*\* (\d+)", prose(name))
    assert total
    assert int(total[1]) == sum(points.values())
    assert (
        prose(name).count("<summary>Hint 1") == len(found) == prose(name).count("<summary>Hint 2")
    )


@each_chapter
def test_parts_of_a_chapter_in_order(name):
    text = prose(name)
    marks = [
        f"# {int(name[:2])} · ",
        "**You will be able to**",
        "**You need first**",
        "**Time**",
        "## What we now have",
        "## Three things people get wrong here",
        "## Check yourself",
        "## Where it comes from",
    ]
    places = [text.find(mark) for mark in marks]
    assert -1 not in places, marks[places.index(-1)]
    assert places == sorted(places)
    assert re.search(r"^# .*\?$", text, re.MULTILINE), "the title is a question"


@each_chapter
def test_prose_keeps_to_the_style(name):
    text = re.sub(r"```.*?```|\$\$.*?\$\$|\$[^$]*\$|`[^`]*`", "", prose(name), flags=re.DOTALL)
    banned = re.findall(r"\b(?:simply|obviously|trivially|just)\b", text, re.IGNORECASE)
    assert not banned
    assert not re.findall(r"\w!(?!\w)", text), "no exclamation marks"
    assert not re.findall(r"[\U0001F300-\U0001FAFF]", text), "no emoji"
    assert not re.search(r"!\[[^]]*\]\(http|<(?:script|img|iframe)", prose(name)), "nothing remote"


@each_chapter
def test_notebook_stands_alone_and_is_light(name):
    allowed = {"numpy", "matplotlib", "IPython", "contextlib", "__future__"} | set(
        sys.stdlib_module_names
    )
    for path in (LAYOUT.chapter(name), LAYOUT.solution(name)):
        assert path.stat().st_size < 1_000_000
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                for node in ast.walk(ast.parse(cell.source)):
                    if isinstance(node, ast.Import):
                        assert {a.name.split(".")[0] for a in node.names} <= allowed
                    if isinstance(node, ast.ImportFrom):
                        assert (node.module or "").split(".")[0] in allowed


@each_chapter
def test_learners_file_holds_no_answer(name):
    text = LAYOUT.chapter(name).read_text(encoding="utf-8")
    assert "BEGIN SOLUTION" not in text
    assert "BEGIN HIDDEN" not in text
    for cell in nbformat.read(LAYOUT.chapter(name), as_version=4).cells:
        if "exercise" in cell.metadata.get("tags", []):
            assert cell.source.rstrip().endswith("raise NotImplementedError")


def test_built_files_match_their_sources():
    from autograde.build.release import drift

    assert drift() == []


def test_recap_code_is_the_earlier_solution():
    book = read_all(LAYOUT)
    for name, this in book.items():
        for function in this.uses:
            owner = next(s for s in book.values() if function in s.solutions)
            assert owner.name < name


# ---------------------------------------------------------------- the plot helper
@pytest.fixture(scope="module")
def setup():
    return namespace(setup_source(touch="yes"), "")


def test_heat_map_has_queries_as_rows_and_keys_as_columns(setup):
    matrix = np.array([[1.0, 2, 3], [4, 5, 6]])
    fig, ax = plt.subplots()
    image = setup["heat_map"](ax, matrix, ["q1", "q2"], ["k1", "k2", "k3"], digits=0)
    assert np.array_equal(image.get_array(), matrix)
    assert image.origin == "upper"
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("queries", "keys")
    assert [t.get_text() for t in ax.get_yticklabels()] == ["q1", "q2"]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["k1", "k2", "k3"]
    at = {t.get_text(): t.get_position() for t in ax.texts}
    assert at["3"] == (2, 0)
    assert at["4"] == (0, 1)
    plt.close(fig)


def test_heat_map_hatches_what_is_blocked_and_sums_the_rest(setup):
    fig, ax = plt.subplots()
    mask = np.array([[True, False], [True, True]])
    setup["heat_map"](ax, np.array([[1.0, 9], [0.25, 0.75]]), mask=mask, sums=True, digits=1)
    (patch,) = ax.patches
    assert isinstance(patch, plt.Rectangle)
    assert patch.get_hatch()
    assert (patch.get_x(), patch.get_y()) == (0.5, -0.5)
    texts = [t.get_text() for t in ax.texts]
    assert "9.0" not in texts
    assert [t for t in texts if t.startswith("Σ")] == ["Σ 1.00", "Σ 1.00"]
    plt.close(fig)


def test_every_heat_map_goes_through_the_helper():
    for name in NAMES:
        for cell in code(name):
            assert not re.search(r"\b(?:imshow|pcolormesh|matshow)\(", cell.source), (
                f"{name}: draw matrices of queries and keys with heat_map, so that rows are queries"
            )


def test_public_text_of_the_setup_cell_is_plain_python():
    text = setup_source(touch="yes")
    ast.parse(text)
    assert Path(__file__).exists()
    assert len(io.StringIO(text).readlines()) < 560
