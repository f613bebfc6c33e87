"""The book's own Sphinx extension: what a cell tag, a figure and a page carry into the HTML.

Owns: the fold of cells by their tags, the heads of exercises, the labels of cells, the alternative text of
figures, the description of each page, the download button's target, the anchor of a section (`s4-3`, from
its number, so that it is the same in every language) and {sec}`4.3`, which links it. Never executes a
notebook and never changes a file outside the build folder.
"""

from __future__ import annotations

import html
import json
import re
from binascii import a2b_base64
from collections.abc import Iterator
from hashlib import sha256
from os import linesep
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

LOG = logging.getLogger(__name__)

FOLDED = {
    "setup": ("all", "Setup: imports, figures and checks"),
    "recap": ("all", "Recap: what you built in earlier chapters"),
    "evidence": ("input", "The evidence: code that would fail"),
    "touch": ("input", "The code of this drawing"),
    "figure": ("input", "The code of this figure"),
}
"""Tag -> what of the cell is folded, and what the fold says; the first tag of this list counts."""
LABELS = {
    "exercise": "Exercise",
    "check": "Check",
    "yours": "With your function",
    "touch": "Try it",
}
HEAD_PARTS = ("exercise-kind", "exercise-difficulty", "exercise-minutes", "exercise-points")
"""Classes of what the build wrote after an exercise's number and name, in order."""
NUMBERED = re.compile(r"(\d+|P)\.\d+")
DESCRIPTION_LENGTH = 155
SIGNS = [  # LaTeX that occurs in titles and first sentences -> text
    (r"\\sqrt\{([^{}]*)\}", r"√\1"),
    (r"\^\\top|\^\{?T\}?", "ᵀ"),
    (r"_\{?\\(?:text|mathrm)\{(\w+)\}\}?", r"_\1"),
    (r"\\cdot", "·"),
    (r"\\times", "×"),
    (r"\\[,;!: ]", " "),
]
UNUSED = (
    "**/*.map",
    "scripts/fontawesome.js*",
    "vendor/fontawesome/webfonts/*",
    "webpack-macros.html",
    "sbt-webpack-macros.html",
    "locales/**/*",
    "images/logo_*",
)


# ---------------------------------------------------------------- cells
class Folds(SphinxTransform):
    """Fold the cells whose tags say so."""

    default_priority = 400

    def apply(self, **kwargs: Any) -> None:
        for cell in list(self.document.findall(is_cell)):
            tag = next((tag for tag in FOLDED if f"tag_{tag}" in cell["classes"]), None)
            if tag is not None:
                mode, text = FOLDED[tag]
                cell["hide_mode"] = mode
                cell["prompt_show"] = cell["prompt_hide"] = text


class ExerciseHeads(SphinxTransform):
    """Mark the line that announces an exercise, and each of its parts.

    The build writes it: **Exercise 3.1 · `scores`** · derive · ●●○ · 12 minutes · 3 points.
    """

    default_priority = 402

    def apply(self, **kwargs: Any) -> None:
        for line in list(self.document.findall(nodes.paragraph)):
            parts = [
                part for part in line.children if part.astext()
            ]  # myst puts an empty one first
            if len(parts) != 2 or not isinstance(parts[0], nodes.strong):
                continue
            texts = [text.strip() for text in parts[1].astext().split("·")]
            has_name = any(parts[0].findall(nodes.literal))
            if texts[0] or len(texts) != len(HEAD_PARTS) + 1 or not has_name:
                continue
            line["classes"].append("exercise-head")
            line.children = [parts[0]]
            for kind, text in zip(HEAD_PARTS, texts[1:], strict=True):
                line += nodes.Text(" ")
                line += nodes.inline("", text, classes=[kind])


class SectionAnchors(SphinxTransform):
    """Give each section with a number an anchor that comes from it: s4-3 for 4.3."""

    default_priority = 403

    def apply(self, **kwargs: Any) -> None:
        for section in self.document.findall(nodes.section):
            title = section.next_node(nodes.title)
            number = title.astext().split(" ")[0] if title is not None else ""
            if NUMBERED.fullmatch(number) and anchor(number) not in self.document.ids:
                section["ids"].insert(0, anchor(number))
                self.document.ids[anchor(number)] = section


def anchor(number: str) -> str:
    """The anchor of the section with a number."""
    return "s" + number.lower().replace(".", "-")


class Labels(SphinxPostTransform):
    """Put a label above exercises, checks and things to touch; runs after myst-nb folded cells."""

    default_priority = 250
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        for cell in list(self.document.findall(is_cell)):
            for tag in LABELS:
                if f"tag_{tag}" in cell["classes"]:
                    self.label(cell, tag)

    def label(self, cell: nodes.container, tag: str) -> None:
        """Insert `Exercise scores` (and an anchor with that name) at the top of `cell`."""
        about = cell.get("cell_metadata", {}).get("nbgrader", {})
        name = str(about.get("grade_id", "")).removeprefix("test_")
        line = nodes.paragraph(classes=["cell-label"])
        line += nodes.inline("", LABELS[tag], classes=["cell-kind"])
        if name:
            line += nodes.Text(" ")
            line += nodes.literal(name, name)
            anchor = nodes.make_id(f"{tag}-{name}")
            if anchor not in self.document.ids:
                cell["ids"].append(anchor)
        if "points" in about:
            points = int(about["points"])
            text = f"{points} point" + "s" * (points != 1)
            line += nodes.Text(" ")
            line += nodes.inline("", text, classes=["cell-points"])
        cell.insert(0, line)


def is_cell(node: nodes.Node) -> bool:
    """True for the container of a code cell."""
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


