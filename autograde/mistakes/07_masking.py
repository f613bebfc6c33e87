"""Chapter 7: what learners write for the masks and for the leak test, wrong and right."""

from autograde.mistakes import Right, Wrong

CATALOGUE = [
    # ------------------------------------------------------------ causal_mask
    Wrong(
        "causal_mask",
        "triu",
        "Your triangle is the upper one: each query sees itself and the future. The past is j <= i, below the diagonal: tril, not triu.",
        """
def causal_mask(n):
    return np.triu(np.ones((n, n), dtype=bool))
""",
    ),
    Wrong(
        "causal_mask",
        "inverted",
        "Your mask is inverted: True stands where the future is. In this course True = may attend.",
        """
def causal_mask(n):
    return np.triu(np.ones((n, n), dtype=bool), k=1)
""",
    ),
    Wrong(
        "causal_mask",
        "blind_to_itself",
        "The diagonal is blocked: no token sees itself, and the first sees nothing. It is j <= i, with the equals sign.",
        """
def causal_mask(n):
    return np.arange(n)[None, :] < np.arange(n)[:, None]
""",
    ),
    Wrong(
        "causal_mask",
        "one_ahead",
        "Your triangle is one column too wide: each query sees the next token, which is the one it must guess. Leave out k=1.",
        """
def causal_mask(n):
    return np.tril(np.ones((n, n), dtype=bool), k=1)
""",
    ),
    Wrong(
        "causal_mask",
        "numbers",
        "You returned numbers 0 and 1. The right places, but a mask is boolean: add dtype=bool.",
        """
def causal_mask(n):
    return np.tril(np.ones((n, n)))
""",
    ),
    Wrong(
        "causal_mask",
        "additive",
        "You returned the additive form, 0 and -inf, to be added to scores. Here a mask is boolean, True = may attend.",
        """
def causal_mask(n):
    return np.where(np.tri(n, dtype=bool), 0.0, -np.inf)
""",
    ),
    Wrong(
        "causal_mask",
        "additive_finite",
        "You returned numbers to be added to scores, 0 and -1e9. Here a mask is boolean, True = may attend.",
        """
def causal_mask(n):
    return np.triu(np.full((n, n), -1e9), k=1)
""",
    ),
    Wrong(
        "causal_mask",
        "itself_only",
        "Only the diagonal is True: each token sees itself and no past. Everything to the left of the diagonal is permitted too.",
        """
def causal_mask(n):
    return np.eye(n, dtype=bool)
""",
    ),
    Wrong(
        "causal_mask",
        "all_permitted",
        "Everything is True: this mask blocks nothing. np.tril returns a new array; use what it returns.",
        """
def causal_mask(n):
    mask = np.ones((n, n), dtype=bool)
    np.tril(mask)
    return mask
""",
    ),
    Wrong(
        "causal_mask",
        "extra_axis",
        "The numbers are right, the shape is not: return (n, n) without leading axes. Broadcasting adds them.",
        """
def causal_mask(n):
    return np.tri(n, dtype=bool)[None]
""",
    ),
    Wrong(
        "causal_mask",
        "previous_only",
        "Each token sees itself and one before it only. All earlier tokens are permitted.",
        """
def causal_mask(n):
    i, j = np.arange(n)[:, None], np.arange(n)
    return (j <= i) & (j >= i - 1)
""",
    ),
    Wrong(
        "causal_mask",
        "flipped",
        "Your triangle is mirrored: row i has the right number of permitted keys, counted from the right end. Keys start at the left.",
        """
def causal_mask(n):
    return np.tri(n, dtype=bool)[:, ::-1]
""",
    ),
    Wrong(
        "causal_mask",
        "no_return",
        "Your function returns nothing: end it with a return.",
        """
def causal_mask(n):
    mask = np.tri(n, dtype=bool)
""",
    ),
    Right(
        "causal_mask",
        "tri",
        """
def causal_mask(n):
    return np.tri(n, dtype=bool)
""",
    ),
    Right(
        "causal_mask",
        "not_triu",
        """
def causal_mask(n):
    return ~np.triu(np.ones((n, n), dtype=bool), k=1)
""",
    ),
    Right(
        "causal_mask",
        "loops",
        """
def causal_mask(n):
    return [[j <= i for j in range(n)] for i in range(n)]
""",
    ),
    Right(
        "causal_mask",
        "row_by_row",
        """
def causal_mask(n):
    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        mask[i, : i + 1] = True
    return mask
""",
    ),
    Right(
        "causal_mask",
        "outer",
        """
def causal_mask(n):
    return np.greater_equal.outer(np.arange(n), np.arange(n))
""",
    ),
    # ------------------------------------------------------------ padding_mask
    Wrong(
        "padding_mask",
        "inverted",
        "Your mask is inverted: True stands on the pads. In this course True = may attend.",
        """
def padding_mask(lengths, n_k):
    return np.arange(n_k) >= np.asarray(lengths)[:, None, None]
""",
    ),
    Wrong(
        "padding_mask",
        "one_too_many",
        "The first pad is permitted. Keys are counted from 0, so key j is real when j < length, without the equals sign.",
        """
def padding_mask(lengths, n_k):
    return np.arange(n_k) <= np.asarray(lengths)[:, None, None]
""",
    ),
    Wrong(
        "padding_mask",
        "one_too_few",
        "The last real token is blocked. Keys are counted from 0: key j is real when j < length.",
        """
def padding_mask(lengths, n_k):
    return np.arange(1, n_k + 1) < np.asarray(lengths)[:, None, None]
""",
    ),
    Wrong(
        "padding_mask",
        "no_query_axis",
        "The query axis is missing: (batch, n_k) would be lined up with (n_q, n_k), and the batch taken for queries. Return (batch, 1, n_k).",
        """
def padding_mask(lengths, n_k):
    return np.arange(n_k) < np.asarray(lengths)[:, None]
""",
    ),
    Wrong(
        "padding_mask",
        "rows",
        "You masked rows: in shape (batch, n_k, 1) the lengths belong to the queries. Padding is a property of keys: (batch, 1, n_k).",
        """
def padding_mask(lengths, n_k):
    return np.arange(n_k)[:, None] < np.asarray(lengths)[:, None, None]
""",
    ),
    Wrong(
        "padding_mask",
        "batch_in_the_middle",
        "Your shape is (1, batch, n_k): the axis of length 1 stands first, and the batch where queries belong. Return (batch, 1, n_k).",
        """
def padding_mask(lengths, n_k):
    return (np.arange(n_k) < np.asarray(lengths)[:, None])[None]
""",
    ),
    Wrong(
        "padding_mask",
        "square",
        "You repeated the mask for every query yourself. Keep an axis of length 1, (batch, 1, n_k); broadcasting repeats it, also when there are not n_k queries.",
        """
def padding_mask(lengths, n_k):
    keys = np.arange(n_k) < np.asarray(lengths)[:, None, None]
    return np.repeat(keys, n_k, axis=1)
""",
    ),
    Wrong(
        "padding_mask",
        "both_sides",
        "You blocked the rows of the pads as well. Only keys are masked; the queries need an axis of length 1.",
        """
def padding_mask(lengths, n_k):
    real = np.arange(n_k) < np.asarray(lengths)[:, None]
    return real[:, :, None] & real[:, None, :]
""",
    ),
    Wrong(
        "padding_mask",
        "numbers",
        "You returned numbers 0 and 1. The right places, but a mask is boolean.",
        """
def padding_mask(lengths, n_k):
    mask = np.zeros((len(lengths), 1, n_k))
    for b, length in enumerate(lengths):
        mask[b, 0, :length] = 1
    return mask
""",
    ),
    Wrong(
        "padding_mask",
        "additive",
        "You returned the additive form, 0 and -inf. Here a mask is boolean, True = may attend.",
        """
def padding_mask(lengths, n_k):
    return np.where(np.arange(n_k) < np.asarray(lengths)[:, None, None], 0.0, -np.inf)
""",
    ),
    Wrong(
        "padding_mask",
        "ignores_n_k",
        "You used the longest length as the number of keys. There may be more keys: it is n_k.",
        """
def padding_mask(lengths, n_k):
    n_k = max(lengths)
    return np.arange(n_k) < np.asarray(lengths)[:, None, None]
""",
    ),
    Wrong(
        "padding_mask",
        "pads_on_the_left",
        "You permitted the last keys. Real tokens come first here, pads after them.",
        """
def padding_mask(lengths, n_k):
    return np.arange(n_k) >= n_k - np.asarray(lengths)[:, None, None]
""",
    ),
    Wrong(
        "padding_mask",
        "minus_zero",
        "A sentence without pads is all blocked: with 0 pads, the slice [-0:] is the whole row. Slice from the length: [length:].",
        """
def padding_mask(lengths, n_k):
    mask = np.ones((len(lengths), 1, n_k), dtype=bool)
    for b, length in enumerate(lengths):
        mask[b, 0, -(n_k - length):] = False
    return mask
""",
    ),
    Wrong(
        "padding_mask",
        "zero_means_full",
        "A sentence of length 0 came out as all permitted. It has no real token: its whole row is False.",
        """
def padding_mask(lengths, n_k):
    full = np.array([length if length else n_k for length in lengths])
    return np.arange(n_k) < full[:, None, None]
""",
    ),
    Wrong(
        "padding_mask",
        "list_not_converted",
        "Your function fails on a list: lists cannot be indexed with [:, None]. Convert first: np.asarray(lengths).",
        """
def padding_mask(lengths, n_k):
    return np.arange(n_k) < lengths[:, None, None]
""",
    ),
    Right(
        "padding_mask",
        "loops",
        """
def padding_mask(lengths, n_k):
    return [[[j < length for j in range(n_k)]] for length in lengths]
""",
    ),
    Right(
        "padding_mask",
        "filled",
        """
def padding_mask(lengths, n_k):
    mask = np.zeros((len(lengths), 1, n_k), dtype=bool)
    for b, length in enumerate(lengths):
        mask[b, :, :length] = True
    return mask
""",
    ),
    Right(
        "padding_mask",
        "rows_of_a_triangle",
        """
def padding_mask(lengths, n_k):
    return np.tri(n_k + 1, n_k, k=-1, dtype=bool)[np.asarray(lengths)][:, None, :]
""",
    ),
    Right(
        "padding_mask",
        "outer",
        """
def padding_mask(lengths, n_k):
    return np.expand_dims(np.greater.outer(np.asarray(lengths), np.arange(n_k)), 1)
""",
    ),
    Right(
        "padding_mask",
        "not_pads",
        """
def padding_mask(lengths, n_k):
    lengths = np.array(lengths).reshape(-1, 1, 1)
    return ~(np.arange(n_k).reshape(1, 1, -1) >= lengths)
""",
    ),
    # ------------------------------------------------------------ masked_softmax
    Wrong(
        "masked_softmax",
        "after_softmax",
        "You masked after the softmax and did not divide again: rows sum to less than 1, and the blocked scores are still in the denominator.",
        """
def masked_softmax(scores, mask):
    with np.errstate(all="ignore"):
        return np.where(mask, softmax(scores), 0)
""",
    ),
    Wrong(
        "masked_softmax",
        "times_mask_after",
        "You multiplied the weights by the mask after the softmax. Rows no longer sum to 1, and NaN times 0 stays NaN. Block the scores, before.",
        """
def masked_softmax(scores, mask):
    return softmax(scores) * mask
""",
    ),
    Wrong(
        "masked_softmax",
        "divided_after",
        "You masked after the softmax and divided again. In exact numbers that is right; a blocked score of 900 makes all permitted weights underflow to 0. Block before the softmax.",
        """
def masked_softmax(scores, mask):
    weights = np.where(mask, softmax(scores), 0)
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)
""",
    ),
    Wrong(
        "masked_softmax",
        "times_zero",
        "You multiplied the scores by the mask. A blocked score becomes 0, and e to the 0 is 1: blocked keys still get weight. Write -inf there.",
        """
def masked_softmax(scores, mask):
    return softmax(scores * mask)
""",
    ),
    Wrong(
        "masked_softmax",
        "fill_zero",
        "You wrote 0 into the blocked scores. e to the 0 is 1: blocked keys still get weight. Write -inf there.",
        """
def masked_softmax(scores, mask):
    return softmax(np.where(mask, scores, 0.0))
""",
    ),
    Wrong(
        "masked_softmax",
        "fill_minus_ten",
        "You wrote -10 into the blocked scores. Beside low scores that is not small: blocked keys get weight. Write -inf there.",
        """
def masked_softmax(scores, mask):
    return softmax(np.where(mask, scores, -10.0))
""",
    ),
    Wrong(
        "masked_softmax",
        "fill_minus_1e9",
        "An empty row came out uniform: with -1e9 everywhere all scores are equal, and the query attends to everything that is blocked. It must be zeros.",
        """
def masked_softmax(scores, mask):
    return softmax(np.where(mask, scores, -1e9))
""",
    ),
    Wrong(
        "masked_softmax",
        "nan_for_empty",
        "An empty row came out as NaN: -inf minus -inf, or 0 divided by 0. It must be zeros; the softmax of chapter 5 gives them.",
        """
def masked_softmax(scores, mask):
    with np.errstate(invalid="ignore"):
        s = np.where(mask, scores, -np.inf)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "masked_softmax",
        "inverted",
        "You blocked where the mask is True. In this course True = may attend: the -inf goes where it is False.",
        """
def masked_softmax(scores, mask):
    with np.errstate(all="ignore"):
        return softmax(np.where(mask, -np.inf, scores))
""",
    ),
    Wrong(
        "masked_softmax",
        "thrown_away",
        "You computed the masked scores and then used the old ones. np.where returns a new array; give that to the softmax.",
        """
def masked_softmax(scores, mask):
    np.where(mask, scores, -np.inf)
    with np.errstate(all="ignore"):
        return softmax(scores)
""",
    ),
    Wrong(
        "masked_softmax",
        "wrong_axis",
        "Your columns sum to 1: the softmax runs over the queries. Each query shares its weight among the keys, axis -1.",
        """
def masked_softmax(scores, mask):
    s = np.where(mask, scores, -np.inf)
    return np.swapaxes(softmax(np.swapaxes(s, -1, -2)), -1, -2)
""",
    ),
    Wrong(
        "masked_softmax",
        "in_place",
        "You wrote -inf into the caller's scores. Make a new array: np.where(mask, scores, -np.inf).",
        """
def masked_softmax(scores, mask):
    scores[~np.broadcast_to(mask, scores.shape)] = -np.inf
    return softmax(scores)
""",
    ),
    Wrong(
        "masked_softmax",
        "boolean_index",
        "Boolean indexing with the mask does not broadcast: scores[~mask] needs a mask of the full shape. np.where broadcasts.",
        """
def masked_softmax(scores, mask):
    s = scores.copy()
    s[~mask] = -np.inf
    return softmax(s)
""",
    ),
    Wrong(
        "masked_softmax",
        "product_with_infinity",
        "0 times -inf is NaN, and it stands at every permitted place. Choose with np.where, do not multiply.",
        """
def masked_softmax(scores, mask):
    with np.errstate(all="ignore"):
        return softmax(scores + (1 - mask.astype(float)) * -np.inf)
""",
    ),
    Wrong(
        "masked_softmax",
        "added_1e9",
        "You added -1e9 to blocked scores. In an empty row the same number is added everywhere, and the softmax does not notice: the mask vanishes. Replace, with -inf.",
        """
def masked_softmax(scores, mask):
    with np.errstate(all="ignore"):
        return softmax(scores + np.where(mask, 0.0, -1e9))
""",
    ),
    Wrong(
        "masked_softmax",
        "added_infinity",
        "You added -inf to blocked scores. inf plus -inf is NaN, and NaN plus anything is NaN: a blocked score must be replaced, with np.where.",
        """
def masked_softmax(scores, mask):
    with np.errstate(all="ignore"):
        return softmax(scores + np.where(mask, 0.0, -np.inf))
""",
    ),
    Wrong(
        "masked_softmax",
        "rows_masked",
        "You transposed the mask: it blocks queries where it should block keys. Its last axis is the keys already.",
        """
def masked_softmax(scores, mask):
    return softmax(np.where(np.swapaxes(mask, -1, -2), scores, -np.inf))
""",
    ),
    Wrong(
        "masked_softmax",
        "no_softmax",
        "You returned the masked scores. Pass them through the softmax.",
        """
def masked_softmax(scores, mask):
    return np.where(mask, scores, -np.inf)
""",
    ),
    Wrong(
        "masked_softmax",
        "not_normalised",
        "Your rows do not sum to 1: the division by the sum is missing.",
        """
def masked_softmax(scores, mask):
    s = np.where(mask, scores, -np.inf)
    top = s.max(axis=-1, keepdims=True)
    return np.exp(s - np.where(np.isfinite(top), top, 0))
""",
    ),
    Wrong(
        "masked_softmax",
        "small_constant",
        "You added a constant to the denominator to avoid 0 / 0. It spoils every other row a little. Divide by 1 only where the sum is 0.",
        """
def masked_softmax(scores, mask):
    s = np.where(mask, scores, -np.inf)
    top = s.max(axis=-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0))
    return e / (e.sum(axis=-1, keepdims=True) + 1e-3)
""",
    ),
    Wrong(
        "masked_softmax",
        "finite_fill_then_zeroed",
        "You filled with a finite number, such as -1000, and wrote zeros afterwards. Where the permitted scores are lower than the fill, their weights underflow and the row sums to 0. Fill with -inf.",
        """
def masked_softmax(scores, mask):
    return np.where(mask, softmax(np.where(mask, scores, -1000.0)), 0.0)
""",
    ),
    Wrong(
        "masked_softmax",
        "no_maximum",
        "You took exp of the scores as they are: it is 0 below -745 and infinite above 709. Subtract the largest permitted score of each row first, or call softmax of chapter 5.",
        """
def masked_softmax(scores, mask):
    e = np.where(mask, np.exp(scores), 0.0)
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)
""",
    ),
    Right(
        "masked_softmax",
        "by_hand",
        """
