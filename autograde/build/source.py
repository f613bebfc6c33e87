"""A chapter's text: how it is read, what it may hold, and what it takes over from earlier chapters.

Owns the form of `solutions/NN_name.md`: the options of its cells and the refusal of everything that misuses them.
Reads files; writes and runs nothing.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import re
import symtable
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jupytext
from nbformat import NotebookNode

from autograde.errors import CourseError
from autograde.layout import ROOT, Layout
from autograde.notebook import BEGIN_HIDDEN, BEGIN_SOLUTION, END_HIDDEN, END_SOLUTION

CELLS = ROOT / "autograde" / "cells"
KINDS = ("build", "derive", "design", "expose", "predict")
OPTIONS = {
    "exercise": {"exercise", "kind", "zeros", "atol", "precision"},
    "check": {"check", "points"},
    "yours": {"yours"},
    "": set(),
}
"""What stands below the first line of a code cell, by the kind of the cell; any cell may have tags."""
RULES = {"zeros": ("exact", True), "atol": (0, 0), "precision": ("double", True)}
"""Option of an exercise cell -> (its only value, what the checks are told)."""
TAGS = {"touch", "figure", "evidence"}
"""The tags an author may write."""
MOST_POINTS = 5
BUILT_IN = frozenset(dir(builtins))


@dataclass
class Source:
    """A chapter's text, read and validated.

    Attributes
    ----------
    uses: functions of earlier chapters that its recap holds.
    solutions, checks: exercise -> source of its cell, in order.
    kinds: exercise -> one of KINDS, where the source says it.
    rules: exercise -> what its options tell the checks: {"zeros": True, "atol": 0, "double": True}.
    points: exercise -> its points.
    """

    name: str
    path: Path
    notebook: NotebookNode
    uses: list[str]
    solutions: dict[str, str] = field(default_factory=dict)
    checks: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    rules: dict[str, dict[str, Any]] = field(default_factory=dict)
    points: dict[str, int] = field(default_factory=dict)


# ---------------------------------------------------------------- reading
def read_all(layout: Layout) -> dict[str, Source]:
    """Every chapter's source, in order."""
    return {name: read(name, layout) for name in layout.names()}


def read(name: str, layout: Layout) -> Source:
    """Read one chapter and check the form of its cells.

    Raises CourseError for a missing END SOLUTION, a doubled grade id, a scaffold line that is not in its solution,
    an exercise without a check, an option that is unknown or has another value than it can have.
    """
    path = layout.source(name)
    try:
        notebook = jupytext.reads(path.read_text(encoding="utf-8"), fmt="md:myst")
    except Exception as error:
        raise CourseError(
            path, f"Jupytext cannot read it: {error}", "Correct the MyST text at that place."
        ) from error
    uses = notebook.metadata.pop("course", {}).get("uses", []) or []
    source = Source(name, path, notebook, list(uses))
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            read_cell(source, cell, f"{path}, {describe(cell, index)}")
    if set(source.solutions) != set(source.checks):
        lonely = ", ".join(sorted(set(source.solutions) ^ set(source.checks)))
        raise CourseError(
            path,
            f"an exercise and its check do not pair up: {lonely}.",
            "Give each :exercise: NAME cell one :check: NAME cell.",
        )
    refuse_taken_names(source)
    return source


def read_cell(source: Source, cell: NotebookNode, where: str) -> None:
    """Take in a code cell. Raises CourseError for a fault in its options or markers."""
    options(cell, where)
    regions(cell, where)
    if exercise := cell.metadata.get("exercise"):
        add_once(source.solutions, exercise, scaffolded(cell.source, where), where)
        cell.source = source.solutions[exercise]
        source.rules[exercise] = rules(cell)
        if "kind" in cell.metadata:
            source.kinds[exercise] = cell.metadata["kind"]
    if exercise := cell.metadata.get("check"):
        add_once(source.checks, exercise, cell.source, where)
        source.points[exercise] = points(cell, where)


def options(cell: NotebookNode, where: str) -> None:
    """Check the lines below the first line of a code cell."""
    kind = next((key for key in ("exercise", "check", "yours") if key in cell.metadata), "")
    for key, value in cell.metadata.items():
        if key not in OPTIONS[kind] | {"tags"}:
            known = ", ".join(f":{name}:" for name in sorted(OPTIONS[kind] | {"tags"}))
            raise CourseError(where, f"it cannot have :{key}:.", f"What it can have: {known}.")
        if key in RULES and value != RULES[key][0]:
            raise CourseError(
                where, f"it says :{key}: {value}.", f"The only value is :{key}: {RULES[key][0]}."
            )
        if key == "kind" and value not in KINDS:
            raise CourseError(where, f"its kind is {value!r}.", f"Kinds are: {', '.join(KINDS)}.")
        if key == "tags" and (unknown := set(value) - TAGS):
            raise CourseError(
                where,
                f"it has the tag {', '.join(sorted(unknown))}.",
                f"Tags are: {', '.join(sorted(TAGS))}; the build adds the others.",
            )


