"""Chapter 13: what learners write for path lengths, patches, twins and non-local means, wrong and right."""

from autograde.mistakes import Catalogue

CATALOGUE = Catalogue(unnamed={"one_picture_only", "no_refusal_of_zero", "another_error"})
wrong, right = CATALOGUE.wrong, CATALOGUE.right


# ---------------------------------------------------------------- path_length
STEPS = """
def path_length(pattern):
    reads = np.asarray(pattern).astype(int)
    n = len(reads)
    reached = np.eye(n, dtype=int)
    steps = np.where(reached, 0, -1)
    for layers in range(1, n):
        reached = np.minimum(reached + reads @ reached, 1)
        steps[(reached > 0) & (steps < 0)] = layers
    return steps
"""
LAST = "    return steps\n"
for name, sentence, *swaps in [
    (
        "direction",
        "Your table is transposed: rows are outputs, columns are inputs, as in the pattern.",
        (LAST, "    return steps.T\n"),
    ),
    (
        "one_layer_only",
        "You noted who reads whom in one layer and no chain of readings.",
        ("range(1, n)", "range(1, min(n, 2))"),
    ),
    (
        "two_layers_only",
        "Your chains end after two readings. A chain may have up to n − 1 of them.",
        ("range(1, n)", "range(1, min(n, 3))"),
    ),
    (
        "one_layer_too_few",
        "You stop one layer early: a chain through all n tokens has n − 1 readings.",
        ("range(1, n)", "range(1, n - 1)"),
    ),
    (
        "zero_for_never",
        "Where no number of layers is enough you wrote 0. It is −1; 0 means: no layer is needed.",
        (LAST, "    return np.maximum(steps, 0)\n"),
    ),
    (
        "n_for_never",
        "Where no number of layers is enough you wrote n. It is −1.",
        (LAST, "    return np.where(steps < 0, n, steps)\n"),
    ),
    (
        "counts_tokens",
        "You counted the tokens on the way instead of the readings: each number is 1 too large.",
        (LAST, "    return np.where(steps < 0, -1, steps + 1)\n"),
    ),
    (
        "diagonal_of_the_loop",
        "On the diagonal you waited for a layer that reads its own token. Every position keeps its content: 0 layers.",
        ("steps = np.where(reached, 0, -1)", "steps = np.full((n, n), -1)"),
    ),
    (
        "longest_chain",
        "You kept the number of the last layer at which a chain exists; the first one counts.",
        ("(reached > 0) & (steps < 0)", "(reached > 0) & (np.eye(n) == 0)"),
    ),
    (
        "layers_between",
        "You counted the tokens between the two instead of the readings: each number off the diagonal is 1 too small.",
        (LAST, "    return np.where(steps > 0, steps - 1, steps)\n"),
    ),
    (
        "both_ways",
        "You let signals run against the pattern: if i reads j, then j need not read i.",
        ("n = len(reads)", "reads = np.maximum(reads, reads.T)\n    n = len(reads)"),
    ),
    (
        "doubling",
        "You squared the reach at each step and counted the squarings. A layer adds one reading.",
        (
            "reached + reads @ reached",
            "reached @ (reached + reads) @ (np.eye(n, dtype=int) + reads @ reached)",
        ),
    ),
    (
        "distance_of_positions",
        "Your numbers are distances of positions, |i − j|. Who reads whom decides, not where they stand.",
        (
            LAST,
            "    gap = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))\n    return np.where(steps < 0, -1, gap)\n",
        ),
    ),
]:
    wrong("path_length", name, sentence, STEPS, *swaps)
right("path_length", "product_of_whole_numbers", STEPS)
right(
    "path_length",
    "breadth_first",
    """
def path_length(pattern):
    n = len(pattern)
    steps = np.full((n, n), -1)
    for i in range(n):
        now, layers = {i}, 0
        while now:
            for j in now:
                steps[i, j] = layers
            now = {j for k in now for j in range(n) if pattern[k][j] and steps[i, j] < 0}
            layers += 1
    return steps
""",
)
right(
    "path_length",
    "over_all_tokens_between",
    """
def path_length(pattern):
    n = len(pattern)
    steps = np.where(np.asarray(pattern) != 0, 1.0, np.inf)
    np.fill_diagonal(steps, 0)
    for k in range(n):
        steps = np.minimum(steps, steps[:, [k]] + steps[[k], :])
    return np.where(np.isinf(steps), -1, steps).astype(int)
""",
)
right("path_length", "on_the_right", STEPS, ("reads @ reached", "reached @ reads"))
right("path_length", "as_lists", STEPS, (LAST, "    return steps.tolist()\n"))

