"""What runs inside the sandbox: a warm process that forks one locked-down child per student.

`main` is started by `sandbox.py` inside the sandbox. It imports NumPy, runs the setup and recap cells, and then
forks on demand; no student code has run in it, and none ever does. Each child gives up what it does not need
(`lockdown.py`), runs the student's cells and answers calls through its one socket. Knows no test and no answer.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import gc
import importlib
import json
import os
import platform
import shutil
import signal
import socket
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from autograde.sandbox.inside import lockdown
from autograde.sandbox.inside.shell import Failure, OutputLimit, Shell, failure, translate
from autograde.sandbox.inside.wire import (
    Batch,
    Caps,
    Channel,
    ClosedError,
    Message,
    OversizedError,
    UnsupportedError,
    WireError,
    is_changed,
    pack,
)

PLAIN = frozenset([np.ndarray, bool, int, float, complex, str, type(None)])
LONG = 0.25
"""Seconds after which answers are sent before the next is looked for."""
LAST_MOMENTS = 0.2
"""Seconds between the end of a socket and that of its process."""
FOLDERS: dict[int, str] = {}
"""Where each child may write, at the level without namespaces."""


# ------------------------------------------------------------------------ the warm process
def main(descriptor: int) -> None:
    """Prepare, say so, and fork a child for each request until the other end closes."""
    control = socket.socket(fileno=descriptor)
    job = json.loads(read_line(control))
    try:
        shell = prepare(job)
    except BaseException as problem:
        told = failure(problem)
        say(control, {"failed": f"{told.kind}: {told.text} {told.place}".strip()})
        return
    say(control, {"ready": True})
    while True:
        request, fds, _, _ = socket.recv_fds(control, 64, 1)
        if not request:
            return
        word, _, pid = request.decode().strip().partition(" ")
        if word == "new":
            say(control, fork_child(control, fds[0], job, shell))
            os.close(fds[0])
        else:
            say(control, end_child(int(pid), job["level"], was_over=word == "over"))


def prepare(job: dict[str, Any]) -> Shell:
    """Everything that is the same for every student, before the first of them."""
    lockdown.adopt_orphans()
    if job["uid"] is not None:
        lockdown.become(job["uid"])
    lockdown.die_with_parent()
    Path("/proc/self/oom_score_adj").write_text("1000")  # first to go when memory runs out
    shell = Shell(output=job["output"])
    shell.capture()
    for source in job["setup"]:
        shell.set_up(source)
    lockdown.filter_program(platform.machine())
    job["names"] = frozenset(job["names"])
    gc.collect()
    gc.freeze()
    return shell


def fork_child(
    control: socket.socket, end: int, job: dict[str, Any], shell: Shell
) -> dict[str, Any]:
    """Start a child that answers on the socket `end`: its process number, or why there is none."""
    reader, writer = os.pipe()
    folder = tempfile.mkdtemp(prefix="student-") if job["level"] == "rlimits" else "/tmp"
    try:
        first = os.fork()
    except OSError as fault:
        os.close(reader)
        os.close(writer)
        return {"failed": str(fault)}
    if first == 0:
        # Whatever happens below, this process must never return into the loop of the parent.
        try:
            os.close(reader)
            control.close()
            become_student(writer, end, job, shell, folder)
        finally:
            os._exit(70)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        told = pipe.read()
    if job["level"] == "bubblewrap":
        os.waitpid(first, 0)
    else:
        FOLDERS[first] = folder
    try:
        return dict(json.loads(told))
    except ValueError:
        return {"failed": "the new process ended before it was ready"}


def become_student(writer: int, end: int, job: dict[str, Any], shell: Shell, folder: str) -> None:
    """In the child: lock down, tell the parent through `writer`, answer until the end. Never returns."""

    def tell(**what: Any) -> None:
        os.write(writer, json.dumps(what).encode())

    limits = job["limits"]
    try:
        if job["level"] == "bubblewrap":
            lockdown.own_spaces()
            if inner := os.fork():
                tell(pid=inner)
                os._exit(0)
            os.setsid()  # out of the group of the warm process, which could be killed as a group
            lockdown.own_files(job["disk"])
            lockdown.limit(**limits)
            lockdown.drop_capabilities()
        else:
            os.setsid()
            lockdown.die_with_parent()
            os.chdir(folder)
            lockdown.limit(**limits)
            tell(pid=os.getpid())
        lockdown.refuse_calls()
        nowhere = os.open("/dev/null", os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        os.dup2(end, 3)
        os.closerange(4, 256)
    except BaseException as problem:
        with contextlib.suppress(OSError):
            tell(failed=f"{type(problem).__name__}: {problem}")
        os._exit(71)
    channel = Channel(socket.socket(fileno=3), Caps(**job["caps"]), share=True)
    Student(channel, shell, job["names"]).serve()
    os._exit(0)


def end_child(pid: int, level: str, *, was_over: bool) -> dict[str, Any]:
    """Kill a child and all it started; the signal that had ended it before, if any, and what it used.

    `was_over`: its end of the socket is closed, so it may be about to end by itself.
    """
    until = time.monotonic() + LAST_MOMENTS * was_over
    while not (ended := has_ended(pid)) and time.monotonic() < until:
        time.sleep(0.002)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    if level == "rlimits":
        end_strays(pid)
        shutil.rmtree(FOLDERS.pop(pid), ignore_errors=True)
    died = os.WTERMSIG(status) if ended and os.WIFSIGNALED(status) else 0
    seconds = usage.ru_utime + usage.ru_stime
    return {"signal": died, "seconds": seconds, "memory": usage.ru_maxrss * 1024}


def has_ended(pid: int) -> bool:
    """True if a child is no more than a status to be read."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None


