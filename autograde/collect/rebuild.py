"""Any notebook -> the learner's answers on the released chapter.

Owns the reading of a file that nobody has checked, and the rules by which a cell of it becomes the answer to an
exercise. Only the *source* of cells is taken: metadata, tags, outputs, kernels and attachments stay behind.
Runs nothing.
"""

from __future__ import annotations

import ast
import hashlib
import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from rapidfuzz import fuzz, process

from autograde import notebook
from autograde.collect.submissions import own_cell
from autograde.collect.which_chapter import (
    NOT_PYTHON,
    Book,
    Cell,
    parsed,
    plain,
    statements,
)

MAX_CELLS = 5_000
MAX_SOURCE = 500_000
"""Characters that one cell may have. A longer one is left out."""
MAX_OWN = 1_000
"""Cells of the learner's own code that stay apart."""
MAX_GROWN = 4
"""How many times longer than its stub a cell may be, and still be looked at as the stub with comments."""
LONGEST_SPLIT = 50_000
"""Characters of an answer that is looked at as split into cells; compiling takes long."""
JOIN = 3
"""Cells into which one answer may have been split, beyond the first."""
BINDS = re.compile(
    r"(?:>>> |In \[\d+\]: )?(?:(?:(?:async[ \t]+)?def|class)[ \t]+(?P<block>\w+)"
    r"|(?P<name>\w+)[ \t]*(?::[^=]*)?=(?!=)|(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+(?P<imported>[^#]+))"
)
"""A line that binds names."""
ELSEWHERE = re.compile(r"\s*%%(?!time\b|timeit\b|capture\b|prun\b|python3?\b)")
"""How a cell begins whose text is not run in the notebook's namespace."""


class UnreadableError(Exception):
    """The file is no notebook; the text says what it is instead."""


@dataclass
class Rebuilt:
    """A submission on the released chapter.

    Attributes
    ----------
    notebook: the released chapter with the learner's answers, and their other code as plain cells.
    sha256: of the learner's part alone, so that a corrected test or text does not change it.
    repairs: what had to be put right, a sentence each.
    """

    notebook: dict[str, Any]
    sha256: str
    repairs: list[str] = field(default_factory=list)


# ------------------------------------------------------------------------ reading
def read_cells(data: bytes) -> tuple[list[Cell], list[str]]:
    """The cells of a notebook file, and what had to be put right to read it. Raises UnreadableError."""
    repairs: list[str] = []
    notebook = _parse(_decode(data, repairs))
    cells = notebook.get("cells")
    if cells is None and isinstance(notebook.get("worksheets"), list):
        repairs.append("the notebook has the old format 3")
        cells = [
            cell
            for sheet in notebook["worksheets"]
            if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list)
            for cell in sheet["cells"]
        ]
    if not isinstance(cells, list):
        raise UnreadableError("it is JSON, but not a notebook: it has no cells")
    if len(cells) > MAX_CELLS:
        raise UnreadableError(f"it has {len(cells)} cells; at most {MAX_CELLS} are read")
    return list(_cells(cells, repairs)), repairs


def _decode(data: bytes, repairs: list[str]) -> str:
    if not data.strip():
        raise UnreadableError("the file is empty")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        repairs.append("the file was saved as UTF-16")
        return data.decode("utf-16", "replace")
    if data[:4] == b"PK\x03\x04":
        raise UnreadableError("it is a zip or office file, renamed")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        repairs.append("some characters of the file were not UTF-8 and are replaced")
        return data.decode("utf-8", "replace")


def _parse(text: str) -> dict[str, Any]:
    head = text[:2000].lstrip().lower()
    if head.startswith(("<!doctype", "<html", "<head", "<?xml")):
        raise UnreadableError("it is a web page, saved under the name of a notebook")
    if re.search(r"^(<{7} |>{7} )", text, re.M):
        raise UnreadableError("it has the marks of an unfinished Git merge (<<<<<<<)")
    try:
        notebook = json.loads(text)
    except RecursionError:
        raise UnreadableError("its JSON is nested too deep") from None
    except ValueError as error:
        line = getattr(error, "lineno", 0)
        truncated = getattr(error, "pos", 0) >= len(text.rstrip()) - 1 or "Unterminated" in str(
            error
        )
        what = "it is cut off" if truncated and head.startswith("{") else "it is not valid JSON"
        raise UnreadableError(f"{what} (line {line} of {text.count(chr(10)) + 1})") from None
    if not isinstance(notebook, dict):
        raise UnreadableError("it is JSON, but not a notebook")
    return notebook


