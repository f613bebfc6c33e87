"""The conversation of a test with one student's process: its calls, and what became of them.

The test cells call proxies; a proxy asks here, and what comes back is plain data, an exception of the learner's or
a `FaultError`. The process itself is `process.py`'s. Runs no test.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any

from autograde.grade.exam import Exam, Paper
from autograde.grade.plan import CallPlan
from autograde.grade.process import PaperProcess
from autograde.grade.proxies import (
    UNWRITTEN,
    FaultError,
    LostError,
    StudentRaisedError,
    common,
    exception,
    items_in,
    make_proxy,
    opaque,
    put_back,
    shortened,
)
from autograde.sandbox.inside.wire import (
    ClosedError,
    LateError,
    Message,
    OversizedError,
    UnsupportedError,
    WireError,
    pack,
)
from autograde.sandbox.sandbox import Sandbox, SandboxError
from autograde.verdict import Outcome

PLAIN_ANSWERS = frozenset(["value", "raised", "foreign"])
"""Answers that say all there is to say: what the others mean hangs on the rest of the paper."""

Judged = dict[tuple[int, bytes], tuple[Outcome, str]]
"""(number of a plan, hash of the answers to all its calls) -> what became of the part."""


class Session:
    """Asks one paper's process for the parts of one question after the other.

    Attributes
    ----------
    judged: what became of parts whose answers came before, from whomever; shared by the papers of a worker.
    key: under what the outcome of the part that runs may be remembered.
    was_used: the process had answered another part before this one began.
    raised: the type of the error that the last call raised.
    callbacks: calls of our functions in this part.
    handles: our functions that were handed over, by number.
    ours: the proxies, and whose they are.
    calls, answers: those of a plan that no test has read yet.
    seconds: left to the question; `since`: from then on.
    """

    def __init__(
        self,
        exam: Exam,
        paper: Paper,
        sandbox: Sandbox,
        judged: Judged,
        *,
        as_written: bool = False,
    ) -> None:
        self.exam, self.paper, self.sandbox, self.judged = exam, paper, sandbox, judged
        self.process = PaperProcess(exam, paper, sandbox, self.serve, self.form_of, as_written)
        self.process.last_moment = time.monotonic() + sandbox.limits.submission_seconds
        self.key: tuple[int, bytes] | None = None
        self.was_used = False
        self.raised = ""
        self.callbacks = 0
        self.handles: dict[int, Callable[..., Any]] = {}
        self.ours: dict[Callable[..., Any], str] = {}
        self.calls: deque[str] | None = None
        self.answers: deque[Message] = deque()
        self.seconds = self.since = 0.0

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.end()

    @property
    def hidden(self) -> bool:
        """True while a hidden part runs: no text of the process may come out."""
        return self.process.hidden

    # -------------------------------------------------------------- parts
    def begin(self, hidden: bool, seconds: float) -> None:
        """A part of a question begins; it may take so many seconds. Raises SandboxError."""
        if not self.process.is_quiet():  # it answers what was asked before: others are at fault
            self.process.end()
        self.process.hidden, self.was_used = hidden, self.process.student is not None
        self.raised, self.callbacks, self.key = "", 0, None
        self.calls = None
        self.handles.clear()
        self.seconds, self.since = seconds, 0.0

    def pause(self) -> float:
        """Stop the clock of the question, which cells do not count against; the seconds that are left."""
        if self.since:
            self.seconds = max(self.seconds - (time.monotonic() - self.since), 0.0)
        self.since = 0.0
        return self.seconds

    def finish(self) -> None:
        """A part of a question is over. Raises FaultError if the student's process went on talking."""
        if not self.process.is_quiet():
            raise FaultError(Outcome.PROTOCOL)

    def ready(self) -> float:
        """Have a process with the cells run; when it must have answered. Raises FaultError or SandboxError."""
        if self.process.student is None:
            self.pause()
            self.process.start()
        self.since = self.since or time.monotonic()
        return min(self.since + self.seconds, self.process.last_moment)

    @contextlib.contextmanager
    def talk(self) -> Iterator[None]:
        """Talk to the student's process. Raises FaultError if it does not keep to the rules, LostError if it is lost."""
        try:
            try:
                yield
            except (WireError, LateError, ClosedError) as problem:
                raise FaultError(self.process.exit_reason(problem)) from None
        except SandboxError as lost:
            raise LostError(str(lost)) from lost

    # -------------------------------------------------------------- calls
    def proxies(self, signatures: Mapping[str, inspect.Signature]) -> dict[str, Callable[..., Any]]:
        """For each exercise a function that asks the student's process."""
        found = {name: make_proxy(name, signatures[name], self.call) for name in signatures}
        self.ours = {proxy: name for name, proxy in found.items()}
        return found

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function of the student. Raises FaultError or LostError, or gives the exception that it raised."""
        self.raised = ""
        with self.talk():
            if self.calls is None:
                until = self.ready()
                [answer] = self.process.ask([("call", name, list(args), kwargs)], until)
            elif self.calls and self.calls.popleft() == name:
                answer = self.answers.popleft()
            else:
                raise LostError("a test makes other calls than those of its plan")
            return self.read_answer(name, answer, args, kwargs)

    def ask_plan(self, plan: CallPlan) -> tuple[Outcome, str] | None:
        """Make all calls of a plan; what became of it where the same answers came before."""
        self.calls, self.answers = deque(plan.calls), deque()
        if not plan.calls:
            return None
        with self.talk():
            process = self.process
            process.deadline = self.ready()
            process.channel.send(plan.frame, process.deadline)
            frame = process.channel.receive_frame(process.deadline)
            key = plan.number, hashlib.sha256(frame).digest()
            known = self.judged.get(key)
            if known is not None and not process.channel.buffer:
                return known
            self.answers.extend(process.answers_in(frame, plan.number, len(plan.calls)))
            is_whole = len(self.answers) == len(plan.calls)
            while missing := len(plan.calls) - len(self.answers):
                frame = process.channel.receive_frame(process.deadline)
                self.answers.extend(process.answers_in(frame, plan.number, missing))
            if is_whole and {answer.kind for answer in self.answers} <= PLAIN_ANSWERS:
                self.key = key
        return None

    def read_answer(
        self, name: str, answer: Message, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """What the caller of a function gets. Raises WireError or FaultError."""
        match answer.kind, answer.values:
            case "value", [result, None]:
                return result
            case "value", [result, [list(after), dict(named)]]:
                put_back(list(args), after)
                put_back(kwargs, named)
                return result
            case "raised", [str(kind), str(text), str(place), str(base)]:
                self.raised = base if base == UNWRITTEN else kind or base
                if self.hidden:
                    return exception(common(base))
                return exception(base, kind, shortened(text, place))
            case "foreign", [str(what)]:
                return opaque("".join(filter(str.isidentifier, what.removeprefix("a "))))
            case "absent", []:
                raise self.missing(name)
            case "memory", []:
                raise FaultError(Outcome.MEMORY)
            case (("output" | "oversized"), []):
                raise FaultError(Outcome.OUTPUT_LIMIT)
        raise WireError("not an answer to a call")

    def missing(self, name: str) -> FaultError:
        """Why there is no such function: its cell stopped, or it was never written."""
        if name in self.process.stopped:
            return FaultError(*self.process.stopped[name])
        return FaultError(Outcome.ERROR, f"Your notebook does not define the function {name}.")

    # -------------------------------------------------------------- callbacks
    def form_of(self, value: Any) -> list[Any] | None:
        """How a function crosses: the student's own by name, ours as a handle."""
        if not callable(value):
            return None
        if type(value) is FunctionType and value in self.ours:
            return ["x", self.ours[value]]
        number = secrets.randbits(48)  # a counter would tell which case of a test it is
        self.handles[number] = value
        return ["c", number]

    def serve(self, asked: Message) -> None:
        """Call a function of ours for the student. Raises WireError if the request is not one."""
        self.callbacks += 1
        if self.callbacks > self.sandbox.limits.callbacks:
            raise FaultError(
                Outcome.TIMEOUT, "Your function called the one it was given too often."
            )
        match asked.values:
            case [list(args), dict(kwargs)] if asked.number in self.handles:
                pass
            case _:
                raise WireError("a call of a function that was not handed over")
        if items_in([args, kwargs]) > self.sandbox.limits.callback_items:
            return self.tell("raised", asked.number, "ValueError: the arguments are too large")
        try:
            result = self.handles[asked.number](*args, **kwargs)
            return self.tell("value", asked.number, result)
        except (UnsupportedError, OversizedError, MemoryError):
            return self.tell("raised", asked.number, "ValueError: the result is too large")
        except StudentRaisedError:
            return self.tell("raised", asked.number, self.raised)
        except Exception as problem:
            return self.tell("raised", asked.number, type(problem).__name__)

    def tell(self, kind: str, number: int, value: Any) -> None:
        """Answer a call of a function of ours."""
        channel = self.process.channel
        frame = pack(kind, number, value, caps=channel.caps, functions=self.form_of, share=True)
        channel.send(frame, self.process.deadline)
