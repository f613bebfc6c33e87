# Setup: imports, figures and checks. Run this cell first. It is the same in every chapter and needs
# nothing but NumPy and matplotlib. The numbers at its end let the checks name a mistake offline.
import html as _html
import inspect as _inspect
import json as _json
import os as _os
import re as _re
import traceback as _traceback
from copy import deepcopy as _copy
from io import BytesIO as _Bytes

_os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two threads slow small matrices down

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle as _Rectangle

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


# ---------------------------------------------------------------- figures
def show(fig, alt, *, pixels=False):
    """Display a figure with alternative text `alt` (the finding, in words) and close it.

    Lines are sent as SVG with a PNG beside it; `pixels=True` sends the PNG alone.
    """
    png, svg = _Bytes(), _Bytes()
    dpi = 120 if pixels else 90  # beside an SVG it serves only where SVG is not trusted
    fig.savefig(png, format="png", dpi=dpi, bbox_inches="tight", metadata={"Software": None})
    bundle, about = {"image/png": png.getvalue()}, {"image/png": {"alt": alt}}
    if not pixels:
        no_date = {"Date": None, "Creator": None}
        fig.savefig(svg, format="svg", bbox_inches="tight", metadata=no_date)
        bundle["image/svg+xml"] = svg.getvalue().decode()
        about["image/svg+xml"] = {"alt": alt}
    plt.close(fig)
    try:
        from IPython.display import display
    except ImportError:  # outside Jupyter there is nowhere to show it
        return
    import base64

    bundle["image/png"] = base64.b64encode(bundle["image/png"]).decode()
    display({**bundle, "text/plain": f"Figure: {alt}"}, metadata=about, raw=True)


def heat_map(
    ax, matrix, rows=None, columns=None, title="", *,
    sums=False, mask=None, limits=None, diverging=False, digits=None,
    row_label="queries", column_label="keys",
):  # fmt: skip
    """Draw `matrix` (n_q, n_k) on `ax`: one row per query, one column per key.

    `sums` writes each row's sum in the margin; cells where the boolean `mask` (True = may attend) is False
    are hatched; `limits` = (low, high) fixes the colour scale; `digits` prints the numbers.
    """
    matrix = np.asarray(matrix, dtype=float)
    n_q, n_k = matrix.shape
    low, high = limits or (np.nanmin(matrix), np.nanmax(matrix))
    if diverging:
        high = max(abs(low), abs(high)) or 1.0
        low = -high
    image = ax.imshow(
        matrix, cmap="RdBu_r" if diverging else "cividis", vmin=low, vmax=high, aspect="auto"
    )
    blocked = np.zeros((n_q, n_k), bool) if mask is None else ~np.broadcast_to(mask, (n_q, n_k))
    for i, j in zip(*np.nonzero(blocked), strict=True):
        ax.add_patch(
            _Rectangle(
                (j - 0.5, i - 0.5),
                1,
                1,
                facecolor="#e4e4e4",
                edgecolor="#8a8a8a",
                hatch="////",
                lw=0,
            )
        )
    if digits is not None:
        for i in range(n_q):
            for j in range(n_k):
                if not blocked[i, j] and np.isfinite(matrix[i, j]):
                    red, green, blue, _ = image.cmap(image.norm(matrix[i, j]))
                    bright = 0.299 * red + 0.587 * green + 0.114 * blue > 0.55
                    ax.text(
                        j, i, f"{matrix[i, j]:.{digits}f}", ha="center", va="center",
                        color="black" if bright else "white", fontsize=10,
                    )  # fmt: skip
    ax.set_xticks(range(n_k), columns if columns is not None else range(1, n_k + 1))
    ax.set_yticks(range(n_q), rows if rows is not None else range(1, n_q + 1))
    if columns is not None and max(len(str(c)) for c in columns) * n_k > 34:
        ax.tick_params(axis="x", labelrotation=60)
    ax.set_xlabel(column_label)
    ax.set_ylabel(row_label)
    ax.set_title(title)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    if sums:
        for i, total in enumerate(np.nansum(np.where(blocked, 0.0, matrix), axis=1)):
            ax.text(
                n_k - 0.4, i, f"Σ {round(total, 2) + 0.0:.2f}", va="center", ha="left", fontsize=9.5
            )
    return image


