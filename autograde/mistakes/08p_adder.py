"""The project after chapter 8: what learners write for the matrices of the adder, wrong and right."""

from autograde.mistakes import Catalogue

CATALOGUE = Catalogue()
wrong, right = CATALOGUE.wrong, CATALOGUE.right


# ---------------------------------------------------------------- reading_layer
READ = """
def reading_layer(n):
    gap = min(1, 1 - np.cos(2 * np.pi / (n + 1)))
    beta = np.sqrt(3) * np.log(1e4 * n) / gap
    W_Q, W_K = np.zeros((3, 6)), np.zeros((5, 6))
    for r in range(2):
        W_Q[[1, 2, 0], [3 * r, 3 * r + 1, 3 * r + 2]] = beta
        W_K[[3, 4, 1 + r], [3 * r, 3 * r + 1, 3 * r + 2]] = 1
    W_V = np.zeros((5, 2))
    W_V[0] = 1
    W_O = np.array([[1.0, 1], [1, -1]])
    return W_Q, W_K, W_V, W_O
"""
W_O_LINE = "W_O = np.array([[1.0, 1], [1, -1]])"
KEYS = "W_K[[3, 4, 1 + r], [3 * r, 3 * r + 1, 3 * r + 2]] = 1"
for name, sentence, *swaps in [
    (
        "address_only",
        "Both heads ask for the place and for nothing else, so each of them averages the two digits: the sum can be had from that, the difference is lost. Each head must also ask whose digit it is.",
        (KEYS, "W_K[[3, 4], [3 * r, 3 * r + 1]] = 1"),
    ),
    (
        "heads_exchanged",
        "Your sums are right and your differences have the wrong sign: b − a. Exchange the heads, or the signs in the second column of W_O.",
        (W_O_LINE, "W_O = np.array([[1.0, -1], [1, 1]])"),
    ),
    (
        "one_head_twice",
        "Both heads read the digit of a: you get 2a and 0. The second head must ask for b.",
        (KEYS, "W_K[[3, 4, 1], [3 * r, 3 * r + 1, 3 * r + 2]] = 1"),
    ),
    (
        "w_o_identity",
        "Column 1 holds a and column 2 holds b: the heads read, and W_O neither adds nor subtracts.",
        (W_O_LINE, "W_O = np.eye(2)"),
    ),
    (
        "sum_in_both_columns",
        "Both columns hold the sum. Column 2 of W_O has to subtract.",
        (W_O_LINE, "W_O = np.ones((2, 2))"),
    ),
    (
        "columns_exchanged",
        "The difference stands in column 1 and the sum in column 2. It is the other way round.",
        (W_O_LINE, "W_O = np.array([[1.0, 1], [-1, 1]])"),
    ),
    (
        "halved",
        "You get half of the sum and half of the difference: W_O needs entries of size 1.",
        (W_O_LINE, "W_O = np.array([[1.0, 1], [1, -1]]) / 2"),
    ),
    (
        "sharpness_fixed",
        "Right for few places, wrong for forty: the sharpness is too small for neighbours that lie close together on the circle. Their scores differ by a number that shrinks like 1/n²: divide by it.",
        ("np.sqrt(3) * np.log(1e4 * n) / gap", "50.0"),
    ),
    (
        "sharpness_grows_with_log_n_only",
        "Right for few places, wrong for seven and more: the sharpness is too small for neighbours that lie close together on the circle. Their scores differ by a number that shrinks like 1/n²: divide by it.",
        (" / gap", ""),
    ),
    (
        "sharpness_grows_with_n",
        "Right for few places, wrong for a hundred: the sharpness has to grow like n² log n, because the scores of neighbours differ by a number that shrinks like 1/n².",
        ("np.sqrt(3) * np.log(1e4 * n) / gap", "40.0 * n"),
    ),
    (
        "gap_of_the_number_forgotten",
        "Right for two places and more, wrong for one: there the smallest difference of scores is the 1 between a digit of a and one of b, not the distance on the circle.",
        ("min(1, 1 - np.cos(2 * np.pi / (n + 1)))", "1 - np.cos(2 * np.pi / (n + 1))"),
        ("np.log(1e4 * n)", "np.log(4e2 * n**3)"),
    ),
    (
        "sharpness_only_on_the_place",
        "The place is asked for sharply, and whose digit it is too softly: the digit of the other number at the same place spills in.",
        (
            "= beta\n",
            "= [beta, beta, 1]\n",
        ),
    ),
    (
        "cosine_alone",
        "Your slots ask for the cosine of their place and not for its sine: two places of the circle have the same cosine.",
        (KEYS, "W_K[[3, 1 + r], [3 * r, 3 * r + 2]] = 1"),
    ),
    (
        "sine_and_cosine_crossed",
        "Cosine meets sine in your scores: cos · sin + sin · cos is the sine of the sum of two angles. Pair cosine with cosine and sine with sine.",
        (KEYS, "W_K[[4, 3, 1 + r], [3 * r, 3 * r + 1, 3 * r + 2]] = 1"),
    ),
    (
        "not_sharp_at_all",
        "Your scores are too small: no place is read sharply, not even with one place or two. Multiply the queries by a sharpness.",
        ("np.sqrt(3) * np.log(1e4 * n) / gap", "1.0"),
    ),
    (
        "whose_digit_alone",
        "Your heads ask whose digit it is and not for the place: every slot gets the mean of all digits of a number.",
        (KEYS, "W_K[1 + r, 3 * r + 2] = 1"),
    ),
    (
        "whose_digit_for_the_digit",
        "The values are taken from the columns that say whose digit it is. The digit is the first feature.",
        ("W_V[0] = 1", "W_V[1] = 1"),
    ),
]:
    wrong("reading_layer", name, sentence, READ, *swaps)
