"""solutions/NN.md -> solutions/NN.ipynb (executed) -> chapters/NN.ipynb (what learners open).

Owns the form of a chapter's source and everything that is built from it. nbgrader makes the learner's notebook;
nothing here grades. Built files are replaced only after the whole build of a chapter has succeeded.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode
from tqdm import tqdm

from autograde.build import expected
from autograde.errors import CourseError
from autograde.files import write_whole
from autograde.layout import ROOT, Layout
from autograde.mistakes import load
from autograde.nbgrader_bridge import generate_assignment

CELLS = ROOT / "autograde" / "cells"
INJECTED = [CELLS / "setup.py", CELLS / "touch.js"]
FORMAT = "1"
"""What the builder itself makes of its inputs; raise it when built notebooks would change."""
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
BEGIN_HIDDEN, END_HIDDEN = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
STUB = "raise NotImplementedError"
CELL_SECONDS = 120
RESERVED = frozenset(
    [
        "np",
        "plt",
        "show",
        "heat_map",
        "touch",
        "stage",
        "refusal",
        "check",
        "hidden",
        "draws",
        "sizes",
        "SEED",
        "ANSWERS",
        "CheckFailed",
    ]
)
EQUATION = re.compile(r"#.*\(\d+\.\d+\)")  # a comment that says which equation is computed
ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Source:
    """A chapter's text, read and validated."""

    name: str
    path: Path
    notebook: NotebookNode
    uses: list[str]
    solutions: dict[str, str] = field(default_factory=dict)
    checks: dict[str, str] = field(default_factory=dict)


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
            bar.update()
            bar.set_description(f"{name}: cutting")
            stamp(notebook, name, book, layout)
            with tempfile.TemporaryDirectory() as course:
                student = cut(notebook, name, Path(course))
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


def require_current(name: str, layout: Layout) -> None:
    """Raise CourseError if a chapter's built notebooks do not match its source: old tests would be used."""
    if fault := state(name, read_all(layout), layout):
        where, what = fault.split(": ", 1)
        raise CourseError(
            where, what.split(";")[0] + ".", "Run make notebooks, then the same command again."
        )


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


# ---------------------------------------------------------------- reading
def read_all(layout: Layout) -> dict[str, Source]:
    """Every chapter's source, in order."""
    return {name: read(name, layout) for name in layout.names()}


def read(name: str, layout: Layout) -> Source:
    """Read one chapter and check its form.

    Raises CourseError for a missing END SOLUTION, a doubled grade id, a scaffold line that is not in its solution,
    an exercise without a check.
    """
    path = layout.source(name)
    try:
        notebook = jupytext.read(path, fmt="md:myst")
    except Exception as error:
        raise CourseError(
            path, f"Jupytext cannot read it: {error}", "Correct the MyST text at that place."
        ) from error
    uses = notebook.metadata.pop("course", {}).get("uses", []) or []
    source = Source(name, path, notebook, list(uses))
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        where = f"{path}, {describe(cell, index)}"
        regions(cell, where)
        if exercise := cell.metadata.get("exercise"):
            add_once(source.solutions, exercise, scaffolded(cell.source, where), where)
            cell.source = source.solutions[exercise]
        if exercise := cell.metadata.get("check"):
            add_once(source.checks, exercise, cell.source, where)
            points(cell, where)
    if set(source.solutions) != set(source.checks):
        lonely = ", ".join(sorted(set(source.solutions) ^ set(source.checks)))
        raise CourseError(
            path,
            f"an exercise and its check do not pair up: {lonely}.",
            "Give each :exercise: NAME cell one :check: NAME cell.",
        )
    spill(notebook, path)
    return source


def spill(notebook: NotebookNode, path: Path) -> None:
    """Refuse a check cell that overwrites a name which a later example cell reads.

    Learners have no hidden tests, so such a cell would compute other numbers for them than for us.
    """
    bound: dict[str, str] = {}
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        where = f"{path}, {describe(cell, index)}"
        try:
            tree = ast.parse(cell.source)
        except SyntaxError as error:
            raise CourseError(where, f"it is no Python: {error}", "Correct it.") from error
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        first = sorted(names, key=lambda node: (node.lineno, isinstance(node.ctx, ast.Load)))
        seen = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        for node in first:
            if node.id in bound and node.id not in seen and isinstance(node.ctx, ast.Load):
                if "check" in cell.metadata or "exercise" in cell.metadata:
                    continue
                raise CourseError(
                    where,
                    f"it reads {node.id!r}, which the hidden tests of {bound[node.id]} overwrite.",
                    "Give the name in the hidden tests another spelling.",
                )
            seen.add(node.id)
        if taken := RESERVED & bindings(tree):
            raise CourseError(
                where,
                f"it binds {', '.join(sorted(taken))}, which the setup cell gives to the checks.",
                "Take another name.",
            )
        if exercise := cell.metadata.get("check"):
            bound |= {n.id: exercise for n in top_level(tree) if isinstance(n.ctx, ast.Store)}
        else:
            for node in names:
                if isinstance(node.ctx, ast.Store):
                    bound.pop(node.id, None)