# ---------------------------------------------------------------- widgets
def touch(title, sliders, data, draw, alt):
    """Show a widget that works without a kernel.

    `sliders`: list of (name, label, low, high, step, start); `data`: what the script needs, as JSON;
    `draw`: the body of a JavaScript function of (v, data, pen), run at each change: v[name] are the
    slider values, `pen` draws (see TOUCH_SCRIPT); `alt`: what it shows, in words.
    """
    name = "touch-" + _re.sub(r"\W+", "-", title.lower()).strip("-")
    controls = "".join(
        f'<p style="margin:.4em 0"><label for="{name}-{key}">{_html.escape(label)}</label> '
        f'<output id="{name}-{key}-value" style="font-weight:600"></output><br>'
        f'<input type="range" id="{name}-{key}" data-key="{key}" min="{low}" max="{high}" '
        f'step="{step}" value="{start}" style="width:min(100%,24em);min-height:2em"></p>'
        for key, label, low, high, step, start in sliders
    )
    page = (
        f'<div class="touch" id="{name}" role="group" aria-label="{_html.escape(title)}">'
        f'<p class="touch-title" style="margin:.2em 0;font-weight:600">{_html.escape(title)}</p>{controls}'
        f'<svg viewBox="0 0 360 200" role="img" aria-label="{_html.escape(alt)}" '
        'style="width:100%;max-width:36em;height:auto;display:block" xmlns="http://www.w3.org/2000/svg"></svg>'
        '<p class="touch-says" aria-live="polite" style="margin:.3em 0;min-height:1.5em"></p></div>'
        f'<script type="text/javascript">(function(){{{TOUCH_SCRIPT}\n'
        f"run({_json.dumps(name)}, {_json.dumps(data)}, function(v, data, pen){{{draw}}});}})();</script>"
    )
    try:
        from IPython.display import display
    except ImportError:
        return
    display({"text/html": page, "text/plain": f"{title}: {alt}"}, raw=True)


TOUCH_SCRIPT = ""  # the build puts touch.js here


# ---------------------------------------------------------------- checks
class CheckFailed(AssertionError):
    """A failed check; Jupyter shows its text and no traceback."""

    def _render_traceback_(self):
        return [str(self)]


def stage(label, *args, **kwargs):
    """One step of a check: what it isolates, and the arguments of the call."""
    return label, args, kwargs


class _Refusal(str):
    """The label of a stage on which the function must raise ValueError."""


def refusal(label, *args, **kwargs):
    """One step of a check: arguments that the function must refuse with ValueError."""
    return _Refusal(label), args, kwargs


def _call(function, args, kwargs):
    """Call `function` on copies; return (result, error, names of the arguments it changed)."""
    copies, named = _copy(args), _copy(kwargs)
    result = error = None
    try:
        with np.errstate(all="ignore"):  # a warning is no mistake
            result = function(*copies, **named)
    except Exception as problem:
        error = problem
    labels = list(_inspect.signature(function).parameters) if args else []
    labels += [f"argument {i + 1}" for i in range(len(labels), len(args))]
    before = dict(zip(labels, args, strict=False)) | kwargs
    after = dict(zip(labels, copies, strict=False)) | named
    return result, error, [name for name in before if not _same(after[name], before[name])]


