"""Draw the picture of the first page: three tokens through one attention head, computed, not copied.

    python book/draw_path.py

writes book/static/path-wide.svg and book/static/path-narrow.svg (for a phone). Colours are CSS
variables of the page with a fallback, so the same files serve the book and the README.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

TOKENS = ["the", "cat", "sat"]
X = np.array([[-1, 1, 0, 1], [2, 0, 1, -1], [2, 1, 0, -1]])
W_Q = np.array([[0, -1], [0, -1], [-1, 0], [-1, -1]])
W_K = np.array([[1, -1], [1, 1], [1, 0], [1, -1]])
W_V = np.array([[0, -1, 1, -1, -1], [0, -1, 1, 1, 0], [1, 0, 1, -1, 0], [1, 0, 1, 1, 0]])

ALT = (
    "Three tokens, the, cat, sat, pass through one attention head. X has one row for each token. "
    "Three weight matrices turn it into queries Q, keys K and values V. Q times K transposed, divided by "
    "the square root of d_k, gives a three by three matrix of scores. Softmax turns each row into "
    "weights that sum to one; the token sat gives {weight:.2f} of its weight to cat. The weights times V "
    "give the output, one row for each token."
)
CELL = 30  # height of a cell; the width follows from what is written in it
WIDTH = {"whole": 26, "": 36, "weights": 36}
HEAT = [(0, 34, 78), (62, 76, 107), (124, 123, 120), (187, 174, 104), (254, 232, 56)]  # cividis


def head() -> dict[str, np.ndarray]:
    """Every matrix of the example: X, Q, K, V, S (n, n), A (n, n), Y (n, d_v)."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / np.sqrt(K.shape[1])
    A = np.exp(S - S.max(axis=1, keepdims=True))
    A /= A.sum(axis=1, keepdims=True)
    return {"X": X, "Q": Q, "K": K, "V": V, "S": S, "A": A, "Y": A @ V}


@dataclass
class Drawing:
    """A growing list of SVG elements."""

    width: int
    height: int
    parts: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, words: str, looks: str = "", **style: str) -> None:
        """`words` at (x, y); `looks` is a class."""
        extra = "".join(f' {key}="{value}"' for key, value in style.items())
        self.parts.append(f'<text x="{x:g}" y="{y:g}" class="{looks}"{extra}>{words}</text>')

    def matrix(
        self, x: float, y: float, values: np.ndarray, name: str, shape: str, kind: str = ""
    ) -> None:
        """A grid of numbers whose top left corner is (x, y), with its name and shape above."""
        n, m = values.shape
        self.text(
            x, y - 9, f'<tspan class="name">{name}</tspan> <tspan class="shape">{shape}</tspan>'
        )
        for i in range(n):
            for j in range(m):
                value = values[i, j]
                fill, looks = "", "cell"
                if kind == "weights":
                    red, green, blue = shade(float(value))
                    fill = f' style="fill:rgb({red},{green},{blue});stroke:none"'
                    bright = 0.299 * red + 0.587 * green + 0.114 * blue > 140
                    looks = "dark" if bright else "bright"
                left, top = x + j * WIDTH[kind], y + i * CELL
                side, across = CELL - 1, WIDTH[kind] - 1
                self.parts.append(
                    f'<rect x="{left + 0.5:g}" y="{top + 0.5:g}" width="{across}" height="{side}" rx="2"{fill}/>'
                )
                digits = 0 if kind == "whole" else 2 if kind == "weights" else 1
                shown = f"{value:.{digits}f}".replace("-", "−")
                if float(shown.replace("−", "-")) == 0:
                    shown = shown.removeprefix("−")
                self.text(left + WIDTH[kind] / 2, top + CELL / 2 + 4, shown, f"number {looks}")

    def tokens(self, x: float, y: float) -> None:
        """The token of each row, left of a matrix at (x, y)."""
        for i, token in enumerate(TOKENS):
            self.text(x - 7, y + (i + 0.5) * CELL + 4, token, "token")

    def columns(self, x: float, y: float) -> None:
        """The token of each column, below a matrix at (x, y) of three rows."""
        for j, token in enumerate(TOKENS):
            self.text(x + (j + 0.5) * WIDTH[""], y + 3 * CELL + 15, token, "column")

    def arrow(self, points: list[tuple[float, float]]) -> None:
        """A line through `points` with a head at the last one."""
        line = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.parts.append(f'<polyline points="{line}" class="arrow"/>')
        (x0, y0), (x1, y1) = points[-2:]
        length = float(np.hypot(x1 - x0, y1 - y0))
        u, v = (x1 - x0) / length, (y1 - y0) / length
        tip = [
            (x1, y1),
            (x1 - 7 * u - 3.5 * v, y1 - 7 * v + 3.5 * u),
            (x1 - 7 * u + 3.5 * v, y1 - 7 * v - 3.5 * u),
        ]
        self.parts.append(
            f'<polygon points="{" ".join(f"{x:g},{y:g}" for x, y in tip)}" class="tip"/>'
        )

    def svg(self, name: str) -> str:
        """The whole file."""
        scope = f"path-{name}"
        alt = ALT.format(weight=head()["A"][2, 1])
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" class="{scope}" viewBox="0 0 {self.width} {self.height}" role="img" aria-label="{alt}">',
                f"<style>{STYLE.replace('@', f'.{scope}')}</style>",
                f'<rect class="page" width="{self.width}" height="{self.height}" rx="8"/>',
                *self.parts,
                "</svg>\n",
            ]
        )


