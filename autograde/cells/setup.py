# Setup: imports, figures and checks. Run this cell first. It is the same in every chapter and needs nothing but
# NumPy and matplotlib. What it defines lives in a namespace of its own (see the end): no name that you take can
# break a check. The numbers at its end let the checks name a mistake offline.
import ast as _ast
import base64 as _base64
import builtins as _builtins
import html as _html
import inspect as _inspect
import json as _json
import os as _os
import re as _re
import traceback as _traceback
import types as _types
from collections import namedtuple as _namedtuple
from copy import deepcopy as _copy
from io import BytesIO as _Bytes

_os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two threads slow small matrices down

import matplotlib.pyplot as plt
import numpy as np

np.set_printoptions(precision=4, suppress=True, linewidth=88)
plt.rcParams.update(
    {
        "figure.figsize": (5.2, 3.3),
        "figure.facecolor": "white",
        "font.size": 11,
        "axes.titlesize": 11.5,
        "axes.titlelocation": "left",
        "axes.labelsize": 11,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.prop_cycle": plt.cycler(
            color=["#1b4f8f", "#c2571a", "#4a7c3a", "#7a4b94", "#5b5b5b"]
        ),
        "xtick.labelsize": 10,
        "ytick.labelsize": 10,
        "legend.fontsize": 10,
        "legend.frameon": False,
        "lines.linewidth": 1.8,
        "svg.hashsalt": "self-attention",
    }
)

# Every sentence that a check or a figure says by itself, in one place.
_WORDS = {
    "right": "{name}: all {count} stages are right.",
    "renamed": "Do not rename the function: the check did not find the one it is for.",
    "missing": "There is no {name} yet. Run its cell, then run this one again.",
    "unwritten": "{name} is not written yet. Replace `raise NotImplementedError` in its cell, "
    "run that cell, then run this one again.",
    "calls_unwritten": "{other}, which your {name} calls, is not written yet. Replace "
    "`raise NotImplementedError` in its cell, run that cell, then run this one again.",
    "calls_failed": "  Your {name} calls your {other}, whose check has not passed: mend that one first.",
    "calls_open": "  Your {name} calls your {other}, whose check has not been run: run that one first.",
    "stage": "{name}, stage {number} of {count}: {label}",
    "came": "  came back: {what}",
    "came_part": "  {part}: came back: {what}",
    "wanted": "  expected:  {what}",
    "wanted_error": "  expected:  it raises ValueError",
    "part": "part {number} of {count}",
    "raised": "  it raised {kind}: {text}",
    "place": "      in line {line} of {function}:  {code}",
    "unread": "  what you returned cannot be read: {kind}: {text}",
    "asked": "  what is asked of it:",
    "changed": "  the result is right, but the call changed its input {names}",
    "changed_too": "  and the call changed its input {names}",
    "first": "  first difference, at [{place}]: {came} instead of {wanted}",
    "first_zero": "  first difference, at [{place}]: {came}, where only exactly 0 is right",
    "mistake": "  The mistake: {one}",
    "mistakes": "  This comes from one of: {one}\n  or: {two}",
    "several": "  Several mistakes give exactly this. Two of them: {one}\n  or: {two}",
    "here": "  On this stage the numbers are those of this mistake: {one}",
    "here_two": "  On this stage the numbers are those of one of: {one}\n  or: {two}",
    "matmul": "  In `{code}` the {i} of {a} ({m}) meets the {j} of {b} ({n}); the two have to be equal.",
    "broadcast": "  In `{code}` {a} has shape {m} and {b} has shape {n}: counted from the last, two axes "
    "have to be equal, or one of them 1.",
    "shared": " {axis} of {a} should meet {axis} of {b}.",
    "last": "last axis",
    "before_last": "last axis but one",
    "only": "only axis",
    "nothing": "None (did you forget to return the result?)",
    "function": "a function",
    "object": "a {kind}",
    "values": "{count} values",
    "numbers": "array of numbers, shape {shape}",
    "booleans": "array of True/False, shape {shape}",
    "number": "one number: {value}",
    "boolean": "{value}",
    "hidden_changed": "The result is right, but your function changed its input {names}.",
    "hidden_raised": "{label} (your function raised {kind})",
    "yours_missing": "This cell runs on your {name}, and there is no {name} yet.",
    "yours_unwritten": "This cell runs on your {name}, which is not written yet.",
    "yours_open": "This cell runs on your {name}: run its check first.",
    "yours_failed": "This cell runs on your {name}, whose check has not passed yet.",
    "yours_stopped": "This cell runs on your {name}, and stopped with {kind}: {text}",
    "queries": "queries",
    "keys": "keys",
    "figure": "Figure: {alt}",
}


def _say(sentence, **values):
    """A sentence of _WORDS with its places filled in."""
    return _WORDS[sentence].format(**values)


