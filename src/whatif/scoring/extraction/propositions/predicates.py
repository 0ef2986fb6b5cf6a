"""Which predicates follow from which: a verb with its phrases from one that says the same or more."""

from __future__ import annotations

from collections.abc import Sequence

from whatif.scoring.extraction.propositions.clauses import Claim
from whatif.scoring.extraction.propositions.lexicon import (
    ANIMALS,
    BODY,
    COLOURS,
    HAVING,
    MOVING,
    PERSONS,
    POSTURES,
)
from whatif.scoring.extraction.propositions.nouns import excludes, follows
from whatif.scoring.extraction.propositions.phrases import Phrase
from whatif.scoring.extraction.propositions.questions import Hypothesis
from whatif.scoring.extraction.propositions.words import Token, is_same

_REASONS = frozenset(("because_of", "despite"))
_PLACES = frozenset(("on", "in", "at", "under", "above", "near", "around", "along", "through"))
_ON_A_PERSON = frozenset(("wear", "hold", "carry"))


def of_predicate(said: Claim, hypothesis: Hypothesis) -> str | None:
    """What a predicate that is said of the same subject entails of the predicate that is asked about."""
    asked = hypothesis.claim
    if _is_echo(asked, said):
        return "no" if said.is_denied else "yes"
    if not said.is_denied:
        is_comparative = any(one.link == "than" for one in asked.phrases) and all(not one.link for one in said.phrases)
        if _verb_follows(asked, said) and phrases_follow(
            asked.phrases,
            said.phrases,
            hypothesis,
            is_ellipsis=(said.modal != "" and (hypothesis.is_supposed or asked.modal == "can"))
            or (said.is_conclusion and said.subject.is_pronoun)
            or is_comparative,
            is_lexical=said.verb not in ("be", "have", "exist"),
        ):
            return None if _is_qualified(asked, said) else "yes"
        return "no" if _is_contrary(asked, said) else None
    if _verb_follows(said, asked) and phrases_follow(said.phrases, asked.phrases, hypothesis, is_ellipsis=False):
        return "no"
    return None


def _is_echo(asked: Claim, said: Claim) -> bool:
    """Whether a conclusion repeats only the verb of the question: `so it is connected`."""
    return (
        said.is_conclusion
        and not said.phrases
        and said.subject.is_pronoun
        and said.verb == asked.verb
        and (said.verb not in ("be", "have", "do") and said.is_passive == asked.is_passive)
    )


def _is_qualified(asked: Claim, said: Claim) -> bool:
    """Whether more words change what is said: `blue and red`, `brown and black spotted`, `up to date`."""
    if asked.verb != "be" or said.verb != "be" or not asked.phrases:
        return False
    first, *rest = said.phrases
    if (
        not asked.phrases[0].link
        and not first.link
        and first.nouns[0].words
        and first.nouns[0].words[0].written in COLOURS
    ):
        is_first = is_same(first.nouns[0].words[0], asked.phrases[0].nouns[0].words[-1])
        return not is_first or bool(rest and rest[0].link.startswith("+"))
    return bool(rest) and not asked.phrases[0].nouns


def _verb_follows(asked: Claim, said: Claim) -> bool:  # noqa: PLR0911
    """Whether doing what is said is doing what is asked."""
    if asked.verb == said.verb:
        return asked.is_passive == said.is_passive or asked.verb == "have"
    if asked.verb in HAVING and said.verb in HAVING:
        return (
            asked.verb in ("have", "contain", "include", "feature")
            or (said.verb == "have" and (asked.verb not in _ON_A_PERSON or _is_on_a_person(said)))
            or {asked.verb, said.verb} <= {"hold", "carry"}
        )
    stays = {"remain", "stay"}
    if {asked.verb, said.verb} <= stays | {"be"}:
        return asked.verb == "be" or said.verb in stays
    if asked.verb in POSTURES and said.verb == "be":
        base = asked.subject.head.base if asked.subject.head else ""
        return base not in PERSONS | ANIMALS and bool(asked.phrases) and bool(asked.phrases[0].link)
    if asked.verb == "be" and said.verb not in MOVING and (not asked.phrases or asked.phrases[0].link in _PLACES):
        return said.verb in POSTURES or said.form in ("ing", "ed")  # who sleeps on the sofa is on it
    if asked.verb == "be" or said.verb == "be" or asked.is_passive != said.is_passive:
        return False
    return is_same(Token(asked.verb, "word", asked.verb), Token(said.verb, "word", said.verb))


