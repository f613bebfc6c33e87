"""Chapter 9: what learners write for positions, LayerNorm, the encoder layer and the decoder layer, wrong and right."""

from autograde.mistakes import Catalogue

CATALOGUE = Catalogue()
wrong, right = CATALOGUE.wrong, CATALOGUE.right


# ---------------------------------------------------------------- positional_encoding
HANDS = """
def positional_encoding(n, d, start=0):
    if d % 2:
        raise ValueError("d is odd")
    t = np.arange(n)[:, None] + start
    angles = t / 10000 ** (np.arange(0, d, 2) / d)
    rows = np.zeros((n, d))
    rows[:, 0::2] = np.sin(angles)
    rows[:, 1::2] = np.cos(angles)
    return rows
"""
for name, sentence, *swaps in [
    (
        "cosine_first",
        "Your hands start at (1, 0): sine and cosine have changed places. At position 0 a hand stands at (0, 1).",
        ("np.sin(angles)", "np.cos(angles) + 0"),
        ("= np.cos(angles)\n", "= np.sin(angles)\n"),
    ),
    (
        "halves",
        "Your numbers are right and stand in the wrong columns: all first numbers of the hands on the left, all second ones on the right. Hand m owns two neighbouring columns.",
        ("rows[:, 0::2]", "rows[:, : d // 2]"),
        ("rows[:, 1::2]", "rows[:, d // 2 :]"),
    ),
    (
        "frequency_of_each_column",
        "Your frequencies fall too slowly: hand m has the exponent −2(m − 1)/d, so that each pair uses a whole step of 2. You used half of that.",
        ("np.arange(0, d, 2) / d", "np.arange(d // 2) / d"),
    ),
    (
        "frequency_falls_twice_as_fast",
        "Your frequencies fall twice as fast as in (9.2): the exponent of hand m is −2(m − 1)/d.",
        ("np.arange(0, d, 2) / d", "np.arange(0, d, 2) * 2 / d"),
    ),
    (
        "last_frequency_reached",
        "Your slowest hand has the frequency 1/10000. In (9.2) the exponent is divided by d, and the last one is not quite −1.",
        ("np.arange(0, d, 2) / d", "np.arange(0, d, 2) / max(d - 2, 1)"),
    ),
    (
        "faster_and_faster",
        "Your hands turn faster from pair to pair: the exponent of 10000 is negative.",
        ("t / 10000 **", "t * 10000.0 **"),
    ),
    (
        "other_way_round",
        "Your hands turn the other way: the first number is the negative of what (9.2) gives. Multiply (0, 1) by R: a row from the left.",
        ("np.sin(angles)", "-np.sin(angles)"),
    ),
    (
        "start_ignored",
        "Your rows begin at position 0 whatever `start` is.",
        (" + start", " + 0"),
    ),
    (
        "counts_from_one",
        "Your first row belongs to position start + 1. The first row is position `start` itself.",
        (" + start", " + start + 1"),
    ),
    (
        "up_to_n",
        "Your table ends before position n, as if n were where the positions end. It is how many there are.",
        ("np.arange(n)[:, None] + start", "np.arange(start, n)[:, None]"),
        ("np.zeros((n, d))", "np.zeros((len(t), d))"),
    ),
    (
        "frequency_counted_from_zero",
        "Your first hand does not turn by 1 radian a step: all frequencies are those of the pair before. In (9.2) m counts from 1, in code the pairs may count from 0.",
        ("np.arange(0, d, 2) / d", "(np.arange(0, d, 2) - 2) / d"),
    ),
    (
        "frequency_one_pair_late",
        "Your first hand does not turn by 1 radian a step: all frequencies are those of the next pair. The exponent of hand 1 is 0.",
        ("np.arange(0, d, 2) / d", "(np.arange(0, d, 2) + 2) / d"),
    ),
    (
        "one_frequency",
        "All your hands turn by 1 radian a step. Each has its own frequency.",
        (" / 10000 ** (np.arange(0, d, 2) / d)", " * np.ones(d // 2)"),
    ),
    (
        "no_pairs",
        "Each of your columns has a frequency of its own, although the two numbers of a hand belong to one angle.",
        ("np.arange(0, d, 2) / d)", "np.arange(d) / d)"),
        ("np.sin(angles)", "np.sin(angles)[:, 0::2]"),
        ("= np.cos(angles)\n", "= np.cos(angles)[:, 1::2]\n"),
    ),
    (
        "whole_turns",
        "Your hands turn by whole rounds: the frequency is an angle in radians already, without 2π.",
        ("t / 10000", "2 * np.pi * t / 10000"),
    ),
    (
        "degrees",
        "You took the angles for degrees. np.sin takes radians, and (9.2) gives them.",
        ("rows = np.zeros", "angles = np.deg2rad(angles)\n    rows = np.zeros"),
    ),
    (
        "base_1000",
        "Your frequencies fall as powers of 1000. The base in (9.2) is 10000.",
        ("10000", "1000"),
    ),
    (
        "negative_start_made_positive",
        "A negative start is a position before 0: do not take its absolute value.",
        (" + start", " + abs(start)"),
    ),
    (
        "odd_width_accepted",
        "An odd d leaves one column without a partner: raise a ValueError.",
        ('        raise ValueError("d is odd")\n', "        d = d - 1\n"),
    ),
]:
    wrong("positional_encoding", name, sentence, HANDS, *swaps)
