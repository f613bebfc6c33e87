"""What counts as an answer: what was right when its check ran keeps its points, and nothing else earns one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autograde.grade.exam import Cell, Exam, Question, fingerprint, paper_of
from autograde.grade.judge import judge_paper
from autograde.verdict import Outcome, QuestionVerdict
from tests.graded import SETUP, ask, graded_cells, opened, small_exam

MEAN = small_exam(
    "mean",
    "def mean(x):\n    return np.where(x.sum() == 0, 0.0, x / np.where(x == 0, 1.0, x.sum()))",
    "expect(np.allclose(mean(np.array([1.0, 3.0])), [0.25, 0.75]), 'shares')\n"
    "expect(np.allclose(mean(np.zeros(2)), 0), 'of nothing')",
    "expect(np.allclose(mean(np.array([2.0, 2.0])), [0.5, 0.5]), 'halves')",
)
RIGHT = "def share(x):\n    return np.swapaxes(x[None] / x.sum(), 0, 1)[:, 0]\ndef mean(x):\n    return np.where(x.sum() == 0, 0.0, share(x))"
WRONG = "def mean(x):\n    return x"


def solution(source: str, name: str = "mean") -> Cell:
    return Cell(name, source, "solution")


def own(source: str, number: int = 9) -> Cell:
    return Cell(f"cell {number}", source, "extra")


# ------------------------------------------------------------------------ later cells
@pytest.mark.parametrize(
    "later",
    [
        "del mean",
        "del np",
        "del share, np",
        "globals().clear()",
        "np.swapaxes = None",
        "import numpy\nnumpy.where = numpy.swapaxes = None",
        "import warnings\nwarnings.simplefilter('error')",
        "np.seterr(all='raise')",
        "mean = 3",
        "share = None",
        "def share(x):\n    return x",
        "from math import *\nsum = 4",
        "raise SystemExit",
        "mean(",
    ],
)
def test_what_was_right_keeps_its_points_whatever_later_cells_do(later):
    assert graded_cells(MEAN, solution(RIGHT), own(later)).state is Outcome.RIGHT
    assert graded_cells(MEAN, solution(WRONG), own(later)).score == 0


def test_a_list_that_a_later_cell_empties():
    right = "parts = [1.0]\ndef mean(x):\n    return np.where(x.sum() == 0, 0.0, parts[0] * x / x.sum())"
    for later in ("parts.clear()", "parts[0] = 7"):
        assert graded_cells(MEAN, solution(right), own(later)).state is Outcome.RIGHT


@pytest.mark.parametrize(
    "earlier",
    [
        "np.seterr(all='raise')",
        "import warnings\nwarnings.simplefilter('error')",
        "import warnings, numpy\nnumpy.seterr(all='warn')\nwarnings.filterwarnings('error')",
    ],
)
def test_a_warning_is_no_mistake(earlier):
    assert ask(MEAN, RIGHT, before=(own(earlier, 1),)).state is Outcome.RIGHT


@pytest.mark.parametrize(
    "rows",
    [
        "from collections import deque\ndef mean(x):\n    return deque(map(float, {0}))",
        "from array import array\ndef mean(x):\n    return array('d', {0})",
        "def mean(x):\n    return tuple({0})",
    ],
)
def test_rows_may_be_of_any_kind_that_numpy_reads(rows):
    source = rows.format("x / x.sum() if x.sum() else 0 * x")
    assert ask(MEAN, source).state is Outcome.RIGHT


@pytest.mark.slow
def test_five_thousand_own_cells():
    cells = [own(f"n{number} = {number}", number) for number in range(5000)]
    source = RIGHT.replace("share(x)", "share(x) + 0 * n4999")
    assert ask(MEAN, source, before=tuple(cells)).state is Outcome.RIGHT
    assert ask(MEAN, WRONG, before=tuple(cells)).score == 0


def test_a_cell_magic_above_an_answer():
    for magic in ("%%time", "%%capture out", "%%timeit -n 1", "%%prun"):
        assert ask(MEAN, f"{magic}\n{RIGHT}").state is Outcome.RIGHT, magic
    helper = own("%%writefile helper.py\ndef total(x):\n    return x.sum()", 1)
    source = "from helper import total\n" + RIGHT.replace("x.sum()", "total(x)")
    assert ask(MEAN, source, before=(helper,)).state is Outcome.RIGHT


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0c", "\x0b", "\x1c", "\x1e"])
def test_odd_separators_in_comments_and_texts(mark):
    source = f"# from{mark}a PDF\n{RIGHT}\nword = 'a{mark}b'"
    assert ask(MEAN, source).state is Outcome.RIGHT


# ------------------------------------------------------------------------ names
@pytest.mark.parametrize(
    "taken",
    [
        "list = [1, 2]\nlen = 4\nfloat = int = dict = str = type = isinstance = None",
        "from numpy import *",
        "def extra(x):\n    return 'mine'\nexpect = check = hidden = stage = draws = extra",
        "np = None\nimport numpy as np\nCheckFailed = AssertionError = Exception = None",
        "print = sum = min = max = map = zip = range = callable = None",
        "SEED = 1\n__name__ = 'other'\n__file__ = __doc__ = None",
    ],
)
def test_names_that_a_learner_takes_disturb_nobody(taken):
    setup = SETUP + "def extra(x):\n    return float(x)\n"
    exam = small_exam(
        "mean", MEAN.references["mean"], *2 * ["expect(extra(len(list(mean(np.ones(2))))) == 2, 'two')"],
        setup=setup,
    )  # fmt: skip
    assert ask(exam, RIGHT, before=(own(taken, 1),)).state is Outcome.RIGHT
    assert ask(exam, "def mean(x):\n    return [1]", before=(own(taken, 1),)).message == "two"
    assert graded_cells(exam, solution(RIGHT), own(taken)).state is Outcome.RIGHT


# ------------------------------------------------------------------------ earlier exercises
SPLIT = "def split(x):\n    return [x[:1], x[1:]]"
HEADS = "def heads(x):\n    return sum(2 * part.sum() for part in split(x))"
CLASS = Exam(
    "99_small",
    (SETUP,),
    (
        Question("test_split", "split", 1.0, "expect(len(split(np.ones(3))[1]) == 2, 'split')", ""),
        Question(
            "test_heads",
            "heads",
            3.0,
            "expect(heads(np.ones(3)) == 6, 'heads')",
            "expect(heads(np.arange(765.0)) == 584460, 'many heads')",
        ),
    ),
    {name: f"def {name}(x):\n    raise NotImplementedError" for name in ("split", "heads")},
    {"split": SPLIT, "heads": HEADS},
    (),
    fingerprint("a class"),
)


def judged(*cells: Cell, exam: Exam = CLASS) -> list[QuestionVerdict]:
    with opened(exam) as state:
        return list(judge_paper(state.trusted, paper_of(list(cells)), state.sandbox))


def scores(split: str, heads: str, *more: Cell) -> list[float | None]:
    return [v.score for v in judged(solution(split, "split"), *more, solution(heads, "heads"))]


@pytest.mark.parametrize(
    "split",
    [
        "def split(x):\n    return [x, x[:0], x]",
        CLASS.stubs["split"],
        "def split(x):\n    return 1 / 0",
        "def split(x)\n    return",
        "def split(x):\n    import os; os._exit(1)",
        "spilt = 1",
    ],
)
def test_an_answer_that_calls_a_wrong_one_counts_given_a_right_one(split):
    first, second = judged(solution(split, "split"), solution(HEADS, "heads"))
    assert (first.score, second.score, second.state) == (0, 3, Outcome.RIGHT)
    assert second.message == "Right, given a right split."
    assert scores(split, "def heads(x):\n    return len(split(x))") == [0, 0]
    helper = own("def half(x):\n    return split(x)[0], split(x)[1]", 1)
    through = HEADS.replace("split(x)", "half(x)")
    assert scores(split, through, helper) == [0, 3]


def test_an_answer_of_its_own_says_nothing_of_others():
    alone = "def heads(x):\n    return 2 * x.sum()"
    first, second = judged(solution("split = 3", "split"), solution(alone, "heads"))
    assert (first.score, second.score, second.message) == (0, 3, "All tests passed.")


SEARCH = """\
def heads(x):
    import gc, inspect, linecache, sys
    found = [v for v in globals().values() if callable(v) and getattr(v, "__name__", "") == "heads"]
    found += [o for o in gc.get_objects() if getattr(o, "__name__", "") == "heads"]
    for lines in linecache.cache.values():
        text = "".join(lines[2] if len(lines) > 2 else [])
        if "2 * part.sum()" in text and "gc.get_objects" not in text:
            space = dict(globals())
            exec(text, space)
            return space["heads"](x)
    for f in found:
        if f is not heads:
            return f(x)
    return split(x)
