"""Does the answer to an exercise stand above it? Compares syntax trees, names aside.

The rule. A solution is a set of operations: products, calls, indexings, comparisons. An expression of it is *found*
in a cell above if the same expression stands there up to names, where `K.T`, `np.swapaxes(K, -1, -2)` and
`K.transpose()` are one thing, so are `np.matmul` and `@`, `np.sqrt(x)` and `x ** 0.5`, a method and the function of
NumPy; a whole number from 3 on is a name (`np.arange(5)` is `np.arange(n)`). Found expressions of one operation
(`x / n`, `a @ b`) say nothing and are not counted. The answer stands above if one place holds half of the solution's
operations, or an expression of five operations. A solution of a single operation counts as found where it stands
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
from copy import deepcopy
from dataclasses import dataclass

from autograde.build.release import setup_source
from autograde.build.source import Source, bare, recap_source
from autograde.layout import Layout
from autograde.mistakes import Right, load
from autograde.notebook import visible

HALF, LARGE = 0.5, 5
"""Share of a solution's operations, and operations of one expression, that count as an answer."""
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
    try:
        above = ast.parse(code)
    except SyntaxError:  # a piece of text that is no Python
        return None
    tree = ast.parse(solution)
    strip(tree)
    total = operations(tree)
    if total <= 1:
        plain = {one for node in ast.walk(above) for one in spellings(node)}
        same = [
            ast.unparse(node) for node in answers(tree) if not plain.isdisjoint(spellings(node))
        ]
        return Found(exercise, place, tuple(same), 1.0) if same else None
    known = {shape(node) for node in expressions(above)}
    matched = list(largest(tree, known))
    sizes = [operations(node) for node in matched]
    if sum(sizes) < HALF * total and max(sizes, default=0) < LARGE:
        return None
    texts = tuple(dict.fromkeys(ast.unparse(node) for node in matched))
    return Found(exercise, place, texts, sum(sizes) / total)


def answers(tree: ast.AST) -> list[ast.expr]:
    """The expressions that functions return, if they compute anything."""
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value]
    return [value for value in values if operations(value)]


def spellings(node: ast.AST) -> list[str]:
    """What a single operation is known by: its text, and NumPy's function with its keywords."""
    if not isinstance(node, ast.expr):
        return []
    text = [ast.unparse(node)] if operations(node) else []
    if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("np."):
        keywords = sorted(keyword.arg or "" for keyword in node.keywords)
        text += [f"{ast.unparse(node.func)}({', '.join(keywords)})"] if keywords else []
    return text


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


def largest(tree: ast.AST, known: set[str]) -> Iterator[ast.AST]:
    """The largest expressions of a tree that are known."""
    for child in ast.iter_child_nodes(tree):
        is_candidate = isinstance(child, ast.expr | ast.AugAssign) and operations(child) > 1
        if is_candidate and shape(child) in known:
            yield child
        else:
            yield from largest(child, known)


def operations(tree: ast.AST) -> int:
    """How much a tree computes."""
    nodes = ast.walk(Plain().visit(deepcopy(tree)))
    return sum(isinstance(node, (*OPERATIONS, ast.AugAssign)) for node in nodes)


def shape(node: ast.AST) -> str:
    """An expression with one sign for every name, and equal spellings made one."""
    node = Plain().visit(deepcopy(node))
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id not in KEPT:
            part.id = "v"
        if isinstance(part, ast.arg):
            part.arg, part.annotation = "v", None
    text = ast.dump(node)
    return re.sub(r"Constant\(value=(?:[3-9]|\d\d+)\)", "Name(id='v', ctx=Load())", text)


class Plain(ast.NodeTransformer):
    """One spelling for what is the same."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return transposed(node.value) if node.attr in ("T", "mT") else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.keywords.sort(key=lambda keyword: keyword.arg or "")
        name = getattr(node.func, "attr", "")
        is_numpy = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "np"
        if isinstance(node.func, ast.Attribute) and not is_numpy:
            if name in METHODS | {"swapaxes", "transpose"}:
                owner = ast.Attribute(ast.Name("np", ast.Load()), name, ast.Load())
                node = ast.Call(owner, [node.func.value, *node.args], node.keywords)
            else:
                return node
        if name in ("swapaxes", "transpose", "matrix_transpose"):
            return transposed(node.args[0])
        if name in ("matmul", "dot") and len(node.args) == 2:
            return ast.BinOp(node.args[0], ast.MatMult(), node.args[1])
        if name == "sqrt" and node.args:
            return ast.BinOp(node.args[0], ast.Pow(), ast.Constant(0.5))
        if name in METHODS and len(node.args) == 2:  # np.sum(x, 0) is np.sum(x, axis=0)
            node.keywords.insert(0, ast.keyword("axis", node.args.pop()))
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        is_whole = isinstance(node.value, float) and node.value.is_integer()
        return ast.Constant(int(node.value)) if is_whole else node  # type: ignore[arg-type]


def transposed(value: ast.expr) -> ast.Subscript:
    """A transposed matrix, however it is written."""
    return ast.Subscript(value, ast.Name("TRANSPOSED", ast.Load()), ast.Load())