right("positional_encoding", "zeros_filled", HANDS)
right(
    "positional_encoding",
    "complex_numbers",
    """
def positional_encoding(n, d, start=0):
    if d % 2 == 1:
        raise ValueError
    hands = np.exp(1j * np.outer(range(start, start + n), [10000 ** (-2 * m / d) for m in range(d // 2)]))
    return np.stack([hands.imag, hands.real], axis=-1).reshape(n, d)
""",
)
right(
    "positional_encoding",
    "entry_by_entry",
    """
import math


def positional_encoding(n, d, start=0):
    if d % 2:
        raise ValueError("odd")
    table = []
    for t in range(start, start + n):
        row = []
        for m in range(1, d // 2 + 1):
            angle = t * math.exp(-math.log(10000) * 2 * (m - 1) / d)
            row += [math.sin(angle), math.cos(angle)]
        table.append(row)
    return np.array(table)
""",
)
right(
    "positional_encoding",
    "where_column_is_odd",
    """
def positional_encoding(n, d, start=0):
    if d % 2:
        raise ValueError("odd")
    column = np.arange(d)
    angle = np.arange(start, start + n).reshape(-1, 1) * np.power(10000.0, -(column - column % 2) / d)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))
""",
)
right(
    "positional_encoding",
    "phase",
    HANDS,
    ("= np.cos(angles)\n", "= np.sin(angles + np.pi / 2)\n"),
)

