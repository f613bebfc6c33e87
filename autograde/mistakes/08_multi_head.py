"""Chapter 8: what learners write for W_O, the split, the whole layer and its examiner, wrong and right."""

from autograde.mistakes import Catalogue, variant

CATALOGUE = Catalogue(
    unnamed={
        "one_matrix_only",
        "another_error",
        "zero_heads",
        "minus_one_in_the_reshape",
        "mask_of_three_axes_only",
        "not_unpacked",
        "not_unpacked_method",
        "weights_for_output",
        "exception_escapes",
    }
)
wrong, right = CATALOGUE.wrong, CATALOGUE.right


# ---------------------------------------------------------------- output_matrix
UNMIX = """
def output_matrix(weights, n_names):
    if np.linalg.matrix_rank(weights) < len(weights):
        return None
    unmix = np.linalg.inv(weights)
    return np.kron(unmix.T, np.eye(n_names))
"""
for name, sentence, *swaps in [
    (
        "identity",
        "Your W_O is the identity: it leaves the names mixed as the heads deliver them.",
        ("np.kron(unmix.T, np.eye(n_names))", "np.eye(len(weights) * n_names)"),
    ),
    (
        "transpose_forgotten",
        "Right for symmetric weights, but W_O stands on the right of the row of blocks: the entry that says how much of head r goes into name s belongs into block row r, block column s. Transpose the small matrix.",
        ("unmix.T", "unmix"),
    ),
    (
        "kronecker_order",
        "Your W_O mixes the numbers of one name instead of whole blocks: np.kron(small matrix, identity) puts an identity for each entry of the small matrix, in this order.",
        ("np.kron(unmix.T, np.eye(n_names))", "np.kron(np.eye(n_names), unmix.T)"),
    ),
    (
        "kronecker_order_and_transpose",
        "Two things: np.kron(small matrix, identity) is the order that keeps names whole, and the small matrix has to be transposed.",
        ("np.kron(unmix.T, np.eye(n_names))", "np.kron(np.eye(n_names), unmix)"),
    ),
    (
        "mixes_once_more",
        "Your blocks are the weights themselves: that mixes the names a second time. It takes their inverse.",
        ("unmix = np.linalg.inv(weights)", "unmix = weights"),
    ),
    (
        "mixes_once_more_transposed",
        "Your blocks are the transposed weights themselves: that mixes the names a second time. It takes their inverse.",
        ("unmix = np.linalg.inv(weights)", "unmix = weights.T"),
    ),
    (
        "diagonal_only",
        "You undid what each head puts on its own role and left what it picks up of the others.",
        (
            "unmix = np.linalg.inv(weights)",
            "unmix = np.diag([1 / w if w else 0 for w in np.diag(weights)])",
        ),
    ),
    (
        "rows_made_to_sum_to_one",
        "You divided each row of weights by its sum and used it as it is. The names are still mixed: it takes an inverse.",
        (
            "unmix = np.linalg.inv(weights)",
            "unmix = weights / weights.sum(axis=1, keepdims=True)",
        ),
    ),
    (
        "entries_inverted",
        "1 / weights inverts entry by entry. It takes the inverse of the matrix.",
        (
            "unmix = np.linalg.inv(weights)",
            "unmix = np.divide(1, weights, where=weights != 0, out=np.zeros(weights.shape))",
        ),
    ),
    (
        "pseudo_inverse_for_everything",
        "You returned a matrix where there is none: if the rows of weights are linearly dependent, different names give the same concatenation. Return None there.",
        (
            "    if np.linalg.matrix_rank(weights) < len(weights):\n        return None\n",
            "",
        ),
        ("np.linalg.inv", "np.linalg.pinv"),
    ),
    (
        "determinant_exactly_zero",
        "Your test for singular weights misses a matrix that is singular up to rounding: its determinant, or a pivot, comes out as 1e-18 or so instead of 0. Ask np.linalg.matrix_rank.",
        ("np.linalg.matrix_rank(weights) < len(weights)", "np.linalg.det(weights) == 0"),
    ),
    (
        "only_the_small_matrix",
        "You returned the (h, h) matrix that unmixes single numbers. A name has n_names of them: put an identity of that size in place of each entry.",
        ("np.kron(unmix.T, np.eye(n_names))", "unmix.T"),
    ),
    (
        "roles_turned_round",
        "Your names come out in reverse order of the roles. Role 1 belongs on the left.",
        ("unmix.T", "unmix.T[:, ::-1]"),
    ),
    (
        "none_for_all",
        "You returned None for weights that can be unmixed.",
        ("< len(weights)", "<= len(weights)"),
    ),
    (
        "empty_for_none",
        "Where no W_O exists, return None, not an empty list.",
        ("return None", "return []"),
    ),
    (
        "determinant_below_a_bound",
        "You returned None for weights that are small, not singular: a determinant is as small as a product of h of them. Ask np.linalg.matrix_rank, which compares with the largest.",
        ("np.linalg.matrix_rank(weights) < len(weights)", "abs(np.linalg.det(weights)) < 1e-9"),
    ),
    (
        "rows_divided_before_the_inverse",
        "You divided each row of weights by its sum before you inverted. The heads deliver the weights as they are.",
        (
            "    unmix = np.linalg.inv(weights)",
            "    weights = weights / weights.sum(axis=1, keepdims=True)\n    unmix = np.linalg.inv(weights)",
        ),
    ),
    (
        "determinant_not_divided_out",
        "Your small matrix is the inverse times the determinant: divide by the determinant, or take np.linalg.inv.",
        ("np.linalg.inv(weights)", "np.linalg.inv(weights) * np.linalg.det(weights)"),
    ),
    (
        "ones_for_the_identity",
        "Your blocks are full: each number of a name goes into all numbers of a name. Number m belongs to number m: an identity, not ones.",
        ("np.eye(n_names)", "np.ones((n_names, n_names))"),
    ),
    (
        "zeros_for_none",
        "Where no W_O exists, return None, not a matrix.",
        ("return None", "return np.zeros((len(weights) * n_names, len(weights) * n_names))"),
    ),
]:
    wrong("output_matrix", name, sentence, UNMIX, *swaps)
