"""Which calls a test cell is about to make: found by walking through it once without calling anybody.

Each question and answer between two processes costs two switches of the processor. Most test cells make calls
that do not depend on earlier answers (`check` with its stages, `hidden` in a loop over seeded draws), so all of
them can be sent at once and the answers read as they are needed. A cell that decides from an answer what to ask
next is foreseen up to there. A wrong guess costs time and changes no outcome: the caller compares each call with
the foreseen one, byte for byte, before it takes the answer. Runs test cells only; sends nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any

from autograde.wire import Caps, Foreign, Oversized, pack

LARGEST = 64 << 10
"""Bytes of calls sent ahead: they must fit into the buffer of the socket, or both sides would wait."""


class Unforeseen(BaseException):
    """The walk ends here: the cell uses an answer, or hands over a function."""


def foresee(
    code: CodeType,
    namespace: dict[str, Any],
    exercises: Iterable[str],
    number: Callable[[], int],
    caps: Caps,
) -> list[tuple[int, bytes]]:
    """The calls that a test cell will make, in order: (number, frame).

    Parameters
    ----------
    namespace: what setup and recap define; `check` and `hidden` of it are walked past.
    number: gives the next number for a frame.
    """
    found: list[tuple[int, bytes]] = []
    if not {"check", "hidden"} <= namespace.keys():
        return found
    names: dict[Any, str] = {}

    def note(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        try:
            mine = number()
            frame = pack("call", mine, names[function], list(args), kwargs, caps=caps, share=True)
        except (KeyError, TypeError, Foreign, Oversized) as fault:
            raise Unforeseen from fault
        if sum(len(other) for _, other in found) + len(frame) > LARGEST:
            raise Unforeseen
        found.append((mine, frame))

    def check(function: Any, *stages: tuple[str, tuple[Any, ...], dict[str, Any]]) -> None:
        for _, args, kwargs in stages:
            note(function, args, kwargs)

    def hidden(function: Any, expected: Any, label: str, *args: Any, **kwargs: Any) -> None:
        note(function, args, kwargs)

    space = namespace | {"check": check, "hidden": hidden}
    for name in exercises:
        if name not in namespace:
            space[name] = _silent()
            names[space[name]] = name
    with contextlib.suppress(Unforeseen, Exception):  # what was found until then holds
        exec(code, space)
    return found


def _silent() -> Callable[..., Any]:
    """Stands for an exercise function: it cannot answer yet."""

    def exercise(*args: Any, **kwargs: Any) -> Any:
        raise Unforeseen

    return exercise
