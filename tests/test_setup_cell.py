"""The checks as a learner meets them: what each message says."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys

import numpy as np
import pytest

from autograde.build import expected as answers
from autograde.build.drawing import draw_first
from autograde.build.release import setup_source
from autograde.build.source import reserved
from autograde.errors import CourseError
from tests.answers import run_cell

SETUP = setup_source(touch="yes")


@pytest.fixture
def cell():
    """The setup cell, run, with an exercise `double` of two stages and one known mistake."""
    space = answers.namespace(SETUP, "")
    right = [np.array([[2.0, 4.0, 6.0]]), np.array([[8.0], [10.0]])]
    stages: list[answers.Stage] = [
        ("first", (right[0] / 2,), {}),
        ("second", (right[1] / 2,), {}),
    ]
    code = "def double(x):\n    return x * x\n"
    marks = answers.fingerprints(code, "double", stages, right, space)
    space["ANSWERS"]["double"] = {
        "rules": {},
        "expected": [answers.stored(value) for value in right],
        "mistakes": [["You squared.", json.loads(json.dumps(marks))]],
    }
    space["stages"] = [space["stage"](label, *args) for label, args, _ in stages]
    return space


def known(cell, name, expected, mistakes=(), **rules):
    """Add an exercise with these right results."""
    stored = [answers.stored(value) for value in expected]
    cell["ANSWERS"][name] = {"rules": rules, "expected": stored, "mistakes": list(mistakes)}


def said(cell, function, name="double", stages=None, **more):
    """What a failed check says; in at most ten lines."""
    function.__name__ = name
    with pytest.raises(AssertionError) as caught:
        cell["check"](function, *(stages or cell["stages"]), **more)
    assert len(str(caught.value).splitlines()) <= 10
    return str(caught.value)


def test_right_answer_is_told_so(cell, capsys):
    cell["check"](named(lambda x: x + x), *cell["stages"])
    assert capsys.readouterr().out == "double: all 2 stages are right.\n"


def named(function):
    function.__name__ = "double"
    return function


def test_known_mistake_is_named(cell):
    text = said(cell, lambda x: x**2)
    assert text.startswith("double, stage 1 of 2: first")
    assert "came back: array of numbers, shape (1, 3)\n      [[1. 4. 9.]]" in text
    assert "expected:  array of numbers, shape (1, 3)\n      [[2. 4. 6.]]" in text
    assert text.endswith("The mistake: You squared.")


def test_mistake_of_one_stage_is_named_with_care(cell):
    first = cell["stages"][0][1][0]
    text = said(cell, lambda x: x * x if x.shape == first.shape else x * 7)
    assert text.endswith("On this stage the numbers are those of this mistake: You squared.")


def test_a_mistake_that_would_have_failed_before_is_not_named(cell):
    first = cell["stages"][0][1][0]
    text = said(cell, lambda x: x + x if x.shape == first.shape else x * x)
    assert "stage 2 of 2" in text
    assert "mistake" not in text


def test_unknown_mistake_gets_no_name(cell):
    assert "mistake" not in said(cell, lambda x: x * 7)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: None, "did you forget to return"),
        (lambda x: (2 * x).T, "shape (3, 1)"),
        (lambda x: "2x", "came back: '2x'"),
        (lambda x: {"a": 1}, "came back: {'a': 1}"),
        (lambda x: [object()], "a list"),
        (lambda x: 2 * x + np.where(x == 1, np.nan, 0), "nan"),
        (lambda x: 2 * x > 3, "array of True/False, shape"),
        (lambda x: 1 / 0, "it raised ZeroDivisionError: division by zero"),
        (lambda x: np.asarray(2 * x, dtype=complex), "a ndarray"),
        (lambda x: np.exp, "a function"),
    ],
)
def test_wrong_form_is_said_in_words(cell, function, words):
    assert words in said(cell, function)


def answer(cell, code, name="double"):
    """A learner's cell with this code, run; its function."""
    run_cell(code, name, cell)
    return cell[name]


def test_place_is_the_line_of_the_learners_own_cell(cell):
    text = said(cell, answer(cell, "def double(x):\n    y = 2\n    return x.nothing\n"))
    assert "in line 3 of double:  return x.nothing" in text