"""


@pytest.mark.parametrize(
    "heads",
    [
        SEARCH,
        "def heads(x):\n    return split(x)",
        "def heads(x):\n    import os\n    os.write(3, b'x' * 64)\n    return split(x)",
        "class Same:\n    def __eq__(self, other):\n        return True\ndef heads(x):\n    split\n    return Same()",
        "def heads(x):\n    global expect\n    expect = split\n    return None",
    ],
)
def test_no_cheat_earns_through_the_reference_of_another(heads):
    assert scores("def split(x):\n    return None", heads) == [0, 0]


def test_only_earlier_exercises_are_replaced():
    peeks = "def split(x):\n    return [x[:1], x[1:]] if heads(np.ones(3)) == 6 else None"
    assert scores(peeks, "def heads(x):\n    return 0") == [0, 0]


def test_a_wrong_answer_given_a_right_one_is_wrong_in_its_hidden_part_too():
    visible_only = "def heads(x):\n    return 6 if len(split(x)[1]) == 2 else 0"
    first, second = judged(solution("split = 3", "split"), solution(visible_only, "heads"))
    assert (first.score, second.score) == (0, 0)
    assert "given" not in second.message


# ------------------------------------------------------------------------ one answer beside another
@pytest.mark.parametrize(
    "line",
    [
        "os.fork()",
        "os.fork() or os.fork()",
        "os.fork() or time.sleep(0.05)",
        "threading.Thread(target=lambda: time.sleep(9), daemon=True).start()",
        "[os.fork() for _ in range(3)]",
    ],
)
def test_a_fork_in_one_answer_costs_no_other_a_point(line):
    forking = f"import os, threading, time\ndef split(x):\n    {line}\n    return [x[:1], x[1:]]"
    alone = "def heads(x):\n    return 2 * x.sum()"
    for _ in range(3):
        assert scores(forking, alone) == [1, 3]


def test_memory_that_one_answer_keeps_costs_no_other_a_point():
    keeps = (
        "kept = []\ndef split(x):\n    kept.append(bytearray(400 << 20))\n    return [x[:1], x[1:]]"
    )
    needs = "def heads(x):\n    return 2 * x.sum() + 0 * len(bytearray(400 << 20))"
    assert scores(keeps, needs) == [1, 3]


def test_more_than_one_earlier_exercise_is_named():
    both = replace(
        CLASS,
        questions=(
            CLASS.questions[0],
            Question("test_join", "join", 1.0, "expect(join([1, 2]) == 3, 'join')", ""),
            CLASS.questions[1],
        ),
        references={"split": SPLIT, "join": "def join(x):\n    return sum(x)", "heads": HEADS},
        stubs={**CLASS.stubs, "join": "def join(x):\n    raise NotImplementedError"},
    )
    heads = "def heads(x):\n    return join([2 * part.sum() for part in split(x)])"
    cells = [solution("split = 0", "split"), solution("join = 0", "join"), solution(heads, "heads")]
    assert judged(*cells, exam=both)[2].message == "Right, given a right split and a right join."
