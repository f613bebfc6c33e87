"""Reference numbers of chapter 8: what PyTorch's nn.MultiheadAttention returns on a small fixed case.

Owns solutions/reference/multi_head_attention.json. Needs torch, which nothing else in the course needs; run
it by hand, only when the numbers are to be made anew:

    pip install "torch==2.13.0" && python solutions/reference/multi_head_attention.py

The inputs are fixed decimals, not random numbers of torch, so that they do not depend on its version. Weights
are stored as PyTorch keeps them, (out, in); it computes x @ weight.T. Chapter 8 shows the translation. Three cases:
self-attention without a mask, self-attention with a mask, cross-attention with n_q ≠ n_k and a mask.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch

BATCH, N_Q, N_K, D_MODEL, N_HEADS = 1, 4, 5, 6, 3
TARGET = Path(__file__).with_suffix(".json")


def decimals(*shape: int, step: int) -> torch.Tensor:
    """Numbers from -1 to 1 with two decimals: 17, 17 + step, 17 + 2 step … modulo 201, minus 100, in hundredths."""
    count = int(torch.tensor(shape).prod())
    walk = [(17 + step * k) % 201 - 100 for k in range(count)]
    return torch.tensor(walk, dtype=torch.float64).reshape(shape) / 100


def main() -> None:
    """Run the three cases in double precision and write inputs, weights, outputs and the version."""
    torch.set_num_threads(1)
    layer = torch.nn.MultiheadAttention(
        D_MODEL, N_HEADS, bias=False, batch_first=True, dtype=torch.float64
    )
    with torch.no_grad():
        layer.in_proj_weight.copy_(decimals(3 * D_MODEL, D_MODEL, step=74))
        layer.out_proj.weight.copy_(decimals(D_MODEL, D_MODEL, step=57))
    layer.eval()
    x_q = decimals(BATCH, N_Q, D_MODEL, step=43)
    x_kv = decimals(BATCH, N_K, D_MODEL, step=88)
    blocked_self = torch.ones(N_Q, N_Q).triu(1).bool()  # PyTorch: True = may NOT attend
    blocked_keys = torch.tensor([[False, False, False, True, True]])

    def run(query: torch.Tensor, keys: torch.Tensor, **masks: torch.Tensor) -> dict[str, object]:
        with torch.no_grad():
            output, weights = layer(query, keys, keys, average_attn_weights=False, **masks)
        return {"output": output.tolist(), "weights": weights.tolist()}

    numbers = {
        "torch": torch.__version__,
        "made_by": "solutions/reference/multi_head_attention.py",
        "n_heads": N_HEADS,
        "batch_first": True,
        "in_proj_weight": layer.in_proj_weight.tolist(),
        "out_proj_weight": layer.out_proj.weight.tolist(),
        "X_q": x_q.tolist(),
        "X_kv": x_kv.tolist(),
        "attn_mask_true_is_blocked": blocked_self.tolist(),
        "key_padding_mask_true_is_blocked": blocked_keys.tolist(),
        "self": run(x_q, x_q),
        "self_masked": run(x_q, x_q, attn_mask=blocked_self),
        "cross_masked": run(x_q, x_kv, key_padding_mask=blocked_keys),
    }
    TARGET.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
