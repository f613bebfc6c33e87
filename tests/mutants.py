"""Equations that can fail: change one thing at a time in each cell that asserts an equation, and see who notices.

`python -m tests.mutants` (all chapters) or `python -m tests.mutants 03 --all` lists the mutants that survive. A cell
that asserts an equation has a comment with the equation's number. It is run in a copy of the namespace in which the
cells above it have run; the mutant is caught if the cell raises. Not changed, because an equation holds for others
as well: numbers that are inputs (in arrays, ranges, seeds, sizes, `name = 3`, a row picked from a table), tolerances,
what a cell merely prints or draws, code that does nothing for an assertion. Nor are changes made that cannot matter:
a < for a <=, `and` in an assertion, the order of a difference below an even power, abs, cos or a norm.

`tests/survivors.txt` holds the survivors that are explained, a line each: chapter, equation, old, new, reason.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import re
import signal
import sys
import warnings
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograde.build import expected
from autograde.build.release import setup_source
from autograde.build.source import Source, read_all, recap_source
from autograde.layout import ROOT, Layout

EXPLAINED = ROOT / "tests" / "survivors.txt"
EQUATION = re.compile(r"#.*?\(((?:\d+|P)\.\d+)\)")
MOST_SECONDS = 20
OPERATORS: dict[type, list[type]] = {
    ast.Add: [ast.Sub],
    ast.Sub: [ast.Add],
    ast.Mult: [ast.Add, ast.Div],
    ast.Div: [ast.Mult],
    ast.MatMult: [ast.Mult],
    ast.Pow: [ast.Mult],
    ast.Mod: [ast.FloorDiv],
    ast.FloorDiv: [ast.Mod],
    ast.Lt: [ast.Gt],
    ast.LtE: [ast.GtE],
    ast.Gt: [ast.Lt],
    ast.GtE: [ast.LtE],
    ast.And: [ast.Or],
    ast.Or: [ast.And],
}
FUNCTIONS = {
    "sin": "cos", "cos": "sin", "exp": "expm1", "log": "log1p", "sqrt": "square", "square": "sqrt", "sum": "mean",
    "mean": "sum", "max": "min", "min": "max", "maximum": "minimum", "minimum": "maximum", "var": "std", "std": "var",
    "any": "all", "all": "any", "tril": "triu", "triu": "tril", "argmax": "argmin", "argmin": "argmax",
    "outer": "inner", "prod": "sum", "cumsum": "cumprod", "arccos": "arcsin", "deg2rad": "rad2deg",
}  # fmt: skip
COMPARING = {"isclose", "allclose", "array_equal", "assert_allclose"}
"""Functions whose tolerances are no part of an equation."""
TALKING = {"print", "show", "heat_map", "touch"}
GIVING = {
    "array", "linspace", "logspace", "geomspace", "arange", "range", "default_rng", "normal", "uniform", "integers",
    "permutation", "random", "standard_normal", "choice", "zeros", "ones", "eye", "full", "deg2rad",
}  # fmt: skip
"""Functions whose arguments are inputs."""
EVEN = {"abs", "norm", "cos", "square", "var", "std", "cosh"}
SMALL = 1e-5
"""A constant below it is a tolerance."""


@dataclass(frozen=True)
class Mutant:
    """One change in a cell. `line` counts in the cell; `change`: old -> new."""

    chapter: str
    equation: str
    cell: int
    line: int
    old: str
    new: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.chapter, self.equation, self.old, self.new

    def __str__(self) -> str:
        return f"{self.chapter} ({self.equation}) cell {self.cell} line {self.line}: {self.old}  ->  {self.new}"


# ---------------------------------------------------------------- changing
def mutations(code: str) -> Iterator[tuple[int, str, str, ast.Module]]:
    """(line, old text, new text, changed tree) for each single change in what a cell asserts."""
    tree = ast.parse(code)
    count = len(list(ast.walk(tree)))
    left_out, even = silent(tree) | given(tree), below_even(tree)
    for position in range(count):
        node = nodes(tree)[position]
        if id(node) in left_out:
            continue
        for number in range(len(list(changes(node, id(node) in even)))):
            copy = deepcopy(tree)
            target = nodes(copy)[position]
            old = text_of(copy, target)
            list(changes(target, id(node) in even))[number]()
            new = text_of(copy, target)
            if old != new:
                yield getattr(target, "lineno", 0), old, new, ast.fix_missing_locations(copy)


def nodes(tree: ast.AST) -> list[ast.AST]:
    return list(ast.walk(tree))


def silent(tree: ast.Module) -> set[int]:
    """Nodes that no assertion hangs on: what is printed and drawn, messages of assertions, tolerances, names."""
    found: set[int] = set()

    def leave_out(node: ast.AST | None) -> None:
        found.update(id(part) for part in ast.walk(node or ast.Pass()))

    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            owner = ast.unparse(node.func).split(".")[0]
            if name in TALKING or owner in ("plt", "fig", "ax", "axes"):
                leave_out(node)
            if name in COMPARING:
                for part in [*node.args[2:], *(keyword.value for keyword in node.keywords)]:
                    leave_out(part)
        if isinstance(node, ast.Assert):
            leave_out(node.msg)
        if isinstance(node, ast.JoinedStr):
            leave_out(node)
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                leave_out(decorator)
    for node in unused(tree):
        leave_out(node)
    return found


def given(tree: ast.Module) -> set[int]:
    """Constants that are inputs or tolerances, and `and` between what is asserted."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and getattr(node.func, "attr", getattr(node.func, "id", "")) in GIVING
        ):
            parts = [
                part for argument in [*node.args, *node.keywords] for part in ast.walk(argument)
            ]
            found.update(id(part) for part in parts if isinstance(part, ast.Constant | ast.UnaryOp))
        if isinstance(node, ast.Assign):
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            for value in values:
                if isinstance(value, ast.Constant | ast.Subscript | ast.List | ast.UnaryOp):
                    parts = list(ast.walk(value))
                    found.update(id(part) for part in parts if isinstance(part, ast.Constant))
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, float)
            and abs(node.value) < SMALL
        ):
            found.add(id(node))
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.BoolOp):
            found.add(id(node.test))
    return found