# ---------------------------------------------------------------- figures
def show(fig, alt, *, pixels=False):
    """Display a figure with alternative text `alt` (the finding, in words) and close it.

    Lines are sent as SVG with a PNG beside it; `pixels=True` sends the PNG alone.
    """
    import matplotlib.pyplot as plt

    png, svg = _Bytes(), _Bytes()
    dpi = 120 if pixels else 90  # beside an SVG it serves only where SVG is not trusted
    fig.savefig(png, format="png", dpi=dpi, bbox_inches="tight", metadata={"Software": None})
    bundle = {"image/png": _base64.b64encode(png.getvalue()).decode()}
    if not pixels:
        no_date = {"Date": None, "Creator": None}
        fig.savefig(svg, format="svg", bbox_inches="tight", metadata=no_date)
        bundle["image/svg+xml"] = svg.getvalue().decode()
    plt.close(fig)
    _display(
        {**bundle, "text/plain": _say("figure", alt=alt)}, {kind: {"alt": alt} for kind in bundle}
    )


def _display(bundle, about=None):
    """Show an output of several forms; outside Jupyter there is nowhere to show it."""
    try:
        from IPython.display import display
    except ImportError:
        return
    display(bundle, metadata=about or {}, raw=True)


def _luminance(colours):
    """Relative luminance (WCAG 2) of RGB colours in 0 … 1, shape (..., 3)."""
    rgb = np.asarray(colours, float)[..., :3]
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) @ [
        0.2126,
        0.7152,
        0.0722,
    ]


def _contrast(colours):
    """Contrast of the better of white and black on these colours."""
    light = _luminance(colours) + 0.05
    return np.maximum(1.05 / light, light / 0.05)


def _readable(colour_map):
    """A colour map on which black or white numbers have a contrast of 6 : 1: middle colours give way a little."""
    import matplotlib.pyplot as plt

    table = colour_map(np.linspace(0, 1, 256))[:, :3]
    aim = (_luminance(table) > 0.179)[:, None]  # towards white or black, whichever is nearer
    for share in np.linspace(0, 1, 101)[:, None]:
        weak = _contrast(table)[:, None] < 6.05
        table = np.where(weak, (1 - share) * table + share * aim, table)
    return plt.matplotlib.colors.ListedColormap(table)


def heat_map(
    ax, matrix, rows=None, columns=None, title="", *,
    sums=False, mask=None, limits=None, diverging=False, digits=None,
    row_label=_WORDS["queries"], column_label=_WORDS["keys"],
):  # fmt: skip
    """Draw `matrix` (n_q, n_k) on `ax`: one row per query, one column per key.

    `sums` writes each row's sum in the margin; cells where the boolean `mask` (True = may attend) is False
    are hatched; `limits` = (low, high) fixes the colour scale; `digits` prints the numbers.
    """
    import matplotlib.pyplot as plt

    matrix = np.asarray(matrix, dtype=float)
    n_q, n_k = matrix.shape
    low, high = limits or (np.nanmin(matrix), np.nanmax(matrix))
    if diverging:
        high = max(abs(low), abs(high)) or 1.0
        low = -high
    colours = plt.get_cmap("RdBu_r" if diverging else "cividis")
    if digits is not None:
        colours = _readable(colours)
    image = ax.imshow(matrix, cmap=colours, vmin=low, vmax=high, aspect="auto")
    blocked = np.zeros((n_q, n_k), bool) if mask is None else ~np.broadcast_to(mask, (n_q, n_k))
    for i, j in zip(*np.nonzero(blocked), strict=True):
        hatched = {"facecolor": "#e4e4e4", "edgecolor": "#8a8a8a", "hatch": "////", "lw": 0}
        ax.add_patch(plt.Rectangle((j - 0.5, i - 0.5), 1, 1, **hatched))
    if digits is not None:
        for i, j in zip(*np.nonzero(~blocked & np.isfinite(matrix)), strict=True):
            dark = _luminance(image.cmap(image.norm(matrix[i, j]))) < 0.179
            text = f"{round(matrix[i, j], digits) + 0.0:.{digits}f}".replace("-", "−")
            ink = "white" if dark else "black"
            ax.text(j, i, text, ha="center", va="center", color=ink, fontsize=10)
    ax.set_xticks(range(n_k), columns if columns is not None else range(1, n_k + 1))
    ax.set_yticks(range(n_q), rows if rows is not None else range(1, n_q + 1))
    if columns is not None and max(len(str(c)) for c in columns) * n_k > 34:
        ax.tick_params(axis="x", labelrotation=60)
    ax.set(xlabel=column_label, ylabel=row_label)
    ax.set_title(title)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    if sums:
        for i, total in enumerate(np.nansum(np.where(blocked, 0.0, matrix), axis=1)):
            text = f"Σ {round(total, 2) + 0.0:.2f}".replace("-", "−")
            ax.text(n_k - 0.4, i, text, va="center", ha="left", fontsize=9.5)
    return image


