"""Chapter 12: what learners write for the sparse mask, the running state, the blind spot and the hash, wrong and right."""

from autograde.mistakes import Catalogue

CATALOGUE = Catalogue()
wrong, right = CATALOGUE.wrong, CATALOGUE.right


# ---------------------------------------------------------------- longformer_mask
MASK = """
def longformer_mask(n, reach, global_tokens=(), causal=False):
    place = np.arange(n)
    distance = place[:, None] - place
    mask = np.abs(distance) <= reach
    chosen = np.isin(place, list(global_tokens))
    mask = mask | chosen | chosen[:, None]
    if causal:
        mask = mask & (distance >= 0)
    return mask
"""
WINDOW = "np.abs(distance) <= reach"
BOTH = "mask | chosen | chosen[:, None]"
for name, sentence, *swaps in [
    (
        "one_too_narrow",
        "Your window is one too narrow on each side: a query sees `reach` keys to each side beside its own, so the distance may be equal to reach.",
        (WINDOW, "np.abs(distance) < reach"),
    ),
    (
        "one_too_wide",
        "Your window is one too wide on each side: the distance is at most reach.",
        (WINDOW, "np.abs(distance) <= reach + 1"),
    ),
    (
        "reach_taken_as_full_width",
        "You shared `reach` out over both sides. It counts keys to each side.",
        (WINDOW, "np.abs(distance) <= reach // 2"),
    ),
    (
        "looks_back_only",
        "Your window looks back only. Without causal it goes to both sides.",
        (WINDOW, "(distance >= 0) & (distance <= reach)"),
    ),
    (
        "looks_ahead_only",
        "Your window looks ahead only. Without causal it goes to both sides; check which of the two positions is the query.",
        (WINDOW, "(distance <= 0) & (distance >= -reach)"),
    ),
    (
        "does_not_see_itself",
        "In your window a token does not see itself: the distance 0 belongs to it.",
        (WINDOW, "(np.abs(distance) <= reach) & (distance != 0)"),
    ),
    (
        "window_forgotten",
        "You left the window out: only global tokens are seen. Both belong into the mask.",
        ("mask = np.abs(distance) <= reach\n", "mask = distance > n\n"),
    ),
    (
        "no_absolute_value",
        "The lower left triangle of your mask is full, or the upper right: take the absolute value of the distance.",
        (WINDOW, "-distance <= reach"),
    ),
    (
        "round_the_corner",
        "Your window goes round the corner: the first token sees the last. A text has two ends.",
        (
            WINDOW,
            "np.minimum(np.abs(distance), n - np.abs(distance)) <= reach",
        ),
    ),
    (
        "rows_only",
        "Your global tokens see all, but are not seen by all: set their columns, too.",
        (BOTH, "mask | chosen[:, None]"),
    ),
    (
        "columns_only",
        "Your global tokens are seen by all, but do not see all: set their rows, too.",
        (BOTH, "mask | chosen"),
    ),
    (
        "crossings_only",
        "You set only the places where a global row meets a global column. The whole rows and the whole columns are True.",
        (BOTH, "mask | chosen & chosen[:, None]"),
    ),
    (
        "globals_ignored",
        "Your mask is the window alone: the global tokens are not in it.",
        (BOTH, "mask"),
    ),
    (
        "globals_counted_from_one",
        "You counted the global tokens from 1: they are array positions, counted from 0.",
        ("np.isin(place, list", "np.isin(place + 1, list"),
    ),
    (
        "first_global_only",
        "Only one of the global tokens is in your mask. All of them go in.",
        ("list(global_tokens)", "list(global_tokens)[:1]"),
    ),
    (
        "causal_ignored",
        "Your mask is the same with and without causal: with it, no query may see a later key.",
        ("distance >= 0)", "distance >= -n)"),
    ),
    (
        "causal_before_globals",
        "You blocked the future in the window, and then let the global tokens in: under causal their rows and columns must end at the diagonal as well. Block last.",
        (
            "    mask = np.abs(distance) <= reach\n",
            "    mask = np.abs(distance) <= reach\n    if causal:\n        mask = mask & (distance >= 0)\n",
        ),
        (
            "    if causal:\n        mask = mask & (distance >= 0)\n    return mask",
            "    return mask",
        ),
    ),
    (
        "causal_blocks_itself",
        "Under causal your query does not see its own key: later keys are blocked, its own is not.",
        ("mask & (distance >= 0)", "mask & (distance > 0)"),
    ),
    (
        "causal_upper_triangle",
        "Under causal you kept the future and blocked the past: row = query, column = key, and key may not be later than query.",
        ("mask & (distance >= 0)", "mask & (distance <= 0)"),
    ),
    (
        "always_causal",
        "You blocked the future without being asked: that is for causal=True only.",
        ("    if causal:\n        mask", "    if True:\n        mask"),
    ),
    (
        "inverted",
        "Your mask is inverted: True = may attend.",
        ("    return mask", "    return ~mask"),
    ),
    (
        "numbers",
        "You returned numbers 0 and 1. The right places, but a mask is boolean.",
        ("    return mask", "    return mask.astype(int)"),
    ),
    (
        "added_to_scores",
        "You returned numbers to be added to scores, 0 and minus infinity. Here a mask is boolean, True = may attend.",
        ("    return mask", "    return np.where(mask, 0.0, -np.inf)"),
    ),
    (
        "empty_tuple_selects_all",
        "Without global tokens all entries of your mask are True. If you wrote mask[global_tokens]: an empty tuple as an index selects everything; make a list of it.",
        (BOTH, "mask | chosen | chosen[:, None] | (len(list(global_tokens)) == 0)"),
    ),
    (
        "one_too_narrow_below",
        "On the side of the earlier keys your window is one too narrow. If you cut it out with np.tri and ~, the edge needs k=-reach - 1.",
        (WINDOW, "(distance < reach) & (distance >= -reach)"),
    ),
    (
        "rows_at_the_start_empty",
        "In the rows at the start your window is missing: if you cut a slice that begins at i - reach, a negative beginning counts from the end. Begin at 0 at the earliest.",
        (
            WINDOW,
            "(np.abs(distance) <= reach) & (place[:, None] >= reach)",
        ),
    ),
    (
        "globals_by_distance",
        "You treated the global tokens as if they were near everybody but gave them the window of a neighbour: their whole rows and columns are True.",
        (BOTH, "mask | (np.abs(distance) <= reach + 1) & (chosen | chosen[:, None])"),
    ),
]:
    wrong("longformer_mask", name, sentence, MASK, *swaps)