wrong(
    "output_matrix",
    "error_for_singular_weights",
    "For two equal heads your function raised an error, or did not return None. Return None if there is no W_O.",
    """
def output_matrix(weights, n_names):
    if np.linalg.matrix_rank(weights) < len(weights):
        raise ValueError("no such matrix")
    return np.kron(np.linalg.inv(weights).T, np.eye(n_names))
""",
    unnamed=True,
)
right(
    "output_matrix",
    "inverse_of_the_large_matrix",
    """
def output_matrix(weights, n_names):
    mixing = np.kron(weights.T, np.eye(n_names))
    if np.linalg.cond(mixing) > 1e12:
        return None
    return np.linalg.inv(mixing)
""",
)
right(
    "output_matrix",
    "block_by_block",
    """
def output_matrix(weights, n_names):
    h = len(weights)
    sizes_of_singular = np.linalg.svd(weights, compute_uv=False)
    if sizes_of_singular[-1] <= 1e-12 * sizes_of_singular[0]:
        return None
    unmix = np.linalg.solve(weights, np.eye(h))
    W_O = np.zeros((h * n_names, h * n_names))
    for r in range(h):
        for s in range(h):
            for m in range(n_names):
                W_O[r * n_names + m, s * n_names + m] = unmix[s, r]
    return W_O
""",
)
right(
    "output_matrix",
    "einsum",
    """
def output_matrix(weights, n_names):
    if np.linalg.matrix_rank(weights) != weights.shape[0]:
        return None
    blocks = np.einsum("sr,mn->rmsn", np.linalg.inv(weights), np.eye(n_names))
    return blocks.reshape(len(weights) * n_names, -1)
""",
)
right(
    "output_matrix",
    "single_precision",
    UNMIX,
    ("unmix = np.linalg.inv(weights)", "unmix = np.linalg.inv(weights).astype(np.float32)"),
    ("np.eye(n_names)", "np.eye(n_names, dtype=np.float32)"),
)
right(
    "output_matrix",
    "block_matrix",
    """
def output_matrix(weights, n_names):
    if np.linalg.matrix_rank(weights) < len(weights):
        return None
    unmix = np.linalg.inv(np.transpose(weights))
    return np.block([[factor * np.identity(n_names) for factor in row] for row in unmix])
""",
)

# ---------------------------------------------------------------- split_heads
SPLIT = """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if n_heads < 1 or d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    cut = X.reshape(*X.shape[:-1], n_heads, d // n_heads)
    return np.swapaxes(cut, -3, -2)
"""
CUT = "X.reshape(*X.shape[:-1], n_heads, d // n_heads)"
SWAP = "np.swapaxes(cut, -3, -2)"
REFUSE = """    if n_heads < 1 or d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
"""
for name, sentence, *swaps in [
    (
        "reshape_without_transpose",
        "You reshaped straight to (n_heads, n, d_head): each head then holds a stretch of tokens instead of some features of every token. Reshape to (n, n_heads, d_head) first, then swap the axes of token and head.",
        (CUT, "X.reshape(*X.shape[:-2], n_heads, X.shape[-2], d // n_heads)"),
        (SWAP, "cut"),
    ),
    (
        "transpose_forgotten",
        "You cut the columns and stopped there: your axes are token, head, feature. Swap the first two of these three, so that the head comes first.",
        (SWAP, "cut"),
    ),
    (
        "interleaved",
        "Your head takes every n_heads-th column. It owns neighbouring columns: cut d into (n_heads, d_head), in this order.",
        (CUT, "X.reshape(*X.shape[:-1], d // n_heads, n_heads)"),
        (SWAP, "np.moveaxis(cut, -1, -3)"),
    ),
    (
        "heads_and_width_swapped",
        "You made d // n_heads heads of n_heads columns. It is the other way round: n_heads heads of d // n_heads columns.",
        (CUT, "X.reshape(*X.shape[:-1], d // n_heads, n_heads)"),
    ),
    (
        "full_width",
        "Every head got all d columns. A head gets d // n_heads of them.",
        (SWAP, "np.stack([X] * n_heads, axis=-3)"),
    ),
    (
        "features_before_tokens",
        "Your heads are transposed: (n_heads, d_head, n). Inside a head, rows are tokens.",
        (SWAP, "np.moveaxis(cut, -3, -1)"),
    ),
    (
        "first_two_axes_swapped",
        "You swapped axes 0 and 1. That is right for one matrix, but in a batch axis 0 counts the examples: swap -3 and -2.",
        (SWAP, "cut.swapaxes(0, 1)"),
    ),
    (
        "last_two_axes_swapped",
        "You swapped the last two axes, head and feature. Swap token and head: -3 and -2.",
        (SWAP, "cut.swapaxes(-2, -1)"),
    ),
    (
        "one_matrix_only",
        "Your function works for a single matrix and fails on a batch. Keep the leading axes with X.shape[:-1].",
        (CUT, "X.reshape(len(X), n_heads, d // n_heads)"),
        (SWAP, "cut.transpose(1, 0, 2)"),
    ),
    (
        "one_batch_axis_only",
        "Your function takes one leading axis at most. There may be more: keep X.shape[:-1] as it is.",
        (
            CUT,
            "X.reshape(-1, X.shape[-2], n_heads, d // n_heads) if X.ndim > 2 else X.reshape(len(X), n_heads, d // n_heads)",
        ),
    ),
    (
        "head_axis_first",
        "Your head axis stands before all others: (n_heads, batch, n, d_head). It belongs third from the end, before the tokens.",
        (SWAP, "np.moveaxis(cut, -2, 0)"),
    ),
    (
        "all_axes_reversed",
        "You reversed the order of all axes (.T does that). Exchange token and head alone: np.swapaxes(cut, -3, -2).",
        (SWAP, "cut.T"),
    ),
    (
        "batch_flattened",
        "You lost the leading axes: the tokens of all examples stand in one list. Keep X.shape[:-1] as it is.",
        (CUT, "X.reshape(-1, n_heads, d // n_heads)"),
    ),
    (
        "only_the_first_head",
        "You returned one head. All of them go into the result, along a new axis.",
        (SWAP, "X[..., None, :, : d // n_heads]"),
    ),
    (
        "reversed_heads",
        "Your heads stand in reverse order. Head 1 owns the first columns.",
        (SWAP, "np.swapaxes(cut[..., ::-1, :], -3, -2)"),
    ),
    (
        "changes_shape_in_place",
        "You changed the caller's array (X.shape = …, or X[...] = …). X.reshape(...) leaves X as it was.",
        ("    cut = " + CUT, "    X.shape = (*X.shape[:-1], n_heads, d // n_heads)"),
        (SWAP, "np.swapaxes(X, -3, -2)"),
    ),
    (
        "no_return",
        "Your function returns nothing: end it with a return.",
        ("return " + SWAP, SWAP),
    ),
    (
        "accepts_any_number",
        "You accepted a number of heads that does not divide the columns. Raise ValueError if d % n_heads is not 0.",
        (
            REFUSE,
            '    if n_heads < 1:\n        raise ValueError("no heads")\n    w = d // n_heads\n',
        ),
        ("    cut = " + CUT + "\n", ""),
        (
            SWAP,
            "np.stack([X[..., r * w : (r + 1) * w] for r in range(n_heads)], axis=-3)",
        ),
    ),
    (
        "another_error",
        "You raised another error than ValueError for a number of heads that does not divide the columns.",
        (REFUSE, '    assert n_heads >= 1 and d % n_heads == 0, f"{d} columns, {n_heads} heads"\n'),
    ),
    (
        "zero_heads",
        "With 0 heads your function raised another error than ValueError, or none. Dividing by 0 raises ZeroDivisionError: ask `n_heads < 1` first.",
        ("n_heads < 1 or d % n_heads", "d % n_heads"),
    ),
    (
        "zero_heads_none",
        "With 0 heads your function raised another error than ValueError, or none. Dividing by 0 raises ZeroDivisionError: ask `n_heads < 1` first.",
        (REFUSE, "    if n_heads == 0:\n        return None\n" + REFUSE),
    ),
    (
        "minus_one_in_the_reshape",
        "Your function fails where there are no tokens. If you wrote −1 in a reshape: NumPy cannot work it out for an empty array. Write d // n_heads.",
        (CUT, "X.reshape(*X.shape[:-1], n_heads, -1)"),
    ),
]:
    wrong(
        "split_heads",
        name,
        sentence,
        SPLIT,
        *swaps,
    )