def masked_softmax(scores, mask):
    s = np.where(mask, scores, -np.inf)
    top = s.max(axis=-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0))
    total = e.sum(axis=-1, keepdims=True)
    return np.divide(e, total, out=np.zeros_like(e), where=total > 0)
""",
    ),
    Right(
        "masked_softmax",
        "row_by_row",
        """
def masked_softmax(scores, mask):
    keep = np.broadcast_to(mask, scores.shape)
    out = np.zeros(scores.shape)
    for at in np.ndindex(scores.shape[:-1]):
        if keep[at].any():
            s = scores[at][keep[at]]
            e = np.exp(s - s.max())
            out[at][keep[at]] = e / e.sum()
    return out
""",
    ),
    Right(
        "masked_softmax",
        "after_with_the_permitted_maximum",
        """
def masked_softmax(scores, mask):
    clean = np.where(mask, scores, 0.0)
    top = np.where(mask, scores, -np.inf).max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    e = np.exp(np.minimum(clean - top, 0)) * mask
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)
""",
    ),
    Right(
        "masked_softmax",
        "uniform_then_zeroed",
        """
def masked_softmax(scores, mask):
    return np.where(mask, softmax(np.where(mask, scores, -1e9)), 0.0)
""",
    ),
    Right(
        "masked_softmax",
        "nan_to_zero",
        """