def _cells(cells: list[Any], repairs: list[str]) -> Iterator[Cell]:
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict):
            repairs.append(f"cell {number} is no cell and is left out")
            continue
        source = cell.get("source", cell.get("input", ""))
        if isinstance(source, list):
            source = "".join(part for part in source if isinstance(part, str))
        if not isinstance(source, str):
            repairs.append(f"the text of cell {number} is no text and is left out")
            continue
        if len(source) > MAX_SOURCE:
            repairs.append(f"cell {number} has more than {MAX_SOURCE} characters and is left out")
            continue
        source = (
            source.encode("utf-8", "replace").decode().replace("\r\n", "\n").replace("\r", "\n")
        )
        kind, about = str(cell.get("cell_type")), _about(cell.get("metadata"))
        yield Cell(kind, source, about.get("grade_id"), _is_as_released(kind, source, about))


def _about(metadata: Any) -> dict[str, Any]:
    """What a cell claims to be; Colab and others may have moved nbgrader's block one level down."""
    if isinstance(metadata, dict):
        for place in (metadata, metadata.get("metadata"), metadata.get("colab")):
            about = place.get("nbgrader") if isinstance(place, dict) else None
            if isinstance(about, dict) and isinstance(about.get("grade_id"), str):
                return about
    return {}