right(
    "longformer_mask",
    "two_loops",
    """
def longformer_mask(n, reach, global_tokens=(), causal=False):
    mask = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(n):
            if causal and j > i:
                continue
            mask[i, j] = abs(i - j) <= reach or i in global_tokens or j in global_tokens
    return mask
""",
)
right(
    "longformer_mask",
    "rows_and_columns_set",
    """
def longformer_mask(n, reach, global_tokens=(), causal=False):
    mask = np.tri(n, k=reach, dtype=bool) & np.tri(n, k=reach, dtype=bool).T
    for token in global_tokens:
        mask[token] = True
        mask[:, token] = True
    return np.tril(mask) if causal else mask
""",
)
right(
    "longformer_mask",
    "index_by_list",
    """
def longformer_mask(n, reach, global_tokens=(), causal=False):
    i, j = np.indices((n, n))
    mask = (i - j <= reach) & (j - i <= reach)
    tokens = np.array(global_tokens, dtype=int)
    mask[tokens, :] = True
    mask[:, tokens] = True
    mask[(j > i) & causal] = False
    return mask
""",
)
right(
    "longformer_mask",
    "slices",
    """
def longformer_mask(n, reach, global_tokens=(), causal=False):
    mask = np.full((n, n), False)
    for i in range(n):
        mask[i, max(0, i - reach) : i + reach + 1] = True
        if i in set(global_tokens):
            mask[i, :] = mask[:, i] = True
    if causal:
        mask = np.logical_and(mask, np.tri(n, dtype=bool))
    return mask
""",
)

