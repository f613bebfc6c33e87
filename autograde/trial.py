"""One paper against one exam: test cells run here, the student's functions elsewhere.

The test cells of a chapter run in this process, in a namespace where each exercise function is a proxy that asks
the student's process. All visible parts run before all hidden ones, so that nothing a student saw in a hidden
test can come back in a message; no message of a hidden part holds anything that the student's process sent.
Starts processes only through the sandbox it is given; writes nothing.
"""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import hashlib
import inspect
import resource
import secrets
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from autograde.exam import Exam, Paper, Question, fingerprint
from autograde.foresight import Call, Foreseen, foresee, given_to, reads
from autograde.kernel import Kernel
from autograde.sandbox import Inmate, Sandbox, SandboxError
from autograde.verdict import SENTENCES, Outcome, QuestionVerdict
from autograde.wire import (
    Batch,
    Caps,
    Channel,
    Closed,
    Foreign,
    Late,
    Message,
    Oversized,
    WireFault,
    pack,
)

LONGEST_MESSAGE = 2000
LONGEST_HIDDEN_MESSAGE = 400
WORKING_MEMORY = 1 << 30
DRAWING = frozenset({"plt", "matplotlib", "pylab", "heat_map", "show"})
"""A cell that reads one of these may load matplotlib, which is done before any clock runs."""
UNWRITTEN = "NotImplementedError"
COMMON = frozenset(
    [
        "TypeError",
        "ValueError",
        "IndexError",
        "NameError",
        "AttributeError",
        "ZeroDivisionError",
        "KeyError",
    ]
) | {UNWRITTEN}
"""The types of errors that a hidden part may name: a name of the learner's choice could tell an input."""
VARIANTS = 4
"""Seeds for the draws of hidden tests. The hash of a paper decides which it meets; nobody chooses."""
PLAIN_ANSWERS = frozenset(["value", "raised", "foreign"])
PLAIN_OUTCOMES = frozenset([Outcome.RIGHT, Outcome.WRONG, Outcome.ERROR, Outcome.NOT_ATTEMPTED])
MOST_JUDGED = 10_000
MOST_AT_ONCE = 1 << 18
"""Characters of cells that are sent together."""
SEEDED = ("SEED", "draws")
"""Only code that reads one of these hangs on the seed."""
FORESEEN = 1 << 30
"""The numbers of calls that were foreseen start here."""
PATIENCE = 0.1
"""Seconds to wait for answers that are no longer needed, before the process is replaced."""


class Fault(BaseException):
    """A question ended with this outcome; no test can catch it by accident."""

    def __init__(self, outcome: Outcome, message: str = "") -> None:
        super().__init__(outcome)
        self.outcome, self.message = outcome, message or SENTENCES[outcome]


class Lost(BaseException):
    """The sandbox failed in the middle of a test; no test can take it for a student's error."""


class StudentRaised(Exception):
    """What a proxy raises when the student's function raised an error; `told` is its text."""

    told = ""

    def __str__(self) -> str:
        return self.told


Part = Callable[[dict[str, Any]], None]
Judged = dict[tuple[int, bytes], tuple[Outcome, str]]
"""(number of the foreseen part, hash of the answers to all its calls) -> what became of it."""


