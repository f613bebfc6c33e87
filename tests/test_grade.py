"""One submission, one verdict; and a class of them, whatever happens to the machine meanwhile."""

from __future__ import annotations

import ast
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import psutil
import pytest

from autograde import mistakes
from autograde.build import expected as answers
from autograde.errors import CourseError
from autograde.grade import worker
from autograde.grade.cache import Store
from autograde.grade.canaries import canaries
from autograde.grade.exam import Cell, Example, load_exam, paper_of
from autograde.grade.grade import Summary, grade, read_verdicts
from autograde.grade.judge import TrustedNamespace, judge_paper, seeds
from autograde.grade.plan import CallPlan, is_plain, plan_calls
from autograde.grade.pool import LocalPool
from autograde.grade.process import trigger_names
from autograde.grade.worker import Setting, Task, WorkerState, grade_task, infrastructure
from autograde.layout import Layout
from autograde.mistakes import Right
from autograde.sandbox.inside.child import uses
from autograde.sandbox.inside.wire import Batch, Caps
from autograde.sandbox.sandbox import SandboxError
from autograde.settings import Limits
from autograde.verdict import Outcome, State, Verdict
from bench import corpus
from tests.answers import chapter
from tests.graded import (
    QUICK,
    SETUP,
    all_of,
    ask,
    graded_cells,
    hand_in,
    make_course,
    opened,
    small_exam,
    timeless,
    trials,
    with_second,
)

NN = corpus.CHAPTER
ROOT = Path(__file__).resolve().parent.parent
DOUBLE = small_exam(
    "double",
    "def double(x):\n    return 2 * x",
    "expect(double(3) == 6, 'double(3) is 6.')",
    "expect(double(12345) == 24690, 'double is wrong for large numbers.')",
)


# ------------------------------------------------------------------------ one question
@pytest.mark.parametrize(
    ("body", "outcome", "message"),
    [
        ("return x + x", Outcome.RIGHT, "All tests passed."),
        ("return x * x", Outcome.WRONG, "double(3) is 6."),
        ("return 6", Outcome.WRONG, "double is wrong for large numbers."),
        ("raise NotImplementedError", Outcome.NOT_ATTEMPTED, "This exercise was left as it came."),
        ("return x + y", Outcome.ERROR, "Your code raised NameError: name 'y' is not defined"),
        ("return 6 if x == 3 else y", Outcome.ERROR, "Your code raised an error."),
        ("return 6 if x == 3 else 1 / (x - 12345)", Outcome.ERROR, "Your code raised an error."),
        ("import os; os._exit(0)", Outcome.DIED, "ended before it gave an answer"),
        ("exit(); return 2 * x", Outcome.RIGHT, ""),
        ("raise SystemExit", Outcome.ERROR, "SystemExit"),
        ("return (2 * x for _ in 'a')", Outcome.WRONG, "double(3) is 6."),
        ("return 10 ** 400", Outcome.OUTPUT_LIMIT, ""),
        ("return double(x)", Outcome.ERROR, "RecursionError"),
        ("import ctypes; ctypes.string_at(0)", Outcome.DIED, ""),
    ],
)  # fmt: skip
def test_outcomes_and_what_the_learner_is_told(body, outcome, message):
    verdict = ask(DOUBLE, f"def double(x):\n    {body}")
    assert verdict.state is outcome
    assert message in verdict.message
    assert verdict.score == (2.0 if outcome is Outcome.RIGHT else 0.0)
    assert "12345" not in verdict.message


def test_a_cell_that_does_not_run_says_why():
    verdict = ask(DOUBLE, "def double(x)\n    return 2 * x")
    assert verdict.state is Outcome.ERROR
    assert "SyntaxError" in verdict.message
    assert "line 1" in verdict.message


@pytest.mark.slow
def test_the_time_of_cells_is_not_the_time_of_the_question():
    slow = Cell("cell 1", "import time; time.sleep(2.5)", "extra")
    own = replace(QUICK, question_seconds=4.5)
    assert ask(DOUBLE, "def double(x):\n    return 2 * x", before=(slow, slow), limits=own).score
    exam = small_exam(
        "double", "def double(x):\n    return 2 * x", *(2 * ["expect(double(3) == 6, 'no')"]),
        examples=(Example("import time; time.sleep(5); n = 1", frozenset({"n"})),),
    )  # fmt: skip
    example = Cell("cell 1", exam.examples[0].source, "example")
    read = "def double(x):\n    return 2 * x * n"
    assert ask(exam, read, before=(example,), limits=own).state is Outcome.RIGHT


def test_both_parts_of_a_question_share_its_time():
    lazy = "import time\ndef double(x):\n    time.sleep(2.5)\n    return 2 * x"
    assert ask(DOUBLE, lazy, limits=replace(QUICK, question_seconds=4.5)).state is Outcome.TIMEOUT


def test_a_function_that_is_not_there():
    assert "does not define the function double" in ask(DOUBLE, "twice = 1").message


def test_a_stub_is_not_run():
    exam = DOUBLE
    assert not paper_of([Cell("double", exam.stubs["double"], "solution")]).attempted(
        "double", exam
    )
    assert ask(exam, exam.stubs["double"]).state is Outcome.NOT_ATTEMPTED


def test_changes_of_arguments_reach_the_test():
    exam = small_exam(
        "keep",
        "def keep(x, words, table):\n    return x.sum()",
        "x, words, table = np.arange(3.0), ['a', ['b']], {'k': np.zeros(2)}\n"
        "result = keep(x, words, table=table)\n"
        "expect(x.tolist() == [0, 1, 2], 'x changed')\n"
        "expect(words == ['a', ['b']], 'words changed')\n"
        "expect(table['k'].tolist() == [0, 0], 'table changed')\n"
        "expect(result == 3, 'result')",
    )
    for line, message in (
        ("x *= 2", "x changed"),
        ("words.append('c')", "words changed"),
        ("words[1][0] = 'c'", "words changed"),
        ("table['k'] += 1", "table changed"),
        ("x.shape = (3, 1)", "shape of an array"),
        ("x.sum()", "All tests passed."),
    ):
        verdict = ask(exam, f"def keep(x, words, table):\n    {line}\n    return 3.0")
        assert message in verdict.message, line