LOG = "np.sqrt(3) * np.log(1e4 * n) / gap"
for name, sharpness in [
    ("ten", "10.0"),
    ("twenty", "20.0"),
    ("thirty", "30.0"),
    ("hundred", "100.0"),
    ("200", "200.0"),
    ("500", "500.0"),
]:
    wrong(
        "reading_layer",
        f"sharpness_{name}",
        "Your sharpness is too small for the scores of neighbours on the circle, which differ by a number that shrinks like 1/n², or, with one place or two, for the 1 between a digit of a and one of b. Divide by the smaller of the two.",
        READ,
        (LOG, sharpness),
    )
for name, sharpness in [
    ("10_n", "10.0 * n"),
    ("20_n", "20.0 * n"),
    ("30_n", "30.0 * n"),
    ("n_squared", "1.0 * n**2"),
]:
    wrong(
        "reading_layer",
        f"sharpness_{name}",
        "Your sharpness grows with n, and it is too small for some n: it has to be enough for the 1 between a digit of a and one of b, and for neighbours on the circle, whose scores differ by about 2π²/(n + 1)².",
        READ,
        (LOG, sharpness),
    )
for name, inner in [
    ("1e4_n", "1e4 * n"),
    ("1800_n", "9 * 2 * n / 0.01"),
    ("360_n", "18 * (2 * n - 1) / 0.05"),
    ("180_n", "9 * (2 * n - 1) / 0.05"),
]:
    wrong(
        "reading_layer",
        f"root_forgotten_{name}",
        "Your scores are not large enough, even with one place. Attention divides them by √d_k: has the sharpness that factor? And is the logarithm that of a number as large as the errors of two heads ask for?",
        READ,
        (LOG, f"np.log({inner}) / gap"),
    )
wrong(
    "reading_layer",
    "errors_of_two_heads",
    "Not quite sharp enough: the errors of the two heads add up, so each may be off by 0.025 only.",
    READ,
    (LOG, "np.sqrt(3) * np.log(9 * (2 * n - 1) / 0.05) / gap"),
)
right("reading_layer", "sharper", READ, ("1e4 * n", "1e7 * n"))
right(
    "reading_layer",
    "sharpness_in_the_keys",
    READ,
    ("= beta\n", "= 1\n"),
    (" = 1\n    W_V", " = beta\n    W_V"),
)
right(
    "reading_layer",
    "single_precision",
    READ,
    (
        "return W_Q, W_K, W_V, W_O",
        "return tuple(W.astype(np.float32) for W in (W_Q, W_K, W_V, W_O))",
    ),
)
right(
    "reading_layer",
    "two_values_in_a_head",
    """
def reading_layer(n):
    sharp = 3e3 * (n + 1) ** 2
    place = np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]]) * sharp ** 0.5
    key_a = np.zeros((5, 3))
    key_a[3, 0] = key_a[4, 1] = key_a[1, 2] = sharp ** 0.5
    key_b = np.zeros((5, 3))
    key_b[3, 0] = key_b[4, 1] = key_b[2, 2] = sharp ** 0.5
    values = np.zeros((5, 2))
    values[0, 0] = 1
    W_O = np.array([[1.0, 1], [0, 0], [1, -1], [0, 0]])
    return np.hstack([place, place]), np.hstack([key_a, key_b]), np.hstack([values, values]), W_O
""",
)
right(
    "reading_layer",
    "the_other_number_loses",
    READ,
    (KEYS, KEYS + "\n        W_K[2 - r, 3 * r + 2] = -1"),
)

