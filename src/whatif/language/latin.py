"""Latin letters: what an English caption, and a word that may stand in one, is written with."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


def has_latin_letters(text: str) -> bool:
    """Whether any letter of the text is of the Latin script; digits and signs are of none."""
    return any(_is_latin(character) for character in text)


def is_latin_word(text: str) -> bool:
    """Whether the text is one or more letters of the Latin script and nothing else."""
    return bool(text) and all(_is_latin(character) for character in text)


@lru_cache(maxsize=4096)
def _is_latin(character: str) -> bool:
    return character.isalpha() and unicodedata.name(character, "").startswith("LATIN ")