# ---------------------------------------------------------------- patchify
CUT = """
def patchify(images, size):
    height, width = images.shape[-2:]
    if size < 1 or height % size or width % size:
        raise ValueError("the size must divide both sides")
    lead = images.shape[:-2]
    cut = images.reshape(*lead, height // size, size, width // size, size)
    cut = np.swapaxes(cut, -3, -2)
    return cut.reshape(*lead, -1, size * size)
"""
SWAP = "    cut = np.swapaxes(cut, -3, -2)\n"
REFUSE = """    if size < 1 or height % size or width % size:
        raise ValueError("the size must divide both sides")
"""
for name, sentence, *swaps in [
    (
        "reshape_alone",
        "You only reshaped: each row holds neighbours of one line of the picture, not a square. Exchange the two axes in the middle first.",
        (SWAP, ""),
    ),
    (
        "columns_first",
        "Your patches run from top to bottom first. They run from left to right, then down.",
        (SWAP, "    cut = np.moveaxis(cut, -2, -4)\n"),
    ),
    (
        "pixels_columns_first",
        "Inside a patch your pixels run from top to bottom first. They run from left to right, then down.",
        (SWAP, "    cut = np.swapaxes(np.swapaxes(cut, -3, -2), -2, -1)\n"),
    ),
    (
        "pixels_and_patches_columns_first",
        "You run from top to bottom first, among the patches and inside them. Both run from left to right, then down.",
        (SWAP, "    cut = np.swapaxes(np.moveaxis(cut, -2, -4), -2, -1)\n"),
    ),
    (
        "pixels_as_rows",
        "Your table is transposed: rows are patches, columns the pixels of a patch.",
        (
            "return cut.reshape(*lead, -1, size * size)",
            "return np.swapaxes(cut.reshape(*lead, -1, size * size), -1, -2)",
        ),
    ),
    (
        "still_squares",
        "Your patches are still squares of two axes. Write each as one row.",
        ("-1, size * size)", "-1, size, size)"),
    ),
    (
        "grid_kept",
        "Your patches still stand in a grid of two axes. The tokens form one sequence.",
        (
            "cut.reshape(*lead, -1, size * size)",
            "cut.reshape(*lead, height // size, width // size, size * size)",
        ),
    ),
    (
        "every_other_pixel",
        "Your patch takes pixels spread over the picture. A patch is size neighbours by size neighbours: in the reshape, size is the second and the fourth of four axes.",
        (
            "height // size, size, width // size, size)",
            "size, height // size, size, width // size)",
        ),
        (SWAP, "    cut = np.moveaxis(cut, (-3, -1), (-4, -3))\n"),
    ),
    (
        "overlapping",
        "Your patches overlap. They move by size pixels at a time.",
        (
            SWAP,
            "    places = [(y, x) for y in range(height - size + 1) for x in range(width - size + 1)]\n    cut = np.stack([images[..., y : y + size, x : x + size] for y, x in places], axis=-3)\n",
        ),
    ),
    (
        "batch_flattened",
        "You lost the leading axes: the patches of all pictures stand in one list.",
        ("return cut.reshape(*lead, -1, size * size)", "return cut.reshape(-1, size * size)"),
    ),
    (
        "one_picture_only",
        "Your function takes one picture only.",
        ("*lead, height // size, size", "height // size, size"),
    ),
    (
        "rest_cut_off",
        "You accepted a size that does not divide both sides. Raise ValueError.",
        (
            REFUSE,
            "    if size < 1:\n        raise ValueError\n    height, width = height // size * size, width // size * size\n    images = images[..., :height, :width]\n",
        ),
    ),
    (
        "product_divides",
        "You asked whether the patches fill the number of pixels. size must divide the height and the width, each.",
        (
            REFUSE,
            "    if size < 1 or height * width % size**2:\n        raise ValueError\n    if height % size or width % size:\n        return images.reshape(*images.shape[:-2], -1, size * size)\n",
        ),
    ),
    (
        "no_refusal_of_zero",
        "With size 0 your function raises another error than ValueError.",
        ("size < 1 or ", ""),
    ),
    (
        "another_error",
        "You raised another error than ValueError.",
        (
            'raise ValueError("the size must divide both sides")',
            'raise IndexError("the size must divide both sides")',
        ),
    ),
]:
    wrong("patchify", name, sentence, CUT, *swaps)
