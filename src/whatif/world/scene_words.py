"""Words for the contents of scenes: plurals, articles, counts, and spatial relations."""

from __future__ import annotations

from whatif.world.scenes import OPPOSITES, Group, Thing

COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_PLURALS = {"box": "boxes", "fish": "fish"}


def plural(noun: str) -> str:
    """The plural of a noun."""
    return _PLURALS.get(noun, f"{noun}s")


def with_article(phrase: str) -> str:
    """`a` or `an` before a phrase; every word of the scenes is pronounced as it is spelt."""
    return f"{'an' if phrase[0] in 'aeiou' else 'a'} {phrase}"


def counted(count: int, noun: str, adjectives: str = "") -> str:
    """`a red ball`, `three red balls`; adjectives are separated by spaces, or empty."""
    phrase = f"{adjectives} {noun if count == 1 else plural(noun)}".strip()
    return with_article(phrase) if count == 1 else f"{COUNT_WORDS[count]} {phrase}"


def adjectives_of(named: Thing | Group, size: bool = True, colour: bool = True) -> str:
    """The adjectives of a thing or a group, its size first."""
    return " ".join([named.size] * size + [named.colour] * colour)


def relation_words(relation: str, seen_from_first: bool = False, longer: bool = False) -> str:
    """`left of`, or longer `to the left of`; with `seen_from_first`, the place of the second thing."""
    words = OPPOSITES[relation] if seen_from_first else relation
    return f"to the {words}" if longer and words.endswith(" of") else words
