"""Chapter 11: what learners write for the cost of writing, the cache, softmax in pieces and the rises, wrong and right."""

from autograde.mistakes import Catalogue

CATALOGUE = Catalogue()
wrong, right = CATALOGUE.wrong, CATALOGUE.right


# ---------------------------------------------------------------- writing_cost
COST = """
def writing_cost(prompt, n, d, cached):
    total = 4 * prompt * d**2 + 2 * prompt**2 * d
    for t in range(prompt + 1, prompt + n + 1):
        if cached:
            total += 4 * d**2 + 2 * t * d
        else:
            total += 4 * t * d**2 + 2 * t**2 * d
    return total
"""
STEPS = "range(prompt + 1, prompt + n + 1)"
READ = "total = 4 * prompt * d**2 + 2 * prompt**2 * d"
NEW = "4 * d**2 + 2 * t * d\n"
ALL = "4 * t * d**2 + 2 * t**2 * d\n"
for name, sentence, *swaps in [
    (
        "itself_not_counted",
        "Your t is one too small: the token that is fed in belongs to the tokens so far, and its query meets its own key.",
        (STEPS, "range(prompt, prompt + n)"),
    ),
    (
        "t_starts_one_late",
        "Your t is one too large: when the first token after the prompt is fed in, t is prompt + 1.",
        (STEPS, "range(prompt + 2, prompt + n + 2)"),
    ),
    (
        "last_step_missing",
        "Your sum ends one step early: n tokens are fed in, the last at t = prompt + n.",
        (STEPS, "range(prompt + 1, prompt + n)"),
    ),
    (
        "prompt_not_paid",
        "You did not count the pass over the prompt.",
        (READ, "total = 0"),
    ),
    (
        "prompt_not_seen",
        "Your new tokens do not meet the prompt: t goes on from prompt + 1, it does not begin at 1 again.",
        (STEPS, "range(1, n + 1)"),
    ),
    (
        "prompt_word_by_word",
        "You fed in the prompt token by token. It is read in one pass.",
        (READ, "total = 0"),
        (STEPS, "range(1, prompt + n + 1)"),
    ),
    (
        "all_in_one_pass",
        "You counted one pass over all tokens. After the prompt they come one at a time, each with a step of its own.",
        (STEPS, "range(0)"),
        (READ, "total = 4 * (prompt + n) * d**2 + 2 * (prompt + n) ** 2 * d"),
    ),
    (
        "cache_ignored",
        "With a cache your steps cost as much as without: keys and values of old tokens are not projected again, and only one query asks.",
        (NEW, ALL),
    ),
    (
        "cache_always",
        "Without a cache your steps cost as little as with it: each token then means a pass over all tokens so far.",
        (ALL, NEW),
    ),
    (
        "cached_but_projected_anew",
        "With a cache you still project all tokens in each step. The old keys and values are there: only the new token is projected.",
        (NEW, "4 * t * d**2 + 2 * t * d\n"),
    ),
    (
        "cached_but_all_queries_ask",
        "With a cache you still let all queries ask: t squared pairs. One query meets t keys.",
        (NEW, "4 * d**2 + 2 * t**2 * d\n"),
    ),
    (
        "one_query_without_cache",
        "Without a cache you count all projections, but only one query. A pass over t tokens has t squared pairs.",
        (ALL, "4 * t * d**2 + 2 * t * d\n"),
    ),
    (
        "projections_forgotten",
        "You left the projections out: 4d² for each token that is put through.",
        (READ, "total = 2 * prompt**2 * d"),
        (NEW, "2 * t * d\n"),
        (ALL, "2 * t**2 * d\n"),
    ),
    (
        "three_projections",
        "You counted three projections; there are four: to queries, keys, values, and of the output.",
        ("4 *", "3 *"),
    ),
    (
        "scores_without_sums",
        "You counted the scores and left out the weighted sums, or the other way round: each takes t·d for one query.",
        ("2 *", "1 *"),
    ),
    (
        "one_product_in_a_step",
        "With a cache you counted the scores of a step and not its weighted sum, or the other way round: t·d each.",
        (NEW, "4 * d**2 + t * d\n"),
    ),
    (
        "mask_saves_half",
        "You halved the pairs of a pass because of the mask. By the statement a mask saves none.",
        ("2 * prompt**2 * d", "prompt * (prompt + 1) * d"),
        (ALL, "4 * t * d**2 + t * (t + 1) * d\n"),
    ),
    (
        "width_not_squared",
        "A projection takes d² for a token: d outputs from d inputs each.",
        ("d**2", "d"),
    ),
]:
    wrong("writing_cost", name, sentence, COST, *swaps)
