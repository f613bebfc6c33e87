"""The rules themselves: each finds its fault in a small chapter of the second edition, and none where there is none."""

from __future__ import annotations

import ast

import nbformat
import pytest

from autograde.build.announce import words
from autograde.build.release import build
from autograde.build.source import read_all
from autograde.mistakes import Right, Wrong, load
from tests import answers, edition, form, mutants, universal
from tests.above import answers_above, compare
from tests.symbols import symbol_faults


@pytest.fixture(scope="module")
def layout(tmp_path_factory):
    layout = edition.make(tmp_path_factory.mktemp("edition"))
    assert build(layout=layout) == [edition.NAME]
    return layout


def faults(layout, name=edition.NAME):
    chapter = form.Chapter(name, layout)
    return [f"{rule.__name__}: {fault}" for rule in form.RULES for fault in rule(chapter)]


def test_the_small_chapter_has_no_fault(layout):
    assert faults(layout) == []
    assert answers_above(edition.NAME, read_all(layout), layout) == []


PLANTED = {
    "a number twice": ("\\tag{1.1}", "\\tag{1.1} \\tag{1.2}", "one number an equation"),
    "a number left out": ("\\tag{1.1}", "\\tag{1.3}", "not numbered in order"),
    "nobody asserts": ("# (1.1) one", "# one", "no cell asserts (1.1)"),
    "an equation that is not": ("equation (1.1)", "equation (1.7)", "no equation (1.7)"),
    "an equation in a line": ("Halves. Section", "$$x$$ Section", "not on lines of its own"),
    "words": ("Halves. Section", "Halves. " + "word " * 2600 + "Section", "words; at most"),
    "lines": ("# a variable", ":tags: []\n" + "x = 1\n" * 400 + "# (1.1) a variable", "visible lines"),
    "kinds": (":kind: design", ":kind: build", "at least 3"),
    "no hint": ("<summary>Hint 2: the shape of the code</summary>\n\nDivide", "<summary>D</summary>\n\nD", "hints; two"),
    "out of order": ("## Check yourself", "## Three things people get wrong here", "there is no '## Check"),
    "a section without a number": ("## 1.4 See", "## See", "has no number"),
    "just": ("Halves. Section", "It is just half. Section", "the word 'just'"),
    "two lines": ("Halves. Section", "Halves,\nand more. Section", "a paragraph of two lines"),
    "http": ("https://numpy.org/doc/stable/", "http://numpy.org", "not an https address"),
    "a doi": ("https://numpy.org/doc/stable/", "https://doi.org/numpy", "not a DOI"),
    "arXiv": ("https://numpy.org/doc/stable/", "https://arxiv.org/pdf/1706.03762", "not an arXiv page"),
    "nowhere": ("[NumPy](https://numpy.org/doc/stable/)", "[NumPy](https://numpy.org) [x](../guide/x.md)", "nowhere"),
    "no address": ("[NumPy](https://numpy.org/doc/stable/)", "NumPy, a library", "no address"),
    "not a question": ("How large is the half?", "The half", "does not ask a question"),
    "one alternative text": (
        "Heat map of halves, two rows: 3, 5, 1 and 0, 2, 4; the negative number has become 0.",
        "A straight line from 0 through the point 2, 1 to the point 6, 3: the half of a number against it.",
        "one alternative text",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", PLANTED)
def test_each_rule_finds_its_fault(tmp_path, layout, fault):
    old, new, told = PLANTED[fault]
    assert edition.BODY.count(old) >= 1
    planted = edition.make(tmp_path)
    edition.write(planted, body=edition.BODY.replace(old, new, 1))
    planted.chapters.mkdir()
    is_output = fault in ("not a question", "one alternative text", "lines")
    if is_output:
        build(layout=planted)
    else:  # what was built before will do
        for name in ("solution", "chapter"):
            getattr(planted, name)(edition.NAME).write_bytes(
                getattr(layout, name)(edition.NAME).read_bytes()
            )
    found = faults(planted)
    assert any(told in one for one in found), found


def test_built_form_is_compared_with_the_source(tmp_path, layout):
    other = edition.make(tmp_path)
    for name in ("solution", "chapter"):
        path = getattr(other, name)(edition.NAME)
        path.parent.mkdir(exist_ok=True)
        notebook = nbformat.read(getattr(layout, name)(edition.NAME), as_version=4)
        for cell in notebook.cells:
            cell.source = cell.source.replace("35 minutes", "70 minutes").replace("●●○", "●○○")
            cell.metadata.pop("cellView", None)
        nbformat.write(notebook, path)
    told = "\n".join(faults(other))
    assert "the rule gives another number" in told
    assert "does not say '`pair_with_mean`** · design · ●●○ · 12 minutes · 3 point'" in told
    assert "tags ['evidence'], folded: True" in told


def test_words_are_counted_as_the_rule_says():
    text = "Two words, $x = 3$ and [a link](https://example.org/a b).\n\n$$\nx + y \\tag{1.1}\n$$\n\n<details>x</details>"
    assert words(text) == 7


# ---------------------------------------------------------------- answers above
SCORES = "def scores(Q, K):\n    return Q @ K.swapaxes(-1, -2)\n"
NORMALISED = """
def softmax(x, axis=-1):
    shifted = np.exp(x - x.max(axis=axis, keepdims=True))
    return shifted / shifted.sum(axis=axis, keepdims=True)
"""


@pytest.mark.parametrize(
    ("solution", "above"),
    [
        (SCORES, "S = Q @ K.T"),
        (SCORES, "print((verbs @ nouns.T).shape)"),
        (SCORES, "np.matmul(X, np.swapaxes(X, -1, -2))"),
        ("def s(Q, K):\n    return np.sqrt(Q @ K.T)", "np.dot(a, np.transpose(b)) ** 0.5"),
        (NORMALISED, "e = np.exp(row - np.max(row, axis=1, keepdims=True))\np = e / np.sum(e, axis=1, keepdims=True)".replace("axis=1", "axis=k")),
        ("def causal(n):\n    return np.tri(n, dtype=bool)", "mask = np.tri(5, dtype=bool)"),
        ("def f(A, V):\n    return A @ V", "O = A @ V"),
        ("def f(n):\n    return np.arange(n)[:, None] >= np.arange(n)", "np.arange(5)[:, None] >= np.arange(5)"),
        ("def f(x):\n    t = 0\n    for i in range(len(x)):\n        t += x[i] * x[i - 1]\n    return t", "s = 0\nfor m in range(len(q)):\n    s += q[m] * q[m - 1]"),
    ],
)  # fmt: skip
def test_an_answer_is_found_up_to_names_and_spelling(solution, above):
    assert compare("f", solution, "a cell", above)


@pytest.mark.parametrize(
    ("solution", "above"),
    [
        (SCORES, "S = Q @ K"),
        (
            SCORES,
            "S = np.array([[sum(Q[i, m] * K[j, m] for m in range(3)) for j in range(4)] for i in range(2)])",
        ),
        (SCORES, "assert 2.0 * 1.5 + 0.5 * 3 == 4.5"),
        (NORMALISED, "weights = e / e.sum()"),
        ("def f(A, V):\n    return A @ V", "Q = X @ W_Q"),
        ("def f(x):\n    y = np.exp(x)\n    return np.log(1 + y) / y.sum() * 2", "np.exp(x)"),
        ("def f(x):\n    return np.where(x > 0, x / 2, 0)", "x / 2"),
    ],
)
def test_what_is_trivial_or_another_form_is_no_answer(solution, above):
    assert not compare("f", solution, "a cell", above)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("cell 2", "# (1.1) one mean by hand\nprint(np.where(x > 0, x / 2, 0.0))"),
        ("cell 2", "# (1.1) one mean by hand\nprint(np.maximum(x, 0) / 2)"),
    ],
)
def test_an_answer_in_a_cell_above_is_found_in_a_chapter(tmp_path, place, text):
    layout = edition.make(tmp_path)
    edition.write(layout, body=edition.BODY.replace("# (1.1) one mean by hand", text))
    [found] = answers_above(edition.NAME, read_all(layout), layout)
    assert found.exercise == "halves"
    assert place in found.place
    body = edition.BODY.replace(
        "Halve every number", "Say `np.where(X > 0, X / 2, 0.0)`. Halve every number"
    )
    edition.write(layout, body=body)
    assert "the text of" in str(answers_above(edition.NAME, read_all(layout), layout)[0])