def masked_softmax(scores, mask):
    s = np.where(mask, scores, -np.inf)
    with np.errstate(invalid="ignore"):
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        return np.nan_to_num(e / e.sum(axis=-1, keepdims=True))
""",
    ),
    Right(
        "masked_softmax",
        "copy_and_index",
        """
def masked_softmax(scores, mask):
    s = np.array(scores, dtype=float)
    s[~np.broadcast_to(mask, s.shape)] = -np.inf
    return softmax(s)
""",
    ),
    # ------------------------------------------------------------ leaks
    Wrong(
        "leaks",
        "own_row_compared",
        "Your function raises the alarm at functions of the past alone. Compare only the rows at or before t with the same rows of the unchanged run.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other), before):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "allclose",
        "A faint leak slips through: you compare with a tolerance. Any change counts, however small: use np.array_equal.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.allclose(attention(other)[: t + 1], before[: t + 1]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "one_cut",
        "You do not try every cut, so some leaks are not seen: t runs from 0 to n - 2, one by one.",
        """
def leaks(attention, X):
    half = len(X) // 2
    other = X.copy()
    other[half:] = np.random.default_rng(0).normal(size=other[half:].shape)
    return not np.array_equal(attention(other)[:half], attention(X)[:half])
""",
    ),
    Wrong(
        "leaks",
        "one_cut_after_the_middle",
        "You do not try every cut, so some leaks are not seen: t runs from 0 to n - 2, one by one.",
        """
