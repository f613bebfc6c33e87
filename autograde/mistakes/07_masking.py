"""Chapter 7: what learners write for the masks, the bracket head and the leak test, wrong and right."""

from autograde.mistakes import Right, Wrong

CATALOGUE = [
    # ------------------------------------------------------------ causal_mask
    Wrong(
        "causal_mask",
        "queries_first",
        "With more keys than queries, you took the queries as the first positions. They are the last: a single new query stands at position n_k and sees every key.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.tri(n_q, n_k, dtype=bool)
""",
    ),
    Wrong(
        "causal_mask",
        "triu",
        "Your triangle is the upper one: each query sees itself and what comes after it, not the past. Key j is permitted where its position is at most that of the query.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.triu(np.ones((n_q, n_k), dtype=bool), k=n_k - n_q)
""",
    ),
    Wrong(
        "causal_mask",
        "triu_square",
        "Your triangle is the upper one: each query sees itself and what comes after it, not the past. Key j is permitted where its position is at most that of the query.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.triu(np.ones((n_q, n_k), dtype=bool))
""",
    ),
    Wrong(
        "causal_mask",
        "inverted",
        "Your mask is inverted: True stands where the future is. In this course True = may attend.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.triu(np.ones((n_q, n_k), dtype=bool), k=n_k - n_q + 1)
""",
    ),
    Wrong(
        "causal_mask",
        "blind_to_itself",
        "The query itself is blocked: no token sees itself, and the first of all sees nothing. It is j <= i, with the equals sign.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.arange(n_k) < np.arange(n_k - n_q, n_k)[:, None]
""",
    ),
    Wrong(
        "causal_mask",
        "one_ahead",
        "Each query sees one position too many, the next token, which is the one it must guess.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.tri(n_q, n_k, k=n_k - n_q + 1, dtype=bool)
""",
    ),
    Wrong(
        "causal_mask",
        "offset_too_large",
        "Square masks are right; with more keys than queries each query but the last sees one position too many. Without n_k the first query stands at position 1; where does it stand among n_k?",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.tri(n_q, n_k, k=n_k - n_q + (n_k > n_q), dtype=bool)
""",
    ),
    Wrong(
        "causal_mask",
        "offset_too_small",
        "Square masks are right; with more keys than queries each query sees one position too few, and the last does not see itself.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.tri(n_q, n_k, k=n_k - n_q - (n_k > n_q), dtype=bool)
""",
    ),
    Wrong(
        "causal_mask",
        "offset_by_n_k",
        "With more keys than queries, every query sees all keys: your offset is too large. The first query stands at position n_k - n_q + 1, counted from 1.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.tri(n_q, n_k, k=0 if n_k == n_q else n_k, dtype=bool)
""",
    ),
    Wrong(
        "causal_mask",
        "offset_of_the_other_sign",
        "Square masks are right; with more keys than queries everything is blocked. Perhaps your offset has the other sign: it is n_k - n_q.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.tri(n_q, n_k, k=n_q - n_k, dtype=bool)
""",
    ),
    Wrong(
        "causal_mask",
        "ignores_n_k",
        "Your mask has n_q columns whatever n_k is. There is one column for each key.",
        """
def causal_mask(n_q, n_k=None):
    return np.tri(n_q, dtype=bool)
""",
    ),
    Wrong(
        "causal_mask",
        "all_positions",
        "Your mask has n_k rows. Only the last n_q positions ask: one row for each query.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.tri(n_k, dtype=bool)
""",
    ),
    Wrong(
        "causal_mask",
        "transposed_shape",
        "Your mask has n_k rows and n_q columns. Rows are queries, columns are keys.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.tri(n_k, n_q, k=n_q - n_k, dtype=bool)
""",
    ),
    Wrong(
        "causal_mask",
        "new_columns_blocked",
        "With more keys than queries, you took the queries as the first positions. They are the last: a single new query stands at position n_k and sees every key.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.hstack([np.tri(n_q, dtype=bool), np.zeros((n_q, n_k - n_q), dtype=bool)])
""",
    ),
    Wrong(
        "causal_mask",
        "numbers",
        "You returned numbers 0 and 1. The right places, but a mask is boolean: add dtype=bool.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.tri(n_q, n_k, k=n_k - n_q)
""",
    ),
    Wrong(
        "causal_mask",
        "additive",
        "You returned the additive form, 0 and -inf, to be added to scores. Here a mask is boolean, True = may attend.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.where(np.tri(n_q, n_k, k=n_k - n_q, dtype=bool), 0.0, -np.inf)
""",
    ),
    Wrong(
        "causal_mask",
        "additive_finite",
        "You returned numbers to be added to scores, 0 and -1e9. Here a mask is boolean, True = may attend.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.triu(np.full((n_q, n_k), -1e9), k=n_k - n_q + 1)
""",
    ),
    Wrong(
        "causal_mask",
        "itself_only",
        "Only the query itself is True: it sees no past. Everything to the left of it is permitted too.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.eye(n_q, n_k, k=n_k - n_q, dtype=bool)
""",
    ),
    Wrong(
        "causal_mask",
        "all_permitted",
        "Everything is True: this mask blocks nothing. (If you called np.tril or np.where: they return a new array.)",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    mask = np.ones((n_q, n_k), dtype=bool)
    np.tril(mask)
    return mask
""",
    ),
    Wrong(
        "causal_mask",
        "extra_axis",
        "The numbers are right, the shape is not: return (n_q, n_k) without leading axes. Broadcasting adds them.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.tri(n_q, n_k, k=n_k - n_q, dtype=bool)[None]
""",
    ),
    Wrong(
        "causal_mask",
        "previous_only",
        "Each query sees itself and one before it only. All earlier tokens are permitted.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    i, j = np.arange(n_k - n_q, n_k)[:, None], np.arange(n_k)
    return (j <= i) & (j >= i - 1)
""",
    ),
    Wrong(
        "causal_mask",
        "flipped",
        "Your rows are mirrored: each has the right number of permitted keys, counted from the right end. Keys start at the left.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.tri(n_q, n_k, k=n_k - n_q, dtype=bool)[:, ::-1]
""",
    ),
    Wrong(
        "causal_mask",
        "no_return",
        "Your function returns nothing: end it with a return.",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    mask = np.tri(n_q, n_k, k=n_k - n_q, dtype=bool)
""",
    ),
    Right(
        "causal_mask",
        "tri",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.tri(n_q, n_k, k=n_k - n_q, dtype=bool)
""",
    ),
    Right(
        "causal_mask",
        "last_rows_of_the_square",
        """
def causal_mask(n_q, n_k=None):
    return np.tri(n_k or n_q, dtype=bool)[-n_q:]
""",
    ),
    Right(
        "causal_mask",
        "not_triu",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return ~np.triu(np.ones((n_q, n_k), dtype=bool), k=n_k - n_q + 1)
""",
    ),
    Right(
        "causal_mask",
        "loops",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return [[j - n_k <= i - n_q for j in range(n_k)] for i in range(n_q)]
""",
    ),
    Right(
        "causal_mask",
        "row_by_row",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        mask[i, : n_k - n_q + i + 1] = True
    return mask
""",
    ),
    Right(
        "causal_mask",
        "hstack",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    kept = np.ones((n_q, n_k - n_q), dtype=bool)
    return np.hstack([kept, np.tri(n_q, dtype=bool)])
""",
    ),
    Right(
        "causal_mask",
        "outer",
        """
def causal_mask(n_q, n_k=None):
    n_k = n_q if n_k is None else n_k
    return np.greater_equal.outer(np.arange(1, n_q + 1) + n_k - n_q, np.arange(1, n_k + 1))
""",
    ),
    # ------------------------------------------------------------ padding_mask
    Wrong(
        "padding_mask",
        "inverted",
        "Your mask is inverted: True stands on the pads. In this course True = may attend.",
        """
def padding_mask(lengths, n_k, side="right"):
    L = np.asarray(lengths)[:, None, None]
    return np.arange(n_k) < n_k - L if side == "left" else np.arange(n_k) >= L
""",
    ),
    Wrong(
        "padding_mask",
        "one_too_many",
        "One pad of each padded sentence is permitted. np.arange counts from 0, so with pads on the right key j is real when j < length, without the equals sign.",
        """
def padding_mask(lengths, n_k, side="right"):
    L = np.asarray(lengths)[:, None, None]
    return np.arange(n_k) >= n_k - L - 1 if side == "left" else np.arange(n_k) <= L
""",
    ),
    Wrong(
        "padding_mask",
        "one_too_many_right",
        "With pads on the right the first pad is permitted. np.arange counts from 0: key j is real when j < length, without the equals sign.",
        """
def padding_mask(lengths, n_k, side="right"):
    L = np.asarray(lengths)[:, None, None]
    return np.arange(n_k) >= n_k - L if side == "left" else np.arange(n_k) <= L
""",
    ),
    Wrong(
        "padding_mask",
        "one_too_few",
        "One real token of each sentence is blocked. np.arange counts from 0: with pads on the right key j is real when j < length.",
        """
def padding_mask(lengths, n_k, side="right"):
    L = np.asarray(lengths)[:, None, None]
    return np.arange(n_k) > n_k - L if side == "left" else np.arange(1, n_k + 1) < L
""",
    ),
    Wrong(
        "padding_mask",
        "left_one_too_few",
        "With pads on the left the first real token is blocked. Real keys are the last L of n_k: from n_k - L on, counted from 0, that one included.",
        """
def padding_mask(lengths, n_k, side="right"):
    L = np.asarray(lengths)[:, None, None]
    return np.arange(n_k) > n_k - L if side == "left" else np.arange(n_k) < L
""",
    ),
    Wrong(
        "padding_mask",
        "no_query_axis",
        "The query axis is missing: (batch, n_k) would be lined up with (n_q, n_k), and the batch taken for queries. Return (batch, 1, n_k).",
        """
def padding_mask(lengths, n_k, side="right"):
    L = np.asarray(lengths)[:, None]
    return np.arange(n_k) >= n_k - L if side == "left" else np.arange(n_k) < L
""",
    ),
    Wrong(
        "padding_mask",
        "rows",
        "Your shape is (batch, n_k, 1): there the lengths belong to the queries. Padding is a property of keys: (batch, 1, n_k).",
        """
def padding_mask(lengths, n_k, side="right"):
    L = np.asarray(lengths)[:, None, None]
    return np.arange(n_k)[:, None] >= n_k - L if side == "left" else np.arange(n_k)[:, None] < L
""",
    ),
    Wrong(
        "padding_mask",
        "batch_in_the_middle",
        "Your shape is (1, batch, n_k): the axis of length 1 stands first, and the batch where queries belong. Return (batch, 1, n_k).",
        """
def padding_mask(lengths, n_k, side="right"):
    L = np.asarray(lengths)[None, :, None]
    return np.arange(n_k) >= n_k - L if side == "left" else np.arange(n_k) < L
""",
    ),
    Wrong(
        "padding_mask",
        "square",
        "You repeated the mask for n_k queries yourself. Keep an axis of length 1, (batch, 1, n_k); broadcasting repeats it, also when there are not n_k queries.",
        """
def padding_mask(lengths, n_k, side="right"):
    L = np.asarray(lengths)[:, None, None]
    keys = np.arange(n_k) >= n_k - L if side == "left" else np.arange(n_k) < L
    return np.repeat(keys, n_k, axis=1)
""",
    ),
    Wrong(
        "padding_mask",
        "both_sides",
        "You blocked the rows of the pads as well. Only keys are masked; the queries need an axis of length 1.",
        """
def padding_mask(lengths, n_k, side="right"):
    L = np.asarray(lengths)[:, None]
    real = np.arange(n_k) >= n_k - L if side == "left" else np.arange(n_k) < L
    return real[:, :, None] & real[:, None, :]
""",
    ),
    Wrong(
        "padding_mask",
        "numbers",
        "You returned numbers 0 and 1. The right places, but a mask is boolean.",
        """
def padding_mask(lengths, n_k, side="right"):
    mask = np.zeros((len(lengths), 1, n_k))
    for b, length in enumerate(lengths):
        start = n_k - length if side == "left" else 0
        mask[b, 0, start : start + length] = 1
    return mask
""",
    ),
    Wrong(
        "padding_mask",
        "additive",
        "You returned the additive form, 0 and -inf. Here a mask is boolean, True = may attend.",
        """
def padding_mask(lengths, n_k, side="right"):
    L = np.asarray(lengths)[:, None, None]
    return np.where(np.arange(n_k) >= n_k - L, 0.0, -np.inf) if side == "left" else np.where(np.arange(n_k) < L, 0.0, -np.inf)
""",
    ),
    Wrong(
        "padding_mask",
        "ignores_n_k",
        "You used the longest length as the number of keys. There may be more keys: it is n_k.",
        """
def padding_mask(lengths, n_k, side="right"):
    n_k = max(lengths)
    L = np.asarray(lengths)[:, None, None]
    return np.arange(n_k) >= n_k - L if side == "left" else np.arange(n_k) < L
""",
    ),
    Wrong(
        "padding_mask",
        "side_ignored",
        'With side="left" your mask still permits the first keys. Pads on the left: the real tokens are the last ones.',
        """
def padding_mask(lengths, n_k, side="right"):
    return np.arange(n_k) < np.asarray(lengths)[:, None, None]
""",
    ),
    Wrong(
        "padding_mask",
        "sides_exchanged",
        "The two sides are exchanged: side says where the pads stand. Pads on the right: real tokens come first.",
        """
def padding_mask(lengths, n_k, side="right"):
    L = np.asarray(lengths)[:, None, None]
    return np.arange(n_k) < L if side == "left" else np.arange(n_k) >= n_k - L
""",
    ),
    Wrong(
        "padding_mask",
        "left_inverted",
        "With pads on the left your mask permits the pads and blocks the real tokens: they are the last L keys, not all from L on.",
        """
def padding_mask(lengths, n_k, side="right"):
    L = np.asarray(lengths)[:, None, None]
    return np.arange(n_k) < n_k - L if side == "left" else np.arange(n_k) < L
""",
    ),
    Wrong(
        "padding_mask",
        "left_from_the_length",
        "With pads on the left you permitted the keys from L on. The pads are n_k - L keys, so the real ones begin there.",
        """
def padding_mask(lengths, n_k, side="right"):
    L = np.asarray(lengths)[:, None, None]
    return np.arange(n_k) >= L if side == "left" else np.arange(n_k) < L
""",
    ),
    Wrong(
        "padding_mask",
        "minus_zero_left",
        "With pads on the left, a sentence of length 0 came out as all permitted. (A slice [-0:] is the whole row.) It has no real token: its whole row is False.",
        """
def padding_mask(lengths, n_k, side="right"):
    mask = np.zeros((len(lengths), 1, n_k), dtype=bool)
    for b, length in enumerate(lengths):
        if side == "left":
            mask[b, 0, -length:] = True
        else:
            mask[b, 0, :length] = True
    return mask
""",
    ),
    Wrong(
        "padding_mask",
        "minus_zero_right",
        "With pads on the right, a sentence without pads is all blocked. (With 0 pads, the slice [-0:] is the whole row.) It has no pad: its whole row is True.",
        """
def padding_mask(lengths, n_k, side="right"):
    mask = np.ones((len(lengths), 1, n_k), dtype=bool)
    for b, length in enumerate(lengths):
        if side == "left":
            mask[b, 0, : n_k - length] = False
        else:
            mask[b, 0, -(n_k - length):] = False
    return mask
""",
    ),
    Wrong(
        "padding_mask",
        "zero_means_full",
        "A sentence of length 0 came out as all permitted. It has no real token: its whole row is False.",
        """
def padding_mask(lengths, n_k, side="right"):
    L = np.array([length or n_k for length in lengths])[:, None, None]
    return np.arange(n_k) >= n_k - L if side == "left" else np.arange(n_k) < L
""",
    ),
    Right(
        "padding_mask",
        "loops",
        """
def padding_mask(lengths, n_k, side="right"):
    return [[[(j >= n_k - L if side == "left" else j < L) for j in range(n_k)]] for L in lengths]
""",
    ),
    Right(
        "padding_mask",
        "filled",
        """
def padding_mask(lengths, n_k, side="right"):
    mask = np.zeros((len(lengths), 1, n_k), dtype=bool)
    for b, length in enumerate(lengths):
        start = n_k - length if side == "left" else 0
        mask[b, :, start : start + length] = True
    return mask
""",
    ),
    Right(
        "padding_mask",
        "flipped",
        """
def padding_mask(lengths, n_k, side="right"):
    mask = np.arange(n_k) < np.reshape(lengths, (-1, 1, 1))
    return mask if side == "right" else mask[..., ::-1]
""",
    ),
    Right(
        "padding_mask",
        "rows_of_a_triangle",
        """
def padding_mask(lengths, n_k, side="right"):
    mask = np.tri(n_k + 1, n_k, k=-1, dtype=bool)[np.asarray(lengths)][:, None, :]
    return np.flip(mask, -1) if side == "left" else mask
""",
    ),
    Right(
        "padding_mask",
        "outer",
        """
def padding_mask(lengths, n_k, side="right"):
    place = np.arange(n_k)[::-1] if side == "left" else np.arange(n_k)
    return np.expand_dims(np.greater.outer(np.asarray(lengths), place), 1)
""",
    ),
    # ------------------------------------------------------------ bracket_head
    Wrong(
        "bracket_head",
        "all_alike",
        "All brackets have the same score, so they share the weight. The latest must win: its key has to grow with its place.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.full((n, 1), -1.0)
    K[0] = 0.0
    for j, token in enumerate(tokens):
        if token == "(":
            K[j] = 1.0
    return np.full((n, 1), 20.0), K
""",
    ),
    Wrong(
        "bracket_head",
        "earliest_wins",
        "The earliest bracket wins. Its key has to grow with its place, not fall.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.full((n, 1), -1.0)
    K[0] = 0.0
    for j, token in enumerate(tokens):
        if token == "(":
            K[j] = n - j
    return np.full((n, 1), 20.0), K
""",
    ),
    Wrong(
        "bracket_head",
        "start_ties",
        "Without a bracket the start shares the weight evenly with the other tokens: their scores are equal. The start must stand above everything that is no bracket.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.array([[j * (token == "(")] for j, token in enumerate(tokens)], dtype=float)
    return np.full((n, 1), 20.0), K
""",
    ),
    Wrong(
        "bracket_head",
        "start_below",
        "The start gets less than other tokens that are no bracket. It must stand above them, and below every bracket.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.array([[j * (token == "(")] for j, token in enumerate(tokens)], dtype=float)
    K[0] = -1.0
    return np.full((n, 1), 20.0), K
""",
    ),
    Wrong(
        "bracket_head",
        "latest_token_wins",
        "Each query looks at itself, bracket or not: keys of other tokens may not grow with their place.",
        """
def bracket_head(tokens):
    n = len(tokens)
    return np.full((n, 1), 20.0), np.arange(n, dtype=float)[:, None]
""",
    ),
    Wrong(
        "bracket_head",
        "start_wins",
        "The start gets the weight even after a bracket. Its score must lie below that of every bracket.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.full((n, 1), -1.0)
    for j, token in enumerate(tokens):
        if token == "(":
            K[j] = j
    K[0] = n
    return np.full((n, 1), 20.0), K
""",
    ),
    Wrong(
        "bracket_head",
        "too_soft",
        "The right token wins, and does not get 0.9: the leads are too small. Multiply the queries (or the keys) by a larger number.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.full((n, 1), -1.0)
    K[0] = 0.0
    for j, token in enumerate(tokens):
        if token == "(":
            K[j] = j
    return np.full((n, 1), 1.0), K
""",
    ),
    Wrong(
        "bracket_head",
        "too_soft_2",
        "The right token wins, and does not get 0.9: the leads are too small. Multiply the queries (or the keys) by a larger number.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.full((n, 1), -1.0)
    K[0] = 0.0
    for j, token in enumerate(tokens):
        if token == "(":
            K[j] = j
    return np.full((n, 1), 2.0), K
""",
    ),
    Wrong(
        "bracket_head",
        "soft_for_long_texts",
        "In short texts the right token gets 0.9, in a long text without a bracket the start does not: many small rivals add up. The lead must be large enough for 500 of them.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.full((n, 1), -1.0)
    K[0] = 0.0
    for j, token in enumerate(tokens):
        if token == "(":
            K[j] = j
    return np.full((n, 1), 5.0), K
""",
    ),
    Wrong(
        "bracket_head",
        "over_n",
        "In a longer text the latest bracket leads by too little: are places divided by n in your keys? Two brackets side by side must differ by a fixed step, whatever n is.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.array([[j / n if token == "(" else -1.0] for j, token in enumerate(tokens)])
    K[0] = 0.0
    return np.full((n, 1), 20.0), K
""",
    ),
    Wrong(
        "bracket_head",
        "only_brackets_ask",
        "Tokens that are neither bracket nor start spread their weight evenly: their query is 0, or meets 0 in every key. Every position must ask the same.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.full((n, 1), -1.0)
    K[0] = 0.0
    for j, token in enumerate(tokens):
        if token == "(":
            K[j] = j
    Q = np.array([[20.0 * (token == "(")] for token in tokens])
    return Q, K
""",
    ),
    Wrong(
        "bracket_head",
        "exchanged",
        "Every query spreads its weight evenly over what it sees: all its scores are equal. Either your keys are all alike, or your queries are zero, or you returned K before Q.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.full((n, 1), -1.0)
    K[0] = 0.0
    for j, token in enumerate(tokens):
        if token == "(":
            K[j] = j
    return K, np.full((n, 1), 20.0)
""",
    ),
    Wrong(
        "bracket_head",
        "wrong_sign",
        "Your head looks away from what it should find: the score is the product of query and key, and one of the two has the wrong sign.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.full((n, 1), -1.0)
    K[0] = 0.0
    for j, token in enumerate(tokens):
        if token == "(":
            K[j] = j
    return np.full((n, 1), -20.0), K
""",
    ),
    Wrong(
        "bracket_head",
        "closing_bracket",
        'Your head looks for the latest closing bracket. It is the opening one, "(".',
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.full((n, 1), -1.0)
    K[0] = 0.0
    for j, token in enumerate(tokens):
        if token == ")":
            K[j] = j
    return np.full((n, 1), 20.0), K
""",
    ),
    Wrong(
        "bracket_head",
        "n_columns",
        "Q and K are too wide: one or two columns are allowed, not one for each token.",
        """
def bracket_head(tokens):
    n = len(tokens)
    target = [max(0, tokens[: i + 1].rfind("(")) for i in range(n)]
    return 30.0 * np.sqrt(n) * np.eye(n)[target], np.eye(n)
""",
    ),
    Wrong(
        "bracket_head",
        "flat",
        "Q and K must be tables, (n, 1) or (n, 2). Vectors of shape (n,) have no feature axis.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.full(n, -1.0)
    K[0] = 0.0
    for j, token in enumerate(tokens):
        if token == "(":
            K[j] = j
    return np.full(n, 20.0), K
""",
    ),
    Wrong(
        "bracket_head",
        "looks_it_up",
        "A row of Q or K changes when another token changes. Row i may depend on token i, on i and on n: a head does not know where the bracket is, it has to find it.",
        """
def bracket_head(tokens):
    n = len(tokens)
    target = [max(0, tokens[: i + 1].rfind("(")) for i in range(n)]
    Q = np.array([[50.0 * j, 50.0] for j in target])
    return Q, np.array([[j, -j * j / 2] for j in range(n)])
""",
    ),
    Wrong(
        "bracket_head",
        "fixed_sharpness_200",
        "In short texts the right token gets 0.9, in a long text without a bracket the start does not: many small rivals add up. The lead must be large enough for 500 of them.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.array([[j if token == "(" else -1.0] for j, token in enumerate(tokens)])
    K[0] = 0.0
    return np.full((n, 1), 7.8), K
""",
    ),
    Wrong(
        "bracket_head",
        "counts_brackets",
        "A row of Q or K changes when another token changes. Row i may depend on token i, on i and on n: a head does not know where the bracket is, it has to find it.",
        """
def bracket_head(tokens):
    n, count = len(tokens), 0
    K = np.zeros((n, 1))
    K[0] = 10.0
    for j, token in enumerate(tokens):
        if token == "(":
            count += 1
            K[j] = 10.0 * (count + 1)
    return np.ones((n, 1)), K
""",
    ),
    Wrong(
        "bracket_head",
        "first_bracket_ties",
        "A bracket at position 2 ties with the start. Its score must lie above that of the start, wherever it stands.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.zeros((n, 1))
    K[0] = 10.0
    for j, token in enumerate(tokens):
        if token == "(":
            K[j] = 10.0 * j
    return np.ones((n, 1)), K
""",
    ),
    Wrong(
        "bracket_head",
        "leads_over_n",
        "In a longer text the latest bracket leads by too little: are places divided by n in your keys? Two brackets side by side must differ by a fixed step, whatever n is.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.zeros((n, 1))
    K[0] = 10.0
    for j, token in enumerate(tokens):
        if token == "(":
            K[j] = 20.0 + 20.0 * j / n
    return np.ones((n, 1)), K
""",
    ),
    Wrong(
        "bracket_head",
        "keys_twice",
        "Tokens that are neither bracket nor start spread their weight evenly: their query is 0, or meets 0 in every key. Every position must ask the same.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.zeros((n, 1))
    K[0] = 10.0
    for j, token in enumerate(tokens):
        if token == "(":
            K[j] = 20.0 * (j + 1)
    return K, K
""",
    ),
    Wrong(
        "bracket_head",
        "keys_alone",
        "What you returned is not a pair of tables. End with return Q, K.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.full((n, 1), -1.0)
    K[0] = 0.0
    for j, token in enumerate(tokens):
        if token == "(":
            K[j] = j
    return K
""",
    ),
    Wrong(
        "bracket_head",
        "returns_nothing",
        "Your function returns nothing: end it with return Q, K.",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.full((n, 1), -1.0)
    K[0] = 0.0
    for j, token in enumerate(tokens):
        if token == "(":
            K[j] = j
    Q = np.full((n, 1), 20.0)
""",
    ),
    Right(
        "bracket_head",
        "two_features",
        """
def bracket_head(tokens):
    n = len(tokens)
    is_open = np.array([t == "(" for t in tokens], dtype=float)
    start = np.arange(n) == 0
    K = np.stack([is_open * np.arange(n), is_open + 0.5 * start], axis=1)
    return np.full((n, 2), 60.0), K
""",
    ),
    Right(
        "bracket_head",
        "sharpness_from_n",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = [[j if t == "(" else 0.0 if j == 0 else -1.0] for j, t in enumerate(tokens)]
    return [[np.log(30.0 * n) + 2]] * n, K
""",
    ),
    Right(
        "bracket_head",
        "single_precision",
        """
def bracket_head(tokens):
    n = len(tokens)
    K = np.full((n, 1), -1, dtype=np.float32)
    K[0] = 0
    for j, token in enumerate(tokens):
        if token == "(":
            K[j] = j
    return np.full((n, 1), 25, dtype=np.float32), K
""",
    ),
    Right(
        "bracket_head",
        "loud_keys",
        """
def bracket_head(tokens):
    n = len(tokens)
    place = np.arange(n)
    key = np.where(np.array(list(tokens)) == "(", 100.0 + 50 * place, 0.0)
    key[0] = 50.0
    return np.ones((n, 1)), key[:, None]
""",
    ),
    Right(
        "bracket_head",
        "negative_scores",
        """
def bracket_head(tokens):
    n = len(tokens)
    place = np.arange(n)
    key = np.where([t == "(" for t in tokens], n - place, 3 * n)
    key[0] = 2 * n
    return np.full((n, 1), -15), key[:, None]
""",
    ),
    # ------------------------------------------------------------ leaks
    Wrong(
        "leaks",
        "own_row_compared",
        "Your function raises the alarm at functions of the past alone. Compare only the rows at or before t with the same rows of the unchanged run, and replace only tokens after t.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = np.array(X, dtype=float)
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other), before, equal_nan=True):
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
        other = np.array(X, dtype=float)
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.allclose(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
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
    other = np.array(X, dtype=float)
    other[half:] = np.random.default_rng(0).normal(size=other[half:].shape)
    return not np.array_equal(attention(other)[:half], attention(X)[:half], equal_nan=True)
""",
    ),
    Wrong(
        "leaks",
        "one_cut_after_the_middle",
        "You do not try every cut, so some leaks are not seen: t runs from 0 to n - 2, one by one.",
        """
def leaks(attention, X):
    t = len(X) // 2
    other = np.array(X, dtype=float)
    other[t + 1:] = np.random.default_rng(0).normal(size=other[t + 1:].shape)
    return not np.array_equal(attention(other)[: t + 1], attention(X)[: t + 1], equal_nan=True)
""",
    ),
    Wrong(
        "leaks",
        "last_row_only",
        "You looked only at the row just before the last token. A leak into an earlier row is not seen: compare all rows up to t, for every t.",
        """
def leaks(attention, X):
    other = np.array(X, dtype=float)
    other[-1] = np.random.default_rng(0).normal(size=X.shape[1])
    return not np.array_equal(attention(other)[-2], attention(X)[-2], equal_nan=True)
""",
    ),
    Wrong(
        "leaks",
        "last_token_only",
        "You changed the last token only. A leak from a token in the middle is not seen: try every t.",
        """
def leaks(attention, X):
    other = np.array(X, dtype=float)
    other[-1] = np.random.default_rng(0).normal(size=X.shape[1])
    return not np.array_equal(attention(other)[:-1], attention(X)[:-1], equal_nan=True)
""",
    ),
    Wrong(
        "leaks",
        "first_row_only",
        "Only leaks into the first output row are found. Compare all rows up to t, for every t; one difference is enough.",
        """
def leaks(attention, X):
    other = np.array(X, dtype=float)
    other[1:] = np.random.default_rng(0).normal(size=other[1:].shape)
    return not np.array_equal(attention(other)[0], attention(X)[0], equal_nan=True)
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
        other = np.array(X, dtype=float)
        other[t + 1] = rng.normal(size=X.shape[1])
        if not np.array_equal(attention(other)[t], before[t], equal_nan=True):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "reversed_order",
        "You only put the later tokens into another order. A head without positions adds up the same values either way (up to rounding), and a single last token stays as it is. Replace the tokens.",
        """
def leaks(attention, X):
    before = attention(X)
    for t in range(len(X) - 1):
        other = np.array(X, dtype=float)
        other[t + 1:] = other[t + 1:][::-1]
        if not np.allclose(attention(other)[: t + 1], before[: t + 1], rtol=0, atol=1e-12, equal_nan=True):
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
        other = np.array(X, dtype=float)
        other[t + 1:] = 0
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
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
        other = np.array(X, dtype=float)
        other[t + 1:] = other[t + 1:] + 1.0
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
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
        other = np.array(X, dtype=float)
        other[t + 1:] = 2 * other[t + 1:]
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
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
        other = np.array(X, dtype=float)
        other[t + 1:, 0] = other[t + 1:, 0] + 2.7 + t
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
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
            other = np.array(X, dtype=float)
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
        if not np.allclose(after, before[:t], rtol=0, atol=1e-12, equal_nan=True):
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
        other = np.array(X, dtype=float)
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
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
        other = np.array(X, dtype=float)
        other[:t] = rng.normal(size=other[:t].shape)
        if not np.array_equal(attention(other)[t:], before[t:], equal_nan=True):
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
        other = np.array(X, dtype=float)
        other[t + 1] = rng.normal(size=X.shape[1])
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
            return True
        else:
            return False
    return False
""",
    ),
    Wrong(
        "leaks",
        "changes_x",
        "You changed the caller's X. Write into a copy: np.array(X, dtype=float).",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 2, -1, -1):
        other = X
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
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
        other = np.array(X, dtype=float)
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        worst = max(worst, np.nan_to_num(np.abs(attention(other)[: t + 1] - before[: t + 1])).max())
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
        other = np.array(X, dtype=float)
        other[t + 1:] = 5.0
        after = attention(X)
        if not np.array_equal(after[: t + 1], before[: t + 1], equal_nan=True):
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
        changes.append(np.nan_to_num(np.abs(attention(other)[:t] - before[:t])).max())
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
        other = np.array(X, dtype=float)
        other[t + 1:] += 1e-8 * rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
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
        other = np.array(X, dtype=float)
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "stops_too_early",
        "A leak from the last token into the one before it is not seen. Either your cuts end too early (the last t is n - 2), or your change left the last token as it was (a permutation can).",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 2):
        other = np.array(X, dtype=float)
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
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
        other = np.array(X, dtype=float)
        other[t + 1:, -1] = other[t + 1:, -1] + 2.7 + t
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
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
        other = np.array(X, dtype=float)
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1, 0], before[: t + 1, 0], equal_nan=True):
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
        other = np.array(X, dtype=float)
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1, -1], before[: t + 1, -1], equal_nan=True):
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
        other = np.array(X, dtype=float)
        other[t + 1:] = X[0]
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
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
        other = np.array(X, dtype=float)
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[:t], before[:t], equal_nan=True):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "changes_x_forward",
        "You changed the caller's X. Write into a copy: np.array(X, dtype=float).",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "nan_alarm",
        "A row that is NaN before and after sets off your alarm: NaN is not equal to itself. Compare with np.array_equal(..., equal_nan=True).",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = np.array(X, dtype=float)
        other[t + 1 :] = rng.normal(size=other[t + 1 :].shape)
        if (attention(other)[: t + 1] != before[: t + 1]).any():
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "nan_hides",
        "A row of NaN hides a leak in another row: the largest of numbers and NaN is NaN, and NaN > 0 is False. Use np.array_equal(..., equal_nan=True).",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = np.array(X, dtype=float)
        other[t + 1 :] = rng.normal(size=other[t + 1 :].shape)
        if np.abs(attention(other)[: t + 1] - before[: t + 1]).max() > 0:
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "truncated_input",
        "You compared with a shorter input. An attention may depend on the number of tokens without looking at later ones, and rounds differently at another length: keep the shape of X.",
        """
def leaks(attention, X):
    before = attention(X)
    for t in range(1, len(X)):
        if not np.array_equal(attention(X[:t]), before[:t], equal_nan=True):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "truncated_last_row",
        "You compared with a shorter input. An attention may depend on the number of tokens without looking at later ones: keep the shape of X.",
        """