STYLE = """
@ { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; font-size: 12px; }
@ .page { fill: var(--path-page, #fdfcfa); stroke: none; }
@ rect { fill: var(--surface, #f6f4ef); stroke: var(--line, #e0dbd0); }
@ text { fill: var(--ink, #1d2129); }
@ .number { text-anchor: middle; font-size: 12px; }
@ .bright { fill: #fff; } @ .dark { fill: #000; }
@ .name { font-family: "Source Serif 4", Georgia, serif; font-style: italic; font-size: 17px; }
@ .shape, @ .column, @ .token, @ .step, @ .law { fill: var(--soft, #565c68); font-size: 12px; }
@ .token { text-anchor: end; font-size: 12px; } @ .column { text-anchor: middle; }
@ .law { text-anchor: middle; font-size: 12.5px; fill: var(--ink, #1d2129); }
@ .step { text-anchor: middle; } @ .step.left { text-anchor: start; }
@ .arrow { fill: none; stroke: var(--edge, #8a8579); stroke-width: 1.3; } @ .tip { fill: var(--edge, #8a8579); }
"""


def shade(t: float) -> tuple[int, int, int]:
    """The cividis colour of a weight from 0 to 1."""
    at = min(max(t, 0.0), 1.0) * (len(HEAT) - 1)
    i = min(int(at), len(HEAT) - 2)
    low, high = HEAT[i], HEAT[i + 1]
    red, green, blue = (round(a + (at - i) * (b - a)) for a, b in zip(low, high, strict=True))
    return red, green, blue


PRODUCT = (
    "Q K<tspan dy='-4' font-size='9'>⊤</tspan><tspan dy='4'> / </tspan>"
    "√<tspan font-style='italic'>d</tspan><tspan dy='3' font-size='9'>k</tspan>"
)


