"""Prepares the text of a response in number: its clauses, without remarks, parts and what else counts nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whatif.language.number_words import NUMBER, in_digits
from whatif.scoring.extraction.number_asked import Asked
from whatif.scoring.extraction.number_evidence import is_opposite, weight_of
from whatif.scoring.extraction.number_lists import line_asked_for, without_parts
from whatif.scoring.extraction.number_mentions import counts_only, mentions_in
from whatif.scoring.extraction.response_text import clauses, without_if_clause

_NEAR = 80  # characters after a pronoun
_FIRST = re.compile(r"^\W*\d+ ?→ ?(?=\d+\W*$)")  # `4 → 7`
# `1, 2, 3`, `One... two... three`
_UP_TO = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|\\d{1,2}"
# `One of them is black`, `one goat is on the left, while the other ...` after a count of them.
_INDIVIDUAL = re.compile(
    r"(?:(?<=[.,;\n] )|(?<=\band )|(?<=though )|(?<=but ))one(?= of (?:them|which|whom|these)\b|"
    r" (?:is|was|has|might|may|could|looks|seems)\b|"
    r" (?:(?:of (?:them|the|these) )?\w+ )?(?:is|are|was|stands?|sits?|has|appears?|can|lies?)\b"
    r"[^\n]{0,200}\b(?:the other|another|the second|the third|the rest|the remaining|others)\b)",
    re.IGNORECASE,
)
_MORE_THAN_ONE = re.compile(r"(?<![\d.])(?:[2-9]|[1-9]\d+)(?![\d.])")
_CHECK = re.compile(
    r"(?:^|(?<=[.!?] ))(?:to (?:double[- ]?)?(?:check|verify)(?: this| that| it)?|check|verification|"
    r"proof) ?[:,][^\n.]*",
    re.IGNORECASE | re.MULTILINE,
)
_BOTH = re.compile(r"(?:^|(?<=[.;] ))both(?= (?:of |the |these )?[a-z]+)", re.IGNORECASE)
_CELLS = re.compile(r"(?<=\d) ?\| ?(?=\w)")  # `Before: 4 | After: 7`
_REASON = re.compile(r",? \b(?:as|considering|given that) (?:there|the|it|we|they|he|she|i|you|only|all|each|\d+)\b")
_REMARK = re.compile(r"(?:^|(?<=[.!?\n]))\s*\([^()\n]{1,300}\)\.?$|(?<=[.!?]) \([^()\n]{1,300}\)", re.MULTILINE)
_COUNTING = re.compile(
    rf"(?<![\w.])(?:1|one)(?:[^\w\n+*/=%-]{{1,5}}(?:and )?(?:{_UP_TO})(?![\w.%]\w)){{2,40}}", re.IGNORECASE
)


def counting_clauses(text: str, question: str, asked: Asked) -> list[str]:
    """The clauses of a text from which its number is read."""
    text = _CHECK.sub("", without_if_clause(text, question))  # before `one of them` is taken for one of the things
    text = _CELLS.sub("\n", text)
    if not re.search(NUMBER, in_digits(text)):
        text = _BOTH.sub("2", text)
    text = _without_remarks(_without_individuals(text, asked))
    if not asked.counterfactual and (line := line_asked_for(text, question)):
        text = line
    text = without_parts(_FIRST.sub("", text), asked)
    pieces = clauses(_COUNTING.sub(_last_counted, text.replace("→", ". So ")), question)
    return [_without_reason(piece, asked) for piece in _without_opposites(pieces, asked)]


def _without_individuals(text: str, asked: Asked) -> str:
    """A text in which `one of them` is a pronoun, if it has a larger number, and not what the question asks for."""

    def unless_asked(found: re.Match[str]) -> str:
        segment = re.split(r"[.;\n]|, (?:and|but|while)\b", text[found.end() : found.end() + _NEAR])[0].lower()
        return found[0] if weight_of(segment, asked.restriction) > 0 else "it"

    return _INDIVIDUAL.sub(unless_asked, text) if _MORE_THAN_ONE.search(in_digits(text)) else text


def _without_opposites(pieces: Sequence[str], asked: Asked) -> Sequence[str]:
    """The pieces that are not about the opposite of what is asked, if one of them has a number."""
    rest = [piece for piece in pieces if not is_opposite(piece, asked.restriction, asked.text)]
    return rest if any(mentions_in(counts_only(piece, asked), asked) for piece in rest) else pieces


def _without_reason(piece: str, asked: Asked) -> str:
    """A piece without the reason after its number: `three, as there are four now`."""
    reason = _REASON.search(piece)
    is_stated = reason is not None and bool(mentions_in(counts_only(piece[: reason.start()], asked), asked))
    return piece[: reason.start()] if reason is not None and is_stated else piece


def _without_remarks(text: str) -> str:
    """A text without whole sentences in parentheses, if another number remains."""
    rest = _REMARK.sub(" ", text)
    return rest if re.search(NUMBER, in_digits(rest)) else text


def _last_counted(found: re.Match[str]) -> str:
    """The last number of one, two, three, ..., as a count and not as a bare answer; any other sequence as it is."""
    numbers = [int(number) for number in re.findall(r"\d+", in_digits(found[0]))]
    return f"counted {numbers[-1]}" if numbers == list(range(1, len(numbers) + 1)) else found[0]
