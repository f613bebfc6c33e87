"""Light pages: what Sphinx and its theme write, without what no reader needs.

Owns the pass over the finished site. One stylesheet of the rules that some page can use, in place of seven; one
script that waits until the page stands, in place of nine; pictures with their size, loaded when they come
near; no spans in code that have no colour; names for buttons that show a picture only. The looks of the
pages stand in css/book.css and are not touched. Never changes a text, never a file outside the built site.
"""

from __future__ import annotations

import html
import re
import struct
from collections.abc import Iterable, Iterator
from hashlib import sha256
from os.path import normpath, relpath
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import tinycss2
from sphinx.application import Sphinx

STYLE, SCRIPT = "css/site.css", "js/site.js"
"""Where the joined files go, below `_static`."""
OF_THE_THEME = (
    "scripts/bootstrap.js",
    "scripts/pydata-sphinx-theme.js",
    "scripts/sphinx-book-theme.js",
)
"""Scripts that js/book.js replaces: they measure the whole page while it loads."""
OF_SEARCH = ("searchtools.js", "language_data.js", "searchindex.js")
LINK = re.compile(r'[ \t]*<link\b[^>]*rel="stylesheet"[^>]*>\n?')
SCRIPTS = re.compile(r'[ \t]*<script\b([^>]*)\bsrc="([^"]*)"[^>]*></script>\n?')
OPTIONS = re.compile(r"[ \t]*<script>DOCUMENTATION_OPTIONS\.[^<]*</script>\n?")
ADDRESS = re.compile(r'\b(?:href|src)="([^"]*)"')
WORD = re.compile(r"[A-Za-z_][\w-]*")
URL = re.compile(r"""url\(\s*(["']?)(?!data:|#)([^)"']+)\1\s*\)""")
VARIABLE = re.compile(r"var\(\s*(--[\w-]+)")
DECLARED = re.compile(r"""(?<=[{;])(--[\w-]+):(?:[^;{}"']|"[^"]*"|'[^']*')*(?:;|(?=\}))""")
SPAN = re.compile(r'<span class="([\w-]+)">([^<]*)</span>')
PROMPT = {"gp", "go"}
"""Classes of code without a colour that are kept: the copy button leaves prompts out by them."""


# ---------------------------------------------------------------- the page
def slim(page: str, coloured: set[str]) -> str:
    """The page without spans and heads that say nothing, with names for its buttons."""
    page = page.replace("<pre><span></span>", "<pre>").replace('<span class="pre">', "<span>")
    page = re.sub(r"<span>([^<]*)</span>(?=[^<]*(?:<span>[^<]*</span>[^<]*)*</code>)", r"\1", page)
    parts = re.split(r"(<pre>.*?</pre>)", page, flags=re.DOTALL)
    parts[1::2] = [
        SPAN.sub(lambda span: span[0] if span[1] in coloured else span[2], part)
        for part in parts[1::2]
    ]
    page = "".join(parts)
    page = re.sub(r"<th\b[^>]*>\s*(?:<p>\s*</p>)?\s*</th>", "<td></td>", page)  # heads nothing
    page = page.replace('<summary aria-label="Toggle hidden content">', "<summary>")
    page = page.replace('title="Link to this heading">', 'aria-label="Link to this heading">')
    return re.sub(r'(<button(?![^>]*aria-label)[^>]*) title="([^"]*)"', r'\1 aria-label="\2"', page)


def with_sizes(page: str, folder: Path) -> str:
    """The page with width, height and late loading for each picture that has none."""

    def sized(image: re.Match[str]) -> str:
        tag, source = image[0], re.search(r'\bsrc="([^"]*)"', image[0])
        if source is None or "width=" in tag:
            return tag
        size = picture_size(folder / unquote(html.unescape(source[1])))
        if size is None:
            return tag
        about = f' width="{size[0]}" height="{size[1]}" loading="lazy" decoding="async"'
        return f"{tag.rstrip('/> ')}{about} />"

    return re.sub(r"<img\b[^>]*>", sized, page)


