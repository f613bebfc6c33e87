"""The numbers behind a check: what is right on each visible stage, and what each known mistake gives there.

Runs the reference and the catalogued answers of one chapter on the stages of its check cells. Owns the form in
which results are stored in the setup cell (``_revive`` there reads it back); never touches a notebook file.
"""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any

import numpy as np

from autograde.build.source import Source
from autograde.errors import CourseError
from autograde.mistakes import Entry, wrong
from autograde.notebook import visible

Stage = tuple[str, tuple[Any, ...], dict[str, Any]]
Through = Callable[..., Any] | None


@dataclass
class Chapter:
    """A chapter's injected cells and reference solutions, run.

    Attributes
    ----------
    base: what setup and recap define.
    reference: the same, and the reference functions.
    where: the chapter's file, for messages.
    """

    base: dict[str, Any]
    reference: dict[str, Any]
    where: str


def run_reference(setup: str, recap: str, source: Source) -> Chapter:
    """Run setup, recap and the reference solutions."""
    base = namespace(setup, recap)
    reference = dict(base)
    for exercise, solution in source.solutions.items():
        exec(compile(solution, f"<{exercise}>", "exec"), reference)
    return Chapter(base, reference, str(source.path))


def namespace(setup: str, recap: str) -> dict[str, Any]:
    """What the injected cells define."""
    space: dict[str, Any] = {"__name__": "chapter"}
    exec(compiled(setup, "<setup>"), space)
    exec(compiled(recap, "<recap>"), space)
    return space


@cache
def compiled(code: str, name: str) -> CodeType:
    """The code of an injected cell, which many runs share."""
    return compile(code, name, "exec")


def record(chapter: Chapter, source: Source, entries: list[Entry]) -> dict[str, Any]:
    """The table `ANSWERS` of a chapter.

    Returns
    -------
    {exercise: {"expected": [result of each stage], "mistakes": [[sentence, [fingerprint of each stage]]],
    "rules": how exact a result must be}}

    Raises CourseError if a check cell does not run, or has not one call of ``check``, or if the reference does not
    do on a stage what the stage wants, or not in single precision.
    """
    table: dict[str, Any] = {}
    for exercise, cell in source.checks.items():
        stages, through = stages_of(exercise, cell, chapter)
        rules = source.rules[exercise]
        expected = [results(chapter, exercise, stage, through, rules) for stage in stages]
        base, others = chapter.base, dict(chapter.reference)
        del others[exercise]
        right = [base["_outcome"](wished(base, like), like, rules) for like in expected]
        marked = [
            [entry.sentence, marks]
            for entry in wrong(entries, exercise)
            if (
                marks := fingerprints(
                    entry.code, exercise, stages, expected, others, through, rules
                )
            )
            and not all(base["_matches"](m, r, rules) for m, r in zip(marks, right, strict=True))
        ]
        stored_results = [stored(result) for result in expected]
        table[exercise] = {"expected": stored_results, "mistakes": marked, "rules": rules}
    return table


def wished(base: dict[str, Any], like: Any) -> Any:
    """The outcome of a call that does what is expected."""
    error = like("") if isinstance(like, type) else None
    return base["_Done"](like, error, [], False, None)


def results(
    chapter: Chapter, exercise: str, stage: Stage, through: Through, rules: dict[str, Any]
) -> Any:
    """What is right on a stage. Raises CourseError if the reference is not, in double or single precision."""
    label, args, kwargs = stage
    base, function = chapter.base, chapter.reference[exercise]
    is_refusal = isinstance(label, base["_Refusal"])
    done = base["_call"](function, args, kwargs, through)
    expected = ValueError if is_refusal else done.value
    if not base["_right"](done, expected, rules):
        raise CourseError(
            f"{chapter.where}, check of {exercise}",
            f"on the stage {label!r} the reference solution {fault_of(done)}.",
            "Correct the solution or the stage; refusal(...) is a stage that wants ValueError.",
        )
    if not is_refusal and not rules.get("double"):
        narrow = base["_call"](function, single(args), single(kwargs), through)
        if not base["_right"](narrow._replace(single=True), expected, rules):
            raise CourseError(
                f"{chapter.where}, check of {exercise}",
                f"on the stage {label!r} the reference solution is wrong in single precision "
                f"({fault_of(narrow)}).",
                "Write it so that float32 is enough, choose other numbers, or add `:precision: double` "
                "to the exercise cell and say so in its statement.",
            )
    return expected