# ---------------------------------------------------------------- linear_attention
LINEAR = """
def linear_attention(phi_Q, phi_K, V, causal=False, state=None):
    D, d_v = phi_K.shape[1], V.shape[1]
    C, z = (np.zeros((D, d_v)), np.zeros(D)) if state is None else state
    O = np.zeros((len(phi_Q), d_v))
    if not causal:
        C = C + phi_K.T @ V
        z = z + phi_K.sum(axis=0)
    for i in range(len(phi_Q)):
        if causal:
            C = C + np.outer(phi_K[i], V[i])
            z = z + phi_K[i]
        normaliser = phi_Q[i] @ z
        if normaliser != 0:
            O[i] = phi_Q[i] @ C / normaliser
    return O, (C, z)
"""
READ = """        normaliser = phi_Q[i] @ z
        if normaliser != 0:
            O[i] = phi_Q[i] @ C / normaliser
"""
ADD = """        if causal:
            C = C + np.outer(phi_K[i], V[i])
            z = z + phi_K[i]
"""
START = "C, z = (np.zeros((D, d_v)), np.zeros(D)) if state is None else state"
for name, sentence, *swaps in [
    (
        "no_normaliser",
        "Your outputs are sums, not averages: the normaliser, the query's features times the sum of the keys' features, is missing.",
        ("phi_Q[i] @ C / normaliser", "phi_Q[i] @ C"),
    ),
    (
        "divided_by_the_number_of_keys",
        "You divided by the number of keys. The kernel values do not sum to that: divide by their sum, the query's features times the sum of the keys' features.",
        ("phi_Q[i] @ C / normaliser", "phi_Q[i] @ C / (i + 1 if causal else len(phi_K))"),
    ),
    (
        "normaliser_without_the_query",
        "Your normaliser is the sum of all features of the keys, the same for all queries. It is the product of the query's features with that sum.",
        ("normaliser = phi_Q[i] @ z", "normaliser = z.sum()"),
    ),
    (
        "normaliser_of_the_query_alone",
        "Your normaliser is the sum of the query's features. It is their product with the sum of the keys' features.",
        ("normaliser = phi_Q[i] @ z", "normaliser = phi_Q[i].sum()"),
    ),
    (
        "normaliser_kept_away_from_zero",
        "You added something to the normaliser. That changes every output: treat a normaliser of exactly 0 apart.",
        ("phi_Q[i] @ C / normaliser", "phi_Q[i] @ C / (normaliser + 1e-3)"),
    ),
    (
        "softmax_of_the_kernel",
        "You took a softmax of the kernel values. They are the weights already, up to the normaliser: the kernel stands in place of the exponential.",
        (
            "O[i] = phi_Q[i] @ C / normaliser",
            "O[i] = softmax(phi_K[: i + 1 if causal else None] @ phi_Q[i]) @ V[: i + 1 if causal else None]",
        ),
    ),
    (
        "does_not_see_itself",
        "In your causal case a query reads before its own token was added. Query i uses tokens 1 to i: add, then read.",
        (ADD + READ, READ + ADD),
    ),
    (
        "causal_ignored",
        "Your causal result is that of all keys: query i may use the new tokens 1 to i only.",
        ("    if not causal:\n", "    causal = False\n    if not causal:\n"),
    ),
    (
        "always_causal",
        "You read in the causal way without being asked: without causal every query uses all keys.",
        (
            "    if not causal:\n",
            "    if len(phi_Q) == len(phi_K):\n        causal = True\n    if not causal:\n",
        ),
    ),
    (
        "normaliser_over_all_keys_when_causal",
        "Your causal normaliser runs over all keys, the numerator over the past: the weights of a row no longer sum to 1, and the future has a say.",
        (
            "normaliser = phi_Q[i] @ z",
            "normaliser = phi_Q[i] @ (z + phi_K[i + 1 :].sum(axis=0) if causal else z)",
        ),
    ),
    (
        "normaliser_does_not_accumulate",
        "Your causal normaliser knows the current token alone. Both sums grow from token to token.",
        ("normaliser = phi_Q[i] @ z", "normaliser = phi_Q[i] @ (phi_K[i] if causal else z)"),
    ),
    (
        "from_the_far_end",
        "Your causal case runs over the text from its end: query i must use the tokens up to i, not those from i on.",
        (ADD, ""),
        (
            READ,
            "        normaliser = phi_Q[i] @ (z if not causal else z + phi_K[i:].sum(axis=0))\n        if normaliser != 0:\n            O[i] = phi_Q[i] @ (C if not causal else C + phi_K[i:].T @ V[i:]) / normaliser\n",
        ),
        (
            "    return O, (C, z)",
            "    if causal:\n        C, z = C + phi_K.T @ V, z + phi_K.sum(axis=0)\n    return O, (C, z)",
        ),
    ),
    (
        "state_ignored",
        "Your function does not use the state it is given: what earlier tokens left has to be there at the start.",
        (START, "C, z = np.zeros((D, d_v)), np.zeros(D)"),
    ),
    (
        "only_the_table_of_the_state",
        "You used the first part of the state and left the second out: the earlier tokens belong into the normaliser, too.",
        (
            START,
            "C, z = (np.zeros((D, d_v)), np.zeros(D)) if state is None else (state[0], np.zeros(D))",
        ),
    ),
    (
        "old_state_returned",
        "You returned the state that you were given. It has to hold the new tokens as well.",
        ("    if not causal:\n", "    old = (C, z)\n    if not causal:\n"),
        ("return O, (C, z)", "return O, old"),
    ),
    (
        "only_new_tokens_returned",
        "The state that you returned knows of the new tokens alone. It has to hold the earlier ones as well.",
        ("return O, (C, z)", "return O, (phi_K.T @ V, phi_K.sum(axis=0))"),
    ),
    (
        "table_transposed",
        "The outputs are right, the table of the state is transposed: (D, d_v), one row for each feature.",
        ("return O, (C, z)", "return O, (C.T, z)"),
    ),
    (
        "parts_of_the_state_exchanged",
        "You returned the state's parts in the wrong order: the table C first, then the sum z.",
        ("return O, (C, z)", "return O, (z, C)"),
    ),
    (
        "outputs_only",
        "You returned the outputs alone. Return them and the pair (C, z).",
        ("return O, (C, z)", "return O"),
    ),
    (
        "nan_for_normaliser_zero",
        "You divided by 0: a query whose normaliser is 0 gets a row of zeros.",
        ("if normaliser != 0:", "if True:"),
    ),
    (
        "mean_of_values_for_normaliser_zero",
        "For a query whose normaliser is 0 you returned something else than zeros.",
        (
            "O[i] = phi_Q[i] @ C / normaliser",
            "O[i] = phi_Q[i] @ C / normaliser\n        else:\n            O[i] = V.mean(axis=0)",
        ),
    ),
    (
        "three_results",
        "You returned three results. Return two: the outputs, and the pair (C, z).",
        ("return O, (C, z)", "return O, C, z"),
    ),
    (
        "queries_summed_for_the_state",
        "Your z is the sum of the features of the queries. The state knows keys and values; the queries only read.",
        ("z = z + phi_K.sum(axis=0)", "z = z + phi_Q.sum(axis=0)"),
        ("z = z + phi_K[i]", "z = z + phi_Q[i]"),
    ),
]:
    wrong("linear_attention", name, sentence, LINEAR, *swaps)
