"""Replacements of a caption's nouns by a masked language model (COCO-Counterfactuals 3.1, B.1.1)."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from whatif.engine.language.noun_swap import Filled, Replacement
from whatif.engine.language.tagging import Noun
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.models.language.checkpoints import (
    CAPTION_TOKENS,
    check_numbers,
    length_batches,
    load_masked_language,
    log_sums,
    logits_at,
    longest_text,
    padded,
)
from whatif.models.local.faults import model_faults

if TYPE_CHECKING:
    import torch

_CAPTIONS_AT_ONCE = 1024  # sorted by length together; bounds the memory for large caption sets
_CONTINUES = "##"  # WordPiece's prefix of a piece that continues a word
_BEGINS = ("Ġ", "▁")  # byte-level and SentencePiece's prefix of a piece that begins a word after a space


@dataclass(frozen=True)
class MaskedLanguageModel:
    """Fills masks of many captions together, in batches of `batch_size` x 32 tokens."""

    model: Any
    tokenizer: Any
    batch_size: int

    def replacements(self, captions: Iterable[tuple[str, Sequence[Noun]]], top: int = 10) -> Iterator[Filled]:
        """The `top` most probable tokens for each noun, each noun masked alone; ties go to the lower token id.

        Captions are read and answered in order, some hundreds in memory at a time. The result for a caption does not
        depend on the other captions, except for float rounding. A caption with more tokens than the model has positions
        for is `too_long`.

        Raises WhatifError when a batch does not fit into memory, or the model's output is not a number.
        """
        waiting = iter(captions)
        while group := list(itertools.islice(waiting, _CAPTIONS_AT_ONCE)):
            yield from self._filled(group, top)

    def _filled(self, captions: Sequence[tuple[str, Sequence[Noun]]], top: int) -> Iterator[Filled]:
        read = self.tokenizer([caption for caption, _ in captions], return_offsets_mapping=True, truncation=False)
        masked: list[_Masked] = []
        plans: list[list[int] | str] = []  # for each caption the places of its masks, or why it has none
        for (caption, nouns), ids, offsets in zip(captions, read["input_ids"], read["offset_mapping"], strict=True):
            of_caption = [self._mask(caption, noun, ids, offsets) for noun in nouns]
            longest = max((len(one.ids) for one in of_caption), default=0)
            if longest > self._limit:
                plans.append(f"{longest} tokens; the masked language model takes {self._limit}")
                continue
            plans.append(list(range(len(masked), len(masked) + len(of_caption))))
            masked += of_caption
        found: list[list[Replacement]] = [[] for _ in masked]
        for batch in length_batches([one.ids for one in masked], self.batch_size * CAPTION_TOKENS):
            with model_faults(f"{len(batch)} captions at once"):
                tops = self._top([masked[place] for place in batch], top)
            for place, replacements in zip(batch, tops, strict=True):
                found[place] = replacements
        for plan in plans:
            yield Filled([], plan) if isinstance(plan, str) else Filled([found[place] for place in plan])

    def _mask(self, caption: str, noun: Noun, ids: Sequence[int], offsets: Sequence[tuple[int, int]]) -> _Masked:
        """The caption with one mask for the noun's tokens and, for RoBERTa, the space before them."""
        begin = len(caption[: noun.start].rstrip())
        hidden = [place for place, (start, end) in enumerate(offsets) if start < noun.end and end > begin]
        first, last = hidden[0], hidden[-1]
        return _Masked(
            [*ids[:first], self.tokenizer.mask_token_id, *ids[last + 1 :]],
            first,
            after_space=0 < begin < noun.start,
            at_start=begin == 0,
        )

    def _top(self, batch: Sequence[_Masked], top: int) -> list[list[Replacement]]:
        import torch

        inputs = padded(self.model, self.tokenizer, [one.ids for one in batch])
        chosen = torch.zeros_like(inputs["input_ids"], dtype=torch.bool)
        chosen[torch.arange(len(batch)), [one.place for one in batch]] = True
        with torch.inference_mode():
            logits = logits_at(self.model, inputs, chosen)  # (masks, vocabulary), in the order of the batch
            check_numbers(logits)
            totals = log_sums(logits).tolist()
            best = most_probable(logits, top)
        return [
            [self._replacement(token, logit - total, mask) for token, logit in row]
            for row, total, mask in zip(best, totals, batch, strict=True)
        ]

    def _replacement(self, token: int, log_probability: float, mask: _Masked) -> Replacement:
        piece = self.tokenizer.convert_ids_to_tokens(token) or ""
        word = self.tokenizer.decode([token], skip_special_tokens=False, clean_up_tokenization_spaces=False).strip()
        special = token in self._special
        return Replacement(word, not special and self._is_whole(piece, mask), math.exp(log_probability))

    def _is_whole(self, piece: str, mask: _Masked) -> bool:
        """Whether a token is a whole word in place of the mask; the text after a mask begins another word."""
        if self._marker == _CONTINUES:
            return not piece.startswith(_CONTINUES)
        return mask.at_start or piece.startswith(self._marker) == mask.after_space

    @cached_property
    def _marker(self) -> str:
        """The mark by which this vocabulary distinguishes tokens that begin a word from those that continue one."""
        marks = Counter(
            mark
            for piece in self.tokenizer.get_vocab()
            for mark in (*_BEGINS, _CONTINUES)
            if piece[: len(mark)] == mark
        )
        return marks.most_common(1)[0][0] if marks else _CONTINUES

    @cached_property
    def _special(self) -> frozenset[int]:
        return frozenset(self.tokenizer.all_special_ids)

    @cached_property
    def _limit(self) -> int:
        return longest_text(self.model, self.tokenizer)


@dataclass(frozen=True)
class _Masked:
    """Token ids of a caption with one mask, and the mask's place."""

    ids: list[int]
    place: int
    after_space: bool
    at_start: bool


def masked_language_model(settings: LocalCheckpoint) -> MaskedLanguageModel:
    """Loads a masked language model. Raises WhatifError as `load_masked_language` does."""
    model, tokenizer = load_masked_language(settings)
    return MaskedLanguageModel(model, tokenizer, settings.batch_size)


def most_probable(logits: torch.Tensor, top: int) -> list[list[tuple[int, float]]]:
    """The `top` highest logits of each row as (token id, logit), highest first; ties in order of the ids."""
    top = min(top, logits.shape[-1])
    least = logits.topk(top).values[:, -1:]
    rows = []
    for row, bound in zip(logits, least, strict=True):
        among = (row >= bound).nonzero().squeeze(-1).tolist()  # more than `top` if there are ties
        rows.append(sorted(((token, float(row[token])) for token in among), key=lambda one: (-one[1], one[0]))[:top])
    return rows