# ---------------------------------------------------------------- digit_table
TABLE = """
def digit_table(values):
    m = np.arange(len(values))
    K = 200 * np.column_stack([m, -(m**2) / 2])
    return K, np.array(values, dtype=float)[:, None]
"""
for name, sentence, *swaps in [
    (
        "longest_key_wins",
        "Your scores grow with m: for every number above 0 the last key wins, because it is the longest. The missing term is what the distance has and the dot product has not.",
        ("-(m**2) / 2", "0 * m"),
    ),
    (
        "no_half",
        "Your table answers for half of the number: with −m² the nearest key to u/2 wins. Multiply out (u − m)² once more.",
        ("-(m**2) / 2", "-(m**2)"),
    ),
    (
        "sign_of_the_square",
        "The square has the wrong sign: far keys win.",
        ("-(m**2) / 2", "(m**2) / 2"),
    ),
    (
        "linear_term",
        "Your second entry is −m/2: it takes the square of m.",
        ("-(m**2) / 2", "-m / 2"),
    ),
    (
        "twice_the_number",
        "Your first entry is 2m beside −m²/2: the nearest key to 2u wins.",
        ("[m, -(m**2) / 2]", "[2 * m, -(m**2) / 2]"),
    ),
    (
        "too_soft",
        "The right key wins, and its neighbours keep a share: the answers are blurred. Multiply the keys by a large factor.",
        ("200 *", "1.0 *"),
    ),
    (
        "too_soft_beside_a_whole_number",
        "Right for whole numbers, blurred 0.2 beside them: there the next key lags behind by 0.3 instead of 0.5. A larger factor is needed.",
        ("200 *", "35 *"),
    ),
    (
        "factor_on_the_number_alone",
        "Your factor stands before the first entry of the key alone. It belongs before both: m and −m²/2.",
        ("200 * np.column_stack([m, -(m**2) / 2])", "np.column_stack([200 * m, -(m**2) / 2])"),
    ),
    (
        "rows_for_columns",
        "Your K has two rows. It needs two columns and a row for each number: np.column_stack, or the transpose.",
        ("np.column_stack", "np.stack"),
    ),
    (
        "entries_exchanged",
        "The entries of your keys are exchanged: the query is (u, 1), so m comes first.",
        ("[m, -(m**2) / 2]", "[-(m**2) / 2, m]"),
    ),
    (
        "half_rounded_down",
        "// rounds down: −m² // 2 is no −m²/2 for odd m. Divide by /.",
        ("-(m**2) / 2", "-(m**2) // 2"),
    ),
    (
        "answers_for_keys",
        "Your keys are made of the answers. They are made of the numbers 0, 1, 2, …",
        ("m = np.arange(len(values))", "m = np.array(values)"),
    ),
    (
        "factor_10",
        "The right key wins, and its neighbours keep a share: the answers are blurred. Multiply the keys by a larger factor.",
        ("200 *", "10 *"),
    ),
    (
        "factor_20",
        "The right key wins, and its neighbours keep a share: the answers are blurred. Multiply the keys by a larger factor.",
        ("200 *", "20 *"),
    ),
    (
        "factor_48",
        "Sharp enough for these answers up to 30 or so, too soft for 100 beside −100: 0.2 beside a whole number the neighbour's share is multiplied by 200. Multiply the keys by a larger factor.",
        ("200 *", "48 *"),
    ),
    (
        "keys_from_one",
        "Your keys count from 1: the first answer belongs to 0.",
        ("np.arange(len(values))", "np.arange(1, len(values) + 1)"),
    ),
    (
        "values_are_the_numbers",
        "Your values are 0, 1, 2, … whatever answers were asked for.",
        ("np.array(values, dtype=float)[:, None]", "m[:, None].astype(float)"),
    ),
    (
        "values_backwards",
        "Your answers stand in reverse order.",
        ("[:, None]", "[::-1, None]"),
    ),
]:
    wrong("digit_table", name, sentence, TABLE, *swaps)