right("writing_cost", "loop", COST)
right(
    "writing_cost",
    "formula",
    """
def writing_cost(prompt, n, d, cached):
    end = prompt + n
    def upto(t):
        return t * (t + 1) // 2
    def squares(t):
        return t * (t + 1) * (2 * t + 1) // 6
    first = 4 * prompt * d * d + 2 * prompt * prompt * d
    lengths = upto(end) - upto(prompt)
    if cached:
        return first + 4 * n * d * d + 2 * d * lengths
    return first + 4 * d * d * lengths + 2 * d * (squares(end) - squares(prompt))
""",
)
right(
    "writing_cost",
    "arrays",
    """
def writing_cost(prompt, n, d, cached):
    t = np.arange(prompt, prompt + n + 1)
    whole = 4 * t * d**2 + 2 * t**2 * d
    if not cached:
        return whole.sum()
    return whole[0] + (4 * d**2 + 2 * t[1:] * d).sum()
""",
)
right(
    "writing_cost",
    "one_step_at_a_time",
    """
def writing_cost(prompt, n, d, cached):
    def one_pass(t):
        return 4 * t * d * d + 2 * t * t * d
    cost, t = one_pass(prompt), prompt
    while t < prompt + n:
        t += 1
        cost += (4 * d + 2 * t) * d if cached else one_pass(t)
    return cost
""",
)
right(
    "writing_cost",
    "floats",
    """
def writing_cost(prompt, n, d, cached):
    steps = [float(prompt + i) for i in range(1, n + 1)]
    cost = 4.0 * prompt * d**2 + 2.0 * prompt**2 * d
    for t in steps:
        rows = 1.0 if cached else t
        cost = cost + rows * (4 * d**2 + 2 * t * d)
    return cost
""",
)