wrong(
    "linear_attention",
    "state_changed_in_place",
    "The result is right, but the state that was handed in is changed: write C = C + … for C += ….",
    LINEAR,
    ("C = C + np.outer(phi_K[i], V[i])", "C += np.outer(phi_K[i], V[i])"),
    ("z = z + phi_K[i]", "z += phi_K[i]"),
)
wrong(
    "linear_attention",
    "explicit_table",
    "no table of all pairs.",
    """
def linear_attention(phi_Q, phi_K, V, causal=False, state=None):
    kernel = phi_Q @ phi_K.T
    if causal:
        kernel = np.tril(kernel)
    above, below = kernel @ V, kernel.sum(axis=1)
    C, z = phi_K.T @ V, phi_K.sum(axis=0)
    if state is not None:
        above, below = above + phi_Q @ state[0], below + phi_Q @ state[1]
        C, z = C + state[0], z + state[1]
    O = np.zeros(above.shape)
    O[below != 0] = above[below != 0] / below[below != 0, None]
    return O, (C, z)
""",
    unnamed=True,
)
right("linear_attention", "one_loop", LINEAR)
right(
    "linear_attention",
    "recursion_by_cumulated_sums",
    """
def linear_attention(phi_Q, phi_K, V, causal=False, state=None):
    ones = np.column_stack([V, np.ones(len(V))])
    start = 0 if state is None else np.column_stack([state[0], state[1]])
    if causal:
        tables = start + np.cumsum(phi_K[:, :, None] * ones[:, None, :], axis=0)
        both = np.einsum("im,imv->iv", phi_Q, tables)
        last = tables[-1]
    else:
        last = start + phi_K.T @ ones
        both = phi_Q @ last
    with np.errstate(all="ignore"):
        O = np.where(both[:, -1:] == 0, 0, both[:, :-1] / both[:, -1:])
    return O, (last[:, :-1], last[:, -1])
""",
)
right(
    "linear_attention",
    "copies_and_adds_in_place",
    """
def linear_attention(phi_Q, phi_K, V, causal=False, state=None):
    if state is None:
        C, z = np.zeros((phi_K.shape[-1], V.shape[-1])), np.zeros(phi_K.shape[-1])
    else:
        C, z = np.array(state[0], dtype=float), np.array(state[1], dtype=float)
    outputs = []
    if not causal:
        for key, value in zip(phi_K, V):
            C += key[:, None] * value
            z += key
    for i, query in enumerate(phi_Q):
        if causal:
            C += phi_K[i][:, None] * V[i]
            z += phi_K[i]
        total = float(query @ z)
        outputs.append(query @ C / total if total else np.zeros(V.shape[-1]))
    return np.array(outputs), (C, z)
""",
)
right(
    "linear_attention",
    "divide_where",
    """
def linear_attention(phi_Q, phi_K, V, causal=False, state=None):
    C, z = (0.0, 0.0) if state is None else state
    rows = range(len(phi_K)) if causal else [slice(None)]
    above, below = np.zeros((len(phi_Q), V.shape[1])), np.zeros((len(phi_Q), 1))
    for row in rows:
        keys, values = np.atleast_2d(phi_K[row]), np.atleast_2d(V[row])
        C, z = C + keys.T @ values, z + keys.sum(axis=0)
        above[row], below[row] = phi_Q[row] @ C, (phi_Q[row] @ z)[..., None]
    return np.divide(above, below, out=np.zeros_like(above), where=below != 0), (C, z)
""",
)
right(
    "linear_attention",
    "single_precision",
    LINEAR,
    (
        "    D, d_v = ",
        "    phi_Q, phi_K, V = (np.asarray(part, dtype=np.float32) for part in (phi_Q, phi_K, V))\n    D, d_v = ",
    ),
    (
        "    return O, (C, z)",
        "    return O.astype(np.float32), (C.astype(np.float32), z.astype(np.float32))",
    ),
)

