"""The smallest IPython there is: runs the cells of a notebook one after the other in one namespace.

Used on both sides of the sandbox, so that a cell means the same in either. Knows magics (skipped), ``display`` and
``get_ipython`` (do nothing), ``input`` (there is no keyboard) and matplotlib (loaded when it is first used).
Nothing that a cell prints is kept. Knows nothing of sockets, tests or points.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import io
import linecache
import re
import sys
import traceback
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, TracebackType
from typing import Any

MAGIC = re.compile(
    r"\s*(?:[%!?]|[\w, .\[\]'\"]+=\s*[%!]|(?:pip|conda|mamba|cd|ls|cat|cp|mv|rm|mkdir)\s)|.*\?\s*$"
)
CELL_MAGIC = re.compile(r"%%(\w+)")
PYTHON_INSIDE = {"time", "timeit", "capture", "prun", "python", "python3"}
DO_NOTHING = ("exit", "quit", "help", "copyright", "license", "credits")
SHOWN = "__shown__"
STANDS_APART = ("matplotlib", "IPython", "ipywidgets")


class OutputLimit(BaseException):
    """A cell or a call printed more than it may."""


@dataclass(frozen=True)
class Failure:
    """Why a cell or a call stopped: name of the exception type, its text, where it happened.

    `base` is the built-in type that the exception is one of.
    """

    kind: str
    text: str
    place: str
    base: str = "Exception"


# ------------------------------------------------------------------------ stand-ins
class Absorbed:
    """Takes any use without doing anything: what a module is while the setup cell styles its figures."""

    path: str

    def __init__(self, path: str) -> None:
        self.__dict__["path"] = path

    def __getattr__(self, name: str) -> Absorbed:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Absorbed(f"{self.path}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Absorbed:
        return Absorbed(f"{self.path}()")

    def __setattr__(self, name: str, value: Any) -> None: ...

    def __getitem__(self, key: Any) -> Absorbed:
        return Absorbed(f"{self.path}[]")

    def __setitem__(self, key: Any, value: Any) -> None: ...


class Deferred:
    """A module, or something in one, that is imported when it is first used (matplotlib takes 0.4 s)."""

    path: str

    def __init__(self, path: str) -> None:
        self.__dict__["path"] = path

    def __getattr__(self, name: str) -> Any:
        if f"{self.path}.{name}" == "matplotlib.pyplot":
            return Deferred("matplotlib.pyplot")
        return getattr(self.real(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.real(), name, value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.real()(*args, **kwargs)

    def real(self) -> Any:
        """What this stands for. Raises ImportError or AttributeError as an import would."""
        try:
            return importlib.import_module(self.path)
        except ModuleNotFoundError:
            module, _, name = self.path.rpartition(".")
            if not module:
                raise
            return getattr(importlib.import_module(module), name)


class Shell:
    """What `get_ipython()` gives: the namespace, and methods that do nothing."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.user_ns = self.user_global_ns = namespace

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _nothing