# ---------------------------------------------------------------- cached_attention
CACHED = """
def cached_attention(Q, K, V, cache=None):
    if cache is not None:
        K = np.concatenate([cache[0], K], axis=-2)
        V = np.concatenate([cache[1], V], axis=-2)
    n_q, n_k = Q.shape[-2], K.shape[-2]
    mask = np.arange(n_k) <= np.arange(n_k - n_q, n_k)[:, None]
    O, A = scaled_dot_product_attention(Q, K, V, mask)
    return O, (K, V)
"""
MASK = "np.arange(n_k) <= np.arange(n_k - n_q, n_k)[:, None]"
KEYS, VALUES = "[cache[0], K], axis=-2", "[cache[1], V], axis=-2"
DONE = "return O, (K, V)"
for name, sentence, *swaps in [
    (
        "queries_taken_as_first",
        "Your mask takes the new queries for the first positions, and a single new token sees the oldest key alone. They are the last: query i of n new ones sees all old keys.",
        (MASK, "np.tril(np.ones((n_q, n_k), bool))"),
    ),
    (
        "no_mask",
        "Your new tokens see each other's future: the first of three must not see the third.",
        (MASK, "np.ones((n_q, n_k), bool)"),
    ),
    (
        "not_itself",
        "Your new tokens do not see themselves: the key at the query's own position is permitted.",
        (MASK, "np.arange(n_k) < np.arange(n_k - n_q, n_k)[:, None]"),
    ),
    (
        "one_too_far",
        "Your queries see one token too far ahead.",
        (MASK, "np.arange(n_k) <= np.arange(n_k - n_q, n_k)[:, None] + 1"),
    ),
    (
        "upside_down",
        "Your mask is upside down: with a cache the new tokens see too little of the past and what comes later.",
        (MASK, "np.arange(n_k) >= np.arange(n_k - n_q, n_k)[:, None]"),
    ),
    (
        "new_only",
        "Your new tokens see each other only: the old keys are in the cache you return, and not in the head.",
        (
            "O, A = scaled_dot_product_attention(Q, K, V, mask)",
            "O, A = scaled_dot_product_attention(Q, K[..., n_k - n_q :, :], V[..., n_k - n_q :, :], mask[:, n_k - n_q :])",
        ),
    ),
    (
        "old_only",
        "With a cache your new tokens see the old ones only. Each sees itself, too, and the new ones before it.",
        (MASK, "np.arange(n_k) <= (np.arange(n_q)[:, None] if n_q == n_k else n_k - n_q - 1)"),
    ),
    (
        "cache_ignored",
        "Your function pays no attention to the cache it is given.",
        ("if cache is not None:", "if False:"),
    ),
    (
        "cache_does_not_grow",
        "The cache you return is the old one. The new keys and values belong into it.",
        (DONE, "return O, ((K, V) if cache is None else cache)"),
    ),
    (
        "cache_holds_new_only",
        "The cache you return holds the new keys and values only: the past is lost at the next call.",
        (DONE, "return O, (K[..., n_k - n_q :, :], V[..., n_k - n_q :, :])"),
    ),
    (
        "new_before_old",
        "You put the new keys and values before the old ones. The cache is ordered: oldest first.",
        (KEYS, "[K, cache[0]], axis=-2"),
        (VALUES, "[V, cache[1]], axis=-2"),
    ),
    (
        "values_in_other_order",
        "Your keys and your values are joined in different orders: value j must belong to key j.",
        (VALUES, "[V, cache[1]], axis=-2"),
    ),
    (
        "pair_exchanged",
        "Your new cache has the values first. It is the pair of keys and values, in this order.",
        (DONE, "return O, (V, K)"),
    ),
    (
        "keys_twice",
        "You return the keys twice, and no values.",
        (DONE, "return O, (K, K)"),
    ),
    (
        "keys_kept_scaled",
        "The keys you keep are divided by √d_k: at the next call they would be divided again. Keep them as they came.",
        (DONE, "return O, (K / np.sqrt(K.shape[-1]), V)"),
    ),
    (
        "weights_returned",
        "You return the weights in place of the output.",
        (DONE, "return A, (K, V)"),
    ),
    (
        "last_output_only",
        "You return the output of the last new token only. Every new token has one.",
        (DONE, "return O[..., -1:, :], (K, V)"),
    ),
    (
        "not_scaled",
        "Your scores are not divided by √d_k.",
        ("product_attention(Q, K, V", "product_attention(Q * np.sqrt(Q.shape[-1]), K, V"),
    ),
]:
    wrong("cached_attention", name, sentence, CACHED, *swaps)
wrong(
    "cached_attention",
    "joined_along_the_first_axis",
    "You joined old and new along the first axis. The axis of tokens is the last but one.",
    CACHED,
    (KEYS, "[cache[0], K], axis=0"),
    (VALUES, "[cache[1], V], axis=0"),
    unnamed=True,
)
wrong(
    "cached_attention",
    "joined_along_the_features",
    "You joined old and new along the features. The axis of tokens is the last but one.",
    CACHED,
    (KEYS, "[cache[0], K], axis=-1"),
    (VALUES, "[cache[1], V], axis=-1"),
    unnamed=True,
)
right("cached_attention", "mask_from_positions", CACHED)
right(
    "cached_attention",
    "tril_with_offset",
    CACHED,
    (MASK, "np.tri(n_q, n_k, n_k - n_q, dtype=bool)"),
)
right("cached_attention", "mask_of_chapter_7", CACHED, (MASK, "causal_mask(n_q, n_k)"))
right(
    "cached_attention",
    "one_query_after_another",
    """
def cached_attention(Q, K, V, cache=None):
    if cache is None:
        cache = (K[..., :0, :], V[..., :0, :])
    outputs = []
    for i in range(Q.shape[-2]):
        cache = tuple(np.concatenate([old, new[..., i : i + 1, :]], axis=-2) for old, new in zip(cache, (K, V)))
        outputs.append(scaled_dot_product_attention(Q[..., i : i + 1, :], *cache)[0])
    return np.concatenate(outputs, axis=-2), cache
""",
)
right(
    "cached_attention",
    "own_softmax_einsum",
    """
def cached_attention(Q, K, V, cache=None):
    old = 0
    if cache is not None:
        old = cache[0].shape[-2]
        K, V = (np.append(before, now, axis=-2) for before, now in zip(cache, (K, V)))
    S = np.einsum("...im,...jm->...ij", Q, K) / Q.shape[-1] ** 0.5
    place = np.arange(K.shape[-2])
    S = np.where(place[None] > old + np.arange(Q.shape[-2])[:, None], -np.inf, S)
    A = softmax(S)
    return np.einsum("...ij,...jm->...im", A, V), [K, V]
""",
)

