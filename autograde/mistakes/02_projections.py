"""Chapter 2: what learners write for the projections, the parameter count and the first weights."""

from autograde.mistakes import Right, Wrong

CATALOGUE = [
    # ------------------------------------------------------------ project
    Wrong(
        "project",
        "values_from_keys_matrix",
        "Your V is made with W_K, copied from the line above. Values have a matrix of their own: V = X W_V.",
        """
def project(X, W_Q, W_K, W_V):
    Q = X @ W_Q
    K = X @ W_K
    V = X @ W_K
    return Q, K, V
""",
    ),
    Wrong(
        "project",
        "keys_from_queries_matrix",
        "Your K is made with W_Q. Keys have a matrix of their own: K = X W_K.",
        """
def project(X, W_Q, W_K, W_V):
    return X @ W_Q, X @ W_Q, X @ W_V
""",
    ),
    Wrong(
        "project",
        "queries_and_keys_swapped",
        "Your queries and keys are swapped: return Q = X W_Q first, then K = X W_K.",
        """
def project(X, W_Q, W_K, W_V):
    return X @ W_K, X @ W_Q, X @ W_V
""",
    ),
    Wrong(
        "project",
        "values_first",
        "Your order is V, K, Q. Return Q, K, V.",
        """
def project(X, W_Q, W_K, W_V):
    return X @ W_V, X @ W_K, X @ W_Q
""",
    ),
    Wrong(
        "project",
        "values_before_keys",
        "Your order is Q, V, K. Return Q, K, V.",
        """
def project(X, W_Q, W_K, W_V):
    return X @ W_Q, X @ W_V, X @ W_K
""",
    ),
    Wrong(
        "project",
        "weights_transposed",
        "You transposed the matrices. Here they have the shape (input, output), so it is X @ W; X @ W.T belongs to weights stored as (output, input).",
        """
def project(X, W_Q, W_K, W_V):
    return X @ W_Q.T, X @ W_K.T, X @ W_V.T
""",
    ),
    Wrong(
        "project",
        "weights_from_the_left",
        "You multiplied from the left, W X. Words are rows here, so the matrix stands on the right: X W.",
        """
def project(X, W_Q, W_K, W_V):
    return W_Q @ X, W_K @ X, W_V @ X
""",
    ),
    Wrong(
        "project",
        "words_as_columns",
        "Your results have words as columns: you computed Wᵀ Xᵀ. Words are rows: X W.",
        """
def project(X, W_Q, W_K, W_V):
    return tuple(W.T @ np.swapaxes(X, -1, -2) for W in (W_Q, W_K, W_V))
""",
    ),
    Wrong(
        "project",
        "chained",
        "You projected the projections: K was made from Q, and V from K. All three are made from X.",
        """
def project(X, W_Q, W_K, W_V):
    Q = X @ W_Q
    K = Q @ W_K
    V = K @ W_V
    return Q, K, V
""",
    ),
    Wrong(
        "project",
        "elementwise",
        "You multiplied elementwise with *. The matrix product is @.",
        """
def project(X, W_Q, W_K, W_V):
    return X * W_Q, X * W_K, X * W_V
""",
    ),
    Wrong(
        "project",
        "only_queries",
        "You returned the queries alone. Return all three: Q, K, V.",
        """
def project(X, W_Q, W_K, W_V):
    Q = X @ W_Q
    K = X @ W_K
    V = X @ W_V
    return Q
""",
    ),
    Wrong(
        "project",
        "one_wide_table",
        "You returned one wide table. The three results are to come apart, as a tuple Q, K, V.",
        """
def project(X, W_Q, W_K, W_V):
    return X @ np.concatenate([W_Q, W_K, W_V], axis=1)
""",
    ),
    Wrong(
        "project",
        "values_not_projected",
        "You returned X itself as the values. Values are projected too: V = X W_V.",
        """
def project(X, W_Q, W_K, W_V):
    return X @ W_Q, X @ W_K, X
""",
    ),
    Wrong(
        "project",
        "batch_flattened",
        "You flattened the leading axes and did not put them back. The results keep them: (batch, n, d_k).",
        """
def project(X, W_Q, W_K, W_V):
    X = X.reshape(-1, X.shape[-1])
    return X @ W_Q, X @ W_K, X @ W_V
""",
    ),
    Wrong(
        "project",
        "batch_forgotten",
        "Your formula takes a table without leading axes only. With @, or with ... in einsum, the leading axes are carried along.",
        """
def project(X, W_Q, W_K, W_V):
    return tuple(np.einsum("ia,am->im", X, W) for W in (W_Q, W_K, W_V))
""",
    ),
    Wrong(
        "project",
        "scaled_early",
        "You divided the queries by √d_k. That is chapter 4 and concerns the scores; here Q is X W_Q as it is.",
        """
def project(X, W_Q, W_K, W_V):
    return X @ W_Q / np.sqrt(W_Q.shape[1]), X @ W_K, X @ W_V
""",
    ),
    Wrong(
        "project",
        "clipped_at_zero",
        "You set negative entries to 0. A projection is linear; nothing is cut off.",
        """
def project(X, W_Q, W_K, W_V):
    return tuple(np.maximum(X @ W, 0) for W in (W_Q, W_K, W_V))
""",
    ),
    Wrong(
        "project",
        "no_return",
        "Your function returns nothing: end it with return Q, K, V.",
        """
def project(X, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
""",
    ),
    Wrong(
        "project",
        "transposed_twice",
        ".T reverses all axes, so this holds for one sentence only. X @ W carries leading axes along.",
        """
def project(X, W_Q, W_K, W_V):
    return tuple((W.T @ X.T).T for W in (W_Q, W_K, W_V))
""",
    ),
    Wrong(
        "project",
        "one_array",
        "Q and V differ in shape, so no single array holds them. Return a tuple: Q, K, V.",
        """
def project(X, W_Q, W_K, W_V):
    return np.array([X @ W_Q, X @ W_K, X @ W_V])
""",
    ),
    Right(
        "project",
        "einsum",
        """
def project(X, W_Q, W_K, W_V):
    return tuple(np.einsum("...ia,am->...im", X, W) for W in (W_Q, W_K, W_V))
""",
    ),
    Right(
        "project",
        "one_product_then_split",
        """
def project(X, W_Q, W_K, W_V):
    wide = X @ np.concatenate([W_Q, W_K, W_V], axis=1)
    d_k = W_Q.shape[1]
    return wide[..., :d_k], wide[..., d_k : 2 * d_k], wide[..., 2 * d_k :]
""",
    ),
    Right(
        "project",
        "flattened_and_back",
        """
def project(X, W_Q, W_K, W_V):
    rows = X.reshape(-1, X.shape[-1])
    return [(rows @ W).reshape(*X.shape[:-1], W.shape[1]) for W in (W_Q, W_K, W_V)]
""",
    ),
    Right(
        "project",
        "feature_by_feature",
        """
def project(X, W_Q, W_K, W_V):
    results = []
    for W in (W_Q, W_K, W_V):
        total = np.zeros((*X.shape[:-1], W.shape[1]))
        for a in range(X.shape[-1]):
            total = total + X[..., a, None] * W[a]
        results.append(total)
    return tuple(results)
""",
    ),
    Right(
        "project",
        "single_precision",
        """
def project(X, W_Q, W_K, W_V):
    X = X.astype(np.float32)
    return np.dot(X, W_Q.astype("f")), np.dot(X, W_K.astype("f")), np.dot(X, W_V.astype("f"))
""",
    ),
    # ------------------------------------------------------------ parameter_count
    Wrong(
        "parameter_count",
        "values_as_wide_as_keys",
        "You gave W_V the width d_k. Its width is d_v.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    count = n_heads * 3 * d_k * (d_model + bias)
    if output:
        count += (n_heads * d_v + bias) * d_model
    return count
""",
    ),
    Wrong(
        "parameter_count",
        "one_of_two",
        "You counted d_k once. Queries and keys have a matrix each, both of width d_k.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    count = n_heads * (d_k + d_v) * (d_model + bias)
    if output:
        count += (n_heads * d_v + bias) * d_model
    return count
""",
    ),
    Wrong(
        "parameter_count",
        "heads_ignored",
        "The number of heads has no effect on your W_Q, W_K, W_V. Each head has three matrices of its own.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    count = (2 * d_k + d_v) * (d_model + bias)
    if output:
        count += (n_heads * d_v + bias) * d_model
    return count
""",
    ),
    Wrong(
        "parameter_count",
        "width_taken_as_total",
        "Your count does not grow with the number of heads. d_k and d_v are the widths of one head: do not divide them by n_heads, and count each head's three matrices and its d_v rows of W_O.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    d_k, d_v = d_k / n_heads, d_v / n_heads
    count = n_heads * (2 * d_k + d_v) * (d_model + bias)
    if output:
        count += (n_heads * d_v + bias) * d_model
    return count
""",
    ),
    Wrong(
        "parameter_count",
        "width_from_the_model",
        "You used d_model / n_heads in place of the given widths. That is the choice of the original Transformer, no law: use d_k and d_v.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    width = d_model // n_heads
    count = n_heads * 3 * width * (d_model + bias)
    if output:
        count += (n_heads * width + bias) * d_model
    return count
""",
    ),
    Wrong(
        "parameter_count",
        "output_always",
        "You counted W_O although output is false. Count it only if output is true.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    count = n_heads * (2 * d_k + d_v) * (d_model + bias)
    return count + (n_heads * d_v + bias) * d_model
""",
    ),
    Wrong(
        "parameter_count",
        "output_forgotten",
        "You never counted W_O. With output=True it adds n_heads · d_v · d_model.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    return n_heads * (2 * d_k + d_v) * (d_model + bias)
""",
    ),
    Wrong(
        "parameter_count",
        "output_of_one_head",
        "Your W_O reads one head. It reads all of them side by side: n_heads · d_v rows.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    count = n_heads * (2 * d_k + d_v) * (d_model + bias)
    if output:
        count += (d_v + bias) * d_model
    return count
""",
    ),
    Wrong(
        "parameter_count",
        "output_square",
        "You counted W_O as d_model × d_model. It has n_heads · d_v rows, which is d_model only by a common choice.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    count = n_heads * (2 * d_k + d_v) * (d_model + bias)
    if output:
        count += (d_model + bias) * d_model
    return count
""",
    ),
    Wrong(
        "parameter_count",
        "output_reads_keys",
        "Your W_O reads d_k numbers from each head. A head puts out a mixture of values, so d_v.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    count = n_heads * (2 * d_k + d_v) * (d_model + bias)
    if output:
        count += (n_heads * d_k + bias) * d_model
    return count
""",
    ),
    Wrong(
        "parameter_count",
        "bias_ignored",
        "The biases are missing from your count: one for each column of each matrix.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    count = n_heads * (2 * d_k + d_v) * d_model
    if output:
        count += n_heads * d_v * d_model
    return count
""",
    ),
    Wrong(
        "parameter_count",
        "bias_as_wide_as_input",
        "Your biases are as long as the input. A bias is added to the result, so it has one number for each column: d_k, d_k and d_v in a head.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    count = n_heads * (2 * d_k + d_v) * d_model + bias * 3 * n_heads * d_model
    if output:
        count += n_heads * d_v * d_model + bias * n_heads * d_v
    return count
""",
    ),
    Wrong(
        "parameter_count",
        "bias_of_one_head",
        "You counted the biases of one head. Each head has its own.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    count = n_heads * (2 * d_k + d_v) * d_model + bias * (2 * d_k + d_v)
    if output:
        count += (n_heads * d_v + bias) * d_model
    return count
""",
    ),
    Wrong(
        "parameter_count",
        "output_bias_forgotten",
        "The bias of W_O is missing: with output=True and bias=True it adds d_model numbers.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    count = n_heads * (2 * d_k + d_v) * (d_model + bias)
    if output:
        count += n_heads * d_v * d_model
    return count
""",
    ),
    Wrong(
        "parameter_count",
        "output_bias_always",
        "You counted the bias of W_O although output is false. No W_O, no bias of it.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    count = n_heads * (2 * d_k + d_v) * (d_model + bias) + bias * d_model
    if output:
        count += n_heads * d_v * d_model
    return count
""",
    ),
    Wrong(
        "parameter_count",
        "one_bias_per_matrix",
        "You counted one number of bias for each matrix. It is one for each column.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    count = n_heads * (2 * d_k + d_v) * d_model + bias * 3 * n_heads
    if output:
        count += n_heads * d_v * d_model + bias
    return count
""",
    ),
    Wrong(
        "parameter_count",
        "sides_added",
        "You added rows and columns. A matrix has rows times columns entries.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    count = n_heads * (2 * (d_model + d_k) + d_model + d_v)
    if output:
        count += n_heads * d_v + d_model
    return count
""",
    ),
    Wrong(
        "parameter_count",
        "prints_instead",
        "Your function prints the count and returns nothing. End it with a return.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    print(n_heads * (2 * d_k + d_v) * (d_model + bias) + output * (n_heads * d_v + bias) * d_model)
""",
    ),
    Wrong(
        "parameter_count",
        "flags_ignored",
        "Your count does not look at output and bias. W_O and the biases count only if asked for.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    return n_heads * (2 * d_k + d_v) * d_model
""",
    ),
    Wrong(
        "parameter_count",
        "everything_always",
        "Your count does not look at output and bias. W_O and the biases count only if asked for.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    count = n_heads * (2 * d_k + d_v) * (d_model + 1)
    return count + (n_heads * d_v + 1) * d_model
""",
    ),
    Wrong(
        "parameter_count",
        "output_bias_per_head",
        "You gave each head a bias of W_O. W_O exists once, with one bias of d_model numbers.",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    count = n_heads * (2 * d_k + d_v) * (d_model + bias)
    if output:
        count += n_heads * (d_v + bias) * d_model
    return count
""",
    ),
    Right(
        "parameter_count",
        "list_of_shapes",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    shapes = [(d_model, d_k), (d_model, d_k), (d_model, d_v)] * n_heads
    if output:
        shapes.append((n_heads * d_v, d_model))
    return sum(r * c + (c if bias else 0) for r, c in shapes)
""",
    ),
    Right(
        "parameter_count",
        "really_allocated",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    per_head = [np.zeros((d_model, d_k)), np.zeros((d_model, d_k)), np.zeros((d_model, d_v))]
    if bias:
        per_head += [np.zeros(d_k), np.zeros(d_k), np.zeros(d_v)]
    total = n_heads * sum(a.size for a in per_head)
    if output:
        total += np.zeros((n_heads * d_v, d_model)).size
        total += d_model if bias else 0
    return total
""",
    ),
    Right(
        "parameter_count",
        "booleans_as_numbers",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    return n_heads * (d_k + d_k + d_v) * (d_model + bias) + output * (n_heads * d_v * d_model + bias * d_model)
""",
    ),
    Right(
        "parameter_count",
        "four_cases",
        """
def parameter_count(d_model, d_k, d_v, n_heads=1, output=False, bias=False):
    weights = n_heads * (2 * d_model * d_k + d_model * d_v)
    if output:
        weights += n_heads * d_v * d_model
    biases = n_heads * (2 * d_k + d_v)
    if output:
        biases += d_model
    return weights + biases if bias else weights
""",
    ),
    # ------------------------------------------------------------ initialise
    Wrong(
        "initialise",
        "divided_by_size",
        "You divided by d_in. That divides the variance by d_in²; for a variance of 1/d_in divide by its square root.",
        """
def initialise(noise, mean_square=1.0):
    return noise / (noise.shape[-2] * mean_square)
""",
    ),
    Wrong(
        "initialise",
        "output_size",
        "You used the number of outputs. What is summed over in x @ W is the input: noise.shape[-2].",
        """
def initialise(noise, mean_square=1.0):
    return noise / np.sqrt(noise.shape[-1] * mean_square)
""",
    ),
    Wrong(
        "initialise",
        "first_axis",
        "You took the first axis for d_in. With leading axes it counts the heads; d_in is the second to last, noise.shape[-2].",
        """
def initialise(noise, mean_square=1.0):
    return noise / np.sqrt(noise.shape[0] * mean_square)
""",
    ),
    Wrong(
        "initialise",
        "glorot",
        "You used 2 / (d_in + d_out), Glorot's compromise. For queries of variance 1 it is 1 / d_in alone.",
        """
def initialise(noise, mean_square=1.0):
    d_in, d_out = noise.shape[-2:]
    return noise * np.sqrt(2 / (d_in + d_out) / mean_square)
""",
    ),
    Wrong(
        "initialise",
        "factor_two",
        "You used variance 2 / d_in. The 2 makes up for an activation that cuts off half of its inputs; there is none here.",
        """
def initialise(noise, mean_square=1.0):
    return noise * np.sqrt(2 / (noise.shape[-2] * mean_square))
""",
    ),
    Wrong(
        "initialise",
        "not_scaled",
        "You returned the noise as it is: queries would have the variance d_in times the mean square.",
        """
def initialise(noise, mean_square=1.0):
    return noise.copy()
""",
    ),
    Wrong(
        "initialise",
        "multiplied",
        "You multiplied by √d_in. Longer sums need smaller weights: divide.",
        """
def initialise(noise, mean_square=1.0):
    return noise * np.sqrt(noise.shape[-2] * mean_square)
""",
    ),
    Wrong(
        "initialise",
        "mean_square_ignored",
        "The mean square of the inputs has no effect on your weights. It stands under the root of (2.16), next to d_in.",
        """
def initialise(noise, mean_square=1.0):
    return noise / np.sqrt(noise.shape[-2])
""",
    ),
    Wrong(
        "initialise",
        "mean_square_outside_root",
        "You divided by the mean square without its root. It stands under the root of (2.16), next to d_in.",
        """
def initialise(noise, mean_square=1.0):
    return noise / np.sqrt(noise.shape[-2]) / mean_square
""",
    ),
    Wrong(
        "initialise",
        "mean_square_upside_down",
        "Larger inputs made your weights larger. The mean square divides: it stands under the root next to d_in.",
        """
def initialise(noise, mean_square=1.0):
    return noise * np.sqrt(mean_square / noise.shape[-2])
""",
    ),
    Wrong(
        "initialise",
        "number_of_entries",
        "You used the number of all entries. Only the entries of one column are summed in a query entry: d_in of them.",
        """
def initialise(noise, mean_square=1.0):
    return noise / np.sqrt(noise.size * mean_square)
""",
    ),
    Wrong(
        "initialise",
        "measured_spread",
        "You divided by the measured standard deviation of the noise. Its variance is 1 already, as a property of how it is drawn; the few numbers at hand scatter around it.",
        """
def initialise(noise, mean_square=1.0):
    return noise / noise.std() / np.sqrt(noise.shape[-2] * mean_square)
""",
    ),
    Wrong(
        "initialise",
        "centred",
        "You subtracted the mean of the noise. Its mean is 0 already, as a property of how it is drawn; leave the numbers as they come.",
        """
def initialise(noise, mean_square=1.0):
    return (noise - noise.mean()) / np.sqrt(noise.shape[-2] * mean_square)
""",
    ),
    Wrong(
        "initialise",
        "constant_spread",
        "You multiplied by the fixed number 0.02. That suits one width only; the standard deviation must follow d_in.",
        """
def initialise(noise, mean_square=1.0):
    return 0.02 * noise
""",
    ),
    Wrong(
        "initialise",
        "own_noise",
        "You drew random numbers of your own. Use the ones you are given, or nobody can check the result.",
        """
def initialise(noise, mean_square=1.0):
    rng = np.random.default_rng(0)
    return rng.normal(size=noise.shape) / np.sqrt(noise.shape[-2] * mean_square)
""",
    ),
    Wrong(
        "initialise",
        "changes_noise",
        "Your weights are right, but /= writes them into the caller's noise. Use noise / …, which makes a new array.",
        """
def initialise(noise, mean_square=1.0):
    noise /= np.sqrt(noise.shape[-2] * mean_square)
    return noise
""",
    ),
    Wrong(
        "initialise",
        "returns_spread",
        "You returned the standard deviation σ alone. Return weights: the noise times σ.",
        """
def initialise(noise, mean_square=1.0):
    return 1 / np.sqrt(noise.shape[-2] * mean_square)
""",
    ),
    Wrong(
        "initialise",
        "no_return",
        "Your function returns nothing: end it with a return.",
        """
def initialise(noise, mean_square=1.0):
    weights = noise / np.sqrt(noise.shape[-2] * mean_square)
""",
    ),
    Wrong(
        "initialise",
        "size_ignored",
        "d_in has no effect on your weights. It stands under the root of (2.16), next to the mean square.",
        """
def initialise(noise, mean_square=1.0):
    return noise / np.sqrt(mean_square)
""",
    ),
    Wrong(
        "initialise",
        "two_axes_only",
        "Your code takes two axes only. With leading axes d_in is noise.shape[-2].",
        """
def initialise(noise, mean_square=1.0):
    d_in, d_out = noise.shape
    return noise / np.sqrt(d_in * mean_square)
""",
    ),
    Wrong(
        "initialise",
        "half_of_the_inverse",
        "** binds before /: x**-1/2 is half of 1/x. Write x ** -0.5.",
        """
def initialise(noise, mean_square=1.0):
    return noise * (noise.shape[-2] * mean_square) ** -1 / 2
""",
    ),
    Wrong(
        "initialise",
        "integer_weights",
        "With whole numbers in the input, the result must still be a table of floats (np.zeros_like copies the integer type).",
        """
def initialise(noise, mean_square=1.0):
    weights = np.zeros_like(noise)
    for i in np.ndindex(noise.shape):
        weights[i] = noise[i] / np.sqrt(noise.shape[-2] * mean_square)
    return weights
""",
        unnamed=True,
    ),
    Right(
        "initialise",
        "spread_first",
        """
def initialise(noise, mean_square=1.0):
    sigma = (noise.shape[-2] * mean_square) ** -0.5
    return sigma * noise
""",
    ),
    Right(
        "initialise",
        "two_roots",
        """
def initialise(noise, mean_square=1.0):
    *_, d_in, d_out = np.shape(noise)
    return noise / np.sqrt(d_in) / np.sqrt(mean_square)
""",
    ),
    Right(
        "initialise",
        "copy_then_in_place",
        """
def initialise(noise, mean_square=1.0):
    weights = np.array(noise, dtype=float)
    weights *= np.sqrt(1 / (weights.shape[-2] * mean_square))
    return weights
""",
    ),
    Right(
        "initialise",
        "single_precision_list",
        """
def initialise(noise, mean_square=1.0):
    d_in = noise.swapaxes(-1, -2).shape[-1]
    return (noise.astype(np.float32) / np.float32(np.sqrt(d_in * mean_square))).tolist()
""",
    ),
]
