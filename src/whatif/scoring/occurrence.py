"""Whether an answer that a judge reads in a response occurs there at all: a weak judge invents answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whatif.language.number_words import FIGURE, canonical, in_digits
from whatif.language.options import LETTERS
from whatif.scoring.extraction.extracted import Kind
from whatif.scoring.extraction.letters import letters_in
from whatif.scoring.extraction.number_evidence import is_opposite, restriction_of
from whatif.scoring.extraction.other_languages import in_english
from whatif.scoring.extraction.response_text import clauses, plain, without_echo
from whatif.scoring.extraction.word_forms import content_of
from whatif.scoring.extraction.words import same_words

_ZERO = re.compile(r"\b(?:no|none|nothing|nobody|neither|without|empty|gone)\b|n't any\b")
_TWO = re.compile(r"\b(?:both(?! [a-z]+ and\b)|pair|couple|twice|twins?)\b")
_UNABLE = re.compile(
    r"\bno (?:image|picture|photo)s?\b|\b(?:any|enough|without) (?:information|details?|seeing)\b|"
    r"\b(?:can(?: ?not|'t)|(?:un|not )able to|happy to|won't) (?:\w+ )?"
    r"(?:see|view|assist|help|access|identify|judge|make)\b|"
    r"\b(?:sorry|please|i can (?:help|assist|describe))\b|\bsee (?:any|the|an) (?:image|picture|photo)\b"
)
_DENIES = re.compile(
    r"\b(?:not|no|never|nothing|nobody|none|neither|nor|nowhere|cannot|without|hardly|barely|scarcely|unlikely|"
    r"impossible|false|incorrect|wrong|fail\w*|prevent\w*|lack\w*)\b|n't\b|✗"
)
_AFFIRMS = re.compile(
    r"\b(?:yes|yeah|yep|true|correct|right|indeed|certainly|definitely|absolutely|likely|probably|of course|"
    r"sure(?:ly)?|so it (?:is|would|will|does|can))\b|✓"
)


def occurs(answer: str, kind: Kind, question: str, choices: Sequence[str] | None, response: str) -> bool:
    """Whether a response says the answer; what it repeats of the question does not count.

    A number occurs as digits or as a word. An option occurs by its letter, or by a content word that not all options
    share. `yes` occurs as an affirmation or as an undenied statement with a content word of the question, `no` as a
    denial or by the opposite of a word of the question; refusals are neither. Words occur if all content words do.
    """
    text = without_echo(plain(response), question, choices)
    if kind == "number":
        return any(
            _has_number(canonical(answer).lstrip("-"), said) for said in _said(in_english(text, "number"), question)
        )
    if kind == "boolean":
        return _has_sense(answer, text, question)
    if choices:
        return _has_option(LETTERS.index(answer), text, question, choices)
    return _has_words(answer, text)


def _said(text: str, question: str) -> list[str]:
    """The clauses of a text, without refusals, offers of help and remarks on a missing image."""
    return [piece for piece in clauses(text, question) if not _UNABLE.search(piece)]


def _has_number(number: str, text: str) -> bool:
    figures = {canonical(figure) for figure in re.findall(FIGURE, in_digits(text))}
    in_words = {"0": _ZERO, "2": _TWO}.get(number)
    return number in figures or (in_words is not None and in_words.search(text) is not None)


def _has_sense(answer: str, text: str, question: str) -> bool:
    pieces = _said(in_english(text, "boolean"), question)
    if answer == "no":
        asked = restriction_of(question, "(?!)")
        return any(_DENIES.search(piece) or is_opposite(piece, asked, question) for piece in pieces)
    asked_words = set(content_of(question))
    undenied = [piece for piece in pieces if not _DENIES.search(piece)]
    return any(_AFFIRMS.search(piece) or asked_words.intersection(content_of(piece)) for piece in undenied)


def _has_option(place: int, text: str, question: str, choices: Sequence[str]) -> bool:
    if LETTERS[place] in letters_in(text, LETTERS[: len(choices)], choices).named:
        return True
    if (said := same_words(choices[place])) in ("yes", "no"):
        return _has_sense(said, text, question)
    of_options = [set(content_of(choice)) for choice in choices]
    shared = set.intersection(*of_options) if len(choices) > 1 else set()
    return bool((of_options[place] - shared).intersection(content_of(text))) or _has_words(choices[place], text)


def _has_words(words: str, text: str) -> bool:
    if content := set(content_of(words)):
        return content <= set(content_of(text))
    return f" {same_words(words)} " in f" {same_words(text)} "
