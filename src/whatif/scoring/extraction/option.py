"""Extracts the option that a response names, by its letter or by its text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whatif.language.options import LETTERS
from whatif.scoring.extraction.extracted import Extracted, ambiguous, none
from whatif.scoring.extraction.letter_lines import by_lines, enumerates, is_list, without_lines
from whatif.scoring.extraction.letters import (
    Letters,
    bare_in,
    decided,
    head_of,
    letters_in,
)
from whatif.scoring.extraction.option_meaning import stated_in
from whatif.scoring.extraction.option_mentions import named_options
from whatif.scoring.extraction.option_numbers import numbered
from whatif.scoring.extraction.option_statement import by_statement
from whatif.scoring.extraction.option_text import are_yes_or_no, begins_with, by_text, unknown_option
from whatif.scoring.extraction.option_words import option_words
from whatif.scoring.extraction.response_text import clauses
from whatif.scoring.extraction.word_forms import content_of

_GIVEN = (
    r"(?:the |these |those )?(?:given |provided |listed |available |answer )?(?:above|options|choices|"
    r"these(?! (?!is|are|was|were|would|fits?|match|apply|seems?)\w)|them|"
    r"answers)\b"
)
_NONE = re.compile(
    rf"\b(?:none|all|neither|any) of {_GIVEN}|(?:\bnot|n't) (?:match|fit|correspond to|among) (?:any (?:of )?|one of "
    rf")?{_GIVEN}|"
    r"\bno (?:correct |right |suitable |matching )?(?:option|answer|choice) (?:is|fits|matches|given|listed|applies)\b"
)
_BESIDE = re.compile(r"[\])\"']{0,2} ?(?!-\d)[:)–-] ?(?P<text>[^;!?\n]{1,60}?)(?=\.\s|\.?$|[;!?\n])")
_FEW = 4  # words beside a letter that may be the text of an option
_ORDINALS = {
    "first": 0,
    "second": 1,
    "third": 2,
    "fourth": 3,
    "fifth": 4,
    "1": 0,
    "2": 1,
    "3": 2,
    "4": 3,
    "5": 4,
    "1st": 0,
    "2nd": 1,
    "3rd": 2,
    "4th": 3,
    "5th": 4,
    "last": -1,
}
_BY_PLACE = re.compile(
    r"\b(?:the (?P<ordinal>first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th|last) "
    r"(?:option|choice|answer|one(?= on (?:the|this) list"
    r"|\W*\Z|, (?:as|because|since))|statement|caption|picture|image)|"
    r"(?:option|choice|answer) (?:number |no\. ?|#)?(?P<number>[1-5])(?![\w.])|"
    r"(?:go with|choose|pick|select|answer is|it is|it's|\A)\W{0,3}(?:the )?(?P<alone>first|second|third|fourth|fifth|"
    r"last)\W*$)"
)


def option_in(text: str, question: str, choices: Sequence[str], *, letters_shown: bool = True) -> Extracted:
    """The option whose letter is given, unless the text beside it belongs to another; without a letter, by its text.

    If the question showed no letters, a letter has no meaning.
    """
    letters = LETTERS[: len(choices)]
    if known := unknown_option(text, choices) or _by_code(text, question, choices):
        return known
    if not clauses(text, question):
        return _refused(text, letters, choices, letters_shown=letters_shown)
    if _denies_all(text, choices):
        return none("none of the options, or all")
    yes_or_no = are_yes_or_no(choices)
    found = letters_in(text, letters, choices, yes_or_no=yes_or_no) if letters_shown else Letters(text, text, [])
    if not found.places:
        return _by_place(text, question, choices) or by_statement(text, question, choices)
    chosen = _chosen(found, letters, choices)
    if chosen.answer is None:
        return chosen
    return _unless_contradicted(chosen.answer, found, question, choices)


def _by_code(text: str, question: str, choices: Sequence[str]) -> Extracted | None:
    """The option in a text where options are codes such as the seat 12B, whose letter is none of an option."""
    if not any(re.search(r"\d[A-Z]\b", choice) for choice in choices):
        return None
    coded = by_text(text, question, choices)
    return coded if coded.status == "ok" else None


def _denies_all(text: str, choices: Sequence[str]) -> bool:
    """Whether a text says that none of the options is right, or all; `none of them` may also be about things."""
    denied = _NONE.search(text.lower())
    if denied is None or any(denied[0] in choice.lower() for choice in choices):
        return False
    goes_on = re.search(r"[.!?]\s+\w", text[denied.end() :]) is not None
    return not (denied[0].endswith("them") and (goes_on or re.search(r"\d", "".join(choices))))


def _refused(text: str, letters: str, choices: Sequence[str], *, letters_shown: bool) -> Extracted:
    """A refusal to choose is ambiguous if it is between some of the options."""
    named = set(letters_in(text, letters, choices).named) if letters_shown else set()
    between = named or named_options(text, choices)
    if not re.search(r"\b(?:both|or|either)\b", text.lower()):
        return none("a refusal")
    return ambiguous("undecided between options") if 1 < len(between) < len(choices) else none("a refusal")


def _chosen(found: Letters, letters: str, choices: Sequence[str]) -> Extracted:
    others = set(found.affirmed) - found.denied
    if (rest := without_lines(found)) is not None:
        outside = letters_in(rest, letters)
        marked = by_lines(found, letters)
        said = _chosen(outside, letters, choices) if outside.places else none("no letter")
        if said.status != "none" or marked is None:
            return said
        return marked
    bare = list(dict.fromkeys(bare_in(found)))
    first = head_of(found)
    if len(bare) > 1 or (bare and first and first != bare[0] and first not in found.denied):
        return ambiguous("more than one letter")
    head = bare[0] if bare else None if enumerates(found) else first
    if head and head not in found.denied and not (not bare and is_list(found, letters, choices)):
        contrary = (others | found.rivals) - found.denied - {head}
        if found.preferred == head:
            contrary = others - {head}
        return ambiguous("more than one letter") if contrary else Extracted(head, "ok", None)
    return decided(found, letters)


def _unless_contradicted(letter: str, found: Letters, question: str, choices: Sequence[str]) -> Extracted:
    """The letter, unless the text of another option stands beside it, or alone in a sentence."""
    own, text = LETTERS.index(letter), found.source
    beside = next((_BESIDE.match(text[end:]) for named, _, end in found.places if named == letter), None)
    said = beside["text"] if beside and len(beside["text"].split()) <= _FEW else ""
    if said and by_text(said, question, choices).answer not in (None, letter):
        return ambiguous("a letter and the text of another option")
    places = [(start, end) for named, start, end in found.places if named == letter]
    if not places:  # all others are denied
        return Extracted(letter, "ok", None)
    before = re.split(r"[.!?;\n]", text[: places[0][0]])[-1]
    beside_another = any(begins_with(text[end:], choices) not in (None, own) for _, end in places)
    if beside_another or by_text(before, question, choices).answer not in (None, letter):
        return ambiguous("a letter and the text of another option")
    sentences = re.split(r"(?<=[.!?;])\s+|\n+", text[places[0][1] :])
    alone = {option_words(re.sub(r"^[^\w-]+", "", sentence)) for sentence in sentences} - {""}
    if _states_another(letter, text[places[0][1] :], question, choices):
        return ambiguous("a letter and the text of another option")
    listed = len({named for named, *_ in found.places}) == len(choices)
    if not listed and any(option_words(choice) in alone for place, choice in enumerate(choices) if place != own):
        return ambiguous("a letter and the text of another option")
    return Extracted(letter, "ok", None)


def _states_another(letter: str, text: str, question: str, choices: Sequence[str]) -> bool:
    """Whether a text after a letter states another option, and has no word of the option of the letter."""
    if are_yes_or_no(choices) or numbered(choices):
        return False
    own = set(content_of(choices[LETTERS.index(letter)]))
    letters = LETTERS[: len(choices)]
    sentences = re.split(r"(?<=[.!?;])\s+|\n+", text)
    text = "\n".join(one for one in sentences if not letters_in(one, letters, choices).places)
    stated = stated_in(text, question, choices)
    others = {word for other in stated for word in content_of(choices[LETTERS.index(other)])}
    return bool(stated) and letter not in stated and not (own - others) & set(content_of(text))


def _by_place(text: str, question: str, choices: Sequence[str]) -> Extracted | None:
    """The option named by its place, `the second option`; None if none is, or if the options are numbers or places."""
    if any(re.search(r"\b(?:first|second|third|last)\b", choice.lower()) for choice in choices):
        return None
    if re.search(r"\b(?:first|second|third|last) (?:picture|image)\b", question.lower()):
        return None
    text = "\n".join(
        one for one in re.split(r"(?<=[.!?])\s+|\n+", text) if not re.search(r"\bnot\b|n't\b", one.lower())
    )
    if re.search(r"\b(?:first|second|third|fourth|fifth|last) (?:and|or|nor)\b", text.lower()):
        return None
    numbered_too = any(re.search(r"\d|\b(?:one|two|three|four|five)\b", choice.lower()) for choice in choices)
    alone = {found["alone"] for found in _BY_PLACE.finditer(text.lower())} - {None}
    named = alone or {
        found["ordinal"] or found["number"] or found["alone"] for found in _BY_PLACE.finditer(text.lower())
    }
    if len(named) != 1 or (numbered_too and named & set("12345")):
        return None
    place = _ORDINALS[named.pop()]
    return Extracted(LETTERS[place % len(choices)], "ok", None) if place < len(choices) else None
