"""The whole loop with the real grader: a sample class, a broken inbox, a corrected test."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from autograde.collect.collect import collect
from autograde.collect.submissions import Submission
from autograde.grade import grade as grader
from autograde.layout import Layout
from autograde.records.export import export
from autograde.records.feedback import feedback
from autograde.records.marks import marks
from autograde.records.record import record
from autograde.records.regrade import regrade
from autograde.records.verify import verify
from autograde.sample import loop, people
from tests import tiny

NN = tiny.CHAPTER


def grade(chapter: str, submissions: Sequence[Submission], layout: Layout) -> grader.Summary:
    return grader.grade(chapter, submissions, layout, workers=1, progress=False)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Layout, int]:
    layout = tiny.make(tmp_path_factory.mktemp("loop"))
    return layout, loop.run(layout, grade)


def test_the_sample_class_earns_what_the_catalogue_says(graded: tuple[Layout, int]) -> None:
    layout, status = graded
    assert status == 0
    earned = {m.submission.student: m.score for m in marks(NN, layout)}
    assert earned == {s.student: s.expected for s in people.sample_class(NN, layout)}


def test_the_mistake_is_named_in_the_feedback_and_no_hidden_test_shows(
    graded: tuple[Layout, int],
) -> None:
    layout, _ = graded
    page = layout.course / "feedback" / "wrong-throughout" / NN / f"{NN}.html"
    assert "You may have squared it." in page.read_text()
    for path in (layout.course / "feedback").rglob("*.*"):
        assert str(tiny.SECRET) not in path.read_text()


def test_a_wrong_expectation_makes_the_loop_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = tiny.make(tmp_path)
    sample = people.Sample("right-reference", NN, dict(tiny.RIGHT), 4)
    monkeypatch.setattr(people, "all_samples", lambda *_: [sample])
    assert loop.run(layout, grade) == 1


def test_a_broken_inbox_from_start_to_end(tmp_path: Path) -> None:
    layout = tiny.make(tmp_path / "checkout")
    inbox = tmp_path / "inbox"
    hands = {
        "ada": json.dumps(tiny.handed_in(layout, **tiny.RIGHT)),
        "bob": '{"cells": [',
        "eve": json.dumps(tiny.handed_in(layout, double="import os\nos._exit(1)")),
        "mal": json.dumps(tiny.handed_in(layout, total="def total(n):\n    while True: pass")),
    }
    for student, text in hands.items():
        (inbox / student).mkdir(parents=True)
        (inbox / student / f"{NN} (1).ipynb").write_text(text)
    (inbox / "nothing").mkdir()
    grade(NN, collect(NN, inbox, layout), layout)
    done = record(NN, layout)
    assert len(done.written) == 5
    assert {m.submission.student: m.score for m in marks(NN, layout)} == {
        "ada": 5, "bob": 0, "eve": 0, "mal": 0, "nothing": 0,
    }  # fmt: skip
    assert len(feedback(NN, layout)) == 5
    assert "cut off" in export(NN, layout).read_text()
    assert verify(layout).faults == []


def test_attack_20_what_a_student_prints_or_raises_carries_no_hidden_input(tmp_path: Path) -> None:
    layout = tiny.make(tmp_path / "checkout")
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    for name, last in (
        ("ada", "raise ValueError(x)"),
        ("bob", "return str(x)"),
        ("eve", "assert 0, x"),
    ):
        spy = f"def double(x):\n    print(x)\n    if x < 100:\n        return 2 * x\n    {last}"
        (inbox / f"{name}.ipynb").write_text(json.dumps(tiny.handed_in(layout, double=spy)))
    grade(NN, collect(NN, inbox, layout), layout)
    record(NN, layout)
    feedback(NN, layout)
    export(NN, layout, "moodle")
    assert [m.score for m in marks(NN, layout)] == [0, 0, 0]
    for folder in ("feedback", "exports", "autograded", "verdicts"):
        for path in (layout.course / folder).rglob("*.*"):
            assert str(tiny.SECRET) not in path.read_text()


def test_regrade_runs_what_changed_and_keeps_both_marks(tmp_path: Path) -> None:
    layout = tiny.make(tmp_path / "checkout")
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    for student, text in (("ada", "return 2 * x"), ("bob", "return abs(2 * x)")):
        answer = f"def double(x):\n    {text}"
        notebook = tiny.handed_in(layout, **(tiny.RIGHT | {"double": answer}))
        (inbox / f"{student}.ipynb").write_text(json.dumps(notebook))
    grade(NN, collect(NN, inbox, layout), layout)
    record(NN, layout)
    assert [m.score for m in marks(NN, layout)] == [5, 5]
    corrected = tiny.solution()
    tiny.cell_of(
        corrected, "test_double"
    ).source += '\nclaim(double(-1) == -2, "double(-1) is -2.")'
    tiny.build(layout, corrected)
    summaries: list[grader.Summary] = []
    done = regrade(NN, layout, lambda found: summaries.append(grade(NN, found, layout)))
    assert [(c.student, c.old, c.new, c.message) for c in done.changes] == [
        ("bob", 2, 0, "double(-1) is -2.")
    ]
    assert [(m.score, m.earlier) for m in marks(NN, layout)] == [(5, (5,)), (3, (5,))]
    again = regrade(NN, layout, lambda found: summaries.append(grade(NN, found, layout)))
    assert again.changes == ()
    assert [(s.graded, s.cached) for s in summaries] == [(2, 0), (0, 2)]