def bindings(tree: ast.Module) -> set[str]:
    """The names a cell defines for the cells after it: assigned, imported, functions and classes."""
    named = {n.id for n in top_level(tree) if isinstance(n.ctx, ast.Store)}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            named.add(node.name)
        if isinstance(node, ast.Import | ast.ImportFrom):
            named |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return named


def top_level(tree: ast.AST) -> Iterator[ast.Name]:
    """The names of a cell that are not inside a function or a comprehension."""
    scopes = (
        ast.FunctionDef,
        ast.Lambda,
        ast.ListComp,
        ast.DictComp,
        ast.SetComp,
        ast.GeneratorExp,
    )
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.Name):
            yield child
        if not isinstance(child, scopes):
            yield from top_level(child)


def describe(cell: NotebookNode, index: int) -> str:
    """A cell in words: its grade id, or its number and first line."""
    for key in ("exercise", "check"):
        if key in cell.metadata:
            return f"the {key} cell of {cell.metadata[key]}"
    first = next(iter(cell.source.strip().splitlines()), "")
    return f"cell {index + 1} ({first[:50]!r})"


def add_once(table: dict[str, str], exercise: str, source: str, where: str) -> None:
    if exercise in table:
        raise CourseError(
            where,
            f"the grade id {exercise!r} stands there a second time.",
            "Give one of the cells another name.",
        )
    table[exercise] = source