# ---------------------------------------------------------------- absorb
ABSORB = """
def absorb(state, Q, K, V, mask=None):
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    if state is None:
        rows = S.shape[:-1]
        state = np.full(rows, -np.inf), np.zeros(rows), np.zeros((*rows, V.shape[-1]))
    top, z, U = state
    new_top = np.maximum(top, S.max(axis=-1))
    base = np.where(new_top == -np.inf, 0.0, new_top)
    E = np.exp(S - base[..., None])
    shrink = np.exp(top - base)
    z = shrink * z + E.sum(axis=-1)
    U = shrink[..., None] * U + E @ V
    return new_top, z, U
"""
SHRINK = "shrink = np.exp(top - base)"
TOP = "np.maximum(top, S.max(axis=-1))"
for name, sentence, *swaps in [
    (
        "old_sums_not_rescaled",
        "You did not rescale the old sums when the top rose: they still refer to the old top.",
        (SHRINK, "shrink = np.ones_like(top)"),
    ),
    (
        "rescaled_the_wrong_way",
        "You rescaled the old sums by the inverse of the right factor: when the top rises, they have to become smaller.",
        (SHRINK, "shrink = np.exp(np.where(top == -np.inf, 0.0, base - top))"),
    ),
    (
        "only_z_rescaled",
        "You rescaled the old z, but not the old U: both refer to the old top.",
        ("shrink[..., None] * U", "U"),
    ),
    (
        "only_u_rescaled",
        "You rescaled the old U, but not the old z: both refer to the old top.",
        ("shrink * z +", "z +"),
    ),
    (
        "top_of_the_block",
        "Your top is the block's own, even where the state has a larger one.",
        (TOP, "S.max(axis=-1)"),
        ("shrink = np.exp(top - base)", "shrink = np.exp(np.minimum(top - base, 700))"),
    ),
    (
        "top_stays",
        "Your top stays what it was in the state, even where the block has a larger score.",
        (TOP, "np.where(top == -np.inf, S.max(axis=-1), top)"),
        ("E = np.exp(S - base[..., None])", "E = np.exp(np.minimum(S - base[..., None], 700))"),
    ),
    (
        "top_starts_at_zero",
        "Your top begins at 0: a block in which all scores are negative must have a negative top, and a query that saw nothing has −∞.",
        ("np.full(rows, -np.inf)", "np.zeros(rows)"),
    ),
    (
        "one_top_for_all_queries",
        "You took one top for all queries of the block: each query has its own.",
        (TOP, "np.maximum(top, S.max(axis=(-1, -2), keepdims=True)[..., 0])"),
    ),
    (
        "block_replaces_state",
        "You forgot the state: after the call only the new block is left.",
        ("top, z, U = state", "top, z, U = state[0] - np.inf, 0 * state[1], 0 * state[2]"),
    ),
    (
        "block_not_taken_in",
        "Your state is the old one, on a new top: the block's own sums are missing.",
        ("+ E.sum(axis=-1)", ""),
        ("+ E @ V", ""),
    ),
    (
        "divided_already",
        "Your third part is divided by z. It stays undivided until all blocks are in.",
        ("return new_top, z, U", "return new_top, z, U / np.where(z == 0, 1, z)[..., None]"),
    ),
    (
        "block_averaged",
        "You added the block's average in place of its sum: E @ V is not divided by the block's own normaliser.",
        ("+ E @ V", "+ E @ V / np.where(E.sum(axis=-1) == 0, 1, E.sum(axis=-1))[..., None]"),
    ),
    (
        "not_scaled",
        "Your scores are not divided by √d_k.",
        (" / np.sqrt(Q.shape[-1])", ""),
    ),
    (
        "divided_by_d_k",
        "You divided the scores by d_k; by its root they are divided.",
        ("np.sqrt(Q.shape[-1])", "Q.shape[-1]"),
    ),
    (
        "mask_ignored",
        "Your function does not look at the mask.",
        ("if mask is not None:", "if False:"),
    ),
    (
        "mask_inverted",
        "Your mask is inverted: True means may attend.",
        ("np.where(mask, S", "np.where(np.logical_not(mask), S"),
    ),
    (
        "masked_after_the_top",
        "Your top looks at masked scores, too. Mask before you look for the largest.",
        (TOP, "np.maximum(top, (Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])).max(axis=-1))"),
    ),
    (
        "masked_with_zero_scores",
        "Your masked scores are 0, and e to the power of 0 is 1: they take part. A masked score is −∞.",
        ("np.where(mask, S, -np.inf)", "np.where(mask, S, 0.0)"),
    ),
    (
        "masked_with_a_large_number",
        "You masked with a large negative number. A query without any permitted key has the top −∞, z = 0 and U = 0; with a number it looks as if it had seen all keys of the block.",
        ("np.where(mask, S, -np.inf)", "np.where(mask, S, -1e9)"),
    ),
    (
        "no_shift",
        "Your exponentials are not shifted by the top: a score in the thousands overflows, and the sums do not refer to the top that you return.",
        (
            "base = np.where(new_top == -np.inf, 0.0, new_top)",
            "base = 0.0 * np.where(np.isfinite(new_top), new_top, 0)",
        ),
        ("shrink = np.exp(top - base)", "shrink = np.ones_like(top)"),
    ),
]:
    wrong("absorb", name, sentence, ABSORB, *swaps)
