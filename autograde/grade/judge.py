"""One paper against one exam: it is judged here, the student's functions run elsewhere.

The test cells of a chapter run in this process, in a namespace where each exercise function is a proxy that asks
the student's process; cells that are plans (`plan.py`) are not run but repeated, and only for answers that have
not been judged before. All visible parts run before all hidden ones, so that nothing a student saw in a hidden
test can come back in a message; no message of a hidden part holds anything that the student's process sent. What
failed for a reason outside the answer is asked once more in a process of its own. Starts processes only through
the sandbox it is given; writes nothing.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import re
import resource
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

from autograde.grade.exam import Cell, Exam, Paper, Question, fingerprint
from autograde.grade.plan import CallPlan, plan_calls
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
BROKEN = frozenset([Outcome.DIED, Outcome.PROTOCOL, Outcome.MEMORY])
"""Outcomes that another answer in the same process may have caused."""
GIVEN = "Right, given a right {}."
"""Said of an answer that is right, but calls another one of the learner's that is not."""
MOST_JUDGED = 10_000
"""Outcomes that are kept; then they are collected anew."""
UNCOMPARABLE = "What your function returned cannot be compared with the right answer."
SEEDED = re.compile(r"\b(SEED|draws)\b")
"""A check cell that holds none of these asks the same under each seed."""
PLANNED = 1 << 30
"""The numbers of plans start here."""


