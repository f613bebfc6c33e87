"""The conversation with one student's process: it is started, asked, and replaced when it breaks.

The test cells call proxies; a proxy asks here, and what comes back is plain data or a `FaultError`. Cells of the paper
run first, all in one request until one of them breaks the process. Starts processes only through the sandbox it is
given; runs no test.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import secrets
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from autograde.grade.exam import Exam, Paper
from autograde.grade.plan import Call, CallPlan, given_to
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
    Batch,
    Caps,
    Channel,
    ClosedError,
    LateError,
    Message,
    OversizedError,
    UnsupportedError,
    WireError,
    pack,
)
from autograde.sandbox.sandbox import Sandbox, SandboxError, StudentProcess
from autograde.verdict import SENTENCES, Outcome

DRAWING = frozenset({"plt", "matplotlib", "pylab", "heat_map", "show"})
"""A cell that reads one of these may load matplotlib, which is done before any clock runs."""
PLAIN_ANSWERS = frozenset(["value", "raised", "foreign"])
"""Answers that say all there is to say: what the others mean hangs on the rest of the paper."""
MOST_AT_ONCE = 1 << 18
"""Characters of cells that are sent together."""
PATIENCE = 0.1
"""Seconds to wait for answers that are no longer needed, before the process is replaced."""
MOST_AROUND = 1 << 12
"""Letters of a frame around the source of one cell."""
TOO_MUCH = "Your notebook holds a cell that is too large to be graded."


Judged = dict[tuple[int, bytes], tuple[Outcome, str]]
"""(number of the planned part, hash of the answers to all its calls) -> what became of it."""


def trigger_names(exam: Exam) -> list[str]:
    """The names that tell what a cell needs: a cell that reads one may need an example, or matplotlib."""
    return sorted(DRAWING.union(*(example.names for example in exam.examples)))


@dataclass
class Plan:
    """The calls that a part will make, and what has come of them.

    Attributes
    ----------
    calls: those that no test has made yet.
    answers: those that have come and that no test has read yet.
    unanswered: how many answers are to come.
    """

    planned: CallPlan = field(default_factory=lambda: CallPlan(0))
    calls: deque[Call] = field(default_factory=deque)
    answers: deque[Message] = field(default_factory=deque)
    unanswered: int = 0
    is_sent: bool = False


@dataclass
class Session:
    """The process of one student, started when it is needed and started again after it died.

    Attributes
    ----------
    judged: what became of parts whose answers came before, from whomever; shared by the papers of a worker.
    as_written: examples are cells like all others: they may replace what the learner bound.
    rebound: positions of the cells that gave a new value to a name that had one.
    broken: positions of the cells that broke a process, and how.
    stopped: exercise -> why its cell did not run to its end.
    hidden: the part that runs is a hidden one: no text of the process may come out.
    raised: the type of the error that the last call raised.
    number, callbacks: of the last request; of the calls of our functions in this part.
    deadline: when the process must have answered.
    chosen: positions of the cells to run; `draws`: one of them draws figures.
    handles, ours: our functions that were handed over, by number; the proxies, and whose they are.
    key: under what the outcome of the part that runs may be remembered.
    running: positions of the cells that have been sent.
    is_careful: cells are run one by one, so that the one that breaks the process is known.
    seconds, since: left to the question, from then on; `last_moment` is that of the paper.
    """

    exam: Exam
    paper: Paper
    sandbox: Sandbox
    judged: Judged
    as_written: bool = False
    student_process: StudentProcess | None = None
    reassigned: set[int] = field(default_factory=set)
    broken: dict[int, Outcome] = field(default_factory=dict)
    stopped: dict[str, tuple[Outcome, str]] = field(default_factory=dict)
    hidden: bool = False
    raised: str = ""
    number: int = 0
    callbacks: int = 0
    deadline: float = 0.0
    chosen: frozenset[int] | None = None
    draws: bool = False
    handles: dict[int, Callable[..., Any]] = field(default_factory=dict)
    ours: dict[Callable[..., Any], str] = field(default_factory=dict)
    plan: Plan = field(default_factory=Plan)
    key: tuple[int, bytes] | None = None
    running: list[int] = field(default_factory=list)
    is_careful: bool = False
    seconds: float = 0.0
    since: float = 0.0
    last_moment: float = 0.0

    def __enter__(self) -> Session:
        self.last_moment = time.monotonic() + self.sandbox.limits.submission_seconds
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    # -------------------------------------------------------------- questions
    def begin(self, hidden: bool, seconds: float) -> None:
        """A part of a question begins; it may take so many seconds."""
        self.drain()
        self.hidden, self.raised, self.callbacks = hidden, "", 0
        self.handles.clear()
        self.seconds, self.since, self.deadline = seconds, 0.0, 0.0

    def pause(self) -> float:
        """Stop the clock of the question, which cells do not count against; the seconds that are left."""
        if self.since:
            self.seconds = max(self.seconds - (time.monotonic() - self.since), 0.0)
        self.since = self.deadline = 0.0
        return self.seconds

    def finish(self) -> None:
        """A part of a question is over. Raises FaultError if the student's process went on talking."""
        self.drain()
        if self.student_process is not None and not self.student_process.channel.quiet():
            raise FaultError(Outcome.PROTOCOL)

    def proxies(self, signatures: Mapping[str, inspect.Signature]) -> dict[str, Callable[..., Any]]:
        """For each exercise a function that asks the student's process."""
        found = {name: make_proxy(name, signatures[name], self.call) for name in signatures}
        self.ours = {proxy: name for name, proxy in found.items()}
        return found

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function of the student. Raises FaultError or LostError, or gives the exception that it raised."""
        self.raised = ""
        with self.talk():
            self.ready()
            return self.converse(name, args, kwargs)

    @contextlib.contextmanager
    def talk(self) -> Iterator[None]:
        """Talk to the student's process. Raises FaultError if it does not keep to the rules, LostError if it is lost."""
        try:
            try:
                yield
            except (WireError, LateError, ClosedError) as problem:
                raise FaultError(self.exit_reason(problem)) from None
        except SandboxError as lost:
            raise LostError(str(lost)) from lost

    def converse(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Ask, serve callbacks, and read the answer. Raises WireError, LateError, ClosedError or FaultError."""
        if self.is_next(name, args, kwargs):
            self.plan.calls.popleft()
            self.send_ahead()
            while not self.plan.answers:
                self.take(self.channel.receive_frame(self.deadline))
            answer = self.plan.answers.popleft()
        else:
            self.drain()
            self.ready()
            [answer] = self.ask([("call", name, list(args), kwargs)], self.deadline)
        return self.read_answer(name, answer, args, kwargs)

    # -------------------------------------------------------------- calls sent ahead
    def expect(self, planned: CallPlan) -> None:
        """These are the calls that the part which begins will make."""
        self.plan, self.key = Plan(planned, deque(planned.calls)), None

    def ask_ahead(self) -> tuple[Outcome, str] | None:
        """If all that this part asks is known, ask it; what became of it where the same answers came before."""
        plan = self.plan
        if plan.planned.uses is None or not plan.calls:
            return None
        with self.talk():
            self.ready()
            self.send_ahead()
            frame = self.channel.receive_frame(self.deadline)
            key = plan.planned.number, hashlib.sha256(frame).digest()
            known = self.judged.get(key)
            if known is not None and not self.channel.buffer:
                self.plan = Plan()
                return known
            self.take(frame)
            if {answer.kind for answer in plan.answers} <= PLAIN_ANSWERS and not plan.unanswered:
                self.key = key
        return None

    def is_next(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """True if this call is the next of the plan."""
        if not self.plan.calls or self.plan.calls[0].name != name:
            return False
        if self.plan.planned.uses is not None:
            return True
        with contextlib.suppress(UnsupportedError, OversizedError):
            return given_to(name, args, kwargs, self.caps) == self.plan.calls[0].given
        return False

    def send_ahead(self) -> None:
        """Send the calls of the plan, unless they have been."""
        if not self.plan.is_sent:
            self.plan.is_sent, self.plan.unanswered = True, len(self.plan.planned.calls)
            self.channel.send(self.plan.planned.frame, self.deadline)

    def take(self, frame: bytes) -> None:
        """Take answers to the calls that were sent ahead. Raises WireError or FaultError."""
        answers = self.answers_in(frame, self.plan.planned.number, self.plan.unanswered)
        self.plan.unanswered -= len(answers)
        self.plan.answers.extend(answers)

    def drain(self) -> None:
        """Drop the rest of the plan and the answers to it; a process that does not give them is ended."""
        soon = time.monotonic() + PATIENCE
        try:
            while self.plan.unanswered and self.student_process is not None:
                self.take(self.channel.receive_frame(soon))
        except (WireError, LateError, ClosedError, FaultError):
            self.end()
        self.plan = Plan()

    def forget_sent(self) -> None:
        """The process is gone: answers of it are not to come. A plan that was not sent is one for the next."""
        if self.plan.is_sent:
            self.plan = Plan()

    def read_answer(
        self, name: str, answer: Message, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
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
        if name in self.stopped:
            return FaultError(*self.stopped[name])
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

    # -------------------------------------------------------------- process
    def ready(self) -> None:
        """Have a process with the student's cells run. Raises FaultError if time is up, SandboxError."""
        if self.student_process is None:
            self.pause()
        while self.student_process is None:
            if time.monotonic() >= self.last_moment:
                raise FaultError(Outcome.TIMEOUT)
            self.student_process = self.sandbox.start_process()
            try:
                self.run_cells()
            except (WireError, LateError, ClosedError) as problem:
                outcome = self.exit_reason(problem)
                if len(self.running) > 1:  # one of them: again, each by itself
                    self.is_careful = True
                else:
                    self.mark_broken(outcome)
        if not self.since:
            self.since = time.monotonic()
            self.deadline = min(self.since + self.seconds, self.last_moment)

    def run_cells(self) -> None:
        """Run the cells that have not broken a process before; together, until one breaks."""
        self.running = []
        if self.chosen is None:
            self.leave_out()
            self.chosen = self.choose()
        if self.draws and self.ask([("draws",)], self.last_moment)[0].kind != "drew":
            raise WireError("not an answer")
        cells = self.paper.cells
        for group in self.groups(sorted(self.chosen - self.broken.keys())):
            self.running = group
            is_ours = [cells[position].kind == "example" for position in group]
            kinds = ["example" if ours and not self.as_written else "cell" for ours in is_ours]
            asks = [(k, cells[p].title, cells[p].source) for k, p in zip(kinds, group, strict=True)]
            answers = self.ask(asks, self.last_moment if all(is_ours) else None)
            for position, answer in zip(group, answers, strict=True):
                self.note(position, answer)
        self.deadline = 0.0

    def leave_out(self) -> None:
        """Leave out cells that do not fit into a frame."""
        for position, cell in enumerate(self.paper.cells):
            if len(json.dumps(cell.source)) > self.caps.text - MOST_AROUND:
                self.broken[position] = Outcome.ERROR
                self.stopped[cell.title] = (Outcome.ERROR, TOO_MUCH)

    def groups(self, positions: list[int]) -> Iterator[list[int]]:
        """The cells to send together."""
        group: list[int] = []
        size = 0
        for position in positions:
            size += len(self.paper.cells[position].source)
            if group and (self.is_careful or size > MOST_AT_ONCE):
                yield group
                group, size = [], len(self.paper.cells[position].source)
            group.append(position)
        if group:
            yield group

    def soon(self) -> float:
        """When a cell that begins now must have ended."""
        return min(time.monotonic() + self.sandbox.limits.question_seconds, self.last_moment)

    def choose(self) -> frozenset[int]:
        """The cells to run: all of the student's own, and the examples up to the last that these use.

        An own cell can only use what stands before it.
        """
        cells = self.paper.cells
        own = [p for p, c in enumerate(cells) if c.kind != "example" and p not in self.broken]
        examples = [p for p, c in enumerate(cells) if c.kind == "example"]
        binds = {e.source: e.names for e in self.exam.examples}
        used: list[Any] = []
        for group in self.groups(own):
            told = [(cells[p].title, cells[p].source) for p in group]
            [answer] = self.ask([("uses", told)])
            match answer.kind, answer.values:
                case "used", [list(found)] if len(found) == len(group):
                    used += found
                case _:
                    raise WireError("not a list of names")
        last = -1
        for position, listed in zip(own, used, strict=True):
            names = (
                {name for name in listed if type(name) is str} if type(listed) is list else set()
            )
            self.draws |= bool(names & DRAWING)
            fitting = [p for p in examples if p < position and binds[cells[p].source] & names]
            last = max([last, *fitting])
        return frozenset(own + [p for p in examples if p <= last])

    def note(self, position: int, answer: Message) -> None:
        """Remember how a cell ended. Raises WireError if the answer is not one."""
        cell, reassigned = self.paper.cells[position], False
        outcome, text = Outcome.ERROR, ""
        match answer.kind, answer.values:
            case "ran", [None, bool(reassigned)]:
                self.stopped.pop(cell.title, None)
                outcome = Outcome.RIGHT
            case "ran", [[str(kind), str(told), str(place)], bool(reassigned)]:
                text = f"Your cell stopped with {kind[:60]}: {shortened(told, place)}"
            case "memory", []:
                outcome = Outcome.MEMORY
            case "output", []:
                outcome = Outcome.OUTPUT_LIMIT
            case _:
                raise WireError("not the end of a cell")
        if reassigned:
            self.reassigned.add(position)
        if outcome is not Outcome.RIGHT:
            # a process that saw a hidden input could tell the next one, which must not say it
            self.stopped[cell.title] = (outcome, "" if self.hidden else text)

    def mark_broken(self, outcome: Outcome) -> None:
        """A process broke while it ran a cell: leave the cell out from now on. Raises FaultError if there was none."""
        for position in self.running:
            self.broken[position] = outcome
            self.stopped[self.paper.cells[position].title] = (outcome, SENTENCES[outcome])
        if not self.running:  # before any of the student's code ran
            raise FaultError(outcome)

    def exit_reason(self, problem: Exception) -> Outcome:
        """What a broken conversation means; the process is gone afterwards. Raises SandboxError."""
        student_process, self.student_process = self.student_process, None
        assert student_process is not None
        self.forget_sent()
        ending = self.sandbox.stop_process(
            student_process, was_over=isinstance(problem, ClosedError)
        )
        if isinstance(problem, WireError):
            return Outcome.PROTOCOL
        if isinstance(problem, LateError):
            return Outcome.TIMEOUT
        if ending.signal in (signal.SIGKILL, signal.SIGXCPU):  # the kernel's: it had ended before
            used_up = ending.seconds >= self.sandbox.limits.submission_seconds
            return Outcome.TIMEOUT if used_up else Outcome.MEMORY
        return Outcome.DIED

    def end(self) -> None:
        """End the process, if there is one. Raises SandboxError."""
        student_process, self.student_process = self.student_process, None
        self.forget_sent()
        if student_process is not None:
            self.sandbox.stop_process(student_process)

    # -------------------------------------------------------------- messages
    def next_number(self) -> int:
        self.number += 1
        return self.number

    @property
    def channel(self) -> Channel:
        assert self.student_process is not None
        return self.student_process.channel

    @property
    def caps(self) -> Caps:
        return self.channel.caps

    def ask(self, asks: list[tuple[Any, ...]], until: float | None = None) -> list[Message]:
        """Ask for things, each a kind and values, and wait for the answers. Raises WireError, LateError or ClosedError.

        Until then; without `until`, each frame of answers gives the process time for the next.
        """
        batch = Batch(self.caps, functions=self.form_of, share=True)
        for kind, *values in asks:
            batch.add(kind, *values)
        number = self.next_number()
        answers: list[Message] = []
        self.deadline = until or self.soon()
        self.channel.send(batch.frame("asks", number), self.deadline)
        while len(answers) < len(asks):
            self.deadline = until or self.soon()
            frame = self.channel.receive_frame(self.deadline)
            answers += self.answers_in(frame, number, len(asks) - len(answers))
        return answers

    def answers_in(self, frame: bytes, number: int, most: int) -> list[Message]:
        """The answers in a frame, to what was asked under this number; none if it is a call of a function of ours.

        Raises WireError or FaultError.
        """
        told = self.channel.read(frame)
        if told.kind == "callback":
            self.serve(told)
            return []
        if told.kind != "answers" or told.number != number or not 0 < len(told.values) <= most:
            raise WireError("no answers to what was asked")
        if len(told.values) == most and self.channel.buffer:
            raise WireError("an answer nobody asked for")
        return told.values

    def tell(self, kind: str, number: int, value: Any) -> None:
        """Answer a call of a function of ours."""
        frame = pack(kind, number, value, caps=self.caps, functions=self.form_of, share=True)
        self.channel.send(frame, self.deadline)
