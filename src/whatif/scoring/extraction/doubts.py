"""What makes a number doubtful that both readers read: the response goes on to another one, or breaks off."""

from __future__ import annotations

import re

from whatif.language.number_words import FIGURE, canonical, in_digits

# A later number that stands so is what a text arrives at: `but only 2`, `which leaves 3`, `2 of them`.
_ARRIVES = re.compile(
    r"\b(?:but (?:only |just |now |(?:there )?(?:are|is) )?|"
    r"(?:of|among) (?:them|these|those|which|whom),? (?:only |just )?|"
    r"total of |making |leaves? |leaving |gives |giving |no, |so there are (?:now |only )?|"
    r"would (?:now |then |still )?(?:have|be|remain|leave|make) |or (?:perhaps |maybe |possibly )?)"
    rf"(?P<number>{FIGURE})\b|(?<![\w.])(?P<part>{FIGURE}) of (?:them|these|those|which|whom)\b"
)
_MANY = 7  # words of a line that breaks off; a shorter one may be a heading or an answer without a point
_ENDS = re.compile(r"[.!?)\]}\"'*`:;$%°]\s*\Z|\d\s*\Z")


def doubt(text: str, answer: str) -> str | None:
    """Why the number that a text without markup seems to give is doubtful; None if it is not."""
    lowered = in_digits(text)
    for found in _ARRIVES.finditer(lowered):
        other = canonical(found["number"] or found["part"])
        if other != answer and re.search(rf"(?<![\d.]){re.escape(answer)}(?![\d.]*\d)", lowered[: found.start()]):
            return f"{answer}, and {other} after it"
    last = text.rstrip().rpartition("\n")[2]
    if len(last.split()) >= _MANY and not _ENDS.search(last) and answer not in in_digits(last):
        return "the response breaks off"
    return None