right("patchify", "minus_one", CUT)
right(
    "patchify",
    "loop_over_squares",
    """
def patchify(images, size):
    height, width = np.shape(images)[-2:]
    if size <= 0 or height % size != 0 or width % size != 0:
        raise ValueError("no")
    rows = []
    for y in range(0, height, size):
        for x in range(0, width, size):
            square = images[..., y : y + size, x : x + size]
            rows.append(square.reshape(*square.shape[:-2], size**2))
    return np.stack(rows, axis=-2)
""",
)
right(
    "patchify",
    "einsum",
    CUT,
    (SWAP, '    cut = np.einsum("...aybx->...abyx", cut)\n'),
)
right(
    "patchify",
    "pixel_by_pixel",
    """
def patchify(images, size):
    height, width = images.shape[-2:]
    if size < 1 or height % size or width % size:
        raise ValueError("no")
    columns = []
    for y in range(size):
        for x in range(size):
            part = images[..., y::size, x::size]
            columns.append(part.reshape(*part.shape[:-2], part.shape[-2] * part.shape[-1]))
    return np.stack(columns, axis=-1)
""",
)

# ---------------------------------------------------------------- twin
TWIN = """
def twin(image, size):
    up, across = image.shape
    corners = [(y, x) for y in range(0, up, size) for x in range(0, across, size)]
    result = image.copy()
    for k in range(1, len(corners)):
        (a, b), (c, d) = corners[k - 1], corners[k]
        one, two = image[a : a + size, b : b + size], image[c : c + size, d : d + size]
        if (one != two).any():
            result[a : a + size, b : b + size] = two
            result[c : c + size, d : d + size] = one
            return result
    return None
"""
FROM = "    up, across = image.shape\n"
for name, sentence, *swaps in [
    (
        "mirrored",
        "You mirrored or turned the picture: that turns the inside of each patch as well, or changes nothing in a symmetric picture. Move whole patches.",
        (FROM, FROM + "    return image[:, ::-1].copy()\n"),
    ),
    (
        "upside_down",
        "You mirrored or turned the picture: that turns the inside of each patch as well, or changes nothing in a symmetric picture. Move whole patches.",
        (FROM, FROM + "    return image[::-1].copy()\n"),
    ),
    (
        "the_same",
        "You returned the picture itself, a copy of it, or a picture with two equal patches exchanged. It must differ.",
        (FROM, FROM + "    return image.copy()\n"),
    ),
    (
        "first_two",
        "You exchanged two fixed patches. If these are alike, nothing has changed: look for two that differ.",
        ("if (one != two).any():", "if True:"),
    ),
    (
        "first_and_last",
        "You exchanged the first and the last patch whatever they hold. If these are alike, nothing has changed: look for two that differ.",
        (
            FROM,
            FROM
            + "    if size < min(up, across) or up != across:\n        result = image.copy()\n        result[:size, :size], result[-size:, -size:] = image[-size:, -size:], image[:size, :size]\n        return result\n    return None\n",
        ),
    ),
    (
        "one_copied_over",
        "One patch now stands there twice and another is lost: write each of the two where the other was (and copy before you write).",
        ("            result[c : c + size, d : d + size] = one\n", ""),
    ),
    (
        "pixels_exchanged",
        "You moved single pixels. For patches of more than one pixel that makes new patches, or moves inside one.",
        (
            FROM,
            FROM
            + "    flat = image.ravel()\n    for k in range(1, flat.size):\n        if flat[k] != flat[0]:\n            flat = flat.copy()\n            flat[0], flat[k] = image.ravel()[k], image.ravel()[0]\n            return flat.reshape(image.shape)\n    return None\n",
        ),
    ),
    (
        "rolled_by_a_pixel",
        "You shifted the picture by one pixel: that cuts new patches.",
        (FROM, FROM + "    return np.roll(image, 1, axis=1)\n"),
    ),
    (
        "rolled_by_a_patch",
        "You shifted the picture by one patch to the side. That changes nothing if the patches of a row are alike, or if there is one column of them.",
        (
            FROM,
            FROM
            + "    return np.roll(image, size, axis=1) if across > size or up == size else np.roll(image, size, axis=0)\n",
        ),
    ),
    (
        "always_none",
        "You returned None where there are two different patches to exchange.",
        ("            return result\n", "            return None\n"),
    ),
    (
        "transposed",
        "Your answer is not made of the picture's patches in its shape: either it has another shape, or the patches were turned over with the picture.",
        (FROM, FROM + "    return image.T.copy()\n"),
    ),
    (
        "new_patches",
        "Your picture has other pixels. Move patches, change none.",
        (FROM, FROM + "    return image + 1\n"),
    ),
    (
        "never_none",
        "All patches are alike, or there is one alone: no other picture has the same patches. Return None.",
        ("    return None\n", "    return result\n"),
    ),
]:
    wrong("twin", name, sentence, TWIN, *swaps)
