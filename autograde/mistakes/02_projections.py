"""Chapter 2: what learners write for pointing heads, the fake table, the narrowest head and the first weights."""

from autograde.mistakes import Right, Wrong

CATALOGUE = [
    # ------------------------------------------------------------ point_at
    Wrong(
        "point_at",
        "keys_on_a_line",
        "Your words look at the ends only, if at all: the keys there are the longest. Either your keys lie on a line, where only the two ends can be the farthest in any direction, or they lie on a curve and the key of the target is not the query that prefers it.",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    W_K = np.stack([np.arange(n), np.ones(n)], axis=1)
    return W_K[t], W_K
""",
    ),
    Wrong(
        "point_at",
        "first_and_last_alike",
        "The keys of the first and the last word are equal, so neither can lead the other. That is how np.linspace(0, 2π, n) places them: it holds both ends of the circle. The angles are 2π j / n.",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    a = np.linspace(0, 2 * np.pi, n)
    W_K = np.stack([np.cos(a), np.sin(a)], axis=1)
    return W_K[t], W_K
""",
    ),
    Wrong(
        "point_at",
        "turned_round",
        "Your arrows are turned round: word targets[i] looks at word i, where word i should look at word targets[i].",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    a = 2 * np.pi * np.arange(n) / n
    circle = np.stack([np.cos(a), np.sin(a)], axis=1)
    return circle, circle[t]
""",
    ),
    Wrong(
        "point_at",
        "turned_round_by_index",
        "Your arrows are turned round: word targets[i] looks at word i, where word i should look at word targets[i]. (You put key i into row targets[i] of the queries; where nobody points, the query is missing.)",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    a = 2 * np.pi * np.arange(n) / n
    circle = np.stack([np.cos(a), np.sin(a)], axis=1)
    W_Q = np.zeros((n, 2))
    for i in range(n):
        W_Q[t[i]] = circle[i]
    return W_Q, circle
""",
    ),
    Wrong(
        "point_at",
        "one_matrix",
        "Each word looks at itself, whatever the targets: queries and keys are the same. A query must be the key of the target.",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    a = 2 * np.pi * np.arange(n) / n
    circle = np.stack([np.cos(a), np.sin(a)], axis=1)
    return circle, circle
""",
    ),
    Wrong(
        "point_at",
        "one_column_each",
        "Your matrices have a column for each word. Two columns are enough, and wanted.",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    return np.eye(n)[t], np.eye(n)
""",
    ),
    Wrong(
        "point_at",
        "one_column",
        "Your matrices have one column. With one number only the largest and the smallest key can come first.",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    W_K = np.arange(n)[:, None] - n / 2
    return W_K[t], W_K
""",
    ),
    Wrong(
        "point_at",
        "transposed",
        "Your matrices have shape (2, n). One row for each word: (n, 2).",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    a = 2 * np.pi * np.arange(n) / n
    circle = np.array([np.cos(a), np.sin(a)])
    return circle[:, t], circle
""",
    ),
    Wrong(
        "point_at",
        "always_the_next",
        "Your words look at the next word, whatever the targets.",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    a = 2 * np.pi * np.arange(n) / n
    circle = np.stack([np.cos(a), np.sin(a)], axis=1)
    return np.roll(circle, -1, axis=0), circle
""",
    ),
    Wrong(
        "point_at",
        "parabola_upside_down",
        "Your words look at the ends: on this parabola the sign of the square is turned, so the largest keys win every row. It is j and −j²/2 against the query (target, 1).",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    j = np.arange(n)
    return np.stack([t, np.ones(n)], axis=1), np.stack([j, j**2 / 2], axis=1)
""",
    ),
    Wrong(
        "point_at",
        "parabola_without_half",
        "Your words look at half of their targets: target · j − j² is largest at j = target / 2. The square needs the factor ½.",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    j = np.arange(n)
    return np.stack([t, np.ones(n)], axis=1), np.stack([j, -(j**2)], axis=1)
""",
    ),
    Wrong(
        "point_at",
        "parabola_keys_as_queries",
        "Your words look at the ends only, if at all: the keys there are the longest. Either your keys lie on a line, where only the two ends can be the farthest in any direction, or they lie on a curve and the key of the target is not the query that prefers it.",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    W_K = np.stack([np.arange(n), np.arange(n) ** 2], axis=1)
    return W_K[t], W_K
""",
    ),
    Wrong(
        "point_at",
        "line_from_the_middle",
        "Your words look at the ends only, if at all: the keys there are the longest. Either your keys lie on a line, where only the two ends can be the farthest in any direction, or they lie on a curve and the key of the target is not the query that prefers it.",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    W_K = np.stack([np.arange(n) - (n - 1) / 2, np.ones(n)], axis=1)
    return W_K[t], W_K
""",
    ),
    Wrong(
        "point_at",
        "pointing_away",
        "Your queries point away from their targets, so the words on the other side win: the sign is turned.",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    a = 2 * np.pi * np.arange(n) / n
    circle = np.stack([np.cos(a), np.sin(a)], axis=1)
    return -circle[t], circle
""",
    ),
    Right(
        "point_at",
        "any_angles",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    a = 360 * np.arange(n) / n
    circle = np.stack([np.cos(a), np.sin(a)], axis=1)
    return circle[t], circle
""",
    ),
    Wrong(
        "point_at",
        "random_keys",
        "Your keys are in no order, and some lie between others, so no query can prefer them. Each key must be the farthest in some direction.",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    W_K = np.random.default_rng(0).normal(size=(n, 2))
    return W_K[t], W_K
""",
    ),
    Wrong(
        "point_at",
        "counted_from_one",
        "Your words look one place before their target. The targets are counted from 0.",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    a = 2 * np.pi * np.arange(n) / n
    circle = np.stack([np.cos(a), np.sin(a)], axis=1)
    return circle[t - 1], circle
""",
    ),
    Wrong(
        "point_at",
        "target_as_angle",
        "You took the target itself for an angle. In radians words lie 2π/n apart: the angle is 2π · target / n.",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    a = 2 * np.pi * np.arange(n) / n
    circle = np.stack([np.cos(a), np.sin(a)], axis=1)
    return np.stack([np.cos(t), np.sin(t)], axis=1), circle
""",
    ),
    Wrong(
        "point_at",
        "queries_only",
        "You returned one matrix. Return both, as a tuple: W_Q, W_K.",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    a = 2 * np.pi * np.arange(n) / n
    circle = np.stack([np.cos(a), np.sin(a)], axis=1)
    return circle[t]
""",
    ),
    Wrong(
        "point_at",
        "no_return",
        "Your function returns nothing: end it with return W_Q, W_K.",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    a = 2 * np.pi * np.arange(n) / n
    circle = np.stack([np.cos(a), np.sin(a)], axis=1)
    W_Q, W_K = circle[t], circle
""",
    ),
    Right(
        "point_at",
        "parabola",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    j = np.arange(n)
    return np.stack([t, np.ones(n)], axis=1), np.stack([j, -(j**2) / 2], axis=1)
""",
    ),
    Right(
        "point_at",
        "half_circle_loops",
        """
def point_at(targets):
    n = len(targets)
    W_K = [[float(np.cos(3.0 * j / n)), float(np.sin(3.0 * j / n))] for j in range(n)]
    return [[5 * W_K[t][0], 5 * W_K[t][1]] for t in targets], W_K
""",
    ),
    Right(
        "point_at",
        "unit_roots",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    z = np.exp(2j * np.pi * np.arange(n) / n)
    W_K = np.column_stack([z.real, z.imag])
    one_hot = np.eye(n)[t]
    return one_hot @ W_K, W_K
""",
    ),
    Right(
        "point_at",
        "whole_numbers",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    j = np.arange(n)
    return np.stack([2 * t, -np.ones(n, dtype=int)], axis=1), np.stack([j, j * j], axis=1)
""",
    ),
    Right(
        "point_at",
        "single_precision",
        """
def point_at(targets):
    n = len(targets)
    t = np.array(targets)
    a = np.float32(2 * np.pi / n) * np.arange(n, dtype=np.float32)
    W_K = np.stack([np.cos(a), np.sin(a)], axis=1)
    return W_K[t], W_K
""",
    ),
    # ------------------------------------------------------------ fake_table
    Wrong(
        "fake_table",
        "positive",
        "One shared matrix can make your table, or fails by a rounding error only: for no numbers c is the sum of c_i c_j S_ij clearly below 0.",
        """
def fake_table(n):
    if n == 2:
        return None
    return np.where(np.eye(n) == 1, 1.0, 0.9)
""",
    ),
    Wrong(
        "fake_table",
        "identity",
        "One shared matrix can make your table, or fails by a rounding error only: for no numbers c is the sum of c_i c_j S_ij clearly below 0.",
        """
def fake_table(n):
    if n == 2:
        return None
    return np.eye(n)
""",
    ),
    Wrong(
        "fake_table",
        "gram",
        "One shared matrix can make your table, or fails by a rounding error only: for no numbers c is the sum of c_i c_j S_ij clearly below 0.",
        """
def fake_table(n):
    if n == 2:
        return None
    Q = np.random.default_rng(0).normal(size=(n, 2))
    return Q @ Q.T
""",
    ),
    Wrong(
        "fake_table",
        "just_at_the_edge",
        "One shared matrix can make your table, or fails by a rounding error only: for no numbers c is the sum of c_i c_j S_ij clearly below 0.",
        """
def fake_table(n):
    if n == 2:
        return None
    return np.where(np.eye(n) == 1, 1.0, -1 / (n - 1))
""",
    ),
    Wrong(
        "fake_table",
        "too_weak_for_three",
        "For three and four words one shared matrix can make your table, or fails by a rounding error only: the numbers off the diagonal do not bring the sum of the table clearly below 0.",
        """
def fake_table(n):
    if n == 2:
        return None
    return np.where(np.eye(n) == 1, 1.0, -0.3)
""",
    ),
    Wrong(
        "fake_table",
        "minus_one_half",
        "For three words one shared matrix can make your table: three directions at angles of 120° have these scores. Go further down.",
        """
def fake_table(n):
    if n == 2:
        return None
    return np.where(np.eye(n) == 1, 1.0, -0.5)
""",
    ),
    Wrong(
        "fake_table",
        "not_symmetric",
        "Your table is not symmetric. Scores of one shared matrix are, (2.5); the table must pass that test.",
        """
def fake_table(n):
    if n == 2:
        return None
    return np.eye(n) * 0.9 + np.roll(np.eye(n), 1, axis=1)
""",
    ),
    Wrong(
        "fake_table",
        "breaks_the_pairs",
        "Your table breaks (2.7) for some pair: an entry is larger, in absolute value, than the diagonal allows. It must pass that test.",
        """
def fake_table(n):
    if n == 2:
        return None
    return np.where(np.eye(n) == 1, 1.0, -2.0)
""",
    ),
    Wrong(
        "fake_table",
        "negative_diagonal",
        "Your table has a negative number on its diagonal. A diagonal entry is a squared length; the table must pass that test.",
        """
def fake_table(n):
    if n == 2:
        return None
    return -np.eye(n)
""",
    ),
    Wrong(
        "fake_table",
        "zero_diagonal",
        "Your table breaks (2.7) for some pair: an entry is larger, in absolute value, than the diagonal allows. It must pass that test.",
        """
def fake_table(n):
    if n == 2:
        return None
    return np.eye(n) - np.ones((n, n))
""",
    ),
    Wrong(
        "fake_table",
        "two_words_as_well",
        "For two words there is no such table: c₁² S₁₁ + 2 c₁ c₂ S₁₂ + c₂² S₂₂ is never below 0 if (2.7) holds. Return None there.",
        """
def fake_table(n):
    return np.where(np.eye(n) == 1, 1.0, -0.9)
""",
    ),
    Wrong(
        "fake_table",
        "never",
        "You returned None everywhere. From three words on there is such a table.",
        """
def fake_table(n):
    return None
""",
    ),
    Wrong(
        "fake_table",
        "three_only",
        "You returned None for more than three words. If three of the words cannot have their scores, no larger table that holds them can.",
        """
def fake_table(n):
    return np.where(np.eye(n) == 1, 1.0, -0.9) if n == 3 else None
""",
    ),
    Wrong(
        "fake_table",
        "always_three",
        "Your table has three words, whatever n.",
        """
def fake_table(n):
    if n == 2:
        return None
    return np.where(np.eye(3) == 1, 1.0, -0.9)
""",
    ),
    Wrong(
        "fake_table",
        "none_above_twenty",
        "For 20 words, the table must pass the three tests, and no shared matrix may make it; None only where there is no such table.",
        """
def fake_table(n):
    return np.where(np.eye(n) == 1, 1.0, -0.9) if 2 < n < 16 else None
""",
        unnamed=True,
    ),
    Right(
        "fake_table",
        "three_inside",
        """
def fake_table(n):
    if n < 3:
        return None
    S = np.eye(n)
    S[:3, :3] -= 0.8 * (1 - np.eye(3))
    return S
""",
    ),
    Right(
        "fake_table",
        "two_friends_who_quarrel",
        """
def fake_table(n):
    if n == 2:
        return
    S = np.zeros((n, n))
    S[:3, :3] = [[1, 0.9, 0.9], [0.9, 1, -0.9], [0.9, -0.9, 1]]
    return 100 * S
""",
    ),
    Right(
        "fake_table",
        "whole_numbers",
        """
def fake_table(n):
    return [[1 if i == j else -1 for j in range(n)] for i in range(n)] if n > 2 else None
""",
    ),
    Right(
        "fake_table",
        "from_eigenvalues",
        """
def fake_table(n):
    if n == 2:
        return None
    U = np.linalg.qr(np.column_stack([np.ones(n), np.eye(n)[:, 1:]]))[0]
    return U @ np.diag([-0.3] + [1.0] * (n - 1)) @ U.T
""",
    ),
    Right(
        "fake_table",
        "single_precision",
        """
def fake_table(n):
    if n == 2:
        return None
    return (np.float32(1.9) * np.eye(n, dtype=np.float32) - np.float32(0.9)).astype(np.float32)
""",
    ),
    # ------------------------------------------------------------ narrowest_head
    Wrong(
        "narrowest_head",
        "itself_and_identity",
        "The product is right, but your matrices are wider than the rank of B. Keep only the columns whose singular value is not a rounding error (a test with > 0 counts rounding errors, too).",
        """
def narrowest_head(B):
    return np.array(B), np.eye(B.shape[1])
""",
    ),
    Wrong(
        "narrowest_head",
        "identity_and_itself",
        "The product is right, but your matrices are wider than the rank of B. Keep only the columns whose singular value is not a rounding error (a test with > 0 counts rounding errors, too).",
        """
def narrowest_head(B):
    return np.eye(B.shape[0]), B.T.copy()
""",
    ),
    Wrong(
        "narrowest_head",
        "nothing_dropped",
        "The product is right, but your matrices are wider than the rank of B. Keep only the columns whose singular value is not a rounding error (a test with > 0 counts rounding errors, too).",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    return U * s, Vt.T
""",
    ),
    Wrong(
        "narrowest_head",
        "rounding_counted",
        "The product is right, but your matrices are wider than the rank of B. Keep only the columns whose singular value is not a rounding error (a test with > 0 counts rounding errors, too).",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    r = (s > 1e-18).sum()
    return U[:, :r] * s[:r], Vt[:r].T
""",
    ),
    Wrong(
        "narrowest_head",
        "singular_values_dropped",
        "Your product lacks the singular values: U Vᵀ is not B. Give the factor s to one side, or its root to both.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    r = np.linalg.matrix_rank(B)
    return U[:, :r], Vt[:r].T
""",
    ),
    Wrong(
        "narrowest_head",
        "singular_values_twice",
        "The singular values occur twice in your product. Give the factor s to one side, or its root to both.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    r = np.linalg.matrix_rank(B)
    return U[:, :r] * s[:r], Vt[:r].T * s[:r]
""",
    ),
    Wrong(
        "narrowest_head",
        "not_transposed",
        "Your W_K lies on its side: np.linalg.svd returns Vᵀ. Its first rows, transposed, are the columns of W_K.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    r = np.linalg.matrix_rank(B)
    return U[:, :r] * s[:r], Vt[:r]
""",
    ),
    Wrong(
        "narrowest_head",
        "columns_of_vt",
        "You cut columns from Vᵀ. What belongs together are the first r *rows* of Vᵀ; transposed, they are the columns of W_K.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    r = np.linalg.matrix_rank(B)
    return U[:, :r] * s[:r], Vt[:, :r]
""",
    ),
    Wrong(
        "narrowest_head",
        "rows_of_u",
        "You scaled the rows of U by the singular values. They belong to the columns: U * s.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B)
    r = np.linalg.matrix_rank(B)
    full = np.zeros(len(U))
    full[: len(s)] = s
    return (full[:, None] * U)[:, :r], Vt[:r].T
""",
    ),
    Wrong(
        "narrowest_head",
        "best_one_only",
        "Your matrices are narrower than the rank of B, so their product cannot be B: too many columns were dropped.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    return U[:, :1] * s[:1], Vt[:1].T
""",
    ),
    Wrong(
        "narrowest_head",
        "one_too_narrow",
        "Your matrices are narrower than the rank of B, so their product cannot be B: too many columns were dropped.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    r = np.linalg.matrix_rank(B)
    r = max(r - 1, 1)
    return U[:, :r] * s[:r], Vt[:r].T
""",
    ),
    Wrong(
        "narrowest_head",
        "first_columns",
        "You took the first columns of B as they stand. They may be multiples of each other, and then they do not reach the other columns: choose independent ones.",
        """
def narrowest_head(B):
    r = np.linalg.matrix_rank(B)
    W_Q = np.array(B[:, :r], dtype=float)
    return W_Q, np.linalg.lstsq(W_Q, B, rcond=None)[0].T
""",
    ),
    Wrong(
        "narrowest_head",
        "cut_out",
        "You cut the first columns out of B and of the identity. Their product has only these columns; the others are lost.",
        """
def narrowest_head(B):
    r = np.linalg.matrix_rank(B)
    return np.array(B[:, :r]), np.eye(B.shape[1])[:, :r]
""",
    ),
    Wrong(
        "narrowest_head",
        "swapped",
        "You returned W_K before W_Q.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    r = np.linalg.matrix_rank(B)
    return Vt[:r].T, U[:, :r] * s[:r]
""",
    ),
    Wrong(
        "narrowest_head",
        "fixed_threshold",
        "Where all numbers of B are small, you took singular values for rounding errors. Compare them with the largest one.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    r = max(int((s > 1e-3).sum()), 1)
    return U[:, :r] * s[:r], Vt[:r].T
""",
    ),
    Wrong(
        "narrowest_head",
        "absolute_threshold",
        "For a random table with 5 rows and 4 columns of rank 1, also with very large or small numbers, the product must be the table and the width its rank.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    r = (s > 1e-12).sum()
    return U[:, :r] * s[:r], Vt[:r].T
""",
        unnamed=True,
    ),
    Wrong(
        "narrowest_head",
        "first_r_of_qr",
        "You kept the first columns of a QR decomposition. Where the first columns of B are multiples of each other, rows of R after the first r are not all 0.",
        """
def narrowest_head(B):
    r = np.linalg.matrix_rank(B)
    Q, T = np.linalg.qr(B)
    return Q[:, :r], T[:r].T
""",
    ),
    Wrong(
        "narrowest_head",
        "orthogonal",
        "Your product is right only for a B with orthogonal columns of one length: you projected without dividing.",
        """
def narrowest_head(B):
    columns = []
    for c in range(B.shape[1]):
        if np.linalg.matrix_rank(B[:, [*columns, c]]) > len(columns):
            columns.append(c)
    W_Q = np.array(B[:, columns], dtype=float)
    return W_Q, B.T @ W_Q
""",
    ),
    Wrong(
        "narrowest_head",
        "no_return",
        "Your function returns nothing: end it with return W_Q, W_K.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    r = np.linalg.matrix_rank(B)
    W_Q, W_K = U[:, :r] * s[:r], Vt[:r].T
""",
    ),
    Wrong(
        "narrowest_head",
        "changes_table",
        "Your matrices are right, but the call changed B. Work on a copy.",
        """
def narrowest_head(B):
    W = np.array(B, dtype=float)
    U, s, Vt = np.linalg.svd(W, full_matrices=False)
    r = np.linalg.matrix_rank(W)
    B -= B
    return U[:, :r] * s[:r], Vt[:r].T
""",
    ),
    Wrong(
        "narrowest_head",
        "integer_matrices",
        "With whole numbers in the table, the matrices must still be floats.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    r = np.linalg.matrix_rank(B)
    return (U[:, :r] * s[:r]).astype(B.dtype), Vt[:r].T.astype(B.dtype)
""",
        unnamed=True,
    ),
    Wrong(
        "narrowest_head",
        "first_rows",
        "You took the first rows of B as they stand. They may be multiples of each other, and then they do not reach the other rows: choose independent ones.",
        """
def narrowest_head(B):
    r = np.linalg.matrix_rank(B)
    W_K = np.array(B[:r], dtype=float).T
    return np.linalg.lstsq(W_K, np.asarray(B, dtype=float).T, rcond=None)[0].T, W_K
""",
    ),
    Wrong(
        "narrowest_head",
        "coarse_threshold",
        "You dropped a singular value that is small beside the largest, but no rounding error. A thousandth of the largest still counts.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    r = (s > 0.05 * s[0]).sum()
    return U[:, :r] * s[:r], Vt[:r].T
""",
    ),
    Wrong(
        "narrowest_head",
        "nothing_kept",
        "Where all numbers of B are small, you took singular values for rounding errors. Compare them with the largest one.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    r = (s > 1e-3).sum()
    return U[:, :r] * s[:r], Vt[:r].T
""",
    ),
    Wrong(
        "narrowest_head",
        "root_on_one_side",
        "Your product has the roots of the singular values in the place of the values: give the root to both sides, or the value to one.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    r = np.linalg.matrix_rank(B)
    return U[:, :r] * np.sqrt(s[:r]), Vt[:r].T
""",
    ),
    Wrong(
        "narrowest_head",
        "one_too_few",
        "Your matrices are narrower than the rank of B, so their product cannot be B: too many columns were dropped.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    r = np.linalg.matrix_rank(B) - 1
    return U[:, :r] * s[:r], Vt[:r].T
""",
    ),
    Wrong(
        "narrowest_head",
        "one_too_many",
        "The product is right, but your matrices are one column wider than the rank of B (or as wide as it allows): the last column's singular value is a rounding error.",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    r = np.linalg.matrix_rank(B) + 1
    return U[:, :r] * s[:r], Vt[:r].T
""",
    ),
    Right(
        "narrowest_head",
        "roots_on_both_sides",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    keep = s > s.max() * 1e-9
    return U[:, keep] * np.sqrt(s[keep]), (np.sqrt(s[keep])[:, None] * Vt[keep]).T
""",
    ),
    Right(
        "narrowest_head",
        "independent_columns",
        """
def narrowest_head(B):
    columns = []
    for c in range(B.shape[1]):
        if np.linalg.matrix_rank(B[:, [*columns, c]], tol=1e-6 * np.abs(B).max()) > len(columns):
            columns.append(c)
    W_Q = np.array(B[:, columns], dtype=float)
    return W_Q, np.linalg.lstsq(W_Q, np.asarray(B, dtype=float), rcond=None)[0].T
""",
    ),
    Right(
        "narrowest_head",
        "project_on_the_column_space",
        """
def narrowest_head(B):
    r = np.linalg.matrix_rank(B)
    U = np.linalg.svd(B)[0][:, :r]
    return U, B.T @ U
""",
    ),
    Right(
        "narrowest_head",
        "elimination",
        """
def narrowest_head(B):
    rest, left, right = np.array(B, dtype=float), [], []
    while np.abs(rest).max() > 1e-8 * np.abs(B).max():
        i, j = np.unravel_index(np.abs(rest).argmax(), rest.shape)
        left.append(rest[:, j].copy())
        right.append(rest[i] / rest[i, j])
        rest = rest - np.outer(left[-1], right[-1])
    return np.array(left).T, np.array(right).T
""",
    ),
    Right(
        "narrowest_head",
        "eigenvectors",
        """
def narrowest_head(B):
    values, U = np.linalg.eigh(np.asarray(B, dtype=float) @ B.T)
    U = U[:, values > values.max() * 1e-12]
    return U, (U.T @ B).T
""",
    ),
    Right(
        "narrowest_head",
        "single_precision",
        """
def narrowest_head(B):
    U, s, Vt = np.linalg.svd(B.astype(np.float32), full_matrices=False)
    r = int((s > 1e-4 * s[0]).sum())
    return U[:, :r] * s[:r], Vt[:r].T
""",
    ),
    # ------------------------------------------------------------ initialise
    Wrong(
        "initialise",
        "input_size_only",
        "You divided by √d_in. That is right if the mean squared length of the words is d_in; here it is what the words in X have.",
        """
def initialise(noise, X):
    return noise / np.sqrt(noise.shape[-2])
""",
    ),
    Wrong(
        "initialise",
        "spread_of_the_words",
        "You used the variance of the entries of X, with their mean subtracted. What counts is their mean square: a mean that is not 0 makes queries larger, too.",
        """
def initialise(noise, X):
    return noise / np.sqrt(noise.shape[-2] * X.var())
""",
    ),
    Wrong(
        "initialise",
        "spread_of_each_feature",
        "You used the variance of each feature, with its mean subtracted. What counts is the mean square: a mean that is not 0 makes queries larger, too.",
        """
def initialise(noise, X):
    return noise / np.sqrt(X.var(axis=0).sum() + 1e-300)
""",
    ),
    Wrong(
        "initialise",
        "output_size",
        "You reckoned with the number of outputs. What is summed over in x @ W is the input.",
        """
def initialise(noise, X):
    return noise / np.sqrt(noise.shape[-1] * np.mean(X * X))
""",
    ),
    Wrong(
        "initialise",
        "root_forgotten",
        "You divided by the mean squared length itself. A factor changes a variance by its square: divide by the root.",
        """
def initialise(noise, X):
    return noise / np.mean(np.sum(X * X, axis=1))
""",
    ),
    Wrong(
        "initialise",
        "mean_of_lengths",
        "You averaged the lengths of the words. Variances follow the squared lengths: average those, then take the root.",
        """
def initialise(noise, X):
    return noise / np.mean(np.sqrt(np.sum(X * X, axis=1)))
""",
    ),
    Wrong(
        "initialise",
        "squared_mean_of_squares",
        "You averaged 1/length² instead of length². It is the variance of a query entry that must be 1 on average, so average the squared lengths.",
        """
def initialise(noise, X):
    return noise * np.sqrt(np.mean(1 / np.sum(X * X, axis=1)))
""",
    ),
    Wrong(
        "initialise",
        "first_word_only",
        "You looked at the first word only. Average the squared lengths of all words.",
        """
def initialise(noise, X):
    return noise / np.sqrt(X[0] @ X[0])
""",
    ),
    Wrong(
        "initialise",
        "length_of_the_mean",
        "You took the squared length of the mean word. Average the squared lengths.",
        """
def initialise(noise, X):
    return noise / np.sqrt(np.sum(X.mean(axis=0) ** 2))
""",
    ),
    Wrong(
        "initialise",
        "all_words_added",
        "You added the squared lengths of all words. Take their mean.",
        """
def initialise(noise, X):
    return noise / np.linalg.norm(X)
""",
    ),
    Wrong(
        "initialise",
        "mean_entry",
        "You used the mean square of one entry. A query entry is a sum over all features: use the squared length of a word.",
        """
def initialise(noise, X):
    return noise / np.sqrt(np.mean(X * X))
""",
    ),
    Wrong(
        "initialise",
        "sum_over_words",
        "You took the squared length of the columns of X, averaged over the features. A word is a row: add over its features, average over the words.",
        """
def initialise(noise, X):
    return noise / np.sqrt(np.mean(np.sum(X * X, axis=0)))
""",
    ),
    Wrong(
        "initialise",
        "multiplied",
        "You multiplied where you should divide: longer words need smaller weights.",
        """
def initialise(noise, X):
    return noise * np.sqrt(np.mean(np.sum(X * X, axis=1)))
""",
    ),
    Wrong(
        "initialise",
        "not_scaled",
        "You returned the noise as it is.",
        """
def initialise(noise, X):
    return noise.copy()
""",
    ),
    Wrong(
        "initialise",
        "constant_spread",
        "You multiplied by the fixed number 0.02. That suits one size of input only.",
        """
def initialise(noise, X):
    return 0.02 * noise
""",
    ),
    Wrong(
        "initialise",
        "measured_on_the_draw",
        "You divided by the size that the queries happen to have with this noise. The variance is meant over all draws of the noise; the few numbers at hand scatter around it.",
        """
def initialise(noise, X):
    return noise / np.sqrt(np.mean((X @ noise) ** 2))
""",
    ),
    Wrong(
        "initialise",
        "noise_standardised",
        "You also divided by the standard deviation of this noise. Its variance is 1 by the way it is drawn; the few numbers at hand scatter around it.",
        """
def initialise(noise, X):
    return noise / noise.std() / np.sqrt(np.mean(np.sum(X * X, axis=1)))
""",
    ),
    Wrong(
        "initialise",
        "noise_centred",
        "You subtracted the mean of this noise. Its mean is 0 by the way it is drawn; leave the numbers as they come.",
        """
def initialise(noise, X):
    return (noise - noise.mean()) / np.sqrt(np.mean(np.sum(X * X, axis=1)))
""",
    ),
    Wrong(
        "initialise",
        "factor_two",
        "Your variance is twice the right one. The 2 of some recipes makes up for an activation that cuts off half of its inputs; there is none here.",
        """
def initialise(noise, X):
    return noise * np.sqrt(2 / np.mean(np.sum(X * X, axis=1)))
""",
    ),
    Wrong(
        "initialise",
        "feature_by_feature",
        "You scaled each feature by a number of its own. One number for all is wanted.",
        """
def initialise(noise, X):
    each = np.sqrt(np.mean(X * X, axis=0))
    return noise / (np.where(each == 0, 1, each)[:, None] * np.sqrt(len(each)))
""",
    ),
    Wrong(
        "initialise",
        "half_of_the_inverse",
        "** binds before /: x**-1/2 is half of 1/x. Write x ** -0.5.",
        """
def initialise(noise, X):
    return noise * np.mean(np.sum(X * X, axis=1)) ** -1 / 2
""",
    ),
    Wrong(
        "initialise",
        "returns_factor",
        "You returned the factor alone. Return weights: the noise times that factor.",
        """
def initialise(noise, X):
    return 1 / np.sqrt(np.mean(np.sum(X * X, axis=1)))
""",
    ),
    Wrong(
        "initialise",
        "changes_noise",
        "Your weights are right, but the noise of the caller is overwritten, as /= does. Use noise / …, which makes a new array.",
        """
def initialise(noise, X):
    noise /= np.sqrt(np.mean(np.sum(X * X, axis=1)))
    return noise
""",
    ),
    Wrong(
        "initialise",
        "no_return",
        "Your function returns nothing: end it with a return.",
        """
def initialise(noise, X):
    weights = noise / np.sqrt(np.mean(np.sum(X * X, axis=1)))
""",
    ),
    Wrong(
        "initialise",
        "integer_weights",
        "With whole numbers in the input, the result must still be floats.",
        """
def initialise(noise, X):
    weights = np.zeros_like(noise)
    weights[...] = noise / np.sqrt(np.mean(np.sum(X * X, axis=1)))
    return weights
""",
        unnamed=True,
    ),
    Wrong(
        "initialise",
        "root_of_the_columns",
        "You divided by √d_out, the number of columns. What is summed over in x @ W is the input; what counts is the squared length of the words.",
        """
def initialise(noise, X):
    return noise / np.sqrt(noise.shape[-1])
""",
    ),
    Wrong(
        "initialise",
        "columns_as_well",
        "You divided by √d_out as well. The number of columns does not occur: each column makes one query entry by itself.",
        """
def initialise(noise, X):
    return noise / np.sqrt(np.mean(np.sum(X * X, axis=1)) * noise.shape[-1])
""",
    ),
    Wrong(
        "initialise",
        "recipe_of_two_sizes",
        "You used a recipe that knows the two sizes alone, 2 / (d_in + d_out). Here the squared length of the words decides.",
        """
def initialise(noise, X):
    return noise * np.sqrt(2 / (noise.shape[-2] + noise.shape[-1]))
""",
    ),
    Wrong(
        "initialise",
        "deviation_of_the_entries",
        "You divided by the standard deviation of the entries of X. What counts is the mean squared length of the words, mean included and summed over the features.",
        """
def initialise(noise, X):
    return noise / X.std()
""",
    ),
    Wrong(
        "initialise",
        "deviation_of_the_draw",
        "You divided by the size that the queries happen to have with this noise. The variance is meant over all draws of the noise; the few numbers at hand scatter around it.",
        """
def initialise(noise, X):
    return noise / (X @ noise).std()
""",
    ),
    Wrong(
        "initialise",
        "words_centred",
        "You subtracted the mean word, or used the variance of each feature, which does the same. What counts is the mean square: a mean that is not 0 makes queries larger, too.",
        """
def initialise(noise, X):
    return noise / np.sqrt(np.mean(np.sum((X - X.mean(axis=0)) ** 2, axis=1)))
""",
    ),
    Wrong(
        "initialise",
        "mean_of_inverse_lengths",
        "You averaged 1/length. It is the variance of a query entry that must be 1 on average, so average the squared lengths.",
        """
def initialise(noise, X):
    return noise * np.mean(1 / np.sqrt(np.sum(X * X, axis=1)))
""",
    ),
    Wrong(
        "initialise",
        "size_of_the_first_axis",
        "With leading axes you read the number of features from the first axis of noise. It is the last axis but one, and the last of X.",
        """
def initialise(noise, X):
    return noise / np.sqrt(noise.shape[0] * np.mean(X * X))
""",
    ),
    Right(
        "initialise",
        "frobenius",
        """
def initialise(noise, X):
    return noise * (np.sqrt(len(X)) / np.linalg.norm(X))
""",
    ),
    Right(
        "initialise",
        "mean_square_times_size",
        """
def initialise(noise, X):
    d_in = noise.shape[-2]
    return noise / np.sqrt(d_in * np.mean(np.square(X)))
""",
    ),
    Right(
        "initialise",
        "word_by_word",
        """
def initialise(noise, X):
    total = 0.0
    for x in X:
        total += float(sum(a * a for a in x))
    sigma = (total / len(X)) ** -0.5
    return sigma * noise
""",
    ),
    Right(
        "initialise",
        "trace",
        """
def initialise(noise, X):
    variance = np.einsum("nu,nu->", X, X) / X.shape[0]
    return (noise / variance**0.5).tolist()
""",
    ),
    Right(
        "initialise",
        "single_precision",
        """
def initialise(noise, X):
    X = X.astype(np.float32)
    return noise.astype(np.float32) / np.sqrt((X * X).sum(1).mean())
""",
    ),
]
