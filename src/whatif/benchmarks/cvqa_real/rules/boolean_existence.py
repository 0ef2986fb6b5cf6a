"""Rules for boolean questions on what is there, and on what somebody or something has (C-VQA 3.1)."""

from __future__ import annotations

import re

import numpy as np

from whatif.benchmarks.cvqa_real.rules.boolean_clauses import (
    AMOUNT,
    ANYONE,
    ASKS_AMOUNT,
    UNKNOWN_PREDICATE,
    Flipped,
    has_clause,
    lowered,
    one_of,
    single,
    stands_for_life,
    subject_pronoun,
)
from whatif.benchmarks.cvqa_real.rules.boolean_states import BODY_PARTS, MASS, SHAVEN, WORN
from whatif.benchmarks.cvqa_real.rules.question_words import (
    DETERMINERS,
    PREPOSITIONS,
    head_of,
    is_alive,
    is_plural,
    is_verb_in_ing,
    refuse_if,
    singular,
    with_article,
    words_of,
)

_INDEFINITE = words_of("anything something nothing everything anyone someone anybody somebody")
_NO_NOUN = PREPOSITIONS | {"how", "what", "where", "all", "well", "clearly"}
_HERE = words_of("here nearby present outside inside visible shown there pictured anywhere")
_NOT_A_PHRASE = "the words after the verb are no noun phrase that the rules know"


def compared(text: str, yes: bool, generator: np.random.Generator) -> Flipped | None:
    """`Are there more balls than boxes`; other comparisons need the image."""
    found = re.fullmatch(r"are there more (\w+) than (\w+)", text, re.IGNORECASE)
    if found is None:
        compares = re.search(r"\b(?:than|same|different|equal|similar|matching|match|as \w+ as)\b", text.lower())
        refuse_if((compares is not None, "compares things"))
        return None
    more, fewer = found[1], found[2]
    refuse_if((not (is_plural(more) and is_plural(fewer)), "compares things"))
    if yes:
        condition = f"all {more} {one_of(('were taken away', 'disappeared', 'were removed'), generator)}"
    else:
        added = with_article(singular(more))
        condition = f"all {fewer} {one_of(('were taken away', 'were removed'), generator)} and {added} was added"
    return Flipped(
        f"Would there be more {more} than {fewer}",
        condition,
        f"there are {'not ' if yes else ''}more {more} than {fewer}",
    )


def existing(text: str, yes: bool, generator: np.random.Generator) -> Flipped | None:
    """`Is there a dog on the bed`, `Are there any red balls`, `Can you see snow`, `Do you see a cat`."""
    there = re.fullmatch(r"(is|are) there (.+)", text, re.IGNORECASE)
    found = there or re.fullmatch(r"(can|do) you see (.+)", text, re.IGNORECASE)
    if found is None:
        return None
    asked = found[2]
    would = "Would there be" if there else f"{'Could' if found[1].lower() == 'can' else 'Would'} you see"
    frame = f"{would} {asked}"
    first = asked.split(maxsplit=1)[0].lower()
    refuse_if((AMOUNT.search(asked.lower()) is not None, ASKS_AMOUNT))
    if ANYONE.match(asked) or first in _INDEFINITE:
        return _anyone(frame, asked, yes)
    definite = first in DETERMINERS - {"a", "an", "any", "some"}
    refuse_if(
        (first in _NO_NOUN or is_verb_in_ing(first) or asked.lower().startswith("any of"), _NOT_A_PHRASE),
        (definite and there is not None, "asks about a definite thing as if it was new"),
    )
    refuse_if((all(word[:1].isupper() for word in asked.split()), _NOT_A_PHRASE))  # a name
    situation = f"there {'are' if is_plural(head_of(asked)) else 'is'}"
    if definite:
        it, was = ("they", "were") if is_plural(head_of(asked)) else ("it", "was")
        condition = f"{it} {was} covered with a cloth" if yes else f"nothing hid {'them' if it == 'they' else 'it'}"
        return Flipped(frame, condition, f"you {'do not ' if yes else ''}see {asked}")
    bare = re.sub(r"^(?:an?|any|some)\s+", "", asked, flags=re.IGNORECASE)
    if yes:
        return Flipped(frame, _gone(bare, first, generator), f"{situation} no {bare}")
    return Flipped(frame, _come(bare, first, generator), f"{situation} {re.sub('^any ', '', asked)}")


def _gone(bare: str, first: str, generator: np.random.Generator) -> str:
    """All of them leave, disappear, or are taken away."""
    core, _ = _without_place(bare)
    head, several, mass = _counted(core, first)
    was = "were" if several else "was"
    if is_alive(single(head)):
        leave = one_of(("left", "went away"), generator)
    elif any(is_verb_in_ing(word) for word in bare.split()):
        leave = "disappeared"
    else:
        leave = one_of(("disappeared", f"{was} removed", f"{was} taken away"), generator)
    amount = "all" if several else ("all of the" if mass else "every")
    return f"{amount} {bare} {leave}"


def _come(bare: str, first: str, generator: np.random.Generator) -> str:
    """One or some of them come, appear, or are added."""
    core, place = _without_place(bare)
    head, several, mass = _counted(core, first)
    added = f"{'were' if several else 'was'} added"
    arrive = one_of(("came", "appeared") if is_alive(single(head)) else ("appeared", added), generator)
    if place and not (_scene(place) and arrive != "appeared"):
        arrive = f"appeared {place}"
    amount = core if several else (f"some {core}" if mass else with_article(core))
    return f"{amount} {arrive}"


