"""The life of one student's process: it is started, runs the cells of the paper, and is replaced when it breaks.

All cells go in a few requests; where a process breaks on them, they go one by one, so that the one that breaks it
is known and left out. Starts processes only through the sandbox it is given; knows no test.
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from autograde.grade.exam import Exam, Paper
from autograde.grade.proxies import FaultError, shortened
from autograde.sandbox.inside.wire import (
    Batch,
    Channel,
    ClosedError,
    Functions,
    LateError,
    Message,
    WireError,
)
from autograde.sandbox.sandbox import Sandbox, StudentProcess, caps
from autograde.verdict import SENTENCES, Outcome

DRAWING = frozenset({"plt", "matplotlib", "pylab", "heat_map", "show"})
"""A cell that reads one of these may load matplotlib, which is done before any clock runs."""
MOST_LETTERS, MOST_CELLS = 1 << 18, 1000
"""Letters of cells, and cells, that are sent together."""
MOST_AROUND = 1 << 12
"""Letters of a frame around the source of one cell."""
TOO_MUCH = "Your notebook holds a cell that is too large to be graded."


def trigger_names(exam: Exam) -> list[str]:
    """The names that tell what a cell needs: a cell that reads one may need an example, or matplotlib."""
    return sorted(DRAWING.union(*(example.names for example in exam.examples)))


@dataclass
class PaperProcess:
    """The process that runs a paper, started when it is needed and started again after it broke.

    Attributes
    ----------
    serve: called with each request that the process makes of the trusted side.
    functions: gives the form of a function that is handed over.
    as_written: examples are cells like all others: they may replace what the learner bound.
    last_moment: when the time of the paper is over.
    hidden: it may know hidden inputs: no text of it may come out.
    student: the process, if there is one.
    spoiling: positions of the cells that may have changed what others had bound.
    broken: positions of the cells that broke a process, and how.
    stopped: exercise -> why its cell did not run to its end.
    chosen: positions of the cells to run.
    draws: one of them draws figures.
    running: positions of the cells that have been sent.
    is_careful: cells are run one by one.
    number: of the last request.
    deadline: when the process must have answered.
    """

    exam: Exam
    paper: Paper
    sandbox: Sandbox
    serve: Callable[[Message], None]
    functions: Functions
    as_written: bool = False
    last_moment: float = 0.0
    hidden: bool = False
    student: StudentProcess | None = None
    spoiling: set[int] = field(default_factory=set)
    broken: dict[int, Outcome] = field(default_factory=dict)
    stopped: dict[str, tuple[Outcome, str]] = field(default_factory=dict)
    chosen: list[int] | None = None
    draws: bool = False
    running: list[int] = field(default_factory=list)
    is_careful: bool = False
    number: int = 0
    deadline: float = 0.0

    # -------------------------------------------------------------- life
    def start(self) -> None:
        """Have a process in which the cells have run. Raises FaultError if time is up, SandboxError."""
        while self.student is None:
            if time.monotonic() >= self.last_moment:
                raise FaultError(Outcome.TIMEOUT)
            self.student = self.sandbox.start_process()
            try:
                self.run_cells()
            except (WireError, LateError, ClosedError) as problem:
                outcome = self.exit_reason(problem)
                if len(self.running) > 1:  # one of them: again, each by itself
                    self.is_careful = True
                else:
                    self.mark_broken(outcome)

    def end(self) -> None:
        """End the process, if there is one. Raises SandboxError."""
        student, self.student = self.student, None
        if student is not None:
            self.sandbox.stop_process(student)

    def exit_reason(self, problem: Exception) -> Outcome:
        """What a broken conversation means; the process is gone afterwards. Raises SandboxError."""
        student, self.student = self.student, None
        assert student is not None
        was_over = isinstance(problem, ClosedError)
        ending = self.sandbox.stop_process(student, was_over=was_over)
        if isinstance(problem, WireError):
            return Outcome.PROTOCOL
        if isinstance(problem, LateError):
            return Outcome.TIMEOUT
        if ending.signal in (signal.SIGKILL, signal.SIGXCPU):  # the kernel's: it had ended before
            used_up = ending.seconds >= self.sandbox.limits.submission_seconds
            return Outcome.TIMEOUT if used_up else Outcome.MEMORY
        return Outcome.DIED

    def mark_broken(self, outcome: Outcome) -> None:
        """A process broke while it ran a cell: leave the cell out from now on. Raises FaultError if there was none."""
        for position in self.running:
            self.broken[position] = outcome
            self.stopped[self.paper.cells[position].title] = (outcome, SENTENCES[outcome])
        if not self.running:  # before any of the student's code ran
            raise FaultError(outcome)

    def is_quiet(self) -> bool:
        """True unless the process has said something that nobody asked for."""
        return self.student is None or self.channel.quiet()

    # -------------------------------------------------------------- cells
    def run_cells(self) -> None:
        """Run the cells that have not broken a process before; together, until one breaks."""
        self.running = []
        if self.chosen is None:
            self.leave_out()
            self.chosen = self.choose()
        if self.draws and self.ask([("draws",)], self.last_moment)[0].kind != "drew":
            raise WireError("not an answer")
        cells = self.paper.cells
        for group in self.groups([p for p in self.chosen if p not in self.broken]):
            self.running = group
            is_ours = [cells[position].kind == "example" for position in group]
            kinds = ["example" if ours and not self.as_written else "cell" for ours in is_ours]
            asks = [(k, cells[p].title, cells[p].source) for k, p in zip(kinds, group, strict=True)]
            answers = self.ask(asks, self.last_moment if all(is_ours) else None)
            for position, answer in zip(group, answers, strict=True):
                self.note(position, answer)

    def leave_out(self) -> None:
        """Leave out cells that do not fit into a frame."""
        for position, cell in enumerate(self.paper.cells):
            if len(json.dumps(cell.source)) > caps(self.sandbox.limits).text - MOST_AROUND:
                self.broken[position] = Outcome.ERROR
                self.stopped[cell.title] = (Outcome.ERROR, TOO_MUCH)

    def groups(self, positions: list[int]) -> Iterator[list[int]]:
        """The cells to send together."""
        group: list[int] = []
        size = 0
        for position in positions:
            size += len(self.paper.cells[position].source)
            is_full = self.is_careful or size > MOST_LETTERS or len(group) == MOST_CELLS
            if group and is_full:
                yield group
                group, size = [], len(self.paper.cells[position].source)
            group.append(position)
        if group:
            yield group

    def choose(self) -> list[int]:
        """The cells to run: all of the student's own, and the examples up to the last that these use.

        An own cell can only use what stands before it.
        """
        cells = self.paper.cells
        own = [p for p, c in enumerate(cells) if c.kind != "example" and p not in self.broken]
        examples = [p for p, c in enumerate(cells) if c.kind == "example"]
        binds = {e.source: e.names for e in self.exam.examples}
        last = -1
        for group in self.groups(own):
            [answer] = self.ask([("uses", [(cells[p].title, cells[p].source) for p in group])])
            match answer.kind, answer.values:
                case "used", [list(found)] if len(found) == len(group):
                    pass
                case _:
                    raise WireError("not a list of names")
            for position, listed in zip(group, found, strict=True):
                names = {n for n in listed if type(n) is str} if type(listed) is list else set()
                self.draws |= not DRAWING.isdisjoint(names)
                fitting = [p for p in examples if p < position and binds[cells[p].source] & names]
                last = max([last, *fitting])
        return sorted(own + [p for p in examples if p <= last])

    def note(self, position: int, answer: Message) -> None:
        """Remember how a cell ended. Raises WireError if the answer is not one."""
        cell, spoils = self.paper.cells[position], False
        outcome, text = Outcome.ERROR, ""
        match answer.kind, answer.values:
            case "ran", [None, bool(spoils)]:
                self.stopped.pop(cell.title, None)
                outcome = Outcome.RIGHT
            case "ran", [[str(kind), str(told), str(place)], bool(spoils)]:
                text = f"Your cell stopped with {kind[:60]}: {shortened(told, place)}"
            case "memory", []:
                outcome = Outcome.MEMORY
            case "output", []:
                outcome = Outcome.OUTPUT_LIMIT
            case _:
                raise WireError("not the end of a cell")
        if spoils or outcome in (Outcome.MEMORY, Outcome.OUTPUT_LIMIT):
            self.spoiling.add(position)
        if outcome is not Outcome.RIGHT:
            # a process that saw a hidden input could tell the next one, which must not say it
            self.stopped[cell.title] = (outcome, "" if self.hidden else text)

    # -------------------------------------------------------------- messages
    @property
    def channel(self) -> Channel:
        assert self.student is not None
        return self.student.channel

    def ask(self, asks: list[tuple[Any, ...]], until: float | None = None) -> list[Message]:
        """Ask for things, each a kind and values, and wait for the answers. Raises WireError, LateError or ClosedError.

        Until then; without `until`, each frame of answers gives the process time for the next.
        """
        batch = Batch(self.channel.caps, functions=self.functions, share=True)
        for kind, *values in asks:
            batch.add(kind, *values)
        number = self.number = self.number + 1  # a function of ours may ask in between
        self.deadline = until or self.soon()
        self.channel.send(batch.frame("asks", number), self.deadline)
        answers: list[Message] = []
        while len(answers) < len(asks):
            self.deadline = until or self.soon()
            frame = self.channel.receive_frame(self.deadline)
            answers += self.answers_in(frame, number, len(asks) - len(answers))
        return answers

    def soon(self) -> float:
        """When a cell that begins now must have ended."""
        return min(time.monotonic() + self.sandbox.limits.question_seconds, self.last_moment)

    def answers_in(self, frame: bytes, number: int, most: int) -> list[Message]:
        """The answers in a frame, to what was asked under this number; none if it is a call of a function of ours.

        Raises WireError, or what `serve` raises.
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
