"""What a test cell sees of a student's process: functions, plain values and exceptions.

Nothing here talks to the process.
"""

from __future__ import annotations

import builtins
import contextlib
import inspect
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from autograde.verdict import SENTENCES, Outcome

UNWRITTEN = "NotImplementedError"
COMMON = frozenset(
    ["TypeError", "ValueError", "IndexError", "NameError", "AttributeError", "KeyError", UNWRITTEN]
) | {"ZeroDivisionError"}
"""The types of errors that a hidden part may name: a name of the learner's choice could tell an input."""
Call = Callable[[str, tuple[Any, ...], dict[str, Any]], Any]
"""Calls the student's function of a name; gives its result, or a `StudentRaisedError`."""


class FaultError(BaseException):
    """A question ended with this outcome; no test can catch it by accident."""

    def __init__(self, outcome: Outcome, message: str = "") -> None:
        super().__init__(outcome)
        self.outcome, self.message = outcome, message or SENTENCES[outcome]


class LostError(BaseException):
    """The sandbox failed in the middle of a test; no test can take it for a student's error."""


class StudentRaisedError(Exception):
    """What a proxy raises when the student's function raised an error; `told` is its text."""

    told = ""

    def __str__(self) -> str:
        return self.told


def make_proxy(name: str, signature: inspect.Signature, call: Call) -> Callable[..., Any]:
    """A function that has the student's function of this name called. Raises what `call` gives as an exception."""

    def proxy(*args: Any, **kwargs: Any) -> Any:
        result = call(name, args, kwargs)
        if isinstance(result, StudentRaisedError):
            raise result
        return result

    proxy.__name__ = proxy.__qualname__ = name
    proxy.__signature__ = signature  # type: ignore[attr-defined]
    proxy.__code__ = proxy.__code__.replace(co_filename="<your function>", co_name=name)
    return proxy


def put_back(old: Any, new: Any) -> None:
    """Copy what a call did to its arguments into the caller's own. Raises FaultError if their form changed."""
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray):
        if old.shape != new.shape or old.dtype != new.dtype:
            raise FaultError(
                Outcome.WRONG, "Your function changed the shape of an array it was given."
            )
        if old.flags.writeable:
            np.copyto(old, new)
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple):
        if isinstance(old, list) and len(old) != len(new):
            old[:] = new
            return
        for place, (one, other) in enumerate(zip(old, new, strict=False)):
            put_back(one, other)
            if isinstance(old, list) and not isinstance(one, np.ndarray | list | tuple | dict):
                old[place] = one if callable(one) else other
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in [key for key in old if key not in new]:
            del old[key]
        for key, other in new.items():
            one = old.get(key)
            if isinstance(one, np.ndarray | list | tuple | dict):
                put_back(one, other)
            elif not callable(one):
                old[key] = other


def items_in(value: Any) -> int:
    """How large a value is: numbers in arrays, items in containers, letters, the size of integers."""
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, list | tuple):
        return sum(map(items_in, value)) + len(value)
    if isinstance(value, dict):
        return sum(items_in(v) for item in value.items() for v in item)
    if isinstance(value, str):
        return len(value)
    return min(abs(value), 1 << 30) if type(value) is int else 1


def common(base: str) -> str:
    """The name of a built-in error as a hidden part may tell it."""
    kinds = getattr(getattr(builtins, base, None), "__mro__", ())
    return next((kind.__name__ for kind in kinds if kind.__name__ in COMMON), "Exception")


def exception(base: str, kind: str = "", text: str = "") -> StudentRaisedError:
    """An exception that a test sees as one of the built-in type `base`, under the learner's own name for it."""
    if not kind or not kind.isprintable():
        kind = "an error" if base == "Exception" and not kind else base
    problem = _exception_type(base, kind[:60])()
    problem.told = text
    return problem


@lru_cache(256)
def _exception_type(base: str, name: str) -> type[StudentRaisedError]:
    """A type of that name that is also a built-in one, where that can be made."""
    builtin = getattr(builtins, base, Exception)
    if isinstance(builtin, type) and issubclass(builtin, Exception) and builtin is not Exception:
        own = {"__init__": lambda self: None, "__new__": builtin.__new__}  # they ask for arguments
        made = type(name, (StudentRaisedError, builtin), own)
        with contextlib.suppress(TypeError):  # exception groups want exceptions
            made()
            return made
    return type(name, (StudentRaisedError,), {})


@lru_cache(256)
def _foreign_type(name: str) -> type:
    return type(name or "object", (), {"__slots__": ()})


def opaque(name: str) -> object:
    """Stands for a value that cannot cross: equal to nothing but itself."""
    return _foreign_type(name[:60])()


def shortened(text: str, place: str) -> str:
    """The text of an exception for the learner who raised it."""
    return text[:180] + (f"\n      in {place[:110]}" if place else "")
