"""From a chapter's text to its two notebooks: what is built, what is refused, what is left alone."""

from __future__ import annotations

import re
import shutil

import nbformat
import pytest

from autograde.build.current import require_current
from autograde.build.release import build, drift, fingerprint, inputs
from autograde.build.source import read, read_all
from autograde.errors import CourseError
from autograde.layout import Layout, number_of
from tests import edition

HEAD = """---
jupytext:
  text_representation: {{extension: .md, format_name: myst}}
kernelspec: {{display_name: Python 3, language: python, name: python3}}
course:
  uses: {uses}
---

# A title

> **Time** {{minutes}} minutes · **Points** {{points}}

**Exercise 1.1 · `{exercise}`**

Text.
"""
EXERCISE = '''
```{code-cell} ipython3
:exercise: double
:kind: build
def double(x):
    """Twice x.

    >>> double(np.array([1, 2]))
    array([2, 4])
    """
    ### BEGIN SOLUTION
    #> return ... * x
    return 2 * x
    ### END SOLUTION
```

```{code-cell} ipython3
:check: double
:points: 2
check(double, stage("a number", 3.0), stage("an array", np.array([1.0, -2])))
### BEGIN HIDDEN TESTS
for rng in draws(2):
    hidden(double, lambda x: x + x, "twice", rng.normal(size=3))
### END HIDDEN TESTS
```

```{code-cell} ipython3
:yours: double
@yours("double")
def next_step():
    print(double(21))
```
'''
FIGURE = """
```{code-cell} ipython3
print("one")
print("two")
fig, ax = plt.subplots()
ax.plot([1, 2])
show(fig, alt="A line that rises from one to two, from left to right.")
```
"""
CATALOGUE = '''
from autograde.mistakes import Wrong
CATALOGUE = [Wrong("double", "square", "You squared.", """
def double(x):
    return x * x
""")]
'''


@pytest.fixture
def layout(tmp_path):
    layout = Layout(tmp_path)
    layout.solutions.mkdir()
    layout.mistakes.mkdir(parents=True)
    write(layout, "01_first", EXERCISE + FIGURE)
    return layout


def write(layout, name, body, uses="[]", catalogue=CATALOGUE):
    exercise = re.search(r":exercise: (\w+)", body)
    head = HEAD.format(uses=uses, exercise=exercise[1] if exercise else "double")
    layout.source(name).write_text(head + body, encoding="utf-8")
    layout.catalogue(name).write_text(catalogue, encoding="utf-8")


def files(layout):
    built = [*layout.solutions.glob("*.ipynb"), *layout.chapters.glob("*.ipynb")]
    return {path.name + path.parent.name: path.read_bytes() for path in built}