LEAKS = small_exam(
    "leaks",
    "def leaks(attend):\n    x = np.ones((3, 2))\n    y = x.copy()\n    y[2] = 9\n"
    "    return not np.array_equal(attend(x)[0], attend(y)[0])",
    "expect(leaks(lambda x: x) is False, 'This one does not leak.')\n"
    "expect(leaks(lambda x: x + x.sum()) is True, 'This one does.')",
)


def test_functions_as_arguments():
    assert ask(LEAKS, LEAKS.references["leaks"]).state is Outcome.RIGHT
    assert ask(LEAKS, "def leaks(attend):\n    return True").message == "This one does not leak."


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("while True: attend(np.ones((2, 2)))", Outcome.TIMEOUT),
        ("return attend(np.ones((4000, 4000)))", Outcome.ERROR),
        ("return attend(10 ** 9)", Outcome.ERROR),
        ("return attend()", Outcome.ERROR),
        ("return attend.__class__(attend.student, 99)(np.ones(2))", Outcome.PROTOCOL),
        ("return attend", Outcome.WRONG),
        ("return len(attend.__name__) < 3", Outcome.WRONG),
    ],
)
def test_functions_as_arguments_cannot_be_abused(body, outcome):
    limits = replace(QUICK, callbacks=200)
    assert ask(LEAKS, f"def leaks(attend):\n    {body}", limits=limits).state is outcome


def test_a_function_that_was_handed_over_raises_what_it_raised():
    exam = small_exam(
        "refuses",
        "def refuses(attend):\n    try:\n        attend(0)\n    except ValueError:\n        return True\n"
        "    return False",
        "def bad(x):\n    raise ValueError('no')\n"
        "expect(refuses(bad) is True, 'bad')\nexpect(refuses(lambda x: 1) is False, 'good')",
    )
    assert ask(exam, exam.references["refuses"]).state is Outcome.RIGHT


def test_own_functions_as_arguments_stay_on_their_side():
    exam = small_exam(
        "twice",
        "def twice(f, x):\n    return f(f(x))",
        "expect(twice(inc, 1) == 3, 'twice')",
        more={"inc": "def inc(x):\n    return x + 1"},
    )
    inc = Cell("inc", "def inc(x):\n    return x + 1", "solution")
    assert ask(exam, exam.references["twice"], before=(inc,)).state is Outcome.RIGHT


def test_names_of_locked_cells_are_never_the_student_s():
    exam = small_exam(
        "double",
        "def double(x):\n    return 2 * x",
        "expect(double(3) == right(3), 'no')",
        setup=DOUBLE.setup[0] + "def right(x):\n    return 2 * x\n",
    )
    cheat = "def double(x):\n    return 7\ndef right(x):\n    return 7\ndef expect(*a):\n    return"
    assert ask(exam, cheat).state is Outcome.WRONG
    assert ask(exam, exam.references["double"]).state is Outcome.RIGHT


def test_a_test_that_expects_an_error_gets_one_of_that_type():
    exam = small_exam(
        "root",
        "def root(x):\n    if x < 0:\n        raise ValueError('negative')\n    return x ** 0.5",
        "try:\n    root(-1)\nexcept ValueError:\n    pass\nelse:\n    expect(False, 'root(-1) must fail')",
    )
    assert ask(exam, exam.references["root"]).state is Outcome.RIGHT
    assert ask(exam, "def root(x):\n    return 1").message == "root(-1) must fail"
    assert ask(exam, "def root(x):\n    raise KeyError('a')").state is Outcome.ERROR
    dead = ask(exam, "import os\ndef root(x):\n    os._exit(0)")
    assert dead.state is Outcome.DIED  # no test takes the end of a process for an error


def test_a_wrong_result_is_no_error_though_a_later_call_raises_one():
    shown = (
        "a = double(3)\ntry:\n    double('x')\nexcept TypeError:\n    pass\nexpect(a == 6, 'six')"
    )
    exam = small_exam(
        "double", "def double(x):\n    if isinstance(x, str):\n        raise TypeError\n    return 2 * x", shown
    )  # fmt: skip
    verdict = ask(exam, "def double(x):\n    return x + 1")
    assert (verdict.state, verdict.message) == (Outcome.WRONG, "six")


def test_an_error_of_the_learner_s_own_counts_as_the_built_in_one_it_is():
    exam = small_exam(
        "root",
        "def root(x):\n    if x < 0:\n        raise ValueError('negative')\n    return x ** 0.5",
        *2 * ["try:\n    root(-1)\nexcept ValueError:\n    pass\nelse:\n    expect(False, 'no')"],
    )
    for source in (
        "class HeadError(ValueError): pass\ndef root(x):\n    raise HeadError('x')",
        "def root(x):\n    raise np.linalg.LinAlgError('x')",
        "def root(x):\n    raise UnicodeDecodeError('utf-8', b'', 0, 1, 'x')",
    ):
        assert ask(exam, source).state is Outcome.RIGHT, source
    other = "class ValueError_(TypeError): pass\ndef root(x):\n    raise ValueError_('odd')"
    assert "Your code raised ValueError_: odd" in ask(exam, other).message


NAMING = """
def hidden(function, *args):
    try:
        expect(function(*args) == 2 * args[0], "no")
    except Exception as error:
        expect(False, f"no ({type(error).__name__})")
"""


@pytest.mark.parametrize(
    ("raised", "named"),
    [
        ("KeyError(x)", "KeyError"),
        ("type(f'E{x}', (ValueError,), {})()", "ValueError"),
        ("type(f'E{x}', (Exception,), {})()", "an error"),
        ("[OSError, RuntimeError][int(x) % 2]()", "an error"),
        ("StopIteration", "an error"),
    ],
)
def test_the_type_of_an_error_tells_little_about_a_hidden_input(raised, named):
    exam = small_exam(
        "double", DOUBLE.references["double"], "", "hidden(double, 77)", setup=SETUP + NAMING
    )
    assert ask(exam, f"def double(x):\n    raise {raised}").message == f"no ({named})"


def test_the_number_of_a_handle_tells_nothing():
    exam = small_exam(
        "leaks", "def leaks(attend):\n    return 1",
        "numbers = {leaks(lambda: 1) for _ in range(3)}\nexpect(max(numbers) < 3, 'large')",
    )  # fmt: skip
    assert ask(exam, "def leaks(attend):\n    return attend.number").message == "large"


def test_hidden_texts_of_more_than_a_line_are_not_shown():
    exam = small_exam(
        "double",
        "def double(x):\n    return 2 * x",
        "",
        "np.testing.assert_allclose(double(np.array([777.0])), [1554.0])",
    )
    verdict = ask(exam, "def double(x):\n    return x")
    assert verdict.state is Outcome.WRONG
    assert verdict.message == "A test failed."


