"""Rules for boolean questions on what something is, where it is, and what it does (C-VQA 3.1)."""

from __future__ import annotations

import re

import numpy as np

from whatif.benchmarks.cvqa_real.rules.boolean_clauses import (
    ALONE,
    AMOUNT,
    ANYONE,
    UNKNOWN_PREDICATE,
    UNKNOWN_VERB,
    Flipped,
    Parts,
    divided,
    has_clause,
    is_flipped,
    is_subject,
    lowered,
    one_of,
    single,
    stands_for_life,
    subject_pronoun,
    with_the,
)
from whatif.benchmarks.cvqa_real.rules.boolean_states import (
    BEGINNINGS_OF,
    COLOURS,
    ENDS_OF,
    ONLY_OF,
    PLACES,
    STATES,
    WEATHER,
    WORN,
)
from whatif.benchmarks.cvqa_real.rules.question_words import (
    DETERMINERS,
    PERSON,
    PREPOSITIONS,
    head_of,
    is_plural,
    is_verb_in_ing,
    kind_of,
    refuse_if,
    words_of,
)

_RELATIONS = r"(?:to the )?(?:left|right) of|above|below"
_UNPAINTED = words_of("sky hair grass water sea ocean fur snow food fruit light lights eyes skin clouds background")
_UNKNOWN_VERBS = words_of("being having getting going trying missing showing facing doing making taking using racing")
_PLACED = words_of("in on under behind near inside above below beside at next")
_NO_PLACES = words_of(
    "background foreground middle distance front mood hurry picture photo image line row way air season "
    "shade phone computer wind sun shadow group pair angle corner left right motion jersey outfit "
    "costume position pose team internet laptop side sky night day competition morning game race wild "
    "industry army future past same class"
)
_ABSTRACT = words_of(
    "day time game match party picture photo photograph image shot event scene way place area thing "
    "sport race team competition wedding contest meal family couple group holiday season night moment "
    "concept idea painting drawing type kind good bad color colour breed view weather angle job hobby "
    "session practice food"
)
_COLOURS_TO_PAINT = ("red", "yellow", "green", "blue", "white", "black")


def of_weather(text: str, yes: bool, generator: np.random.Generator) -> Flipped | None:
    """`Is it raining`, `Is this a cloudy day`."""
    found = re.fullmatch(r"is (it|this|that) ((?:a |an )?(?:currently |still )?(.+))", text, re.IGNORECASE)
    if found is None:
        return None
    subject, state = found[1].lower(), found[3].lower()
    changes = WEATHER.get(state) or WEATHER.get(f"a {state}")
    felt = state in {"cold", "hot", "warm", "wet", "dark"} and subject != "it"
    if changes is None or felt:
        return None
    said = f"{subject} is {'not ' if yes else ''}{found[2]}"
    return Flipped(f"Would {subject} be {found[2]}", changes[0 if yes else 1], said)


def of_relation(text: str, yes: bool, generator: np.random.Generator) -> Flipped | None:
    """`Is the heart to the left of the star`: of two things that are somewhere else, one can be moved."""
    found = re.fullmatch(rf"is (the \w+(?: \w+)?) ({_RELATIONS}) (the \w+(?: \w+)?)", text, re.IGNORECASE)
    if found is None:
        return None
    subject, where, other = found[1].lower(), found[2].lower(), found[3]
    if yes:
        swaps = ("the two swapped places", "each was put in the place of the other")
        condition = one_of(swaps, generator)
    else:
        side = where if where in {"above", "below"} or where.startswith("to ") else f"to the {where}"
        moved = ("it was moved to a place", "somebody put it")
        condition = f"{one_of(moved, generator)} {side} {other}"
    said = f"{subject} is {'not ' if yes else ''}{where} {other}"
    return Flipped(f"Would {subject} be {where} {other}", condition, said)