right(
    "split_heads",
    "numpys_own_error",
    """
def split_heads(X, n_heads):
    if n_heads <= 0:
        raise ValueError("at least one head")
    return np.swapaxes(X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads), -3, -2)
""",
)
right(
    "split_heads",
    "split_and_stack",
    SPLIT,
    (SWAP, "np.stack(np.split(X, n_heads, axis=-1), axis=-3)"),
)
right(
    "split_heads",
    "moveaxis",
    """
def split_heads(X, n_heads):
    try:
        width, rest = divmod(X.shape[-1], n_heads)
    except ZeroDivisionError:
        raise ValueError("0 heads") from None
    if rest != 0 or width < 0:
        raise ValueError("n_heads = %d does not divide d = %d" % (n_heads, X.shape[-1]))
    return np.moveaxis(X.reshape(X.shape[:-1] + (n_heads, width)), -2, -3)
""",
)
right(
    "split_heads",
    "filled_by_loops",
    """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if n_heads < 1 or d % n_heads:
        raise ValueError(f"{d} columns, {n_heads} heads")
    w = d // n_heads
    out = np.empty((*X.shape[:-2], n_heads, X.shape[-2], w), dtype=X.dtype)
    for r in range(n_heads):
        for m in range(w):
            out[..., r, :, m] = X[..., r * w + m]
    return out
""",
)
right("split_heads", "einsum", SPLIT, (SWAP, 'np.einsum("...nhw->...hnw", cut)'))
right(
    "split_heads",
    "transposed_first",
    SPLIT,
    (CUT, "np.swapaxes(X, -1, -2).reshape(*X.shape[:-2], n_heads, d // n_heads, X.shape[-2])"),
    (SWAP, "np.swapaxes(cut, -1, -2)"),
)
right("split_heads", "single_precision", SPLIT, (CUT, CUT.replace("X.r", "X.astype(np.float32).r")))

# ---------------------------------------------------------------- multi_head_attention
HEADS = """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        if n_heads < 1 or Y.shape[-1] % n_heads:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, Y.shape[-1] // n_heads).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    heads, A = scaled_dot_product_attention(Q, K, V, mask)
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], V.shape[-1] * n_heads)
    return joined @ W_O
"""
ATTEND = "heads, A = scaled_dot_product_attention(Q, K, V, mask)"
OWN = """S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    A = softmax(S)
    heads = A @ V"""
