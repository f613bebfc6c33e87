"""One paper against one exam: it is judged here, the student's functions run elsewhere.

The test cells of a chapter run in this process, in a namespace where each exercise function is a proxy that asks
the student's process; cells that are nothing but uses of `check` and `hidden` are not run but repeated
(`plan.py`), and only for answers that have not been judged before. All visible parts run before all hidden
ones, so that nothing a student saw in a hidden test can come back in a message; no message of a hidden part holds
anything that the student's process sent. Starts processes only through the sandbox it is given; writes nothing.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import resource
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any

from autograde.grade.exam import Exam, Paper, Question, fingerprint
from autograde.grade.plan import CallPlan, plan_calls, reads
from autograde.grade.proxies import UNWRITTEN, FaultError, LostError, StudentRaisedError
from autograde.grade.session import Judged, Session
from autograde.sandbox.inside.shell import Shell
from autograde.sandbox.inside.wire import Caps
from autograde.sandbox.sandbox import Sandbox, SandboxError, caps
from autograde.verdict import SENTENCES, Outcome, QuestionVerdict

LONGEST_MESSAGE = 2000
LONGEST_HIDDEN_MESSAGE = 400
WORKING_MEMORY = 1 << 30
VARIANTS = 2
"""Seeds for the draws of hidden tests. A hash of exam and paper decides which it meets."""
PLAIN_OUTCOMES = frozenset([Outcome.RIGHT, Outcome.WRONG, Outcome.ERROR, Outcome.NOT_ATTEMPTED])
"""Outcomes that hang on the answers alone."""
MOST_JUDGED = 10_000
"""Outcomes that are kept; then they are collected anew."""
SEEDED = ("SEED", "draws")
"""A check cell that reads none of these asks the same under each seed."""
PLANNED = 1 << 30
"""The numbers of calls that were planned start here."""

Part = Callable[[dict[str, Any]], None]
"""Does what a part of a test cell does, in a namespace."""


# ------------------------------------------------------------------------ the trusted namespace
@dataclass
class TrustedNamespace:
    """What is the same for all papers of an exam: the trusted namespace, in which setup and recap have run.

    Attributes
    ----------
    signatures: of the reference solutions.
    code: (question, whether it is the hidden part) -> its code.
    seeds: those that papers meet.
    walks: (question, seed) -> what its two parts will ask.
    shown: question -> its visible part, where it asks the same under each seed.
    judged: what became of parts, by the answers to all their calls.
    """

    exam: Exam
    kernel: Shell
    signatures: dict[str, inspect.Signature]
    code: dict[tuple[str, bool], CodeType]
    seeds: list[int]
    walks: dict[tuple[str, int], list[CallPlan]] = field(default_factory=dict)
    shown: dict[str, CallPlan] = field(default_factory=dict)
    judged: Judged = field(default_factory=dict)

    @classmethod
    def of(cls, exam: Exam) -> TrustedNamespace:
        """Run setup and recap. Raises whatever they raise."""
        kernel = Shell(output=1 << 60)
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
        return cls(exam, kernel, signatures, code, seeds(exam))

    def namespace(self, proxies: dict[str, Callable[..., Any]]) -> dict[str, Any]:
        """A namespace for one test cell. Names that locked cells bind stay ours."""
        theirs = {k: v for k, v in proxies.items() if k not in self.kernel.namespace}
        return self.kernel.namespace | theirs

    def draw(self, paper: Paper) -> None:
        """Set the seed that this paper meets."""
        variant = int(fingerprint([self.exam.sha256, paper.sha256]), 16) % VARIANTS
        self.kernel.namespace["SEED"] = self.seeds[variant]

    def planned(self, question: Question, caps: Caps) -> list[CallPlan]:
        """The visible and the hidden part of a question under the seed that is set."""
        space = self.kernel.namespace
        key = question.id, space["SEED"]
        if key not in self.walks:
            parts = [self.code[question.id, hidden] for hidden in (False, True)]
            first = PLANNED + len(self.walks) * len(parts)
            shown, hidden = plan_calls(parts, space, self.exam.references, first, caps)
            if not reads(parts[0], SEEDED):  # the same under all seeds, so judge it for all
                known = self.shown.setdefault(question.id, shown)
                shown = known if known.is_same(shown) else shown
            self.walks[key] = [shown, hidden]
        return self.walks[key]

    def part(self, question: Question, hidden: bool, session: Session) -> Part:
        """One part of a question, as something to be done in a namespace; tells the session what will come."""
        planned = self.planned(question, caps(session.sandbox.limits))[hidden]
        session.expect(planned)
        if planned.uses is None:
            return partial(exec, self.code[question.id, hidden])
        return planned.repeat

    def remember(self, session: Session, outcome: Outcome, message: str) -> None:
        """This became of the part that has run: so it will of the next with the same answers."""
        if session.key and session.student_process is not None and outcome in PLAIN_OUTCOMES:
            if len(self.judged) >= MOST_JUDGED:
                self.judged.clear()
            self.judged[session.key] = outcome, message[:LONGEST_MESSAGE]


def seeds(exam: Exam) -> list[int]:
    """All seeds that the hidden tests of an exam may meet."""
    return [int(fingerprint([exam.sha256, n])[:16], 16) for n in range(VARIANTS)]


def judge_paper(
    trusted: TrustedNamespace, paper: Paper, sandbox: Sandbox
) -> tuple[QuestionVerdict, ...]:
    """Grade all questions of a paper. Raises SandboxError if the sandbox, not the student, fails."""
    exam, limits = trusted.exam, sandbox.limits
    trusted.draw(paper)
    session = Session(exam, paper, sandbox, trusted.judged)
    done: dict[str, QuestionVerdict] = {}
    proxies = session.proxies(trusted.signatures)
    spaces = {question.id: trusted.namespace(proxies) for question in exam.questions}
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
                    part = trusted.part(question, hidden, session)
                    outcome, message = run_part(part, spaces[question.id], session)
                    trusted.remember(session, outcome, message)
                    left[question.id] = session.pause()
                if outcome is not Outcome.RIGHT or hidden:
                    done[question.id] = _verdict(question, outcome, message)
        for question in exam.questions:
            lost = done[question.id].state not in (Outcome.RIGHT, Outcome.NOT_ATTEMPTED)
            if lost and is_right_alone(trusted, question, session):
                done[question.id] = _verdict(question, Outcome.RIGHT, "")
    return tuple(done[q.id] for q in exam.questions)


def is_right_alone(trusted: TrustedNamespace, question: Question, session: Session) -> bool:
    """Ask a question again where a later cell may have spoilt the answer, with the cells up to it.

    That is what the learner saw: each test ran right after its answer. The process is a fresh one, and what it
    says reaches nobody.
    """
    cells = session.paper.cells
    place = max(
        (p for p, c in enumerate(cells) if (c.kind, c.title) == ("solution", question.exercise)),
        default=len(cells),
    )
    if not any(p > place or cells[p].kind == "example" for p in session.reassigned):
        return False
    alone = dataclasses.replace(session.paper, cells=cells[: place + 1])
    again = Session(session.exam, alone, session.sandbox, trusted.judged, as_written=True)
    left = session.sandbox.limits.question_seconds
    with again:
        again.last_moment = session.last_moment
        space = trusted.namespace(again.proxies(trusted.signatures))
        for hidden in (False, True):
            again.begin(hidden, left)
            part = trusted.part(question, hidden, again)
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
    except LostError as lost:
        raise SandboxError(str(lost)) from lost
    except FaultError as fault:
        session.end()
        return fault.outcome, fault.message
    except AssertionError as failed:
        return _failed(str(failed), session)
    except StudentRaisedError as problem:
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