# ---------------------------------------------------------------- layer_norm
NORM = """
def layer_norm(X, gain, bias, eps=1e-5):
    mu = np.mean(X, axis=-1, keepdims=True)
    sigma2 = np.mean((X - mu) ** 2, axis=-1, keepdims=True)
    return (X - mu) / np.sqrt(sigma2 + eps) * gain + bias
"""
SQUARES = "np.mean((X - mu) ** 2, axis=-1, keepdims=True)"
for name, sentence, *swaps in [
    (
        "divisor_d_minus_1",
        "You divided the sum of squares by d − 1. The mean square is to become 1: a mean over all d entries.",
        (SQUARES, "np.sum((X - mu) ** 2, axis=-1, keepdims=True) / max(X.shape[-1] - 1, 1)"),
    ),
    (
        "by_the_variance",
        "You divided by the variance. The mean square becomes 1 if the row is divided by its root.",
        ("np.sqrt(sigma2 + eps)", "(sigma2 + eps)"),
    ),
    (
        "eps_outside_the_root",
        "You added eps after the root. It belongs to the variance, before the root.",
        ("np.sqrt(sigma2 + eps)", "(np.sqrt(sigma2) + eps)"),
    ),
    (
        "no_eps",
        "You left out eps: a row of equal numbers gives 0/0, and small rows come out too large.",
        ("np.sqrt(sigma2 + eps)", "np.sqrt(sigma2)"),
    ),
    (
        "eps_only_at_zero",
        "You used eps only where the variance is 0. It is added to the variance of every row.",
        ("np.sqrt(sigma2 + eps)", "np.sqrt(np.where(sigma2 == 0, eps, sigma2))"),
    ),
    (
        "eps_squared",
        "You added the square of eps to the variance. Add eps itself.",
        ("sigma2 + eps", "sigma2 + eps**2"),
    ),
    (
        "eps_fixed",
        "Your function does not look at eps: it always takes 1e-5.",
        ("sigma2 + eps", "sigma2 + 1e-5"),
    ),
    (
        "not_centred",
        "Your rows keep their mean: you divided, but did not subtract the mean from what is divided.",
        ("(X - mu) /", "X /"),
    ),
    (
        "root_mean_square",
        "You divided by the root of the mean square of the row itself, without centring (that is RMSNorm). LayerNorm subtracts the mean first.",
        ("mu = np.mean(X, axis=-1, keepdims=True)", "mu = 0"),
    ),
    (
        "down_the_columns",
        "You normalised down the columns, across the tokens. Each row is normalised by itself.",
        ("np.mean(X, axis=-1,", "np.mean(X, axis=0,"),
        ("** 2, axis=-1,", "** 2, axis=0,"),
    ),
    (
        "whole_table",
        "You took one mean and one variance for the whole table. Each row has its own.",
        ("np.mean(X, axis=-1, keepdims=True)", "np.mean(X)"),
        (SQUARES, "np.mean((X - mu) ** 2)"),
    ),
    (
        "variance_of_the_table",
        "Each row has its own mean, but you took one variance for the whole table.",
        (SQUARES, "np.mean((X - mu) ** 2)"),
    ),
    (
        "eps_added_at_the_end",
        "You added eps to the result. It belongs to the variance, before the root.",
        ("np.sqrt(sigma2 + eps) * gain + bias", "np.sqrt(sigma2) * gain + bias + eps"),
    ),
    (
        "each_two_dimensional_table",
        "With leading axes you normalised over the wrong axes. The last axis is the row.",
        ("mu =", "axes = (-1,) if X.ndim < 3 else (-2, -1)\n    mu ="),
        ("np.mean(X, axis=-1,", "np.mean(X, axis=axes,"),
        ("** 2, axis=-1,", "** 2, axis=axes,"),
    ),
    (
        "bias_before_gain",
        "You added the bias before the gain. First the gain multiplies, then the bias is added.",
        (
            "(X - mu) / np.sqrt(sigma2 + eps) * gain + bias",
            "((X - mu) / np.sqrt(sigma2 + eps) + bias) * gain",
        ),
    ),
    ("no_bias", "You left out the bias.", (" * gain + bias", " * gain")),
    ("no_gain", "You left out the gain.", (" * gain + bias", " + bias")),
    (
        "neither_gain_nor_bias",
        "You left out gain and bias.",
        (" * gain + bias", " + 0 * gain"),
    ),
    (
        "mean_absolute",
        "You divided by the mean distance from the mean. It is the root of the mean square.",
        (SQUARES, "np.mean(np.abs(X - mu), axis=-1, keepdims=True) ** 2"),
    ),
    (
        "sum_of_squares",
        "You divided by the length of the centred row: then the sum of squares becomes 1. It is the mean square that should.",
        (SQUARES, "np.sum((X - mu) ** 2, axis=-1, keepdims=True)"),
    ),
    (
        "no_keepdims",
        "Your means have lost the last axis, so that they meet the wrong axis of X. Use keepdims=True.",
        ("np.mean(X, axis=-1, keepdims=True)", "np.mean(X, axis=-1)"),
    ),
    (
        "in_place",
        "Your function changes its input X.",
        ("    mu =", "    X = X if X.dtype.kind == 'f' else X * 1.0\n    mu ="),
        ("    return (X - mu)", "    X -= mu\n    return X"),
    ),
]:
    wrong("layer_norm", name, sentence, NORM, *swaps)
right("layer_norm", "two_means", NORM)
right(
    "layer_norm",
    "var_method",
    """
def layer_norm(X, gain, bias, eps=1e-5):
    return gain * (X - X.mean(-1, keepdims=True)) * (X.var(-1, keepdims=True) + eps) ** -0.5 + bias
""",
)
right(
    "layer_norm",
    "row_by_row",
    """
def layer_norm(X, gain, bias, eps=1e-5):
    if X.ndim > 1:
        return np.array([layer_norm(part, gain, bias, eps) for part in X])
    mu = sum(X) / len(X)
    sigma2 = sum((x - mu) ** 2 for x in X) / len(X)
    return np.array([(x - mu) / (sigma2 + eps) ** 0.5 * g + b for x, g, b in zip(X, gain, bias)])
""",
)
right(
    "layer_norm",
    "einsum",
    """
def layer_norm(X, gain, bias, eps=1e-5):
    d = X.shape[-1]
    C = X - (X @ np.ones((d, d))) / d
    root = np.sqrt(np.einsum("...m,...m->...", C, C) / d + eps)
    return C / root[..., None] * gain + bias
""",
)
right(
    "layer_norm",
    "std",
    NORM,
    (
        "np.sqrt(sigma2 + eps)",
        "np.hypot(np.std(X, axis=-1, keepdims=True), eps**0.5)",
    ),
)
right(
    "layer_norm",
    "moved_first",
    """
def layer_norm(X, gain, bias, eps=1e-5):
    Y = X - X[..., :1]
    Y = Y - Y.mean(axis=-1)[..., np.newaxis]
    return np.divide(Y, np.sqrt(np.square(Y).mean(axis=-1) + eps)[..., np.newaxis]) * gain + bias
""",
)

