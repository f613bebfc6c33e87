"""Chapter 14: what learners write for pooling, the count of rows, the greedy loop and the search for heads."""

from autograde.mistakes import Catalogue

CATALOGUE = Catalogue(unnamed={"last_token_given"})
wrong, right = CATALOGUE.wrong, CATALOGUE.right


# ---------------------------------------------------------------- encode
ENCODE = """
def encode(H, real):
    share = real[..., None].astype(float)
    mean = (H * share).sum(axis=-2) / share.sum(axis=-2)
    return mean / np.sqrt((mean**2).sum(axis=-1, keepdims=True))
"""
for name, sentence, *swaps in [
    (
        "pads_counted",
        "The rows of pads are in your mean. Only rows where `real` is True count.",
        ("real[..., None].astype(float)", "np.ones_like(real[..., None]).astype(float)"),
    ),
    (
        "pads_only",
        "Your mean is over the pads: `real` is True where a token stands.",
        ("real[..., None]", "(~real)[..., None]"),
    ),
    (
        "not_normalised",
        "Your vectors do not have length 1.",
        ("return mean / np.sqrt((mean**2).sum(axis=-1, keepdims=True))", "return mean"),
    ),
    (
        "squared_length",
        "You divided by the squared length. Divide by its root.",
        ("np.sqrt((mean**2).sum(axis=-1, keepdims=True))", "(mean**2).sum(axis=-1, keepdims=True)"),
    ),
    (
        "sum_of_entries",
        "The entries of your vectors have the sum of absolute values 1. Their length, the root of the sum of squares, is to be 1.",
        (
            "np.sqrt((mean**2).sum(axis=-1, keepdims=True))",
            "np.abs(mean).sum(axis=-1, keepdims=True)",
        ),
    ),
    (
        "softmax_of_the_mean",
        "You took a softmax. The vector is to have length 1, no positive entries are asked for.",
        ("return mean / np.sqrt((mean**2).sum(axis=-1, keepdims=True))", "return softmax(mean)"),
    ),
    (
        "rows_normalised_first",
        "You brought each row to length 1 before the mean, so that long rows lose their weight. Take the mean first.",
        ("    share =", "    H = H / np.linalg.norm(H, axis=-1, keepdims=True)\n    share ="),
    ),
    (
        "rows_normalised_only",
        "You brought each row to length 1, and not their mean. First the mean, then its length.",
        ("    share =", "    H = H / np.linalg.norm(H, axis=-1, keepdims=True)\n    share ="),
        ("return mean / np.sqrt((mean**2).sum(axis=-1, keepdims=True))", "return mean"),
    ),
    (
        "first_token",
        "You took the first row of each text. MiniLM's rule is the mean over all real rows.",
        ("(H * share).sum(axis=-2) / share.sum(axis=-2)", "1.0 * H[..., 0, :]"),
    ),
    (
        "last_row",
        "You took the last row of each text. MiniLM's rule is the mean over all real rows.",
        ("(H * share).sum(axis=-2) / share.sum(axis=-2)", "1.0 * H[..., -1, :]"),
    ),
    (
        "largest_entries",
        "You took the largest entry of each column. MiniLM's rule is the mean.",
        (
            "(H * share).sum(axis=-2) / share.sum(axis=-2)",
            "np.where(share > 0, H, -np.inf).max(axis=-2)",
        ),
    ),
    (
        "mean_over_features",
        "You took the mean along each row, over the features. It is over the tokens, axis −2.",
        ("(H * share).sum(axis=-2) / share.sum(axis=-2)", "(H * share).mean(axis=-1)"),
    ),
    (
        "length_of_all_texts",
        "You divided by the length of all texts' vectors together. Each text has its own.",
        ("(mean**2).sum(axis=-1, keepdims=True)", "(mean**2).sum()"),
    ),
    (
        "texts_mixed",
        "You took one mean over the real rows of all texts. Each text has its own vector.",
        (
            "    share =",
            "    if H.ndim > 2:\n        H, real = H[real], np.ones(real.sum(), bool)\n    share =",
        ),
    ),
    (
        "sum_and_length_of_all_texts",
        "You divided by one length for all texts, and your mean counts pads among the tokens. Each text's vector is to have length 1.",
        ("/ share.sum(axis=-2)", "/ share.shape[-2]"),
        ("(mean**2).sum(axis=-1, keepdims=True)", "(mean**2).sum()"),
    ),
    (
        "length_per_column",
        "You normalised each column across the texts. Each text's vector, the last axis, is to have length 1.",
        ("(mean**2).sum(axis=-1, keepdims=True)", "(mean**2).sum(axis=0, keepdims=True)"),
    ),
    (
        "first_axis",
        "You took the mean over the first axis. With several texts that mixes them; the tokens are on axis −2.",
        (
            "(H * share).sum(axis=-2) / share.sum(axis=-2)",
            "(H * share).sum(axis=0) / share.sum(axis=0)",
        ),
    ),
    (
        "pads_cut_from_the_right",
        "You kept the first rows, as many as there are tokens. Pads may stand on the left: look at `real` itself.",
        (
            "real[..., None].astype(float)",
            "(np.arange(real.shape[-1]) < real.sum(-1, keepdims=True))[..., None].astype(float)",
        ),
    ),
    (
        "in_place",
        "Your function sets the pads in its input H to 0.",
        ("    share =", "    H[~real] = 0\n    share ="),
    ),
]:
    wrong("encode", name, sentence, ENCODE, *swaps)
