"""From a chapter's text to its two notebooks: what is built, what is refused, what is left alone."""

from __future__ import annotations

import shutil

import nbformat
import pytest

from autograde.build.current import require_current
from autograde.build.release import build, drift, fingerprint
from autograde.errors import CourseError
from autograde.layout import Layout

HEAD = """---
jupytext:
  text_representation: {{extension: .md, format_name: myst}}
kernelspec: {{display_name: Python 3, language: python, name: python3}}
course:
  uses: {uses}
---

# A title

Text.
"""
EXERCISE = '''
```{code-cell} ipython3
:exercise: double
def double(x):
    """Twice x."""
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
    layout.source(name).write_text(HEAD.format(uses=uses) + body, encoding="utf-8")
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
    assert by_id["double"].source.endswith("# return ... * x\n    raise NotImplementedError")
    assert "HIDDEN" not in by_id["test_double"].source
    assert by_id["test_double"].outputs == []
    figure = learner.cells[-1]
    assert figure.outputs[0].text == "one\ntwo\n", "the reference output stays, in one piece"
    assert "image/svg+xml" in figure.outputs[1].data
    assert figure.metadata.mystnb.image.alt.startswith("A line that rises")
    assert by_id["setup"].metadata.nbgrader.locked
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
        (FIGURE, FIGURE + EXERCISE[: EXERCISE.index("```\n\n") + 4]),
        ["exercise cell of double", "a second time"],
    ),
    "stub line not in the solution": (
        ("#> return ... * x", "#> return ... + x"),
        ["exercise cell of double", "'return ... + x' is not in its solution"],
    ),
    "solution outside an exercise": (
        (":exercise: double\n", ""),
        ["cell 2", "learners would see what it hides", ":exercise: NAME"],
    ),
    "no points": ((":points: 2\n", ""), ["check cell of double", "no points"]),
    "no check": (
        (EXERCISE[EXERCISE.index("```{code-cell} ipython3\n:check") :], ""),
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
    "hidden names that the text reads": (
        ('print("one")', "print(rng)"),
        ["it reads 'rng'", "hidden tests of double overwrite"],
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_in_a_source_names_file_cell_and_remedy_and_changes_nothing(layout, fault):
    (old, new), said = FAULTS[fault]
    body = EXERCISE + FIGURE
    assert old in body
    write(layout, "01_first", body.replace(old, new, 1))
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
