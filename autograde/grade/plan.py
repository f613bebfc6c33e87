"""Which calls a test cell is about to make: found by walking through it once without calling anybody.

Each question and answer between two processes costs two switches of the processor. Most test cells make calls
that do not depend on earlier answers (`check` with its stages, `hidden` in a loop over seeded draws), so all of
them can be sent at once and the answers read as they are needed. A cell that decides from an answer what to ask
next is planned up to there, and each of its calls is compared with the planned one, byte for byte, before an
answer is taken: a wrong guess costs time and no point. A cell that is nothing but uses of `check` and
`hidden` is not run again for each submission: its uses are repeated with what they were given. Runs test cells
only; sends nothing.
"""

from __future__ import annotations

import contextlib
import dis
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from autograde.sandbox.inside.wire import Batch, Caps, OversizedError, UnsupportedError, pack

LARGEST = 1 << 20
"""Bytes of calls sent ahead."""
USED = ("check", "hidden")
REACHING = ("globals", "locals", "vars", "eval", "exec")
"""Code that reads one of these may use `check` and `hidden` without naming them."""


class UnplannedError(BaseException):
    """The walk ends here: the cell uses an answer, or hands over a function."""


@dataclass(frozen=True)
class Call:
    """A call that a part will make: the exercise, and the bytes of what it is given."""

    name: str
    given: bytes


@dataclass(frozen=True)
class Use:
    """A use of `check` or `hidden` by a part, and what it is given after the function."""

    what: str
    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass
class CallPlan:
    """One part of a test cell: the calls it will make, in order, and its uses, if it is nothing else.

    `frame` asks for all the calls, under the number `number`.
    """

    number: int
    calls: list[Call] = field(default_factory=list)
    frame: bytes = b""
    uses: list[Use] | None = None

    def repeat(self, space: dict[str, Any]) -> None:
        """Do what the part does, in a namespace that holds `check`, `hidden` and the functions."""
        for use in self.uses or []:
            space[use.what](space[use.name], *deepcopy(use.args), **deepcopy(use.kwargs))

    def is_same(self, other: CallPlan) -> bool:
        """True if it asks the same, and both can be repeated."""
        return None not in (self.uses, other.uses) and self.calls == other.calls


def plan_calls(
    parts: Iterable[CodeType],
    namespace: dict[str, Any],
    exercises: Iterable[str],
    first: int,
    caps: Caps,
) -> list[CallPlan]:
    """The calls that the parts of a test cell will make, one after the other in one namespace.

    Parameters
    ----------
    namespace: what setup and recap define; `check` and `hidden` of it are walked past.
    first: the number of the first part's frame; the next part has the next.
    """
    found = []
    names: dict[Any, str] = {}
    misses: list[str] = []
    space = dict(namespace)
    for name in exercises:
        if name not in namespace:
            space[name] = _silent(misses)
            names[space[name]] = name
    for number, code in enumerate(parts, first):
        walk = _Walk(names, misses, caps, CallPlan(number))
        if namespace.keys() >= set(USED):
            walk.through(code, space)
        found.append(walk.found)
    if any(part.uses is None for part in found):  # what has to be run binds what the others need
        for part in found:
            part.uses = None
    return found