wrong(
    "absorb",
    "nan_when_nothing_was_seen",
    "Where a query has seen nothing yet you subtract −∞ from −∞, which is NaN. As long as the top is −∞, subtract 0.",
    ABSORB,
    ("base = np.where(new_top == -np.inf, 0.0, new_top)", "base = new_top"),
)
wrong(
    "absorb",
    "one_more_axis",
    "Your top and z have one axis too many: one number for each query, shape (..., n_q).",
    ABSORB,
    ("return new_top, z, U", "return new_top[..., None], z[..., None], U"),
)
right("absorb", "as_derived", ABSORB)
right(
    "absorb",
    "merge_two_states",
    """
def absorb(state, Q, K, V, mask=None):
    S = np.einsum("...im,...jm->...ij", Q, K) * Q.shape[-1] ** -0.5
    S = S if mask is None else np.where(mask, S, -np.inf)
    def summary(S, V):
        top = S.max(axis=-1, keepdims=True)
        E = np.where(np.isneginf(S), 0.0, np.exp(S - np.where(np.isneginf(top), 0.0, top)))
        return top[..., 0], E.sum(axis=-1), E @ V
    block = summary(S, V)
    if state is None:
        return block
    top = np.maximum(state[0], block[0])
    safe = np.where(np.isneginf(top), 0.0, top)
    f, g = np.exp(state[0] - safe), np.exp(block[0] - safe)
    return top, f * state[1] + g * block[1], f[..., None] * state[2] + g[..., None] * block[2]
""",
)
right(
    "absorb",
    "key_after_key",
    """
def absorb(state, Q, K, V, mask=None):
    lead = np.broadcast_shapes(Q.shape[:-2], K.shape[:-2])
    n_q = Q.shape[-2]
    if state is None:
        state = (np.full((*lead, n_q), -np.inf), np.zeros((*lead, n_q)), np.zeros((*lead, n_q, V.shape[-1])))
    top, z, U = [np.array(part, dtype=float) for part in state]
    for j in range(K.shape[-2]):
        s = (Q * K[..., j : j + 1, :]).sum(axis=-1) / np.sqrt(Q.shape[-1])
        if mask is not None:
            s = np.where(np.asarray(mask)[..., j], s, -np.inf)
        higher = np.maximum(top, s)
        base = np.where(np.isfinite(higher), higher, 0.0)
        old, new = np.exp(top - base), np.exp(s - base)
        z = old * z + new
        U = old[..., None] * U + new[..., None] * V[..., j : j + 1, :]
        top = higher
    return top, z, U
""",
)
right(
    "absorb",
    "log_sum_exp_inside",
    """
def absorb(state, Q, K, V, mask=None):
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    if state is None:
        old_top, old_z, old_U = -np.inf * np.ones(S.shape[:-1]), 0.0, 0.0
    else:
        old_top, old_z, old_U = state
    everything = np.concatenate([S, old_top[..., None]], axis=-1)
    top = everything.max(axis=-1)
    with np.errstate(invalid="ignore"):
        E = np.nan_to_num(np.exp(everything - top[..., None]))
    block, old = E[..., :-1], E[..., -1]
    return [top, block.sum(axis=-1) + old * old_z, block @ V + old[..., None] * old_U]
""",
)