# ---------------------------------------------------------------- symbols
@pytest.mark.parametrize(
    "formula",
    [r"\ln n", r"\mathbf{P}", "p_j", "w_j v_j", "M = W_Q W_K", "h(a)", "h_i", r"\alpha_{ij}", r"\vec q"],
)  # fmt: skip
def test_a_symbol_in_another_meaning_is_found(formula):
    assert list(symbol_faults(f"text ${formula}$ text"))
    assert list(symbol_faults(f"$$\n{formula}\n$$"))
    assert not list(symbol_faults(f"`{formula}` and {formula}"))


@pytest.mark.parametrize(
    "formula", [r"\log n", "A_{ij}", "a_j v_j", "W_Q W_K", r"h\,d_k", "PX", "P_{ij}", "d_h"]
)
def test_symbols_of_the_notation_page_pass(formula):
    if formula == "P_{ij}":
        assert list(symbol_faults(f"${formula}$")), (
            "entries of a permutation are rare; those of weights are not"
        )
    else:
        assert not list(symbol_faults(f"text ${formula}$ text"))


# ---------------------------------------------------------------- universal wrong answers
def test_hidden_tests_of_the_small_chapter_reject_every_fault(layout):
    this, source = answers.chapter(edition.NAME, layout.root), read_all(layout)[edition.NAME]
    tried = []
    for exercise in source.solutions:
        ref = universal.reference(this, exercise, source)
        cell = universal.hidden_part(this.whole[exercise], exercise)
        for fault, faulty in universal.faults(ref):
            code = f"def {exercise}(*args, **kwargs):\n    return faulty(*args, **kwargs)\n"
            assert this.run(exercise, code, whole=True, more={"faulty": faulty}, cell=cell), fault
            tried.append(fault)
        narrow = f"def {exercise}(*args, **kwargs):\n    return right(*args, **kwargs)\n"
        assert this.run(exercise, narrow, whole=True, more={"right": universal.narrow(ref)}) is None
    assert len(tried) == 11
    assert len(set(tried)) == 10