BY_HAND = variant(HEADS, (ATTEND, OWN))
SPLIT_LINE = "Y.reshape(*Y.shape[:-1], n_heads, Y.shape[-1] // n_heads).swapaxes(-3, -2)"
PROJECT = "Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)"
AXIS = """    if mask is not None:
        mask = mask[..., None, :, :]
"""
JOIN = """    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], V.shape[-1] * n_heads)
"""
for name, sentence, *swaps in [
    (
        "keys_from_queries",
        "You made K from X_q. Keys and values both come from X_kv; it is the same array in self-attention alone.",
        (PROJECT, "Q, K, V = split(X_q @ W_Q), split(X_q @ W_K), split(X_kv @ W_V)"),
    ),
    (
        "values_from_queries",
        "You made V from X_q. Keys and values both come from X_kv; it is the same array in self-attention alone.",
        (PROJECT, "Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_q @ W_V)"),
    ),
    (
        "self_attention_only",
        "You made K and V from X_q: X_kv is never used. Keys and values come from X_kv.",
        (PROJECT, "Q, K, V = split(X_q @ W_Q), split(X_q @ W_K), split(X_q @ W_V)"),
    ),
    (
        "queries_from_keys",
        "You made Q from X_kv. Queries come from X_q.",
        (PROJECT, "Q, K, V = split(X_kv @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)"),
    ),
    (
        "values_with_w_k",
        "Your V is made with W_K. It is X_kv @ W_V.",
        (PROJECT, "Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_K)"),
    ),
    (
        "keys_with_w_q",
        "Your K is made with W_Q. It is X_kv @ W_K.",
        (PROJECT, "Q, K, V = split(X_q @ W_Q), split(X_kv @ W_Q), split(X_kv @ W_V)"),
    ),
    (
        "w_o_forgotten",
        "You did not multiply by W_O: you returned the heads side by side.",
        ("return joined @ W_O", "return joined"),
    ),
    (
        "split_without_transpose",
        "You split by a reshape without the transpose: heads own stretches of tokens instead of features.",
        (
            SPLIT_LINE,
            "Y.reshape(*Y.shape[:-2], n_heads, Y.shape[-2], Y.shape[-1] // n_heads)",
        ),
    ),
    (
        "joined_without_transpose",
        "You joined the heads by a reshape without the transpose: a row holds neighbouring tokens of one head.",
        (
            JOIN,
            "    joined = heads.reshape(*heads.shape[:-3], heads.shape[-2], V.shape[-1] * n_heads)\n",
        ),
    ),
    (
        "both_without_transpose",
        "You split and joined by a reshape without the transpose: heads own stretches of tokens instead of features, and attention stays inside them.",
        (
            SPLIT_LINE,
            "Y.reshape(*Y.shape[:-2], n_heads, Y.shape[-2], Y.shape[-1] // n_heads)",
        ),
        (
            JOIN,
            "    joined = heads.reshape(*heads.shape[:-3], heads.shape[-2], V.shape[-1] * n_heads)\n",
        ),
    ),
    (
        "interleaved_split",
        "Your heads take every n_heads-th column. They own neighbouring columns: reshape to (n, n_heads, d_head), in this order.",
        (
            SPLIT_LINE,
            "np.moveaxis(Y.reshape(*Y.shape[:-1], Y.shape[-1] // n_heads, n_heads), -1, -3)",
        ),
    ),
    (
        "interleaved_join",
        "Your joined columns alternate between the heads. Head 1 comes first with all its features.",
        ("heads = heads.swapaxes(-3, -2)", "heads = np.moveaxis(heads, -3, -1)"),
    ),
    (
        "heads_reversed",
        "Your heads stand in reverse order before W_O: head 1 meets the rows of the last head.",
        ("heads = heads.swapaxes(-3, -2)", "heads = heads[..., ::-1, :, :].swapaxes(-3, -2)"),
    ),
    (
        "heads_averaged",
        "You averaged the heads before W_O, so all blocks of W_O meet the same. Each head meets its own block.",
        (
            "heads = heads.swapaxes(-3, -2)",
            "heads = (0 * heads + heads.mean(axis=-3, keepdims=True)).swapaxes(-3, -2)",
        ),
    ),
    (
        "heads_summed",
        "You added the heads up and used the first block of W_O alone. Each head meets its own block.",
        (JOIN, "    joined = heads.sum(axis=-3)\n"),
        ("@ W_O", "@ W_O[: V.shape[-1]]"),
    ),
    (
        "heads_averaged_first_block",
        "You averaged the heads and used the first block of W_O alone. Each head meets its own block.",
        (JOIN, "    joined = heads.mean(axis=-3)\n"),
        ("@ W_O", "@ W_O[: V.shape[-1]]"),
    ),
    (
        "axes_of_length_one_removed",
        "You removed axes of length 1: a batch of one example keeps its axis, and one query its own.",
        ("return joined @ W_O", "return np.squeeze(joined @ W_O)"),
    ),
    (
        "full_width_heads",
        "Each head scored with all columns of Q and K, so all heads have the same weights: that is one wide head. Each head uses its own d_k columns.",
        (
            ATTEND,
            "heads, A = scaled_dot_product_attention((X_q @ W_Q)[..., None, :, :], (X_kv @ W_K)[..., None, :, :], V, mask)",
        ),
    ),
    (
        "first_heads_weights",
        "All your heads use the weights of the first head. Each has its own.",
        (
            ATTEND,
            "heads, A = scaled_dot_product_attention(Q[..., :1, :, :], K[..., :1, :, :], V, mask)",
        ),
    ),
    (
        "mask_ignored",
        "Your mask has no effect.",
        (ATTEND, "heads, A = scaled_dot_product_attention(Q, K, V)"),
    ),
    (
        "mask_when_square",
        "Your mask works where it is square and has no effect where n_q and n_k differ.",
        (
            AXIS,
            AXIS.replace("is not None", "is not None and mask.shape[-1] == mask.shape[-2]")
            + "    else:\n        mask = None\n",
        ),
    ),
    (
        "mask_turned_round",
        "Your mask is turned round: True = may attend.",
        ("mask[..., None, :, :]", "~mask[..., None, :, :]"),
    ),
    (
        "mask_without_head_axis",
        "Your mask has no axis for the heads, so its batch axis meets the heads. Insert one: mask[..., None, :, :].",
        (AXIS, ""),
    ),
    (
        "mask_with_one_axis_in_front",
        "You put the new axis of the mask in front of all others, so its batch axis meets the heads. It belongs before the last two: mask[..., None, :, :].",
        ("mask[..., None, :, :]", "mask[None]"),
    ),
    (
        "mask_axis_at_one",
        "You put the new axis of the mask at position 1. That is right for (batch, n_q, n_k) alone; a mask of two axes or of four needs it before its last two: mask[..., None, :, :].",
        ("mask[..., None, :, :]", "mask[:, None]"),
    ),
    (
        "mask_of_three_axes_only",
        "Your mask gets its head axis if it has three axes, not if it has four. mask[..., None, :, :] does for any number.",
        ("mask[..., None, :, :]", "mask[:, None] if mask.ndim == 3 else mask"),
    ),
    (
        "mask_any",
        "A mask without a True was taken for no mask. Ask `if mask is not None`; a mask that permits nothing gives zeros.",
        (
            "if mask is not None:",
            "if mask is not None and not mask.any():\n        mask = None\n    if mask is not None:",
        ),
    ),
    (
        "returns_weights_too",
        "You returned the output and the weights. Return the output alone.",
        ("return joined @ W_O", "return joined @ W_O, A"),
    ),
    (
        "not_unpacked",
        "scaled_dot_product_attention returns a pair, (output, weights), and you went on with the pair. Take the first of the two.",
        (ATTEND, "heads = scaled_dot_product_attention(Q, K, V, mask)"),
        ("heads = heads.swapaxes(-3, -2)", "heads = np.swapaxes(heads, -3, -2)"),
    ),
    (
        "not_unpacked_method",
        "scaled_dot_product_attention returns a pair, (output, weights), and you went on with the pair. Take the first of the two.",
        (ATTEND, "heads = scaled_dot_product_attention(Q, K, V, mask)"),
    ),
    (
        "weights_for_output",
        "You went on with the weights. scaled_dot_product_attention returns (output, weights); it is the output that W_O multiplies.",
        (ATTEND, "A, heads = scaled_dot_product_attention(Q, K, V, mask)"),
        ("V.shape[-1] * n_heads", "heads.shape[-1] * n_heads"),
    ),
    (
        "pytorch_weights",
        "You transposed the weights as PyTorch keeps them. Here they are (in, out): X @ W.",
        (PROJECT, "Q, K, V = split(X_q @ W_Q.T), split(X_kv @ W_K.T), split(X_kv @ W_V.T)"),
        ("@ W_O", "@ W_O.T"),
    ),
    (
        "minus_one_in_the_reshape",
        "Your function fails where there is no query. If you wrote −1 in a reshape: NumPy cannot work it out for an empty array. Write the last size out.",
        ("V.shape[-1] * n_heads", "-1"),
    ),
    (
        "zero_heads",
        "With 0 heads your function raised another error than ValueError, or none. Dividing by 0 raises ZeroDivisionError: ask `n_heads < 1` first.",
        ("n_heads < 1 or Y.shape[-1] % n_heads", "Y.shape[-1] % n_heads"),
    ),
    (
        "another_error",
        "You raised another error than ValueError for a number of heads that does not divide the columns.",
        (
            'raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")',
            'raise RuntimeError("heads")',
        ),
    ),
    (
        "no_return",
        "Your function returns nothing: end it with a return.",
        ("return joined @ W_O", "joined @ W_O"),
    ),
]:
    wrong("multi_head_attention", name, sentence, HEADS, *swaps)
