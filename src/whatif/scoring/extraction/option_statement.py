"""Extracts the option that a response states without its letter: as an amount, by its text, or by its meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from whatif.language.options import LETTERS
from whatif.scoring.extraction.extracted import Extracted, ambiguous, none
from whatif.scoring.extraction.letter_lines import by_lines
from whatif.scoring.extraction.letters import letters_in
from whatif.scoring.extraction.option_meaning import SEVERAL, asked_part, is_description, meant_in
from whatif.scoring.extraction.option_mentions import named_options
from whatif.scoring.extraction.option_numbers import numbered
from whatif.scoring.extraction.option_reasoning import reasoned
from whatif.scoring.extraction.option_text import begins_with, by_text
from whatif.scoring.extraction.option_words import option_words
from whatif.scoring.extraction.quantities import amount_in, amounts_of
from whatif.scoring.extraction.word_forms import content_of

_OR = re.compile(r",? or,? (?=(?:it|he|she|they|there|you|perhaps|maybe|possibly)\b)", re.IGNORECASE)
_FIRST = re.compile(r"(?<=\w[.!])\s+")
_ONE_OF = re.compile(r"\W*(?:it (?:is|would be|could be) )?(?:either|one|any|some|two) of (?:the|these|those)\b")
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+")
_NOT = re.compile(r"\b(?:not|neither|whether|no)\b|n't\b")
_FEW = 8  # words of an answer that is no sentence
_BETWEEN = re.compile(r"\bbetween \d[^.;!?\n]{0,20} and \d[^.;!?\n]{0,20}\W*\Z", re.IGNORECASE)
_OWNER = re.compile(r"\A(?:his|her|its|their|my|your|our) ", re.IGNORECASE)


def by_statement(text: str, question: str, choices: Sequence[str]) -> Extracted:
    """The option by its literal text, or without one by its distinctive words; both must not contradict each other."""
    numbers = numbered(choices)
    if _ONE_OF.match(text.lower()) and len(_SENTENCES.split(text.strip())) == 1:
        return ambiguous("one of several options")
    if numbers is None and (amount := _by_amount(text, question, choices)):
        return amount
    if numbers is not None and not numbers.is_named:
        return by_text(text, question, choices)
    choices = _without_shared_owner(choices)
    if is_description(text, question):
        return none("a description")
    if not re.search(r"\d", "".join(choices)):
        text = re.sub(r" ?[+&] ?", " and ", text)
    found, meant = by_text(text, question, choices), meant_in(text, question, choices)
    if found.status == "ok" and meant.status == "ok" and found != meant and _is_asked(found.answer, question, choices):
        return meant  # the text repeats what the question supposes of the other option
    combined = _combined(text, question, found, meant, choices)
    combined = reasoned(text, choices, lambda one: _read(one, question, choices)) or combined
    if combined.status == "ok" and (_is_alternative(text, question, choices) or _is_brief_or(text, choices)):
        combined = ambiguous("an option or another one")
    return _marked_line(text, choices) or _first_sentence(text, combined, choices)


def _is_brief_or(text: str, choices: Sequence[str]) -> bool:
    """Whether a text of a few words joins two things by `or`, `the dog or its bowl`, although no option does."""
    if len(text.split()) > _FEW or any(re.search(r"\bor\b", choice.lower()) for choice in choices):
        return False
    return re.search(r"\w or (?!rather\b|so\b|not\b)\w", text.lower()) is not None and not _NOT.search(text.lower())


def _is_alternative(text: str, question: str, choices: Sequence[str]) -> bool:
    """Whether the last sentence states an option, and another one after `or`."""
    last = _SENTENCES.split(text.strip())[-1]
    stated = {_read(one, question, choices).answer for one in _OR.split(last, maxsplit=1)}
    return None not in stated and len(stated) > 1


def _read(text: str, question: str, choices: Sequence[str]) -> Extracted:
    """The option of one sentence."""
    return _combined(text, question, by_text(text, question, choices), meant_in(text, question, choices), choices)


def _without_shared_owner(choices: Sequence[str]) -> Sequence[str]:
    """Options without the `his` or `their` with which all begin, since a list may leave it out."""
    owned = [_OWNER.match(choice) for choice in choices]
    same = len({found[0].lower() for found in owned if found}) == 1 and all(owned)
    return [_OWNER.sub("", choice) for choice in choices] if same else choices


def _is_asked(letter: str | None, question: str, choices: Sequence[str]) -> bool:
    """Whether the question has all words of an option."""
    return set(content_of(choices[LETTERS.index(letter or "A")])) <= set(content_of(question))


def _by_amount(text: str, question: str, choices: Sequence[str]) -> Extracted | None:
    """The option with the amount in the last statement; None if options are no amounts, or the text has none."""
    if amounts_of(choices) is None:
        return None
    if _BETWEEN.search(text):
        return ambiguous("a range")
    places = amount_in(text, choices, question)
    if -1 in places:
        return none("another amount")
    return Extracted(LETTERS[places.pop()], "ok", None) if len(places) == 1 else None


def _first_sentence(text: str, found: Extracted, choices: Sequence[str]) -> Extracted:
    """The option of a text, unless its first sentence is no more than another option."""
    first, *rest = _FIRST.split(text.strip(), maxsplit=1)
    whole = {option_words(one): letter for letter, one in zip(LETTERS, choices, strict=False)}
    is_other = rest and found.status == "ok" and whole.get(option_words(first), found.answer) != found.answer
    return ambiguous("an option, and another one after it") if is_other else found


def _combined(text: str, question: str, found: Extracted, meant: Extracted, choices: Sequence[str]) -> Extracted:
    """The option by its text, unless the distinctive words mean a more specific one, or several."""
    named = named_options(text, choices)
    if meant.status == "ok":
        if found.status == "ok" and found != meant:
            is_more = _includes(meant.answer, found.answer, choices)
            is_last = found.answer not in named_options(asked_part(text, question), choices)
            return meant if is_more or is_last else ambiguous("more than one option")
        is_part = found.status == "ambiguous" and _is_literal(meant.answer, text, choices)
        is_part = is_part and _has_part(meant.answer, named, choices)
        return found if is_part else meant
    is_doubtful = found.status == "ok" and meant.reason == SEVERAL and not named
    return meant if is_doubtful or (found.status == "none" and meant.status == "ambiguous") else found


def _is_literal(letter: str | None, text: str, choices: Sequence[str]) -> bool:
    return option_words(choices[LETTERS.index(letter or "A")]) in option_words(text)


def _has_part(whole: str | None, named: Iterable[str | None], choices: Sequence[str]) -> bool:
    """Whether a text names, beside an option, another one that is a part of it: `a dog on a dog leash`."""
    return any(_includes(whole, part, choices) for part in named if part != whole)


def _includes(whole: str | None, part: str | None, choices: Sequence[str]) -> bool:
    """Whether an option has all words of another one: `the cat and the dog` those of `the dog`."""
    of_whole, of_part = (set(content_of(choices[LETTERS.index(letter or "A")])) for letter in (whole, part))
    return of_part < of_whole


def _marked_line(text: str, choices: Sequence[str]) -> Extracted | None:
    """The option whose line marks it as right, where lines begin with the texts of options; None without such lines."""
    lines = []
    for line in text.split("\n"):
        place = begins_with(line, choices)
        lines.append(line if place is None else f"({LETTERS[place]}): {line}")
    letters = LETTERS[: len(choices)]
    marked = by_lines(letters_in("\n".join(lines), letters), letters)
    return marked if marked is not None and marked.status == "ok" else None
