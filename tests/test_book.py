"""The built pages, opened in a real browser: nothing is fetched from elsewhere, nothing breaks, all can be read.

Owns its own server on localhost and one browser for this module. Builds the book first, which does nothing
if `make book` was run before. Each page is loaded once; the states (phone, desktop, light, dark) are set on it.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import os
import re
import shutil
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlparse

import pytest

from autograde.build.pages import build_book, page_names, pages
from autograde.errors import CourseError
from autograde.layout import ROOT

PAGES = page_names(ROOT)
CHAPTERS = [page for page in PAGES if page.startswith("chapters/")]
STATES = [
    (320, "light"),
    (360, "light"),
    (390, "light"),
    (390, "dark"),
    (1280, "light"),
    (1280, "dark"),
]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
FILE_NAME = re.compile(r"\S+\.(png|svg|jpe?g|gif|webp)", re.IGNORECASE)

pytestmark = pytest.mark.xdist_group("book")


# ---------------------------------------------------------------- the site, served and opened
@pytest.fixture(scope="module")
def site() -> Path:
    """The built book."""
    return build_book(ROOT).parent


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A file server that keeps silent."""

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where the book is served."""
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def executable(own: str) -> str | None:
    """The browser to use: $CHROMIUM, the system's, or Playwright's own."""
    named = os.environ.get("CHROMIUM")
    system = [shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")]
    for path in [named, "/usr/bin/chromium", *system, own]:
        if path and Path(path).exists():
            return path
    return None


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, headless."""
    sync = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with sync.sync_playwright() as play:
        path = executable(play.chromium.executable_path)
        if path is None:
            pytest.skip("no Chromium: set CHROMIUM, or run `playwright install chromium`")
        chromium = play.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


@dataclass
class Visit:
    """One page, loaded, with all that it did meanwhile."""

    name: str
    page: Any
    elsewhere: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def set(self, width: int, theme: str) -> None:
        """Show the page at `width` in the `theme`; wait until it has settled."""
        self.page.emulate_media(color_scheme=theme)
        self.page.set_viewport_size({"width": width, "height": 844})
        self.page.wait_for_function(f"document.documentElement.dataset.theme === '{theme}'")
        self.page.wait_for_timeout(400)

    def ask(self, script: str) -> Any:
        """The value of a JavaScript function in the page."""
        return self.page.evaluate(script)


@pytest.fixture(scope="module")
def context(browser: Any, address: str) -> Iterator[Any]:
    """A browser window that can reach nothing but the book."""
    window = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="light")
    window.route(
        lambda url: not url.startswith((address, "data:", "blob:")), lambda route: route.abort()
    )
    yield window
    window.close()