def of_kind(text: str, yes: bool, generator: np.random.Generator) -> Flipped | None:
    """`Is this a zebra`: it is replaced with something of another kind, or with one of this kind."""
    found = re.fullmatch(r"(is|are) (this|that|these|those|it|they) (an? .+|[a-z]+s)", text, re.IGNORECASE)
    if found is None:
        return None
    verb, subject, kind = found[1].lower(), found[2].lower(), found[3]
    several = verb == "are"
    head = single(head_of(kind)).lower()
    if several != is_plural(head_of(kind)) or several != (subject in {"these", "those", "they"}):
        return None
    known = not (head in _ABSTRACT or has_clause(kind) or AMOUNT.search(kind.lower()))
    refuse_if((not known, "names a kind that the rules cannot exchange"))
    was = "they were" if several else "it was"
    if head in PLACES and not several:
        other = one_of(sorted({"car park", "library", "swimming pool"} - {head}), generator)
        condition = f"{was} turned into {f'a {other}' if yes else kind}"
    elif kind_of(head) == PERSON:
        others = ("trees", "street lamps") if several else ("a tree", "a street lamp", "an empty chair")
        condition = f"{one_of(others, generator) if yes else kind} stood there instead"
    else:
        several_others, other_ones = ("stones", "flower pots"), ("a stone", "a flower pot", "a wooden block")
        other = one_of(several_others if several else other_ones, generator)
        condition = f"{was} replaced with {other if yes else kind}"
    return Flipped(f"Would {subject} be {kind}", condition, f"{subject} {verb} {'not ' if yes else ''}{kind}")


def of_doing(text: str, yes: bool, generator: np.random.Generator) -> Flipped | None:
    """`Is the man riding a horse`: he stops, or he starts."""
    parts = divided(text, lambda words, place: is_verb_in_ing(words[place]) and words[place].lower() not in STATES)
    if parts is None:
        return None
    verb, _, rest = parts.predicate.partition(" ")
    last = rest.rpartition(" ")[2].lower()
    adjective = last in {"plastic", "big", "painted"} or (
        len(rest.split()) > 1 and last.endswith("ed") and last != "bed"
    )
    refuse_if(
        (verb.lower() in _UNKNOWN_VERBS or parts.subject in {"this", "that", "these", "those"}, UNKNOWN_VERB),
        (any(is_verb_in_ing(word) for word in rest.split()) or has_clause(rest), UNKNOWN_PREDICATE),
        (AMOUNT.search(rest.lower()) is not None or adjective, UNKNOWN_PREDICATE),
    )
    return is_flipped(parts, _stopped(parts, rest) if yes else _started(parts, rest), yes)


def _stopped(parts: Parts, rest: str) -> str:
    if ANYONE.fullmatch(parts.subject) or parts.subject in {"everyone", "everybody"}:
        return f"everyone stopped {parts.predicate}"
    pronoun = subject_pronoun(parts.subject, rest)
    verb = parts.predicate.split(maxsplit=1)[0].lower()
    known = with_the(rest)
    short = rest and not set(rest.lower().split()) & (PREPOSITIONS | {"up", "out", "down"})
    if verb == "wearing" and short:
        return f"{pronoun.subject} took off {_the(known)}"
    if verb in {"holding", "carrying"} and short and stands_for_life(parts.subject):
        return f"{pronoun.subject} put {_the(known)} down"
    if verb == "riding" and short:
        return f"{pronoun.subject} got off {_the(known)}"
    if verb in ENDS_OF and (stands_for_life(parts.subject) or verb == "flying"):
        return ENDS_OF[verb].format(s=pronoun.subject)
    return f"{pronoun.subject} stopped {verb} {known}".strip()


def _started(parts: Parts, rest: str) -> str:
    anyone = ANYONE.fullmatch(parts.subject) is not None
    pronoun = subject_pronoun(parts.subject, rest)
    subject = "somebody" if anyone else pronoun.subject
    verb = parts.predicate.split(maxsplit=1)[0].lower()
    some = re.sub(r"\bany\b", "some", rest)
    begins = BEGINNINGS_OF.get(verb)
    if begins and (rest or "{rest}" not in begins or verb in {"sitting", "sleeping", "lying", "laying"}):
        return begins.format(s=subject, p="their" if anyone else pronoun.possessive, rest=some).strip()
    if verb == "standing" and not rest:
        return f"{subject} stood up"
    return f"{subject} started {verb} {some}".strip()


def _the(known: str) -> str:
    """`glasses` that are worn or held are known: `the glasses`."""
    return known if known.split(maxsplit=1)[0].lower() in DETERMINERS else f"the {known}"


