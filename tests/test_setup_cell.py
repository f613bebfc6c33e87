"""The checks as a learner meets them: what each message says."""

from __future__ import annotations

import builtins
import json
import subprocess
import sys

import numpy as np
import pytest

from autograde.build import expected as answers
from autograde.build.release import RESERVED, setup_source

SETUP = setup_source(touch="yes")


@pytest.fixture
def cell():
    space = answers.namespace(SETUP, "")
    right = [np.array([[2.0, 4.0, 6.0]]), np.array([[8.0], [10.0]])]
    stages: list[answers.Stage] = [
        ("first", (right[0] / 2,), {}),
        ("second", (right[1] / 2,), {}),
    ]
    code = "def double(x):\n    return x * x\n"
    marks = answers.fingerprints(code, "double", stages, right, space)
    space["ANSWERS"] = {
        "double": {
            "expected": [answers.stored(value) for value in right],
            "mistakes": [["You squared.", json.loads(json.dumps(marks))]],
        }
    }
    space["stages"] = [space["stage"](label, *args) for label, args, _ in stages]
    return space


def said(cell, function):
    function.__name__ = "double"
    with pytest.raises(AssertionError) as caught:
        cell["check"](function, *cell["stages"])
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
    assert text.endswith("On this stage it looks like this mistake: You squared.")


def test_unknown_mistake_gets_no_name(cell):
    assert "mistake" not in said(cell, lambda x: x * 7)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: None, "did you forget to return"),
        (lambda x: (2 * x).T, "shape (3, 1)"),
        (lambda x: "2x", "came back: '2x'"),
        (lambda x: {"a": 1}, "a dict"),
        (lambda x: [object()], "a list"),
        (lambda x: 2 * x + np.where(x == 1, np.nan, 0), "nan"),
        (lambda x: 2 * x > 3, "array of True/Falses"),
        (lambda x: 1 / 0, "it raised ZeroDivisionError: division by zero"),
        (lambda x: np.asarray(2 * x, dtype=complex), "a ndarray"),
    ],
)
def test_wrong_form_is_said_in_words(cell, function, words):
    assert words in said(cell, function)


def test_place_of_an_error_is_shown(cell):
    def fails(x):
        return x.nothing

    assert "in line " in said(cell, fails)
    assert "return x.nothing" in said(cell, fails)


def test_place_is_never_inside_numpy(cell):
    def fails(x):
        return np.swapaxes(x, 5, 6)

    assert "of fails:  return np.swapaxes(x, 5, 6)" in said(cell, fails)


def test_function_is_found_by_what_it_is_not_by_its_name(cell, capsys):
    cell["double"] = lambda x: x + x
    cell["check"](cell["double"], *cell["stages"])
    assert "double: all 2 stages" in capsys.readouterr().out
    with pytest.raises(AssertionError, match="Do not rename the function"):
        cell["check"](lambda x: x + x, *cell["stages"])


def test_stub_that_another_function_calls_is_named(cell):
    cell["ANSWERS"]["half"] = {"expected": [], "mistakes": []}

    def half(x):
        raise NotImplementedError

    assert said(cell, lambda x: half(x)).startswith("half, which your double calls, is not written")


def test_long_results_show_the_first_difference(cell):
    right = np.arange(40.0).reshape(5, 8)
    cell["ANSWERS"]["double"]["expected"] = [answers.stored(right)]
    cell["ANSWERS"]["double"]["mistakes"] = []
    cell["stages"] = [cell["stage"]("many", right / 2)]
    text = said(cell, lambda x: 2 * x + 1e-3 * (x == 5.5))
    assert "first difference, at [1, 3]: 11.001 instead of 11" in text


def test_almost_right_answer_gets_no_wrong_name(cell):
    """An answer slightly off is not a mistake that happens to be right on that stage."""
    table = cell["ANSWERS"]["double"]
    marks = [
        cell["_outcome"](cell["_revive"](e), None, [], cell["_revive"](e))
        for e in table["expected"]
    ]
    table["mistakes"] = [["Right at first.", [marks[0], ["one number", 0.0, 0.0]]]]
    assert "mistake" not in said(cell, lambda x: 2 * x + 3e-5)


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

    cell["ANSWERS"]["halve"] = {"expected": [2, {"raises": "ValueError"}], "mistakes": []}
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
    assert cell["_alike"](back, value)


def test_a_name_is_found_for_nan_and_for_errors(cell):
    outcome, matches = cell["_outcome"], cell["_matches"]
    nan = outcome(np.array([np.nan, 1.0]), None, [], np.zeros(2))
    assert matches(nan, outcome(np.array([np.nan, 1.0]), None, [], np.zeros(2)))
    assert not matches(nan, outcome(np.array([0.0, 1.0]), None, [], np.zeros(2)))
    assert not matches(
        outcome(None, ValueError("a"), [], 0.0), outcome(None, TypeError("a"), [], 0.0)
    )


def test_setup_runs_with_numpy_and_matplotlib_alone(tmp_path):
    """No IPython, no course package: the widgets then show nothing and the checks work."""
    script = tmp_path / "cell.py"
    blocked = "import sys; sys.modules['IPython'] = None; sys.modules['autograde'] = None\n"
    use = (
        "\nshow(plt.figure(), alt='x')\ntouch('t', [('a', 'A', 0, 1, 1, 0)], {}, '', 'nothing')"
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


def test_touch_writes_labelled_controls(cell, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_: shown.append(data))
    cell["touch"](
        "Turn <it>", [("angle", "the angle", 0, 9, 1, 3)], {"z": [1]}, "pen.say('x')", "alt & text"
    )
    page = shown[0]["text/html"]
    assert '<label for="touch-turn-it-angle">the angle</label>' in page
    assert 'value="3"' in page
    assert "Turn &lt;it&gt;" in page
    assert 'aria-label="alt &amp; text"' in page
    assert "function run(" in page
    assert shown[0]["text/plain"] == "Turn <it>: alt & text"


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


def test_check_uses_no_name_that_learners_often_overwrite(cell):
    """A learner's own `sum`, `max` or `list` in the notebook does not break the checks."""
    kept = RESERVED | {"TOUCH_SCRIPT", "stages"}
    for name in [n for n in cell if not n.startswith("_") and n not in kept]:
        raise AssertionError(f"the setup cell takes the name {name!r} from learners")
    for name in ("words", "re", "json", "call", "read", "html"):
        cell[name] = 3
    cell["check"](named(lambda x: 2 * x), *cell["stages"])
    assert builtins.sum([1, 2]) == 3