def leaks(attention, X):
    t = len(X) // 2
    other = X.copy()
    other[t + 1:] = np.random.default_rng(0).normal(size=other[t + 1:].shape)
    return not np.array_equal(attention(other)[: t + 1], attention(X)[: t + 1])
""",
    ),
    Wrong(
        "leaks",
        "last_row_only",
        "You looked only at the row just before the last token. A leak into an earlier row is not seen: compare all rows up to t, for every t.",
        """
def leaks(attention, X):
    other = X.copy()
    other[-1] = np.random.default_rng(0).normal(size=X.shape[1])
    return not np.array_equal(attention(other)[-2], attention(X)[-2])
""",
    ),
    Wrong(
        "leaks",
        "last_token_only",
        "You changed the last token only. A leak from a token in the middle is not seen: try every t.",
        """
def leaks(attention, X):
    other = X.copy()
    other[-1] = np.random.default_rng(0).normal(size=X.shape[1])
    return not np.array_equal(attention(other)[:-1], attention(X)[:-1])
""",
    ),
    Wrong(
        "leaks",
        "first_row_only",
        "Only leaks into the first output row are found. Compare all rows up to t, for every t; one difference is enough.",
        """
def leaks(attention, X):
    other = X.copy()
    other[1:] = np.random.default_rng(0).normal(size=other[1:].shape)
    return not np.array_equal(attention(other)[0], attention(X)[0])