@pytest.fixture(scope="module", params=[*PAGES, "search"])
def seen(context: Any, address: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """Every page in turn, loaded once."""
    visit = load(context.new_page(), address, request.param)
    yield visit
    visit.page.close()


@pytest.fixture(scope="module", params=CHAPTERS)
def chapter(context: Any, address: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """Every chapter in turn, loaded once."""
    visit = load(context.new_page(), address, request.param)
    yield visit
    visit.page.close()


@pytest.fixture
def first(context: Any, address: str) -> Iterator[Visit]:
    """The first page, as on a desktop in daylight."""
    visit = load(context.new_page(), address, "index")
    visit.set(1280, "light")
    yield visit
    visit.page.close()


def load(page: Any, address: str, name: str) -> Visit:
    """Go to the page `name`, recording requests and problems, and wait for its equations."""
    seen = Visit(name, page)

    def request(asked: Any) -> None:
        if not asked.url.startswith((address, "data:", "blob:")):
            seen.elsewhere.append(asked.url)

    def response(answer: Any) -> None:
        if answer.status >= 400:
            seen.problems.append(f"{answer.status} {answer.url}")

    def console(message: Any) -> None:
        if message.type in ("error", "warning"):
            seen.problems.append(f"{message.type}: {message.text}")

    page.on("request", request)
    page.on("response", response)
    page.on("console", console)
    page.on("pageerror", lambda error: seen.problems.append(f"page error: {error}"))
    page.goto(f"{address}{name}.html", wait_until="load")
    page.evaluate("document.fonts.ready.then(() => 1)")
    page.wait_for_timeout(400)
    return seen


# ---------------------------------------------------------------- what a browser sees
def test_page_asks_no_other_host(seen: Visit) -> None:
    assert seen.elsewhere == []


def test_page_reports_no_problem(seen: Visit) -> None:
    assert seen.problems == []


READ_MATHS = r"""() => {
  const copy = document.querySelector("article, .bd-search-container").cloneNode(true);
  copy.querySelectorAll("pre, code, script, style").forEach(e => e.remove());
  const formulas = [...document.querySelectorAll("article math")];
  return {
    undrawn: [...document.querySelectorAll("article .math")].filter(s => !s.querySelector("math")).map(s => s.textContent),
    flat: formulas.filter(f => f.checkVisibility() && f.getBoundingClientRect().height < 5).map(f => f.outerHTML),
    wrong: [...document.querySelectorAll("merror, .temml-error")].map(e => e.textContent),
    raw: (copy.textContent.match(/\$\$|\\\(|\\\[|\\tag|\\begin|\$[^$\n]*[\\_^][^$\n]*\$/g) || []),
    font: !formulas.length || document.fonts.check("16px 'Latin Modern Math'"),
    drawn: formulas.length,
  };
}"""


def test_maths_is_drawn(seen: Visit) -> None:
    found = seen.ask(READ_MATHS)
    assert not found["undrawn"]
    assert not found["wrong"]
    assert not found["raw"]
    assert not found["flat"]
    assert found["font"], "the font of the formulas was not loaded"
    assert found["drawn"] > 0 or seen.name not in CHAPTERS


def test_page_never_scrolls_sideways(seen: Visit) -> None:
    seen.ask("() => document.querySelectorAll('details').forEach(d => { d.open = true; })")
    for width, theme in STATES:
        seen.set(width, theme)
        page_width, window = seen.ask("() => [document.documentElement.scrollWidth, innerWidth]")
        assert page_width <= window == width, f"{page_width} px wide at {width} px, {theme}"


WIDE_EQUATIONS = """() => [...document.querySelectorAll("article div.equation")]
  .filter(e => e.clientWidth && e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"""


def test_displayed_equations_are_seen_whole_on_a_desk(seen: Visit) -> None:
    seen.ask("() => document.querySelectorAll('details').forEach(d => { d.open = true; })")
    seen.set(1440, "light")
    assert seen.ask(WIDE_EQUATIONS) == []


READ_BOXES = """() => {
  const out = [];
  document.querySelectorAll("article *").forEach(e => {
    const style = getComputedStyle(e);
    if (e.closest("svg, math, summary") || style.display === "inline") return;
    if (e.scrollWidth <= e.clientWidth + 1 || !["auto", "scroll"].includes(style.overflowX)) return;
    if (!e.getClientRects().length) return;
    const inner = [...e.querySelectorAll("*")].some(c => c.tabIndex === 0 && c.scrollWidth > c.clientWidth + 1);
    if (e.tabIndex !== 0 && !inner) out.push(e.outerHTML.slice(0, 120));
  });
  return out;
}"""


def test_wide_boxes_can_be_reached_by_keyboard(seen: Visit) -> None:
    seen.set(390, "light")
    seen.ask("() => document.querySelectorAll('details').forEach(d => { d.open = true; })")
    seen.page.wait_for_timeout(700)
    assert seen.ask(READ_BOXES) == []


READ_PAPER = """() => {
  const light = colour => colour.match(/[\\d.]+/g).map(Number), main = document.querySelector("main");
  const seen = e => e.checkVisibility({contentVisibilityAuto: true, visibilityProperty: true});
  const pale = [...main.querySelectorAll("p, li, pre, td, summary, h1, h2, h3")].filter(e => seen(e) && light(getComputedStyle(e).color)[0] > 90);
  return {
    pale: pale.map(e => e.outerHTML.slice(0, 100)),
    paper: getComputedStyle(document.body).backgroundColor + getComputedStyle(document.documentElement).backgroundColor,
    folded: [...main.querySelectorAll("details")].filter(d => !d.closest(".tag_setup, .tag_recap") && ![...d.children].slice(1).some(seen)).map(d => d.outerHTML.slice(0, 200)),
    cut: [...main.querySelectorAll("pre")].filter(e => seen(e) && e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 80)),
    shown: [...document.querySelectorAll(".bd-sidebar, .bd-header-article, .prev-next-footer, .copybtn, .touch input")].filter(seen).map(e => e.className),
    links: [...main.querySelectorAll("article a[href^='http']")].filter(a => !getComputedStyle(a, "::after").content.includes("http")).map(a => a.href),
    title: seen(document.querySelector("h1")),
    drawings: [...main.querySelectorAll(".touch")].filter(t => !t.querySelector("svg *")).length,
  };
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_paper_shows_everything_in_black_on_white(chapter: Visit, theme: str) -> None:
    chapter.set(700, theme)
    chapter.ask("() => document.querySelectorAll('details').forEach(d => { d.open = false; })")
    chapter.page.emulate_media(media="print")
    found = chapter.ask(READ_PAPER)
    chapter.page.emulate_media(media="screen")
    assert found.pop("title")
    assert found.pop("paper") == "rgba(0, 0, 0, 0)" * 2
    assert not any(found.values()), found


def test_headings_stand_in_order(seen: Visit) -> None:
    levels = seen.ask(
        "() => [...document.querySelectorAll('main :is(h1, h2, h3, h4, h5)')].map(h => +h.tagName[1])"
    )
    assert levels.count(1) == 1
    assert all(next_ <= level + 1 for level, next_ in pairwise(levels))
    assert not seen.ask(
        "() => [...document.querySelectorAll('th')].filter(h => !h.textContent.trim()).length"
    )


def test_page_opens_from_a_file_without_a_problem(context: Any, site: Path, seen: Visit) -> None:
    window = context.browser.new_context()
    page, problems = window.new_page(), list[str]()
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("requestfailed", lambda asked: problems.append(asked.url))
    page.goto((site / f"{seen.name}.html").as_uri(), wait_until="load")
    page.wait_for_timeout(200)
    assert page.evaluate("getComputedStyle(document.body).fontFamily").startswith('"Source Serif')
    window.close()
    assert problems == []


READ_PICTURES = """() => ({
  words: [...document.querySelectorAll("img")].filter(i => !i.closest(".brand")).map(i => i.getAttribute("alt")),
  drawings: [...document.querySelectorAll("article svg")].map(s => s.getAttribute("role") === "img"
    ? s.getAttribute("aria-label") : s.getAttribute("aria-hidden") === "true" || s.closest("button") ? "decoration" : null),
  broken: [...document.querySelectorAll("img")].filter(i => i.complete && !i.naturalWidth).map(i => i.src),
})"""


def test_pictures_say_what_they_show(seen: Visit) -> None:
    found = seen.ask(READ_PICTURES)
    for words in found["words"]:
        assert words, "an image without alternative text"
        assert not FILE_NAME.fullmatch(words), f"a file name as alternative text: {words}"
        assert " " in words.strip(), f"too short to tell a finding: {words}"
    assert all(found["drawings"]), "a drawing without role=img and aria-label"
    assert found["broken"] == []


READ_CONTRAST = """() => {
  const channel = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const light = c => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
  const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const paint = (colour, under) => {
    pen.fillStyle = `rgb(${under.slice(0, 3).join(",")})`; pen.fillRect(0, 0, 1, 1);
    pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const ground = e => {
    const chain = [];
    for (let n = e; n; n = n.parentElement) chain.unshift(getComputedStyle(n).backgroundColor);
    return chain.reduce((under, colour) => paint(colour, under), [255, 255, 255]);
  };
  const out = [], seen = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || seen.has(e)) continue;
    seen.add(e);
    const style = getComputedStyle(e), box = e.getBoundingClientRect();
    if (e.closest("svg, script, style, noscript, dialog:not([open]), .skip-link, .headerlink, #pst-back-to-top")) continue;
    if (!box.width || !box.height || style.visibility === "hidden") continue;
    const under = ground(e), text = paint(style.color, under);
    const [a, b] = [light(text), light(under)].sort((p, q) => q - p);
    const ratio = (a + 0.05) / (b + 0.05), size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) out.push(`${ratio.toFixed(2)} ${style.color} on ${under.slice(0, 3)}: ${e.textContent.trim().slice(0, 40)}`);
  }
  return [...new Set(out)];
}"""


def test_text_stands_out_in_both_themes(seen: Visit) -> None:
    for theme in ("light", "dark"):
        seen.set(1280, theme)
        assert seen.ask(READ_CONTRAST) == [], theme


def test_figures_lie_on_a_light_card_in_the_dark(chapter: Visit) -> None:
    chapter.set(1280, "dark")
    cards = chapter.ask(
        "() => [...document.querySelectorAll('.cell_output img')]"
        ".map(i => [getComputedStyle(i).backgroundColor, getComputedStyle(i).filter])"
    )
    assert cards, "a chapter without a figure"
    for colour, filtered in cards:
        assert min(map(int, re.findall(r"\d+", colour)[:3])) > 230
        assert filtered == "none"


def test_cells_look_like_what_they_are(chapter: Visit) -> None:
    found = chapter.ask(
        """() => ({
          setup: [...document.querySelectorAll(".tag_setup details, .tag_recap details")].map(d => d.open),
          loose: document.querySelectorAll(".tag_setup > .cell_input, .tag_recap > .cell_input").length,
          labels: [...document.querySelectorAll(".tag_exercise, .tag_check")].map(c => c.querySelector(".cell-label code") !== null),
          anchors: [...document.querySelectorAll(".tag_exercise")].map(c => (c.id || c.querySelector("[id]")?.id || "")),
        })"""
    )
    assert found["setup"], "the setup cell is not folded"
    assert not any(found["setup"])
    assert found["loose"] == 0
    assert found["labels"], "no exercise"
    assert all(found["labels"])


def test_sliders_move_a_drawing_without_a_kernel(chapter: Visit) -> None:
    count = chapter.page.locator(".touch input[type=range]").count()
    assert count, "nothing to touch in this chapter"
    drawing = chapter.page.locator(".touch").first
    before = drawing.locator("svg").first.inner_html()
    slider = drawing.locator("input[type=range]").first
    slider.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "Home", "End"):
        chapter.page.keyboard.press(key)
        if drawing.locator("svg").first.inner_html() != before:
            return
    pytest.fail("the drawing does not follow its slider")


def test_button_downloads_the_notebook(chapter: Visit) -> None:
    chapter.set(1280, "light")
    with chapter.page.expect_download() as waiting:
        chapter.page.locator("a.download").click()
    assert waiting.value.suggested_filename == f"{Path(chapter.name).name}.ipynb"
    assert Path(waiting.value.path()).read_bytes() == (ROOT / f"{chapter.name}.ipynb").read_bytes()


def test_there_is_one_search_field_and_it_finds(first: Visit, address: str) -> None:
    assert first.page.locator("input[type=search]").count() == 1
    first.page.locator("input[type=search]").fill("softmax")
    first.page.locator("input[type=search]").press("Enter")
    first.page.wait_for_selector("#search-results li a", timeout=10_000)
    assert first.page.url.startswith(f"{address}search.html")
    first.page.wait_for_timeout(1500)
    found = first.page.locator("#search-results").inner_text()
    assert not re.search(r"\\\(|\\\)|\\[a-z]+", found), "LaTeX in the search results"
    assert first.page.locator("input[type=search]").count() == 1


def test_reader_chooses_the_colours(first: Visit) -> None:
    themes = set()
    for _ in range(3):
        themes.add(first.ask("() => document.documentElement.dataset.theme"))
        first.page.locator(".theme-switch-button").first.click()
        first.page.wait_for_timeout(100)
    assert themes == {"light", "dark"}
    assert first.ask("() => document.documentElement.dataset.mode") == "auto"


def test_phone_opens_the_menu(first: Visit) -> None:
    first.set(390, "light")
    first.page.locator(".primary-toggle:visible").click()
    first.page.wait_for_timeout(400)
    menu = first.page.locator("#pst-primary-sidebar-modal")
    assert menu.is_visible()
    assert menu.locator("a", has_text="Notation").is_visible()
    first.page.keyboard.press("Escape")


def test_ctrl_k_leads_to_the_search_field_at_any_width(first: Visit) -> None:
    for width in (1280, 390):
        first.set(width, "light")
        first.page.keyboard.press("Control+k")
        assert first.ask("() => document.activeElement.type") == "search", width
        first.page.keyboard.press("Escape")


def test_left_side_bar_can_be_put_away_and_brought_back(first: Visit) -> None:
    bar = first.page.locator("#pst-primary-sidebar")
    assert bar.is_visible()
    for hidden in (True, False):
        first.page.locator(".primary-toggle").click()
        first.page.wait_for_timeout(500)
        assert bar.is_hidden() == hidden


def test_side_bar_with_the_contents_leads_to_a_section_on_a_phone(chapter: Visit) -> None:
    chapter.set(390, "light")
    chapter.page.locator(".secondary-toggle").click()
    dialog = chapter.page.locator("#pst-secondary-sidebar-modal")
    dialog.locator("a").nth(2).click()
    chapter.page.wait_for_timeout(200)
    assert dialog.is_hidden()
    assert chapter.page.locator("#pst-secondary-sidebar .onthispage").count() == 1


def test_contents_show_which_section_is_read(chapter: Visit) -> None:
    chapter.set(1280, "light")
    links = chapter.page.locator("#pst-page-toc-nav a")
    links.nth(2).click()
    chapter.page.wait_for_timeout(400)
    assert links.nth(2).get_attribute("aria-current") == "true"
    assert chapter.page.locator("#pst-page-toc-nav [aria-current]").count() == 1


def test_code_can_be_copied(chapter: Visit, context: Any) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    cell = chapter.page.locator(".tag_exercise .highlight").first
    cell.hover()
    cell.locator(".copybtn").click()
    chapter.page.wait_for_timeout(200)
    copied = chapter.ask("() => navigator.clipboard.readText()")
    assert copied.strip() == cell.locator("pre").inner_text().strip()


# ---------------------------------------------------------------- what the files say
class Reader(HTMLParser):
    """Collects links, ids, title, description and icons of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.assets: list[str] = []
        self.meta: dict[str, str] = {}
        self.title = ""
        self.in_title = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = {key: value or "" for key, value in attrs}
        if "id" in about:
            self.ids.append(about["id"])
        if tag == "a" and "href" in about:
            self.links.append(about["href"])
        if tag in ("img", "script") and "src" in about:
            self.assets.append(about["src"])
        if tag == "link" and about.get("rel") in ("stylesheet", "icon", "preload"):
            self.assets.append(about["href"])
        if tag == "meta" and "name" in about:
            self.meta[about["name"]] = about.get("content", "")
        self.in_title = self.in_title or (tag == "title" and not self.title)

    def handle_endtag(self, tag: str) -> None:
        self.in_title = self.in_title and tag != "title"

    def handle_data(self, data: str) -> None:
        if self.in_title:
            self.title += data