def end_strays(group: int) -> None:
    """Without a namespace of its own: kill what a child left behind, as far as it can be found."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
    for _ in range(100):
        strays = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        for stray in strays:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(stray), signal.SIGKILL)
        for stray in strays:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(int(stray), 0)
        if not strays:
            return


def read_line(control: socket.socket) -> str:
    """The first line of the control socket, read so that nothing after it is lost."""
    text = bytearray()
    while not text.endswith(b"\n"):
        piece = control.recv(1 << 16)
        if not piece:
            raise SystemExit
        text += piece
    return text.decode()


def say(control: socket.socket, what: dict[str, Any]) -> None:
    control.sendall(json.dumps(what).encode() + b"\n")


# ------------------------------------------------------------------------ the student
@dataclass(frozen=True)
class Handle:
    """A function of the trusted side: calling it asks there."""

    student: Student
    number: int

    @property
    def __name__(self) -> str:
        return "given_function"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.student.call_back(self.number, args, kwargs)


class CallbackError(Exception):
    """A function that was handed over raised an error when it was called."""


class Student:
    """Runs cells and calls, one request at a time, and answers each.

    Attributes
    ----------
    names: what it tells of a cell is which of these it reads.
    own: the names that the learner's cells bound.
    shadowed: what examples bound under such names.
    pid: the process that answers; a copy that an answer forked off is silent.
    """

    def __init__(self, channel: Channel, shell: Shell, names: frozenset[str]) -> None:
        self.channel, self.shell, self.names = channel, shell, names
        self.own: set[str] = set()
        self.shadowed: dict[str, Any] = {}
        self.pid = os.getpid()

    def serve(self) -> None:
        """Answer until the other end closes."""
        with contextlib.suppress(ClosedError, WireError):
            while True:
                self.answer(self.channel.receive(resolve=self.resolve))

    def answer(self, request: Message) -> None:
        """Do what a frame asks, and answer in one frame if all fits into one and takes no time."""
        batch = Batch(self.channel.caps)
        since = time.monotonic()
        for ask in request.values if request.kind == "asks" else ():
            if batch.parts and time.monotonic() - since > LONG:
                self.send(batch, request)
                batch, since = Batch(self.channel.caps), time.monotonic()
            answer = self.answer_to(ask)
            try:
                self.add(batch, answer)
            except (OversizedError, MemoryError):
                if batch.parts:
                    self.send(batch, request)
                batch = Batch(self.channel.caps)
                try:
                    self.add(batch, answer)
                except (OversizedError, MemoryError):
                    batch.add("oversized")
        self.send(batch, request)

    def send(self, batch: Batch, request: Message) -> None:
        """Send answers to a request. A forked copy ends here, or there would be two answers."""
        if os.getpid() != self.pid:
            os._exit(0)
        self.channel.send(batch.frame("answers", request.number))

    def add(self, batch: Batch, answer: tuple[Any, ...]) -> None:
        """Add an answer, or why its value cannot be sent. Raises OversizedError."""
        try:
            batch.add(*answer)
        except UnsupportedError as fault:
            batch.add("foreign", str(fault))

    def answer_to(self, ask: Message) -> tuple[Any, ...]:
        """The kind and the values of an answer."""
        try:
            match ask.kind, ask.values:
                case "call", [name, args, kwargs]:
                    return self.run_call(ask, name, args, kwargs)
                case "cell", [title, source]:
                    return self.run_cell(title, source)
                case "example", [title, source]:
                    return self.run_example(title, source)
                case "uses", [cells]:
                    return (
                        "used",
                        [sorted(uses(title, source, self.names)) for title, source in cells],
                    )
                case "draws", []:
                    draw_nothing()
                    return ("drew",)
        except MemoryError:
            return ("memory",)
        except OutputLimit:
            return ("output",)
        finally:
            close_figures()
        return ("unknown",)

    def run_example(self, title: str, source: str) -> tuple[Any, ...]:
        """Run a cell of ours; a helper of the learner's survives an example that binds the same name.

        What examples bound under such names is put back for the next example alone. Raises MemoryError and
        OutputLimit.
        """
        space = self.shell.namespace
        own = {name: space[name] for name in self.own if name in space}
        space.update(self.shadowed)
        try:
            stopped = self.shell.run(source, title)
        finally:
            for name, value in own.items():
                if space.get(name) is not value:
                    if name in space:
                        self.shadowed[name] = space[name]
                    space[name] = value
        return ("ran", stopped and list(shortened(stopped)), bool(self.shadowed))

    def run_cell(self, title: str, source: str) -> tuple[Any, ...]:
        """Run a cell of the learner's, and tell whether it may have spoilt what others had bound.

        It has if it does more than define functions, or if a name has another value or none. Raises MemoryError and
        OutputLimit.
        """
        space = self.shell.namespace
        before = dict(space)
        try:
            stopped = self.shell.run(source, title)
        finally:
            bound = {n for n, v in space.items() if n not in before or before[n] is not v} - {"_"}
            self.own |= bound
        lost = not before.keys() <= space.keys()
        taken = any(n in before or hasattr(builtins, n) for n in bound if type(n) is str)
        spoils = lost or taken or self.shell.did_more
        return ("ran", stopped and list(shortened(stopped)), spoils)

    def run_call(
        self, call: Message, name: str, args: list[Any], kwargs: dict[str, Any]
    ) -> tuple[Any, ...]:
        """Make a call. Raises MemoryError and OutputLimit."""
        function = self.shell.namespace.get(name)
        if not callable(function):
            return ("absent",)
        plain = PLAIN.issuperset(map(type, [*args, *kwargs.values()]))  # only arrays can change
        before = None if plain else self.crossing(call)
        self.shell.sink.seen = 0
        try:
            with np.errstate(all="ignore"):  # as the check of the notebook calls it
                result = function(*args, **kwargs)
        except (MemoryError, OutputLimit):
            raise
        except BaseException as problem:
            told = failure(problem)
            return ("raised", *shortened(told), told.base)
        if plain:
            changed = any(map(is_changed, call.arrays))
        else:
            changed = before is None or self.crossing(call) != before
        return ("value", result, [args, kwargs] if changed else None)

    def crossing(self, call: Message) -> bytes | None:
        """A call as it would cross now, or None if it could not."""
        caps, functions = self.channel.caps, self.form_of
        with contextlib.suppress(UnsupportedError, OversizedError):
            return pack("call", 0, *call.values, caps=caps, functions=functions, share=True)
        return None

    def call_back(self, handle: int, args: Any, kwargs: Any) -> Any:
        """Have a function of the trusted side called, and wait for what it returns."""
        frame = pack("callback", handle, list(args), kwargs, caps=self.channel.caps)
        self.channel.send(frame)
        while True:
            message = self.channel.receive(resolve=self.resolve)
            if message.kind == "value":
                return message.values[0]
            if message.kind == "raised":
                raise asked_function_failed(message.values[0])
            self.answer(message)  # the function that was asked may call one of ours

    def resolve(self, tag: str, what: Any) -> Any:
        return Handle(self, what) if tag == "c" else self.shell.namespace.get(what)

    def form_of(self, value: Any) -> list[Any] | None:
        """The form of a function among the arguments: as it came."""
        if type(value) is Handle:
            return ["c", value.number]
        return ["x", getattr(value, "__name__", "")] if callable(value) else None


def asked_function_failed(told: str) -> Exception:
    """The built-in exception that a text like "ValueError: too large" names, or CallbackError."""
    kind, _, text = told.partition(": ")
    builtin = getattr(builtins, kind, None)
    if isinstance(builtin, type) and issubclass(builtin, Exception):
        with contextlib.suppress(TypeError):  # some ask for arguments of their own
            return builtin(text or "raised by the function that was handed over")
    return CallbackError(told)


def shortened(told: Failure) -> tuple[str, str, str]:
    """What is sent about an exception; the other side cuts it again."""
    return told.kind[:100], told.text[:2000], told.place[:300]


def uses(title: str, source: str, wanted: frozenset[str]) -> set[str]:
    """Which of these names a cell may read as globals, or import: a hint that tells what it needs."""
    found: set[str] = set()
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        cell = translate(source, f"<{title}>")
        known = wanted & names_in(cell.code)  # of globals, but also of attributes and what is bound
        for node in ast.walk(ast.parse(cell.text)) if known else ():
            match node:
                case ast.Name(id=name, ctx=ast.Load()):
                    found.add(name)
                case ast.ImportFrom(module=str(name)) | ast.alias(name=name):
                    found.add(name.partition(".")[0])
        return found & known
    return found


def names_in(code: CodeType) -> set[str]:
    """The names that code, and code within it, uses from outside."""
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    own = {name.partition(".")[0] for name in code.co_names}
    return own.union(*map(names_in, inner))


def draw_nothing() -> None:
    """Load matplotlib and its fonts, which takes seconds on a slow machine."""
    with contextlib.suppress(Exception):
        importlib.import_module("matplotlib.pyplot").figure()
    close_figures()


def close_figures() -> None:
    """Free the figures of a cell or a call, if it drew any."""
    if "matplotlib.pyplot" in sys.modules:
        with contextlib.suppress(Exception):
            sys.modules["matplotlib.pyplot"].close("all")
