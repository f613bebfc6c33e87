"""The first page against the chapters: what is ready, and where each statement of the source text is derived."""

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
    "hence *self*": {"1.6": "self", "7.5": "cross|encoder", "9.6": "cross-attention"},
    "No position stands alone": {"1.6": "context|sentence"},
    "There are three steps": {"6.3": "scaled_dot_product_attention", "6.4": "hand"},
    "$Q = XW_Q$": {"2.2": "W_Q.*W_K.*W_V"},
    "A query says": {"2.1": "quer.*key.*value", "2.4": "W_Q.*W_K"},
    "d_{\\text{model}} / h$": {"2.6": "parameters", "8.7": "d/h"},
    "text{score}_{ij}": {
        "3.1": "dot product|product",
        "3.3": r"QK\^\\top|Q @ K.T|Q K\^",
        "3.4": "measure",
    },
    "variance grows": {
        "4.1": "spread|varian",
        "4.5": "softmax|row",
        "4.6": "gradient",
        "10.7": "median",
    },
    "So divide by": {"4.4": r"sqrt"},
    "The root and not": {"4.2": "Var|varian", "4.3": "assumption", "4.4": "sqrt"},
    "sum to 1": {
        "5.1": "sum",
        "5.3": "overflow|inf|nan",
        "5.4": "max",
        "5.6": "[Tt]emperature",
        "5.7": "Jacobian|deriv|diag",
    },
    "text{output}_i": {
        "6.1": "weighted sum",
        "6.2": "AV|A @ V",
        "6.4": "hand",
        "6.5": "hull|convex",
    },
    "a mask hides what comes later": {
        "7.2": "future",
        "7.4": "[Pp]adding",
        "7.5": "encoder|decoder",
        "7.6": "zeros",
        "7.8": "leak",
        "9.5": "encoder",
        "9.6": "causal",
    },
    "Several heads run in parallel": {
        "8.3": "head",
        "8.5": "W_O",
        "8.6": "W_O",
        "9.5": "multi_head_attention",
    },
    "One head may catch one pattern": {
        "8.1": "average",
        "8.2": "lost|rank",
        "8.3": "two",
        "8.9": "head",
    },
    "O(n^2 d)": {
        "8.7": "n.*d",
        "11.1": "O\\(n\\^2 d\\)",
        "11.3": "cache",
        "11.4": "block",
        "13.2": "n\\^2",
    },
    "Remedies": {
        "12.2": "[Ww]indow.*Longformer|Longformer.*[Ww]indow",
        "12.3": "Linformer",
        "12.4": "Linear attention",
        "12.6": "Reformer.*hash|hash.*Reformer",
        "12.7": "exact",
    },
    "recurrent networks": {
        "13.1": "RNN|recurrent",
        "13.2": "RNN|recurrent",
        "13.5": "position",
        "13.7": "convolution",
    },
    "addressing": {
        "1.5": "gradient|deriv|improve",
        "6.7": "covariance",
        "10.5": "Adam",
        "10.6": "induction",
    },
    "the base of every variant": {
        "6.3": "scaled_dot_product_attention",
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
        assert re.search(pattern, sections()[number], re.DOTALL), f"{number} says nothing of it"


def chapter_rows() -> dict[str, tuple[str, str]]:
    """Chapter as the table numbers it -> (file or "", state)."""
    table = INDEX.split("## What you will build")[1].split("## ")[0]
    rows = re.findall(r"(?m)^\| (\d+|project) \| (.*) \| (\w+) \|$", table)
    return {
        number: (link[1] if (link := re.search(r"\(chapters/(\w+)\)", said)) else "", state)
        for number, said, state in rows
    }


def test_ready_is_what_exists_and_planned_what_does_not():
    pages = {n.removeprefix("chapters/") for n in page_names(ROOT) if n.startswith("chapters/")}
    rows = chapter_rows()
    assert {file for file, _ in rows.values() if file} == pages
    assert pages == {file.stem for file in (ROOT / "solutions").glob("*.md")}
    for number, (file, state) in rows.items():
        assert state == ("ready" if file else "planned"), number
        assert not file or file.startswith(
            ("08p" if number == "project" else number.zfill(2)) + "_"
        )


def test_what_the_texts_call_planned_is_planned():
    planned = {number for number, (file, _) in chapter_rows().items() if not file}
    texts = [INDEX, *(p.read_text(encoding="utf-8") for p in (ROOT / "guide").glob("*.md"))]
    texts += [(ROOT / "README.md").read_text(encoding="utf-8")]
    texts += [p.read_text(encoding="utf-8") for p in (ROOT / "solutions").glob("*.md")]
    for text in texts:
        for sentence in re.split(r"[.|]", text):
            if not re.search(r"\bplanned\b", sentence):
                continue
            numbers = set(re.findall(r"\b(?:chapters? |and |in )(\d\d?)\b", sentence))
            assert numbers <= planned, sentence