# ------------------------------------------------------------------------ the trusted namespace
@dataclass
class TrustedNamespace:
    """What is the same for all papers of an exam: the trusted namespace, in which setup and recap have run.

    Attributes
    ----------
    references: the functions of the reference solutions.
    code: (question, whether it is the hidden part) -> its code.
    seeds: those that papers meet.
    plans: (question, seed) -> what its two parts ask; empty if they are run call by call.
    shown: question -> its visible part, where it asks the same under each seed.
    judged: what became of parts, by the answers to all their calls.
    """

    exam: Exam
    shell: Shell
    references: dict[str, Callable[..., Any]]
    code: dict[tuple[str, bool], CodeType]
    seeds: list[int]
    plans: dict[tuple[str, int], list[CallPlan]] = field(default_factory=dict)
    shown: dict[str, CallPlan] = field(default_factory=dict)
    judged: Judged = field(default_factory=dict)

    @classmethod
    def of(cls, exam: Exam) -> TrustedNamespace:
        """Run setup and recap. Raises whatever they raise."""
        shell = Shell(output=1 << 60)
        for source in exam.setup:
            shell.set_up(source)
        space = dict(shell.namespace)
        for exercise, source in exam.references.items():
            exec(compile(source, f"<{exercise}>", "exec"), space)
        references = {name: space[name] for name in exam.references if name in space}
        code = {}
        for question in exam.questions:
            for hidden, source in ((False, question.shown), (True, question.hidden)):
                code[question.id, hidden] = compile(source, f"<{question.id}>", "exec")
        return cls(exam, shell, references, code, seeds(exam))

    def signatures(self) -> dict[str, inspect.Signature]:
        return {name: inspect.signature(function) for name, function in self.references.items()}

    def namespace(self, proxies: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
        """A namespace for one test cell. Names that locked cells bind stay ours."""
        return {**proxies, **self.shell.namespace}

    def draw(self, paper: Paper) -> None:
        """Set the seed that this paper meets."""
        variant = int(fingerprint([self.exam.sha256, paper.sha256]), 16) % VARIANTS
        self.shell.namespace["SEED"] = self.seeds[variant]

    def planned(self, question: Question, caps: Caps) -> list[CallPlan]:
        """The visible and the hidden part of a question under the seed that is set; empty if it has no plan."""
        space = self.shell.namespace
        key = question.id, space["SEED"]
        if key not in self.plans:
            parts = [question.shown, question.hidden]
            first = PLANNED + len(self.plans) * len(parts)
            plans = plan_calls(parts, space, self.references, first, caps)
            if plans and not SEEDED.search(question.shown):  # the same for all: judge it for all
                known = self.shown.setdefault(question.id, plans[0])
                plans[0] = known if known.asks == plans[0].asks else plans[0]
            self.plans[key] = plans
        return self.plans[key]

    def remember(self, key: tuple[int, bytes], outcome: Outcome, message: str) -> None:
        """This became of a part: so it will of the next with the same answers."""
        if len(self.judged) >= MOST_JUDGED:
            self.judged.clear()
        self.judged[key] = outcome, message[:LONGEST_MESSAGE]


def seeds(exam: Exam) -> list[int]:
    """All seeds that the hidden tests of an exam may meet."""
    return [int(fingerprint([exam.sha256, n])[:16], 16) for n in range(VARIANTS)]


# ------------------------------------------------------------------------ a paper
def judge_paper(
    trusted: TrustedNamespace, paper: Paper, sandbox: Sandbox
) -> tuple[QuestionVerdict, ...]:
    """Grade all questions of a paper. Raises SandboxError if the sandbox, not the student, fails."""
    trusted.draw(paper)
    session = Session(trusted.exam, paper, sandbox, trusted.judged)
    with session, spare_memory(WORKING_MEMORY):
        done = first_look(trusted, session)
        for question in trusted.exam.questions:
            if done[question.id].state is not Outcome.RIGHT:
                message = second_look(trusted, question, session, done)
                if message is not None:
                    done[question.id] = _verdict(question, Outcome.RIGHT, message)
    return tuple(done[q.id] for q in trusted.exam.questions)


def first_look(trusted: TrustedNamespace, session: Session) -> dict[str, QuestionVerdict]:
    """The verdicts on all questions, asked in one process as long as it lives."""
    exam, done = trusted.exam, dict[str, QuestionVerdict]()
    proxies = session.proxies(trusted.signatures())
    spaces = {question.id: trusted.namespace(proxies) for question in exam.questions}
    left = dict.fromkeys(spaces, session.sandbox.limits.question_seconds)
    for hidden in (False, True):
        for question in exam.questions:
            id = question.id
            if id in done:
                continue
            outcome, message = Outcome.NOT_ATTEMPTED, ""
            if session.paper.attempted(question.exercise, exam):
                run = trusted, question, hidden, session, spaces[id]
                outcome, message, left[id] = ask_part(*run, left[id])
            if outcome is not Outcome.RIGHT or hidden:
                done[id] = _verdict(question, outcome, message)
    return done


def second_look(
    trusted: TrustedNamespace,
    question: Question,
    session: Session,
    done: Mapping[str, QuestionVerdict],
) -> str | None:
    """What to say of an answer that is right where nothing else of the paper is in its way; None if it is not.

    First with the cells up to it: that is what the learner saw, as each check ran right after its answer. Then, if
    it calls earlier exercises that are not right, with the reference in their place: it counts, and the message
    names them. The answer itself is never replaced, each process is a fresh one, and what it says reaches nobody.
    """
    exam, exercise = trusted.exam, question.exercise
    if not session.paper.attempted(exercise, exam):
        return None
    place = session.paper.place(exercise)
    cells, spoiling = session.paper.cells, session.process.spoiling
    own = list(cells[: place + 1])
    if any(p > place or cells[p].kind == "example" for p in spoiling) and is_right(
        trusted, question, session, own
    ):
        return SENTENCES[Outcome.RIGHT]
    wrong: list[str] = []
    for earlier in exam.questions[: exam.questions.index(question)]:
        name = earlier.exercise
        is_wrong = done[earlier.id].state is not Outcome.RIGHT
        if is_wrong and name not in (exercise, *wrong) and is_called(name, own, exam):
            wrong.append(name)
    if not wrong:
        return None
    given = [
        dataclasses.replace(c, source=exam.references[c.title])
        if c.kind == "solution" and c.title in wrong
        else c
        for c in own
    ]
    names = " and a right ".join(wrong)
    return GIVEN.format(names) if is_right(trusted, question, session, given) else None


def is_called(name: str, cells: list[Cell], exam: Exam) -> bool:
    """True if a cell that the learner wrote, other than its own, names an exercise."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    return any(
        c.kind != "example" and c.title != name and not exam.is_stub(c) and word.search(c.source)
        for c in cells
    )


def is_right(
    trusted: TrustedNamespace, question: Question, session: Session, cells: list[Cell]
) -> bool:
    """Ask both parts of a question in a fresh process with these cells, in the time that is left to the paper."""
    paper = dataclasses.replace(session.paper, cells=tuple(cells))
    again = Session(trusted.exam, paper, session.sandbox, trusted.judged, as_written=True)
    left = session.sandbox.limits.question_seconds
    with again:
        again.process.last_moment = session.process.last_moment
        space = trusted.namespace(again.proxies(trusted.signatures()))
        for hidden in (False, True):
            outcome, _, left = ask_part(trusted, question, hidden, again, space, left)
            if outcome is not Outcome.RIGHT:
                return False
    return True


# ------------------------------------------------------------------------ a part of a test cell
def ask_part(
    trusted: TrustedNamespace,
    question: Question,
    hidden: bool,
    session: Session,
    space: dict[str, Any],
    seconds: float,
) -> tuple[Outcome, str, float]:
    """What became of a part, what the learner is told, and the seconds that are left to the question.

    A process that breaks may have been broken by an earlier answer; then this one is asked in a fresh process.
    """
    while True:
        session.begin(hidden, seconds)
        plans = trusted.planned(question, caps(session.sandbox.limits))
        part = plans[hidden] if plans else trusted.code[question.id, hidden]
        outcome, message = run_part(part, space, session)
        seconds = session.pause()
        if session.key and outcome in PLAIN_OUTCOMES:
            trusted.remember(session.key, outcome, message)
        if outcome not in BROKEN or not session.was_used:
            return outcome, message, seconds


def run_part(
    part: CallPlan | CodeType, space: dict[str, Any], session: Session
) -> tuple[Outcome, str]:
    """Run one part of a test cell: what became of it and what the learner is told.

    A plan depends on the answers to its calls and on nothing else: where the same bytes have been judged before, in
    this process, that is what became of it.
    """
    known = None
    try:
        if isinstance(part, CodeType):
            exec(part, space)
        elif (known := session.ask_plan(part)) is None:
            part.repeat(space)
        session.finish()
    except LostError as lost:
        raise SandboxError(str(lost)) from lost
    except FaultError as fault:
        session.key = None
        session.process.end()
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
    except Exception:  # the reference passes: it is the returned value that the test cannot digest
        return Outcome.WRONG, UNCOMPARABLE
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
