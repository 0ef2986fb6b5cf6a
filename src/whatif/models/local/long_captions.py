"""Embeds texts that are longer than a dual encoder can read (CLIP: 77 tokens): in parts, whose mean counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from whatif.models.local.dual_encoders import most_tokens
from whatif.models.local.encoders import Embedder, Floats

_SENTENCE = re.compile(r"(?<=[.!?;])\s+")


def long_captions(encoder: Embedder, texts: Sequence[str]) -> tuple[Floats, int]:
    """Embeddings of length 1 (texts, width), and the number of texts that were too long to be read at once.

    A text that is too long is divided between sentences, and within a sentence that is itself too long between words.
    Its embedding is the mean of those of its parts, scaled to length 1, so that no part of the text is left out.
    """
    if not texts:
        return np.zeros((0, 1)), 0
    parts = [list(_parts(text, encoder)) for text in texts]
    found = encoder.captions([part for of_text in parts for part in of_text])
    ends = np.cumsum([len(of_text) for of_text in parts])
    starts = np.concatenate([[0], ends[:-1]]).astype(int)
    means = [found[start:end].mean(axis=0) for start, end in zip(starts, ends, strict=True)]
    embeddings = np.stack([mean / np.linalg.norm(mean) for mean in means])
    return embeddings, sum(len(of_text) > 1 for of_text in parts)


def _parts(text: str, encoder: Embedder) -> Iterator[str]:
    tokenizer: Any = encoder.processor.tokenizer
    most = most_tokens(encoder.model, tokenizer)

    def fits(words: str) -> bool:
        return len(tokenizer(words, verbose=False).input_ids) <= most

    if fits(text):
        yield text
        return
    part = ""
    for piece in _pieces(text, fits):
        together = f"{part} {piece}".strip()
        if part and not fits(together):
            yield part
            together = piece
        part = together
    yield part


def _pieces(text: str, fits: Any) -> Iterator[str]:
    """Sentences, the words of sentences that do not fit, and halves of words that do not fit, as in Chinese."""
    for sentence in _SENTENCE.split(text):
        for piece in [sentence] if fits(sentence) else sentence.split():
            yield from _halves(piece, fits)


def _halves(word: str, fits: Any) -> Iterator[str]:
    if len(word) < 2 or fits(word):
        yield word
        return
    middle = len(word) // 2
    yield from _halves(word[:middle], fits)
    yield from _halves(word[middle:], fits)