@pytest.fixture(scope="module")
def read(site: Path) -> dict[str, Reader]:
    """Every page of the site, read."""
    return {
        name: Reader((site / f"{name}.html").read_text(encoding="utf-8"))
        for name in sorted(pages(site) | {"search"})
    }


def test_pages_are_those_of_the_contents(site: Path) -> None:
    assert pages(site) == set(PAGES)
    assert {"index", "guide/learner", "guide/instructor", "guide/author"} <= set(PAGES)


def test_every_link_leads_somewhere(site: Path, read: dict[str, Reader]) -> None:
    dead = []
    for name, page in read.items():
        base = f"http://book/{name}.html"
        for link in [*page.links, *page.assets]:
            where, mark = urldefrag(urljoin(base, link))
            if urlparse(where).netloc != "book" or link.startswith("data:"):
                continue
            path = unquote(urlparse(where).path).lstrip("/")
            if not (site / path).is_file():
                dead.append(f"{name}: {link}")
            elif mark and path.endswith(".html"):
                ids = read[path.removesuffix(".html")].ids
                if unquote(mark) not in ids:
                    dead.append(f"{name}: {link} (no such place)")
    assert dead == []


def test_ids_are_unique_in_each_page(read: dict[str, Reader]) -> None:
    for name, page in read.items():
        twice = {one for one in page.ids if page.ids.count(one) > 1}
        assert not twice, f"{name}: {twice}"