def _same(one, other):
    """True if two arguments hold exactly the same data."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(
            one, other, equal_nan=one.dtype.kind == "f"
        )
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return callable(one) or bool(one == other)


def _read(value, like):
    """Flatten `value`, which should be of the form of `like`: (form in words, its numbers)."""
    if isinstance(like, tuple | list) and isinstance(value, tuple | list):
        if len(value) != len(like):
            return f"{len(value)} values", np.zeros(0)
        parts = [_read(one, other) for one, other in zip(value, like, strict=True)]
        return "(" + ", ".join(form for form, _ in parts) + ")", np.concatenate(
            [numbers for _, numbers in parts] + [np.zeros(0)]
        )
    if isinstance(like, dict) and isinstance(value, dict):
        keys = sorted(value, key=str)
        parts = [_read(value[key], like.get(key)) for key in keys]
        form = ", ".join(f"{key!r}: {part}" for key, (part, _) in zip(keys, parts, strict=True))
        return "{" + form + "}", np.concatenate([n for _, n in parts] + [np.zeros(0)])
    if value is None or isinstance(value, str) or callable(value):
        return repr(value) if value is None or isinstance(value, str) else "a function", np.zeros(0)
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            raise TypeError
    except (TypeError, ValueError):
        return f"a {type(value).__name__}", np.zeros(0)
    kind = "True/False" if array.dtype.kind == "b" else "number"
    form = f"array of {kind}s, shape {array.shape}" if array.ndim else f"one {kind}"
    return form, array.astype(float).ravel()


def _alike(value, expected):
    """True if `value` has the form of `expected` and its numbers (rtol 1e-5, atol 1e-6)."""
    form, numbers = _read(value, expected)
    wanted, target = _read(expected, expected)
    return form == wanted and np.allclose(numbers, target, rtol=1e-5, atol=1e-6, equal_nan=True)


def _right(result, error, changed, expected):
    """True if a call did what was expected; `expected` may be the class of an error."""
    if isinstance(expected, type):
        return isinstance(error, expected) and not changed
    return error is None and not changed and _alike(result, expected)


def _outcome(result, error, changed, like):
    """A short fingerprint of what a call did: [form, two weighted sums of its numbers]."""
    if isinstance(like, type) and isinstance(error, like):
        return ["refuses" + f", changed {changed}" * bool(changed), 0.0, 0.0]
    if error is not None:
        return [f"raises {type(error).__name__}: {str(error)[:120]}", 0.0, 0.0]
    form, numbers = _read(result, like)
    odd = int(np.isnan(numbers).sum()), int(np.isinf(numbers).sum())
    form += f", {odd} nan and infinite" * any(odd) + f", changed {changed}" * bool(changed)
    numbers, k = np.nan_to_num(numbers, nan=0.0, posinf=0.0, neginf=0.0), np.arange(len(numbers))
    return [form, float(numbers @ np.cos(k + 1.0)), float(numbers @ np.sin(1.7 * k + 0.3))]


def _matches(one, other):
    """True if two fingerprints agree (relative tolerance 1e-4)."""
    return one[0] == other[0] and all(
        abs(a - b) <= 1e-4 * (1e-2 + abs(b)) for a, b in zip(one[1:], other[1:], strict=True)
    )


def _words(value, like):
    """A returned value as the learner reads it."""
    form, numbers = _read(value, like)
    if isinstance(value, str) or value is None or not 0 < len(numbers) <= 30:
        return form + (" (did you forget to return the result?)" if value is None else "")
    text = str(np.asarray(value)) if isinstance(value, list) else str(value)
    if isinstance(value, tuple):
        text = "\n".join(str(part) for part in value)
    return form + ("\n      " + text.replace("\n", "\n      ") if len(numbers) > 1 else f": {text}")


def _difference(value, expected):
    """Where the first wrong number stands, for results too long to compare by eye."""
    (form, numbers), (wanted, target) = _read(value, expected), _read(expected, expected)
    short = len(numbers) < 7 and str(value) != str(expected)
    if form != wanted or short or not isinstance(expected, np.ndarray) or not expected.ndim:
        return ""
    close = np.isclose(numbers, target, rtol=1e-5, atol=1e-6, equal_nan=True)
    first = np.unravel_index(int(np.argmin(close)), expected.shape)
    came, should = np.asarray(value)[first], expected[first]
    place = ", ".join(str(int(index)) for index in first)
    return f"\n  first difference, at [{place}]: {came:.7g} instead of {should:.7g}"


def _place(error):
    """Where in the learner's own cell an error came from."""
    for frame in reversed(_traceback.extract_tb(error.__traceback__)):
        own = frame.name not in ("_call", "check", "hidden") and "-packages" not in frame.filename
        if frame.line and own:
            return f"\n      in line {frame.lineno} of {frame.name}:  {frame.line}"
    return ""


def _name(function):
    """The exercise that a function answers, however it was made (def, lambda, decorated)."""
    given = getattr(function, "__name__", "the function")
    return next((name for name in ANSWERS if globals().get(name) is function), given)


