"""Parts of boolean questions: subjects and predicates, and the clauses that say what would be (C-VQA 3.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from whatif.benchmarks.cvqa_real.rules.boolean_states import COLOURS, STATES
from whatif.benchmarks.cvqa_real.rules.question_words import (
    DETERMINERS,
    PREPOSITIONS,
    THEY,
    Pronoun,
    head_of,
    is_alive,
    is_plural,
    pronoun_of,
    singular,
    words_of,
)

_Option = TypeVar("_Option")

UNKNOWN_PREDICATE = "has a predicate that the rules do not know"
UNKNOWN_VERB = "has a verb that the rules do not know"
ASKS_AMOUNT = "asks for an amount"
AMOUNT = re.compile(
    r"\b(?:enough|sufficient|a lot of|lots of|many|much|several|few|at least|only|too|so|more|most|less|another|"
    r"two|three|four|\d+)\b"
)
ANYONE = re.compile(r"(?:anyone|anybody|someone|somebody|any person)\b", re.IGNORECASE)
ALONE = words_of("he she they it this that these those anyone someone anybody somebody everyone everybody people")
_ADVERBS = words_of("currently really very completely all totally fully still just actually now both also almost quite")
_PARTICIPLES = words_of(
    "taken built shown eaten broken worn cut held seen hung driven thrown kept left able good available "
    "due likely safe somewhere years year old bad famous known full empty"
)
_NO_END = words_of(
    "a an the and very too so not as is are up down there made turned much more most solid anything something nothing"
)


class Flipped(NamedTuple):
    """The new question up to its condition, the condition, and the statement that becomes true."""

    frame: str
    condition: str
    situation: str


class Parts(NamedTuple):
    """A question `Is SUBJECT PREDICATE?`, with its verb in lower case."""

    verb: str
    subject: str
    predicate: str


def divided(text: str, begins: Callable[[Sequence[str], int], bool]) -> Parts | None:
    """The question divided where its predicate begins; `begins` gets the words after the verb and a place.

    None if the verb is not `is` or `are`, if no predicate begins, or if what is before it cannot be a subject.
    """
    first, *rest = text.split()
    places = [place for place in range(1, len(rest)) if begins(rest, place)]
    if first.lower() not in {"is", "are"} or not places:
        return None
    subject = rest[: places[0]]
    while len(subject) > 1 and subject[-1].lower() in _ADVERBS:
        subject = subject[:-1]
    said = lowered(" ".join(subject))
    return Parts(first.lower(), said, " ".join(rest[len(subject) :])) if is_subject(said) else None


def is_subject(subject: str) -> bool:
    """Whether a phrase can be a subject: a pronoun, or a determiner with a noun."""
    words = subject.lower().split()
    if len(words) == 1:
        return words[0] in ALONE
    begins = words[0] in (DETERMINERS | {"all", "both"}) - {"a", "an", "any", "every", "each", "some"}
    if words[0] in {"all", "both"}:
        begins = words[1] in DETERMINERS or is_plural(words[1])
    elif words[1] in {"a", "an", "the"} | _NO_END:
        begins = False
    last = words[-1]
    ended = last in _NO_END | PREPOSITIONS | COLOURS | _PARTICIPLES or last in STATES
    participle = last.endswith("ed") and last not in {"bed", "shed", "sled", "seed", "weed"}
    numbered = any(word.isdecimal() for word in words)
    return begins and not (ended or participle or numbered or len(words) > 7 or has_clause(" ".join(words[1:])))


def has_clause(text: str) -> bool:
    """Whether a second clause begins, or two phrases are joined."""
    joins = {"that", "who", "which", "is", "are", "and", "if", "because", "when", "while", "where", "how"}
    return bool(joins & set(text.lower().split()))


def subject_pronoun(subject: str, predicate: str = "") -> Pronoun:
    """The pronoun of a subject. One person whose gender is not told is named again beside others in the plural."""
    pronoun = pronoun_of(subject)
    alone = pronoun == THEY and subject not in ALONE and not is_plural(head_of(subject)) and " and " not in subject
    if alone and any(is_plural(word) for word in predicate.split()):
        named = f"the {head_of(subject)}"
        return Pronoun(named, named, "their", "was")
    return pronoun


def stands_for_life(subject: str) -> bool:
    """Whether a subject is a person or an animal."""
    return subject in {"he", "she", "they"} or bool(ANYONE.match(subject)) or is_alive(single(head_of(subject)))


def is_flipped(parts: Parts, condition: str, yes: bool) -> Flipped:
    """The flipped question of a subject and its predicate under a condition."""
    first = parts.subject.partition(" ")[0]
    if first in {"all", "both"}:
        condition = re.sub(r"^they\b", f"{first} of them", condition)
    situation = f"{parts.subject} {parts.verb} {'not ' if yes else ''}{parts.predicate}"
    if ANYONE.fullmatch(parts.subject):
        situation = f"{'nobody' if yes else 'somebody'} is {parts.predicate}"
    return Flipped(f"Would {parts.subject} be {parts.predicate}", condition, situation)


def with_the(phrase: str) -> str:
    """A phrase with `the` in place of `a` and `any`: what was named once is known the second time."""
    return re.sub(r"\b(?:an?|any|some)\b", "the", phrase)


def lowered(subject: str) -> str:
    """A subject from the beginning of a question, without its capital, if that is no name."""
    first, space, rest = subject.partition(" ")
    return f"{first.lower() if first.lower() in DETERMINERS | ALONE | {'all', 'both'} else first}{space}{rest}"


def single(noun: str) -> str:
    """A noun in the singular, whichever its number was."""
    return singular(noun) if is_plural(noun) else noun


def one_of(options: Iterable[_Option], generator: np.random.Generator) -> _Option:
    """One of the options, uniformly at random."""
    listed = list(options)
    return listed[int(generator.integers(len(listed)))]
