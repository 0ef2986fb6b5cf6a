"""Words for what is in a scene: plurals, articles, counts, and where one thing is seen from another."""

from __future__ import annotations

from whatif.embedded.scenes import OPPOSITES, Group, Thing

COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_PLURALS = {"box": "boxes", "fish": "fish"}


def plural(noun: str) -> str:
    """The noun for any number of things but one."""
    return _PLURALS.get(noun, f"{noun}s")


def with_article(phrase: str) -> str:
    """`a` or `an` before a phrase; every word of the scenes sounds as it is spelt."""
    return f"{'an' if phrase[0] in 'aeiou' else 'a'} {phrase}"


def counted(count: int, noun: str, adjectives: str = "") -> str:
    """`a red ball`, `three red balls`; adjectives are words with a space between them, or none."""
    phrase = f"{adjectives} {noun if count == 1 else plural(noun)}".strip()
    return with_article(phrase) if count == 1 else f"{COUNT_WORDS[count]} {phrase}"


def adjectives_of(named: Thing | Group, size: bool = True, colour: bool = True) -> str:
    """The adjectives of a thing or a group, its size first."""
    return " ".join([named.size] * size + [named.colour] * colour)


def relation_words(relation: str, seen_from_first: bool = False, longer: bool = False) -> str:
    """`left of`, or longer `to the left of`; `seen_from_first` gives where the second thing is."""
    words = OPPOSITES[relation] if seen_from_first else relation
    return f"to the {words}" if longer and words.endswith(" of") else words