# ---------------------------------------------------------------- what is built
def test_build_is_complete_and_repeatable(layout):
    write(layout, "02_second", EXERCISE.replace("double", "triple"), "[double]", "CATALOGUE = []")
    assert build(layout=layout) == ["01_first", "02_second"]
    first = files(layout)
    assert len(first) == 4
    assert drift(layout) == []

    assert build(layout=layout) == [], "nothing changed, so nothing is built"
    assert build(["1"], force=True, layout=layout) == ["01_first"]
    assert files(layout) == first, "a forced rebuild gives the same bytes"

    learner = nbformat.read(layout.chapter("01_first"), as_version=4)
    by_id = {cell.id: cell for cell in learner.cells}
    assert [cell.id for cell in learner.cells][:2] == ["cell-000", "setup"]
    text = learner.cells[0].source
    assert "**Exercise 1.1 · `double`** · build · ●○○ · 6 minutes · 2 points" in text
    assert "**Time** 10 minutes · **Points** 2" in text
    assert by_id["double"].source.endswith("# return ... * x\n    raise NotImplementedError")
    reference = nbformat.read(layout.solution("01_first"), as_version=4)
    tested = next(cell.source for cell in reference.cells if cell.id == "test_double")
    label = "The example in the docstring has to come out as it stands there."
    assert f"hidden(double, np.array([2, 4]), '{label}', np.array([1, 2]))" in tested
    yours = next(cell for cell in learner.cells if "yours" in cell.metadata.get("tags", []))
    assert yours.outputs[0].text == "42\n", "what the finished function gives stays"
    assert "jupyter" not in yours.metadata
    assert "HIDDEN" not in by_id["test_double"].source
    assert by_id["test_double"].outputs == []
    figure = learner.cells[-1]
    assert figure.outputs[0].text == "one\ntwo\n", "the reference output stays, in one piece"
    assert "image/svg+xml" in figure.outputs[1].data
    assert figure.metadata.mystnb.image.alt.startswith("A line that rises")
    assert by_id["setup"].metadata.nbgrader.locked
    for folded in (by_id["setup"], figure):
        assert folded.metadata.jupyter.source_hidden
        assert folded.metadata.cellView == "form"
    assert "You squared." in by_id["setup"].source

    second = nbformat.read(layout.chapter("02_second"), as_version=4)
    recap = next(cell.source for cell in second.cells if cell.id == "recap")
    assert "return 2 * x" in recap
    assert "SOLUTION" not in recap

    # only what changed is built again; a change of the first chapter reaches the second through the recap
    layout.source("02_second").write_text(layout.source("02_second").read_text() + "\nMore.\n")
    assert len(drift(layout)) == 1
    with pytest.raises(CourseError, match=r"source has changed\.\n.*make notebooks"):
        require_current("02_second", layout)
    assert build(layout=layout) == ["02_second"]
    require_current("02_second", layout)
    text = layout.source("01_first").read_text()
    layout.source("01_first").write_text(
        text.replace("return 2 * x", "return x * 2").replace("... * x", "x * ...")
    )
    assert build(layout=layout) == ["01_first", "02_second"]

    # a built file that somebody edited is noticed and built again; one without a source is removed
    nbformat.write(edited(layout.chapter("01_first")), layout.chapter("01_first"))
    assert "edited by hand" in drift(layout)[0]
    assert build(layout=layout) == ["01_first"]
    shutil.copy(layout.chapter("01_first"), layout.chapter("09_gone"))
    assert "built from no source" in drift(layout)[0]
    build(layout=layout)
    assert not layout.chapter("09_gone").exists()


def edited(path):
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].source += " edited"
    return notebook


def test_fingerprint_sees_every_change(layout):
    one = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("a", id="x")])
    two = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("b", id="x")])
    assert fingerprint(one) != fingerprint(two)


