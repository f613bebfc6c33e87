"""What the form of a chapter asks for, each rule as a function that returns the faults it finds, in words.

`tests/test_chapters.py` holds all chapters to them; `tests/test_form.py` shows that each rule finds its fault.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograde.build.announce import (
    DIFFICULTY,
    FOLDED,
    HEADING,
    KIND_WORDS,
    ROUNDED_TO,
    code_lines,
    minutes,
    words,
)
from autograde.build.execute import EQUATION as NUMBERED
from autograde.build.source import Source, read_all
from autograde.layout import Layout, number_of

MOST_WORDS, MOST_LINES = 2600, 330
EXERCISES = range(3, 5)
FEWEST_KINDS = 3
HARD = {"derive", "design", "expose"}
DISPLAYED = re.compile(r"^\$\$$(.*?)^\$\$$", re.DOTALL | re.MULTILINE)
TAG = re.compile(r"\\tag\{((?:\d+|P)\.\d+)\}")
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
ADDRESS = re.compile(r"https://[a-z0-9.-]+\.[a-z]{2,}(/[^\s]*)?")
DOI = re.compile(r"https://doi\.org/10\.\d{4,9}/\S+")
ARXIV = re.compile(r"https://arxiv\.org/abs/(\d{4}\.\d{4,5}|[a-z-]+(\.[A-Z]{2})?/\d{7})(v\d+)?")
BANNED = re.compile(r"\b(?:simply|obviously|trivially|just)\b", re.IGNORECASE)


@cache
def book(layout: Layout) -> dict[str, Source]:
    """Every chapter's source, read once for all tests: they only look."""
    return read_all(layout)


@dataclass(frozen=True)
class Chapter:
    """A chapter to be looked at: its text, and its two built notebooks."""

    name: str
    layout: Layout

    @cached_property
    def book(self) -> dict[str, Source]:
        return book(self.layout)

    @cached_property
    def source(self) -> Source:
        return self.book[self.name]

    @cached_property
    def learner(self) -> NotebookNode:
        return nbformat.read(self.layout.chapter(self.name), as_version=4)

    @cached_property
    def reference(self) -> NotebookNode:
        return nbformat.read(self.layout.solution(self.name), as_version=4)

    @property
    def number(self) -> str:
        return number_of(self.name)

    @cached_property
    def prose(self) -> str:
        return "\n\n".join(
            c.source for c in self.source.notebook.cells if c.cell_type == "markdown"
        )

    @property
    def code(self) -> list[NotebookNode]:
        return [c for c in self.source.notebook.cells if c.cell_type == "code"]

    @property
    def examples(self) -> list[NotebookNode]:
        """Cells that run without the learner."""
        own = {"exercise", "check", "yours"}
        return [c for c in self.code if not own & set(c.metadata)]


Rule = Callable[[Chapter], Iterator[str]]
RULES: list[Rule] = []


def rule(function: Rule) -> Rule:
    RULES.append(function)
    return function


# ---------------------------------------------------------------- equations
@rule
def equations_are_numbered_and_asserted(chapter: Chapter) -> Iterator[str]:
    """Each displayed equation has one number, in order, and a cell that runs without the learner asserts it."""
    numbers = []
    for equation in DISPLAYED.findall(chapter.prose):
        tags = TAG.findall(equation)
        if len(tags) != 1:
            yield f"one number an equation: {equation.strip()[:60]}"
        numbers += tags
    if chapter.prose.count("$$") != 2 * len(DISPLAYED.findall(chapter.prose)):
        yield "an equation is not on lines of its own"
    if numbers != [f"{chapter.number}.{k + 1}" for k in range(len(numbers))]:
        yield f"equations are not numbered in order: {numbers}"
    asserting = [c.source for c in chapter.examples if re.search(r"^\s*assert ", c.source, re.M)]
    for number in numbers:
        if not any(re.search(rf"#.*\({re.escape(number)}\)", text) for text in asserting):
            yield f"no cell asserts ({number})"


@rule
def equations_named_in_the_text_exist(chapter: Chapter) -> Iterator[str]:
    for name, source in chapter.book.items():
        if name == chapter.name:
            known = set(TAG.findall(chapter.prose))
            found = re.findall(r"(?<![\w.])\(((?:\d+|P)\.\d+)\)", chapter.prose)
            for number in {n for n in found if n.split(".")[0] == chapter.number} - known:
                yield f"there is no equation ({number})"
            continue
        text = "\n".join(c.source for c in source.notebook.cells)
        theirs = set(TAG.findall(text))
        pattern = rf"\(({re.escape(number_of(name))}\.\d+)\)"
        for number in set(re.findall(pattern, chapter.prose)) - theirs:
            yield f"{name} has no equation ({number})"


# ---------------------------------------------------------------- limits
@rule
def a_chapter_is_short(chapter: Chapter) -> Iterator[str]:
    count = sum(words(c.source) for c in chapter.source.notebook.cells if c.cell_type == "markdown")
    if count > MOST_WORDS:
        yield f"{count} words; at most {MOST_WORDS}"
    lines = sum(map(code_lines, chapter.reference.cells))
    if lines > MOST_LINES:
        yield f"{lines} visible lines of code; at most {MOST_LINES}"