def test_an_example_cell_runs_for_code_that_reads_it_and_only_then():
    exam = small_exam(
        "size", "def size():\n    return len(tokens)", "expect(size() == 2, 'size')",
        examples=(Example("tokens = ['a', 'b']", frozenset({"tokens"})),),
    )  # fmt: skip
    example = Cell("cell 1", "tokens = ['a', 'b']", "example")
    assert ask(exam, exam.references["size"], before=(example,)).state is Outcome.RIGHT
    deadly = "tokens = ['a', 'b']; import os; os._exit(1)"
    exam = small_exam(
        "size", "def size():\n    return 2", "expect(size() == 2, 'size')",
        examples=(Example(deadly, frozenset({"tokens"})),),
    )  # fmt: skip
    example = Cell("cell 1", deadly, "example")
    local = "def size():\n    tokens = 2\n    return tokens"
    assert ask(exam, local, before=(example,)).state is Outcome.RIGHT


def test_a_value_that_grows_in_the_test_does_not_take_the_worker_along():
    exam = small_exam(
        "words",
        "def words():\n    return ['a', 'b']",
        "expect(np.asarray(words()).shape == (2,), 'two words')",
    )
    before = psutil.Process().memory_info().rss
    verdict = ask(
        exam, "def words():\n    return ['a' * 60_000] + ['b'] * 200_000"
    )  # 48 GB as array
    assert verdict.state is Outcome.OUTPUT_LIMIT
    assert psutil.Process().memory_info().rss - before < 400 << 20


def test_papers_meet_one_of_the_seeds_of_the_exam_and_always_the_same():
    exam = small_exam(
        "number",
        "def number(seed):\n    return 1",
        "expect(number(float(SEED)) == 1, f'{SEED}')",
    )
    sources = [f"def number(seed):\n    return {n}" for n in (2, 2, *range(3, 20))]
    met = [int(verdict.message) for verdict in all_of(exam, *sources)]
    assert met[0] == met[1]
    assert set(met) == set(seeds(exam))


@pytest.mark.parametrize(
    "after",
    [
        "def helper(x):\n    while True: pass",
        "def helper(x):\n    import os; os._exit(1)",
        "def helper(x):\n    return 7",
        "helper = 3",
        "sum = 3",
        "def double(x):\n    return 0",
    ],
)
def test_a_later_cell_does_not_spoil_an_answer(after):
    source = "def helper(x):\n    return sum([2 * x])\ndef double(x):\n    return helper(x)"
    last = Cell("cell 2", after, "extra")
    assert graded_cells(DOUBLE, Cell("double", source, "solution"), last).state is Outcome.RIGHT
    wrong = Cell("double", "def double(x):\n    return x", "solution")
    assert graded_cells(DOUBLE, wrong, Cell("cell 2", "sum = 3", "extra")).score == 0


def test_a_later_cell_may_still_hold_the_answer():
    own = Cell("cell 2", "def double(x):\n    return 2 * x", "extra")
    stub = Cell("double", "def double(x):\n    return 0", "solution")
    assert graded_cells(DOUBLE, stub, own).state is Outcome.RIGHT


def test_an_example_does_not_replace_a_helper_of_the_same_name():
    example = "n = 1\ndot = np.ones(2)\nm = dot.sum()"
    exam = small_exam(
        "double", DOUBLE.references["double"], "expect(double(3) == 6, 'no')",
        examples=(Example(example, frozenset({"n", "dot"})),),
    )  # fmt: skip
    helper = Cell("cell 1", "def dot(x, y):\n    return x * y", "extra")
    ours = Cell("cell 2", example, "example")
    for body in ("dot(x, 2) * n", "dot(x, m)"):
        last = Cell("double", f"def double(x):\n    return {body}", "solution")
        read = Cell("cell 3", "n", "extra")
        assert graded_cells(exam, helper, ours, read, last).state is Outcome.RIGHT
    taken = Cell("cell 1", "n = 7", "extra")  # as in a notebook, the example has the last word
    last = Cell("double", "def double(x):\n    return 2 * x * n", "solution")
    assert graded_cells(exam, taken, ours, last).state is Outcome.RIGHT
    early = Cell("double", "def double(x):\n    return 2 * x * n", "solution")
    assert "name 'n' is not defined" in graded_cells(exam, early, ours).message


SEEN_AHEAD = """
def check(function, *stages):
    for label, args, kwargs in stages:
        expect(function(*args, **kwargs) == 2 * args[0], label)
def hidden(function, expected, label, *args):
    expect(function(*args) == expected(*args), label)
"""


@pytest.mark.parametrize(
    "shown",
    [
        "check(double, ('one', (1,), {}), ('two', (2,), {}))",
        "check(double, ('one', (double(1),), {}))",
        "check(double, ('any', (float(np.random.random()),), {}), ('two', (2,), {}))",
        "x = np.ones(())\ncheck(double, ('array', (x,), {}))\nx += 1\ncheck(double, ('changed', (x,), {}))",
        "for n in range(200):\n    hidden(double, lambda x: 2 * x, 'many', np.full((), n))",
        "check(double, ('wide', (3,), {}))\nexpect(double(4) == 8, 'by hand')\ncheck(double, ('last', (5,), {}))",
    ],
)
def test_calls_sent_ahead_give_what_calls_one_by_one_give(shown):
    exam = small_exam("double", "def double(x):\n    return 2 * x", shown, setup=SETUP + SEEN_AHEAD)
    assert ask(exam, "def double(x):\n    return x + x").state is Outcome.RIGHT
    assert ask(exam, "def double(x):\n    return x + 1.5").state is Outcome.WRONG


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("while True: pass", Outcome.TIMEOUT),
        ("import os; os._exit(1)", Outcome.DIED),
        ("print('x' * 10 ** 8)", Outcome.WRONG),
        ("return 1 / 0", Outcome.WRONG),
    ],
)
def test_all_calls_of_a_part_are_made_whatever_the_first_gave(line, outcome):
    shown = "check(double, ('one', (1,), {}), ('two', (2,), {}), ('three', (3,), {}))"
    exam = small_exam("double", "def double(x):\n    return 2 * x", shown, setup=SETUP + SEEN_AHEAD)
    source = f"def double(x):\n    if x == 2:\n        return 0\n    if x == 3:\n        {line}\n    return 2 * x"
    verdict = ask(exam, source)
    assert verdict.state is outcome
    assert ("two" in verdict.message) is (outcome is Outcome.WRONG)


