"""Decides what a statement says of the claim that a question asks about: yes, no, or nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from whatif.scoring.extraction.propositions.clauses import Claim, claims_in
from whatif.scoring.extraction.propositions.existence import of_existence
from whatif.scoring.extraction.propositions.nouns import Noun
from whatif.scoring.extraction.propositions.objects import of_existing, of_object, of_own, of_owned, of_place
from whatif.scoring.extraction.propositions.other_forms import active, attributed, caused, of_sufficiency, placed
from whatif.scoring.extraction.propositions.predicates import of_predicate
from whatif.scoring.extraction.propositions.questions import Hypothesis, hypothesis_of, phrase_words, without_image
from whatif.scoring.extraction.propositions.subjects import quantified, relation_of
from whatif.scoring.extraction.propositions.words import is_same, spelled_out, tokens_of
from whatif.scoring.extraction.statements import UNCERTAIN

_OF_NOW = re.compile(r"\b(?:now|currently|original(?:ly)?|at (?:the moment|present))\b")
_PAST = re.compile(r"\b(?:was|were|used to|did|had)\b")
_POSSIBLE = frozenset(("possible", "plausible", "likely", "conceivable", "probable"))
_LONG = 400  # characters; a longer text without a full stop is no statement


@lru_cache(maxsize=4096)
def decided(statement: str, question: str) -> str | None:
    """`yes` or `no` if the claims of a statement entail or exclude what a question asks; None if neither, or both."""
    hypothesis = hypothesis_of(question) if len(statement) <= _LONG else None
    if hypothesis is None:
        return None
    text = without_image(spelled_out(statement))
    if not _is_of_the_same_world(text, hypothesis):
        return None
    verdicts = {_of_claim(claim, hypothesis) for claim in claims_in(text, hypothesis.nouns)} - {None}
    return verdicts.pop() if len(verdicts) == 1 else None


def _is_of_the_same_world(text: str, hypothesis: Hypothesis) -> bool:
    """Whether a text is certain, and about the time and the world that the question asks about."""
    words = {word.written for word in tokens_of(hypothesis.question)}
    doubts = {found[0].split()[-1] for found in UNCERTAIN.finditer(text)} - {"could", "might", "may", "must", "should"}
    if doubts - words:
        return False
    if hypothesis.is_supposed and _OF_NOW.search(text):
        return False
    past = _PAST.search(text) and not _PAST.search(hypothesis.question)
    future = re.search(r"\b(?:will|would)\b", text) and not (hypothesis.is_supposed or "will" in words)
    return not (past or future)


def _of_claim(said: Claim, hypothesis: Hypothesis) -> str | None:  # noqa: PLR0911
    asked, said = hypothesis.claim, _with_opening(said, hypothesis)
    if said.is_doubtful or any(noun.quantity == "not all" for phrase in said.phrases for noun in phrase.nouns):
        return None
    if (possible := _of_possibility(said, hypothesis)) is not None:
        return possible
    is_able = hypothesis.is_of_ability or hypothesis.auxiliary in ("can", "could")
    if said.modal in ("may", "might") or (said.modal == "could" and not is_able and not said.is_denied):
        if not hypothesis.may_be_possible:
            return None
        said = replace(said, modal="")
    if said.modal in ("should", "must", "shall") and said.modal != hypothesis.auxiliary:
        return None
    if asked.modal in ("can", "could") and not said.modal and not said.is_denied and not asked.is_existential:
        return None
    is_allowed = is_able or said.is_denied or asked.is_existential or said.verb == "see"
    if said.modal in ("can", "could") and not is_allowed:
        return None
    if asked.is_existential:
        return of_existence(said, hypothesis)
    return _of_subject(said, hypothesis)


def _with_opening(said: Claim, hypothesis: Hypothesis) -> Claim:
    """A claim with its opening phrases among the others; what a denial only repeats from the question is left out."""
    opening = [phrase for phrase in said.opening if not (said.is_denied and phrase_words([phrase]) <= hypothesis.known)]
    return replace(said, phrases=(*said.phrases, *opening), opening=())


def _of_possibility(said: Claim, hypothesis: Hypothesis) -> str | None:
    """The answer of `it is possible` to a question whether something is possible."""
    first = said.phrases[0] if said.phrases else None
    if not hypothesis.may_be_possible or said.verb != "be" or first is None or not said.subject.is_pronoun:
        return None
    is_possible = any(noun.head is not None and noun.head.written in _POSSIBLE for noun in first.nouns)
    return ("no" if said.is_denied else "yes") if is_possible else None


def _asks_of_all(asked: Claim, things: Noun | None = None) -> bool:
    """Whether a question asks about all of some things, perhaps in a phrase of its subject: `in every row`."""
    nouns = [asked.subject, *(noun for one in asked.of_subject for noun in one.nouns)]
    wanted = things.head if things is not None else None
    return any(
        one.quantity == "all" and (wanted is None or one.head is None or is_same(wanted, one.head)) for one in nouns
    )


def _of_subject(said: Claim, hypothesis: Hypothesis) -> str | None:  # noqa: PLR0911
    asked = hypothesis.claim
    if said.is_existential:
        if said.subject.quantity == "not all" and said.subject.is_pronoun and _asks_of_all(asked):
            return "no"
        return of_object(said, hypothesis) or of_existing(said, hypothesis)
    if (effect := caused(said, hypothesis)) is not None:
        return _of_subject(effect, hypothesis)
    if (
        verdict := of_sufficiency(said, hypothesis)
        or of_own(said, hypothesis)
        or of_place(said, hypothesis)
        or of_owned(said, hypothesis)
        or of_object(placed(said), hypothesis)
    ):
        return verdict
    said = active(attributed(said, asked), asked)
    if said.subject.quantity == "not all" and _asks_of_all(asked, said.subject):
        return "no" if of_predicate(said, hypothesis) == "yes" else None
    relation = relation_of(said.subject, said.of_subject, hypothesis)
    if relation is None:
        return None
    verdict = of_predicate(said, hypothesis)
    if relation != "same" and verdict == "no" and not said.is_denied:
        return None  # `one of the cones is yellow`
    if (
        relation == "some"
        and asked.subject.quantity == "all"
        and len(said.phrases) > len(asked.phrases)
        and not said.is_denied
    ):
        return None  # `most players wear gloves in winter`
    return quantified(relation, said.subject, asked.subject, verdict)
