"""Chapter 5: what learners write for softmax, log-sum-exp and the Jacobian, wrong and right."""

from autograde.mistakes import Right, Wrong

CATALOGUE = [
    # ------------------------------------------------------------ softmax
    Wrong(
        "softmax",
        "shifted_by_mean",
        "You shifted each row by its mean (or another of its scores). A score far above it still overflows; only the maximum leaves no exponent positive (5.8).",
        """
def softmax(scores):
    middle = scores.mean(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isfinite(middle), middle, 0))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)
""",
    ),
    Wrong(
        "softmax",
        "shifted_by_mean_unguarded",
        "You shifted each row by its mean (or another of its scores). A score far above it still overflows; only the maximum leaves no exponent positive (5.8).",
        """
def softmax(scores):
    e = np.exp(scores - scores.mean(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "shifted_by_first",
        "You shifted each row by its mean (or another of its scores). A score far above it still overflows; only the maximum leaves no exponent positive (5.8).",
        """
def softmax(scores):
    first = scores[..., :1]
    e = np.exp(scores - np.where(np.isfinite(first), first, 0))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)
""",
    ),
    Wrong(
        "softmax",
        "shifted_by_minimum",
        "You shifted by the minimum. The largest exponent then is not 0 but the whole spread of the row; shift by the maximum.",
        """
def softmax(scores):
    low = scores.min(axis=-1, keepdims=True)
    low = np.where(np.isfinite(low), low, 0)
    e = np.exp(scores - low)
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)
""",
    ),
    Wrong(
        "softmax",
        "no_shift",
        "You did not subtract the maximum: exponentials of large scores become infinite, and the weights nan. Shift each row by its maximum first (5.7).",
        """
def softmax(scores):
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "no_shift_guarded",
        "You guarded against a sum of 0 but did not subtract the maximum: large scores still overflow. Shift each row by its maximum (5.7).",
        """
def softmax(scores):
    e = np.exp(scores)
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)
""",
    ),
    Wrong(
        "softmax",
        "axis_zero",
        "Your columns sum to 1: you worked along axis 0. Each row holds the keys of one query, so the sums run over the last axis, axis=-1.",
        """
def softmax(scores):
    e = np.exp(scores - scores.max(axis=0, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "axis_queries",
        "You worked along axis -2, over the queries. The softmax runs over the keys, axis=-1.",
        """
def softmax(scores):
    if scores.ndim == 1:
        return np.ones_like(scores)
    e = np.exp(scores - scores.max(axis=-2, keepdims=True))
    return e / e.sum(axis=-2, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "axis_one",
        "You wrote axis=1. That is the last axis of a matrix, but not of a batch: write axis=-1.",
        """
def softmax(scores):
    top = scores.max(axis=1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    e = np.exp(scores - top)
    total = e.sum(axis=1, keepdims=True)
    return e / np.where(total == 0, 1, total)
""",
    ),
    Wrong(
        "softmax",
        "whole_array",
        "All your weights together sum to 1. Each row is a distribution of its own: sum over axis=-1 and keep the axis.",
        """
def softmax(scores):
    e = np.exp(scores - scores.max())
    return e / e.sum()
""",
    ),
    Wrong(
        "softmax",
        "global_maximum",
        "You shifted all rows by one maximum, that of the whole array. A row far below it underflows as a whole: take the maximum of each row (axis=-1, keepdims=True).",
        """
def softmax(scores):
    e = np.exp(scores - scores.max())
    return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "global_maximum_guarded",
        "You shifted all rows by the maximum of the whole array: a row far below it underflows and comes back as zeros. Take the maximum of each row.",
        """
def softmax(scores):
    e = np.exp(scores - scores.max())
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)
""",
    ),
    Wrong(
        "softmax",
        "no_keepdims",
        "You dropped the summed axis, so the division lines the sums up with the columns. Keep it: keepdims=True.",
        """
def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1)
""",
    ),
    Wrong(
        "softmax",
        "empty_row_nan",
        "A row of nothing but −∞ comes back as nan. Two steps can do that: −∞ − (−∞) in the shift, and 0/0 in the division. Shift such a row by 0, and divide by 1 where the sum is 0.",
        """