def of_state(text: str, yes: bool, generator: np.random.Generator) -> Flipped | None:
    """`Is the door open`, `Are the balls red`, `Does the man look happy`: a known state at the end."""
    words = text.split()
    looks = re.fullmatch(r"(?:does|do) (.+?) ((?:look|appear|seem)(?: to be)?) (.+)", text, re.IGNORECASE)
    for length in (4, 3, 2, 1):
        state = " ".join(words[-length:]).lower()
        if len(words) < length + 2 or not (state in COLOURS or state in STATES):
            continue
        if looks is not None:
            return _looking(looks, state, yes, generator)
        parts = divided(text, lambda rest, place, length=length: place == len(rest) - length)  # type: ignore[misc]
        if parts is None:
            return None
        return is_flipped(parts, _state_ended(state, parts.subject, yes, generator), yes)
    return None


def _looking(looks: re.Match[str], state: str, yes: bool, generator: np.random.Generator) -> Flipped | None:
    subject, verb, said = lowered(looks[1]), looks[2].lower(), looks[3]
    if said.lower() != state or not is_subject(subject):
        return None
    condition = _state_ended(state, subject, yes, generator)
    several = is_plural(head_of(subject)) or subject in {"they", "these", "those"}
    does = "do" if several else "does"
    third = re.sub(r"^(\w+)", r"\1s", verb)
    statement = f"{does} not {verb}" if yes else (verb if several else third)
    return Flipped(f"Would {subject} {verb} {said}", condition, f"{subject} {statement} {said}")


def _state_ended(state: str, subject: str, yes: bool, generator: np.random.Generator) -> str:
    pronoun = subject_pronoun(subject)
    head = head_of(subject).lower()
    if state in COLOURS:
        painted = not stands_for_life(subject) and head not in _UNPAINTED
        colours = [name for name in _COLOURS_TO_PAINT if name != state]
        colour = one_of(colours, generator) if yes else state
        return f"{pronoun.subject} {f'{pronoun.was} painted' if painted else 'turned'} {colour}"
    template = STATES[state][0 if yes else 1]
    refuse_if((not template or head not in ONLY_OF.get(state, {head}), UNKNOWN_PREDICATE))
    return template.format(s=pronoun.subject, o=pronoun.object, p=pronoun.possessive, was=pronoun.was)


def of_place(text: str, yes: bool, generator: np.random.Generator) -> Flipped | None:
    """`Is the cat on the bed`: the subject is moved away, or there."""
    parts = divided(text, lambda words, place: words[place].lower() in PREPOSITIONS)
    if parts is None or ANYONE.match(parts.subject):
        return None
    words = parts.predicate.lower().split()
    start = 2 if words[:2] == ["next", "to"] else 1
    target = words[start:]
    placed = words[0] in _PLACED and target[:1] and target[0] in {"the", "a", "an", "this", "that"} and len(target) <= 3
    noun = single(target[-1]) if target else ""
    unknown = noun in WORN | _NO_PLACES or target[-1:] == ["there"] or bool(set(target[1:]) & (PREPOSITIONS | COLOURS))
    bare = parts.subject in ALONE and parts.subject not in {"he", "she", "they"} and words[0] in {"in", "at"}
    described = len(target) == 3 and is_plural(target[-1]) and target[0] not in {"the"}
    refuse_if((not placed or unknown or bare or described or has_clause(parts.predicate), UNKNOWN_PREDICATE))
    pronoun = subject_pronoun(parts.subject, parts.predicate)
    alive = stands_for_life(parts.subject)
    if yes:
        moved = "moved" if alive else f"{pronoun.was} moved"
        return is_flipped(parts, f"{pronoun.subject} {moved} far away from {with_the(' '.join(target))}", yes)
    return is_flipped(parts, f"{pronoun.subject} {_moved(parts.predicate.lower(), alive, pronoun.was)}", yes)


def _moved(place: str, alive: bool, was: str) -> str:
    """What brings a subject to a place: `got onto the bed`, `was put on the bed`."""
    preposition, _, target = place.partition(" ")
    if not alive:
        return f"{was} put {place}"
    went = {"on": "got onto", "in": "went into", "inside": "went into", "at": "went to"}.get(preposition)
    return f"{went} {target}" if went else f"moved to a place {place}"