# ---------------------------------------------------------------- blind_spot
BLIND = """
def blind_spot(C):
    C = np.asarray(C, dtype=float)
    rank = np.linalg.matrix_rank(C)
    if rank == C.shape[1]:
        return None
    v = np.linalg.svd(C)[2][-1]
    return v
"""
TEST = "rank == C.shape[1]"
for name, sentence, *swaps in [
    (
        "none_is_never_said",
        "You returned a column where there is none: C sees every column but 0 as something else. Return None there.",
        (TEST, "False"),
    ),
    (
        "none_for_all",
        "You returned None for a C that has a blind spot.",
        (TEST, "True"),
    ),
    (
        "test_turned_round",
        "Your test is the wrong way round: None belongs where the rank is the number of columns.",
        (TEST, "rank < C.shape[1]"),
    ),
    (
        "rank_against_rows",
        "You compared the rank with the number of rows. A blind spot is there when the rank is below the number of columns, the tokens.",
        (TEST, "rank == C.shape[0]"),
    ),
    (
        "rank_against_the_smaller_side",
        "You returned None for a C with fewer rows than columns, which has a blind spot even if its rank is full. If you compared the rank with the smaller of the two sizes: compare with the number of columns.",
        (TEST, "rank == min(C.shape)"),
    ),
    (
        "last_singular_value_alone",
        "You returned None for a C with fewer rows than columns, and a column where numbers are small but nothing is lost. There are only as many singular values as the smaller of the two sizes, and what counts is their ratio to the largest.",
        (TEST, "np.linalg.svd(C)[1][-1] > 1e-10"),
    ),
    (
        "shape_alone",
        "You looked at the shape alone. Rows that repeat each other say nothing new: a C with as many rows as columns, or more, can have a blind spot as well.",
        (TEST, "C.shape[0] >= C.shape[1]"),
    ),
    (
        "zero_vector",
        "You returned zeros, which solve C v = 0 always. The length of v has to be 1.",
        ("return v", "return 0 * v"),
    ),
    (
        "not_of_length_one",
        "C v is 0, but the length of your v is not 1: divide v by its length.",
        ("return v", "return v / np.abs(v).max() * 1.5"),
    ),
    (
        "sums_to_one",
        "C v is 0, but you divided v by the sum of its entries' sizes. Its length, the root of the sum of squares, has to be 1.",
        ("return v", "return v / np.abs(v).sum()"),
    ),
    (
        "first_direction",
        "You returned the direction that C stretches most. It takes one that C makes 0: the last row of the third result of the SVD.",
        ("[2][-1]", "[2][0]"),
    ),
    (
        "column_for_row",
        "You returned a column of the third result of the SVD. It is V transposed: the directions are its rows.",
        ("[2][-1]", "[2][:, -1]"),
    ),
    (
        "ones",
        "You returned equal numbers. C takes sums of them that need not be 0.",
        ("v = np.linalg.svd(C)[2][-1]", "v = np.ones(C.shape[1]) / np.sqrt(C.shape[1])"),
    ),
    (
        "plus_and_minus",
        "You returned plus and minus in turn. That is invisible to averages of neighbours alone, not to every C.",
        (
            "v = np.linalg.svd(C)[2][-1]",
            "v = (-1.0) ** np.arange(C.shape[1]) / np.sqrt(C.shape[1])",
        ),
    ),
    (
        "all_directions",
        "You returned a matrix. Return one column of values, of shape (n,).",
        ("[2][-1]", "[2][rank:]"),
    ),
    (
        "column_shape",
        "Your v has two axes. Its shape is (n,).",
        ("return v", "return v[:, None]"),
    ),
    (
        "fixed_bound",
        "You said that C has a blind spot because its numbers are small. What counts is small against its largest: np.linalg.matrix_rank compares so.",
        ("np.linalg.matrix_rank(C)", "int((np.linalg.svd(C)[1] > 1e-9).sum())"),
    ),
    (
        "exactly_zero",
        "Your test misses a C that is singular up to rounding: a singular value, a pivot or a determinant comes out as 1e-16 instead of 0.",
        ("np.linalg.matrix_rank(C)", "int((np.linalg.svd(C)[1] > 0).sum())"),
    ),
    (
        "empty_for_none",
        "Where there is no blind spot, return None, not zeros or an empty array.",
        ("return None", "return np.zeros(C.shape[1])"),
    ),
    (
        "cut_svd",
        "With full_matrices=False the SVD leaves out the directions that C does not see at all, if C has fewer rows than columns.",
        ("np.linalg.svd(C)[2]", "np.linalg.svd(C, full_matrices=False)[2]"),
    ),
    (
        "left_direction",
        "You returned a combination of the rows of C that is 0, or its singular direction on the left, of shape (m,). Wanted is v of shape (n,) with C v = 0.",
        ("np.linalg.svd(C)[2][-1]", "np.linalg.svd(C)[0][:, -1]"),
    ),
]:
    wrong("blind_spot", name, sentence, BLIND, *swaps)