def test_what_a_learner_does_to_arguments_reaches_no_other_learner():
    shown = "check(double, ('one', (np.ones(3),), {}))"
    setup = SETUP + SEEN_AHEAD.replace(") == 2 * args[0]", ").tolist() == [2, 2, 2]")
    exam = small_exam("double", "def double(x):\n    return 2 * x", shown, setup=setup)
    spoils = "def double(x):\n    x[:] = 5\n    return x"
    states = [v.state for v in all_of(exam, spoils, "def double(x):\n    return x + x", spoils)]
    assert states == [Outcome.WRONG, Outcome.RIGHT, Outcome.WRONG]


def test_the_same_paper_gets_the_same_however_often():
    setup = SETUP + SEEN_AHEAD.replace("2 * args[0]", "1")
    exam = small_exam(
        "a", "def a(x):\n    return 1", "check(a, ('one', (np.ones(3),), {}))", setup=setup
    )
    exam = with_second(exam, "check(b, ('two', (1,), {}))")
    counts = "n = [0]\ndef a(x):\n    n[0] += 1\n    x.shape = (3, 1)\n    return 1"
    reads = "def b(x):\n    return 1 if n[0] else None"
    told = trials(exam, *3 * [{"a": counts, "b": reads}])
    assert told[0] == told[1] == told[2]


def test_more_than_a_plan_may_hold_is_asked_call_by_call():
    shown = "for n in range(12):\n    hidden(double, 2 * n, 'many', np.full(12_000, n))"
    setup = SETUP + SEEN_AHEAD.replace("expected(*args)", "expected").replace(
        "*args) ==", "*args)[0] =="
    )
    exam = small_exam("double", "def double(x):\n    return 2 * x", shown, setup=setup)
    trusted = TrustedNamespace.of(exam)
    assert not trusted.planned(exam.questions[0], Caps())
    right, wrong = (
        "def double(x):\n    return x + x",
        "def double(x):\n    return x + x + (x == 11)",
    )
    assert [v.score for v in all_of(exam, right, wrong)] == [2, 0]


def test_a_list_of_many_numbers_fits_into_a_frame():
    exam = small_exam(
        "many", "def many(x):\n    return [x] * 200_000", "expect(sum(many(1)) == 200_000, 'sum')"
    )
    assert ask(exam, "def many(x):\n    return [x for _ in range(200_000)]").score == 2


@pytest.mark.slow
def test_many_slow_cells_have_time_each():
    cells = [Cell(f"cell {n}", "import time; time.sleep(1.5)", "extra") for n in range(4)]
    right = Cell("double", "def double(x):\n    return 2 * x", "solution")
    limits = replace(QUICK, question_seconds=4.5)
    assert graded_cells(DOUBLE, *cells, right, limits=limits).score == 2


@pytest.mark.slow
def test_the_text_of_an_error_in_a_cell_cannot_carry_a_hidden_input():
    exam = small_exam(
        "double",
        "def double(x):\n    return 2 * x",
        "expect(double(3) == 6, 'no')",
        "expect(double(12345) == 24690, 'large')",
    )
    exam = with_second(exam, "", "expect(b(1) == 1, 'b')")
    with opened(exam, replace(QUICK, question_seconds=9.0)) as state:
        later = time.time() + 4  # what the second process can see, as a pipe's number or a clock
        spy = f"import os, time\ndef double(x):\n    if x == 3:\n        return 6\n    time.sleep(max({later} - time.time(), 0))\n    os._exit(0)"
        told = f"import time\nif time.time() > {later}:\n    raise ValueError('the input was 12345')\ndef b(x):\n    return 1"
        paper = paper_of([Cell("double", spy, "solution"), Cell("b", told, "solution")])
        verdicts = judge_paper(state.trusted, paper, state.sandbox)
    assert [v.state for v in verdicts] == [Outcome.DIED, Outcome.ERROR]
    assert "12345" not in "".join(v.message for v in verdicts)


def test_a_forged_answer_costs_no_other_question_a_point():
    exam = small_exam("a", "def a(x):\n    return 1", "expect(a(1) == 1, 'one')")
    exam = with_second(exam, "expect(b(1) == 1, 'b')")
    batch = Batch(Caps())
    batch.add("value", 7, None)
    forged = (
        "import os, sys\ndef a(x):\n    frame = sys._getframe()\n    while 'request' not in frame.f_locals:\n"
        "        frame = frame.f_back\n    number = frame.f_locals['request'].number\n"
        f"    whole = {batch.frame('answers', 1)!r}\n"
        "    text = whole[8:].replace(b'answers\",1,', b'answers\",%d,' % number)\n"
        "    size = len(text).to_bytes(4, 'big')\n    os.write(3, size + size + text)\n    return 1"
    )
    [verdicts] = trials(exam, {"a": forged, "b": "def b(x):\n    return 1"})
    assert verdicts[0].state in (Outcome.WRONG, Outcome.PROTOCOL)  # both answers may have come
    assert verdicts[1].state is Outcome.RIGHT


def test_large_cells_are_run():
    letters = Cell("cell 1", f"text = {'注' * 499_000!r}", "extra")
    digits = Cell("cell 2", f"more = {'1' * 480_000!r}", "extra")
    right = Cell("double", "def double(x):\n    return 2 * x", "solution")
    assert graded_cells(DOUBLE, letters, digits, digits, digits, digits, right).score == 2


def test_a_cell_that_cannot_cross_is_left_out_alone():
    huge = Cell("cell 1", f"text = {'x' * 5_000_000!r}", "extra")
    astral = Cell("cell 2", f"# {chr(0x1F600) * 400_000}", "extra")
    right = Cell("double", "def double(x):\n    return 2 * x", "solution")
    assert graded_cells(DOUBLE, huge, astral, right).score == 2
    verdict = graded_cells(DOUBLE, Cell("double", right.source + "#" * 5_000_000, "solution"))
    assert (verdict.state, verdict.score) == (Outcome.ERROR, 0)
    assert "too large" in verdict.message


def test_closing_the_channel_is_not_running_out_of_memory():
    source = "import os\ndef double(x):\n    os.close(3)\n    while True: pass"
    assert ask(DOUBLE, source).state is Outcome.DIED


