"""The checks are checked: every catalogued wrong answer loses, every right one wins, the stub earns nothing."""

from __future__ import annotations

import contextlib
import functools
import io
import types
import warnings
from copy import deepcopy
from typing import Any

import nbformat
import numpy as np
import pytest

from autograde.build.source import read_all
from autograde.grade.exam import load_exam
from autograde.grade.judge import WORKING_MEMORY, seeds, spare_memory
from autograde.layout import Layout
from autograde.mistakes import Right, Wrong, load
from autograde.notebook import visible
from tests import universal
from tests.answers import chapter
from tests.mutants import TooLong, at_most

NAMES = Layout().names()
ENTRIES = [(name, entry) for name in NAMES for entry in load(name)]
SOURCES = read_all(Layout())
EXERCISES = [(name, exercise) for name in NAMES for exercise in chapter(name).whole]


@functools.cache
def seeds_of(name: str) -> list[int]:
    """The seeds of a chapter's hidden tests: all that the grader uses."""
    return seeds(load_exam(name, Layout()))


def of(kind):
    return [
        pytest.param(name, entry, id=f"{name[:2]}-{entry.exercise}-{entry.name}")
        for name, entry in ENTRIES
        if isinstance(entry, kind)
    ]


@pytest.mark.parametrize(("name", "entry"), of(Wrong))
def test_wrong_answer_earns_nothing_and_its_mistake_is_named(name, entry):
    """The label of a hidden test names what no stage can show."""
    shown = chapter(name).run(entry.exercise, entry.code, whole=False)
    for seed in seeds_of(name):
        verdict = chapter(name).run(entry.exercise, entry.code, whole=True, seed=seed)
        assert verdict is not None, "accepted"
        assert len(verdict.splitlines()) <= 10
        if not entry.unnamed or shown is None:
            assert entry.sentence in verdict


@pytest.mark.parametrize(("name", "entry"), of(Wrong))
def test_wrong_answer_is_named_in_the_learners_own_notebook(name, entry):
    verdict = chapter(name).run(entry.exercise, entry.code, whole=False)
    if entry.unnamed:
        assert verdict is None or entry.sentence not in verdict, "it is named: drop unnamed=True"
    else:
        assert verdict is not None
        assert entry.sentence in verdict


@pytest.mark.parametrize(("name", "entry"), of(Right))
def test_right_answer_is_accepted_however_it_is_written(name, entry):
    for seed in seeds_of(name):
        assert chapter(name).run(entry.exercise, entry.code, whole=True, seed=seed) is None


@pytest.mark.parametrize(("name", "exercise"), EXERCISES)
def test_reference_is_accepted_and_stub_is_not(name, exercise):
    this = chapter(name)
    for seed in (*range(20), *seeds_of(name)):
        assert this.run(exercise, this.solutions[exercise], whole=True, seed=seed) is None
    assert "is not written yet" in str(this.run(exercise, this.stubs[exercise], whole=True))
    assert "is not written yet" in str(this.run(exercise, this.stubs[exercise], whole=False))


@pytest.mark.parametrize(("name", "exercise"), EXERCISES)
def test_enough_answers_are_catalogued(name, exercise):
    mine = [entry for entry in load(name) if entry.exercise == exercise]
    wrong = [entry for entry in mine if isinstance(entry, Wrong)]
    assert len(wrong) >= 8
    assert len(mine) - len(wrong) >= 4
    shown = [e for e in wrong if chapter(name).run(exercise, e.code, whole=False) is not None]
    assert len(shown) >= 0.8 * len(wrong), "a learner sees most mistakes in their own notebook"


@pytest.mark.parametrize(("name", "exercise"), EXERCISES)
def test_faults_that_any_answer_can_have_are_rejected_by_the_hidden_tests(name, exercise):
    this = chapter(name)
    ref = universal.reference(this, exercise, SOURCES[name])
    cell = universal.hidden_part(this.whole[exercise], exercise)
    code = f"def {exercise}(*args, **kwargs):\n    return faulty(*args, **kwargs)\n"
    accepted = [
        fault
        for fault, faulty in universal.faults(ref)
        if this.run(exercise, code, whole=True, more={"faulty": faulty}, cell=cell) is None
    ]
    assert not accepted


@pytest.mark.parametrize(
    ("name", "exercise"), [(n, e) for n, e in EXERCISES if not SOURCES[n].rules[e].get("double")]
)
def test_a_right_answer_in_single_precision_is_accepted(name, exercise):
    """But where the statement says that single precision is not enough."""
    this = chapter(name)
    ref = universal.reference(this, exercise, SOURCES[name])
    code = f"def {exercise}(*args, **kwargs):\n    return narrow(*args, **kwargs)\n"
    narrow = universal.narrow(ref)
    for seed in seeds_of(name):
        more = {"narrow": narrow}
        assert this.run(exercise, code, whole=True, seed=seed, more=more) is None