right("encode", "mean_then_length", ENCODE)
right(
    "encode",
    "product_with_the_mask",
    """
def encode(H, real):
    total = np.einsum("...n,...nd->...d", real * 1.0, H)
    return total / np.linalg.norm(total, axis=-1)[..., None]
""",
)
right(
    "encode",
    "text_by_text",
    """
def encode(H, real):
    if H.ndim == 2:
        mean = H[real].mean(axis=0)
        return mean / np.linalg.norm(mean)
    return np.array([encode(h, r) for h, r in zip(H, real)])
""",
)
right(
    "encode",
    "weights_of_a_softmax",
    """
def encode(H, real):
    a = softmax(np.where(real, 0.0, -np.inf))[..., None, :]
    o = (a @ H)[..., 0, :]
    return o / (o * o).sum(-1, keepdims=True) ** 0.5
""",
)
right(
    "encode",
    "single_precision",
    ENCODE,
    ("astype(float)", "astype(np.float32)"),
    ("(H * share)", "(H.astype(np.float32) * share)"),
)

# ---------------------------------------------------------------- rows_computed
ROWS = """
def rows_computed(n, count, cached):
    if cached:
        return n + count - 1 if count else 0
    return n * count + count * (count - 1) // 2
"""
for name, sentence, *swaps in [
    (
        "last_token_given_with_cache",
        "With a cache you count the token that is written last. It need not be given to the decoder.",
        ("n + count - 1 if count", "n + count if count"),
    ),
    (
        "last_token_given_without",
        "Without a cache your calls have lengths n + 1, n + 2, … The first call gets the n tokens of the prompt alone.",
        ("count * (count - 1) // 2", "count * (count + 1) // 2"),
    ),
    (
        "one_call_too_many",
        "Without a cache you count one call after the last token. `count` calls write `count` tokens.",
        ("n * count + count * (count - 1) // 2", "n * (count + 1) + count * (count + 1) // 2"),
    ),
    (
        "prompt_not_counted",
        "With a cache you left out the prompt: its tokens pass through the layers, too, once.",
        ("return n + count - 1 if count else 0", "return max(count - 1, 0)"),
    ),
    (
        "new_tokens_only",
        "With a cache you count one row for each new token. The first call has all n tokens of the prompt, and the last new token is not given.",
        ("return n + count - 1 if count else 0", "return count"),
    ),
    (
        "text_does_not_grow",
        "Without a cache you count n rows for each call. The text grows by a token from call to call.",
        ("n * count + count * (count - 1) // 2", "n * count"),
    ),
    (
        "pairs_of_tokens",
        "Without a cache you counted pairs, that is scores. A row is one token that passes.",
        ("n * count + count * (count - 1) // 2", "sum((n + k) ** 2 for k in range(count))"),
    ),
    (
        "whole_length_each_time",
        "Without a cache you count the finished text for each call. The calls are shorter at first: n, n + 1, …",
        ("n * count + count * (count - 1) // 2", "(n + count - 1) * count"),
    ),
    (
        "prompt_passes_for_nothing",
        "If nothing is to be written, nothing is computed: 0 rows.",
        ("n + count - 1 if count else 0", "n + count - 1 if count else n"),
    ),
    (
        "one_less_for_nothing",
        "If nothing is to be written, nothing is computed: 0 rows, not n − 1.",
        ("n + count - 1 if count else 0", "n + count - 1"),
    ),
    (
        "swapped",
        "You exchanged the two cases: the cache is what saves rows.",
        ("if cached", "if not cached"),
    ),
    (
        "cache_ignored",
        "Your count does not look at `cached`.",
        ("if cached", "if False"),
    ),
]:
    wrong("rows_computed", name, sentence, ROWS, *swaps)