# ---------------------------------------------------------------- widgets
def touch(id, question, sliders, data, draw, *, alt, words=None):
    """Show a widget that works without a kernel.

    `id`: a short name of its own; `question`: the one thing it asks; `sliders`: list of (name, label, low, high,
    step, start); `data`: what the script needs, as JSON; `draw`: the body of a JavaScript function of
    (v, data, pen), run at each change: v[name] are the slider values, `pen` draws (see TOUCH_SCRIPT);
    `alt`: what it shows; `words`: name -> sentence with {places}, for pen.say(name, {place: value}).
    """
    name, text = f"touch-{id}", _html.escape
    controls = "".join(
        f'<p style="margin:.4em 0"><label for="{name}-{key}">{text(label)}</label> '
        f'<output id="{name}-{key}-value" style="font-weight:600">{start}</output><br>'
        f'<input type="range" id="{name}-{key}" data-key="{key}" min="{low}" max="{high}" '
        f'step="{step}" value="{start}" style="width:min(100%,24em);min-height:2em"></p>'
        for key, label, low, high, step, start in sliders
    )
    given = ", ".join(
        _json.dumps(part).replace("<", "\\u003c") for part in (name, data, words or {})
    )
    page = (
        f'<div class="touch" id="{name}" role="group" aria-label="{text(question)}">'
        f'<p class="touch-title" style="margin:.2em 0;font-weight:600">{text(question)}</p>{controls}'
        '<p class="touch-says" aria-live="polite" style="margin:.3em 0;min-height:1.5em"></p>'
        f'<svg viewBox="0 0 360 200" role="img" aria-label="{text(alt)}" style="width:100%;max-width:36em;'
        'height:auto;display:block" xmlns="http://www.w3.org/2000/svg"></svg></div>'
        f'<script type="text/javascript">(function(){{{TOUCH_SCRIPT}\n'
        f"run({given}, function(v, data, pen){{{draw}}});}})();</script>"
    )
    _display({"text/html": page, "text/plain": _say("figure", alt=alt)})


TOUCH_SCRIPT = ""  # the build puts touch.js here


# ---------------------------------------------------------------- checks: calling and comparing
class CheckFailed(AssertionError):
    """A failed check; Jupyter shows its text and no traceback."""

    def _render_traceback_(self):
        return [str(self)]


class _Refusal(_builtins.str):
    """The label of a stage on which the function must raise ValueError."""


_Done = _namedtuple("_Done", "value error changed single unread")
_Done.__doc__ = """What a call did: the value to compare, the error it raised, the arguments it changed, whether
the result was of single precision, the error that reading the result raised."""


def stage(label, *args, **kwargs):
    """One step of a check: what it isolates, and the arguments of the call."""
    return label, args, kwargs


def refusal(label, *args, **kwargs):
    """One step of a check: arguments that the function must refuse with ValueError."""
    return _Refusal(label), args, kwargs


def _call(function, args, kwargs, through=None):
    """Call `function` on copies, and read its result with `through`, if given. Returns a _Done."""
    copies, named = _copy(args), _copy(kwargs)
    value = error = unread = None
    with np.errstate(all="ignore"):  # a warning is no mistake
        try:
            value = function(*copies, **named)
        except Exception as problem:
            error = problem
        single = _single(value)
        if through is not None and error is None:
            try:
                value = through(value, *_copy(args), **_copy(kwargs))
            except Exception as problem:
                unread = problem
    try:
        labels = list(_inspect.signature(function).parameters) if args else []
    except (TypeError, ValueError):  # some of NumPy's own functions do not tell
        labels = []
    labels += [f"argument {i + 1}" for i in range(len(labels), len(args))]
    before = dict(zip(labels, args, strict=False)) | kwargs
    after = dict(zip(labels, copies, strict=False)) | named
    changed = [name for name in before if not _same(after[name], before[name])]
    return _Done(value, error, changed, single, unread)


def _same(one, other):
    """True if two arguments hold exactly the same data."""
    if isinstance(one, np.ndarray):
        is_float = one.dtype.kind == "f"
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=is_float)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return callable(one) or bool(one == other)


def _single(value):
    """True if a result holds numbers of single precision."""
    if isinstance(value, dict):
        return any(map(_single, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_single, value))
    return getattr(value, "dtype", None) in (np.dtype("f4"), np.dtype("f2"))