def leaks(attention, X):
    before = attention(X)
    return any(
        not np.allclose(attention(X[:t])[-1], before[t - 1], equal_nan=True) for t in range(1, len(X))
    )
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
        other = np.array(X, dtype=float)
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
            return True
    return False
""",
        unnamed=True,
    ),
    Wrong(
        "leaks",
        "off_by_one",
        "Your function raises the alarm at functions of the past alone. Compare only the rows at or before t with the same rows of the unchanged run, and replace only tokens after t.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = np.array(X, dtype=float)
        other[t:] = rng.normal(size=other[t:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "off_by_one_from_1",
        "Your function raises the alarm at functions of the past alone. Compare only the rows at or before t with the same rows of the unchanged run, and replace only tokens after t.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(1, len(X)):
        other = np.array(X, dtype=float)
        other[t:] = rng.normal(size=other[t:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "off_by_one_all",
        "Your function raises the alarm at every attention, at functions of the past alone and at a single token, too. Compare only rows before the first token that you replaced.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X)):
        other = np.array(X, dtype=float)
        other[t:] = rng.normal(size=other[t:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "reversed_exactly",
        "You only put the later tokens into another order. A head without positions adds up the same values either way (up to rounding), and a single last token stays as it is. Replace the tokens.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = np.array(X, dtype=float)
        other[t + 1:] = other[t + 1:][::-1].copy()
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "nan_bit_for_bit",
        "You put NaN into the later tokens. 0 times NaN is NaN, so a proper mask looks like a leak too. Use finite numbers.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = np.array(X, dtype=float)
        other[t + 1:] = np.nan
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "numbers_permuted",
        "A token of zeros stays as it is under your change, and its leak is not seen. Replace tokens by other numbers.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = np.array(X, dtype=float)
        other[t + 1:] = rng.permutation(other[t + 1:].ravel()).reshape(other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "numbers_permuted_last_unmoved",
        "A leak from the last token into the one before it is not seen. Either your cuts end too early (the last t is n - 2), or your change left the last token as it was (a permutation can).",
        """