def below_even(tree: ast.Module) -> set[int]:
    """Differences whose sign does not matter: below an even power, abs, cos or a norm."""
    found: set[int] = set()
    for node in ast.walk(tree):
        inside: list[ast.AST] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            inside = [node.left] if getattr(node.right, "value", 1) in (2, 4) else []
        if (
            isinstance(node, ast.Call)
            and getattr(node.func, "attr", getattr(node.func, "id", "")) in EVEN
        ):
            inside = list(node.args) or [node.func]
        found.update(id(part) for one in inside for part in ast.walk(one))
    return found


def unused(tree: ast.Module) -> list[ast.stmt]:
    """Statements of the cell that only bind names which no assertion of the cell can see."""
    needed: set[str] = set()
    left: list[ast.stmt] = []
    for node in reversed(tree.body):
        binds = {
            n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        binds |= {n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        changed = {
            n.value.id
            for n in ast.walk(node)
            if isinstance(n, ast.Subscript | ast.Attribute) and isinstance(n.value, ast.Name)
        }
        asserts = any(isinstance(n, ast.Assert | ast.Raise) for n in ast.walk(node))
        if asserts or needed & (binds | changed):
            needed |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        else:
            left.append(node)
    return left


def changes(node: ast.AST, is_even: bool) -> Iterator[Any]:
    """Functions that change a node in place, one way each; `is_even`: a difference may be turned round."""
    match node:
        case ast.BinOp(op=op) | ast.AugAssign(op=op):
            for other in OPERATORS.get(type(op), []):
                yield lambda other=other: setattr(node, "op", other())
            is_ordered = isinstance(op, ast.Div | ast.Pow) or (
                isinstance(op, ast.Sub) and not is_even
            )
            if is_ordered and isinstance(node, ast.BinOp):
                yield lambda: swap(node)
        case ast.UnaryOp(op=ast.USub()):
            if not isinstance(node.operand, ast.Constant):
                yield lambda: setattr(node, "op", ast.UAdd())
        case ast.UnaryOp(op=ast.Invert()):
            yield lambda: become(node, node.operand)
        case ast.Compare(ops=[op]):
            for other in OPERATORS.get(type(op), []):
                yield lambda other=other: node.ops.__setitem__(0, other())
        case ast.BoolOp(op=op):
            yield lambda: setattr(node, "op", OPERATORS[type(op)][0]())
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            yield lambda: setattr(node, "value", value + 1)
        case ast.Call(func=ast.Attribute(attr=name)) if name in FUNCTIONS:
            yield lambda: setattr(node.func, "attr", FUNCTIONS[name])
            yield from axes(node)
        case ast.Call(func=ast.Attribute()):
            yield from axes(node)
        case ast.Attribute(attr="T"):
            yield lambda: become(node, node.value)


def axes(node: ast.Call) -> Iterator[Any]:
    """Another axis for a call that names one."""
    for keyword in node.keywords:
        if keyword.arg == "axis":
            value = ast.unparse(keyword.value)
            other = {"0": "1", "1": "0", "-1": "-2", "-2": "-1"}.get(value, "0")
            yield lambda k=keyword, other=other: setattr(
                k, "value", ast.parse(other, mode="eval").body
            )


def swap(node: ast.BinOp) -> None:
    node.left, node.right = node.right, node.left


def become(node: ast.AST, other: ast.AST) -> None:
    """Put another node in the place of one, without knowing what holds it."""
    node.__class__ = other.__class__
    node.__dict__.clear()
    node.__dict__.update(other.__dict__)


def text_of(tree: ast.Module, target: ast.AST) -> str:
    """The statement's line that holds a node, as code."""
    holder = next(
        s for s in reversed(list(statements(tree))) if any(part is target for part in ast.walk(s))
    )
    if isinstance(holder, ast.For | ast.While | ast.If | ast.With | ast.FunctionDef):
        holder = deepcopy(holder)
        holder.body = [ast.Pass()]
    return " ".join(ast.unparse(holder).split())


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            yield node


# ---------------------------------------------------------------- running
class TooLong(BaseException):
    """A mutant runs on."""


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooLong

    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    import matplotlib.pyplot as plt
    import numpy as np

    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("ignore")
        yield
    plt.close("all")


def copied(space: dict[str, Any]) -> dict[str, Any]:
    """A namespace whose arrays, lists and generators can be changed without harm, and whose functions see it."""
    memo: dict[int, Any] = {}
    result: dict[str, Any] = {}
    for name, value in space.items():
        try:
            result[name] = deepcopy(value, memo) if is_data(value) else value
        except Exception:
            result[name] = value
    return result


def is_data(value: Any) -> bool:
    module = type(value).__module__.split(".")[0]
    return (
        module in ("numpy", "builtins") and not callable(value) and type(value).__name__ != "module"
    )


def mutants_of(source: Source, recap: str, *, every: int = 1) -> Iterator[tuple[Mutant, bool]]:
    """(mutant, was it caught) for every cell of a chapter that asserts an equation; or every n-th of them."""
    space = expected.namespace(setup_source(touch=""), recap)
    space["show"] = lambda *args, **kwargs: None  # no assertion looks at a drawing
    number = 0
    for index, cell in enumerate(source.notebook.cells):
        if cell.cell_type != "code" or {"check", "yours", "exercise"} & set(cell.metadata):
            continue
        if "touch" in cell.metadata.get("tags", []):
            continue
        equations = EQUATION.findall(cell.source)
        if equations and re.search(r"^\s*assert ", cell.source, re.M):
            for line, old, new, tree in mutations(cell.source):
                number += 1
                if number % every == 0:
                    equation = nearest(cell.source, line, equations)
                    mutant = Mutant(source.name, equation, index + 1, line, old, new)
                    yield mutant, is_caught(tree, copied(space))
        with quietly():
            exec(compile(cell.source, f"<cell {index + 1}>", "exec"), space)


def nearest(code: str, line: int, equations: list[str]) -> str:
    """The equation whose comment stands last above a line, or the first of the cell."""
    above = [m for text in code.splitlines()[:line] for m in EQUATION.findall(text)]
    return above[-1] if above else equations[0]


def is_caught(tree: ast.Module, space: dict[str, Any]) -> bool:
    """True if a changed cell stops."""
    try:
        with quietly(), at_most(MOST_SECONDS):
            exec(compile(tree, "<mutant>", "exec"), space)
    except (Exception, TooLong):
        return True
    return False


def explained(path: Path = EXPLAINED) -> dict[tuple[str, str, str, str], str]:
    """Survivors with their reasons."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        if line.strip() and not line.startswith("#"):
            chapter, equation, change, reason = (part.strip() for part in line.split("|", 3))
            old, new = change.split("  ->  ")
            found[chapter, equation, old, new] = reason
    return found


def main(arguments: list[str] | None = None) -> int:
    about = "List the changes to equations that no assertion notices."
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=about)
    parser.add_argument("chapters", nargs="*", help="03 or 03_scores; default: all")
    parser.add_argument("--all", action="store_true", help="list explained survivors too")
    options = parser.parse_args(arguments)
    layout = Layout()
    book = read_all(layout)
    wanted = [layout.find(name) for name in options.chapters] or list(book)
    reasons, left = explained(), 0
    for name in wanted:
        results = list(mutants_of(book[name], recap_source(name, book)))
        survivors = [mutant for mutant, is_dead in results if not is_dead]
        new = [mutant for mutant in survivors if mutant.key not in reasons]
        left += len(new)
        for mutant in survivors if options.all else new:
            print(mutant, f"   ({reasons[mutant.key]})" if mutant.key in reasons else "")
        print(
            f"{name}: {len(results)} mutants, {len(results) - len(survivors)} caught, "
            f"{len(survivors) - len(new)} explained, {len(new)} survive"
        )
    return min(left, 1)


if __name__ == "__main__":
    sys.exit(main())