def picture_size(file: Path) -> tuple[int, int] | None:
    """Width and height of a PNG or SVG in CSS pixels; None if the file is none or tells none."""
    if file.suffix == ".png" and file.is_file():
        with file.open("rb") as stream:
            return struct.unpack(">II", stream.read(24)[16:])
    if file.suffix == ".svg" and file.is_file():
        head = file.read_text(encoding="utf-8")[:2000]
        found = re.search(r"<svg[^>]*viewBox=[\"']\s*\S+\s+\S+\s+([\d.]+)\s+([\d.]+)", head)
        points = 4 / 3 if re.search(r'<svg[^>]*\swidth="[\d.]+pt"', head) else 1
        if found:
            return round(float(found[1]) * points), round(float(found[2]) * points)
    return None


# ---------------------------------------------------------------- the stylesheet
def purged(sheet: str, words: set[str]) -> str:
    """The rules of a stylesheet that a page with these classes, ids and tags can use, minified."""
    rules = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
    text = "".join(kept_rules(rules, words))
    before = ""
    while text != before:  # a variable may be used by another variable only
        before = text
        text = without_variables(text, set(VARIABLE.findall(text)) | words)
    return text


def without_variables(text: str, used: set[str]) -> str:
    """The rules without declarations of variables that are not `used`, and without rules left empty."""
    text = DECLARED.sub(lambda declared: declared[0] if declared[1] in used else "", text)
    return re.sub(r"(?<=[};])[^{};@]+\{\}", "", text)


def kept_rules(rules: Iterable[Any], words: set[str]) -> Iterator[str]:
    """Each rule that can be used, as text."""
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = [s for s in split(rule.prelude) if usable(s, words)]
            body = declarations(rule.content)
            if selectors and body:
                yield f"{','.join(map(short, selectors))}{{{body}}}"
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports", "layer"):
            inside = tinycss2.parse_rule_list(rule.content or [], True, True)
            body = "".join(kept_rules(inside, words))
            if body:
                yield f"@{rule.at_keyword} {short(rule.prelude)}{{{body}}}"
        elif rule.type == "at-rule" and rule.lower_at_keyword in ("font-face", "keyframes", "page"):
            yield f"@{rule.at_keyword} {short(rule.prelude)}{{{short(rule.content)}}}"


def declarations(content: list[Any]) -> str:
    """The declarations of a rule, minified."""
    found = tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True)
    return ";".join(
        f"{one.name}:{short(one.value)}{'!important' if one.important else ''}"
        for one in found
        if one.type == "declaration"
    )


def split(tokens: list[Any]) -> list[list[Any]]:
    """The parts between the commas."""
    parts: list[list[Any]] = [[]]
    for token in tokens:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def short(tokens: Iterable[Any]) -> str:
    """Tokens as text, each space and comment as one blank or none."""
    parts = [
        " " if token.type == "whitespace" else tinycss2.serialize([token])
        for token in tokens
        if token.type != "comment"
    ]
    return re.sub(r"\s+", " ", "".join(parts)).strip()


def usable(selector: list[Any], words: set[str]) -> bool:
    """True unless the selector asks for a class, id or tag that is not among `words`.

    What stands in brackets, as in :is(…) and :not(…), is not looked at: it is kept.
    """
    before = ""
    for token in selector:
        named = token.type == "hash" or (token.type == "ident" and before != ":")
        if named and token.value not in words and token.value.lower() not in words:
            return False
        before = token.value if token.type == "literal" else ""
    return True


def joined_styles(files: list[Path], static: Path) -> str:
    """The stylesheets one after the other, as if they lay in `_static/css`."""
    return "\n".join(style(file, static / Path(STYLE).parent) for file in files)


def style(file: Path, folder: Path) -> str:
    """A stylesheet with what it imports; its addresses as they are from `folder`."""

    def moved(address: re.Match[str]) -> str:
        return f'url("{relpath(normpath(file.parent / address[2]), folder)}")'

    text = file.read_text(encoding="utf-8")
    imports = re.findall(r"@import\s+[\"']([^\"']+)[\"']\s*;", text)
    text = re.sub(r"@import[^;]*;|@charset[^;]*;", "", text)
    return "".join(style(file.parent / name, folder) for name in imports) + URL.sub(moved, text)


