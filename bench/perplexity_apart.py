"""Perplexities of captions that share no beginning, in packs, against one caption at a time."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from bench.language_checkpoints import captions, gpt2
from bench.perplexity import one_at_a_time
from whatif.models.language.perplexity import PerplexityModel
from whatif.models.local.checkpoints import device_of

_ROUNDS = 4
SMALL = {"_ROUNDS": 1, "_CAPTIONS": 3, "_AMONG": 50}
_CAPTIONS = 60
_AMONG = 5000
_TOKENS = 25
_BATCH = 8
_EQUAL = 1e-5  # of a perplexity, between the two ways


def measure() -> dict[str, Any]:
    """Captions per second on one core: random weights of GPT-2's size; the fastest of alternating rounds.

    The captions are as long as they are, 12 tokens on average, and no two begin with the same token. CPU time, which
    other work on the machine affects less than wall-clock time. One at a time, each caption reads all weights from
    memory and computes all logits.

    `texts_of_25_tokens` has the same for longer texts that share no beginning. These gain less: 24 tokens through 124
    million weights are 6 billion operations, 60 ms at the full speed of the core for which docs/scale.md has figures,
    where one at a time takes 140 ms. So at most 2.3 times is possible.
    """
    device_of("cpu")  # one thread
    model, tokenizer = gpt2()
    ours, peer = _per_second(model, tokenizer, apart([one.caption for one in captions(_AMONG)], tokenizer))
    long, long_alone = _per_second(model, tokenizer, apart(_texts(tokenizer), tokenizer))
    return {
        "name": "perplexity-apart",
        "ours": ours,
        "peer": peer,
        "unit": "captions/s",
        "ratio": ours / peer,
        "peer_name": "one caption at a time, captions that share no beginning",
        "texts_of_25_tokens": {"ours": long, "peer": long_alone, "ratio": long / long_alone},
    }


def apart(texts: list[str], tokenizer: Any) -> list[str]:
    """The first text for each first token, at most as many as are measured."""
    first: dict[int, str] = {}
    for text in texts:
        first.setdefault(tokenizer(text)["input_ids"][0], text)
    return list(first.values())[:_CAPTIONS]


def _texts(tokenizer: Any) -> list[str]:
    ids = [token for one in captions(_AMONG) for token in tokenizer(f" {one.caption}")["input_ids"]]
    texts = (tokenizer.decode(ids[start : start + _TOKENS]) for start in range(0, len(ids), _TOKENS))
    return [text for text in texts if len(tokenizer(text)["input_ids"]) == _TOKENS]


def _per_second(model: Any, tokenizer: Any, texts: list[str]) -> tuple[float, float]:
    together = PerplexityModel(model, tokenizer, _BATCH)
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(_ROUNDS):
        found = []
        ways = (lambda: list(together.perplexities(texts)), lambda: one_at_a_time(model, tokenizer, texts))
        for way, taken in zip(ways, seconds, strict=True):
            started = time.process_time()
            found.append(way())
            taken.append(time.process_time() - started)
        np.testing.assert_allclose(*(np.array(one, float) for one in found), rtol=_EQUAL)
    ours, peer = (len(texts) / min(taken) for taken in seconds)
    return ours, peer
