"""Latin letters, which English captions and their words are written in."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


def has_latin_letters(text: str) -> bool:
    """Whether the text has a letter of the Latin script; digits and signs do not count."""
    return any(_is_latin(character) for character in text)


def is_latin_word(text: str) -> bool:
    """Whether the text consists of one or more letters of the Latin script."""
    return bool(text) and all(_is_latin(character) for character in text)


@lru_cache(maxsize=4096)
def _is_latin(character: str) -> bool:
    return character.isalpha() and unicodedata.name(character, "").startswith("LATIN ")