def test_place_is_never_inside_numpy_or_the_recap(cell):
    run_cell("def turned(x):\n    return np.swapaxes(x, 5, 6)\n\nrecap('turned')", "recap", cell)
    text = said(cell, answer(cell, "def double(x):\n    return turned(x)\n"))
    assert "in line 2 of double:  return turned(x)" in text
    assert "swapaxes(x" not in text


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "Q @ K",
            "In `Q @ K` the last axis of Q (d_k = 4) meets the last axis but one of K (n_k = 3); "
            "the two have to be equal. d_k of Q should meet d_k of K.",
        ),
        (
            "np.matmul(Q, K)",
            "the last axis of Q (d_k = 4) meets the last axis but one of K (n_k = 3)",
        ),
        ("K.T @ Q", "the last axis of K.T (n_k = 3) meets the last axis but one of Q (n_q = 2)"),
        ("K[0] @ K", "the only axis of K[0] (4) meets the last axis but one of K (n_k = 3)"),
        ("Q + K", "Q has shape (2, 4) and K has shape (3, 4)"),
        ("(Q @ K.T) * K", "Q @ K.T has shape (2, 3) and K has shape (3, 4)"),
    ],
)
def test_shapes_that_do_not_fit_are_told_in_words(cell, line, words):
    known(cell, "scores", [np.zeros((2, 3))])
    doc = "Q: (n_q, d_k) queries.   K: (n_k, d_k) keys."
    function = answer(cell, f'def scores(Q, K):\n    """{doc}"""\n    return {line}\n', "scores")
    stages = [cell["stage"]("all", np.ones((2, 4)), np.ones((3, 4)))]
    assert words in said(cell, function, "scores", stages)


def test_shapes_are_told_without_calling_what_the_learner_wrote(cell):
    known(cell, "scores", [np.zeros(2)])
    code = "def f(x):\n    calls.append(1)\n    return x\n\ncalls = []\ndef scores(Q):\n    return f(Q) @ Q\n"
    said(cell, answer(cell, code, "scores"), "scores", [cell["stage"]("one", np.ones((2, 3)))])
    assert cell["calls"] == [1]


def test_function_is_found_by_what_it_is_not_by_its_name(cell, capsys):
    cell["double"] = lambda x: x + x
    cell["check"](cell["double"], *cell["stages"])
    assert "double: all 2 stages" in capsys.readouterr().out
    with pytest.raises(AssertionError, match="Do not rename the function"):
        cell["check"](lambda x: x + x, *cell["stages"])


def test_stub_that_another_function_calls_is_named(cell):
    known(cell, "half", [])

    def half(x):
        raise NotImplementedError

    assert said(cell, lambda x: half(x)).startswith("half, which your double calls, is not written")


def test_long_results_show_the_first_difference(cell):
    right = np.arange(40.0).reshape(5, 8)
    known(cell, "double", [right])
    cell["stages"] = [cell["stage"]("many", right / 2)]
    text = said(cell, lambda x: 2 * x + 1e-3 * (x == 5.5))
    assert "first difference, at [1, 3]: 11.001 instead of 11" in text


def test_almost_right_answer_gets_no_wrong_name(cell):
    """An answer slightly off is not a mistake that happens to be right on that stage."""
    table = cell["ANSWERS"]["double"]
    marks = [cell["_outcome"](done(cell, value), value) for value in revived(cell)]
    table["mistakes"] = [["Right at first.", [marks[0], ["n()", 0.0, 0.0]]]]
    assert "mistake" not in said(cell, lambda x: 2 * x + 3e-5)


def done(cell, value=None, error=None):
    """What a call did that returned or raised this."""
    return cell["_Done"](value, error, [], False, None)


def revived(cell, name="double"):
    return [cell["_revive"](stored) for stored in cell["ANSWERS"][name]["expected"]]


def test_unwritten_function_is_no_mistake(cell):
    def stub(x):
        raise NotImplementedError

    assert "double is not written yet" in said(cell, stub)


def test_changed_input_is_a_fault_even_when_the_result_is_right(cell):
    def in_place(x):
        x *= 2
        return x

    assert "the result is right, but the call changed its input x" in said(cell, in_place)


