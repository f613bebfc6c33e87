"""Chapter 3: what learners write for the three score functions, wrong and right."""

from autograde.mistakes import Right, Wrong

CATALOGUE = [
    # ------------------------------------------------------------ scores_by_loop
    Wrong(
        "scores_by_loop",
        "keys_as_rows",
        "Your rows are keys: you filled entry [j, i]. Rows are queries, so the product of query i and key j goes to entry [i, j].",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(K), len(Q)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                table[j, i] += Q[i, m] * K[j, m]
    return table
""",
    ),
    Wrong(
        "scores_by_loop",
        "overwrites",
        "You wrote = where += belongs: each feature overwrites the one before, and only the last feature counts.",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                table[i, j] = Q[i, m] * K[j, m]
    return table
""",
    ),
    Wrong(
        "scores_by_loop",
        "sum_not_reset",
        "Your sum is not set back to 0 for each pair: every entry also contains all the entries before it.",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(K)))
    total = 0.0
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                total += Q[i, m] * K[j, m]
            table[i, j] = total
    return table
""",
    ),
    Wrong(
        "scores_by_loop",
        "sum_reset_per_row",
        "Your sum is set back to 0 for each query but not for each key: every entry also contains the entries to its left.",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        total = 0.0
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                total += Q[i, m] * K[j, m]
            table[i, j] = total
    return table
""",
    ),
    Wrong(
        "scores_by_loop",
        "returns_too_early",
        "Your return stands inside the loop over queries, so only the first row is filled. Move it out of all loops.",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                table[i, j] += Q[i, m] * K[j, m]
        return table
""",
    ),
    Wrong(
        "scores_by_loop",
        "returns_after_one_entry",
        "Your return stands inside the loop over keys, so only the first entry is filled. Move it out of all loops.",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                table[i, j] += Q[i, m] * K[j, m]
            return table
""",
    ),
    Wrong(
        "scores_by_loop",
        "last_feature_missing",
        "The last feature is missing from your sums: range(d_k - 1) stops one short. range(d_k) already ends at d_k - 1.",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1] - 1):
                table[i, j] += Q[i, m] * K[j, m]
    return table
""",
    ),
    Wrong(
        "scores_by_loop",
        "first_feature_missing",
        "The first feature is missing from your sums: Python counts from 0, so the loop over features is range(d_k), not range(1, d_k).",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(1, Q.shape[1]):
                table[i, j] += Q[i, m] * K[j, m]
    return table
""",
    ),
    Wrong(
        "scores_by_loop",
        "integer_table",
        "Your products are cut to whole numbers, by int() or by a table of integers. Make the table with np.zeros((n_q, n_k)), which holds floats.",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(K)), dtype=int)
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                table[i, j] += int(Q[i, m] * K[j, m])
    return table
""",
    ),
    Wrong(
        "scores_by_loop",
        "queries_counted_twice",
        "Your loop over keys runs over the number of queries. There are len(K) keys, and the columns beyond len(Q) stay 0 in your table.",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(min(len(Q), len(K))):
            for m in range(Q.shape[1]):
                table[i, j] += Q[i, m] * K[j, m]
    return table
""",
    ),
    Wrong(
        "scores_by_loop",
        "square_table",
        "Your table is square, n_q × n_q. It has one column for each key: n_q × n_k.",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(Q)))
    for i in range(len(Q)):
        for j in range(len(Q)):
            for m in range(Q.shape[1]):
                table[i, j] += Q[i, m] * K[j, m]
    return table