wrong(
    "rows_computed",
    "prompt_each_time_and_last_token",
    "With a cache you count the token that is written last, which need not be given. Without one the text grows by a token from call to call; you count n rows for each.",
    ROWS,
    ("n + count - 1 if count", "n + count if count"),
    ("n * count + count * (count - 1) // 2", "n * count"),
)
right("rows_computed", "series", ROWS)
right(
    "rows_computed",
    "first_and_last",
    """
def rows_computed(n, count, cached):
    if count < 1:
        return 0
    last = n + count - 1
    return last if cached else (n + last) * count // 2
""",
)
right(
    "rows_computed",
    "call_by_call",
    """
def rows_computed(n, count, cached):
    return sum(n + k if k == 0 or not cached else 1 for k in range(count))
""",
)
right(
    "rows_computed",
    "range_sum",
    """
def rows_computed(n, count, cached):
    if not cached:
        return sum(range(n, n + count))
    return (count > 0) * (n + count - 1)
""",
)
right(
    "rows_computed",
    "triangles",
    """
def rows_computed(n, count, cached):
    def triangle(m):
        return m * (m + 1) // 2

    if count and cached:
        return n - 1 + count
    return triangle(n + count - 1) - triangle(n - 1) if not cached else 0
""",
)

# ---------------------------------------------------------------- generate
GENERATE = """
def generate(step, prompt, count, stop=None):
    written, cache, new = [], None, list(prompt)
    while len(written) < count:
        logits, cache = step(new, cache)
        best = int(logits[-1].argmax())
        if stop is not None and best == stop:
            return written
        written = written + [best]
        new = [best]
    return written
"""
for name, sentence, *swaps in [
    (
        "cache_not_handed_on",
        "You call the model with the new token and no cache: it has forgotten the text before. Hand on the cache that the last call returned.",
        ("step(new, cache)", "step(new, None)"),
    ),
    (
        "whole_text_each_time",
        "You give the whole text in each call, without the cache. A real model would write the same, with far more rows; here each token is to be given once.",
        ("step(new, cache)", "step([*prompt, *written], None)"),
    ),
    (
        "whole_text_and_cache",
        "You give the whole text in each call although the cache holds it already: each token is to be given once.",
        ("new = [best]", "new = [*prompt, *written]"),
    ),
    (
        "prompt_token_by_token",
        "You gave the prompt token by token. It goes in in one call.",
        (
            "    while len(written)",
            "    for token in prompt[:-1]:\n        _, cache = step([token], cache)\n    new = list(prompt[-1:])\n    while len(written)",
        ),
    ),
    (
        "first_row",
        "You read the first row of the logits: after a prompt it says what comes after the prompt's first token. The last row says what comes next.",
        ("logits[-1]", "logits[0]"),
    ),
    (
        "over_all_rows",
        "You took the arg-max over all rows of the logits at once, not of the last row.",
        ("logits[-1].argmax()", "logits.argmax() % logits.shape[-1]"),
    ),
    (
        "smallest",
        "You took the smallest logit. The next token is the one with the largest.",
        ("argmax()", "argmin()"),
    ),
    (
        "largest_absolute",
        "You took the logit that is farthest from 0. A large negative logit says: not this one.",
        ("logits[-1].argmax()", "abs(logits[-1]).argmax()"),
    ),
    (
        "last_of_equals",
        "Of equal logits you take the last. The first wins.",
        ("int(logits[-1].argmax())", "len(logits[-1]) - 1 - int(logits[-1][::-1].argmax())"),
    ),
    (
        "prompt_returned",
        "Your list begins with the prompt. Return the new tokens only.",
        ("    return written\n", "    return list(prompt) + written\n"),
    ),
    (
        "one_too_many",
        "You write one token more than `count`.",
        ("len(written) < count", "len(written) < count + 1"),
    ),
    (
        "one_too_few",
        "You write one token less than `count`.",
        ("len(written) < count", "len(written) < count - 1"),
    ),
    (
        "at_least_one",
        "You write a token although `count` is 0.",
        ("len(written) < count", "len(written) < max(count, 1)"),
    ),
    (
        "last_token_given",
        "You give the model the token that is written last, although nothing comes after it: the text is then longer than the model's longest.",
        (
            "    return written\n",
            "    if new != list(prompt):\n        step(new, cache)\n    return written\n",
        ),
    ),
    (
        "stop_ignored",
        "Your loop does not end at `stop`.",
        ("if stop is not None and best == stop", "if False"),
    ),
    (
        "stop_returned",
        "Your list ends in `stop`. It is left out.",
        ("            return written", "            return written + [best]"),
    ),
    (
        "stop_zero_ignored",
        "Your loop does not end if `stop` is token 0, as `if stop and …` does not: 0 counts as False. Compare with None.",
        ("if stop is not None and best", "if stop and best"),
    ),
    (
        "stop_skipped",
        "You leave out `stop` and go on. The text ends there.",
        (
            "            return written",
            "            new = [best]\n            count -= 1\n            continue",
        ),
    ),
    (
        "stop_in_the_prompt",
        "You end because `stop` stands in the prompt. Only a token that is written ends the text.",
        ("    written, cache", "    if stop in prompt:\n        return []\n    written, cache"),
    ),
    (
        "prompt_grows",
        "Your function appends to the list `prompt` that it was given.",
        ("list(prompt)", "prompt"),
        ("        new = [best]", "        new = [best]\n        prompt.append(best)"),
    ),
]:
    wrong("generate", name, sentence, GENERATE, *swaps)
