"""Chapter 1: what learners write for the soft lookup, the query for an answer, raw self-attention and the heads."""

from autograde.mistakes import Right, Wrong

CATALOGUE = [
    # ------------------------------------------------------------ soft_lookup
    Wrong(
        "soft_lookup",
        "argmax",
        "You took the value of the best key alone. That is the limit of growing sharpness (without ties); here every value counts with its weight.",
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
        "The sharpness has no effect in your answer: either it is left out, or it is a factor that cancels when you divide by the sum. It multiplies the scores before the exponential.",
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
        "You multiplied the finished weights, or the answer, by the sharpness. It belongs inside the exponential, as a factor of the scores.",
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
        "You divided the exponentials by the number of entries (or took their mean). Divide by their sum, or the weights do not sum to 1.",
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
        "Your sign is turned: the entry with the lowest score gets the most weight. It is exp(sharpness · score), without a minus.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(-sharpness * (keys @ query))
    return positive @ values / positive.sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "changes_values",
        "The answer is right, but the caller's values are overwritten, as *= does. Make a new array: weights[:, None] * values, or weights @ values.",
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
        "The sharpness has no effect in your answer, except that 0 gives 0/0: you multiplied the exponentials by it, and there it cancels when you divide by their sum. It multiplies the scores, inside the exponential.",
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
        "Your answer is the right one divided by the number of entries, as if you took the mean of the weighted values. The weights already divide: add up.",
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
    Wrong(
        "soft_lookup",
        "query_times_rows",
        "You computed query @ keys, which runs down the columns of keys. A score is the dot product of the query with one *row*: keys @ query.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(sharpness * (query @ keys))
    return positive @ values / positive.sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "values_times_weights",
        "You computed values @ weights, which sums along each row of values. Each *row* of values has one weight: weights @ values.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(sharpness * (keys @ query))
    return values @ (positive / positive.sum())
""",
    ),
    Wrong(
        "soft_lookup",
        "divided_by_length",
        "You divided by the length of the row of exponentials, the root of the sum of their squares. Divide by their sum, or the weights do not sum to 1.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(sharpness * (keys @ query))
    return positive / np.linalg.norm(positive) @ values
""",
    ),
    Wrong(
        "soft_lookup",
        "all_added_up",
        "You added up the numbers of the answer. The answer has one number for each column of values.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(sharpness * (keys @ query))
    return (positive[:, None] / positive.sum() * values).sum()
""",
    ),
    Wrong(
        "soft_lookup",
        "epsilon_below",
        "With sharpness times score near 80 or −80, the answer must still follow (1.4): nothing may be cut off or added to the sum.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(sharpness * (keys @ query))
    return positive @ values / (positive.sum() + 1e-9)
""",
        unnamed=True,
    ),
    Wrong(
        "soft_lookup",
        "clipped",
        "With sharpness times score near 80 or −80, the answer must still follow (1.4): nothing may be cut off or added to the sum.",
        """
def soft_lookup(query, keys, values, sharpness):
    positive = np.exp(np.clip(sharpness * (keys @ query), -30, 30))
    return positive @ values / positive.sum()
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
    Right(
        "soft_lookup",
        "single_precision",
        """
def soft_lookup(query, keys, values, sharpness):
    scores = np.float32(sharpness) * (keys.astype(np.float32) @ query.astype(np.float32))
    positive = np.exp(scores - scores.max())
    return (positive / positive.sum()) @ values.astype(np.float32)
""",
    ),
    # ------------------------------------------------------------ query_for
    Wrong(
        "query_for",
        "log_of_share",
        "You took the logarithm of the share. What a score difference fixes is the ratio of the two weights: share / (1 − share).",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    return np.log(share) / sharpness * d / (d @ d)
""",
    ),
    Wrong(
        "query_for",
        "odds_upside_down",
        "The answer to your query is mirrored: the two values added, minus what is wanted. Either the share is that of the other entry, or the odds stand upside down, or the difference of the keys does.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    return np.log((1 - share) / share) / sharpness * d / (d @ d)
""",
    ),
    Wrong(
        "query_for",
        "keys_turned_round",
        "The answer to your query is mirrored: the two values added, minus what is wanted. Either the share is that of the other entry, or the odds stand upside down, or the difference of the keys does.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[0] - keys[1]
    return np.log(share / (1 - share)) / sharpness * d / (d @ d)
""",
    ),
    Wrong(
        "query_for",
        "share_of_the_first",
        "The answer to your query is mirrored: the two values added, minus what is wanted. Either the share is that of the other entry, or the odds stand upside down, or the difference of the keys does.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (values[1] - wanted) / (values[1] - values[0])
    d = keys[1] - keys[0]
    return np.log(share / (1 - share)) / sharpness * d / (d @ d)
""",
    ),
    Wrong(
        "query_for",
        "one_axis",
        "The lookup answers what is wanted, but your query, along one axis only, is not the shortest. The shortest points along the difference of the two keys.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    query = np.zeros(len(d))
    m = np.argmax(d != 0)
    query[m] = np.log(share / (1 - share)) / sharpness / d[m]
    return query
""",
    ),
    Wrong(
        "query_for",
        "both_scores_fixed",
        "The lookup answers what is wanted, but your query is not the shortest: you also fixed the score of the first entry at 0. Only the difference of the two scores counts.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    scores = np.array([0.0, np.log(share / (1 - share)) / sharpness])
    return np.linalg.pinv(keys) @ scores
""",
    ),
    Wrong(
        "query_for",
        "length_not_squared",
        "You divided by the length of the difference of the keys. The dot product of a vector with itself is the length squared, so divide by that.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    return np.log(share / (1 - share)) / sharpness * d / np.linalg.norm(d)
""",
    ),
    Wrong(
        "query_for",
        "length_ignored",
        "Your query is a multiple of the difference of the keys, but of the wrong length: the number is not divided by the squared length of that difference.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    return np.log(share / (1 - share)) / sharpness * d
""",
    ),
    Wrong(
        "query_for",
        "divided_by_squared_twice",
        "You divided by the squared length of the difference twice, or by its fourth power. Once is enough.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    return np.log(share / (1 - share)) / sharpness * d / (d @ d) ** 2
""",
    ),
    Wrong(
        "query_for",
        "sharpness_multiplied",
        "You multiplied by the sharpness. The lookup multiplies your scores by it, so the query must be divided by it.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    return np.log(share / (1 - share)) * sharpness * d / (d @ d)
""",
    ),
    Wrong(
        "query_for",
        "sharpness_ignored",
        "The sharpness has no effect on your query. The sharper the lookup, the smaller the difference of scores that it needs.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    return np.log(share / (1 - share)) * d / (d @ d)
""",
    ),
    Wrong(
        "query_for",
        "no_logarithm",
        "You used the ratio of the two weights itself as the difference of the scores. It is the exponential of that difference: take the logarithm.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    return share / (1 - share) / sharpness * d / (d @ d)
""",
    ),
    Wrong(
        "query_for",
        "share_for_lead",
        "You used the share of the second entry itself as the difference of the scores. The difference is the logarithm of the ratio of the two weights.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    return share / sharpness * d / (d @ d)
""",
    ),
    Wrong(
        "query_for",
        "other_base",
        "Your logarithm has base 10. The softmax uses the base e: np.log.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    return np.log10(share / (1 - share)) / sharpness * d / (d @ d)
""",
    ),
    Wrong(
        "query_for",
        "base_two",
        "Your logarithm has base 2. The softmax uses the base e: np.log.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    return np.log2(share / (1 - share)) / sharpness * d / (d @ d)
""",
    ),
    Wrong(
        "query_for",
        "share_of_the_sum",
        "You took wanted / (sum of the values) for the share. How far the wanted answer lies between the two values is (wanted − first) / (second − first).",
        """
def query_for(wanted, keys, values, sharpness):
    share = wanted / (values[0] + values[1])
    d = keys[1] - keys[0]
    return np.log(share / (1 - share)) / sharpness * d / (d @ d)
""",
    ),
    Wrong(
        "query_for",
        "first_is_smaller",
        "You assumed that the first value is the smaller one. Where the second is smaller, the share is still (wanted − first) / (second − first).",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values.min()) / np.ptp(values)
    d = keys[1] - keys[0]
    return np.log(share / (1 - share)) / sharpness * d / (d @ d)
""",
    ),
    Wrong(
        "query_for",
        "mixes_keys",
        "You returned a mixture of the two keys with the wanted weights. The weights come from scores through the softmax: find the query whose scores lead to them.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    return (1 - share) * keys[0] + share * keys[1]
""",
    ),
    Wrong(
        "query_for",
        "second_key_only",
        "Your query points along the second key. The weights depend on the difference of the two scores, so on the difference of the keys.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1]
    return np.log(share / (1 - share)) / sharpness * d / (d @ d)
""",
    ),
    Wrong(
        "query_for",
        "score_returned",
        "You returned the difference of the scores, one number. A query has as many numbers as a key: the shortest with that dot product lies along the difference of the keys.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    return np.log(share / (1 - share)) / sharpness
""",
    ),
    Wrong(
        "query_for",
        "no_return",
        "Your function returns nothing: end it with a return.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    query = np.log(share / (1 - share)) / sharpness * d / (d @ d)
""",
    ),
    Wrong(
        "query_for",
        "changes_keys",
        "Your query is right, but the caller's keys are overwritten, as -= does. Put the difference into a new array.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1]
    d -= keys[0]
    return np.log(share / (1 - share)) / sharpness * d / (d @ d)
""",
    ),
    Wrong(
        "query_for",
        "integer_query",
        "With whole numbers in the input, the query must still be floats.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    query = np.zeros_like(d)
    query[:] = np.log(share / (1 - share)) / sharpness * d / (d @ d)
    return query
""",
        unnamed=True,
    ),
    Wrong(
        "query_for",
        "both_scores_as_logarithms",
        "The lookup answers what is wanted, but your query is not the shortest: you fixed both scores. Only the difference of the two scores counts.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    return np.linalg.pinv(keys) @ np.log([1 - share, share]) / sharpness
""",
    ),
    Wrong(
        "query_for",
        "along_the_second_key",
        "The lookup answers what is wanted, but your query, a multiple of the second key, is not the shortest. The shortest points along the difference of the two keys.",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    return np.log(share / (1 - share)) / sharpness * keys[1] / (keys[1] @ d)
""",
    ),
    Right(
        "query_for",
        "ratio_of_gaps",
        """
def query_for(wanted, keys, values, sharpness):
    lead = np.log((wanted - values[0]) / (values[1] - wanted)) / sharpness
    d = [float(b - a) for a, b in zip(keys[0], keys[1])]
    return [lead * x / sum(y * y for y in d) for x in d]
""",
    ),
    Right(
        "query_for",
        "pseudo_inverse",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    return np.linalg.pinv((keys[1] - keys[0])[None, :]) @ [np.log(share / (1 - share)) / sharpness]
""",
    ),
    Right(
        "query_for",
        "least_squares",
        """
def query_for(wanted, keys, values, sharpness):
    v, w = values
    lead = (np.log(abs(wanted - v)) - np.log(abs(w - wanted))) / sharpness
    return np.linalg.lstsq(np.diff(keys, axis=0), np.array([lead]), rcond=None)[0]
""",
    ),
    Right(
        "query_for",
        "hyperbolic",
        """
def query_for(wanted, keys, values, sharpness):
    middle, half = (values[0] + values[1]) / 2, (values[1] - values[0]) / 2
    d = keys[1] - keys[0]
    return 2 * np.arctanh((wanted - middle) / half) / sharpness * d / np.sum(d**2)
""",
    ),
    Right(
        "query_for",
        "unit_vector_first",
        """
def query_for(wanted, keys, values, sharpness):
    share = (wanted - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    length = np.linalg.norm(d)
    unit = d / length
    return -np.log(1 / share - 1) / (sharpness * length) * unit
""",
    ),
    Right(
        "query_for",
        "single_precision",
        """
def query_for(wanted, keys, values, sharpness):
    keys, values = keys.astype(np.float32), values.astype(np.float32)
    share = (np.float32(wanted) - values[0]) / (values[1] - values[0])
    d = keys[1] - keys[0]
    return np.float32(np.log(share / (1 - share)) / np.float32(sharpness)) * d / (d @ d)
""",
    ),
    # ------------------------------------------------------------ self_attention_raw
    Wrong(
        "self_attention_raw",
        "softmax_over_columns",
        "Your weights sum to 1 down each column; it is each row that must. Three ways lead here: a sum over axis=0, a sum over axis=1 without keepdims=True, or right weights transposed.",
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
        "Every row of your result is the mean of all words. The weights must follow the scores.",
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
        "You wrote the new words into X while later words still need the old ones. Collect the results in a new array.",
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
        "Your result is right, but it also overwrites the caller's X. Return a new array and leave X as it is.",
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
    Wrong(
        "self_attention_raw",
        "without_transpose",
        "You computed X @ X. The scores are the dot products of rows with rows: X @ X.T.",
        """
def self_attention_raw(X):
    positive = np.exp(X @ X)
    return positive / positive.sum(axis=1, keepdims=True) @ X
""",
    ),
    Wrong(
        "self_attention_raw",
        "keepdims_forgotten",
        "Your weights sum to 1 down each column; it is each row that must. Three ways lead here: a sum over axis=0, a sum over axis=1 without keepdims=True, or right weights transposed.",
        """
def self_attention_raw(X):
    positive = np.exp(X @ X.T)
    return positive / positive.sum(axis=1) @ X
""",
    ),
    Wrong(
        "self_attention_raw",
        "keys_are_the_mean",
        "You returned one row only: the answer to one query. Every row of X asks, so the result has as many rows as X.",
        """
def self_attention_raw(X):
    positive = np.exp(X @ X[0])
    return (positive / positive.sum()) @ X
""",
    ),
    Wrong(
        "self_attention_raw",
        "clipped",
        "With scores near 80 and −80, each row must still be the mixture of (1.10).",
        """
def self_attention_raw(X):
    positive = np.exp(np.clip(X @ X.T, -30, 30))
    return positive / positive.sum(axis=1, keepdims=True) @ X
""",
        unnamed=True,
    ),
    Wrong(
        "self_attention_raw",
        "cosine_of_nothing",
        "You divided by the lengths of the words, and a word of zeros has the length 0. The scores are plain dot products, lengths included.",
        """
def self_attention_raw(X):
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    positive = np.exp(unit @ unit.T)
    return positive / positive.sum(axis=1, keepdims=True) @ X
""",
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
    Right(
        "self_attention_raw",
        "own_soft_lookup",
        """
def self_attention_raw(X):
    return np.array([soft_lookup(x, X, X, 1.0) for x in X])
""",
    ),
    Right(
        "self_attention_raw",
        "single_precision",
        """
def self_attention_raw(X):
    X = np.asarray(X, dtype=np.float32)
    E = np.exp(X @ X.T)
    return np.einsum("ij,jd->id", E, X) / E.sum(axis=1)[:, None]
""",
    ),
    # ------------------------------------------------------------ hand_set_head
    Wrong(
        "hand_set_head",
        "crowd_ignored",
        "Your asked positions get too little where there are several others: β = log(share / (1 − share)) is right against one other position. The others share the rest, so their number counts.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    return np.log(share / (1 - share)) / 1 * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "all_for_others",
        "You counted all n positions as the crowd. The others are those not asked for: n − m.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    return np.log(share / (1 - share) * n / m) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "one_always_asked",
        "You reckoned with one position asked for in every row. In “average” it is two, except in the first row: they share the weight, so divide by m and count n − m others.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    return np.log(share / (1 - share) * max(n - 1, 1)) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "share_for_each",
        "In “average” the two positions asked for have more than the share together: the division by m is missing. Each of them gets 1/m of the share.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return np.log(share / (1 - share) * others) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "two_in_the_first_row",
        "In the first row of “average” one position is asked for, not two: m and β are others there.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    k = 2 if task == "average" else 1
    return np.log(share / (1 - share) * max(n - k, 1) / k) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "wraps_around",
        "Your first position looks at the last one instead of at itself. It has no predecessor; an index −1, or np.roll, takes the last.",
        """
def hand_set_head(task, n, share):
    itself, before = np.eye(n), np.roll(np.eye(n), -1, axis=1)
    asked = {"copy": itself, "previous": before, "average": np.maximum(itself, before)}[task]
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return np.log(share / (1 - share) * others / m) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "first_row_empty",
        "In “previous” your first position treats all alike. It has no predecessor and asks for itself.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    m = np.maximum(asked.sum(axis=1, keepdims=True), 1)
    others = np.maximum(n - m, 1)
    return np.log(share / (1 - share) * others / m) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "first_asks_twice",
        "In “average” your first position asks for itself twice. It has no predecessor; once is enough.",
        """
def hand_set_head(task, n, share):
    before = np.eye(n, k=-1)
    before[0, 0] = 1
    asked = {"copy": np.eye(n), "previous": before, "average": np.eye(n) + before}[task]
    m = (asked > 0).sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return np.log(share / (1 - share) * others / m) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "weights_returned",
        "You returned the weights. Wanted are scores: the softmax of a row of them must give these weights.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return np.where(asked > 0, share / m, (1 - share) / others) / (np.where(n == m, share, 1))
""",
    ),
    Wrong(
        "hand_set_head",
        "share_as_score",
        "You gave the share itself as the score. The score is the β that makes the softmax give this share.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    return share * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "log_of_share",
        "You took log(share · …) instead of the odds share / (1 − share).",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return np.log(share * others / m) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "odds_upside_down",
        "Your odds stand upside down: those asked for get 1 − share. It is share / (1 − share).",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return np.log((1 - share) / share * others / m) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "crowd_upside_down",
        "The crowd works the wrong way: more others need a sharper head, so n − m multiplies the odds and m divides them.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return np.log(share / (1 - share) * m / others) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "no_logarithm",
        "You gave the odds themselves as the score. They are e to the β: take the logarithm.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return share / (1 - share) * others / m * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "other_base",
        "Your logarithm has base 10. The softmax uses the base e: np.log.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return np.log10(share / (1 - share) * others / m) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "nobody_left",
        "Where nobody else is left, your scores are not finite: log(n − m) is log 0 there. Any equal finite scores will do in that row.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    return np.where(asked > 0, np.log(share / (1 - share) * (n - m) / m), 0.0)
""",
    ),
    Wrong(
        "hand_set_head",
        "others_forbidden",
        "Your scores are not all finite: you blocked the others. Here they get the rest of the weight.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    return np.where(asked > 0, 0.0, -np.inf)
""",
    ),
    Wrong(
        "hand_set_head",
        "next_instead",
        "Your head looks at the next position. Position i asks for i − 1, one place left of the diagonal: np.eye(n, k=-1).",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=1), "average": np.eye(n) + np.eye(n, k=1)}[task]
    asked[-1, -1] = 1
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return np.log(share / (1 - share) * others / m) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "rows_and_columns_swapped",
        "Your columns ask and your rows are asked. Row i belongs to the position that asks, column j to the one that is asked for.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return (np.log(share / (1 - share) * others / m) * asked).T
""",
    ),
    Wrong(
        "hand_set_head",
        "average_of_all_before",
        "In “average” you ask for all earlier positions. It is two: i and i − 1.",
        """
def hand_set_head(task, n, share):
    before = np.eye(n, k=-1)
    before[0, 0] = 1
    asked = {"copy": np.eye(n), "previous": before, "average": np.tril(np.ones((n, n)))}[task]
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return np.log(share / (1 - share) * others / m) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "average_looks_back_only",
        "Your “average” does not ask for the position itself. It asks for i and for i − 1.",
        """
def hand_set_head(task, n, share):
    asked = np.eye(n) if task == "copy" else np.eye(n, k=-1)
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return np.log(share / (1 - share) * others / m) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "fixed_sharpness",
        "Your β does not depend on the number of positions. The larger the crowd, the sharper the head must be.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    return 5.0 * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "keepdims_forgotten",
        "Your rows do not each have a β of their own: the counts have shape (n,), and so run along the columns. Keep the axis: sum(axis=1, keepdims=True).",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1)
    others = np.maximum(n - m, 1)
    return np.log(share / (1 - share) * others / m) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "no_return",
        "Your function returns nothing: end it with a return.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    scores = np.log(share / (1 - share) * others / m) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "first_counted_twice",
        "In “average” your first position asks for itself twice. It has no predecessor; once is enough.",
        """
def hand_set_head(task, n, share):
    before = np.eye(n, k=-1)
    before[0, 0] = 1
    asked = {"copy": np.eye(n), "previous": before, "average": np.eye(n) + before}[task]
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return np.log(share / (1 - share) * others / m) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "nothing_left",
        "Those asked for have all the weight: your scores lie so far apart that nothing is left for the others. They get the rest, 1 − share.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return np.where(asked > 0, 0.0, -1e9)
""",
    ),
    Wrong(
        "hand_set_head",
        "never_below_zero",
        "A share smaller than an even part needs a negative β; yours is 0 there, so all get the same.",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return np.maximum(np.log(share / (1 - share) * others / m), 0) * asked
""",
    ),
    Wrong(
        "hand_set_head",
        "scores_halved",
        "In “average” you gave each of the two half of the score that one alone would need. It is the weights that are halved; the score follows from (1.14) with m = 2.",
        """
def hand_set_head(task, n, share):
    before = np.eye(n, k=-1)
    before[0, 0] = 1
    asked = {"copy": np.eye(n), "previous": before, "average": (np.eye(n) + before) / 2}[task]
    return np.log(share / (1 - share) * max(n - 1, 1)) * asked
""",
    ),
    Right(
        "hand_set_head",
        "log_of_weights",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    weights = np.where(asked > 0, np.where(m == n, 1.0, share) / m, (1 - share) / np.maximum(n - m, 1))
    return np.log(weights)
""",
    ),
    Right(
        "hand_set_head",
        "row_by_row",
        """
def hand_set_head(task, n, share):
    scores = [[0.0] * n for _ in range(n)]
    for i in range(n):
        asks = {i} if task != "previous" else {max(i - 1, 0)}
        if task == "average" and i > 0:
            asks.add(i - 1)
        for j in asks:
            if len(asks) < n:
                scores[i][j] = float(np.log(share) - np.log(1 - share) + np.log(n - len(asks)) - np.log(len(asks)))
    return scores
""",
    ),
    Right(
        "hand_set_head",
        "others_below_zero",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return 3.0 - np.log(share / (1 - share) * others / m) * (1 - asked)
""",
    ),
    Right(
        "hand_set_head",
        "masks_by_index",
        """
def hand_set_head(task, n, share):
    i, j = np.indices((n, n))
    near = (i == j) if task == "copy" else (j == np.maximum(i - 1, 0))
    if task == "average":
        near = near | (i == j)
    m = near.sum(1)[:, None]
    with np.errstate(divide="ignore"):
        beta = np.log(share / (1 - share)) + np.log((n - m) / m)
    return np.where(near & np.isfinite(beta), beta, 0.0)
""",
    ),
    Right(
        "hand_set_head",
        "single_precision",
        """
def hand_set_head(task, n, share):
    asked = {"copy": np.eye(n), "previous": np.eye(n, k=-1), "average": np.eye(n) + np.eye(n, k=-1)}[task]
    asked[0, 0] = 1
    m = asked.sum(axis=1, keepdims=True)
    others = np.maximum(n - m, 1)
    return np.float32(np.log(share / (1 - share) * others / m)) * asked.astype(np.float32)
""",
    ),
]
