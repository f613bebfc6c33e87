"""Chapter 6: what learners write for the weighted sum, the whole head and its gradient, wrong and right."""

from autograde.mistakes import Right, Wrong

CATALOGUE = [
    # ------------------------------------------------------------ weighted_sum
    Wrong(
        "weighted_sum",
        "elementwise",
        "You multiplied elementwise. Each output is a sum over all keys; @ forms it.",
        """
def weighted_sum(weights, V):
    return weights * V
""",
    ),
    Wrong(
        "weighted_sum",
        "order_turned",
        "You computed V times the weights. The summed index, the keys, is second in the weights and first in V: weights @ V.",
        """
def weighted_sum(weights, V):
    return V @ weights
""",
    ),
    Wrong(
        "weighted_sum",
        "values_transposed",
        "You transposed V. In weights @ V the keys already meet: second axis of the weights, first of V.",
        """
def weighted_sum(weights, V):
    return weights @ np.swapaxes(V, -1, -2)
""",
    ),
    Wrong(
        "weighted_sum",
        "weights_transposed",
        "You transposed the weights, so queries and keys change places. Rows are queries: weights @ V.",
        """
def weighted_sum(weights, V):
    return np.swapaxes(weights, -1, -2) @ V
""",
    ),
    Wrong(
        "weighted_sum",
        "plain_mean",
        "You returned the plain mean of the values. Each value counts with its weight.",
        """
def weighted_sum(weights, V):
    return np.repeat(V.mean(axis=-2, keepdims=True), weights.shape[-2], axis=-2)
""",
    ),
    Wrong(
        "weighted_sum",
        "divided_by_keys",
        "You divided by the number of keys. The weights already are shares; the sum is not divided again.",
        """
def weighted_sum(weights, V):
    return weights @ V / V.shape[-2]
""",
    ),
    Wrong(
        "weighted_sum",
        "renormalised",
        "You divided by the row sums of the weights. Take them as they come: a row of zeros is to give zeros.",
        """
def weighted_sum(weights, V):
    return weights @ V / weights.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "weighted_sum",
        "renormalised_guarded",
        "You made the rows of the weights sum to 1. Take them as they come.",
        """
def weighted_sum(weights, V):
    total = weights.sum(axis=-1, keepdims=True)
    return (weights / np.where(total == 0, 1, total)) @ V
""",
    ),
    Wrong(
        "weighted_sum",
        "softmax_again",
        "You applied a softmax to the weights. They already are weights; use them as they are.",
        """
def weighted_sum(weights, V):
    return softmax(weights) @ V
""",
    ),
    Wrong(
        "weighted_sum",
        "largest_only",
        "You took the value with the largest weight. All values count, each with its weight.",
        """
def weighted_sum(weights, V):
    pick = (weights == weights.max(axis=-1, keepdims=True)).astype(float)
    return pick @ V
""",
    ),
    Wrong(
        "weighted_sum",
        "np_dot_mixes_batches",
        "np.dot on batches pairs every matrix of one with every matrix of the other. Use @, which keeps each pair by itself.",
        """
def weighted_sum(weights, V):
    return np.dot(weights, V)
""",
    ),
    Wrong(
        "weighted_sum",
        "batch_summed",
        "Your einsum sums over the batch axis. Keep it in the result, or use @.",
        """
def weighted_sum(weights, V):
    if weights.ndim == 2:
        return weights @ V
    return np.einsum("bij,bjc->ic", weights, V)
""",
    ),
    Wrong(
        "weighted_sum",
        "features_summed",
        "You summed over the features as well: the result has one number for each query. Keep d_v numbers.",
        """
def weighted_sum(weights, V):
    return (weights @ V).sum(axis=-1)
""",
    ),
    Wrong(
        "weighted_sum",
        "queries_summed",
        "You summed over the queries. Each query has an output row of its own.",
        """
def weighted_sum(weights, V):
    return (weights @ V).sum(axis=-2)
""",
    ),
    Wrong(
        "weighted_sum",
        "last_key_missing",
        "The last key is missing from your sums: a range stops one short.",
        """
def weighted_sum(weights, V):
    return weights[..., :-1] @ V[..., :-1, :]
""",
    ),
    Wrong(
        "weighted_sum",
        "first_query_only",
        "You returned the output of the first query only: return stands inside the loop.",
        """
def weighted_sum(weights, V):
    out = np.zeros((*weights.shape[:-1], V.shape[-1]))
    for i in range(weights.shape[-2]):
        out[..., i, :] = (weights[..., i, :, None] * V).sum(axis=-2)
        return out
""",
    ),
    Wrong(
        "weighted_sum",
        "overwrites",
        "You wrote = where += belongs: each key overwrites the one before, and only the last key counts.",
        """
def weighted_sum(weights, V):
    out = np.zeros((*weights.shape[:-1], V.shape[-1]))
    for j in range(V.shape[-2]):
        out = weights[..., j, None] * V[..., j, None, :]
    return out
""",
    ),
    Wrong(
        "weighted_sum",
        "scaled_values",
        "You multiplied V in place: V *= … spoils the caller's array for the next query. Take a new array for products.",
        """
def weighted_sum(weights, V):
    if weights.ndim == 2 and weights.shape[0] == 1:
        V *= weights[0][:, None]
        return V.sum(axis=0, keepdims=True)
    return weights @ V
""",
    ),
    Wrong(
        "weighted_sum",
        "no_return",
        "Your function returns nothing: end it with a return.",
        """
def weighted_sum(weights, V):
    out = weights @ V
""",
    ),
    Right(
        "weighted_sum",
        "einsum",
        """
def weighted_sum(weights, V):
    return np.einsum("...ij,...jc->...ic", weights, V)
""",
    ),
    Right(
        "weighted_sum",
        "broadcast_and_sum",
        """
def weighted_sum(weights, V):
    return (weights[..., :, :, None] * V[..., None, :, :]).sum(axis=-2)
""",
    ),
    Right(
        "weighted_sum",
        "key_after_key",
        """
def weighted_sum(weights, V):
    out = np.zeros((*weights.shape[:-1], V.shape[-1]))
    for j in range(V.shape[-2]):
        out += weights[..., :, j, None] * V[..., None, j, :]
    return out
""",
    ),
    Right(
        "weighted_sum",
        "transposed_twice",
        """
def weighted_sum(weights, V):
    return np.swapaxes(np.swapaxes(V, -1, -2) @ np.swapaxes(weights, -1, -2), -1, -2)
""",
    ),
    Right(
        "weighted_sum",
        "loop_over_examples",
        """
def weighted_sum(weights, V):
    if weights.ndim == 2:
        return np.array([sum(w * v for w, v in zip(row, V)) for row in weights])
    return np.stack([weighted_sum(w, v) for w, v in zip(weights, V)])
""",
    ),
    Right(
        "weighted_sum",
        "single_precision",
        """
def weighted_sum(weights, V):
    return np.matmul(weights.astype(np.float32), V.astype(np.float32))
""",
    ),
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
        "You blocked with −1e9. A query that may attend to nothing then attends evenly to everything; with -np.inf its row is 0.",
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
        "You wrote `if mask:`, which asks a whole array for one truth value. Write `if mask is not None:`.",
        """
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = scaled_scores(Q, K)
    if mask:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return weights @ V, weights
""",
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
    top = np.where(allowed, scores, -1e300).max(axis=-1, keepdims=True)
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
    low = np.where(mask, scores, -np.inf).max(axis=-1, keepdims=True)
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
    # ------------------------------------------------------------ attention_gradient_q
    Wrong(
        "attention_gradient_q",
        "scale_missing",
        "The factor 1/√d_k is missing on the way back: each score is q·k divided by √d_k, and so is its slope.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return softmax_jvp(p, u) @ K
""",
    ),
    Wrong(
        "attention_gradient_q",
        "scale_missing_forward",
        "You used unscaled scores for the weights. The head divides by √d_k before the softmax.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q)
    u = V @ g
    return softmax_jvp(p, u) @ K / np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_q",
        "scale_missing_both",
        "The factor 1/√d_k is missing twice: in the scores and in their slope.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q)
    return softmax_jvp(p, V @ g) @ K
""",
    ),
    Wrong(
        "attention_gradient_q",
        "divided_by_d_k",
        "You divided by d_k on the way back. It is √d_k, as on the way forward.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return softmax_jvp(p, u) @ K / len(q)
""",
    ),
    Wrong(
        "attention_gradient_q",
        "multiplied_by_root",
        "You multiplied by √d_k on the way back. The slope of a score is the key divided by √d_k.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return softmax_jvp(p, u) @ K * np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_q",
        "average_missing",
        "You did not subtract the average worth: ū is missing in (6.10). When all values are worth the same there is nothing to learn.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return (p * u) @ K / np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_q",
        "plain_mean",
        "You subtracted the plain mean of the worths. The average ū is weighted by p.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return (p * (u - u.mean())) @ K / np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_q",
        "weights_missing",
        "The weights are missing: each key counts in proportion to the attention it gets, p(u − ū).",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return (u - p @ u) @ K / np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_q",
        "diagonal_only",
        "You used the diagonal of the Jacobian only, p(1 − p)u. Each weight also answers the scores of the other keys.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return (p * (1 - p) * u) @ K / np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_q",
        "sign",
        "The sign is turned: the query moves towards keys whose values are worth more than the average.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return -softmax_jvp(p, u) @ K / np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_q",
        "plain_covariance",
        "You gave every key the weight 1/n. The covariance is taken under the weights p.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return ((u - u.mean()) @ (K - K.mean(axis=0))) / len(u) / np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_q",
        "root_of_keys",
        "You divided by the root of the number of keys. It is the width of the query, d_k = len(q).",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(K)))
    u = V @ g
    return softmax_jvp(p, u) @ K / np.sqrt(len(K))