# ---------------------------------------------------------------- encoder_layer
NORMED = """
def _normed(X, w, k):
    C = X - X.mean(-1, keepdims=True)
    return C / np.sqrt((C**2).mean(-1, keepdims=True) + 1e-5) * w[f"gain_{k}"] + w[f"bias_{k}"]


def _ffn(X, w):
    return np.maximum(X @ w["W_1"] + w["b_1"], 0) @ w["W_2"] + w["b_2"]

"""
ENCODER = (
    NORMED
    + """
def encoder_layer(X, weights, n_heads, mask=None):
    w = weights
    N = _normed(X, w, 1)
    H = X + multi_head_attention(N, N, w["W_Q"], w["W_K"], w["W_V"], w["W_O"], n_heads, mask)
    F = _normed(H, w, 2)
    return H + _ffn(F, w)
"""
)
NO_BEND = "You left out the bend: negative units must become 0 before W_2."
ENCODER_WRONG = [
    (
        "no_residual_around_attention",
        "You did not add the input to what attention wrote.",
        ("H = X + multi", "H = multi"),
    ),
    (
        "no_residual_around_ffn",
        "You did not add the sum so far to what the feed-forward network wrote.",
        ("return H + _ffn", "return _ffn"),
    ),
    (
        "no_residual_at_all",
        "Neither step adds its input: there is no residual.",
        ("H = X + multi", "H = multi"),
        ("return H + _ffn", "return _ffn"),
    ),
    (
        "residual_of_the_normed_table",
        "Attention's result is added to the normalised table. It is added to X itself: only what a step reads is normalised.",
        ("H = X + multi", "H = N + multi"),
    ),
    (
        "ffn_residual_of_the_normed_table",
        "The result of the feed-forward network is added to the normalised table. It is added to the sum so far, which is not normalised.",
        ("return H + _ffn", "return F + _ffn"),
    ),
    (
        "both_residuals_normed",
        "Both steps add to the normalised table. They add to the table that is not normalised.",
        ("H = X + multi", "H = N + multi"),
        ("return H + _ffn", "return F + _ffn"),
    ),
    (
        "ffn_added_to_the_input",
        "The result of the feed-forward network is added to the layer's input, and what attention wrote is lost. Add it to the sum so far.",
        ("return H + _ffn", "return X + _ffn"),
    ),
    (
        "ffn_reads_the_input",
        "Your feed-forward network reads the layer's input. It reads what attention has left: the normalised sum so far.",
        ("F = _normed(H, w, 2)", "F = _normed(X, w, 2)"),
    ),
    (
        "post_norm",
        "This is post-norm: each sum is normalised. Here the table that a step reads is normalised, and the sum is not.",
        ("N = _normed(X, w, 1)", "N = X"),
        ("    F = ", "    H = _normed(H, w, 1)\n    F = "),
        ("F = _normed(H, w, 2)", "F = H"),
        ("return H + _ffn(F, w)", "return _normed(H + _ffn(F, w), w, 2)"),
    ),
    (
        "no_norm",
        "No step normalises what it reads.",
        ("N = _normed(X, w, 1)", "N = X"),
        ("F = _normed(H, w, 2)", "F = H"),
    ),
    (
        "attention_without_norm",
        "Attention reads X as it is. It reads the normalised X.",
        ("N = _normed(X, w, 1)", "N = X"),
    ),
    (
        "ffn_without_norm",
        "The feed-forward network reads the sum so far as it is. It reads the normalised sum.",
        ("F = _normed(H, w, 2)", "F = H"),
    ),
    (
        "queries_alone_normed",
        "Only the queries come from the normalised table; keys and values come from X as it is.",
        ("multi_head_attention(N, N,", "multi_head_attention(N, X,"),
    ),
    (
        "keys_alone_normed",
        "Only keys and values come from the normalised table; the queries come from X as it is.",
        ("multi_head_attention(N, N,", "multi_head_attention(X, N,"),
    ),
    (
        "one_norm_twice",
        "Both norms use gain_1 and bias_1. The second one has its own.",
        ("_normed(H, w, 2)", "_normed(H, w, 1)"),
    ),
    (
        "norms_swapped",
        "Your norms have changed places: attention reads with gain_1 and bias_1, the feed-forward network with gain_2 and bias_2.",
        ("_normed(H, w, 2)", "_normed(H, w, 0)"),
        ("_normed(X, w, 1)", "_normed(X, w, 2)"),
        ("_normed(H, w, 0)", "_normed(H, w, 1)"),
    ),
    (
        "no_bend",
        NO_BEND,
        ('np.maximum(X @ w["W_1"] + w["b_1"], 0)', '(X @ w["W_1"] + w["b_1"])'),
    ),
    (
        "bend_after_both",
        "You bent the result of the second product. The bend comes between the two, after b_1.",
        (
            'return np.maximum(X @ w["W_1"] + w["b_1"], 0) @ w["W_2"] + w["b_2"]',
            'return np.maximum((X @ w["W_1"] + w["b_1"]) @ w["W_2"] + w["b_2"], 0)',
        ),
    ),
    (
        "bend_before_the_bias",
        "You bent before b_1 was added. b_1 sets the threshold: add it first.",
        ('np.maximum(X @ w["W_1"] + w["b_1"], 0)', '(np.maximum(X @ w["W_1"], 0) + w["b_1"])'),
    ),
    (
        "no_biases",
        "You left out b_1 and b_2.",
        (' + w["b_1"]', ""),
        (' + w["b_2"]', ""),
    ),
    ("no_b_1", "You left out b_1.", (' + w["b_1"]', "")),
    ("no_b_2", "You left out b_2.", (' + w["b_2"]', "")),
    (
        "ffn_first",
        "Your feed-forward network runs before attention. Attention comes first.",
        ("N = _normed(X, w, 1)", "X = X + _ffn(_normed(X, w, 2), w)\n    N = _normed(X, w, 1)"),
        ("return H + _ffn(F, w)", "return H"),
    ),
    ("mask_ignored", "Your layer does not hand on its mask.", ("n_heads, mask)", "n_heads)")),
    (
        "mask_inverted",
        "Your mask is inverted: True means may attend, here and in multi_head_attention.",
        ("n_heads, mask)", "n_heads, None if mask is None else ~mask)"),
    ),
    (
        "one_head",
        "Your attention has one head whatever n_heads is.",
        ("n_heads, mask)", "1, mask)"),
    ),
    (
        "causal_encoder",
        "Your encoder hides later tokens. An encoder's tokens see the whole text; only the mask restricts them.",
        (
            "    w = weights\n",
            "    w, M = weights, causal_mask(X.shape[-2])\n    M = M if mask is None else M & mask\n",
        ),
        ("n_heads, mask)", "n_heads, M)"),
    ),
    (
        "values_with_W_K",
        "Your values are made with W_K.",
        ('w["W_V"]', 'w["W_K"]'),
    ),
    (
        "queries_and_keys_swapped",
        "W_Q and W_K have changed places.",
        ('w["W_Q"], w["W_K"]', 'w["W_K"], w["W_Q"]'),
    ),
    (
        "in_place",
        "Your function changes its input X, as `X += …` does.",
        ("H = X + multi", "X[...] = X + multi"),
        ("    F = ", "    H = X\n    F = "),
    ),
]
for name, sentence, *swaps in ENCODER_WRONG:
    wrong("encoder_layer", name, sentence, ENCODER, *swaps)