# ---------------------------------------------------------------- figures
class FigureText(SphinxTransform):
    """Give each figure the alternative text that its cell stored beside the picture.

    myst-nb names a picture by the hash of its bytes; the notebook's output metadata holds the text.
    A figure without one is a warning, and so stops the build.
    """

    default_priority = 401

    def apply(self, **kwargs: Any) -> None:
        texts: dict[str, str] | None = None
        for cell in self.document.findall(is_cell):
            for image in cell.findall(nodes.image):
                if texts is None:
                    texts = dict(figure_texts(Path(self.env.doc2path(self.env.docname))))
                text = texts.get(Path(image["uri"]).stem, image.get("alt", ""))
                if text:
                    image["alt"] = text
                else:
                    LOG.warning(
                        "a figure has no alternative text; draw it with show(fig, alt)",
                        location=image,
                    )


def figure_texts(notebook: Path) -> Iterator[tuple[str, str]]:
    """Yield (sha256 of the picture as myst-nb writes it, alternative text)."""
    if notebook.suffix != ".ipynb":
        return
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            for kind, about in output.get("metadata", {}).items():
                if kind.startswith("image/") and isinstance(about, dict) and about.get("alt"):
                    data = output["data"][kind]
                    text = data if isinstance(data, str) else "".join(data)
                    yield sha256(picture(kind, text)).hexdigest(), about["alt"]


def picture(kind: str, text: str) -> bytes:
    """The bytes that myst-nb writes for an output of the MIME type `kind`."""
    if kind == "image/svg+xml":
        return linesep.join(text.splitlines()).encode("utf-8")
    return a2b_base64(text)


# ---------------------------------------------------------------- pages
def describe_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None
) -> None:
    """Give the page a description and tell the templates whether it is a notebook."""
    if page in app.env.titles:
        context["title"] = html.escape(plain(app.env.titles[page]))
    context["notebook"] = str(context.get("page_source_suffix", "")) == ".ipynb"
    if 'name="description"' in (context.get("metatags") or ""):
        return
    text = description(tree) if tree is not None else f"Search in {app.config.html_title}."
    context["metatags"] = (
        context.get("metatags") or ""
    ) + f'\n<meta name="description" content="{html.escape(text)}" />'


def description(tree: nodes.document) -> str:
    """The first sentences of the page, cut at a word."""
    for paragraph in tree.findall(nodes.paragraph):
        if any(isinstance(above, nodes.container) for above in ancestors(paragraph)):
            continue
        text = re.sub(r"\s+", " ", plain(paragraph)).strip()
        if len(text) >= 40:
            if len(text) <= DESCRIPTION_LENGTH:
                return text
            return text[:DESCRIPTION_LENGTH].rsplit(" ", 1)[0].rstrip(",;: ") + " …"
    return next((title.astext() for title in tree.findall(nodes.title)), "")


def plain(node: nodes.Element) -> str:
    """The text of `node` for places that cannot draw an equation, such as a window's title."""
    copy = node.deepcopy()
    for formula in list(copy.findall(nodes.math)):
        text = formula.astext()
        for tex, sign in SIGNS:
            text = re.sub(tex, sign, text)
        formula.replace_self(nodes.Text(re.sub(r"[\\{}$]", "", text)))
    return copy.astext()


def ancestors(node: nodes.Node) -> Iterator[nodes.Node]:
    """The nodes above `node`, the nearest first."""
    while node.parent is not None:
        node = node.parent
        yield node


# ---------------------------------------------------------------- after the build
def leave_out_unused(app: Sphinx, problem: Exception | None) -> None:
    """Delete the theme's files that no page refers to (source maps, icon script, icon fonts)."""
    if problem is None and app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        for pattern in UNUSED:
            for file in static.glob(pattern):
                if file.is_file():
                    file.unlink()


# ---------------------------------------------------------------- sections by number
class SectionNumber(nodes.Inline, nodes.TextElement):
    """A number such as 4.3 that is to become a link to the section whose title begins with it."""


def section_role(
    name: str,
    raw: str,
    text: str,
    line: int,
    inliner: Any,
    options: Any = None,
    content: Any = None,
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """The role {sec}`4.3`."""
    return [SectionNumber(raw, text, number=text)], []


def link_sections(app: Sphinx, tree: nodes.document, page: str) -> None:
    """Replace every section number by its link; warn of a number that no section has."""
    for place in list(tree.findall(SectionNumber)):
        target = section_address(app, place["number"])
        if target is None:
            LOG.warning("no section is numbered %s", place["number"], location=place)
            place.replace_self(nodes.Text(place["number"]))
            continue
        address = app.builder.get_relative_uri(page, target[0]) + target[1]
        link = nodes.reference("", place["number"], refuri=address, internal=True)
        place.replace_self(link)


def section_address(app: Sphinx, number: str) -> tuple[str, str] | None:
    """(page, #anchor) of the section whose title begins with `number`."""
    chapter, _, _ = number.partition(".")
    wanted = r"\d\dp_" if chapter == "P" else rf"{int(chapter):02d}_"
    for page, contents in app.env.tocs.items():
        if re.match(f"chapters/{wanted}", page):
            for entry in contents.findall(nodes.reference):
                if entry.astext().split(" ")[0] == number:
                    return page, f"#{anchor(number)}"
    return None


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_config_value(
        "comments_config", {}, ""
    )  # Jupyter Book sets it; there are no comments here
    app.add_role("sec", section_role)
    app.connect("doctree-resolved", link_sections)
    app.add_transform(Folds)
    app.add_transform(FigureText)
    app.add_transform(ExerciseHeads)
    app.add_transform(SectionAnchors)
    app.add_post_transform(Labels)
    app.connect("html-page-context", describe_page, priority=600)
    app.connect("build-finished", leave_out_unused)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