@dataclass
class _Walk:
    """Walks through one part and notes what it would ask.

    Attributes
    ----------
    misses: why the walk went another way than the cell will, whether or not the cell noticed.
    """

    names: dict[Any, str]
    misses: list[str]
    caps: Caps
    found: CallPlan
    is_over: bool = False

    def __post_init__(self) -> None:
        self.batch = Batch(self.caps, share=True)
        self.uses: list[Use] = []

    def through(self, code: CodeType, space: dict[str, Any]) -> None:
        """Run the code with stand-ins for `check` and `hidden`."""
        inner_use = any(reads(one, USED) for one in within(code))  # when and how often is open
        is_plain = not (inner_use or reads(code, REACHING) or handles_errors(code))
        is_whole = False
        space |= {"check": self.check, "hidden": self.hidden}
        with contextlib.suppress(UnplannedError, Exception):  # what was found until then holds
            exec(code, space)
            is_whole = space["check"] == self.check and space["hidden"] == self.hidden
        self.is_over = True
        if is_plain and is_whole and not self.misses:
            self.found.uses = self.uses
        self.found.frame = self.batch.frame("asks", self.found.number)

    def check(
        self,
        function: Any,
        *stages: tuple[str, tuple[Any, ...], dict[str, Any]],
        through: Callable[..., Any] | None = None,
    ) -> None:
        kept = tuple((label, deepcopy(args), deepcopy(kwargs)) for label, args, kwargs in stages)
        for _, args, kwargs in kept:
            self.note(function, args, kwargs)
        self.use("check", function, kept, self.reading(through))

    def hidden(
        self,
        function: Any,
        expected: Any,
        label: str,
        *args: Any,
        through: Callable[..., Any] | None = None,
        **kwargs: Any,
    ) -> None:
        kept, named = deepcopy(args), deepcopy(kwargs)
        if callable(expected) and not isinstance(expected, type):
            expected = _known(expected(*deepcopy(args), **deepcopy(kwargs)))
        self.note(function, kept, named)
        self.use(
            "hidden", function, (deepcopy(expected), label, *kept), named | self.reading(through)
        )

    def reading(self, through: Callable[..., Any] | None) -> dict[str, Any]:
        """How results are read, as an argument. One that calls an exercise asks more than the walk can see."""
        if through is not None and calls(through, set(self.names.values())):
            self.misses.append("results are read with an answer")
        return {} if through is None else {"through": through}

    def note(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Add a call."""
        try:
            given = given_to(self.names[function], args, kwargs, self.caps)
            size = self.batch.writer.text + self.batch.writer.size + len(given)
            if self.is_over or size > LARGEST:
                raise OversizedError("too much, or too late")
            self.batch.add("call", self.names[function], list(args), kwargs)
        except (KeyError, TypeError, UnsupportedError, OversizedError) as fault:
            self.misses.append(str(fault))
            raise UnplannedError from fault
        self.found.calls.append(Call(self.names[function], given))

    def use(self, what: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Add a use whose calls have been noted."""
        self.uses.append(Use(what, self.names[function], args, kwargs))


def given_to(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], caps: Caps) -> bytes:
    """What tells one call from another. Raises UnsupportedError or OversizedError."""
    return pack("call", 0, name, list(args), kwargs, caps=caps, share=True)


def within(code: CodeType) -> list[CodeType]:
    """The code of functions, classes and comprehensions that stand in code."""
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def reads(code: CodeType, names: Iterable[str]) -> bool:
    """True if code, or code within it, may read one of these names."""
    return not set(names).isdisjoint(code.co_names) or any(
        reads(one, names) for one in within(code)
    )


def calls(function: Any, names: set[str], known: frozenset[str] = frozenset()) -> bool:
    """True if a function, or one of its cell that it uses, may use one of these names."""
    code = getattr(function, "__code__", None)
    if code is None or reads(code, names):
        return True
    used = {name for one in (code, *within(code)) for name in one.co_names} - known
    found = (function.__globals__.get(name) for name in used)
    own = [one for one in found if getattr(one, "__globals__", None) is function.__globals__]
    return any(calls(one, names, known | used) for one in own)


def handles_errors(code: CodeType) -> bool:
    """True if code, or code within it, goes on after an error: what comes next then hangs on the error."""
    handlers = (step.opname == "PUSH_EXC_INFO" for step in dis.get_instructions(code))
    return any(handlers) or any(map(handles_errors, within(code)))


def _known(value: Any) -> Callable[..., Any]:
    """A function whose value has been computed."""

    def expected(*args: Any, **kwargs: Any) -> Any:
        return deepcopy(value)

    return expected


def _silent(misses: list[str]) -> Callable[..., Any]:
    """Stands for an exercise function: it cannot answer yet."""

    def exercise(*args: Any, **kwargs: Any) -> Any:
        misses.append("an answer is used")
        raise UnplannedError

    return exercise
