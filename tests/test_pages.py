"""What the pages make of a chapter of the second edition: folds, heads of exercises, anchors from numbers."""

from __future__ import annotations

import re
import shutil

import pytest

from autograde.build.pages import build_book
from autograde.build.release import build
from autograde.layout import ROOT
from tests import edition

GLOSSARY = """# Glossary

## T

### token

**词元** · {sec}`1.2`

One row.
"""
pytestmark = pytest.mark.slow
INDEX = "# A book\n\nSee {sec}`1.1`, section {sec}`1.4`, and a [token](guide/glossary.md#token).\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The small chapter as a page, with a glossary beside it."""
    root = tmp_path_factory.mktemp("site")
    layout = edition.make(root)
    body = edition.BODY.replace("Halves. Section", "A [token](../guide/glossary.md#token). Section")
    edition.write(layout, body=body)
    build(layout=layout)
    shutil.copytree(ROOT / "book", root / "book")
    shutil.copy(ROOT / "_config.yml", root)
    (root / "guide").mkdir()
    (root / "guide" / "glossary.md").write_text(GLOSSARY, encoding="utf-8")
    (root / "index.md").write_text(INDEX, encoding="utf-8")
    toc = f"format: jb-book\nroot: index\nchapters:\n- file: chapters/{edition.NAME}\n- file: guide/glossary\n"
    (root / "_toc.yml").write_text(toc, encoding="utf-8")
    return build_book(root).parent


@pytest.fixture(scope="module")
def page(site):
    return (site / "chapters" / f"{edition.NAME}.html").read_text(encoding="utf-8")


def cell(page, tag):
    """The HTML of the first cell with a tag, up to the next cell or heading."""
    start = page.index(f"tag_{tag}")
    return re.split(r'<div class="cell (?:tag|docutils)|<h2', page[start:])[0]


@pytest.mark.parametrize("tag", ["setup", "evidence", "figure", "touch"])
def test_cells_are_folded_by_their_tags(page, tag):
    assert "<details" in cell(page, tag)


def test_cells_for_the_learner_stand_open(page):
    for tag in ("exercise", "check", "yours"):
        assert "<details" not in cell(page, tag)
    assert "With your function" in cell(page, "yours")


def test_head_of_an_exercise_tells_kind_difficulty_minutes_and_points(page):
    head = re.search(r'<p class="exercise-head">(.*?)</p>', page, re.DOTALL)
    assert head
    text = re.sub(r"<[^>]+>", "", head[1])
    assert " ".join(text.split()) == "Exercise 1.1 · halves build ●○○ 6 minutes 2 points"
    assert page.count('class="exercise-kind"') == 3


def test_a_sections_anchor_is_its_number(site, page):
    for number in ("1-1", "1-2", "1-3", "1-4"):
        assert page.count(f'id="s{number}"') == 1
    index = (site / "index.html").read_text(encoding="utf-8")
    assert f'href="chapters/{edition.NAME}.html#s1-1"' in index
    assert f'href="chapters/{edition.NAME}.html#s1-4"' in index
    assert 'href="#s1-1"' in page, "a section links within its page"


def test_terms_of_the_glossary_can_be_linked(site, page):
    assert 'href="../guide/glossary.html#token"' in page
    glossary = (site / "guide" / "glossary.html").read_text(encoding="utf-8")
    assert 'id="token"' in glossary


def test_a_drawing_shows_its_start_without_script(page):
    touch = cell(page, "touch")
    assert "half of −2 is −1.0" in touch
    assert re.search(r"<svg[^>]*>\s*<polyline", touch)