right("twin", "neighbours_that_differ", TWIN)
right(
    "twin",
    "shift_along_the_sequence",
    """
def twin(image, size):
    up, across = image.shape
    corners = [(y, x) for y in range(0, up, size) for x in range(0, across, size)]
    result = np.zeros_like(image)
    for (a, b), (c, d) in zip(corners, corners[1:] + corners[:1]):
        result[a : a + size, b : b + size] = image[c : c + size, d : d + size]
    return None if np.array_equal(result, image) else result
""",
)
right(
    "twin",
    "sorted_patches",
    """
def twin(image, size):
    up, across = image.shape
    squares = [image[y : y + size, x : x + size] for y in range(0, up, size) for x in range(0, across, size)]
    for order in (1, -1):
        ranked = sorted(squares, key=lambda square: square.ravel().tolist())[::order]
        per_row = across // size
        result = np.vstack([np.hstack(ranked[k : k + per_row]) for k in range(0, len(ranked), per_row)])
        if not np.array_equal(result, image):
            return result
    return None
""",
)
right(
    "twin",
    "as_lists",
    TWIN,
    ("            return result\n", "            return result.tolist()\n"),
)
right("twin", "as_floats", TWIN, ("image.copy()", "image.astype(np.float32)"))

# ---------------------------------------------------------------- non_local_means
HEAD = """
def non_local_means(patches, values, beta):
    n, p = patches.shape
    squares = np.sum(patches * patches, axis=1)[:, None]
    Q = np.concatenate([2 * beta * patches, -beta * np.ones((n, 1))], axis=1)
    K = np.concatenate([patches, squares], axis=1)
    return Q * np.sqrt(p + 1), K, values
"""
for name, sentence, *swaps in [
    (
        "no_scale",
        "The head divides by √(p + 1), the root of the number of columns: multiply Q or K by it.",
        ("Q * np.sqrt(p + 1)", "Q"),
    ),
    (
        "root_of_p",
        "You undid a division by √p. Q and K have p + 1 columns: the head divides by √(p + 1).",
        ("np.sqrt(p + 1)", "np.sqrt(p)"),
    ),
    (
        "scale_not_rooted",
        "You multiplied by p + 1; the head divides by its root.",
        ("np.sqrt(p + 1)", "(p + 1)"),
    ),
    (
        "scale_in_both",
        "You multiplied both Q and K by √(p + 1): once is enough.",
        ("Q * np.sqrt(p + 1), K", "Q * np.sqrt(p + 1), K * np.sqrt(p + 1)"),
    ),
    (
        "two_forgotten",
        "The mixed part of the square is −2 xᵢ·xⱼ: you lost the 2.",
        ("2 * beta * patches", "beta * patches"),
    ),
    (
        "keys_without_length",
        "Your scores lack −β|xⱼ|², the part that belongs to the key: right where all patches are equally long, wrong elsewhere.",
        ("-beta * np.ones((n, 1))", "np.zeros((n, 1))"),
    ),
    (
        "length_with_plus",
        "The squared length of a key has the wrong sign: it lowers the score.",
        ("-beta * np.ones", "beta * np.ones"),
    ),
    (
        "length_not_squared",
        "You took the length of each key; it is the squared length.",
        (
            "squares = np.sum(patches * patches, axis=1)[:, None]",
            "squares = np.sqrt(np.sum(patches * patches, axis=1))[:, None]",
        ),
    ),
    (
        "mixed_part_with_minus",
        "Your mixed part has the wrong sign: −β|xᵢ − xⱼ|² contains +2β xᵢ·xⱼ.",
        ("[2 * beta", "[-2 * beta"),
    ),
    (
        "beta_forgotten",
        "You left β out, or used it on one of the two parts only.",
        ("2 * beta * patches, -beta", "2 * patches, -1.0"),
    ),
    (
        "beta_on_one_part",
        "You left β out, or used it on one of the two parts only.",
        ("2 * beta * patches, -beta", "2 * beta * patches, -1.0"),
    ),
    (
        "beta_twice",
        "β is in Q and in K: it counts twice.",
        ("[patches, squares]", "[beta * patches, beta * squares]"),
    ),
    (
        "length_of_the_query",
        "You gave the squared length to the query. There it is the same for all keys of a row and does nothing: the key needs it.",
        (
            "[2 * beta * patches, -beta * np.ones((n, 1))]",
            "[2 * beta * patches, -beta * squares]",
        ),
        ("[patches, squares]", "[patches, np.ones((n, 1))]"),
    ),
    (
        "two_columns_more",
        "The numbers are right, but you used two columns more than the patches have. The squared length of the query is the same for all keys of a row: leave it out.",
        ("-beta * np.ones((n, 1))]", "-beta * np.ones((n, 1)), -beta * squares]"),
        ("[patches, squares]", "[patches, squares, np.ones((n, 1))]"),
        ("np.sqrt(p + 1)", "np.sqrt(p + 2)"),
    ),
    (
        "patches_as_they_are",
        "Q and K are the patches themselves: that is attention by dot product, not by distance.",
        ("Q * np.sqrt(p + 1), K, values", "patches, patches, values"),
    ),
]:
    wrong("non_local_means", name, sentence, HEAD, *swaps)
