"""The words that a response gives when a word or two are asked for: a colour, a name."""

from __future__ import annotations

import re

from whatif.scoring.extraction.extracted import Extracted, none

_ARTICLES = {"a", "an", "the"}


def words_in(text: str) -> Extracted:
    """All words of a text, as they are compared; a sentence that holds the right word is not the right word."""
    words = same_words(text)
    return Extracted(words, "ok", None) if words else none("no words")


def same_words(text: str) -> str:
    """A text in lower case, without punctuation and articles: what is equal when the same words were said."""
    return " ".join(word for word in re.findall(r"[^\W_]+", text.lower()) if word not in _ARTICLES)