def _leaves(value, like):
    """The form of `value`, which should be that of `like`, as a code for comparisons; its arrays of numbers."""
    if isinstance(like, tuple | list) and isinstance(value, tuple | list):
        if len(value) != len(like):
            return f"{len(value)} parts", []
        parts = [_leaves(one, other) for one, other in zip(value, like, strict=True)]
        return "(" + ",".join(form for form, _ in parts) + ")", [
            x for _, part in parts for x in part
        ]
    if isinstance(like, dict) and isinstance(value, dict):
        keys = sorted(value, key=str)
        parts = [_leaves(value[key], like.get(key)) for key in keys]
        form = ",".join(f"{key!r}:{part}" for key, (part, _) in zip(keys, parts, strict=True))
        return "{" + form + "}", [x for _, part in parts for x in part]
    if value is None or isinstance(value, str):
        return repr(value), []
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            raise TypeError
    except (TypeError, ValueError):
        return "function" if callable(value) else type(value).__name__, []
    return ("b" if array.dtype.kind == "b" else "n") + str(array.shape), [array]


def _close(came, wanted, rules, single):
    """Which numbers are right. The tolerance follows the precision of the result, or the exercise's rules."""
    coarse = (single or _single(came)) and not rules.get("double")
    rtol, atol = (1e-4, 1e-5) if coarse else (1e-7, 1e-7)
    if wanted.dtype.kind in "biu":
        rtol = 0
    close = np.isclose(came, wanted, rtol, rules.get("atol", atol), equal_nan=True)
    return close & ((wanted != 0) | (came == 0)) if rules.get("zeros") else close


def _alike(value, expected, rules, single=False):
    """True if `value` has the form of `expected` and its numbers."""
    (form, numbers), (wanted, targets) = _leaves(value, expected), _leaves(expected, expected)
    pairs = zip(numbers, targets, strict=False)
    return form == wanted and all(_close(one, other, rules, single).all() for one, other in pairs)


def _right(done, expected, rules):
    """True if a call did what was expected; `expected` may be the class of an error."""
    if done.changed or done.unread is not None:
        return False
    if isinstance(expected, type):
        return isinstance(done.error, expected)
    return done.error is None and _alike(done.value, expected, rules, done.single)


def _outcome(done, like, rules=()):
    """A short fingerprint of what a call did: [form, two weighted sums of its numbers]."""
    changed = f", changed {done.changed}" * bool(done.changed)
    if isinstance(like, type) and isinstance(done.error, like):
        return ["refuses" + changed, 0.0, 0.0]
    if done.error is not None or done.unread is not None:
        return ["!" + type(done.error or done.unread).__name__ + changed, 0.0, 0.0]
    form, leaves = _leaves(done.value, like)
    numbers = np.concatenate([leaf.astype(float).ravel() for leaf in leaves] + [np.zeros(0)])
    odd = int(np.isnan(numbers).sum()), int(np.isinf(numbers).sum())
    form += f", {odd} odd" * any(odd) + changed
    if "zeros" in rules:
        form += f", {int((numbers == 0).sum())} zeros"
    numbers, k = np.nan_to_num(numbers, nan=0.0, posinf=0.0, neginf=0.0), np.arange(len(numbers))
    return [form, float(numbers @ np.cos(k + 1.0)), float(numbers @ np.sin(1.7 * k + 0.3))]


def _matches(one, other, rules=()):
    """True if two fingerprints agree (relative tolerance 1e-6)."""
    least = 0.0 if "atol" in rules else 1e-2
    return one[0] == other[0] and all(
        abs(a - b) <= 1e-6 * (least + abs(b)) for a, b in zip(one[1:], other[1:], strict=True)
    )


def _revive(stored):
    """A right result out of its stored JSON form."""
    if isinstance(stored, dict) and {"array", "kind"} <= set(stored):
        array = np.array(stored["array"], dtype={"b": bool, "i": int, "f": float}[stored["kind"]])
        return array.reshape(stored.get("shape", array.shape))
    if isinstance(stored, dict) and set(stored) == {"raises"}:
        return ValueError
    if isinstance(stored, dict) and set(stored) == {"tuple"}:
        return tuple(_revive(part) for part in stored["tuple"])
    if isinstance(stored, dict):
        return {key: _revive(part) for key, part in stored.items()}
    return [_revive(part) for part in stored] if isinstance(stored, list) else stored


# ---------------------------------------------------------------- checks: what a learner reads
def _kind(value, like):
    """What a value is, in words."""
    if isinstance(like, tuple | list) and isinstance(value, tuple | list):
        if len(value) != len(like):
            return _say("values", count=len(value))
        return _plain(value) or "(" + ", ".join(map(_kind, value, like)) + ")"
    if value is None:
        return _say("nothing")
    if isinstance(value, str | dict):
        text = repr(value)
        return text if len(text) <= 80 else text[:79] + "…"
    _, leaves = _leaves(value, like)
    if not leaves:
        return _say("function") if callable(value) else _say("object", kind=type(value).__name__)
    form = ("boolean" if leaves[0].dtype.kind == "b" else "number") + "s" * (leaves[0].ndim > 0)
    value = _digits(leaves[0].item()) if leaves[0].size == 1 else ""
    return _say(form, shape=leaves[0].shape, value=value)