# ------------------------------------------------------------------------ the trusted namespace
@dataclass
class Bench:
    """The trusted namespace of an exam, made once per process: setup and recap have run in it."""

    exam: Exam
    kernel: Kernel
    signatures: dict[str, inspect.Signature]
    code: dict[tuple[str, bool], CodeType]
    walks: dict[tuple[str, int], list[Foreseen]] = field(default_factory=dict)
    shown: dict[str, Foreseen] = field(default_factory=dict)
    judged: Judged = field(default_factory=dict)

    @classmethod
    def of(cls, exam: Exam) -> Bench:
        """Run setup and recap. Raises whatever they raise."""
        kernel = Kernel(output=1 << 60)
        for source in exam.setup:
            kernel.set_up(source)
        reference = dict(kernel.namespace)
        for exercise, source in exam.references.items():
            exec(compile(source, f"<{exercise}>", "exec"), reference)
        signatures = {
            name: inspect.signature(reference[name])
            for name in exam.references
            if name in reference
        }
        code = {}
        for question in exam.questions:
            for hidden, source in ((False, question.shown), (True, question.hidden)):
                code[question.id, hidden] = compile(source, f"<{question.id}>", "exec")
        return cls(exam, kernel, signatures, code)

    def namespace(self, proxies: dict[str, Callable[..., Any]]) -> dict[str, Any]:
        """A namespace for one test cell. Names that locked cells bind stay ours."""
        theirs = {k: v for k, v in proxies.items() if k not in self.kernel.namespace}
        return self.kernel.namespace | theirs

    def draw(self, paper: Paper) -> None:
        """Set the seed that this paper meets."""
        self.kernel.namespace["SEED"] = seeds(self.exam)[int(paper.sha256, 16) % VARIANTS]

    def foreseen(self, question: Question, caps: Caps) -> list[Foreseen]:
        """The visible and the hidden part of a question under the seed that is set."""
        space = self.kernel.namespace
        key = question.id, space["SEED"]
        if key not in self.walks:
            parts = [self.code[question.id, hidden] for hidden in (False, True)]
            first = FORESEEN + len(self.walks) * len(parts)
            shown, hidden = foresee(parts, space, self.exam.references, first, caps)
            if not reads(parts[0], SEEDED):  # the same under all seeds, so judge it for all
                known = self.shown.setdefault(question.id, shown)
                shown = known if known.is_same(shown) else shown
            self.walks[key] = [shown, hidden]
        return self.walks[key]

    def part(self, question: Question, hidden: bool, session: Session) -> Part:
        """One part of a question, as something to be done in a namespace; tells the session what will come."""
        foreseen = self.foreseen(question, session.sandbox.limits.caps)[hidden]
        session.expect(foreseen)
        if foreseen.uses is None:
            return partial(exec, self.code[question.id, hidden])
        return foreseen.repeat


def seeds(exam: Exam) -> list[int]:
    """All seeds that the hidden tests of an exam may meet."""
    return [int(fingerprint([exam.sha256, n])[:16], 16) for n in range(VARIANTS)]


def run_trial(bench: Bench, paper: Paper, sandbox: Sandbox) -> tuple[QuestionVerdict, ...]:
    """Grade all questions of a paper. Raises SandboxError if the sandbox, not the student, fails."""
    exam, limits = bench.exam, sandbox.limits
    bench.draw(paper)
    session = Session(exam, paper, sandbox, bench.judged)
    done: dict[str, QuestionVerdict] = {}
    proxies = session.proxies(bench)
    spaces = {question.id: bench.namespace(proxies) for question in exam.questions}
    left = dict.fromkeys(spaces, limits.question_seconds)
    with session, spare_memory(WORKING_MEMORY):
        for hidden in (False, True):
            for question in exam.questions:
                if question.id in done:
                    continue
                if not hidden and not paper.attempted(question.exercise, exam):
                    outcome, message = Outcome.NOT_ATTEMPTED, ""
                else:
                    session.begin(hidden, left[question.id])
                    part = bench.part(question, hidden, session)
                    outcome, message = run_part(part, spaces[question.id], session)
                    session.remember(outcome, message)
                    left[question.id] = session.pause()
                if outcome is not Outcome.RIGHT or hidden:
                    done[question.id] = _verdict(question, outcome, message)
        for question in exam.questions:
            lost = done[question.id].state not in (Outcome.RIGHT, Outcome.NOT_ATTEMPTED)
            if lost and is_right_alone(bench, question, session):
                done[question.id] = _verdict(question, Outcome.RIGHT, "")
    return tuple(done[q.id] for q in exam.questions)


