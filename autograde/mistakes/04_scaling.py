"""Chapter 4: what learners write for moments, the spread of a row, scaled scores and the gradient norm."""

from autograde.mistakes import Right, Wrong

SOFTMAX = """
    e = np.exp(s - s.max(-1, keepdims=True))
    a = e / e.sum(-1, keepdims=True)
"""

# the products of different weights, and the norm made of them
OFF = """
    off = a[..., :, None] * a[..., None, :] * (1 - np.eye(s.shape[-1]))
"""
NORM = """
    return np.sqrt((off**2).sum((-1, -2)) + (off.sum(-1) ** 2).sum(-1))
"""

# Where a mistake shows itself by an exception alone, its sentence is the label of the stage that raises.
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
        "You returned the mean square of each product. The variance is that minus the square of the mean of each product.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return (mean_q * mean_k).sum(), ((var_q + mean_q**2) * (var_k + mean_k**2)).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "cancels",
        "Right for usual means, but means of 1e8 leave only rounding in your variance: two large numbers are subtracted. Multiply out on paper until nothing is subtracted.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    mean = mean_q * mean_k
    return mean.sum(), ((var_q + mean_q**2) * (var_k + mean_k**2) - mean**2).sum()
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
    return 0.0, (var_q * var_k + var_q * mean_k**2 + var_k * mean_q**2).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "standard_deviation",
        "You returned the standard deviation. Asked is the variance: leave the root out.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    spread = var_q * var_k + var_q * mean_k**2 + var_k * mean_q**2
    return (mean_q * mean_k).sum(), np.sqrt(spread.sum())
