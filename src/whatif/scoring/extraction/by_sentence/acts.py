"""What a sentence does: it names the answer, concludes, refuses, supposes, restates the question."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from whatif.scoring.extraction.by_sentence.sentences import BOX, UNBOX
from whatif.scoring.extraction.extracted import Extracted, none

_NOUN = r"(?:answer|option|choice|response|solution|conclusion(?! that)|final value|statement)"
_GOOD = r"(?:correct|right|true|best|most (?:appropriate|likely|reasonable|suitable|accurate)|final|my|closest)"
_BE = r"(?:is|are|was|would be|will be|should be|must be|has to be|appears to be|seems to be|becomes)"
_NAMES = re.compile(
    rf"(?i)\b(?:(?<!to ){_NOUN}(?! \(?[a-z]\)? (?:is|was|would)\b)(?: letter)?(?:\b(?! is not\b)[^.:=⟦]{{0,90}}?)??"
    rf"(?: {_BE}\b(?: likely| probably| therefore)?:?|\s?:|\s?=)"
    rf"|{_GOOD} (?:match|estimate|guess|one|value)(?:\b[^.:=⟦]{{0,60}}?)?? {_BE}:?"
    r"|(?:i|we)(?:'d| would| will| can| must| should|'ll)?(?: \w+ly)? "
    r"(?:choose|select|pick|chose|go with|opt for|answer|vote for|(?<=would )say|(?<='d )say)|"
    r"(?:must|should|would|can) (?:choose|select|pick))\s*"
)
_IS_RIGHT = re.compile(
    rf"(?i)\b(?:is|are|would be|seems|must be)(?: therefore| thus| likely)? (?:(?:the|a) )?(?:{_GOOD} )*"
    rf"(?:(?:answer|option|choice)\b(?! [a-z]+ (?:is|are)\b)(?! \(?[a-z]\b)|correct\b)"
)
_CONCLUDES = re.compile(
    r"(?i)\b(?:therefore|thus|hence|consequently|accordingly|in conclusion|in summary|as a result|to conclude)\b,?|"
    r"^(?:so|overall|finally|ultimately|then|th(?:is|at) (?:means|suggests|indicates|leaves))\b,?|, so\b|"
    r"^(?:based on|given) [^,:]{3,150},|\b(?:we|i) (?:can )?(?:conclude|get|have|find|determine|deduce|believe|think)\b"
)
_SUPPOSES = re.compile(
    r"(?i)^\W*(?:if|maybe|perhaps|suppose|assum\w+|let|let's|to (?:determine|find|answer|solve|identify|estimate|"
    r"calculate|compare)|we (?:need|are|know)|i need|i(?:'ll| will)|the question|consider|note|please|given that|okay|"
    r"sure|when|i hope)\b"
)
_CONDITION = re.compile(
    r"(?i)\W*(?:(?:so|therefore|thus|hence|then),? )?"
    r"(?:if|when|since|because|given|assuming|after|as|between|among|of) "
    r"(?:[^,]{3,200}, (?:then )?(?=.{8})|[^,]{3,100}? (?=there would\b))"
)
_OR = re.compile(r"(?i)\W{0,5}(?:or|and)\W{0,5}$")
_CUT_OFF = re.compile(r"[\w,] (?:is|are|was|the|an?|of|in|at|and|to|has|have|so|for|with|on|if|be|would|that|from)$")
DENIES = re.compile(r"(?i)\bnot\b|n't\b|\bneither\b|\bincorrect\b|\bwrong\b")
_REFUSES = re.compile(
    r"(?i)\b(?:can(?:not|'t| not)|could(?: not|n't)|unable to|impossible to|not (?:possible|able) to|isn't possible to|"
    r"not clear|unclear|difficult to|hard to|no way (?:to|of)) ?(?:be )?(?:(?:\w+ly|which|how|what|whether|if) )?"
    r"(?:determin|answer|tell|say|see|view|provid|process|give|confirm|assist|identif|help|make|predict|calculat|know|"
    r"comput|conclu|decid|verif|estimat|access|solv|judge|select|choose|find|perform|state|be determin|definitively)|"
    r"\b(?:un|not )clear (?:if|whether|which|how|what)|\bnot (?:enough|sufficient|specified|given|provided)\b|"
    r"\binsufficient\b|\b(?:no ?(?:one|body)) (?:can|could|knows?)\b|"
    r"\b(?:do|does|did)(?: not|n't) (?:have (?:enough|any|the|access|specific|sufficient)|match any)|"
    r"\b(?:question|image|text|figure|graph|problem|table|passage|prompt|diagram|chart|map|picture|information|photo)"
    r"s?(?: \w+)?(?: \w+)? (?:does|do)(?: not|n't) (?:provide|contain|specify|include|give|mention|"
    r"show (?:any|enough)|directly)|\b(?:sorry|unknown|indeterminate|undefined|incomplete|as an ai|apologi[sz]e|"
    r"please provide|depend(?:s|ing) on|failed to|more (?:information|context|details))\b|"
    r"\bno (?:information|data|image|context|solution|correct (?:answer|option)|answer|option)\b|"
    r"\bnone of the (?:given |provided |above |answer )?(?:options|choices|answers)|"
    r"\b(?:can(?:not|'t)|impossible to) be (?:\w+ly )?\w+(?:ed|n)\b|\bcan(?:not|'t) (?:accurately|definitively)"
)
_WORD = re.compile(r"[a-z]+|\d+")
_WITHOUT_CONTENT = (
    "a an the of in on at to for from by with and or is are was were be been do does did has have had it its this that "
    "these those there which what how who when where why image picture figure according based given as if than then "
    "will can could you your select answer following question options option true false must use using we only need "
    "between into out up any not no two also"
)
_STOP = frozenset(_WITHOUT_CONTENT.split())


class Named(NamedTuple):
    """What is named as the answer: its text, whether it is in a box, whether the words that name it follow."""

    text: str
    boxed: bool = False
    before: bool = False


@lru_cache(maxsize=256)  # of one response
def named(sentence: str) -> Named | None:
    """What a sentence says the answer is: a box, the text after `the answer is`, the one before `is correct`."""
    if BOX in sentence:
        boxes = [box.partition(UNBOX) for box in sentence.split(BOX)[1:]]
        unsure = len({box[0] for box in boxes}) > 1 and any(_OR.match(after) for _, _, after in boxes[:-1])
        return Named("" if unsure else boxes[-1][0], boxed=True)
    found = list(_NAMES.finditer(sentence))
    if found and sentence[found[-1].end() :].strip():
        return Named(sentence[found[-1].end() :])
    right = _IS_RIGHT.search(sentence)
    if right and not DENIES.search(sentence, max(0, right.start() - 12), right.end()):
        return Named(sentence[: right.start()], before=True)
    return None


def concluded(sentence: str) -> str | None:
    """The part of a sentence that concludes: after `so`, `therefore`, `we get`; None without such a word."""
    marks = [mark.end() for mark in _CONCLUDES.finditer(sentence)]
    return sentence[marks[-1] :] or sentence if marks else None


def main_clause(sentence: str) -> str:
    """A sentence without the clause with `if`, `when` or `since` before its first comma."""
    condition = _CONDITION.match(sentence)
    return sentence[condition.end() :] if condition else sentence


def supposes(sentence: str) -> bool:
    """Whether a sentence only supposes, plans, asks or restates."""
    return sentence.endswith("?") or _SUPPOSES.match(sentence) is not None


def refuses(sentence: str) -> bool:
    """Whether a sentence says that there is no answer, or that it cannot be known."""
    return not sentence.endswith("?") and _REFUSES.search(sentence) is not None


def stem(word: str) -> str:
    """The first five letters of a word without its plural ending."""
    return word.rstrip("s")[:5]


def stems(text: str) -> frozenset[str]:
    """The stems of the words with content, so that `correspond` is found in `corresponding`."""
    return frozenset(stem(word) for word in _WORD.findall(text.lower()) if word not in _STOP)


@lru_cache(maxsize=4096)
def _asked(question: str) -> frozenset[str]:
    return stems(question[-300:])  # what is asked stands at the end


def overlap(sentence: str, question: str) -> float:
    """The share of the question's words with content that a sentence has."""
    words = _asked(question)
    return len(words & stems(sentence)) / max(1, len(words))


def settle(
    sentences: Sequence[str], head: Callable[[Named], str | None], asserted: Callable[[str], str | None]
) -> tuple[Extracted | None, bool]:
    """The last answer that is named, or else the last that is concluded; and whether some sentence refuses.

    `head` reads what is named as the answer, and `asserted` a sentence that concludes; both give an empty text for
    something that is no possible answer, and None if there is nothing to read.
    """
    for sentence in reversed(sentences):
        what = named(sentence)
        answer = head(what) if what else None
        if answer:
            return Extracted(answer, "ok", None), False
        if what and (answer == "" or refuses(what.text)):
            return none("what is named as the answer is none"), True
    if _CUT_OFF.search(sentences[-1]):
        return none("the response is cut off before its answer"), True
    for sentence in reversed(sentences):
        if refuses(sentence):
            return None, True
        tail = None if supposes(main_clause(sentence)) else concluded(sentence)
        answer = asserted(main_clause(tail)) if tail else None
        if answer is not None:
            return Extracted(answer, "ok", None) if answer else none("what is concluded is no answer"), False
    return None, False
