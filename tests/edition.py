"""A small chapter in the form of the second edition, for tests of what builds, checks and counts chapters.

It has everything the form knows: an exercise with one right answer, one with many (`through=`), one with exact
zeros, `yours` cells, evidence, a figure, a drawing with sliders, examples in docstrings.
"""

from __future__ import annotations

from pathlib import Path

from autograde.layout import Layout

NAME = "01_halves"
HEAD = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
  notebook_metadata_filter: course
kernelspec:
  display_name: Python 3
  language: python
  name: python3
course:
  uses: {uses}
---

# {number} · How much is half?

> **You will be able to** halve a table.
>
> **You need first** nothing.
>
> **Time** {{minutes}} minutes · **Points** {{points}}

"""
BODY = r'''
Two numbers, 6 and 10, and their halves. The mean of a row $x$ of $n$ numbers is

$$
\mu = \frac1n \sum_{m=1}^{n} x_m \tag{1.1}
$$

```{code-cell} ipython3
:tags: [evidence]
# (1.1) one mean by hand
x = np.array([6.0, 10.0, 2.0])
total = 0.0
for value in x:
    total += value
assert total / 3 == 6.0
```

## 1.1 Halves

**Exercise 1.1 · `halves`**

Halve every number of a table. A number that is not positive becomes exactly 0.

<details><summary>Hint 1: the idea</summary>

Half of a number.

</details>

<details><summary>Hint 2: the shape of the code</summary>

Divide.

</details>

```{code-cell} ipython3
:exercise: halves
:kind: build
:zeros: exact
def halves(X):
    """Half of every positive number, exactly 0 for the others.

    X: (..., n_rows, n_columns) numbers.   Returns floats of the same shape.

    Example
    >>> halves(np.array([[2, 0, -4]]))
    array([[1., 0., 0.]])
    """
    ### BEGIN SOLUTION
    #> return np.where(...)
    return np.where(X > 0, X / 2, 0.0)
    ### END SOLUTION
```

```{code-cell} ipython3
:check: halves
:points: 2
check(
    halves,
    stage("one positive number: half of it", np.array([[3.0]])),
    stage("a row with a negative number, which becomes 0", np.array([[-3.0, 1.0, 5.0]])),
    stage("two tables of two rows", np.array([[[1.0, 2], [3, 4]], [[5, 6], [-7, 8]]])),
)
### BEGIN HIDDEN TESTS
for _rng in draws(3):
    _rows, _columns, _first, _second = sizes(_rng, 4, 2, 7)
    hidden(
        halves,
        lambda X: np.maximum(X, 0) * 0.5,
        "Random tables with leading axes must be halved, number by number.",
        _rng.normal(size=(_first, _second, _rows, _columns)),
    )
    hidden(
        halves,
        lambda X: np.maximum(X, 0) * 0.5,
        "Whole numbers must be halved too: half of 3 is 1.5.",
        _rng.integers(-9, 9, size=(_rows, _columns)),
    )
    hidden(
        halves,
        lambda X: np.maximum(X, 0) * 0.5,
        "A second table of the same shape must be halved, too.",
        _rng.integers(-9, 9, size=(_rows, _columns)),
    )
### END HIDDEN TESTS
```

```{code-cell} ipython3
:yours: halves
@yours("halves")
def first_halves():
    fig, ax = plt.subplots(figsize=(4, 2.2))
    heat_map(ax, halves(np.array([[6.0, 10, 2], [-1, 4, 8]])), title="Halves: 3, 5, 1 and 0, 2, 4", digits=1)
    show(fig, alt="Heat map of halves, two rows: 3, 5, 1 and 0, 2, 4; the negative number has become 0.")
```

## 1.2 Two numbers with a given mean

**Exercise 1.2 · `pair_with_mean`**

Return any two different numbers whose mean is `mean`.

<details><summary>Hint 1: the idea</summary>

One lies below, one above.

</details>

<details><summary>Hint 2: the shape of the code</summary>

Take a distance.

</details>

```{code-cell} ipython3
:exercise: pair_with_mean
:kind: design
def pair_with_mean(mean):
    """Two different numbers with this mean, as an array of two.

    Example
    >>> float(pair_with_mean(4).mean())
    4.0
    """
    ### BEGIN SOLUTION
    return np.array([mean - 1.0, mean + 1.0])
    ### END SOLUTION
```

```{code-cell} ipython3
:check: pair_with_mean
:points: 3
def _seen(pair, mean):
    pair = np.asarray(pair, dtype=float).reshape(2)
    return {"the mean of your pair": pair.mean(), "its numbers differ": bool(pair[0] != pair[1])}


check(pair_with_mean, stage("the mean 4", 4.0), stage("a negative mean", -2.5), through=_seen)
### BEGIN HIDDEN TESTS
for _rng in draws(3):
    hidden(
        pair_with_mean,
        lambda mean: {"the mean of your pair": mean, "its numbers differ": True},
        "Your pair must have the mean that was asked for, whatever it is.",
        float(_rng.normal()),
        through=_seen,
    )
### END HIDDEN TESTS
```

```{code-cell} ipython3
:yours: pair_with_mean, halves
@yours("pair_with_mean", "halves")
def pairs():
    low, high = sorted(pair_with_mean(7.0))
    print(f"your pair with the mean 7: {low:.1f} and {high:.1f}")
    assert abs(low + high - 14) < 1e-4
```

## 1.3 A test for halves

**Exercise 1.3 · `is_half`**

`program` takes a number. Return True if it returns half of every number you try.

<details><summary>Hint 1: the idea</summary>

Try more than one.

</details>

<details><summary>Hint 2: the shape of the code</summary>

Try 0, a positive and a negative number.

</details>

```{code-cell} ipython3
:exercise: is_half
:kind: expose
def is_half(program):
    """True if `program(x)` is x / 2, for the numbers you try.

    Example
    >>> is_half(abs)
    False
    """
    ### BEGIN SOLUTION
    return all(abs(program(x) - x / 2) < 1e-9 for x in (0.0, 3.0, -5.0))
    ### END SOLUTION
```

```{code-cell} ipython3
:check: is_half
:points: 3
check(
    is_half,
    stage("a right program", lambda x: 0.5 * x),
    stage("a program that doubles", lambda x: 2 * x),
    stage("a program that is wrong below 0", lambda x: abs(x) / 2),
)
### BEGIN HIDDEN TESTS
hidden(is_half, False, "A program that always returns 0 is wrong.", lambda x: 0.0)
hidden(is_half, False, "A program that adds a half is wrong.", lambda x: x / 2 + 0.5)
### END HIDDEN TESTS
```

```{code-cell} ipython3
:yours: is_half
@yours("is_half")
def tested():
    print("your test says of x ** 0.5:", is_half(lambda x: abs(x) ** 0.5))
```

## 1.4 See

```{code-cell} ipython3
# a variable of the page with the name of a helper of a check
_seen = 3
fig, ax = plt.subplots(figsize=(4, 2))
ax.plot([0, 2, 6], [0, 1, 3])
ax.set_title("Half grows half as fast")
show(fig, alt="A straight line from 0 through the point 2, 1 to the point 6, 3: the half of a number against it.")
```

```{code-cell} ipython3
:tags: [touch]
touch(
    "half-of",
    "How large is the half?",
    [("size", "a number", -4, 4, 1, -2)],
    {"by": 2},
    """
    pen.line([[10, 20], [10 + 20 * v.size, 20]]);
    pen.text(10, 60, v.size / data.by);
    pen.say("says", {number: v.size, half: (v.size / data.by).toFixed(1)});
    """,
    alt="A line as long as the number you choose; the sentence above it tells its half.",
    words={"says": "half of {number} is {half}"},
)
```

## What we now have

Halves. Section {sec}`1.1`, equation (1.1).

## Three things people get wrong here

- Whole numbers.
- Zero.
- Signs.

## Check yourself

<details><summary>Half of 1?</summary>

0.5

</details>

## Where it comes from

- [NumPy](https://numpy.org/doc/stable/).

**Next:** nothing.
'''
CATALOGUE = '''"""What learners write, wrong and right."""

from autograde.mistakes import Right, Wrong

CATALOGUE = [
    Wrong("halves", "doubles", "You doubled.", "def halves(X):\\n    return np.where(X > 0, X * 2, 0.0)\\n"),
    Wrong("halves", "keeps_signs", "You halved negative numbers, which become 0.", "def halves(X):\\n    return X / 2\\n"),
    Wrong("halves", "whole", "You divide with //, which cuts.", "def halves(X):\\n    return np.where(X > 0, X // 2, 0.0)\\n"),
    Wrong("halves", "forgets", "You return nothing.", "def halves(X):\\n    X / 2\\n"),
    Wrong("halves", "quarter", "You halved twice.", "def halves(X):\\n    return np.where(X > 0, X / 4, 0.0)\\n"),
    Wrong("halves", "half_off", "You took off a half.", "def halves(X):\\n    return np.where(X > 0, X - 0.5, 0.0)\\n"),
    Wrong("halves", "first_row", "Only your first row is right.", "def halves(X):\\n    Y = np.where(X > 0, X / 2, 0.0)\\n    Y[..., 1:, :] = X[..., 1:, :]\\n    return Y\\n"),
    Wrong("halves", "ones", "Negative numbers become 0, not 1.", "def halves(X):\\n    return np.where(X > 0, X / 2, 1.0)\\n"),
    Right("halves", "maximum", "def halves(X):\\n    return np.maximum(X, 0) / 2\\n"),
    Right("halves", "star", "from numpy import *\\n\\ndef halves(X):\\n    return where(X > 0, X * 0.5, 0)\\n"),
    Right("halves", "single", "def halves(X):\\n    return np.maximum(X.astype(np.float32), 0) / 2\\n"),
    Right("halves", "taken", "list = [1]\\nlen = 4\\ncheck = None\\nany = all = 3\\n\\ndef halves(X):\\n    return np.where(X > 0, X / 2, 0)\\n"),
    *(
        Wrong("pair_with_mean", f"off_{k}", f"Your mean is {k} too large.", f"def pair_with_mean(mean):\\n    return np.array([mean - 1.0, mean + 1.0]) + {k}\\n")
        for k in range(1, 8)
    ),
    Wrong("pair_with_mean", "same", "Your numbers are the same.", "def pair_with_mean(mean):\\n    return np.array([mean, mean])\\n"),
    *(
        Right("pair_with_mean", f"far_{k}", f"def pair_with_mean(mean):\\n    return [mean - {k}, mean + {k}]\\n")
        for k in range(2, 6)
    ),
    Wrong("is_half", "one", "You try one number.", "def is_half(program):\\n    return program(3.0) == 1.5\\n"),
    Wrong("is_half", "always", "You say True to everything.", "def is_half(program):\\n    return True\\n"),
    Wrong("is_half", "never", "You say False to everything.", "def is_half(program):\\n    return False\\n"),
    Wrong("is_half", "double", "You compare with twice the number.", "def is_half(program):\\n    return program(3.0) == 6.0\\n"),
    Right("is_half", "loop", "def is_half(program):\\n    for x in range(-3, 4):\\n        if program(x) != x / 2:\\n            return False\\n    return True\\n"),
]
'''


def write(
    layout: Layout, name: str = NAME, body: str = BODY, uses: str = "[]", catalogue: str = CATALOGUE
) -> None:
    """Write a chapter's text and catalogue."""
    layout.solutions.mkdir(parents=True, exist_ok=True)
    layout.mistakes.mkdir(parents=True, exist_ok=True)
    text = HEAD.format(uses=uses, number=int(name[:2])) + body.lstrip()
    layout.source(name).write_text(text, encoding="utf-8")
    layout.catalogue(name).write_text(catalogue, encoding="utf-8")


def make(root: Path) -> Layout:
    """A checkout at `root` with the chapter in it, not built."""
    layout = Layout(root)
    write(layout)
    return layout