""",
    ),
    Wrong(
        "leaks",
        "row_t_only",
        "For each t you changed one token, t + 1, and looked at row t only. A leak from further away is not seen: compare all rows up to t.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1] = rng.normal(size=X.shape[1])
        if not np.array_equal(attention(other)[t], before[t]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "reversed_order",
        "You only put the later tokens into another order. A head without positions adds up the same values either way and does not notice, and a single last token stays as it is. Replace the tokens.",
        """
def leaks(attention, X):
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] = other[t + 1:][::-1]
        if not np.allclose(attention(other)[: t + 1], before[: t + 1], rtol=0, atol=1e-12):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "set_to_zero",
        "A token of zeros stays as it is under your change, and its leak is not seen. Replace tokens by other numbers.",
        """
def leaks(attention, X):
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] = 0
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "all_features_alike",
        "You added the same number to every feature. An attention that centres its tokens first does not notice: change each feature differently.",
        """
def leaks(attention, X):
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] += 1.0
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "multiplied",
        "You multiplied the later tokens by a number. Zeros stay zeros, and an attention that scales its tokens first does not notice. Replace them.",
        """
def leaks(attention, X):
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] *= 2
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "one_feature",
        "You changed the first feature only. A leak through another feature is not seen: change the whole token.",
        """
