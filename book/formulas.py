"""Formulas as MathML, typeset while the book is built: no reader's browser runs a script for them.

Owns: the renderer that Sphinx calls for each formula (Temml, run by the JavaScript engine of `quickjs-ng`),
the number beside an equation, and the font: the part of Latin Modern Math that the pages use. A formula
that cannot be read, or a sign that the font lacks, is a warning, and so stops the build. Never touches a
notebook: there formulas stay LaTeX.
"""

from __future__ import annotations

import html
import json
import re
import string
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import quickjs
from docutils import nodes
from fontTools import subset
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.transformPen import TransformPen
from sphinx.application import Sphinx
from sphinx.util import logging

LOG = logging.getLogger(__name__)
HERE = Path(__file__).parent / "maths"
FONT = HERE / "latinmodern-math.woff2"
FONT_IN_PAGES = "fonts/latinmodern-math.woff2"
"""Where css/maths.css looks for it, below `_static`."""
TYPESET = """(tex, display) => JSON.stringify(
  temml.renderToString(tex, {displayMode: display, throwOnError: true, strict: true}))"""
TAG = re.compile(r"\\tag\{([^{}]*)\}\s*$")
PRIME = 0x2032
BRACKETS = "()[]{}⟨⟩⌊⌋⌈⌉/"
BIG = 1850
"""Height of `\\Big`, in thousandths of the font's size, and what the font's own may lack to it."""
MATHS = re.compile(r"<math\b.*?</math>", re.DOTALL)
ACCENTS = str.maketrans("‾~", "¯˜")
"""Temml's bar and tilde -> those of the font."""
SCRIPTS = {"msub", "msup", "msubsup", "munder", "mover", "munderover"}
ORDINARY = SCRIPTS | {"mi", "mn", "mfrac", "msqrt"}
LETTER = re.compile(r"<mi>(.)</mi>")
ALWAYS = string.ascii_letters + string.digits + "()[]{}|+−=,.;/<>√"
"""In the font whatever the pages say. √ is no text of a page: a browser draws it for <msqrt>."""


# ---------------------------------------------------------------- a formula
@cache
def engine() -> Callable[[str, bool], str]:
    """Temml in a JavaScript engine; started once in each process."""
    context = quickjs.Context()
    context.eval((HERE / "temml.js").read_text(encoding="utf-8"))
    return context.eval(TYPESET)


@cache
def mathml(tex: str, *, display: bool = False) -> str:
    """The MathML of a formula in LaTeX; raises ValueError with Temml's sentence if it has none."""
    try:
        drawn: str = json.loads(engine()(tex, display))
    except quickjs.JSException as problem:
        said = re.sub(r"^\w*Error:\s*", "", str(problem).splitlines()[0])
        raise ValueError(f"{said}, in the formula {tex}") from None
    tree = ElementTree.fromstring(drawn.translate(ACCENTS))
    space_as_tex_does(tree)
    return ElementTree.tostring(tree, encoding="unicode")


def space_as_tex_does(tree: Element) -> None:
    """Mend what MathML places otherwise than TeX, box by box."""
    for box in list(tree.iter()):
        if box.tag in SCRIPTS:
            close_up(box)
            lower_scripts_of_brackets(box)
        elif box.tag == "mo" and box.get("minsize"):  # \\big( and its kin
            box.attrib |= {"lspace": "0", "rspace": "0", "stretchy": "true"}
        elif box.tag == "mrow":
            part_functions(box)
            if any(part.tag in ("mfrac", "mtable") for part in box):
                for bracket in box:
                    if bracket.get("fence") == bracket.get("stretchy") == "true":
                        bracket.attrib |= {"lspace": "0.09em", "rspace": "0.09em"}


def close_up(box: Element) -> None:
    """No space around the signs of a script."""
    for script in box[1:]:
        for sign in script.iter("mo"):
            sign.attrib |= {"lspace": "0", "rspace": "0"}


def lower_scripts_of_brackets(box: Element) -> None:
    """A script behind brackets that do not grow belongs to the last: `(W_Q)_{um}` is as low as `W_{um}`."""
    base = box[0]
    if box.tag.startswith("ms") and base.tag == "mrow" and len(base):
        last = base[-1]
        if last.get("form") == "postfix" and last.get("stretchy") == "false":
            scripted = Element(box.tag, box.attrib)
            scripted.extend([last, *box[1:]])
            parts = [*base[:-1], scripted]
            box.clear()
            box.tag = "mrow"
            box.extend(parts)


def part_functions(box: Element) -> None:
    """A thin space before log, cos and the like where something stands before it."""
    for place in range(len(box) - 1, 0, -1):
        name = box[place][0] if box[place].tag == "mrow" and len(box[place]) else box[place]
        if name.tag == "mi" and len(name.text or "") > 1 and box[place - 1].tag in ORDINARY:
            box.insert(place, Element("mspace", {"width": "0.1667em"}))


def equation(text: str) -> tuple[str, str]:
    """(MathML, number or nothing) of a displayed formula; `\\tag` at its end gives the number."""
    text = "\n".join(line for line in text.strip().splitlines() if line.strip())
    tag = TAG.search(text)
    return mathml(TAG.sub("", text).strip(), display=True), tag[1] if tag else ""


def visit_inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    writer.body.append(drawn_or_warned(mathml, node))
    raise nodes.SkipNode