def test_every_page_has_a_title_and_a_description_of_its_own(read: dict[str, Reader]) -> None:
    titles = [page.title.strip() for page in read.values()]
    assert all(titles)
    assert not [title for title in titles if "\\" in title or "$" in title]
    assert len(set(titles)) == len(titles)
    words = {name: page.meta.get("description", "") for name, page in read.items()}
    assert [name for name, text in words.items() if len(text) < 15] == []
    assert len(set(words.values())) == len(words)


def test_first_visit_of_each_page_stays_light(site: Path, read: dict[str, Reader]) -> None:
    """The page, the one stylesheet, the one script and all fonts, compressed, stay below 250 KB."""
    fonts = sum(font.stat().st_size for font in (site / "_static/fonts").glob("*.woff2"))
    for name, page in read.items():
        if name == "search":
            continue  # it loads the index of all words
        own = {
            urlparse(asset).path for asset in page.assets if not re.search(r"\.(png|svg)", asset)
        }
        assert len(own) == 2, f"{name} loads {own}"
        files = [site / f"{name}.html", *((site / name).parent / asset for asset in own)]
        total = fonts + sum(len(gzip.compress(file.read_bytes())) for file in files)
        assert total < 250_000, f"{name}: {total:,} bytes"


def test_pictures_keep_their_place_and_come_late(site: Path) -> None:
    for name in PAGES:
        for image in re.findall(r"<img\b[^>]*>", (site / f"{name}.html").read_text("utf-8")):
            assert re.search(r'\bwidth="\d+" height="\d+"', image), f"{name}: {image}"
            assert "loading=" in image or "logo" in image


