"""Any notebook -> the learner's answers on the released chapter.

Owns the reading of a file that nobody has checked, and the rules by which a cell of it becomes the answer to an
exercise. Only the *source* of cells is taken: metadata, tags, outputs, kernels and attachments stay behind.
Runs nothing.
"""

from __future__ import annotations

import ast
import copy
import difflib
import hashlib
import json
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from autograde.collect.submissions import OWN

MAX_CELLS = 5_000
MAX_SOURCE = 500_000
"""Characters that one cell may have. A longer one is left out."""
MAX_COMPARED = 200
"""Cells that are compared with a stub, when nothing else says which one answers it."""
MAX_GROWN = 4
"""How many times longer than its stub a cell may be, and still be looked at as the stub with comments."""
JOIN = 3
"""Cells into which one answer may have been split, beyond the first."""


class UnreadableError(Exception):
    """The file is no notebook; the text says what it is instead."""


@dataclass(frozen=True)
class Cell:
    """What is taken from a learner's cell: kind, source and the grade id it claims."""

    kind: str
    source: str
    grade_id: str | None = None


@dataclass
class Rebuilt:
    """A submission on the released chapter.

    Attributes
    ----------
    notebook: the released chapter with the learner's answers, and their other code as plain cells.
    sha256: of the learner's part alone, so that a corrected test or text does not change it.
    repairs: what had to be put right, a sentence each.
    """

    notebook: NotebookNode
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
        source = source.encode("utf-8", "replace").decode().replace("\r\n", "\n")
        yield Cell(str(cell.get("cell_type")), source, _grade_id(cell.get("metadata")))


def _grade_id(metadata: Any) -> str | None:
    """The grade id a cell claims; Colab and others may have moved nbgrader's block one level down."""
    if not isinstance(metadata, dict):
        return None
    for place in (metadata, metadata.get("metadata"), metadata.get("colab")):
        about = place.get("nbgrader") if isinstance(place, dict) else None
        if isinstance(about, dict) and isinstance(about.get("grade_id"), str):
            return str(about["grade_id"])
    return None


# ------------------------------------------------------------------------ rebuilding
def rebuild(cells: Sequence[Cell], released: NotebookNode) -> Rebuilt:
    """Put the learner's answers into the released chapter.

    For each exercise the answer is, of all cells that are not the stub: the last that carries its grade id, or
    one that defines its function between that cell and the test; without one of those, the last that defines the
    function before the test, or else anywhere; without one of those, the cell most like the stub.
    """
    plan = _Plan(cells, released)
    for exercise in plan.stubs:
        plan.choose(exercise)
    return plan.result()


