"""Chapter 1: what learners write for the soft lookup, raw self-attention and the heads set by hand."""

from autograde.mistakes import Right, Wrong

CATALOGUE = [
    # ------------------------------------------------------------ soft_lookup
    Wrong(
        "soft_lookup",
        "argmax",
        "You took the value of the best key alone. That is the lookup for infinite sharpness; here every value counts with its weight.",
        """
def soft_lookup(query, keys, values, sharpness):
    return values[np.argmax(keys @ query)]
""",
    ),
    Wrong(
        "soft_lookup",
        "plain_mean",
        "You returned the mean of all values. That is right for sharpness 0 only; the weights must follow the scores.",
        """
def soft_lookup(query, keys, values, sharpness):
    return values.mean(axis=0)
""",
    ),
    Wrong(
        "soft_lookup",
        "sharpness_ignored",
        "The sharpness has no effect in your answer. It multiplies the scores before the exponential; a factor on the weights cancels when you divide by their sum.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(keys @ query)
    return positive @ values / positive.sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "sharpness_divides",
        "You divided the scores by the sharpness. That is a temperature; the sharpness multiplies.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(keys @ query / sharpness)
    return positive @ values / positive.sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "sharpness_outside_top",
        "You multiplied the answer by the sharpness. It belongs inside the exponential, as a factor of the scores.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(keys @ query)
    weights = sharpness * positive / positive.sum()
    return weights @ values
""",
    ),
    Wrong(
        "soft_lookup",
        "sharpness_above_only",
        "The sharpness is in your numerator but not in the sum you divide by, so the weights do not sum to 1. Both use the same exponentials.",
        """
def soft_lookup(query, keys, values, sharpness):
    scores = keys @ query
    weights = np.exp(sharpness * scores) / np.exp(scores).sum()
    return weights @ values
""",
    ),
    Wrong(
        "soft_lookup",
        "power_of_weights",
        "You raised the finished weights to the power of the sharpness; after that they no longer sum to 1. Sharpen the scores first, then divide by the sum.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(keys @ query)
    weights = (positive / positive.sum()) ** sharpness
    return weights @ values
""",
    ),
    Wrong(
        "soft_lookup",
        "not_normalised",
        "Your weights do not sum to 1: you forgot to divide the exponentials by their sum.",
        """
def soft_lookup(query, keys, values, sharpness):
    return np.exp(sharpness * (keys @ query)) @ values
""",
    ),
    Wrong(
        "soft_lookup",
        "divided_by_count",
        "You divided by the number of entries. Divide by the sum of the exponentials, or the weights do not sum to 1.",
        """
def soft_lookup(query, keys, values, sharpness):
    return np.exp(sharpness * (keys @ query)) @ values / len(keys)
""",
    ),
    Wrong(
        "soft_lookup",
        "divided_by_sum_of_scores",
        "You divided by the sum of the scores. Divide by the sum of their exponentials.",
        """
def soft_lookup(query, keys, values, sharpness):
    scores = sharpness * (keys @ query)
    return np.exp(scores) @ values / scores.sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "no_exponential",
        "You used the scores themselves as weights. They can be negative; take the exponential first, as in (1.3).",
        """
def soft_lookup(query, keys, values, sharpness):
    scores = sharpness * (keys @ query)
    return scores @ values / scores.sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "raw_scores",
        "You mixed the values with the bare scores: both the exponential and the division by the sum are missing.",
        """
def soft_lookup(query, keys, values, sharpness):
    return sharpness * (keys @ query) @ values
""",
    ),
    Wrong(
        "soft_lookup",
        "returns_weights",
        "You returned the weights. One step is missing: the weighted sum of the rows of values.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(sharpness * (keys @ query))
    return positive / positive.sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "mixes_keys",
        "You mixed the keys. The keys are for finding; what is handed over are the values.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(sharpness * (keys @ query))
    return positive @ keys / positive.sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "no_final_sum",
        "You multiplied each value by its weight and did not add up. The answer is one row, the sum over the entries.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(sharpness * (keys @ query))
    weights = positive / positive.sum()
    return weights[:, None] * values
""",
    ),
    Wrong(
        "soft_lookup",
        "sum_over_wrong_axis",
        "You added up over the features of a value. Add over the entries, axis 0, so that one number per feature is left.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(sharpness * (keys @ query))
    weights = positive / positive.sum()
    return (weights[:, None] * values).sum(axis=1)
""",
    ),
    Wrong(
        "soft_lookup",
        "distance",
        "You scored by distance. Here the score is the dot product of query and key.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(-sharpness * ((keys - query) ** 2).sum(axis=1))
    return positive @ values / positive.sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "cosine",
        "You divided the scores by the lengths of the vectors. Here the score is the plain dot product.",
        """
def soft_lookup(query, keys, values, sharpness):
    scores = keys @ query / np.linalg.norm(keys, axis=1) / np.linalg.norm(query)
    positive = np.exp(sharpness * scores)
    return positive @ values / positive.sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "scaled_early",
        "You divided the scores by √d_k. That is chapter 4; here the score is the plain dot product.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(sharpness * (keys @ query) / np.sqrt(len(query)))
    return positive @ values / positive.sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "absolute_scores",
        "You took absolute values of the scores. A negative score means disagreement and must get less weight than 0.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(sharpness * np.abs(keys @ query))
    return positive @ values / positive.sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "minus_sign",
        "Your sign is turned: the entry with the lowest score gets the most weight. It is exp(+ sharpness · score).",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(-sharpness * (keys @ query))
    return positive @ values / positive.sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "changes_values",
        "You multiplied into the caller's values with *=. Make a new array: weights[:, None] * values, or weights @ values.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(sharpness * (keys @ query))
    values *= (positive / positive.sum())[:, None]
    return values.sum(axis=0)
""",
    ),
    Wrong(
        "soft_lookup",
        "no_return",
        "Your function returns nothing: the answer is computed and thrown away. End with a return.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(sharpness * (keys @ query))
    answer = positive @ values / positive.sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "sharpness_after_exp",
        "You multiplied the exponentials by the sharpness. There it cancels when you divide by their sum, and at 0 it leaves 0/0. It multiplies the scores, inside the exponential.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = sharpness * np.exp(keys @ query)
    return positive @ values / positive.sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "row_kept",
        "Your numbers are right, but the answer is a table with one row, shape (1, d_v). One query gives one answer of shape (d_v,): use keys @ query.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(sharpness * (query[None, :] @ keys.T))
    return positive @ values / positive.sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "mean_of_weighted",
        "You took the mean of the weighted values. The weights already divide: add up.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(sharpness * (keys @ query))
    weights = positive / positive.sum()
    return (weights[:, None] * values).mean(axis=0)
""",
    ),
    Wrong(
        "soft_lookup",
        "integer_answer",
        "With whole numbers in the input, the answer must still be floats (np.zeros_like copies the integer type).",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(sharpness * (keys @ query))
    weights = positive / positive.sum()
    answer = np.zeros_like(values[0])
    for c in range(len(answer)):
        answer[c] = weights @ values[:, c]
    return answer
""",
        unnamed=True,
    ),
    Right(
        "soft_lookup",
        "loop",
        """
def soft_lookup(query, keys, values, sharpness):
    total, mixed = 0.0, np.zeros(values.shape[1])
    for k, v in zip(keys, values):
        p = np.exp(sharpness * np.dot(query, k))
        total += p
        mixed += p * v
    return mixed / total
""",
    ),
    Right(
        "soft_lookup",
        "sharpened_query",
        """
def soft_lookup(query, keys, values, sharpness):
    scores = (sharpness * query) @ keys.T
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    return np.einsum("j,jv->v", weights, values)
""",
    ),
    Right(
        "soft_lookup",
        "by_differences",
        """
def soft_lookup(query, keys, values, sharpness):
    s = keys @ query
    weights = 1 / np.exp(-sharpness * (s[:, None] - s[None, :])).sum(axis=1)
    return values.T @ weights
""",
    ),
    Right(
        "soft_lookup",
        "power_then_divided",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(keys @ query) ** sharpness
    return (positive[:, None] * values).sum(axis=0) / positive.sum()
""",
    ),
    Right(
        "soft_lookup",
        "average_as_list",
        """
def soft_lookup(query, keys, values, sharpness):
    return list(np.average(values, axis=0, weights=np.exp(sharpness * (keys @ query))))
""",
    ),
    # ------------------------------------------------------------ self_attention_raw
    Wrong(
        "self_attention_raw",
        "softmax_over_columns",
        # for these symmetric scores, forgetting keepdims and transposing the weights give the same numbers
        "Your weights sum to 1 down each column. It is each row that must sum to 1: sum over axis=1 with keepdims=True (without keepdims the division runs along the wrong axis), and do not transpose the weights.",
        """
def self_attention_raw(X):
    positive = np.exp(X @ X.T)
    weights = positive / positive.sum(axis=0, keepdims=True)
    return weights @ X
""",
    ),
    Wrong(
        "self_attention_raw",
        "softmax_over_everything",
        "You divided by the sum of the whole table. Every row has a sum of its own and must sum to 1 by itself.",
        """
def self_attention_raw(X):
    positive = np.exp(X @ X.T)
    return positive / positive.sum() @ X
""",
    ),
    Wrong(
        "self_attention_raw",
        "not_normalised",
        "Your rows of weights do not sum to 1: you forgot to divide the exponentials by the sum of their row.",
        """
def self_attention_raw(X):
    return np.exp(X @ X.T) @ X
""",
    ),
    Wrong(
        "self_attention_raw",
        "no_exponential",
        "You mixed with the bare scores: the softmax is missing.",
        """
def self_attention_raw(X):
    return X @ X.T @ X
""",
    ),
    Wrong(
        "self_attention_raw",
        "scores_divided",
        "You divided the scores by their row sum without taking the exponential first. Scores can be negative or sum to 0.",
        """
def self_attention_raw(X):
    scores = X @ X.T
    return scores / scores.sum(axis=1, keepdims=True) @ X
""",
    ),
    Wrong(
        "self_attention_raw",
        "returns_weights",
        "You returned the weights. One step is missing: weights times X.",
        """
def self_attention_raw(X):
    positive = np.exp(X @ X.T)
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "self_attention_raw",
        "returns_scores",
        "You returned the scores X Xᵀ. The softmax of each row and the product with X are missing.",
        """
def self_attention_raw(X):
    return X @ X.T
""",
    ),
    Wrong(
        "self_attention_raw",
        "argmax",
        "You took, for each word, the best word alone. Every word counts with its weight; argmax is the limit of infinite sharpness.",
        """
def self_attention_raw(X):
    return X[np.argmax(X @ X.T, axis=1)]
""",
    ),
    Wrong(
        "self_attention_raw",
        "features_ask",
        "You computed Xᵀ X, so the features ask each other. Words are rows: the scores are X Xᵀ, of shape (n, n).",
        """
def self_attention_raw(X):
    positive = np.exp(X.T @ X)
    return X @ (positive / positive.sum(axis=1, keepdims=True))
""",
    ),
    Wrong(
        "self_attention_raw",
        "softmax_of_the_words",
        "You took the softmax of X itself. It belongs to the scores X Xᵀ; the words are mixed as they are.",
        """
def self_attention_raw(X):
    positive = np.exp(X)
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "self_attention_raw",
        "scaled_early",
        "You divided the scores by √d. That is chapter 4; here the scores are the plain dot products.",
        """
def self_attention_raw(X):
    positive = np.exp(X @ X.T / np.sqrt(X.shape[1]))
    return positive / positive.sum(axis=1, keepdims=True) @ X
""",
    ),
    Wrong(
        "self_attention_raw",
        "cosine",
        "You divided by the lengths of the words. The scores are plain dot products, lengths included.",
        """
def self_attention_raw(X):
    length = np.linalg.norm(X, axis=1, keepdims=True)
    U = X / np.where(length == 0, 1, length)
    positive = np.exp(U @ U.T)
    return positive / positive.sum(axis=1, keepdims=True) @ X
""",
    ),
    Wrong(
        "self_attention_raw",
        "uniform",
        "You returned the mean of all words in every row. The weights must follow the scores.",
        """
def self_attention_raw(X):
    return np.repeat(X.mean(axis=0, keepdims=True), len(X), axis=0)
""",
    ),
    Wrong(
        "self_attention_raw",
        "not_itself",
        "You left out the word itself. In (1.10) the sum runs over all words, i = j included.",
        """
def self_attention_raw(X):
    positive = np.exp(X @ X.T)
    if len(X) > 1:
        np.fill_diagonal(positive, 0)
    return positive / positive.sum(axis=1, keepdims=True) @ X
""",
    ),
    Wrong(
        "self_attention_raw",
        "residual_added",
        "You added X to the result. That is a residual connection, chapter 9; here the mixture alone is wanted.",
        """
def self_attention_raw(X):
    positive = np.exp(X @ X.T)
    return X + positive / positive.sum(axis=1, keepdims=True) @ X
""",
    ),
    Wrong(
        "self_attention_raw",
        "overwrites_words",
        "You wrote the new words into X while later words still ask the old ones. Collect the results in a new array.",
        """
def self_attention_raw(X):
    for i in range(len(X)):
        positive = np.exp(X @ X[i])
        X[i] = positive @ X / positive.sum()
    return X
""",
    ),
    Wrong(
        "self_attention_raw",
        "changes_input",
        "Your result is right, but X[:] = … writes it into the caller's array. Return a new array and leave X as it is.",
        """
def self_attention_raw(X):
    positive = np.exp(X @ X.T)
    X[:] = positive / positive.sum(axis=1, keepdims=True) @ X
    return X
""",
    ),
    Wrong(
        "self_attention_raw",
        "no_return",
        "Your function returns nothing: end it with a return.",
        """
def self_attention_raw(X):
    positive = np.exp(X @ X.T)
    Y = positive / positive.sum(axis=1, keepdims=True) @ X
""",
    ),
    Wrong(
        "self_attention_raw",
        "distance",
        "You scored by distance. Here the score of two words is their dot product.",
        """
def self_attention_raw(X):
    positive = np.exp(-((X[:, None] - X[None]) ** 2).sum(-1))
    return positive / positive.sum(axis=1, keepdims=True) @ X
""",
    ),
    Wrong(
        "self_attention_raw",
        "itself_times_zero",
        "You left out the word itself. In (1.10) the sum runs over all words, i = j included.",
        """
def self_attention_raw(X):
    positive = np.exp(X @ X.T) * (1 - np.eye(len(X)))
    return positive / positive.sum(axis=1, keepdims=True) @ X
""",
    ),
    Wrong(
        "self_attention_raw",
        "earlier_words_only",
        "You let each word see the earlier ones only. That is chapter 7; here every word asks all words.",
        """
def self_attention_raw(X):
    positive = np.tril(np.exp(X @ X.T))
    return positive / positive.sum(axis=1, keepdims=True) @ X
""",
    ),
    Wrong(
        "self_attention_raw",
        "integer_table",
        "With whole numbers in the input, the result must still be a table of floats (np.zeros_like copies the integer type).",
        """
def self_attention_raw(X):
    out = np.zeros_like(X)
    for i, x in enumerate(X):
        positive = np.exp(X @ x)
        out[i] = positive @ X / positive.sum()
    return out
""",
        unnamed=True,
    ),
    Right(
        "self_attention_raw",
        "word_by_word",
        """
def self_attention_raw(X):
    out = np.zeros(X.shape)
    for i, x in enumerate(X):
        p = np.exp([np.dot(x, other) for other in X])
        out[i] = sum(share * other for share, other in zip(p / p.sum(), X))
    return out
""",
    ),
    Right(
        "self_attention_raw",
        "stable_softmax",
        """
def self_attention_raw(X):
    S = np.einsum("id,jd->ij", X, X)
    S = S - S.max(axis=1)[:, None]
    A = np.exp(S)
    A /= A.sum(axis=1)[:, None]
    return A @ X
""",
    ),
    Right(
        "self_attention_raw",
        "divided_last",
        """
def self_attention_raw(X):
    E = np.exp(X @ X.T)
    return (E @ X) / E.sum(axis=-1, keepdims=True)
""",
    ),
    Right(
        "self_attention_raw",
        "columns_and_back",
        """
def self_attention_raw(X):
    E = np.exp(X @ X.T)
    return (E / E.sum(axis=0)).T @ X
""",
    ),
    Right(
        "self_attention_raw",
        "uses_soft_lookup",
        """
def self_attention_raw(X):
    def lookup(q):
        p = np.exp(X @ q)
        return (p / p.sum()) @ X
    return [lookup(x) for x in X]
""",
    ),
    # ------------------------------------------------------------ hand_set_head
    Wrong(
        "hand_set_head",
        "returns_scores",
        "You returned the scores. The softmax of each row is missing.",
        """
def hand_set_head(task, n, sharpness):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    return sharpness * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "hard_weights",
        "You gave weight to the positions asked for only. A score of 0 is not a weight of 0: every position gets exp(score), divided by the row's sum.",
        """
def hand_set_head(task, n, sharpness):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    return asked / asked.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "next_instead",
        "Your head looks at the next position. Position i asks for i − 1, one place left of the diagonal: np.eye(n, k=-1).",
        """
def hand_set_head(task, n, sharpness):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=1), "average": np.eye(n) + np.eye(n, k=1)}[task]
    asked[-1, -1] = 1
    positive = np.exp(sharpness * asked)
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "wraps_around",
        "Your first position looks at the last one: np.roll wraps around. It has no predecessor and asks for itself.",
        """
def hand_set_head(task, n, sharpness):
    itself = np.eye(n)
    before = np.roll(itself, -1, axis=1)
    asked = {"copy": itself, "previous": before, "average": np.maximum(itself, before)}[task]
    positive = np.exp(sharpness * asked)
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "first_row_empty",
        "Your first position treats all positions alike, so its weights are all equal. It has no predecessor and asks for itself.",
        """
