"""Perplexity of captions under a causal language model (COCO-Counterfactuals 3.1)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.models.language.checkpoints import (
    CAPTION_TOKENS,
    check_numbers,
    length_batches,
    load_causal_language,
    log_sums,
    logits_at,
    longest_text,
    padded,
)
from whatif.models.language.token_trie import TokenTrie, tries
from whatif.models.local.faults import model_faults

# Families whose packed results are tested to equal single texts. Others may take positions from elsewhere than
# `position_ids`, or carry a state from token to token: they read whole texts, sorted by length.
PACKED = frozenset({"gpt2", "llama"})
_TEXTS_AT_ONCE = 4096  # sorted together
_HIGHEST = 700.0  # maximum mean negative log-likelihood; the exponential of more is not a float


@dataclass(frozen=True)
class PerplexityModel:
    """Scores texts in batches of `batch_size` x 32 tokens.

    The candidates of a caption are the same up to the replaced noun: the common beginning of texts is read once.
    """

    model: Any
    tokenizer: Any
    batch_size: int

    def perplexities(self, texts: Iterable[str]) -> Iterator[float | None]:
        """exp of the mean negative log-likelihood of the tokens after the first, without a start token.

        A text of one token has nothing to predict, and a text with more tokens than the model has positions for cannot
        be read in one piece: both have no perplexity, None. Texts are read and answered in order, some thousands in
        memory at a time; duplicates are computed once.

        Raises WhatifError when a batch does not fit into memory, or the model's output is not a number.
        """
        waiting = iter(texts)
        while group := list(itertools.islice(waiting, _TEXTS_AT_ONCE)):
            different = list(dict.fromkeys(group))
            found = dict(zip(different, self._perplexities(different), strict=True))
            yield from (found[text] for text in group)

    def _perplexities(self, texts: Sequence[str]) -> list[float | None]:
        read = self.tokenizer(list(texts), add_special_tokens=False, truncation=False)["input_ids"]
        usable = [place for place, ids in enumerate(read) if 1 < len(ids) <= self._limit]
        found: list[float | None] = [None] * len(texts)
        for places, means in self._batches([read[place] for place in usable]):
            for place, mean in zip(places, means, strict=True):
                found[usable[place]] = math.exp(min(mean, _HIGHEST))
        return found

    def _batches(self, texts: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], list[float]]]:
        """Places of texts with their mean losses, one batch at a time."""
        tokens = self.batch_size * CAPTION_TOKENS
        if self.model.config.model_type in PACKED:
            for pack in tries(texts, tokens):
                with model_faults(f"{len(pack.texts)} captions at once"):
                    yield pack.texts, self._packed_losses(pack)
        else:
            for batch in length_batches(texts, tokens):
                with model_faults(f"{len(batch)} captions at once"):
                    yield batch, self._mean_losses([texts[place] for place in batch])

    def _packed_losses(self, pack: TokenTrie) -> list[float]:
        """Mean negative log-likelihoods as in `_mean_losses`, with the common beginnings of texts read once."""
        import torch

        device = self.model.device
        unseen = torch.from_numpy(~pack.sees()).to(device)
        hidden = torch.zeros(unseen.shape, dtype=self.model.dtype, device=device)
        hidden.masked_fill_(unseen, torch.finfo(self.model.dtype).min)
        inputs = {
            "input_ids": torch.tensor([pack.tokens], device=device),
            "position_ids": torch.tensor([pack.depths], device=device),
            "attention_mask": hidden[None, None],  # (1, 1, tokens, tokens), added to the attention's logits
        }
        follows = torch.tensor([place for place, parent in enumerate(pack.parents) if parent >= 0], device=device)
        parents = torch.tensor(pack.parents, device=device)[follows]
        chosen = torch.zeros(len(pack.tokens), dtype=torch.bool, device=device)
        chosen[parents] = True
        row_of = chosen.cumsum(0) - 1
        with torch.inference_mode():
            logits = logits_at(self.model, inputs, chosen[None])  # (tokens that something follows, vocabulary)
            rows = row_of[parents]
            losses = torch.zeros(len(pack.tokens), dtype=torch.float64, device=device)
            losses[follows] = (log_sums(logits)[rows] - logits[rows, inputs["input_ids"][0, follows]]).double()
            check_numbers(losses)
        of_token = losses.tolist()
        return [sum(of_token[place] for place in path[1:]) / (len(path) - 1) for path in pack.paths]

    def _mean_losses(self, texts: Sequence[Sequence[int]]) -> list[float]:
        """Mean negative log-likelihood of each text's tokens after the first, in nats."""
        import torch

        inputs = padded(self.model, self.tokenizer, texts)
        counts = inputs["attention_mask"].sum(-1) - 1
        # Position i predicts token i + 1: the last token and the padding predict nothing.
        predicts = torch.zeros_like(inputs["input_ids"], dtype=torch.bool)
        predicts[:, :-1] = inputs["attention_mask"][:, 1:].bool()
        follows = inputs["input_ids"].roll(-1, 1)[predicts]
        with torch.inference_mode():
            logits = logits_at(self.model, inputs, predicts)  # (predicted tokens of all texts, vocabulary)
            losses = log_sums(logits) - logits.gather(-1, follows.unsqueeze(-1)).squeeze(-1)
            check_numbers(losses)
        return [float(of_text.double().mean()) for of_text in losses.cpu().split(counts.tolist())]

    @cached_property
    def _limit(self) -> int:
        return longest_text(self.model, self.tokenizer)


def perplexity_model(settings: LocalCheckpoint) -> PerplexityModel:
    """Loads a causal language model. Raises WhatifError when it cannot be loaded or is of another type."""
    model, tokenizer = load_causal_language(settings)
    return PerplexityModel(model, tokenizer, settings.batch_size)
