"""Splits a sentence into statements, and finds those that only state that something exists or is seen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from whatif.scoring.extraction.statement_words import AUXILIARY, IMAGE_NAME, NOT, SHOWS, VERB, Word, words_of

_ADVERB = r"(?:also|still|currently|clearly|probably|likely|indeed|only|certainly|definitely|be|been|to)"
_THERE = re.compile(
    rf"there (?:{_ADVERB} )*(?:is|are|was|were|would|will|appears?|seems?)(?: {_ADVERB})*(?P<negation> not)?"
    rf"(?: {_ADVERB})* (?P<thing>.*)"
)
_SEES = re.compile(
    rf"(?:(?:i|we|you|one) (?:(?:can|could|do|would) )?(?P<unseen>not )?(?:be able to )?(?:{_ADVERB} )?"
    r"(?:see|notice|spot)|"
    rf"(?P<image>(?:the|this|that) {IMAGE_NAME}) (?:(?:does|would|do) )?(?P<unshown>not )?(?:{_ADVERB} )?{SHOWS}) "
    r"(?!that\b)(?P<thing>.*)"
)
_FINITE = re.compile(rf"\b(?:{AUXILIARY}|be|see|wears|holds|{SHOWS})\b")
_SPLIT = re.compile(r"[,;:] |,? and (?=(?:the|an?|it|they|he|she|there|this|is|are)\b)")
_INTRODUCTION = re.compile(
    rf"^(?:(?:yes )?indeed |(?:in|from) (?:the|this) {IMAGE_NAME},? (?=there|the|an?\b|i |we )|"
    r"(?:i|we) (?:(?:would|can) )?(?:think|believe|say|guess|see that|am (?:quite |pretty |fairly )?(?:sure|certain|"
    r"confident))(?: that)? (?=there|the|an?\b|it|they|s?he)|"
    rf"(?:the|this) {IMAGE_NAME} shows that |it (?:appears|seems|looks like)(?: that)? (?=there|the|an?\b))"
)
_SET_AGAINST = re.compile(r"(?:only|just|instead|merely|but|rather)\b(?! than)")

# `a cat, not a dog`, `brown rather than black`.
CONTRAST = re.compile(
    r"(?:^|, (?:but |and )?|\b(?:but|and) )not (?=(?:an?|the|any|in|on) |\w+$)|\b(?:rather than|instead of) "
)
ELLIPTICAL = re.compile(
    r"(?:(?:but|and|so|then|of course|most likely|likely|probably|presumably|"
    r"certainly|definitely|surely|indeed|yes|no|no doubt|obviously|clearly),? )?"
    rf"(?:it|there|they|both|s?he|that|this|these|those|i|we|you) (?:(?:{_ADVERB}|sure|really|"
    rf"most certainly) )?{AUXILIARY}(?P<negation> not)?"
    rf"(?: {_ADVERB})?(?: (?:be|so|indeed))?"
)
UNCERTAIN = re.compile(
    r"\b(?:might|may|could|must|should|maybe|perhaps|possibly|potentially|whether|unless|except|if|almost|nearly|"
    r"hardly|"
    r"barely|unlikely|said|says?|suggests?|(?<!rather )than|\w+\?|"
    r"not (?:only|just|simply|merely|entirely|completely|fully|totally|quite|always|exactly|really|very))(?!\w)"
)


@dataclass(frozen=True)
class Presented:
    """What a statement presents as existing; a negation comes first among its words."""

    words: Sequence[Word]
    in_image: bool  # `the image shows ...`
    is_one: bool


def statements_in(text: str) -> list[str]:
    """The clauses of a sentence that have a verb; a part without a verb belongs to the clause before it."""
    text = _INTRODUCTION.sub("", text.strip(" .,;:!?…\"'()"))
    statements: list[list[str]] = []
    for part in (part.strip(" .!?…\"'") for part in _SPLIT.split(text)):
        is_new = not statements or ELLIPTICAL.fullmatch(statements[-1][0]) is not None
        if part and (is_new or _FINITE.search(part)):
            statements.append([part])
        elif part and not _SET_AGAINST.match(part):
            statements[-1].append(part)
    return [" , ".join(parts) for parts in statements]


def presented_in(statement: str) -> Presented | None:
    """What is presented by a statement such as `there is a dog`, `I see a dog` or `the image shows a dog`."""
    found = _THERE.fullmatch(statement) or _SEES.fullmatch(statement)
    if not found:
        return None
    groups, words = found.groupdict(), words_of(found["thing"])
    if groups.get("negation") or groups.get("unseen") or groups.get("unshown"):
        words = [Word("not", NOT), *words]
    is_one = re.match(r"(?:only )?(?:an?|one) ", found["thing"]) is not None
    return Presented(words, in_image=bool(groups.get("image")), is_one=is_one)


def has_verb(statement: str, words: Sequence[Word]) -> bool:
    return bool(_FINITE.search(statement)) or any(word.base == VERB for word in words)