for name, sentence, *swaps in [
    (
        "joint_softmax",
        "Your softmax runs over heads and keys together, so the heads share one unit of weight. Each head has a softmax of its own, over its keys.",
        (
            "A = softmax(S)",
            "T = np.swapaxes(S, -3, -2)\n    A = np.swapaxes(softmax(T.reshape(*T.shape[:-2], S.shape[-3] * S.shape[-1])).reshape(T.shape), -3, -2)",
        ),
    ),
    (
        "softmax_over_heads",
        "Your softmax runs over the heads. It runs over the keys, the last axis of the scores.",
        ("softmax(S)", "np.swapaxes(softmax(np.swapaxes(S, -3, -1)), -3, -1)"),
    ),
    (
        "softmax_over_queries",
        "Your softmax runs over the queries: columns sum to 1 instead of rows. It runs over the keys, the last axis.",
        ("softmax(S)", "np.swapaxes(softmax(np.swapaxes(S, -2, -1)), -2, -1)"),
    ),
    (
        "scaled_by_d_model",
        "You divided by √d_model, the width of X_q. The sum in a score has d_k terms: divide by √d_k, the width of one head.",
        ("Q.shape[-1])", "X_q.shape[-1])"),
    ),
    (
        "scaled_by_all_heads",
        "You divided by the square root of the columns of all heads together. The sum in a score has d_k terms, the width of one head.",
        ("Q.shape[-1])", "W_Q.shape[-1])"),
    ),
    (
        "not_scaled",
        "You did not divide the scores by √d_k.",
        (" / np.sqrt(Q.shape[-1])", ""),
    ),
    (
        "scaled_twice",
        "The scores are divided by d_k: either you left the root out, or you divided by √d_k and let scaled_dot_product_attention do it again.",
        ("np.sqrt(Q.shape[-1])", "Q.shape[-1]"),
    ),
    (
        "scaled_by_n_k",
        "You divided by the root of the number of keys. The sum in a score has d_k terms.",
        ("np.sqrt(Q.shape[-1])", "np.sqrt(K.shape[-2])"),
    ),
    (
        "argmax",
        "You took the best key alone. The weights are a softmax.",
        ("A = softmax(S)", "A = np.eye(S.shape[-1])[S.argmax(-1)]"),
    ),
    (
        "large_negative_number",
        "A query that may attend to nothing got the average of all values: in its row all scores are equal, as they are if blocked scores are set to one finite number. It gets zeros.",
        ("-np.inf", "-1e9"),
    ),
    (
        "nan_for_an_empty_row",
        "A query that may attend to nothing got NaN. It gets zeros.",
        (
            "A = softmax(S)",
            "e = np.exp(S - S.max(-1, keepdims=True))\n    A = e / e.sum(-1, keepdims=True)",
        ),
    ),
    (
        "mask_after_softmax",
        "Blocked keys kept their share of the softmax: the permitted weights of a row no longer sum to 1. Mask the scores, or divide by the new sum.",
        ("    if mask is not None:\n        S = np.where(mask, S, -np.inf)\n", ""),
        ("A = softmax(S)", "A = softmax(S) if mask is None else softmax(S) * mask"),
    ),
    (
        "scores_times_mask",
        "Blocked keys kept a weight: their scores became 0 instead of −∞.",
        ("np.where(mask, S, -np.inf)", "S * mask"),
    ),
]:
    wrong("multi_head_attention", name, sentence, BY_HAND, *swaps)
