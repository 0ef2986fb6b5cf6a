"""Whether a claim is about the subject of a question: all of it, some of it, or none."""

from __future__ import annotations

from whatif.scoring.extraction.propositions.lexicon import FEMALE, MALE, PERSONS
from whatif.scoring.extraction.propositions.nouns import Noun, is_kind_of
from whatif.scoring.extraction.propositions.phrases import Phrase
from whatif.scoring.extraction.propositions.questions import Hypothesis, phrase_words
from whatif.scoring.extraction.propositions.words import Token


def quantified(relation: str, said: Noun, asked: Noun, verdict: str | None) -> str | None:  # noqa: PLR0911
    """The answer about the things that are asked about, from a verdict about all, some or none of them."""
    if relation == "same":
        return verdict
    if relation == "none":
        return "no" if verdict == "yes" else None
    wants_all = asked.quantity == "all"
    if relation == "not all":
        return "no" if verdict == "yes" and wants_all else None
    if asked.quantity in ("any", "a", "some") or (asked.is_indefinite and not wants_all):
        return "yes" if verdict == "yes" else None
    if not wants_all:
        return None
    if verdict == "no":
        return "no"
    return "no" if verdict == "yes" and (said.is_only or said.quantity == "most") else None


def relation_of(said: Noun, details: tuple[Phrase, ...], hypothesis: Hypothesis) -> str | None:
    """`same` if a subject is that of the question, or `some`, `none` or `not all` of it."""
    asked = hypothesis.claim.subject
    if not _names(said, details, hypothesis):
        return None
    if said.quantity in ("no", "not all"):
        return {"no": "none", "not all": "not all"}[said.quantity]
    if asked.quantity == "a" and hypothesis.is_supposed and said.quantity in ("a", "the"):
        return "same"
    if asked.quantity in ("any", "some", "a") and not said.is_pronoun:
        return "some"
    is_one = not said.is_plural and not said.is_pronoun and said.quantity == "the"
    if asked.quantity == "all" and asked.unnamed is None and is_one:
        return "some"  # `the man` of all people
    partial = (
        said.quantity in ("some", "most", "any")
        or said.is_only
        or (said.number is not None and said.number != asked.number and said.quantity != "the")
        or (said.quantity == "a" and asked.is_plural)
    )
    return "some" if partial else "same"


def _names(said: Noun, details: tuple[Phrase, ...], hypothesis: Hypothesis) -> bool:  # noqa: PLR0911
    """Whether a subject names what the question is about."""
    asked, known = hypothesis.claim.subject, hypothesis.known
    own = known | phrase_words(hypothesis.claim.of_subject)
    if not said.words:
        return asked.is_plural or asked.quantity == "all" or said.quantity in ("any", "no")
    head = said.words[-1]
    if head.kind == "pronoun":
        return agrees(head, asked) and not details
    if asked.unnamed == "person" or said.unnamed == "person":
        return said.unnamed == "person" or head.base in PERSONS
    if asked.unnamed == "thing":
        return True
    if asked.is_pronoun:
        is_person = asked.words[-1].written in ("he", "she")
        is_known = head.base in known and not is_person
        return not said.owner and (is_known or agrees(asked.words[-1], said, is_asked=True))  # not `his brother`
    assert asked.head is not None
    if not is_kind_of(head, asked.head):
        return False
    if asked.quantity in ("any", "some", "a") and not hypothesis.is_supposed:
        return True
    is_plain = len(asked.words) == 1 and not hypothesis.claim.of_subject and said.quantity == "the"
    details = tuple(one for one in details if not (is_plain and one.link in ("with", "in")))  # `with the red scarf`
    asked_details = hypothesis.claim.of_subject
    if any(_is_elsewhere(one, asked_details) for one in details):
        return False
    names = {word.base for word in said.words[:-1]} | phrase_words(details)
    return all(base in own or any(base[:4] == one[:4] for one in own) for base in names)


def _is_elsewhere(detail: Phrase, asked: tuple[Phrase, ...]) -> bool:
    """Whether a detail has the thing of one that is asked about, but elsewhere: `next to the swing`, not on it."""
    same = [one for one in asked if phrase_words([one]) & phrase_words([detail])]
    return bool(same) and detail.link != "of" and all(one.link != detail.link for one in same)


def agrees(pronoun: Token, noun: Noun, *, is_asked: bool = False) -> bool:  # noqa: PLR0911
    """Whether a pronoun can stand for a noun; one that the question has, only for a person."""
    written = pronoun.written
    base = noun.head.base if noun.head is not None else ""
    is_person = base in PERSONS | MALE | FEMALE or base.endswith(("er", "or", "ist", "man"))
    if written in ("he", "she") and noun.unnamed is None and not noun.is_pronoun and is_asked and not is_person:
        return False
    if noun.is_pronoun and noun.words:
        other = noun.words[-1].written
        return {written, other} not in ({"he", "she"}, {"it", "he"}, {"it", "she"}) or written == other
    if written == "he":
        return base not in FEMALE and not noun.is_plural
    if written == "she":
        return base not in MALE and not noun.is_plural
    if written in ("they", "them", "these", "those"):
        return noun.is_plural or noun.quantity == "all" or base in PERSONS
    if written in ("it", "this", "that"):
        return base not in MALE | FEMALE and (not noun.is_plural or noun.quantity == "all")
    return written in ("one", "ones") and noun.quantity in ("any", "all")