@rule
def exercises_make_one_think(chapter: Chapter) -> Iterator[str]:
    """Three or four, of three kinds, one of them derive, design or expose. A project may have its own number."""
    kinds = chapter.source.kinds
    missing = set(chapter.source.solutions) - set(kinds)
    if missing:
        yield f"no kind: {', '.join(sorted(missing))}"
    if len(chapter.source.solutions) not in EXERCISES and chapter.number != "P":
        yield f"{len(chapter.source.solutions)} exercises; three or four"
    if len(set(kinds.values())) < FEWEST_KINDS and chapter.number != "P":
        yield f"kinds: {', '.join(sorted(set(kinds.values())))}; at least {FEWEST_KINDS}"
    if not HARD & set(kinds.values()):
        yield f"none of {', '.join(sorted(HARD))}"


# ---------------------------------------------------------------- headings, hints, parts
@rule
def exercises_are_announced(chapter: Chapter) -> Iterator[str]:
    """Headings in order; below each a statement, two hints, the exercise, the check. (The build wants `yours`.)"""
    found = HEADING.findall(chapter.prose)
    names = list(chapter.source.solutions)
    if [name for _, name in found] != names:
        yield f"announced: {[name for _, name in found]}; exercises: {names}"
    wanted = [f"{chapter.number}.{k + 1}" for k in range(len(names))]
    if [number for number, _ in found] != wanted:
        yield f"exercise numbers: {[number for number, _ in found]}"
    cells = chapter.source.notebook.cells
    for index, cell in enumerate(cells):
        name = cell.metadata.get("exercise")
        if not name:
            continue
        above = cells[index - 1]
        if above.cell_type != "markdown" or f"`{name}`**" not in above.source:
            yield f"{name}: its statement does not stand directly above its cell"
        elif above.source.count("<summary>Hint") != 2:
            yield f"{name}: {above.source.count('<summary>Hint')} hints; two"
        below = [c.metadata for c in cells[index + 1 :] if c.cell_type == "code"][:1]
        if not below or below[0].get("check") != name:
            yield f"{name}: its check does not stand directly below its cell"
        if len({c.cell_type for c in cells[index : index + 2]}) != 1:
            yield f"{name}: text stands between the exercise and its check"


@rule
def parts_stand_in_order(chapter: Chapter) -> Iterator[str]:
    start = "# Project · " if chapter.number == "P" else f"# {chapter.number} · "
    marks = [
        start,
        "**You will be able to**",
        "**You need first**",
        "**Time** {minutes} minutes · **Points** {points}",
        "## What we now have",
        "## Three things people get wrong here",
        "## Check yourself",
        "## Where it comes from",
    ]
    places = [chapter.prose.find(mark) for mark in marks]
    if -1 in places:
        yield f"there is no {marks[places.index(-1)]!r}"
    elif places != sorted(places):
        yield "its parts are out of order"
    if chapter.number != "P" and not re.search(r"^# .*\?$", chapter.prose, re.MULTILINE):
        yield "the title is no question"
    for heading in re.findall(r"^## (.*)$", chapter.prose, re.MULTILINE):
        if not re.match(rf"{chapter.number}\.\d+ \S", heading) and f"## {heading}" not in marks:
            yield f"the section {heading!r} has no number"


@rule
def the_text_keeps_to_the_style(chapter: Chapter) -> Iterator[str]:
    text = re.sub(r"```.*?```|\$\$.*?\$\$|\$[^$]*\$|`[^`]*`", "", chapter.prose, flags=re.DOTALL)
    for word in BANNED.findall(text):
        yield f"the word {word!r}"
    if re.search(r"\w!(?!\w)", text):
        yield "an exclamation mark"
    if re.search(r"[\U0001F300-\U0001FAFF]", text):
        yield "an emoji"
    if re.search(r"!\[[^]]*\]\(http|<(?:script|img|iframe)", chapter.prose):
        yield "something that is loaded from elsewhere"
    for summary in re.findall(r"<summary>(.*?)</summary>", chapter.prose):
        if "$" in summary or "`" in summary:
            yield f"a summary with marks that stay unset: {summary}"
    for cell in chapter.source.notebook.cells:
        if cell.cell_type == "markdown":
            yield from broken_paragraphs(cell.source)


def broken_paragraphs(text: str) -> Iterator[str]:
    """A paragraph is one line: so it is one sentence list for a translator, and one line in a diff."""
    text = DISPLAYED.sub("", text)
    is_text = False
    for line in text.splitlines():
        starts = re.match(r"\s*([-*+>|#<]|\d+\.|:{3}|```|\$\$|\(|$)", line) is not None
        if is_text and not starts:
            yield f"a paragraph of two lines: {line[:60]!r}"
        is_text = bool(line.strip()) and not starts


# ---------------------------------------------------------------- links
@rule
def links_lead_somewhere(chapter: Chapter) -> Iterator[str]:
    root = chapter.layout.root
    plain = re.sub(r"\$[^$]*\$|`[^`\n]*`", "", chapter.prose)
    for text, target in LINK.findall(plain):
        yield from link_faults(target, chapter.layout.chapters, root)
        if not text.strip():
            yield f"a link without words to {target}"


