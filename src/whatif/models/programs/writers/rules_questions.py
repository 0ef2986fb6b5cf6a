"""Reads questions about images: what is asked, and what is presupposed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from whatif.engine.language.if_clauses import if_clause
from whatif.models.programs.writers.rules_changes import Change, NotUnderstoodError
from whatif.models.programs.writers.rules_kinds import COLOURS, SIZES, Kind, kind_of
from whatif.models.programs.writers.rules_presuppositions import changes_of

_VALUE = "|".join((*COLOURS, *SIZES))
_RELATION = r"(?:to the )?(left of|right of)|(?:to the )?(above|below)"
_WHERE_IT_WAS_PUT = rf"(?:it was moved to a place|somebody put it|it was moved|it was put) (?:{_RELATION}) the [a-z ]+"
_SWAPPED = r"(?:each was put in the place of the other|(?:the two|they) (?:swapped|exchanged) places)"
_MIRRORED = r"the (?:image|picture) (?:was|were) (?:mirrored|flipped)(?: from left to right| left to right)?"
# Words after a counted noun that say no more than that it is in the image.
_NOWHERE = re.compile(
    r"(?:(?:in|on) (?:the|this|that|all of this) (?:image|picture|photo|photograph|scene|pic|shot)"
    r"|in total|all together|altogether|here|there|visible|shown|seen|pictured|present|depicted|displayed|showing)"
)
_BE = r"(?:are|is|were|was|would|could|can|do|does|will|did)"
_ENDING = re.compile(
    rf" (?:{_BE}) (?:there (?:be|left)\b|there\b|(?:be|have been)(?: left| seen)?\b|(?:you|we|one) [a-z]+|"
    r"the image show)?"
)


@dataclass(frozen=True)
class HowMany:
    """How many things of a kind there are."""

    kind: Kind


@dataclass(frozen=True)
class IsThere:
    """Whether there is a thing of a kind."""

    kind: Kind


@dataclass(frozen=True)
class AreThere:
    """Whether there are `more` things of one kind than of another, or `as many`."""

    compares: Literal["more", "as many"]
    first: Kind
    second: Kind

    @property
    def nouns(self) -> tuple[str | None, str | None]:
        """The two nouns, which the question contrasts."""
        return self.first.noun, self.second.noun


@dataclass(frozen=True)
class IsOf:
    """Whether things of a kind have a colour or a size."""

    kind: Kind
    value: str


@dataclass(frozen=True)
class IsBackground:
    """Whether the background has a colour; `now` is the colour that is presupposed."""

    colour: str
    now: str | None = None


@dataclass(frozen=True)
class IsWhere:
    """Whether a thing is `left of`, `right of`, `above` or `below` another.

    `placed`: where it is put first. `swapped`: the two have exchanged their places; `mirrored`: left is right.
    """

    first: Kind
    relation: str
    second: Kind
    placed: str | None = None
    swapped: bool = False
    mirrored: bool = False


@dataclass(frozen=True)
class Simple:
    """Another question, for a model that answers questions about images. `yes_no`: whether it begins with a verb."""

    question: str
    yes_no: bool


Asked: TypeAlias = HowMany | IsThere | AreThere | IsOf | IsBackground | IsWhere | Simple


@dataclass(frozen=True)
class Read:
    """A question: what it asks, and the changes that it presupposes, in their order."""

    asked: Asked
    changes: tuple[Change, ...] = ()
    presupposition: str = ""


def parts_of(question: str) -> tuple[str, str]:
    """The question in lower case without its presupposition and its question mark; and the words after `if`."""
    words = " ".join(question.lower().split()).rstrip("?. ")
    clause = if_clause(question)
    if clause is None:
        return words, ""
    main = " ".join(words.replace(clause, " ").split()).strip(" ,")
    return main, re.sub(r"^(?:only |even |what )?if ", "", clause)


def read_question(question: str, *, literal: bool) -> Read:
    """What a question asks; with `literal` as if it presupposed nothing. Raises NotUnderstoodError."""
    main, clause = parts_of(question)
    asked = _asked(main)
    if literal or not clause:
        return Read(asked)
    if isinstance(asked, IsBackground):
        return Read(_on_another_background(asked, clause), presupposition=clause)
    if isinstance(asked, IsWhere):
        return Read(_elsewhere(asked, clause), presupposition=clause)
    if isinstance(asked, Simple):
        raise NotUnderstoodError("the question does not ask for things, so what its presupposition changes is unknown")
    subject = asked.first if isinstance(asked, AreThere) else asked.kind
    return Read(asked, changes_of(clause, subject), clause)


def _asked(main: str) -> Asked:
    if main.startswith("how many "):
        return _counted(main.removeprefix("how many "))
    for pattern, asked_of in _YES_OR_NO.items():
        found = re.fullmatch(pattern, main)
        if found:
            return asked_of(*found.groups())
    return _simple(main)


def _are_there(compares: str, first: str, second: str) -> AreThere:
    return AreThere("more" if compares == "more" else "as many", _kind(first), _kind(second))


def _is_where(first: str, beside: str | None, over: str | None, second: str) -> IsWhere:
    return IsWhere(_kind(first), beside or over or "", _kind(second))


_YES_OR_NO: dict[str, Callable[..., Asked]] = {
    r"(?:are|would) there (?:be )?(more|as many) ([a-z ]+) (?:than|as) ([a-z ]+)": _are_there,
    r"(?:is|are|would) there (?:be )?(?:an?|any) ([a-z' -]+)": lambda words: IsThere(_kind(_without_nowhere(words))),
    rf"(?:is|would) the background (?:be )?({'|'.join(COLOURS)})": IsBackground,
    rf"(?:is|would) the ([a-z ]+?) (?:be )?(?:{_RELATION}) the ([a-z ]+)": _is_where,
    rf"(?:is|are|would) the ([a-z]+|(?:{'|'.join(COLOURS)}) [a-z]+) (?:be )?({_VALUE})": lambda words, value: IsOf(
        _kind(words), value
    ),
}


def _counted(words: str) -> HowMany:
    """What `How many ...` counts: `dogs are on the bed` is the kind `dog on the bed`."""
    ending = _ENDING.search(f"{words} ")
    named = words[: ending.start()] if ending else words
    where = words[ending.end() :] if ending else ""
    named, where = _without_nowhere(named), _without_nowhere(where)
    kind = _kind(named)
    rest = " ".join(word for word in (kind.rest, where) if word)
    return HowMany(kind.of(rest=rest))


def _simple(main: str) -> Simple:
    """A question for a model: in the present, as it is asked of an image without a presupposition."""
    if found := re.fullmatch(r"would (there|it|they|this|that|these|those) be (.+)", main):
        verb = "are" if found[1] in ("they", "these", "those") else "is"
        return Simple(f"{verb.capitalize()} {found[1]} {found[2]}?", True)
    if found := re.fullmatch(r"would (.+?) be (.+)", main):
        several = found[1].split()[-1].endswith("s") and not found[1].endswith("ss")
        return Simple(f"{'Are' if several else 'Is'} {found[1]} {found[2]}?", True)
    yes_no = re.match(r"(?:is|are|was|were|do|does|did|has|have|can|could|would|will)\b", main) is not None
    if not main:
        raise NotUnderstoodError("the question is empty")
    return Simple(f"{main[0].upper()}{main[1:]}?", yes_no)


def _on_another_background(asked: IsBackground, clause: str) -> IsBackground:
    found = re.fullmatch(
        rf"(?:it|the background) (?:turned|was painted|were painted|was|were|became) ({'|'.join(COLOURS)})", clause
    )
    if found is None:
        raise NotUnderstoodError("the presupposition about the background is not understood")
    return IsBackground(asked.colour, found[1])


def _elsewhere(asked: IsWhere, clause: str) -> IsWhere:
    if found := re.fullmatch(_WHERE_IT_WAS_PUT, clause):
        return IsWhere(asked.first, asked.relation, asked.second, placed=found[1] or found[2])
    swapped, mirrored = (re.fullmatch(pattern, clause) is not None for pattern in (_SWAPPED, _MIRRORED))
    if not swapped and not mirrored:
        raise NotUnderstoodError("the presupposition about places is not understood")
    return IsWhere(asked.first, asked.relation, asked.second, swapped=swapped, mirrored=mirrored)


def _without_nowhere(words: str) -> str:
    """A phrase without `in the picture` and its like."""
    return " ".join(_NOWHERE.sub(" ", words).split())


def _kind(words: str) -> Kind:
    kind = kind_of(words)
    if kind is None:
        raise NotUnderstoodError("the question names no things that can be found")
    return kind