right("generate", "while_loop", GENERATE)
right(
    "generate",
    "recursion",
    """
def generate(step, prompt, count, stop=None):
    def go_on(new, cache, left):
        if left == 0:
            return []
        logits, cache = step(new, cache)
        token = np.asarray(logits).argmax(axis=-1).tolist()[-1]
        return [] if token == stop else [token] + go_on([token], cache, left - 1)

    return go_on(prompt[:], None, count)
""",
)
right(
    "generate",
    "prompt_first",
    """
def generate(step, prompt, count, stop=None):
    answer = []
    if count == 0:
        return answer
    logits, cache = step(prompt, None)
    while True:
        row = list(logits[len(logits) - 1])
        token = row.index(max(row))
        if token == stop:
            break
        answer.append(token)
        if len(answer) == count:
            break
        logits, cache = step([token], cache)
    return answer
""",
)
right(
    "generate",
    "softmax_does_not_change_the_largest",
    GENERATE,
    ("int(logits[-1].argmax())", "int(np.argmax(softmax(logits)[-1]))"),
)
right(
    "generate",
    "text_and_cut",
    """
def generate(step, prompt, count, stop=None):
    text, given, cache = list(prompt), 0, None
    while len(text) < len(prompt) + count:
        logits, cache = step(text[given:], cache)
        given = len(text)
        text.append(np.argmax(logits[-1]))
        if text[-1] == stop:
            text.pop()
            break
    return [int(token) for token in text[len(prompt):]]
""",
)

