"""Chapter 8: what learners write for splitting, merging and the whole layer, wrong and right."""

from autograde.mistakes import Right, Wrong

CATALOGUE = [
    # ------------------------------------------------------------ split_heads
    Wrong(
        "split_heads",
        "reshape_without_transpose",
        "You reshaped straight to (n_heads, n, d_head): each head then holds whole tokens instead of some features of every token. Reshape to (n, n_heads, d_head) first, then swap the axes of token and head.",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    return X.reshape(*X.shape[:-2], n_heads, X.shape[-2], d // n_heads)
""",
    ),
    Wrong(
        "split_heads",
        "transpose_forgotten",
        "You cut the columns and stopped there: your axes are token, head, feature. Swap the first two of these three, so that the head comes first.",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    return X.reshape(*X.shape[:-1], n_heads, d // n_heads)
""",
    ),
    Wrong(
        "split_heads",
        "interleaved",
        "Your head takes every n_heads-th column. It owns neighbouring columns: cut d into (n_heads, d_head), in this order.",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    cut = X.reshape(*X.shape[:-1], d // n_heads, n_heads)
    return np.moveaxis(cut, -1, -3)
""",
    ),
    Wrong(
        "split_heads",
        "heads_and_width_swapped",
        "You made d // n_heads heads of n_heads columns. It is the other way round: n_heads heads of d // n_heads columns.",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    cut = X.reshape(*X.shape[:-1], d // n_heads, n_heads)
    return np.swapaxes(cut, -3, -2)
""",
    ),
    Wrong(
        "split_heads",
        "full_width",
        "Every head got all d columns. A head gets d // n_heads of them.",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    return np.stack([X] * n_heads, axis=-3)
""",
    ),
    Wrong(
        "split_heads",
        "features_before_tokens",
        "Your heads are transposed: (n_heads, d_head, n). Inside a head, rows are tokens.",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    cut = X.reshape(*X.shape[:-1], n_heads, d // n_heads)
    return np.moveaxis(cut, -3, -1)
""",
    ),
    Wrong(
        "split_heads",
        "first_two_axes_swapped",
        "You swapped axes 0 and 1. That is right for one matrix, but in a batch axis 0 counts the examples: swap -3 and -2.",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    return X.reshape(*X.shape[:-1], n_heads, d // n_heads).swapaxes(0, 1)
""",
    ),
    Wrong(
        "split_heads",
        "last_two_axes_swapped",
        "You swapped the last two axes, head and feature. Swap token and head: -3 and -2.",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    return X.reshape(*X.shape[:-1], n_heads, d // n_heads).swapaxes(-2, -1)
""",
    ),
    Wrong(
        "split_heads",
        "one_matrix_only",
        "Your function takes a single matrix only: it fails on a batch. Keep the leading axes with X.shape[:-1].",
        """
def split_heads(X, n_heads):
    n, d = X.shape
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    return X.reshape(n, n_heads, d // n_heads).transpose(1, 0, 2)
""",
    ),
    Wrong(
        "split_heads",
        "head_axis_first",
        "Your head axis stands before the batch axis: (n_heads, batch, n, d_head). It belongs third from the end, just before the tokens.",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    return np.stack(np.split(X, n_heads, axis=-1))
""",
    ),
    Wrong(
        "split_heads",
        "all_axes_reversed",
        ".T reverses all axes. Exchange only token and head: np.swapaxes(cut, -3, -2).",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    return X.reshape(*X.shape[:-1], n_heads, d // n_heads).T
""",
    ),
    Wrong(
        "split_heads",
        "batch_flattened",
        "You lost the batch axis: the tokens of all examples stand in one list. Keep the leading axes as they are.",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    return X.reshape(-1, n_heads, d // n_heads).swapaxes(0, 1)
""",
    ),
    Wrong(
        "split_heads",
        "only_the_first_head",
        "You returned one head only. All of them go into the result, one after the other along a new axis.",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    return X[..., None, :, : d // n_heads]
""",
    ),
    Wrong(
        "split_heads",
        "changes_shape_in_place",
        "You changed the caller's array (X.shape = …, or X[...] = …). X.reshape(...) leaves X as it was.",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    X.shape = (*X.shape[:-1], n_heads, d // n_heads)
    return np.swapaxes(X, -3, -2)
""",
    ),
    Wrong(
        "split_heads",
        "no_return",
        "Your function returns nothing: end it with a return.",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    np.swapaxes(X.reshape(*X.shape[:-1], n_heads, d // n_heads), -3, -2)
""",
    ),
    Wrong(
        "split_heads",
        "accepts_any_number",
        "You accepted a number of heads that does not divide the columns. Raise ValueError if d % n_heads is not 0.",
        """
def split_heads(X, n_heads):
    d = X.shape[-1] // n_heads
    return np.stack([X[..., a * d : (a + 1) * d] for a in range(n_heads)], axis=-3)
""",
    ),
    Wrong(
        "split_heads",
        "assert_instead_of_valueerror",
        "You raised another error than ValueError for a number of heads that does not divide the columns.",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    assert d % n_heads == 0, f"{d} columns, {n_heads} heads"
    return np.swapaxes(X.reshape(*X.shape[:-1], n_heads, d // n_heads), -3, -2)
""",
    ),
    Right(
        "split_heads",
        "numpys_own_error",
        """
def split_heads(X, n_heads):
    return np.swapaxes(X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads), -3, -2)
""",
    ),
    Right(
        "split_heads",
        "split_and_stack",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    return np.stack(np.split(X, n_heads, axis=-1), axis=-3)
""",
    ),
    Right(
        "split_heads",
        "moveaxis",
        """
def split_heads(X, n_heads):
    width, rest = divmod(X.shape[-1], n_heads)
    if rest != 0:
        raise ValueError("n_heads = %d does not divide d = %d" % (n_heads, X.shape[-1]))
    return np.moveaxis(X.reshape(X.shape[:-1] + (n_heads, width)), -2, -3)
""",
    ),
    Right(
        "split_heads",
        "filled_by_loops",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    w = d // n_heads
    out = np.empty((*X.shape[:-2], n_heads, X.shape[-2], w), dtype=X.dtype)
    for a in range(n_heads):
        for m in range(w):
            out[..., a, :, m] = X[..., a * w + m]
    return out
""",
    ),
    Right(
        "split_heads",
        "einsum",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    return np.einsum("...nhw->...hnw", X.reshape(*X.shape[:-1], n_heads, d // n_heads))
""",
    ),
    Right(
        "split_heads",
        "transposed_first",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    columns = np.swapaxes(X, -1, -2)
    cut = columns.reshape(*X.shape[:-2], n_heads, d // n_heads, X.shape[-2])
    return np.swapaxes(cut, -1, -2)
""",
    ),
    Right(
        "split_heads",
        "single_precision",
        """
def split_heads(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError(f"{d} columns cannot be shared equally by {n_heads} heads.")
    X = np.asarray(X, dtype=np.float32)
    return np.swapaxes(X.reshape(*X.shape[:-1], n_heads, d // n_heads), -3, -2)
""",
    ),
    # ------------------------------------------------------------ merge_heads
    Wrong(
        "merge_heads",
        "reshape_without_transpose",
        "You reshaped without swapping head and token: a row then holds neighbouring tokens of one head. Swap -3 and -2 first.",
        """
def merge_heads(H):
    return H.reshape(*H.shape[:-3], H.shape[-2], H.shape[-3] * H.shape[-1])
""",
    ),
    Wrong(
        "merge_heads",
        "summed",
        "You added the heads up. They stand side by side, each in its own columns; W_O does the adding.",
        """
def merge_heads(H):
    return H.sum(axis=-3)
""",
    ),
    Wrong(
        "merge_heads",
        "averaged",
        "You averaged the heads. They stand side by side, each in its own columns.",
        """
def merge_heads(H):
    return H.mean(axis=-3)
""",
    ),
    Wrong(
        "merge_heads",
        "interleaved",
        "Your columns alternate between the heads. Head 1 comes first with all its features, then head 2: the last two axes before the reshape must be (head, feature).",
        """
def merge_heads(H):
    by_token = np.moveaxis(H, -3, -1)
    return by_token.reshape(*by_token.shape[:-2], -1)
""",
    ),
    Wrong(
        "merge_heads",
        "heads_below_each_other",
        "You put the heads below each other. That makes n_heads · n rows; they go side by side, n rows.",
        """
def merge_heads(H):
    return H.reshape(*H.shape[:-3], -1, H.shape[-1])
""",
    ),
    Wrong(
        "merge_heads",
        "not_glued",
        "You swapped head and token but did not glue head and feature: the result still has one axis too many.",
        """
def merge_heads(H):
    return np.swapaxes(H, -3, -2)
""",
    ),
    Wrong(
        "merge_heads",
        "first_two_axes_swapped",
        "You swapped axes 0 and 1. That is right without a batch, but in a batch axis 0 counts the examples: swap -3 and -2.",
        """
def merge_heads(H):
    by_token = H.swapaxes(0, 1)
    return by_token.reshape(*by_token.shape[:-2], -1)
""",
    ),
    Wrong(
        "merge_heads",
        "one_set_only",
        "Your function takes three axes only: it fails on a batch. Take n_heads, n and d_head from the last three axes and keep the rest.",
        """
def merge_heads(H):
    n_heads, n, d_head = H.shape
    return H.transpose(1, 0, 2).reshape(n, n_heads * d_head)
""",
    ),
    Wrong(
        "merge_heads",
        "concatenates_the_batch",
        "np.concatenate(H, ...) runs over the first axis, and in a batch that counts the examples. Run over the axis of the heads, -3.",
        """
def merge_heads(H):
    return np.concatenate(list(H), axis=-1)
""",
    ),
    Wrong(
        "merge_heads",
        "reversed_heads",
        "Your heads stand in reverse order. Head 1 belongs on the left.",
        """
def merge_heads(H):
    return np.concatenate([H[..., a, :, :] for a in reversed(range(H.shape[-3]))], axis=-1)
""",
    ),
    Wrong(
        "merge_heads",
        "first_head_only",
        "You returned the first head only.",
        """
def merge_heads(H):
    return H[..., 0, :, :]
""",
    ),
    Wrong(
        "merge_heads",
        "last_head_missing",
        "The last head is missing: range(n_heads - 1) stops one short.",
        """
def merge_heads(H):
    return np.concatenate([H[..., a, :, :] for a in range(max(1, H.shape[-3] - 1))], axis=-1)
""",
    ),
    Wrong(
        "merge_heads",
        "transposed_result",
        "Your result is transposed: rows are tokens, columns are the features of all heads.",
        """
def merge_heads(H):
    out = np.swapaxes(H, -3, -2)
    return np.swapaxes(out.reshape(*out.shape[:-2], -1), -1, -2)
""",
    ),
    Wrong(
        "merge_heads",
        "wrong_axes_swapped",
        "You swapped token and feature. Swap head and token: -3 and -2.",
        """
def merge_heads(H):
    out = np.swapaxes(H, -2, -1)
    return out.reshape(*H.shape[:-3], H.shape[-2], -1)
""",
    ),
    Wrong(
        "merge_heads",
        "batch_flattened",
        "You lost the batch axis: the tokens of all examples stand in one list. Keep the leading axes as they are.",
        """
def merge_heads(H):
    out = np.swapaxes(H, -3, -2)
    return out.reshape(-1, H.shape[-3] * H.shape[-1])
""",
    ),
    Wrong(
        "merge_heads",
        "no_return",
        "Your function returns nothing: end it with a return.",
        """
def merge_heads(H):
    np.swapaxes(H, -3, -2).reshape(*H.shape[:-3], H.shape[-2], -1)
""",
    ),
    Wrong(
        "merge_heads",
        "tokens_overwritten",
        "You changed H in place: the caller's array must stay as it was. Work on a new array.",
        """
def merge_heads(H):
    out = np.swapaxes(H, -3, -2).reshape(*H.shape[:-3], H.shape[-2], -1).copy()
    H *= 0
    return out
""",
    ),
    Wrong(
        "merge_heads",
        "swaps_the_batch_axis_keeps_leading",
        "You swapped axes 0 and 1. That is right without a batch, but in a batch axis 0 counts the examples: swap -3 and -2.",
        """
def merge_heads(H):
    return H.swapaxes(0, 1).reshape(*H.shape[:-3], H.shape[-2], -1)
""",
    ),
    Wrong(
        "merge_heads",
        "hstack",
        "np.hstack joins along axis 1, and in a batch it splits off the examples, not the heads. Swap -3 and -2, then reshape.",
        """
def merge_heads(H):
    return np.hstack(H)
""",
    ),
    Right(
        "merge_heads",
        "concatenate",
        """
def merge_heads(H):
    return np.concatenate([H[..., a, :, :] for a in range(H.shape[-3])], axis=-1)
""",
    ),
    Right(
        "merge_heads",
        "moveaxis",
        """
def merge_heads(H):
    n_heads, n, width = H.shape[-3:]
    return np.moveaxis(H, -3, -2).reshape(H.shape[:-3] + (n, n_heads * width))
""",
    ),
    Right(
        "merge_heads",
        "einsum",
        """
def merge_heads(H):
    out = np.einsum("...hnw->...nhw", H)
    return out.reshape(out.shape[:-2] + (out.shape[-2] * out.shape[-1],))
""",
    ),
    Right(
        "merge_heads",
        "filled_by_loops",
        """
def merge_heads(H):
    n_heads, n, width = H.shape[-3:]
    out = np.zeros(H.shape[:-3] + (n, n_heads * width))
    for a in range(n_heads):
        out[..., a * width : (a + 1) * width] = H[..., a, :, :]
    return out
""",
    ),
    Right(
        "merge_heads",
        "example_by_example",
        """
def merge_heads(H):
    if H.ndim > 3:
        return np.stack([merge_heads(one) for one in H])
    return np.hstack(list(H))
""",
    ),
    # ------------------------------------------------------------ multi_head_attention
    Wrong(
        "multi_head_attention",
        "keys_from_queries",
        "You made K from X_q. Keys and values both come from X_kv; only in self-attention is it the same array.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_q @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "values_with_w_k",
        "Your V is made with W_K. Copy and paste: it is X_kv @ W_V.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_K)
    if mask is not None:
        mask = mask[..., None, :, :]
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "w_o_forgotten",
        "You did not multiply by W_O: you returned the concatenated heads.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined
""",
    ),
    Wrong(
        "multi_head_attention",
        "w_o_thrown_away",
        "You computed the product with W_O and returned something else. Return the product.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        return Y.reshape(*Y.shape[:-1], n_heads, -1).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    heads, _ = scaled_dot_product_attention(Q, K, V, None if mask is None else mask[..., None, :, :])
    heads.swapaxes(-3, -2).reshape(*X_q.shape[:-1], -1) @ W_O
    return heads
""",
    ),
    Wrong(
        "multi_head_attention",
        "split_without_transpose",
        "You split by a reshape without the transpose: heads own tokens instead of features.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        if Y.shape[-1] % n_heads:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-2], n_heads, Y.shape[-2], Y.shape[-1] // n_heads)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "merge_without_transpose",
        "You merged by a reshape without the transpose: a row holds neighbouring tokens of one head.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    joined = heads.reshape(*heads.shape[:-3], heads.shape[-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "interleaved_split",
        "Your heads take every n_heads-th column. They own neighbouring columns: reshape to (n, n_heads, d_head), in this order.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        if Y.shape[-1] % n_heads:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return np.moveaxis(Y.reshape(*Y.shape[:-1], Y.shape[-1] // n_heads, n_heads), -1, -3)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "interleaved_merge",
        "Your merged columns alternate between the heads. Head 1 comes first with all its features.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    heads = np.moveaxis(heads, -3, -1)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "joint_softmax",
        "Your softmax runs over heads and keys together, so the heads share one unit of weight. Each head has a softmax of its own, over its keys.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    by_query = np.swapaxes(scores, -3, -2)
    weights = softmax(by_query.reshape(*by_query.shape[:-2], -1)).reshape(by_query.shape)
    heads = np.swapaxes(weights, -3, -2) @ V
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "softmax_over_heads",
        "Your softmax runs over the heads. It runs over the keys, the last axis of the scores.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    heads = np.swapaxes(softmax(np.swapaxes(scores, -3, -1)), -3, -1) @ V
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "softmax_over_queries",
        "Your softmax runs over the queries: columns sum to 1 instead of rows. It runs over the keys, the last axis.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    heads = np.swapaxes(softmax(np.swapaxes(scores, -2, -1)), -2, -1) @ V
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "scaled_by_d_model",
        "You divided by √d_model, the width of X. The sum in a score has d_k terms: divide by √d_k, the width of one head.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(X_q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    heads = softmax(scores) @ V
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "scaled_by_all_heads",
        "You divided by the square root of the width of all heads together. The sum in a score has d_k terms, the width of one head.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(W_Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    heads = softmax(scores) @ V
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "not_scaled",
        "You did not divide the scores by √d_k.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    scores = Q @ np.swapaxes(K, -1, -2) / 1
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    heads = softmax(scores) @ V
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "divided_by_d_k",
        "You divided by d_k. It is the square root of d_k.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    scores = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1]
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    heads = softmax(scores) @ V
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "argmax",
        "You took the best key only. The weights are a softmax.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    scores = Q @ np.swapaxes(K, -1, -2)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    heads = np.eye(scores.shape[-1])[scores.argmax(-1)] @ V
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "full_width_heads",
        "Every head used all columns of Q and K, so all heads have the same weights: that is one wide head. Each head uses its own d_k columns.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    heads, _ = scaled_dot_product_attention(X_q @ W_Q, X_kv @ W_K, X_kv @ W_V, mask)
    if W_Q.shape[1] % n_heads or W_V.shape[1] % n_heads:
        raise ValueError("the heads do not divide the columns")
    return heads @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "only_first_head_weights",
        "All your heads use the weights of the first head. Each has its own.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    _, weights = scaled_dot_product_attention(Q, K, V, mask)
    heads = weights[..., :1, :, :] @ V
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "mask_inverted",
        "Your mask is inverted: True means may attend.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = ~mask[..., None, :, :]
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "mask_ignored",
        "You ignored the mask.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = None
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "mask_without_head_axis",
        "Your mask has no axis where the heads are, so a batch mask lines up its examples with the heads. Insert one third from the end: mask[..., None, :, :].",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "mask_on_first_head_only",
        "Your mask reaches the first head only. It holds for all heads.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    _, weights = scaled_dot_product_attention(Q, K, V)
    if mask is not None:
        weights[..., :1, :, :] = scaled_dot_product_attention(Q, K, V, mask)[1][..., :1, :, :]
    heads = weights @ V
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "mask_after_softmax",
        "You masked after the softmax and did not renormalise: rows sum to less than 1. Blocked scores become -inf before the softmax.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    _, weights = scaled_dot_product_attention(Q, K, V)
    if mask is not None:
        weights = weights * mask
    heads = weights @ V
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "scores_times_mask",
        "You multiplied the scores by the mask. A score of 0 is not a weight of 0: blocked scores become -inf.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores * mask
    heads = softmax(scores) @ V
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "filled_with_minus_1e9",
        "A query that may attend to nothing got the mean of all values: with -1e9 everywhere the softmax is uniform. Use -inf, and softmax of chapter 5 gives zeros.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    heads = softmax(scores) @ V
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "filled_with_minus_ten",
        "You filled blocked scores with -10: e to the -10 is small, not 0. Use -inf.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -10.0)
    heads = softmax(scores) @ V
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "nan_for_empty_rows",
        "A query that may attend to nothing gives NaN in your softmax: -inf minus -inf, or 0 divided by 0. Its output must be zeros.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    heads = e / e.sum(-1, keepdims=True) @ V
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "heads_averaged",
        "You averaged the heads and multiplied by the first block of W_O. They stand side by side.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    joined = heads.mean(axis=-3)
    return joined @ W_O[: joined.shape[-1]]
""",
    ),
    Wrong(
        "multi_head_attention",
        "heads_summed",
        "You added the heads before W_O. Each head has its own rows of W_O: put them side by side.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    joined = heads.sum(axis=-3)
    return joined @ W_O[: joined.shape[-1]]
""",
    ),
    Wrong(
        "multi_head_attention",
        "heads_reversed",
        "Your heads stand in reverse order before W_O: head 1 meets the rows of the last head.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    heads = heads[..., ::-1, :, :].swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "returns_weights_too",
        "You returned the output and the weights. Return the output alone.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O, _
""",
    ),
    Wrong(
        "multi_head_attention",
        "one_example_only",
        "Your function takes single matrices only: it fails on a batch. Keep the leading axes.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    if W_Q.shape[1] % n_heads or W_V.shape[1] % n_heads:
        raise ValueError("the heads do not divide the columns")
    n_q, _ = X_q.shape
    n_k, _ = X_kv.shape
    Q = (X_q @ W_Q).reshape(n_q, n_heads, -1).transpose(1, 0, 2)
    K = (X_kv @ W_K).reshape(n_k, n_heads, -1).transpose(1, 0, 2)
    V = (X_kv @ W_V).reshape(n_k, n_heads, -1).transpose(1, 0, 2)
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    return heads.transpose(1, 0, 2).reshape(n_q, -1) @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "not_unpacked",
        "scaled_dot_product_attention returns two things, (output, weights). Take the first.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    H = scaled_dot_product_attention(Q, K, V, mask if mask is None else mask[..., None, :, :])
    H = np.swapaxes(H, -3, -2)
    return H.reshape(*H.shape[:-2], -1) @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "not_unpacked_method",
        "scaled_dot_product_attention returns two things, (output, weights). Take the first.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    H = scaled_dot_product_attention(Q, K, V, mask if mask is None else mask[..., None, :, :])
    H = H.swapaxes(-3, -2)
    return H.reshape(*H.shape[:-2], -1) @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "mask_any",
        "A mask with no True in it was taken for no mask. Ask `if mask is not None`; a mask that permits nothing gives zeros.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    mask = mask[..., None, :, :] if mask is not None and mask.any() else None
    H, _ = scaled_dot_product_attention(Q, K, V, mask)
    H = H.swapaxes(-3, -2)
    return H.reshape(*H.shape[:-2], -1) @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "mask_of_three_axes_only",
        "Your function takes one batch axis at most. There may be more: keep X.shape[:-1], and give the mask its head axis with mask[..., None, :, :].",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[:, None] if mask.ndim == 3 else mask
    H, _ = scaled_dot_product_attention(Q, K, V, mask)
    H = H.swapaxes(-3, -2)
    return H.reshape(*H.shape[:-2], -1) @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "one_batch_axis_only",
        "Your function takes one batch axis at most. There may be more: keep X.shape[:-1], and give the mask its head axis with mask[..., None, :, :].",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    if W_Q.shape[1] % n_heads or W_V.shape[1] % n_heads:
        raise ValueError("the heads do not divide the columns")
    if X_q.ndim == 2:
        mask = None if mask is None else mask[None]
        return multi_head_attention(X_q[None], X_kv[None], W_Q, W_K, W_V, W_O, n_heads, mask)[0]
    B, n, _ = X_q.shape
    n_k = X_kv.shape[1]
    Q = (X_q @ W_Q).reshape(B, n, n_heads, -1).transpose(0, 2, 1, 3)
    K = (X_kv @ W_K).reshape(B, n_k, n_heads, -1).transpose(0, 2, 1, 3)
    V = (X_kv @ W_V).reshape(B, n_k, n_heads, -1).transpose(0, 2, 1, 3)
    if mask is not None:
        mask = mask[:, None] if mask.ndim == 3 else mask
    H, _ = scaled_dot_product_attention(Q, K, V, mask)
    return H.transpose(0, 2, 1, 3).reshape(B, n, -1) @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "accepts_any_number",
        "You accepted a number of heads that does not divide the columns, or raised another error than ValueError for it.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    out, d_k, d_v = 0, W_Q.shape[1] // n_heads, W_V.shape[1] // n_heads
    for a in range(n_heads):
        k, v = slice(a * d_k, (a + 1) * d_k), slice(a * d_v, (a + 1) * d_v)
        out = out + scaled_dot_product_attention(X_q @ W_Q[:, k], X_kv @ W_K[:, k], X_kv @ W_V[:, v], mask)[0] @ W_O[v]
    return out
""",
    ),
    Wrong(
        "multi_head_attention",
        "values_cut_by_width_of_keys",
        "You cut V with the width of a key head. V has columns of its own: d_v = V.shape[-1] // n_heads.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    if W_Q.shape[1] % n_heads or W_V.shape[1] % n_heads:
        raise ValueError("the heads do not divide the columns")
    out, d_k = 0, W_Q.shape[1] // n_heads
    for a in range(n_heads):
        own = slice(a * d_k, (a + 1) * d_k)
        out = out + scaled_dot_product_attention(X_q @ W_Q[:, own], X_kv @ W_K[:, own], X_kv @ W_V[:, own], mask)[0] @ W_O[own]
    return out
""",
    ),
    Wrong(
        "multi_head_attention",
        "changes_w_q",
        "You scaled W_Q in place: the caller's weights are changed. Scale a new array.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    if W_Q.shape[1] % n_heads or W_V.shape[1] % n_heads:
        raise ValueError("the heads do not divide the columns")
    d_k = W_Q.shape[1] // n_heads
    W_Q /= np.sqrt(d_k)

    def split(Y):
        return Y.reshape(*Y.shape[:-1], n_heads, -1).swapaxes(-3, -2)

    scores = split(X_q @ W_Q) @ np.swapaxes(split(X_kv @ W_K), -1, -2)
    if mask is not None:
        scores = np.where(mask[..., None, :, :], scores, -np.inf)
    heads = (softmax(scores) @ split(X_kv @ W_V)).swapaxes(-3, -2)
    return heads.reshape(*heads.shape[:-2], -1) @ W_O
""",
    ),
    Wrong(
        "multi_head_attention",
        "pytorch_weights",
        "You transposed the weights as PyTorch keeps them. Here they are (in, out): X @ W.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        return Y.reshape(*Y.shape[:-1], n_heads, -1).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q.T), split(X_kv @ W_K.T), split(X_kv @ W_V.T)
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    return heads.swapaxes(-3, -2).reshape(*X_q.shape[:-1], -1) @ W_O.T
""",
    ),
    Wrong(
        "multi_head_attention",
        "no_return",
        "Your function returns nothing: end it with a return.",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    joined @ W_O
""",
    ),
    Right(
        "multi_head_attention",
        "list_of_heads",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    if any(W.shape[-1] % n_heads for W in (W_Q, W_K, W_V)):
        raise ValueError(f"{n_heads} heads do not divide the columns")
    parts = zip(np.split(W_Q, n_heads, axis=1), np.split(W_K, n_heads, axis=1), np.split(W_V, n_heads, axis=1))
    heads = [scaled_dot_product_attention(X_q @ q, X_kv @ k, X_kv @ v, mask)[0] for q, k, v in parts]
    return np.concatenate(heads, axis=-1) @ W_O
""",
    ),
    Right(
        "multi_head_attention",
        "sum_over_blocks",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    d_k, d_v = W_Q.shape[1] // n_heads, W_V.shape[1] // n_heads
    if d_k * n_heads != W_Q.shape[1] or d_v * n_heads != W_V.shape[1]:
        raise ValueError("the heads do not divide the columns")
    out = np.zeros((*X_q.shape[:-1], W_O.shape[1]))
    for a in range(n_heads):
        q, k = X_q @ W_Q[:, a * d_k : (a + 1) * d_k], X_kv @ W_K[:, a * d_k : (a + 1) * d_k]
        rows = slice(a * d_v, (a + 1) * d_v)
        weights = scaled_dot_product_attention(q, k, X_kv, mask)[1]
        out += weights @ (X_kv @ (W_V[:, rows] @ W_O[rows]))
    return out
""",
    ),
    Right(
        "multi_head_attention",
        "einsum",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def cut(W):
        if W.shape[1] % n_heads:
            raise ValueError("the heads do not divide the columns")
        return W.reshape(W.shape[0], n_heads, W.shape[1] // n_heads)

    Q = np.einsum("...id,dhk->...hik", X_q, cut(W_Q))
    K = np.einsum("...jd,dhk->...hjk", X_kv, cut(W_K))
    V = np.einsum("...jd,dhv->...hjv", X_kv, cut(W_V))
    scores = np.einsum("...hik,...hjk->...hij", Q, K) / Q.shape[-1] ** 0.5
    if mask is not None:
        scores = np.where(np.expand_dims(mask, -3), scores, -np.inf)
    heads = np.einsum("...hij,...hjv->...hiv", softmax(scores), V)
    return np.einsum("...hiv,hvo->...io", heads, W_O.reshape(n_heads, -1, W_O.shape[1]))
""",
    ),
    Right(
        "multi_head_attention",
        "example_by_example",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    if W_Q.shape[1] % n_heads or W_V.shape[1] % n_heads:
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
    ),
    Right(
        "multi_head_attention",
        "renormalised_after",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    e = np.exp(scores - scores.max(-1, keepdims=True))
    if mask is not None:
        e = e * mask
    total = e.sum(-1, keepdims=True)
    heads = e / np.where(total == 0, 1, total) @ V
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
    Right(
        "multi_head_attention",
        "single_precision",
        """
def multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, n_heads, mask=None):
    X_q, X_kv, W_Q, W_K, W_V, W_O = (A.astype(np.float32) for A in (X_q, X_kv, W_Q, W_K, W_V, W_O))
    def split(Y):
        width, rest = divmod(Y.shape[-1], n_heads)
        if rest:
            raise ValueError(f"{Y.shape[-1]} columns, {n_heads} heads")
        return Y.reshape(*Y.shape[:-1], n_heads, width).swapaxes(-3, -2)

    Q, K, V = split(X_q @ W_Q), split(X_kv @ W_K), split(X_kv @ W_V)
    if mask is not None:
        mask = mask[..., None, :, :]
    heads, _ = scaled_dot_product_attention(Q, K, V, mask)
    heads = heads.swapaxes(-3, -2)
    joined = heads.reshape(*heads.shape[:-2], -1)
    return joined @ W_O
""",
    ),
]