def _plain(value):
    """A short list or tuple of plain values as Python writes it, or nothing."""
    parts = value if isinstance(value, tuple | list) else [value]
    plain = all(part is None or isinstance(part, str | bool | int | float) for part in parts)
    return repr(value) if plain and len(repr(value)) <= 80 else ""


def _shown(value, place, room, precision=4):
    """The numbers of an array in at most `room` lines; of a larger one the row at `place`."""
    listed = isinstance(value, tuple | list) and _plain(value)
    _, leaves = _leaves(value, None)
    if listed or not leaves or leaves[0].ndim == 0:
        return []
    array = leaves[0]
    form = {"threshold": 40, "edgeitems": 3, "precision": precision, "max_line_width": 100}
    lines = [line for line in np.array2string(array, **form).splitlines() if line.strip()]
    if len(lines) > room and array.ndim > 1 and place is not None:
        row = np.array2string(array[place[:-1]], **form | {"threshold": 8})
        lines = [f"[{', '.join(map(str, place[:-1]))}]  " + " ".join(row.split())]
    if len(lines) > room:
        lines = lines[: max(room - 1, 0)] + ["…"] * (room > 0)
    return ["      " + line for line in lines]


def _part(value, expected, rules, single):
    """The first part of a tuple, list or dict that is wrong: (its name, what came, what was expected)."""
    kind = dict if isinstance(expected, dict) else tuple | list
    if isinstance(expected, kind) and isinstance(value, kind) and len(value) == len(expected):
        keys = expected if kind is dict else range(0 if _plain(expected) else len(expected))
        if kind is dict and value.keys() != expected.keys():
            keys = ()
        for number, key in enumerate(keys):
            if not _alike(value[key], expected[key], rules, single):
                words = _say("part", number=number + 1, count=len(expected))
                inner, came, wanted = _part(value[key], expected[key], rules, single)
                name = key if kind is dict else words
                return f"{name}, {inner}" if inner else str(name), came, wanted
    return "", value, expected


def _digits(number):
    """A number as a message tells it."""
    return str(number) if isinstance(number, bool) else f"{number:.10g}"


def _compared(done, expected, rules, room):
    """What came back beside what was expected, in at most `room` lines."""
    part, came, wanted = _part(done.value, expected, rules, done.single)
    (form, leaves), (target, right) = _leaves(came, wanted), _leaves(wanted, wanted)
    place, last = None, []
    if form == target and len(leaves) == 1 and leaves[0].ndim:
        close = _close(leaves[0], right[0], rules, done.single)
        place = tuple(int(i) for i in np.unravel_index(int(np.argmin(close)), close.shape))
        a, b = leaves[0][place].item(), right[0][place].item()
        numbers = {"came": _digits(a), "wanted": _digits(b)}
        kind = "first_zero" if rules.get("zeros") and b == 0 else "first"
        last = [_say(kind, place=", ".join(map(str, place)), **numbers)]
    rows = (room - 2 - len(last) - bool(done.changed)) // 2
    near = _shown(came, place, rows) == _shown(wanted, place, rows)
    pair = [_shown(v, place, rows, 10 if near else 4) for v in (came, wanted)]
    head = _say("came_part" if part else "came", part=part, what=_kind(came, wanted))
    if done.changed:
        pair[0].append(_say("changed_too", names=", ".join(done.changed)))
    return [head, *pair[0], _say("wanted", what=_kind(wanted, wanted)), *pair[1], *last]


def _told(done, expected, rules, function, room):
    """What a call did and what was expected, in at most `room` lines."""
    refused = isinstance(expected, type)
    if done.changed and _right(done._replace(changed=[]), expected, rules):
        text = [_say("changed", names=", ".join(done.changed))]
    elif done.error is not None:
        text = _raised(done.error, function)
    elif done.unread is not None:
        text = [_say("unread", kind=type(done.unread).__name__, text=_line(done.unread))]
    elif refused:
        text = [_say("came", what=_kind(done.value, done.value)), *_shown(done.value, None, 2)]
    else:
        return _compared(done, expected, rules, room)
    if refused:
        return [*text, _say("wanted_error")]
    if isinstance(expected, dict) and all(what is True for what in expected.values()):
        return [*text, _say("asked"), *(f"      {what}" for what in expected)][:room]
    rows = _shown(expected, None, room - len(text) - 1)
    return [*text, _say("wanted", what=_kind(expected, expected)), *rows]


def _raised(problem, function):
    """What was raised, where in the learner's own cell, and which shapes did not fit."""
    lines = [_say("raised", kind=type(problem).__name__, text=_line(problem))]
    trace, own = problem.__traceback__, None
    codes = [getattr(f, "__code__", None) for f in (function, *map(_NOTEBOOK.get, ANSWERS))]
    files = {code.co_filename for code in codes if code} - _FILES
    while trace is not None:
        own = trace if trace.tb_frame.f_code.co_filename in files else own
        trace = trace.tb_next
    if own is not None:
        found = _traceback.extract_tb(own, limit=1)[0]
        if found.line:
            place = {"line": found.lineno, "function": found.name, "code": found.line}
            lines.append(_say("place", **place))
        lines += _shapes(own, problem, function)
    return lines