def rules(cell: NotebookNode) -> dict[str, Any]:
    """What the options of an exercise cell tell the checks."""
    told = {key: told for key, (_, told) in RULES.items() if key in cell.metadata}
    if told.pop("precision", False):
        told["double"] = True
    return told


def yours_names(cell: NotebookNode) -> list[str]:
    """The exercises that a `yours` cell runs on."""
    return [name.strip() for name in str(cell.metadata.get("yours", "")).split(",") if name.strip()]


def describe(cell: NotebookNode, index: int) -> str:
    """A cell in words: its grade id, or its number and first line."""
    for key in ("exercise", "check", "yours"):
        if key in cell.metadata:
            return f"the {key} cell of {cell.metadata[key]}"
    first = next(iter(cell.source.strip().splitlines()), "")
    return f"cell {index + 1} ({first[:50]!r})"


def add_once(table: dict[str, str], exercise: str, source: str, where: str) -> None:
    """Add a cell under its grade id. Raises CourseError if the id is there already, or hides a built-in."""
    if exercise in table or exercise in BUILT_IN:
        fault = "stands there a second time" if exercise in table else "is a name of Python's own"
        raise CourseError(
            where, f"the grade id {exercise!r} {fault}.", "Give one of the cells another name."
        )
    table[exercise] = source


def regions(cell: NotebookNode, where: str) -> None:
    """Check that the markers of a code cell pair up and stand in the right kind of cell."""
    pairs = [(BEGIN_SOLUTION, END_SOLUTION, "exercise"), (BEGIN_HIDDEN, END_HIDDEN, "check")]
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
    solution = source[source.index(BEGIN_SOLUTION) : source.index(END_SOLUTION)]
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
    at = next(i for i, line in enumerate(lines) if line.strip() == BEGIN_SOLUTION)
    return "\n".join(lines[:at] + kept + lines[at:])


def points(cell: NotebookNode, where: str) -> int:
    """The points of a check cell. Raises CourseError if it has none, or more than the most."""
    value = cell.metadata.get("points")
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST_POINTS:
        raise CourseError(
            where,
            "it has no points." if value is None else f"it has {value!r} points.",
            f"Add the line `:points: 2` with a whole number from 1 to {MOST_POINTS}.",
        )
    return value


# ---------------------------------------------------------------- names
def refuse_taken_names(source: Source) -> None:
    """Refuse a cell that is no Python, or takes a name that the checks or Python itself need."""
    for index, cell in enumerate(source.notebook.cells):
        if cell.cell_type != "code":
            continue
        where = f"{source.path}, {describe(cell, index)}"
        bound = bindings(parsed(cell.source, where))
        if taken := bound & reserved():
            raise CourseError(
                where,
                f"it binds {', '.join(sorted(taken))}, which the setup cell gives to the checks.",
                "Take another name.",
            )
        if "check" not in cell.metadata and (taken := bound & BUILT_IN):
            raise CourseError(
                where,
                f"it binds {', '.join(sorted(taken))}, which hides Python's own.",
                "Take another name.",
            )


@cache
def reserved() -> frozenset[str]:
    """The names that the setup cell defines for everybody."""
    text = (CELLS / "setup.py").read_text(encoding="utf-8")
    return frozenset(n for n in bindings(ast.parse(text)) if n[0] != "_") | {"_check_cell"}


def parsed(code: str, where: str) -> ast.Module:
    """The syntax tree of a cell. Raises CourseError if it is no Python."""
    try:
        return ast.parse(code)
    except SyntaxError as error:
        raise CourseError(where, f"it is no Python: {error}", "Correct it.") from error


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


