"""Chapter 10: what learners write for the backward pass, the check of a gradient and the step of Adam, wrong and right."""

from autograde.mistakes import Catalogue

CATALOGUE = Catalogue()
wrong, right = CATALOGUE.wrong, CATALOGUE.right


# ---------------------------------------------------------------- attention_backward
BACKWARD = """
def attention_backward(G, Q, K, V, A):
    turn = lambda table: np.swapaxes(table, -1, -2)
    root = np.sqrt(Q.shape[-1])
    by_weight = G @ turn(V)
    average = (A * by_weight).sum(axis=-1, keepdims=True)
    by_score = A * (by_weight - average)
    dQ = by_score @ K / root
    dK = turn(by_score) @ Q / root
    dV = turn(A) @ G
    return dQ, dK, dV
"""
RULE = "by_score = A * (by_weight - average)"
DQ, DK, DV = "by_score @ K / root", "turn(by_score) @ Q / root", "turn(A) @ G"
for name, sentence, *swaps in [
    (
        "root_forgotten",
        "You left out √d_k on the way back: the scores are divided by it, so the gradients in Q and K are, too.",
        ("np.sqrt(Q.shape[-1])", "1.0"),
    ),
    (
        "root_multiplied",
        "You multiplied by √d_k. On the way back it divides as well.",
        ("np.sqrt(Q.shape[-1])", "1 / np.sqrt(Q.shape[-1])"),
    ),
    (
        "root_twice",
        "You divided by √d_k twice.",
        ("np.sqrt(Q.shape[-1])", "Q.shape[-1]"),
    ),
    (
        "root_missing_in_q",
        "In the gradient in Q the division by √d_k is missing.",
        (DQ, "by_score @ K"),
    ),
    (
        "root_missing_in_k",
        "In the gradient in K the division by √d_k is missing.",
        (DK, "turn(by_score) @ Q"),
    ),
    (
        "average_not_subtracted",
        "You did not subtract the average worth: a score can gain only at the expense of the others.",
        (RULE, "by_score = A * by_weight"),
    ),
    (
        "plain_average",
        "You subtracted the plain mean of the row. The average is taken with the weights.",
        ("(A * by_weight).sum(axis=-1, keepdims=True)", "by_weight.mean(axis=-1, keepdims=True)"),
    ),
    (
        "average_down_the_columns",
        "Your average runs down a column, over the queries. It belongs to a row: one query, all keys.",
        ("sum(axis=-1, keepdims=True)", "sum(axis=-2, keepdims=True)"),
    ),
    (
        "not_multiplied_by_the_weight",
        "Your gradient of a score is not multiplied by its weight: a key that nobody looks at has no say.",
        (RULE, "by_score = by_weight - average"),
    ),
    (
        "softmax_skipped",
        "You left the softmax out on the way back: what comes out of the product with V is the gradient of the weights, not of the scores.",
        (RULE, "by_score = by_weight"),
    ),
    (
        "diagonal_only",
        "You took a (1 − a) for the derivative of a weight in its score, and left out what the other scores do to it.",
        (RULE, "by_score = A * (1 - A) * by_weight"),
    ),
    (
        "only_others",
        "You subtracted weight times worth of the entry itself, not the average of the whole row.",
        (RULE, "by_score = A * (by_weight - A * by_weight)"),
    ),
    (
        "sign",
        "The gradients in Q and K have the opposite sign: worth minus average, not average minus worth.",
        (RULE, "by_score = A * (average - by_weight)"),
    ),
    (
        "weights_in_q",
        "In the gradients in Q and K you used the weights where the gradient of the scores belongs.",
        (DQ, "A @ K / root"),
        (DK, "turn(A) @ Q / root"),
    ),
    (
        "weights_in_k",
        "In the gradient in K you used the weights where the gradient of the scores belongs.",
        (DK, "turn(A) @ Q / root"),
    ),
    (
        "scores_in_v",
        "In the gradient in V you used the gradient of the scores. A value acts with its weight: the weights belong there.",
        (DV, "turn(by_score) @ G"),
    ),
    (
        "v_not_weighted",
        "In the gradient in V each value gets the sum of all gradients from above. It gets them with its weights.",
        (DV, "turn(np.ones(A.shape)) @ G"),
    ),
    (
        "v_divided_by_root",
        "You divided the gradient in V by √d_k. The root stands in the scores, and values do not pass through them.",
        (DV, "turn(A) @ G / root"),
    ),
    (
        "key_and_query_exchanged",
        "You return the gradient in K where the one in Q belongs, and the other way round.",
        ("return dQ, dK, dV", "return dK, dQ, dV"),
    ),
    (
        "values_first",
        "You return the gradients in another order. It is Q, K, V.",
        ("return dQ, dK, dV", "return dV, dQ, dK"),
    ),
    (
        "nan_for_an_empty_row",
        "A row that sees nothing gives NaN: you divide by the sum of its weights, which is 0.",
        (
            "average = (A * by_weight).sum(axis=-1, keepdims=True)",
            "average = (A * by_weight).sum(axis=-1, keepdims=True) / A.sum(axis=-1, keepdims=True)",
        ),
    ),
    (
        "recomputed_without_mask",
        "You computed the weights again from Q and K, without the mask. The weights that were handed in have its zeros.",
        (
            "by_weight = G @ turn(V)",
            "A = softmax(Q @ turn(K) / root)\n    by_weight = G @ turn(V)",
        ),
    ),
]:
    wrong("attention_backward", name, sentence, BACKWARD, *swaps)