@pytest.mark.parametrize(
    ("old", "fault"),
    [
        ("_rng.normal(size=(_first, _second, _rows, _columns))", "a second leading axis"),
        ("size=(_rows, _columns)", "a cache"),
        (":zeros: exact\n", ""),
    ],
)
def test_a_hidden_test_that_is_too_weak_is_noticed(tmp_path, layout, old, fault):
    """The same faults are accepted once the test that rejects them is gone."""
    this, source = answers.chapter(edition.NAME, layout.root), read_all(layout)[edition.NAME]
    ref = universal.reference(this, "halves", source)
    cell = universal.hidden_part(this.whole["halves"], "halves")
    weak = {
        "a second leading axis": cell.replace("size=(_first, _second, _rows, _columns)", "size=(1, 1, _rows, _columns)"),
        "a cache": cell.replace("_rng.integers(-9, 9, size=(_rows, _columns))", "np.array([[2, 0, -4]])").replace("draws(3)", "draws(1)"),
        "": cell,
    }[fault]  # fmt: skip
    code = "def halves(*args, **kwargs):\n    return faulty(*args, **kwargs)\n"
    accepted = [
        what
        for what, faulty in universal.faults(ref)
        if this.run("halves", code, whole=True, more={"faulty": faulty}, cell=weak) is None
    ]
    assert any(fault in what for what in accepted) if fault else not accepted


