"""One PDF of the whole book, printed by Chromium from the built pages: `make pdf`.

Owns `_build/book.pdf`: a title, a table of contents with page numbers, every page of the book in the order of
`_toc.yml`, links that work within it, bookmarks. It prints twice: the first time tells on which page each
section begins. Changes no page; what stands on paper and how is said by `@media print` in css/book.css.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import NamedTuple

from filelock import FileLock
from pypdf import PdfReader

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
from autograde.build.pages import page_names  # noqa: E402

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARTICLE = re.compile(r'<article class="bd-article">(.*)</article>', re.DOTALL)
HEADING = re.compile(
    r'<section[^>]*\bid="([^"]*)"[^>]*>\s*(?:<span id="[^"]*"></span>)*<h([12])>(.*?)</h\2>',
    re.DOTALL,
)
LOOKS = """
.paper-page { break-before: page; }
.paper-title { height: 200mm; display: flex; flex-direction: column; justify-content: center; }
.bd-article .paper-title h1 { font-size: 30pt; }
.paper-contents ol { list-style: none; padding: 0; margin: 0; }
.paper-contents a { display: flex; gap: .8em; text-decoration: none; }
.paper-contents a > .leader { flex: 1; border-bottom: 1px dotted #888; }
.paper-contents .depth-1 { font-weight: 600; margin-top: .6em; break-after: avoid; }
.paper-contents .depth-2 { padding-left: 1.5em; font-size: .93em; }
@page { @bottom-center { content: counter(page); font: 9pt sans-serif; } }
@page :first { @bottom-center { content: none; } }
"""


class Entry(NamedTuple):
    """A line of the table of contents."""

    target: str
    depth: int
    title: str


# ---------------------------------------------------------------- one page out of all
def place(page: str, mark: str = "") -> str:
    """The anchor in the whole book of a place in a page: a3--s4-1 is told from every other s4-1."""
    return f"p-{re.sub(r'[^a-z0-9]+', '-', page.lower())}" + (f"--{mark}" if mark else "")


def article(site: Path, page: str, pages: list[str]) -> str:
    """What stands on a page, with anchors and addresses as they are in the whole book."""
    found = ARTICLE.search((site / f"{page}.html").read_text(encoding="utf-8"))
    text = found[1] if found else ""
    text = re.sub(r"<script\b.*?</script>", "", text, flags=re.DOTALL)
    text = re.sub(r'\b(id|for)="([^"]*)"', lambda m: f'{m[1]}="{place(page, m[2])}"', text)

    def address(link: re.Match[str]) -> str:
        name, value = link[1], html.unescape(link[2])
        if re.match(r"[a-z]+:", value):
            return link[0]
        path, _, mark = value.partition("#")
        where = normpath(join(dirname(page), path)) if path else f"{page}.html"
        if name == "href" and where.removesuffix(".html") in pages:
            return f'href="#{place(where.removesuffix(".html"), mark)}"'
        return f'{name}="{html.escape(where)}"'

    text = re.sub(r'\b(href|src)="([^"]*)"', address, text).replace('loading="lazy" ', "")
    return f'<div class="paper-page" id="{place(page)}">{text}</div>'


def contents(text: str) -> list[Entry]:
    """The chapters and sections of the whole book."""
    entries = []
    for target, depth, title in HEADING.findall(text):
        title = re.sub(r'<a class="headerlink".*?</a>', "", title)
        entries.append(Entry(heading(target), int(depth), re.sub(r"</?a\b[^>]*>", "", title)))
    return entries


def heading(target: str) -> str:
    """The anchor of a section's heading: the section itself may begin at the foot of the page before."""
    return f"{target}--heading"


def whole_book(site: Path, pages: list[str], numbers: dict[str, int]) -> str:
    """The whole book as one page; `numbers` says on which page of paper a target stands."""
    text = "\n".join(article(site, page, pages) for page in pages)
    entries = contents(text)
    text = HEADING.sub(
        lambda m: m[0].replace(f"<h{m[2]}>", f'<h{m[2]} id="{heading(m[1])}">', 1), text
    )
    lines = "\n".join(
        f'<li class="depth-{one.depth}"><a href="#{one.target}"><span>{one.title}</span>'
        f'<span class="leader"></span><span>{numbers.get(one.target, 0)}</span></a></li>'
        for one in entries
    )
    index = (site / "index.html").read_text(encoding="utf-8")
    head = re.search(r"<head>.*?</head>", index, re.DOTALL)
    title = re.search(r"<title>(.*?)</title>", index, re.DOTALL)
    name = title[1] if title else ""
    return f"""<!DOCTYPE html>
<html lang="en" data-theme="light">{re.sub(r"<script.*?</script>", "", head[0] if head else "", flags=re.DOTALL)}
<style>{LOOKS}</style>
<body><article class="bd-article">
<div class="paper-title"><h1>{name}</h1></div>
<nav class="paper-page paper-contents"><h1>Contents</h1><ol>
{lines}
</ol></nav>
{text}
</article></body></html>
"""


# ---------------------------------------------------------------- to paper
def chromium() -> str:
    """The browser to print with; ends the program with what to do if there is none."""
    found = next(filter(None, map(shutil.which, [os.environ.get("CHROMIUM", ""), *BROWSERS])), None)
    if found is None:
        sys.exit("Chromium prints the book and is not there: install it, or name it in CHROMIUM.")
    return found


def print_page(page: Path, target: Path) -> None:
    """Print a page to a PDF with bookmarks."""
    with tempfile.TemporaryDirectory() as profile:
        command = [
            *(chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *(f"--user-data-dir={profile}", "--host-resolver-rules=MAP * ~NOTFOUND"),
            *("--no-pdf-header-footer", "--generate-pdf-document-outline"),
            *(f"--print-to-pdf={target}", page.as_uri()),
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=600)


def pages_of(pdf: Path) -> dict[str, int]:
    """Anchor -> the page on which it stands, counted from 1."""
    reader = PdfReader(pdf)
    return {
        name.removeprefix("/"): (reader.get_destination_page_number(where) or 0) + 1
        for name, where in reader.named_destinations.items()
    }


def print_book(root: Path = ROOT, say: Callable[[str], None] = print) -> Path:
    """Print the built book of the course at `root`; return the PDF."""
    site, target = root / "_build" / "html", root / "_build" / "book.pdf"
    pages, numbers = page_names(root), dict[str, int]()
    page = site / "_whole_book.html"
    building = FileLock(
        root / "_build" / "book.lock"
    )  # or another process may build anew meanwhile
    with building:
        try:
            for _ in range(2):
                page.write_text(whole_book(site, pages, numbers), encoding="utf-8")
                print_page(page, target)
                numbers = pages_of(target)
        finally:
            page.unlink(missing_ok=True)
    size = target.stat().st_size / 1e6
    say(f"{target}: {len(PdfReader(target).pages)} pages, {size:.1f} MB")
    return target


if __name__ == "__main__":
    print_book()