def regions(cell: NotebookNode, where: str) -> None:
    """Check that the markers of a code cell pair up and stand in the right kind of cell."""
    pairs = [(BEGIN, END, "exercise"), (BEGIN_HIDDEN, END_HIDDEN, "check")]
    for begin, end, kind in pairs:
        found = re.findall(rf"^\s*({re.escape(begin)}|{re.escape(end)})", cell.source, re.MULTILINE)
        if found != [begin, end] * (len(found) // 2):
            missing = end if found.count(begin) > found.count(end) else begin
            raise CourseError(
                where, f"a `{missing}` is missing.", f"Write {begin} and {end} in pairs."
            )
        if bool(found) and kind not in cell.metadata:
            raise CourseError(
                where,
                f"{begin} stands in a cell that is no {kind} cell: learners would see what it hides.",
                f"Add the line `:{kind}: NAME` below the cell's first line.",
            )
        if kind in cell.metadata and kind == "exercise" and not found:
            raise CourseError(where, "it has no solution.", f"Put it between {begin} and {end}.")


def scaffolded(source: str, where: str) -> str:
    """Move the scaffold lines (``#> S = ...``) of a solution above it, as comments that stay in the stub."""
    lines, kept = [], []
    solution = source[source.index(BEGIN) : source.index(END)]
    code = [line.strip() for line in solution.splitlines() if not line.strip().startswith("#")]
    for line in source.splitlines():
        if not line.strip().startswith("#>"):
            lines.append(line)
            continue
        hint = line.strip()[2:].strip()
        pattern = ".*".join(re.escape(part) for part in hint.split("..."))
        if not any(re.fullmatch(pattern, other) for other in code):
            raise CourseError(
                where,
                f"the stub line {hint!r} is not in its solution.",
                "Write the line as it stands in the solution; `...` stands for what learners fill in.",
            )
        kept.append(line.replace("#>", "#", 1))
    at = next(i for i, line in enumerate(lines) if line.strip() == BEGIN)
    return "\n".join(lines[:at] + kept + lines[at:])


def points(cell: NotebookNode, where: str) -> int:
    value = cell.metadata.get("points")
    if not isinstance(value, int) or value < 1:
        raise CourseError(
            where, "it has no points.", "Add the line `:points: 2` with a whole number."
        )
    return value


# ---------------------------------------------------------------- recap
def recap_source(name: str, book: dict[str, Source]) -> str:
    """The reference code of the earlier functions a chapter uses, in the order of the chapters.

    Raises CourseError if no earlier chapter defines such a function.
    """
    earlier = {
        function: bare(code)
        for other, source in book.items()
        if other < name
        for function, code in source.solutions.items()
    }
    wanted = list(book[name].uses)
    for function in wanted:
        if function not in earlier:
            raise CourseError(
                book[name].path,
                f"its recap wants {function!r}, which no earlier chapter defines.",
                f"Correct `uses` in the first lines; there are: {', '.join(earlier) or 'none'}.",
            )
        names = {
            node.id for node in ast.walk(ast.parse(earlier[function])) if isinstance(node, ast.Name)
        }
        wanted += [other for other in earlier if other in names and other not in wanted]
    if not wanted:
        return ""
    head = "# Recap: what the earlier chapters built.\n"
    return head + "\n\n\n".join(earlier[function] for function in earlier if function in wanted)


def keep_functions(source: Source, recap: str) -> None:
    """Refuse an example cell that takes the name of an exercise or of a recap function."""
    ours = bindings(ast.parse(recap)) | set(source.solutions)
    for index, cell in enumerate(source.notebook.cells):
        if cell.cell_type != "code" or {"exercise", "check"} & set(cell.metadata):
            continue
        if taken := ours & bindings(ast.parse(cell.source)):
            raise CourseError(
                f"{source.path}, {describe(cell, index)}",
                f"it overwrites the function {', '.join(sorted(taken))}.",
                "Give the variable another name.",
            )


def bare(solution: str) -> str:
    """A solution cell without its markers."""
    keep = [line for line in solution.splitlines() if line.strip() not in (BEGIN, END)]
    return "\n".join(keep).strip()


# ---------------------------------------------------------------- assembling
def assemble(name: str, book: dict[str, Source], layout: Layout) -> NotebookNode:
    """The chapter's notebook with the injected cells and nbgrader's metadata, not yet executed."""
    source = book[name]
    recap = recap_source(name, book)
    keep_functions(source, recap)
    setup = setup_source("TOUCH" if "touch(" in jupytext.writes(source.notebook, fmt="py") else "")
    table = expected.record(
        setup,
        recap,
        list(source.solutions.values()),
        source.checks,
        load(name, layout),
        str(source.path),
    )
    notebook = nbformat.v4.new_notebook(metadata=METADATA)
    notebook.cells = [finished(cell, index) for index, cell in enumerate(source.notebook.cells)]
    injected = [read_only("setup", setup.replace("ANSWERS = {}", expected.as_source(table), 1))]
    if recap:
        injected.append(read_only("recap", recap))
    notebook.cells[1:1] = injected
    return notebook


METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def setup_source(touch: str) -> str:
    """The setup cell, with the drawing script where the chapter has something to touch."""
    text = (CELLS / "setup.py").read_text(encoding="utf-8").replace("  # fmt: skip", "")
    script = (CELLS / "touch.js").read_text(encoding="utf-8") if touch else ""
    place = re.search(r'^TOUCH_SCRIPT = "".*$', text, re.MULTILINE)
    assert place is not None
    text = text[: place.start()] + f'TOUCH_SCRIPT = r"""{script}"""' + text[place.end() :]
    return re.sub(r"^ANSWERS = \{\}.*$", "ANSWERS = {}", text, flags=re.MULTILINE).strip()


def read_only(grade_id: str, source: str) -> NotebookNode:
    """An injected cell: folded, and put back by nbgrader if a learner changes it."""
    return nbformat.v4.new_code_cell(
        source,
        id=grade_id,
        metadata={
            "tags": [grade_id, "hide-input"],
            "jupyter": {"source_hidden": True},
            "cellView": "form",
            "nbgrader": grading(grade_id, locked=True),
        },
    )


def grading(
    grade_id: str, *, solution: bool = False, locked: bool = False, score: int = 0
) -> dict[str, Any]:
    """nbgrader's metadata of a cell (schema 3)."""
    cell = {"schema_version": 3, "grade_id": grade_id, "solution": solution, "locked": locked}
    return cell | {"grade": bool(score), "task": False} | ({"points": score} if score else {})


def finished(cell: NotebookNode, index: int) -> NotebookNode:
    """A source cell as it stands in the built notebook."""
    tags = list(cell.metadata.get("tags", []))
    metadata: dict[str, Any] = {}
    name = f"cell-{index:03d}"
    if exercise := cell.metadata.get("exercise"):
        name = exercise
        tags.append("exercise")
        metadata["nbgrader"] = grading(exercise, solution=True)
    if exercise := cell.metadata.get("check"):
        name = f"test_{exercise}"
        tags.append("check")
        metadata["nbgrader"] = grading(name, locked=True, score=cell.metadata["points"])
    if tags:
        metadata["tags"] = tags
    if cell.cell_type == "code":
        return nbformat.v4.new_code_cell(cell.source, id=name, metadata=metadata)
    return nbformat.v4.new_markdown_cell(cell.source, id=name, metadata=metadata)


# ---------------------------------------------------------------- executing
def execute(notebook: NotebookNode, path: Path) -> None:
    """Run every cell in a fresh kernel and keep the outputs.

    Raises CourseError if a cell raises, warns, or shows a figure without alternative text.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError

    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=CELL_SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            record_timing=False,
            extra_arguments=["--IPKernelApp.log_level=40"],  # its notice about TCP is no news
        )
        try:
            client.execute(env=surroundings())
        except (CellExecutionError, CellTimeoutError) as error:
            cell, index = next(
                (c, i)
                for i, c in reversed(list(enumerate(notebook.cells)))
                if c.cell_type == "code" and (c.execution_count or c.outputs)
            )
            fault = ANSI.sub("", str(error).strip().splitlines()[-1])
            raise CourseError(
                f"{path}, {named(cell, index)}",
                f"it raises: {fault}",
                "Run the cell in Jupyter and correct it.",
            ) from error
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            clean_outputs(cell, f"{path}, {named(cell, index)}")


def surroundings() -> dict[str, str]:
    """The environment of a kernel: the same for everybody, and with Python's own warnings."""
    ours = {"OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    return {k: v for k, v in os.environ.items() if k != "PYTHONWARNINGS"} | ours


def named(cell: NotebookNode, index: int) -> str:
    """A built cell in words."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id") or describe(cell, index))


def clean_outputs(cell: NotebookNode, where: str) -> None:
    """Refuse what must not stand in the book; put the figure's alternative text where myst-nb reads it."""
    cell.metadata.pop("execution", None)
    cell.outputs = joined(cell.outputs)
    pictures = []
    for output in cell.outputs:
        if output.get("name") == "stderr":
            raise CourseError(
                where,
                f"it writes to stderr: {output.text.strip()[:200]}",
                "Remove the cause of the warning.",
            )
        data = output.get("data", {})
        if "image/png" in data or "image/svg+xml" in data:
            pictures.append(output.get("metadata", {}).get("image/png", {}).get("alt", ""))
    if any(len(alt) < 20 for alt in pictures):
        raise CourseError(
            where,
            "a figure has no alternative text.",
            'Show it with show(fig, alt="what it shows, in words").',
        )
    if len(pictures) > 1:
        raise CourseError(where, "it shows two figures.", "Give each figure a cell of its own.")
    if pictures and not EQUATION.search(cell.source):
        cell.metadata["tags"] = [*cell.metadata.get("tags", []), "figure"]  # its code is folded
    if pictures:
        cell.metadata["mystnb"] = {"image": {"alt": pictures[0]}}


def joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Outputs with the pieces of one stream put together; how a kernel cuts them is chance."""
    whole: list[NotebookNode] = []
    for output in outputs:
        name = output.get("name")
        if name and whole and whole[-1].get("name") == name:
            whole[-1].text += output.text
        else:
            whole.append(output)
    return whole


# ---------------------------------------------------------------- cutting
def cut(notebook: NotebookNode, name: str, course: Path) -> NotebookNode:
    """The learner's version of a notebook, made by nbgrader in the empty folder `course`.

    Raises CourseError if nbgrader refuses it.
    """
    target = course / "source" / name / f"{name}.ipynb"
    target.parent.mkdir(parents=True)
    nbformat.write(notebook, target)
    generate_assignment(name, course)
    student = nbformat.read(course / "release" / name / f"{name}.ipynb", as_version=4)
    student.metadata = notebook.metadata.copy()
    for cell in student.cells:
        cell.metadata.pop("execution", None)
        if "check" in cell.metadata.get("tags", []):
            cell.outputs = []  # a verdict on code that is no longer there
            cell.execution_count = None
            cell.metadata["tags"] = [*cell.metadata["tags"], "raises-exception"]  # Run All goes on
        if re.search("BEGIN SOLUTION|BEGIN HIDDEN", cell.source):
            raise CourseError(
                f"{name}, {cell.id}",
                "a solution is left in it.",
                "Report this: the build is wrong.",
            )
    student.metadata["built_from"] = notebook.metadata["built_from"] | {
        "content": fingerprint(student)
    }
    return student


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