""",
    ),
    Wrong(
        "scores_by_loop",
        "squared_distance",
        "You summed squared differences. That is the squared distance of (3.2); the score sums products.",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                table[i, j] += (Q[i, m] - K[j, m]) ** 2
    return table
""",
    ),
    Wrong(
        "scores_by_loop",
        "sum_of_sums",
        "You added query and key where they are to be multiplied.",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                table[i, j] += Q[i, m] + K[j, m]
    return table
""",
    ),
    Wrong(
        "scores_by_loop",
        "absolute_values",
        "You took absolute values. Opposite signs must lower the score.",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                table[i, j] += abs(Q[i, m] * K[j, m])
    return table
""",
    ),
    Wrong(
        "scores_by_loop",
        "scaled_early",
        "You divided by √d_k. That is chapter 4; here the score is the bare dot product.",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                table[i, j] += Q[i, m] * K[j, m] / np.sqrt(Q.shape[1])
    return table
""",
    ),
    Wrong(
        "scores_by_loop",
        "no_return",
        "Your function returns nothing: the table is computed and thrown away. End with a return.",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                table[i, j] += Q[i, m] * K[j, m]
    print(table)
""",
    ),
    Wrong(
        "scores_by_loop",
        "multiplies_in_place",
        "You changed K in place: K[j] *= … works on the caller's array, which is then spoilt for the next query. Take a new array for products.",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            K[j] *= Q[i]
            table[i, j] = K[j].sum()
    return table
""",
    ),
    Wrong(
        "scores_by_loop",
        "whole_table_summed",
        "You returned one number, the sum over all pairs. Keep one sum for each pair of a query and a key.",
        """
def scores_by_loop(Q, K):
    total = 0.0
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                total += Q[i, m] * K[j, m]
    return total
""",
    ),
    Right(
        "scores_by_loop",
        "dot_in_two_loops",
        """
def scores_by_loop(Q, K):
    out = np.empty((Q.shape[0], K.shape[0]))
    for i, q in enumerate(Q):
        for j, k in enumerate(K):
            out[i, j] = np.dot(q, k)
    return out
""",
    ),
    Right(
        "scores_by_loop",
        "list_of_lists",
        """
def scores_by_loop(Q, K):
    return [[sum(a * b for a, b in zip(q, k)) for k in K] for q in Q]
""",
    ),
    Right(
        "scores_by_loop",
        "features_outermost",
        """
def scores_by_loop(Q, K):
    table = np.zeros((len(Q), len(K)))
    for m in range(Q.shape[1]):
        for j in range(len(K)):
            for i in range(len(Q)):
                table[i, j] = table[i, j] + K[j, m] * Q[i, m]
    return table
""",
    ),
    Right(
        "scores_by_loop",
        "columns_appended",
        """
def scores_by_loop(Q, K):
    columns = []
    for k in K:
        columns.append([float((q * k).sum()) for q in Q])
    return np.array(columns).T
""",
    ),
    Right(
        "scores_by_loop",
        "single_precision",
        """
def scores_by_loop(Q, K):
    Q, K = Q.astype(np.float32), K.astype(np.float32)
    return np.array([[np.sum(q * k) for k in K] for q in Q])
""",
    ),
    # ------------------------------------------------------------ scores
    Wrong(
        "scores",
        "keys_as_rows",
        "Your rows are keys: you computed K Qᵀ. Queries are rows, so it is Q Kᵀ.",
        """
def scores(Q, K):
    return K @ np.swapaxes(Q, -1, -2)
""",
    ),
    Wrong(
        "scores",
        "no_transpose",
        "You computed Q K without the transpose. It fails unless n_k = d_k, and then it is wrong without a word; (3.6) has Kᵀ.",
        """
def scores(Q, K):
    return Q @ K
""",
    ),
    Wrong(
        "scores",
        "all_axes_reversed",
        "K.T reverses all axes, also the batch axis. Swap only the last two: np.swapaxes(K, -1, -2).",
        """
def scores(Q, K):
    return Q @ K.T
""",
    ),
    Wrong(
        "scores",
        "np_dot_mixes_batches",
        "np.dot, np.inner and np.tensordot pair every matrix of one batch with every matrix of the other. Use @, which keeps each pair by itself.",
        """
def scores(Q, K):
    return np.dot(Q, np.swapaxes(K, -1, -2))
""",
    ),
    Wrong(
        "scores",
        "first_two_axes_swapped",
        "Your transpose moves axis 0. That is right for a matrix, but in a batch axis 0 counts the examples: swap the last two, -1 and -2.",
        """
def scores(Q, K):
    return Q @ np.swapaxes(K, 0, 1)
""",
    ),
    Wrong(
        "scores",
        "axes_from_the_front",
        "You counted axes from the front, which fits only one number of axes. Count from the end: -1 and -2.",
        """
def scores(Q, K):
    return Q @ np.swapaxes(K, 1, 2)
""",
    ),
    Wrong(
        "scores",
        "transpose_021",
        "You named three axes, which fits only one number of axes. Swap the last two, whatever stands before them: np.swapaxes(K, -1, -2).",
        """
def scores(Q, K):
    return Q @ K.transpose(0, 2, 1)
""",
    ),
    Wrong(
        "scores",
        "elementwise",
        "You multiplied elementwise. * pairs query i with key i only; @ pairs each with each.",
        """
def scores(Q, K):
    return Q * K
""",
    ),
    Wrong(
        "scores",
        "queries_with_queries",
        "You compared queries with queries: K does not occur in your formula.",
        """
def scores(Q, K):
    return Q @ np.swapaxes(Q, -1, -2)
""",
    ),
    Wrong(
        "scores",
        "keys_with_keys",
        "You compared keys with keys: Q does not occur in your formula.",
        """
def scores(Q, K):
    return K @ np.swapaxes(K, -1, -2)
""",
    ),
    Wrong(
        "scores",
        "scaled_early",
        "You divided by √d_k. That is chapter 4; here the score is the bare dot product.",
        """
def scores(Q, K):
    return Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
""",
    ),
    Wrong(
        "scores",
        "cosine",
        "You divided by the lengths. That is the cosine of Exercise 3.3; the score keeps them.",
        """
def scores(Q, K):
    Q = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
    K = K / np.linalg.norm(K, axis=-1, keepdims=True)
    return Q @ np.swapaxes(K, -1, -2)
""",
    ),
    Wrong(
        "scores",
        "reshape_for_transpose",
        "reshape is not a transpose: it keeps the numbers in their order and only moves the line breaks. Use np.swapaxes(K, -1, -2).",
        """
def scores(Q, K):
    return Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])
