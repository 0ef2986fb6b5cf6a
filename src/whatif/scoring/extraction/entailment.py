"""Whether one phrase entails another, or denies no more than it, word by word."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whatif.scoring.extraction.statement_words import ADDED, IMAGE, NOT, NUMBERS, OBJECTS, PREPOSITIONS, VERB, Word

_ADJECTIVE = re.compile(r"[a-z]{2,}(?:al|ous|ful|ive|ish|oval|ble)|oval|wooden|golden|plain|striped|ripe|tasty")
_CHANGING = frozenset(["artificial", "potential", "fictional", "imaginary", "animal", "metal", "medal", "hospital"])
_PARTICLES = frozenset(("on", "off", "up", "down", "in", "out", "over", "open"))


def content(words: Sequence[Word]) -> list[Word]:
    """Words without the markers of auxiliaries, negations and the image."""
    return [word for word in words if word.base not in (VERB, NOT, IMAGE)]


def bases(words: Sequence[Word]) -> list[str]:
    return [word.base for word in content(words)]


def conjuncts(words: Sequence[Word]) -> list[list[Word]]:
    """The parts of a list: `a cat, a bird and a dog on a rug` has three, and only the last is on the rug."""
    parts: list[list[Word]] = [[]]
    for word in words:
        if word.written in ("and", "or", "nor", ","):
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def entails(said: Sequence[Word], asked: Sequence[Word], *, may_add_first: bool = True) -> bool:
    """Whether an affirmative phrase contains all that is asked, in order, with nothing between that changes it.

    A black dog is a dog, and a dog that lies on the sofa is on the sofa; a hot dog is not a dog, nor is a dog house.
    """
    place = 0
    for number, wanted in enumerate(asked):
        while place < len(said) and said[place].base != wanted.base:
            word = said[place]
            if word.written in OBJECTS and number == len(asked) - 1 > 0 and place == len(said) - 1:
                return True  # `the cat sees it`
            added = is_added(word) and (number > 0 or may_add_first)
            lies = word.is_participle and wanted.written in PREPOSITIONS
            if not (added or lies or word.base in (VERB, IMAGE)):
                return False
            place += 1
        place += 1
    if place >= len(said):
        return place == len(said)
    if asked[-1].written in _PARTICLES:  # `up` is not `up to date`
        return said[place].base == IMAGE or said[place].written in ("and", ",")
    if said[place].written == "of" and any(word.written in PREPOSITIONS for word in asked):
        return False  # `on the wall of another room`
    return said[place].ends_noun or asked[-1].written.endswith("ing")  # eating grass is eating


def is_added(word: Word) -> bool:
    """Whether a word may stand before a noun without changing its kind; adjectives are known by their endings."""
    if word.written in ADDED:
        return True
    return _ADJECTIVE.fullmatch(word.written) is not None and word.written not in _CHANGING


def is_within(denied: Sequence[Word], asked: Sequence[Word]) -> bool:
    """Whether a denied phrase is no more specific than the question: without a dog there is no black dog on the sofa.

    Its noun must be included, and omitted words before it must not change its kind: `no dog` does not exclude hot dogs.
    """
    end = next((index for index, word in enumerate(asked) if word.ends_noun), len(asked))
    noun = asked[max(0, end - 1)].base
    words = content(denied)
    if noun not in bases(words):
        return False
    before = {word.base for word in words}
    left_out = [word for word in asked[: max(0, end - 1)] if word.base not in before]
    return all(word.written in ADDED | {"more", "than"} for word in left_out) and _in_order(words, asked)


def denies(said: Sequence[Word], asked: Sequence[Word]) -> bool:
    """Whether the denied predicate of a subject is what was asked, or its verb alone: `is not sitting`."""
    words = content(said)
    if words and words[-1].written in OBJECTS | {"anything"} and words[-1].base != asked[-1].base:
        words = words[:-1]
    if len(words) > 1 and len(asked) > 1 and words[-1].base == asked[0].base:
        words = words[:-1]  # `the sky is not a clear sky`
    if len(words) == 1 and words[0].base == asked[0].base:  # `they do not match`
        return True
    if not words or not (words[-1].base == asked[-1].base or words[-1].written.endswith("ing")):
        return False
    opening = next((word for word in asked if word.written not in ADDED), asked[-1])
    opens = words[0].base in (asked[0].base, opening.base)
    is_place = words[0].written in PREPOSITIONS and opening.written.endswith("ing")  # `sitting on the bench`
    return (opens or is_place) and _in_order(words, asked)


def is_other_number(said: Sequence[Word], asked: Sequence[Word]) -> bool:
    """Whether another number is given for exactly the things that are asked for."""
    words = content(said)
    if not (words and words[0].written in NUMBERS and asked[0].written in NUMBERS):
        return False
    return words[0].written != asked[0].written and bases(words[1:]) == bases(asked[1:])


def _in_order(part: Sequence[Word], whole: Sequence[Word]) -> bool:
    left = iter(whole)
    return bool(part) and all(any(word.base == other.base for other in left) for word in part)
