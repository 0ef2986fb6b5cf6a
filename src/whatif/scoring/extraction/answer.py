"""Answer extraction: the number, yes or no, option or words that a response gives as its answer (C-VQA 3.2, 4.1).

A strict reader takes what nobody would read otherwise. What is left is read by two readers that were written
differently on purpose, and only what both of them read is an answer: nothing is guessed.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from whatif.engine.language.number_words import canonical, in_digits
from whatif.engine.language.reasoning import CUT_OFF, split_reasoning
from whatif.scoring.extraction import by_candidate, by_sentence
from whatif.scoring.extraction.doubts import doubt, without_absences
from whatif.scoring.extraction.echoes import without_echo
from whatif.scoring.extraction.extracted import Extracted, Kind, ambiguous, none
from whatif.scoring.extraction.foreign_numbers import is_english
from whatif.scoring.extraction.foreign_statements import foreign_polarity
from whatif.scoring.extraction.markup import plain_text
from whatif.scoring.extraction.other_languages import in_english
from whatif.scoring.extraction.strict import strictly_read
from whatif.scoring.extraction.words import same_words, says, words_in

_BEGINS = (
    r"(?:^\W*(?i:(?:follow[- ]?up |next |new |another |second )?(?:question|query|prompt|instruction|"
    r"q)(?: ?\d{1,2})? ?:|"
    r"(?:user|human|customer|questioner|student) ?:|(?:human|user|instruction|question|input)\W*$|"
    r"\|?im_(?:start|end)\b|\[/?inst\])|(?<=[.!?\s])(?:USER|HUMAN|User|Human|Question|QUESTION|Q) ?:)"
)
_TURN = re.compile(_BEGINS, re.MULTILINE)
_ASKED = re.compile(rf"{_BEGINS}[^\n?]*\??", re.MULTILINE)
# `Q: ... A: ...`, in which A is no letter of an option.
_ANSWERED = re.compile(r"\A\W{0,6}(?:q|question|user) ?:[^\n]*\n\W{0,6}(?:a|answer|assistant) ?:", re.IGNORECASE)
_MANY = 8  # turns without a word between them
_LABELS = re.compile(r"\b(?:assistant|question|answer|response|options|choices|image|user|human|bot|ai|q|a)\b", re.I)
__all__ = ["Extracted", "Kind", "extract", "is_correct", "normalise"]

LONGEST_RESPONSE = 400_000  # characters; a model's longest responses, with reasoning, have 100,000 tokens
LONGEST_ANSWER = 100_000  # characters without the reasoning
_SAYS = re.compile(r"[\w✓✗]")


def extract(response: str, kind: Kind, question: str, choices: Sequence[str] | None = None) -> Extracted:
    """The answer that a response gives to a question.

    Reasoning (`whatif.engine.language.reasoning`) and further turns are removed first. Where the two readers differ,
    the response is `ambiguous`, and the reason has both readings; where neither finds an answer, it has none.

    Decimal digits of every script count (`٣` is 3); Roman numerals do not. Markers of an answer, yes, no and small
    numbers are read in the languages of `other_languages`.

    No options are the same as none given. An `option text` is a choice whose question did not show its options, so a
    letter names none of them. A response that is longer than a model's answer can be is `none` and is not read.

    Raises ValueError when the kind is a choice and there are no choices.
    """
    choices = choices or None
    if kind in ("choice", "option text") and not choices:
        raise ValueError(f"question {question!r}: a choice cannot be extracted without its options")
    if len(response) > LONGEST_RESPONSE:
        return none(f"longer than {LONGEST_RESPONSE:,} characters")
    reasoning, rest, cut_off = split_reasoning(response)
    if cut_off:
        return none(CUT_OFF)
    if len(rest) > LONGEST_ANSWER:
        return none(f"longer than {LONGEST_ANSWER:,} characters, without the reasoning")
    text = without_continuation(without_echo(plain_text(rest), question, choices))
    if _SAYS.search(text):
        return _read(text, rest, kind, question, choices)
    said = "nothing but reasoning" if reasoning else "empty"
    return none("nothing but the question" if _SAYS.search(rest) else said)


def _read(text: str, response: str, kind: Kind, question: str, choices: Sequence[str] | None) -> Extracted:
    """The answer of a text without markup and without the question; `response` has both."""
    foreign = not is_english(text.lower())
    if foreign:
        response = text = in_english(text, kind)
    if found := strictly_read(text, kind, choices):
        return found
    if kind == "text":
        words = words_in(text)
        return words if words.answer is None else replace(words, read_by="strict")
    response = without_continuation(response)
    found = _agreed(without_absences(response) if kind == "boolean" else response, kind, question, choices)
    if found.answer is not None and (why := doubt(text, found.answer, kind, question)):
        return ambiguous(why)
    if foreign and kind == "boolean" and found.answer is None and not is_english(question.lower()):
        said = foreign_polarity(text, question)
        return found if said is None else Extracted(said, "ok", None, read_by="other language")
    return found


def _agreed(response: str, kind: Kind, question: str, choices: Sequence[str] | None) -> Extracted:
    """What both readers read; what only one of them reads is not sure enough."""
    one = by_sentence.read(response, kind, question, choices)
    other = by_candidate.read(response, kind, question, choices)
    if one.answer is not None and one.answer == other.answer:
        return replace(one, read_by="agreement")
    if one.answer == other.answer:
        return other if one.status == "none" and other.status == "ambiguous" else one
    return ambiguous(f"read as {_reading(one)} by its sentences, as {_reading(other)} by its candidates")


def _reading(found: Extracted) -> str:
    return found.answer or ("no answer" if found.status == "none" else "undecided")


@lru_cache(maxsize=1 << 12)  # the same few answers are compared again and again
def normalise(answer: str, kind: Kind) -> str:
    """An answer in the form used for comparison: `three` and `3.0` are 3, `Yes` is yes, `b` is B."""
    answer = plain_text(answer).strip().rstrip(" .\n")  # the point of `.5` stays
    if kind == "number":
        return canonical(in_digits(answer).strip())
    if kind == "text":
        return same_words(answer)
    return answer.lower() if kind == "boolean" else answer.upper()


def is_correct(extracted: Extracted, right: str, kind: Kind) -> bool:
    """Whether an extracted answer is correct; an `ambiguous` or missing answer never is.

    Words are also correct in a sentence that gives them as its answer (`whatif.scoring.extraction.words`).
    """
    if extracted.answer is None:
        return False
    given, sought = normalise(extracted.answer, kind), normalise(right, kind)
    return given == sought or (kind == "text" and says(given, sought))


def without_continuation(text: str) -> str:
    """A text up to the first turn that is not its author's; of a text that begins with a question, its answer."""
    for turn in itertools.islice(_TURN.finditer(text), _MANY):
        before = text[: turn.start()]
        if re.search(r"\w", _LABELS.sub("", _ASKED.sub("", before))):
            return _ANSWERED.sub("answer:", before, count=1)
    return _ANSWERED.sub("answer:", text, count=1)