@pytest.mark.parametrize("name", Layout().names())
def test_the_chapters_are_graded_the_fast_way(name):
    trusted = TrustedNamespace.of(load_exam(name, Layout()))
    trusted.shell.namespace["SEED"] = 1
    slow = [q.id for q in trusted.exam.questions if not trusted.planned(q, Caps())]
    assert set(slow) <= {
        "test_leaks",
        "test_bracket_head",
        "test_is_multi_head",
        "test_gradient_check",
        "test_generate",
        "test_find_induction_heads",
    }  # they try what learners hand back


def setup_namespace():
    this = chapter(NN)
    return answers.namespace(this.setup, this.recap)


def check_plainly(function, *stages, through=None):
    for label, args, kwargs in stages:
        hidden_plainly(function, lambda x: 2 * x, label, *args, through=through, **kwargs)


def hidden_plainly(function, expected, label, *args, through=None, **kwargs):
    wanted = expected(*args, **kwargs) if callable(expected) else expected
    result = function(*args, **kwargs)
    result = result if through is None else through(result, *args)
    assert np.array_equal(result, wanted), label


PLANNING = {
    "np": np, "check": check_plainly, "hidden": hidden_plainly,
    "draws": lambda n: [np.random.default_rng(k) for k in range(n)],
}  # fmt: skip


PLANS = [
    ("check(double, ('one', (1,), {}))", True),
    ("for rng in draws(3):\n    hidden(double, lambda x: 2 * x, 'many', rng.normal(size=2))", True),
    ("def twice(x):\n    return 2 * x\nhidden(double, twice, 'one', 1)", True),
    ("x = np.ones(2)\ncheck(double, ('array', (x,), {}))\nx += 1\nhidden(double, 4, 'two', x[0])", True),
    ("x = [n for n in (1, 2)]\nfor n in x:\n    hidden(double, 2 * n, 'many', n)", True),
    (
        "def read(result, x):\n    try:\n        return float(result)\n    except TypeError:\n"
        "        return None\ncheck(double, ('one', (1,), {}), through=read)\n"
        "hidden(double, lambda x: 2.0 * x, 'two', 2, through=read)",
        True,
    ),
    ("", True),
    ("hidden(double, 4, 'two', 2)\nassert double(3) == 6", False),
    ("try:\n    hidden(double, 5, 'two', 2)\nexcept AssertionError:\n    pass", False),
    ("try:\n    hidden(double, 5, 'two', 2)\nexcept* AssertionError:\n    pass", False),
    ("import contextlib\nwith contextlib.suppress(Exception):\n    hidden(double, 5, 'a', 2)", False),
    ("[hidden(double, 2 * n, 'many', n) for n in range(3)]", False),
    ("def twice(f):\n    hidden(f, 4, 'two', 2)\ntwice(double)", False),
    ("c = hidden\nc(double, 4, 'two', 2)", False),
    ("f = double\nhidden(double, 4, 'two', 2)", False),
    ("def read(r, x):\n    return double(x)\nhidden(double, 4, 'two', 2, through=read)", False),
    ("n = 0\ndef read(r, x):\n    global n\n    n += 1\n    return n\n"
     "hidden(double, 1, 'two', 2, through=read)", False),
    ("np.testing.assert_raises(BaseException, double, 'a')\nhidden(double, 6, 'three', 3)", False),
    ("exec(\"hidden(double, 5, 'x', 2)\")", False),
    ("from functools import partial\ntest = partial(hidden, double)\ntest(4, 'two', 2)", False),
    ("check = hidden\ncheck(double, 4, 'two', 2)", False),
    ("def check(*a):\n    pass\ncheck(double)", False),
]  # fmt: skip
UNPLANNED = ["hidden(double, 4, 'two', lambda: 2)", "hidden(double, 5, 'two', 2)", "1 / 0"]
"""Plain cells whose calls cannot be told beforehand, or that do not pass."""


@pytest.mark.parametrize(("source", "is_whole"), PLANS)
def test_a_cell_is_a_plan_only_if_it_is_nothing_but_uses(source, is_whole):
    assert is_plain(ast.parse(source), {"double"}) is is_whole


@pytest.mark.parametrize(
    ("source", "is_whole"),
    [(s, True) for s, whole in PLANS if whole] + [(s, False) for s in UNPLANNED],
)
def test_a_question_is_a_plan_only_if_both_parts_are(source, is_whole):
    other = "hidden(double, 0, 'no', 0)"
    for parts in ([source, other], [other, source]):
        found = plan_calls(parts, PLANNING, {"double": lambda x: 2 * x}, 7, Caps())
        assert len(found) == (2 if is_whole else 0)


