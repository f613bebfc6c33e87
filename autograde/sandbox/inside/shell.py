"""The smallest IPython there is: runs the cells of a notebook one after the other in one namespace.

Used on both sides of the sandbox, so that a cell means the same in either; `python_of` is the one reading of what
only IPython understands. Knows the magics that run or write code (the others do nothing), ``display`` (does
nothing), ``input`` (there is no keyboard) and matplotlib (loaded when it is first used). Nothing that a cell
prints is kept. Knows nothing of sockets, tests or points.
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
import warnings
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any, NamedTuple

RUNNING = frozenset(["time", "timeit", "prun", "capture"])
"""Magics that run Python code which stands beside or below them."""
OPTIONS = re.compile(r"\s*(?:-[nrlsTDp]\s*\w+\s+|--?[a-zA-Z][\w-]*\s+)*")
"""Options of these magics."""
LINE_MAGIC = re.compile(
    r"""^(.*)get_ipython\(\)\.run_line_magic\('(time|timeit|prun)', (['"].+['"])\)$""", re.MULTILINE
)
"""How IPython writes such a magic on a line of its own, or after an equals sign."""
AUTOMAGIC = re.compile(
    r"(\s*)(pip|conda|mamba|uv|cd|ls|cat|cp|mv|rm|mkdir|matplotlib|run|time|timeit)\s+([^\s=(.,].*)"
)
"""A magic that goes without its per cent sign."""
SPECIAL = re.compile(r"^[ \t]*[%!?,;/]|=\s*[%!]|\?\s*$", re.MULTILINE)
PASTED = re.compile(r"\A(?:\s*\n)?[ \t]+\S|^\s*(?:>>>|In \[|\.\.\.)", re.MULTILINE)
"""An indented first line, or a prompt."""
MOST_AUTOMAGICS = 50
MOST_WORK = 1 << 20
"""Letters of a cell times lines of it that may be magics: each is found by reading the whole cell."""
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


class Interactive:
    """What `get_ipython()` gives: the namespace, magics for files, and methods that do nothing."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.user_ns = self.user_global_ns = namespace

    def run_line_magic(self, name: str, line: str, *_: Any) -> None:
        """`%run helper.py` runs the file here. Raises what the file raises."""
        if name == "run" and line.split():
            path = Path(line.split()[0])
            exec(compile(path.read_text(encoding="utf-8"), path.name, "exec"), self.user_ns)

    def run_cell_magic(self, name: str, line: str, cell: str) -> None:
        """`%%writefile helper.py` writes the file, which can then be imported. Raises OSError."""
        if name in ("writefile", "file") and line.split():
            *options, path = line.split()
            with Path(path).open("a" if "-a" in options else "w", encoding="utf-8") as file:
                file.write(cell)
            importlib.invalidate_caches()  # or a file as young as its folder is not seen

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


# ------------------------------------------------------------------------ the shell
class Shell:
    """One namespace and the cells that run in it. `did_more`: the last cell did not only define functions."""

    def __init__(self, *, output: int = 1 << 20) -> None:
        self.sink = Sink(output)
        self.setting_up = self.is_captured = self.did_more = False
        self.shown: Any = None
        self.namespace: dict[str, Any] = {
            "__name__": "__main__",
            "__builtins__": vars(builtins)
            | {
                "__import__": self._import,
                "input": _no_keyboard,
                "print": self._print,
                "display": _nothing,
                "get_ipython": lambda: Interactive(self.namespace),
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
        self.sink.seen, self.did_more = 0, False
        filename = f"<{title}>"
        try:
            cell = translate(source, filename)
            linecache.cache[filename] = (len(cell.text), None, lines_of(cell.text), filename)
            self.did_more = not cell.defines_only
            self._execute(cell.code)
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

    def _print(self, *values: object, file: Any = None, **how: Any) -> None:
        if file is None:
            file = sys.stdout if self.is_captured else self.sink
        elif not self.is_captured and file in (sys.stdout, sys.stderr):
            file = self.sink
        print(*values, file=file, **how)

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


# ------------------------------------------------------------------------ what only IPython understands
def lines_of(text: str) -> list[str]:
    """The lines of a source, cut where Python cuts them (`splitlines` also cuts at U+2028, form feeds and more).

    Each but the last ends in a line feed.
    """
    return io.StringIO(text, newline=None).readlines()


def python_of(source: str) -> str:
    """A cell as plain Python: what IPython would run, with the code that stands in its magics laid open.

    What Python understands stays as it is. Raises SyntaxError for whatever neither of the two can read.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return translate(source, "<cell>").text
        except (ValueError, RecursionError, MemoryError) as fault:
            raise SyntaxError(f"this cannot be read: {fault}") from fault


class Compiled(NamedTuple):
    """A cell: its code, the Python that was compiled, and whether it is nothing but functions and imports."""

    code: CodeType
    text: str
    defines_only: bool


@lru_cache(64)  # a cell is first looked at, then run
def translate(source: str, filename: str) -> Compiled:
    """Compile a cell. Raises SyntaxError, or ValueError for NUL."""
    try:
        return _compiled(source, filename)
    except SyntaxError as problem:
        try:
            text = _without_magics(source)
        except Exception:
            raise problem from None  # the learner's own line, not one of IPython's
    for left in reversed(range(MOST_AUTOMAGICS)):
        try:
            return _compiled(text, filename)
        except SyntaxError as problem:
            lines, number = lines_of(text), (problem.lineno or 0) - 1
            found = AUTOMAGIC.match(lines[number]) if 0 <= number < len(lines) and left else None
            if found is None:
                raise
            indent, name, rest = found.groups()
            lines[number] = f"{indent}get_ipython().run_line_magic({name!r}, {rest.strip()!r})\n"
            text = _opened("".join(lines))
    raise AssertionError("unreachable")


def _without_magics(source: str) -> str:
    """The cell as IPython's own transformer gives it. Raises whatever that raises, or ValueError."""
    found = len(SPECIAL.findall(source))
    if not found and not PASTED.search(source):
        return source
    if len(source) * found > MOST_WORK:
        raise ValueError("too many magics in too large a cell")
    ipython = importlib.import_module("IPython.core.inputtransformer2")  # takes time; few need it
    manager, lines = ipython.TransformerManager(), lines_of(source.rstrip() + "\n")
    for step in (*manager.cleanup_transforms, _cell_magic):
        lines = lines_of("".join(step(lines)))
    for _ in range(2):  # a magic may run another
        lines = lines_of(_opened("".join(manager.do_token_transforms(lines))))
    return "".join(lines)


def _cell_magic(lines: list[str]) -> list[str]:
    """Cell magics: the code below those that run it stays; what others hold becomes the text of a call."""
    kept: list[str] = []
    while lines and (lines[0].startswith("%%") or (kept and not lines[0].strip())):
        name, _, line = lines[0].strip().removeprefix("%%").partition(" ")
        lines = lines[1:]
        if name and name not in RUNNING:
            body = "".join(lines)
            return [*kept, f"get_ipython().run_cell_magic({name!r}, {line!r}, {body!r})\n"]
        line = OPTIONS.sub("", line + " ", count=1).strip()
        if name == "capture" and line.isidentifier():
            line += " = get_ipython()"  # what was captured: takes any use
        kept.append((line if name in ("timeit", "capture") else "") + "\n")
    return kept + lines


def _opened(text: str) -> str:
    """With the code of line magics that run it in their place."""

    def code(found: re.Match[str]) -> str:
        body = OPTIONS.sub("", ast.literal_eval(found[3]), count=1)
        return found[1] + body

    return LINE_MAGIC.sub(code, text)


def _compiled(text: str, filename: str) -> Compiled:
    """The code of a cell, which may await and whose last line may show a value."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    tree = compile(text, filename, "exec", flags | ast.PyCF_ONLY_AST)
    defines_only = all(map(_defines, tree.body))
    if tree.body and isinstance(last := tree.body[-1], ast.Expr):
        shown = ast.Assign([ast.Name(SHOWN, ast.Store())], last.value)
        tree.body[-1] = ast.fix_missing_locations(ast.copy_location(shown, last))
    try:
        return Compiled(compile(tree, filename, "exec", flags), text, defines_only)
    except SyntaxError:
        compile(text, filename, "exec", flags)  # tells the line itself, which a tree does not hold
        raise


def _defines(node: ast.stmt) -> bool:
    """True for an import, a function without decorators, and a text that stands for itself."""
    match node:
        case ast.FunctionDef(decorator_list=[]) | ast.Import() | ast.ImportFrom():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
    return False