right("non_local_means", "factor_in_the_queries", HEAD)
right(
    "non_local_means",
    "shared_between_both",
    """
def non_local_means(patches, values, beta):
    n, p = patches.shape
    share = np.sqrt(beta * np.sqrt(p + 1))
    Q = np.empty((n, p + 1))
    K = np.empty((n, p + 1))
    for i, x in enumerate(patches):
        Q[i] = [-x @ np.eye(p)[m] for m in range(p)] + [-0.5]
        K[i] = [-2 * x @ np.eye(p)[m] for m in range(p)] + [2 * (x @ x)]
    return Q * share, K * share, values
""",
)
right(
    "non_local_means",
    "lengths_first_and_centred",
    """
def non_local_means(patches, values, beta):
    patches = patches - patches.mean(axis=0)
    squares = np.einsum("np,np->n", patches, patches)
    Q = np.column_stack([np.ones(len(patches)), patches])
    K = np.column_stack([-squares, 2 * patches])
    return beta * Q, K * Q.shape[1] ** 0.5, values
""",
)
right(
    "non_local_means",
    "single_precision",
    HEAD,
    (
        "return Q * np.sqrt(p + 1), K, values",
        "return np.float32(Q * np.sqrt(p + 1)), np.float32(K), np.float32(values)",
    ),
)
right(
    "non_local_means",
    "as_a_list",
    HEAD,
    ("return Q * np.sqrt(p + 1), K, values", "return [Q * np.sqrt(p + 1), K, values]"),
)