def leaks(attention, X):
    rng = np.random.default_rng(9)
    before = attention(X)
    for t in range(len(X) - 1):
        other = np.array(X, dtype=float)
        other[t + 1:] = rng.permutation(other[t + 1:].ravel()).reshape(other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "whole_number_copy_0",
        "Tokens of zeros stayed zeros under your change. Either your copy holds whole numbers where X does, and cuts off what you write into it (copy with np.array(X, dtype=float)), or your new numbers can be 0.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(0)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "whole_number_copy_3",
        "Tokens of zeros stayed zeros under your change. Either your copy holds whole numbers where X does, and cuts off what you write into it (copy with np.array(X, dtype=float)), or your new numbers can be 0.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(3)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "whole_number_copy_4",
        "Tokens of zeros stayed zeros under your change. Either your copy holds whole numbers where X does, and cuts off what you write into it (copy with np.array(X, dtype=float)), or your new numbers can be 0.",
        """
def leaks(attention, X):
    rng = np.random.default_rng(4)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
            return True
    return False
""",
    ),
    Wrong(
        "leaks",
        "whole_number_copy_6",
        "A leak must be found when the tokens are whole numbers 0, too",
        """
def leaks(attention, X):
    rng = np.random.default_rng(6)
    before = attention(X)
    for t in range(len(X) - 1):
        other = X.copy()
        other[t + 1:] = rng.normal(size=other[t + 1:].shape)
        if not np.array_equal(attention(other)[: t + 1], before[: t + 1], equal_nan=True):
            return True
    return False
""",
        unnamed=True,
    ),
    Right(
        "leaks",
        "row_t_at_cut_t",
        """
def leaks(attention, X):
    rng = np.random.default_rng(3)
    before = attention(X)
    for t in range(len(X) - 1):
        other = np.array(X, dtype=float)
        other[t + 1 :] = rng.uniform(-2, 2, size=other[t + 1 :].shape)
        if not np.array_equal(attention(other)[t], before[t], equal_nan=True):
            return True
    return False
""",
    ),
    Right(
        "leaks",
        "token_by_token",
        """
def leaks(attention, X):
    before = attention(X)
    for j in range(1, len(X)):
        other = np.array(X, dtype=float)
        other[j] = np.random.default_rng(j).uniform(1, 3, size=X.shape[1]) - X[j]
        if not np.array_equal(attention(other)[:j], before[:j], equal_nan=True):
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
        other = np.array(X, dtype=float)
        other[t:] = np.random.randn(*X[t:].shape)
        if np.nanmax(np.abs(np.nan_to_num(attention(other)[:t]) - np.nan_to_num(before[:t]))) > 0:
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
        other = np.array(X, dtype=float)
        other[j] += rng.normal(size=d)
        one, two = attention(other), attention(X)
        moved[:, j] = ((one != two) & ~(np.isnan(one) & np.isnan(two))).any(axis=1)
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
        not np.array_equal(attention(np.where(np.arange(n)[:, None] > t, X + step, X))[: t + 1], attention(X)[: t + 1], equal_nan=True)
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
        other = np.array(X, dtype=float)
        other[t + 1 :] = 3 * rng.normal(size=other[t + 1 :].shape) + 1
        found |= np.any(np.nan_to_num(attention(other)[: t + 1]) != np.nan_to_num(before[: t + 1]))
    return found
""",
    ),
]

