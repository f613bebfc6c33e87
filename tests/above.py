"""Does the answer to an exercise stand above it? Compares syntax trees, names aside.

The rule. A solution is a set of operations: products, calls, indexings, comparisons. An expression of it is *found*
in a cell above if the same expression stands there up to names, where `K.T`, `np.swapaxes(K, -1, -2)` and
`K.transpose()` are one thing, so are `np.matmul` and `@`, `np.sqrt(x)` and `x ** 0.5`, a method and the function of
NumPy; a whole number from 3 on is a name (`np.arange(5)` is `np.arange(n)`). Found expressions of one operation
(`x / n`, `a @ b`) say nothing and are not counted. The answer stands above if one place holds half of the solution's
operations, or a quarter with an expression of five operations. A solution of a single operation counts as found where it stands
with its own names, or where the same function of NumPy is called. The right answers of the catalogue are solutions
too: what stands above may be another way to write it.

A place above is: the setup and the recap cell, each code cell before the exercise as a learner sees it (stubs for
earlier solutions, the visible part of checks), and each piece of `code` in the text that is not in a folded hint.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from autograde.build.release import setup_source
from autograde.build.source import Source, bare, recap_source
from autograde.layout import Layout
from autograde.mistakes import Right, load
from autograde.notebook import visible

HALF, QUARTER, LARGE = 0.5, 0.25, 5
"""Shares of a solution's operations, and operations of one expression, that count as an answer."""
OPERATIONS = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Call, ast.Subscript, ast.IfExp, ast.comprehension,
)  # fmt: skip
METHODS = {
    "sum", "max", "min", "mean", "var", "std", "any", "all", "argmax", "argmin", "reshape", "cumsum", "prod",
    "round", "clip", "dot", "repeat",
}  # fmt: skip
KEPT = frozenset(dir(builtins)) | {"np", "TRANSPOSED"}


@dataclass(frozen=True)
class Found:
    """An expression of a solution that stands above its exercise."""

    exercise: str
    place: str
    expressions: tuple[str, ...]
    share: float

    def __str__(self) -> str:
        share = f"{100 * self.share:.0f} % of the answer to {self.exercise}"
        return f"{self.place} holds {share}: {' and '.join(self.expressions)}"


def answers_above(name: str, book: dict[str, Source], layout: Layout) -> list[Found]:
    """What of the answers to a chapter's exercises stands above them."""
    found: dict[tuple[str, str], Found] = {}
    for exercise, solution in book[name].solutions.items():
        others = [
            e.code for e in load(name, layout) if isinstance(e, Right) and e.exercise == exercise
        ]
        for place, code in places(exercise, name, book):
            for answer in (bare(solution), *others):
                if one := compare(exercise, answer, place, code):
                    found.setdefault((exercise, place), one)
    return list(found.values())


def places(exercise: str, name: str, book: dict[str, Source]) -> Iterator[tuple[str, str]]:
    """(where, code) of everything that stands above an exercise."""
    yield "the setup cell", setup_source(touch="")
    yield "the recap cell", recap_source(name, book)
    for index, cell in enumerate(book[name].notebook.cells):
        if cell.metadata.get("exercise") == exercise:
            return
        where = f"cell {index + 1}"
        if cell.cell_type == "markdown":
            text = re.sub(r"<details>.*?</details>", "", cell.source, flags=re.DOTALL)
            for code in re.findall(r"`([^`\n]+)`", text):
                yield f"the text of {where}", code
        elif "exercise" not in cell.metadata:
            yield where, visible(cell.source)


def compare(exercise: str, solution: str, place: str, code: str) -> Found | None:
    """What of a solution stands in a place, if it is enough of it to be the answer."""
    tree = plain(solution)
    total = operations(tree) if tree else 0
    if tree is None or not total:
        return None
    if total == 1:
        same = [node for node in answers(tree) if not spellings(node).isdisjoint(spelt(code))]
        texts = tuple(text_of(node, solution) for node in same)
        return Found(exercise, place, texts, 1.0) if same else None
    matched = list(largest(tree, known(code)))
    sizes = [operations(node) for node in matched]
    is_large = max(sizes, default=0) >= LARGE and sum(sizes) >= QUARTER * total
    if sum(sizes) < HALF * total and not is_large:
        return None
    texts = tuple(dict.fromkeys(text_of(node, solution) for node in matched))
    return Found(exercise, place, texts, sum(sizes) / total)