def is_right_alone(bench: Bench, question: Question, session: Session) -> bool:
    """Ask a question again where a later cell may have spoilt the answer, with the cells up to it.

    That is what the learner saw: each test ran right after its answer. The process is a fresh one, and what it
    says reaches nobody.
    """
    cells = session.paper.cells
    place = max(
        (p for p, c in enumerate(cells) if (c.kind, c.title) == ("solution", question.exercise)),
        default=len(cells),
    )
    if not any(p > place or cells[p].kind == "example" for p in session.rebound):
        return False
    alone = dataclasses.replace(session.paper, cells=cells[: place + 1])
    again = Session(session.exam, alone, session.sandbox, bench.judged, as_written=True)
    left = session.sandbox.limits.question_seconds
    with again:
        again.last_moment = session.last_moment
        space = bench.namespace(again.proxies(bench))
        for hidden in (False, True):
            again.begin(hidden, left)
            part = bench.part(question, hidden, again)
            if run_part(part, space, again)[0] is not Outcome.RIGHT:
                return False
            left = again.pause()
    return True


def run_part(part: Part, space: dict[str, Any], session: Session) -> tuple[Outcome, str]:
    """Run one part of a test cell: what became of it and what the learner is told.

    A part that is nothing but uses of `check` and `hidden` depends on the answers to its calls and on nothing
    else: where the same bytes have been judged before, in this process, that is what became of it.
    """
    try:
        known = session.ask_ahead()
        if known is None:
            part(space)
        session.finish()
    except Lost as lost:
        raise SandboxError(str(lost)) from lost
    except Fault as fault:
        session.end()
        return fault.outcome, fault.message
    except AssertionError as failed:
        return _failed(str(failed), session)
    except StudentRaised as problem:
        if type(problem).__name__ == UNWRITTEN:
            return Outcome.NOT_ATTEMPTED, ""
        text = "" if session.hidden else f"Your code raised {type(problem).__name__}: {problem}"
        return Outcome.ERROR, text
    except MemoryError:
        return Outcome.OUTPUT_LIMIT, ""
    except (
        Exception
    ):  # the reference passes, so it is the returned value that the test cannot digest
        return (
            Outcome.WRONG,
            "What your function returned cannot be compared with the right answer.",
        )
    return known or (Outcome.RIGHT, "")


def _failed(text: str, session: Session) -> tuple[Outcome, str]:
    """A failed assertion: a text of a hidden part must be one short line, a label and no more."""
    if session.hidden and ("\n" in text.strip() or len(text) > LONGEST_HIDDEN_MESSAGE):
        text = ""
    if session.raised == UNWRITTEN:
        return Outcome.NOT_ATTEMPTED, ""
    return Outcome.ERROR if session.raised else Outcome.WRONG, text


def _verdict(question: Question, outcome: Outcome, message: str) -> QuestionVerdict:
    score = question.points if outcome is Outcome.RIGHT else 0.0
    message = (message or SENTENCES[outcome])[:LONGEST_MESSAGE]
    return QuestionVerdict(question.id, score, question.points, outcome, message)


