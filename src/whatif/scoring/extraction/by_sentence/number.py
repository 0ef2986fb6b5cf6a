"""The number that a response gives as its answer, as digits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache, partial

from whatif.engine.language.number_words import FIGURE, canonical, in_digits
from whatif.scoring.extraction.by_sentence import acts
from whatif.scoring.extraction.extracted import Extracted, ambiguous, none

# Not in a fraction, a ratio, a range, a sum or a product.
_NUMBER = re.compile(
    rf"(?<![\w.,/^√:])(?<!\d[-–—])(?<!\d to )(?<!\d or )(?<![+×·*])(?<![+×·*-] )(?:(?<![)\d] )-|\bnegative |\bminus )?"
    rf"{FIGURE}(?:(?!\w|\.\d|\s?[/^√π]|-[a-z]|\s?(?:[–—]|to|or)\s?\d|,\d| ?: ?\d|\s?[+×·*]\s?[\w√(]|\s?-\s?[\dπ√])|"
    r"(?=°|%|(?:cm|mm|km|kg|m|g|s|in|ft)\b))"
)
_CUE = re.compile(
    r"(?:\b(?:is|are|was|were|be|equals?|has|have|had|leaves?|left with|gives?|get|contains?|shows?|see|total of|"
    r"becomes|count|approximately|about|around|exactly|only|there(?:'s| is| are| would be| will be| were))\b|[=≈:])"
    r"\s*(?:\w{1,8} ){0,2}[(\"'€£≈]{0,2}$"
)
_ASIDE = re.compile(r"\((?!or |maybe |perhaps )[^()]{0,80}\)")
_RANGE = re.compile(r"\d\s?(?:[-–—]|to|,? ?\(?(?:or(?: perhaps| maybe)?|maybe|perhaps))\s?\d")
# `three more` is no total, `6 feet` is no number of cows, and 2014 is a year.
_MORE = re.compile(r"\b\d+ (?:of them )?(?:more|fewer|less|additional|extra|others?)\b")
_MEASURE = re.compile(
    r"\b(?:in|since|around) (?:1[789]|20)\d\d\b|"
    r"\b[\d.]+(?:%| ?(?:(?:centi|kilo|milli)?met(?:er|re)s?|feet|years?|minutes?|hours?|cm|km)\b)"
)
_CHANGES = re.compile(r"((?:chang|ris|grow|fall|drop|increas|decreas|reduc|go)[a-z]* )from \d+ to (?=\d)")
_BOUND = re.compile(r"\d ?(?:\+(?! ?\d)|or (?:more|fewer|less)\b)|(?:\bover|\bup to|>) ?\d")
_PARTS = re.compile(
    r"\b\d+ (\w+)\b[^.]{1,60} and \d+ (?:\1|on|in|at|under|behind)\b|\d\b.{1,60} \d+ [a-z]+ each\b|^each\b"
)
_OTHER_SORT = re.compile(f"{_BOUND.pattern}|{_MORE.pattern}")
_SORTS = re.compile(f"{_MORE.pattern}|{_MEASURE.pattern}")
_IF = re.compile(r"(?i)\b(?:if|when) (.*)")
_DENIED = re.compile(r"(?:(?:\bnot|n't|rather than|instead of|\bnor)(?: \w+)?|between(?: \d+ and)?) $")
_FORMULA = re.compile(r"[√π]|\d\)? ?[-/+×·^] ?\(?[\w√]|[\w√]\)? ?[-/+×·^] ?\(?\d")
_UNIT_POWER = re.compile(r"(?<=[a-z])\s?\^\s?[23]\b|(?<=\b[cmk]m)[23]\b|[²³]")
_SUPPOSED = re.compile(r"(?i)\bwould\b|'d\b|\bleft\b|\bremain|\bleav")  # what is asked is not what is shown
_HOW_MANY = re.compile(r"(?i)\bhow many\b")
_DIRECT = 0.4  # the share of the question's words in a first sentence that answers it


def read(sentences: Sequence[str], question: str) -> Extracted:
    """The number that the sentences commit to."""
    only = _NUMBER.findall(in_digits(sentences[0])) if len(sentences) == 1 and len(sentences[0]) < 12 else []
    if len(only) == 1 and not _RANGE.search(sentences[0]) and not _OTHER_SORT.search(in_digits(sentences[0].lower())):
        return Extracted(canonical(only[0]), "ok", None)
    sentences = [part for sentence in sentences for part in sentence.split("; ")]
    supposed = _SUPPOSED.search(question) is not None
    would = [place for place, sentence in enumerate(sentences) if _SUPPOSED.search(sentence)] if supposed else []
    sentences = sentences[would[0] :] if would else sentences  # before, what is shown now
    asserted = partial(_asserted, question=question)
    settled, refused = acts.settle(sentences, partial(_head, question=question), asserted)
    if settled or refused:
        return settled or none("the response refuses or does not know")
    told = [
        (acts.overlap(sentence, question) - (supposed and not _SUPPOSED.search(sentence)) / 2, place, number)
        for place, sentence in enumerate(sentences)
        if not acts.supposes(clause := acts.main_clause(sentence)) and (number := asserted(clause))
    ]
    share, place, number = max(told, default=(0, 0, ""))
    if not told:
        texts = [in_digits(sentence.lower()) for sentence in sentences]
        is_range = any(pattern.search(text) for text in texts for pattern in (_RANGE, _BOUND, _PARTS, _MORE))
        return ambiguous("a range") if is_range else none("no number")
    if number == told[-1][2] or (place == told[0][1] and share >= _DIRECT):
        return Extracted(number, "ok", None)
    return ambiguous("more than one number")


def _head(what: acts.Named, question: str) -> str | None:
    """The number that is named as the answer; an empty text for a range, a formula, a letter or words in a box."""
    text = in_digits(_UNIT_POWER.sub(" ", what.text.lower()))
    numbers = _NUMBER.findall(text)
    if what.before:
        return None
    formula = "=" not in text and (_RANGE.search(text[:40]) or (_FORMULA.search(text) and (what.boxed or not numbers)))
    if formula or (what.boxed and (not numbers or (len(numbers) > 1 and "=" not in text))):
        return ""
    if what.boxed:
        return canonical(numbers[-1])
    if "=" not in text and numbers and text.find(numbers[0]) < 12:
        return canonical(numbers[0])
    answer = _asserted(text, question) if numbers else None
    return None if answer in _own(question) else answer


def _asserted(sentence: str, question: str) -> str | None:
    """The number that a sentence gives: the first after a cue that the question has not; "" for a formula."""
    if _only_supposed(sentence, question):
        return None
    text = in_digits(_UNIT_POWER.sub(" ", _ASIDE.sub(" ", sentence.lower())))
    text = _CHANGES.sub(r"\1to ", text)
    if _HOW_MANY.search(question):
        if _BOUND.search(text) or (_PARTS.search(text) and len(_NUMBER.findall(text)) == 2):
            return None
        asked = question.lower()  # it may ask for measures and differences
        text = _SORTS.sub(lambda sort: sort[0] if sort[0].split()[-1] in asked else " it ", text)
    tail = text.rpartition("=")[2]
    text = tail if _NUMBER.search(tail) else text
    found = [match for match in _NUMBER.finditer(text) if not _DENIED.search(text[: match.start()][-20:])]
    values = [canonical(match[0]) for match in found]
    cued = [canonical(match[0]) for match in found if _CUE.search(text, max(0, match.start() - 40), match.start())]
    own = _own(question)
    fresh = [value for value in cued if value not in own]
    candidates = fresh[:1] or [value for value in values if value not in own] or cued or values
    if not values and (_FORMULA.search(text) or _RANGE.search(text)):
        return ""
    return candidates[0] if len(set(candidates)) == 1 else None


def _only_supposed(sentence: str, question: str) -> bool:
    """Whether a sentence only repeats the question's supposition: `2 cats were added.`"""
    condition = _IF.search(question)
    if condition is None:
        return False
    supposed, asked = _counted(condition[1]), _counted(question[: condition.start()])
    said = _counted(_IF.sub("", sentence) or sentence)
    return said <= supposed | asked and any(word.isalpha() for word in said & supposed - asked)


@lru_cache(maxsize=4096)
def _counted(text: str) -> frozenset[str]:
    return acts.stems(in_digits(text.lower()))


@lru_cache(maxsize=4096)
def _own(question: str) -> frozenset[str]:
    """The numbers of the question itself."""
    return frozenset(canonical(match[0]) for match in _NUMBER.finditer(in_digits(question[-2000:].replace("$", ""))))