right("encoder_layer", "own_norm", ENCODER)
right(
    "encoder_layer",
    "with_its_own_layer_norm",
    """
def encoder_layer(X, weights, n_heads, mask=None):
    W_Q, W_K, W_V, W_O, W_1, b_1, W_2, b_2 = (weights[k] for k in "W_Q W_K W_V W_O W_1 b_1 W_2 b_2".split())
    a = layer_norm(X, weights["gain_1"], weights["bias_1"])
    a = multi_head_attention(a, a, W_Q, W_K, W_V, W_O, n_heads, mask)
    b = layer_norm(X + a, gain=weights["gain_2"], bias=weights["bias_2"])
    b = b @ W_1 + b_1
    return X + a + (b * (b > 0)) @ W_2 + b_2
""",
)
right(
    "encoder_layer",
    "head_by_head",
    NORMED
    + """
def encoder_layer(X, weights, n_heads, mask=None):
    w, N = weights, _normed(X, weights, 1)
    parts = [np.split(w[name], n_heads, axis=1) for name in ("W_Q", "W_K", "W_V")]
    H = X * 1.0
    for q, k, v, o in zip(*parts, np.split(w["W_O"], n_heads)):
        H = H + scaled_dot_product_attention(N @ q, N @ k, N @ v, mask)[0] @ o
    return H + _ffn(_normed(H, w, 2), w)
""",
)
right(
    "encoder_layer",
    "unit_by_unit",
    ENCODER,
    (
        'return np.maximum(X @ w["W_1"] + w["b_1"], 0) @ w["W_2"] + w["b_2"]',
        'return w["b_2"] + sum(np.clip(X @ w["W_1"][:, [u]] + w["b_1"][u], 0, None) * w["W_2"][u] for u in range(len(w["W_2"])))',
    ),
)
right(
    "encoder_layer",
    "single_precision",
    ENCODER,
    (
        "    w = weights\n",
        "    w = {k: np.asarray(v, np.float32) for k, v in weights.items()}\n    X = X.astype(np.float32)\n",
    ),
)

