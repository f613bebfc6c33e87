"""Chapter 5: what learners write for the softmax, its test bench, the loss and the sharpness, wrong and right."""

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
        "You dropped the axis of the sum, so the division lines the sums up with the columns. Keep it: keepdims=True.",
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
        "A row of nothing but −∞ came back with equal weights. Such a row attends to nothing: its weights are 0. (A large negative number in the place of −∞ does that, or a 1/n put in on purpose.)",
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
        "A forbidden key keeps some weight: you put a negative number of moderate size in the place of −∞, and its exponential is small but not 0.",
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
        "You take the first axis for rows: with leading axes a whole table then shares 1. The rows lie along the last axis: axis=-1, keepdims=True.",
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
        "Whole-number scores came back as whole numbers. A table made with np.zeros_like(scores) keeps their type; make it of floats.",
        """
def softmax(scores):
    out = np.zeros_like(scores)
    for where in np.ndindex(scores.shape[:-1]):
        if np.isfinite(scores[where]).any():
            e = np.exp(scores[where] - scores[where].max())
            out[where] = e / e.sum()
    return out
""",
    ),
    Wrong(
        "softmax",
        "maximum_without_keepdims",
        "You dropped the axis of the maximum, so the subtraction lines the maxima up with the columns. Keep it: keepdims=True.",
        """
def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1))
    return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "sum_of_all",
        "All your weights together sum to 1. Each row is a distribution of its own: sum over axis=-1 and keep the axis.",
        """
def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum()
""",
    ),
    Wrong(
        "softmax",
        "epsilon_of_1e_5",
        "You added a constant to the sum to avoid 0/0. Every row now sums to less than 1. Divide by 1 only where the sum is 0.",
        """
def softmax(scores):
    top = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isfinite(top), top, 0))
    return e / (e.sum(axis=-1, keepdims=True) + 1e-5)
""",
    ),
    Wrong(
        "softmax",
        "empty_row_one_over_n",
        "A row of nothing but −∞ came back with equal weights. Such a row attends to nothing: its weights are 0. (A large negative number in the place of −∞ does that, or a 1/n put in on purpose.)",
        """
def softmax(scores):
    top = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = e.sum(axis=-1, keepdims=True)
    return np.where(total == 0, 1 / scores.shape[-1], e / np.where(total == 0, 1, total))
""",
    ),
    Wrong(
        "softmax",
        "fill_of_minus_1e9",
        "A forbidden key beat keys with very low scores: you put a finite number in the place of −∞, and a score may be lower than that. Its weight must be 0 whatever the others are.",
        """
def softmax(scores):
    safe = np.where(np.isneginf(scores), -1e9, scores)
    e = np.exp(safe - safe.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return np.where(np.isneginf(scores).all(axis=-1, keepdims=True), 0.0, weights)
""",
    ),
    Wrong(
        "softmax",
        "forbidden_keeps_a_trace",
        "A forbidden key keeps a trace of weight. Its weight is exactly 0.",
        """
def softmax(scores):
    top = scores.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    e = np.maximum(np.exp(scores - top), 1e-6)
    e = np.where(np.isneginf(scores).all(axis=-1, keepdims=True), 0.0, e)
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)
""",
    ),
    Wrong(
        "softmax",
        "no_keepdims_in_maximum",
        "You dropped the axis of the maximum, so each column was shifted by the maximum of another row. Keep it: keepdims=True.",
        """