def _unwritten(function, error):
    """The error for a stub, or for a function that calls one."""
    name, calls = _name(function), ""
    frames = _traceback.extract_tb(error.__traceback__)
    if frames and frames[-1].name in ANSWERS and frames[-1].name != name:
        name, calls = frames[-1].name, f", which your {name} calls,"
    return CheckFailed(
        f"{name}{calls} is not written yet. Replace `raise NotImplementedError` in its cell, "
        "run that cell, then run this one again."
    )


def check(function, *stages):
    """Call `function` on each stage and compare with the stored right results.

    Raises CheckFailed (an AssertionError) that says which stage failed, what came back, what was expected and,
    where the outcome is that of a known mistake, which mistake it is.
    """
    name = _name(function)
    if name not in ANSWERS:
        raise CheckFailed("Do not rename the function: the check did not find the one it is for.")
    known = ANSWERS[name]
    seen, failed = [], None
    for number, (label, args, kwargs) in enumerate(stages):
        expected = _revive(known["expected"][number])
        result, error, changed = _call(function, args, kwargs)
        if isinstance(error, NotImplementedError):
            raise _unwritten(function, error)
        seen.append(_outcome(result, error, changed, expected))
        if failed is None and not _right(result, error, changed, expected):
            failed = number
            telling = error is None and len(_read(result, expected)[1]) > 1
            wanted = _words(expected, expected)
            if isinstance(expected, type):
                wanted = f"it raises {expected.__name__}"
            if error is not None:
                found = f"\n  it raised {type(error).__name__}: {str(error)[:300]}{_place(error)}"
            elif changed and _alike(result, expected):
                found = (
                    f"\n  the result is right, but the call changed its input {', '.join(changed)}"
                )
            else:
                found = f"\n  came back: {_words(result, expected)}"
                if changed:
                    found += f"\n  and the call changed its input {', '.join(changed)}"
            text = f"{name}, stage {number + 1} of {len(stages)}: {label}{found}"
            text += f"\n  expected:  {wanted}"
            if error is None and not changed:
                text += _difference(result, expected)
            wish = expected("") if isinstance(expected, type) else None
            right = _outcome(expected, wish, [], expected)
    if failed is None:
        print(f"{name}: all {len(stages)} stages are right.")
        return
    whole = [m for m, marks in known["mistakes"] if all(map(_matches, seen, marks))]
    here = [
        mistake
        for mistake, marks in known["mistakes"]
        if _matches(seen[failed], marks[failed])
        and not _matches(marks[failed], right)
        and "nan and infinite" not in seen[failed][0]  # too many roads lead there
    ]
    if whole:
        text += "\n  The mistake: " + "\n  or: ".join(list(dict.fromkeys(whole))[:2])
    elif here and telling:
        text += f"\n  On this stage it looks like this mistake: {here[0]}"
    raise CheckFailed(text)


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


def hidden(function, expected, label, *args, **kwargs):
    """A test that is not shown: raises CheckFailed with `label` alone, no inputs and no numbers.

    `expected`: the right result, a function of the same arguments that computes it, or ValueError.
    """
    if callable(expected) and not isinstance(expected, type):
        expected = expected(*_copy(args), **_copy(kwargs))
    result, error, changed = _call(function, args, kwargs)
    if isinstance(error, NotImplementedError):
        raise _unwritten(function, error)
    if _right(result, error, changed, expected):
        return
    if changed and _right(result, error, [], expected):
        label = f"The result is right, but your function changed its input {', '.join(changed)}."
    ended = f" (your function raised {type(error).__name__})" if error is not None else ""
    raise CheckFailed(f"{label}{ended}") from None


SEED = None  # a grader sets this, one seed for each submission


def draws(count):
    """`count` random generators for hidden tests; from SEED, or fresh ones."""
    return [np.random.default_rng(s) for s in np.random.SeedSequence(SEED).spawn(count)]


def sizes(rng, count, low=2, high=9):
    """`count` sizes from low … high, no two alike, so that a wrong axis shows."""
    return [int(size) for size in rng.permutation(np.arange(low, high + 1))[:count]]


ANSWERS = {}  # the build puts the stored results here