right(
    "digit_table",
    "another_factor",
    TABLE,
    ("200 * np.column_stack([m, -(m**2) / 2])", "np.column_stack([300.0 * m, -150.0 * m**2])"),
)
right("digit_table", "shifted_scores", TABLE, ("-(m**2) / 2", "7 - (m**2) / 2"))
right(
    "digit_table",
    "by_loops",
    """
def digit_table(values):
    keys, answers = [], []
    for m, value in enumerate(values):
        keys.append([500 * m, -250 * m * m])
        answers.append([float(value)])
    return np.array(keys, float), np.array(answers)
""",
)
right(
    "digit_table",
    "single_precision",
    TABLE,
    ("return K,", "return K.astype(np.float32),"),
    ("dtype=float", "dtype=np.float32"),
)

# ---------------------------------------------------------------- carry_head
CARRY = """
def carry_head(n):
    W_Q = np.array([[12.0], [0], [0], [0]])
    W_K = np.array([[0.0], [1], [-(n + 1)], [0]])
    W_V = np.array([[0.0], [0], [0], [1]])
    return W_Q, W_K, W_V
"""
K_LINE = "W_K = np.array([[0.0], [1], [-(n + 1)], [0]])"
for name, sentence, *swaps in [
    (
        "looks_at_itself",
        "A carry stops at the first 9: each place looks at itself, because the latest place always wins. A 9 has to lose against the places before it.",
        (K_LINE, "W_K = np.array([[0.0], [1], [0], [0]])"),
    ),
    (
        "penalty_of_two",
        "A carry gets past one 9 and not past several: the penalty of a 9 must be larger than the distance to the farthest place before it.",
        (K_LINE, "W_K = np.array([[0.0], [1], [-2], [0]])"),
    ),
    (
        "penalty_of_ten",
        "Right for few places, wrong for forty: a 9 loses against the ten places before it and wins against those farther back. The penalty has to grow with n.",
        (K_LINE, "W_K = np.array([[0.0], [1], [-10], [0]])"),
    ),
    (
        "penalty_of_half_n",
        "Your penalty of a 9 grows with n, but not fast enough: it must be larger than the distance to the farthest place before it, about n.",
        (K_LINE, "W_K = np.array([[0.0], [1], [-(n // 2)], [0]])"),
    ),
    (
        "penalty_of_one",
        "A 9 costs 1 with you, as much as one place is worth: it ties with the place before it, and both get half.",
        (K_LINE, "W_K = np.array([[0.0], [1], [-1], [0]])"),
    ),
    (
        "penalty_one_too_small",
        "Your penalty of a 9 is a little too small: from place 1 to place n it is n − 1 places, and there the 9 ties. Take more.",
        (K_LINE, "W_K = np.array([[0.0], [1], [-(n - 1)], [0]])"),
    ),
    (
        "penalty_on_the_tens",
        "Your penalty falls on the sums of 10 or more. It belongs to the nines, the third feature.",
        (K_LINE, "W_K = np.array([[0.0], [1], [0], [-(n + 1)]])"),
    ),
    (
        "penalty_infinite",
        "Your result has NaN in it: if you wrote −∞ into a matrix, it meets features that are 0, and 0 · ∞ is NaN. Take a finite penalty.",
        (K_LINE, "W_K = np.array([[0.0], [1], [-np.inf], [0]])"),
    ),
    (
        "penalty_huge",
        "Your penalty is so large that the errors of the look-ups decide: 0.00003 times it is more than the 1 between neighbours. A little more than n is enough.",
        (K_LINE, "W_K = np.array([[0.0], [1], [-1e9], [0]])"),
    ),
    (
        "places_not_ordered",
        "All places without a 9 get the same weight: you average over them. The latest must win, so the key has to grow with the place.",
        (K_LINE, "W_K = np.array([[0.0], [0], [-(n + 1)], [0]])"),
    ),
    (
        "earliest_wins",
        "The earliest place wins, not the latest: the key must grow with the place.",
        (K_LINE, "W_K = np.array([[0.0], [-1], [-3 * (n + 1)], [0]])"),
    ),
    (
        "latest_carry_wherever_it_was",
        "You look for the latest place with a sum of 10 or more, wherever it was: a smaller sum in between, which stops the carry, is passed over.",
        (K_LINE, "W_K = np.array([[0.0], [1], [0], [n + 1]])"),
    ),
    (
        "nines_attract",
        "Your nines win against the other places. They have to lose.",
        ("-(n + 1)", "n + 1"),
    ),
    (
        "too_soft",
        "The right place wins, and its neighbours keep a share: the carries are blurred. Multiply the query by a sharpness.",
        ("12.0", "1.0"),
    ),
    (
        "places_divided_by_n",
        "Right for few places, blurred for many: neighbours differ by 1/n in your keys. Leave the place as it is, or let the sharpness grow with n.",
        ("[1], [-(n + 1)]", "[1 / n], [-(n + 1) / n]"),
    ),
    (
        "value_of_the_nines",
        "Your values say that a sum is 9. A place hands on whether its sum is 10 or more.",
        ("[0.0], [0], [0], [1]]", "[0.0], [0], [1], [0]]"),
    ),
    (
        "value_one_everywhere",
        "Your values are 1 for every token, so every carry is 1.",
        ("[0.0], [0], [0], [1]]", "[1.0], [0], [0], [0]]"),
    ),
    (
        "value_of_the_place",
        "Your values are the places: the head tells where it looks, not what the place hands on.",
        ("[0.0], [0], [0], [1]]", "[0.0], [1], [0], [0]]"),
    ),
]:
    wrong("carry_head", name, sentence, CARRY, *swaps)