# ---------------------------------------------------------------- decoder_layer
DECODER = (
    NORMED
    + """
def decoder_layer(Y, Z, weights, n_heads, mask=None, memory_mask=None):
    w = weights
    M = causal_mask(Y.shape[-2])
    if mask is not None:
        M = M & mask
    N = _normed(Y, w, 1)
    H = Y + multi_head_attention(N, N, w["W_Q"], w["W_K"], w["W_V"], w["W_O"], n_heads, M)
    N = _normed(H, w, 2)
    G = H + multi_head_attention(N, Z, w["C_Q"], w["C_K"], w["C_V"], w["C_O"], n_heads, memory_mask)
    F = _normed(G, w, 3)
    return G + _ffn(F, w)
"""
)
BOTH = "    if mask is not None:\n        M = M & mask\n"
CROSS = 'multi_head_attention(N, Z, w["C_Q"], w["C_K"], w["C_V"], w["C_O"], n_heads, memory_mask)'
for name, sentence, *swaps in [
    (
        "not_causal",
        "Your target tokens see later ones: the layer itself has to make the causal mask.",
        ("M = causal_mask(Y.shape[-2])", "M = np.ones((Y.shape[-2],) * 2, bool)"),
    ),
    (
        "mask_instead_of_causal",
        "If a mask is given, your layer forgets the causal one. A pair needs both permissions.",
        ("M = M & mask", "M = np.asarray(mask)"),
    ),
    (
        "mask_or_causal",
        "You joined the two masks with or. A pair needs both permissions: and.",
        ("M & mask", "M | mask"),
    ),
    (
        "mask_ignored",
        "Your layer does not use `mask`, which hides target keys.",
        ("M = M & mask", "pass"),
    ),
    (
        "mask_inverted",
        "Your target mask is inverted: True means may attend.",
        ("M & mask", "M & ~mask"),
    ),
    (
        "mask_on_the_rows",
        "Your target mask blocks rows, which are queries. It says which *keys* may be seen: its last axis is that of the keys.",
        ("M & mask", "M & np.swapaxes(mask, -1, -2)"),
    ),
    (
        "ffn_twice",
        "Your feed-forward network runs twice, once after self-attention, as it does if encoder_layer makes the first step. It comes once, at the end.",
        ("    G = H", "    H = H + _ffn(N, w)\n    N = _normed(H, w, 2)\n    G = H"),
    ),
    (
        "diagonal_blocked",
        "Your causal mask blocks a position from itself.",
        ("causal_mask(Y.shape[-2])", "np.tri(Y.shape[-2], k=-1, dtype=bool)"),
    ),
    (
        "triangle_of_the_future",
        "Your causal mask is transposed: positions see themselves and the future.",
        ("causal_mask(Y.shape[-2])", "causal_mask(Y.shape[-2]).T"),
    ),
    (
        "memory_mask_ignored",
        "Your layer does not use `memory_mask`, which hides source keys.",
        ("n_heads, memory_mask)", "n_heads)"),
    ),
    (
        "memory_mask_inverted",
        "Your source mask is inverted: True means may attend.",
        ("n_heads, memory_mask)", "n_heads, None if memory_mask is None else ~memory_mask)"),
    ),
    (
        "cross_is_causal",
        "Your cross-attention hides later source words. The source is finished: each target sees all of it that memory_mask permits.",
        (
            "    G = H",
            "    C = np.tri(Y.shape[-2], Z.shape[-2], dtype=bool)\n    C = C if memory_mask is None else C & memory_mask\n    G = H",
        ),
        ("n_heads, memory_mask)\n    F", "n_heads, C)\n    F"),
    ),
    (
        "cross_reads_the_target",
        "Your second attention looks at the target again. Its keys and values come from Z.",
        (CROSS, CROSS.replace("(N, Z,", "(N, N,").replace("memory_mask", "M")),
    ),
    (
        "queries_from_the_source",
        "Your cross-attention is turned round: the target asks, the source answers.",
        (
            CROSS,
            CROSS.replace("(N, Z,", "(Z, N,").replace(
                "memory_mask", "None if memory_mask is None else np.swapaxes(memory_mask, -1, -2)"
            ),
        ),
    ),
    (
        "source_normed_again",
        "You normalised Z with the target's norm. Z is used as it is.",
        ("multi_head_attention(N, Z,", "multi_head_attention(N, _normed(Z, w, 2),"),
    ),
    (
        "self_matrices_for_cross",
        "Your cross-attention uses W_Q, W_K, W_V, W_O. It has its own matrices, C_Q to C_O.",
        (CROSS, CROSS.replace("C_", "W_")),
    ),
    (
        "cross_values_with_C_K",
        "The values of your cross-attention are made with C_K.",
        ('w["C_V"]', 'w["C_K"]'),
    ),
    (
        "cross_without_residual",
        "You did not add the sum so far to what cross-attention wrote.",
        ("G = H + multi", "G = multi"),
    ),
    (
        "self_without_residual",
        "You did not add Y to what self-attention wrote.",
        ("H = Y + multi", "H = multi"),
    ),
    (
        "ffn_without_residual",
        "You did not add the sum so far to what the feed-forward network wrote.",
        ("return G + _ffn", "return _ffn"),
    ),
    (
        "self_added_to_the_normed_table",
        "The result of self-attention is added to the normalised table. It is added to Y itself.",
        ("H = Y + multi", "H = N + multi"),
    ),
    (
        "cross_added_to_the_normed_table",
        "The result of cross-attention is added to the normalised table. It is added to the sum so far.",
        ("G = H + multi", "G = N + multi"),
    ),
    (
        "ffn_added_to_the_normed_table",
        "The result of the feed-forward network is added to the normalised table. It is added to the sum so far.",
        ("return G + _ffn", "return F + _ffn"),
    ),
    (
        "self_attention_lost",
        "What self-attention wrote is lost: cross-attention's result is added to Y. Add it to the sum so far.",
        ("G = H + multi", "G = Y + multi"),
    ),
    (
        "cross_asks_with_the_input",
        "Your cross-attention asks with Y as it came in. It asks with what self-attention has left: the normalised sum so far.",
        ("N = _normed(H, w, 2)", "N = _normed(Y, w, 2)"),
    ),
    (
        "cross_without_norm",
        "Your cross-attention asks with the sum so far as it is. It asks with the normalised sum.",
        ("N = _normed(H, w, 2)", "N = H"),
    ),
    (
        "self_without_norm",
        "Self-attention reads Y as it is. It reads the normalised Y.",
        ("N = _normed(Y, w, 1)", "N = Y"),
    ),
    (
        "ffn_without_norm",
        "The feed-forward network reads the sum so far as it is. It reads the normalised sum.",
        ("F = _normed(G, w, 3)", "F = G"),
    ),
    (
        "norm_2_for_the_ffn",
        "Your feed-forward network reads with gain_2 and bias_2. Its norm is the third.",
        ("_normed(G, w, 3)", "_normed(G, w, 2)"),
    ),
    (
        "norms_2_and_3_swapped",
        "Norms 2 and 3 have changed places: cross-attention reads with the second, the feed-forward network with the third.",
        ("_normed(G, w, 3)", "_normed(G, w, 0)"),
        ("_normed(H, w, 2)", "_normed(H, w, 3)"),
        ("_normed(G, w, 0)", "_normed(G, w, 2)"),
    ),
    (
        "norm_1_for_cross",
        "Cross-attention reads with gain_1 and bias_1. It has its own norm, the second.",
        ("_normed(H, w, 2)", "_normed(H, w, 1)"),
    ),
    (
        "cross_before_self",
        "Cross-attention comes before self-attention in your layer. Self-attention is first.",
        (
            "    N = _normed(Y, w, 1)\n",
            "    N = _normed(Y, w, 2)\n    Y = Y + "
            + CROSS.replace("(N, Z", "(N, 1 * Z")
            + "\n    N = _normed(Y, w, 1)\n",
        ),
        ("    G = H + " + CROSS, "    G = H"),
    ),
    (
        "post_norm",
        "This is post-norm: each sum is normalised. Here the table that a step reads is normalised, and the sum is not.",
        ("N = _normed(Y, w, 1)", "N = Y"),
        ("N = _normed(H, w, 2)", "N = H = _normed(H, w, 1)"),
        ("F = _normed(G, w, 3)", "F = G = _normed(G, w, 2)"),
        ("return G + _ffn(F, w)", "return _normed(G + _ffn(F, w), w, 3)"),
    ),
    (
        "no_bend",
        NO_BEND,
        ('np.maximum(X @ w["W_1"] + w["b_1"], 0)', '(X @ w["W_1"] + w["b_1"])'),
    ),
    (
        "one_head",
        "Your attentions have one head whatever n_heads is.",
        ("n_heads, M)", "1, M)"),
        ("n_heads, memory_mask)", "1, memory_mask)"),
    ),
    (
        "one_head_in_cross",
        "Your cross-attention has one head whatever n_heads is.",
        ("n_heads, memory_mask)", "1, memory_mask)"),
    ),
    (
        "no_cross_attention",
        "Your layer does not look at Z: the second step is missing.",
        ("G = H + " + CROSS, "G = H"),
    ),
    (
        "in_place",
        "Your function changes its input Y, as `Y += …` does.",
        ("H = Y + multi", "Y[...] = Y + multi"),
        ("    N = _normed(H, w, 2)", "    H = Y\n    N = _normed(H, w, 2)"),
    ),
]:
    wrong("decoder_layer", name, sentence, DECODER, *swaps)
