"""The numbers behind a check: what is right on each visible stage, and what each known mistake gives there.

Runs the reference and the catalogued answers of one chapter on the stages of its check cells. Owns the form in
which results are stored in the setup cell (``_revive`` there reads it back); never touches a notebook file.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from autograde.errors import CourseError
from autograde.mistakes import Entry, wrong

HIDDEN = re.compile(
    r"^### BEGIN HIDDEN TESTS.*?^### END HIDDEN TESTS[^\n]*", re.DOTALL | re.MULTILINE
)

Stage = tuple[str, tuple[Any, ...], dict[str, Any]]


def record(
    setup: str,
    recap: str,
    solutions: list[str],
    checks: dict[str, str],
    entries: list[Entry],
    where: str,
) -> dict[str, Any]:
    """The table `ANSWERS` of a chapter.

    Parameters
    ----------
    setup, recap: source of the injected cells.
    solutions: sources of the reference solution cells, in order.
    checks: exercise -> source of its check cell.
    entries: the chapter's catalogue.
    where: the chapter's file, for messages.

    Returns
    -------
    {exercise: {"expected": [result of each stage], "mistakes": [[sentence, [fingerprint of each stage]]]}}

    Raises CourseError if a check cell does not run, or has not one call of ``check``.
    """
    base = namespace(setup, recap)
    reference = dict(base)
    for source in solutions:
        exec(compile(source, "solution", "exec"), reference)
    table: dict[str, Any] = {}
    for exercise, source in checks.items():
        stages = stages_of(exercise, source, reference, where)
        expected, right = [], []
        for label, args, kwargs in stages:
            result, error, changed = base["_call"](reference[exercise], args, kwargs)
            wanted = isinstance(label, base["_Refusal"])
            expected.append(ValueError if wanted else result)
            if not base["_right"](result, error, changed, expected[-1]):
                fault = f"changes {changed}" if changed else f"raises {error!r}"
                raise CourseError(
                    f"{where}, check of {exercise}",
                    f"on the stage {label!r} the reference solution {fault}.",
                    "Correct the solution or the stage; refusal(...) is a stage that wants ValueError.",
                )
            right.append(base["_outcome"](result, error, [], expected[-1]))
        table[exercise] = {
            "expected": [stored(result) for result in expected],
            "mistakes": [
                [entry.sentence, marks]
                for entry in wrong(entries, exercise)
                if (marks := fingerprints(entry.code, exercise, stages, expected, base)) is not None
                and not all(map(base["_matches"], marks, right))
            ],
        }
    return table


def namespace(setup: str, recap: str) -> dict[str, Any]:
    """What the injected cells define."""
    space: dict[str, Any] = {"__name__": "chapter"}
    exec(compile(setup, "setup", "exec"), space)
    exec(compile(recap, "recap", "exec"), space)
    return space


def visible(check: str) -> str:
    """The part of a check cell that learners see."""
    return HIDDEN.sub("", check)


def stages_of(exercise: str, source: str, reference: dict[str, Any], where: str) -> list[Stage]:
    """The stages that a check cell hands to ``check``."""
    calls: list[tuple[Any, tuple[Stage, ...]]] = []
    space = dict(reference)
    space["check"] = lambda function, *stages: calls.append((function, stages))
    cell = f"{where}, check of {exercise}"
    try:
        exec(compile(visible(source), "check", "exec"), space)
    except Exception as error:
        raise CourseError(
            cell,
            f"its visible part raises {type(error).__name__}: {error}",
            "A check cell may use names of the setup cell, the recap cell, the exercises and its own.",
        ) from error
    if len(calls) != 1 or calls[0][0] is not reference.get(exercise):
        raise CourseError(
            cell,
            f"it must call check({exercise}, ...) exactly once.",
            "Put all stages into one call of check.",
        )
    return list(calls[0][1])


def fingerprints(
    code: str, exercise: str, stages: list[Stage], expected: list[Any], base: dict[str, Any]
) -> list[list[Any]] | None:
    """The outcome of one answer on every stage; None if its cell does not even define the function."""
    space = dict(base)
    quiet = contextlib.redirect_stdout(io.StringIO())
    with warnings.catch_warnings(), np.errstate(all="ignore"), quiet:
        warnings.simplefilter("ignore")
        try:
            exec(compile(code, "answer", "exec"), space)
        except Exception:
            return None
        function: Callable[..., Any] | None = space.get(exercise)
        if not callable(function):
            return None
        marks = []
        for (_, args, kwargs), like in zip(stages, expected, strict=True):
            form, *sums = base["_outcome"](*base["_call"](function, args, kwargs), like)
            marks.append([form, *(float(f"{number:.8g}") for number in sums)])
        return marks


def stored(value: Any) -> Any:
    """A right result (or ValueError where it is wanted) as JSON; ``_revive`` of the setup cell is its inverse."""
    if isinstance(value, type):
        return {"raises": value.__name__}
    if isinstance(value, np.ndarray):
        kind = value.dtype.kind
        plain = {"array": digits(value.tolist()), "kind": "i" if kind == "u" else kind}
        return plain if value.size else plain | {"shape": value.shape}
    if isinstance(value, tuple):
        return {"tuple": [stored(part) for part in value]}
    if isinstance(value, list):
        return [stored(part) for part in value]
    if isinstance(value, dict):
        return {key: stored(part) for key, part in value.items()}
    return digits(value.item() if isinstance(value, np.generic) else value)


def digits(value: Any) -> Any:
    """Numbers to ten significant digits, inside any nesting of lists."""
    if isinstance(value, list):
        return [digits(part) for part in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value


def as_source(table: dict[str, Any]) -> str:
    """The assignment to ANSWERS, one line for each mistake."""
    parts = []
    for exercise, known in table.items():
        lines = ",\n  ".join(json.dumps(m, ensure_ascii=False) for m in known["mistakes"])
        expected = json.dumps(known["expected"], ensure_ascii=False)
        parts.append(f'"{exercise}": {{"expected": {expected},\n "mistakes": [\n  {lines}]}}')
    text = "{" + ",\n".join(parts) + "}"
    return f"ANSWERS = _json.loads(r'''{text}''')" if parts else "ANSWERS = {}"