right(
    "blind_spot",
    "what_the_rows_leave_of_a_random_column",
    """
def blind_spot(C):
    C = np.asarray(C, dtype=float)
    v = np.random.default_rng(7).normal(size=C.shape[1])
    if np.linalg.matrix_rank(C) >= C.shape[1]:
        return None
    for _ in range(3):
        v = v - np.linalg.pinv(C) @ (C @ v)
        v = v / np.linalg.norm(v)
    return v
""",
)
right(
    "blind_spot",
    "singular_values_counted",
    """
def blind_spot(C):
    C = np.array(C, dtype=float)
    m, n = C.shape
    U, tau, W = np.linalg.svd(C, full_matrices=True)
    if m >= n and tau[-1] > 1e-12 * max(tau[0], 1e-300):
        return None
    return -W[n - 1]
""",
)
right(
    "blind_spot",
    "square_with_rows_of_zeros",
    """
def blind_spot(C):
    m, n = C.shape
    full = np.zeros((max(m, n), n))
    full[:m] = C
    _, tau, W = np.linalg.svd(full)
    hidden = W[tau <= 1e-13 * tau.max()]
    return hidden.sum(axis=0) / np.sqrt(len(hidden)) if len(hidden) else None
""",
)
right(
    "blind_spot",
    "orthogonal_rows_one_by_one",
    """
def blind_spot(C):
    C = np.asarray(C, dtype=float)
    n, size = C.shape[1], np.abs(C).max()
    basis = []
    for row in list(C / size if size else C) + list(np.eye(n)):
        is_new = row.copy()
        for _ in range(2):
            for b in basis:
                is_new = is_new - (is_new @ b) * b
        length = np.linalg.norm(is_new)
        if length > 1e-9:
            basis.append(is_new / length)
            found = len(basis)
    rank = np.linalg.matrix_rank(C)
    return basis[rank] if rank < n else None
""",
)

