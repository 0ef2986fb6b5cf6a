"""Noun phrases of questions: the kinds of things that a program looks for."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

COLOURS = (
    *("red", "orange", "yellow", "green", "blue", "purple", "pink"),
    *("white", "black", "grey", "gray", "brown", "cream", "cyan"),
)
SIZES = ("small", "large")
NUMBERS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
}
# What names no kind at all: every thing is one.
_ANYTHING = frozenset(("thing", "object", "item"))
_IRREGULAR = {
    **{"people": "person", "men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth"},
    **{"fish": "fish", "sheep": "sheep", "deer": "deer", "mice": "mouse", "geese": "goose", "knives": "knife"},
    **{"leaves": "leaf", "shelves": "shelf", "loaves": "loaf", "wolves": "wolf", "calves": "calf", "buses": "bus"},
    **{"shoes": "shoe", "toes": "toe", "canoes": "canoe", "skis": "ski", "houses": "house", "cookies": "cookie"},
    **{"scissors": "scissors", "pants": "pants", "glasses": "glasses", "sunglasses": "sunglasses", "jeans": "jeans"},
}
_BEFORE = (
    "the|a|an|any|some|these|those|this|that|his|her|its|their|visible|only|extra|additional|new|remaining|total|whole"
)
_PLURALS = {one: many for many, one in _IRREGULAR.items()}
# Nouns that end as verbs do.
_IN_ING = "thing|ring|king|wing|swing|string|building|ceiling|painting|clothing|railing|awning|earring|topping|drawing"
_PLACES = re.compile(
    r"\b(?:in|on|at|under|behind|near|inside|outside|above|below|beside|by|with|from|around|of|that|who|which|"
    rf"(?!(?:{_IN_ING})\b)\w+ing)\b"
)


@dataclass(frozen=True)
class Kind:
    """A kind of things, in the singular: `large red ball`. What is None is not said; `rest` follows the noun."""

    noun: str | None = None
    colour: str | None = None
    size: str | None = None
    rest: str = ""

    @property
    def phrase(self) -> str:
        """The words by which things of this kind are found."""
        words = (self.size, self.colour, self.noun or "thing", self.rest)
        return " ".join(word for word in words if word)

    @property
    def plural(self) -> str:
        """The words for several of them."""
        words = (self.size, self.colour, plural(self.noun or "thing"), self.rest)
        return " ".join(word for word in words if word)

    def implies(self, other: Kind) -> bool:
        """Whether everything of this kind is of the other. What follows the noun does not count."""
        mine, others = (self.colour, self.size), (other.colour, other.size)
        named = other.noun is None or self.noun == other.noun or (self.noun or "").endswith(f" {other.noun}")
        return named and all(theirs is None or own == theirs for own, theirs in zip(mine, others, strict=True))

    def both(self, other: Kind) -> Kind | None:
        """The kind of the things that are of both; None if nothing can be."""
        for own, theirs in ((self.colour, other.colour), (self.size, other.size)):
            if own is not None and theirs is not None and own != theirs:
                return None
        if self.has_another_noun(other):
            return None
        noun = max(self.noun or "", other.noun or "", key=len) or None
        return Kind(noun, self.colour or other.colour, self.size or other.size, self.rest or other.rest)

    def has_another_noun(self, other: Kind) -> bool:
        """Whether the two have different nouns, such as `dog` and `animal`: not `truck` and `fire truck`."""
        if self.noun is None or other.noun is None or self.noun == other.noun:
            return False
        return not (self.noun.endswith(f" {other.noun}") or other.noun.endswith(f" {self.noun}"))

    def of(self, **attributes: Any) -> Kind:
        """This kind with other attributes."""
        return replace(self, **attributes)


def kind_of(words: str) -> Kind | None:
    """The kind that a phrase names, without its article; None for no words.

    The noun may have several words (`windshield wiper`). What follows a preposition is the `rest`.
    """
    text = re.sub(rf"^(?:(?:{_BEFORE})\s+)+", "", words.strip().lower())
    place = _PLACES.search(text, 1) if text else None
    head, rest = (text[: place.start()], text[place.start() :]) if place and place.start() > 0 else (text, "")
    named = head.split()
    if not named or not re.fullmatch(r"[a-z' -]+", text):
        return None
    size = named.pop(0) if named[0] in SIZES and len(named) > 1 else None
    colour = named.pop(0) if named[0] in COLOURS and len(named) > 1 else None
    noun = " ".join([*named[:-1], singular(named[-1])])
    return Kind(None if noun in _ANYTHING else noun, colour, size, rest.strip())


def predicate_kind(word: str) -> Kind:
    """The kind that a predicate names: `red`, `large`, `a ball`, `balls`."""
    if word in COLOURS:
        return Kind(colour=word)
    if word in SIZES:
        return Kind(size=word)
    return kind_of(word) or Kind()


def singular(noun: str) -> str:
    """The singular of a noun in lower case."""
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    for several, one in (("men", "man"), ("people", "person")):
        if noun.endswith(several) and len(noun) > len(several):
            return noun.removesuffix(several) + one
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    if re.search(r"(?:ss|x|ch|sh|zz|to)es$", noun):
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith(("ss", "us")) else noun


def plural(noun: str) -> str:
    """The plural of a noun in lower case; only its last word changes."""
    *words, last = noun.split()
    if last in _PLURALS:
        many = _PLURALS[last]
    elif re.search(r"[^aeiou]y$", last):
        many = last[:-1] + "ies"
    else:
        many = last + ("es" if re.search(r"(?:s|x|z|ch|sh|to)$", last) else "s")
    return " ".join([*words, many])


def number_of(word: str) -> int | None:
    """A number in digits or in words; articles are one."""
    if word in ("a", "an", "another", "the", "1 more", "one more"):
        return 1
    return int(word) if word.isdecimal() and len(word) < 10 else NUMBERS.get(word)