""",
    ),
    Wrong(
        "attention_gradient_q",
        "value_itself",
        "You returned g · o (6.8), the number itself. Its gradient has one number for each feature of the query.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return p @ u
""",
    ),
    Wrong(
        "attention_gradient_q",
        "by_score",
        "You stopped at the slope in the scores (6.9), one number for each key. One more link: a score's slope in q is k/√d_k.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return softmax_jvp(p, u)
""",
    ),
    Wrong(
        "attention_gradient_q",
        "jvp_arguments_swapped",
        "You called softmax_jvp(u, p). The weights come first, the direction second.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return softmax_jvp(u, p) @ K / np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_q",
        "g_on_weights",
        "You summed the features of the values without g. The worth of a value is g · v.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V.sum(axis=1)
    return softmax_jvp(p, u) @ K / np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_q",
        "query_for_keys",
        "You multiplied by the query where the keys belong. That is the gradient in the keys; a score's slope in q is k/√d_k.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return np.outer(softmax_jvp(p, u), q).sum(axis=0) / np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_q",
        "keys_gradient",
        "You returned a table, the gradient in each key. Here the gradient in the query is asked: sum over the keys.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return np.outer(softmax_jvp(p, u), q) / np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_q",
        "not_summed",
        "You returned one row for each key. The gradient is their sum.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return softmax_jvp(p, u)[:, None] * K / np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_q",
        "query_changed",
        "You scaled the query in place: q /= … changes the caller's array.",
        """
def attention_gradient_q(q, K, V, g):
    root = np.sqrt(len(q))
    q /= root
    p = softmax(K @ q)
    return softmax_jvp(p, V @ g) @ K / root
""",
    ),
    Wrong(
        "attention_gradient_q",
        "no_return",
        "Your function returns nothing: end it with a return.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    gradient = softmax_jvp(p, u) @ K / np.sqrt(len(q))
""",
    ),
    Wrong(
        "attention_gradient_q",
        "kept_axis",
        "You kept an axis of length 1. q has one axis, and so has its gradient.",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(scaled_scores(q[None], K))
    u = V @ g
    return softmax_jvp(p, u) @ K / np.sqrt(len(q))
""",
    ),
    Right(
        "attention_gradient_q",
        "covariance",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return (p * (u - p @ u)) @ (K - p @ K) / np.sqrt(len(q))
""",
    ),
    Right(
        "attention_gradient_q",
        "only_keys_centred",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return (p * u) @ (K - p @ K) / np.sqrt(len(q))
""",
    ),
    Right(
        "attention_gradient_q",
        "difference_of_means",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    u = V @ g
    return (K.T @ (p * u) - (p @ u) * (K.T @ p)) / len(q) ** 0.5
""",
    ),
    Right(
        "attention_gradient_q",
        "jacobian_built",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(scaled_scores(q[None, :], K))[0]
    J = np.diag(p) - np.outer(p, p)
    return (K / np.sqrt(K.shape[1])).T @ J @ V @ g
""",
    ),
    Right(
        "attention_gradient_q",
        "key_after_key",
        """
def attention_gradient_q(q, K, V, g):
    e = np.array([np.exp(np.dot(q, k) / np.sqrt(len(k))) for k in K])
    p = e / e.sum()
    o = sum(w * v for w, v in zip(p, V))
    total = np.zeros(len(q))
    for w, k, v in zip(p, K, V):
        total += w * np.dot(g, v - o) * k
    return total / np.sqrt(len(q))
""",
    ),
    Right(
        "attention_gradient_q",
        "output_first",
        """
def attention_gradient_q(q, K, V, g):
    p = softmax(K @ q / np.sqrt(len(q)))
    along = np.einsum("j,jc,jd->cd", p, V - p @ V, K - p @ K) / np.sqrt(len(q))
    return g @ along
""",
    ),
]