wrong(
    "attention_backward",
    "plain_transpose",
    "`.T` turns all axes around. With leading axes only the last two may be exchanged.",
    BACKWARD,
    ("np.swapaxes(table, -1, -2)", "table.T"),
    unnamed=True,
)
right("attention_backward", "four_products", BACKWARD)
right(
    "attention_backward",
    "average_from_the_output",
    BACKWARD,
    ("(A * by_weight).sum(axis=-1, keepdims=True)", "(G * (A @ V)).sum(axis=-1, keepdims=True)"),
)
right(
    "attention_backward",
    "einsum",
    """
def attention_backward(G, Q, K, V, A):
    worth = np.einsum("...iv,...jv->...ij", G, V)
    S = A * worth
    S = (S - A * S.sum(-1)[..., None]) * Q.shape[-1] ** -0.5
    return (
        np.einsum("...ij,...jm->...im", S, K),
        np.einsum("...ij,...im->...jm", S, Q),
        np.einsum("...ij,...iv->...jv", A, G),
    )
""",
)
right(
    "attention_backward",
    "whole_jacobian",
    """
def attention_backward(G, Q, K, V, A):
    J = A[..., None] * np.eye(A.shape[-1]) - A[..., :, None] * A[..., None, :]
    worth = G @ np.swapaxes(V, -1, -2)
    by_score = (J @ worth[..., None])[..., 0] / np.sqrt(K.shape[-1])
    return by_score @ K, np.swapaxes(by_score, -1, -2) @ Q, np.swapaxes(A, -1, -2) @ G
""",
)
right(
    "attention_backward",
    "row_by_row",
    """
def attention_backward(G, Q, K, V, A):
    dQ, dK, dV = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(V.shape)
    for i in range(Q.shape[-2]):
        a, g, q = A[..., i, :], G[..., i, :], Q[..., i, :]
        worth = (V * g[..., None, :]).sum(axis=-1)
        s = a * (worth - (a * worth).sum(axis=-1, keepdims=True)) / np.sqrt(Q.shape[-1])
        dQ[..., i, :] = (s[..., None] * K).sum(axis=-2)
        dK = dK + s[..., None] * q[..., None, :]
        dV = dV + a[..., None] * g[..., None, :]
    return dQ, dK, dV
""",
)

