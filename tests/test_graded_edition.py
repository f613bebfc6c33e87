"""The second edition's checks in the grader: properties, rules and examples, with answers from the sandbox."""

from __future__ import annotations

import pytest

from autograde.build.release import build
from autograde.grade.exam import Cell, load_exam, paper_of
from autograde.grade.judge import judge_paper
from autograde.grade.worker import Setting, WorkerState
from autograde.mistakes import Right, load
from tests import edition
from tests.answers import chapter


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Every answer of the small chapter's catalogue, graded twice in one worker: exercise, entry -> verdicts."""
    layout = edition.make(tmp_path_factory.mktemp("edition"))
    build(layout=layout)
    exam = load_exam(edition.NAME, layout)
    this = chapter(edition.NAME, layout.root)
    state = WorkerState.open(Setting(exam))
    found = []
    try:
        for entry in load(edition.NAME, layout) * 2:
            answers = this.solutions | {entry.exercise: entry.code}
            cells = [Cell(name, code, "solution") for name, code in answers.items()]
            verdicts = judge_paper(state.trusted, paper_of(cells), state.sandbox)
            found.append((entry, {v.id.removeprefix("test_"): v for v in verdicts}))
        plans = dict(state.trusted.plans)
    finally:
        state.sandbox.close()
    return found, plans


def test_right_answers_earn_and_wrong_ones_do_not(graded):
    for entry, verdicts in graded[0]:
        verdict = verdicts[entry.exercise]
        assert (verdict.score == verdict.max) == isinstance(entry, Right), (entry.name, verdict)
        if entry.name not in (
            "star",
            "taken",
        ):  # these take `all`, which the reference of is_half uses
            others = [v for name, v in verdicts.items() if name != entry.exercise]
            assert all(v.score == v.max for v in others)


def test_mistakes_are_named_in_the_grader_too(graded):
    for entry, verdicts in graded[0]:
        if not isinstance(entry, Right):
            assert entry.sentence in verdicts[entry.exercise].message


def test_properties_are_asked_in_one_message(graded):
    """A check with `through=` is repeated, not run again: all its calls are known beforehand."""
    parts = {name: parts for (name, _), parts in graded[1].items()}
    assert len(parts["test_pair_with_mean"]) == 2
    for part in parts["test_pair_with_mean"]:
        assert set(part.calls) == {"pair_with_mean"}
