"""Every attack and every odd submission of bench/corpus.py, through collect and grade, in one class of two workers.

For each: it earns what it must and no more, and whoever hands in right answers beside it has full marks.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from autograde.collect.collect import collect
from autograde.grade.grade import grade, read_verdicts
from autograde.verdict import Outcome, State
from bench import corpus
from bench.corpus import CASES, Case
from tests.graded import QUICK, make_course

pytest.importorskip("autograde.collect.collect")
CONTROLS = [
    Case(f"{where}-control", "right answers", corpus.ALL, corpus.answers(**corpus.RIGHT))
    for where in ("0", "z")
]
UNREADABLE = {"a15", "a16", "s19"}
OUTSIDE = Path("/tmp/absolute.ipynb")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The whole class, collected and graded once."""
    root = tmp_path_factory.mktemp("attacked")
    layout = make_course(root / "course")
    released = corpus.read_released(layout.chapter(corpus.CHAPTER))
    inbox = root / "inbox"
    for case in [*CONTROLS, *CASES]:
        case.write(released, inbox / case.student)
    book = layout.course / "gradebook.db"
    with sqlite3.connect(book) as connection:
        connection.execute("create table grade (manual_score real, needs_manual_grade integer)")
        connection.execute("insert into grade values (0, 1)")
    before = book.read_bytes()
    OUTSIDE.unlink(missing_ok=True)
    submissions = collect(corpus.CHAPTER, inbox, layout)
    summary = grade(corpus.CHAPTER, submissions, layout, workers=2, limits=QUICK, progress=False)
    verdicts = {verdict.student: verdict for verdict in read_verdicts(summary.lines)}
    return SimpleNamespace(
        root=root,
        layout=layout,
        verdicts=verdicts,
        submissions=submissions,
        book=book,
        before=before,
    )


def earned(verdict) -> set[str]:
    return {q.id.removeprefix("test_") for q in verdict.questions if q.score}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.student)
def test_each_submission_earns_what_it_must(graded, case):
    verdict = graded.verdicts[case.student]
    assert earned(verdict) == case.earns, [q.message for q in verdict.questions]
    if case.outcome:
        assert verdict.question("test_scores").state == case.outcome
    assert verdict.state is (State.UNREADABLE if case.line in UNREADABLE else State.GRADED)
    assert verdict.score == sum(q.max for q in verdict.questions if q.score)
    assert verdict.sandbox == ("none" if case.line in UNREADABLE else "bubblewrap")


@pytest.mark.parametrize("case", CONTROLS, ids=lambda case: case.student)
def test_right_answers_beside_them_have_full_marks(graded, case):
    verdict = graded.verdicts[case.student]
    assert verdict.score == verdict.max_score == 10


def test_nobody_is_missing(graded):
    assert set(graded.verdicts) == {case.student for case in [*CONTROLS, *CASES]}


def test_the_gradebook_is_untouched(graded):
    assert graded.book.read_bytes() == graded.before


def test_nothing_is_left_behind(graded):
    left = [
        p
        for p in psutil.Process().children(recursive=True)
        if "resource_tracker" not in "".join(p.cmdline())
    ]
    assert not [p.cmdline() for p in left if "autograde" in " ".join(p.cmdline())]


def test_zip_entries_stay_inside(graded):
    assert not OUTSIDE.exists()
    assert not list(graded.root.rglob("escaped.ipynb"))


def test_nothing_of_a_system_file_is_kept(graded):
    for path in graded.root.rglob("*.ipynb"):
        if path.is_file() and not path.is_relative_to(graded.root / "inbox"):
            assert "root:x:0" not in path.read_text(encoding="utf-8", errors="replace")


def test_scripts_in_outputs_are_dropped(graded):
    case = next(case for case in CASES if case.line == "a17")
    [submission] = [s for s in graded.submissions if s.student == case.student]
    assert "document.title = 'taken'</script>\"]" not in submission.notebook.read_text()
    outputs = [
        c.outputs for c in corpus.read_released(submission.notebook).cells if c.cell_type == "code"
    ]
    assert not any(outputs)


def test_no_message_tells_a_hidden_input(graded):
    case = next(case for case in CASES if case.line == "a20")
    verdict = graded.verdicts[case.student]
    assert {q.state for q in verdict.questions} == {Outcome.ERROR}  # the hidden tests did run
    for verdict in graded.verdicts.values():
        for question in verdict.questions:
            assert "HIDDEN" not in question.message


def test_a_visible_failure_names_the_mistake(graded):
    case = next(case for case in CASES if case.line == "s05")
    message = graded.verdicts[case.student].question("test_scores").message
    assert "stage 1 of" in message
    assert "came back" in message


def test_an_error_of_the_student_s_own_shows_its_line(graded):
    case = next(case for case in CASES if case.line == "s23")
    message = graded.verdicts[case.student].question("test_scores").message
    assert "EOFError" in message
    assert "float(input('scale?'))" in message


def test_messages_are_bounded(graded):
    assert max(len(q.message) for v in graded.verdicts.values() for q in v.questions) <= 2000