def names_read(code: str) -> set[str]:
    """The names of the notebook that a cell reads, at any depth; not arguments and variables of its functions."""
    found: set[str] = set()
    tables = [symtable.symtable(code, "cell", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        is_cell = table.get_type() == "module"
        symbols = (s for s in table.get_symbols() if s.is_referenced())
        found |= {s.get_name() for s in symbols if is_cell or s.is_global()}
    return found


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
        names = names_read(earlier[function])
        wanted += [other for other in earlier if other in names and other not in wanted]
    if not wanted:
        return ""
    code = [earlier[function] for function in earlier if function in wanted]
    bound = sorted(bindings(ast.parse("\n".join(code))))
    kept = ", ".join(f'"{name}"' for name in bound)
    return "\n\n\n".join(["# Recap: what the earlier chapters built.\n" + code[0], *code[1:]]) + (
        f"\n\n\nrecap({kept})  # from here on the checks find them, whatever you name yours"
    )


def bare(solution: str) -> str:
    """A solution cell without its markers."""
    keep = [
        line for line in solution.splitlines() if line.strip() not in (BEGIN_SOLUTION, END_SOLUTION)
    ]
    return "\n".join(keep).strip()


# ---------------------------------------------------------------- the form of a whole chapter
def require_form(source: Source, recap: str) -> None:
    """Refuse a chapter whose cells do not fit together.

    Raises CourseError for an exercise without a kind, a docstring example or a `yours` cell below its check; for an
    example cell that takes the name of an exercise or of a recap function, or calls an exercise; for a `yours` cell
    that is more than one function, or that another cell reads.
    """
    recapped = bindings(ast.parse(recap))
    yours: set[str] = set()
    checked: list[str] = []
    waiting = ""  # the exercise whose check has no `yours` cell yet
    for index, cell in enumerate(source.notebook.cells):
        if cell.cell_type != "code":
            continue
        where, tree = f"{source.path}, {describe(cell, index)}", ast.parse(cell.source)
        if exercise := cell.metadata.get("exercise"):
            require_yours(waiting, source.path)
            require_exercise(source, exercise, tree, where)
        elif exercise := cell.metadata.get("check"):
            require_yours(waiting, source.path)
            waiting, checked = exercise, [*checked, exercise]
        elif "yours" in cell.metadata:
            yours.add(require_yours_cell(cell, tree, checked, where))
            waiting = "" if waiting in yours_names(cell) else waiting
        else:
            require_example(cell.source, recapped, set(source.solutions), yours, where)
    require_yours(waiting, source.path)


def require_yours(exercise: str, path: Path) -> None:
    if exercise:
        raise CourseError(
            path,
            f"nothing runs on the learner's {exercise}.",
            f"Put a `:yours: {exercise}` cell below its check.",
        )


def require_exercise(source: Source, exercise: str, tree: ast.Module, where: str) -> None:
    if exercise not in source.kinds:
        raise CourseError(
            where, "it does not say its kind.", f"Add `:kind: build`, or one of {', '.join(KINDS)}."
        )
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == exercise]
    text = ast.get_docstring(functions[0]) if functions else None
    if not text or not doctest.DocTestParser().get_examples(text):
        raise CourseError(
            where,
            f"it defines no function {exercise}." if not functions else "no example to run in it.",
            f"Write `def {exercise}(...)` with a line `>>> {exercise}(...)` in its docstring, "
            "and below it what comes out.",
        )


def require_yours_cell(cell: NotebookNode, tree: ast.Module, checked: list[str], where: str) -> str:
    """The name of the function in a `yours` cell."""
    names = yours_names(cell)
    call = ", ".join(f'"{name}"' for name in names)
    for node in tree.body[:1]:
        if isinstance(node, ast.FunctionDef) and len(tree.body) == 1 and not node.args.args:
            decorators = [ast.unparse(one) for one in node.decorator_list]
            if decorators == [ast.unparse(ast.parse(f"yours({call})", mode="eval").body)]:
                if unknown := [name for name in names if name not in checked]:
                    raise CourseError(
                        where,
                        f"no check of {', '.join(unknown)} stands above it.",
                        "Name exercises of this chapter, and put the cell below their checks.",
                    )
                return node.name
    raise CourseError(
        where,
        "it must hold one function without arguments and nothing else.",
        f"Write it as `@yours({call})` above `def a_name():`.",
    )


def require_example(
    code: str, recapped: set[str], exercises: set[str], yours: set[str], where: str
) -> None:
    if taken := (recapped | exercises) & bindings(ast.parse(code)):
        raise CourseError(
            where,
            f"it overwrites the function {', '.join(sorted(taken))}.",
            "Give the variable another name.",
        )
    read = names_read(code)
    if "yours" in read:
        raise CourseError(
            where, "it uses `yours`.", "Add the line `:yours: NAME` below the cell's first line."
        )
    if called := exercises & read:
        raise CourseError(
            where,
            f"it uses the exercise {', '.join(sorted(called))}, which a learner may not have written.",
            "Put it into a `:yours:` cell, or compute it in another way.",
        )
    if called := yours & read:
        raise CourseError(
            where,
            f"it uses {', '.join(sorted(called))}, which stands in a `:yours:` cell.",
            "Give it code of its own.",
        )
