"""Extracts and compares the words of a response to a question that asks for a word or two: a colour, a name.

Words are the same after VQA's normalisation (case, punctuation, articles, numbers, contractions). Where ours is wider
than the published rule, which compares whole texts: spelling and number (`grey cats`, `gray cat`), and sentences.
"""

from __future__ import annotations

import re

from whatif.engine.language.number_words import in_digits
from whatif.engine.language.spellings import one_form
from whatif.engine.language.wording import plain
from whatif.scoring.extraction.by_sentence.acts import refuses
from whatif.scoring.extraction.extracted import Extracted, ambiguous, none

_NEXT = re.compile(r"(?<=[.!?])\s+(?=\w)|\n")  # between sentences and lines
_LONGEST = 20  # words of a sentence that answers with a word or two


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_VERBS = _set(
    "is are was were be been being am will would can could may might must have has had show look appear seem see "
    "become contain answer"
)
# Words that may stand before and after an answer in a sentence; any other word may belong to it: `dark red`, `red hat`.
_BEFORE = _VERBS | _set("it its this that there here as of now then still also just only clearly probably")
_AFTER = _VERBS | _set(
    "in on at to by for from with as that which who above below under over beside behind near next left right "
    "between inside outside now then here there because since so if"
)
_DENIED = _set(
    "not no never or nor neither without unlike instead rather than except but either cannot cant isnt arent wasnt "
    "werent dont doesnt didnt wont wouldnt couldnt hasnt havent 0"
)


def words_in(text: str) -> Extracted:
    """All words of a response of one sentence, normalised; a longer response is `ambiguous`, for a judge to read."""
    words = plain(text)
    if not words:
        return none("no words")
    if refuses(text):
        return none("a refusal")
    if sum(re.search(r"\w", part) is not None for part in _NEXT.split(text)) > 1 or len(words.split()) > _LONGEST:
        return ambiguous("longer than a sentence")
    return Extracted(words, "ok", None)


def same_words(text: str) -> str:
    """A text in the form in which words are compared: normalised, in one spelling and in the singular."""
    return " ".join(map(one_form, plain(text).split()))


def says(sentence: str, answer: str) -> bool:
    """Whether a sentence gives an answer: contains it once, as a whole, and neither denies it nor names alternatives.

    Both are in the form of `same_words`. `the ball is red` gives `red`; `dark red`, `the red hat is old` and `the ball
    is not red` do not.
    """
    words, sought = sentence.split(), answer.split()
    if not sought or _DENIED.intersection(words) - set(sought) or not _VERBS.intersection(words):
        return False
    places = [place for place in range(len(words)) if words[place : place + len(sought)] == sought]
    if len(places) != 1:
        return False
    before, after = words[: places[0]][-1:], words[places[0] + len(sought) :][:1]
    return _BEFORE.issuperset(before) and _AFTER.issuperset(after)


_EMPTY = _set(
    "a an the is are was were be been being it its he she they his her their them this that these those there here "
    "will would can could may might must shall should of in on at to with by for from and or as has have had do "
    "does did i you we my your so then who what which when where why how if than too also no not one many much "
    "image picture photo option answer correct people person something"
)


def stems(text: str) -> frozenset[str]:
    """The words of a text with a meaning of their own, without their inflection, and its numbers in digits."""
    text = in_digits(re.sub(r"\b(?:no|one)\b", " ", text.lower()))
    words = re.findall(r"\d+(?:[.:/]\d+)*|[^\W\d_]+", re.sub(r"['’]\w+", "", text))
    return frozenset(_stem(word) for word in words if word not in _EMPTY)


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2 and not word.endswith("ss"):
            word = word.removesuffix(ending)
            break
    return word.removesuffix("e")