def test_catalogue_of_the_small_chapter_is_judged_right(layout):
    this = answers.chapter(edition.NAME, layout.root)
    for entry in load(edition.NAME, layout):
        for whole in (False, True):
            said = this.run(entry.exercise, entry.code, whole=whole)
            if isinstance(entry, Right):
                assert said is None, (entry.name, said)
            if isinstance(entry, Wrong):
                assert said is not None
                assert entry.sentence in said
                assert len(said.splitlines()) <= 10


# ---------------------------------------------------------------- mutants
def survivors(code):
    space = {"np": __import__("numpy")}
    return {
        (old, new)
        for _, old, new, tree in mutants.mutations(code)
        if not mutants.is_caught(tree, dict(space))
    }


def test_a_mutant_that_an_assertion_does_not_notice_survives():
    weak = "a = np.deg2rad(45)\nassert np.isclose(np.sin(a), np.sqrt(0.5))\n"
    assert any("np.cos(a)" in new for _, new in survivors(weak))
    assert not survivors("a = np.deg2rad(30)\nassert np.isclose(np.sin(a), 0.5)\n")
    square = "x = np.ones((3, 3))\nassert (x @ x == x.sum(axis=0) * x).all()\n"
    assert any("axis=1" in new for _, new in survivors(square))
    assert not any("axis" in new for _, new in survivors("x = np.arange(6).reshape(2, 3)\nassert x.sum(axis=0).tolist() == [3, 5, 7]\n"))  # fmt: skip


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        ("assert 2 * 3 == 6", ["2 + 3", "2 / 3", "3 * 3", "2 * 4", "== 7"]),
        ("assert x.T.sum(axis=0)[0] > 1", ["x.sum(", "mean(", "axis=1", "[1]", "< 1", "> 2"]),
        ("y = x - 1\nassert y", ["x + 1", "1 - x", "x - 2"]),
        ("total = 0\nfor v in x:\n    total += v\nassert total", ["total -= v"]),
        ("assert not (x & ~m).any()", ["(x & m)", ".all()"]),
    ],
)
def test_one_thing_is_changed_at_a_time(code, changed):
    new = [new for _, _, new, _ in mutants.mutations(code)]
    assert all(any(part in one for one in new) for part in changed), new
    assert all(ast.dump(ast.parse(code)) != ast.dump(tree) for *_, tree in mutants.mutations(code))


@pytest.mark.parametrize(
    "code",
    [
        "print(2 * 3)\nassert True",
        "fig, ax = plt.subplots()\nax.plot([1, 2 + 3])\nassert True",
        "rng = np.random.default_rng(3)\nx = rng.normal(size=(3, 4))\nassert x is not None",
        "assert abs(x) < 1e-9, f'{x + 1}'".replace("abs(x) < 1e-9", "np.isclose(x, y, atol=1e-9)"),
        "unused = 3 * 4\nassert True",
        "q = K[1]\nassert q is not None",
    ],
)
def test_what_is_no_part_of_an_equation_is_left_alone(code):
    assert [new for _, _, new, _ in mutants.mutations(code)] == []


def test_mutants_of_a_chapter_run_in_its_own_namespace(tmp_path):
    layout = edition.make(tmp_path)
    book = read_all(layout)
    results = list(mutants.mutants_of(book[edition.NAME], ""))
    assert len(results) >= 5
    left = [mutant for mutant, is_dead in results if not is_dead]
    assert left == []
    assert {mutant.equation for mutant, _ in results} == {"1.1"}


def test_reasons_are_read_from_the_list(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("# a note\n\n01_a | 1.1 | x = 2  ->  x = 3 | any x does\n", encoding="utf-8")
    assert mutants.explained(path) == {("01_a", "1.1", "x = 2", "x = 3"): "any x does"}
