"""solutions/NN.md -> solutions/NN.ipynb (executed) -> chapters/NN.ipynb (what learners open).

Owns the order of the build, the cells it injects, and the stamp that says what a built notebook was built from.
Built files are replaced only after the whole build of a chapter has succeeded.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode
from tqdm import tqdm

from autograde.build import expected
from autograde.build.announce import announce, fold
from autograde.build.examples import hidden_tests, with_tests
from autograde.build.execute import execute
from autograde.build.source import CELLS, Source, read_all, recap_source, require_form
from autograde.build.student_version import cut
from autograde.files import write_whole
from autograde.layout import Layout
from autograde.mistakes import load

INJECTED = [CELLS / "setup.py", CELLS / "touch.js"]
FORMAT = "2"
"""What the builder itself makes of its inputs; raise it when built notebooks would change."""
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


# ---------------------------------------------------------------- the verbs
def build(
    chapters: list[str] | None = None, force: bool = False, layout: Layout | None = None
) -> list[str]:
    """Build the notebooks of `chapters` (default: all) whose inputs changed; return the names built.

    Raises CourseError for a fault in a source; the built files then are what they were.
    """
    layout = layout or Layout()
    book = read_all(layout)
    wanted = [layout.find(chapter) for chapter in chapters] if chapters else list(book)
    for name in wanted:
        recap_source(name, book)
    stale = [name for name in wanted if force or state(name, book, layout) is not None]
    with tqdm(total=3 * len(stale), unit="step", disable=not stale, dynamic_ncols=True) as bar:
        for name in stale:
            bar.set_description(f"{name}: answers")
            notebook = assemble(name, book, layout)
            bar.update()
            bar.set_description(f"{name}: executing")
            execute(notebook, book[name].path)
            announce(notebook, book[name])
            fold(notebook)
            bar.update()
            bar.set_description(f"{name}: cutting")
            with tempfile.TemporaryDirectory() as course:
                student = cut(notebook, name, Path(course))
            for built in (notebook, student):
                stamp(built, name, book, layout)
            replace(layout.solution(name), notebook)
            replace(layout.chapter(name), student)
            bar.update()
    if not chapters:
        for orphan in orphans(layout):
            orphan.unlink()
    return stale


def drift(layout: Layout | None = None) -> list[str]:
    """What of the built files does not match its source, a sentence each; runs no notebook."""
    layout = layout or Layout()
    book = read_all(layout)
    faults = [fault for name in book if (fault := state(name, book, layout)) is not None]
    return faults + [f"{path}: built from no source; remove it." for path in orphans(layout)]


def state(name: str, book: dict[str, Source], layout: Layout) -> str | None:
    """None if the built notebooks of a chapter are current, else the sentence that says what is not."""
    for path in (layout.solution(name), layout.chapter(name)):
        if not path.exists():
            return f"{path}: not built yet; run make notebooks."
        try:
            notebook = nbformat.read(path, as_version=4)
            built = notebook.metadata.get("built_from", {})
            content = fingerprint(notebook)
        except Exception:
            return f"{path}: is no notebook any more; run make notebooks."
        if built.get("sha256") != inputs(name, book, layout):
            return f"{path}: its source has changed; run make notebooks."
        if built.get("content") != content:
            return f"{path}: was edited by hand; put the change into {book[name].path} and run make notebooks."
    return None


def orphans(layout: Layout) -> list[Path]:
    """Built notebooks without a source."""
    built = [*layout.solutions.glob("*.ipynb"), *layout.chapters.glob("*.ipynb")]
    return [path for path in sorted(built) if path.stem not in layout.names()]


# ---------------------------------------------------------------- assembling
def assemble(name: str, book: dict[str, Source], layout: Layout) -> NotebookNode:
    """The chapter's notebook with the injected cells and nbgrader's metadata, not yet executed."""
    source = book[name]
    recap = recap_source(name, book)
    require_form(source, recap)
    setup = setup_source("TOUCH" if "touch(" in jupytext.writes(source.notebook, fmt="py") else "")
    chapter = expected.run_reference(setup, recap, source)
    table = expected.record(chapter, source, load(name, layout))
    tested = {
        exercise: with_tests(check, hidden_tests(exercise, source, chapter))
        for exercise, check in source.checks.items()
    }
    notebook = nbformat.v4.new_notebook(metadata=METADATA)
    notebook.cells = [
        finished(cell, index, source, tested) for index, cell in enumerate(source.notebook.cells)
    ]
    filled = setup.replace("ANSWERS = {}", expected.as_source(table), 1)
    injected = [read_only("setup", filled)]
    if recap:
        injected.append(read_only("recap", recap))
    notebook.cells[1:1] = injected
    return notebook


def setup_source(touch: str) -> str:
    """The setup cell, with the drawing script where the chapter has something to touch."""
    text = (CELLS / "setup.py").read_text(encoding="utf-8").replace("  # fmt: skip", "")
    script = (CELLS / "touch.js").read_text(encoding="utf-8") if touch else ""
    place = re.search(r'^TOUCH_SCRIPT = "".*$', text, re.MULTILINE)
    assert place is not None
    text = text[: place.start()] + f'TOUCH_SCRIPT = r"""{script}"""' + text[place.end() :]
    return re.sub(r"^ANSWERS = \{\}.*$", "ANSWERS = {}", text, flags=re.MULTILINE).strip()


def read_only(grade_id: str, source: str) -> NotebookNode:
    """An injected cell: nbgrader puts it back if a learner changes it."""
    return nbformat.v4.new_code_cell(
        source,
        id=grade_id,
        metadata={
            "tags": [grade_id, "hide-input"],
            "nbgrader": grading(grade_id, locked=True),
        },
    )


def grading(
    grade_id: str, *, solution: bool = False, locked: bool = False, score: int = 0
) -> dict[str, Any]:
    """nbgrader's metadata of a cell (schema 3)."""
    cell = {"schema_version": 3, "grade_id": grade_id, "solution": solution, "locked": locked}
    return cell | {"grade": bool(score), "task": False} | ({"points": score} if score else {})