def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "empty_row_uniform",
        "A row of nothing but −∞ came back with equal weights: you put a large negative number for −∞. Such a row attends to nothing; its weights are 0.",
        """
def softmax(scores):
    safe = np.where(np.isneginf(scores), -1e9, scores)
    e = np.exp(safe - safe.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "minus_ten",
        "You replaced −∞ by a small negative number. Its exponential is small but not 0: a forbidden key keeps some weight.",
        """
def softmax(scores):
    safe = np.where(np.isneginf(scores), -10.0, scores)
    e = np.exp(safe - safe.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "minus_infinity_as_zero",
        "You replaced −∞ by 0 in the scores. A score of 0 is an ordinary score and gets a share; −∞ must get none.",
        """
def softmax(scores):
    safe = np.where(np.isneginf(scores), 0.0, scores)
    e = np.exp(safe - safe.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "clipped",
        "You clipped the scores to keep exp finite. That changes their differences, and with them the weights. Subtract the maximum instead: it changes nothing.",
        """
def softmax(scores):
    e = np.exp(np.clip(scores, -700, 700))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)
""",
    ),
    Wrong(
        "softmax",
        "argmax",
        "All your weight is on the largest score: that is argmax. The softmax gives every finite score a share (5.3).",
        """
def softmax(scores):
    return (scores == scores.max(axis=-1, keepdims=True)).astype(float)
""",
    ),
    Wrong(
        "softmax",
        "plain_shares",
        "You divided the scores by their sum. The softmax divides their exponentials.",
        """
def softmax(scores):
    return scores / scores.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "not_normalised",
        "Your rows do not sum to 1: you returned the exponentials without dividing by their sum.",
        """
def softmax(scores):
    return np.exp(scores - scores.max(axis=-1, keepdims=True))
""",
    ),
    Wrong(
        "softmax",
        "sigmoid",
        "You applied the logistic function to each score by itself. Rows then do not sum to 1, and keys do not compete.",
        """
def softmax(scores):
    return 1 / (1 + np.exp(-scores))
""",
    ),
    Wrong(
        "softmax",
        "log_softmax",
        "You returned the logarithm of the weights (5.11). Return the weights.",
        """
def softmax(scores):
    z = scores - scores.max(axis=-1, keepdims=True)
    return z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
""",
    ),
    Wrong(
        "softmax",
        "minus_scores",
        "The lowest score gets the largest weight: a sign is turned. The exponent is score minus maximum.",
        """
def softmax(scores):
    z = scores.min(axis=-1, keepdims=True) - scores
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "squares",
        "You divided squares by their sum. A score of −2 then counts like +2; the softmax uses exponentials.",
        """
def softmax(scores):
    return scores**2 / (scores**2).sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "power_of_two",
        "You used powers of 2. The softmax (5.3) uses e, np.exp; powers of 2 are β = log 2.",
        """
def softmax(scores):
    e = 2.0 ** (scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "scaled_again",
        "You divided by the square root of the number of keys. The scores come scaled; the softmax takes them as they are.",
        """
def softmax(scores):
    z = scores / np.sqrt(scores.shape[-1])
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "epsilon_in_sum",
        "You added a constant to the sum to avoid 0/0. Every row now sums to less than 1. Divide by 1 only where the sum is 0.",
        """
def softmax(scores):
    top = scores.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    e = np.exp(scores - top)
    return e / (e.sum(axis=-1, keepdims=True) + 1e-3)
""",
    ),
    Wrong(
        "softmax",
        "in_place",
        "You subtracted in place, with scores -= …: that changes the caller's array. Write the difference to a new array.",
        """
def softmax(scores):
    top = scores.max(axis=-1, keepdims=True)
    scores -= np.where(np.isfinite(top), top, 0)
    e = np.exp(scores)
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)
""",
    ),
    Wrong(
        "softmax",
        "matrix_only",
        "Your loop is written for matrices. With a leading batch axis it takes matrices for rows; use axis=-1 and keepdims=True instead of loops, or reshape to rows and back.",
        """
def softmax(scores):
    out = np.zeros(scores.shape)
    for i in range(scores.shape[0]):
        if np.isfinite(scores[i]).any():
            e = np.exp(scores[i] - scores[i].max())
            out[i] = e / e.sum()
    return out
""",
    ),
    Wrong(
        "softmax",
        "no_return",
        "Your function returns nothing: the weights are computed and thrown away. End with a return.",
        """
def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "shift_never_below_zero",
        "Your shift is never below 0. A row of very negative scores then underflows as a whole: shift by its own maximum.",
        """
def softmax(scores):
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True, initial=0))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)
""",
    ),
    Wrong(
        "softmax",
        "shift_never_below_zero_unguarded",
        "Your shift is never below 0. A row of very negative scores then underflows as a whole: shift by its own maximum.",
        """
