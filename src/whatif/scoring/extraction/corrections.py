"""Splits a response where it takes back what it said before: `Wait, ...`, `Actually, ...`, `Correction: ...`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from whatif.scoring.extraction.extracted import Kind

_AGAIN = r"(?:correct|fix|revise|re-?(?:count|check|calculate|consider|think|examine|evaluate|assess|read|do|verify)"
_AGAIN += (
    r"|double[- ]?check|(?:look|check|count|think|try)(?: \w+){0,3}? (?:again|once more|more (?:closely|carefully)))"
)
_CUE = (
    r"(?:no )?wait(?: a (?:minute|moment|second|sec))?(?=[.,!:;?-]| no\b| that\b|$)|(?:hold|hang) on\b|actually\b|"
    r"scratch (?:that|(?:my|the) (?:\w+ )?(?:answer|reply))|"
    r"strike that|correction\b|(?:edit|update|erratum)(?=:)|(?:i'm )?sorry(?=[,.:;]| i (?:mis|over|made|meant|forgot))|"
    r"(?:my )?apologies\b|w?oops\b|my (?:mistake|bad|error)\b|pardon\b|rather(?=,)|"
    rf"(?:let me|let's|i(?:'ll| will| should| need to| have to| must)) {_AGAIN}|"
    r"i (?:mean|meant|made (?:a|an) (?:mistake|error)|was (?:wrong|mistaken)|(?:mis\w+|overlooked|forgot)(?: (?:one|"
    r"two|three|it|some|another|\d+|the \w+(?: one)?)(?! (?:is|was|are)\b))?(?: more)?)\b|"
    r"i(?:'ll| will| would| need to| have to| must|'d(?: like to)?)? (?:take (?:that|it|this) back|(?:change|revise|"
    r"correct|withdraw|retract) (?:my|the) (?:answer|count|reply)(?: to(?= \w))?)\b|"
    r"(?:on|upon) (?:second thoughts?|reflection|(?:(?:closer|further|careful|a closer|a second) )\w+)|"
    r"(?:looking|checking|counting|thinking|reading|examining|inspecting)(?: \w+){0,3}? (?:again|closer|twice|"
    r"more (?:closely|carefully))|come to think of it\b|strictly speaking\b|to be (?:more )?(?:precise|exact)\b|"
    r"more (?:exactly|precisely)\b|hmm+(?=[,. ])|oh(?=,)|then again\b|or rather\b"
)
_PLACE = r"(?:^|(?<=[^\w\s] )|(?<=\n))"
_BEFORE = r"(?:(?:oh|hmm+|but|so|well|and|ah|um|hm|ok|okay|or{no})\b[,.]{{0,3}} ?){{0,2}}"
_END = r"[\s,:.;!?-]{0,4}"
_TAKEN_BACK = re.compile(rf"{_PLACE}{_BEFORE.format(no='')}(?:{_CUE}){_END}", re.IGNORECASE)
# `No` is an answer to a question for yes or no; elsewhere it takes something back.
_OR_DENIED = re.compile(
    rf"{_PLACE}(?:{_BEFORE.format(no='|no')}(?:{_CUE})|(?P<no>no(?= ?[,:;-]|\. "
    rf"(?=\w))(?P<firm>(?=[,:;. -]{{1,3}}(?:it|that|there|they|"
    rf"the|this|we|i|he|she|in|'tis)\b))?)){_END}(?:no[,:;.] ?)?",
    re.IGNORECASE,
)
_INTERRUPTED = re.compile(r"(?: ?\.\.\.|;|\?| --?) ?(?=(?:oh |but )?(?:no|wait|actually|sorry)\b[,.: ])", re.IGNORECASE)
# What somebody thought first, up to `but` or the end of the sentence.
_FIRST_THOUGHT = re.compile(
    r"(?:\bat first\b|\binitially\b|\bmy (?:first|initial|gut) (?:thought|guess|impression|instinct|answer|reaction|"
    r"idea|"
    r"count)\b|\boriginally,? i\b|\bfirst,? i (?:thought|guessed|said)|\bi said\b(?=[^.;!?\n]{0,40},? but\b)|"
    r"\bi (?:first|initially|"
    r"originally) (?:thought|guessed|counted|said)|\bi (?:said|"
    r"had)\b(?=[^.;!?\n]{0,40}\b(?:before|earlier)\b)|"
    r"\b(?:some|one)(?: people)? (?:might|may|could|would) (?:say|think|argue)\b|\bit (?:might|may) (?:seem|look|"
    r"appear)\b|"
    r"\bi (?:was (?:going|tempted|about) to|almost|nearly|wanted to|would have) (?:say|said|answer|answered|choose|"
    r"chose|chosen)\b)"
    r"[^.;!?\n]{0,150}?(?=\bbut\b|\bhowever\b|\byet\b|, so\b|[.;!?\n]|$)",
    re.IGNORECASE,
)
_THOUGHT = re.compile(
    r"\b(?:thought|guess\w*|impression|instinct|seem\w*|look\w*|appear\w*|say|said|count\w*|answer\w*|choose|think|"
    r"argue|was|sight|glance|"
    r"reaction)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:(?:is|was|'s|are|am)(?: not|n't) (?:quite )?(?:right|correct|true)|wrong|incorrect|mistake|mistaken|"
    r"error)\b",
    re.IGNORECASE,
)


_ADMITS = re.compile(
    r"\b(?:sorry|apologies|w?oops|mistaken?|error|my bad|scratch|strike|wrong|overlooked|mis\w+|back|correction)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Part:
    """A part of a response between two corrections; `is_firm` unless only a `No` takes back what was said before."""

    text: str
    is_firm: bool
    is_retraction: bool = False  # `sorry, ...` and `I overlooked ...`, which admit an error


def without_first_thoughts(text: str) -> str:
    """A text without what its author thought at first: `My first thought was A, but it is B.`"""
    return _FIRST_THOUGHT.sub(lambda found: " " if _THOUGHT.search(found[0]) else found[0], text)


def corrected(text: str, kind: Kind) -> list[Part]:
    """The parts of a text, each of which corrects the part before; a text without corrections is one part."""
    return list(_parts(_INTERRUPTED.sub(". ", text), _TAKEN_BACK if kind == "boolean" else _OR_DENIED)) or [
        Part(text, is_firm=True)
    ]


def _parts(text: str, cue: re.Pattern[str]) -> Iterator[Part]:
    start, is_firm, is_retraction = 0, True, False
    for found in cue.finditer(text):
        if re.search(r"\w", before := text[start : found.start()]):
            yield Part(before, is_firm, is_retraction)
        named, is_retraction = found.groupdict(), _ADMITS.search(found[0]) is not None
        start, is_firm = found.end(), named.get("no") is None or named.get("firm") is not None
    if re.search(r"\w", text[start:]):
        yield Part(text[start:], is_firm, is_retraction)


def denies(part: str) -> bool:
    """Whether a part only says that the part before is wrong."""
    return _DENIED.search(part) is not None
