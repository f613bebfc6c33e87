"""Reference numbers of chapter 9: what PyTorch's encoder and decoder layers return on a small fixed case.

Owns solutions/reference/transformer_layers.json. Needs torch, which nothing else in the course needs; run it by
hand, only when the numbers are to be made anew:

    pip install "torch==2.14.1" && python solutions/reference/transformer_layers.py

Inputs and weights are fixed decimals, not random numbers of torch, so that they do not depend on its version. Weights
are named and shaped as in chapter 9, (in, out); torch gets their transposes. norm_first=True, ReLU, eps = 1e-5, the
biases of attention are 0. The second source and the second target are padded.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from torch import nn

BATCH, N_SRC, N_TGT, D_MODEL, N_HEADS, D_FF = 2, 5, 4, 6, 3, 7
TARGET = Path(__file__).with_suffix(".json")
STEPS = {
    "W_Q": 74, "W_K": 43, "W_V": 88, "W_O": 57, "C_Q": 29, "C_K": 64, "C_V": 91, "C_O": 38,
    "W_1": 47, "b_1": 82, "W_2": 53, "b_2": 61, "gain_1": 35, "bias_1": 71, "gain_2": 86, "bias_2": 22,
    "gain_3": 59, "bias_3": 94,
}  # fmt: skip


def decimals(*shape: int, step: int) -> torch.Tensor:
    """Numbers from -1 to 1 with two decimals: 17, 17 + step, 17 + 2 step … modulo 201, minus 100, in hundredths."""
    count = int(torch.tensor(shape).prod())
    walk = [(17 + step * k) % 201 - 100 for k in range(count)]
    return torch.tensor(walk, dtype=torch.float64).reshape(shape) / 100


def drawn(name: str) -> torch.Tensor:
    """The weight of chapter 9 with this name; gains lie around 1."""
    shapes = {"W_1": (D_MODEL, D_FF), "b_1": (D_FF,), "W_2": (D_FF, D_MODEL)}
    shape = shapes.get(
        name, (D_MODEL,) if "_" in name[1:] and name[0] in "gb" else (D_MODEL, D_MODEL)
    )
    table = decimals(*shape, step=STEPS[name])
    return 1 + table / 2 if name.startswith("gain") else table


def fill(attention: nn.MultiheadAttention, letter: str) -> None:
    """Copy the four matrices of an attention; its biases become 0."""
    blocks = [drawn(f"{letter}_{part}").T for part in "QKV"]
    attention.in_proj_weight.copy_(torch.cat(blocks))
    attention.out_proj.weight.copy_(drawn(f"{letter}_O").T)
    attention.in_proj_bias.zero_()
    attention.out_proj.bias.zero_()


def fill_rest(layer: nn.Module, norms: int) -> None:
    """Copy the feed-forward network and the LayerNorms."""
    for number, linear in (("1", layer.linear1), ("2", layer.linear2)):
        linear.weight.copy_(drawn(f"W_{number}").T)
        linear.bias.copy_(drawn(f"b_{number}"))
    for k in range(1, norms + 1):
        norm = getattr(layer, f"norm{k}")
        norm.weight.copy_(drawn(f"gain_{k}"))
        norm.bias.copy_(drawn(f"bias_{k}"))


def main() -> None:
    """Run both layers in double precision and write the outputs, the rule of the inputs and the version."""
    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)
    settings = {"dropout": 0.0, "batch_first": True, "norm_first": True, "dtype": torch.float64}
    encoder = nn.TransformerEncoderLayer(D_MODEL, N_HEADS, D_FF, **settings).eval()
    decoder = nn.TransformerDecoderLayer(D_MODEL, N_HEADS, D_FF, **settings).eval()
    X = decimals(BATCH, N_SRC, D_MODEL, step=43)
    Y = decimals(BATCH, N_TGT, D_MODEL, step=88)
    source_pads = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])  # True = blocked
    target_pads = torch.tensor([[False] * 4, [False] * 3 + [True]])
    with torch.no_grad():
        fill(encoder.self_attn, "W")
        fill(decoder.self_attn, "W")
        fill(decoder.multihead_attn, "C")
        fill_rest(encoder, 2)
        fill_rest(decoder, 3)
        Z = encoder(X, src_key_padding_mask=source_pads)
        written = decoder(
            Y, Z,
            tgt_mask=torch.ones(N_TGT, N_TGT).triu(1).bool(),
            tgt_key_padding_mask=target_pads,
            memory_key_padding_mask=source_pads,
        )  # fmt: skip
    numbers = {
        "torch": torch.__version__,
        "made_by": "solutions/reference/transformer_layers.py",
        "n_heads": N_HEADS,
        "steps": STEPS,
        "X": X.tolist(),
        "Y": Y.tolist(),
        "source_pads_true_is_blocked": source_pads.tolist(),
        "target_pads_true_is_blocked": target_pads.tolist(),
        "encoder": Z.tolist(),
        "decoder": written.tolist(),
    }
    TARGET.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