# ---------------------------------------------------------------- lsh_buckets
HASH = """
def lsh_buckets(X, R):
    turned = X @ R
    both = np.concatenate([turned, -turned], axis=-1)
    return both.argmax(axis=-1)
"""
BOTH_SIGNS = "np.concatenate([turned, -turned], axis=-1)"
for name, sentence, *swaps in [
    (
        "half_of_the_buckets",
        "You compared the columns of xR alone: a row that points against all of them has no bucket of its own. Their negatives are candidates, too.",
        (BOTH_SIGNS, "turned"),
    ),
    (
        "largest_size",
        "You took the column with the largest size, whatever its sign: opposite rows fall into one bucket. Join xR with its negative.",
        (BOTH_SIGNS, "np.abs(turned)"),
    ),
    (
        "negative_first",
        "You put the negative first: bucket numbers 0 to half - 1 belong to xR, the others to -xR.",
        (BOTH_SIGNS, "np.concatenate([-turned, turned], axis=-1)"),
    ),
    (
        "smallest",
        "You took the smallest candidate, the axis that is farthest. It is the largest.",
        ("argmax", "argmin"),
    ),
    (
        "signs_in_turn",
        "You put each column beside its negative. First come all columns of xR, then all of -xR.",
        (BOTH_SIGNS, "np.stack([turned, -turned], axis=-1).reshape(*turned.shape[:-1], -1)"),
    ),
    (
        "first_round_only",
        "You hashed one round. There is a row of buckets for each round.",
        ("return both.argmax(axis=-1)", "return both.argmax(axis=-1)[:1]"),
    ),
    (
        "round_axis_lost",
        "You returned one axis. The result has the shape (rounds, n), also for a single round.",
        ("return both.argmax(axis=-1)", "return both.argmax(axis=-1)[0]"),
    ),
    (
        "rounds_last",
        "You put the rounds last. The shape is (rounds, n).",
        ("return both.argmax(axis=-1)", "return both.argmax(axis=-1).T"),
    ),
    (
        "joined_along_the_rounds",
        "You joined xR and its negative along the first axis, as if they were further rounds. They are candidates of one row: the last axis.",
        (BOTH_SIGNS, "np.concatenate([turned, -turned])"),
    ),
    (
        "joined_along_the_rows",
        "You joined xR and its negative along the axis of the rows, as if they were further rows. They are candidates of one row: the last axis.",
        (BOTH_SIGNS, "np.concatenate([turned, -turned], axis=1)"),
    ),
    (
        "offset_by_the_rounds",
        "Your negative buckets begin at the number of rounds. They begin at half, the number of columns of xR.",
        (
            "return both.argmax(axis=-1)",
            "place = both.argmax(axis=-1)\n    half = R.shape[-1]\n    return np.where(place < half, place, place - half + R.shape[0])",
        ),
    ),
    (
        "over_the_rows",
        "You compared rows with each other: the largest is to be found along the last axis, the candidates of one row.",
        ("both.argmax(axis=-1)", "both.argmax(axis=-2)"),
    ),
    (
        "counted_from_one",
        "You counted buckets from 1. They are counted from 0.",
        ("return both.argmax(axis=-1)", "return both.argmax(axis=-1) + 1"),
    ),
    (
        "sign_bits",
        "You made a number of the signs of all columns, which gives 2 to the power of half buckets. Here the bucket is the one axis, with sign, that is nearest.",
        (
            "return both.argmax(axis=-1)",
            "return ((turned > 0) * 2 ** np.arange(turned.shape[-1])).sum(axis=-1)",
        ),
    ),
    (
        "the_last_of_equal_candidates",
        "Of equal candidates you took the last. Take the smallest bucket number: a row of zeros falls into bucket 0.",
        ("both.argmax(axis=-1)", "both.shape[-1] - 1 - both[..., ::-1].argmax(axis=-1)"),
    ),
    (
        "rows_added_over_rounds",
        "You added the rounds up and gave each the same buckets. Each round has its own.",
        ("turned = X @ R", "turned = X @ R.sum(axis=0, keepdims=True) * np.ones((len(R), 1, 1))"),
    ),
    (
        "largest_number_itself",
        "You returned the largest number, not its place: argmax in place of max.",
        ("both.argmax(axis=-1)", "both.max(axis=-1)"),
    ),
    (
        "lengths_rounded",
        "You rounded products to whole numbers: then the length of a row counts. The bucket is the place of the largest.",
        ("return both.argmax(axis=-1)", "return np.floor(turned[..., 0]).astype(int)"),
    ),
    (
        "one_axis_missing_per_round",
        "You returned the buckets of all rounds in one row. The shape is (rounds, n).",
        ("return both.argmax(axis=-1)", "return both.argmax(axis=-1).ravel()"),
    ),
    (
        "buckets_of_rounds_kept_apart",
        "You added an offset for each round. Every round counts its buckets from 0.",
        (
            "return both.argmax(axis=-1)",
            "return both.argmax(axis=-1) + both.shape[-1] * np.arange(len(R))[:, None]",
        ),
    ),
]:
    wrong("lsh_buckets", name, sentence, HASH, *swaps)