def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=0))
    return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "logarithm_of_overflow",
        "The logarithm of the sum overflows as the sum does. Shift by the maximum first (5.9).",
        """
def softmax(scores):
    return np.exp(scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True)))
""",
    ),
    Wrong(
        "softmax",
        "zero_by_zero",
        "A row of nothing but −∞ comes back as nan. Two steps can do that: −∞ − (−∞) in the shift, and 0/0 in the division. Shift such a row by 0, and divide by 1 where the sum is 0.",
        """
def softmax(scores):
    top = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isfinite(top), top, 0))
    return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "integer_table",
        "Integer scores must give floats. (np.zeros_like(scores) keeps their type.)",
        """
def softmax(scores):
    out = np.zeros_like(scores)
    for where in np.ndindex(scores.shape[:-1]):
        if np.isfinite(scores[where]).any():
            e = np.exp(scores[where] - scores[where].max())
            out[where] = e / e.sum()
    return out
""",
        unnamed=True,
    ),
    Right(
        "softmax",
        "rows_one_by_one",
        """
def softmax(scores):
    out = np.zeros(scores.shape)
    for where in np.ndindex(scores.shape[:-1]):
        line = scores[where]
        if np.any(line > -np.inf):
            e = np.exp(line - np.max(line))
            out[where] = e / np.sum(e)
    return out
""",
    ),
    Right(
        "softmax",
        "through_logarithms",
        """
def softmax(scores):
    top = np.nan_to_num(scores.max(-1, keepdims=True), neginf=0.0)
    total = np.exp(scores - top).sum(-1, keepdims=True)
    return np.exp(scores - top - np.log(np.where(total > 0, total, 1.0)))
""",
    ),
    Right(
        "softmax",
        "apply_along_axis",
        """
def one_row(row):
    if np.all(np.isneginf(row)):
        return np.zeros_like(row)
    e = np.exp(row - row.max())
    return e / e.sum()


def softmax(scores):
    return np.apply_along_axis(one_row, -1, scores)
""",
    ),
    Right(
        "softmax",
        "forbidden_set_afterwards",
        """
def softmax(scores):
    allowed = scores > -np.inf
    finite = np.where(allowed, scores, -1e30)
    e = np.exp(finite - finite.max(axis=-1, keepdims=True)) * allowed
    return np.divide(e, e.sum(axis=-1, keepdims=True), out=np.zeros(e.shape), where=allowed)
""",
    ),
    Right(
        "softmax",
        "nan_repaired",
        """
def softmax(scores):
    with np.errstate(invalid="ignore"):
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return np.nan_to_num(e / e.sum(axis=-1, keepdims=True), nan=0.0)
""",
    ),
    Right(
        "softmax",
        "pairwise_ratios",
        """
def softmax(scores):
    finite = np.isfinite(scores)
    s = np.where(finite, scores, 0.0)
    ratios = np.exp(np.minimum(s[..., None, :] - s[..., :, None], 700.0)) * finite[..., None, :]
    total = ratios.sum(axis=-1)
    return np.where(finite, 1 / np.where(finite, total, 1.0), 0.0)
""",
    ),
    Right(
        "softmax",
        "single_precision",
        """
def softmax(scores):
    top = scores.max(axis=-1, keepdims=True)
    e = np.exp((scores - np.where(top > -np.inf, top, 0)).astype(np.float32))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.maximum(total, np.float32(1e-30))
""",
    ),
    # ------------------------------------------------------------ log_sum_exp
    Wrong(
        "log_sum_exp",
        "shifted_by_mean",
        "You shifted each row by its mean (or another of its scores). A score far above it still overflows; only the maximum leaves no exponent positive (5.8).",
        """
def log_sum_exp(scores):
    m = scores.mean(axis=-1, keepdims=True)
    m = np.where(np.isfinite(m), m, 0)
    return np.log(np.exp(scores - m).sum(axis=-1)) + m[..., 0]
""",
    ),
    Wrong(
        "log_sum_exp",
        "shifted_by_mean_unguarded",
        "You shifted each row by its mean (or another of its scores). A score far above it still overflows; only the maximum leaves no exponent positive (5.8).",
        """
def log_sum_exp(scores):
    m = scores.mean(axis=-1, keepdims=True)
    return np.log(np.exp(scores - m).sum(axis=-1)) + m[..., 0]
""",
    ),
    Wrong(
        "log_sum_exp",
        "no_shift",
        "You did not subtract the maximum: the exponentials of large scores become infinite, and those of very negative ones all 0. Shift inside, and add the shift outside (5.9).",
        """
def log_sum_exp(scores):
    return np.log(np.exp(scores).sum(axis=-1))
""",
    ),
    Wrong(
        "log_sum_exp",
        "shift_not_added",
        "You subtracted the maximum inside and did not add it outside: m is missing in (5.9).",
        """
def log_sum_exp(scores):
    m = scores.max(axis=-1, keepdims=True)
    m = np.where(np.isfinite(m), m, 0)
    return np.log(np.exp(scores - m).sum(axis=-1))
""",
    ),
    Wrong(
        "log_sum_exp",
        "shift_subtracted_twice",
        "You subtracted the maximum outside as well. Inside it is subtracted, outside added.",
        """
def log_sum_exp(scores):
    m = scores.max(axis=-1, keepdims=True)
    return np.log(np.exp(scores - m).sum(axis=-1)) - m[..., 0]
""",
    ),
    Wrong(
        "log_sum_exp",
        "axis_zero",
        "You summed along axis 0, over the queries. Each row is summed over its keys: axis=-1.",
        """
def log_sum_exp(scores):
    m = scores.max(axis=0, keepdims=True)
    return np.log(np.exp(scores - m).sum(axis=0)) + m[0]
""",
    ),
    Wrong(
        "log_sum_exp",
        "axis_one",
        "You wrote axis=1. That is the last axis of a matrix, but not of a batch: write axis=-1.",
        """
def log_sum_exp(scores):
    m = scores.max(axis=1, keepdims=True)
    return np.log(np.exp(scores - m).sum(axis=1)) + np.squeeze(m, axis=1)
""",
    ),
    Wrong(
        "log_sum_exp",
        "axis_kept",
        "You kept the summed axis: the result has a last axis of length 1. One number for each row: drop it before you return.",
        """
def log_sum_exp(scores):
    m = scores.max(axis=-1, keepdims=True)
    return m + np.log(np.exp(scores - m).sum(axis=-1, keepdims=True))
""",
    ),
    Wrong(
        "log_sum_exp",
        "shapes_crossed",
        "You added a shift that still has its axis to sums that have lost theirs, so every sum meets every shift. Use m[..., 0] or keep the axis in both.",
        """
def log_sum_exp(scores):
    m = scores.max(axis=-1, keepdims=True)
    return m + np.log(np.exp(scores - m).sum(axis=-1))
""",
    ),
    Wrong(
        "log_sum_exp",
        "whole_array",
        "You summed over all rows at once. One number comes back for each row: axis=-1.",
        """
def log_sum_exp(scores):
    m = scores.max()
    return m + np.log(np.exp(scores - m).sum())
""",
    ),
    Wrong(
        "log_sum_exp",
        "global_maximum",
        "You shifted all rows by the maximum of the whole array. A row far below it underflows to a sum of 0, whose log is −∞. Take the maximum of each row.",
        """
def log_sum_exp(scores):
    m = scores.max()
    return m + np.log(np.exp(scores - m).sum(axis=-1))
""",
    ),
    Wrong(
        "log_sum_exp",
        "no_log",
        "You returned the sum of exponentials without its logarithm.",
        """
def log_sum_exp(scores):
    m = scores.max(axis=-1, keepdims=True)
    return np.exp(scores - m).sum(axis=-1) + m[..., 0]
""",
    ),
    Wrong(
        "log_sum_exp",
        "maximum_only",
        "You returned the maximum. The log-sum-exp lies above it, by up to log n (5.10).",
        """
def log_sum_exp(scores):
    return scores.max(axis=-1)
""",
    ),
    Wrong(
        "log_sum_exp",
        "sum_of_logs",
        "You took the logarithm of each term before summing. That only gives the sum of the scores back: first the sum, then the logarithm.",
        """
def log_sum_exp(scores):
    return np.log(np.exp(scores)).sum(axis=-1)
""",
    ),
    Wrong(
        "log_sum_exp",
        "mean_for_sum",
        "You took the mean of the exponentials. (5.9) has their sum; the difference is log n.",
        """
def log_sum_exp(scores):
    m = scores.max(axis=-1, keepdims=True)
    return np.log(np.exp(scores - m).mean(axis=-1)) + m[..., 0]
""",
    ),
    Wrong(
        "log_sum_exp",
        "log2",
        "You took the logarithm to base 2 of exponentials to base e. Use np.log.",
        """
def log_sum_exp(scores):
    m = scores.max(axis=-1, keepdims=True)
    return np.log2(np.exp(scores - m).sum(axis=-1)) + m[..., 0]
""",
    ),
    Wrong(
        "log_sum_exp",
        "log1p",
        "You added 1 to the sum (log1p). The largest score already contributes its 1.",
        """
def log_sum_exp(scores):
    m = scores.max(axis=-1, keepdims=True)
    return np.log1p(np.exp(scores - m).sum(axis=-1)) + m[..., 0]
""",
    ),
    Wrong(
        "log_sum_exp",
        "shifted_by_minimum",
        "You shifted by the minimum. The largest exponent then is not 0 but the whole spread of the row; shift by the maximum.",
        """
def log_sum_exp(scores):
    m = scores.min(axis=-1, keepdims=True)
    m = np.where(np.isfinite(m), m, 0)
    return np.log(np.exp(scores - m).sum(axis=-1)) + m[..., 0]
""",
    ),
    Wrong(
        "log_sum_exp",
        "softmax_returned",
        "You returned the logarithms of the weights, one for each key. One number comes back for each row.",
        """
def log_sum_exp(scores):
    m = scores.max(axis=-1, keepdims=True)
    return scores - m - np.log(np.exp(scores - m).sum(axis=-1, keepdims=True))
""",
    ),
    Wrong(
        "log_sum_exp",
        "in_place",
        "You subtracted in place, with scores -= …: that changes the caller's array. Write the difference to a new array.",
        """
def log_sum_exp(scores):
    m = scores.max(axis=-1, keepdims=True)
    m = np.where(np.isfinite(m), m, 0)
    scores -= m
    total = np.exp(scores).sum(axis=-1)
    return np.where(total == 0, -np.inf, np.log(np.where(total == 0, 1, total)) + m[..., 0])
""",
    ),
    Wrong(
        "log_sum_exp",
        "empty_row_nan",
        "A row of nothing but −∞ must give −∞: the shift of such a row must be 0, or −∞ − (−∞) makes it nan.",
        """
def log_sum_exp(scores):
    m = scores.max(axis=-1, keepdims=True)
    return np.log(np.exp(scores - m).sum(axis=-1)) + m[..., 0]
""",
    ),
    Wrong(
        "log_sum_exp",
        "no_return",
        "Your function returns nothing: end it with a return.",
        """
def log_sum_exp(scores):
    m = scores.max(axis=-1, keepdims=True)
    total = m[..., 0] + np.log(np.exp(scores - m).sum(axis=-1))
""",
    ),
    Wrong(
        "log_sum_exp",
        "squeeze_all",
        "np.squeeze drops every axis of length 1, also a leading one. Drop the last only: m[..., 0].",
        """
def log_sum_exp(scores):
    m = scores.max(axis=-1, keepdims=True)
    m = np.where(np.isfinite(m), m, 0)
    return np.log(np.exp(scores - m).sum(axis=-1)) + np.squeeze(m)
""",
    ),
    Wrong(
        "log_sum_exp",
        "squeeze_result",
        "np.squeeze drops every axis of length 1, also a leading one. Drop the last only: m[..., 0].",
        """
def log_sum_exp(scores):
    m = scores.max(axis=-1, keepdims=True)
    m = np.where(np.isfinite(m), m, 0)
    return np.squeeze(np.log(np.exp(scores - m).sum(axis=-1, keepdims=True)) + m)
""",
    ),
    Wrong(
        "log_sum_exp",
        "integer_table",
        "Integer scores must give floats. (np.zeros_like(scores) keeps their type.)",
        """
def log_sum_exp(scores):
    out = np.zeros_like(scores[..., 0])
    for where in np.ndindex(out.shape):
        m = scores[where].max()
        out[where] = m if m == -np.inf else m + np.log(np.exp(scores[where] - m).sum())
    return out
""",
        unnamed=True,
    ),
    Right(
        "log_sum_exp",
        "logaddexp",
        """
def log_sum_exp(scores):
    return np.logaddexp.reduce(scores, axis=-1)
""",
    ),
    Right(
        "log_sum_exp",
        "rows_one_by_one",
        """
def log_sum_exp(scores):
    out = np.full(scores.shape[:-1], -np.inf)
    for where in np.ndindex(out.shape):
        m = scores[where].max()
        if m > -np.inf:
            out[where] = m + np.log(np.sum(np.exp(scores[where] - m)))
    return out
""",
    ),
    Right(
        "log_sum_exp",
        "axis_moved_first",
        """
def log_sum_exp(scores):
    s = np.moveaxis(scores, -1, 0)
    m = np.maximum(s.max(axis=0), -1e300)
    with np.errstate(divide="ignore"):
        return m + np.log(np.sum(np.exp(s - m), axis=0))
""",
    ),
    Right(
        "log_sum_exp",
        "keys_one_after_another",
        """
def log_sum_exp(scores):
    total = np.full(scores.shape[:-1], -np.inf)
    for j in range(scores.shape[-1]):
        total = np.logaddexp(total, scores[..., j])
    return total
""",
    ),
    Right(
        "log_sum_exp",
        "squeeze_at_the_end",
        """
def log_sum_exp(scores):
    m = scores.max(axis=-1, keepdims=True)
    shift = np.where(np.isneginf(m), 0.0, m)
    with np.errstate(divide="ignore"):
        return np.squeeze(np.log(np.exp(scores - shift).sum(axis=-1, keepdims=True)) + shift, axis=-1)
""",
    ),
    # ------------------------------------------------------------ softmax_jvp
    Wrong(
        "softmax_jvp",
        "diagonal_only",
        "You applied the diagonal of the Jacobian only, p(1 − p)v. Each weight also answers the scores of the other keys.",
        """
def softmax_jvp(p, v):
    return p * (1 - p) * v
""",
    ),
    Wrong(
        "softmax_jvp",
        "average_missing",
        "You returned p∘v: the average v̄ is not subtracted. When all scores rise alike, no weight may move.",
        """
def softmax_jvp(p, v):
    return p * v
""",
    ),
    Wrong(
        "softmax_jvp",
        "plain_mean",
        "You subtracted the plain mean of v. The average in (5.17) is weighted by p: the sum of p·v.",
        """
def softmax_jvp(p, v):
    return p * (v - v.mean(axis=-1, keepdims=True))
""",
    ),
    Wrong(
        "softmax_jvp",
        "mean_of_products",
        "You took the mean of p·v. The weights already sum to 1, so the average is the sum of p·v.",
        """
def softmax_jvp(p, v):
    return p * (v - (p * v).mean(axis=-1, keepdims=True))
""",
    ),
    Wrong(
        "softmax_jvp",
        "p_forgotten",
        "You returned v − v̄: the factor p in front is missing. A key of weight 0 cannot move.",
        """
def softmax_jvp(p, v):
    return v - (p * v).sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax_jvp",
        "p_on_one_term",
        "The factor p stands before both terms: p∘v − p v̄. You left it out of the second.",
        """
def softmax_jvp(p, v):
    return p * v - (p * v).sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax_jvp",
        "sign",
        "The sign is turned: a rising score must raise its own weight.",
        """
def softmax_jvp(p, v):
    return p * ((p * v).sum(axis=-1, keepdims=True) - v)
""",
    ),
    Wrong(
        "softmax_jvp",
        "plus",
        "You added the second term. It is subtracted: what one weight gains the others lose.",
        """
def softmax_jvp(p, v):
    return p * v + p * (p * v).sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax_jvp",
        "whole_array_average",
        "You took one average over all rows. Each row has an average of its own: axis=-1, keepdims=True.",
        """
def softmax_jvp(p, v):
    return p * v - p * np.sum(p * v)
""",
    ),
    Wrong(
        "softmax_jvp",
        "axis_zero",
        "You averaged along axis 0, over the queries. The average runs over the keys of each row, axis=-1.",
        """
def softmax_jvp(p, v):
    return p * v - p * np.sum(p * v, axis=0, keepdims=True)
""",
    ),
    Wrong(
        "softmax_jvp",
        "axis_one",
        "You wrote axis=1. That is the last axis of a matrix, but not of a batch: write axis=-1.",
        """
def softmax_jvp(p, v):
    if p.ndim == 1:
        return p * v - p * np.sum(p * v)
    return p * v - p * np.sum(p * v, axis=1, keepdims=True)
""",
    ),
    Wrong(
        "softmax_jvp",
        "no_keepdims",
        "You dropped the summed axis, so the averages line up with the columns. Keep it: keepdims=True.",
        """
def softmax_jvp(p, v):
    return p * v - p * np.sum(p * v, axis=-1)
""",
    ),
    Wrong(
        "softmax_jvp",
        "matrix_product",
        "You used @ between p and v: that mixes the rows. Multiply entry by entry and sum over the last axis.",
        """
def softmax_jvp(p, v):
    return p * v - p * (p @ np.swapaxes(v, -1, -2))
""",
    ),
    Wrong(
        "softmax_jvp",
        "v_taken_for_scores",
        "You applied a softmax to v. v is the direction in which the scores move, and p is given.",
        """
def softmax_jvp(p, v):
    e = np.exp(v - v.max(axis=-1, keepdims=True))
    q = e / e.sum(axis=-1, keepdims=True)
    return q * v - q * (q * v).sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax_jvp",
        "p_taken_for_scores",
        "You applied a softmax to p. p is already its output; use it as it is.",
        """
def softmax_jvp(p, v):
    e = np.exp(p - p.max(axis=-1, keepdims=True))
    q = e / e.sum(axis=-1, keepdims=True)
    return q * v - q * (q * v).sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax_jvp",
        "squared_p",
        "You weighted the average with p². One factor p stands inside the average, the other in front.",
        """
def softmax_jvp(p, v):
    return p * (v - (p * p * v).sum(axis=-1, keepdims=True))
""",
    ),
    Wrong(
        "softmax_jvp",
        "quadratic_form",
        "You returned vᵀJv (5.18), one number for each row. Jv is a whole row.",
        """
def softmax_jvp(p, v):
    average = (p * v).sum(axis=-1, keepdims=True)
    return (p * (v - average) * v).sum(axis=-1)
""",
    ),
    Wrong(
        "softmax_jvp",
        "in_place",
        "You changed v in place: v -= … works on the caller's array. Write the difference to a new array.",
        """
def softmax_jvp(p, v):
    v -= (p * v).sum(axis=-1, keepdims=True)
    return p * v
""",
    ),
    Wrong(
        "softmax_jvp",
        "normalised_average",
        "A row of zeros came back as nan: something is 0/0 or log 0, such as the average divided by the sum of p. (5.17) divides by nothing: the average is the plain sum of p·v.",
        """
def softmax_jvp(p, v):
    average = (p * v).sum(axis=-1, keepdims=True) / p.sum(axis=-1, keepdims=True)
    return p * (v - average)
""",
    ),
    Wrong(
        "softmax_jvp",
        "no_return",
        "Your function returns nothing: end it with a return.",
        """
def softmax_jvp(p, v):
    slope = p * (v - (p * v).sum(axis=-1, keepdims=True))
""",
    ),
    Wrong(
        "softmax_jvp",
        "axis_queries",
        "You averaged along axis −2, over the queries.",
        """
def softmax_jvp(p, v):
    return p * v - p * (p * v).sum(-2, keepdims=True)
""",
    ),
    Wrong(
        "softmax_jvp",
        "axis_queries_dropped",
        "You averaged along axis −2, over the queries.",
        """
def softmax_jvp(p, v):
    return p * v - p * (p * v).sum(-2)
""",
    ),
    Wrong(
        "softmax_jvp",
        "jacobian_returned",
        "You returned the matrix J. Asked is J v, one row for each row of p.",
        """
def softmax_jvp(p, v):
    return p[..., :, None] * (np.eye(p.shape[-1]) - p[..., None, :])
""",
    ),
    Wrong(
        "softmax_jvp",
        "matrix_of_a_table",
        "np.diag and np.outer take one row; p has a row for each query. (5.17) needs no matrix.",
        """
def softmax_jvp(p, v):
    return (np.diag(p) - np.outer(p, p)) @ v
""",
    ),
    Wrong(
        "softmax_jvp",
        "matrix_of_a_table_transposed",
        "np.diag and np.outer take one row; p has a row for each query. (5.17) needs no matrix.",
        """
def softmax_jvp(p, v):
    return ((np.diag(p) - np.outer(p, p)) @ v.T).T
""",
    ),
    Wrong(
        "softmax_jvp",
        "matrix_of_a_table_left",
        "np.diag and np.outer take one row; p has a row for each query. (5.17) needs no matrix.",
        """
def softmax_jvp(p, v):
    return v @ (np.diag(p) - np.outer(p, p))
""",
    ),
    Right(
        "softmax_jvp",
        "factored",
        """
def softmax_jvp(p, v):
    return p * (v - np.sum(p * v, axis=-1, keepdims=True))
""",
    ),
    Right(
        "softmax_jvp",
        "einsum",
        """
def softmax_jvp(p, v):
    return p * v - np.einsum("...i,...j,...j->...i", p, p, v)
""",
    ),
    Right(
        "softmax_jvp",
        "matrix_built",
        """
def softmax_jvp(p, v):
    J = p[..., :, None] * (np.eye(p.shape[-1]) - p[..., None, :])
    return (J @ v[..., None])[..., 0]
""",
    ),
    Right(
        "softmax_jvp",
        "rows_one_by_one",
        """
def softmax_jvp(p, v):
    out = np.zeros(v.shape)
    for where in np.ndindex(p.shape[:-1]):
        out[where] = (np.diag(p[where]) - np.outer(p[where], p[where])) @ v[where]
    return out
""",
    ),
    Right(
        "softmax_jvp",
        "pairwise_differences",
        """
def softmax_jvp(p, v):
    differences = v[..., :, None] - v[..., None, :]
    return p * (differences * p[..., None, :]).sum(axis=-1) + p * v * (1 - p.sum(axis=-1, keepdims=True))
""",
    ),
    Right(
        "softmax_jvp",
        "single_precision",
        """
def softmax_jvp(p, v):
    p32, v32 = p.astype(np.float32), v.astype(np.float32)
    average = np.sum(p32 * v32, axis=-1, keepdims=True, dtype=np.float64)
    return p * (v - average)
""",
    ),
]