ODD_TESTS = {
    "a name bound after an answer": (
        "def double(x):\n    return 2 * x",
        "n = 1\nassert double(2) == 4\nn = 5",
        "hidden(double, lambda x: 2 * x, 'large', n)",
        {"def double(x):\n    return {1: 2, 2: 4}.get(x, 0)": 0, "def double(x):\n    return x + x": 2},
    ),
    "a tolerant helper": (
        "def double(x):\n    return 2 * x",
        "def passes(f, expected, *args):\n    try:\n        hidden(f, expected, '', *args)\n"
        "    except AssertionError:\n        return False\n    return True\nassert passes(double, 6, 3)",
        "good = 0\nfor n in range(4):\n    good += passes(double, lambda x: 2 * x, n)\n"
        "if good < 3:\n    raise AssertionError('three of four')",
        {"def double(x):\n    return 2 * x if x != 1 else 0": 2, "def double(x):\n    return 6": 0},
    ),
    "an error that somebody else swallows": (
        "def double(x):\n    return 2 * x + 0.0",
        "np.testing.assert_raises(BaseException, double, 'a')\nhidden(double, 6, 'three', 3)",
        "",
        {"def double(x):\n    return 2 * x": 0, "def double(x):\n    return x + x + 0.0": 2},
    ),
    "an expected array that is filled again": (
        "def double(x):\n    return 2 * x",
        "",
        "want = np.zeros(3)\nfor rng in draws(3):\n    x = rng.normal(size=3)\n    want[:] = 2 * x\n"
        "    hidden(double, want, 'random', x)",
        {"def double(x):\n    return x + x": 2, "def double(x):\n    return x": 0},
    ),
    "an argument that may not be written to": (
        "def double(x):\n    return 2 * x",
        "",
        "hidden(double, 2 * np.ones((2, 3)), 'b', np.broadcast_to(np.ones(3), (2, 3)))",
        {"def double(x):\n    x *= 2\n    y = x.copy()\n    x /= 2\n    return y": 2},
    ),
    "one array for two arguments": (
        "def double(x, y):\n    return x + 2 * y",
        "",
        "x = np.ones(3)\nhidden(double, 3 * x, 'both', x, y=x)",
        {"def double(x, y):\n    x *= 2\n    z = x / 2 + 2 * y\n    x /= 2\n    return z": 2},
    ),
    "a use that is made ready in the visible part": (
        "def double(x):\n    return 2 * x",
        "from functools import partial\ntest = partial(hidden, double)\ntest(4, 'two', 2)",
        "test(6, 'three', 3)",
        {"def double(x):\n    return x + x": 2, "def double(x):\n    return 4": 0},
    ),
    "text that is run": (
        "def double(x):\n    return 2 * x",
        "exec(\"try:\\n hidden(double, 5, 'x', 2)\\nexcept AssertionError: pass\")",
        "hidden(double, 4, 'two', 2)",
        {"def double(x):\n    return x + x": 2, "def double(x):\n    return x": 0},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD_TESTS)
def test_a_test_cell_of_odd_form_gives_what_running_it_gives(name):
    reference, shown, hidden, answers = ODD_TESTS[name]
    this = chapter(NN)
    setup = "\n".join([this.setup, this.recap])
    exam = small_exam("double", reference, shown, hidden, setup=setup)
    told = all_of(exam, *answers, *answers)
    assert [verdict.score for verdict in told] == [*answers.values(), *answers.values()]


def test_a_plan_gives_what_was_given_then():
    space = setup_namespace()
    source = "x = np.ones(2)\nhidden(double, lambda x: 2 * x, 'one', x)\nx += 1\nhidden(double, 2 * x, 'two', x)"
    [part] = plan_calls([source], space, {"double": lambda x: x + x}, 7, Caps())
    for _ in range(2):
        given: list[list[float]] = []

        def double(x, given=given):
            given.append(x.tolist())
            x *= 2
            return x

        with pytest.raises(AssertionError, match="changed its input"):
            part.repeat(space | {"double": double})
        assert given == [[1.0, 1.0]]
        part.repeat(space | {"double": lambda x: x + x})


def test_equal_answers_are_judged_once_and_get_the_same(monkeypatch):
    exam = load_exam(NN, Layout())
    asked: list[str] = []
    plain = CallPlan.repeat

    def repeat(self, space):
        asked.append("repeated")
        plain(self, space)

    monkeypatch.setattr(CallPlan, "repeat", repeat)
    with opened(exam) as worker_state:
        trusted = worker_state.trusted
        for entry in (e for e in mistakes.load(NN) if not isinstance(e, Right)):
            cells = {**exam.references, entry.exercise: entry.code}.items()
            paper = paper_of([Cell(n, s, "solution") for n, s in cells])
            first = judge_paper(trusted, paper, worker_state.sandbox)
            asked.clear()
            assert judge_paper(trusted, paper, worker_state.sandbox) == first
            assert not asked
            trusted.judged.clear()
            assert judge_paper(trusted, paper, worker_state.sandbox) == first
            assert asked
            plans = dict(trusted.plans)
            trusted.plans.update({key: [] for key in plans})  # call by call
            assert judge_paper(trusted, paper, worker_state.sandbox) == first
            trusted.plans.update(plans)


def test_answers_that_do_not_fit_into_one_frame_come_in_several():
    stages = ", ".join(f"('stage {n}', ({n},), {{}})" for n in range(9))
    setup = SETUP + SEEN_AHEAD.replace("== 2 * args[0]", "[0] == 2 * args[0]")
    exam = small_exam(
        "double",
        "def double(x):\n    return np.full(600_000, 2.0 * x)",
        f"check(double, {stages})",
        setup=setup,
    )
    right, wrong, huge = (
        "def double(x):\n    return np.full(600_000, x + x)",
        "def double(x):\n    return np.full(600_000, 2 * x if x < 7 else x)",
        "def double(x):\n    return np.full(600_000 if x < 7 else 6_000_000, 2 * x)",
    )
    told = [(verdict.state, verdict.message) for verdict in all_of(exam, right, wrong, huge)]
    assert told[0] == (Outcome.RIGHT, "All tests passed.")
    assert told[1] == (Outcome.WRONG, "stage 7")
    assert told[2][0] is Outcome.OUTPUT_LIMIT


def test_what_does_not_hang_on_the_answers_alone_is_not_remembered():
    shown = "check(double, ('one', (1,), {}))"
    exam = small_exam("double", "def double(x):\n    return 2 * x", shown, setup=SETUP + SEEN_AHEAD)
    sources = ["double = 1 / 0", "double = nothing", "def double(x):\n    return 2 * x"]
    told = [verdict.message for verdict in all_of(exam, *sources)]
    assert "ZeroDivisionError" in told[0]
    assert "NameError" in told[1]
    assert told[2] == "All tests passed."


# ------------------------------------------------------------------------ a class
@pytest.fixture
def course(tmp_path):
    return make_course(tmp_path / "course")


def class_of(layout, count: int) -> list[SimpleNamespace]:
    """Students whose submissions all differ; every third has one wrong answer."""
    found = []
    for number in range(count):
        answers = dict(corpus.RIGHT)
        if number % 3 == 2:
            answers["scores"] = corpus.WRONG["scores"]
        answers["cosine_scores"] += f"\n# {number}"
        found.append(hand_in(layout, f"student-{number:03d}", answers))
    return found


def run(layout, submissions, **options: Any) -> tuple[Summary, list[Verdict]]:
    quick: dict[str, Any] = {"workers": 1, "limits": QUICK, "progress": False}
    summary = grade(NN, submissions, layout, **(quick | options))
    return summary, list(read_verdicts(summary.lines))


def test_a_class_in_its_order_and_from_the_cache_the_second_time(course):
    submissions = class_of(course, 5)
    submissions.append(SimpleNamespace(**vars(submissions[0]) | {"student": "twin", "sha256": "t"}))
    submissions.append(
        SimpleNamespace(student="lost", notebook=None, sha256="", problem="it is a PDF")
    )
    summary, verdicts = run(course, submissions)
    assert [v.student for v in verdicts] == [s.student for s in submissions]
    assert [v.score for v in verdicts] == [10, 10, 9, 10, 10, 10, 0]
    assert verdicts[-1].state is State.UNREADABLE
    assert "it is a PDF" in verdicts[-1].questions[0].message
    assert (verdicts[5].student, verdicts[5].submission_sha256) == ("twin", "t")
    assert (summary.graded, summary.cached) == (6, 1)
    first = summary.lines.read_bytes()
    summary, _ = run(course, submissions)
    assert (summary.graded, summary.cached) == (0, 7)
    assert summary.lines.read_bytes() == first


def test_what_the_verdict_depends_on_is_in_its_hashes(course):
    exam = load_exam(NN, course)
    base = Setting(exam, limits=QUICK)
    assert base.environment_sha256 == Setting(exam, limits=QUICK).environment_sha256
    assert base.environment_sha256 != Setting(exam, limits=Limits()).environment_sha256
    assert (
        base.environment_sha256 != Setting(exam, level="rlimits", limits=QUICK).environment_sha256
    )
    path = course.solution(NN)
    path.write_text(path.read_text().replace("draws(4)", "draws(5)"))
    assert load_exam(NN, course).sha256 != exam.sha256


def test_a_cache_line_cut_short_is_graded_again(course):
    submissions = class_of(course, 3)
    run(course, submissions)
    [file] = (course.course / "cache").rglob("*.jsonl")
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    summary, verdicts = run(course, submissions)
    assert summary.graded == 1
    assert [v.score for v in verdicts] == [10, 10, 9]
    assert len(file.read_bytes().splitlines()) == 3


@pytest.mark.slow
def test_nobody_is_missing_after_a_worker_was_killed(course):
    submissions = class_of(course, 40)
    _, undisturbed = run(course, submissions, cache=course.root / "other")
    killed: list[int] = []

    def kill_one() -> None:
        until = time.monotonic() + 30
        while time.monotonic() < until and not killed:
            done = sum(
                len(p.read_bytes().splitlines()) for p in (course.course / "cache").rglob("*.jsonl")
            )
            workers = [
                p for p in psutil.Process().children() if "spawn_main" in " ".join(p.cmdline())
            ]
            if done >= 3 and workers:
                workers[0].kill()
                killed.append(done)
            time.sleep(0.01)

    thread = threading.Thread(target=kill_one)
    thread.start()
    summary, verdicts = run(course, submissions, workers=2)
    thread.join()
    assert killed
    assert killed[0] < 40
    assert summary.states == {State.GRADED: 40}
    assert [timeless(v) for v in verdicts] == [timeless(v) for v in undisturbed]


FAULTY = """
import multiprocessing, os, signal, sys
from pathlib import Path
sys.path.insert(0, {root!r})
import autograde.grade.pool as pool
from autograde.errors import CourseError
from autograde.grade.grade import grade
from autograde.layout import Layout
from tests.graded import QUICK
from tests.test_grade import NN, class_of

plain = pool.grade_task
def kills_its_worker(task, setting):
    if task.student == "student-004":
        os.kill(os.getpid(), signal.SIGKILL)
    return plain(task, setting)
def cannot_live(setting):
    os.kill(os.getpid(), signal.SIGKILL)
def is_at_fault(task, setting):
    return 1 / 0
def tells_its_process(task, setting):
    os.write(1, f"{{os.getpid()}}\\n".encode())
    return plain(task, setting)
started = []
class started_once(pool.Worker):
    def __init__(self, *parts):
        super().__init__(*parts)
        started.append(self)
        if len(started) == 1:
            multiprocessing.context.ForkProcess.start = cannot_start
def cannot_start(self):
    raise BlockingIOError("no more")
def is_at_an_odd_fault(task, setting):
    raise type("Odd", (BaseException,), {{"__reduce__": lambda self: 1 / 0}})("odd")

pool.{name} = {fault}
layout = Layout(Path({course!r}))
try:
    grade(NN, class_of(layout, 9), layout, workers={workers}, limits=QUICK, progress=False)
except (CourseError, RuntimeError, BlockingIOError) as told:
    print(type(told).__name__, told)
print(len(multiprocessing.active_children()), "left")
"""


def faulty(course, **parts: object) -> str:
    """What a grader with a planted fault prints; in a process of its own, which forks its workers."""
    script = FAULTY.format(root=str(ROOT), course=str(course.root), **parts)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("workers", [1, 3])
def test_a_submission_that_kills_its_worker_harms_no_other(course, workers):
    told = faulty(course, name="grade_task", fault="kills_its_worker", workers=workers)
    assert told == "0 left\n"
    verdicts = list(read_verdicts(course.course / "verdicts" / f"{NN}.jsonl"))
    assert [v.student for v in verdicts if v.score is None] == ["student-004"]
    assert "its worker was killed" in verdicts[4].questions[0].message
    assert [v.state for v in verdicts].count(State.GRADED) == 8


def test_workers_that_cannot_live_are_not_started_for_ever(course):
    told = faulty(course, name="worker_state", fault="cannot_live", workers=2)
    assert "killed as soon as they start" in told
    assert told.endswith("\n0 left\n")


@pytest.mark.parametrize(
    ("fault", "line"),
    [("is_at_fault", "return 1 / 0"), ("is_at_an_odd_fault", "raise type(")],
)
def test_a_fault_of_the_grader_itself_is_told_and_nobody_is_left_behind(course, fault, line):
    told = faulty(course, name="grade_task", fault=fault, workers=2)
    assert told.startswith("RuntimeError in a worker:")
    assert f"in {fault}" in told
    assert told.endswith("\n0 left\n")


def test_a_worker_that_cannot_be_started(course):
    told = faulty(course, name="Worker", fault="started_once", workers=2)
    assert (
        told
        == "CourseError workers: no process could be started: no more.\n  What to do: Name fewer with `--workers`.\n0 left\n"
    )


@pytest.mark.parametrize("workers", [0, -1])
def test_there_must_be_a_worker(course, workers):
    with pytest.raises(CourseError, match="at least one"):
        run(course, class_of(course, 1), workers=workers)


def test_a_few_submissions_are_dealt_to_all_workers(course):
    told = faulty(course, name="grade_task", fault="tells_its_process", workers=4)
    assert told.endswith("\n0 left\n")
    assert len(set(told.split()[:-2])) == 4


def is_gone(group: int) -> bool:
    """True once no process of a group is left: the kernel ends what the parent had no time to end."""
    for _ in range(50):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.3, 1.0, 2.0])
