"""Chapter 4: what learners write for moments, scaled scores and the gradient norm, wrong and right."""

from autograde.mistakes import Right, Wrong

SOFTMAX = """
    e = np.exp(s - s.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
"""

CATALOGUE = [
    # ------------------------------------------------------------ dot_product_moments
    Wrong(
        "dot_product_moments",
        "standard_only",
        "You returned (0, d_k) whatever the arguments. That is the special case of means 0 and variances 1.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return 0.0, float(len(mean_q))
""",
    ),
    Wrong(
        "dot_product_moments",
        "means_left_out_of_variance",
        "Your variance is that of (4.4), which needs means of 0. With other means, E[q²] is the variance plus the squared mean.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return (mean_q * mean_k).sum(), (var_q * var_k).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "square_of_mean_not_subtracted",
        "You returned the mean square E[(q m k m)²]. The variance is that minus the square of the mean of each product.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return (mean_q * mean_k).sum(), ((var_q + mean_q**2) * (var_k + mean_k**2)).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "whole_mean_subtracted",
        "You subtracted the square of the summed mean. Each product has its own mean: square first, then sum.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    mean = (mean_q * mean_k).sum()
    return mean, ((var_q + mean_q**2) * (var_k + mean_k**2)).sum() - mean**2
""",
    ),
    Wrong(
        "dot_product_moments",
        "mean_always_zero",
        "Your mean is always 0. That used A1; the mean of a product of independent variables is the product of their means.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    mean = mean_q * mean_k
    return 0.0, ((var_q + mean_q**2) * (var_k + mean_k**2) - mean**2).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "standard_deviation",
        "You returned the standard deviation. Asked is the variance: leave the root out.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    mean = mean_q * mean_k
    return mean.sum(), np.sqrt(((var_q + mean_q**2) * (var_k + mean_k**2) - mean**2).sum())
""",
    ),
    Wrong(
        "dot_product_moments",
        "variances_squared",
        "You squared the variances, as if they were standard deviations. var_q is already σ².",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    mean = mean_q * mean_k
    return mean.sum(), ((var_q**2 + mean_q**2) * (var_k**2 + mean_k**2) - mean**2).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "variances_added",
        "You added the variances of q and k. That is the variance of q + k; for a product they multiply.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return (mean_q * mean_k).sum(), (var_q + var_k).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "averaged",
        "You averaged over the features. A dot product is a sum: use sum, not mean.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    mean = mean_q * mean_k
    return mean.mean(), ((var_q + mean_q**2) * (var_k + mean_k**2) - mean**2).mean()
""",
    ),
    Wrong(
        "dot_product_moments",
        "sums_multiplied",
        "You summed first and multiplied afterwards. Each feature of q meets only its own feature of k: multiply first, then sum.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return mean_q.sum() * mean_k.sum(), var_q.sum() * var_k.sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "product_of_means_in_variance",
        "Your variance contains μ²ν². That is the square of the mean, which has to be subtracted; what stays beside u v are u ν² and v μ².",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return (mean_q * mean_k).sum(), (var_q * var_k + mean_q**2 * mean_k**2).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "one_cross_term",
        "One of the two cross terms is missing: the variance is u v + u ν² + v μ².",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return (mean_q * mean_k).sum(), (var_q * var_k + var_q * mean_k**2).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "other_cross_term",
        "One of the two cross terms is missing: the variance is u v + u ν² + v μ².",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return (mean_q * mean_k).sum(), (var_q * var_k + var_k * mean_q**2).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "means_not_squared",
        "The means are not squared in your variance: E[X²] is Var(X) + (E[X])².",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    mean = mean_q * mean_k
    return mean.sum(), ((var_q + mean_q) * (var_k + mean_k) - mean**2).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "cross_terms_swapped",
        "In your variance each variance stands beside the square of its own mean. It belongs beside the other vector's: u ν² + v μ².",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    spread = var_q * var_k + var_q * mean_q**2 + var_k * mean_k**2
    return (mean_q * mean_k).sum(), spread.sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "order_swapped",
        "You returned (variance, mean). Asked is (mean, variance).",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    mean = mean_q * mean_k
    return ((var_q + mean_q**2) * (var_k + mean_k**2) - mean**2).sum(), mean.sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "per_feature",
        "You returned the moments of each feature. Sum them: the answer is two numbers.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    mean = mean_q * mean_k
    return mean, (var_q + mean_q**2) * (var_k + mean_k**2) - mean**2
""",
    ),
    Wrong(
        "dot_product_moments",
        "variance_only",
        "You returned the variance alone. Asked are two numbers, (mean, variance).",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    mean = mean_q * mean_k
    return ((var_q + mean_q**2) * (var_k + mean_k**2) - mean**2).sum()
""",
    ),
    Right(
        "dot_product_moments",
        "three_terms",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    spread = var_q * var_k + var_q * mean_k**2 + var_k * mean_q**2
    return mean_q @ mean_k, np.sum(spread)
""",
    ),
    Right(
        "dot_product_moments",
        "loop",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    m = v = 0.0
    for a, u, b, w in zip(mean_q, var_q, mean_k, var_k):
        m += a * b
        v += (u + a * a) * (w + b * b) - (a * b) ** 2
    return m, v
""",
    ),
    Right(
        "dot_product_moments",
        "as_array",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    mean = np.dot(mean_q, mean_k)
    second = np.dot(var_q + mean_q**2, var_k + mean_k**2)
    return [float(mean), float(second - np.sum((mean_q * mean_k) ** 2))]
""",
    ),
    Right(
        "dot_product_moments",
        "single_precision",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    a, u, b, w = (x.astype(np.float32) for x in (mean_q, var_q, mean_k, var_k))
    return (a * b).sum(), (u * w + u * b**2 + w * a**2).sum()
""",
    ),
    # ------------------------------------------------------------ scaled_scores
    Wrong(
        "scaled_scores",
        "not_scaled",
        "You returned QKᵀ without the division by √d_k.",
        """
def scaled_scores(Q, K):
    return scores(Q, K)
""",
    ),
    Wrong(
        "scaled_scores",
        "divided_by_d_k",
        "You divided by d_k: the root is missing. The variance would then be 1/d_k.",
        """
def scaled_scores(Q, K):
    return scores(Q, K) / Q.shape[-1]
""",
    ),
    Wrong(
        "scaled_scores",
        "root_of_n_k",
        "You divided by the root of the number of keys. It is the root of their width: K.shape[-1].",
        """
def scaled_scores(Q, K):
    return scores(Q, K) / np.sqrt(K.shape[-2])
""",
    ),
    Wrong(
        "scaled_scores",
        "root_of_n_q",
        "You divided by the root of the number of queries. It is the root of their width: Q.shape[-1].",
        """
def scaled_scores(Q, K):
    return scores(Q, K) / np.sqrt(Q.shape[-2])
""",
    ),
    Wrong(
        "scaled_scores",
        "root_of_first_axis",
        "You read d_k off axis 0, which counts queries or, in a batch, examples. d_k is the last axis.",
        """
def scaled_scores(Q, K):
    return scores(Q, K) / np.sqrt(Q.shape[0])
""",
    ),
    Wrong(
        "scaled_scores",
        "root_of_second_axis",
        "You read d_k off axis 1. That works for a matrix; in a batch, axis 1 counts the queries. d_k is the last axis, -1.",
        """
def scaled_scores(Q, K):
    return scores(Q, K) / np.sqrt(Q.shape[1])
""",
    ),
    Wrong(
        "scaled_scores",
        "all_axes_reversed",
        "K.T reverses all axes, also the batch axis. Use scores(Q, K), or swap only the last two axes.",
        """
def scaled_scores(Q, K):
    return Q @ K.T / np.sqrt(Q.shape[-1])
""",
    ),
    Wrong(
        "scaled_scores",
        "power_before_division",
        "** binds before /: d**1/2 is half of d. Write d ** 0.5 or np.sqrt(d).",
        """
def scaled_scores(Q, K):
    return scores(Q, K) / (Q.shape[-1] ** 1 / 2)
""",
    ),
    Wrong(
        "scaled_scores",
        "multiplied",
        "You multiplied by √d_k. The scores are too large, not too small: divide.",
        """
def scaled_scores(Q, K):
    return scores(Q, K) * np.sqrt(Q.shape[-1])
""",
    ),
    Wrong(
        "scaled_scores",
        "whole_root",
        "You cut or rounded the root to a whole number. √d_k is seldom whole; keep it a float.",
        """
def scaled_scores(Q, K):
    return scores(Q, K) / int(np.sqrt(Q.shape[-1]))
""",
    ),
    Wrong(
        "scaled_scores",
        "fourth_root",
        "You scaled only one of Q and K by the fourth root of d_k. Either divide the scores by √d_k or both factors by its root.",
        """
def scaled_scores(Q, K):
    return scores(Q / Q.shape[-1] ** 0.25, K)
""",
    ),
    Wrong(
        "scaled_scores",
        "scaled_in_place",
        "You changed the caller's Q: /= works in place. Write Q / … into a new array.",
        """
def scaled_scores(Q, K):
    Q /= np.sqrt(Q.shape[-1])
    return scores(Q, K)
""",
    ),
    Wrong(
        "scaled_scores",
        "root_of_the_scores",
        "You took the root of the scores. The root belongs to d_k alone.",
        """
def scaled_scores(Q, K):
    with np.errstate(invalid="ignore"):
        return np.sqrt(scores(Q, K) / Q.shape[-1])
""",
    ),
    Wrong(
        "scaled_scores",
        "keys_as_rows",
        "Your rows are keys. Queries are rows: scores(Q, K), in this order.",
        """
def scaled_scores(Q, K):
    return scores(K, Q) / np.sqrt(Q.shape[-1])
""",
    ),
    Wrong(
        "scaled_scores",
        "standardised",
        "You divided by the standard deviation of these very scores. The divisor is a constant, √d_k, whatever the numbers.",
        """
def scaled_scores(Q, K):
    s = scores(Q, K)
    return s / s.std()
""",
    ),
    Wrong(
        "scaled_scores",
        "cosine",
        "You divided by the lengths of the vectors. That is the cosine of chapter 3; here the divisor is √d_k.",
        """
def scaled_scores(Q, K):
    q = np.linalg.norm(Q, axis=-1)[..., :, None]
    k = np.linalg.norm(K, axis=-1)[..., None, :]
    return scores(Q, K) / (q * k)
""",
    ),
    Wrong(
        "scaled_scores",
        "softmaxed",
        "Your rows sum to 1: you applied a softmax. That comes in chapter 5; here we want the scaled scores themselves.",
        """
def scaled_scores(Q, K):
    s = scores(Q, K) / np.sqrt(Q.shape[-1])
"""
        + SOFTMAX
        + """
    return p
""",
    ),
    Right(
        "scaled_scores",
        "key_width",
        """
def scaled_scores(Q, K):
    d_k = K.shape[-1]
    return (Q @ np.swapaxes(K, -1, -2)) * d_k**-0.5
""",
    ),
    Right(
        "scaled_scores",
        "both_by_the_fourth_root",
        """
def scaled_scores(Q, K):
    c = Q.shape[-1] ** 0.25
    return scores(Q / c, K / c)
""",
    ),
    Right(
        "scaled_scores",
        "einsum",
        """
def scaled_scores(Q, K):
    return np.einsum("...id,...jd->...ij", Q, K) / np.sqrt(K.shape[-1])
""",
    ),
    Right(
        "scaled_scores",
        "loops",
        """
def scaled_scores(Q, K):
    if Q.ndim > 2:
        return np.array([scaled_scores(q, k) for q, k in zip(Q, K)])
    return [[float(q @ k) / len(q) ** 0.5 for k in K] for q in Q]
""",
    ),
    Right(
        "scaled_scores",
        "query_first",
        """
import math
def scaled_scores(Q, K):
    return scores(Q / math.sqrt(Q.shape[-1]), K)
""",
    ),
    # ------------------------------------------------------------ softmax_gradient_norm
    Wrong(
        "softmax_gradient_norm",
        "overflow",
        "You exponentiated large scores directly: e^1000 overflows and the row becomes NaN. Subtract the maximum of each row first.",
        """
def softmax_gradient_norm(s):
    with np.errstate(all="ignore"):
        e = np.exp(s)
        p = e / e.sum(-1, keepdims=True)
    two, three = (p**2).sum(-1), (p**3).sum(-1)
    return np.sqrt(np.maximum(two - 2 * three + two**2, 0))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "no_root",
        "You returned the squared norm: the root is missing.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    two, three = (p**2).sum(-1), (p**3).sum(-1)
    return two - 2 * three + two**2
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "diagonal_only",
        "You summed the diagonal p(1 − p) only, or wrote Σp⁴ where (Σp²)² belongs. The entries −p_i p_j beside the diagonal belong to the norm too.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    return np.sqrt(((p * (1 - p)) ** 2).sum(-1))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "outer_only",
        "The diagonal of your Jacobian lacks p: it is diag(p) − p pᵀ, not −p pᵀ alone.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    return (p**2).sum(-1)
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "spectral",
        "You returned the largest singular value. The Frobenius norm is the root of the sum of all squared entries.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    J = p[..., :, None] * (np.eye(s.shape[-1]) - p[..., None, :])
    return np.linalg.norm(J, 2, axis=(-2, -1))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "whole_batch",
        "You returned one number for all rows together. Each row (last axis) has a norm of its own.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    J = p[..., :, None] * (np.eye(s.shape[-1]) - p[..., None, :])
    return np.sqrt((J**2).sum())
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "first_axis",
        "Your softmax runs down axis 0. A row is the last axis: axis=-1.",
        """
def softmax_gradient_norm(s):
    e = np.exp(s - s.max(0, keepdims=True))
    p = e / e.sum(0, keepdims=True)
    two, three = (p**2).sum(-1), (p**3).sum(-1)
    return np.sqrt(np.maximum(two - 2 * three + two**2, 0))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "one_maximum_for_all",
        "You subtracted one maximum from all rows. A row far below it underflows to 0/0; subtract each row's own maximum.",
        """
def softmax_gradient_norm(s):
    e = np.exp(s - s.max())
    with np.errstate(all="ignore"):
        p = e / e.sum(-1, keepdims=True)
    two, three = (p**2).sum(-1), (p**3).sum(-1)
    return np.sqrt(np.maximum(two - 2 * three + two**2, 0))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "mean_subtracted",
        "You subtracted the mean (or the smallest) of each row. Scores that lie far apart still overflow; subtract the maximum.",
        """
def softmax_gradient_norm(s):
    with np.errstate(all="ignore"):
        e = np.exp(s - s.mean(-1, keepdims=True))
        p = e / e.sum(-1, keepdims=True)
    two, three = (p**2).sum(-1), (p**3).sum(-1)
    return np.sqrt(np.maximum(two - 2 * three + two**2, 0))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "sums_without_axis",
        "Your sums run over all rows together. Each row needs its own: sum(-1).",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    return np.sqrt(max((p**2).sum() - 2 * (p**3).sum() + (p**2).sum() ** 2, 0))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "not_normalised",
        "You used e^s without dividing by the sum: p must sum to 1 in each row.",
        """
def softmax_gradient_norm(s):
    p = np.exp(s - s.max(-1, keepdims=True))
    two, three = (p**2).sum(-1), (p**3).sum(-1)
    return np.sqrt(np.maximum(two - 2 * three + two**2, 0))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "normalised_over_everything",
        "You divided by the sum over all rows. Each row sums to 1 by itself: sum(-1, keepdims=True).",
        """
def softmax_gradient_norm(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    p = e / e.sum()
    two, three = (p**2).sum(-1), (p**3).sum(-1)
    return np.sqrt(np.maximum(two - 2 * three + two**2, 0))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "factor_two_lost",
        "The middle term of your sum lacks the factor 2: it is − 2 Σp³.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    two, three = (p**2).sum(-1), (p**3).sum(-1)
    return np.sqrt(np.maximum(two - three + two**2, 0))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "sum_of_entries",
        "All your norms are 0. Either you summed the entries of the Jacobian (its rows sum to 0; square first), or a sign is wrong (it is + (Σp²)²) and np.maximum hid it.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    J = p[..., :, None] * (np.eye(s.shape[-1]) - p[..., None, :])
    return J.sum((-1, -2))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "largest_entry",
        "You returned the largest entry of the Jacobian. The norm takes all entries: square, sum, root.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    J = p[..., :, None] * (np.eye(s.shape[-1]) - p[..., None, :])
    return np.abs(J).max((-1, -2))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "in_place",
        "You changed the caller's scores: -= works in place. Write s - s.max(...) into a new array.",
        """
def softmax_gradient_norm(s):
    s -= s.max(-1, keepdims=True)
"""
        + SOFTMAX
        + """
    two, three = (p**2).sum(-1), (p**3).sum(-1)
    return np.sqrt(np.maximum(two - 2 * three + two**2, 0))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "rounding_below_zero",
        "Rounding made the sum under your root negative, and the row became NaN. Use np.maximum(…, 0) before the root.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    two, three = (p**2).sum(-1), (p**3).sum(-1)
    with np.errstate(invalid="ignore"):
        return np.sqrt(two - 2 * three + two**2)
""",
    ),
    Right(
        "softmax_gradient_norm",
        "with_the_matrix",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    J = np.eye(s.shape[-1]) * p[..., None] - p[..., :, None] * p[..., None, :]
    return np.linalg.norm(J, axis=(-2, -1))
""",
    ),
    Right(
        "softmax_gradient_norm",
        "row_by_row",
        """
def softmax_gradient_norm(s):
    def one(row):
        e = np.exp(row - np.max(row))
        p = e / np.sum(e)
        return np.sqrt(np.sum((np.diag(p) - np.outer(p, p)) ** 2))
    return np.apply_along_axis(one, -1, s)
""",
    ),
    Right(
        "softmax_gradient_norm",
        "einsum",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    J = np.einsum("...i,ij->...ij", p, np.eye(s.shape[-1])) - np.einsum("...i,...j->...ij", p, p)
    return np.sqrt(np.einsum("...ij,...ij->...", J, J))
""",
    ),
    Right(
        "softmax_gradient_norm",
        "log_weights",
        """
def softmax_gradient_norm(s):
    top = s.max(axis=-1, keepdims=True)
    p = np.exp(s - top - np.log(np.exp(s - top).sum(axis=-1, keepdims=True)))
    two = (p * p).sum(axis=-1)
    return np.sqrt(np.clip(two * (1 + two) - 2 * (p * p * p).sum(axis=-1), 0, None))
""",
    ),
    Right(
        "softmax_gradient_norm",
        "single_precision",
        """
def softmax_gradient_norm(s):
    s = (s - s.max(-1, keepdims=True)).astype(np.float32)
"""
        + SOFTMAX
        + """
    J = p[..., :, None] * (np.eye(s.shape[-1], dtype=np.float32) - p[..., None, :])
    return np.sqrt((J**2).sum((-1, -2)))
""",
    ),
]