@contextlib.contextmanager
def spare_memory(most: int) -> Iterator[None]:
    """Let this process grow by `most` bytes and no more: a small value can become a large array in a test."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    now = pages * resource.getpagesize()
    limit = now + most if hard == resource.RLIM_INFINITY else min(now + most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


# ------------------------------------------------------------------------ the student's process
@dataclass
class Session:
    """The process of one student, started when it is needed and started again after it died.

    Attributes
    ----------
    as_written: examples are cells like all others: they may replace what the learner bound.
    rebound: positions of the cells that gave a new value to a name that had one.
    running: positions of the cells that have been sent.
    is_careful: cells are run one by one, so that the one that breaks the process is known.
    """

    exam: Exam
    paper: Paper
    sandbox: Sandbox
    judged: Judged
    as_written: bool = False
    inmate: Inmate | None = None
    rebound: set[int] = field(default_factory=set)
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
    plan: deque[Call] = field(default_factory=deque)
    ahead: Foreseen = field(default_factory=lambda: Foreseen(0))
    answers: deque[Message] = field(default_factory=deque)
    open: int = 0
    is_sent: bool = False
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
        """A part of a question is over. Raises Fault if the student's process went on talking."""
        self.drain()
        if self.inmate is not None and not self.inmate.channel.quiet():
            raise Fault(Outcome.PROTOCOL)

    def proxies(self, bench: Bench) -> dict[str, Callable[..., Any]]:
        """For each exercise a function that asks the student's process."""
        found = {name: make_proxy(self, name, bench.signatures[name]) for name in bench.signatures}
        self.ours = {proxy: name for name, proxy in found.items()}
        return found

    def call(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function of the student. Raises Fault or Lost, or gives the exception that it raised."""
        self.raised = ""
        with self.talk():
            self.ready()
            return self.converse(name, args, kwargs)

    @contextlib.contextmanager
    def talk(self) -> Iterator[None]:
        """Talk to the student's process. Raises Fault if it does not keep to the rules, Lost if it is lost."""
        try:
            try:
                yield
            except (WireFault, Late, Closed) as problem:
                raise Fault(self.autopsy(problem)) from None
        except SandboxError as lost:
            raise Lost(str(lost)) from lost

    def converse(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Ask, serve callbacks, and read the answer. Raises WireFault, Late, Closed or Fault."""
        if self.is_foreseen(name, args, kwargs):
            self.plan.popleft()
            while not self.answers:
                self.take(self.channel.receive_frame(self.deadline))
            return self.read_answer(name, self.answers.popleft(), args, kwargs)
        self.drain()
        self.ready()
        [answer] = self.ask([("call", name, list(args), kwargs)])
        return self.read_answer(name, answer, args, kwargs)

    # -------------------------------------------------------------- calls sent ahead
    def expect(self, foreseen: Foreseen) -> None:
        """These are the calls that the part which begins will make."""
        self.ahead, self.is_sent, self.key = foreseen, False, None
        self.plan.extend(foreseen.calls)

    def ask_ahead(self) -> tuple[Outcome, str] | None:
        """If all that this part asks is known, ask it; what became of it where the same answers came before."""
        if self.ahead.uses is None or not self.plan:
            return None
        with self.talk():
            self.ready()
            self.send_ahead()
            frame = self.channel.receive_frame(self.deadline)
            key = self.ahead.number, hashlib.sha256(frame).digest()
            known = self.judged.get(key)
            if known is not None and not self.channel.buffer:
                self.forget()
                return known
            self.take(frame)
            if {answer.kind for answer in self.answers} <= PLAIN_ANSWERS and not self.open:
                self.key = key
        return None

    def remember(self, outcome: Outcome, message: str) -> None:
        """This became of the part that has run."""
        if self.key and outcome in PLAIN_OUTCOMES:
            if len(self.judged) >= MOST_JUDGED:
                self.judged.clear()
            self.judged[self.key] = outcome, message

    def send_ahead(self) -> None:
        """Send the calls of the plan."""
        self.is_sent, self.open = True, len(self.plan)
        self.channel.send(self.ahead.frame, self.deadline)

    def is_foreseen(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """True if this call is the next of the plan; the first time, the whole plan is sent."""
        if not self.plan or self.plan[0].name != name:
            return False
        if self.ahead.uses is None:
            try:
                if given_to(name, args, kwargs, self.caps) != self.plan[0].given:
                    return False
            except (Foreign, Oversized):
                return False
        if not self.is_sent:
            self.send_ahead()
        return True

    def take(self, frame: bytes) -> None:
        """Take answers to the calls that were sent ahead. Raises WireFault or Fault."""
        answers = self.answers_in(frame, self.ahead.number, self.open)
        self.open -= len(answers)
        self.answers.extend(answers)

    def drain(self) -> None:
        """Drop the rest of the plan and the answers to it; a process that does not give them is ended."""
        soon = time.monotonic() + PATIENCE
        try:
            while self.open and self.inmate is not None:
                self.take(self.channel.receive_frame(soon))
        except (WireFault, Late, Closed, Fault):
            self.end()
        self.forget()

    def forget(self) -> None:
        """There is no plan any more."""
        self.plan.clear()
        self.answers.clear()
        self.open, self.is_sent = 0, False

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
                return exception(base, kind, _told(text, place))
            case "foreign", [str(what)]:
                return _foreigner("".join(filter(str.isidentifier, what.removeprefix("a "))))
            case "absent", []:
                raise self.missing(name)
            case "memory", []:
                raise Fault(Outcome.MEMORY)
            case (("output" | "oversized"), []):
                raise Fault(Outcome.OUTPUT_LIMIT)
        raise WireFault("not an answer to a call")

    def missing(self, name: str) -> Fault:
        """Why there is no such function: its cell stopped, or it was never written."""
        if name in self.stopped:
            return Fault(*self.stopped[name])
        return Fault(Outcome.ERROR, f"Your notebook does not define the function {name}.")

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
        """Call a function of ours for the student. Raises WireFault if the request is not one."""
        self.callbacks += 1
        if self.callbacks > self.sandbox.limits.callbacks:
            raise Fault(Outcome.TIMEOUT, "Your function called the one it was given too often.")
        match asked.values:
            case [list(args), dict(kwargs)] if asked.number in self.handles:
                pass
            case _:
                raise WireFault("a call of a function that was not handed over")
        if items_in([args, kwargs]) > self.sandbox.limits.callback_items:
            return self.tell("raised", asked.number, "ValueError: the arguments are too large")
        try:
            result = self.handles[asked.number](*args, **kwargs)
            return self.tell("value", asked.number, result)
        except (Foreign, Oversized, MemoryError):
            return self.tell("raised", asked.number, "ValueError: the result is too large")
        except StudentRaised:
            return self.tell("raised", asked.number, self.raised)
        except Exception as problem:
            return self.tell("raised", asked.number, type(problem).__name__)

    # -------------------------------------------------------------- process
    def ready(self) -> None:
        """Have a process with the student's cells run. Raises Fault if time is up, SandboxError."""
        if self.inmate is None:
            self.pause()
        while self.inmate is None:
            if time.monotonic() >= self.last_moment:
                raise Fault(Outcome.TIMEOUT)
            self.inmate = self.sandbox.admit()
            try:
                self.run_cells()
            except (WireFault, Late, Closed) as problem:
                outcome = self.autopsy(problem)
                if len(self.running) > 1:  # one of them: again, each by itself
                    self.is_careful = True
                else:
                    self.blame(outcome)
        if not self.since:
            self.since = time.monotonic()
            self.deadline = min(self.since + self.seconds, self.last_moment)

    def run_cells(self) -> None:
        """Run the cells that have not broken a process before; all at once, until one breaks."""
        self.running = []
        self.deadline = self.soon()
        if self.chosen is None:
            self.chosen = self.choose()
        if self.draws:
            self.deadline = self.last_moment
            if self.ask([("draws",)])[0].kind != "drew":
                raise WireFault("not an answer")
        cells = self.paper.cells
        left = sorted(self.chosen - self.broken.keys())
        at_once = sum(len(cells[position].source) for position in left) < MOST_AT_ONCE
        for group in [left] if at_once and not self.is_careful else [[one] for one in left]:
            self.running = group
            is_ours = [cells[position].kind == "example" for position in group]
            self.deadline = self.last_moment if all(is_ours) else self.soon()
            kinds = ["example" if ours and not self.as_written else "cell" for ours in is_ours]
            asks = [(k, cells[p].title, cells[p].source) for k, p in zip(kinds, group, strict=True)]
            for position, answer in zip(group, self.ask(asks), strict=True):
                self.note(position, answer)
        self.deadline = 0.0

    def soon(self) -> float:
        """When a cell that begins now must have ended."""
        return min(time.monotonic() + self.sandbox.limits.question_seconds, self.last_moment)

    def choose(self) -> frozenset[int]:
        """The cells to run: all of the student's own, and the examples up to the last that these use.

        An own cell can only use what stands before it.
        """
        cells = self.paper.cells
        own = [p for p, c in enumerate(cells) if c.kind != "example"]
        examples = [p for p, c in enumerate(cells) if c.kind == "example"]
        binds = {e.source: e.names for e in self.exam.examples}
        bound = sorted(DRAWING.union(*(binds[cells[p].source] for p in examples)))
        [answer] = self.ask([("uses", bound, [(cells[p].title, cells[p].source) for p in own])])
        match answer.kind, answer.values:
            case "used", [list(used)] if len(used) == len(own):
                pass
            case _:
                raise WireFault("not a list of names")
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
        """Remember how a cell ended. Raises WireFault if the answer is not one."""
        cell, rebound = self.paper.cells[position], False
        outcome, text = Outcome.ERROR, ""
        match answer.kind, answer.values:
            case "ran", [None, bool(rebound)]:
                self.stopped.pop(cell.title, None)
                outcome = Outcome.RIGHT
            case "ran", [[str(kind), str(told), str(place)], bool(rebound)]:
                text = f"Your cell stopped with {kind[:60]}: {_told(told, place)}"
            case "memory", []:
                outcome = Outcome.MEMORY
            case "output", []:
                outcome = Outcome.OUTPUT_LIMIT
            case _:
                raise WireFault("not the end of a cell")
        if rebound:
            self.rebound.add(position)
        if outcome is not Outcome.RIGHT:
            self.stopped[cell.title] = (outcome, text)

    def blame(self, outcome: Outcome) -> None:
        """A process broke while it ran a cell: leave the cell out from now on. Raises Fault if there was none."""
        for position in self.running:
            self.broken[position] = outcome
            self.stopped[self.paper.cells[position].title] = (outcome, SENTENCES[outcome])
        if not self.running:  # before any of the student's code ran
            raise Fault(outcome)

    def autopsy(self, problem: Exception) -> Outcome:
        """What a broken conversation means; the process is gone afterwards. Raises SandboxError."""
        inmate, self.inmate = self.inmate, None
        assert inmate is not None
        if self.is_sent:
            self.forget()
        ending = self.sandbox.dismiss(inmate)
        if isinstance(problem, WireFault):
            return Outcome.PROTOCOL
        if isinstance(problem, Late):
            return Outcome.TIMEOUT
        if ending.signal in (signal.SIGKILL, signal.SIGXCPU):  # not ours: it had ended before
            used_up = ending.seconds >= self.sandbox.limits.submission_seconds
            return Outcome.TIMEOUT if used_up else Outcome.MEMORY
        return Outcome.DIED

    def end(self) -> None:
        """End the process, if there is one. Raises SandboxError."""
        inmate, self.inmate = self.inmate, None
        if self.is_sent:
            self.forget()
        if inmate is not None:
            self.sandbox.dismiss(inmate)

    # -------------------------------------------------------------- messages
    def next_number(self) -> int:
        self.number += 1
        return self.number

    @property
    def channel(self) -> Channel:
        assert self.inmate is not None
        return self.inmate.channel

    @property
    def caps(self) -> Caps:
        return self.channel.caps

    def ask(self, asks: list[tuple[Any, ...]]) -> list[Message]:
        """Ask for things, each a kind and values, and wait for the answers. Raises WireFault, Late or Closed."""
        batch = Batch(self.caps, functions=self.form_of, share=True)
        for kind, *values in asks:
            batch.add(kind, *values)
        number = self.next_number()
        self.channel.send(batch.frame("asks", number), self.deadline)
        answers: list[Message] = []
        while len(answers) < len(asks):
            frame = self.channel.receive_frame(self.deadline)
            answers += self.answers_in(frame, number, len(asks) - len(answers))
        return answers

    def answers_in(self, frame: bytes, number: int, most: int) -> list[Message]:
        """The answers in a frame, to what was asked under this number; none if it is a call of a function of ours.

        Raises WireFault or Fault.
        """
        told = self.channel.read(frame)
        if told.kind == "callback":
            self.serve(told)
            return []
        if told.kind != "answers" or told.number != number or not 0 < len(told.values) <= most:
            raise WireFault("no answers to what was asked")
        if len(told.values) == most and self.channel.buffer:
            raise WireFault("an answer nobody asked for")
        return told.values

    def tell(self, kind: str, number: int, value: Any) -> None:
        """Answer a call of a function of ours."""
        frame = pack(kind, number, value, caps=self.caps, functions=self.form_of, share=True)
        self.channel.send(frame, self.deadline)


# ------------------------------------------------------------------------ proxies
def make_proxy(session: Session, name: str, signature: inspect.Signature) -> Callable[..., Any]:
    """A function that calls the student's function of this name."""

    def proxy(*args: Any, **kwargs: Any) -> Any:
        result = session.call(name, args, kwargs)
        if isinstance(result, StudentRaised):
            raise result
        return result

    proxy.__name__ = proxy.__qualname__ = name
    proxy.__signature__ = signature  # type: ignore[attr-defined]
    proxy.__code__ = proxy.__code__.replace(co_filename="<your function>", co_name=name)
    return proxy


def put_back(old: Any, new: Any) -> None:
    """Copy what a call did to its arguments into the caller's own. Raises Fault if their form changed."""
    if isinstance(old, np.ndarray) and isinstance(new, np.ndarray):
        if old.shape != new.shape or old.dtype != new.dtype:
            raise Fault(Outcome.WRONG, "Your function changed the shape of an array it was given.")
        if old.flags.writeable:
            np.copyto(old, new)
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple):
        if isinstance(old, list) and len(old) != len(new):
            old[:] = new
            return
        for place, (one, other) in enumerate(zip(old, new, strict=False)):
            put_back(one, other)
            if isinstance(old, list) and not isinstance(one, np.ndarray | list | tuple | dict):
                old[place] = one if callable(one) else other
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in [key for key in old if key not in new]:
            del old[key]
        for key, other in new.items():
            one = old.get(key)
            if isinstance(one, np.ndarray | list | tuple | dict):
                put_back(one, other)
            elif not callable(one):
                old[key] = other


def items_in(value: Any) -> int:
    """How large a value is: numbers in arrays, items in containers, letters, the size of integers."""
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, list | tuple):
        return sum(map(items_in, value)) + len(value)
    if isinstance(value, dict):
        return sum(items_in(v) for item in value.items() for v in item)
    if isinstance(value, str):
        return len(value)
    return min(abs(value), 1 << 30) if type(value) is int else 1