# ---------------------------------------------------------------- gradient_check
CHECK = """
def gradient_check(f, x, claimed):
    x = np.array(x, dtype=float)
    eps = 1e-5
    found = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        keep = x[at]
        x[at] = keep + eps
        up = f(x.copy())
        x[at] = keep - eps
        down = f(x.copy())
        x[at] = keep
        found[at] = (up - down) / (2 * eps)
    size = max(np.abs(found).max(), np.abs(claimed).max())
    if size < 1e-9:
        return None
    return bool(np.abs(found - claimed).max() <= 1e-5 * np.abs(found).max())
"""
VERDICT = "bool(np.abs(found - claimed).max() <= 1e-5 * np.abs(found).max())"
NOTHING = "    if size < 1e-9:\n        return None\n"
for name, sentence, *swaps in [
    (
        "always_true",
        "Your check lets every claim pass.",
        ("return bool(", "return True or bool("),
    ),
    (
        "never_nothing",
        "Where all slopes and all claims are 0 your check gives a verdict. It proves nothing there: None.",
        (NOTHING, ""),
    ),
    (
        "nothing_whenever_flat",
        "Where all slopes are 0 a claim that is not 0 is wrong: False. None is for the case in which the claims are 0 as well.",
        ("size = max(np.abs(found).max(), np.abs(claimed).max())", "size = np.abs(found).max()"),
    ),
    (
        "nothing_whenever_the_claim_is_0",
        "A claim of 0 where the slopes are not 0 is wrong: False. None is for the case in which the slopes are 0 as well.",
        ("size = max(np.abs(found).max(), np.abs(claimed).max())", "size = np.abs(claimed).max()"),
    ),
    (
        "nothing_if_one_entry_is_0",
        "You return None as soon as one slope is 0. The other entries can still be checked.",
        ("size = max(np.abs(found).max(), np.abs(claimed).max())", "size = np.abs(found).min()"),
    ),
    (
        "sign_ignored",
        "You compared sizes: a claim of the opposite sign passes.",
        ("np.abs(found - claimed)", "np.abs(np.abs(found) - np.abs(claimed))"),
    ),
    (
        "direction_only",
        "You compared directions: a claim with a wrong factor passes.",
        (
            VERDICT,
            "bool((found * claimed).sum() > 0.999999 * np.linalg.norm(found) * np.linalg.norm(claimed))",
        ),
    ),
    (
        "lengths_only",
        "You compared lengths: right numbers in wrong places, or with wrong signs, pass.",
        (
            VERDICT,
            "bool(abs(np.linalg.norm(found) - np.linalg.norm(claimed)) <= 1e-5 * np.linalg.norm(found))",
        ),
    ),
    (
        "sums_only",
        "You compared sums over all entries: right numbers in the wrong places pass.",
        (VERDICT, "bool(abs(found.sum() - np.sum(claimed)) <= 1e-5 * np.abs(found).max())"),
    ),
    (
        "average_error",
        "You took the mean of the errors with their signs, or too loose a bound: one wrong entry must not pass.",
        (VERDICT, "bool(np.abs(found - claimed).mean() <= 0.02 * np.abs(found).max())"),
    ),
    (
        "first_entry_only",
        "You looked at the first entry only.",
        (VERDICT, "bool(abs(found - claimed).flat[0] <= 1e-5 * np.abs(found).max())"),
    ),
    (
        "first_row_only",
        "In a table you looked at the first row only.",
        (
            VERDICT,
            "bool(np.abs(found - claimed)[:1].max() <= 1e-5 * np.abs(found).max() if found.ndim > 1 else np.abs(found - claimed).max() <= 1e-5 * np.abs(found).max())",
        ),
    ),
    (
        "absolute_bound",
        "Your bound is a fixed number. Slopes in the hundreds need a wider one: relative to the largest slope.",
        (VERDICT, "bool(np.abs(found - claimed).max() <= 1e-9)"),
    ),
    (
        "loose_bound",
        "Your bound is too loose: a claim that is off by a few hundredths of a percent must not pass.",
        (VERDICT, "bool(np.abs(found - claimed).max() <= 1e-3 * np.abs(found).max())"),
    ),
    (
        "any_for_all",
        "One right entry was enough for you. All must be right.",
        (VERDICT, "bool((np.abs(found - claimed) <= 1e-5 * np.abs(found).max()).any())"),
    ),
    (
        "each_against_itself",
        "You measured each error by its own slope: where a slope is rightly 0, rounding alone is too much. Measure by the largest slope.",
        (VERDICT, "bool((np.abs(found - claimed) <= 1e-5 * np.abs(found)).all())"),
    ),
    (
        "one_sided",
        "Your differences are one-sided: their error is of first order in the step, too much where f is curved. Move both ways.",
        ("(up - down) / (2 * eps)", "(up - f(x.copy())) / eps"),
    ),
    (
        "fixed_bound",
        "Your bound is a fixed number: where slopes are small, a claim that is off by a percent passes. Measure by the largest slope.",
        (VERDICT, "bool(np.abs(found - claimed).max() <= 1e-5 * max(1, np.abs(found).max()))"),
    ),
    (
        "moved_all_at_once",
        "You moved all entries at once: that gives one slope along the diagonal, not one for each entry.",
        (
            "x[at] = keep + eps\n        up = f(x.copy())\n        x[at] = keep - eps\n        down = f(x.copy())",
            "up, down = f(x + eps), f(x - eps)",
        ),
    ),
    (
        "whole_step",
        "You moved both ways and divided by one step: your slopes are twice as large.",
        ("(2 * eps)", "eps"),
    ),
    (
        "one_sided_and_coarse",
        "Your differences are too coarse: right claims do not pass. Move both ways, by about 1e-5.",
        ("eps = 1e-5\n", "eps = 0.05\n"),
    ),
    (
        "step_too_small",
        "Your step is so small that rounding swallows the difference: right claims do not pass. Take about 1e-5.",
        ("eps = 1e-5\n", "eps = 1e-14\n"),
    ),
    (
        "step_of_1e-8",
        "Right claims do not pass where the slopes are small beside f: your step is so small that rounding shows. Take about 1e-5.",
        ("eps = 1e-5\n", "eps = 1e-8\n"),
    ),
    (
        "allclose_as_it_comes",
        "Your bound has a fixed part, as np.allclose has unless it is told otherwise (1e-8): where all slopes are very small, wrong claims pass. Measure by the largest slope.",
        (VERDICT, "bool(np.allclose(found, claimed))"),
    ),
    (
        "whole_numbers_stay_whole",
        "With whole numbers your step is rounded away: turn x into floats first.",
        ("x = np.array(x, dtype=float)", "x = np.array(x)"),
    ),
]:
    wrong("gradient_check", name, sentence, CHECK, *swaps)
