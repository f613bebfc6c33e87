"""Chapter 3: what learners write for the scores, the blind test, the winning key and the cosines."""

from autograde.mistakes import Right, Wrong

# loops over one matrix, repeated for every matrix of a batch
EACH = """
def scores(Q, K):
    if Q.ndim > 2:
        return np.array([scores(q, k) for q, k in zip(Q, K)])
"""

# what a learner has before the last line of winning_key
MISSING = """
    dots = K @ q
    rivals = np.delete(dots, j)
    missing = max(0.0, rivals.max() + lead - dots[j]) if len(rivals) else 0.0
"""

# rows scaled by their largest entry, as the exercise wants it
SCALED = """
    def scaled(rows):
        largest = np.abs(rows).max(axis=-1, keepdims=True)
        return rows / np.where(largest == 0, 1, largest)
    def unit(rows):
        rows = scaled(rows)
        length = np.linalg.norm(rows, axis=-1, keepdims=True)
        return rows / np.where(length == 0, 1, length)
"""

# Where a mistake shows itself by an exception alone, its sentence is the label of the stage that raises.
CATALOGUE = [
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
        "Your sum runs over the first index of K, as in Q @ K without a transpose, or K[m, j] in a loop. It fails unless n_k = d_k, and then it is wrong without a word.",
        """
def scores(Q, K):
    return Q @ K
""",
    ),
    Wrong(
        "scores",
        "all_axes_reversed",
        "K.T reverses all axes, also the leading ones. Swap only the last two: np.swapaxes(K, -1, -2).",
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
        "You counted axes from the front, which fits only one number of leading axes. Count from the end: -1 and -2.",
        """
def scores(Q, K):
    return Q @ np.swapaxes(K, 1, 2)
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
        "You divided by the lengths. That is the cosine of section 3.6; the score keeps them.",
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
        "Your rows sum to 1: you applied a softmax. Here we want the scores themselves.",
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
        "You computed squared distances. The score is the sum of products in (3.2), not the distance of (3.5).",
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
    Wrong(
        "scores",
        "index_swapped",
        "Your sum runs over the first index of K, as in Q @ K without a transpose, or K[m, j] in a loop. It fails unless n_k = d_k, and then it is wrong without a word.",
        EACH
        + """
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                table[i, j] += Q[i, m] * K[m, j]
    return table
""",
    ),
    Wrong(
        "scores",
        "overwrites",
        "Only the last feature counts in your scores: either = stands where += belongs, or the sum is started again for each feature.",
        EACH
        + """
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                table[i, j] = Q[i, m] * K[j, m]
    return table
""",
    ),
    Wrong(
        "scores",
        "sum_not_reset",
        "Your sum is not set back to 0 for each pair: every entry also contains all the entries before it.",
        EACH
        + """
    table, total = np.zeros((len(Q), len(K))), 0.0
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                total += Q[i, m] * K[j, m]
            table[i, j] = total
    return table
""",
    ),
    Wrong(
        "scores",
        "last_feature_missing",
        "The last feature is missing from your sums. range(d_k) already ends at d_k - 1.",
        EACH
        + """
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1] - 1):
                table[i, j] += Q[i, m] * K[j, m]
    return table
""",
    ),
    Wrong(
        "scores",
        "as_many_keys_as_queries",
        "Your table has one column for each query. It needs one for each key: the loop over j runs over len(K).",
        EACH
        + """
    table = np.zeros((len(Q), len(Q)))
    for i in range(len(Q)):
        for j in range(len(Q)):
            table[i, j] = Q[i] @ K[j % len(K)]
    return table
""",
    ),
    Wrong(
        "scores",
        "returns_too_early",
        "Only the first row of your table is filled, as when return stands inside the loop over queries.",
        EACH
        + """
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            table[i, j] = Q[i] @ K[j]
        return table
""",
    ),
    Wrong(
        "scores",
        "whole_numbers_only",
        "Your scores are cut to whole numbers, as by int() or a table of integers. Make the table with np.zeros((n_q, n_k)), which holds floats.",
        EACH
        + """
    table = np.zeros((len(Q), len(K)), dtype=int)
    for i in range(len(Q)):
        for j in range(len(K)):
            table[i, j] = int(Q[i] @ K[j])
    return table
""",
    ),
    Wrong(
        "scores",
        "one_matrix_only",
        "a batch of three: axis 0 counts the examples, each by itself",
        """
def scores(Q, K):
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            for m in range(Q.shape[1]):
                table[i, j] += Q[i, m] * K[j, m]
    return table