wrong(
    "multi_head_attention",
    "one_example_only",
    "Your function takes single matrices: it fails on a batch. Keep the leading axes.",
    """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    if n_heads < 1 or W_Q.shape[1] % n_heads or W_K.shape[1] % n_heads or W_V.shape[1] % n_heads:
        raise ValueError("the heads do not divide the columns")
    n_q, _ = X_q.shape
    n_k, _ = X_kv.shape
    Q = (X_q @ W_Q).reshape(n_q, n_heads, W_Q.shape[1] // n_heads).transpose(1, 0, 2)
    K = (X_kv @ W_K).reshape(n_k, n_heads, W_K.shape[1] // n_heads).transpose(1, 0, 2)
    V = (X_kv @ W_V).reshape(n_k, n_heads, W_V.shape[1] // n_heads).transpose(1, 0, 2)
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    return heads.transpose(1, 0, 2).reshape(n_q, W_V.shape[1]) @ W_O
""",
    unnamed=True,
)
wrong(
    "multi_head_attention",
    "one_batch_axis_only",
    "Your function takes one leading axis at most. There may be more: keep X.shape[:-1] as it is.",
    """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    if n_heads < 1 or W_Q.shape[1] % n_heads or W_K.shape[1] % n_heads or W_V.shape[1] % n_heads:
        raise ValueError("the heads do not divide the columns")
    if X_q.ndim == 2:
        mask = None if mask is None else mask[None]
        return multi_head_attention(X_q[None], X_kv[None], W_Q, W_K, W_V, W_O, n_heads, mask)[0]
    b, n, _ = X_q.shape
    n_k = X_kv.shape[1]
    Q = (X_q @ W_Q).reshape(b, n, n_heads, W_Q.shape[1] // n_heads).transpose(0, 2, 1, 3)
    K = (X_kv @ W_K).reshape(b, n_k, n_heads, W_K.shape[1] // n_heads).transpose(0, 2, 1, 3)
    V = (X_kv @ W_V).reshape(b, n_k, n_heads, W_V.shape[1] // n_heads).transpose(0, 2, 1, 3)
    H, _ = scaled_dot_product_attention(Q, K, V, None if mask is None else mask[..., None, :, :])
    return H.transpose(0, 2, 1, 3).reshape(b, n, W_V.shape[1]) @ W_O
""",
    unnamed=True,
)
wrong(
    "multi_head_attention",
    "accepts_any_number",
    "You accepted a number of heads that does not divide the columns. Raise ValueError.",
    """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    if n_heads < 1:
        raise ValueError("no heads")
    out, d_k, d_v = 0, W_Q.shape[1] // n_heads, W_V.shape[1] // n_heads
    for r in range(n_heads):
        k, v = slice(r * d_k, (r + 1) * d_k), slice(r * d_v, (r + 1) * d_v)
        out = out + scaled_dot_product_attention(X_q @ W_Q[:, k], X_kv @ W_K[:, k], X_kv @ W_V[:, v], mask)[0] @ W_O[v]
    return out
""",
)
wrong(
    "multi_head_attention",
    "only_w_q_is_checked",
    "You asked whether the heads divide the columns of Q, not whether they divide those of V. Raise ValueError for each of them.",
    """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    if n_heads < 1 or W_Q.shape[1] % n_heads:
        raise ValueError("the heads do not divide the columns")
    out, d_k, d_v = 0, W_Q.shape[1] // n_heads, W_V.shape[1] // n_heads
    for r in range(n_heads):
        k, v = slice(r * d_k, (r + 1) * d_k), slice(r * d_v, (r + 1) * d_v)
        out = out + scaled_dot_product_attention(X_q @ W_Q[:, k], X_kv @ W_K[:, k], X_kv @ W_V[:, v], mask)[0] @ W_O[v]
    return out
""",
)
wrong(
    "multi_head_attention",
    "values_cut_by_width_of_keys",
    "You cut V with the width of a key head. V has columns of its own: d_v = V.shape[-1] // n_heads.",
    """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    if n_heads < 1 or W_Q.shape[1] % n_heads or W_V.shape[1] % n_heads:
        raise ValueError("the heads do not divide the columns")
    out, d_k = 0, W_Q.shape[1] // n_heads
    for r in range(n_heads):
        own = slice(r * d_k, (r + 1) * d_k)
        out = out + scaled_dot_product_attention(X_q @ W_Q[:, own], X_kv @ W_K[:, own], X_kv @ W_V[:, own], mask)[0] @ W_O[own]
    return out
""",
)
wrong(
    "multi_head_attention",
    "changes_w_q",
    "You scaled W_Q in place: the caller's weights are changed. Scale a new array.",
    BY_HAND,
    (PROJECT, "W_Q /= np.sqrt(W_Q.shape[1] / max(n_heads, 1))\n    " + PROJECT),
    (" / np.sqrt(Q.shape[-1])", ""),
)
right(
    "multi_head_attention",
    "list_of_heads",
    """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    if n_heads < 1 or any(W.shape[-1] % n_heads for W in (W_Q, W_K, W_V)):
        raise ValueError(f"{n_heads} heads do not divide the columns")
    parts = zip(np.split(W_Q, n_heads, axis=1), np.split(W_K, n_heads, axis=1), np.split(W_V, n_heads, axis=1))
    heads = [scaled_dot_product_attention(X_q @ q, X_kv @ k, X_kv @ v, mask)[0] for q, k, v in parts]
    return np.concatenate(heads, axis=-1) @ W_O
""",
)
right(
    "multi_head_attention",
    "sum_over_blocks",
    """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    if n_heads < 1:
        raise ValueError("at least one head")
    d_k, d_v = W_Q.shape[1] // n_heads, W_V.shape[1] // n_heads
    if d_k * n_heads != W_Q.shape[1] or W_K.shape[1] != W_Q.shape[1] or d_v * n_heads != W_V.shape[1]:
        raise ValueError("the heads do not divide the columns")
    out = np.zeros((*X_q.shape[:-1], W_O.shape[1]))
    for r in range(n_heads):
        q, k = X_q @ W_Q[:, r * d_k : (r + 1) * d_k], X_kv @ W_K[:, r * d_k : (r + 1) * d_k]
        rows = slice(r * d_v, (r + 1) * d_v)
        A = scaled_dot_product_attention(q, k, X_kv, mask)[1]
        out += A @ (X_kv @ (W_V[:, rows] @ W_O[rows]))
    return out
""",
)
right(
    "multi_head_attention",
    "einsum",
    """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def cut(W):
        if n_heads < 1 or W.shape[1] % n_heads:
            raise ValueError("the heads do not divide the columns")
        return W.reshape(W.shape[0], n_heads, W.shape[1] // n_heads)

    Q = np.einsum("...id,dhk->...hik", X_q, cut(W_Q))
    K = np.einsum("...jd,dhk->...hjk", X_kv, cut(W_K))
    V = np.einsum("...jd,dhv->...hjv", X_kv, cut(W_V))
    S = np.einsum("...hik,...hjk->...hij", Q, K) / Q.shape[-1] ** 0.5
    if mask is not None:
        S = np.where(np.expand_dims(mask, -3), S, -np.inf)
    heads = np.einsum("...hij,...hjv->...hiv", softmax(S), V)
    return np.einsum("...hiv,hvo->...io", heads, W_O.reshape(n_heads, -1, W_O.shape[1]))
""",
)
right(
    "multi_head_attention",
    "example_by_example",
    """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    if n_heads < 1 or W_Q.shape[1] % n_heads or W_K.shape[1] % n_heads or W_V.shape[1] % n_heads:
        raise ValueError("the heads do not divide the columns")
    if X_q.ndim > 2:
        if mask is not None:
            mask = np.broadcast_to(mask, (*X_q.shape[:-1], X_kv.shape[-2]))
        return np.stack(
            [
                multi_head_attention(q, kv, W_Q, W_K, W_V, W_O, n_heads, None if mask is None else mask[b])
                for b, (q, kv) in enumerate(zip(X_q, X_kv))
            ]
        )
    Q, K, V = (np.stack(np.hsplit(Y, n_heads)) for Y in (X_q @ W_Q, X_kv @ W_K, X_kv @ W_V))
    return np.hstack(list(scaled_dot_product_attention(Q, K, V, mask)[0])) @ W_O
""",
)
right(
    "multi_head_attention",
    "renormalised_after",
    BY_HAND,
    ("    if mask is not None:\n        S = np.where(mask, S, -np.inf)\n", ""),
    (
        "A = softmax(S)",
        "A = softmax(S)\n    if mask is not None:\n        A = A * mask\n        total = A.sum(-1, keepdims=True)\n        A = A / np.where(total == 0, 1, total)",
    ),
)
right(
    "multi_head_attention",
    "single_precision",
    HEADS,
    (
        PROJECT,
        "X_q, X_kv, W_Q, W_K, W_V, W_O = (A.astype(np.float32) for A in (X_q, X_kv, W_Q, W_K, W_V, W_O))\n    "
        + PROJECT,
    ),
    ("return joined @ W_O", "return (joined @ W_O).astype(np.float32)"),
)
right(
    "multi_head_attention",
    "from_its_own_split_heads",
    """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    Q, K, V = (split_heads(X @ W, n_heads) for X, W in [(X_q, W_Q), (X_kv, W_K), (X_kv, W_V)])
    m = None if mask is None else np.expand_dims(mask, -3)
    out = scaled_dot_product_attention(Q, K, V, m)[0]
    return np.concatenate([out[..., r, :, :] for r in range(n_heads)], axis=-1) @ W_O
""",
)

