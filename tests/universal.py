"""Wrong answers that any exercise can get, made from its reference: what hidden tests have to reject, all of them.

Each is the reference with one fault. It applies to an exercise if the fault can show on what the exercise takes; which
of them apply is found by trying them on the visible stages. Hidden tests alone must reject it: stages can be read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograde.build import expected
from autograde.build.source import Source
from tests.answers import Chapter

Function = Callable[..., Any]


@dataclass
class Reference:
    """The reference answer to an exercise and what the stages of its check give it.

    Attributes
    ----------
    stages: (args, kwargs) of the stages that are no refusals.
    base_axes: argument -> how many axes its docstring names after the "...".
    is_read: results are read through a property, so that numbers may differ.
    """

    name: str
    function: Function
    stages: list[tuple[tuple[Any, ...], dict[str, Any]]]
    results: list[Any]
    base_axes: dict[str, int]
    rules: dict[str, Any]
    is_read: bool
    parameters: list[str]


def reference(this: Chapter, exercise: str, source: Source) -> Reference:
    """The reference of an exercise in a built chapter."""
    base = expected.namespace(this.setup, this.recap)
    space = dict(base)
    for solution in this.solutions.values():
        exec(solution, space)
    chapter = expected.Chapter(base, space, this.name)
    stages, through = expected.stages_of(exercise, this.shown[exercise], chapter)
    function = space[exercise]
    text = function.__doc__ or ""
    axes = re.findall(r"(\w+): \(\.\.\.,\s*([\w, ]+)\)", text)
    code = function.__code__
    kept = [(a, k) for label, a, k in stages if not isinstance(label, base["_Refusal"])]
    return Reference(
        exercise,
        function,
        kept,
        [function(*deepcopy(a), **deepcopy(k)) for a, k in kept],
        {name: len([axis for axis in names.split(",") if axis.strip()]) for name, names in axes},
        source.rules[exercise],
        through is not None,
        list(code.co_varnames[: code.co_argcount]),
    )


def faults(ref: Reference) -> Iterator[tuple[str, Function]]:
    """(what is wrong, the wrong answer) for each fault that can show in this exercise."""
    values = [v for args, kwargs in ref.stages for v in (*args, *kwargs.values())]
    arrays = [v for v in values if isinstance(v, np.ndarray)]
    numbers = [leaf for result in ref.results for leaf in leaves(result)]
    is_float = any(leaf.dtype.kind == "f" and leaf.size for leaf in numbers)
    if arrays or any(type(v) is float for v in values):
        yield "a cache keyed by shapes and types", cached(ref)
    if is_float and not ref.is_read:
        yield "off by 1e-5, relative", after(ref, lambda x: x * (1 + 1e-5))
        yield "off by 1e-5, absolute", after(ref, lambda x: x + 1e-5)
    if ref.rules.get("zeros"):
        yield "exact zeros replaced by 1e-12", after(ref, lambda x: np.where(x == 0, 1e-12, x))
    if any(a.dtype.kind == "f" for a in arrays) and is_float:
        whole = [whole_numbers(args, kwargs) for args, kwargs in ref.stages]
        if any(differs(cast(ref), ref.function, *given) for given in whole):
            yield "cast to the type of whole-number inputs", cast(ref)
        if not ref.is_read and any(works(ref.function, *given) for given in whole):
            yield "NaN on whole numbers", nan_on_whole(ref)
    if ref.base_axes:
        yield "the first item of a leading axis, repeated", first_item(ref, 0)
        yield "the first item of a second leading axis, repeated", first_item(ref, 1)
        yield "fails on two leading axes", one_axis(ref)
    if any(isinstance(v, np.ndarray | list | dict) and len(v) for v in values):
        yield "changes its input in place", changing(ref)


def narrow(ref: Reference) -> Function:
    """The reference on inputs of single precision: right, as far as single precision goes."""

    def right(*args: Any, **kwargs: Any) -> Any:
        result = ref.function(*expected.single(args), **expected.single(kwargs))
        return mapped(result, lambda x: np.asarray(x, dtype=np.float32)[()])

    return right


# ---------------------------------------------------------------- the faults
def cached(ref: Reference) -> Function:
    """Remembers the result for arguments of the same shapes and types."""
    known: dict[str, Any] = {}

    def key(value: Any) -> str:
        if isinstance(value, np.ndarray):
            return f"{value.shape} {value.dtype}"
        if isinstance(value, list | tuple):
            return f"{[key(part) for part in value]}"
        return type(value).__name__ if isinstance(value, float) or callable(value) else repr(value)

    def wrong(*args: Any, **kwargs: Any) -> Any:
        name = "; ".join([*map(key, args), *(f"{k}={key(v)}" for k, v in kwargs.items())])
        if name not in known:
            known[name] = ref.function(*args, **kwargs)
        return deepcopy(known[name])

    return wrong


def after(ref: Reference, change: Callable[[Any], Any]) -> Function:
    """Changes the floats of the result."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        return mapped(ref.function(*args, **kwargs), change)

    return wrong