def visit_block(writer: Any, node: nodes.math_block) -> None:
    """Write a displayed equation: a box that may scroll sideways, and the number beside it."""
    shown, number = drawn_or_warned(equation, node) or ("", "")
    writer.body.append(writer.starttag(node, "div", CLASS="math notranslate nohighlight"))
    writer.body.append(f'<div class="equation">{shown}</div>')
    if number:
        writer.body.append(f'<span class="eqno">({html.escape(number)})</span>')
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def drawn_or_warned(draw: Callable[[str], Any], node: nodes.Element) -> Any:
    """What `draw` makes of the node's LaTeX; nothing and a warning if it makes nothing."""
    try:
        return draw(node.astext())
    except ValueError as problem:
        LOG.warning("%s", problem, location=node)
        return ""


# ---------------------------------------------------------------- the font
def slanted(letter: str) -> str:
    """The italic form that a browser takes for a letter alone in <mi>; the sign itself if there is none."""
    if letter == "h":
        return "ℎ"
    for first, last, italic in (
        ("A", "Z", 0x1D434),
        ("a", "z", 0x1D44E),
        ("Α", "Ω", 0x1D6E2),
        ("α", "ω", 0x1D6FC),
    ):
        if first <= letter <= last:
            return chr(italic + ord(letter) - ord(first))
    return {"∂": "𝜕", "ϵ": "𝜖", "ϑ": "𝜗", "ϰ": "𝜘", "ϕ": "𝜙", "ϱ": "𝜚", "ϖ": "𝜛"}.get(
        letter, letter
    )


def signs(pages: Iterable[str]) -> set[str]:
    """Every sign that the font must have to draw the formulas of these pages."""
    found = {*ALWAYS, *map(slanted, ALWAYS)}
    for page in pages:
        for formula in MATHS.findall(page):
            found |= set(html.unescape(re.sub(r"<[^>]*>", "", formula)))
            found |= {slanted(letter) for letter in LETTER.findall(formula)}
    return {sign for sign in found if sign.isprintable() and not sign.isspace()}


def write_font(wanted: set[str], target: Path) -> set[str]:
    """Write the part of the font that draws the `wanted` signs; return those that it lacks."""
    options = subset.Options(
        flavor="woff2",
        layout_features=[],
        hinting=False,
        drop_tables=["FFTM", "GSUB", "GPOS"],
        name_IDs=[0, 13, 14],
    )
    font = subset.load_font(str(FONT), options)
    place_as_tex_does(font)
    narrow_brackets(font)
    missing = {sign for sign in wanted if ord(sign) not in font.getBestCmap()}
    cutter = subset.Subsetter(options)
    cutter.populate(text="".join(sorted(wanted - missing)))
    cutter.subset(font)
    target.parent.mkdir(parents=True, exist_ok=True)
    subset.save_font(font, str(target), options)
    return missing


def place_as_tex_does(font: Any) -> None:
    """Scripts as low and as high as TeX sets them, and the prime that stands in a script.

    The font's own bounds of `_` and `^` behind a tall letter (q, d) are wider than those of TeX's
    `sub_drop` and `sup_drop`; and its prime is drawn for a script only where a browser asks for `ssty`.
    """
    constants = font["MATH"].table.MathConstants
    constants.SubscriptBaselineDropMin.Value = 50
    constants.SuperscriptBaselineDropMax.Value = 386
    in_script = f"{font.getBestCmap()[PRIME]}.st"
    for table in font["cmap"].tables:  # some of them share their contents
        if PRIME in table.cmap:
            table.cmap[PRIME] = in_script


def narrow_brackets(font: Any) -> None:
    """No size of a bracket takes more room than that of `\\Big`.

    Chromium gives a bracket that can grow the room of its widest form, in which the small ones float.
    """
    variants, names, metrics = font["MATH"].table.MathVariants, font.getBestCmap(), font["hmtx"]
    growing = dict(
        zip(variants.VertGlyphCoverage.glyphs, variants.VertGlyphConstruction, strict=True)
    )
    for bracket in filter(growing.get, (names.get(ord(sign)) for sign in BRACKETS)):
        forms = growing[bracket].MathGlyphVariantRecord
        room = max(metrics[f.VariantGlyph][0] for f in forms if f.AdvanceMeasurement <= BIG)
        parts = growing[bracket].GlyphAssembly
        for glyph in [
            *(form.VariantGlyph for form in forms),
            *(part.glyph for part in (parts.PartRecords if parts else ())),
        ]:
            if metrics[glyph][0] > room:
                narrow(font, glyph, room)


def narrow(font: Any, glyph: str, room: int) -> None:
    """Give a glyph less room, equally much less on both sides."""
    wide, _ = font["hmtx"][glyph]
    outlines, drawn = font["CFF "].cff.topDictIndex[0].CharStrings, font.getGlyphSet()[glyph]
    pen = T2CharStringPen(room, None)
    drawn.draw(TransformPen(pen, (1, 0, 0, 1, (room - wide) / 2, 0)))
    old = outlines[glyph]
    outlines[glyph] = pen.getCharString(private=old.private, globalSubrs=old.globalSubrs)
    font["hmtx"][glyph] = (room, 0)


def font_of_the_pages(app: Sphinx, problem: Exception | None) -> None:
    """Write the font once all pages are written."""
    if problem is not None or app.builder.format != "html":
        return
    site = Path(app.outdir)
    pages = {page: page.read_text(encoding="utf-8") for page in sorted(site.rglob("*.html"))}
    for sign in sorted(write_font(signs(pages.values()), site / "_static" / FONT_IN_PAGES)):
        where = ", ".join(page.stem for page, text in pages.items() if sign in signs([text]))
        LOG.warning("the formulas' font has no sign %s (U+%04X): %s", sign, ord(sign), where)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.connect("build-finished", font_of_the_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