def test_no_solution_is_published(site: Path) -> None:
    for file in site.rglob("*"):
        if file.suffix in (".html", ".ipynb", ".js", ".md") and "_static" not in file.parts:
            text = file.read_text(encoding="utf-8")
            if file.is_relative_to(site / "_sources" / "guide"):
                continue  # the author's guide explains the markers
            assert "### BEGIN HIDDEN TESTS" not in text or "guide" in file.parts, file
            assert (
                "### END SOLUTION" not in text
                or "guide" in file.parts
                or file.name == "searchindex.js"
            ), file


def test_picture_of_the_first_page_is_current() -> None:
    sys.path.insert(0, str(ROOT / "book"))
    try:
        import draw_path
    finally:
        sys.path.pop(0)
    for name, text in draw_path.files().items():
        stored = (ROOT / "book" / "static" / name).read_text(encoding="utf-8")
        assert stored == text, f"run `python book/draw_path.py`: {name} is stale"


# ---------------------------------------------------------------- the build itself, on a tiny book
@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A course of two pages with this book's configuration."""
    shutil.copy(ROOT / "_config.yml", tmp_path)
    shutil.copytree(ROOT / "book", tmp_path / "book")
    (tmp_path / "guide").mkdir()
    (tmp_path / "index.md").write_text("# One\n\nThe first page of a tiny book for a test.\n")
    (tmp_path / "guide" / "learner.md").write_text("# Two\n\nThe second page, for its learner.\n")
    (tmp_path / "_toc.yml").write_text(
        "format: jb-book\nroot: index\nchapters:\n  - file: guide/learner\n"
    )
    return tmp_path


