"""Brings a claim into the form of the question: what is caused, passive, sufficient, or an attribute."""

from __future__ import annotations

import re
from dataclasses import replace

from whatif.scoring.extraction.propositions.clauses import Claim
from whatif.scoring.extraction.propositions.lexicon import POSTURES, verb_of
from whatif.scoring.extraction.propositions.nouns import Noun, is_kind_of
from whatif.scoring.extraction.propositions.phrases import Phrase
from whatif.scoring.extraction.propositions.predicates import is_visible
from whatif.scoring.extraction.propositions.questions import Hypothesis
from whatif.scoring.extraction.propositions.words import is_same

_CAUSING = frozenset(("make", "let", "allow", "enable", "permit", "cause", "leave", "keep", "help"))
_PREVENTING = frozenset(("prevent", "stop", "keep", "block", "hinder"))


def caused(said: Claim, hypothesis: Hypothesis) -> Claim | None:
    """What a claim says to be caused, let happen or prevented: `cutting the hedge would make the sculpture visible`.

    Only by what the question supposes: another cause says nothing of it. What is prevented does not happen in any case.
    """
    asked, first = hypothesis.claim, said.phrases[0] if said.phrases else None
    if first is None or first.link or len(first.nouns) != 1 or said.subject.quantity == "no":
        return None
    if said.verb not in _PREVENTING and not _is_supposed(said.subject, hypothesis):
        return None
    thing, rest = first.nouns[0], said.phrases[1:]
    if said.verb in _CAUSING and len(thing.words) > 1 and thing.words[-1].verb == asked.verb:  # `let the gate open`
        thing, rest = replace(thing, words=thing.words[:-1]), (Phrase("", (Noun("", thing.words[-1:]),)), *rest)
    wanted = asked.phrases[0].nouns[-1:] if asked.verb == "be" and asked.phrases and not asked.phrases[0].link else ()
    if said.verb in _CAUSING and len(thing.words) > 1 and any(one.head == thing.words[-1] for one in wanted):
        # `make the music audible`
        thing, rest = replace(thing, words=thing.words[:-1]), (Phrase("", (Noun("", thing.words[-1:]),)), *rest)
    if not _is_acted_on(thing, said, asked):
        return None
    effect = replace(said, subject=thing, of_subject=(), phrases=rest)
    if said.verb == asked.verb and (not asked.phrases or asked.phrases[0].link) and not asked.is_passive:
        return effect  # `would open the door`
    if said.verb in _PREVENTING and rest and rest[0].link == "from":
        return _prevented(effect)
    return _made(effect, asked) if said.verb in _CAUSING and rest else None


def _is_supposed(cause: Noun, hypothesis: Hypothesis) -> bool:
    """Whether a cause is a pronoun, or named in the question: `pushing it` is, if the question says `pushed`."""
    if cause.is_pronoun or cause.head is None:
        return cause.is_pronoun
    known = hypothesis.known | {found[0] for base in hypothesis.known if (found := verb_of(base))}
    return cause.head.base in known or (cause.head.form == "ing" and cause.head.verb in known)


def _is_acted_on(thing: Noun, said: Claim, asked: Claim) -> bool:
    """Whether the object of a claim is what the question is about, and the claim's subject something else."""
    wanted = asked.subject.head
    if thing.head is None or wanted is None or (said.subject.head and is_kind_of(said.subject.head, wanted)):
        return False
    return is_same(thing.head, wanted) or (thing.is_pronoun and thing.head.written in ("it", "them", "him", "her"))


def _prevented(effect: Claim) -> Claim | None:
    """`from opening` and `from getting through`, denied of what is prevented from it."""
    opening, *rest = effect.phrases
    if effect.is_denied:
        return None
    if opening.nouns and opening.nouns[0].head is not None:
        return replace(effect, verb=opening.nouns[0].head.verb, phrases=tuple(rest), is_denied=True)
    if not rest or not rest[0].link.startswith("+"):
        return None
    return replace(effect, verb=rest[0].link[1:], phrases=tuple(rest[1:]), is_denied=True)


def _made(effect: Claim, asked: Claim) -> Claim | None:
    """`visible`, `open` and `to leave` of what is made, let or caused to be or to do so."""
    opening, *rest = effect.phrases
    if effect.is_denied and effect.verb not in ("let", "allow", "enable", "permit"):
        return None
    head = opening.nouns[0].head if opening.nouns else None
    if head is not None and (opening.link == "to" or (not opening.link and head.verb == asked.verb)):
        return replace(effect, verb=head.verb, phrases=tuple(rest))
    return replace(effect, verb="be") if opening.link in ("", "in", "on") else None


def of_sufficiency(said: Claim, hypothesis: Hypothesis) -> str | None:
    """The answer of `a meter more would not be enough` to a question whether something would be possible."""
    first = said.phrases[0] if len(said.phrases) == 1 else None
    if said.verb != "be" or first is None or first.link or not (hypothesis.is_supposed or hypothesis.is_of_ability):
        return None
    is_enough = all(noun.quantity == "enough" and not noun.words for noun in first.nouns)
    if not is_enough or re.search(r"\b(?:enough|sufficient)\b", hypothesis.question):
        return None
    return "no" if said.is_denied else "yes"


def attributed(said: Claim, asked: Claim) -> Claim:
    """`It is a stone bridge` as `it is stone`, if the question is about a bridge."""
    first = said.phrases[0] if said.phrases else None
    if said.verb != "be" or first is None or first.link or len(first.nouns) != 1 or asked.subject.head is None:
        return said
    noun = first.nouns[0]
    if len(noun.words) < 2 or not is_same(noun.words[-1], asked.subject.head):
        return said
    return replace(said, phrases=(Phrase("", (Noun("", noun.words[:-1]),)), *said.phrases[1:]))


def active(said: Claim, asked: Claim) -> Claim:
    """A passive claim as an active one if the question is active: `parking is allowed` says that it allows parking."""
    first = asked.phrases[0] if asked.phrases else None
    if not said.is_passive or asked.is_passive or first is None or first.link or asked.verb != said.verb:
        return said
    agents = [phrase for phrase in said.phrases if phrase.link in ("near", "at", "in", "on")]
    rest = tuple(phrase for phrase in said.phrases if phrase not in agents)
    agent = agents[0].nouns[0] if agents and agents[0].nouns else asked.subject
    subject = (
        asked.subject if not (agent.head and asked.subject.head and is_same(agent.head, asked.subject.head)) else agent
    )
    denied = said.is_denied != (said.subject.quantity == "no")
    thing = replace(said.subject, quantity="a") if said.subject.quantity == "no" else said.subject
    return replace(
        said, subject=subject, phrases=(Phrase("", (thing,)), *rest), of_subject=(), is_passive=False, is_denied=denied
    )


def placed(said: Claim) -> Claim:
    """A claim as one about what exists, and where: `A watch is on his wrist`."""
    if said.verb in POSTURES or any(is_visible(phrase) for phrase in said.phrases) or said.verb in ("see", "show"):
        return Claim(
            said.subject,
            "exist",
            (*said.of_subject, *said.phrases),
            is_denied=said.is_denied,
            is_doubtful=said.is_doubtful,
        )
    return said
