"""What the grader says about one submission. Owns the closed set of states and the JSON line.

Everything here is plain data: made by `grade.py`, stored in the cache, read by `record.py` and
`records/feedback.py`. Nothing here runs, reads or writes anything.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any


class State(StrEnum):
    """What became of a whole submission."""

    GRADED = "graded"
    """Every question has an outcome of its own and the score counts."""
    UNREADABLE = "unreadable"
    """The file could not be read as a notebook; the score is 0 and a person should look at it."""
    INFRASTRUCTURE = "infrastructure"
    """The grader failed, not the learner: there is no score, and the same command tries again."""


class Outcome(StrEnum):
    """What became of one question."""

    RIGHT = "right"
    WRONG = "wrong"
    NOT_ATTEMPTED = "not_attempted"
    ERROR = "error"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    DIED = "died"
    OUTPUT_LIMIT = "output_limit"
    PROTOCOL = "protocol"
    INFRASTRUCTURE = "infrastructure"


SENTENCES: Mapping[Outcome, str] = MappingProxyType(
    {
        Outcome.RIGHT: "All tests passed.",
        Outcome.WRONG: "A test failed.",
        Outcome.NOT_ATTEMPTED: "This exercise was left as it came.",
        Outcome.ERROR: "Your code raised an error.",
        Outcome.TIMEOUT: "Your code did not finish in time.",
        Outcome.MEMORY: "Your code asked for more memory than it may have.",
        Outcome.DIED: "The process that ran your code ended before it gave an answer.",
        Outcome.OUTPUT_LIMIT: "Your code printed more, or returned a larger value, than it may.",
        Outcome.PROTOCOL: "The process that ran your code sent something that is not an answer.",
        Outcome.INFRASTRUCTURE: "This question could not be graded; the fault is not yours.",
    }
)
"""The fixed sentence of each outcome, shown where no test has a better one."""


@dataclass(frozen=True)
class QuestionVerdict:
    """The outcome of one test cell.

    Attributes
    ----------
    id: grade id of the test cell, for example ``test_scores``.
    score: points earned, 0 to `max`; None only if the state is ``infrastructure``.
    max: points that can be earned.
    state: what happened.
    message: text for the learner; it holds no hidden input and no expected value of a hidden test.
    """

    id: str
    score: float | None
    max: float
    state: Outcome
    message: str

    def __post_init__(self) -> None:
        _check_score(self.id, self.score, self.max, self.state is Outcome.INFRASTRUCTURE)
        if self.state is not Outcome.RIGHT and self.score:
            raise ValueError(f"question {self.id!r} earns points although it is {self.state}")


HASHES = ("submission_sha256", "tests_sha256", "environment_sha256")
TEXTS = ("student", "chapter", "sandbox", *HASHES)


@dataclass(frozen=True)
class Verdict:
    """The outcome of one submission.

    Attributes
    ----------
    score: the sum of the questions; None only if the state is ``infrastructure``.
    sandbox: the level the code ran at: ``bubblewrap``, ``rlimits``, or ``none`` if none of it ran.
    submission_sha256, tests_sha256, environment_sha256: the three things the verdict depends on.
    seconds: wall time; the only field that differs between two runs of the same thing.
    """

    student: str
    chapter: str
    state: State
    score: float | None
    max_score: float
    questions: tuple[QuestionVerdict, ...]
    sandbox: str
    submission_sha256: str
    tests_sha256: str
    environment_sha256: str
    seconds: float

    def __post_init__(self) -> None:
        _check_score(self.student, self.score, self.max_score, self.state is State.INFRASTRUCTURE)

    def question(self, id: str) -> QuestionVerdict:
        """The question with this grade id. Raises KeyError if there is none."""
        for question in self.questions:
            if question.id == id:
                return question
        raise KeyError(id)

    def to_json(self) -> dict[str, Any]:
        """The verdict as JSON data; `questions` maps each id to its score, max, state, message."""
        return {
            "student": self.student,
            "chapter": self.chapter,
            "state": str(self.state),
            "score": self.score,
            "max_score": self.max_score,
            "questions": {
                q.id: {"score": q.score, "max": q.max, "state": str(q.state), "message": q.message}
                for q in self.questions
            },
            "sandbox": self.sandbox,
            "submission_sha256": self.submission_sha256,
            "tests_sha256": self.tests_sha256,
            "environment_sha256": self.environment_sha256,
            "seconds": round(self.seconds, 4),
        }

    def to_line(self) -> str:
        """One JSON object without a line break."""
        return json.dumps(self.to_json(), ensure_ascii=True, allow_nan=False)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Verdict:
        """The inverse of `to_json`. Raises ValueError if `data` is not a verdict."""
        try:
            questions = tuple(
                QuestionVerdict(
                    id=id,
                    score=q["score"],
                    max=_number(q["max"]),
                    state=Outcome(q["state"]),
                    message=_text(q["message"]),
                )
                for id, q in data["questions"].items()
            )
            texts = {name: _text(data[name]) for name in TEXTS}
            return cls(
                state=State(data["state"]),
                score=data["score"],
                max_score=_number(data["max_score"]),
                questions=questions,
                seconds=_number(data["seconds"]),
                **texts,
            )
        except (KeyError, TypeError, AttributeError) as fault:
            raise ValueError(f"this is not a verdict: {fault!r}") from fault

    @classmethod
    def from_line(cls, line: str) -> Verdict:
        """The inverse of `to_line`. Raises ValueError if the line is not a verdict."""
        return cls.from_json(json.loads(line))


def verdict_of(
    *,
    student: str,
    chapter: str,
    questions: tuple[QuestionVerdict, ...],
    sandbox: str,
    submission_sha256: str,
    tests_sha256: str,
    environment_sha256: str,
    seconds: float,
    state: State = State.GRADED,
) -> Verdict:
    """The verdict that these questions add up to.

    One question that could not be graded makes the whole submission ``infrastructure``: a sum that
    lacks a question would be a mark nobody gave.
    """
    lost = any(q.state is Outcome.INFRASTRUCTURE for q in questions)
    if lost:
        state = State.INFRASTRUCTURE
    scores = [q.score or 0.0 for q in questions]
    return Verdict(
        student=student,
        chapter=chapter,
        state=state,
        score=None if state is State.INFRASTRUCTURE else math.fsum(scores),
        max_score=math.fsum(q.max for q in questions),
        questions=questions,
        sandbox=sandbox,
        submission_sha256=submission_sha256,
        tests_sha256=tests_sha256,
        environment_sha256=environment_sha256,
        seconds=seconds,
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError(f"{value!r} is no number")
    return value


def _check_score(what: str, score: float | None, most: float, may_lack: bool) -> None:
    """Raise ValueError unless 0 <= score <= most, or the score is None where it may be."""
    if score is None:
        if not may_lack:
            raise ValueError(
                f"{what!r} has no score although nothing failed but the learner's code"
            )
        return
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise ValueError(f"the score of {what!r} is not a number: {score!r}")
    if may_lack or not math.isfinite(score) or not 0 <= score <= most:
        raise ValueError(f"{what!r} has the score {score!r}, which is not in 0 to {most!r}")