def test_build_does_nothing_when_nothing_changed(tiny: Path) -> None:
    said: list[str] = []
    page = build_book(tiny, say=said.append)
    written = page.stat().st_mtime_ns
    build_book(tiny, say=said.append)
    assert page.stat().st_mtime_ns == written
    assert "nothing has changed" in said[-1]

    (tiny / "index.md").write_text("# Other\n\nThe first page has another title now.\n")
    build_book(tiny, say=said.append)
    assert "Other" in (tiny / "_build/html/guide/learner.html").read_text(), "a stale sidebar"


def test_build_fails_on_a_warning_each_time(tiny: Path) -> None:
    (tiny / "index.md").write_text("# One\n\nA [link](nowhere.md) that leads to nothing.\n")
    for _ in range(2):  # Sphinx alone forgets the warning the second time
        with pytest.raises(CourseError, match=r"index\.md:3: WARNING.*nowhere\.md"):
            build_book(tiny, say=lambda text: None)


def test_build_names_a_page_without_a_source(tiny: Path) -> None:
    with (tiny / "_toc.yml").open("a") as toc:
        toc.write("  - file: chapters/99_nothing\n")
    with pytest.raises(CourseError, match=r"lists chapters/99_nothing.*\n.*make notebooks"):
        build_book(tiny, say=lambda text: None)


def test_build_leaves_no_page_that_left_the_contents(tiny: Path) -> None:
    build_book(tiny, say=lambda text: None)
    (tiny / "_toc.yml").write_text("format: jb-book\nroot: index\n")
    site = build_book(tiny, say=lambda text: None).parent
    assert pages(site) == {"index"}