def test_ctrl_c_stops_all_and_the_same_command_goes_on(course, after):
    script = course.root / "run.py"
    script.write_text(KILLED.format(root=str(ROOT), course=str(course.root)))
    process = subprocess.Popen(
        [sys.executable, str(script)], start_new_session=True, stderr=subprocess.PIPE, text=True
    )
    time.sleep(after)
    os.killpg(process.pid, signal.SIGINT)
    os.kill(process.pid, signal.SIGINT)
    _, words = process.communicate(timeout=30)
    assert "in a worker" not in words
    assert words.count("Traceback") <= 3  # of the one process that the script is
    assert is_gone(process.pid)
    subprocess.run([sys.executable, str(script)], check=True, timeout=120)
    verdicts = list(read_verdicts(course.course / "verdicts" / f"{NN}.jsonl"))
    assert [v.state for v in verdicts] == [State.GRADED] * 24


KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
from autograde.grade.grade import grade
from autograde.layout import Layout
from tests.graded import QUICK
from tests.test_grade import NN, class_of
if __name__ == "__main__":
    layout = Layout(Path({course!r}))
    grade(NN, class_of(layout, 24), layout, workers=2, limits=QUICK, progress=False)
"""


@pytest.mark.slow
def test_kill_9_at_any_moment_and_the_same_command_again(course):
    submissions = class_of(course, 24)
    _, undisturbed = run(
        course, submissions, cache=course.root / "other", json_file=course.root / "x"
    )
    script = course.root / "run.py"
    script.write_text(KILLED.format(root=str(ROOT), course=str(course.root)))
    chance = random.Random(1)
    moments = []
    for _ in range(4):
        process = subprocess.Popen([sys.executable, str(script)], start_new_session=True)
        time.sleep(chance.uniform(0.8, 2.5))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        moments.append(
            sum(
                len(p.read_bytes().splitlines()) for p in (course.course / "cache").rglob("*.jsonl")
            )
        )
    subprocess.run([sys.executable, str(script)], check=True, timeout=120)
    verdicts = list(read_verdicts(course.course / "verdicts" / f"{NN}.jsonl"))
    assert [timeless(v) for v in verdicts] == [timeless(v) for v in undisturbed]
    assert moments == sorted(moments)
    assert len(verdicts) == 24


# ------------------------------------------------------------------------ the grader's own faults
def test_a_missing_package_is_not_a_mark(course, tmp_path):
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    with pytest.raises(CourseError, match="numpy"):
        run(course, class_of(course, 3), python=str(bare / "bin" / "python"))
    assert not (course.course / "verdicts").exists()
    assert not [p for p in (course.course / "cache").rglob("*.jsonl") if p.read_bytes()]


def test_tests_that_accept_anything_are_caught_by_a_canary(course):
    path = course.solution(NN)
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "test_scores":
            cell["source"] = "pass"
    path.write_text(json.dumps(notebook))
    with pytest.raises(CourseError, match=r"cheat .* should get 0 of 1 points for test_scores"):
        run(course, class_of(course, 3))
    assert not (course.course / "verdicts").exists()


@pytest.mark.parametrize("name", Layout().names())
def test_the_cheats_that_are_tried_first_need_no_example(name):
    """Or each start of a worker would draw the figures of the chapter."""
    exam = load_exam(name, Layout())
    asked = frozenset(trigger_names(exam))
    for what, paper, _ in canaries(exam):
        for cell in paper.cells if what.startswith("a cheat") else ():
            if cell.kind == "solution":
                assert not uses(cell.title, cell.source, asked), (what, cell.title)


def test_a_reference_that_fails_is_caught_by_a_canary(course):
    path = course.solution(NN)
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "scores":
            cell["source"] = corpus.WRONG["scores"]
    path.write_text(json.dumps(notebook))
    with pytest.raises(
        CourseError, match="the reference solution should get 1 of 1 points for test_scores"
    ):
        run(course, class_of(course, 3))


def test_a_sandbox_that_fails_gives_no_mark(course, monkeypatch):
    setting = Setting(load_exam(NN, course), limits=QUICK)
    [submission] = class_of(course, 1)
    task = Task("s", "1", submission.notebook.read_bytes())
    trials = []

    def failing(*_: object) -> None:
        trials.append(1)
        raise SandboxError("no room")

    state = worker.worker_state(setting)
    monkeypatch.setattr(worker, "judge_paper", failing)
    verdict = grade_task(task, setting)
    assert len(trials) == 3
    assert verdict.state is State.INFRASTRUCTURE
    assert verdict.score is None
    assert {q.state for q in verdict.questions} == {Outcome.INFRASTRUCTURE}
    monkeypatch.undo()
    assert grade_task(task, setting).score == 10
    assert isinstance(state, WorkerState)
    worker.close_worker_state()


def test_a_submission_without_a_mark_is_tried_again_by_the_same_command(course, monkeypatch):
    submissions = class_of(course, 3)
    real = LocalPool.verdicts

    def losing(self, tasks):
        for key, verdict in real(self, tasks):
            if verdict.student == "student-001":
                verdict = infrastructure(Task("student-001", "1"), self.setting, "disk full")
            yield key, verdict

    monkeypatch.setattr(LocalPool, "verdicts", losing)
    summary, verdicts = run(course, submissions)
    assert summary.states == {State.GRADED: 2, State.INFRASTRUCTURE: 1}
    assert verdicts[1].score is None
    monkeypatch.undo()
    summary, verdicts = run(course, submissions)
    assert (summary.graded, summary.cached) == (1, 2)
    assert verdicts[1].score == 10


def test_no_bubblewrap_no_marks(course, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CourseError, match="rlimits"):
        run(course, class_of(course, 1))
    with pytest.raises(CourseError, match="no such sandbox"):
        run(course, class_of(course, 1), sandbox="docker")


def test_a_chapter_that_is_not_built(course):
    course.solution(NN).unlink()
    with pytest.raises(CourseError, match="make notebooks"):
        run(course, [])


def test_the_store_keeps_places_not_verdicts(course):
    setting = Setting(load_exam(NN, course))
    verdict = infrastructure(Task("s", "1"), setting, "x")
    store = Store.open(course.root / "cache", setting)
    with store:
        for number in range(100):
            store.add(f"key-{number}", replace(verdict, seconds=float(number)))
        assert store["key-42"].seconds == 42
    again = Store.open(course.root / "cache", setting)
    assert again.places == store.places
    assert all(type(place) is int for place in again.places.values())