def common(base: str) -> str:
    """The name of a built-in error as a hidden part may tell it."""
    kinds = getattr(getattr(builtins, base, None), "__mro__", ())
    return next((kind.__name__ for kind in kinds if kind.__name__ in COMMON), "Exception")


def exception(base: str, kind: str = "", text: str = "") -> StudentRaised:
    """An exception that a test sees as one of the built-in type `base`, under the learner's own name for it."""
    if base == "Exception" and not kind:
        kind = "an error"
    problem = _exception_type(base, kind[:60] if kind.isprintable() and kind else base)()
    problem.told = text
    return problem


@lru_cache(256)
def _exception_type(base: str, name: str) -> type[StudentRaised]:
    builtin = getattr(builtins, base, None)
    if isinstance(builtin, type) and issubclass(builtin, Exception):
        made = _exception_type_of(builtin, name)
        with contextlib.suppress(TypeError):  # exception groups want exceptions
            made()
            return made
    return type(name, (StudentRaised,), {})


def _exception_type_of(base: type[Exception], name: str) -> type[StudentRaised]:
    def __init__(self: StudentRaised) -> None:
        """Built-in ones ask for arguments of their own."""

    def __new__(cls: type) -> Any:
        return base.__new__(cls)

    bases = (StudentRaised,) if base is Exception else (StudentRaised, base)
    return type(name, bases, {"__init__": __init__, "__new__": __new__})


@lru_cache(256)
def _foreign_type(name: str) -> type:
    return type(name or "object", (), {"__slots__": ()})


def _foreigner(name: str) -> object:
    """Stands for a value that cannot cross: equal to nothing but itself."""
    return _foreign_type(name[:60])()


def _told(text: str, place: str) -> str:
    """The text of an exception for the learner who raised it."""
    return text[:180] + (f"\n      in {place[:110]}" if place else "")