""",
    ),
    Wrong(
        "scores",
        "softmaxed",
        "Your rows sum to 1: you applied a softmax. That comes in chapter 5; here we want the scores themselves.",
        """
def scores(Q, K):
    s = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
""",
    ),
    Wrong(
        "scores",
        "squared_distance",
        "You computed squared distances. The score is the product of (3.6), not the distance of (3.2).",
        """
def scores(Q, K):
    return ((Q[..., :, None, :] - K[..., None, :, :]) ** 2).sum(-1)
""",
    ),
    Wrong(
        "scores",
        "batch_collapsed",
        "You flattened the batch, so queries of one example meet keys of another.",
        """
def scores(Q, K):
    return Q.reshape(-1, Q.shape[-1]) @ K.reshape(-1, K.shape[-1]).T
""",
    ),
    Wrong(
        "scores",
        "no_return",
        "Your function returns nothing: end it with a return.",
        """
def scores(Q, K):
    S = Q @ np.swapaxes(K, -1, -2)
""",
    ),
    Right(
        "scores",
        "einsum",
        """
def scores(Q, K):
    return np.einsum("...id,...jd->...ij", Q, K)
""",
    ),
    Right(
        "scores",
        "moveaxis",
        """
def scores(Q, K):
    return np.matmul(Q, np.moveaxis(K, -1, -2))
""",
    ),
    Right(
        "scores",
        "transposed_twice",
        """
def scores(Q, K):
    return np.swapaxes(K @ np.swapaxes(Q, -1, -2), -1, -2)
""",
    ),
    Right(
        "scores",
        "broadcast_and_sum",
        """
def scores(Q, K):
    return (Q[..., :, None, :] * K[..., None, :, :]).sum(axis=-1)
""",
    ),
    Right(
        "scores",
        "loop_over_examples",
        """
def scores(Q, K):
    if Q.ndim == 2:
        return Q @ K.T
    return np.stack([scores(q, k) for q, k in zip(Q, K)])
""",
    ),
    Right(
        "scores",
        "single_precision",
        """
def scores(Q, K):
    return Q.astype(np.float32) @ np.swapaxes(K.astype(np.float32), -1, -2)
""",
    ),
    # ------------------------------------------------------------ cosine_scores
    Wrong(
        "cosine_scores",
        "lengths_kept",
        "You returned plain dot products: the lengths are still in. Divide by both.",
        """