# ---------------------------------------------------------------- what is refused
FAULTS = {
    "END SOLUTION missing": (
        ("    ### END SOLUTION\n", ""),
        ["exercise cell of double", "### END SOLUTION` is missing"],
    ),
    "BEGIN SOLUTION missing": (
        ("    ### BEGIN SOLUTION\n", ""),
        ["exercise cell of double", "### BEGIN SOLUTION` is missing"],
    ),
    "END HIDDEN missing": (
        ("### END HIDDEN TESTS\n", ""),
        ["check cell of double", "### END HIDDEN TESTS` is missing"],
    ),
    "doubled grade id": (
        (FIGURE, FIGURE + EXERCISE[: EXERCISE.index("```\n\n```{code-cell} ipython3\n:check") + 4]),
        ["exercise cell of double", "a second time"],
    ),
    "stub line not in the solution": (
        ("#> return ... * x", "#> return ... + x"),
        ["exercise cell of double", "'return ... + x' is not in its solution"],
    ),
    "solution outside an exercise": (
        (":exercise: double\n:kind: build\n", ""),
        ["cell 2", "learners would see what it hides", ":exercise: NAME"],
    ),
    "no points": ((":points: 2\n", ""), ["check cell of double", "no points"]),
    "no check": (
        (
            EXERCISE[
                EXERCISE.index("```{code-cell} ipython3\n:check") : EXERCISE.index(
                    "```{code-cell} ipython3\n:yours"
                )
            ],
            "",
        ),
        ["do not pair up: double"],
    ),
    "no python": (('print("one")', "print('one"), ["it is no Python"]),
    "a cell that raises": (('print("one")', "1 / 0"), ["cell", "ZeroDivisionError"]),
    "a cell that warns": (
        ('print("one")', "import warnings; warnings.warn('old')"),
        ["writes to stderr"],
    ),
    "no alternative text": (
        (
            'show(fig, alt="A line that rises from one to two, from left to right.")',
            'show(fig, alt="")',
        ),
        ["no alternative text"],
    ),
    "two figures in a cell": (
        (
            "fig, ax = plt.subplots()",
            'show(plt.figure(), alt="an empty sheet of paper")\nfig, ax = plt.subplots()',
        ),
        ["two figures"],
    ),
    "check of another function": (
        ("check(double, stage", "check(abs, stage"),
        ["check of double", "exactly once"],
    ),
    "check that uses what learners lack": (
        ('stage("a number", 3.0)', 'stage("a number", three)'),
        ["check of double", "NameError"],
    ),
    "solution that fails its own stage": (
        ("return 2 * x\n", "return 2 * x[0]\n    return ... * x\n"),
        ["the reference solution raises"],
    ),
    "a name of the setup cell": (('print("one")', "sizes = 3"), ["it binds sizes"]),
    "a name of an exercise": (('print("one")', "double = 3"), ["overwrites the function double"]),
    "a built-in's name": (('print("one")', "sum = 3"), ["it binds sum", "Python's own"]),
    "an exercise with a built-in's name": (
        ("double", "round"),
        ["'round' is a name of Python's own"],
    ),
    "no kind": (
        (":kind: build\n", ""),
        ["exercise cell of double", "does not say its kind", ":kind: build"],
    ),
    "another kind": ((":kind: build", ":kind: copy"), ["its kind is 'copy'", "derive"]),
    "an unknown option": (
        (":kind: build", ":kind: build\n:level: 2"),
        ["cannot have :level:", ":zeros:"],
    ),
    "an option of another cell": (
        (":points: 2", ":points: 2\n:kind: build"),
        ["cannot have :kind:"],
    ),
    "zeros": ((":kind: build", ":kind: build\n:zeros: nearly"), [":zeros: exact"]),
    "an absolute tolerance": ((":kind: build", ":kind: build\n:atol: 0.1"), [":atol: 0."]),
    "a precision": ((":kind: build", ":kind: build\n:precision: half"), [":precision: double"]),
    "too many points": ((":points: 2", ":points: 12"), ["it has 12 points", "from 1 to 5"]),
    "an unknown tag": (
        (
            '```{code-cell} ipython3\nprint("one")',
            '```{code-cell} ipython3\n:tags: [hide-input]\nprint("one")',
        ),
        ["the tag hide-input", "evidence"],
    ),
    "no example": (
        ("    >>> double(np.array([1, 2]))\n    array([2, 4])\n", ""),
        ["no example to run in it", ">>> double(...)"],
    ),
    "an example that does not come out": (
        ("array([2, 4])", "array([2, 5])"),
        ["its docstring does not come out", "array([2, 5])", "array([2, 4])"],
    ),
    "an example of something else": (
        (">>> double(np.array([1, 2]))\n    array([2, 4])", ">>> 1 + 1\n    2"),
        ["no example in its docstring calls it"],
    ),
    "an example that cannot be asked": (
        (">>> double(np.array([1, 2]))\n    array([2, 4])", ">>> double(1j)\n    2j"),
        ["hands over a complex"],
    ),
    "nothing yours": (
        (EXERCISE[EXERCISE.index("```{code-cell} ipython3\n:yours") :], ""),
        ["nothing runs on the learner's double", ":yours: double"],
    ),
    "yours above the check": (
        (
            "```{code-cell} ipython3\n:check",
            "```{code-cell} ipython3\n:yours: double\n@yours('double')\ndef early():\n    pass\n```\n\n```{code-cell} ipython3\n:check",
        ),
        ["no check of double stands above it"],
    ),
    "yours that names another": (
        ('@yours("double")', '@yours("half")'),
        ["the yours cell of double", '`@yours("double")`'],
    ),
    "yours that is more": (
        ("    print(double(21))", "    print(double(21))\n\n\nx = 1"),
        ["one function"],
    ),
    "yours without its option": (
        (":yours: double\n", ""),
        ["it uses `yours`", ":yours: NAME"],
    ),
    "yours that fails": (
        ("print(double(21))", "print(1 / 0)"),
        ["does not run", "ZeroDivisionError"],
    ),
    "an example cell that uses an exercise": (
        ('print("one")', "print(double(3))"),
        ["uses the exercise double", "may not have written"],
    ),
    "an example cell that uses a yours cell": (
        ('print("one")', "next_step()"),
        ["uses next_step, which stands in a `:yours:` cell"],
    ),
    "no box": (("", ""), ["its box does not leave room"]),
    "a heading of another exercise": (("", ""), ["its headings announce triple"]),
    "not enough in single precision": (
        (
            "    #> return ... * x\n    return 2 * x\n",
            "    return 2 * x + (np.asarray(x).dtype == np.float32)\n",
        ),
        ["wrong in single precision", ":precision: double"],
    ),
    "a drawing without its tag": (
        (
            'print("one")',
            'touch("a", "A?", [], {}, "pen.dot(1, 1); pen.say(\'s\');", alt="a dot", words={"s": "a dot"})',
        ),
        ["a drawing with sliders", "Tag it `touch`"],
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_in_a_source_names_file_cell_and_remedy_and_changes_nothing(layout, fault):
    (old, new), said = FAULTS[fault]
    body = EXERCISE + FIGURE
    assert old in body
    if fault == "an exercise with a built-in's name":
        body, old, new = body.replace("double", "round"), "", ""
    write(layout, "01_first", body.replace(old, new, 1))
    path = layout.source("01_first")
    if fault == "no box":
        path.write_text(path.read_text().replace("{minutes}", "5"))
    if fault == "a heading of another exercise":
        path.write_text(path.read_text().replace("1.1 · `double`", "1.1 · `triple`"))
    layout.chapters.mkdir()
    layout.chapter("01_first").write_text("what was there")
    with pytest.raises(CourseError) as caught:
        build(layout=layout)
    message = str(caught.value)
    assert "01_first.md" in message
    assert "What to do:" in message
    for words in said:
        assert words in message
    assert layout.chapter("01_first").read_text() == "what was there"
    assert not layout.solution("01_first").exists()


def test_grading_refuses_notebooks_that_are_out_of_step(layout):
    with pytest.raises(CourseError, match="not built yet"):
        require_current("01_first", layout)


def test_recap_of_an_unknown_function(layout):
    write(layout, "02_second", EXERCISE.replace("double", "triple"), "[half]", "CATALOGUE = []")
    with pytest.raises(CourseError, match="wants 'half', which no earlier chapter defines"):
        build(layout=layout)
    assert files(layout) == {}


def test_catalogue_is_required_and_its_form_is_checked(layout):
    layout.catalogue("01_first").write_text("CATALOGUE = [1]")
    with pytest.raises(CourseError, match=r"list of Wrong"):
        build(layout=layout)
    layout.catalogue("01_first").unlink()
    with pytest.raises(CourseError, match="no catalogue"):
        build(layout=layout)


def test_unknown_chapter_is_named_with_the_known_ones(layout):
    with pytest.raises(CourseError, match=r"no chapter called '7'.*\n.*01_first"):
        build(["7"], layout=layout)


# ---------------------------------------------------------------- what a source may be
def test_inputs_are_text_and_not_bytes(layout):
    """A checkout with other line ends builds nothing anew."""
    book = read_all(layout)
    before = inputs("01_first", book, layout)
    for path in (layout.source("01_first"), layout.catalogue("01_first")):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert inputs("01_first", read_all(layout), layout) == before
    layout.source("01_first").write_text(layout.source("01_first").read_text() + "\nMore.\n")
    assert inputs("01_first", read_all(layout), layout) != before


@pytest.mark.parametrize(
    "path", [None, *Layout().solutions.glob("*.md")], ids=lambda p: getattr(p, "stem", "small")
)
def test_a_save_in_jupyter_changes_nothing_that_counts(tmp_path, path):
    """Jupytext's contents manager, as JupyterLab uses it, opens and saves the source."""
    from jupytext import TextFileContentsManager

    layout = edition.make(tmp_path)
    name = path.stem if path else edition.NAME
    if path:
        layout.source(edition.NAME).unlink()
        shutil.copy(path, layout.source(name))
    before = read(name, layout)
    manager = TextFileContentsManager()
    manager.root_dir = str(layout.solutions)
    model = manager.get(f"{name}.md")
    manager.save(model, f"{name}.md")
    assert not list(layout.solutions.glob("*.ipynb")), "a save writes the text alone"
    after = read(name, layout)
    assert after.uses == before.uses
    for part in ("solutions", "checks", "kinds", "rules", "points"):
        assert getattr(after, part) == getattr(before, part)
    cells = [
        [(c.cell_type, c.source, c.metadata) for c in s.notebook.cells] for s in (before, after)
    ]
    assert cells[0] == cells[1]


def test_project_stands_behind_its_chapter(tmp_path):
    layout = edition.make(tmp_path)
    for name in ("08_multi_head", "08p_adder", "09_next"):
        edition.write(layout, name)
    assert layout.names() == [edition.NAME, "08_multi_head", "08p_adder", "09_next"]
    assert [layout.find(n) for n in ("8", "08", "08p", "8p")] == ["08_multi_head"] * 2 + [
        "08p_adder"
    ] * 2
    assert [number_of(name) for name in layout.names()] == ["1", "8", "P", "9"]