def test_object_that_equals_everything_does_not_pass(cell):
    class Always:
        def __eq__(self, other):
            return True

        def __array__(self, dtype=None, copy=None):
            return np.zeros(3)

    assert "came back" in said(cell, lambda x: Always())


@pytest.mark.parametrize(
    "give", [lambda x: (2 * x).tolist(), lambda x: np.float32(2) * x.astype(np.float32)]
)
def test_lists_and_single_precision_are_accepted(cell, give):
    cell["check"](named(give), *cell["stages"])


def test_refusal_wants_a_value_error(cell, capsys):
    def halve(n):
        if n % 2:
            raise ValueError("odd")
        return n // 2

    known(cell, "halve", [2, ValueError])
    stages = [cell["stage"]("even", 4), cell["refusal"]("odd", 3)]
    cell["check"](halve, *stages)
    assert "all 2 stages" in capsys.readouterr().out
    for wrong in (lambda n: n // 2, lambda n: n // 2 if n % 2 == 0 else 1 / 0):
        wrong.__name__ = "halve"
        with pytest.raises(AssertionError, match="expected:  it raises ValueError"):
            cell["check"](wrong, *stages)
        with pytest.raises(AssertionError, match=r"Odd numbers."):
            cell["hidden"](wrong, ValueError, "Odd numbers.", 3)
    cell["hidden"](halve, ValueError, "Odd numbers.", 3)


def test_hidden_tests_say_their_label_and_no_number(cell):
    secret = np.array([0.123456, 7.891011])
    for function in (lambda x: x, lambda x: 1 / 0, lambda x: x.resize(9)):
        with pytest.raises(AssertionError) as caught:
            cell["hidden"](function, lambda x: 2 * x, "Twice, please.", secret.copy())
        text = str(caught.value)
        assert text.startswith("Twice, please.")
        assert "123456" not in text
        assert "7.89" not in text
    cell["hidden"](lambda x: 2 * x, 2 * secret, "Twice, please.", secret)


def test_draws_follow_the_seed(cell):
    def numbers():
        return [rng.random() for rng in cell["draws"](3)]

    cell["SEED"] = 5
    first = numbers()
    assert numbers() == first
    cell["SEED"] = 6
    assert numbers() != first
    cell["SEED"] = None
    assert numbers() != numbers()


def test_sizes_are_pairwise_different(cell):
    for seed in range(200):
        found = cell["sizes"](np.random.default_rng(seed), 4, 2, 6)
        assert len(set(found)) == 4
        assert all(2 <= size <= 6 for size in found)


@pytest.mark.parametrize(
    "value",
    [
        np.array([[1.5, -2.0]]),
        np.array([True, False]),
        np.arange(3),
        (np.ones(2), 3.0),
        {"a": np.zeros((1, 2)), "b": "word"},
        [1.0, np.array([2.0])],
        True,
        2.5,
        np.zeros((0, 3)),
    ],
)
def test_stored_results_come_back(cell, value):
    back = cell["_revive"](json.loads(json.dumps(answers.stored(value))))
    assert cell["_alike"](back, value, {})


def test_fingerprints_tell_nan_and_kinds_of_errors_apart(cell):
    outcome, matches = cell["_outcome"], cell["_matches"]
    nan = outcome(done(cell, np.array([np.nan, 1.0])), np.zeros(2))
    assert matches(nan, outcome(done(cell, np.array([np.nan, 1.0])), np.zeros(2)))
    assert not matches(nan, outcome(done(cell, np.array([0.0, 1.0])), np.zeros(2)))
    one, other = (outcome(done(cell, error=e), 0.0) for e in (ValueError("a"), TypeError("a")))
    assert not matches(one, other)


def test_fingerprints_hold_no_word_that_a_learner_reads(cell):
    """A translated setup cell knows the mistakes that were stored by another."""
    values = [
        None,
        np.ones((2, 3)),
        np.array([True]),
        2.0,
        "x",
        [1, "y"],
        {"a": np.ones(2)},
        np.exp,
        object(),
    ]
    forms = " ".join(cell["_outcome"](done(cell, value), value)[0] for value in values)
    words = {word for text in cell["_WORDS"].values() for word in re.findall(r"[a-z]{5,}", text)}
    assert not words & set(re.findall(r"[a-z]{5,}", forms)) - {"function"}
    cell["_WORDS"].update({key: "§" + text for key, text in cell["_WORDS"].items()})
    assert "§  The mistake: You squared." in said(cell, lambda x: x**2)


# ---------------------------------------------------------------- names of mistakes
def marked(cell, *codes, name="double", stages=None):
    """The fingerprints of answers on the stages of the fixture."""
    stages = [(label, args, kwargs) for label, args, kwargs in (stages or cell["stages"])]
    right = revived(cell, name)
    return [answers.fingerprints(code, name, stages, right, cell) for code in codes]


def test_two_mistakes_with_the_same_numbers_are_both_told(cell):
    one, two = marked(cell, *["def double(x):\n    return x * 3"] * 2)
    cell["ANSWERS"]["double"]["mistakes"] = [["You tripled.", one], ["You added it twice.", two]]
    text = said(cell, lambda x: x + x + x)
    assert "This comes from one of: You tripled.\n  or: You added it twice." in text
    cell["ANSWERS"]["double"]["mistakes"].append(["You counted to three.", one])
    text = said(cell, lambda x: x + x + x)
    assert "Several mistakes give exactly this. Two of them: You tripled." in text
    assert "You counted" not in text


def test_an_exception_alone_is_no_proof_of_a_mistake(cell):
    [raising] = marked(cell, "def double(x):\n    raise TypeError('unlucky')")
    cell["ANSWERS"]["double"]["mistakes"] = [["You were unlucky.", raising]]

    def fails(x):
        raise TypeError("unlucky")

    assert "You were unlucky" not in said(cell, fails)
    partly = "def double(x):\n    if len(x) == 2:\n        raise TypeError\n    return 7 * x"
    cell["ANSWERS"]["double"]["mistakes"] = [["You took seven.", marked(cell, partly)[0]]]
    assert "The mistake: You took seven." in said(cell, answer(cell, partly))
    assert "You took seven" not in said(cell, fails)


def test_underscores_of_a_sentence_stay(cell):
    cell["ANSWERS"]["double"]["mistakes"][0][0] = "You took E[(q_m k_m)²], not E[q_m k_m]²."
    assert "You took E[(q_m k_m)²], not E[q_m k_m]²." in said(cell, lambda x: x**2)


def test_an_exercise_that_calls_another_wrong_one_is_told_so(cell, capsys):
    known(cell, "half", [0.5, 1.0])
    stages = [cell["stage"]("one", 1.0), cell["stage"]("two", 2.0)]
    answer(cell, "def half(x):\n    return x / 3\n", "half")
    code = "def through(x):\n    return half(4 * x)\n\ndef double(x):\n    return through(x)\n"
    double = answer(cell, code)
    assert "Your double calls your half, whose check has not been run" in said(cell, double)
    said(cell, cell["half"], "half", stages)
    assert "Your double calls your half, whose check has not passed" in said(cell, double)
    cell["check"](answer(cell, "def half(x):\n    return x / 2\n", "half"), *stages)
    cell["check"](answer(cell, code), *cell["stages"])
    assert "double: all 2 stages are right." in capsys.readouterr().out


# ---------------------------------------------------------------- how exact
@pytest.mark.parametrize(
    ("off", "rules", "passes"),
    [
        (lambda y: y * (1 + 1e-5), {}, False),
        (lambda y: y * (1 + 1e-9), {}, True),
        (lambda y: y + 1e-5, {}, False),
        (lambda y: (y * (1 + 1e-5)).astype(np.float32), {}, True),
        (lambda y: (y * (1 + 1e-5)).astype(np.float32), {"double": True}, False),
        (lambda y: (y * (1 + 1e-3)).astype(np.float32), {}, False),
        (lambda y: y + 1e-12, {}, True),
        (lambda y: y + 1e-12, {"zeros": True}, False),
        (lambda y: y + 1e-12 * (y > 0), {"zeros": True}, True),
        (lambda y: y + 1e-12, {"atol": 0}, False),
        (lambda y: y.tolist(), {}, True),
        (lambda y: np.round(y).astype(int), {}, False),
    ],
)
def test_tolerance_follows_the_precision_of_the_result_and_the_rules(cell, off, rules, passes):
    right = np.array([0.0, 3.0, 0.5])
    known(cell, "double", [right], **rules)
    stages, function = [cell["stage"]("one", right / 2)], named(lambda x: off(2 * x))
    if passes:
        cell["check"](function, *stages)
        cell["hidden"](function, right, "hidden", right / 2)
    else:
        said(cell, function, stages=stages)
        with pytest.raises(AssertionError, match="hidden"):
            cell["hidden"](function, right, "hidden", right / 2)


def test_whole_numbers_are_compared_exactly(cell):
    known(cell, "double", [200_000_000])
    stages = [cell["stage"]("one", 100_000_000)]
    assert "200000001" in said(cell, lambda x: 2 * x + 1, stages=stages)
    cell["check"](named(lambda x: 2.0 * x), *stages)


# ---------------------------------------------------------------- several right answers
def seen(pair, total):
    return {"the sum": float(sum(pair)), "how many": len(pair)}


def test_what_cannot_be_read_is_told_what_is_asked_of_it(cell):
    wanted = {"a sentence of some length about the first of them": True, "the second": True}
    known(cell, "double", [wanted])
    stages = [cell["stage"]("only", 2.0)]
    for give in (lambda x: None, lambda x: 1 / 0):
        text = said(
            cell, give, stages=stages, through=lambda pair, x: dict(zip(wanted, pair, strict=True))
        )
        assert "  what is asked of it:\n      " + "\n      ".join(wanted) in text


def test_results_are_read_through_a_property(cell, capsys):
    known(cell, "double", [{"the sum": 6.0, "how many": 2}])
    stages = [cell["stage"]("a pair with the sum 6", 6.0)]
    for pair in ([1, 5], (7, -1.0), np.array([3, 3])):
        cell["check"](named(lambda total, pair=pair: pair), *stages, through=seen)
    capsys.readouterr()
    text = said(cell, lambda total: [1, 4], stages=stages, through=seen)
    assert "the sum: came back: one number: 5\n  expected:  one number: 6" in text
    for junk in (None, 3, object()):
        text = said(cell, lambda total, junk=junk: junk, stages=stages, through=seen)
        assert "what you returned cannot be read: TypeError" in text
    expected = {"the sum": 2.0, "how many": 2}
    cell["hidden"](named(lambda total: [0, total]), expected, "Two.", 2.0, through=seen)
    for wrong in ([1, 2], None):
        with pytest.raises(AssertionError, match=r"Two\."):
            cell["hidden"](lambda total, wrong=wrong: wrong, expected, "Two.", 2.0, through=seen)


# ---------------------------------------------------------------- what a learner's function does next
def test_yours_waits_for_each_check_and_says_so_in_a_line(cell, capsys):
    def ask(*names):
        ran: list[int] = []
        cell["yours"](*names)(lambda: ran.append(1))
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == (not ran)
        return "ran" if ran else lines[0]

    assert ask("double") == "This cell runs on your double, and there is no double yet."
    answer(cell, "def double(x):\n    raise NotImplementedError\n")
    assert ask("double") == "This cell runs on your double, which is not written yet."
    answer(cell, "def double(x):\n    return 3 * x\n")
    assert ask("double") == "This cell runs on your double: run its check first."
    said(cell, cell["double"])
    assert ask("double") == "This cell runs on your double, whose check has not passed yet."
    cell["check"](answer(cell, "def double(x):\n    return 2 * x\n"), *cell["stages"])
    capsys.readouterr()
    assert ask("double") == "ran"
    answer(cell, "def double(x):\n    return 2 * x + 0\n")
    assert ask("double") == "This cell runs on your double: run its check first."
    assert ask("double", "half").startswith("This cell runs on your double")


def test_yours_that_stops_says_one_line_and_binds_nothing(cell, capsys):
    cell["check"](answer(cell, "def double(x):\n    return 2 * x\n"), *cell["stages"])
    capsys.readouterr()
    code = '@yours("double")\ndef next_step():\n    global left\n    left = inner = 1\n    plt.figure()\n    assert not inner, "a\\nb"\n'
    run_cell(code, "yours", cell)
    assert (
        capsys.readouterr().out
        == "This cell runs on your double, and stopped with AssertionError: a b\n"
    )
    assert not {"left", "inner"} & set(cell)
    assert not cell["plt"].get_fignums()


# ---------------------------------------------------------------- names that learners take
TAKEN = [
    "from numpy import abs, all, any, bool, max, min, pow, round, sum",
    "list = [1]\nlen = 4\ndict = str = int = float = tuple = zip = map = range = 0",
    "any = all = sum = max = min = abs = isinstance = type = print = sorted = 3",
    "check = None",
    "check = hidden = stage = refusal = yours = draws = sizes = show = heat_map = touch = None",
    "np = plt = 3",
    "CheckFailed = ANSWERS = TOUCH_SCRIPT = None",
    "extra = lambda: 1 / 0",
]


@pytest.mark.parametrize("taken", TAKEN)
@pytest.mark.parametrize("above", [True, False])
def test_no_name_that_a_learner_takes_breaks_a_check(cell, capsys, taken, above):
    right = "def double(x):\n    return x + x\n"
    run_cell(f"{taken}\n{right}" if above else f"{right}\n{taken}", "double", cell)
    shown = (
        "extra = [len(range(3)), max(list((1, 2)))]\n"
        'check(double, stage("first", np.array([[1.0, 2, 3]])), stage("second", np.array([[4.0], [5]])))'
    )
    cell["_check_cell"](compile(shown, "<check>", "exec"))
    assert "double: all 2 stages are right." in capsys.readouterr().out
    code = '@yours("double")\ndef f():\n    print(max([1, len("ab")]), np.ones(2).sum())\n'
    run_cell(ast.unparse(cell["_OWN"]["_CheckCells"]().visit(ast.parse(code))), "yours", cell)
    assert capsys.readouterr().out == "2 2.0\n"


def test_no_private_name_of_the_setup_cell_matters_after_it_ran(cell, capsys):
    kept = {"_check_cell", "__builtins__", "__name__"}
    for name in [n for n in cell if n.startswith("_") and n not in kept]:
        cell[name] = None
    run_cell("def double(x):\n    return x + x\n", "double", cell)
    shown = 'check(double, stage("first", np.array([[1.0, 2, 3]])), stage("second", np.array([[4.0], [5]])))'
    cell["_check_cell"](compile(shown, "<check>", "exec"))
    assert "double: all 2 stages are right." in capsys.readouterr().out


def test_a_check_binds_no_name_of_the_notebook(cell):
    answer(cell, "extra = 5\n\ndef double(x):\n    return x + x + extra * 0\n")
    shown = 'extra = 7\n_seen = 8\ncheck(double, stage("first", np.array([[1.0, 2, 3]])), stage("second", np.array([[4.0], [5]])))'
    cell["_check_cell"](compile(shown, "<check>", "exec"))
    assert cell["extra"] == 5
    assert "_seen" not in cell


def test_the_recap_is_out_of_reach_too(cell):
    run_cell(
        "def halved(x):\n    return [v / 2 for v in list(x)]\n\nrecap('halved')", "recap", cell
    )
    run_cell("list = [1]\nhalved_by_me = halved\nhalved = None\n", "mine", cell)
    assert cell["halved_by_me"]([2.0]) == [1.0]
    cell["_check_cell"](compile("assert halved([4.0]) == [2.0]", "<check>", "exec"))


def test_jupyter_runs_check_cells_apart_and_no_other(cell):
    steps = cell["_OWN"]["_CheckCells"]()
    for code, is_check in [
        ("check(double, stage('a', 1))", True),
        ("x = 1\ncheck(double)", True),
        ("check(other, 1)", False),
        ("check = 3", False),
        ("print(check)", False),
    ]:
        tree = steps.visit(ast.parse(code))
        assert (ast.unparse(tree) == "_check_cell()") == is_check, code


def test_setup_runs_with_numpy_and_matplotlib_alone(tmp_path):
    """No IPython, no course package: the widgets then show nothing and the checks work."""
    script = tmp_path / "cell.py"
    blocked = "import sys; sys.modules['IPython'] = None; sys.modules['autograde'] = None\n"
    use = (
        "\nshow(plt.figure(), alt='x')\ntouch('t', 'T?', [('a', 'A', 0, 1, 1, 0)], {}, '', alt='nothing')"
        "\nassert 'IPython.display' not in sys.modules\nprint('fine')"
    )
    script.write_text(blocked + SETUP + use, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", str(script)],
        capture_output=True,
        text=True,
        env={"MPLBACKEND": "agg"},
        check=False,
    )
    assert done.stdout == "fine\n", done.stderr


def shown_by(cell, monkeypatch, *, words, draw="pen.say('says', {n: v.angle}); pen.dot(1, 2);"):
    shown: list[dict[str, str]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_: shown.append(data))
    sliders = [("angle", "the angle", -9, 9, 1, -3)]
    cell["touch"](
        "turn-it", "Turn <it>?", sliders, {"z": ["</script>"]}, draw, alt="alt & text", words=words
    )
    return shown[0]


def test_touch_writes_labelled_controls(cell, monkeypatch):
    bundle = shown_by(cell, monkeypatch, words={"says": "the angle is {n}"})
    page = bundle["text/html"]
    assert '<label for="touch-turn-it-angle">the angle</label>' in page
    assert 'value="-3"' in page
    assert "Turn &lt;it&gt;?" in page
    assert 'aria-label="alt &amp; text"' in page
    assert "function run(" in page
    assert page.count("</script>") == 1
    assert page.index("touch-says") < page.index("<svg"), "the read-out stands above the drawing"
    assert bundle["text/plain"] == "Figure: alt & text"


def test_the_build_draws_the_first_picture(cell, monkeypatch):
    page = draw_first(shown_by(cell, monkeypatch, words={"says": "at {n}°"})["text/html"], "here")
    assert ">at −3°</p>" in page
    assert '<circle cx="1" cy="2" r="4"' in page
    assert ">−3</output>" in page


@pytest.mark.parametrize(
    ("words", "draw", "told"),
    [
        ({}, "pen.say('says', {}); pen.dot(1, 2);", "no sentence called says"),
        ({"says": "at {n}"}, "pen.say('says', {}); pen.dot(1, 2);", "wants a value for n"),
        ({"says": "at"}, "pen.say('says');", "draws nothing"),
        ({"says": "at"}, "pen.dot(1, 2);", "says nothing"),
        ({"says": "at"}, "pen.dott(1, 2);", "not a function"),
        ({"says": "at"}, "while (true) {}", "stops"),
    ],
)
def test_a_drawing_that_fails_is_refused(cell, monkeypatch, words, draw, told):
    page = shown_by(cell, monkeypatch, words=words, draw=draw)["text/html"]
    with pytest.raises(CourseError, match=told):
        draw_first(page, "here")


def test_figures_carry_their_alternative_text(cell, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **more: shown.append((data, more)))
    plt = cell["plt"]
    fig = plt.figure()
    cell["show"](fig, alt="what it shows")
    data, more = shown[0]
    assert set(data) == {"image/png", "image/svg+xml", "text/plain"}
    assert more["metadata"]["image/png"]["alt"] == "what it shows"
    assert not plt.fignum_exists(fig.number)
    cell["show"](plt.figure(), alt="dense", pixels=True)
    assert "image/svg+xml" not in shown[1][0]


def test_setup_cell_takes_few_names_from_learners(cell):
    extra = reserved() | {"stages"}
    assert [n for n in cell if not n.startswith("_") and n not in extra] == []
    assert len(extra) < 20


@pytest.mark.parametrize("diverging", [False, True])
def test_numbers_of_a_heat_map_have_a_contrast_of_six(cell, diverging):
    plt = cell["plt"]
    fig, ax = plt.subplots()
    matrix = np.linspace(-1, 1, 121).reshape(11, 11)
    image = cell["heat_map"](ax, matrix, digits=2, diverging=diverging)
    assert len(ax.texts) == 121
    for text in ax.texts:
        j, i = text.get_position()
        ground = relative_luminance(image.cmap(image.norm(matrix[int(i), int(j)]))[:3])
        ink = {"black": 0.0, "white": 1.0}[text.get_color()]
        light, dark = max(ground, ink) + 0.05, min(ground, ink) + 0.05
        assert light / dark >= 6
        assert "-" not in text.get_text()
    assert ax.texts[0].get_text() == "−1.00"
    plt.close(fig)


def relative_luminance(colour):
    """WCAG 2.2, "relative luminance"."""
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