def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1))
    return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "no_keepdims_at_all",
        "You dropped the axis of the maximum and of the sum, so the columns meet numbers of other rows. Keep it in both: keepdims=True.",
        """
def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1))
    return e / e.sum(axis=-1)
""",
    ),
    Wrong(
        "softmax",
        "largest_absolute_value",
        "You shifted by the largest absolute value. In a row of large negative scores that is far from the maximum, and the row underflows as a whole.",
        """
def softmax(scores):
    size = np.abs(scores).max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isfinite(size), size, 0))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)
""",
    ),
    Wrong(
        "softmax",
        "largest_absolute_value_unguarded",
        "You shifted by the largest absolute value. In a row of large negative scores that is far from the maximum, and the row underflows as a whole.",
        """
def softmax(scores):
    e = np.exp(scores - np.abs(scores).max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "softmax",
        "largest_absolute_value_nan_to_num",
        "You shifted by the largest absolute value. In a row of large negative scores that is far from the maximum, and the row underflows as a whole.",
        """
def softmax(scores):
    e = np.exp(scores - np.abs(scores).max(axis=-1, keepdims=True))
    return np.nan_to_num(e / e.sum(axis=-1, keepdims=True))
""",
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
    # ------------------------------------------------------------ break_softmax
    Wrong(
        "break_softmax",
        "plus_100",
        "(a) is right on your table: in double precision the naive form survives scores from −700 to 700. It overflows from 710 on, and underflows as a whole below −745.",
        """
def break_softmax():
    return {
        "a": np.array([[100.0, 101.0, 99.0]]),
        "b": np.array([[0.0, 1.0], [900.0, 900.0]]),
        "c": np.array([[0.0, 3000.0]]),
        "d": np.array([[1e8, 1e8 + 1]]),
        "e": np.array([[0.0, 0.0], [0.0, 9.0]]),
        "f": None,
    }
""",
    ),
    Wrong(
        "break_softmax",
        "one_table_for_all",
        "One table does not break them all. Each shift is bad for rows of its own kind: look at each program by itself.",
        """
def break_softmax():
    table = np.array([[1000.0, 0.0]])
    return {"a": table, "b": table, "c": table, "d": table, "e": table, "f": None}
""",
    ),
    Wrong(
        "break_softmax",
        "oblong_table_for_e",
        "On your table (e) raises an error, so everybody would notice. A square table divides without one, by the sums of other rows.",
        """
def break_softmax():
    return {
        "a": np.array([[1000.0, 0.0]]),
        "b": np.array([[0.0, 1.0], [900.0, 900.0]]),
        "c": np.array([[0.0, 3000.0]]),
        "d": np.array([[1e8, 1e8 + 1]]),
        "e": np.array([[0.0, 0.0, 1.0], [0.0, 9.0, 2.0]]),
        "f": None,
    }
""",
    ),
    Wrong(
        "break_softmax",
        "symmetric_table_for_e",
        "(e) is right to 0.1 on your table. It divides column by column by the sums of the rows, and yours are alike, or there is one row only. The sums must differ by much.",
        """
def break_softmax():
    return {
        "a": np.array([[1000.0, 0.0]]),
        "b": np.array([[0.0, 1.0], [900.0, 900.0]]),
        "c": np.array([[0.0, 3000.0]]),
        "d": np.array([[1e8, 1e8 + 1]]),
        "e": np.array([[0.0, 5.0], [5.0, 0.0]]),
        "f": None,
    }
""",
    ),
    Wrong(
        "break_softmax",
        "rows_near_1000_for_c",
        "The mean is a good shift for a row whose scores lie together, however large: (c) is right on your table. It fails when a score lies more than 709 above the mean, so that its exponential is infinite.",
        """
def break_softmax():
    return {
        "a": np.array([[1000.0, 0.0]]),
        "b": np.array([[0.0, 1.0], [900.0, 900.0]]),
        "c": np.array([[1000.0, 999.0, 1001.0]]),
        "d": np.array([[1e8, 1e8 + 1]]),
        "e": np.array([[0.0, 0.0], [0.0, 9.0]]),
        "f": None,
    }
""",
    ),
    Wrong(
        "break_softmax",
        "one_row_for_b",
        "With one row (or rows that lie together) the maximum of the table is as good as that of the row: (b) is right on your table. Another row must lie far below.",
        """
def break_softmax():
    return {
        "a": np.array([[1000.0, 0.0]]),
        "b": np.array([[900.0, 899.0, 898.0]]),
        "c": np.array([[0.0, 3000.0]]),
        "d": np.array([[1e8, 1e8 + 1]]),
        "e": np.array([[0.0, 0.0], [0.0, 9.0]]),
        "f": None,
    }
""",
    ),
    Wrong(
        "break_softmax",
        "gap_below_spacing_d",
        "Single precision holds seven digits, and on your table that is enough: (d) is right. Which large scores does it take for equal, although they differ by 1 or more?",
        """
def break_softmax():
    return {
        "a": np.array([[1000.0, 0.0]]),
        "b": np.array([[0.0, 1.0], [900.0, 900.0]]),
        "c": np.array([[0.0, 3000.0]]),
        "d": np.array([[1000.0, 1001.0]]),
        "e": np.array([[0.0, 0.0], [0.0, 9.0]]),
        "f": None,
    }
""",
    ),
    Wrong(
        "break_softmax",
        "large_gap_for_d",
        "Single precision holds seven digits, and on your table that is enough: (d) is right. Which large scores does it take for equal, although they differ by 1 or more?",
        """
def break_softmax():
    return {
        "a": np.array([[1000.0, 0.0]]),
        "b": np.array([[0.0, 1.0], [900.0, 900.0]]),
        "c": np.array([[0.0, 3000.0]]),
        "d": np.array([[1e8, 2e8]]),
        "e": np.array([[0.0, 0.0], [0.0, 9.0]]),
        "f": None,
    }
""",
    ),
    Wrong(
        "break_softmax",
        "table_for_f",
        "No table breaks (f): after the shift each sum is at least 1, and 1e-12 more does not change a weight by 0.1. Return None for it.",
        """
def break_softmax():
    return {
        "a": np.array([[1000.0, 0.0]]),
        "b": np.array([[0.0, 1.0], [900.0, 900.0]]),
        "c": np.array([[0.0, 3000.0]]),
        "d": np.array([[1e8, 1e8 + 1]]),
        "e": np.array([[0.0, 0.0], [0.0, 9.0]]),
        "f": np.array([[1000.0, 0.0]]),
    }
""",
    ),
    Wrong(
        "break_softmax",
        "none_for_d",
        "(d) can be broken: near 1e8 the neighbouring numbers of single precision are 8 apart.",
        """
def break_softmax():
    return {
        "a": np.array([[1000.0, 0.0]]),
        "b": np.array([[0.0, 1.0], [900.0, 900.0]]),
        "c": np.array([[0.0, 3000.0]]),
        "d": None,
        "e": np.array([[0.0, 0.0], [0.0, 9.0]]),
        "f": None,
    }
""",
    ),
    Wrong(
        "break_softmax",
        "none_for_c",
        "(c) can be broken: a row may have a score that lies far above its mean.",
        """
def break_softmax():
    return {
        "a": np.array([[1000.0, 0.0]]),
        "b": np.array([[0.0, 1.0], [900.0, 900.0]]),
        "c": None,
        "d": np.array([[1e8, 1e8 + 1]]),
        "e": np.array([[0.0, 0.0], [0.0, 9.0]]),
        "f": None,
    }
""",
    ),
    Wrong(
        "break_softmax",
        "none_for_e",
        "(e) can be broken without an error: when does (n_q, n_k) divide by (n_q)?",
        """
def break_softmax():
    return {
        "a": np.array([[1000.0, 0.0]]),
        "b": np.array([[0.0, 1.0], [900.0, 900.0]]),
        "c": np.array([[0.0, 3000.0]]),
        "d": np.array([[1e8, 1e8 + 1]]),
        "e": None,
        "f": None,
    }
""",
    ),
    Wrong(
        "break_softmax",
        "none_for_b",
        "(b) can be broken: what does it do to a row that lies far below another?",
        """
def break_softmax():
    return {
        "a": np.array([[1000.0, 0.0]]),
        "b": None,
        "c": np.array([[0.0, 3000.0]]),
        "d": np.array([[1e8, 1e8 + 1]]),
        "e": np.array([[0.0, 0.0], [0.0, 9.0]]),
        "f": None,
    }
""",
    ),
    Wrong(
        "break_softmax",
        "infinite_score",
        "A table holds at most 50 finite numbers up to 1e9 in absolute value, with two axes.",
        """
def break_softmax():
    return {
        "a": np.array([[1000.0, 0.0]]),
        "b": np.array([[0.0, 1.0], [900.0, 900.0]]),
        "c": np.array([[0.0, np.inf]]),
        "d": np.array([[1e8, 1e8 + 1]]),
        "e": np.array([[0.0, 0.0], [0.0, 9.0]]),
        "f": None,
    }
""",
    ),
    Wrong(
        "break_softmax",
        "too_large_numbers",
        "A table holds at most 50 finite numbers up to 1e9 in absolute value, with two axes.",
        """
def break_softmax():
    return {
        "a": np.array([[1000.0, 0.0]]),
        "b": np.array([[0.0, 1.0], [900.0, 900.0]]),
        "c": np.array([[0.0, 3000.0]]),
        "d": np.array([[1e12, 1e12 + 1]]),
        "e": np.array([[0.0, 0.0], [0.0, 9.0]]),
        "f": None,
    }
""",
    ),
    Wrong(
        "break_softmax",
        "one_axis",
        "A table holds at most 50 finite numbers up to 1e9 in absolute value, with two axes.",
        """
def break_softmax():
    return {
        "a": np.array([1000.0, 0.0]),
        "b": np.array([[0.0, 1.0], [900.0, 900.0]]),
        "c": np.array([[0.0, 3000.0]]),
        "d": np.array([[1e8, 1e8 + 1]]),
        "e": np.array([[0.0, 0.0], [0.0, 9.0]]),
        "f": None,
    }
""",
    ),
    Right(
        "break_softmax",
        "as_lists",
        """
def break_softmax():
    return {
        "a": [[1000.0, 0.0]],
        "b": [[0.0, 1.0], [900.0, 900.0]],
        "c": [[0.0, 3000.0]],
        "d": [[1e8, 1e8 + 1]],
        "e": [[0.0, 0.0], [0.0, 9.0]],
        "f": None,
    }
""",
    ),
    Right(
        "break_softmax",
        "whole_numbers",
        """
def break_softmax():
    return {
        "a": np.array([[2000, 1999, 1]]),
        "b": np.array([[10**6, 1], [3, 4]]),
        "c": np.array([[-9, 5000, -7]]),
        "d": np.array([[10**9, 10**9 - 5, 10**9 - 2]]),
        "e": np.array([[1, 1, 1], [0, 9, 0], [3, 2, 30]]),
        "f": None,
    }
""",
    ),
    Right(
        "break_softmax",
        "low_rows",
        """
def break_softmax():
    return {
        "a": np.array([[-800.0, -801.0], [0.0, 1.0]]),
        "b": np.array([[0.0, 1.0], [-5000.0, -5001.0]]),
        "c": np.array([[0.0, -1.0, -2.0, 1e9]]),
        "d": np.array([[2.0**27, 2.0**27 + 2]]),
        "e": np.array([[0.0, 0.0], [0.0, 9.0]]),
        "f": None,
    }
""",
    ),
    Right(
        "break_softmax",
        "column_for_e",
        """
def break_softmax():
    return {
        "a": np.array([[1000.0, 0.0]]),
        "b": np.array([[0.0, 1.0], [900.0, 900.0]]),
        "c": np.array([[0.0, 3000.0]]),
        "d": np.array([[1e8, 1e8 + 1]]),
        "e": np.array([[0.0], [1.0]]),
        "f": None,
    }
""",
    ),
    Right(
        "break_softmax",
        "silent_failures",
        """
def break_softmax():
    return {
        "a": np.array([[709.5, 709.5]]),
        "b": np.array([[0.0, 1.0], [900.0, 900.0]]),
        "c": np.array([[0.0] * 30 + [744.0]]),
        "d": np.array([[1e8, 1e8 + 1]]),
        "e": np.array([[0.0, 0.0], [0.0, 9.0]]),
        "f": None,
    }
""",
    ),
    Right(
        "break_softmax",
        "built_in_a_loop",
        """
def break_softmax():
    tables = dict.fromkeys("abcdef")
    for letter, rows in zip(
        "abcde",
        ([[800, 801]], [[0, 2000], [1, 0]], [[0, 1e4]], [[3e8, 3e8 + 4]], [[0, 0], [9, 0]]),
    ):
        tables[letter] = np.asarray(rows, dtype=float)
    return tables
""",
    ),
    # ------------------------------------------------------------ cross_entropy
    Wrong(
        "cross_entropy",
        "log_of_softmax",
        "Your loss is infinite where the target's weight is rounded to 0, and 0 where it is rounded to 1. Either you took the logarithm of the weight, or that of 1 + the rest, which overflows and is lost beside the 1: see np.logaddexp.",
        """
def cross_entropy(scores, targets):
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return -np.log(np.take_along_axis(weights, targets[..., None], axis=-1)[..., 0])
""",
    ),
    Wrong(
        "cross_entropy",
        "epsilon_in_log",
        "You added a small number inside the logarithm. It bounds the loss (27.6 for 1e-12) where 800 is right.",
        """
def cross_entropy(scores, targets):
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return -np.log(np.take_along_axis(weights, targets[..., None], axis=-1)[..., 0] + 1e-12)
""",
    ),
    Wrong(
        "cross_entropy",
        "clipped_weights",
        "You clipped the weight before the logarithm. It bounds the loss where 800 is right.",
        """
def cross_entropy(scores, targets):
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return -np.log(np.clip(np.take_along_axis(weights, targets[..., None], axis=-1)[..., 0], 1e-15, 1))
""",
    ),
    Wrong(
        "cross_entropy",
        "lse_minus_score",
        "Where the target leads by far, the sum of all terms is its own term up to rounding, and nothing is left of a small loss. Leave the target's own term out of the sum: np.log1p and np.logaddexp keep a small rest.",
        """
def cross_entropy(scores, targets):
    top = scores.max(axis=-1, keepdims=True)
    lse = top[..., 0] + np.log(np.exp(scores - top).sum(axis=-1))
    return lse - np.take_along_axis(scores, targets[..., None], axis=-1)[..., 0]
""",
    ),
    Wrong(
        "cross_entropy",
        "lse_of_differences",
        "Where the target leads by far, the sum of all terms is its own term up to rounding, and nothing is left of a small loss. Leave the target's own term out of the sum: np.log1p and np.logaddexp keep a small rest.",
        """
def cross_entropy(scores, targets):
    gaps = scores - np.take_along_axis(scores, targets[..., None], axis=-1)
    top = gaps.max(axis=-1, keepdims=True)
    return top[..., 0] + np.log(np.exp(gaps - top).sum(axis=-1))
""",
    ),
    Wrong(
        "cross_entropy",
        "log1p_without_shift",
        "Your rest overflows: if another key leads by 800, the exponential of the difference is infinite. Shift by the largest difference, or use np.logaddexp.",
        """
def cross_entropy(scores, targets):
    at = targets[..., None]
    gaps = scores - np.take_along_axis(scores, at, axis=-1)
    rest = np.exp(np.where(np.arange(scores.shape[-1]) == at, -np.inf, gaps)).sum(axis=-1)
    return np.log1p(rest)
""",
    ),
    Wrong(
        "cross_entropy",
        "sign",
        "The sign is turned: a loss is not negative.",
        """
def cross_entropy(scores, targets):
    gaps = scores - np.take_along_axis(scores, targets[..., None], axis=-1)
    return -np.logaddexp.reduce(gaps, axis=-1)
""",
    ),
    Wrong(
        "cross_entropy",
        "mean_of_rows",
        "You returned one number for the whole array, the mean of the losses. One loss for each row is asked.",
        """
def cross_entropy(scores, targets):
    gaps = scores - np.take_along_axis(scores, targets[..., None], axis=-1)
    return np.logaddexp.reduce(gaps, axis=-1).mean()
""",
    ),
    Wrong(
        "cross_entropy",
        "sum_of_rows",
        "You returned one number for the whole array, the sum of the losses. One loss for each row is asked.",
        """
def cross_entropy(scores, targets):
    gaps = scores - np.take_along_axis(scores, targets[..., None], axis=-1)
    return np.logaddexp.reduce(gaps, axis=-1).sum()
""",
    ),
    Wrong(
        "cross_entropy",
        "first_target_for_all",
        "You used the first target for all rows. Each row has its own.",
        """
def cross_entropy(scores, targets):
    t = np.ravel(targets)[0]
    return np.logaddexp.reduce(scores - scores[..., t : t + 1], axis=-1)
""",
    ),
    Wrong(
        "cross_entropy",
        "targets_from_one",
        "Your targets count from 1. The index 0 is the first key.",
        """
def cross_entropy(scores, targets):
    gaps = scores - np.take_along_axis(scores, np.asarray(targets)[..., None] - 1, axis=-1)
    return np.logaddexp.reduce(gaps, axis=-1)
""",
    ),
    Wrong(
        "cross_entropy",
        "target_counted_twice",
        "You left the target in the rest, so its own term counts twice: the loss is never below log 2.",
        """
def cross_entropy(scores, targets):
    gaps = scores - np.take_along_axis(scores, targets[..., None], axis=-1)
    return np.logaddexp(0, np.logaddexp.reduce(gaps, axis=-1))
""",
    ),
    Wrong(
        "cross_entropy",
        "rest_only",
        "You returned the logarithm of the rest, without the target's own term: a loss would become negative where the target leads.",
        """
def cross_entropy(scores, targets):
    at = targets[..., None]
    gaps = scores - np.take_along_axis(scores, at, axis=-1)
    return np.logaddexp.reduce(np.where(np.arange(scores.shape[-1]) == at, -np.inf, gaps), axis=-1)
""",
    ),
    Wrong(
        "cross_entropy",
        "lead_over_best",
        "You took the gap between the target and the best of the other keys. All other keys count.",
        """
def cross_entropy(scores, targets):
    at = targets[..., None]
    gaps = scores - np.take_along_axis(scores, at, axis=-1)
    others = np.where(np.arange(scores.shape[-1]) == at, -np.inf, gaps)
    return np.logaddexp(0, others.max(axis=-1))
""",
    ),
    Wrong(
        "cross_entropy",
        "squared_error",
        "You returned the squared distance between the weights and the target. The cross-entropy is minus the logarithm of the target's weight.",
        """
def cross_entropy(scores, targets):
    goal = np.arange(scores.shape[-1]) == np.asarray(targets)[..., None]
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return ((weights - goal) ** 2).sum(axis=-1)
""",
    ),
    Wrong(
        "cross_entropy",
        "base_two",
        "You used the logarithm to base 2. In this book log is the natural logarithm.",
        """
def cross_entropy(scores, targets):
    gaps = scores - np.take_along_axis(scores, targets[..., None], axis=-1)
    return np.logaddexp.reduce(gaps, axis=-1) / np.log(2)
""",
    ),
    Wrong(
        "cross_entropy",
        "weight_itself",
        "You returned the weight of the target. The loss is minus its logarithm.",
        """
def cross_entropy(scores, targets):
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return np.take_along_axis(weights, targets[..., None], axis=-1)[..., 0]
""",
    ),
    Wrong(
        "cross_entropy",
        "one_minus_weight",
        "You returned 1 minus the weight of the target. The loss is minus the logarithm of the weight.",
        """
def cross_entropy(scores, targets):
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return 1 - np.take_along_axis(weights, targets[..., None], axis=-1)[..., 0]
""",
    ),
    Wrong(
        "cross_entropy",
        "kept_axis",
        "You kept the last axis. One number for each row is asked: take [..., 0], or reduce without keepdims.",
        """
def cross_entropy(scores, targets):
    gaps = scores - np.take_along_axis(scores, targets[..., None], axis=-1)
    return np.logaddexp.reduce(gaps, axis=-1, keepdims=True)
""",
    ),
    Wrong(
        "cross_entropy",
        "changed_scores",
        "You wrote −∞ into the scores you were given. Work on a copy.",
        """
def cross_entropy(scores, targets):
    scores -= np.take_along_axis(scores, targets[..., None], axis=-1)
    return np.logaddexp.reduce(scores, axis=-1)
""",
    ),
    Wrong(
        "cross_entropy",
        "every_target_of_every_row",
        "You took every target from every row: scores[..., targets] makes a table. np.take_along_axis takes one entry a row.",
        """
def cross_entropy(scores, targets):
    return np.logaddexp.reduce(scores, axis=-1)[..., None] - scores[..., targets]
""",
    ),
    Wrong(
        "cross_entropy",
        "forbidden_as_zero",
        "You put 0 in the place of −∞: a forbidden key then counts like one with score 0. It counts as nothing.",
        """
def cross_entropy(scores, targets):
    scores = np.where(np.isneginf(scores), 0.0, scores)
    gaps = scores - np.take_along_axis(scores, targets[..., None], axis=-1)
    return np.logaddexp.reduce(gaps, axis=-1)
""",
    ),
    Wrong(
        "cross_entropy",
        "whole_number_losses",
        "Whole-number scores must give losses that are not rounded.",
        """
def cross_entropy(scores, targets):
    loss = np.zeros(np.shape(targets), dtype=scores.dtype)
    for where in np.ndindex(loss.shape):
        loss[where] = np.logaddexp.reduce(scores[where] - scores[where][targets[where]])
    return loss if loss.ndim else loss[()]
""",
        unnamed=True,
    ),
    Wrong(
        "cross_entropy",
        "logarithm_of_one_plus_rest",
        "Your loss is infinite where the target's weight is rounded to 0, and 0 where it is rounded to 1. Either you took the logarithm of the weight, or that of 1 + the rest, which overflows and is lost beside the 1: see np.logaddexp.",
        """
def cross_entropy(scores, targets):
    at = targets[..., None]
    gaps = scores - np.take_along_axis(scores, at, axis=-1)
    rest = np.exp(np.where(np.arange(scores.shape[-1]) == at, -np.inf, gaps)).sum(axis=-1)
    return np.log(1 + rest)
""",
    ),
    Wrong(
        "cross_entropy",
        "log1p_of_all_minus_one",
        "Your loss is infinite where the target's weight is rounded to 0, and 0 where it is rounded to 1. Either you took the logarithm of the weight, or that of 1 + the rest, which overflows and is lost beside the 1: see np.logaddexp.",
        """
def cross_entropy(scores, targets):
    gaps = scores - np.take_along_axis(scores, targets[..., None], axis=-1)
    return np.log1p(np.exp(gaps).sum(axis=-1) - 1)
""",
    ),
    Wrong(
        "cross_entropy",
        "log1p_of_all",
        "You left the target in the rest, so its own term counts twice: the loss is never below log 2.",
        """
def cross_entropy(scores, targets):
    gaps = scores - np.take_along_axis(scores, targets[..., None], axis=-1)
    return np.log1p(np.exp(gaps).sum(axis=-1))
""",
    ),
    Wrong(
        "cross_entropy",
        "one_shift_for_all",
        "You shifted all rows by one number, that of the worst row. A row with a small loss then underflows: shift each row by its own largest difference.",
        """
def cross_entropy(scores, targets):
    at = targets[..., None]
    gaps = scores - np.take_along_axis(scores, at, axis=-1)
    gaps = np.where(np.arange(scores.shape[-1]) == at, -np.inf, gaps)
    top = max(gaps.max(), 0.0)
    if top == 0:
        return np.log1p(np.exp(gaps).sum(axis=-1))
    return top + np.log(np.exp(-top) + np.exp(gaps - top).sum(axis=-1))
""",
    ),
    Wrong(
        "cross_entropy",
        "differences_turned",
        "You took s_t − s_j in place of s_j − s_t. The keys that lead the target cost, not those behind it.",
        """
def cross_entropy(scores, targets):
    at = targets[..., None]
    gaps = np.take_along_axis(scores, at, axis=-1) - scores
    gaps = np.where(np.arange(scores.shape[-1]) == at, -np.inf, gaps)
    return np.logaddexp(0, np.logaddexp.reduce(gaps, axis=-1))
""",
    ),
    Wrong(
        "cross_entropy",
        "log_of_softmax_turned",
        "The sign is turned: a loss is not negative.",
        """
def cross_entropy(scores, targets):
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return np.log(np.take_along_axis(weights, targets[..., None], axis=-1)[..., 0])
""",
    ),
    Right(
        "cross_entropy",
        "reduce_at_once",
        """
def cross_entropy(scores, targets):
    gaps = scores - np.take_along_axis(scores, np.asarray(targets)[..., None], axis=-1)
    return np.logaddexp.reduce(gaps, axis=-1)
""",
    ),
    Right(
        "cross_entropy",
        "log1p_with_a_shift",
        """
def cross_entropy(scores, targets):
    at = np.expand_dims(targets, -1)
    gaps = scores - np.take_along_axis(scores, at, -1)
    top = np.maximum(gaps.max(-1), 0)
    others = np.where(np.arange(scores.shape[-1]) == at, -np.inf, gaps - top[..., None])
    rest = np.exp(others).sum(-1)
    return np.where(top > 0, top + np.log(rest + np.exp(-top)), np.log1p(rest))
""",
    ),
    Right(
        "cross_entropy",
        "row_after_row",
        """
def cross_entropy(scores, targets):
    scores, targets = np.asarray(scores), np.asarray(targets)
    loss = np.zeros(targets.shape)
    for where in np.ndindex(targets.shape):
        line, t = scores[where], targets[where]
        total = -np.inf
        for j, score in enumerate(line):
            if j != t:
                total = np.logaddexp(total, score - line[t])
        loss[where] = np.logaddexp(0.0, total)
    return loss
""",
    ),
    Right(
        "cross_entropy",
        "two_branches",
        """
def cross_entropy(scores, targets):
    scores = np.asarray(scores, dtype=float)
    own = (np.arange(scores.shape[-1]) == np.expand_dims(targets, -1)).astype(bool)
    s_t = np.where(own, scores, 0).sum(axis=-1)
    others = np.where(own, -np.inf, scores)
    best = others.max(axis=-1, initial=-1e300)
    lead = s_t - best
    rest = np.exp(others - best[..., None]).sum(axis=-1)
    with np.errstate(over="ignore", divide="ignore"):
        ahead = np.log1p(rest * np.exp(-np.maximum(lead, 0)))
        behind = np.log(rest + np.exp(np.minimum(lead, 0))) - np.minimum(lead, 0)
    return np.where(lead >= 0, ahead, behind)
""",
    ),
    # ------------------------------------------------------------ sharpness_for
    Wrong(
        "sharpness_for",
        "temperature",
        "You returned the temperature, one over β. Multiply the scores by what you return, and look at the entropy.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share * np.log(len(gaps))
    if np.log(np.sum(gaps == 0)) >= wanted:
        return None

    def entropy(beta):
        e = np.exp(beta * gaps)
        return np.log(e.sum()) - beta * (e @ gaps) / e.sum()

    low, high = 0.0, 1.0
    while entropy(high) > wanted:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return 1 / high
""",
    ),
    Wrong(
        "sharpness_for",
        "bounded_at_100",
        "Your search ends too early: for scores of size 1/1000 the β that is asked for is in the thousands. Double the upper end until the entropy there is small enough.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share * np.log(len(gaps))
    if np.log(np.sum(gaps == 0)) >= wanted:
        return None

    def entropy(beta):
        e = np.exp(beta * gaps)
        return np.log(e.sum()) - beta * (e @ gaps) / e.sum()

    low, high = 0.0, 100.0
    pass
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return high
""",
    ),
    Wrong(
        "sharpness_for",
        "bounded_at_10",
        "Your search ends too early: for scores of size 1/1000 the β that is asked for is in the thousands. Double the upper end until the entropy there is small enough.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share * np.log(len(gaps))
    if np.log(np.sum(gaps == 0)) >= wanted:
        return None

    def entropy(beta):
        e = np.exp(beta * gaps)
        return np.log(e.sum()) - beta * (e @ gaps) / e.sum()

    low, high = 0.0, 10.0
    pass
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return high
""",
    ),
    Wrong(
        "sharpness_for",
        "entropy_itself",
        "You made the entropy equal to share. It should be share times its largest value, log n.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share
    if np.log(np.sum(gaps == 0)) >= wanted:
        return None

    def entropy(beta):
        e = np.exp(beta * gaps)
        return np.log(e.sum()) - beta * (e @ gaps) / e.sum()

    low, high = 0.0, 1.0
    while entropy(high) > wanted:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return high
""",
    ),
    Wrong(
        "sharpness_for",
        "entropy_in_bits",
        "You mixed two logarithms: the entropy in one base, log n in the other. Take the same for both.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share * np.log(len(gaps))
    if np.log(np.sum(gaps == 0)) >= wanted:
        return None

    def entropy(beta):
        a = np.exp(beta * gaps) / np.exp(beta * gaps).sum()
        return -(a[a > 0] * np.log2(a[a > 0])).sum()

    low, high = 0.0, 1.0
    while entropy(high) > wanted and high < 1e12:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return high
""",
    ),
    Wrong(
        "sharpness_for",
        "number_where_impossible",
        "You returned a number where no β can do it. If m keys share the largest score, the entropy stays above log m.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share * np.log(len(gaps))

    def entropy(beta):
        e = np.exp(beta * gaps)
        return np.log(e.sum()) - beta * (e @ gaps) / e.sum()

    low, high = 0.0, 1.0
    while entropy(high) > wanted and high < 1e12:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return high
""",
    ),
    Wrong(
        "sharpness_for",
        "none_at_every_tie",
        "You returned None for a row with a tie that still has enough room. If m keys tie for the largest score the entropy falls to log m: None only if share · log n is not above that.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share * np.log(len(gaps))
    if np.sum(gaps == 0) > 1:
        return None

    def entropy(beta):
        e = np.exp(beta * gaps)
        return np.log(e.sum()) - beta * (e @ gaps) / e.sum()

    low, high = 0.0, 1.0
    while entropy(high) > wanted:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return high
""",
    ),
    Wrong(
        "sharpness_for",
        "one_minus_share",
        "You made the entropy fall by share instead of to share.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = (1 - share) * np.log(len(gaps))
    if np.log(np.sum(gaps == 0)) >= wanted:
        return None

    def entropy(beta):
        e = np.exp(beta * gaps)
        return np.log(e.sum()) - beta * (e @ gaps) / e.sum()

    low, high = 0.0, 1.0
    while entropy(high) > wanted:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return high
""",
    ),
    Wrong(
        "sharpness_for",
        "share_of_largest_weight",
        "You made the largest weight equal to share. The entropy divided by log n should be.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    largest = lambda beta: 1 / np.exp(beta * gaps).sum()
    if share <= 1 / len(gaps) or share >= 1 / np.sum(gaps == 0):
        return None
    low, high = 0.0, 1.0
    while largest(high) < share:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if largest(middle) < share else (low, middle)
    return high
""",
    ),
    Wrong(
        "sharpness_for",
        "coarse_grid",
        "Your β is too coarse: the entropy must be right to 1e-6. Halve the interval until nothing changes.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    if np.log(np.sum(gaps == 0)) >= share * np.log(len(gaps)):
        return None
    unit = 1 / -gaps.min()
    betas = unit * np.logspace(-2, 4, 3000)
    e = np.exp(betas[:, None] * gaps)
    a = e / e.sum(axis=1, keepdims=True)
    entropy = np.log(e.sum(axis=1)) - betas * (a @ gaps)
    return betas[np.abs(entropy - share * np.log(len(gaps))).argmin()]
""",
    ),
    Wrong(
        "sharpness_for",
        "nan_from_zero_log_zero",
        "Where a weight underflows, 0 · log 0 is nan, and every comparison with nan is False. Leave such terms out, or take the entropy as log of the sum minus the average exponent.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share * np.log(len(gaps))
    if np.log(np.sum(gaps == 0)) >= wanted:
        return None

    def entropy(beta):
        a = np.exp(beta * gaps) / np.exp(beta * gaps).sum()
        return -(a * np.log(a)).sum()

    low, high = 0.0, 1.0
    while entropy(high) > wanted:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return high
""",
    ),
    Wrong(
        "sharpness_for",
        "no_shift",
        "Scores far from 0 overflow: subtract the maximum before the exponential, or use your softmax.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float)
    wanted = share * np.log(len(gaps))
    if np.log(np.sum(gaps == gaps.max())) >= wanted:
        return None

    def entropy(beta):
        e = np.exp(beta * gaps)
        return np.log(e.sum()) - beta * (e @ gaps) / e.sum()

    low, high = 0.0, 1.0
    while entropy(high) > wanted and high < 1e12:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return high
""",
    ),
    Wrong(
        "sharpness_for",
        "returns_pair",
        "You returned two ends of an interval. Return one number.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share * np.log(len(gaps))
    if np.log(np.sum(gaps == 0)) >= wanted:
        return None

    def entropy(beta):
        e = np.exp(beta * gaps)
        return np.log(e.sum()) - beta * (e @ gaps) / e.sum()

    low, high = 0.0, 1.0
    while entropy(high) > wanted:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return low, high
""",
    ),
    Wrong(
        "sharpness_for",
        "low_end_first",
        "Your interval starts at 1, so a β below 1 is not found: for scores of size 300 it is a hundredth. Start at 0.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share * np.log(len(gaps))
    if np.log(np.sum(gaps == 0)) >= wanted:
        return None

    def entropy(beta):
        e = np.exp(beta * gaps)
        return np.log(e.sum()) - beta * (e @ gaps) / e.sum()

    low, high = 1.0, 2.0
    while entropy(high) > wanted:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return high
""",
    ),
    Wrong(
        "sharpness_for",
        "no_return",
        "Your function returns None for every row. Is a return missing?",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share * np.log(len(gaps))
    if np.log(np.sum(gaps == 0)) >= wanted:
        return None

    def entropy(beta):
        e = np.exp(beta * gaps)
        return np.log(e.sum()) - beta * (e @ gaps) / e.sum()

    low, high = 0.0, 1.0
    while entropy(high) > wanted:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    beta = high
""",
    ),
    Wrong(
        "sharpness_for",
        "bounded_at_10000",
        "Your search ends too early: for scores of size 1e-8 the β that is asked for is near a hundred million. Double the upper end until the entropy there is small enough.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share * np.log(len(gaps))
    if np.log(np.sum(gaps == 0)) >= wanted:
        return None

    def entropy(beta):
        e = np.exp(beta * gaps)
        return np.log(e.sum()) - beta * (e @ gaps) / e.sum()

    low, high = 0.0, 1e4
    pass
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return high
""",
    ),
    Wrong(
        "sharpness_for",
        "bounded_at_a_million",
        "Your search ends too early: for scores of size 1e-8 the β that is asked for is near a hundred million. Double the upper end until the entropy there is small enough.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share * np.log(len(gaps))
    if np.log(np.sum(gaps == 0)) >= wanted:
        return None

    def entropy(beta):
        e = np.exp(beta * gaps)
        return np.log(e.sum()) - beta * (e @ gaps) / e.sum()

    low, high = 0.0, 1e6
    pass
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return high
""",
    ),
    Wrong(
        "sharpness_for",
        "none_only_if_all_equal",
        "You returned a number where no β can do it. If m keys share the largest score, the entropy stays above log m.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share * np.log(len(gaps))
    if np.ptp(gaps) == 0:
        return None

    def entropy(beta):
        e = np.exp(beta * gaps)
        return np.log(e.sum()) - beta * (e @ gaps) / e.sum()

    low, high = 0.0, 1.0
    while entropy(high) > wanted and high < 1e12:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return high
""",
    ),
    Wrong(
        "sharpness_for",
        "turned_comparison",
        "Your search closes in on the wrong end: the entropy falls in β, so where it is still too large β must rise.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share * np.log(len(gaps))
    if np.log(np.sum(gaps == 0)) >= wanted:
        return None

    def entropy(beta):
        e = np.exp(beta * gaps)
        return np.log(e.sum()) - beta * (e @ gaps) / e.sum()

    low, high = 0.0, 1.0
    while entropy(high) > wanted and high < 1e12:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) < wanted else (low, middle)
    return high
""",
    ),
    Wrong(
        "sharpness_for",
        "twenty_halvings",
        "Your β is too coarse: the entropy must be right to 1e-6. Halve the interval until nothing changes.",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share * np.log(len(gaps))
    if np.log(np.sum(gaps == 0)) >= wanted:
        return None

    def entropy(beta):
        e = np.exp(beta * gaps)
        return np.log(e.sum()) - beta * (e @ gaps) / e.sum()

    low, high = 0.0, 1.0
    while entropy(high) > wanted and high < 1e12:
        high *= 2
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return high
""",
    ),
    Right(
        "sharpness_for",
        "by_weights",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    wanted = share * np.log(len(gaps))
    if np.log(np.sum(gaps == 0)) >= wanted:
        return None

    def entropy(beta):
        a = np.exp(beta * gaps) / np.exp(beta * gaps).sum()
        return -sum(x * np.log(x) for x in a if x > 0)

    low, high = 0.0, 1.0
    while entropy(high) > wanted:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if entropy(middle) > wanted else (low, middle)
    return high
""",
    ),
    Right(
        "sharpness_for",
        "newton_in_log_beta",
        """
def sharpness_for(scores, share):
    s = np.array(scores, dtype=float)
    s = (s - s.max()) / max(s.max() - s.min(), 1e-300)
    n, ties = len(s), int((s == 0).sum())
    if ties >= n**share:
        return None

    def share_at(x):
        a = softmax(np.exp(x) * s)
        a = a[a > 0]
        return -(a * np.log(a)).sum() / np.log(n)

    low, high = -40.0, 1.0
    while share_at(high) > share:
        high += 5
    while high - low > 1e-13:
        middle = 0.5 * (low + high)
        if share_at(middle) > share:
            low = middle
        else:
            high = middle
    scale = np.max(scores) - np.min(scores)
    return float(np.exp(high) / scale)
""",
    ),
    Right(
        "sharpness_for",
        "many_points_at_once",
        """
def sharpness_for(scores, share):
    gaps = np.asarray(scores, dtype=float) - np.max(scores)
    n, m = len(gaps), np.count_nonzero(gaps == 0)
    if np.log(m) / np.log(n) >= share:
        return None
    low, high = 0.0, 1e13
    for _ in range(14):
        betas = np.linspace(low, high, 1001)
        e = np.exp(betas[:, None] * gaps)
        entropy = np.log(e.sum(1)) - betas * (e @ gaps) / e.sum(1)
        k = min(int(np.count_nonzero(entropy > share * np.log(n))), 1000)
        low, high = betas[max(k - 1, 0)], betas[k]
    return (low + high) / 2
""",
    ),
    Right(
        "sharpness_for",
        "with_temperature",
        """
def sharpness_for(scores, share):
    s = np.asarray(scores, dtype=np.float64)
    s = s - s.max()

    def entropy(T):
        a = softmax(s / T)
        return -np.where(a > 0, a * np.log(np.where(a > 0, a, 1)), 0).sum()

    goal = share * np.log(s.size)
    if np.log((s == 0).sum()) >= goal:
        return None
    cold, hot = 1.0, 1.0
    while entropy(cold) > goal:
        cold /= 2
    while entropy(hot) < goal:
        hot *= 2
    for _ in range(100):
        T = (cold * hot) ** 0.5
        if entropy(T) < goal:
            cold = T
        else:
            hot = T
    return 1 / hot
""",
    ),
]
