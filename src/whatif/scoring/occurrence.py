"""Whether an answer that a judge reads in a response occurs there at all: a weak judge invents answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whatif.engine.language.number_words import FIGURE, canonical, in_digits
from whatif.engine.language.options import LETTERS
from whatif.scoring.extraction.echoes import without_echo
from whatif.scoring.extraction.extracted import Kind
from whatif.scoring.extraction.markup import plain_text
from whatif.scoring.extraction.other_languages import in_english
from whatif.scoring.extraction.words import same_words, stems

_ZERO = re.compile(r"\b(?:no|none|nothing|nobody|neither|without|empty|gone)\b|n't any\b")
_TWO = re.compile(r"\b(?:both(?! [a-z]+ and\b)|pair|couple|twice|twins?)\b")
_UNABLE = re.compile(
    r"\bno (?:image|picture|photo)s?\b|\b(?:any|enough|without) (?:information|details?|seeing)\b|"
    r"\b(?:can(?: ?not|'t)|(?:un|not )able to|happy to|won't) (?:\w+ )?"
    r"(?:see|view|assist|help|access|identify|judge|make|tell|say|determine|know|answer)\b|"
    r"\b(?:sorry|please|i can (?:help|assist|describe))\b|\bsee (?:any|the|an) (?:image|picture|photo)\b|"
    r"\bnot (?:sure|clear|certain)\b|\bun(?:sure|clear|certain|known)\b"
)
_DENIES = re.compile(
    r"\b(?:not|no|never|nothing|nobody|none|neither|nor|nowhere|cannot|without|hardly|barely|scarcely|unlikely|"
    r"impossible|false|incorrect|wrong|fail\w*|prevent\w*|lack\w*)\b|n't\b|✗"
)
_AFFIRMS = re.compile(
    r"\b(?:yes|yeah|yep|true|correct|right|indeed|certainly|definitely|absolutely|likely|probably|of course|"
    r"sure(?:ly)?|so it (?:is|would|will|does|can))\b|✓"
)
_OPPOSITES = [
    frozenset(words.split())
    for words in """
    left right
    open closed shut
    standing sitting seated lying
    inside outside
    upper lower
    top bottom
    foreground background
    indoors outdoors
    lit unlit
    empty full occupied
    free occupied taken
    men women
    boys girls
    adults children
    stay leave
    awake asleep
    wet dry
    warm cold
    same different
    """.strip().splitlines()
]
_SUPPOSES = re.compile(r"\b(?:if|when|suppos(?:e|ing)|assuming)\b[^,.;:!?\n]*")
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+|,? (?=but )")


def occurs(answer: str, kind: Kind, question: str, choices: Sequence[str] | None, response: str) -> bool:
    """Whether a response says the answer; what it repeats of the question does not count.

    A number occurs as digits or as a word. An option occurs by its letter, or by a content word that not all options
    share. `yes` occurs as an affirmation or as an undenied statement with a content word of the question, `no` as a
    denial or by the opposite of a word of the question; refusals are neither. Words occur if all content words do.
    """
    text = without_echo(plain_text(response), question, choices)
    if kind == "number":
        return any(_has_number(canonical(answer).lstrip("-"), one) for one in _sentences(in_english(text, "number")))
    if kind == "boolean":
        return _has_sense(answer, text, question)
    if choices:
        return _has_option(LETTERS.index(answer), text, question, choices)
    return _has_words(answer, text)


def _sentences(text: str) -> list[str]:
    """The sentences of a text, in lower case, without suppositions, refusals and offers of help."""
    sentences = _SENTENCES.split(text.lower())
    return [_SUPPOSES.sub(" ", sentence) for sentence in sentences if sentence and not _UNABLE.search(sentence)]


def _has_number(number: str, text: str) -> bool:
    figures = {canonical(figure) for figure in re.findall(FIGURE, in_digits(text))}
    in_words = {"0": _ZERO, "2": _TWO}.get(number)
    return number in figures or (in_words is not None and in_words.search(text) is not None)


def _has_sense(answer: str, text: str, question: str) -> bool:
    sentences = _sentences(in_english(text, "boolean"))
    if answer == "no":
        return any(_DENIES.search(one) or _is_opposite(one, question) for one in sentences)
    asked = stems(question)
    undenied = [one for one in sentences if not _DENIES.search(one)]
    return any(_AFFIRMS.search(one) or asked & stems(one) for one in undenied)


def _is_opposite(text: str, question: str) -> bool:
    found, asked = (set(re.findall(r"[a-z]+", words.lower())) for words in (text, question))
    return any(found & words - asked and asked & words and not found & asked & words for words in _OPPOSITES)


def _has_option(place: int, text: str, question: str, choices: Sequence[str]) -> bool:
    letter = LETTERS[place]
    # `A` and `I` are also words, so that they need a sign or a word beside them.
    alone = rf"\b{letter}\b(?!['’])" if letter not in "AI" else rf"(?:\(|\b(?:option|answer|choice)\W{{1,3}}){letter}\b"
    if re.search(rf"{alone}|(?:^|[\s(]){letter}(?:[).:,]|\s*$)|\b{letter} (?:is|or|and)\b", text, re.MULTILINE):
        return True
    if (option := same_words(choices[place])) in ("yes", "no"):
        return _has_sense(option, text, question)
    of_options = [stems(choice) for choice in choices]
    shared = frozenset.intersection(*of_options) if len(choices) > 1 else frozenset()
    return bool((of_options[place] - shared) & stems(text)) or _has_words(choices[place], text)


def _has_words(words: str, text: str) -> bool:
    if content := stems(words):
        return content <= stems(text)
    return f" {same_words(words)} " in f" {same_words(text)} "
