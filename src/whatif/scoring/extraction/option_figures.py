"""Extracts the option whose number a text gives, where all options are numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from whatif.language.number_words import canonical, in_digits
from whatif.language.options import LETTERS
from whatif.scoring.extraction.extracted import Extracted, none
from whatif.scoring.extraction.number import number_in
from whatif.scoring.extraction.option_numbers import ORDINALS, Numbered

_ORDINAL = re.compile(rf"\b(?:{'|'.join(ORDINALS[3:])})\b", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+")
_FIGURE = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)")
_NOT = re.compile(r"\bnot\b|n't\b")
_OR = re.compile(r"\bor\b|\?")
_STATES = re.compile(r"\b(?:would|will|so|therefore|thus|hence)\b|'d\b|'ll\b|=")
_ENDS = re.compile(
    r"(?:\b(?:is|are|be|becomes?|reads?|shows?|gives?|leaves?|like|get)(?: an?)?|=) (?P<number>\d+(?:\.\d+)?)\W*\Z"
)


def by_number(text: str, question: str, numbers: Numbered) -> Extracted:
    """The option with the number that answers the question; of several numbers, the one that the last sentence states.

    `The seventh floor` has the number 7.
    """
    said = numbers.without_units(text)
    verdict = number_in(said, question)
    if verdict.status == "none":
        verdict = number_in(_ORDINAL.sub(lambda found: str(ORDINALS.index(found[0].lower()) + 1), said), question)
    letters = dict(zip(numbers.numbers, LETTERS, strict=False))
    letter = letters.get(canonical(verdict.answer)) if verdict.answer else None
    if letter is None and verdict.status != "none":
        letter = _stated_last(text, question, letters)
    if letter:
        return Extracted(letter, "ok", None)
    return none("no such option") if verdict.answer else verdict


def _stated_last(text: str, question: str, letters: Mapping[str, str]) -> str | None:
    """The letter of the only number, apart from those in the question, in the last sentence that affirms one."""
    asked = {canonical(one) for one in _FIGURE.findall(in_digits(question))}
    for sentence in reversed(_SENTENCES.split(in_digits(text))):
        new = {canonical(one) for one in _FIGURE.findall(sentence)} - asked
        if not new or _NOT.search(sentence):
            continue
        if _OR.search(sentence):
            return None
        if ends := _ENDS.search(sentence):
            return letters.get(canonical(ends["number"]))
        return letters.get(new.pop()) if len(new) == 1 and _STATES.search(sentence) else None
    return None