def _is_on_a_person(said: Claim) -> bool:
    """Whether somebody has a thing on, or on a part of the body: `has a cup in his hand`."""
    return any(
        (phrase.link.lstrip("+") == "on" and not phrase.nouns)
        or any(noun.head is not None and noun.head.base in BODY for noun in phrase.nouns)
        for phrase in said.phrases
        if phrase.link
    )


def phrases_follow(
    asked: Sequence[Phrase],
    said: Sequence[Phrase],
    hypothesis: Hypothesis,
    *,
    is_ellipsis: bool = False,
    is_lexical: bool = False,
) -> bool:
    """Whether each phrase that is asked about follows from one that is said.

    If `is_ellipsis`, places and the like may be left out; all of them, if the verb is more than `be` or `have`.
    """
    asked, said = ([one for one in phrases if one.link not in _REASONS] for phrases in (asked, said))
    if any(phrase.link in ("not", "instead_of", "except", "without") for phrase in said) and not any(
        phrase.link == "without" for phrase in asked
    ):
        return False
    missing = [phrase for phrase in asked if not any(_phrase_follows(phrase, one, hypothesis) for one in said)]
    if not missing:
        return True
    if not is_ellipsis:
        return False
    others = [one for one in said if one.link and not any(_phrase_follows(phrase, one, hypothesis) for phrase in asked)]
    is_named = len(missing) < len(asked) or is_lexical
    return not others and is_named and all(phrase.link for phrase in missing)


def _phrase_follows(asked: Phrase, said: Phrase, hypothesis: Hypothesis) -> bool:  # noqa: PLR0911
    """Whether a phrase that is asked about follows from one that is said."""
    if said.link == "@":
        return asked.link in _PLACES and bool(asked.nouns) and follows(asked.nouns[0], said.nouns[0], hypothesis.known)
    if asked.link == "@":
        return said.link in _PLACES and bool(said.nouns) and follows(said.nouns[0], asked.nouns[0], hypothesis.known)
    if asked.link != said.link and not (asked.link.startswith("+") and said.link.startswith("+")):
        return False
    if asked.link.startswith("+"):
        one, other = asked.link[1:], said.link[1:]
        return one == other or is_same(Token(one, "word", one), Token(other, "word", other))
    if asked.link in ("through", "across", "past", "along", "around") and not (asked.nouns and said.nouns):
        return True  # `gets through`
    if not asked.nouns or not said.nouns:
        return not asked.nouns and not said.nouns
    verbs = asked.nouns[0].head, said.nouns[0].head
    if asked.link == "to" and verbs[0] is not None and verbs[1] is not None and is_same(verbs[0], verbs[1]):
        return True
    return all(any(follows(one, other, hypothesis.known) for other in said.nouns) for one in asked.nouns)


def _is_contrary(asked: Claim, said: Claim) -> bool:
    """Whether the same is said with another colour."""
    if not asked.phrases or not said.phrases or asked.phrases[0].link or said.phrases[0].link:
        return False
    one, other = said.phrases[0].nouns, asked.phrases[0].nouns
    if len(said.phrases) > 1 and said.verb == "be":
        return False
    if len(one) != 1 or len(other) != 1 or not _verb_follows(asked, said):
        return False
    return said.verb in ("be", "wear", "have") and asked.verb in ("be", "wear") and excludes(one[0], other[0])


def is_visible(phrase: Phrase) -> bool:
    if phrase.link in ("+see", "+show", "+depict", "+visible", "+present"):
        return True
    return not phrase.link and all(noun.head and noun.head.written in ("visible", "present") for noun in phrase.nouns)