def _line(problem):
    """The text of an exception in one line."""
    return " ".join(str(problem).split())[:200]


def _shapes(trace, problem, function):
    """A line that says which axes met, if a product or a broadcast failed and its operands can be told."""
    if not _re.search(r"matmul|broadcast|not aligned", str(problem)):
        return []
    try:
        node, code = _failing(trace)
        left, right = _operands(node)
        space = trace.tb_frame.f_globals, trace.tb_frame.f_locals
        shapes = [
            np.shape(eval(compile(_ast.Expression(side), "", "eval"), *space))
            for side in (left, right)
        ]
    except Exception:  # it is a help, and no more
        return []
    a, b = _ast.unparse(left), _ast.unparse(right)
    if "broadcast" in str(problem) and "remapped" not in str(problem):
        return [_say("broadcast", code=code, a=a, m=shapes[0], b=b, n=shapes[1])]
    if not all(shapes):
        return []
    axes = [_axes(side, function) for side in (left, right)]
    at = -2 if len(shapes[1]) > 1 else -1
    ends = ["last" if len(shapes[0]) > 1 else "only", "before_last" if at == -2 else "only"]
    sizes = [
        f"{names[k]} = {shape[k]}" if len(names) == len(shape) else str(shape[k])
        for names, shape, k in zip(axes, shapes, (-1, at), strict=True)
    ]
    words = {"i": _WORDS[ends[0]], "j": _WORDS[ends[1]], "m": sizes[0], "n": sizes[1]}
    text = _say("matmul", code=code, a=a, b=b, **words)
    common = [axis for axis in axes[0] if axis in axes[1]]
    return [text + (_say("shared", axis=common[0], a=a, b=b) if len(common) == 1 else "")]


