"""Extracts the words of a response to a question that asks for a word or two: a colour, a name."""

from __future__ import annotations

import re

from whatif.scoring.extraction.extracted import Extracted, none

_ARTICLES = {"a", "an", "the"}


def words_in(text: str) -> Extracted:
    """All words of a text, normalised; a sentence that contains the correct word is not the correct word."""
    words = same_words(text)
    return Extracted(words, "ok", None) if words else none("no words")


def same_words(text: str) -> str:
    """A text in lower case, without punctuation and articles, for comparison."""
    return " ".join(word for word in re.findall(r"[^\W_]+", text.lower()) if word not in _ARTICLES)