def without_missing_fonts(sheet: str, folder: Path) -> str:
    """The stylesheet without font faces whose file is not there."""
    return re.sub(
        r"@font-face \{[^}]*\}",
        lambda face: face[0] if all((folder / u[1]).exists() for u in URL.findall(face[0])) else "",
        sheet,
    )


# ---------------------------------------------------------------- the site
def lighten(app: Sphinx, problem: Exception | None) -> None:
    """Rewrite every page of a finished site, and write the stylesheet and the script they share."""
    if problem is None and app.builder.format == "html":
        lighten_site(Path(app.outdir))


def lighten_site(site: Path) -> None:
    """Make the pages of the folder `site` light."""
    static = site / "_static"
    files = sorted(f for f in site.rglob("*.html") if not f.is_relative_to(static))
    pages = {file: file.read_text(encoding="utf-8") for file in files}
    sheets = in_order(LINK, pages, static)
    scripts = [f for f in in_order(SCRIPTS, pages, static) if f.name not in OF_SEARCH]
    own = [f for f in scripts if f.relative_to(static).as_posix() not in OF_THE_THEME]
    coloured = PROMPT | set(
        re.findall(r"span\.(\w+)", (static / "css" / "book.css").read_text(encoding="utf-8"))
    )
    pages = {file: with_sizes(slim(page, coloured), file.parent) for file, page in pages.items()}

    script = ";\n".join(file.read_text(encoding="utf-8") for file in own)
    search = [static / name for name in OF_SEARCH if (static / name).is_file()]
    words = {word for page in pages.values() for word in words_of_page(page)}
    for text in (script, *(file.read_text(encoding="utf-8") for file in search)):
        words.update(WORD.findall(text))
    sheet = purged(joined_styles(sheets, static), words)
    written = {
        STYLE: without_missing_fonts(sheet, static / "css"),
        SCRIPT: re.sub(r"(?m)^//# sourceMappingURL.*$", "", script),
    }
    for name, text in written.items():
        (static / name).write_text(text, encoding="utf-8")
    for file, page in pages.items():
        file.write_text(linked(page, relpath(static, file.parent), written), encoding="utf-8")
    for file in {*sheets, *scripts, static / "basic.css"}:
        file.unlink(missing_ok=True)


def in_order(tag: re.Pattern[str], pages: dict[Path, str], static: Path) -> list[Path]:
    """The files of `_static` that the tags of all pages name, in order, each once."""
    found: dict[Path, None] = {}
    for file, page in pages.items():
        for one in tag.finditer(page):
            address = ADDRESS.search(one[0])
            path = Path(normpath(file.parent / urlsplit(address[1]).path)) if address else file
            if path.is_relative_to(static) and path.is_file():
                found[path] = None
    return list(found)


def words_of_page(page: str) -> set[str]:
    """Classes, ids and tags of a page, and every word of its own scripts and drawings."""
    words = set(re.findall(r"<([a-z][\w-]*)", page))
    for value in re.findall(r'\b(?:class|id|name|type|role|data-[\w-]+)="([^"]*)"', page):
        words.update(value.split())
    for script in re.findall(r"<(?:script|style)\b[^>]*>(.*?)</", page, flags=re.DOTALL):
        words.update(WORD.findall(script))
    words.update(VARIABLE.findall(page))
    return words


def linked(page: str, static: str, written: dict[str, str]) -> str:
    """The page with the joined stylesheet and script in place of those it named."""
    version = {name: sha256(text.encode()).hexdigest()[:8] for name, text in written.items()}
    links = (
        f'    <link rel="stylesheet" href="{static}/{STYLE}?v={version[STYLE]}" />\n'
        f'    <script defer src="{static}/{SCRIPT}?v={version[SCRIPT]}"></script>\n'
    )

    def searching(script: re.Match[str]) -> str:
        name = Path(urlsplit(script[2]).path).name
        return f'    <script defer src="{script[2]}"></script>\n' if name in OF_SEARCH else ""

    page = OPTIONS.sub("", SCRIPTS.sub(searching, page))
    first = LINK.search(page)
    if first is None:
        return page
    return page[: first.start()] + links + LINK.sub("", page[first.start() :])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect(
        "build-finished", lighten, priority=900
    )  # after the theme has written its colours of code
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