def _counted(core: str, first: str) -> tuple[str, bool, bool]:
    """The head of a phrase, whether it is in the plural, and whether it cannot be counted."""
    head = head_of(core)
    several, mass = is_plural(head), head.lower() in MASS
    refuse_if(
        (not (several or mass) and first not in {"a", "an", "any", "some"}, _NOT_A_PHRASE),
        (has_clause(core) and head == core.rsplit(maxsplit=1)[-1] and "that" in core.split(), _NOT_A_PHRASE),
    )
    return head, several, mass and not several and first not in {"a", "an"}


def _anyone(frame: str, asked: str, yes: bool) -> Flipped:
    first, _, rest = asked.partition(" ")
    follows = rest.partition(" ")[0].lower()
    known = not rest or follows in PREPOSITIONS | {"there", "here"} or is_verb_in_ing(follows)
    refuse_if((first.lower() not in _INDEFINITE, ASKS_AMOUNT), (not known, UNKNOWN_PREDICATE))
    person = first.lower().endswith(("one", "body"))
    tail = f" {rest}" if rest else ""
    if yes:
        condition = f"everyone{tail} left" if person else f"everything{tail} was taken away"
        return Flipped(frame, condition, f"there is {'nobody' if person else 'nothing'}{tail}")
    who = "a man" if person else "a box"
    condition = f"{who}{tail} appeared" if is_verb_in_ing(follows) else f"{who} appeared{tail}"
    return Flipped(frame, condition, f"there is some{'one' if person else 'thing'}{tail}")


def _without_place(bare: str) -> tuple[str, str]:
    """The phrase and the place that ends it: (`dog`, `on the bed`); no place after a verb or a further clause."""
    words = bare.split()
    for place, word in enumerate(words):
        lower = word.lower()
        if place and (is_verb_in_ing(word) or lower in {"that", "who", "which"} or lower.endswith("ed")):
            return bare, ""
        if place and lower in PREPOSITIONS - {"with", "for", "about", "without", "to"}:
            refuse_if((" ".join(words[place + 1 : place + 2]).lower() in PREPOSITIONS, _NOT_A_PHRASE))
            return " ".join(words[:place]), " ".join(words[place:])
    if len(words) > 1 and words[-1].lower() in _HERE:
        return " ".join(words[:-1]), words[-1]
    return bare, ""


def _scene(place: str) -> bool:
    words = r"\b(?:picture|photo|image|scene|shot|here|there|visible|shown|pictured|anywhere|present|photograph)$"
    return re.search(words, place.lower()) is not None


def having(text: str, yes: bool, generator: np.random.Generator) -> Flipped | None:
    """`Does the man have a beard`, `Do the trees have leaves`, `Does he have a hat on`."""
    found = re.fullmatch(r"(does|do) (.+?) have (.+)", text, re.IGNORECASE)
    if found is None:
        return None
    verb, subject, owned = found[1].lower(), lowered(found[2]), found[3]
    thing = re.sub(r"^on | on$", "", owned)
    first = thing.split(maxsplit=1)[0].lower()
    bare, _ = _without_place(re.sub(r"^(?:an?|any|some)\s+", "", thing, flags=re.IGNORECASE))
    head = head_of(bare)
    refuse_if(
        (subject.split()[0] in {"you", "everyone", "anyone", "someone"} or has_clause(subject), UNKNOWN_PREDICATE),
        (subject.startswith(("any ", "either ", "a ", "most ")), UNKNOWN_PREDICATE),
        (AMOUNT.search(owned.lower()) is not None, ASKS_AMOUNT),
        (first in DETERMINERS - {"a", "an", "any", "some"} or first in {"all", "both", "to"}, UNKNOWN_PREDICATE),
        (len(bare.split()) > 3 or is_verb_in_ing(head) or has_clause(bare), UNKNOWN_PREDICATE),
        (head.lower() in BODY_PARTS and len(bare.split()) > 1, "asks what a part of the body is like"),
    )
    several = is_plural(head)
    if first in {"a", "an"} or (first == "any" and not several and head.lower() not in MASS):
        amount = with_article(bare)
    else:
        amount = bare if several else f"some {bare}"
    condition = _lost(subject, bare, head, several) if yes else _gained(subject, amount, head)
    statement = f"{'do' if verb == 'do' else 'does'} not have {re.sub(r'^some ', 'any ', owned)}"
    if not yes:
        statement = f"{'have' if verb == 'do' else 'has'} {re.sub(r'^any ', '', owned)}"
    return Flipped(f"Would {subject} have {owned}", condition, f"{subject} {statement}")


def _lost(subject: str, bare: str, head: str, several: bool) -> str:
    pronoun = subject_pronoun(subject)
    was = "were" if several else "was"
    if bare.lower() in SHAVEN:
        return f"{pronoun.subject} shaved {'them' if several else 'it'} off"
    if head.lower() in BODY_PARTS:
        return f"{'all of ' if several else ''}{pronoun.possessive} {bare} {was} removed"
    alive = stands_for_life(subject)
    taken = "taken off" if head.lower() in WORN and alive else ("taken away" if alive else "removed")
    return f"the {bare} {was} {taken}"


def _gained(subject: str, amount: str, head: str) -> str:
    pronoun = subject_pronoun(subject)
    if amount.rpartition(" ")[2].lower() in SHAVEN:
        return f"{pronoun.subject} let {amount} grow"
    if head.lower() in BODY_PARTS:
        return f"{pronoun.subject} grew {amount}"
    if stands_for_life(subject):
        worn = head.lower() in WORN
        return f"somebody put {amount} on {pronoun.object}" if worn else f"somebody gave {pronoun.object} {amount}"
    return f"{amount} {'were' if is_plural(head) else 'was'} added"
