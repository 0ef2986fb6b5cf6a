"""Turns a yes-or-no question into the claim that it asks about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from whatif.scoring.extraction.propositions.clauses import Claim, claims_in, predicate_at
from whatif.scoring.extraction.propositions.lexicon import NUMBERS, PERSONS_UNNAMED, THINGS_UNNAMED
from whatif.scoring.extraction.propositions.nouns import is_attribute, noun_at
from whatif.scoring.extraction.propositions.phrases import Phrase, phrases_in
from whatif.scoring.extraction.propositions.words import Token, spelled_out, tokens_of
from whatif.scoring.extraction.response_text import SUPPOSITION
from whatif.scoring.extraction.statement_words import IMAGE_NAME

_ASKED = re.compile(
    r"\W*(?:(?:then|and|so) )?(?P<auxiliary>is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|"
    r"must)\b(?: not\b)? (?P<rest>.*?)[\s?.!]*$"
)
_IN_IMAGE = re.compile(
    rf"^\W*(?:in|from) (?:the|this|that) {IMAGE_NAME},? |"
    rf",? ?\b(?:(?:visible|seen|shown|present|depicted) )?(?:in|from|within) (?:the|this|that) {IMAGE_NAME}\b|"
    r",? ?\b(?:according to|based on|judging by) (?:the|this|that) [a-z]+(?: [a-z]+(?=,))?"
)
_OPENING = re.compile(
    r"^\W*(?:in|on|at) [^,?]{1,40}, (?=(?:is|are|was|were|do|does|did|has|have|can|could|will|would)\b)"
)
_VISIBLE = re.compile(r"\b(?:visible|seen|shown|present|depicted)\b")
_THING = re.compile(
    r"there (?P<there>.*)|(?:you|we|i|one) (?:be able to )?see (?P<seen>(?!if |whether |that ).+)|"
    rf"(?:the|this) {IMAGE_NAME} (?:show|contain|feature|depict|include|have|display) (?P<shown>.*)"
)
_THAT = re.compile(
    r"(?:it (?:be )?(?P<mood>possible|likely|probable|true|correct|plausible)|(?:you|we) "
    r"(?:say|think|believe|agree)|(?:the|this|that) [a-z]+(?: [a-z]+){0,2} (?:show|say|indicate|suggest|"
    r"mention|confirm|state|mean)) that (?P<said>.*)"
)
_ALONE = PERSONS_UNNAMED | THINGS_UNNAMED | {"both", "all"}  # quantities that need no noun
_LIGHT = frozenset(("make", "take", "get", "give", "need", "want", "keep", "see", "show", "let", "help"))


@dataclass(frozen=True)
class Hypothesis:
    """The claim that a question asks about; `known` are the words of the question, with its supposition."""

    claim: Claim
    known: frozenset[str]
    is_supposed: bool
    may_be_possible: bool  # `is it possible that ...`
    auxiliary: str
    question: str
    nouns: frozenset[str]  # the words that are nouns in it
    is_of_ability: bool  # `would it be able to ...`


@lru_cache(maxsize=4096)
def hypothesis_of(question: str) -> Hypothesis | None:
    """The hypothesis of a question; None if its form is not understood."""
    text = spelled_out(question)
    main = SUPPOSITION.sub("", _OPENING.sub("", _IN_IMAGE.sub("", text)))
    found = _ASKED.match(main)
    if not found or re.search(r"\b(?:or|not)\b", main):
        return None
    rest, auxiliary = found["rest"], found["auxiliary"]
    that = _THAT.fullmatch(rest)
    claim = next(claims_in(that["said"]), None) if that else _asked(rest, auxiliary)
    seen = _VISIBLE.search(text)
    if (claim is None or not claim.subject.words) and seen:  # `is its tail visible in the picture`
        claim = _asked(f"{rest} {seen[0]}", auxiliary)
    if claim is None or claim.is_denied or claim.subject.quantity == "no" or not claim.subject.words:
        return None
    if any(word.written in ("more", "fewer", "less") for word in claim.subject.words):
        return None
    known = frozenset(word.base for word in tokens_of(question) if word.kind == "word")
    supposed = main != _IN_IMAGE.sub("", text) or auxiliary in ("would", "could")
    return Hypothesis(
        claim,
        known,
        supposed,
        that is not None and that["mood"] in ("possible", "plausible"),
        auxiliary,
        main,
        _nouns_of(claim),
        "able to" in question.lower(),
    )


def without_image(text: str) -> str:
    """A text without `in the image` and `according to the sign`."""
    return _IN_IMAGE.sub("", text)


def _asked(rest: str, auxiliary: str) -> Claim | None:
    if thing := _THING.fullmatch(rest):
        words = [word for word in tokens_of(next(filter(None, thing.groups()), "")) if word.kind not in ("adverb",)]
        while words and words[0].kind in ("be", "have"):
            words = words[1:]
        noun, end = noun_at(words, 0)
        return None if noun is None else Claim(noun, "exist", tuple(phrases_in(words[end:])))
    words = list(tokens_of(rest))
    noun, end = noun_at(words, 0)
    if noun is None:
        return None
    aux = tokens_of(auxiliary)[0]
    if noun.is_pronoun and noun.words:
        start = end
    elif aux.kind == "be":
        start = _after_be(words, end)
    elif aux.kind == "have":
        start = next((k for k in range(1, len(words)) if words[k].form == "ed" or words[k].kind == "be"), 0)
    else:
        start = _base_verb(words)
    if not 0 < start < len(words):
        return None
    own_end = min(start, end)
    subject, own_end = noun_at(words[:own_end], 0)
    if subject is None:
        return None
    own = tuple(phrases_in(words[own_end:start]))
    claim, _ = predicate_at([aux, *words[start:]], 0, subject, own)
    if claim is not None and claim.verb == "be" and _is_seen(claim) and subject.is_indefinite:
        return Claim(subject, "exist", (*own, *claim.phrases[1:]))
    return claim


def _is_seen(claim: Claim) -> bool:
    first = claim.phrases[0] if claim.phrases else None
    return first is not None and any(
        noun.head is not None and noun.head.written in ("visible", "present") for noun in first.nouns
    )


def _base_verb(words: Sequence[Token]) -> int:
    """Where the verb begins after `would` or `does`: at the first word that can be one after a noun."""
    for place in range(1, len(words)):
        word = words[place]
        if word.kind in ("be", "have"):
            return place
        following = words[place + 1] if place + 1 < len(words) else None
        before = words[place - 1]
        is_numbered = before.written in NUMBERS and place > 1 and words[place - 2].kind == "word"  # `lane 4`
        is_after_noun = before.kind in ("word", "adverb") or before.written in _ALONE or is_numbered
        is_verb = word.kind == "word" and word.form == "base" and is_after_noun
        if is_verb and (
            word.written in _LIGHT
            or not (
                following is not None
                and (following.form == "base" or following.kind in ("be", "have"))
                and following.kind in ("word", "be", "have")
                and not is_attribute(following)
            )
        ):
            return place
    _, end = noun_at(words, 0)  # an unknown verb: the last word before a further phrase
    return end - 1 if end > 1 and (end == len(words) or words[end].kind in ("article", "quantity", "prep")) else 0


def _after_be(words: Sequence[Token], end: int) -> int:
    """Where the predicate begins after `is` and a subject."""
    if end == len(words):
        return _last_attribute(words, end)
    start = end
    while start < len(words):
        word = words[start]
        if word.written == "than" or (
            word.kind == "prep" and is_attribute(words[start - 1]) and start > 1 and words[start - 2].kind == "word"
        ):
            return start - 2 if words[start - 2].written == "more" else start - 1
        if word.kind != "prep":
            break
        _, after = noun_at(words, start + 1)
        start = max(after, start + 1)
    if all(word.kind == "adverb" for word in words[start:]):
        # only phrases with prepositions: the first one, or an adjective at the end
        last = start - 1
        ends = is_attribute(words[last]) and words[last - 1].kind == "word" and end < last - 1
        return last if ends else end
    if words[start].is_participle:
        noun, after = noun_at(words, start + 1)
        if noun is not None and after < len(words) and (words[after].is_participle or words[after].kind == "article"):
            return after
    return start


def _last_attribute(words: Sequence[Token], end: int) -> int:
    start = end - 1
    while start > 1 and words[start - 1].kind == "adverb":
        start -= 1
    return start


def _nouns_of(claim: Claim) -> frozenset[str]:
    nouns = [claim.subject, *(noun for phrase in (*claim.of_subject, *claim.phrases) for noun in phrase.nouns)]
    return frozenset(word.written for noun in nouns for word in noun.words)


def phrase_words(phrases: Sequence[Phrase]) -> frozenset[str]:
    return frozenset(word.base for phrase in phrases for noun in phrase.nouns for word in noun.words)
