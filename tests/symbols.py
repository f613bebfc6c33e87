"""One meaning for each symbol: what a formula may not write, as far as a machine can see it.

The meanings stand in the tables of `guide/notation.md`; a test holds that each letter used below is in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.DOTALL)
ROW = re.compile(r"^\|\s*(.+?)\s*\|", re.MULTILINE)
REFUSED: list[tuple[str, str]] = [
    (r"\\ln\b", r"the natural logarithm is \log"),
    (r"\\math(?:bf|scr)\b|\\mathcal\s*\{?[A-KM-Z]", "matrices are plain italic letters"),
    (r"\\boldsymbol|\\bm\b|\\vec\b", "vectors are plain italic letters"),
    (r"(?<![A-Za-z\\])[pP]_\{?i?j\b", "weights are A, one row of them is a; P is a permutation"),
    (r"(?<![A-Za-z\\])w_\{?i?j\b", "weights are A, one row of them is a"),
    (r"(?<![A-Za-z\\])p_\{?[ijkt]\b", "one row of weights is a"),
    (r"\\mathrm\{?softmax", r"write \operatorname{softmax}"),
    (r"\\text\{softmax\}", r"write \operatorname{softmax}"),
    (r"(?<![A-Za-z\\])M\s*=\s*W_", "M is the mask; the bilinear form is B"),
    (r"q\^\\top\s*M|x\^\\top\s*M|X\s*M\s*X", "M is the mask; the bilinear form is B"),
    (r"(?<![A-Za-z\\{])h\s*\(", "h is the number of heads; functions are f"),
    (
        r"(?<![A-Za-z\\{_])h_\{?[a-z0-9]",
        "h is the number of heads and has no index; a head's index is r",
    ),
    (r"\\lVert|\\left\\\||\\Vert", r"a length is \|q\|"),
    (r"\\hat\s*\{?A|\\alpha_\{?i?j", "weights are A"),
]
"""(what a formula may not hold, what it should be)."""


def formulas(text: str) -> Iterator[str]:
    """The formulas of a markdown text, displayed and inline."""
    plain = re.sub(r"```.*?```|(?<!`)`[^`\n]+`(?!`)", "", text, flags=re.DOTALL)
    for match in FORMULA.finditer(plain):
        yield (match[1] or match[2]).strip()


def symbol_faults(text: str) -> Iterator[str]:
    """What the formulas of a text write in another meaning."""
    for formula in formulas(text):
        for pattern, remedy in REFUSED:
            if found := re.search(pattern, formula):
                yield f"${formula[:60]}$ writes {found[0]!r}: {remedy}"


def letters(notation: Path) -> set[str]:
    """The symbols that the notation page gives a meaning: the first column of its tables."""
    text = notation.read_text(encoding="utf-8").partition("## Other texts")[0]
    found = [formula for cell in ROW.findall(text) for formula in FORMULA_IN_CELL.findall(cell)]
    return set(re.findall(r"\\?[A-Za-z]+(?:_\{?\\?[A-Za-z]+\}?)?", " ".join(found)))


FORMULA_IN_CELL = re.compile(r"\$([^$]+)\$")