def _is_as_released(kind: str, source: str, about: dict[str, Any]) -> bool:
    """Whether nbgrader's checksum of a cell still fits, whichever release it came from."""
    grade, solution, points = bool(about.get("grade")), bool(about.get("solution")), ""
    locked = not solution and (grade or bool(about.get("locked")))
    if grade and isinstance(about.get("points"), int | float):
        points = str(float(about["points"]))
    text = f"{source}{kind}{grade}{solution}{locked}{about.get('grade_id')}{points}"
    return (
        about.get("checksum")
        == hashlib.md5(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
    )


# ------------------------------------------------------------------------ rebuilding
def rebuild(cells: Sequence[Cell], released: dict[str, Any], book: Book | None = None) -> Rebuilt:
    """Put the learner's answers into the released chapter.

    For each exercise the answer is, of all cells that are not the stub: the last that carries its grade id, or
    one that defines its function between that cell and the test; without one of those, the last that defines the
    function before the test, or else anywhere; without one of those, the cell most like the stub. Locked cells
    answer nothing; what a learner added to one is a cell of their own right before it.
    """
    plan = _Plan(cells, released, book)
    for exercise in plan.stubs:
        plan.choose(exercise)
    return plan.result()


class _Plan:
    """Which of the learner's cells goes where. One object per submission, used once."""

    def __init__(self, cells: Sequence[Cell], released: dict[str, Any], book: Book | None) -> None:
        self.released = released
        self.book = book
        self.repairs: list[str] = []
        self.room = MAX_SOURCE  # characters of changed locked cells that are looked into
        self.fixed = list(notebook.cells(released))
        self.place = {c.grade_id: n for n, c in enumerate(self.fixed) if c.grade_id}
        self.stubs = {c.grade_id: c.source for c in self.fixed if c.role == "solution"}
        self.tests: dict[str, str] = {}  # exercise -> grade id of its test
        exercise = ""
        for cell in self.fixed:
            if cell.role == "solution":
                exercise = cell.grade_id
            elif cell.role == "test" and exercise:
                self.tests[exercise] = cell.grade_id
        self.normalised_stubs = {e: _normalised(stub) for e, stub in self.stubs.items()}
        self.known: dict[int, str] = {}  # learner's cell -> its normalised source
        self.by_text = {
            plain(c.source): n for n, c in enumerate(self.fixed) if c.role != "solution"
        }
        self.cells = [part for cell in cells for part in self._split(cell)]
        self.bound = [bound(cell.source) for cell in self.cells]
        self.skeleton = self._skeleton_cells()
        self.answers: dict[str, str] = {}
        self.used: dict[int, str] = {}  # learner's cell -> exercise it answers, or answered once

    def _split(self, cell: Cell) -> list[Cell]:
        """A changed locked cell as what was added to it and the cell; all others as they are."""
        id, index = cell.grade_id or "", self.place.get(cell.grade_id or "", -1)
        locked = id in notebook.INJECTED or (index >= 0 and self.fixed[index].role != "solution")
        rest = [cell] if index >= 0 else []
        if not locked or plain(cell.source) in self.by_text:
            return [cell]
        if cell.is_as_released:  # of an earlier release, or another chapter
            return rest
        source = _code(cell)
        self.room -= len(source)
        said = statements(source) if self.room > 0 else {}
        theirs = statements(self.fixed[index].source) if rest else {}
        if not said and plain(source):
            added = source if bound(source) & self.stubs.keys() else ""
            how = "" if added else " (what is in it is no Python, or too much)"
        else:
            published = self.book.statements if self.book else set()
            new = [node for key, node in said.items() if key not in theirs and key not in published]
            added = "\n".join(map(ast.unparse, new))
            how = ", and what was added runs as a cell of its own before it" if added else ""
        self.repairs.append(f"the locked cell {id} was changed; the released one is used{how}")
        return [Cell("code", added), *rest] if added else rest

    def _skeleton_cells(self) -> dict[int, int]:
        """learner's cell -> the released cell that it is, for all but solution cells."""
        found: dict[int, int] = {}
        for number, cell in enumerate(self.cells):
            index = self.place.get(cell.grade_id or "")
            text = plain(cell.source)
            if text and text in self.by_text:
                found[number] = self.by_text[text]
            elif index is not None and self.fixed[index].role != "solution":
                found[number] = index
            elif text and self.bound[number] & self.stubs.keys() and self._is_published(text):
                self.repairs.append("a cell of another chapter of the course answers nothing")
                self.cells[number] = Cell(cell.kind, "")
        present = Counter(found.values())
        for grade_id, index in self.place.items():
            if self.fixed[index].role != "solution" and present[index] != 1:
                how = (
                    "stands there twice; one" if present[index] else "is missing; the released one"
                )
                self.repairs.append(f"the cell {grade_id} {how} is used")
        return found

    def _is_published(self, text: str) -> bool:
        return self.book is not None and text in self.book.published

    # ---- choosing
    def choose(self, exercise: str) -> None:
        """Find the answer to one exercise and note what was wrong with its place or form."""
        labelled = [
            n
            for n, cell in enumerate(self.cells)
            if cell.grade_id == exercise and n not in self.skeleton
        ]
        defining = [n for n in self._loose(exercise) if exercise in self.bound[n]]
        written = [n for n in labelled if not self._is_stub(n, exercise)]
        elsewhere = [n for n in defining if not self._is_stub(n, exercise)]
        end = self._test_position(exercise, labelled)
        if written:
            chosen = self._last_defining(written, exercise)
            later = [n for n in elsewhere if chosen < n < end]
            how = "written in a new cell below its own" if later else ""
            chosen = later[-1] if later else chosen
        elif elsewhere:
            chosen = ([n for n in elsewhere if n < end] or elsewhere)[-1]
            how = "found by its function's name" if not labelled else "written in a new cell"
        else:
            similar = None if labelled or defining else self._most_similar(exercise)
            if similar is None:
                self._leave_stub([*labelled, *defining], exercise)
                return
            chosen, how = similar, "found by its likeness to the stub"
        cells = self._joined(chosen)
        if len(cells) > 1:
            self.repairs.append(f"the answer to {exercise} was split into {len(cells)} cells")
        if len(written) > 1 and len(cells) == 1:
            self.repairs.append(f"{len(written)} cells carry the id {exercise}; the last is used")
        if how:
            self.repairs.append(f"the answer to {exercise} was {how}")
        if self.cells[chosen].kind != "code":
            self.repairs.append(f"the answer to {exercise} was in a {self.cells[chosen].kind} cell")
        self._use([*labelled, *cells], exercise)
        self.answers[exercise] = "\n".join(_code(self.cells[n]) for n in cells)

    def _leave_stub(self, cells: list[int], exercise: str) -> None:
        self._use(cells, exercise)
        self.answers[exercise] = stub = self.stubs[exercise]
        if not cells:
            self.repairs.append(f"no cell answers {exercise}; its stub is used")
        elif all(plain(self.cells[n].source) != plain(stub) for n in cells):
            self.repairs.append(
                f"the cell {exercise} was changed, but holds no code; its stub is used"
            )

    def _use(self, cells: Sequence[int], exercise: str) -> None:
        for number in cells:
            self.used.setdefault(number, exercise)

    def _loose(self, exercise: str) -> list[int]:
        """Code cells of the learner's own that do not carry the exercise's id."""
        return [
            number
            for number, cell in enumerate(self.cells)
            if cell.kind == "code" and number not in self.skeleton and cell.grade_id != exercise
        ]

    def _is_stub(self, number: int, exercise: str) -> bool:
        return self._normalised(number, exercise) in ("", self.normalised_stubs[exercise])

    def _normalised(self, number: int, exercise: str) -> str:
        """A cell's normalised source, found once. One much longer than the stub is the stub only if it is empty."""
        if number not in self.known:
            code = _code(self.cells[number])
            if len(code) > MAX_GROWN * len(self.stubs[exercise]) + 1_000:
                lines = (line.strip() for line in code.split("\n"))
                return "long" if any(line and line[0] != "#" for line in lines) else ""
            self.known[number] = _normalised(code)
        return self.known[number]

    def _last_defining(self, written: list[int], exercise: str) -> int:
        """The last of the cells with the id; the first half, if an editor gave both halves the id."""
        defining = [n for n in written if exercise in self.bound[n]]
        return (defining or written)[-1]

    def _test_position(self, exercise: str, labelled: list[int]) -> int:
        """Where the exercise's test stands among the learner's cells; the end if it is gone."""
        index = self.place.get(self.tests.get(exercise, ""))
        start = labelled[-1] if labelled else -1
        places = [n for n, i in self.skeleton.items() if i == index and n > start]
        return min(places, default=len(self.cells))

    def _joined(self, first: int) -> list[int]:
        """The cell, and those after it that are the rest of it: apart they do not compile, together they do."""
        best = [first]
        text = _code(self.cells[first])
        parts = [first]
        for number in range(first + 1, min(first + 1 + JOIN, len(self.cells))):
            same_id = self.cells[number].grade_id == self.cells[first].grade_id
            rest = _code(self.cells[number])
            other = self.cells[number].grade_id in self.stubs and not same_id
            if number in self.skeleton or other or len(text) + len(rest) > LONGEST_SPLIT:
                break
            apart = compiles(text) and compiles(rest)
            text += "\n" + rest
            parts.append(number)
            if not apart and compiles(text):
                best = list(parts)
            elif apart:
                break
        return best

    def _most_similar(self, exercise: str) -> int | None:
        stub = plain(self.stubs[exercise])
        texts = {
            n: plain(self.cells[n].source)
            for n in reversed(self._loose(exercise))
            if n not in self.used
            and self.cells[n].grade_id is None
            and re.search(r"^[ \t]*def\s", self.cells[n].source, re.M)
        }
        found = process.extractOne(stub, texts, scorer=fuzz.ratio, score_cutoff=60)
        return int(found[2]) if found else None

    # ---- writing
    def result(self) -> Rebuilt:
        """The notebook: released cells in their order, with the learner's other code where it stood."""
        before, after, texts = self._extras()
        if texts:
            self.repairs.append(f"{texts} text cells of the learner's own are not carried over")
        cells: list[dict[str, Any]] = []
        own: list[tuple[str, str]] = []  # all that is the learner's, in order
        few = self._few_enough(before, after)

        def add_own(sources: list[str]) -> None:
            for source in few(sources):
                own.append(("", source))
                cells.append(own_cell(source, len(own)))

        for index, cell in enumerate(self.released["cells"]):
            add_own(before.get(index, []))
            grade_id = self.fixed[index].grade_id
            answered = grade_id in self.answers
            if answered:
                own.append((grade_id, self.answers[grade_id]))
            cells.append(cell | {"source": self.answers[grade_id]} if answered else cell)
            add_own(after.get(index, []))
        built_from = self.released["metadata"].get("built_from", {}).get("path")
        digest = hashlib.sha256(json.dumps([built_from, own]).encode()).hexdigest()
        return Rebuilt(self.released | {"cells": cells}, digest, self.repairs)

    def _few_enough(self, *places: dict[int, list[str]]) -> Callable[[list[str]], list[str]]:
        """Joins neighbours where there are more cells than the grader takes in one go."""
        count = sum(len(sources) for place in places for sources in place.values())
        size = -(-count // MAX_OWN)
        if size < 2:
            return lambda sources: sources
        self.repairs.append(f"{count} cells of the learner's own are run {size} at a time")

        def joined(sources: list[str]) -> list[str]:
            return ["\n".join(sources[n : n + size]) for n in range(0, len(sources), size)]

        return lambda sources: [
            text
            for fine, run in itertools.groupby(sources, compiles)
            for text in (joined(list(run)) if fine else run)
        ]

    def _extras(self) -> tuple[dict[int, list[str]], dict[int, list[str]], int]:
        """The learner's other code: index of a released cell -> sources before and after it."""
        before: dict[int, list[str]] = {}
        after: dict[int, list[str]] = {}
        texts = 0
        anchor = 0
        for number, cell in enumerate(self.cells):
            if number in self.skeleton:
                anchor = max(anchor, self.skeleton[number])
            elif number in self.used:
                slot = self.place[self.used[number]]
                anchor = max(anchor, slot)
                if self._superseded(number):
                    before.setdefault(slot, []).append(_code(cell))
            elif cell.kind != "code":
                texts += bool(cell.source.strip())
            elif cell.source.strip():
                rival = next((e for e in self.stubs if e in self.bound[number]), None)
                if rival is None:
                    after.setdefault(anchor, []).append(cell.source)
                elif not self._is_stub(number, rival):
                    # an earlier try: it must not replace the answer
                    before.setdefault(self.place[rival], []).append(cell.source)
        return before, after, texts

    def _superseded(self, number: int) -> bool:
        """A cell with an exercise's id that holds other code than the answer."""
        exercise = self.used[number]
        code = _code(self.cells[number])
        return code not in self.answers[exercise] and not self._is_stub(number, exercise)


# ------------------------------------------------------------------------ code
def bound(source: str) -> set[str]:
    """The names that a cell binds at its top, under an `if` or a `try` too, but not inside a function.

    Looks at the text, so that a cell that is no Python, or very long, is no other case.
    """
    names: set[str] = set()
    inside = -1  # how far the function is indented in which a line stands
    for line in source.split("\n") if not ELSEWHERE.match(source) else []:
        text = line.lstrip()
        indent = len(line) - len(text)
        if not text or text[0] == "#" or 0 <= inside < indent:
            continue
        found = BINDS.match(text)
        inside = indent if found and found["block"] else -1
        if found and found["imported"]:
            parts = found["imported"].strip("() ").split(",")
            names |= {part.split(" as ")[-1].strip() for part in parts}
        elif found:
            names.add(found["block"] or found["name"])
    return names


def _code(cell: Cell) -> str:
    """The source as code: a markdown cell may have been fenced."""
    if cell.kind == "code":
        return cell.source
    fence = re.fullmatch(r"\s*```\w*\n(.*?)\n?```\s*", cell.source, re.S)
    return fence[1] if fence else cell.source


@lru_cache(64)  # the stubs are the same for all
def _normalised(source: str) -> str:
    """A source without comments, docstrings and blanks, to tell whether a stub was touched."""
    try:
        tree = parsed(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
                node.body = node.body[1:]
        return ast.dump(tree) if tree.body else ""
    except NOT_PYTHON:
        return plain(source)


def compiles(source: str) -> bool:
    """Whether a cell is complete, as Jupyter reads it."""
    try:
        parsed(source)
    except NOT_PYTHON:
        return False
    return True