def hand_set_head(task, n, sharpness):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    positive = np.exp(sharpness * asked)
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "rows_and_columns_swapped",
        "Your columns ask and your rows are asked. Row i belongs to the position that asks, column j to the one that is asked for. If you used np.eye, the shift is k=-1.",
        """
def hand_set_head(task, n, sharpness):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    positive = np.exp(sharpness * asked.T)
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "columns_normalised",
        "You divided by the sums of the columns. Each row must sum to 1: sum over axis=1 with keepdims=True.",
        """
def hand_set_head(task, n, sharpness):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    positive = np.exp(sharpness * asked)
    return positive / positive.sum(axis=0, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "keepdims_forgotten",
        "Your row sums have shape (n,), so the division runs along the columns. Keep the axis: sum(axis=1, keepdims=True).",
        """
def hand_set_head(task, n, sharpness):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    positive = np.exp(sharpness * asked)
    return positive / positive.sum(axis=1)
""",
    ),
    Wrong(
        "hand_set_head",
        "mean_of_two_heads",
        "For “average” you took the mean of the weights of two heads. One head has one softmax: give both positions the score `sharpness`, then normalise.",
        """
def hand_set_head(task, n, sharpness):
    def head(asked):
        positive = np.exp(sharpness * asked)
        return positive / positive.sum(axis=1, keepdims=True)
    before = np.eye(n, k=-1)
    before[0, 0] = 1
    copy, previous = head(np.eye(n)), head(before)
    return {"copy": copy, "previous": previous, "average": (copy + previous) / 2}[task]
""",
    ),
    Wrong(
        "hand_set_head",
        "scores_halved",
        "For “average” you halved the scores. Both positions have the full score `sharpness`; the softmax does the sharing.",
        """
def hand_set_head(task, n, sharpness):
    itself, before = np.eye(n), np.eye(n, k=-1)
    before[0, 0] = 1
    asked = {"copy": itself, "previous": before, "average": (itself + before) / 2}[task]
    positive = np.exp(sharpness * asked)
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "first_asks_twice",
        "For “average” your first position asks for itself twice, with the score 2 · sharpness. Once is enough.",
        """
def hand_set_head(task, n, sharpness):
    itself, before = np.eye(n), np.eye(n, k=-1)
    before[0, 0] = 1
    asked = {"copy": itself, "previous": before, "average": itself + before}[task]
    positive = np.exp(sharpness * asked)
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "average_of_all_before",
        "For “average” you ask for all earlier positions. It is two: i and i − 1.",
        """
def hand_set_head(task, n, sharpness):
    before = np.eye(n, k=-1)
    before[0, 0] = 1
    asked = {"copy": np.eye(n), "previous": before, "average": np.tril(np.ones((n, n)))}[task]
    positive = np.exp(sharpness * asked)
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "average_both_sides",
        "For “average” you also ask for the next position. It is two: i and i − 1.",
        """
def hand_set_head(task, n, sharpness):
    before = np.eye(n, k=-1)
    before[0, 0] = 1
    three = np.eye(n) + np.eye(n, k=-1) + np.eye(n, k=1)
    asked = {"copy": np.eye(n), "previous": before, "average": three}[task]
    positive = np.exp(sharpness * asked)
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "first_sees_second",
        "For “average” your first position also asks for the second. It asks for itself only.",
        """
def hand_set_head(task, n, sharpness):
    before = np.eye(n, k=-1)
    before[0, 0] = 1
    two = np.eye(n) + np.eye(n, k=-1)
    if n > 1:
        two[0, 1] = 1
    asked = {"copy": np.eye(n), "previous": before, "average": two}[task]
    positive = np.exp(sharpness * asked)
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "not_normalised",
        "Your rows do not sum to 1: divide the exponentials by the sum of their row.",
        """
def hand_set_head(task, n, sharpness):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    return np.exp(sharpness * asked)
""",
    ),
    Wrong(
        "hand_set_head",
        "sharpness_ignored",
        "The sharpness has no effect: your scores are 1. A position asked for has the score `sharpness`; a factor outside the exponential cancels.",
        """
def hand_set_head(task, n, sharpness):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    positive = sharpness * np.exp(asked)
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "others_negative",
        "You gave the other positions the score −sharpness. Their score is 0.",
        """
def hand_set_head(task, n, sharpness):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    positive = np.exp(sharpness * (2 * asked - 1))
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "sharpness_not_exponentiated",
        "You put `sharpness` itself where its exponential belongs. Apply np.exp to the whole table of scores.",
        """
def hand_set_head(task, n, sharpness):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    positive = np.where(asked == 1, sharpness, 1.0)
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "two_back",
        "Your “previous” looks two positions back. np.eye(n, k=-1) is one place left of the diagonal.",
        """
def hand_set_head(task, n, sharpness):
    itself, before = np.eye(n), np.eye(n, k=-2)
    before[:2, 0] = 1
    asked = {"copy": itself, "previous": before, "average": np.maximum(itself, before)}[task]
    positive = np.exp(sharpness * asked)
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "no_return",
        "Your function returns nothing: end it with a return.",
        """
def hand_set_head(task, n, sharpness):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    positive = np.exp(sharpness * asked)
    weights = positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "next_unrepaired",
        "Your head looks at the next position, and the last one at nobody. Position i asks for i − 1: np.eye(n, k=-1).",
        """
def hand_set_head(task, n, sharpness):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=1), "average": np.eye(n) + np.eye(n, k=1)}[task]
    positive = np.exp(sharpness * asked)
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "sharpness_divides",
        "You divided by the sharpness. It is the score itself: it multiplies.",
        """
def hand_set_head(task, n, sharpness):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    positive = np.exp(asked / sharpness)
    return positive / positive.sum(axis=1, keepdims=True)
""",
    ),
    Wrong(
        "hand_set_head",
        "sum_of_the_table",
        "You divided by the sum of the whole table. Every row has a sum of its own.",
        """
def hand_set_head(task, n, sharpness):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    positive = np.exp(sharpness * asked)
    return positive / positive.sum()
""",
    ),
    Right(
        "hand_set_head",
        "by_index",
        """
def hand_set_head(task, n, sharpness):
    scores = np.zeros((n, n))
    for i in range(n):
        if task in ("copy", "average"):
            scores[i, i] = sharpness
        if task in ("previous", "average"):
            scores[i, max(i - 1, 0)] = sharpness
    E = np.exp(scores - scores.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True)
""",
    ),
    Right(
        "hand_set_head",
        "closed_form",
        """
def hand_set_head(task, n, sharpness):
    rows = []
    for i in range(n):
        asks = {"copy": {i}, "previous": {max(i - 1, 0)}, "average": {i, max(i - 1, 0)}}[task]
        bottom = len(asks) * np.exp(sharpness) + n - len(asks)
        rows.append([np.exp(sharpness) / bottom if j in asks else 1 / bottom for j in range(n)])
    return rows
""",
    ),
    Right(
        "hand_set_head",
        "distances",
        """
def hand_set_head(task, n, sharpness):
    i, j = np.indices((n, n))
    lag = i - j
    asked = {"copy": lag == 0, "previous": lag == 1, "average": (lag == 0) | (lag == 1)}[task]
    asked = asked | ((i == 0) & (j == 0))
    E = np.where(asked, np.exp(sharpness), 1.0)
    return E / E.sum(axis=1, keepdims=True)
""",
    ),
    Right(
        "hand_set_head",
        "queries_times_keys",
        """
def hand_set_head(task, n, sharpness):
    keys = np.eye(n)
    before = keys[np.maximum(np.arange(n) - 1, 0)]
    queries = {"copy": keys, "previous": before, "average": np.clip(keys + before, 0, 1)}[task]
    S = sharpness * queries @ keys.T
    return np.exp(S) / np.exp(S).sum(1)[:, None]
""",
    ),
]
