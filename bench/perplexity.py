"""Perplexities of a caption's candidates of 25 tokens, with shared beginnings, against one caption at a time."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

import numpy as np

from bench.language_checkpoints import captions, gpt2
from whatif.engine.language.noun_swap import swapped
from whatif.engine.language.tagging import nouns, tagger
from whatif.models.language import perplexity
from whatif.models.language.perplexity import PerplexityModel
from whatif.models.local.checkpoints import device_of

_ROUNDS = 3
SMALL = {"_ROUNDS": 1, "_CAPTIONS": 1, "_A_NOUN": 1}
_CAPTIONS = 3
_A_NOUN = 6  # replacements per noun that are whole words and nouns: about six of ten
_TOKENS = 25
_BATCH = 8


def measure() -> dict[str, Any]:
    """Captions per second on one core: random weights of GPT-2's size; median of alternating rounds.

    The candidates of a caption are the same up to the replaced noun, so they take about half of the work of as many
    captions with nothing in common, which `perplexity-apart` measures.
    `batched` is the same model with whole captions, `length_batches` of them at once, as for families that cannot
    be packed.
    """
    device_of("cpu")  # one thread
    model, tokenizer = gpt2()
    texts = candidates(tokenizer)
    together = PerplexityModel(model, tokenizer, _BATCH)
    ways: dict[str, Callable[[], list[float | None]]] = {
        "together": lambda: list(together.perplexities(texts)),
        "batched": lambda: _whole_captions(together, texts),
        "alone": lambda: one_at_a_time(model, tokenizer, texts),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    found: dict[str, list[float | None]] = {}
    for _ in range(_ROUNDS):
        for name, way in ways.items():
            started = time.perf_counter()
            found[name] = way()
            seconds[name].append(time.perf_counter() - started)
    for name in ("batched", "alone"):
        np.testing.assert_allclose(np.array(found["together"], float), np.array(found[name], float), rtol=1e-4)
    ours, batched, peer = (len(texts) / statistics.median(seconds[name]) for name in ways)
    return {
        "name": "perplexity",
        "ours": ours,
        "peer": peer,
        "unit": "captions/s",
        "ratio": ours / peer,
        "peer_name": "one caption of 25 tokens at a time",
        "further_peers": {"batched": batched},
    }


def candidates(tokenizer: Any) -> list[str]:
    """Texts of 25 tokens, and the same with one noun replaced by others that keep their length."""
    tag = tagger("pattern")
    words = captions(1000)
    ids = [token for one in words for token in tokenizer(f" {one.caption}")["input_ids"]]
    others = list(dict.fromkeys(noun.noun for one in words[:100] for noun in nouns(one.caption, tag)))
    found: list[str] = []
    made = 0
    for start in range(0, len(ids), _TOKENS):
        text = tokenizer.decode(ids[start : start + _TOKENS])
        if len(tokenizer(text)["input_ids"]) != _TOKENS:
            continue
        for noun in nouns(text, tag):
            swaps = (swapped(text, noun, word) for word in others if word != noun.noun)
            as_long = [swap for swap in swaps if len(tokenizer(swap)["input_ids"]) == _TOKENS]
            found += as_long[:_A_NOUN]
        made += 1
        if made == _CAPTIONS:
            break
    return found


def _whole_captions(model: PerplexityModel, texts: Sequence[str]) -> list[float | None]:
    with mock.patch.object(perplexity, "PACKED", frozenset()):
        return list(model.perplexities(texts))


def one_at_a_time(model: Any, tokenizer: Any, texts: Sequence[str]) -> list[float | None]:
    """The library's own loss for each text."""
    import torch

    found: list[float | None] = []
    for text in texts:
        inputs = tokenizer(text, return_tensors="pt", return_token_type_ids=False)
        with torch.inference_mode():
            found.append(float(model(**inputs, labels=inputs["input_ids"]).loss.exp()))
    return found
