"""Chapter 6: what learners write for the head, its queries, its values and its gradients, wrong and right."""

from autograde.mistakes import Right, Wrong

CATALOGUE = [
    # ------------------------------------------------------------ scaled_dot_product_attention
    Wrong(
        "scaled_dot_product_attention",
        "not_scaled",
        "You did not divide the scores by √d_k. With V = I you see it: the weights are too sharp.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "divided_by_d_k",
        "You divided by d_k, or by √d_k twice (scaled_scores has already done it once). It is √d_k: the standard deviation of a dot product, not its variance.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1]
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "multiplied_by_root",
        "You multiplied by √d_k. The scores are divided by it.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) * np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "root_of_keys",
        "You divided by the root of the number of keys. It is the width of a key, d_k = Q.shape[-1].",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-2])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "root_of_d_v",
        "You divided by the root of the width of the values. It is the width of the keys, d_k = Q.shape[-1].",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(V.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "softmax_over_queries",
        "Your columns sum to 1: the softmax ran over the queries. Each row, each query, spends one unit over the keys.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.swapaxes(softmax(np.swapaxes(scores, -1, -2)), -1, -2)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "softmax_over_all",
        "All your weights together sum to 1: the softmax ran over the whole table. Each row is a distribution of its own.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    shape = scores.shape
    weights = softmax(scores.reshape(*shape[:-2], -1)).reshape(shape)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "keys_for_values",
        "You summed keys where values belong: the output is weights @ V.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ K, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "no_softmax",
        "You multiplied the scores with V: the softmax is missing between them.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = np.where(mask, scores, 0.0)
    return scores @ V, scores
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "argmax",
        "You gave all weight to the largest score. The softmax shares it.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = ((scores == scores.max(axis=-1, keepdims=True)) & (scores > -np.inf)).astype(float)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "not_normalised",
        "Your rows do not sum to 1: the exponentials are not divided by their sum.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "query_key_swapped",
        "You let the keys ask and the queries answer: it is scaled_scores(Q, K), queries first.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(K, Q)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "no_transpose",
        "You computed Q K without the transpose. It fails unless n_k = d_k, and then it is wrong without a word.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "all_axes_reversed",
        "K.T reverses all axes, also the batch axis. Swap only the last two, or use scaled_scores.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights
""",
        unnamed=True,
    ),
    Wrong(
        "scaled_dot_product_attention",
        "output_only",
        "You returned the output alone. Return two things: output, weights.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores) @ V
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "weights_first",
        "You returned weights and output in the wrong order: output first.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights, weights @ V
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "scores_returned",
        "You returned the scores where the weights belong: softmax comes between them.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return softmax(scores) @ V, scores
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "mask_ignored",
        "The mask has no effect: it is not used, or the new array that np.where returns is thrown away. Keep it: S = np.where(mask, S, -np.inf), if your table is called S.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "mask_inverted",
        "You blocked what is allowed and allowed what is blocked. True = may attend.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = np.where(mask, -np.inf, scores)
    weights = softmax(scores)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "mask_times_scores",
        "Blocked scores became 0 (multiplied by the mask, or replaced). A score of 0 still gets a share; it must be −∞.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = scores * mask
    weights = softmax(scores)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "mask_after_softmax",
        "You masked the weights after the softmax and left the rest as it was: the rows no longer sum to 1. Mask the scores.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    weights = softmax(scaled_scores(Q, K))
    if mask is not None:
        weights = np.where(mask, weights, 0.0)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "minus_ten",
        "You blocked with a small negative number. Its exponential is small but not 0: blocked keys keep some weight. Use -np.inf.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = np.where(mask, scores, -10.0)
    weights = softmax(scores)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "minus_billion",
        "A query that may attend to nothing attends evenly to everything: blocked keys got a finite number such as −1e9. With -np.inf, and chapter 5's softmax, its row is 0.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    weights = softmax(scores)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "mask_added",
        "You added the mask to the scores: True counts as 1 and False as 0. A blocked score must become −∞.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = scores + mask
    weights = softmax(scores)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "mask_times_infinity",
        "You formed (1 − mask) · (−∞). Where the mask is True this is 0 · ∞, which is nan. Use np.where.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = scores + (1 - mask) * -np.inf
    weights = softmax(scores)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "own_softmax_nan",
        "A row without keys came back as nan: −∞ − (−∞) in a softmax of your own, or 0/0 in a division by the row sums. Block scores with -np.inf and use the recap's softmax, which gives zeros.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "boolean_indexing",
        "You wrote scores[~mask] = …, which needs a mask of the full shape. One that broadcasts fails; np.where broadcasts by itself.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores[~mask] = -np.inf
    weights = softmax(scores)
    return weights @ V, weights
""",
        unnamed=True,
    ),
    Wrong(
        "scaled_dot_product_attention",
        "values_masked",
        "You masked the values, not the scores: blocked keys keep their weight and add zeros.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    weights = softmax(scaled_scores(Q, K))
    if mask is None:
        return weights @ V, weights
    return np.where(mask, weights, 0.0) @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "mask_truth",
        "You asked a whole array for one truth value, as `if mask:` and `if mask != None:` do. Write `if mask is not None:`.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights
""",
        unnamed=True,
    ),
    Wrong(
        "scaled_dot_product_attention",
        "queries_changed",
        "You scaled in place: Q /= … changes the caller's array. Write the quotient to a new array.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    Q /= np.sqrt(Q.shape[-1])
    scores = Q @ np.swapaxes(K, -1, -2)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "no_return",
        "Your function returns nothing: end it with return output, weights.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    output = weights @ V
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "mask_replaces_by_zero",
        "Blocked scores became 0 (multiplied by the mask, or replaced). A score of 0 still gets a share; it must be −∞.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    S = scaled_scores(Q, K)
    if mask is not None:
        S = np.where(mask, S, 0.0)
    weights = softmax(S)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "mask_adds_minus_billion",
        "You added −1e9 to blocked scores. In a row where all are blocked that is a shift, and nothing is blocked. Use np.where with -np.inf.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    S = scaled_scores(Q, K)
    if mask is not None:
        S = S + (1 - mask) * -1e9
    weights = softmax(S)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "masked_and_renormalised",
        "You masked the weights after the softmax and divided by the new sums. Where a blocked key had taken all the weight, nothing is left to share: mask the scores.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    weights = softmax(scaled_scores(Q, K))
    if mask is not None:
        weights = weights * mask
        total = weights.sum(axis=-1, keepdims=True)
        weights = weights / np.where(total == 0, 1, total)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "masked_and_divided",
        "A row without keys came back as nan: −∞ − (−∞) in a softmax of your own, or 0/0 in a division by the row sums. Block scores with -np.inf and use the recap's softmax, which gives zeros.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    weights = softmax(scaled_scores(Q, K))
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "mask_paired_by_rows",
        "You paired the mask with the scores row by row, which needs a mask of the full shape. np.where broadcasts one with fewer axes by itself.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    S = scaled_scores(Q, K)
    if mask is not None:
        S = np.stack([np.where(m, s, -np.inf) for m, s in zip(mask, S)])
    weights = softmax(S)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "mask_any",
        "A mask that is False everywhere must give zeros.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    S = scaled_scores(Q, K)
    if mask is not None and mask.any():
        S = np.where(mask, S, -np.inf)
    weights = softmax(S)
    return weights @ V, weights
""",
        unnamed=True,
    ),
    Wrong(
        "scaled_dot_product_attention",
        "mask_misnamed",
        "The argument must be called mask, so that it can be given by name.",
        """
def scaled_dot_product_attention(Q, K, V, allowed=None):
    S = scaled_scores(Q, K)
    if allowed is not None:
        S = np.where(allowed, S, -np.inf)
    weights = softmax(S)
    return weights @ V, weights
""",
        unnamed=True,
    ),
    Right(
        "scaled_dot_product_attention",
        "without_recap",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = np.einsum("...id,...jd->...ij", Q, K) / Q.shape[-1] ** 0.5
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    top = np.where(allowed, scores, -1e300).max(axis=-1, keepdims=True, initial=-1e300)
    e = np.exp(np.minimum(scores - top, 0)) * allowed
    total = e.sum(axis=-1, keepdims=True)
    weights = np.divide(e, total, out=np.zeros_like(e), where=total > 0)
    return np.einsum("...ij,...jc->...ic", weights, V), weights
""",
    ),
    Right(
        "scaled_dot_product_attention",
        "queries_scaled_first",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = (Q / np.sqrt(Q.shape[-1])) @ np.swapaxes(K, -1, -2)
    weights = softmax(scores if mask is None else np.where(mask, scores, -np.inf))
    return np.matmul(weights, V), weights
""",
    ),
    Right(
        "scaled_dot_product_attention",
        "additive_mask",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    bias = 0.0 if mask is None else np.where(mask, 0.0, -np.inf)
    weights = softmax(scaled_scores(Q, K) + bias)
    return weights @ V, weights
""",
    ),
    Right(
        "scaled_dot_product_attention",
        "masked_after_and_renormalised",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is None:
        mask = np.ones(scores.shape[-2:], dtype=bool)
    low = np.where(mask, scores, -np.inf).max(axis=-1, keepdims=True, initial=-np.inf)
    e = np.exp(np.minimum(scores - np.where(np.isfinite(low), low, 0), 0)) * mask
    total = e.sum(axis=-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    return weights @ V, weights
""",
    ),
    Right(
        "scaled_dot_product_attention",
        "copyto",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = np.array(scaled_scores(Q, K))
    if mask is not None:
        np.copyto(scores, -np.inf, where=np.logical_not(mask))
    weights = softmax(scores)
    output = weights @ V
    return [output, weights]
""",
    ),
    Right(
        "scaled_dot_product_attention",
        "query_after_query",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights, output = np.zeros(scores.shape), np.zeros((*scores.shape[:-1], V.shape[-1]))
    for i in range(scores.shape[-2]):
        weights[..., i, :] = softmax(scores[..., i, :])
        output[..., i, :] = (weights[..., i, :, None] * V).sum(axis=-2)
    return output, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "fill_of_minus_1e4",
        "A blocked key got weight: you put a finite number in the place of −∞, and the scores of the allowed keys may be lower than that. Use -np.inf.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    S = scaled_scores(Q, K)
    weights = softmax(S if mask is None else np.where(mask, S, -1e4))
    if mask is not None:
        weights = weights * np.any(np.broadcast_to(mask, S.shape), axis=-1, keepdims=True)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "fill_of_minus_1e9",
        "A blocked key got weight: you put a finite number in the place of −∞, and the scores of the allowed keys may be lower than that. Use -np.inf.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    S = scaled_scores(Q, K)
    weights = softmax(S if mask is None else np.where(mask, S, -1e9))
    if mask is not None:
        weights = weights * np.any(np.broadcast_to(mask, S.shape), axis=-1, keepdims=True)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "mask_only_if_square",
        "A mask that is not square has no effect. A mask has one row per query and one column per key, or fewer axes: use it whatever its shape.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    S = scaled_scores(Q, K)
    if mask is not None and mask.ndim > 1 and mask.shape[-1] == mask.shape[-2]:
        S = np.where(mask, S, -np.inf)
    weights = softmax(S)
    return weights @ V, weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "first_item_for_all",
        "Every item of the batch got the output of the first. Leading axes are carried along: swap the last two axes of K only.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    q, k, v = Q, K, V
    while q.ndim > 2:
        q, k, v = q[0], k[0], v[0]
    S = np.broadcast_to(scaled_scores(q, k), (*Q.shape[:-1], K.shape[-2]))
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    weights = softmax(S)
    return weights @ np.broadcast_to(v, V.shape), weights
""",
    ),
    Wrong(
        "scaled_dot_product_attention",
        "blocked_keeps_a_trace",
        "A blocked key keeps a trace of weight. Its weight is exactly 0: -np.inf does that.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    S = scaled_scores(Q, K)
    if mask is None:
        weights = softmax(S)
    else:
        weights = softmax(np.where(mask, S, -np.inf)) + np.where(mask, 0.0, 1e-6)
    return weights @ V, weights
""",
    ),
    # ------------------------------------------------------------ query_for_output
    Wrong(
        "query_for_output",
        "root_forgotten",
        "The scale is missing: a score is q·k divided by √d_k, so q·k is √d_k times the score you want.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(weights < 1e-9):
        return None
    logs = np.log(weights)
    return np.linalg.solve(K[1:] - K[0], logs[1:] - logs[0])
""",
    ),
    Wrong(
        "query_for_output",
        "root_inverted",
        "You divided by √d_k. The head divides, so you must multiply.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(weights < 1e-9):
        return None
    logs = np.log(weights)
    return np.linalg.solve(K[1:] - K[0], (logs[1:] - logs[0]) / K.shape[1] ** 0.5)
""",
    ),
    Wrong(
        "query_for_output",
        "root_of_n_k",
        "You took the root of the number of keys. The head divides by √d_k, and there are d_k + 1 keys.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(weights < 1e-9):
        return None
    logs = np.log(weights)
    return np.linalg.solve(K[1:] - K[0], len(K) ** 0.5 * (logs[1:] - logs[0]))
""",
    ),
    Wrong(
        "query_for_output",
        "times_d_k",
        "You multiplied by d_k. The head divides by its square root.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(weights < 1e-9):
        return None
    logs = np.log(weights)
    return np.linalg.solve(K[1:] - K[0], K.shape[1] * (logs[1:] - logs[0]))
""",
    ),
    Wrong(
        "query_for_output",
        "weights_as_scores",
        "You took the weights for scores. The softmax stands between them: a score is the logarithm of a weight, up to a constant.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(weights < 1e-9):
        return None
    logs = np.log(weights)
    return np.linalg.solve(K[1:] - K[0], K.shape[1] ** 0.5 * (weights[1:] - weights[0]))
""",
    ),
    Wrong(
        "query_for_output",
        "constant_forgotten",
        "You made the scores equal to the logarithms of the weights. They are that only up to a constant of the row, which no query may be able to give: ask for their differences.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(weights < 1e-9):
        return None
    logs = np.log(weights)
    return np.linalg.lstsq(K, K.shape[1] ** 0.5 * logs, rcond=None)[0]
""",
    ),
    Wrong(
        "query_for_output",
        "first_equations_only",
        "You made the first d scores equal to the logarithms of the weights. Scores are logarithms of weights only up to a constant of the row: ask for their differences.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(weights < 1e-9):
        return None
    logs = np.log(weights)
    return np.linalg.solve(K[1:], K.shape[1] ** 0.5 * logs[1:])
""",
    ),
    Wrong(
        "query_for_output",
        "no_none",
        "You returned a query where there is none. Outside the hull a weight would be negative, on the edge 0, and no softmax gives that.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    logs = np.log(np.maximum(weights, 1e-300))
    return np.linalg.solve(K[1:] - K[0], K.shape[1] ** 0.5 * (logs[1:] - logs[0]))
""",
    ),
    Wrong(
        "query_for_output",
        "no_none_absolute",
        "You returned a query where there is none. Outside the hull a weight would be negative, on the edge 0, and no softmax gives that.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    logs = np.log(np.abs(weights) + 1e-300)
    return np.linalg.solve(K[1:] - K[0], K.shape[1] ** 0.5 * (logs[1:] - logs[0]))
""",
    ),
    Wrong(
        "query_for_output",
        "nan_for_none",
        "You returned nan where no query can do it: the logarithm of a negative weight. Look at the weights first, and return None.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(np.abs(weights) < 1e-9):
        return None
    logs = np.log(np.where(weights > 0, weights, np.nan))
    return np.linalg.solve(K[1:] - K[0], K.shape[1] ** 0.5 * (logs[1:] - logs[0]))
""",
    ),
    Wrong(
        "query_for_output",
        "edge_accepted",
        "You returned a query for a target on the edge. There a weight is 0 (up to rounding), and the head gives every key some weight.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(weights < -1e-9):
        return None
    logs = np.log(np.maximum(weights, 1e-18))
    return np.linalg.solve(K[1:] - K[0], K.shape[1] ** 0.5 * (logs[1:] - logs[0]))
""",
    ),
    Wrong(
        "query_for_output",
        "inside_the_box",
        "You compared the target with the smallest and the largest value of each feature. The hull is smaller than that box: look at the weights.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(target >= V.max(axis=0)) or np.any(target <= V.min(axis=0)):
        return None
    logs = np.log(np.maximum(weights, 1e-300))
    return np.linalg.solve(K[1:] - K[0], K.shape[1] ** 0.5 * (logs[1:] - logs[0]))
""",
    ),
    Wrong(
        "query_for_output",
        "mixture_of_keys",
        "You mixed the keys as the values are to be mixed. That query has other weights.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(weights < 1e-9):
        return None
    logs = np.log(weights)
    return weights @ K
""",
    ),
    Wrong(
        "query_for_output",
        "differences_transposed",
        "You used the differences of the keys as columns. Each is a row of the system: (k_j − k_1)·q.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(weights < 1e-9):
        return None
    logs = np.log(weights)
    return np.linalg.solve((K[1:] - K[0]).T, K.shape[1] ** 0.5 * (logs[1:] - logs[0]))
""",
    ),
    Wrong(
        "query_for_output",
        "sign",
        "A sign is turned: the differences of the keys and those of the logarithms run the opposite way.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(weights < 1e-9):
        return None
    logs = np.log(weights)
    return np.linalg.solve(K[0] - K[1:], K.shape[1] ** 0.5 * (logs[1:] - logs[0]))
""",
    ),
    Wrong(
        "query_for_output",
        "sum_not_one",
        "Your weights solve for the target alone. That they sum to 1 is one more equation (to divide by the sum afterwards moves the output).",
        """
def query_for_output(target, K, V):
    weights = np.linalg.lstsq(V.T, target, rcond=None)[0]
    if np.any(weights < 1e-9):
        return None
    logs = np.log(weights)
    return np.linalg.solve(K[1:] - K[0], K.shape[1] ** 0.5 * (logs[1:] - logs[0]))
""",
    ),
    Wrong(
        "query_for_output",
        "normalised_afterwards",
        "Your weights solve for the target alone. That they sum to 1 is one more equation (to divide by the sum afterwards moves the output).",
        """
def query_for_output(target, K, V):
    weights = np.linalg.lstsq(V.T, target, rcond=None)[0]
    weights = weights / weights.sum()
    if np.any(weights < 1e-9):
        return None
    logs = np.log(weights)
    return np.linalg.solve(K[1:] - K[0], K.shape[1] ** 0.5 * (logs[1:] - logs[0]))
""",
    ),
    Wrong(
        "query_for_output",
        "nearest_key",
        "You returned the key of the value that lies next to the target. The output is a mixture of all values.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(weights < 1e-9):
        return None
    return K[((V - target) ** 2).sum(axis=1).argmin()]
""",
    ),
    Wrong(
        "query_for_output",
        "column",
        "You returned a table with one column. The query has one axis, (d,).",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(weights < 1e-9):
        return None
    logs = np.log(weights)
    return np.linalg.solve(K[1:] - K[0], K.shape[1] ** 0.5 * (logs[1:] - logs[0]))[:, None]
""",
    ),
    Wrong(
        "query_for_output",
        "always_none",
        "Your function returns None for a target inside the hull. Is a return missing, or a comparison the wrong way round?",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(weights < 1e-9):
        return None
    logs = np.log(weights)
    q = np.linalg.solve(K[1:] - K[0], K.shape[1] ** 0.5 * (logs[1:] - logs[0]))
""",
    ),
    Wrong(
        "query_for_output",
        "first_weight_unchecked",
        "You looked at d of the d + 1 weights only. The one left out, 1 minus the others, can be negative as well.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(weights[1:] < 1e-9):
        return None
    logs = np.log(np.abs(weights) + 1e-300)
    return np.linalg.solve(K[1:] - K[0], K.shape[1] ** 0.5 * (logs[1:] - logs[0]))
""",
    ),
    Wrong(
        "query_for_output",
        "zero_means_zero",
        "You returned a query for a target on the edge, up to rounding: a weight below 1e-9 counts as 0.",
        """
def query_for_output(target, K, V):
    weights = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(target, 1.0))
    if np.any(weights <= 0):
        return None
    logs = np.log(np.abs(weights) + 1e-300)
    return np.linalg.solve(K[1:] - K[0], K.shape[1] ** 0.5 * (logs[1:] - logs[0]))
""",
    ),
    Right(
        "query_for_output",
        "one_system",
        """
def query_for_output(target, K, V):
    d = len(target)
    weights = np.linalg.solve(np.column_stack([V, np.ones(d + 1)]).T, np.array([*target, 1]))
    if (weights < 1e-9).any():
        return None
    return np.linalg.solve(np.column_stack([K / d**0.5, np.ones(d + 1)]), np.log(weights))[:d]
""",
    ),
    Right(
        "query_for_output",
        "least_squares_on_centred_keys",
        """
def query_for_output(target, K, V):
    n = len(K)
    shares = np.linalg.lstsq(np.vstack([V.T, np.ones(n)]), np.append(target, 1), rcond=None)[0]
    if shares.min() < 1e-9:
        return None
    logs = np.log(shares)
    return np.linalg.pinv(K - K.mean(axis=0)) @ (logs - logs.mean()) * np.sqrt(n - 1)
""",
    ),
    Right(
        "query_for_output",
        "differences_to_the_last",
        """
def query_for_output(target, K, V):
    most = np.linalg.solve((V[:-1] - V[-1]).T, target - V[-1])
    weights = [*most, 1 - sum(most)]
    if min(weights) < 1e-9:
        return None
    ratios = [np.log(w / weights[-1]) for w in weights[:-1]]
    return np.sqrt(len(target)) * (np.linalg.inv(K[:-1] - K[-1]) @ ratios)
""",
    ),
    Right(
        "query_for_output",
        "newton",
        """
def query_for_output(target, K, V):
    d = len(target)
    weights = np.linalg.inv(np.vstack([V.T, np.ones(d + 1)])) @ np.append(target, 1)
    if not np.all(weights > 1e-9):
        return None
    q = np.zeros(d)
    for _ in range(500):
        a = softmax(K @ q / np.sqrt(d))
        slope = (K - a @ K).T @ np.diag(a) @ K / np.sqrt(d)
        step = np.linalg.solve(slope, K.T @ (weights - a))
        size = 1.0
        cost = lambda x: np.log(np.exp(K @ x / d**0.5).sum()) - weights @ K @ x / d**0.5
        while size > 1e-9 and cost(q + size * step) > cost(q) + 1e-15:
            size /= 2
        q = q + size * step
        if np.abs(weights - softmax(K @ q / np.sqrt(d))).max() < 1e-12:
            break
    return q
""",
    ),
    # ------------------------------------------------------------ recover_values
    Wrong(
        "recover_values",
        "inverse",
        "Your way needs as many queries as keys. More queries than keys give more equations than unknowns, and they agree: np.linalg.lstsq takes them.",
        """
def recover_values(A, O):
    if np.linalg.matrix_rank(A) < A.shape[1]:
        return None
    return np.linalg.inv(A) @ O
""",
        unnamed=True,
    ),
    Wrong(
        "recover_values",
        "pinv_without_none",
        "You returned values where V is not determined: they are one of many that give these outputs. Find out first whether the columns of A are independent.",
        """
def recover_values(A, O):
    return np.linalg.pinv(A) @ O
""",
    ),
    Wrong(
        "recover_values",
        "lstsq_without_none",
        "You returned values where V is not determined: they are one of many that give these outputs. Find out first whether the columns of A are independent.",
        """
def recover_values(A, O):
    return np.linalg.lstsq(A, O, rcond=None)[0]
""",
    ),
    Wrong(
        "recover_values",
        "queries_counted",
        "You counted the queries. As many queries as keys are not enough if some of them attend alike, or if their rows are mixtures of fewer: count independent columns.",
        """
def recover_values(A, O):
    if A.shape[0] < A.shape[1]:
        return None
    return np.linalg.lstsq(A, O, rcond=None)[0]
""",
    ),
    Wrong(
        "recover_values",
        "different_queries_counted",
        "You counted the different queries. They may still be mixtures of fewer, or give two keys the same weights: count independent columns.",
        """
def recover_values(A, O):
    if len(np.unique(A, axis=0)) < A.shape[1]:
        return None
    return np.linalg.lstsq(A, O, rcond=None)[0]
""",
    ),
    Wrong(
        "recover_values",
        "rank_of_rows",
        "You asked for independent queries. With more queries than keys they cannot all be independent, and need not be: compare the rank with the number of keys.",
        """
def recover_values(A, O):
    if np.linalg.matrix_rank(A) < A.shape[0]:
        return None
    return np.linalg.lstsq(A, O, rcond=None)[0]
""",
    ),
    Wrong(
        "recover_values",
        "only_square",
        "You returned None because A is not square. More queries than keys can determine V as well.",
        """
def recover_values(A, O):
    if A.shape[0] != A.shape[1] or np.linalg.matrix_rank(A) < A.shape[1]:
        return None
    return np.linalg.solve(A, O)
""",
    ),
    Wrong(
        "recover_values",
        "determinant_threshold",
        "You returned None where V is determined: nearly equal weights make a determinant small, although the columns are independent. Use np.linalg.matrix_rank, which compares with the size of A.",
        """
def recover_values(A, O):
    if abs(np.linalg.det(A.T @ A)) < 1e-6:
        return None
    return np.linalg.lstsq(A, O, rcond=None)[0]
""",
    ),
    Wrong(
        "recover_values",
        "first_rows_only",
        "You used the first queries only, as many as there are keys. They may be alike, and later ones decide.",
        """
def recover_values(A, O):
    n = A.shape[1]
    if len(A) < n or np.linalg.matrix_rank(A[:n]) < n:
        return None
    return np.linalg.solve(A[:n], O[:n])
""",
    ),
    Wrong(
        "recover_values",
        "transpose_for_inverse",
        "You multiplied by the transpose of A. It undoes A only if the columns have length 1 and right angles.",
        """
def recover_values(A, O):
    if np.linalg.matrix_rank(A) < A.shape[1]:
        return None
    return A.T @ O
""",
    ),
    Wrong(
        "recover_values",
        "outputs_returned",
        "You returned the outputs. The values are what A mixes them from.",
        """
def recover_values(A, O):
    if np.linalg.matrix_rank(A) < A.shape[1]:
        return None
    return O
""",
    ),
    Wrong(
        "recover_values",
        "none_where_a_weight_is_zero",
        "You returned None because a weight is 0. A key is lost only if no query looks at it (or if it cannot be told from others).",
        """
def recover_values(A, O):
    if np.linalg.matrix_rank(A) < A.shape[1] or (A == 0).any():
        return None
    return np.linalg.lstsq(A, O, rcond=None)[0]
""",
    ),
    Wrong(
        "recover_values",
        "zeros_for_none",
        "You returned an array where V is not determined. Return None.",
        """
def recover_values(A, O):
    if np.linalg.matrix_rank(A) < A.shape[1]:
        return np.full((A.shape[1], O.shape[1]), np.nan)
    return np.linalg.lstsq(A, O, rcond=None)[0]
""",
    ),
    Wrong(
        "recover_values",
        "always_none",
        "Your function returns None where V is determined. Is a return missing, or a comparison the wrong way round?",
        """
def recover_values(A, O):
    if np.linalg.matrix_rank(A) < A.shape[1]:
        return None
    V = np.linalg.lstsq(A, O, rcond=None)[0]
""",
    ),
    Wrong(
        "recover_values",
        "whole_lstsq",
        "np.linalg.lstsq returns four things. The solution is the first.",
        """
def recover_values(A, O):
    if np.linalg.matrix_rank(A) < A.shape[1]:
        return None
    return np.linalg.lstsq(A, O, rcond=None)
""",
    ),
    Wrong(
        "recover_values",
        "regularised",
        "Your values are nearly right: a small number was added to make the system solvable. Where V is determined none is needed, where it is not the answer is None.",
        """
def recover_values(A, O):
    n = A.shape[1]
    if np.linalg.matrix_rank(A) < n:
        return None
    return np.linalg.solve(A.T @ A + 1e-6 * np.eye(n), A.T @ O)
""",
    ),
    Wrong(
        "recover_values",
        "determinant_exactly_zero",
        "You returned values where V is not determined: they are one of many that give these outputs. Find out first whether the columns of A are independent.",
        """
def recover_values(A, O):
    if A.shape[0] < A.shape[1] or np.linalg.det(A.T @ A) == 0:
        return None
    return np.linalg.pinv(A) @ O
""",
    ),
    Wrong(
        "recover_values",
        "inverse_or_none",
        "You returned None because A is not square. More queries than keys can determine V as well.",
        """
def recover_values(A, O):
    try:
        return np.linalg.inv(A) @ O
    except np.linalg.LinAlgError:
        return None
""",
    ),
    Right(
        "recover_values",
        "qr",
        """
def recover_values(A, O):
    Q, R = np.linalg.qr(A)
    if R.shape[0] < A.shape[1] or np.abs(np.diag(R)).min() < 1e-6:
        return None
    return np.linalg.solve(R, Q.T @ O)
""",
    ),
    Right(
        "recover_values",
        "svd",
        """
def recover_values(A, O):
    U, sizes_, W = np.linalg.svd(A, full_matrices=False)
    if A.shape[0] < A.shape[1] or sizes_[-1] < 1e-6 * sizes_[0]:
        return None
    return W.T @ ((U.T @ O) / sizes_[:, None])
""",
    ),
    Right(
        "recover_values",
        "normal_equations",
        """
def recover_values(A, O):
    if np.linalg.matrix_rank(A) != A.shape[1]:
        return None
    return np.linalg.inv(A.T @ A) @ (A.T @ O)
""",
    ),
    Right(
        "recover_values",
        "elimination",
        """
def recover_values(A, O):
    table = np.hstack([A, O]).astype(float)
    n = A.shape[1]
    for j in range(n):
        rest = np.abs(table[j:, j])
        if len(rest) == 0 or rest.max() < 1e-6:
            return None
        best = j + rest.argmax()
        table[[j, best]] = table[[best, j]]
        table[j] /= table[j, j]
        for i in range(len(table)):
            if i != j:
                table[i] -= table[i, j] * table[j]
    return table[:n, n:]
""",
    ),
    Right(
        "recover_values",
        "pinv",
        """
def recover_values(A, O):
    back = np.linalg.pinv(A, rcond=1e-6)
    if not np.allclose(back @ A, np.eye(A.shape[1]), atol=1e-3):
        return None
    return np.linalg.pinv(A) @ O
""",
    ),
    # ------------------------------------------------------------ attention_gradient_kv
    Wrong(
        "attention_gradient_kv",
        "scale_missing_backward",
        "The factor 1/√d_k is missing in the gradient of the keys: a score is q·k divided by √d_k, and so is its slope.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(s, q), np.outer(a, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "scale_missing_forward",
        "Your weights are those of unscaled scores: both gradients show it. The head divides by √d_k before the softmax.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q)
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(s, q) / np.sqrt(len(q)), np.outer(a, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "scale_missing_both",
        "The factor 1/√d_k is missing twice: in the scores, and in their slope.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q)
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(s, q), np.outer(a, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "divided_by_d_k",
        "You divided by d_k on the way back. It is √d_k, as on the way forward.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(s, q) / len(q), np.outer(a, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "root_of_keys",
        "You took the root of the number of keys. The head divides by the root of the width, d_k = len(q).",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(K)))
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(s, q) / np.sqrt(len(K)), np.outer(a, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "average_missing",
        "You did not subtract the average worth. When all values are worth the same, no key has anything to learn.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * u
    return np.outer(s, q) / np.sqrt(len(q)), np.outer(a, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "plain_mean",
        "You subtracted the plain mean of the worths. The average is weighted by the attention.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (u - u.mean())
    return np.outer(s, q) / np.sqrt(len(q)), np.outer(a, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "weights_missing",
        "The weights are missing in the gradient of the keys: each key counts in proportion to the attention it gets.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = u - a @ u
    return np.outer(s, q) / np.sqrt(len(q)), np.outer(a, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "diagonal_only",
        "You used the diagonal of the Jacobian only, a(1 − a)u. Each weight also answers the scores of the other keys.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (1 - a) * u
    return np.outer(s, q) / np.sqrt(len(q)), np.outer(a, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "keys_in_place_of_query",
        "You multiplied by the keys where the query belongs. That is what the gradient in q needs; the slope of a score in k is q/√d_k.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (u - a @ u)
    return s[:, None] * K / np.sqrt(len(q)), np.outer(a, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "softmax_in_values",
        "The values do not act through the softmax: their gradient is not (a − a²)g, nor has it an average subtracted. Look at (6.9).",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(s, q) / np.sqrt(len(q)), np.outer(a * (1 - a), g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "values_without_weights",
        "Every value got the same gradient g. A value acts on the output by its weight.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(s, q) / np.sqrt(len(q)), np.outer(np.ones(len(a)), g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "values_by_score",
        "You gave the values the slopes of the scores. A value acts on the output by its weight.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(s, q) / np.sqrt(len(q)), np.outer(s, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "values_times_worth",
        "The gradient of the values holds the worths. It is g times the weight, whatever the value is.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(s, q) / np.sqrt(len(q)), np.outer(a * u, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "order_swapped",
        "You returned the two gradients in the wrong order: keys first, values second.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(a, g), np.outer(s, q) / np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "gradient_in_query",
        "You returned the gradient in the query (6.11) in place of that in the keys: one row, not one for each key.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (u - a @ u)
    return s @ K / np.sqrt(len(q)), np.outer(a, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "sign",
        "The sign of the gradient in the keys is turned: a key of better value moves with the query, not against it.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (u - a @ u)
    return -np.outer(s, q) / np.sqrt(len(q)), np.outer(a, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "transposed",
        "Your tables stand on their sides. Each has one row for each key: np.outer(first, second) has the first as rows.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(q, s) / np.sqrt(len(q)), np.outer(g, a)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "g_forgotten",
        "You summed the features of the values without g. The worth of a value is g · v.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V.sum(axis=1)
    s = a * (u - a @ u)
    return np.outer(s, q) / np.sqrt(len(q)), np.outer(a, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "keys_only",
        "You returned one table. Two are asked: the gradient in K, the gradient in V.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(s, q) / np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "naive_exponentials",
        "Large scores overflow in your softmax. The recap's softmax does not.",
        """
def attention_gradient_kv(q, K, V, g):
    a = np.exp(K @ q / np.sqrt(len(q))) / np.exp(K @ q / np.sqrt(len(q))).sum()
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(s, q) / np.sqrt(len(q)), np.outer(a, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "query_changed",
        "You scaled the query in place: q /= … changes the caller's array.",
        """
def attention_gradient_kv(q, K, V, g):
    root = np.sqrt(len(q))
    q /= root
    a = softmax(K @ q)
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(s, q), np.outer(a, g)
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "finite_differences",
        "Your gradients are right to a few digits only. Finite differences do that: too coarse where the scores are large, lost in rounding where the values are. Derive the formula.",
        """
def attention_gradient_kv(q, K, V, g):
    L = lambda K, V: g @ (softmax(K @ q / np.sqrt(len(q))) @ V)
    K, V = K * 1.0, V * 1.0
    in_K, in_V = np.zeros(K.shape), np.zeros(V.shape)
    for table, out in ((K, in_K), (V, in_V)):
        for where in np.ndindex(table.shape):
            kept = table[where]
            table[where] = kept + 1e-5
            more = L(K, V)
            table[where] = kept - 1e-5
            out[where] = (more - L(K, V)) / (2 * 1e-5)
            table[where] = kept
    return in_K, in_V
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "finer_differences",
        "Your gradients are right to a few digits only. Finite differences do that: too coarse where the scores are large, lost in rounding where the values are. Derive the formula.",
        """
def attention_gradient_kv(q, K, V, g):
    L = lambda K, V: g @ (softmax(K @ q / np.sqrt(len(q))) @ V)
    K, V = K * 1.0, V * 1.0
    in_K, in_V = np.zeros(K.shape), np.zeros(V.shape)
    for table, out in ((K, in_K), (V, in_V)):
        for where in np.ndindex(table.shape):
            kept = table[where]
            table[where] = kept + 1e-7
            more = L(K, V)
            table[where] = kept - 1e-7
            out[where] = (more - L(K, V)) / (2 * 1e-7)
            table[where] = kept
    return in_K, in_V
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "values_for_g",
        "The gradient of the values holds the values themselves. It is g times the weight, whatever the value is.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(s, q) / np.sqrt(len(q)), a[:, None] * V
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "values_scaled",
        "The gradient of the values is divided by √d_k. The scale belongs to the scores, and a value does not act through them.",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(s, q) / np.sqrt(len(q)), np.outer(a, g) / np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_kv",
        "root_of_d_v",
        "You divided by the root of the width of the values. It is the width of the keys, d_k = len(q).",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    s = a * (u - a @ u)
    return np.outer(s, q) / np.sqrt(V.shape[1]), np.outer(a, g)
""",
    ),
    Right(
        "attention_gradient_kv",
        "key_after_key",
        """
def attention_gradient_kv(q, K, V, g):
    d = len(q)
    a = softmax(np.array([q @ k for k in K]) / d**0.5)
    o = sum(w * v for w, v in zip(a, V))
    in_K, in_V = np.zeros(K.shape), np.zeros(V.shape)
    for j in range(len(K)):
        in_K[j] = a[j] * (g @ (V[j] - o)) * q / d**0.5
        in_V[j] = a[j] * g
    return in_K, in_V
""",
    ),
    Right(
        "attention_gradient_kv",
        "jacobian_built",
        """
def attention_gradient_kv(q, K, V, g):
    a = softmax(scaled_scores(q[None, :], K))[0]
    J = np.diag(a) - np.outer(a, a)
    return (J @ V @ g)[:, None] * q[None, :] / np.sqrt(K.shape[1]), a[:, None] * g
""",
    ),
    Right(
        "attention_gradient_kv",
        "einsum",
        """
def attention_gradient_kv(q, K, V, g):
    root = np.sqrt(K.shape[-1])
    a = softmax(np.einsum("d,jd->j", q, K) / root)
    centred = V - np.einsum("j,jm->m", a, V)
    return [np.einsum("j,jm,m,d->jd", a, centred, g, q) / root, np.einsum("j,m->jm", a, g)]
""",
    ),
    Right(
        "attention_gradient_kv",
        "query_scaled_first",
        """
def attention_gradient_kv(q, K, V, g):
    ask = q / len(q) ** 0.5
    a = softmax(K @ ask)
    worth = V @ g
    slope = a * worth - a * (a @ worth)
    return np.outer(slope, ask), np.outer(a, g)
""",
    ),
]
