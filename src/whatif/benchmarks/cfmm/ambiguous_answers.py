"""Answers that are not certain, or too long to be one (CFMM 3.3, A: "simplicity and clarity")."""

from __future__ import annotations

import re

from whatif.engine.language.wording import one_line, plain

_UNCERTAIN = re.compile(
    r"\b(?:it depends|depends on|depending|depend|maybe|perhaps|possibly|probably|presumably|apparently|unknown|"
    r"unclear|uncertain|unsure|not sure|not clear|not certain|not known|not specified|not visible|unspecified|"
    r"undetermined|indeterminate|ambiguous|(?:can ?not|can t|cant|could not|impossible to|hard to|difficult to|"
    r"unable to) "
    r"(?:be )?(?:say|tell|know|determined?|answer(?:ed)?|known|told|said|seen?|identif(?:y|ied))|"
    r"insufficient|not enough (?:information|detail|context)|not applicable|n a|none of (?:the above|these|them)|"
    r"all of the above|could be|might be|may be|could vary|varies|vary|either|some ?what|any color|no idea|"
    r"(?:most|more|very) likely|about \d+|around \d+|approximately|roughly|at least|at most|more than \d+|"
    r"less than \d+|fewer than \d+|up to \d+|over \d+|or so|or more|or less|or fewer)\b"
)
_VAGUE = re.compile(  # as a whole answer, or before what is counted
    r"(?:several|some|many|few|lots?|plenty|numerous|various|countless|multiple|dozens|hundreds|thousands|"
    r"couple of \w+|a few|something|anything|somewhere|any|other|others|else|etc|same or \w+)(?: (?:of )?\w+)?"
)
_RANGE = re.compile(r"\d\s*(?:-|–|—|to)\s*\d|\d\s*\+|[?~\u2248]|\bor\b|/")


def ambiguity(answer: str, longest: int) -> str | None:
    """Why an answer is ambiguous: it has more than `longest` words, or is no certain answer; None if it is neither."""
    text, words = one_line(answer).lower(), plain(answer)
    if not words:
        return "is empty"
    if (found := _UNCERTAIN.search(words) or _UNCERTAIN.search(text)) is not None:
        return f"says {found[0]!r}"
    if _VAGUE.fullmatch(words):
        return "is vague"
    if _RANGE.search(text):
        return "names more than one"
    length = len(text.split())
    return f"has {length:,} words, more than {longest:,}" if length > longest else None
