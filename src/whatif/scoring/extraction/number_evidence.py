"""Weighs the numbers of a clause by the words that each shares with the restriction of the question.

`How many arrows hit the target?` asks for arrows, restricted by `hit the target`. Of `six arrows were shot, and five
hit the target`, five is the number with the words of the restriction.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from whatif.language.number_words import in_digits
from whatif.scoring.extraction.response_text import SUPPOSITION
from whatif.scoring.extraction.statement_words import base_form

_OPPOSITES = (
    ("left", "right"),
    ("open", "closed", "shut"),
    ("standing", "sitting", "seated", "lying"),
    ("inside", "outside"),
    ("upstairs", "downstairs"),
    ("upper", "lower"),
    ("top", "bottom"),
    ("foreground", "background"),
    ("indoors", "outdoors"),
    ("lit", "unlit"),
    ("empty", "full", "occupied"),
    ("free", "occupied", "taken"),
    ("men", "women"),
    ("boys", "girls"),
    ("adults", "children"),
    ("stay", "leave"),
    ("awake", "asleep"),
)
_SHARED_PLACE = re.compile(r"(?P<thing>^\W*(?:and )?\d+(?: [a-z]+){1,4}?) (?:in|on|at) (?:the|this|that)\b.*$")
_PLACE = re.compile(r"\b(?:in|on|at|of|from|under|behind|near|beside|above|below|with|to|into|by)\b")
_FAR = 200  # characters around a number
_SIDE = re.compile(r"\b(?:the|your|his|her|its)(?: far)? (?:left|right)\b")
_NO_SIDE = re.compile(r"\bright now\b")
_EMPTY = frozenset(
    base_form(word)
    for word in re.findall(
        r"\w+",
        "how many there is are was were be been being would will could can do does did has have had a an the this that "
        "these those in on at of to with from by for it its they them he she we you i your his her their and or not "
        "image picture photo scene visible shown seen see total number count currently now still remain remaining "
        "what which who whom some any all only",
    )
)
_SEGMENTS = re.compile(r",? and (?=\d)|[,;:()|]+(?!\d)|\b(?:while|whereas|with|but|plus|of which|of whom)\b")


@dataclass(frozen=True)
class Restriction:
    """Words of a question beside its things, and the opposites of its words."""

    words: frozenset[str]
    verbs: frozenset[str]  # those before the first preposition: `landed`, `hit`
    opposites: frozenset[str]


@lru_cache(maxsize=4096)
def restriction_of(question: str, things: str) -> Restriction:
    """The restriction of a question whose things are named by a pattern; without its supposition."""
    main = SUPPOSITION.sub("", in_digits(question))
    remains = set() if _SIDE.search(main) else {"left", "right"}  # `how many are left`
    asked = _words(main) - remains
    named = _words(question.lower())
    opposites = {
        other for group in _OPPOSITES if len(asked.intersection(group)) == 1 for other in group if other not in named
    }
    words = re.sub(things, " ", main)
    verbs = _bases(_PLACE.split(words)[0]) - _EMPTY - remains
    return Restriction(_bases(words) - _EMPTY - remains, verbs, frozenset(opposites))


def segment_of(text: str, start: int, end: int) -> str:
    """The part of a clause around a number, up to the next comma or coordination that another number follows."""
    first, last = max(0, start - _FAR), end + _FAR
    text, start, end = text[first:last], start - first, end - first
    borders = list(_SEGMENTS.finditer(text))
    begin = max((found.end() for found in borders if found.end() <= start), default=0)
    if not re.search(r"\d", text[:begin]):
        begin = 0
    ends = [found.start() for found in borders if found.start() >= end]
    stop = len(text)
    for number, place in enumerate(ends):
        following = text[place : ends[number + 1] if number + 1 < len(ends) else len(text)]
        if re.search(r"\d", following):
            stop = place
            break
    if begin and stop == len(text):  # `1 cup of tea on the table` after `and`: all things are on the table
        return _SHARED_PLACE.sub(r"\g<thing>", text[begin:stop])
    return text[begin:stop]


def weight_of(segment: str, restriction: Restriction) -> int:
    """The number of words that a segment shares with a restriction, less those that it contradicts."""
    words = _words(segment)
    return len(_bases(segment) & restriction.words) - 3 * len(words & restriction.opposites)


def names_verbs(text: str, restriction: Restriction) -> bool:
    """Whether a text has the words of a question between its things and their place; true if there are none."""
    return restriction.verbs <= _bases(text)


def is_exact(segment: str, things: str, kind: str, restriction: Restriction) -> bool:
    """Whether a segment says of its number what the question asks for, and nothing else: `and two have landed`.

    If the question names a kind of things (`bottles of milk`), whether the segment names it.
    """
    if kind:
        return re.search(rf"\d.*\b{kind}\b", segment) is not None
    said = _bases(re.sub(things, " ", segment)) - _EMPTY
    return bool(restriction.verbs) and restriction.verbs <= said <= restriction.words


def is_opposite(text: str, restriction: Restriction, question: str) -> bool:
    """Whether a text is about the opposite of what is asked: `and 6 would be outside`, if asked for those inside."""
    words = _words(text)
    if not words & restriction.opposites:
        return False
    asked = _words(question.lower())
    named = {word for group in _OPPOSITES if words.intersection(group) for word in group if word in asked}
    return not words & named


def _bases(text: str) -> frozenset[str]:
    return frozenset(base_form(word) for word in re.findall(r"[a-z]+", text))


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", _NO_SIDE.sub("", text)))
