"""What makes an answer doubtful that both readers read, because it misleads both in the same way."""

from __future__ import annotations

import re

from whatif.engine.language.if_clauses import if_clause
from whatif.engine.language.number_words import FIGURE, canonical, in_digits
from whatif.scoring.extraction.extracted import Kind
from whatif.scoring.extraction.words import stems

# A later number that stands so is what a text arrives at: `but only 2`, `which leaves 3`, `2 of them`.
_ARRIVES = re.compile(
    r"\b(?:but (?:only |just |now |(?:[^.;!?\n]{0,40}\b(?:it's|it is|there are|there is) ))?|"
    r"(?:of|among) (?:them|these|those|which|whom),? (?:only |just )?|"
    r"total of |making |leaves? |leaving |gives |giving |no, |so there are (?:now |only )?|"
    r"would (?:now |then |still )?(?:have|be|remain|leave|make) |or (?:perhaps |maybe |possibly |[a-z] ?= ?)?)"
    rf"(?P<number>{FIGURE})\b|(?<![\w.])(?P<part>{FIGURE}) of (?:them|these|those|which|whom)\b"
)
_MANY = 7  # words of a line that breaks off; a shorter one may be a heading or an answer without a point
_ENDS = re.compile(r"[.!?)\]}\"'*`:;$%°]\s*\Z|\d\s*\Z")
# The number is a change: `would be reduced by 2`.
_CHANGES = (
    r"\b(?:reduc|decreas|increas|drop|fall|rise|grow|shrink|go(?:es)? (?:up|down))\w*(?: by)? \W{{0,2}}{}(?![\d.]*\d)"
)
# What turns a statement round, or leaves it open, beside the word `not`.
_TURNS = re.compile(
    r"\b(?:unlikely|improbable|impossible|hardly|barely|scarcely|seldom|(?<!no )doubt|unless|only if|no longer|"
    r"not only|no (?!longer\b|doubt\b|one\b)\w+ (?:means|would mean))\b"
)
_CONDITION = re.compile(r"(?<=\w)[,;]? (?:if|as long as|provided(?: that)?) (?P<clause>[^.;!?\n]+)")
_ANSWERED = re.compile(r"(?P<asked>[^.?!\n]{3,150})\?\W{1,4}(?:yes|no)\b", re.IGNORECASE)
_SAID = re.compile(r"\b(?:yes|true|false|incorrect|correct)\b|\bno\b(?=\W*(?:[.,;:!\n]|$))")
# `Without the table, the ball would fall`: its negation is not the statement's.
_WITHOUT = re.compile(
    r"(?:^|(?<=[.!?] )|(?<=\n))(?:without|with no|with nothing)\b[^.,;!?\n]{1,60}?(?:, |(?= the | it ))", re.I
)


def without_absences(text: str) -> str:
    """A text without phrases of something missing that begin a sentence."""
    return _WITHOUT.sub("", text)


def doubt(text: str, answer: str, kind: Kind, question: str) -> str | None:
    """Why the number, yes or no that a text without markup seems to give is doubtful; None if it is not."""
    if kind == "number":
        return _doubtful_number(text, answer)
    return _doubtful_statement(text.lower(), question) if kind == "boolean" else None


def _doubtful_statement(text: str, question: str) -> str | None:
    asked = stems(question)
    for found in _ANSWERED.finditer(text):
        if not stems(found["asked"]) <= asked:
            return "a yes or no to another question"
    if _SAID.search(text):
        return None
    turns = _TURNS.search(text)
    if turns and turns[0] not in question.lower():
        return f"a statement with `{turns[0]}`"
    supposed = stems(if_clause(question) or "")
    for found in _CONDITION.finditer(text):
        if not stems(found["clause"]) & supposed:
            return "a statement on a condition"
    return None


def _doubtful_number(text: str, answer: str) -> str | None:
    lowered = in_digits(text)
    if re.search(_CHANGES.format(re.escape(answer)), lowered) and lowered.count(answer) == 1:
        return f"a change by {answer}"
    for found in _ARRIVES.finditer(lowered):
        other = canonical(found["number"] or found["part"])
        if other != answer and re.search(rf"(?<![\d.]){re.escape(answer)}(?![\d.]*\d)", lowered[: found.start()]):
            return f"{answer}, and {other} after it"
    last = text.rstrip().rpartition("\n")[2]
    if len(last.split()) >= _MANY and not _ENDS.search(last) and answer not in in_digits(last):
        return "the response breaks off"
    return None
