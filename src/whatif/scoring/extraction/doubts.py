"""Doubts about an answer that a text gives but does not call its answer: another possible one, or a missing end."""

from __future__ import annotations

import re

_POSSIBLE = re.compile(
    r"(?:\b(?:could|might|may|can)(?:,? (?:also|possibly|well|equally|even|just|as|perhaps|maybe|though)){0,3} (?:be|"
    r"have been)\b(?! (?:made|seen|cut|put|taken|\w+ed)\b)"
    r"|\b(?:and|or),? (?:possibly|perhaps|maybe|potentially|conceivably)\b)"
    r"(?P<other>[^.;!?\n]{1,80})",
    re.IGNORECASE,
)
_CONTRARY = re.compile(r"\b(?:but|however)\b|\bi(?:'d| would)? (?:say|go with|choose|pick)\b", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[.!?:])\s+|\n+")
_ENDED = re.compile(r"(?<!\b[A-Za-z])[.!?]\s")
_CONDITION = re.compile(
    r"\W*(?:if|when|after|once|because|"
    r"since)\b[^,.!?:;|=→]{0,80}\w\s*",
    re.IGNORECASE,
)  # without its conclusion
_OPEN_WORDS = re.compile(
    r"\b(?:the|an|of|to|is|are|was|were|has|have|had|and|or|but|in|on|with|at|for|by|from|as|than|that|which|their|"
    r"his|her|its|"
    r"because|if|"
    r"would|will|we|then|when|there|into|about|between|each|also|not)\W*\Z",
    re.IGNORECASE,
)
_ENDS_IN_ANSWER = re.compile(r"(?:→|=|:)\W{0,3}(?:yes|no|\d{1,4}|\(?[a-z]\)?)\W{0,3}\Z", re.IGNORECASE)
_OPEN_CALCULATION = re.compile(r"[=+*/-]\s*\Z|\d[^=\n]{0,40} [-+*/×] ?\d[^=\n]{0,40}\Z(?<!=)")
_FRACTION = re.compile(r"= ?\d+ ?/ ?\d+\W*\Z")
_CONCLUDES = re.compile(
    r"^\W*(?:so(?! (?:we|i|let|first|next|the next|far|many))|therefore|thus|hence|in total|total)\b|=", re.IGNORECASE
)
_LONG = 6  # words of a last sentence that lacks its full stop, in a text whose other sentences have one
_FEW = 12  # words; a shorter text is no discussion that could have been cut off
_EMPHASISED = re.compile(r"\*\*(?P<bold>[^*\n]{1,80})\*\*|__(?P<under>[^_\n]{1,80})__|<b>(?P<tag>[^<\n]{1,80})</b>")


_UNDECIDED = re.compile(
    r"\b(?:either|both)(?: (?:of (?:the|these) )?(?:answers?|options?|counts?|readings?|numbers?|interpretations?|"
    r"choices?|ones?|of them))?"
    r"(?: \w+){0,2}? (?:is|are|be|seem|seems)(?: \w+){0,2}? (?:possible|plausible|valid|defended|consistent|"
    r"acceptable|defensible|justified)\b|"
    r"\b(?:can ?not|can't|could ?n[o']t|unable to|not able to) (?:decide|make up my mind|tell (?:them|the two|which)|"
    r"choose between|settle)\b|"
    r"\beither (?:a )?(?:yes or (?:a )?no|no or (?:a )?yes)\b|"
    r"\b(?:mixed (?:picture|bag|result)|close call|both views|up to you|decision to you|"
    r"(?:can ?not|can't) (?:commit|reconcile|be reconciled))\b|"
    r"\bdepend(?:s|ing) on (?:how you|whether|which|what you)\b|"
    r"\b(?:is|does)(?: not|n't) (?:stated|specif(?:y|ied)|clear|say|said|mentioned|tell)(?: us)? which\b|"
    r"\bwhich (?:one|[a-z]+)?(?: is| was)? ?(?:meant|intended|asked about|referred to) (?:is|was)(?: not|n't) \w+|"
    r"\bcould go either way\b|\btoss-?up\b|\bequally (?:likely|possible|plausible|valid)\b|"
    r"\b(?:could|might|may) be either\b|\b(?:undecided|torn between)\b|\beither (?:answer|option|one) (?:is|would be|"
    r"could be)\b|\b(?:not sure|unsure|not certain|unclear|(?:can ?not|can't) (?:say|tell)) (?:whether|if|which)\b"
    r"[^.;?!\n]{1,60}\bor\b[^.;?!\n]{1,60}(?:[.;!]|\Z)",
    re.IGNORECASE,
)


_CHOOSES = re.compile(
    r"\b(?:but|however|still|yet)\b[^.;\n]{0,60}\b(?:choose|pick|decide|go with|answer|say)\b", re.IGNORECASE
)


# `though I'm not sure`, `if I'm not mistaken`: doubts that belong to an answer, not refusals.
_HEDGES = re.compile(
    r"(?:^|(?<=[.!?] ))(?:i'm |i am )?not (?:(?:\w+|\d+ ?%) )?(?:sure|certain),? (?=but\b|maybe|probably|perhaps|"
    r"i(?:'d| would| think))|"
    r",? ?\(?(?:though|although|but|and|even if) (?:i'm|i am|i can(?:'t| ?not) be) (?:not )?(?:(?:\w+|\d+ ?%) ){0,2}?"
    r"(?:sure|certain)\b[^.;,\n)]{0,60}\)?|,? ?if i(?:'m| am)? (?:not mistaken|see (?:it )?correctly|"
    r"counted (?:correctly|right)|remember (?:correctly|right))",
    re.IGNORECASE,
)


def without_hedges(text: str) -> str:
    """A text without the doubts that follow an answer; a text that is only a doubt stays."""
    rest = _HEDGES.sub("", text)
    return rest if re.search(r"\w", rest) else text


def is_undecided(text: str) -> bool:
    """Whether a text says that it cannot decide between its answers, or that each of them is possible."""
    return _UNDECIDED.search(text) is not None and not _CHOOSES.search(text)


def possible_others(text: str) -> list[str]:
    """What a text says that it might also be: `5` in `I see 4, but it might be 5.`"""
    return [found["other"] for found in _POSSIBLE.finditer(text) if not _CONTRARY.search(text, found.end())]


def first_sentence_if_cut(text: str) -> str | None:
    """The first sentence of a text that ends in the middle of another; None if its end is there."""
    sentences = [sentence for sentence in _SENTENCES.split(text.strip()) if re.search(r"\w", sentence)]
    last = sentences[-1] if sentences else ""
    if " | " in last:  # a row of a table
        return None
    if len(sentences) > 1 and _CONDITION.fullmatch(last):
        return sentences[0] if len(sentences) > 2 else ""
    if len(text.split()) <= _FEW or len(sentences) < 2 or not re.search(r"[\w,;:=+*/-]\s*\Z", text):
        return None
    if _ENDS_IN_ANSWER.search(last):
        return None
    in_calculation = _OPEN_CALCULATION.search(last) and not _FRACTION.search(last)
    is_open = re.search(r"[,;:]\s*\Z", text) or _OPEN_WORDS.search(last) or in_calculation
    if not is_open and (len(last.split()) < _LONG or not _ENDED.search(text)):
        return None
    return None if not is_open and _CONCLUDES.search(last) else sentences[0]


def emphasised(response: str) -> list[str]:
    """The emphasised texts of a response, but for labels such as `**Note:**`."""
    texts = [next(filter(None, found.groups())) for found in _EMPHASISED.finditer(response)]
    return [text for text in texts if not text.rstrip().endswith(":")]