right("gradient_check", "one_place_after_another", CHECK)
right(
    "gradient_check",
    "steps_from_an_identity",
    """
def gradient_check(f, x, claimed):
    x = np.asarray(x, dtype=float)
    steps = 1e-5 * np.eye(x.size).reshape(x.size, *x.shape)
    slopes = np.array([(f(x + step) - f(x - step)) / 2e-5 for step in steps]).reshape(x.shape)
    if np.all(np.abs(slopes) < 1e-9) and np.all(np.abs(claimed) < 1e-9):
        return None
    return bool(np.all(np.abs(slopes - claimed) <= 1e-5 * np.max(np.abs(slopes))))
""",
)
right(
    "gradient_check",
    "five_points",
    """
def gradient_check(f, x, claimed):
    base = np.array(x, dtype=float)
    slopes = []
    for i in range(base.size):
        def at(step):
            moved = base.copy()
            moved.reshape(-1)[i] += step
            return f(moved)
        h = 1e-3
        slopes.append((8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h))
    slopes, claims = np.array(slopes), np.asarray(claimed, dtype=float).ravel()
    if max(map(abs, [*slopes, *claims])) < 1e-9:
        return None
    return all(abs(s - c) <= 2e-5 * max(abs(slopes)) for s, c in zip(slopes, claims))
""",
)
right(
    "gradient_check",
    "numpy_verdict",
    CHECK,
    (VERDICT, "np.allclose(found, claimed, rtol=0, atol=1e-5 * np.abs(found).max())"),
)