# ---------------------------------------------------------------- is_multi_head
EXAM = """
def is_multi_head(program):
    draw = np.random.default_rng(3)
    for b, n_q, n_k, h, d_k, d_v, d, d_kv in [
        (2, 3, 5, 2, 3, 4, 7, 8), (3, 5, 4, 3, 2, 1, 6, 5), (2, 4, 4, 2, 3, 3, 6, 6)
    ]:
        X_q, X_kv = draw.normal(size=(b, n_q, d)), draw.normal(size=(b, n_k, d_kv))
        W_Q, W_K = draw.normal(size=(d, h * d_k)), draw.normal(size=(d_kv, h * d_k))
        W_V, W_O = draw.normal(size=(d_kv, h * d_v)), draw.normal(size=(h * d_v, d))
        each = draw.random((b, n_q, n_k)) < 0.5
        each[0, 1], each[1, 0] = False, True
        nothing = np.zeros((n_q, n_k), bool)
        for mask in (None, each, each[0], nothing):
            arguments = (X_q, X_kv, W_Q, W_K, W_V, W_O, h, mask)
            want = 0
            for r in range(h):
                k, v = slice(r * d_k, (r + 1) * d_k), slice(r * d_v, (r + 1) * d_v)
                Q, K, V = X_q @ W_Q[:, k], X_kv @ W_K[:, k], X_kv @ W_V[:, v]
                want = want + scaled_dot_product_attention(Q, K, V, mask)[0] @ W_O[v]
            try:
                got = np.asarray(program(*arguments))
            except Exception:
                return False
            if got.shape != want.shape or not np.allclose(got, want, rtol=1e-9, atol=1e-9):
                return False
    return True
"""
SIZES = """        (2, 3, 5, 2, 3, 4, 7, 8), (3, 5, 4, 3, 2, 1, 6, 5), (2, 4, 4, 2, 3, 3, 6, 6)
"""
MASKS = "(None, each, each[0], nothing)"
NUMBERS = " or not np.allclose(got, want, rtol=1e-9, atol=1e-9)"
WHOLE = "got.shape != want.shape" + NUMBERS
for name, sentence, *swaps in [
    (
        "always_true",
        "Your function accepts every program.",
        ("return False", "pass"),
        ("got = np.asarray(program(*arguments))", "got = want"),
    ),
    (
        "always_false",
        "Your function rejects a right program.",
        ("    return True\n", "    return False\n"),
    ),
    (
        "shapes_only",
        "Your test accepts wrong numbers of the right shape: either it compares shapes alone, or its inputs hide the numbers, as one query and one key do (all weights are 1).",
        (NUMBERS, ""),
    ),
    (
        "one_token",
        "Your test accepts wrong numbers of the right shape: either it compares shapes alone, or its inputs hide the numbers, as one query and one key do (all weights are 1).",
        (SIZES, "        (2, 1, 1, 2, 3, 4, 7, 8)\n"),
        (MASKS, "(None,)"),
        ("each[0, 1], each[1, 0] = False, True", "pass"),
    ),
    (
        "one_head",
        "Your test accepts programs that are right with one head. Ask with several, and with a mask for each of several examples.",
        (SIZES, "        (2, 3, 5, 1, 3, 4, 7, 8), (3, 4, 4, 1, 3, 3, 6, 6)\n"),
    ),
    (
        "no_mask",
        "Your test accepts programs that go wrong with a mask: either it never asks with one, or a `return True` inside the loops ends it before.",
        (MASKS, "(None,)"),
    ),
    (
        "no_empty_row",
        "Your test accepts programs that go wrong where a query may attend to nothing.",
        ("each[0, 1], each[1, 0] = False, True", "each[..., 0] = True"),
        (MASKS, "(None, each, each[0])"),
    ),
    (
        "no_mask_that_permits_nothing",
        "Your test accepts a program that takes a mask without a True for no mask.",
        (MASKS, "(None, each, each[0])"),
    ),
    (
        "one_mask_for_all_examples",
        "Your test accepts a program whose mask has no axis for the heads. Ask with a batch, each example with a mask of its own.",
        (MASKS, "(None, each[0], nothing)"),
    ),
    (
        "square_masks_only",
        "Your test accepts a program that obeys square masks alone. Let n_q and n_k differ.",
        (SIZES, "        (2, 4, 4, 2, 3, 5, 7, 8), (3, 5, 5, 3, 2, 1, 6, 4)\n"),
    ),
    (
        "self_attention_only",
        "Your test accepts a program that reads X_q alone, or square masks alone: it never lets X_q and X_kv differ.",
        (
            "X_q, X_kv = draw.normal(size=(b, n_q, d)), draw.normal(size=(b, n_k, d_kv))",
            "n_k, d_kv = n_q, d\n        X_q = X_kv = draw.normal(size=(b, n_q, d))",
        ),
    ),
    (
        "empty_row_but_no_batch",
        "Your test accepts programs that go wrong with a mask for each example, or with a mask without a True. Ask with both.",
        (MASKS, "(None, each[0])"),
        ("each[0, 1], each[1, 0] = False, True", "each[:, 0], each[:, 1] = False, True"),
    ),
    (
        "triangle_alone",
        "Your test accepts programs that go wrong with a mask for each example, with an empty row, or with a mask without a True. Ask with all three.",
        (MASKS, "(None, np.tri(n_q, n_k) > 0)"),
    ),
    (
        "square_triangle_alone",
        "Your test accepts programs that go wrong with a mask that is not square, with one for each example, with an empty row, or without a True. Ask with all four.",
        (MASKS, "(None, np.tri(n_q, n_k) > 0)"),
        (SIZES, "        (2, 4, 4, 2, 3, 5, 7, 8), (3, 5, 5, 3, 2, 1, 6, 4)\n"),
    ),
    (
        "keys_one_wide",
        "Your test accepts a program that does not divide the scores by √d_k, as it must if d_k is 1 in all your inputs. Ask with d_k of 2 or more.",
        (SIZES, "        (2, 3, 5, 2, 1, 4, 7, 8), (3, 5, 4, 3, 1, 2, 6, 5)\n"),
    ),
    (
        "bit_for_bit_with_your_layer",
        "Your test accepts a program that computes in your order and rejects a right one whose last digits differ: another order of summation rounds differently. Compare with a tolerance.",
        (
            EXAM[EXAM.index("            want = 0") : EXAM.index("            try:")],
            "            want = multi_head_attention(*arguments)\n",
        ),
        (NUMBERS, " or not np.array_equal(got, want)"),
    ),
    (
        "error_counts_as_right_in_many",
        "Your test accepts programs that raise an error.",
        (
            "            except Exception:\n                return False\n",
            "            except Exception:\n                continue\n",
        ),
        (SIZES, "        (2, 3, 5, 2, 3, 4, 7, 8), (2, 5, 4, 2, 2, 1, 6, 5)\n"),
    ),
    (
        "bit_for_bit",
        "Your test rejects a right program whose last digits differ: another order of summation rounds differently. Compare with a tolerance.",
        (NUMBERS, " or not np.array_equal(got, want)"),
    ),
    (
        "exception_escapes",
        "A program raised an error, and it went through your test. Catch it: such a program is wrong, the answer is False.",
        (
            "            except Exception:\n                return False\n",
            "            finally:\n                pass\n",
        ),
    ),
    (
        "error_counts_as_right",
        "Your test accepts a program that raises an error.",
        (
            "            except Exception:\n                return False\n",
            "            except Exception:\n                continue\n",
        ),
        (
            SIZES,
            "        (2, 3, 5, 2, 3, 4, 7, 8), (2, 5, 4, 2, 2, 1, 6, 5), (2, 4, 4, 2, 3, 3, 6, 6)\n",
        ),
    ),
    (
        "nan_is_not_seen",
        "Your test accepts NaN: a comparison with NaN is False, so `difference > tolerance` never fires. Ask for `not (difference <= tolerance)`, or use np.allclose.",
        (NUMBERS, " or np.abs(got - want).max() > 1e-9"),
    ),
    (
        "first_input_only",
        "Your test accepts programs that go wrong with a mask: either it never asks with one, or a `return True` inside the loops ends it before.",
        (
            "                return False\n    return True",
            "                return False\n            return True\n    return True",
        ),
    ),
    (
        "turned_round",
        "Your answers are turned round: True for a right program.",
        ("return False", "return no"),
        ("return True", "return False"),
        ("return no", "return True"),
    ),
]:
    wrong("is_multi_head", name, sentence, EXAM, *swaps)
