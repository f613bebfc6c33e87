"""What the pages for people say of files and commands is true."""

from __future__ import annotations

import re

import pytest

from autograde.layout import ROOT

TEXTS = ["README.md", "CONTRIBUTING.md", "guide/architecture.md", "guide/author.md"]
FOLDERS = ("autograde/", "book/", "bench/", "guide/", "solutions/", "chapters/", "tests/", ".ci/")
PATH = re.compile(r"`([\w./*-]+)`")


def named(text: str) -> list[str]:
    """The paths of this checkout that a text names."""
    return [p for p in PATH.findall(text) if p.startswith(FOLDERS) or p in ("index.md", "Makefile")]


@pytest.mark.parametrize("name", TEXTS)
def test_every_file_that_is_named_exists(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    for path in named(text):
        pattern = re.sub(r"\bNN(_name)?\b", "*", path).rstrip("/")
        assert list(ROOT.glob(pattern)), f"{name} names {path}"


CHANGES = {
    "a typo in a chapter": ("sentence", "solutions/"),
    "a new wrong answer": ("wrong answer", "autograde/mistakes/"),
    "the sentence for an unwritten exercise": ("nothing is written", "autograde/cells/setup.py"),
    "a memory limit": ("memory", "nbgrader_config.py"),
    "a new export": ("export format", "autograde/records/export.py"),
    "a Moodle file name": ("LMS", "autograde/collect/"),
    "the colour of heat maps": ("heat maps", "autograde/cells/setup.py"),
    "a late penalty": ("late", "nbgrader_config.py"),
    "a slider's look": ("slider", "autograde/cells/touch.js"),
    "what another chapter is": ("which chapter", "autograde/collect/"),
    "what makes a chapter stale": ("stale", "autograde/build/release.py"),
    "another language": ("language", "solutions/*.md"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_newcomer_finds_where_a_change_begins(change):
    word, path = CHANGES[change]
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("|") and word in line]
    assert any(path in row.split("|")[2] for row in rows)
