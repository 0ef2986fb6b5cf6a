"""Answer extraction: the number, yes or no, option or words that a response gives as its answer (C-VQA 3.2, 4.1).

Nothing is guessed: two answers with equal support are `ambiguous`; no answer is `none`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from whatif.language.number_words import canonical, in_digits
from whatif.language.options import LETTERS
from whatif.language.reasoning import CUT_OFF, split_reasoning
from whatif.scoring.extraction.boolean import boolean_in
from whatif.scoring.extraction.continuations import without_continuation
from whatif.scoring.extraction.corrections import Part, corrected, denies, without_first_thoughts
from whatif.scoring.extraction.courtesies import begins_with_assent, without_courtesies
from whatif.scoring.extraction.doubts import (
    emphasised,
    first_sentence_if_cut,
    is_undecided,
    possible_others,
    without_hedges,
)
from whatif.scoring.extraction.extracted import Extracted, Kind, ambiguous, none
from whatif.scoring.extraction.final_answer import RANKS, called_in, with_headings
from whatif.scoring.extraction.letters import bare_in, letters_in
from whatif.scoring.extraction.number import number_in
from whatif.scoring.extraction.number_opening import may_answer
from whatif.scoring.extraction.option import option_in
from whatif.scoring.extraction.option_meaning import stated_in
from whatif.scoring.extraction.option_numbers import numbered
from whatif.scoring.extraction.option_text import are_yes_or_no, by_text
from whatif.scoring.extraction.option_verdicts import by_verdicts
from whatif.scoring.extraction.option_words import option_words
from whatif.scoring.extraction.other_languages import in_english
from whatif.scoring.extraction.response_text import plain, refuses, without_echo
from whatif.scoring.extraction.structured import with_shares, with_values
from whatif.scoring.extraction.whole_answers import names_both, without_other_questions
from whatif.scoring.extraction.words import same_words, words_in

__all__ = ["Extracted", "Kind", "extract", "is_correct", "normalise"]

_CONCLUDES = re.compile(r"\W*(?:so|therefore|thus|hence)\b", re.IGNORECASE)
_THAT_IS = re.compile(r"^\W*(?:that is|i\.e\.|namely|meaning|so),? ", re.IGNORECASE)
_ANSWERS = re.compile(r"\b(?:would|will|must|answer|option|choice)\b|'d\b|'ll\b|\b[A-Z]\b", re.IGNORECASE)
_TOO = re.compile(r"\b(?:also|as well|too)\W*$", re.IGNORECASE | re.MULTILINE)
_BRIEF = 8  # words of a first sentence that may be an answer without saying so
_SHORT = 12  # words of a correction that replaces what was called the answer without being called so itself


def extract(response: str, kind: Kind, question: str, choices: Sequence[str] | None = None) -> Extracted:
    """The answer that a response gives to a question.

    First, everything that is not an answer is removed: reasoning (`whatif.language.reasoning`), a repetition of the
    question (with its options), further turns, markup, courtesies, list numbers, first thoughts, refusals, and
    suppositions (`If 2 cats were added, ...`), so that a number from the question is not taken for the answer. Then a
    text that is called the answer is used (`the answer is`, `Answer:`, `\\boxed`, a JSON key), a final or new answer
    before others; without one, all of the remaining text, if it was not cut off and names no other possible answer.
    What corrects an answer (`Wait, ...`) replaces it, unless it may be a remark on an answer that was called so.

    Decimal digits of every script count (`٣` is 3); Roman numerals and fractions in one character (`½`) do not. Markers
    of an answer, yes, no and small numbers are read in the languages of `other_languages`.

    No options are the same as none given. An `option text` is a choice whose question did not show its options, so a
    letter names none of them.

    Raises ValueError when the kind is a choice and there are no choices.
    """
    if kind in ("choice", "option text") and not choices:
        raise ValueError(f"question {question!r}: a choice cannot be extracted without its options")
    choices = choices or None
    reasoning, response, cut_off = split_reasoning(response)
    if cut_off:
        return none(CUT_OFF)
    text = without_echo(plain(with_values(response, kind, question, choices)), question, choices)
    text = without_continuation(text)
    if not re.search(r"[\w✓✗]", text):
        said = "nothing but reasoning" if reasoning else "empty"
        return none("nothing but the question" if re.search(r"\w", response) else said)
    rest = without_courtesies(text)
    found = _read(rest, response, kind, question, choices)
    is_answer = begins_with_assent(text) and found.status == "none" and not refuses(rest)  # `Certainly, at night.`
    return _read(text, response, kind, question, choices) if is_answer else found


def _read(text: str, response: str, kind: Kind, question: str, choices: Sequence[str] | None) -> Extracted:
    """The answer of a text without markup and courtesies; `response` has its emphasis."""
    in_numbers = choices is not None and numbered(choices) is not None
    if kind == "boolean":
        text = without_other_questions(text, question)
    if kind in ("choice", "boolean"):
        text = with_shares(text, "" if in_numbers else LETTERS[: len(choices or ())])
    text = with_headings(without_hedges(without_first_thoughts(in_english(text, "number" if in_numbers else kind))))
    if choices and (verdict := by_verdicts(text, choices, letters_shown=kind == "choice")):
        return verdict
    said = Said(none("no answer"), is_called=False)
    for part in corrected(text, "boolean" if choices and are_yes_or_no(choices) else kind):
        said = _after(said, _said(part.text, kind, question, choices), part)
    if kind == "boolean" and is_undecided(text) and names_both(text):
        return ambiguous("undecided between yes and no")
    if said.is_called:
        return said.answer
    answer = _without_doubt(said.answer, text, kind, question, choices)
    return _emphasised(response, kind, question, choices) or answer if answer.status == "ambiguous" else answer


def _without_doubt(answer: Extracted, text: str, kind: Kind, question: str, choices: Sequence[str] | None) -> Extracted:
    """An answer that is not called so, unless the text was cut off, or says that it could also be another one."""
    if (first := first_sentence_if_cut(text)) is not None:
        begins = _judged(first, kind, question, choices)
        if kind != "boolean" and not may_answer(first, question):
            return none("cut off before an answer")
        is_answer = choices is None or len(first.split()) <= _BRIEF or _ANSWERS.search(first) is not None
        is_kept = begins.status == "ambiguous" or (begins == answer and "=" not in first and is_answer)
        return begins if is_kept and begins.status != "none" else none("cut off before an answer")
    if answer.status == "ok" and is_undecided(text):
        return ambiguous("undecided between answers")
    if (
        kind == "number"
        and answer.status == "ambiguous"
        and not is_undecided(text)
        and refuses(last := re.split(r"(?<=[.!?])\s+|\n+", text.strip())[-1])
        and not re.search(r"\d", in_digits(last))
    ):
        return none("a refusal")
    for other in possible_others(text) if answer.status == "ok" else ():
        possible = _judged(other, kind, question, choices)
        if possible.status == "ok" and possible != answer:
            return ambiguous("an answer, and another possible one")
    return answer


def _emphasised(response: str, kind: Kind, question: str, choices: Sequence[str] | None) -> Extracted | None:
    """The only answer in the emphasised texts of a response; None if there is none, or more than one."""
    found = {_judged(plain(text), kind, question, choices) for text in emphasised(response)}
    found = {answer for answer in found if answer.status != "none"}
    return found.pop() if len(found) == 1 and all(answer.status == "ok" for answer in found) else None


@dataclass(frozen=True)
class Said:
    """The answer of a part of a response; `is_called` if the text calls it the answer."""

    answer: Extracted
    is_called: bool


def _said(text: str, kind: Kind, question: str, choices: Sequence[str] | None) -> Said:
    called = _called(text, kind, question, choices)
    return Said(called or _judged(text, kind, question, choices), is_called=called is not None)


def _after(before: Said, said: Said, part: Part) -> Said:
    """What a response says after a correction; a remark on what it called the answer does not replace it."""
    if before.answer.reason == "no answer":
        return said
    if said.answer.status == "none":
        is_wrong = denies(part.text) or (part.is_retraction and before.answer.answer in ("yes", "no"))
        retracted = refuses(part.text) or (is_wrong and before.answer.status == "ok")
        return said if refuses(part.text) else Said(ambiguous("taken back"), is_called=False) if retracted else before
    if said.answer == before.answer or before.answer.status == "none" or said.is_called:
        return said
    if _TOO.search(part.text) and not before.is_called:
        return Said(ambiguous("an answer, and another one too"), is_called=False)
    is_short = len(part.text.split()) <= _SHORT
    if before.is_called and not (part.is_firm and is_short):
        return Said(ambiguous("an answer, and another after it was taken back"), is_called=False)
    return said


def _called(text: str, kind: Kind, question: str, choices: Sequence[str] | None) -> Extracted | None:
    """The text that is called the answer, a final or new one before others; None if there is none."""
    called = [(one, _judged(one.text, kind, question, choices)) for one in called_in(text)]
    for rank in RANKS:
        of_rank = [(one, answer) for one, answer in called if one.rank == rank and answer.status != "none"]
        if len({answer for _, answer in of_rank}) > 1:
            return ambiguous("different answers, each called the answer")
        if of_rank:
            (place, answer), *_ = of_rank
            before, after = text[: place.start], text[place.end :]
            return _beside(answer, before, after, question, choices) if kind == "choice" else answer
    return None


def _beside(called: Extracted, before: str, after: str, question: str, choices: Sequence[str] | None) -> Extracted:
    """What is called the answer, unless another option is in the same sentence before it, or stands alone after it."""
    if called.status != "ok" or not choices:
        return called
    letters = LETTERS[: len(choices)]
    same = re.split(r"[.!?;\n]", before)[-1]
    if re.search(r"\w", same) and by_text(same, question, choices).answer not in (None, called.answer):
        return ambiguous("the text of another option before the answer")
    found = letters_in(after, letters, choices)
    alone: set[str | None] = {*bare_in(found), *(set(found.affirmed) - found.denied)}
    for sentence in re.split(r"(?<=[.!?;])\s+|\n+", after):
        if _CONCLUDES.match(sentence):
            alone |= {by_text(sentence, question, choices).answer} - {None}
    if len({*found.named, called.answer}) < len(letters):  # otherwise the options are discussed one by one
        words = {option_words(_THAT_IS.sub("", sentence)) for sentence in re.split(r"(?<=[.!?;])\s+|\n+", after)}
        alone |= found.rivals
        alone |= {letter for letter, choice in zip(letters, choices, strict=False) if option_words(choice) in words}
    sentences = re.split(r"(?<=[.!?;])\s+|\n+", before.strip())
    sentences = [sentence for sentence in sentences[-2:] if not letters_in(sentence, letters, choices).places]
    stated = {letter for part in ("\n".join(sentences), after) for letter in stated_in(part, question, choices)}
    if len(stated) == 1 and not are_yes_or_no(choices) and not numbered(choices):
        alone |= stated
    return ambiguous("another option beside the answer") if alone - {called.answer} else called


@lru_cache(maxsize=1 << 12)  # the same few answers are compared again and again
def normalise(answer: str, kind: Kind) -> str:
    """An answer in the form used for comparison: `three` and `3.0` are 3, `Yes` is yes, `b` is B."""
    answer = plain(answer).strip().rstrip(" .\n")  # the point of `.5` stays
    if kind == "number":
        return canonical(in_digits(answer).strip())
    if kind == "text":
        return same_words(answer)
    return answer.lower() if kind == "boolean" else answer.upper()


def is_correct(extracted: Extracted, right: str, kind: Kind) -> bool:
    """Whether an extracted answer is correct; an `ambiguous` or missing answer never is."""
    return extracted.answer is not None and normalise(extracted.answer, kind) == normalise(right, kind)


def _judged(text: str, kind: Kind, question: str, choices: Sequence[str] | None) -> Extracted:
    if kind in ("choice", "option text"):
        return option_in(text, question, choices or (), letters_shown=kind == "choice")
    if kind == "text":
        return words_in(text)
    return number_in(text, question) if kind == "number" else boolean_in(text, question)