def fault_of(done: Any) -> str:
    """What is wrong with what the reference did, in words."""
    if done.changed:
        return f"changes {', '.join(done.changed)}"
    if done.unread is not None:
        return f"returns what `through` cannot read: {done.unread!r}"
    return f"raises {done.error!r}" if done.error else f"returns {str(done.value)[:80]}"


def single(value: Any) -> Any:
    """Arguments with every array of floats in single precision."""
    if isinstance(value, np.ndarray):
        return value.astype(np.float32) if value.dtype == np.float64 else value
    if isinstance(value, dict):
        return {key: single(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(single(part) for part in value)
    return value


def stages_of(exercise: str, source: str, chapter: Chapter) -> tuple[list[Stage], Through]:
    """The stages that a check cell hands to ``check``, and what it reads the results with."""
    calls: list[tuple[Any, tuple[Stage, ...], Through]] = []

    def note(function: Any, *stages: Stage, through: Through = None) -> None:
        calls.append((function, stages, through))

    space = chapter.reference | {"check": note}
    cell = f"{chapter.where}, check of {exercise}"
    try:
        exec(compile(visible(source), "<check>", "exec"), space)
    except Exception as error:
        raise CourseError(
            cell,
            f"its visible part raises {type(error).__name__}: {error}",
            "A check cell may use names of the setup cell, the recap cell, the exercises and its own.",
        ) from error
    if len(calls) != 1 or calls[0][0] is not chapter.reference.get(exercise):
        raise CourseError(
            cell,
            f"it must call check({exercise}, ...) exactly once.",
            "Put all stages into one call of check.",
        )
    return list(calls[0][1]), calls[0][2]


def fingerprints(
    code: str,
    exercise: str,
    stages: list[Stage],
    expected: list[Any],
    base: dict[str, Any],
    through: Through = None,
    rules: Any = (),
) -> list[list[Any]] | None:
    """The outcome of one answer on every stage; None if its cell does not even define the function.

    `base`: what the answer can use, that is setup, recap and the other exercises.
    """
    space = dict(base)
    quiet = contextlib.redirect_stdout(io.StringIO())
    with warnings.catch_warnings(), np.errstate(all="ignore"), quiet:
        warnings.simplefilter("ignore")
        try:
            exec(compile(code, "<answer>", "exec"), space)
        except Exception:
            return None
        function: Callable[..., Any] | None = space.get(exercise)
        if not callable(function):
            return None
        marks = []
        for (_, args, kwargs), like in zip(stages, expected, strict=True):
            done = base["_call"](function, args, kwargs, through)
            form, *sums = base["_outcome"](done, like, rules)
            marks.append([form, *(float(f"{number:.10g}") for number in sums)])
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
    """Numbers to twelve significant digits, inside any nesting of lists."""
    if isinstance(value, list):
        return [digits(part) for part in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value


def as_source(table: dict[str, Any]) -> str:
    """The assignment to ANSWERS, one line for each mistake."""
    parts = []
    for exercise, known in table.items():
        lines = ",\n  ".join(json.dumps(m, ensure_ascii=False) for m in known["mistakes"])
        expected = json.dumps(known["expected"], ensure_ascii=False)
        rules = json.dumps(known["rules"])
        parts.append(
            f'"{exercise}": {{"rules": {rules}, "expected": {expected},\n "mistakes": [\n  {lines}]}}'
        )
    text = "{" + ",\n".join(parts) + "}"
    return f"ANSWERS = _json.loads(r'''{text}''')" if parts else "ANSWERS = {}"
