"""Measures language models on captions of held-out scenes: masked words, and perplexity."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.accuracies import share
from whatif.engine.random_streams import stream
from whatif.world.scene_captions import captions
from whatif.world.scene_words import plural
from whatif.world.scenes import NOUNS, draw_scene, one_of

CAPTIONS = 2000
_BATCH = 100
_SEED = 20_24
_RANKS = (1, 10)
_BASELINE_CAPTIONS = 20_000  # training captions in which words are counted
_NOUN_FORMS = frozenset([*NOUNS, *map(plural, NOUNS)])


def held_out_captions(number: int = CAPTIONS, split: str = "test") -> list[str]:
    """One caption for each of `number` scenes of a split, half of them full."""
    generator = stream(_SEED, "language", split)
    return [
        captions(draw_scene(split, place, _SEED), 2, generator)[int(generator.random() < 0.5)]
        for place in range(number)
    ]


def assess_masked_language(folder: Path, number: int = CAPTIONS) -> dict[str, Any]:
    """How often a masked language model in `folder` finds a masked word of held-out captions, at rank 1 and up to 10.

    `nouns` masks one noun of each caption, `words` any one word. Each has n and Wilson intervals; `majority` is the
    result of the most frequent words of training captions in the same places. A masked noun can often not be known: the
    text reveals only its number, its article, and that it is not the other noun.
    """
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    model_class: Any = transformers.AutoModelForMaskedLM
    options = {"local_files_only": True, "dtype": torch.float32}
    model = model_class.from_pretrained(folder, trust_remote_code=False, **options).eval()
    table: dict[str, Any] = {}
    texts = held_out_captions(number)
    trained = held_out_captions(_BASELINE_CAPTIONS, "train")
    for name, nouns in (("nouns", True), ("words", False)):
        masked = [_masked_word(text, nouns, tokenizer, place) for place, text in enumerate(texts)]
        ranks = _ranks(model, tokenizer, masked)
        counts = Counter(word for text in trained for word in _words(text, nouns))
        frequent = {word: rank for rank, (word, _) in enumerate(counts.most_common(), start=1)}
        majority = np.array([frequent.get(word, len(frequent) + 1) for _, word in masked])
        table[name] = {
            f"top_{rank}": share(ranks <= rank, majority=float((majority <= rank).mean())) for rank in _RANKS
        }
    return table


def assess_causal_language(folder: Path, number: int = CAPTIONS) -> dict[str, Any]:
    """Perplexities of held-out captions under a causal language model in `folder`.

    `captions` and, with their words in another order, `shuffled`: the exponential of the mean negative log-likelihood
    of all tokens after the first, without a start token. `told_apart` is how often a caption has a lower perplexity
    than its own words shuffled, with n and Wilson interval; chance is one half.
    """
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    model_class: Any = transformers.AutoModelForCausalLM
    options = {"local_files_only": True, "dtype": torch.float32}
    model = model_class.from_pretrained(folder, trust_remote_code=False, **options).eval()
    # A sentence with a single order cannot be shuffled; there is none.
    texts = held_out_captions(number)
    orders = [_shuffled(text, stream(_SEED, "shuffle", place)) for place, text in enumerate(texts)]
    (loss, count), (loss_shuffled, count_shuffled) = (_losses(model, tokenizer, each) for each in (texts, orders))
    return {
        "captions": round(float(np.exp(loss.sum() / count.sum())), 4),
        "shuffled": round(float(np.exp(loss_shuffled.sum() / count_shuffled.sum())), 4),
        "told_apart": share(loss / count < loss_shuffled / count_shuffled, chance=0.5),
    }


def _words(text: str, nouns: bool) -> list[str]:
    words = re.findall(r"[a-z]+", text.lower())
    return [word for word in words if word in _NOUN_FORMS] if nouns else words


def _masked_word(text: str, nouns: bool, tokenizer: Any, place: int) -> tuple[str, str]:
    """The caption with one of its words, or of its nouns, masked, and that word."""
    spans = [match for match in re.finditer(r"[A-Za-z]+", text) if not nouns or match.group().lower() in _NOUN_FORMS]
    chosen = one_of(spans, stream(_SEED, "masked", place, nouns))
    return f"{text[: chosen.start()]}{tokenizer.mask_token}{text[chosen.end() :]}", chosen.group().lower()


def _ranks(model: Any, tokenizer: Any, masked: Sequence[tuple[str, str]]) -> NDArray[np.int64]:
    """The rank of the masked word among all tokens, from 1; the vocabulary's size + 1 for a word of several tokens."""
    import torch

    ranks = []
    for start in range(0, len(masked), _BATCH):
        part = masked[start : start + _BATCH]
        inputs = tokenizer([text for text, _ in part], padding=True, return_tensors="pt")
        with torch.inference_mode():
            logits = model(**inputs).logits
        places = (inputs.input_ids == tokenizer.mask_token_id).int().argmax(dim=1)
        at_mask = logits[torch.arange(len(part)), places]
        for (text, word), row in zip(part, at_mask, strict=True):
            # The first word of a sentence has a capital and no space before it.
            tokens = tokenizer.encode(
                word.capitalize() if text.startswith(tokenizer.mask_token) else f" {word}", add_special_tokens=False
            )
            single = len(tokens) == 1
            ranks.append(int((row > row[tokens[0]]).sum()) + 1 if single else len(row) + 1)
    return np.array(ranks)


def _shuffled(text: str, generator: np.random.Generator) -> str:
    """The same words, punctuation and capitalisation in another order."""
    words = text.split()
    while True:
        order = " ".join(words[place] for place in generator.permutation(len(words)))
        if order != text:
            return order


def _losses(model: Any, tokenizer: Any, texts: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each text the sum of negative log-likelihoods after its first token, and the number of these tokens."""
    import torch

    sums, counts = [], []
    for start in range(0, len(texts), _BATCH):
        inputs = tokenizer(list(texts[start : start + _BATCH]), padding=True, return_tensors="pt")
        with torch.inference_mode():
            logits = model(**inputs).logits[:, :-1].double()
        targets = inputs.input_ids[:, 1:].masked_fill(inputs.attention_mask[:, 1:] == 0, -100)
        losses = torch.nn.functional.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
        sums.append(losses.sum(1).numpy())
        counts.append((targets != -100).sum(1).double().numpy())
    return np.concatenate(sums), np.concatenate(counts)
