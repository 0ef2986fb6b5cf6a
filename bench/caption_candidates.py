"""The ten most probable replacements of every noun: masks of many captions together, against one mask at a time."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bench.language_checkpoints import captions_with_nouns, roberta_base
from whatif.engine.language.tagging import Noun
from whatif.models.language.masked import MaskedLanguageModel
from whatif.models.local.checkpoints import device_of

_ROUNDS = 3
SMALL = {"_ROUNDS": 1, "_CAPTIONS": 2}
_CAPTIONS = 24
_TOP = 10
_BATCH = 8


def measure() -> dict[str, Any]:
    """Captions per second on one core: random weights of roberta-base's size; median of alternating rounds.

    The gain comes from matrices large enough to keep the processor busy, and from applying the output layer (a third of
    the work for a caption of 13 tokens) only to the mask.
    """
    device_of("cpu")  # one thread
    asked = captions_with_nouns(_CAPTIONS)
    model, tokenizer = roberta_base()
    together = MaskedLanguageModel(model, tokenizer, _BATCH)
    ways: dict[str, Callable[[], list[float]]] = {
        "together": lambda: [
            one.probability for filled in together.replacements(asked, _TOP) for place in filled.places for one in place
        ],
        "alone": lambda: _one_at_a_time(model, tokenizer, asked),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    found: dict[str, list[float]] = {}
    for _ in range(_ROUNDS):
        for name, way in ways.items():
            started = time.perf_counter()
            found[name] = way()
            seconds[name].append(time.perf_counter() - started)
    np.testing.assert_allclose(found["together"], found["alone"], rtol=1e-4)
    ours, peer = (_CAPTIONS / statistics.median(seconds[name]) for name in ("together", "alone"))
    return {
        "name": "caption-candidates",
        "ours": ours,
        "peer": peer,
        "unit": "captions/s",
        "ratio": ours / peer,
        "peer_name": "one masked sentence at a time",
    }


def _one_at_a_time(model: Any, tokenizer: Any, asked: Sequence[tuple[str, Sequence[Noun]]]) -> list[float]:
    import torch

    found: list[float] = []
    for caption, nouns in asked:
        for noun in nouns:
            # The space before a noun belongs to RoBERTa's mask.
            text = f"{caption[: noun.start].rstrip()}{tokenizer.mask_token}{caption[noun.end :]}"
            inputs = tokenizer(text, return_tensors="pt", return_token_type_ids=False)
            with torch.inference_mode():
                logits = model(**inputs).logits[inputs["input_ids"] == tokenizer.mask_token_id]
            found += logits[0].softmax(-1).topk(_TOP).values.tolist()
    return found