right("carry_head", "nines_far_below", CARRY, ("-(n + 1)", "-1000"))
right(
    "carry_head",
    "nines_hand_on_half",
    CARRY,
    ("[[0.0], [0], [0], [1]]", "[[0.0], [0], [1e-3], [1]]"),
)
right(
    "carry_head",
    "width_two",
    """
def carry_head(n):
    W_Q = np.zeros((4, 2))
    W_Q[0] = 20.0
    W_K = np.zeros((4, 2))
    W_K[1, 0] = 1
    W_K[2, 1] = -2.0 * n
    return W_Q, W_K, np.eye(4)[:, 3:]
""",
)
right(
    "carry_head",
    "single_precision",
    CARRY,
    ("return W_Q, W_K, W_V", "return tuple(W.astype(np.float32) for W in (W_Q, W_K, W_V))"),
)
right(
    "carry_head",
    "place_in_the_query_too",
    CARRY,
    ("[[12.0], [0], [0], [0]]", "[[12.0], [0.5], [0], [0]]"),
)

# ---------------------------------------------------------------- share_right
SHARE = """
def share_right(n):
    without, carry = 1.0, 0.0
    for _ in range(n):
        without, carry = 0.55 * without + 0.45 * carry, 0.45 * without + 0.45 * carry
    return without + carry
"""
STEP = "without, carry = 0.55 * without + 0.45 * carry, 0.45 * without + 0.45 * carry"
for name, sentence, *swaps in [
    (
        "no_memory",
        "You multiplied the same factor for each pair of neighbouring places. Whether a carry comes in depends on all the places before, as far as they went right: take two states along.",
        ("return without + carry", "return 0.955 ** (n - 1)"),
    ),
    (
        "no_memory_n_factors",
        "You multiplied 0.955 for each place, the first included. No carry comes into the first place, and later ones depend on what came before: take two states along.",
        ("return without + carry", "return 0.955**n"),
    ),
    (
        "no_nine_at_all",
        "You counted every 9 as an error. A 9 without an incoming carry does no harm.",
        ("return without + carry", "return 0.9**n"),
    ),
    (
        "linear",
        "You subtracted the chance of an error once for each place. Errors of several places overlap, and later ones depend on earlier ones.",
        ("return without + carry", "return 1 - 0.045 * (n - 1)"),
    ),
    (
        "carry_state_forgotten_after_nine",
        "A 9 without an incoming carry leaves no carry behind: it belongs to the state without. You let it vanish.",
        (STEP, "without, carry = 0.45 * without + 0.45 * carry, 0.45 * without + 0.45 * carry"),
    ),
    (
        "error_kept",
        "You let a 9 that meets a carry go on as if it were right: your two shares always add up to 1.",
        (STEP, "without, carry = 0.55 * without + 0.45 * carry, 0.45 * without + 0.55 * carry"),
    ),
    (
        "chances_of_one_half",
        "A sum of two digits is at least 10 in 45 of 100 cases, at most 8 in 45, and 9 in 10.",
        (STEP, "without, carry = 0.55 * without + 0.5 * carry, 0.45 * without + 0.4 * carry"),
    ),
    (
        "one_place_too_few",
        "Your number of steps is one too small: n digits make n steps.",
        ("range(n)", "range(n - 1)"),
    ),
    (
        "one_place_too_many",
        "Your number of steps is one too large: n digits make n steps, and there is no carry before the first.",
        ("range(n)", "range(n + 1)"),
    ),
    (
        "only_without",
        "You returned the share that is right and ends without a carry. A right sum may end with one.",
        ("return without + carry", "return without"),
    ),
    (
        "share_of_errors",
        "You returned the share of wrong sums.",
        ("return without + carry", "return 1 - without - carry"),
    ),
    (
        "percent",
        "Your answer is in percent. A probability lies between 0 and 1.",
        ("return without + carry", "return 100 * (without + carry)"),
    ),
    (
        "starts_in_both",
        "You started with half a carry. No carry comes into the first place.",
        ("without, carry = 1.0, 0.0", "without, carry = 0.5, 0.5"),
    ),
    (
        "one_after_the_other",
        "You changed the first share before you computed the second from it. Both come from the old ones: a, b = …, … in one line.",
        (
            STEP,
            "without = 0.55 * without + 0.45 * carry\n        carry = 0.45 * without + 0.45 * carry",
        ),
    ),
    (
        "nine_makes_a_carry",
        "You count a 9 without an incoming carry into the state with a carry. It leaves none behind.",
        (STEP, "without, carry = 0.45 * without + 0.45 * carry, 0.55 * without + 0.45 * carry"),
    ),
    (
        "nine_counted_twice",
        'Your six ways have more than probability 1: from "no carry", 0.55 and 0.45 go on; from "carry", 0.45 and 0.45.',
        (STEP, "without, carry = 0.55 * without + 0.45 * carry, 0.55 * without + 0.45 * carry"),
    ),
    (
        "sums_equally_likely",
        "The 19 sums are not equally likely: 9 comes from ten pairs of digits, 0 and 18 from one each.",
        (STEP, "without, carry = (10 * without + 9 * carry) / 19, (9 * without + 9 * carry) / 19"),
    ),
    (
        "half_the_places_carry",
        "You took a carry for as likely as none and multiplied. Into place 2 it comes with 0.45, and later ones depend on what came before: take two states along.",
        ("return without + carry", "return 0.95 ** (n - 1)"),
    ),
    (
        "constant_factor_from_the_start",
        "Your factor is right from a few digits on, not from the first. Take the two shares along.",
        ("return without + carry", "return ((1 + 0.82**0.5) / 2) ** (n - 1)"),
    ),
    (
        "rounded",
        "Your answer is rounded to four digits after the point. Seven significant digits are asked for.",
        ("return without + carry", "return round(without + carry, 4)"),
    ),
]:
    wrong("share_right", name, sentence, SHARE, *swaps)