right("decoder_layer", "own_norm", DECODER)
right(
    "decoder_layer",
    "with_its_own_layer_norm",
    """
def decoder_layer(Y, Z, weights, n_heads, mask=None, memory_mask=None):
    def read(X, k):
        return layer_norm(X, weights[f"gain_{k}"], weights[f"bias_{k}"])

    n = Y.shape[-2]
    allowed = np.logical_and(np.tri(n) > 0, True if mask is None else mask)
    W = [weights[f"W_{c}"] for c in "QKVO"]
    C = [weights[f"C_{c}"] for c in "QKVO"]
    Y = Y + multi_head_attention(read(Y, 1), read(Y, 1), *W, n_heads=n_heads, mask=allowed)
    Y = Y + multi_head_attention(read(Y, 2), Z, *C, n_heads=n_heads, mask=memory_mask)
    U = read(Y, 3) @ weights["W_1"] + weights["b_1"]
    return Y + np.where(U > 0, U, 0) @ weights["W_2"] + weights["b_2"]
""",
)
right(
    "decoder_layer",
    "self_attention_and_ffn_by_encoder_layer",
    """
def decoder_layer(Y, Z, weights, n_heads, mask=None, memory_mask=None):
    d, own = Y.shape[-1], causal_mask(Y.shape[-2])
    own = own if mask is None else own & mask
    silent = {"W_2": 0 * weights["W_2"], "b_2": 0 * weights["b_2"]}
    Y = encoder_layer(Y, weights | silent, n_heads, own)
    asks = layer_norm(Y, weights["gain_2"], weights["bias_2"])
    Y = Y + multi_head_attention(asks, Z, *[weights["C_" + c] for c in "QKVO"], n_heads, memory_mask)
    last = {"gain_2": weights["gain_3"], "bias_2": weights["bias_3"], "W_O": 0 * weights["W_O"]}
    return encoder_layer(Y, weights | last, n_heads)
""",
)
right(
    "decoder_layer",
    "head_by_head",
    DECODER,
    (
        CROSS,
        """sum(
        scaled_dot_product_attention(N @ q, Z @ k, Z @ v, memory_mask)[0] @ o
        for q, k, v, o in zip(*(np.split(w["C_" + c], n_heads, axis=1) for c in "QKV"), np.split(w["C_O"], n_heads))
    )""",
    ),
)
right(
    "decoder_layer",
    "rank_of_positions",
    DECODER,
    ("causal_mask(Y.shape[-2])", "np.arange(Y.shape[-2])[:, None] >= np.arange(Y.shape[-2])[None]"),
)
right(
    "decoder_layer",
    "single_precision",
    DECODER,
    (
        "    w = weights\n",
        "    w = {k: np.asarray(v, np.float32) for k, v in weights.items()}\n    Y, Z = Y.astype(np.float32), Z.astype(np.float32)\n",
    ),
)