# ---------------------------------------------------------------- find_induction_heads
FIND = """
def find_induction_heads(attend, block, least=0.4):
    L = len(block)
    A = np.asarray(attend(np.array([*block, *block])))
    scores = np.zeros(A.shape[:2])
    for i in range(L, 2 * L):
        scores = scores + A[:, :, i, i - L + 1]
    scores = scores / L
    pairs = zip(*np.nonzero(scores >= least))
    return scores, [(int(a), int(b)) for a, b in pairs]
"""
for name, sentence, *swaps in [
    (
        "same_token",
        "You measure the weight on the earlier occurrence itself. An induction head looks at what came after it, one place further.",
        ("i - L + 1]", "i - L]"),
    ),
    (
        "before_the_occurrence",
        "You measure the weight on what came before the earlier occurrence. An induction head looks at what came after it.",
        ("i - L + 1]", "i - L - 1]"),
    ),
    (
        "two_after",
        "Your arrows end two places after the earlier occurrence. It is one.",
        ("i - L + 1]", "i - L + 2]"),
    ),
    (
        "previous_token",
        "You measure the weight on the previous place. That is a head of another kind.",
        ("i - L + 1]", "i - 1]"),
    ),
    (
        "rows_for_columns",
        "You exchanged queries and keys: rows ask, columns are looked at.",
        ("A[:, :, i, i - L + 1]", "A[:, :, i - L + 1, i]"),
    ),
    (
        "last_arrow_left_out",
        "You left out the last token of the second copy. Its arrow ends at the first token of the second copy, and counts.",
        ("range(L, 2 * L)", "range(L, 2 * L - 1)"),
        ("scores / L", "scores / (L - 1)"),
    ),
    (
        "last_arrow_left_out_of_the_sum",
        "Your sum leaves out the last token of the second copy. Its arrow ends at the first token of the second copy, and counts.",
        ("range(L, 2 * L)", "range(L, 2 * L - 1)"),
    ),
    (
        "divided_by_the_text",
        "You divided by the length of the whole text. The average is over the tokens of the second copy.",
        ("scores / L", "scores / (2 * L)"),
    ),
    (
        "sum_not_mean",
        "Your scores are sums. Take the average over the tokens of the second copy.",
        ("scores = scores / L", "pass"),
    ),
    (
        "divided_by_one_less",
        "You divided by one less than there are tokens in the second copy.",
        ("scores / L", "scores / (L - 1)"),
    ),
    (
        "one_query_early",
        "Your queries begin one place too early, with the last token of the first copy, and the last token of the second is left out. The second copy begins at place L, counted from 0.",
        ("range(L, 2 * L)", "range(L - 1, 2 * L - 1)"),
    ),
    (
        "block_reversed",
        "Your second copy runs backwards. The same block is to follow, in the same order.",
        ("[*block, *block]", "[*block, *block[::-1]]"),
    ),
    (
        "each_token_twice",
        "You repeated each token, as np.repeat does. The block as a whole comes twice.",
        ("np.array([*block, *block])", "np.repeat(block, 2)"),
    ),
    (
        "three_copies",
        "Your text has three copies of the block. Two are asked for.",
        ("[*block, *block]", "[*block, *block, *block]"),
    ),
    (
        "best_weight",
        "You took the largest weight along the diagonal. The score is the average.",
        ("scores + A[:, :, i, i - L + 1]", "np.maximum(scores, A[:, :, i, i - L + 1])"),
        ("scores = scores / L", "pass"),
    ),
    (
        "more_than_least",
        "A head whose score is exactly `least` is in the list, too.",
        ("scores >= least", "scores > least"),
    ),
    (
        "least_fixed",
        "Your function does not look at `least`: it always takes 0.4.",
        ("scores >= least", "scores >= 0.4"),
    ),
    (
        "head_before_layer",
        "Your pairs are (head, layer). They are (layer, head).",
        ("(int(a), int(b))", "(int(b), int(a))"),
    ),
    (
        "counted_from_one",
        "Your list counts layers and heads from 1. Here they count from 0.",
        ("(int(a), int(b))", "(int(a) + 1, int(b) + 1)"),
    ),
    (
        "sorted_by_head",
        "Your list is sorted by head. It is sorted by layer, then by head.",
        ("for a, b in pairs]", "for a, b in sorted(pairs, key=lambda p: (p[1], p[0]))]"),
    ),
    (
        "best_first",
        "Your list is sorted by score. It is sorted by layer, then by head.",
        ("for a, b in pairs]", "for a, b in sorted(pairs, key=lambda p: -scores[p])]"),
    ),
    (
        "only_the_best",
        "Your list has the best head only. All heads with a score of at least `least` belong to it.",
        ("scores >= least", "(scores >= least) & (scores == scores.max())"),
    ),
    (
        "layers_mixed",
        "You averaged over the heads of a layer. Each head has its own score.",
        (
            "    scores = scores / L",
            "    scores = scores / L\n    scores = scores * 0 + scores.mean(1, keepdims=True)",
        ),
    ),
]:
    wrong("find_induction_heads", name, sentence, FIND, *swaps)
right("find_induction_heads", "arrow_by_arrow", FIND)
right(
    "find_induction_heads",
    "diagonal",
    """
def find_induction_heads(attend, block, least=0.4):
    L = len(block)
    A = attend(np.tile(block, 2))[:, :, L:, 1:L + 1]
    scores = np.diagonal(A, axis1=-2, axis2=-1).mean(-1)
    return scores, [tuple(pair) for pair in np.argwhere(scores >= least).tolist()]
""",
)
right(
    "find_induction_heads",
    "trace",
    """
def find_induction_heads(attend, block, least=0.4):
    n = 2 * len(block)
    A = attend(np.concatenate((block, block)))
    scores = np.trace(A[..., n // 2:, :], offset=1, axis1=-2, axis2=-1) / (n // 2)
    found = []
    for layer in range(len(scores)):
        for head in range(len(scores[layer])):
            if scores[layer, head] >= least:
                found.append((layer, head))
    return scores, found
""",
)
right(
    "find_induction_heads",
    "mask_of_arrows",
    """
def find_induction_heads(attend, block, least=0.4):
    L = len(block)
    text = np.concatenate([block, block])
    arrows = np.zeros((2 * L, 2 * L))
    for i in range(L, 2 * L):
        arrows[i, list(text).index(text[i]) + 1] = 1 / L
    scores = (attend(text) * arrows).sum((-2, -1))
    layers, heads = np.where(scores >= least)
    return scores, list(zip(layers.tolist(), heads.tolist()))
""",
)
right(
    "find_induction_heads",
    "list_of_lists",
    FIND,
    ("(int(a), int(b))", "[int(a), int(b)]"),
)