# Leads that are too small, by other sharpnesses.
CATALOGUE += [
    Wrong(
        entry.exercise,
        f"{entry.name}_{sharpness}",
        entry.sentence,
        entry.code.replace(f"{like}.0), K", f"{sharpness}.0), K"),
    )
    for entry in CATALOGUE
    for name, like, sharpnesses in [("too_soft", 1, [3]), ("soft_for_long_texts", 5, [4, 6, 8])]
    for sharpness in sharpnesses
    if entry.name == name
]

# The likeliest ones once more, by learners who also forget that NaN counts as equal to NaN.
CATALOGUE += [
    Wrong(
        entry.exercise,
        f"{entry.name}_and_nan",
        entry.sentence + " (And NaN counts as equal to NaN: equal_nan=True.)",
        entry.code.replace(", equal_nan=True", ""),
    )
    for entry in CATALOGUE
    if entry.exercise == "leaks"
    and entry.name
    in {
        "allclose",
        "one_cut",
        "last_token_only",
        "set_to_zero",
        "all_features_alike",
        "returns_after_the_first_cut",
    }
]

# And some by learners whose copy holds whole numbers where X does.
CATALOGUE += [
    Wrong(
        entry.exercise,
        f"{entry.name}_and_whole_numbers",
        entry.sentence + " (And X may hold whole numbers: copy with np.array(X, dtype=float).)",
        entry.code.replace("np.array(X, dtype=float)", "X.copy()"),
    )
    for entry in CATALOGUE
    if entry.exercise == "leaks"
    and entry.name in {"allclose", "one_cut", "starts_at_one", "nan_alarm", "own_row_compared"}
]