def _failing(trace):
    """The expression that was being computed: (its node, its text). Needs Python 3.11."""
    line, _, start, end = list(trace.tb_frame.f_code.co_positions())[trace.tb_lasti // 2]
    text = _traceback.linecache.getline(trace.tb_frame.f_code.co_filename, line).encode()
    code = text[start:end].decode().strip()
    return _ast.parse(code).body[0], code


def _operands(node):
    """The two operands of a failed operation; raises if they are more than names and harmless calls."""
    value = node if isinstance(node, _ast.AugAssign) else node.value
    if isinstance(value, _ast.BinOp):
        pair = value.left, value.right
    elif isinstance(value, _ast.AugAssign):
        pair = _ast.Name(value.target.id, _ast.Load()), value.value
    else:
        pair = value.args
    for part in _ast.walk(_ast.Tuple(list(pair), _ast.Load())):
        if isinstance(part, _ast.Call) and getattr(part.func, "attr", "") not in _HARMLESS:
            raise ValueError
    left, right = (_ast.fix_missing_locations(side) for side in pair)
    return left, right


_HARMLESS = {
    "swapaxes",
    "transpose",
    "reshape",
    "sqrt",
    "exp",
    "mean",
    "sum",
    "max",
    "norm",
    "array",
    "diag",
}


def _axes(side, function):
    """The names that the docstring gives to the axes of an argument (`Q: (n_q, d_k) queries`), or none."""
    given = _ast.unparse(side)
    found = _re.search(
        rf"\b{_re.escape(given.removesuffix('.T'))}: \(([\w, .]+)\)", function.__doc__ or ""
    )
    names = [name.strip() for name in found[1].split(",") if name.strip()] if found else []
    return names[::-1] if given.endswith(".T") else names


def _mistakes(known, done, failed, expected):
    """The known mistakes that do what was done, as lines; none without evidence in numbers."""
    rules = known["rules"]
    wish = [like("") if isinstance(like, type) else None for like in expected]
    ideal = [_Done(e, w, [], False, None) for e, w in zip(expected, wish, strict=True)]
    right = [_outcome(*pair, rules) for pair in zip(ideal, expected, strict=True)]
    seen = [_outcome(*pair, rules) for pair in zip(done, expected, strict=True)]
    is_telling = (
        " odd" not in seen[failed][0]
        and sum(p.size for p in _leaves(expected[failed], expected[failed])[1]) > 1
    )
    whole, here = [], []
    for sentence, marks in known["mistakes"]:
        fits = [_matches(s, m, rules) for s, m in zip(seen, marks, strict=True)]
        tells = [
            m[0][0] != "!" and not _matches(m, r, rules) for m, r in zip(marks, right, strict=True)
        ]
        whole += [sentence] * (all(fits) and any(tells))
        here += [sentence] * (is_telling and all(fits[: failed + 1]) and tells[failed])
    found = list(dict.fromkeys(whole or here))
    kinds = ("mistake", "mistakes", "several") if whole else ("here", "here_two", None)
    kind = kinds[min(len(found), 3) - 1] if found else None
    return _say(kind, one=found[0], two=found[len(found) > 1]).splitlines() if kind else []


def _name(function):
    """The exercise that a function answers, however it was made (def, lambda, decorated)."""
    given = getattr(function, "__name__", "")
    return next((name for name in ANSWERS if _NOTEBOOK.get(name) is function), given)


def _unwritten(function, error):
    """The error for a stub, or for a function that calls one."""
    frames = _traceback.extract_tb(error.__traceback__)
    name, last = _name(function), frames[-1].name if frames else ""
    if last in ANSWERS and last != name:
        return CheckFailed(_say("calls_unwritten", name=name, other=last))
    return CheckFailed(_say("unwritten", name=name))


def _blame(name, function):
    """A line if another exercise of the learner's that this one calls has not passed its check."""
    waiting, known = [code for code in [getattr(function, "__code__", None)] if code], {name}
    while waiting:
        code = waiting.pop()
        waiting += [part for part in code.co_consts if isinstance(part, _types.CodeType)]
        for other in sorted(set(code.co_names) - known):
            known.add(other)
            found = _NOTEBOOK.get(other)
            if other in ANSWERS and (how := _state(other)) != "passed":
                return [_say(f"calls_{how}", name=name, other=other)]
            if isinstance(found, _types.FunctionType) and found.__globals__ is _NOTEBOOK:
                waiting += [found.__code__] * (other not in ANSWERS)
    return []


def _state(name):
    """How the check of an exercise stands: passed, failed, or open (not run on the function as it is now)."""
    function, how = _STATES.get(name, (None, "open"))
    return how if function is not None and function is _NOTEBOOK.get(name) else "open"


def check(function, *stages, through=None):
    """Call `function` on each stage and compare with the stored right results.

    `through(result, *args)` turns what was returned into what is compared, where several results are right.
    Raises CheckFailed (an AssertionError) that says in at most ten lines which stage failed, what came back, what
    was expected and, where the outcome is that of a known mistake, which mistake it is.
    """
    name = _name(function)
    if name not in ANSWERS:
        raise CheckFailed(_say("renamed"))
    rules = ANSWERS[name]["rules"]
    expected = [_revive(stored) for stored in ANSWERS[name]["expected"]]
    done = []
    _STATES[name] = function, "failed"
    for _, args, kwargs in stages:
        done.append(_call(function, args, kwargs, through))
        if isinstance(done[-1].error, NotImplementedError):
            raise _unwritten(function, done[-1].error)
    failed = next((i for i, d in enumerate(done) if not _right(d, expected[i], rules)), None)
    if failed is None:
        _STATES[name] = function, "passed"
        print(_say("right", name=name, count=len(stages)))
        return
    this, wanted = done[failed], expected[failed]
    tail = _mistakes(ANSWERS[name], done, failed, expected) + _blame(name, function)
    text = [_say("stage", name=name, number=failed + 1, count=len(stages), label=stages[failed][0])]
    text += _told(this, wanted, rules, function, _LINES - 1 - len(tail))
    raise CheckFailed("\n".join([*text, *tail]))


def hidden(function, expected, label, *args, through=None, **kwargs):
    """A test that is not shown: raises CheckFailed with `label` alone, no inputs and no numbers.

    `expected`: what is compared, a function of the same arguments that computes it, or ValueError.
    `through`: as for `check`.
    """
    if callable(expected) and not isinstance(expected, type):
        expected = expected(*_copy(args), **_copy(kwargs))
    rules = ANSWERS.get(_name(function), {"rules": {}})["rules"]
    done = _call(function, args, kwargs, through)
    if isinstance(done.error, NotImplementedError):
        raise _unwritten(function, done.error)
    if _right(done, expected, rules):
        return
    if done.changed and _right(done._replace(changed=[]), expected, rules):
        label = _say("hidden_changed", names=", ".join(done.changed))
    elif done.error is not None:
        label = _say("hidden_raised", label=label, kind=type(done.error).__name__)
    raise CheckFailed(label) from None


SEED = None  # a grader sets this, one seed for each submission


def draws(count):
    """`count` random generators for hidden tests; from SEED, or fresh ones."""
    seeds = np.random.SeedSequence(_NOTEBOOK.get("SEED")).spawn(count)
    return [np.random.default_rng(seed) for seed in seeds]


def sizes(rng, count, low=2, high=9):
    """`count` sizes from low … high, no two alike, so that a wrong axis shows."""
    return [int(size) for size in rng.permutation(np.arange(low, high + 1))[:count]]


# ---------------------------------------------------------------- what the learner's functions do next
def yours(*names):
    """Run the function below at once if your functions of these names have passed their checks.

    Otherwise it prints one line, also if it stops with an error.
    """

    def run(function):
        for name in names:
            how, found = _state(name), _NOTEBOOK.get(name)
            code = getattr(found, "__code__", None)
            if found is None:
                how = "missing"
            elif code is not None and code.co_names == ("NotImplementedError",):
                how = "unwritten"
            if how != "passed":
                print(_say(f"yours_{how}", name=name))
                return function
        try:
            _twin(function, _apart())()
        except Exception as problem:
            import matplotlib.pyplot as plt

            plt.close("all")
            about = {"kind": type(problem).__name__, "text": _line(problem)}
            print(_say("yours_stopped", name=", ".join(names), **about))
        return function

    return run


# ---------------------------------------------------------------- a namespace of its own
def recap(*names):
    """Move functions of earlier chapters into the namespace of the checks, so that both always find them."""
    for name in names:
        value = _NOTEBOOK[name]
        if value.__class__ is _types.FunctionType:
            _FILES.add(value.__code__.co_filename)
            value = _twin(value, globals())
        globals()[name] = _PUBLIC[name] = _NOTEBOOK[name] = value


def _twin(function, space):
    """The same function with `space` for its global names."""
    twin = _types.FunctionType(
        function.__code__, space, function.__name__, function.__defaults__, function.__closure__
    )
    twin.__kwdefaults__, twin.__doc__ = function.__kwdefaults__, function.__doc__
    return twin


def _apart():
    """A copy of the notebook's names in which none hides one of Python, of this cell or of the recap."""
    own = {name: value for name, value in _NOTEBOOK.items() if name not in _BUILT_IN}
    return own | _PUBLIC | {"__builtins__": _BUILT_IN, "__name__": "__main__"}


_yours = yours  # a learner may take the other name


class _CheckCells:
    """Has Jupyter run a cell that holds a check apart from the names of the notebook, and find `yours`."""

    def visit(self, tree):
        parts = getattr(tree, "body", ())
        for call in [call for part in parts for call in getattr(part, "decorator_list", ())]:
            if getattr(getattr(call, "func", 0), "id", "") == "yours":
                call.func.id = "_yours"
        calls = [getattr(part, "value", None) for part in parts]
        calls = [call for call in calls if isinstance(call, _ast.Call) and call.args]
        firsts = [call.args[0] for call in calls if getattr(call.func, "id", "") == "check"]
        if any(getattr(first, "id", "") in ANSWERS for first in firsts):
            _WAITING[:] = [compile(tree, "<check>", "exec")]
            tree = _ast.parse("_check_cell()")
        return tree


def _check_cell(code=None):
    """Run a check cell in a namespace of its own."""
    try:
        exec(code or _WAITING.pop(), _apart())
    except NameError as problem:
        if problem.name not in ANSWERS:
            raise
        raise CheckFailed(_say("missing", name=problem.name)) from None


def _set_up_jupyter():
    """Have Jupyter, if it is there, run cells that hold a check through `_CheckCells`."""
    shell = _BUILT_IN.get("get_ipython", lambda: None)()
    steps = getattr(shell, "ast_transformers", None)
    if isinstance(steps, list):
        steps[:] = [step for step in steps if type(step).__name__ != "_CheckCells"] + [
            _CheckCells()
        ]


ANSWERS = {}  # the build puts the stored results here
_LINES = 10  # the longest message of a check
_NOTEBOOK, _STATES, _WAITING, _FILES = _builtins.globals(), {}, [], {check.__code__.co_filename}
_BUILT_IN = {**_builtins.getattr(__builtins__, "__dict__", __builtins__)}
_PUBLIC = {
    "np": np, "plt": plt, "show": show, "heat_map": heat_map, "touch": touch, "stage": stage,
    "refusal": refusal, "check": check, "hidden": hidden, "draws": draws, "sizes": sizes, "yours": yours,
    "recap": recap, "CheckFailed": CheckFailed, "ANSWERS": ANSWERS, "TOUCH_SCRIPT": TOUCH_SCRIPT,
}  # fmt: skip
_OWN = {name: value for name, value in _NOTEBOOK.items() if name[:1] == "_"} | _PUBLIC
_OWN["__builtins__"] = _BUILT_IN
for _name_, _thing in [
    *_OWN.items()
]:  # from here on each function looks up names in _OWN, not in the notebook
    if _thing.__class__ is _types.FunctionType and _thing.__code__.co_filename in _FILES:
        _OWN[_name_] = _NOTEBOOK[_name_] = _twin(_thing, _OWN)
CheckFailed._render_traceback_ = _twin(CheckFailed._render_traceback_, _OWN)
_CheckCells.visit = _twin(_CheckCells.visit, _OWN)
_PUBLIC.update({name: _OWN[name] for name in _PUBLIC})
_OWN["_set_up_jupyter"]()