class Sink(io.TextIOBase):
    """Where output goes: counted and dropped. Raises OutputLimit once there is too much."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most, self.seen = most, 0

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    def write(self, text: str) -> int:
        self.seen += len(text)
        if self.seen > self.most:
            raise OutputLimit
        return len(text)

    def close(self) -> None:
        """The output of a notebook stays open."""

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError("output of a cell is no file")


def _nothing(*args: Any, **kwargs: Any) -> None:
    """Do nothing, whatever is asked."""


def _no_keyboard(prompt: object = "") -> str:
    raise EOFError("input() has nobody to ask: a graded function gets everything as arguments")


# ------------------------------------------------------------------------ the kernel
class Kernel:
    """One namespace and the cells that run in it."""

    def __init__(self, *, output: int = 1 << 20) -> None:
        self.sink = Sink(output)
        self.setting_up = self.is_captured = False
        self.shown: Any = None
        self.namespace: dict[str, Any] = {
            "__name__": "__main__",
            "__builtins__": vars(builtins)
            | {
                "__import__": self._import,
                "input": _no_keyboard,
                "print": self._print,
                "display": _nothing,
                "get_ipython": lambda: Shell(self.namespace),
            }
            | dict.fromkeys(DO_NOTHING, _nothing),
        }

    def capture(self) -> None:
        """Have all that this process prints counted and dropped."""
        sys.stdout = sys.stderr = self.sink
        self.is_captured = True

    def set_up(self, source: str) -> None:
        """Run a trusted cell. Uses of matplotlib in it are dropped; later ones import it.

        Raises whatever the cell raises.
        """
        self.setting_up = True
        try:
            exec(compile(source, "<setup>", "exec"), self.namespace)
        finally:
            self.setting_up = False
        for name, value in self.namespace.items():
            if type(value) is Absorbed:
                self.namespace[name] = Deferred(value.path)

    def run(self, source: str, title: str) -> Failure | None:
        """Run a cell; return why it stopped, or None. Raises MemoryError and OutputLimit."""
        self.sink.seen = 0
        filename = f"<{title}>"
        try:
            code, source = translate(source, filename)
            linecache.cache[filename] = (
                len(source),
                None,
                source.splitlines(keepends=True),
                filename,
            )
            self._execute(code)
        except (MemoryError, OutputLimit):
            raise
        except BaseException as problem:
            return failure(problem)
        return None

    def _execute(self, code: CodeType) -> None:
        """Run the code of a cell; the value of a last line that is an expression becomes ``_``."""
        space = self.namespace
        space.pop(SHOWN, None)
        running = eval(code, space)
        if code.co_flags & inspect.CO_COROUTINE:
            import asyncio  # takes time, and few cells wait for anything

            asyncio.run(running)
        value = space.pop(SHOWN, None)
        if value is not None and space.get("_") is self.shown:
            space["_"] = self.shown = value

    def _print(self, *values: object, sep: str = " ", end: str = "\n", file: Any = None, flush: bool = False) -> None:  # fmt: skip
        if file is None:
            file = sys.stdout if self.is_captured else self.sink
        elif not self.is_captured and file in (sys.stdout, sys.stderr):
            file = self.sink
        if file is self.sink:
            for value in values:
                self.sink.write(str(value))
            self.sink.write((sep or "") * max(len(values) - 1, 0) + (end or ""))
        else:
            print(*values, sep=sep, end=end, file=file, flush=flush)

    def _import(self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:  # fmt: skip
        top = name.partition(".")[0]
        if level == 0 and top in STANDS_APART:
            if self.setting_up or top != "matplotlib":
                return Absorbed(name if fromlist else top)
            if name in ("matplotlib", "matplotlib.pyplot"):
                return Deferred(name if fromlist else top)
        return builtins.__import__(name, globals, locals, fromlist, level)


def failure(problem: BaseException) -> Failure:
    """What a learner should know about an exception: its type, its text, the line in their own cell."""
    try:
        text = str(problem)
    except Exception:
        text = "(an error whose text cannot be shown)"
    if isinstance(problem, SyntaxError):
        place = f"line {problem.lineno}:  {(problem.text or '').strip()}"
        return Failure(type(problem).__name__, problem.msg or "invalid syntax", place)
    kind = type(problem)
    base = next(c for c in kind.__mro__ if vars(builtins).get(c.__name__) is c)
    return Failure(kind.__name__, text, _place(problem.__traceback__), base.__name__)


def _place(trace: TracebackType | None) -> str:
    """The innermost line that stands in a cell."""
    for frame in reversed(traceback.extract_tb(trace, limit=-40)):
        if frame.filename.startswith("<") and frame.line:
            where = f" of {frame.name}" if frame.name != "<module>" else ""
            return f"line {frame.lineno}{where}:  {frame.line}"
    return ""


@lru_cache(64)  # a cell is first looked at, then run
def translate(source: str, filename: str) -> tuple[CodeType, str]:
    """Compile a cell, with lines that only IPython understands taken out.

    A line is taken out only where Python itself stumbles over it, so that a string may hold what looks like a
    magic. Returns the code and the source that was compiled. Raises SyntaxError or ValueError.
    """
    lines = source.splitlines()
    start = next((i for i, line in enumerate(lines) if line.strip()), 0)
    if lines and (found := CELL_MAGIC.match(lines[start])):
        lines = ["", *lines[start + 1 :]] if found[1] in PYTHON_INSIDE else []
    for _ in range(min(len(lines), 100) + 1):
        text = "\n".join(lines)
        try:
            return _compiled(text, filename), text
        except SyntaxError as problem:
            number = (problem.lineno or 0) - 1
            if not 0 <= number < len(lines) or not MAGIC.match(lines[number]):
                raise
            lines[number] = _without_magic(lines[number])
    return _compiled("\n".join(lines), filename), "\n".join(lines)


def _compiled(text: str, filename: str) -> CodeType:
    """The code of a cell, which may await and whose last line may show a value."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    tree = compile(text, filename, "exec", flags | ast.PyCF_ONLY_AST)
    if tree.body and isinstance(last := tree.body[-1], ast.Expr):
        shown = ast.Assign([ast.Name(SHOWN, ast.Store())], last.value)
        tree.body[-1] = ast.fix_missing_locations(ast.copy_location(shown, last))
    try:
        return compile(tree, filename, "exec", flags)
    except SyntaxError:
        compile(text, filename, "exec", flags)  # tells the line itself, which a tree does not hold
        raise


def _without_magic(line: str) -> str:
    """The line that stands where IPython's own would: an assignment gets None, all else does nothing."""
    indent = line[: len(line) - len(line.lstrip())]
    name, equals, rest = line.partition("=")
    if equals and rest.lstrip()[:1] in ("%", "!"):
        return f"{name}= None"
    return f"{indent}pass"