def cast(ref: Reference) -> Function:
    """Gives the result the type of an input of whole numbers, as `np.zeros_like(X)` does."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        result = ref.function(*args, **kwargs)
        types = [v.dtype for v in (*args, *kwargs.values()) if is_whole(v)]
        with np.errstate(all="ignore"):
            return mapped(result, lambda x: np.asarray(x).astype(types[0])) if types else result

    return wrong


def nan_on_whole(ref: Reference) -> Function:
    """NaN if an input holds whole numbers."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        result = ref.function(*args, **kwargs)
        is_asked = any(is_whole(v) for v in (*args, *kwargs.values()))
        return mapped(result, lambda x: np.asarray(x) * np.nan) if is_asked else result

    return wrong


def first_item(ref: Reference, axis: int) -> Function:
    """Takes the first item of a leading axis for all of them."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        given = dict(zip(ref.parameters, args, strict=False)) | kwargs
        for name, count in ref.base_axes.items():
            value = given.get(name)
            if isinstance(value, np.ndarray) and value.ndim > count + axis:
                given[name] = np.repeat(np.take(value, [0], axis), value.shape[axis], axis)
        return ref.function(**given)

    return wrong


def one_axis(ref: Reference) -> Function:
    """Raises where an argument has two leading axes."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        given = dict(zip(ref.parameters, args, strict=False)) | kwargs
        if any(np.ndim(given.get(n, 0)) > count + 1 for n, count in ref.base_axes.items()):
            raise IndexError("too many indices for array")
        return ref.function(*args, **kwargs)

    return wrong


def changing(ref: Reference) -> Function:
    """Changes the first input that can be changed, after a right result."""

    def wrong(*args: Any, **kwargs: Any) -> Any:
        result = deepcopy(ref.function(*args, **kwargs))
        for value in (*args, *kwargs.values()):
            if isinstance(value, np.ndarray) and value.size:
                value[...] = ~value if value.dtype.kind == "b" else value + 1
                break
            if isinstance(value, list) and value:
                value.append(value[0])
                break
            if isinstance(value, dict) and value:
                value.popitem()
                break
        return result

    return wrong


# ---------------------------------------------------------------- values
def leaves(value: Any) -> list[np.ndarray]:
    """The arrays of numbers in a result."""
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves(part)]
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in leaves(part)]
    array = np.asarray(value)
    return [array] if array.dtype.kind in "biuf" else []


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """A result with its floats changed."""
    if isinstance(value, dict):
        return {key: mapped(part, change) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(mapped(part, change) for part in value)
    is_float = isinstance(value, float) or getattr(value, "dtype", np.dtype(bool)).kind == "f"
    return change(value) if is_float else value


def is_whole(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "iu"


def whole_numbers(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a stage with their arrays of floats rounded to whole numbers."""

    def rounded(value: Any) -> Any:
        is_float = isinstance(value, np.ndarray) and value.dtype.kind == "f"
        if not is_float or not (np.abs(value) < 1e15).all():  # NaN and infinity, too
            return value
        return np.rint(3 * value).astype(int)  # times 3: a table of 0.1 would be all zeros

    return tuple(map(rounded, args)), {key: rounded(value) for key, value in kwargs.items()}


def works(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """True if a call gives finite numbers and was given whole ones."""
    if not any(map(is_whole, (*args, *kwargs.values()))):
        return False
    try:
        with np.errstate(all="ignore"):
            found = leaves(function(*deepcopy(args), **deepcopy(kwargs)))
    except Exception:
        return False
    return any(leaf.dtype.kind == "f" and leaf.size for leaf in found)


def differs(one: Function, other: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """True if two functions give different numbers where both can be called."""
    if not works(other, args, kwargs):
        return False
    with np.errstate(all="ignore"):
        pairs = zip(
            leaves(one(*deepcopy(args), **deepcopy(kwargs))),
            leaves(other(*deepcopy(args), **deepcopy(kwargs))),
            strict=True,
        )
        return any(not np.allclose(a, b, equal_nan=True) for a, b in pairs)


def hidden_part(cell: str, exercise: str) -> str:
    """A check cell without its stages: what learners do not see, and the helpers it needs."""
    tree = ast.parse(cell)
    tree.body = [node for node in tree.body if not is_check(node)]
    return ast.unparse(tree)


def is_check(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func) == "check"
    )