def link_faults(target: str, folder: Path, root: Path) -> Iterator[str]:
    """What is wrong with a link that stands in a page of `folder`."""
    if target.startswith("http"):
        if not ADDRESS.fullmatch(target):
            yield f"not an https address: {target}"
        elif "doi.org" in target and not DOI.fullmatch(target):
            yield f"not a DOI: {target}"
        elif "arxiv.org" in target and not ARXIV.fullmatch(target):
            yield f"not an arXiv page: {target}"
        return
    path, _, anchor = target.partition("#")
    page = (folder / path).resolve() if path else None
    if page is not None and not (page.exists() or page.with_suffix(".md").exists()):
        source = root / "solutions" / f"{page.stem}.md"
        if page.parent.name != "chapters" or not source.exists():
            yield f"it leads nowhere: {target}"
            return
    if anchor and page is not None and page.suffix == ".md" and anchor not in anchors(page):
        yield f"{path} has no heading #{anchor}"


def anchors(page: Path) -> set[str]:
    """The addresses of the headings of a page, as myst makes them."""
    found = set()
    for heading in re.findall(r"^#{1,3} (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE):
        text = re.sub(r"[$`*_\\{}]", "", re.sub(r"\(([^)]*)\)=", "", heading)).strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return found


@rule
def sources_have_addresses(chapter: Chapter) -> Iterator[str]:
    """Each entry of "Where it comes from" has a link; the article the course starts from has none."""
    part = chapter.prose.partition("## Where it comes from")[2]
    for line in part.splitlines():
        is_article = "自注意力怎么计算" in line or "How is self-attention computed?" in line
        if re.match(r"\s*[-*] ", line) and "](http" not in line and not is_article:
            yield f"no address: {line.strip()[:70]}"


# ---------------------------------------------------------------- the built notebooks
@rule
def the_built_form_is_complete(chapter: Chapter) -> Iterator[str]:
    """Headings and box filled in, cells folded by their tags, figures and drawings ready to be read."""
    text = "\n".join(c.source for c in chapter.learner.cells if c.cell_type == "markdown")
    if "{minutes}" in text or "{points}" in text:
        yield "minutes and points are not filled in"
    total = sum(chapter.source.points.values())
    box = re.search(r"\*\*Time\*\* (\d+) minutes · \*\*Points\*\* (\d+)", text)
    if not box or int(box[2]) != total or int(box[1]) % ROUNDED_TO:
        yield f"the box says {box and box[0]!r}; points are {total}"
    elif not 0 <= int(box[1]) - minutes(chapter.reference, chapter.source) < ROUNDED_TO:
        yield f"the box says {box[1]} minutes; the rule gives another number"
    for name, points in chapter.source.points.items():
        stars, length = DIFFICULTY[points]
        kind = KIND_WORDS[chapter.source.kinds[name]]
        line = f"`{name}`** · {kind} · {stars} · {length} minutes · {points} point"
        if line not in text:
            yield f"the heading of {name} does not say {line!r}"
    for cell in chapter.learner.cells:
        tags = set(cell.metadata.get("tags", []))
        is_folded = cell.metadata.get("jupyter", {}).get("source_hidden", False)
        if (
            is_folded != bool(tags & FOLDED)
            or (cell.metadata.get("cellView") == "form") != is_folded
        ):
            yield f"{cell.id}: tags {sorted(tags)}, folded: {is_folded}"


@rule
def figures_and_drawings_speak(chapter: Chapter) -> Iterator[str]:
    alts: list[str] = []
    touches = 0
    for cell in chapter.reference.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                alt = cell.metadata.mystnb.image.alt
                alts.append(alt)
                if len(alt) <= 60 or re.search(r"\.(png|svg)$", alt):
                    yield f"{cell.id}: its alternative text does not tell the finding: {alt!r}"
                tags = set(cell.metadata.get("tags", []))
                if not tags & {"figure", "yours"} and not NUMBERED.search(cell.source):
                    yield f"{cell.id}: a figure that is not folded"
            if 'class="touch"' in data.get("text/html", ""):
                touches += 1
                yield from drawing_faults(cell.id, data["text/html"])
    if len(set(alts)) != len(alts):
        yield "two figures with one alternative text"
    if not touches and chapter.number != "P":
        yield "no drawing with sliders"
    if not alts:
        yield "no figure"


def drawing_faults(id: str, page: str) -> Iterator[str]:
    says = re.search(r'class="touch-says"[^>]*>([^<]*)<', page)
    title = re.search(r'class="touch-title"[^>]*>([^<]*)<', page)
    if not says or not says[1].strip():
        yield f"{id}: says nothing without script"
    if not title or not title[1].strip().endswith("?"):
        yield f"{id}: does not ask a question"
    if re.search(r"<svg[^>]*></svg>", page):
        yield f"{id}: shows nothing without script"
    if page.find("touch-says") > page.find("<svg"):
        yield f"{id}: its read-out stands below the drawing"