right(
    "lsh_buckets",
    "loop_over_rounds",
    """
def lsh_buckets(X, R):
    rows = []
    for turn in R:
        rows.append(np.argmax(np.hstack([X @ turn, X @ -turn]), axis=1))
    return np.array(rows)
""",
)
right(
    "lsh_buckets",
    "einsum",
    """
def lsh_buckets(X, R):
    turned = np.einsum("nd,rdb->rnb", X, R)
    return np.argmax(np.append(turned, np.negative(turned), axis=2), axis=2)
""",
)
right(
    "lsh_buckets",
    "axes_joined_first",
    """
def lsh_buckets(X, R):
    return (X @ np.concatenate([R, -R], axis=2)).argmax(axis=2)
""",
)
right(
    "lsh_buckets",
    "largest_and_smallest",
    """
def lsh_buckets(X, R):
    turned = np.matmul(X, R)
    above, below = turned.max(axis=-1), -turned.min(axis=-1)
    half = turned.shape[-1]
    return np.where(above >= below, turned.argmax(axis=-1), half + turned.argmin(axis=-1))
""",
)
right(
    "lsh_buckets",
    "three_loops",
    """
def lsh_buckets(X, R):
    found = np.zeros((len(R), len(X)), dtype=np.int32)
    for a in range(len(R)):
        for i in range(len(X)):
            numbers = [X[i] @ R[a][:, c] for c in range(R.shape[2])]
            numbers += [-number for number in numbers]
            for bucket in range(len(numbers)):
                if numbers[bucket] > numbers[found[a, i]]:
                    found[a, i] = bucket
    return found
""",
)
