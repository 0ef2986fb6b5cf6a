"""What a claim about a thing says of a question whose object it is: `his shirt is white`, `there is no hat`."""

from __future__ import annotations

from dataclasses import replace

from whatif.scoring.extraction.propositions.clauses import Claim
from whatif.scoring.extraction.propositions.lexicon import OWNERS, POSTURES
from whatif.scoring.extraction.propositions.nouns import Noun, excludes, follows
from whatif.scoring.extraction.propositions.phrases import Phrase
from whatif.scoring.extraction.propositions.predicates import is_visible, of_predicate, phrases_follow
from whatif.scoring.extraction.propositions.questions import Hypothesis
from whatif.scoring.extraction.propositions.subjects import agrees, quantified, relation_of
from whatif.scoring.extraction.propositions.words import is_same


def of_own(said: Claim, hypothesis: Hypothesis) -> str | None:  # noqa: PLR0911
    """What `his shirt is white` says of whether he is wearing a white shirt."""
    asked = hypothesis.claim
    first = asked.phrases[0] if asked.phrases else None
    if (
        asked.verb not in ("wear", "have")
        or first is None
        or first.link
        or len(first.nouns) != 1
        or not said.subject.owner
    ):
        return None
    if said.verb != "be" or not said.subject.head or not _is_owner(said.subject, asked):
        return None
    wanted = first.nouns[0]
    if wanted.head is None or not is_same(said.subject.head, wanted.head) or not said.phrases or said.phrases[0].link:
        return None
    if len(wanted.words) == 1 and not said.is_denied:  # who has a white beard has a beard
        return "yes"
    attributes = tuple(word for noun in said.phrases[0].nouns for word in noun.words)
    shown = Noun("a", (*attributes, said.subject.head))
    if said.is_denied:
        return "no" if follows(shown, wanted, hypothesis.known) and len(wanted.words) > 1 else None
    if follows(wanted, shown, hypothesis.known) and len(wanted.words) > 1:
        return "yes"
    return "no" if excludes(shown, wanted) else None


def of_owned(said: Claim, hypothesis: Hypothesis) -> str | None:
    """What `the man is wearing a black jacket` says of whether the man's jacket is black."""
    asked = hypothesis.claim
    owners = [*asked.subject.owner[-1:]]
    owners += [noun.head for one in asked.of_subject if one.link == "of" for noun in one.nouns if noun.head]
    first, wanted = (claim.phrases[0] if claim.phrases else Phrase("+") for claim in (said, asked))
    if asked.verb != "be" or wanted.link or first.link or said.verb not in ("wear", "have") or said.is_denied:
        return None
    owner, thing = said.subject.head, first.nouns[0]
    if owner is None or asked.subject.head is None or thing.head is None or not is_same(thing.head, asked.subject.head):
        return None
    if not any(is_same(owner, one) for one in owners):
        return None
    shown = Noun("", thing.words[:-1])
    if not shown.words:
        return None
    if follows(wanted.nouns[0], shown, hypothesis.known):
        return "yes"
    return "no" if excludes(shown, wanted.nouns[0]) else None


def _is_owner(thing: Noun, asked: Claim) -> bool:
    if thing.owner and thing.owner[-1].written in OWNERS:
        return True
    head = asked.subject.head
    return bool(thing.owner) and head is not None and is_same(thing.owner[-1], head)


def of_place(said: Claim, hypothesis: Hypothesis) -> str | None:
    """`yes` if the thing that somebody is asked to hold is said to be in the hand that is asked about."""
    asked = hypothesis.claim
    first, *rest = asked.phrases or (Phrase(""),)
    if asked.verb not in ("hold", "carry", "wear", "have") or said.verb != "be" or said.is_denied or not rest:
        return None
    thing = first.nouns[0] if first.nouns and not first.link else None
    if thing is None or thing.head is None or said.subject.head is None or not is_same(thing.head, said.subject.head):
        return None
    is_hers = bool(said.phrases) and bool(said.phrases[0].nouns) and _is_owner(said.phrases[0].nouns[0], asked)
    return "yes" if is_hers and phrases_follow(rest, said.phrases, hypothesis) else None


def of_object(said: Claim, hypothesis: Hypothesis) -> str | None:
    """What there being a thing says of a question whose object it is: `there is no umbrella`, `a rack is on it`."""
    asked = hypothesis.claim
    first = asked.phrases[0] if asked.phrases else None
    objects = [
        noun
        for phrase in asked.phrases
        for noun in phrase.nouns
        if noun.is_indefinite and phrase.link not in ("in", "of")
    ]
    if not said.is_existential or not objects or asked.verb == "be":
        return None
    phrases = tuple(phrase for phrase in said.phrases if not is_visible(phrase))
    is_there = all(
        _is_at_subject(one, asked)
        or any(after.link == "of" and _is_at_subject(after, asked) for after in phrases[k + 1 :])
        for k, one in enumerate(phrases)
    )
    thing = said.subject
    if said.is_denied != (thing.quantity == "no"):
        gone = replace(thing, quantity="a", number=None)
        return (
            "no" if is_there and thing.words and any(follows(gone, one, hypothesis.known) for one in objects) else None
        )
    if asked.verb not in ("have", "wear", "contain", "include", "feature") or first is None or not is_there:
        return None
    if not thing.is_indefinite or (asked.verb == "wear" and not phrases):
        return None
    return (
        "yes" if all(follows(one, thing, hypothesis.known) for one in first.nouns) and len(asked.phrases) == 1 else None
    )


def _is_at_subject(phrase: Phrase, asked: Claim) -> bool:
    """Whether a phrase names the subject of the question as the place: `on the car`, `on his wrist`."""
    if phrase.link.startswith("+") and phrase.link[1:] in POSTURES:
        return True
    if phrase.link not in ("on", "in", "around", "at", "of", "above") or not phrase.nouns:
        return False
    noun, head = phrase.nouns[0], asked.subject.head
    if noun.owner:
        return _is_owner(noun, asked)
    if noun.head is None or head is None:
        return False
    return is_same(noun.head, head) or (noun.is_pronoun and agrees(noun.head, asked.subject))


def of_existing(said: Claim, hypothesis: Hypothesis) -> str | None:
    """What `there is a girl with red hair` says of whether anyone has red hair."""
    asked = hypothesis.claim
    if asked.subject.quantity not in ("any", "a", "some") or not said.phrases:
        return None
    opening, *rest = said.phrases
    while rest and not opening.link.startswith("+") and opening.link != "with" and asked.verb != "be":
        opening, *rest = rest
    verb = "have" if opening.link == "with" else opening.link.removeprefix("+")
    phrases = (Phrase("", opening.nouns), *rest) if opening.link == "with" else tuple(rest)
    if not opening.link.startswith("+") and opening.link != "with":
        verb, phrases = "be", said.phrases
    claim = Claim(said.subject, verb, phrases)
    relation = relation_of(said.subject, (), hypothesis)
    if relation is None:
        return None
    if said.is_denied:
        relation = "none"
    verdict = of_predicate(claim, hypothesis)
    return quantified(relation, said.subject, asked.subject, verdict)