right("is_multi_head", "head_by_head", EXAM)
start, end = EXAM.index("            want = 0"), EXAM.index("            try:")
right(
    "is_multi_head",
    "against_its_own_layer",
    EXAM,
    (EXAM[start:end], "            want = multi_head_attention(*arguments)\n"),
)
right(
    "is_multi_head",
    "heads_one_by_one",
    """
def is_multi_head(program):
    draw = np.random.default_rng(1)
    for b, h, n_q, n_k in [(4, 4, 3, 6), (2, 3, 5, 5)]:
        X_q, X_kv = draw.normal(size=(b, n_q, 7)), draw.normal(size=(b, n_k, 5))
        W_Q, W_K = draw.normal(size=(7, 2 * h)), draw.normal(size=(5, 2 * h))
        W_V, W_O = draw.normal(size=(5, 3 * h)), draw.normal(size=(3 * h, 8))
        M = draw.random((b, n_q, n_k)) < 0.5
        M[:, 0] = False
        for mask in [None, M, M[1], M & False]:
            total = 0
            for r in range(h):
                Q, K = X_q @ W_Q[:, 2 * r : 2 * r + 2], X_kv @ W_K[:, 2 * r : 2 * r + 2]
                V = X_kv @ W_V[:, 3 * r : 3 * r + 3]
                S = Q @ K.swapaxes(-1, -2) / np.sqrt(2)
                A = softmax(S if mask is None else np.where(mask, S, -np.inf))
                total = total + A @ V @ W_O[3 * r : 3 * r + 3]
            try:
                difference = np.abs(program(X_q, X_kv, W_Q, W_K, W_V, W_O, h, mask) - total).max()
            except Exception:
                return False
            if not difference < 1e-9:
                return False
    return True
""",
)
right(
    "is_multi_head",
    "sum_of_itself_over_single_heads",
    """
def is_multi_head(program):
    draw = np.random.default_rng(2)
    try:
        for b, h, n_q, n_k in [(3, 3, 2, 5), (2, 4, 6, 6), (2, 2, 7, 4)]:
            X_q, X_kv = draw.normal(size=(b, n_q, 9)), draw.normal(size=(b, n_k, 8))
            W_Q, W_K = draw.normal(size=(9, 3 * h)), draw.normal(size=(8, 3 * h))
            W_V, W_O = draw.normal(size=(8, 2 * h)), draw.normal(size=(2 * h, 9))
            each = draw.random((b, n_q, n_k)) < 0.6
            each[0, 1] = False
            for mask in (None, each, each[0], each & False):
                total = 0
                for r in range(h):
                    k, v = slice(3 * r, 3 * r + 3), slice(2 * r, 2 * r + 2)
                    one = program(X_q, X_kv, W_Q[:, k], W_K[:, k], W_V[:, v], W_O[v], 1, mask)
                    right, _ = scaled_dot_product_attention(X_q @ W_Q[:, k], X_kv @ W_K[:, k], X_kv @ W_V[:, v], mask)
                    if not np.allclose(one, right @ W_O[v], atol=1e-9):
                        return False
                    total = total + one
                whole = np.asarray(program(X_q, X_kv, W_Q, W_K, W_V, W_O, h, mask))
                if whole.shape != total.shape or not np.allclose(whole, total, atol=1e-9):
                    return False
    except Exception:
        return False
    return True
""",
)
right(
    "is_multi_head",
    "numpy_truth",
    EXAM,
    ("return True\n", "return np.True_\n"),
    ("return False\n", "return np.False_\n"),
)
right(
    "is_multi_head",
    "collects_differences",
    EXAM,
    ("    draw = np.random.default_rng(3)", "    gaps = []\n    draw = np.random.default_rng(30)"),
    (
        "            if " + WHOLE + ":\n                return False\n    return True",
        "            if got.shape != want.shape:\n                return False\n            gaps.append(np.abs(got - want).max())\n    return bool(np.max(gaps) < 1e-9)",
    ),
)