wrong(
    "share_right",
    "simulated",
    "You simulated. Chance gives two or three digits; walk from the right and take the two shares along.",
    """
def share_right(n):
    draw = np.random.default_rng(0)
    sums = draw.integers(0, 10, (5000, n)) + draw.integers(0, 10, (5000, n))
    carry = right = 0 * sums[:, 0]
    right = right + 1
    for u in sums.T:
        right = right * ~((u == 9) & (carry == 1))
        carry = np.where(u > 9, 1, np.where(u == 9, carry, 0))
    return float(right.mean())
""",
)
right(
    "share_right",
    "matrix_power",
    """
def share_right(n):
    step = np.array([[0.55, 0.45], [0.45, 0.45]])
    return np.linalg.matrix_power(step, n)[0].sum()
""",
)
right(
    "share_right",
    "eigenvalues",
    """
def share_right(n):
    values, vectors = np.linalg.eigh(np.array([[0.55, 0.45], [0.45, 0.45]]))
    return float(vectors[0] * values**n @ vectors.sum(axis=0))
""",
)
right(
    "share_right",
    "fractions",
    """
def share_right(n):
    without, carry = 1, 0
    for _ in range(n):
        without, carry = 55 * without + 45 * carry, 45 * without + 45 * carry
    return (without + carry) / 100**n if n < 100 else float((without + carry) * 10**30 // 100**n) / 1e30
""",
)
right(
    "share_right",
    "recursion",
    """
def share_right(n):
    before, now = 1.0, 1.0
    for _ in range(n - 1):
        before, now = now, now - 0.045 * before
    return now
""",
)
