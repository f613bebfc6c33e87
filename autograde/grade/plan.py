"""Which calls a test cell makes, where that is plain from the cell: then all of them cross in one frame.

Each question and answer between two processes costs two switches of the processor. A test cell whose both parts
are nothing but uses of `check` and `hidden` (with seeded draws, loops and helpers beside them) asks the same
whatever the answers are: it is a *plan*. Its uses are made once with the reference solutions, the calls that
come are what each learner's process is asked, and each paper repeats the uses with its own answers. Any other
cell has no plan and is run call by call. Runs test cells and reference solutions only; sends nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from autograde.sandbox.inside.wire import Batch, Caps

LARGEST = 1 << 20
"""Bytes of the calls of one part."""
USED = ("check", "hidden")
REACHING = frozenset(["globals", "locals", "vars", "eval", "exec"])
"""Code that reads one of these may use `check` and `hidden` without naming them."""
INNER = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
"""Code that runs when and as often as somebody else decides."""
HANDLING = (ast.Try, ast.TryStar, ast.With, ast.AsyncWith)
"""What comes after these may hang on an error."""


@dataclass(frozen=True)
class Use:
    """A use of `check` or `hidden`: which of them, the exercise, and what else it is given."""

    what: str
    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True)
class CallPlan:
    """One part of a test cell: its uses, and the exercises that they call, in order.

    Attributes
    ----------
    frame: asks for all the calls, under the number `number`.
    asks: the same under no number: what tells one plan from another.
    """

    number: int
    uses: list[Use]
    calls: list[str]
    frame: bytes
    asks: bytes

    def repeat(self, space: Mapping[str, Any]) -> None:
        """Do what the part does, in a namespace that holds `check`, `hidden` and the functions."""
        repeat(self.uses, space)


def repeat(uses: list[Use], space: Mapping[str, Any]) -> None:
    for use in uses:
        space[use.what](space[use.name], *deepcopy(use.args), **deepcopy(use.kwargs))


def plan_calls(
    parts: Sequence[str],
    namespace: Mapping[str, Any],
    references: Mapping[str, Callable[..., Any]],
    first: int,
    caps: Caps,
) -> list[CallPlan]:
    """The plans of the parts of a test cell, which run one after the other in one namespace; none if one has none.

    Parameters
    ----------
    namespace: what setup and recap define, `check` and `hidden` among it.
    references: exercise -> the function that is right.
    first: the number of the first part's frame; the next part has the next.
    """
    own = {name: f for name, f in references.items() if name not in namespace}
    trees = [ast.parse(part) for part in parts]
    if not namespace.keys() >= set(USED) or not all(is_plain(tree, own.keys()) for tree in trees):
        return []
    space: dict[str, Any] = {**namespace, **{name: _Exercise(name) for name in own}}
    try:
        noted = [_uses(tree, space) for tree in trees]
        return [_plan(uses, namespace, own, n, caps) for n, uses in enumerate(noted, first)]
    except Exception:  # a fault in the cell shows when the cell runs; a large one has to
        return []


def is_plain(tree: ast.AST, exercises: Any) -> bool:
    """True if a cell gives exercises to `check` and `hidden` and does nothing else with any of these names.

    It may do so in loops, but not where an error is handled or where the time is somebody else's to choose.
    """
    watched = {*USED, *exercises}
    fitting: set[ast.AST] = set()
    for node in _outermost(tree):
        if isinstance(node, HANDLING):
            return False
        match node:
            case ast.Call(func=ast.Name(id=used) as what, args=[ast.Name(id=name) as who, *_]):
                if used in USED and name in exercises:
                    fitting |= {what, who}
    for node in ast.walk(tree):
        name = getattr(node, "id", getattr(node, "name", ""))
        if isinstance(node, ast.Global) or name in REACHING:
            return False
        if name in watched and node not in fitting:
            return False
    return True


def _outermost(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that do not stand in inner code."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, INNER):
            yield node
            yield from _outermost(node)


@dataclass(frozen=True)
class _Exercise:
    """Stands for an exercise function while the uses are noted."""

    name: str


def _uses(tree: ast.Module, space: dict[str, Any]) -> list[Use]:
    """Run a part with stand-ins for `check` and `hidden`. Raises whatever it raises, or ValueError."""
    noted: list[Use] = []

    def check(function: _Exercise, *stages: Any, **kwargs: Any) -> None:
        noted.append(Use("check", function.name, deepcopy(stages), deepcopy(kwargs)))

    def hidden(function: _Exercise, expected: Any, *args: Any, **kwargs: Any) -> None:
        given, named = deepcopy(args), deepcopy(kwargs)
        if callable(expected) and not isinstance(expected, type):
            inputs = {key: value for key, value in kwargs.items() if key != "through"}
            expected = _Known(expected(*deepcopy(args[1:]), **deepcopy(inputs)))
        noted.append(Use("hidden", function.name, (deepcopy(expected), *given), named))

    space |= {"check": check, "hidden": hidden}
    exec(compile(tree, "<plan>", "exec"), space)
    if (space["check"], space["hidden"]) != (check, hidden):
        raise ValueError("the cell binds a name that it uses")
    return noted


@dataclass(frozen=True)
class _Known:
    """A function whose value has been computed."""

    value: Any

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return deepcopy(self.value)


def _plan(
    uses: list[Use],
    namespace: Mapping[str, Any],
    references: Mapping[str, Callable[..., Any]],
    number: int,
    caps: Caps,
) -> CallPlan:
    """The calls that these uses make of right functions. Raises whatever they raise, or ValueError."""
    batch, calls = Batch(caps, share=True), []

    def noting(name: str) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            batch.add("call", name, list(args), kwargs)
            calls.append(name)
            return references[name](*args, **kwargs)

        call.__name__ = call.__qualname__ = name
        return call

    repeat(uses, {**namespace, **{name: noting(name) for name in references}})
    if batch.text + batch.data > LARGEST:
        raise ValueError("too much for one frame")
    return CallPlan(number, uses, calls, batch.frame("asks", number), batch.frame("asks", 0))
