"""What holds for every chapter: its form, its answers, its equations; the file stands alone."""

from __future__ import annotations

import ast
import io
import re
import sys

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest

from autograde.build.expected import namespace
from autograde.build.release import setup_source
from autograde.layout import ROOT, Layout
from tests import form, mutants
from tests.above import answers_above
from tests.symbols import letters, symbol_faults

LAYOUT = Layout()
NAMES = LAYOUT.names()
PAGES = [*sorted((ROOT / "guide").glob("*.md")), ROOT / "index.md"]
MOST_SETUP_LINES = 1000
each_chapter = pytest.mark.parametrize("name", NAMES)


@each_chapter
@pytest.mark.parametrize("rule", form.RULES, ids=lambda rule: rule.__name__)
def test_form(name, rule):
    faults = list(rule(form.Chapter(name, LAYOUT)))
    assert not faults, "\n".join(faults)


@each_chapter
def test_no_answer_stands_above_its_exercise(name):
    faults = answers_above(name, form.book(LAYOUT), LAYOUT)
    assert not faults, "\n".join(map(str, faults))


@each_chapter
def test_every_symbol_has_one_meaning(name):
    faults = list(symbol_faults(form.Chapter(name, LAYOUT).prose))
    assert not faults, "\n".join(faults)


def test_symbols_that_the_rules_speak_of_stand_on_the_notation_page():
    known = letters(ROOT / "guide" / "notation.md")
    wanted = {
        "A",
        "a",
        "B",
        "J",
        "M",
        "P",
        "S",
        "s",
        "h",
        "r",
        "X",
        "Z",
        "Q",
        "K",
        "V",
        "\\beta",
        "\\log",
        "g",
    }
    assert not wanted - known


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_for_people_keep_symbols_and_links(page):
    text = page.read_text(encoding="utf-8").partition("## Other texts")[0]
    faults = list(symbol_faults(text))
    for _, target in form.LINK.findall(text):
        faults += form.link_faults(target, page.parent, ROOT)
    assert not faults, "\n".join(faults)


@each_chapter
def test_some_mutants_of_its_equations_are_caught_or_explained(name):
    """One in eight; `make mutants` tries all."""
    book = form.book(LAYOUT)
    reasons = mutants.explained()
    results = mutants.mutants_of(book[name], mutants.recap_source(name, book), every=8)
    left = [mutant for mutant, is_dead in results if not is_dead and mutant.key not in reasons]
    assert not left, "\n".join(map(str, left))


@each_chapter
def test_explained_survivors_are_mutants_of_the_chapter(name):
    """So that no reason outlives its line."""
    cells = form.Chapter(name, LAYOUT).examples
    changes = {
        (old, new)
        for c in cells
        if mutants.EQUATION.search(c.source)
        for _, old, new, _ in mutants.mutations(c.source)
    }
    for chapter, equation, old, new in mutants.explained():
        assert chapter in NAMES
        assert chapter != name or (old, new) in changes, f"({equation}) {old}  ->  {new}"


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
    book = form.book(LAYOUT)
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
        for cell in form.Chapter(name, LAYOUT).code:
            # A photograph is no matrix.
            drawn = re.sub(r'imshow\(.*cmap="gray', "", cell.source)
            assert not re.search(r"\b(?:imshow|pcolormesh|matshow)\(", drawn), (
                f"{name}: draw matrices of queries and keys with heat_map, so that rows are queries"
            )


def test_public_text_of_the_setup_cell_is_plain_python():
    text = setup_source(touch="yes")
    ast.parse(text)
    # the checks answer for themselves: 200 lines of sentences, shapes, names of mistakes and the wall around them
    assert len(io.StringIO(text).readlines()) < MOST_SETUP_LINES