def test_catalogue_names_only_exercises_that_exist():
    known = set(EXERCISES)
    assert not [(name, e.exercise) for name, e in ENTRIES if (name, e.exercise) not in known]


@pytest.mark.parametrize(("name", "exercise"), EXERCISES)
def test_hidden_tests_do_not_reach_the_learner(name, exercise):
    shown, whole = chapter(name).shown[exercise], chapter(name).whole[exercise]
    assert "### BEGIN HIDDEN TESTS" in whole
    assert "HIDDEN" not in shown
    assert len(shown) < len(whole)


@pytest.mark.parametrize("name", NAMES)
def test_no_function_of_the_text_is_the_answer_to_an_exercise(name):
    """A learner cannot return what a function of an example cell returns, or two of them in a row."""
    this = chapter(name)
    helpers = example_functions(name)
    for exercise in this.whole:
        ref = universal.reference(this, exercise, SOURCES[name])
        for call in calls_that_may_pass(ref, helpers):
            code = f"def {exercise}(*args, **kwargs):\n    return {call}\n"
            assert this.run(exercise, code, whole=False, more=helpers) is not None, call


def calls_that_may_pass(ref, helpers):
    """The calls of one helper, or of one on what another gives, that do on the first stage what is right there.

    Where results are read through a property, those that give something.
    """
    args, kwargs = ref.stages[0]
    given = {name: outcome(f, *args, **kwargs) for name, f in helpers.items()}
    calls = [(f"{g}(*args, **kwargs)", value) for g, value in given.items()]
    calls += [
        (f"{f}({g}(*args, **kwargs))", outcome(function, value))
        for f, function in helpers.items()
        for g, value in given.items()
        if f != g and value is not None
    ]
    return [
        c
        for c, value in calls
        if value is not None and (ref.is_read or same(value, ref.results[0]))
    ]


def outcome(function, *args, **kwargs):
    """What a call gives; None if it raises or does not come to an end, which is no answer."""
    args, kwargs = deepcopy((args, kwargs))
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            with at_most(1), spare_memory(WORKING_MEMORY):
                return function(*args, **kwargs)
        except (Exception, TooLong):
            return None


def same(value, right):
    """True unless both are numbers that differ by more than any tolerance of a check."""
    try:
        a, b = (np.asarray(v, dtype=complex) for v in (value, right))
        return bool(np.allclose(a, b, rtol=1e-3, atol=1e-3, equal_nan=True))
    except (TypeError, ValueError):
        return True  # no numbers, or of shapes that do not fit: the check decides


def example_functions(name):
    """The functions that the example cells of a chapter define, by running all of them."""
    notebook = nbformat.read(Layout().solution(name), as_version=4)
    space: dict[str, Any] = {"__name__": "__main__"}
    before: set[str] = set()
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for cell in notebook.cells:
            if cell.cell_type == "code":
                exec(compile(visible(cell.source), name, "exec"), space)
                if {"setup", "recap"} & set(cell.metadata.get("tags", [])):
                    before |= set(space)
    written = set(chapter(name).solutions)
    kind = (types.FunctionType, functools.partial)
    return {n: f for n, f in space.items() if isinstance(f, kind) and n not in before | written}


@pytest.mark.parametrize(("name", "exercise"), EXERCISES)
def test_counts_of_an_exercise(name, exercise, record_property):
    """Printed below the test run: how many wrong answers are rejected and named, and right ones accepted."""
    this = chapter(name)
    mine = [entry for entry in load(name) if entry.exercise == exercise]
    wrong = [e for e in mine if isinstance(e, Wrong)]
    right = [e for e in mine if isinstance(e, Right)]
    rejected = [e for e in wrong if this.run(exercise, e.code, whole=True) is not None]
    named = [e for e in wrong if e.sentence in str(this.run(exercise, e.code, whole=False))]
    accepted = [e for e in right if this.run(exercise, e.code, whole=True) is None]
    record_property(
        "counts",
        f"{name[:2]} {exercise:30s} wrong rejected {len(rejected):2d}/{len(wrong):2d}   "
        f"right accepted {len(accepted)}/{len(right)}   named in the notebook {len(named):2d}/{len(wrong):2d}",
    )
    assert len(rejected) == len(wrong)
    assert len(accepted) == len(right)


def test_seed_decides_the_hidden_draws():
    """Else a test that fails now and then would hide behind fresh draws."""
    this = chapter("03_scores")
    code = this.solutions["scores"] + "\nright = scores\n"
    probe = (
        code + "def scores(Q, K):\n    seen.append(float(Q.ravel()[0]))\n    return right(Q, K)\n"
    )
    drawn = []
    for seed in (1, 1, 2):
        seen: list[float] = []
        assert this.run("scores", probe, whole=True, seed=seed, more={"seen": seen}) is None
        drawn.append(seen)
    assert drawn[0] == drawn[1] != drawn[2]