def cosine_scores(Q, K):
    return Q @ np.swapaxes(K, -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "keys_only",
        "You divided by the lengths of the keys but not by those of the queries.",
        """
def cosine_scores(Q, K):
    length = np.linalg.norm(K, axis=-1, keepdims=True)
    return Q @ np.swapaxes(K / np.where(length == 0, 1, length), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "queries_only",
        "You divided by the lengths of the queries but not by those of the keys.",
        """
def cosine_scores(Q, K):
    length = np.linalg.norm(Q, axis=-1, keepdims=True)
    return (Q / np.where(length == 0, 1, length)) @ np.swapaxes(K, -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "nan_for_zero",
        "A key of zeros gives NaN: you divided 0 by 0. The exercise fixes this case: its cosine is 0.",
        """
def cosine_scores(Q, K):
    with np.errstate(invalid="ignore"):
        q = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
        k = K / np.linalg.norm(K, axis=-1, keepdims=True)
    return q @ np.swapaxes(k, -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "norm_down_the_columns",
        "You took the lengths down the columns (axis -2). A token is a row: sum over its features, axis -1.",
        """
def cosine_scores(Q, K):
    q = np.linalg.norm(Q, axis=-2, keepdims=True)
    k = np.linalg.norm(K, axis=-2, keepdims=True)
    return (Q / np.where(q == 0, 1, q)) @ np.swapaxes(K / np.where(k == 0, 1, k), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "norm_of_the_matrix",
        "np.linalg.norm without an axis gives one length for the whole matrix. Each row has its own: axis=-1, keepdims=True.",
        """
def cosine_scores(Q, K):
    return Q @ np.swapaxes(K, -1, -2) / (np.linalg.norm(Q) * np.linalg.norm(K))
""",
    ),
    Wrong(
        "cosine_scores",
        "no_root",
        "You divided by the squared lengths: the square root is missing.",
        """
def cosine_scores(Q, K):
    q = (Q**2).sum(-1, keepdims=True)
    k = (K**2).sum(-1, keepdims=True)
    return (Q / np.where(q == 0, 1, q)) @ np.swapaxes(K / np.where(k == 0, 1, k), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "sum_of_absolutes",
        "You divided by the sum of absolute values. The length is the root of the sum of squares.",
        """
def cosine_scores(Q, K):
    q = np.abs(Q).sum(-1, keepdims=True)
    k = np.abs(K).sum(-1, keepdims=True)
    return (Q / np.where(q == 0, 1, q)) @ np.swapaxes(K / np.where(k == 0, 1, k), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "large_epsilon",
        "You added a constant to the lengths that is not small beside them, so the cosines come out too near 0. Replace only a length of exactly 0.",
        """
def cosine_scores(Q, K):
    q = Q / (np.linalg.norm(Q, axis=-1, keepdims=True) + 1e-2)
    k = K / (np.linalg.norm(K, axis=-1, keepdims=True) + 1e-2)
    return q @ np.swapaxes(k, -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "epsilon_spoils_short_vectors",
        "You added a constant to the lengths that is not small beside a short vector. Replace only a length of exactly 0.",
        """
def cosine_scores(Q, K):
    q = Q / (np.linalg.norm(Q, axis=-1, keepdims=True) + 1e-8)
    k = K / (np.linalg.norm(K, axis=-1, keepdims=True) + 1e-8)
    return q @ np.swapaxes(k, -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "epsilon_on_the_product",
        "You added a constant to the product of the lengths. Beside two short vectors it is not small. Replace only a product of exactly 0.",
        """
def cosine_scores(Q, K):
    q = np.linalg.norm(Q, axis=-1)[..., :, None]
    k = np.linalg.norm(K, axis=-1)[..., None, :]
    return Q @ np.swapaxes(K, -1, -2) / (q * k + 1e-8)
""",
    ),
    Wrong(
        "cosine_scores",
        "floor_under_the_lengths",
        "You set a floor under the lengths, so short vectors get cosines near 0. Replace only a length of exactly 0.",
        """
def cosine_scores(Q, K):
    q = Q / np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1e-3)
    k = K / np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1e-3)
    return q @ np.swapaxes(k, -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "in_place",
        "You changed the caller's Q and K: /= works in place. Write Q / length into a new array.",
        """
def cosine_scores(Q, K):
    q = np.linalg.norm(Q, axis=-1, keepdims=True)
    k = np.linalg.norm(K, axis=-1, keepdims=True)
    Q /= np.where(q == 0, 1, q)
    K /= np.where(k == 0, 1, k)
    return Q @ np.swapaxes(K, -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "keys_as_rows",
        "Your rows are keys. Queries are rows: multiply the unit queries from the left.",
        """
def cosine_scores(Q, K):
    q = np.linalg.norm(Q, axis=-1, keepdims=True)
    k = np.linalg.norm(K, axis=-1, keepdims=True)
    return (K / np.where(k == 0, 1, k)) @ np.swapaxes(Q / np.where(q == 0, 1, q), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "angle",
        "You returned the angle itself. The score is its cosine; leave the arccos out.",
        """
def cosine_scores(Q, K):
    q = np.linalg.norm(Q, axis=-1, keepdims=True)
    k = np.linalg.norm(K, axis=-1, keepdims=True)
    c = (Q / np.where(q == 0, 1, q)) @ np.swapaxes(K / np.where(k == 0, 1, k), -1, -2)
    return np.arccos(np.clip(c, -1, 1))
""",
    ),
    Wrong(
        "cosine_scores",
        "one_for_zero",
        "A key of zeros got a cosine other than 0. Divide its zeros by 1 and they stay 0; do not overwrite the result.",
        """
def cosine_scores(Q, K):
    with np.errstate(invalid="ignore"):
        q = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
        k = K / np.linalg.norm(K, axis=-1, keepdims=True)
    return np.nan_to_num(q @ np.swapaxes(k, -1, -2), nan=1.0)
""",
    ),
    Wrong(
        "cosine_scores",
        "absolute",
        "You took the absolute value. Opposite directions have cosine -1, not 1.",
        """
def cosine_scores(Q, K):
    q = np.linalg.norm(Q, axis=-1, keepdims=True)
    k = np.linalg.norm(K, axis=-1, keepdims=True)
    return np.abs((Q / np.where(q == 0, 1, q)) @ np.swapaxes(K / np.where(k == 0, 1, k), -1, -2))
""",
    ),
    Wrong(
        "cosine_scores",
        "all_axes_reversed",
        "K.T reverses all axes, also the batch axis. Swap only the last two: np.swapaxes(K, -1, -2).",
        """
def cosine_scores(Q, K):
    q = np.linalg.norm(Q, axis=-1, keepdims=True)
    k = np.linalg.norm(K, axis=-1, keepdims=True)
    return (Q / np.where(q == 0, 1, q)) @ (K / np.where(k == 0, 1, k)).T
""",
    ),
    Right(
        "cosine_scores",
        "divide_afterwards",
        """
def cosine_scores(Q, K):
    q = np.sqrt((Q * Q).sum(-1))[..., :, None]
    k = np.sqrt((K * K).sum(-1))[..., None, :]
    dots = np.einsum("...id,...jd->...ij", Q, K)
    return np.divide(dots, q * k, out=np.zeros_like(dots), where=(q * k) > 0)
""",
    ),
    Right(
        "cosine_scores",
        "tiny_floor",
        """
def cosine_scores(Q, K):
    q = Q / np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1e-300)
    k = K / np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1e-300)
    return q @ np.swapaxes(k, -1, -2)
""",
    ),
    Right(
        "cosine_scores",
        "nan_to_zero",
        """
def cosine_scores(Q, K):
    with np.errstate(all="ignore"):
        q = np.nan_to_num(Q / np.linalg.norm(Q, axis=-1, keepdims=True))
        k = np.nan_to_num(K / np.linalg.norm(K, axis=-1, keepdims=True))
    return q @ np.swapaxes(k, -1, -2)
""",
    ),
    Right(
        "cosine_scores",
        "loops",
        """
def cosine_scores(Q, K):
    if Q.ndim > 2:
        return np.array([cosine_scores(q, k) for q, k in zip(Q, K)])
    out = np.zeros((len(Q), len(K)))
    for i, q in enumerate(Q):
        for j, k in enumerate(K):
            if q.any() and k.any():
                out[i, j] = q @ k / (np.sqrt(q @ q) * np.sqrt(k @ k))
    return out
""",
    ),
    Right(
        "cosine_scores",
        "warns_but_right",
        """
def cosine_scores(Q, K):
    c = Q @ np.swapaxes(K, -1, -2)
    c = c / np.linalg.norm(Q, axis=-1)[..., None] / np.linalg.norm(K, axis=-1)[..., None, :]
    return np.nan_to_num(c)
""",
    ),
]
