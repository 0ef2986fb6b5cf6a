"""New tokens for a model that continues training: words that its tokeniser would split into many pieces."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

_PIECES = 3  # a word of so many pieces is worth a token


def unknown_words(tokenizer: Any, texts: Iterable[str], number: int) -> list[str]:
    """At most `number` words of the texts with a space before them, the most frequent first, then by alphabet.

    The tokeniser splits each into at least three pieces. A word with which another word begins is left out unless that
    one is a new word, too, because its token would split the other word.
    """
    counts = Counter(word for text in texts for word in re.findall(r" [a-z]+", text))
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    split = [word for word in ranked if len(tokenizer.encode(word, add_special_tokens=False)) >= _PIECES]
    kept = split[:number]
    while True:
        known = set(kept)
        whole = [word for word in kept if not any(o.startswith(word) and o not in known for o in counts if o != word)]
        if len(whole) == len(kept):
            return whole
        kept = whole


def add_words(model: Any, tokenizer: Any, words: Sequence[str]) -> None:
    """Makes each word a token; its embedding begins as the mean of its pieces' embeddings. Changes both in place."""
    import tokenizers
    import torch

    pieces = [tokenizer.encode(word, add_special_tokens=False) for word in words]
    tokenizer.add_tokens([tokenizers.AddedToken(word, normalized=False) for word in words])
    model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    weights = model.get_input_embeddings().weight
    with torch.no_grad():
        for word, parts in zip(words, pieces, strict=True):
            weights[tokenizer.convert_tokens_to_ids(word)] = weights[parts].mean(dim=0)
