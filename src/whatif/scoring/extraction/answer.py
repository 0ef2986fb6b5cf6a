"""Answer extraction: the number, yes or no, option or words that a response gives as its answer (C-VQA 3.2, 4.1).

Nothing is guessed: two answers with equal support are `ambiguous`; no answer is `none`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from whatif.language.number_words import canonical, in_digits
from whatif.scoring.extraction.boolean import boolean_in
from whatif.scoring.extraction.extracted import Extracted, Kind, ambiguous, none
from whatif.scoring.extraction.number import number_in
from whatif.scoring.extraction.option import option_in
from whatif.scoring.extraction.response_text import plain, without_echo
from whatif.scoring.extraction.words import same_words, words_in

__all__ = ["Extracted", "Kind", "extract", "is_correct", "normalise"]

_CALLED = re.compile(
    r"(?:\b(?P<rank>final|new|original|initial) )?\b(?:correct |right |best )?(?:answer|response|option|choice)\b"
    r"(?: to (?:the|this|your) question)?[\"')\s]*(?:is|would be|will be|must be|:|=)(?: that\b)?\s*:?\s*"
    r"(?P<answer>[^\n]*?)(?=$|(?<!\b[a-z])[.!?;](?:\s|$))",
    re.IGNORECASE | re.MULTILINE,
)
# The text after a letter that is called the answer, if it discusses other options: `B. Here's why: option A is blue.`
# The text of the option itself is kept (`B. a dog leash`), and so is a second answer (`B. Option C is right too.`).
_LETTER_ALONE = re.compile(
    r"(?<=^[A-Z])\W*\.\s+(?=\w+\W+\w)(?=[^\n]*(?:\b[Oo]ption [A-Z]\b|\b[B-HJ-Z]\b))"
    r"(?![^\n]*\b(?:also|too|both|either|or|as well|equally|[Nn]o)\b)[^\n]*"
)
_TAKEN_BACK = re.compile(
    r"(?:^|(?<=[.!?;,] )|(?<=\n))(?:(?:oh|hmm|but|no),? )?"
    r"(?:wait(?=[.,!:;-]| no\b| that\b)|actually,? |no(?=, \d)|scratch that|correction\b|"
    r"let me (?:correct|re-?(?:count|check|calculate|consider))|i (?:mean|meant|made a mistake|was wrong)\b|"
    r"on second thoughts?)",
    re.IGNORECASE,
)


def extract(response: str, kind: Kind, question: str, choices: Sequence[str] | None = None) -> Extracted:
    """The answer that a response gives to a question.

    First, everything that is not an answer is removed: thoughts up to `</think>`, a repetition of the question (with
    its options), markdown, list numbers, refusals, and suppositions (`If 2 cats were added, ...`), so that a number
    from the question is not taken for the answer. Then a text that is called the answer is used (`the answer is`,
    `Answer:`, `\\boxed`), a final or new answer before others; without one, all of the remaining text. After a
    retraction (`Wait, no`) the answer is ambiguous, unless a later text is called the answer.
    Decimal digits of every script count (`٣` is 3); Roman numerals and fractions in one character (`½`) do not.

    An `option text` is a choice whose question did not show its options, so a letter names none of them.

    Raises ValueError when the kind is a choice and there are no choices.
    """
    if kind in ("choice", "option text") and not choices:
        raise ValueError(f"question {question!r}: a choice cannot be extracted without its options")
    text = without_echo(plain(response), question, choices)
    if not re.search(r"\w", text):
        return none("nothing but the question" if re.search(r"\w", response) else "empty")
    *before, after = _TAKEN_BACK.split(text)
    called = _called(text, kind, question, choices)
    if not before:
        return called or _judged(text, kind, question, choices)
    first = called or _judged("\n".join(before), kind, question, choices)
    last = _called(after, kind, question, choices) or _judged(after, kind, question, choices)
    if last.status == "none" or first.answer == last.answer:
        return first
    return last if first.status == "none" else ambiguous("an answer, and another after it was taken back")


def _called(text: str, kind: Kind, question: str, choices: Sequence[str] | None) -> Extracted | None:
    """The text that is called the answer, a final or new one before others; None if there is none."""
    called = [
        (found["rank"], _judged(_called_alone(found["answer"], kind), kind, question, choices))
        for found in _CALLED.finditer(text)
    ]
    for rank in ("final", "new", ""):
        answers = {answer for named, answer in called if (named or "").lower() == rank and answer.status != "none"}
        if answers:
            return answers.pop() if len(answers) == 1 else ambiguous("different answers, each called the answer")
    return None


def _called_alone(answer: str, kind: Kind) -> str:
    return _LETTER_ALONE.sub("", answer) if kind == "choice" else answer


def normalise(answer: str, kind: Kind) -> str:
    """An answer in the form used for comparison: `three` and `3.0` are 3, `Yes` is yes, `b` is B."""
    answer = plain(answer).strip(" .\n")
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