""",
    ),
    Wrong(
        "dot_product_moments",
        "variances_squared",
        "You squared the variances, as if they were standard deviations. var_q is already σ².",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    u, v = var_q**2, var_k**2
    return (mean_q * mean_k).sum(), (u * v + u * mean_k**2 + v * mean_q**2).sum()
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
    return (mean_q * mean_k).mean(), (var_q * var_k + var_q * mean_k**2 + var_k * mean_q**2).mean()
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
        "sums_of_means_multiplied",
        "Your mean is the product of two sums, (Σμ)(Σν). Each feature of q meets only its own feature of k: Σμν.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    spread = var_q * var_k + var_q * mean_k**2 + var_k * mean_q**2
    return mean_q.sum() * mean_k.sum(), spread.sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "product_of_means_in_variance",
        "Your variance contains μ²ν². That is the square of the mean, which is subtracted; what stays beside σ²τ² are σ²ν² and τ²μ².",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return (mean_q * mean_k).sum(), (var_q * var_k + mean_q**2 * mean_k**2).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "one_cross_term",
        "Your variance takes the means of k into account, but not those of q: the term τ²μ² is missing.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return (mean_q * mean_k).sum(), (var_q * var_k + var_q * mean_k**2).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "other_cross_term",
        "Your variance takes the means of q into account, but not those of k: the term σ²ν² is missing.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return (mean_q * mean_k).sum(), (var_q * var_k + var_k * mean_q**2).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "cross_terms_only",
        "The term σ²τ² is missing from your variance: it is what remains where both means are 0.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return (mean_q * mean_k).sum(), (var_q * mean_k**2 + var_k * mean_q**2).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "means_not_squared",
        "The means are not squared in your variance: E[X²] is Var(X) + (E[X])².",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    mean = mean_q * mean_k
    return mean.sum(), ((var_q + mean_q) * (var_k + mean_k) - mean).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "cross_terms_swapped",
        "In your variance each variance stands beside the square of its own mean. It belongs beside the other vector's: σ²ν² + τ²μ².",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return (mean_q * mean_k).sum(), (var_q * var_k + var_q * mean_q**2 + var_k * mean_k**2).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "order_swapped",
        "You returned (variance, mean). Asked is (mean, variance).",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    spread = var_q * var_k + var_q * mean_k**2 + var_k * mean_q**2
    return spread.sum(), (mean_q * mean_k).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "per_feature",
        "You returned the moments of each feature. Sum them: the answer is two numbers.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return mean_q * mean_k, var_q * var_k + var_q * mean_k**2 + var_k * mean_q**2
""",
    ),
    Wrong(
        "dot_product_moments",
        "variance_only",
        "You returned the variance alone. Asked are two numbers, (mean, variance).",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return (var_q * var_k + var_q * mean_k**2 + var_k * mean_q**2).sum()
""",
    ),
    Wrong(
        "dot_product_moments",
        "d_k_times_the_first_feature",
        "Your variance is d_k times that of the first feature. The features differ: sum them one by one.",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    spread = var_q * var_k + var_q * mean_k**2 + var_k * mean_q**2
    return (mean_q * mean_k).sum(), len(spread) * spread[0]
""",
    ),
    Right(
        "dot_product_moments",
        "dots",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    return mean_q @ mean_k, var_q @ var_k + var_q @ mean_k**2 + var_k @ mean_q**2
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
        v += u * (w + b * b) + w * a * a
    return m, v
""",
    ),
    Right(
        "dot_product_moments",
        "one_feature_at_a_time_as_a_list",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    mean = [float(a) * float(b) for a, b in zip(mean_q, mean_k)]
    second = [float(u) * (float(v) + float(b) ** 2) for u, v, b in zip(var_q, var_k, mean_k)]
    return [sum(mean), sum(second) + float((var_k * mean_q**2).sum())]
""",
    ),
    Right(
        "dot_product_moments",
        "total_variance",
        """
def dot_product_moments(mean_q, var_q, mean_k, var_k):
    given_q = var_k * (mean_q**2 + var_q)  # the mean of the variance of k, given q
    return np.einsum("m,m->", mean_q, mean_k), (given_q + mean_k**2 * var_q).sum()
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
    # ------------------------------------------------------------ row_spread
    Wrong(
        "row_spread",
        "nothing_shared",
        "You left out the common part: the covariance of two scores is not 0, since both contain the product of q and the common part.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    v = d_k * var_q * (var_common + var_own)
    return float(v), 0.0, float(np.sqrt(d_k * var_q * var_own))
""",
    ),
    Wrong(
        "row_spread",
        "divisor_of_the_whole",
        "Your divisor is the standard deviation of a whole score. The product of q and the common part is the same for all keys of a row; only that with the own part differs.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    v = d_k * var_q * (var_common + var_own)
    return float(v), float(d_k * var_q * var_common), float(np.sqrt(v))
""",
    ),
    Wrong(
        "row_spread",
        "root_of_d_k",
        "Your divisor is √d_k, whatever the variances. That is right only where var_q · var_own = 1.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    return float(d_k * var_q * (var_common + var_own)), float(d_k * var_q * var_common), float(np.sqrt(d_k))
""",
    ),
    Wrong(
        "row_spread",
        "query_left_out_of_the_divisor",
        "Your divisor does not depend on var_q. A query twice as large spreads the scores of a row twice as far.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    return float(d_k * var_q * (var_common + var_own)), float(d_k * var_q * var_common), float(np.sqrt(d_k * var_own))
""",
    ),
    Wrong(
        "row_spread",
        "query_left_out",
        "var_q does not enter your numbers. By (4.4) the variances of query and key multiply.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    return float(d_k * (var_common + var_own)), float(d_k * var_common), float(np.sqrt(d_k * var_own))
""",
    ),
    Wrong(
        "row_spread",
        "difference_of_two",
        "Your divisor is the standard deviation of a difference of two scores, √2 too large. Asked is that of one own part.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    own = d_k * var_q * var_own
    return float(d_k * var_q * var_common + own), float(d_k * var_q * var_common), float(np.sqrt(2 * own))
""",
    ),
    Wrong(
        "row_spread",
        "correlation",
        "You returned the correlation for the covariance. Leave the division by the variance out.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    v = d_k * var_q * (var_common + var_own)
    return float(v), float(var_common / (var_common + var_own)), float(np.sqrt(d_k * var_q * var_own))
""",
    ),
    Wrong(
        "row_spread",
        "variances_multiplied",
        "You multiplied var_common and var_own. The parts of a key are added, and so are their variances.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    return float(d_k * var_q * var_common * var_own), float(d_k * var_q * var_common), float(np.sqrt(d_k * var_q * var_own))
""",
    ),
    Wrong(
        "row_spread",
        "divisor_not_rooted",
        "Your divisor is a variance, that of the own part. Dividing by c divides the variance by c²: take the root.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    own = d_k * var_q * var_own
    return float(d_k * var_q * var_common + own), float(d_k * var_q * var_common), float(own)
""",
    ),
    Wrong(
        "row_spread",
        "covariance_is_the_variance",
        "Your covariance is the variance of a score. Two scores of a row share the common part, but not their own parts.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    v = d_k * var_q * (var_common + var_own)
    return float(v), float(v), float(np.sqrt(d_k * var_q * var_own))
""",
    ),
    Wrong(
        "row_spread",
        "covariance_of_the_own_part",
        "Your covariance is that of the parts in which the scores differ. Two scores of a row have the common part in common.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    own = d_k * var_q * var_own
    return float(d_k * var_q * var_common + own), float(own), float(np.sqrt(own))
""",
    ),
    Wrong(
        "row_spread",
        "d_k_left_out_of_covariance",
        "Your covariance is that of one feature. It sums over d_k features, as the variance does.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    return float(d_k * var_q * (var_common + var_own)), float(var_q * var_common), float(np.sqrt(d_k * var_q * var_own))
""",
    ),
    Wrong(
        "row_spread",
        "shared_part_left_out_of_variance",
        "Your variance is that of the own part. A whole score contains the common part too.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    own = d_k * var_q * var_own
    return float(own), float(d_k * var_q * var_common), float(np.sqrt(own))
""",
    ),
    Wrong(
        "row_spread",
        "parts_exchanged",
        "You exchanged the common and the own part in covariance and divisor.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    return float(d_k * var_q * (var_common + var_own)), float(d_k * var_q * var_own), float(np.sqrt(d_k * var_q * var_common))
""",
    ),
    Wrong(
        "row_spread",
        "query_left_out_of_the_covariance",
        "Your covariance does not depend on var_q. By (4.4) the product of q and the common part has var_q in its variance.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    return float(d_k * var_q * (var_common + var_own)), float(d_k * var_common), float(np.sqrt(d_k * var_q * var_own))
""",
    ),
    Wrong(
        "row_spread",
        "query_added",
        "You added var_q to the variances of the parts. The parts of a key are added; query and key multiply, as in (4.4).",
        """
def row_spread(d_k, var_q, var_common, var_own):
    return float(d_k * (var_q + var_common + var_own)), float(d_k * var_q * var_common), float(np.sqrt(d_k * var_q * var_own))
""",
    ),
    Wrong(
        "row_spread",
        "query_counted_twice",
        "You counted var_q twice, once for each key. Both scores have the same query, and (4.4) has it once in a variance.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    return float(d_k * var_q**2 * (var_common + var_own)), float(d_k * var_q**2 * var_common), float(np.sqrt(d_k * var_q**2 * var_own))
""",
    ),
    Wrong(
        "row_spread",
        "standard_deviations",
        "You returned the standard deviation of a score. Asked is its variance.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    return float(np.sqrt(d_k * var_q * (var_common + var_own))), float(d_k * var_q * var_common), float(np.sqrt(d_k * var_q * var_own))
""",
    ),
    Wrong(
        "row_spread",
        "two_numbers",
        "You returned two numbers. Asked are three: variance, covariance, divisor.",
        """
def row_spread(d_k, var_q, var_common, var_own):
    return float(d_k * var_q * (var_common + var_own)), float(np.sqrt(d_k * var_q * var_own))
""",
    ),
    Right(
        "row_spread",
        "from_the_difference",
        """
def row_spread(d_k, var_q, var_common, var_own):
    variance = d_k * var_q * (var_common + var_own)
    covariance = d_k * var_q * var_common
    return variance, covariance, (variance - covariance) ** 0.5
""",
    ),
    Right(
        "row_spread",
        "numpy_numbers",
        """
def row_spread(d_k, var_q, var_common, var_own):
    parts = d_k * var_q * np.array([var_common, var_own])
    return parts.sum(), parts[0], np.sqrt(parts[1])
""",
    ),
    Right(
        "row_spread",
        "a_list",
        """
def row_spread(d_k, var_q, var_common, var_own):
    import math
    own = math.fsum([var_q * var_own] * d_k)
    shared = math.fsum([var_q * var_common] * d_k)
    return [shared + own, shared, math.sqrt(own)]
""",
    ),
    Right(
        "row_spread",
        "feature_by_feature",
        """
def row_spread(d_k, var_q, var_common, var_own):
    variance = covariance = 0.0
    for _ in range(d_k):
        variance += var_q * var_common + var_q * var_own
        covariance += var_q * var_common
    return variance, covariance, np.sqrt(d_k) * np.sqrt(var_q) * np.sqrt(var_own)
""",
    ),
    Right(
        "row_spread",
        "single_precision",
        """
def row_spread(d_k, var_q, var_common, var_own):
    shared, own = np.float32(d_k * var_q * var_common), np.float32(d_k * var_q * var_own)
    return shared + own, shared, np.sqrt(own)
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
        "In all you divided by d_k: either the root is missing, or both Q and K were divided by √d_k.",
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
        "You divided by the root of the length of axis 0, which counts queries or, in a batch, examples. d_k is the last axis.",
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
        "two leading axes, seven features",
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
        "floored",
        "Your scores are rounded down to whole numbers, as // does. Divide with a single /.",
        """
def scaled_scores(Q, K):
    return scores(Q, K) // np.sqrt(Q.shape[-1])
""",
    ),
    Wrong(
        "scaled_scores",
        "both_divided",
        "In all you divided by d_k: either the root is missing, or both Q and K were divided by √d_k.",
        """
def scaled_scores(Q, K):
    root = np.sqrt(Q.shape[-1])
    return scores(Q / root, K / root)
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
        "Your divisor is the fourth root of d_k: either you took the root twice, or you divided only one of Q and K by it.",
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
        "Your rows sum to 1: you applied a softmax. Here we want the scaled scores themselves.",
        """
def scaled_scores(Q, K):
    s = scores(Q, K) / np.sqrt(Q.shape[-1])
"""
        + SOFTMAX
        + """
    return a
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
        "sums",
        "Your norm is 0, or loses its digits, from a gap of about 19 on, as the right-hand side of (4.11) does: large terms are subtracted there. Use positive terms only.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    two, three = (a**2).sum(-1), (a**3).sum(-1)
    return np.sqrt(np.maximum(two - 2 * three + two**2, 0))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "matrix",
        "Right up to a gap of about 20, then digits are lost, as in the left-hand side of (4.11): 1 − a for a weight near 1. It is the sum of the other weights.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    J = a[..., :, None] * (np.eye(s.shape[-1]) - a[..., None, :])
    return np.sqrt((J**2).sum((-1, -2)))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "overflow",
        "Large scores overflow, or far negative ones vanish, in your exponentials. Subtract the maximum of each row first, as weights_of does.",
        """
def softmax_gradient_norm(s):
    with np.errstate(all="ignore"):
        e = np.exp(s)
        a = e / e.sum(-1, keepdims=True)
    off = a[..., :, None] * a[..., None, :] * (1 - np.eye(s.shape[-1]))
    return np.sqrt((off**2).sum((-1, -2)) + (off.sum(-1) ** 2).sum(-1))
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
        + OFF
        + """
    return (off**2).sum((-1, -2)) + (off.sum(-1) ** 2).sum(-1)
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "diagonal_only",
        "You summed the diagonal only. The entries −a_i a_j beside it belong to the norm too.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + OFF
        + """
    return np.sqrt((off.sum(-1) ** 2).sum(-1))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "beside_the_diagonal_only",
        "You summed the entries beside the diagonal only. The diagonal a_i (1 − a_i) belongs to the norm too.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + OFF
        + """
    return np.sqrt((off**2).sum((-1, -2)))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "outer_only",
        "Your matrix is a aᵀ alone. The Jacobian is diag(a) − a aᵀ.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    return (a**2).sum(-1)
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "spectral",
        "You returned the largest singular value. The norm is the root of the sum of all squared entries.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + OFF
        + """
    J = off * -1.0
    i = np.arange(s.shape[-1])
    J[..., i, i] = off.sum(-1)
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
        + OFF
        + """
    return np.sqrt((off**2).sum() + (off.sum(-1) ** 2).sum())
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "first_axis",
        "Your softmax runs down axis 0. A row is the last axis: axis=-1.",
        """
def softmax_gradient_norm(s):
    e = np.exp(s - s.max(0, keepdims=True))
    a = e / e.sum(0, keepdims=True)
"""
        + OFF
        + NORM,
    ),
    Wrong(
        "softmax_gradient_norm",
        "one_maximum_for_all",
        "You subtracted one maximum from all rows. A row far below it underflows to 0/0; subtract each row's own maximum.",
        """
def softmax_gradient_norm(s):
    e = np.exp(s - s.max())
    with np.errstate(all="ignore"):
        a = e / e.sum(-1, keepdims=True)
"""
        + OFF
        + NORM,
    ),
    Wrong(
        "softmax_gradient_norm",
        "not_normalised",
        "You used e^s without dividing by its sum: the weights of a row sum to 1.",
        """
def softmax_gradient_norm(s):
    a = np.exp(s - s.max(-1, keepdims=True))
"""
        + OFF
        + NORM,
    ),
    Wrong(
        "softmax_gradient_norm",
        "normalised_over_everything",
        "You divided by the sum over all rows. Each row sums to 1 by itself: sum(-1, keepdims=True).",
        """
def softmax_gradient_norm(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    a = e / e.sum()
"""
        + OFF
        + NORM,
    ),
    Wrong(
        "softmax_gradient_norm",
        "absolute_values",
        "You summed absolute values. The norm is the root of the sum of squares.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + OFF
        + """
    return 2 * off.sum((-1, -2))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "sum_of_entries",
        "All your norms are 0: the entries of every row of the Jacobian sum to 0. Square them first.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + OFF
        + """
    return off.sum((-1, -2)) - off.sum((-1, -2))
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
        + OFF
        + """
    return off.sum(-1).max(-1)
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "each_pair_once",
        "You counted each pair i, j once. Both entries (i, j) and (j, i) of the Jacobian belong to the norm.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + OFF
        + """
    return np.sqrt((off**2).sum((-1, -2)) / 2 + (off.sum(-1) ** 2).sum(-1))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "two_scores_only",
        "You used a formula for two scores, 2 a₁ a₂, or took only two weights of a row. With more scores all pairs count.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    return 2 * a.max(-1) * a.min(-1) * (s.shape[-1] > 1)
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "square_root_of_a_sum_of_digits",
        "You added a constant under the root, or put a floor under it, so tiny norms are wrong. No constant is needed.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    off = a[..., :, None] * a[..., None, :] * (1 - np.eye(s.shape[-1]))
    return np.sqrt((off**2).sum((-1, -2)) + (off.sum(-1) ** 2).sum(-1) + 1e-16)
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "finite_differences",
        "Your norm has the digits of a finite difference only. Use the formula of the Jacobian.",
        """
def softmax_gradient_norm(s):
    def weights(s):
        e = np.exp(s - s.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)
    n, step = s.shape[-1], 1e-5
    columns = [(weights(s + step * e) - weights(s - step * e)) / (2 * step) for e in np.eye(n)]
    return np.sqrt(sum((column**2).sum(-1) for column in columns))
""",
    ),
    Wrong(
        "softmax_gradient_norm",
        "diagonal_left_in",
        "Your table of products still has a_i² on its diagonal. Put zeros there before you sum.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + """
    off = a[..., :, None] * a[..., None, :]
"""
        + NORM,
    ),
    Wrong(
        "softmax_gradient_norm",
        "diag_of_a_batch",
        "Right for one row. Of a batch, np.diag takes a diagonal out, and np.linalg.norm without an axis gives one number for everything.",
        """
def softmax_gradient_norm(s):
"""
        + SOFTMAX
        + OFF
        + """
    return np.linalg.norm(np.diag(off.sum(-1)) - off)
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
        + OFF
        + NORM,
    ),
    Right(
        "softmax_gradient_norm",
        "others_summed",
        """
def softmax_gradient_norm(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    a = e / e.sum(-1, keepdims=True)
    n = s.shape[-1]
    total = np.zeros(s.shape[:-1])
    for i in range(n):
        others = sum((a[..., j] for j in range(n) if j != i), np.zeros(s.shape[:-1]))
        total = total + (a[..., i] * others) ** 2
        for j in range(n):
            if j != i:
                total = total + (a[..., i] * a[..., j]) ** 2
    return np.sqrt(total)
""",
    ),
    Right(
        "softmax_gradient_norm",
        "row_by_row",
        """
def softmax_gradient_norm(s):
    def one(row):
        e = np.exp(row - np.max(row))
        a = e / np.sum(e)
        J = -np.outer(a, a)
        for i in range(len(a)):
            J[i, i] = a[i] * np.delete(a, i).sum()
        return np.linalg.norm(J)
    return np.apply_along_axis(one, -1, s * 1.0)
""",
    ),
    Right(
        "softmax_gradient_norm",
        "einsum",
        """
def softmax_gradient_norm(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    a = e / e.sum(-1, keepdims=True)
    hollow = 1.0 - np.eye(s.shape[-1])
    off = np.einsum("...i,...j,ij->...ij", a, a, hollow)
    diagonal = np.einsum("...ij->...i", off)
    return np.sqrt(np.einsum("...ij,...ij->...", off, off) + np.einsum("...i,...i->...", diagonal, diagonal))
""",
    ),
    Right(
        "softmax_gradient_norm",
        "log_weights",
        """
def softmax_gradient_norm(s):
    top = s.max(axis=-1, keepdims=True)
    log_a = s - top - np.log(np.exp(s - top).sum(axis=-1, keepdims=True))
    a = np.exp(log_a)
    rest = np.stack([np.delete(a, i, axis=-1).sum(-1) for i in range(s.shape[-1])], axis=-1)
    squares = a**2
    others = np.stack([np.delete(squares, i, axis=-1).sum(-1) for i in range(s.shape[-1])], axis=-1)
    return np.sqrt((squares * (rest**2 + others)).sum(-1))
""",
    ),
    Right(
        "softmax_gradient_norm",
        "scaled_before_squaring",
        """
def softmax_gradient_norm(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    a = e / e.sum(-1, keepdims=True)
    off = a[..., :, None] * a[..., None, :]
    i = np.arange(s.shape[-1])
    off[..., i, i] = 0
    J = np.concatenate([off, off.sum(-1, keepdims=True)], axis=-1)
    size = J.max(axis=(-1, -2), keepdims=True)
    size = np.where(size == 0, 1, size)
    return size[..., 0, 0] * np.linalg.norm(J / size, axis=(-2, -1))
""",
    ),
]