def leaks(attention, X):
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:, 0] += 1.7 + t
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "nan_as_poison",
        "You put NaN into the later tokens. 0 times NaN is NaN, so a proper mask looks like a leak too. Use finite numbers.",
        """
def leaks(attention, X):
    with np.errstate(all="ignore"):
        for t in range(len(X) - 1):
            other = X.copy()
            other[t + 1:] = np.nan
            if np.isnan(attention(other)[: t + 1]).any():
                return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "shorter_input",
        "You compared with a shorter input. An attention may depend on the number of tokens without looking at later ones: keep the shape of X.",
        """
def leaks(attention, X):
    before = attention(X)
    for t in range(1, len(X)):
        try:
            after = attention(X[:t])
        except IndexError:
            continue
        if not np.allclose(after, before[:t], rtol=0, atol=1e-12):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "inverted",
        "Your answer is inverted: True must mean that it leaks.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1]):
            return False
    return True
""",
    ),
    Wrong(
        "leaks",
        "past_changed",
        "You changed the earlier tokens and looked at later rows. That the past influences the future is what attention is for; test the other direction.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(1, len(X)):
        other = X.copy()
        other[:t] = rng.normal(size=other[:t].shape)
        if not np.array_equal(attention(other)[t:], before[t:]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "returns_after_the_first_cut",
        "Your function returns after the first cut, t = 0: the return False stands inside the loop. Only after all cuts do you know.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1] = rng.normal(size=X.shape[1])
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1]):
            return True
        else:
            return False
    return False
""",
    ),
    Wrong(
        "leaks",
        "changes_x",
        "You changed the caller's X: other = X is the same array under another name. Take X.copy().",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 2, -1, -1):
        other = X
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "returns_the_change",
        "You returned the size of the change. The question is yes or no: return True or False.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before, worst = attention(X), 0.0
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        worst = max(worst, np.abs(attention(other)[: t + 1] - before[: t + 1]).max())
    return worst
