"""The first page against the chapters: which there are, and where each statement of the source text is derived."""

from __future__ import annotations

import re
from functools import cache

import pytest

from autograde.build.pages import page_names
from autograde.layout import ROOT

INDEX = (ROOT / "index.md").read_text(encoding="utf-8")
MAP = INDEX.split("## From the source text to the chapters")[1]
ROWS = [line for line in MAP.splitlines() if re.match(r"\| (?!the article|---)", line)]
# What marks a row of the map, and what the text or code of each section that it names must contain.
DERIVED = {
    "hence *self*": {"1.6": r"What is \*self\*", "7.5": "cross, live", "9.6": "cross-attention"},
    "No position stands alone": {"1.6": "O = A X"},
    "There are three steps": {"6.3": "def scaled_dot_product_attention", "6.4": "by hand"},
    "$Q = XW_Q$": {"2.2": r"XW_Q|X\s*W_Q|X @ W_Q"},
    "A query says": {"2.1": r"query \$q\$", "2.4": "symmetric"},
    "d_{\\text{model}} / h$": {"2.6": "parameters", "8.7": "d/h"},
    "text{score}_{ij}": {
        "3.1": r"q \\cdot k = ",
        "3.3": r"QK\^\\top|Q\s*K\^\\top",
        "3.4": "measure",
    },
    "variance grows": {
        "4.1": "spread",
        "4.5": "[Ss]aturat",
        "4.6": "vanish",
        "10.7": "median",
    },
    "So divide by": {"4.4": r"\\frac\{Q K\^\\top\}\{\\sqrt\{d_k\}\}"},
    "The root and not": {
        "4.2": r"Var",
        "4.3": "correlat",
        "4.4": r"\\frac\{d_k\}\{c\^2\} = 1",
    },
    "sum to 1": {
        "5.1": "Three wishes",
        "5.3": "overflow",
        "5.4": r"s_j - \\max",
        "5.6": "[Tt]emperature",
        "5.7": "Jacobian",
    },
    "text{output}_i": {"6.1": "weighted sum", "6.2": "AV", "6.4": "by hand", "6.5": "hull|convex"},
    "a mask hides what comes later": {
        "7.2": "future",
        "7.4": "[Pp]adding",
        "7.5": "cross, live",
        "7.6": "has a permitted key",
        "7.8": "leak",
        "9.5": "def encoder_layer",
        "9.6": "def decoder_layer",
    },
    "Several heads run in parallel": {
        "8.3": "[Tt]wo heads",
        "8.5": "def multi_head_attention",
        "8.6": "What W_O is for",
        "9.5": "multi_head_attention",
    },
    "One head may catch one pattern": {
        "8.1": "one average",
        "8.2": "How much is lost",
        "8.3": "[Tt]wo heads",
        "8.9": "Are all heads needed",
    },
    "O(n^2 d)": {
        "8.7": r"O\(n\^2 d\)",
        "11.1": r"O\(n\^2 d\)",
        "11.3": "KV cache",
        "11.4": "def absorb",
        "13.2": r"n\^2d",
    },
    "Remedies": {
        "12.2": "Longformer",
        "12.3": "Linformer",
        "12.4": "[Ll]inear attention",
        "12.6": "Reformer",
        "12.7": "def all_against_exact",
    },
    "recurrent networks": {"13.1": "RNN", "13.2": "RNN", "13.5": "ViT", "13.7": "convolution"},
    "addressing": {
        "1.5": "can be improved",
        "6.7": "covariance",
        "10.5": "def adam_step",
        "10.6": "induction",
    },
    "the base of every variant": {
        "6.3": "def scaled_dot_product_attention",
        "14.2": "MiniLM",
        "14.4": "SmolLM2",
    },
}


@cache
def sections() -> dict[str, str]:
    """Number -> text and code of each section of the chapters."""
    found: dict[str, str] = {}
    for file in (ROOT / "solutions").glob("*.md"):
        parts = re.split(r"(?m)^## (\d+\.\d+) ", file.read_text(encoding="utf-8"))
        found |= dict(zip(parts[1::2], (p.split("\n## ")[0] for p in parts[2::2]), strict=True))
    return found


def test_each_row_of_the_map_has_its_marks():
    assert len(ROWS) == len(DERIVED)
    for mark in DERIVED:
        assert sum(mark in row for row in ROWS) == 1, mark


@pytest.mark.parametrize("mark", DERIVED)
def test_the_map_leads_to_sections_that_hold_it(mark):
    row = next(row for row in ROWS if mark in row)
    named = set(re.findall(r"\{sec\}`([\d.]+)`", row))
    for first, last in re.findall(r"\{sec\}`([\d.]+)` to \{sec\}`([\d.]+)`", row):
        chapter, low, high = first.split(".")[0], int(first.split(".")[1]), int(last.split(".")[1])
        named |= {f"{chapter}.{i}" for i in range(low, high + 1)}
    assert set(DERIVED[mark]) <= named
    for number in named:
        assert number in sections(), f"there is no section {number}"
    for number, pattern in DERIVED[mark].items():
        assert re.search(pattern, sections()[number]), f"{number} says nothing of it"


def test_what_a_section_must_contain_is_told_by_few_others():
    """Or the map could lead anywhere."""
    for pattern in {p for row in DERIVED.values() for p in row.values()}:
        holding = [n for n, text in sections().items() if re.search(pattern, text)]
        assert len(holding) <= len(sections()) / 8, (pattern, holding)


def test_the_table_lists_the_chapters_that_there_are():
    pages = [n.removeprefix("chapters/") for n in page_names(ROOT) if n.startswith("chapters/")]
    table = INDEX.split("## What you will build")[1].split("## ")[0]
    rows = re.findall(r"(?m)^\| (\d+|project) \| \[.*\]\(chapters/(\w+)\) \|$", table)
    assert [file for _, file in rows] == pages
    assert set(pages) == {file.stem for file in (ROOT / "solutions").glob("*.md")}
    for number, file in rows:
        assert file.startswith(("08p" if number == "project" else number.zfill(2)) + "_")


def test_no_text_calls_a_chapter_planned():
    texts = [ROOT / "index.md", ROOT / "README.md"]
    texts += [*(ROOT / "guide").glob("*.md"), *(ROOT / "solutions").glob("*.md")]
    for file in texts:
        assert not re.search(r"\bplanned\b", file.read_text(encoding="utf-8")), file.name