def wide() -> Drawing:
    """From left to right, for a page."""
    m, d = head(), Drawing(796, 408)
    top, middle, low = 40, 160, 280
    x_in, x_qkv, x_s, x_a, x_y = 36, 184, 304, 456, 610
    d.tokens(x_in, middle)
    d.matrix(x_in, middle, m["X"], "X", "3 × 4", "whole")
    for name, y in [("Q", top), ("K", middle), ("V", low)]:
        d.matrix(x_qkv, y, m[name], name, f"3 × {m[name].shape[1]}", "whole")
        turn = x_in + 122
        d.arrow([(x_in + 111, 205), (turn, 205), (turn, y + 45), (x_qkv - 7, y + 45)])
    s_y = (top + middle) / 2
    for y in (top, middle):
        d.arrow([(x_qkv + 59, y + 45), (270, y + 45), (270, s_y + 45), (x_s - 7, s_y + 45)])
    d.matrix(x_s, s_y, m["S"], "S", "3 × 3")
    d.columns(x_s, s_y)
    d.text(x_s + 54, s_y + 130, PRODUCT, "law")
    d.arrow([(x_s + 115, s_y + 45), (x_a - 7, s_y + 45)])
    d.matrix(x_a, s_y, m["A"], "A", "3 × 3", "weights")
    d.columns(x_a, s_y)
    d.text(x_a + 54, s_y + 130, "softmax of each row", "law")
    y_y, turn = (s_y + low) / 2, x_y - 22
    d.arrow([(x_a + 115, s_y + 45), (turn, s_y + 45), (turn, y_y + 45), (x_y - 7, y_y + 45)])
    d.arrow([(x_qkv + 137, low + 45), (turn, low + 45), (turn, y_y + 45), (x_y - 7, y_y + 45)])
    d.matrix(x_y, y_y, m["Y"], "Y", "3 × 5")
    d.text(x_y + 90, y_y + 114, "A V", "law")
    for x, words in [
        (x_in + 52, "tokens"),
        (x_qkv + 65, "chapter 2"),
        (x_s + 54, "chapters 3, 4"),
        (x_a + 54, "chapter 5"),
        (x_y + 90, "chapter 6"),
    ]:
        d.text(x, 400, words, "step")
    return d


def narrow() -> Drawing:
    """From top to bottom, for a phone."""
    m, d = head(), Drawing(356, 640)
    left, rows = 36, [34, 184, 336, 520]
    d.tokens(left, rows[0])
    d.matrix(left, rows[0], m["X"], "X", "3 × 4", "whole")
    d.text(left + 118, rows[0] + 49, "tokens", "step left")
    x_q, x_k, x_v = left, left + 82, left + 164
    for name, x in [("Q", x_q), ("K", x_k), ("V", x_v)]:
        d.matrix(x, rows[1], m[name], name, f"3 × {m[name].shape[1]}", "whole")
        y = rows[0] + 110
        d.arrow([(left + 52, y - 14), (left + 52, y), (x + 26, y), (x + 26, rows[1] - 25)])
    d.text(x_v + 46, rows[0] + 106, "chapter 2", "step left")
    x_s, x_a, turn = left, left + 156, 344
    for x in (x_q, x_k):
        y = rows[1] + 110
        d.arrow([(x + 26, y - 14), (x + 26, y), (x_s + 67, y), (x_s + 67, rows[2] - 25)])
    d.tokens(x_s, rows[2])
    d.matrix(x_s, rows[2], m["S"], "S", "3 × 3")
    d.columns(x_s, rows[2])
    d.text(x_s + 54, rows[2] + 126, PRODUCT, "law")
    d.text(x_s + 54, rows[2] + 143, "chapters 3, 4", "step")
    d.arrow([(x_s + 115, rows[2] + 45), (x_a - 7, rows[2] + 45)])
    d.matrix(x_a, rows[2], m["A"], "A", "3 × 3", "weights")
    d.columns(x_a, rows[2])
    d.text(x_a + 54, rows[2] + 126, "softmax of each row", "law")
    d.text(x_a + 54, rows[2] + 143, "chapter 5", "step")
    end = (left + 187, rows[3] + 45)
    d.arrow([(x_v + 137, rows[1] + 45), (turn, rows[1] + 45), (turn, rows[3] + 45), end])
    d.arrow([(x_a + 115, rows[2] + 45), (turn, rows[2] + 45), (turn, rows[3] + 45), end])
    d.tokens(left, rows[3])
    d.matrix(left, rows[3], m["Y"], "Y", "3 × 5")
    d.text(left + 90, rows[3] + 113, "A V, chapter 6", "law")
    return d


def files() -> dict[str, str]:
    """The text of each file, by its name."""
    return {"path-wide.svg": wide().svg("wide"), "path-narrow.svg": narrow().svg("narrow")}


if __name__ == "__main__":
    for name, text in files().items():
        (Path(__file__).parent / "static" / name).write_text(text, encoding="utf-8")
