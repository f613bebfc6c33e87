"""Reference numbers of chapter 6, made by PyTorch's scaled_dot_product_attention.

Needs PyTorch, which the course itself does not use:

    pip install torch==2.13.0
    python solutions/reference/scaled_dot_product_attention.py

writes scaled_dot_product_attention.json beside this file. The inputs are typed in, so the result depends on no
random generator. Chapter 6 carries the same numbers in a cell, because each notebook stands alone.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from torch.nn.functional import scaled_dot_product_attention

Q = [[0.5, -1.0, 2.0, 0.3], [1.5, 0.2, -0.7, 1.0]]
K = [[1.0, 0.4, 0.6, -0.2], [-0.8, 1.2, 0.5, 0.9], [0.3, -1.1, 1.4, 0.7]]
V = [[1.0, 2.0, -1.0, 0.5, 3.0], [0.0, -2.0, 1.5, 1.0, -1.0], [2.5, 0.5, 0.0, -3.0, 1.0]]
MASKS = {
    "no mask": None,
    "second key blocked for the first query": [[True, False, True], [True, True, True]],
    "second query without keys": [[True, True, True], [False, False, False]],
}


def main() -> None:
    """Compute each case in double precision and write inputs, outputs and version."""
    queries, keys, values = (torch.tensor(rows, dtype=torch.float64) for rows in (Q, K, V))
    outputs = {}
    for case, mask in MASKS.items():
        blocked = None if mask is None else torch.tensor(mask)
        output = scaled_dot_product_attention(queries, keys, values, attn_mask=blocked)
        outputs[case] = [[round(number, 10) + 0.0 for number in row] for row in output.tolist()]
    record = {
        "torch": torch.__version__,
        "call": "torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=mask), float64",
        "mask": "boolean, True = may attend",
        "Q": Q,
        "K": K,
        "V": V,
        "masks": MASKS,
        "outputs": outputs,
    }
    target = Path(__file__).with_suffix(".json")
    target.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"{target.name}: {len(outputs)} cases, torch {torch.__version__}")


if __name__ == "__main__":
    main()
