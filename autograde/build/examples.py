"""The examples in the docstrings of exercises: checked on the reference, and asked again as hidden tests.

Owns the form of those tests. Runs reference code only; reads and writes no file.
"""

from __future__ import annotations

import ast
import doctest
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np

from autograde.build.expected import Chapter, stages_of
from autograde.build.source import BUILT_IN, Source, names_read
from autograde.errors import CourseError
from autograde.notebook import BEGIN_HIDDEN, END_HIDDEN

LABEL = "The example in the docstring has to come out as it stands there."
"""What a learner reads whose function does something else."""
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class NotWritableError(ValueError):
    """A value that cannot be written down as Python."""


def hidden_tests(exercise: str, source: Source, chapter: Chapter) -> list[str]:
    """A line for each call of the exercise in its docstring's examples.

    Raises CourseError if an example does not come out, or hands over what cannot be written down.
    """
    where = f"{chapter.where}, the exercise cell of {exercise}"
    tree = ast.parse(source.solutions[exercise])
    function = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == exercise)
    text = ast.get_docstring(function) or ""
    calls = calls_in(text, exercise, chapter, where)
    written = calls_written(text, exercise)
    if len(written) != len(
        calls
    ):  # calls in a loop: their arguments stand in no place of their own
        written = [[] for _ in calls]
    _, through = stages_of(exercise, source.checks[exercise], chapter)
    reading = through_name(source.checks[exercise], exercise) if through else ""
    tests = []
    for (args, kwargs, result), texts in zip(calls, written, strict=True):
        seen = result
        if through is not None and not isinstance(result, type):
            seen = through(result, *deepcopy(args), **deepcopy(kwargs))
        try:
            texts = [*texts, *[""] * len(args)]
            given = [argument(arg, text, chapter) for arg, text in zip(args, texts, strict=False)]
            given += [f"{name}={literal(value, chapter)}" for name, value in kwargs.items()]
            given += [f"through={reading}"] if reading else []
            told = ", ".join([exercise, literal(seen, chapter), repr(LABEL), *given])
        except NotWritableError as fault:
            raise CourseError(
                where,
                f"its example hands over {fault}, which cannot be written into a test.",
                "Use numbers, arrays, strings, lists, or a function of the recap.",
            ) from fault
        tests.append(f"hidden({told})")
    return tests


def calls_in(
    text: str, exercise: str, chapter: Chapter, where: str
) -> list[tuple[tuple[Any, ...], dict[str, Any], Any]]:
    """Run the examples of a docstring; the calls of the exercise in them: arguments and result (or ValueError)."""
    made: list[tuple[tuple[Any, ...], dict[str, Any], Any]] = []
    reference: Callable[..., Any] = chapter.reference[exercise]

    def spy(*args: Any, **kwargs: Any) -> Any:
        given = deepcopy(args), deepcopy(kwargs)
        try:
            result = reference(*args, **kwargs)
        except ValueError:
            made.append((*given, ValueError))
            raise
        made.append((*given, deepcopy(result)))
        return result

    told: list[str] = []
    space = chapter.reference | {exercise: spy}
    test = doctest.DocTestParser().get_doctest(text, space, exercise, where, 0)
    runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    if runner.run(test, out=told.append).failed:
        report = [line.strip() for line in "".join(told).splitlines() if line.strip()]
        said = " ".join(report[report.index("Failed example:") :]) if report else "it fails"
        raise CourseError(
            where,
            f"the example in its docstring does not come out: {said[:300]}",
            "Write below each `>>>` line what Python prints there.",
        )
    if not made:
        raise CourseError(
            where, "no example in its docstring calls it.", f"Add a line `>>> {exercise}(...)`."
        )
    return made


def calls_written(text: str, exercise: str) -> list[list[str]]:
    """The arguments of each call of the exercise as the examples write them, in order."""
    sources = [example.source for example in doctest.DocTestParser().get_examples(text)]
    nodes = [node for source in sources for node in ast.walk(ast.parse(source))]
    calls = [n for n in nodes if isinstance(n, ast.Call) and ast.unparse(n.func) == exercise]
    return [[ast.unparse(argument) for argument in call.args] for call in calls]


def argument(value: Any, text: str, chapter: Chapter) -> str:
    """An argument of an example as Python code: a function as it was written, all else by its value.

    Raises NotWritableError.
    """
    if not callable(value) or not text:
        return literal(value, chapter)
    if unknown := names_read(text) - set(chapter.base) - BUILT_IN:
        raise NotWritableError(f"a function that uses {', '.join(sorted(unknown))}")
    return text


def through_name(check: str, exercise: str) -> str:
    """How the visible part of a check cell writes its `through`."""
    for node in ast.walk(ast.parse(check)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "check":
            for keyword in node.keywords:
                if keyword.arg == "through":
                    return ast.unparse(keyword.value)
    raise AssertionError(exercise)


def with_tests(check: str, tests: list[str]) -> str:
    """A check cell with further hidden tests at the end of its last hidden region, or in one of their own."""
    if not tests:
        return check
    head, end, rest = check.rpartition(END_HIDDEN)
    if not end:
        return "\n".join([check.rstrip(), BEGIN_HIDDEN, *tests, END_HIDDEN])
    return head.rstrip() + "\n" + "\n".join(tests) + "\n" + end + rest


def literal(value: Any, chapter: Chapter) -> str:
    """A value as Python code. Raises NotWritableError."""
    if isinstance(value, np.ndarray):
        kind = "" if value.dtype in (np.float64, np.int64, np.bool_) else f", np.{value.dtype}"
        if not value.size:
            return f"np.zeros({value.shape}, np.{value.dtype})"
        return f"np.array({literal(value.tolist(), chapter)}{kind})"
    if isinstance(value, np.generic):
        return literal(value.item(), chapter)
    if isinstance(value, float) and not np.isfinite(value):
        return {"inf": "np.inf", "-inf": "-np.inf"}.get(str(value), "np.nan")
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(literal(part, chapter) for part in value) + "]"
    if isinstance(value, tuple):
        inside = ", ".join(literal(part, chapter) for part in value)
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, dict):
        items = (f"{literal(k, chapter)}: {literal(v, chapter)}" for k, v in value.items())
        return "{" + ", ".join(items) + "}"
    if value is ValueError:
        return "ValueError"
    for name, known in chapter.base.items():
        if known is value and name[0] != "_":
            return name
    raise NotWritableError(f"a {type(value).__name__}")