# ---------------------------------------------------------------- adam_step
ADAM = """
def adam_step(w, g, mean, square, t, rate):
    mean = 0.9 * mean + 0.1 * g
    square = 0.999 * square + 0.001 * g**2
    first = mean / (1 - 0.9**t)
    second = square / (1 - 0.999**t)
    w = w - rate * first / (np.sqrt(second) + 1e-8)
    return w, mean, square
"""
FIRST, SECOND = "mean / (1 - 0.9**t)", "square / (1 - 0.999**t)"
for name, sentence, *swaps in [
    (
        "nothing_corrected",
        "You did not correct the averages: at the first steps they are far too small.",
        (FIRST, "mean"),
        (SECOND, "square"),
    ),
    (
        "mean_not_corrected",
        "You corrected the square and not the mean.",
        (FIRST, "mean"),
    ),
    (
        "square_not_corrected",
        "You corrected the mean and not the square.",
        (SECOND, "square"),
    ),
    (
        "corrected_by_multiplying",
        "You multiplied by the factor by which the averages are too small. Divide by it.",
        (FIRST, "mean * (1 - 0.9**t)"),
        (SECOND, "square * (1 - 0.999**t)"),
    ),
    (
        "one_factor_for_both",
        "You corrected both averages by the same factor: the square fills up more slowly, with 0.999.",
        (SECOND, "square / (1 - 0.9**t)"),
    ),
    (
        "corrected_as_at_step_1",
        "You correct at every step as at the first one. The averages fill up: the factor is 1 − 0.9 to the power of t.",
        (FIRST, "mean / (1 - 0.9)"),
        (SECOND, "square / (1 - 0.999)"),
    ),
    (
        "factor_linear_in_t",
        "Your factor grows in proportion to t. What is missing to 1 shrinks by 0.9 at each step: a power.",
        (FIRST, "mean / min(0.1 * t, 1)"),
        (SECOND, "square / min(0.001 * t, 1)"),
    ),
    (
        "one_step_late",
        "Your correction is one step late: t is counted from 1, and after step t the power is t.",
        (FIRST, "mean / (1 - 0.9 ** (t + 1))"),
        (SECOND, "square / (1 - 0.999 ** (t + 1))"),
    ),
    (
        "corrected_averages_kept",
        "You return the corrected averages. They are corrected for the step only, and kept as they are.",
        ("return w, mean, square", "return w, first, second"),
    ),
    (
        "old_averages_returned",
        "You return the averages from before the step.",
        (
            "def adam_step(w, g, mean, square, t, rate):\n",
            "def adam_step(w, g, mean, square, t, rate):\n    old = mean, square\n",
        ),
        ("return w, mean, square", "return w, *old"),
    ),
    (
        "averages_exchanged",
        "You return the averages in the other order. After the weights comes the mean, then the square.",
        ("return w, mean, square", "return w, square, mean"),
    ),
    (
        "old_averages_used",
        "Your step uses the averages from before this gradient.",
        (FIRST, "(mean - 0.1 * g) / 0.9 / (1 - 0.9**t)"),
        (SECOND, "(square - 0.001 * g**2) / 0.999 / (1 - 0.999**t)"),
    ),
    (
        "uphill",
        "You go uphill: the step is against the gradient.",
        ("w - rate", "w + rate"),
    ),
    (
        "no_root",
        "You divided by the square itself. Divide by its root.",
        ("np.sqrt(second)", "second"),
    ),
    (
        "small_number_inside_the_root",
        "You added 1e-8 under the root. It is added to the root.",
        ("(np.sqrt(second) + 1e-8)", "np.sqrt(second + 1e-8)"),
    ),
    (
        "no_small_number",
        "You left out the 1e-8: a weight whose gradients were all 0 gives NaN.",
        (" + 1e-8", ""),
    ),
    (
        "shares_exchanged",
        "You exchanged the shares of old and new: 0.9 of the old mean, 0.1 of the gradient.",
        ("0.9 * mean + 0.1 * g", "0.1 * mean + 0.9 * g"),
        ("0.999 * square + 0.001 * g**2", "0.001 * square + 0.999 * g**2"),
    ),
    (
        "gradient_added_whole",
        "You added the whole gradient to 0.9 of the mean. It gets the share 0.1.",
        ("0.1 * g\n", "g\n"),
    ),
    (
        "gradient_not_squared",
        "Your second average is of the gradient, not of its square.",
        ("0.001 * g**2", "0.001 * np.abs(g)"),
    ),
    (
        "square_of_the_mean",
        "Your second average takes the square of the mean. It is the mean of the squares.",
        ("0.001 * g**2", "0.001 * mean**2"),
    ),
    (
        "gradient_in_place_of_the_mean",
        "Your step uses the gradient itself. The numerator is the corrected mean.",
        (FIRST, "g"),
    ),
    (
        "sign_only",
        "You move by the sign of the gradient. That is right at step 1 only.",
        ("rate * first / (np.sqrt(second) + 1e-8)", "rate * np.sign(g)"),
    ),
    (
        "plain_step",
        "You made the plain step, rate times gradient.",
        ("rate * first / (np.sqrt(second) + 1e-8)", "rate * g"),
    ),
]:
    wrong("adam_step", name, sentence, ADAM, *swaps)
right("adam_step", "as_told", ADAM)
right(
    "adam_step",
    "differences",
    """
def adam_step(w, g, mean, square, t, rate):
    mean = mean + (g - mean) / 10
    square = square + (np.square(g) - square) / 1000
    m, s = mean / -np.expm1(t * np.log(0.9)), square / -np.expm1(t * np.log(0.999))
    return w - rate * m / (s**0.5 + 1e-8), mean, square
""",
)
right(
    "adam_step",
    "rate_corrected_first",
    """
def adam_step(w, g, mean, square, t, rate):
    first = np.multiply(0.9, mean) + np.multiply(0.1, g)
    second = np.multiply(0.999, square) + 0.001 * g * g
    root = np.sqrt(1 - 0.999**t)
    return w - (rate * root / (1 - 0.9**t)) * first / (np.sqrt(second) + 1e-8 * root), first, second
""",
)
right(
    "adam_step",
    "entry_by_entry",
    """
def adam_step(w, g, mean, square, t, rate):
    new = [np.array(table, dtype=float) for table in (w, mean, square)]
    for at in np.ndindex(np.shape(w)):
        new[1][at] = 0.9 * mean[at] + 0.1 * g[at]
        new[2][at] = 0.999 * square[at] + 0.001 * g[at] * g[at]
        move = new[1][at] / (1 - 0.9**t) / (np.sqrt(new[2][at] / (1 - 0.999**t)) + 1e-8)
        new[0][at] = w[at] - rate * move
    return tuple(new)
""",
)