""",
    ),
    Wrong(
        "scores",
        "keys_multiplied_in_place",
        "Your function changed its input K: *= works on the caller's array. Take a new array for the products.",
        EACH
        + """
    table = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            K[j] *= Q[i]
            table[i, j] = K[j].sum()
    return table
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
    # ------------------------------------------------------------ blind_test
    Wrong(
        "blind_test",
        "identity",
        "All five products agree, but your matrices have forbidden entries, and Q is a multiple of K.",
        """
def blind_test(n):
    return 2 * np.eye(n), np.eye(n)
""",
    ),
    Wrong(
        "blind_test",
        "diagonal",
        "All five products agree, but an entry is not allowed: a 0, a fraction, or a number beyond ±10,000.",
        """
def blind_test(n):
    return np.diag(np.arange(1, n + 1)), np.diag(np.arange(1, n + 1) ** 2)
""",
    ),
    Wrong(
        "blind_test",
        "constant",
        "All five products agree, but every row of your matrices is the same, and Q is a multiple of K.",
        """
def blind_test(n):
    return 2 * np.ones((n, n)), np.ones((n, n))
""",
    ),
    Wrong(
        "blind_test",
        "same_matrix",
        "All five products agree, but Q is a multiple of K (or K itself). Any symmetric K would do then; find a second matrix.",
        """
def blind_test(n):
    K = np.add.outer(np.arange(n), np.arange(n)) + 1
    return K, K
""",
    ),
    Wrong(
        "blind_test",
        "a_multiple",
        "All five products agree, but Q is a multiple of K (or K itself). Any symmetric K would do then; find a second matrix.",
        """
def blind_test(n):
    K = np.add.outer(np.arange(n), np.arange(n)) + 1
    return 3 * K, K
""",
    ),
    Wrong(
        "blind_test",
        "symmetric_only",
        "Q K agrees with Q Kᵀ, and Qᵀ K too, but K Qᵀ and K Q do not: your matrices are symmetric but do not commute.",
        """
def blind_test(n):
    K = np.add.outer(np.arange(n), np.arange(n)) + 1
    return K + np.diag(np.arange(n)), K
""",
    ),
    Wrong(
        "blind_test",
        "random",
        "All four wrong products differ from Q Kᵀ on your data: a test on them would catch every one. Each equality needs something of Q or K; take them one at a time.",
        """
def blind_test(n):
    rng = np.random.default_rng(n)
    return rng.integers(1, 100, (n, n)), rng.integers(1, 100, (n, n))
""",
    ),
    Wrong(
        "blind_test",
        "counted",
        "All four wrong products differ from Q Kᵀ on your data: a test on them would catch every one. Each equality needs something of Q or K; take them one at a time.",
        """
def blind_test(n):
    K = np.arange(1, n * n + 1).reshape(n, n)
    return K + np.eye(n), K
""",
    ),
    Wrong(
        "blind_test",
        "transposed_pair",
        "All four wrong products differ from Q Kᵀ on your data: a test on them would catch every one. Each equality needs something of Q or K; take them one at a time.",
        """
def blind_test(n):
    K = np.arange(1, n * n + 1).reshape(n, n)
    return K.T, K
""",
    ),
    Wrong(
        "blind_test",
        "only_q_symmetric",
        "All four wrong products differ from Q Kᵀ on your data: a test on them would catch every one. Each equality needs something of Q or K; take them one at a time.",
        """
def blind_test(n):
    Q = np.add.outer(np.arange(n), np.arange(n)) + 1
    return Q, np.arange(1, n * n + 1).reshape(n, n)
""",
    ),
    Wrong(
        "blind_test",
        "only_k_symmetric",
        "Of the four wrong products only Q K agrees with Q Kᵀ on your data, as when K is symmetric and nothing else is asked of Q.",
        """
def blind_test(n):
    K = np.add.outer(np.arange(n), np.arange(n)) + 1
    return np.arange(1, n * n + 1).reshape(n, n), K
""",
    ),
    Wrong(
        "blind_test",
        "circulant",
        "For n = 2 your data are right, for larger n all four wrong products differ from Q Kᵀ. Rows that are shifts of one another commute, but they are symmetric only for n = 2 or a first row that reads the same backwards.",
        """
def blind_test(n):
    K = np.array([np.roll(np.arange(1, n + 1), shift) for shift in range(n)])
    return K + 2 * np.eye(n), K
""",
    ),
    Wrong(
        "blind_test",
        "always_two_by_two",
        "Your matrices have two rows for every n. Their shape must be (n, n).",
        """
def blind_test(n):
    return np.array([[3, 1], [1, 4]]), np.array([[2, 1], [1, 3]])
""",
    ),
    Wrong(
        "blind_test",
        "fractions",
        "All five products agree, but an entry is not allowed: a 0, a fraction, or a number beyond ±10,000.",
        """
def blind_test(n):
    K = 1 / (np.add.outer(np.arange(n), np.arange(n)) + 1)
    return K + np.eye(n), K
""",
    ),
    Wrong(
        "blind_test",
        "too_large",
        "All five products agree, but an entry is not allowed: a 0, a fraction, or a number beyond ±10,000.",
        """
def blind_test(n):
    K = 97 * (np.add.outer(np.arange(n), np.arange(n)) + 1)
    return K @ K, K
""",
    ),
    Wrong(
        "blind_test",
        "a_zero",
        "All five products agree, but an entry is not allowed: a 0, a fraction, or a number beyond ±10,000.",
        """
def blind_test(n):
    K = np.add.outer(np.arange(n), np.arange(n))
    return K + np.eye(n), K
""",
    ),
    Wrong(
        "blind_test",
        "equal_rows",
        "All five products agree, but two rows of Q or two rows of K are equal.",
        """
def blind_test(n):
    K = np.ones((n, n))
    return K + np.eye(n), K
""",
    ),
    Wrong(
        "blind_test",
        "too_large_from_nine_on",
        "All five products agree, but an entry is not allowed: a 0, a fraction, or a number beyond ±10,000.",
        """
def blind_test(n):
    K = np.add.outer(3 ** np.arange(n), 3 ** np.arange(n))
    return K + np.eye(n), K
""",
    ),
    Wrong(
        "blind_test",
        "a_zero_from_six_on",
        "All five products agree, but an entry is not allowed: a 0, a fraction, or a number beyond ±10,000.",
        """
def blind_test(n):
    K = np.add.outer(np.arange(n), np.arange(n)) + 2
    return K - 12 * np.eye(n), K
""",
    ),
    Wrong(
        "blind_test",
        "one_random_matrix_twice",
        "Of the four wrong products only K Qᵀ agrees with Q Kᵀ, as when Q is a multiple of K (or K itself), which is not allowed, and K is not symmetric.",
        """
def blind_test(n):
    K = np.random.default_rng(0).integers(1, 90, (n, n))
    return K, K
""",
    ),
    Wrong(
        "blind_test",
        "one_matrix",
        "What you returned does not hold two matrices of shape (n, n), as when one matrix is returned instead of the pair (Q, K).",
        """
def blind_test(n):
    return np.add.outer(np.arange(n), np.arange(n)) + 1
""",
    ),
    Right(
        "blind_test",
        "square",
        """
def blind_test(n):
    K = np.add.outer(np.arange(n), np.arange(n)) + 1
    return K @ K, K
""",
    ),
    Right(
        "blind_test",
        "palindromic_circulants",
        """
def blind_test(n):
    def ring(f):
        return [[f(min((i - j) % n, (j - i) % n)) for j in range(n)] for i in range(n)]
    return ring(lambda step: step + 1), ring(lambda step: (step + 1) ** 2 + 3)
""",
    ),
    Right(
        "blind_test",
        "lists_in_the_other_order",
        """
def blind_test(n):
    Q = [[(i + 1) * (j + 1) for j in range(n)] for i in range(n)]
    K = [[Q[i][j] + 5 * (i == j) for j in range(n)] for i in range(n)]
    return [Q, K]
""",
    ),
    Right(
        "blind_test",
        "negative_numbers",
        """
def blind_test(n):
    steps = np.arange(1, n + 1)
    K = -np.maximum.outer(steps, steps) * 1.0
    return np.eye(n) * 7 - K, K
""",
    ),
    Right(
        "blind_test",
        "single_precision",
        """
def blind_test(n):
    rng = np.random.default_rng(0)
    half = rng.integers(1, 50, (n, n))
    K = (half + half.T).astype(np.float32)
    return K + 3 * np.eye(n, dtype=np.float32), K
""",
    ),
    # ------------------------------------------------------------ winning_key
    Wrong(
        "winning_key",
        "stretched",
        "You stretched the key along its own direction. That reaches the score, if the key's score is positive, but not at the nearest place: move along q.",
        """
def winning_key(q, K, j, lead):
"""
        + MISSING
        + """
    return K[j] * (1 + missing / dots[j])
""",
    ),
    Wrong(
        "winning_key",
        "multiple_of_the_query",
        "Your new key is a multiple of q. It has the right score, but the old key's part at right angles to q is lost, so it is not the nearest place.",
        """
def winning_key(q, K, j, lead):
"""
        + MISSING
        + """
    if missing == 0:
        return K[j]
    return q * (dots[j] + missing) / (q @ q)
""",
    ),
    Wrong(
        "winning_key",
        "not_divided",
        "You moved by the missing score times q. Moving by t q raises the score by t times q · q.",
        """
def winning_key(q, K, j, lead):
"""
        + MISSING
        + """
    return K[j] + missing * q
""",
    ),
    Wrong(
        "winning_key",
        "divided_by_the_length",
        "You divided by the length of q once, so your step is as long as the missing score. A step of length 1 along q raises the score by the length of q: divide by q · q.",
        """
def winning_key(q, K, j, lead):
"""
        + MISSING
        + """
    return K[j] + missing * q / np.linalg.norm(q)
""",
    ),
    Wrong(
        "winning_key",
        "key_among_its_rivals",
        "You counted key j among its own rivals: a key that leads then has to lead itself too. Leave its score out before you take the maximum.",
        """
def winning_key(q, K, j, lead):
    dots = K @ q
    missing = max(0.0, dots.max() + lead - dots[j])
    return K[j] + missing * q / (q @ q)
""",
    ),
    Wrong(
        "winning_key",
        "pulled_down",
        "A key that leads by more than enough was moved back. It should stay: the missing score is never below 0.",
        """
def winning_key(q, K, j, lead):
    dots = K @ q
    rivals = np.delete(dots, j)
    missing = rivals.max() + lead - dots[j] if len(rivals) else 0.0
    return K[j] + missing * q / (q @ q)
""",
    ),
    Wrong(
        "winning_key",
        "lead_forgotten",
        "Your key ties with its best rival, or stays where it leads by less than `lead`. The lead is missing.",
        """
def winning_key(q, K, j, lead):
    dots = K @ q
    rivals = np.delete(dots, j)
    missing = max(0.0, rivals.max() - dots[j]) if len(rivals) else 0.0
    return K[j] + missing * q / (q @ q)
""",
    ),
    Wrong(
        "winning_key",
        "lead_as_score",
        "You brought the score of the key to `lead`. It must lead the scores of the others by that much.",
        """
def winning_key(q, K, j, lead):
    missing = max(0.0, lead - K[j] @ q)
    return K[j] + missing * q / (q @ q)
""",
    ),
    Wrong(
        "winning_key",
        "from_the_winner",
        "You started from the best rival. The right score, but you left key j: start from K[j].",
        """
def winning_key(q, K, j, lead):
"""
        + MISSING
        + """
    if missing == 0:
        return K[j]
    best = K[np.argmax(np.where(np.arange(len(K)) == j, -np.inf, dots))]
    return best + lead * q / (q @ q)
""",
    ),
    Wrong(
        "winning_key",
        "towards_the_winner",
        "You moved along the line to the best rival. That line is not at right angles to the lines of equal score, so it is not the shortest way.",
        """
def winning_key(q, K, j, lead):
"""
        + MISSING
        + """
    if missing == 0:
        return K[j]
    best = int(np.argmax(np.where(np.arange(len(K)) == j, -np.inf, dots)))
    way = K[best] - K[j]
    return K[j] + missing / (way @ q) * way
""",
    ),
    Wrong(
        "winning_key",
        "mean_of_the_rivals",
        "Your key beats the average of its rivals. It has to beat every one, so the largest score counts.",
        """
def winning_key(q, K, j, lead):
    dots = K @ q
    rivals = np.delete(dots, j)
    missing = max(0.0, rivals.mean() + lead - dots[j]) if len(rivals) else 0.0
    return K[j] + missing * q / (q @ q)
""",
    ),
    Wrong(
        "winning_key",
        "first_rival",
        "Your key beats one rival, but not the best of them. Take the maximum over all the others.",
        """
def winning_key(q, K, j, lead):
    dots = K @ q
    rivals = np.delete(dots, j)
    missing = max(0.0, rivals[0] + lead - dots[j]) if len(rivals) else 0.0
    return K[j] + missing * q / (q @ q)
""",
    ),
    Wrong(
        "winning_key",
        "one_feature",
        "You changed one feature only. The score is right, but moving along the whole of q is shorter.",
        """
def winning_key(q, K, j, lead):
"""
        + MISSING
        + """
    m = np.argmax(np.abs(q))
    new = K[j] * 1.0
    new[m] += missing / q[m]
    return new
""",
    ),
    Wrong(
        "winning_key",
        "no_rivals",
        "one key alone: it stays",
        """
def winning_key(q, K, j, lead):
    dots = K @ q
    missing = max(0.0, np.delete(dots, j).max() + lead - dots[j])
    return K[j] + missing * q / (q @ q)
""",
    ),
    Wrong(
        "winning_key",
        "second_largest_of_all",
        "You took the second-largest of all scores for the best rival. It is the best rival only if key j leads: leave key j out, then take the largest.",
        """
def winning_key(q, K, j, lead):
    dots = K @ q
    if len(K) == 1:
        return K[j]
    return K[j] + max(0.0, np.sort(dots)[-2] + lead - dots[j]) * q / (q @ q)
""",
    ),
    Wrong(
        "winning_key",
        "no_rivals_count_as_zero",
        "You let a key without rivals compete with a score of 0. It stays where it is.",
        """
def winning_key(q, K, j, lead):
    dots = K @ q
    rivals = np.delete(dots, j)
    best = rivals.max() if len(rivals) else 0.0
    return K[j] + max(0.0, best + lead - dots[j]) * q / (q @ q)
""",
    ),
    Wrong(
        "winning_key",
        "steps_of_equal_size",
        "You moved each feature by the same amount, up or down as q has its sign. The score is right, but moving along q is shorter.",
        """
def winning_key(q, K, j, lead):
"""
        + MISSING
        + """
    return K[j] + missing * np.sign(q) / np.abs(q).sum()
""",
    ),
    Wrong(
        "winning_key",
        "changes_k",
        "You changed the caller's K: K[j] += works in place. Put the new key into a new array.",
        """
def winning_key(q, K, j, lead):
"""
        + MISSING
        + """
    if missing:
        K[j] += np.asarray(missing * q / (q @ q)).astype(K.dtype)
    return K[j]
""",
    ),
    Wrong(
        "winning_key",
        "whole_table",
        "You returned all keys. Asked is the new key alone, of shape (d_k,).",
        """
def winning_key(q, K, j, lead):
"""
        + MISSING
        + """
    new = K * 1.0
    new[j] = K[j] + missing * q / (q @ q)
    return new
""",
    ),
    Wrong(
        "winning_key",
        "the_step_only",
        "You returned the step. Asked is the new place of the key: add K[j].",
        """
def winning_key(q, K, j, lead):
"""
        + MISSING
        + """
    return missing * q / (q @ q)
""",
    ),
    Wrong(
        "winning_key",
        "cut_to_whole_numbers",
        "Your new key keeps the whole-number type of K, so its fractions are cut off. Compute it as floats.",
        """
def winning_key(q, K, j, lead):
"""
        + MISSING
        + """
    new = np.zeros_like(K[j])
    new[:] = K[j] + missing * q / (q @ q)
    return new
""",
    ),
    Wrong(
        "winning_key",
        "lead_in_lengths",
        "You multiplied `lead` by the length of q. The lead is a difference of scores, not a distance.",
        """
def winning_key(q, K, j, lead):
    dots = K @ q
    rivals = np.delete(dots, j)
    missing = max(0.0, rivals.max() + lead * np.linalg.norm(q) - dots[j]) if len(rivals) else 0.0
    return K[j] + missing * q / (q @ q)
""",
    ),
    Wrong(
        "winning_key",
        "absolute_scores",
        "You took absolute values of the scores. A negative score is below 0, not far up.",
        """
def winning_key(q, K, j, lead):
    dots = np.abs(K @ q)
    rivals = np.delete(dots, j)
    missing = max(0.0, rivals.max() + lead - dots[j]) if len(rivals) else 0.0
    return K[j] + missing * q / (q @ q)
""",
    ),
    Wrong(
        "winning_key",
        "counted_from_one",
        "You counted keys from 1. Key j is K[j].",
        """
def winning_key(q, K, j, lead):
    j = j - 1
    dots = K @ q
    rivals = np.delete(dots, j)
    missing = max(0.0, rivals.max() + lead - dots[j]) if len(rivals) else 0.0
    return K[j] + missing * q / (q @ q)
""",
    ),
    Wrong(
        "winning_key",
        "leads_is_enough",
        "You left a key where it is because it leads. It must lead by at least `lead`.",
        """
def winning_key(q, K, j, lead):
"""
        + MISSING
        + """
    if np.argmax(dots) == j:
        return K[j]
    return K[j] + missing * q / (q @ q)
""",
    ),
    Right(
        "winning_key",
        "loop",
        """
def winning_key(q, K, j, lead):
    need = None
    for i in range(len(K)):
        if i != j:
            score = sum(a * b for a, b in zip(q, K[i])) + lead
            need = score if need is None else max(need, score)
    score = sum(a * b for a, b in zip(q, K[j]))
    if need is None or score >= need:
        return K[j]
    return K[j] + (need - score) / sum(a * a for a in q) * q
""",
    ),
    Right(
        "winning_key",
        "rivals_hidden",
        """
def winning_key(q, K, j, lead):
    dots = (K @ q).astype(float)
    need = np.where(np.arange(len(K)) == j, -np.inf, dots).max() + lead
    return K[j] + np.clip(need - dots[j], 0, None) * q / np.sum(q**2)
""",
    ),
    Right(
        "winning_key",
        "unit_direction",
        """
def winning_key(q, K, j, lead):
"""
        + MISSING
        + """
    length = np.linalg.norm(q)
    return K[j] + (missing / length) * (q / length)
""",
    ),
    Right(
        "winning_key",
        "list_of_floats",
        """
def winning_key(q, K, j, lead):
"""
        + MISSING
        + """
    t = missing / (q @ q)
    return [float(a + t * b) for a, b in zip(K[j], q)]
""",
    ),
    Right(
        "winning_key",
        "projection",
        """
def winning_key(q, K, j, lead):
"""
        + MISSING
        + """
    along = (dots[j] + missing) / (q @ q) * q
    across = K[j] - dots[j] / (q @ q) * q
    return along + across
""",
    ),
    Right(
        "winning_key",
        "single_precision",
        """
def winning_key(q, K, j, lead):
    q, K = q.astype(np.float32), K.astype(np.float32)
    dots = K @ q
    missing = max([float(s) + lead - float(dots[j]) for i, s in enumerate(dots) if i != j] + [0.0])
    return K[j] + np.float32(missing) / (q @ q) * q
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
"""
        + SCALED
        + """
    return Q @ np.swapaxes(unit(K), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "queries_only",
        "You divided by the lengths of the queries but not by those of the keys.",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    return unit(Q) @ np.swapaxes(K, -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "as_it_stands",
        "(3.9) as it stands: a row of zeros gives NaN, and so do rows whose squares leave the range of floating-point numbers.",
        """
def cosine_scores(Q, K):
    with np.errstate(all="ignore"):
        q = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
        k = K / np.linalg.norm(K, axis=-1, keepdims=True)
        return q @ np.swapaxes(k, -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "nan_for_zero",
        "A row of zeros gives NaN: you divided 0 by 0. The exercise fixes this case: its cosine is 0.",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    with np.errstate(all="ignore"):
        q, k = (scaled(rows) / np.linalg.norm(scaled(rows), axis=-1, keepdims=True) for rows in (Q, K))
    return q @ np.swapaxes(k, -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "squares_out_of_range",
        "Right for usual lengths, but rows near 1e-200 or 1e200 get the cosine 0: their squares leave the range of floating-point numbers. Scale each row before you square.",
        """
def cosine_scores(Q, K):
    q, k = (np.linalg.norm(rows, axis=-1, keepdims=True) for rows in (Q, K))
    return (Q / np.where(q == 0, 1, q)) @ np.swapaxes(K / np.where(k == 0, 1, k), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "one_scale_for_the_table",
        "You scaled all rows by one number. Where short and long rows stand in one table, the short ones vanish: scale each row by itself.",
        """
def cosine_scores(Q, K):
    def unit(rows):
        top = np.abs(rows).max()
        rows = rows / (top or 1)
        length = np.linalg.norm(rows, axis=-1, keepdims=True)
        return rows / np.where(length == 0, 1, length)
    return unit(Q) @ np.swapaxes(unit(K), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "product_of_the_lengths",
        "You multiplied the two lengths. Of two very short rows the product is 0, of two very long ones infinite: divide by one after the other, before you multiply.",
        """
def cosine_scores(Q, K):
    q = np.hypot.reduce(Q, axis=-1)[..., :, None]
    k = np.hypot.reduce(K, axis=-1)[..., None, :]
    dots = Q @ np.swapaxes(K, -1, -2)
    with np.errstate(all="ignore"):
        return np.where(q * k > 0, dots / np.where(q * k > 0, q * k, 1), 0)
""",
    ),
    Wrong(
        "cosine_scores",
        "largest_entry_for_length",
        "You divided by the largest entry, which is not the length. It only makes the squares safe; then divide by the root of the sum of squares.",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    return scaled(Q) @ np.swapaxes(scaled(K), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "norm_down_the_columns",
        "You took the lengths down the columns (axis -2). A token is a row: sum over its features, axis -1.",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    def down(rows):
        length = np.linalg.norm(rows, axis=-2, keepdims=True)
        return rows / np.where(length == 0, 1, length)
    return down(scaled(Q)) @ np.swapaxes(down(scaled(K)), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "norm_of_the_matrix",
        "You used one length for a whole table, as np.linalg.norm without an axis gives it. Each row has its own: axis=-1, keepdims=True.",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    q, k = scaled(Q), scaled(K)
    return q @ np.swapaxes(k, -1, -2) / ((np.linalg.norm(q) or 1) * (np.linalg.norm(k) or 1))
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
        "epsilon",
        "You added a constant to the lengths, so the cosines come out too near 0. Replace only a length of exactly 0.",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    def near(rows):
        return rows / (np.linalg.norm(rows, axis=-1, keepdims=True) + 1e-2)
    return near(Q) @ np.swapaxes(near(K), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "small_epsilon",
        "You added a small constant to the lengths. Beside short rows it is not small. Replace only a length of exactly 0.",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    def near(rows):
        return rows / (np.linalg.norm(rows, axis=-1, keepdims=True) + 1e-9)
    return near(Q) @ np.swapaxes(near(K), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "epsilon_on_the_product",
        "You added a small constant to the product of the lengths. Beside two short rows it is not small. Replace only a length of exactly 0.",
        """
def cosine_scores(Q, K):
    q = np.linalg.norm(Q, axis=-1)[..., :, None]
    k = np.linalg.norm(K, axis=-1)[..., None, :]
    return Q @ np.swapaxes(K, -1, -2) / (q * k + 1e-10)
""",
    ),
    Wrong(
        "cosine_scores",
        "floor_under_the_lengths",
        "You set a floor under the lengths, so short rows get cosines near 0. Replace only a length of exactly 0.",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    def near(rows):
        return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-3)
    return near(Q) @ np.swapaxes(near(K), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "close_to_zero_is_zero",
        "You treated short rows as rows of zeros, as np.isclose or np.allclose does. Only a length of exactly 0 has no direction.",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    def near(rows):
        length = np.linalg.norm(rows, axis=-1, keepdims=True)
        return np.where(np.isclose(length, 0), 0, unit(rows))
    return near(Q) @ np.swapaxes(near(K), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "single_precision_inside",
        "You computed in single precision, where rows near 1e-200 become 0 and rows near 1e200 infinite. Work in double precision.",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    Q, K = (rows.astype(np.float32) for rows in (Q, K))
    with np.errstate(all="ignore"):
        return unit(Q) @ np.swapaxes(unit(K), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "in_place",
        "You changed the caller's Q and K: /= works in place. Put the scaled rows into new arrays.",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    Q /= np.where(np.abs(Q).max(-1, keepdims=True) == 0, 1, np.abs(Q).max(-1, keepdims=True))
    K /= np.where(np.abs(K).max(-1, keepdims=True) == 0, 1, np.abs(K).max(-1, keepdims=True))
    return unit(Q) @ np.swapaxes(unit(K), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "keys_as_rows",
        "Your rows are keys. Queries are rows: multiply the unit queries from the left.",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    return unit(K) @ np.swapaxes(unit(Q), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "angle",
        "You returned the angle itself. The score is its cosine; leave the arccos out.",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    return np.arccos(np.clip(unit(Q) @ np.swapaxes(unit(K), -1, -2), -1, 1))
""",
    ),
    Wrong(
        "cosine_scores",
        "one_for_zero",
        "A row of zeros got the cosine 1. It is 0 with everything.",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    c = unit(Q) @ np.swapaxes(unit(K), -1, -2)
    empty = ~Q.any(-1)[..., :, None] | ~K.any(-1)[..., None, :]
    return np.where(empty, 1.0, c)
""",
    ),
    Wrong(
        "cosine_scores",
        "absolute",
        "You took the absolute value. Opposite directions have cosine -1, not 1.",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    return np.abs(unit(Q) @ np.swapaxes(unit(K), -1, -2))
""",
    ),
    Wrong(
        "cosine_scores",
        "all_axes_reversed",
        "K.T reverses all axes, also the leading ones. Swap only the last two: np.swapaxes(K, -1, -2).",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    return unit(Q) @ unit(K).T
""",
    ),
    Wrong(
        "cosine_scores",
        "as_it_stands_divided_afterwards",
        "(3.9) as it stands: a row of zeros gives NaN, and so do rows whose squares leave the range of floating-point numbers.",
        """
def cosine_scores(Q, K):
    q = np.linalg.norm(Q, axis=-1)[..., :, None]
    k = np.linalg.norm(K, axis=-1)[..., None, :]
    with np.errstate(all="ignore"):
        return Q @ np.swapaxes(K, -1, -2) / (q * k)
""",
    ),
    Wrong(
        "cosine_scores",
        "nan_replaced_by_zero",
        "Right for rows of zeros, but rows near 1e-200 or 1e200 get wrong cosines: their squares leave the range of floating-point numbers, and replacing NaN hides it. Scale each row before you square.",
        """
def cosine_scores(Q, K):
    with np.errstate(all="ignore"):
        q, k = (np.nan_to_num(rows / np.linalg.norm(rows, axis=-1, keepdims=True)) for rows in (Q, K))
        return q @ np.swapaxes(k, -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "cosines_nan_replaced_by_zero",
        "Right for rows of zeros, but rows near 1e-200 or 1e200 get the cosine 0: their squares leave the range of floating-point numbers. Scale each row before you square.",
        """
def cosine_scores(Q, K):
    q = np.linalg.norm(Q, axis=-1)[..., :, None]
    k = np.linalg.norm(K, axis=-1)[..., None, :]
    with np.errstate(all="ignore"):
        return np.nan_to_num(Q @ np.swapaxes(K, -1, -2) / (q * k), posinf=0, neginf=0)
""",
    ),
    Wrong(
        "cosine_scores",
        "norm_of_the_matrix_unscaled",
        "You used one length for a whole table, as np.linalg.norm without an axis gives it. Each row has its own: axis=-1, keepdims=True.",
        """
def cosine_scores(Q, K):
    with np.errstate(all="ignore"):
        return Q @ np.swapaxes(K, -1, -2) / (np.linalg.norm(Q) * np.linalg.norm(K))
""",
    ),
    Wrong(
        "cosine_scores",
        "no_root_after_scaling",
        "You scaled the rows, and then divided by the squared lengths: the square root is missing.",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    def flat(rows):
        square = (scaled(rows) ** 2).sum(-1, keepdims=True)
        return scaled(rows) / np.where(square == 0, 1, square)
    return flat(Q) @ np.swapaxes(flat(K), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "largest_without_its_absolute_value",
        "You divided by the largest entry, not by the largest absolute value. A row whose entries are all negative turns round, and one whose largest entry is 0 or small is not made safe.",
        """
def cosine_scores(Q, K):
    def unit(rows):
        largest = rows.max(-1, keepdims=True)
        rows = rows / np.where(largest == 0, 1, largest)
        length = np.linalg.norm(rows, axis=-1, keepdims=True)
        return rows / np.where(length == 0, 1, length)
    return unit(Q) @ np.swapaxes(unit(K), -1, -2)
""",
    ),
    Wrong(
        "cosine_scores",
        "one_fixed_factor",
        "You multiplied every row by one fixed large number. That makes short rows safe and long ones overflow: scale each row by its own size.",
        """
def cosine_scores(Q, K):
    def unit(rows):
        rows = rows * 1e150
        length = np.linalg.norm(rows, axis=-1, keepdims=True)
        return rows / np.where(length == 0, 1, length)
    with np.errstate(all="ignore"):
        return unit(Q) @ np.swapaxes(unit(K), -1, -2)
""",
    ),
    *[
        Wrong(
            "cosine_scores",
            f"epsilon_of_{epsilon}_unscaled",
            "You added a small constant to the lengths. Beside short rows it is not small. Replace only a length of exactly 0.",
            f"""
def cosine_scores(Q, K):
    def near(rows):
        return rows / (np.linalg.norm(rows, axis=-1, keepdims=True) + {epsilon})
    with np.errstate(all="ignore"):
        return near(Q) @ np.swapaxes(near(K), -1, -2)
""",
        )
        for epsilon in ("1e-8", "1e-9", "1e-10", "1e-12")
    ],
    Right(
        "cosine_scores",
        "hypot",
        """
def cosine_scores(Q, K):
    def unit(rows):
        length = np.hypot.reduce(rows, axis=-1, keepdims=True)
        return rows / np.where(length == 0, 1, length)
    return np.einsum("...id,...jd->...ij", unit(Q), unit(K))
""",
    ),
    Right(
        "cosine_scores",
        "loops",
        """
def cosine_scores(Q, K):
    import math
    if Q.ndim > 2:
        return np.array([cosine_scores(q, k) for q, k in zip(Q, K)])
    out = np.zeros((len(Q), len(K)))
    for i, q in enumerate(Q):
        for j, k in enumerate(K):
            if q.any() and k.any():
                a, b = math.hypot(*q), math.hypot(*k)
                out[i, j] = sum(float(x) / a * (float(y) / b) for x, y in zip(q, k))
    return out
""",
    ),
    Right(
        "cosine_scores",
        "powers_of_two",
        """
def cosine_scores(Q, K):
    def unit(rows):
        power = np.frexp(np.abs(rows).max(axis=-1, keepdims=True).astype(float))[1]
        rows = np.ldexp(rows.astype(float), -power)
        length = np.sqrt((rows * rows).sum(-1, keepdims=True))
        return np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    return unit(Q) @ np.swapaxes(unit(K), -1, -2)
""",
    ),
    Right(
        "cosine_scores",
        "nan_to_zero",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    with np.errstate(all="ignore"):
        q, k = (np.nan_to_num(scaled(r) / np.linalg.norm(scaled(r), axis=-1, keepdims=True)) for r in (Q, K))
    return q @ np.swapaxes(k, -1, -2)
""",
    ),
    Right(
        "cosine_scores",
        "divide_afterwards",
        """
def cosine_scores(Q, K):
"""
        + SCALED
        + """
    q, k = scaled(Q), scaled(K)
    lengths = np.linalg.norm(q, axis=-1)[..., :, None] * np.linalg.norm(k, axis=-1)[..., None, :]
    return q @ np.swapaxes(k, -1, -2) / np.where(lengths == 0, 1, lengths)
""",
    ),
]
