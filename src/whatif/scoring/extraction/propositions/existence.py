"""What a claim says of whether a thing exists, perhaps at a place."""

from __future__ import annotations

from dataclasses import replace

from whatif.scoring.extraction.propositions.clauses import Claim
from whatif.scoring.extraction.propositions.lexicon import FILLING, HAVING, INTENSIONAL, PARTS, SCENES
from whatif.scoring.extraction.propositions.nouns import Noun, follows
from whatif.scoring.extraction.propositions.phrases import Phrase
from whatif.scoring.extraction.propositions.predicates import is_visible, phrases_follow
from whatif.scoring.extraction.propositions.questions import Hypothesis


def of_existence(said: Claim, hypothesis: Hypothesis) -> str | None:
    """`yes` or `no` if a claim says that what the question asks for exists, or that it does not."""
    asked = hypothesis.claim
    for one in _introduced(said):
        if verdict := _exists(one, asked, hypothesis):
            return verdict
    return None


def _introduced(said: Claim) -> list[Claim]:
    """What a claim says to exist, or not to exist, and where."""
    if said.is_existential:
        others = [noun for phrase in said.of_subject if phrase.link == "and" for noun in phrase.nouns]
        place = Phrase("@", (said.subject,))
        parts = [
            noun for phrase in said.phrases if phrase.link == "with" for noun in phrase.nouns if not said.is_denied
        ]
        beside = [Claim(noun, "exist", (place,)) for noun in parts]  # `there is a hallway with a mirror`
        return [said, *(replace(said, subject=noun) for noun in others), *beside]
    verb = () if said.verb == "be" else (Phrase(f"+{said.verb}"),)
    found = []
    is_attributed = said.verb == "be" and bool(said.phrases) and not said.phrases[0].link
    is_seen = any(is_visible(phrase) for phrase in (*verb, *said.phrases))
    if is_seen or said.is_denied or (said.subject.is_indefinite and not is_attributed) or said.subject.quantity == "no":
        found = [Claim(said.subject, "exist", (*said.of_subject, *verb, *said.phrases), is_denied=said.is_denied)]
    first = said.phrases[0] if said.phrases else None
    for within in _content(said):  # `the sky is full of clouds`
        found.append(Claim(within, "exist", (Phrase("@", (said.subject,)),), is_denied=said.is_denied))
    if first is not None and not first.link and said.verb == "be" and said.is_denied and said.subject.is_pronoun:
        found += [Claim(noun, "exist", said.phrases[1:], is_denied=True) for noun in first.nouns]  # `not a dog`
    if first is not None and not first.link and said.verb != "be" and said.verb not in INTENSIONAL:
        place = Phrase("@", (said.subject,)) if said.verb in HAVING else Phrase("+")
        own = [one for one in said.phrases[1:] if not (one.nouns and one.nouns[0].is_pronoun)]  # `has nobody in it`
        rest = (place, *said.of_subject, *own)
        if not said.is_denied or said.verb in HAVING:
            found += [Claim(noun, "exist", rest, is_denied=said.is_denied) for noun in first.nouns]
    return found


def _content(said: Claim) -> tuple[Noun, ...]:
    """What a thing is said to be full of, or covered or filled with."""
    if said.verb == "be" and len(said.phrases) > 1 and not said.phrases[0].link:
        head = said.phrases[0].nouns[0].head
        is_full = head is not None and head.written in ("full", "covered", "filled", "lined", "topped", "crowded")
        holder = said.phrases[1] if is_full else None
    else:
        holder = said.phrases[0] if said.phrases and said.is_passive and said.verb in FILLING else None
    if holder is None or holder.link not in ("of", "with", "in") or not holder.nouns:
        return ()
    return holder.nouns


def _exists(said: Claim, asked: Claim, hypothesis: Hypothesis) -> str | None:  # noqa: PLR0911
    asked = replace(asked, phrases=tuple(one for one in asked.phrases if not is_visible(one)))
    thing, wanted = said.subject, asked.subject
    is_denied = said.is_denied != (thing.quantity == "no")
    phrases = tuple(phrase for phrase in said.phrases if not is_visible(phrase))
    if not is_denied:  # on the wall of the hallway is in the hallway
        phrases = (*phrases, *(Phrase("@", one.nouns) for one in phrases[1:] if one.link == "of"))
        if (
            any(phrase.link in ("+miss", "+go", "+leave", "+remove") for phrase in phrases[:1])
            and not hypothesis.is_supposed
        ):
            return None
        if _is_other_number(thing, wanted):
            return "no" if not said.of_subject and not asked.phrases else None
        if thing.quantity == "not all" or (thing.is_pronoun and not _stands_for(thing, wanted)):
            return None
        if wanted.is_plural and wanted.quantity not in ("any", "no") and thing.number == 1:
            return None
        if _stands_for(thing, wanted) and not phrases:
            return "yes"
        is_thing = _stands_for(thing, wanted) or follows(wanted, thing, hypothesis.known)
        is_there = phrases_follow(asked.phrases, phrases, hypothesis) or _is_in_scene(phrases, asked.phrases)
        return "yes" if is_thing and is_there else None
    if thing.quantity == "enough" and wanted.quantity != "enough":
        return None
    is_thing = _stands_for(thing, wanted) or follows(replace(thing, quantity="a", number=None), wanted)
    return "no" if is_thing and phrases_follow(phrases, asked.phrases, hypothesis, is_ellipsis=False) else None


def _is_in_scene(said: tuple[Phrase, ...], asked: tuple[Phrase, ...]) -> bool:
    """Whether a thing is said to be in a part of the place that the image shows: `on the left wall` of the hallway."""
    is_scene = len(asked) == 1 and _heads(asked) <= SCENES and asked[0].link in ("in", "on", "at")
    places = [one for one in said if one.nouns and not one.link.startswith("+")]
    return is_scene and bool(places) and places[0].link != "" and _heads(tuple(places[:1])) <= PARTS


def _heads(phrases: tuple[Phrase, ...]) -> set[str]:
    return {noun.head.base if noun.head else "" for phrase in phrases for noun in phrase.nouns}


def _is_other_number(thing: Noun, wanted: Noun) -> bool:
    if None in (thing.number, wanted.number) or thing.number == wanted.number:
        return False
    return [word.base for word in thing.words] == [word.base for word in wanted.words]


def _stands_for(thing: Noun, wanted: Noun) -> bool:
    """Whether `any`, `none` or `enough` stands for the thing that the question names."""
    if thing.words and thing.words[-1].written in ("one", "ones"):
        return wanted.quantity != "enough" or thing.quantity == "enough"
    if thing.words:
        return False
    return thing.quantity == wanted.quantity or (
        wanted.quantity != "enough" and thing.quantity in ("no", "any", "some")
    )
