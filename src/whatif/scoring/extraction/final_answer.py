"""Finds the texts that a response calls its answer: after `the answer is`, under the heading `Answer`, in a box."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

RANKS = ("final", "new", "")
_ADJECTIVES = (
    r"correct|right|best|most likely|most plausible|most appropriate|likely|appropriate|overall|short|suitable"
)
_NAMES = r"answer|response|option|choice|solution"
_IS = r"(?:is|'s|would be|will be|must be|should be|has to be|was|remains|becomes|:|=|→|(?<= )-(?= ))"
_CALLED = re.compile(
    rf"(?:\b(?P<rank>final|new|original|initial|first|previous|earlier|old|revised|updated|corrected) "
    rf")?\b(?:(?:{_ADJECTIVES}) ){{0,2}}"
    rf"(?:{_NAMES})\b(?: ?\d\b)?(?: to (?:the|this|your) question| here| then| now| therefore| thus)?(?: "
    rf"\([^()\n]{{1,30}}\))?"
    rf"[\"')\s]{{0,3}}{_IS}(?!n't| not\b)(?: (?:that|therefore|thus|then|clearly|definitely|simply|still|now|"
    rf"indeed)\b)?[ \t]*:?"
    r"\s{0,3}(?P<answer>[^\n]*?)(?=$|(?:(?<!\b[a-z])\.|[!?;])(?:\s|$))"
    r"|(?:^|(?<=[.!?;] ))(?:final |my )?(?:final(?: (?:count|number|total|value|tally))?|output|result|conclusion|"
    r"verdict|prediction|selection|pick|guess|vote|selected|chosen) "
    r"?[:=→] ?"
    r"(?P<result>[^\n]*?)(?=$|(?:(?<!\b[a-z])\.|[!?;])(?:\s|$))",
    re.IGNORECASE | re.MULTILINE,
)
# A line that is a heading: `### Final answer`, without its signs.
_HEADING = re.compile(
    rf"^[^\w\n]{{0,9}}(?P<heading>(?:(?:the|my|your) )?(?:final |new )?(?:(?:{_ADJECTIVES}) )?(?:{_NAMES}|total|sum|"
    rf"result|conclusion))[^\w\n]{{0,9}}\n"
    r"[^\w({\[\"'✓✗]{0,200}",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL = re.compile(r"\W*(?:my |your |the )?(?:answer|response|solution)\W{0,3}", re.IGNORECASE)
_LABELS = re.compile(r"^\W{0,3}(?:my |your |the )?(?:answer|response) ?:", re.IGNORECASE | re.MULTILINE)
_BARE = re.compile(r"\W*(?:[a-z](?:[.):,]|\W*$)|yes\b|no\b)", re.IGNORECASE)
_WORDY = 3  # words of a sentence after a label at the beginning of a text, which need not be the conclusion
_LEAD = 3  # words before a marker whose answer is in the next line
_AGAIN = re.compile(r"(?P<final>final )?answer:\s*", re.IGNORECASE)
_OLD = {
    "original": None,
    "initial": None,
    "first": None,
    "previous": None,
    "earlier": None,
    "old": None,
    "revised": "new",
    "updated": "new",
    "corrected": "new",
}


@dataclass(frozen=True)
class Called:
    """A text that is called the answer."""

    rank: str  # one of RANKS, which come in the order of their weight
    text: str
    start: int
    end: int


def with_headings(text: str) -> str:
    """A text in which the line under the heading `Answer` follows it: `answer: B`."""
    return _HEADING.sub(lambda found: f"{found['heading']}: ", text)


def called_in(text: str) -> Iterator[Called]:
    """The texts that are called the answer, in their order; what is called the original answer is left out."""
    for found in _CALLED.finditer(text):
        rank = (found["rank"] or "").lower()
        rank_or_none = _OLD.get(rank, rank)
        answer = found["answer"] if found["result"] is None else found["result"]
        if again := _AGAIN.match(answer):  # `the answer is` before a box
            answer, rank_or_none = answer[again.end() :], "final" if again["final"] else rank_or_none
        gap = text[found.start() : found.start("answer")] if found["result"] is None else ""
        line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if "\n" in gap and len(line.split()) > _LEAD:  # `Here is how I got to the answer:`
            continue
        opens = _LABEL.fullmatch(text[: found.start("answer")]) if found["result"] is None else None
        is_sentence = len(answer.split()) > _WORDY and not _BARE.match(answer)
        rest = text[found.end() :].strip(" .!")
        if opens and is_sentence and rest and not _LABELS.match(rest.lstrip()):
            continue  # `Answer:` before a whole discussion
        if rank_or_none is not None and answer:
            yield Called(rank_or_none, answer, found.start(), found.end())
