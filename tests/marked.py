"""A small class with verdicts made by hand, for tests of what comes after grading."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from autograde.collect.collect import collect
from autograde.collect.submissions import Submission
from autograde.layout import Layout
from autograde.verdict import Outcome, QuestionVerdict, State, Verdict, verdict_of
from tests import tiny

NN = tiny.CHAPTER
TESTS = {"test_double": 2.0, "test_total": 3.0}
CLASS: Mapping[str, Mapping[str, Outcome]] = {
    "ada": {"test_double": Outcome.RIGHT, "test_total": Outcome.RIGHT},
    "bob": {"test_double": Outcome.WRONG, "test_total": Outcome.RIGHT},
    "eve": {"test_double": Outcome.TIMEOUT, "test_total": Outcome.NOT_ATTEMPTED},
}
MESSAGES = {
    Outcome.RIGHT: "All tests passed.",
    Outcome.WRONG: "double(3) is 6. You may have squared it.",
}


def hand_in(layout: Layout, inbox: Path, students: list[str]) -> list[Submission]:
    """Everyone hands in right answers that differ in a comment, and they are collected."""
    for student in students:
        answers = {
            name: text.replace("\n", f"  # {student}\n", 1) for name, text in tiny.RIGHT.items()
        }
        folder = inbox / student
        folder.mkdir(parents=True, exist_ok=True)
        notebook = tiny.handed_in(layout, **answers)
        (folder / f"{NN}.ipynb").write_text(json.dumps(notebook))
    return collect(NN, inbox, layout)


def verdict(
    submission: Submission,
    outcomes: Mapping[str, Outcome],
    *,
    tests: Mapping[str, float] | None = None,
    tests_sha256: str = "1" * 64,
    messages: Mapping[str, str] | None = None,
    seconds: float = 0.5,
) -> Verdict:
    """The verdict with these outcomes; a question that is not named was not attempted."""
    questions = []
    for name, most in (tests or TESTS).items():
        state = outcomes.get(name, Outcome.NOT_ATTEMPTED)
        score = most if state is Outcome.RIGHT else 0.0
        message = (messages or {}).get(name, MESSAGES.get(state, f"It is {state}."))
        lost = state is Outcome.INFRASTRUCTURE
        questions.append(QuestionVerdict(name, None if lost else score, most, state, message))
    return verdict_of(
        student=submission.student,
        chapter=submission.chapter,
        questions=tuple(questions),
        sandbox="bubblewrap",
        submission_sha256=submission.sha256,
        tests_sha256=tests_sha256,
        environment_sha256="2" * 64,
        seconds=seconds,
        state=State.UNREADABLE if submission.problem else State.GRADED,
    )


def write(layout: Layout, verdicts: list[Verdict]) -> None:
    """Leave the lines where `grade` leaves them."""
    path = layout.course / "verdicts" / f"{NN}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(v.to_line() + "\n" for v in verdicts))


def marked_class(layout: Layout, inbox: Path) -> list[Submission]:
    """Collect CLASS and leave its verdicts."""
    submissions = hand_in(layout, inbox, list(CLASS))
    write(layout, [verdict(s, CLASS[s.student]) for s in submissions])
    return submissions