# ---------------------------------------------------------------- expected_rises
RISES = """
def expected_rises(n):
    return sum(1 / t for t in range(1, n + 1))
"""
SUM = "sum(1 / t for t in range(1, n + 1))"
for name, sentence, *swaps in [
    (
        "half_of_them",
        "You expect that every second block sets a new top. The more blocks have come, the less likely is the next one to be the largest.",
        (SUM, "(n + 1) / 2"),
    ),
    (
        "half_exactly",
        "You expect half of the blocks. The more blocks have come, the less likely is the next one to be the largest; and the first one counts.",
        (SUM, "n / 2"),
    ),
    (
        "worst_case",
        "You counted the adversary's order. In a random order most blocks set no new top.",
        (SUM, "n"),
    ),
    (
        "first_not_counted",
        "You left out the first block, which sets the first top.",
        (SUM, "sum(1 / t for t in range(2, n + 1))"),
    ),
    (
        "last_not_counted",
        "Your sum ends one block early.",
        (SUM, "sum(1 / t for t in range(1, n))"),
    ),
    (
        "one_block_too_many",
        "Your sum has one block too many.",
        (SUM, "sum(1 / t for t in range(1, n + 2))"),
    ),
    (
        "logarithm",
        "The natural logarithm grows like the answer, and is not the answer.",
        (SUM, "np.log(n)"),
    ),
    (
        "logarithm_and_one",
        "One plus the natural logarithm comes close, and is too much from two blocks on.",
        (SUM, "1 + np.log(n)"),
    ),
    (
        "logarithm_and_euler",
        "The logarithm plus 0.5772 is what the answer tends to; for n blocks it is not exact.",
        (SUM, "np.log(n) + np.euler_gamma"),
    ),
    (
        "logarithm_to_base_2",
        "You halve in each step. The block number t is the largest of t with the probability 1/t.",
        (SUM, "1 + np.log2(n)"),
    ),
    (
        "root",
        "The root of n is no average over orders: block number t is the largest of t with the probability 1/t.",
        (SUM, "np.sqrt(n)"),
    ),
    (
        "probability_of_the_last",
        "You return the probability that the last block sets a new top. Add the probabilities of all blocks.",
        (SUM, "1 / n"),
    ),
    (
        "always_one",
        "You count only one block. Each block sets a new top if it is the largest so far.",
        (SUM, "1"),
    ),
    (
        "halving_chances",
        "You halved the chance from block to block. Block number t is the largest of t with the probability 1/t.",
        (SUM, "sum(0.5**t for t in range(n))"),
    ),
]:
    wrong("expected_rises", name, sentence, RISES, *swaps)
right("expected_rises", "sum", RISES)
right("expected_rises", "array", RISES, (SUM, "(1 / np.arange(1, n + 1)).sum()"))
right(
    "expected_rises",
    "recursion_without_recursion",
    """
def expected_rises(n):
    average = 1.0
    for blocks in range(2, n + 1):
        average = average + 1 / blocks
    return average
""",
)
right(
    "expected_rises",
    "backwards",
    RISES,
    (SUM, "float(np.add.reduce(np.reciprocal(np.arange(n, 0, -1, dtype=float))))"),
)
right(
    "expected_rises",
    "trapezoids",
    RISES,
    (SUM, "math.fsum(1 / t for t in range(1, n + 1))"),
    ("def expected_rises(n):\n", "def expected_rises(n):\n    import math\n"),
)
