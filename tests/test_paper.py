"""The whole book on paper: nothing of the pages' text is missing, the contents are right, the links work."""

from __future__ import annotations

import re
import sys
import unicodedata
from html.parser import HTMLParser

import pytest
from pypdf import PdfReader

from autograde.build.pages import build_book, page_names
from autograde.layout import ROOT

sys.path.insert(0, str(ROOT / "book"))
import paper

sys.path.pop(0)
VOID = {"br", "img", "input", "hr", "col", "link", "meta"}
BLOCKS = {"p", "li", "td", "th", "h1", "h2", "h3", "h4", "pre", "summary", "dt", "dd"}
pytestmark = pytest.mark.xdist_group("book")


def squeezed(text: str) -> str:
    """Latin letters and digits only: a PDF may part, join and quote otherwise, and lack a Chinese font."""
    return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFKD", text).lower())


class Blocks(HTMLParser):
    """The text of each paragraph, heading, table cell and code block, up to the first formula in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.found: list[str] = []
        self.new = True
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        about = dict(attrs)
        classes = (about.get("class") or "").split()
        hidden = bool({"headerlink", "collapsed", "tag_setup", "tag_recap"} & set(classes))
        hidden = hidden or tag in ("math", "svg", "script", "style", "noscript", "select", "button")
        if tag not in VOID:
            self.open.append((tag, hidden or bool(self.open and self.open[-1][1])))
        self.new = self.new or tag in BLOCKS or hidden

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass
        self.new = self.new or tag in BLOCKS or tag in ("math", "svg")

    def handle_data(self, data):
        if self.open and not self.open[-1][1] and data.strip():
            if self.new:
                self.found.append("")
            self.found[-1] += data
            self.new = False


@pytest.fixture(scope="session")
def book():
    """The printed book."""
    build_book(ROOT)
    try:
        return PdfReader(paper.print_book(ROOT, say=lambda text: None))
    except SystemExit as lacking:
        pytest.skip(str(lacking))


@pytest.fixture(scope="session")
def text(book):
    """All that stands on the pages, without their numbers."""
    return squeezed("".join(re.sub(r"^\d+\n", "", p.extract_text()) for p in book.pages))


@pytest.mark.slow
@pytest.mark.parametrize("page", page_names(ROOT))
def test_nothing_of_a_page_is_missing_on_paper(page, text):
    source = (ROOT / "_build" / "html" / f"{page}.html").read_text(encoding="utf-8")
    blocks = Blocks(paper.ARTICLE.search(source)[1]).found
    assert len(blocks) > 10
    apart = [block for block in blocks if squeezed(block) not in text]
    assert len(apart) <= len(blocks) / 20, apart[:5]  # cut by the end of a page, or by a formula
    plain = re.sub(r"\S{60,}", "", "\n".join(apart))  # a line of data may be cut within a "word"
    words = set(re.findall(r"[A-Za-z]{4,}", plain))
    assert not [word for word in words if squeezed(word) not in text]


@pytest.mark.slow
def test_the_contents_name_the_page_of_each_section(book):
    lines = "\n".join(book.pages[number].extract_text() for number in range(1, 6))
    named = {
        m[1].strip(): int(m[2])
        for m in re.finditer(r"(?m)^(\d+\.\d+ [A-Z].*?[^\d ]) ?(\d+)$", lines)
    }
    assert len(named) > 30
    for title, number in named.items():
        assert squeezed(title)[:12] in squeezed(book.pages[number - 1].extract_text()), title


@pytest.mark.slow
def test_links_within_the_book_lead_somewhere(book):
    known, inner = set(book.named_destinations), []
    for page in book.pages:
        for mark in page.get("/Annots", []):
            link = mark.get_object()
            assert not str(link.get("/A", {}).get("/URI", "")).startswith("file:")
            if "/Dest" in link:
                inner.append(str(link["/Dest"]))
    assert len(inner) > 100
    assert set(inner) <= known
    assert len(book.outline) > 10, "bookmarks"


def test_anchors_of_different_pages_do_not_meet(tmp_path):
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.html").write_text(
            f'<article class="bd-article"><p id="x"><a href="{other}.html#x">1</a><a href="#x">2</a>'
            '<a href="https://e.org/#x">3</a><img src="i/p.png"></p><script>1</script></article>'
        )
    text = paper.article(tmp_path, "a", ["a", "b"])
    assert 'id="p-a--x"' in text
    assert re.findall(r'href="([^"]*)"', text) == ["#p-b--x", "#p-a--x", "https://e.org/#x"]
    assert "<script" not in text