class _Plan:
    """Which of the learner's cells goes where. One object per submission, used once."""

    def __init__(self, cells: Sequence[Cell], released: NotebookNode) -> None:
        self.cells = cells
        self.released = released
        self.repairs: list[str] = []
        self.place: dict[str, int] = {}  # grade id -> index in the released chapter
        self.stubs: dict[str, str] = {}  # exercise -> source of its stub
        self.tests: dict[str, str] = {}  # exercise -> grade id of its test
        for index, cell in enumerate(released.cells):
            about = cell.metadata.get("nbgrader", {})
            if not about.get("grade_id"):
                continue
            self.place[about["grade_id"]] = index
            if about.get("solution"):
                self.stubs[about["grade_id"]] = cell.source
                exercise = about["grade_id"]
            elif about.get("grade") and self.stubs:
                self.tests[exercise] = about["grade_id"]
        self.normalised_sources = {
            exercise: _normalised_source(stub) for exercise, stub in self.stubs.items()
        }
        self.known: dict[int, str] = {}  # learner's cell -> its normalised source
        self.skeleton = self._skeleton_cells()
        self.answers: dict[str, str] = {}
        self.used: dict[int, str] = {}  # learner's cell -> exercise it answers, or answered once

    def _skeleton_cells(self) -> dict[int, int]:
        """learner's cell -> the released cell that it is, for all but solution cells."""
        fixed = {
            index: cell
            for index, cell in enumerate(self.released.cells)
            if not cell.metadata.get("nbgrader", {}).get("solution")
        }
        by_text = {_plain(cell.source): index for index, cell in fixed.items()}
        found: dict[int, int] = {}
        changed: list[str] = []
        for number, cell in enumerate(self.cells):
            index = self.place.get(cell.grade_id or "")
            if index in fixed and not any(self._defines(number, e) for e in self.stubs):
                found[number] = index
                if _plain(cell.source) != _plain(fixed[index].source):
                    changed.append(str(cell.grade_id))
            elif cell.source.strip() and _plain(cell.source) in by_text:
                found[number] = by_text[_plain(cell.source)]
        for grade_id in dict.fromkeys(changed):
            self.repairs.append(f"the locked cell {grade_id} was changed; the released one is used")
        present = set(found.values())
        for grade_id, index in self.place.items():
            if index in fixed and index not in present:
                self.repairs.append(f"the cell {grade_id} is missing; the released one is used")
            elif index in fixed and sum(i == index for i in found.values()) > 1:
                self.repairs.append(f"the cell {grade_id} stands there twice; one is used")
        return found

    # ---- choosing
    def choose(self, exercise: str) -> None:
        """Find the answer to one exercise and note what was wrong with its place or form."""
        labelled = [
            n
            for n, cell in enumerate(self.cells)
            if cell.grade_id == exercise and n not in self.skeleton
        ]
        defining = [n for n in self._loose(exercise) if self._defines(n, exercise)]
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
        elif labelled or defining:
            self._use([*labelled, *defining], exercise)
            self.answers[exercise] = self.stubs[exercise]
            return
        else:
            similar = self._most_similar(exercise)
            self.answers[exercise] = self.stubs[exercise]
            if similar is None:
                self.repairs.append(f"no cell answers {exercise}; its stub is used")
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

    def _defines(self, number: int, exercise: str) -> bool:
        name = re.escape(exercise)
        pattern = rf"^(?:async\s+)?def\s+{name}\s*\(|^{name}\s*=[^=]|^class\s+{name}\b"
        return re.search(pattern, self.cells[number].source, re.M) is not None

    def _is_stub(self, number: int, exercise: str) -> bool:
        normalised_source = self._normalised_sources_of(number, len(self.stubs[exercise]))
        return normalised_source in ("", self.normalised_sources[exercise])

    def _normalised_sources_of(self, number: int, stub: int) -> str:
        """A cell's normalised source, found once. One much longer than the stub is the stub only if it is empty."""
        if number not in self.known:
            code = _code(self.cells[number])
            if len(code) > MAX_GROWN * stub + 1_000:
                lines = (line.strip() for line in code.splitlines())
                return "long" if any(line and line[0] != "#" for line in lines) else ""
            self.known[number] = _normalised_source(code)
        return self.known[number]

    def _last_defining(self, written: list[int], exercise: str) -> int:
        """The last of the cells with the id; the first half, if an editor gave both halves the id."""
        for number in reversed(written):
            if self._defines(number, exercise):
                return number
        return written[-1]

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
            if number in self.skeleton or (
                self.cells[number].grade_id in self.stubs and not same_id
            ):
                break
            rest = _code(self.cells[number])
            apart = compiles(text) and compiles(rest)
            text += "\n" + rest
            parts.append(number)
            if not apart and compiles(text):
                best = list(parts)
            elif apart:
                break
        return best

    def _most_similar(self, exercise: str) -> int | None:
        stub = _plain(self.stubs[exercise])
        ratios = [
            (difflib.SequenceMatcher(None, stub, _plain(self.cells[n].source)[:4000]).ratio(), n)
            for n in self._loose(exercise)[:MAX_COMPARED]
            if n not in self.used
            and self.cells[n].grade_id not in self.stubs
            and len(self.cells[n].source) <= MAX_GROWN * len(stub)  # longer is less than 0.6 alike
            and re.search(r"^\s*def\s", self.cells[n].source, re.M)
        ]
        ratio, number = max(ratios, default=(0.0, -1))
        return number if ratio > 0.6 else None

    # ---- writing
    def result(self) -> Rebuilt:
        """The notebook: released cells in their order, with the learner's other code where it stood."""
        before, after, texts = self._extras()
        if texts:
            self.repairs.append(f"{texts} text cells of the learner's own are not carried over")
        notebook = new_notebook(
            metadata=copy.deepcopy(self.released.metadata),
            nbformat_minor=self.released.nbformat_minor,
        )
        own: list[tuple[str, str]] = []  # all that is the learner's, in order

        def add_own(sources: list[str]) -> None:
            for source in sources:
                own.append(("", source))
                notebook.cells.append(new_code_cell(source, id=f"{OWN}{len(own)}"))

        for index, cell in enumerate(copy.deepcopy(self.released.cells)):
            add_own(before.get(index, []))
            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
            if grade_id in self.answers:
                cell.source = self.answers[grade_id]
                own.append((grade_id, cell.source))
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
            notebook.cells.append(cell)
            add_own(after.get(index, []))
        text = json.dumps([self.released.metadata.get("built_from", {}).get("path"), own])
        return Rebuilt(notebook, hashlib.sha256(text.encode()).hexdigest(), self.repairs)

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
                rival = next((e for e in self.stubs if self._defines(number, e)), None)
                if rival is None:
                    after.setdefault(anchor, []).append(cell.source)
                elif not self._is_stub(
                    number, rival
                ):  # an earlier try: it must not replace the answer
                    before.setdefault(self.place[rival], []).append(cell.source)
        return before, after, texts

    def _superseded(self, number: int) -> bool:
        """A cell with an exercise's id that holds other code than the answer."""
        exercise = self.used[number]
        code = _code(self.cells[number])
        return code not in self.answers[exercise] and not self._is_stub(number, exercise)


def _code(cell: Cell) -> str:
    """The source as code: a markdown cell may have been fenced."""
    if cell.kind == "code":
        return cell.source
    fence = re.fullmatch(r"\s*```\w*\n(.*?)\n?```\s*", cell.source, re.S)
    return fence[1] if fence else cell.source


def _plain(source: str) -> str:
    """A source without what editors change: blanks at line ends, blank lines at both ends."""
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


def _normalised_source(source: str) -> str:
    """A source without comments, docstrings and blanks, to tell whether a stub was touched."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(_without_magics(source))
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
                    node.body = node.body[1:]
            return ast.dump(tree) if tree.body else ""
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _plain(source)


def compiles(source: str) -> bool:
    """Whether a cell is complete Python, IPython's magics aside."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(_without_magics(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _without_magics(source: str) -> str:
    if source.lstrip().startswith("%%"):
        return ""
    return re.sub(r"^([ \t]*)[%!?].*$", r"\1pass", source, flags=re.M)