@cache
def plain(code: str) -> ast.AST | None:
    """A piece of code with equal spellings made one, one sign for every name, and no trivial statements."""
    try:
        tree = ast.parse(code)
    except SyntaxError:  # a piece of text that is no Python
        return None
    strip(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.named = node.id  # type: ignore[attr-defined]
    tree = Plain().visit(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in KEPT:
            node.id = "v"
        if isinstance(node, ast.arg):
            node.arg, node.annotation = "v", None
    return tree


@cache
def known(code: str) -> frozenset[str]:
    """The shapes of all expressions of a piece of code."""
    tree = plain(code)
    return frozenset(shape(node) for node in expressions(tree)) if tree else frozenset()


@cache
def spelt(code: str) -> frozenset[str]:
    """What the single operations of a piece of code are known by."""
    tree = plain(code)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.expr)] if tree else []
    return frozenset(one for node in nodes for one in spellings(node))


def text_of(node: ast.AST, code: str) -> str:
    """An expression as it is written."""
    return ast.get_source_segment(code, node) or "?"


def answers(tree: ast.AST) -> list[ast.expr]:
    """The expressions that functions return, if they compute anything."""
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value]
    return [value for value in values if operations(value)]


def spellings(node: ast.expr) -> frozenset[str]:
    """What a single operation is known by: its text, and NumPy's function with its keywords."""
    if operations(node) != 1:
        return frozenset()
    names = [
        part.named
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and hasattr(part, "named")
    ]
    found = {f"{shape(node)} of {names}"}
    if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("np.") and node.keywords:
        keywords = sorted(keyword.arg or "" for keyword in node.keywords)
        found.add(f"{ast.unparse(node.func)}({', '.join(keywords)})")
    return frozenset(found)


def strip(tree: ast.AST) -> None:
    """Remove docstrings, imports, and what only refuses bad input: none of it is an answer."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not is_trivial(part)] or [ast.Pass()]  # type: ignore[attr-defined]


def is_trivial(node: ast.stmt) -> bool:
    if isinstance(node, ast.If):
        return all(isinstance(part, ast.Raise) for part in node.body) and not node.orelse
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, ast.Import | ast.ImportFrom | ast.Raise)


def expressions(tree: ast.AST) -> Iterator[ast.expr | ast.AugAssign]:
    """All expressions of a tree, and its `+=`, that compute something."""
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.AugAssign) and operations(node) > 1:
            yield node


def largest(tree: ast.AST, shapes: frozenset[str]) -> Iterator[ast.AST]:
    """The largest expressions of a tree that are known."""
    for child in ast.iter_child_nodes(tree):
        is_candidate = isinstance(child, ast.expr | ast.AugAssign) and operations(child) > 1
        if is_candidate and shape(child) in shapes:
            yield child
        else:
            yield from largest(child, shapes)


def operations(tree: ast.AST) -> int:
    """How much a tree computes."""
    return sum(isinstance(node, (*OPERATIONS, ast.AugAssign)) for node in ast.walk(tree))


def shape(node: ast.AST) -> str:
    """An expression as text for comparisons; whole numbers from 3 on are names."""
    number = r"Constant\(value=(?:[3-9]|\d\d+)\)"
    return re.sub(number, "Name(id='v', ctx=Load())", ast.dump(node))


class Plain(ast.NodeTransformer):
    """One spelling for what is the same."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return transposed(node.value, node) if node.attr in ("T", "mT") else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.keywords.sort(key=lambda keyword: keyword.arg or "")
        name = getattr(node.func, "attr", "")
        is_numpy = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "np"
        if isinstance(node.func, ast.Attribute) and not is_numpy:
            if name in METHODS | {"swapaxes", "transpose"}:
                owner = ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load())
                call = ast.Call(owner, [node.func.value, *node.args], node.keywords)
                node = ast.copy_location(call, node)
            else:
                return node
        if name in ("swapaxes", "transpose", "matrix_transpose"):
            return transposed(node.args[0], node)
        if name in ("matmul", "dot") and len(node.args) == 2:
            return ast.copy_location(ast.BinOp(node.args[0], ast.MatMult(), node.args[1]), node)
        if name == "sqrt" and node.args:
            return ast.copy_location(ast.BinOp(node.args[0], ast.Pow(), ast.Constant(0.5)), node)
        if name in METHODS and len(node.args) == 2:  # np.sum(x, 0) is np.sum(x, axis=0)
            node.keywords.insert(0, ast.keyword("axis", node.args.pop()))
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        is_whole = isinstance(node.value, float) and node.value.is_integer()
        return ast.Constant(int(node.value)) if is_whole else node  # type: ignore[arg-type]


def transposed(value: ast.expr, where: ast.expr) -> ast.AST:
    """A transposed matrix, however it is written."""
    return ast.copy_location(
        ast.Subscript(value, ast.Name("TRANSPOSED", ast.Load()), ast.Load()), where
    )
