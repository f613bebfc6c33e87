"""The formulas of the pages: what they become, what is refused, and the font that draws them."""

from __future__ import annotations

import re
import sys

import pytest
from fontTools.ttLib import TTFont

from autograde.layout import ROOT

sys.path.insert(0, str(ROOT / "book"))
import formulas

sys.path.pop(0)


def text(mathml: str) -> str:
    return "".join(re.sub(r"<[^>]*>", "", mathml).split())


def test_a_formula_becomes_mathml_that_reads_as_it_is_written():
    assert text(formulas.mathml(r"Q K^\top / \sqrt{d_k}")) == "QK⊤/dk"
    assert "<msqrt>" in formulas.mathml(r"\sqrt{d_k}")


def test_the_number_of_an_equation_stands_beside_it():
    drawn, number = formulas.equation("\nS = Q K^\\top\n\n\\tag{4.3}\n")
    assert number == "4.3"
    assert "4.3" not in drawn
    assert formulas.equation("a + b")[1] == ""


def test_lines_may_be_parted_by_a_given_height():
    drawn = formulas.mathml(r"\begin{pmatrix} 1 & 2 \\[4pt] 3 & 4 \end{pmatrix}", display=True)
    assert drawn.count("<mtr") == 2
    assert "4pt" not in text(drawn)


@pytest.mark.parametrize("wrong", [r"\fracc{1}{2}", r"\frac{1}", r"\left( x", "a_b_c"])
def test_what_cannot_be_read_is_refused_with_the_formula(wrong):
    with pytest.raises(ValueError, match="in the formula") as refused:
        formulas.mathml(wrong)
    assert wrong in str(refused.value)


def test_a_script_behind_brackets_is_as_low_as_behind_a_letter():
    drawn = formulas.mathml("(W_Q)_{um}")
    assert re.search(r"<msub><mo [^>]*>\)</mo>", drawn)


def test_signs_within_a_script_have_no_space():
    assert '<mo lspace="0" rspace="0">=</mo>' in formulas.mathml(r"\sum_{j=1}^n", display=True)


def test_a_thin_space_stands_before_a_function():
    assert re.search(r'</msub><mspace width="0.1667em" />.*log', formulas.mathml(r"a_j \log a_j"))
    assert formulas.mathml(r"\log a").count("mspace") == 1


# ---------------------------------------------------------------- the font
@pytest.fixture(scope="module")
def font(tmp_path_factory):
    """The font that a page with one formula gets, and the signs that it lacked."""
    file = tmp_path_factory.mktemp("font") / "a.woff2"
    page = formulas.mathml(r"αX + \text{漢}")
    wanted = formulas.signs([f"<p>{page}</p>"])
    return formulas.write_font(wanted, file), TTFont(file), file


def test_the_font_has_the_signs_of_the_pages_and_says_what_it_lacks(font):
    missing, cut, file = font
    assert missing == {"漢"}
    for sign in "√α𝛼𝑋+ℎ(":
        assert ord(sign) in cut.getBestCmap(), sign
    assert ord("⟺") not in cut.getBestCmap(), "more than the pages use"
    assert file.stat().st_size < 40_000


def test_the_font_can_draw_a_root_of_any_height(font):
    variants = font[1]["MATH"].table.MathVariants
    root = font[1].getBestCmap()[ord("√")]
    grown = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(root)]
    assert len(grown.MathGlyphVariantRecord) > 3
    assert grown.GlyphAssembly.PartRecords


def test_small_brackets_do_not_float_in_the_room_of_large_ones(font):
    cut = font[1]
    variants = cut["MATH"].table.MathVariants
    bracket = cut.getBestCmap()[ord("(")]
    grown = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(bracket)]
    widths = [cut["hmtx"][form.VariantGlyph][0] for form in grown.MathGlyphVariantRecord]
    assert max(widths) == 597, "the room of \\\\Big"
