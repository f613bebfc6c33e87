"""The reference solutions beside PyTorch's stored numbers, and the chapters' copies beside the files."""

from __future__ import annotations

import contextlib
import io
import json
import re
import warnings

import nbformat
import numpy as np
import pytest

from autograde.layout import Layout
from autograde.notebook import visible

LAYOUT = Layout()
FOLDER = LAYOUT.solutions / "reference"


def after_all_cells(name):
    """What a chapter's reference notebook defines when all its cells have run."""
    space: dict = {"__name__": "__main__"}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for cell in nbformat.read(LAYOUT.solution(name), as_version=4).cells:
            if cell.cell_type == "code":
                exec(compile(visible(cell.source), name, "exec"), space)
    return space


@pytest.fixture(scope="module")
def head():
    return json.loads((FOLDER / "scaled_dot_product_attention.json").read_text())


@pytest.fixture(scope="module")
def heads():
    return json.loads((FOLDER / "multi_head_attention.json").read_text())


def test_one_head_is_pytorchs(head):
    space = after_all_cells("06_output")
    Q, K, V = (np.array(head[name]) for name in "QKV")
    for case, mask in head["masks"].items():
        allowed = None if mask is None else np.array(mask, dtype=bool)
        output, _ = space["scaled_dot_product_attention"](Q, K, V, allowed)
        assert np.abs(output - np.array(head["outputs"][case])).max() < 1e-9
    for name in "QKV":
        assert np.array_equal(space[f"torch_{name}"], np.array(head[name])), "the chapter's copy"
    assert space["torch_cases"].keys() == head["outputs"].keys()
    for case, (mask, numbers) in space["torch_cases"].items():
        assert mask == head["masks"][case], "the chapter's copy"
        assert np.allclose(numbers, head["outputs"][case], rtol=0, atol=1e-9)


def test_many_heads_are_pytorchs(heads):
    space = after_all_cells("08_multi_head")
    attend, n_heads = space["multi_head_attention"], heads["n_heads"]
    W_Q, W_K, W_V = np.split(np.array(heads["in_proj_weight"]).T, 3, axis=1)
    W_O = np.array(heads["out_proj_weight"]).T
    one, other = np.array(heads["X_q"]), np.array(heads["X_kv"])
    causal = ~np.array(heads["attn_mask_true_is_blocked"])
    real = ~np.array(heads["key_padding_mask_true_is_blocked"])[:, None, :]
    for case, source, mask in (
        ("self", one, None),
        ("self_masked", one, causal),
        ("cross_masked", other, real),
    ):
        ours = attend(one, source, W_Q, W_K, W_V, W_O, n_heads, mask)
        assert np.abs(ours - np.array(heads[case]["output"])).max() < 1e-7
    for name, key in (
        ("in_proj_weight", "in_proj_weight"),
        ("out_proj_weight", "out_proj_weight"),
        ("query_torch", "X_q"),
        ("keys_torch", "X_kv"),
        ("key_padding_mask", "key_padding_mask_true_is_blocked"),
    ):
        assert np.allclose(space[name], np.array(heads[key])), "the chapter's copy"
    stored = np.array(heads["cross_masked"]["output"])[0]
    assert np.allclose(space["torch_output"], stored, rtol=0, atol=1e-7)


def test_scripts_name_the_version_that_made_the_numbers(head, heads):
    for data in (head, heads):
        assert re.match(r"2\.\d+\.\d+", data["torch"])
    for name, number in (
        ("scaled_dot_product_attention", "06_output"),
        ("multi_head_attention", "08_multi_head"),
    ):
        assert (FOLDER / f"{name}.py").exists()
        version = json.loads((FOLDER / f"{name}.json").read_text())["torch"].split("+")[0]
        assert version in LAYOUT.source(number).read_text(encoding="utf-8")


def test_the_ranks_of_trained_maps_are_the_stored_ones():
    stored = json.loads((FOLDER / "attention_ranks.json").read_text())
    space = after_all_cells("12_long_sequences_approximate")
    assert np.array_equal(space["ranks"], stored["ranks"])
    for head in stored["heads"].values():
        scale, *halves = space["stored"][head["layer"], head["head"]]
        assert scale == head["scale"]
        assert ["".join(half.split()) for half in halves] == [head["Q"], head["K"]]


@pytest.fixture(scope="module")
def layers():
    return json.loads((FOLDER / "transformer_layers.json").read_text())


def test_encoder_and_decoder_layers_are_pytorchs(layers):
    space = after_all_cells("09_transformer")
    X, Y = np.array(layers["X"]), np.array(layers["Y"])
    source, target = (
        ~np.array(layers[f"{w}_pads_true_is_blocked"])[:, None, :] for w in ("source", "target")
    )
    weights, h = space["torch_weights"], layers["n_heads"]
    Z = space["encoder_layer"](X, weights, h, source)
    written = space["decoder_layer"](Y, Z, weights, h, target, source)
    assert np.abs(Z - np.array(layers["encoder"])).max() < 1e-9
    assert np.abs(written - np.array(layers["decoder"])).max() < 1e-9
    assert space["torch_steps"] == layers["steps"], "the chapter's copy"
    assert np.allclose(space["torch_X"], X), "the chapter's copy"
    assert np.allclose(space["torch_Y"], Y), "the chapter's copy"
    assert np.array_equal(space["source_seen"], source)
    assert np.array_equal(space["target_seen"], target)
    for name in ("encoder", "decoder"):
        assert np.allclose(space[f"torch_{name}"], layers[name], rtol=0, atol=1e-8), (
            "the chapter's copy"
        )