""",
    ),
    Wrong(
        "leaks",
        "always_false",
        "Your function says False to every attention: it looks at no output after a change. Compare the rows before and after.",
        """
def leaks(attention, X):
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] = 5.0
        after = attention(X)
        if not np.array_equal(after[: t + 1], before[: t + 1]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "tiny_tolerance",
        "A faint leak slips through: you compare with a tolerance. Any change counts, however small: use np.array_equal.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(1)
    before = np.asarray(attention(X))
    changes = [0.0]
    for t in range(1, len(X)):
        other = np.concatenate([X[:t], X[t:] + 1 + rng.random(X[t:].shape)])
        changes.append(np.abs(attention(other)[:t] - before[:t]).max())
    return max(changes) > 1e-13
""",
    ),
    Wrong(
        "leaks",
        "tiny_change",
        "Your changes are too small: a faint leak, or an attention that rounds, does not notice them. Replace tokens by numbers of size 1.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] += 1e-8 * rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "starts_at_one",
        "Your cuts start too late: a leak from the second token into the first is not seen. t starts at 0.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(1, len(X) - 1):
        other = X.copy()
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "stops_too_early",
        "Your cuts end too early: a leak from the last token into the one before it is not seen. The last t is n - 2.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 2):
        other = X.copy()
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "last_feature_only",
        "You changed the last feature only. A leak through another feature is not seen: change the whole token.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:, -1] += 1.7 + t
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "first_column_only",
        "You compared the first output column only. Compare whole rows.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1, 0], before[: t + 1, 0]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "last_column_only",
        "You compared the last output column only. Compare whole rows.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1, -1], before[: t + 1, -1]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "copies_first_token",
        "You replaced tokens by copies of another token of X. Where all tokens are alike nothing changes, and no leak is seen. Draw new numbers.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] = X[0]
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "row_t_left_out",
        "Row t itself may not move either: compare [: t + 1].",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[:t], before[:t]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "changes_x_forward",
        "You changed the caller's X: other = X is the same array under another name. Take X.copy().",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1]):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "no_seed",
        "your changes are random without a seed",
        """
def leaks(attention, X):
    rng = np.random.default_rng()
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1]):
            return True
    return False
""",
        unnamed=True,
    ),
    Right(
        "leaks",
        "token_by_token",
        """
def leaks(attention, X):
    before = attention(X)
    for j in range(1, len(X)):
        other = X.copy()
        other[j] = np.random.default_rng(j).uniform(1, 3, size=X.shape[1]) - X[j]
        if (attention(other)[:j] != before[:j]).any():
            return True
    return False
""",
    ),
    Right(
        "leaks",
        "global_seed",
        """
def leaks(attention, X):
    np.random.seed(0)
    before = attention(X)
    for t in range(1, len(X)):
        other = X.copy()
        other[t:] = np.random.randn(*X[t:].shape)
        if np.abs(attention(other)[:t] - before[:t]).max() > 0:
            return True
    return False
""",
    ),
    Right(
        "leaks",
        "every_pair",
        """
def leaks(attention, X):
    rng = np.random.default_rng(7)
    n, d = X.shape
    moved = np.zeros((n, n), dtype=bool)
    for j in range(n):
        other = X.copy()
        other[j] += rng.normal(size=d)
        moved[:, j] = (attention(other) != attention(X)).any(axis=1)
    return bool(np.triu(moved, k=1).any())
""",
    ),
    Right(
        "leaks",
        "no_random_numbers",
        """
def leaks(attention, X):
    n, d = X.shape
    step = np.sin(1.0 + np.arange(n * d).reshape(n, d) ** 1.5) + 2 * np.cos(np.arange(d))
    return any(
        not np.array_equal(attention(np.where(np.arange(n)[:, None] > t, X + step, X))[: t + 1], attention(X)[: t + 1])
        for t in range(n - 1)
    )
""",
    ),
    Right(
        "leaks",
        "numpy_bool",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before, found = attention(X), np.bool_(False)
    for t in reversed(range(len(X))):
        other = X.copy()
        other[t + 1 :] = 3 * rng.normal(size=other[t + 1 :].shape) + 1
        found |= np.any(attention(other)[: t + 1] != before[: t + 1])
    return found
""",
    ),
]