def finished(
    cell: NotebookNode, index: int, source: Source, tested: dict[str, str]
) -> NotebookNode:
    """A source cell as it stands in the built notebook; `tested`: exercise -> its whole check cell."""
    tags = list(cell.metadata.get("tags", []))
    metadata: dict[str, Any] = {}
    name, text = f"cell-{index:03d}", cell.source
    if exercise := cell.metadata.get("exercise"):
        name = exercise
        tags.append("exercise")
        metadata["nbgrader"] = grading(exercise, solution=True)
    if exercise := cell.metadata.get("check"):
        name, text = f"test_{exercise}", tested[exercise]
        tags.append("check")
        metadata["nbgrader"] = grading(name, locked=True, score=source.points[exercise])
    if "yours" in cell.metadata:
        tags.append("yours")
    if tags:
        metadata["tags"] = tags
    if cell.cell_type == "code":
        return nbformat.v4.new_code_cell(text, id=name, metadata=metadata)
    return nbformat.v4.new_markdown_cell(text, id=name, metadata=metadata)


# ---------------------------------------------------------------- stamps and files
def inputs(name: str, book: dict[str, Source], layout: Layout) -> str:
    """SHA-256 over everything a chapter is built from."""
    digest = hashlib.sha256((FORMAT + recap_source(name, book)).encode())
    for path in (book[name].path, layout.catalogue(name), *INJECTED):
        text = path.read_text(encoding="utf-8") if path.exists() else ""  # whatever its line ends
        digest.update(hashlib.sha256(text.encode()).digest())
    return digest.hexdigest()


def fingerprint(notebook: NotebookNode) -> str:
    """SHA-256 of a notebook without its stamp."""
    plain = json.loads(nbformat.writes(notebook))
    plain["metadata"].pop("built_from", None)
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def stamp(notebook: NotebookNode, name: str, book: dict[str, Source], layout: Layout) -> None:
    """Write into a notebook what it was built from."""
    notebook.metadata["built_from"] = {
        "path": f"solutions/{name}.md",
        "sha256": inputs(name, book, layout),
        "content": fingerprint(notebook),
    }


def replace(path: Path, notebook: NotebookNode) -> None:
    """Write a notebook so that a reader sees the old or the new file, never half of one."""
    nbformat.validate(notebook)
    write_whole(path, nbformat.writes(notebook) + "\n")
