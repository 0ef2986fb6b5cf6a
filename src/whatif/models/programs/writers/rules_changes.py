"""What a presupposition changes, and how many things of a kind there are after it (C-VQA 3.1).

The number after a change is a sum of numbers before it: of a kind, of the part of a kind that is at a place, or said in
words. So a program finds what is there, and computes the change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from whatif.models.programs.writers.rules_kinds import Kind


class NotUnderstoodError(Exception):
    """Why no program can be written; its text is the reason."""


@dataclass(frozen=True)
class Region:
    """A part of the image: `left half`, `top third`, `bottom right quarter`."""

    name: str


@dataclass(frozen=True)
class Beyond:
    """Further in a direction (`left`, `right`, `top`, `bottom`) than the only thing of a kind."""

    direction: str
    than: Kind


@dataclass(frozen=True)
class Outermost:
    """Among the first `number` things of a kind from one end of the image."""

    end: str
    of: Kind
    number: int = 1


@dataclass(frozen=True)
class Nearest:
    """The thing nearest to the only thing of a kind."""

    to: Kind


@dataclass(frozen=True)
class SameColour:
    """With the colour of the things of a kind. `several`: whether the question names more than one."""

    of: Kind
    several: bool


Place: TypeAlias = Region | Beyond | Outermost | Nearest | SameColour


@dataclass(frozen=True)
class Part:
    """A summand: `factor` times the number of things of a kind at a place, or times 1 where `kind` is None.

    It counts only if there is a thing of the kind `only_if`, where one is given.
    """

    factor: Fraction
    kind: Kind | None = None
    place: Place | None = None
    only_if: Kind | None = None


Sum: TypeAlias = tuple[Part, ...]
Before: TypeAlias = Callable[[Kind], Sum]


@dataclass(frozen=True)
class Removed:
    """The things of a kind, or those at a place, are no longer there, or cannot be seen.

    `but`: all things except those of this kind. `number`: so many of them; `half`: half of them.
    """

    which: Kind
    place: Place | None = None
    but: Kind | None = None
    number: int | None = None
    half: bool = False


@dataclass(frozen=True)
class Added:
    """So many more things of a kind. `number` None: one or more."""

    which: Kind
    number: int | None


@dataclass(frozen=True)
class Multiplied:
    """The number of things of a kind is so many times what it was."""

    which: Kind
    by: Fraction


@dataclass(frozen=True)
class Turned:
    """The things of a kind get another colour, noun or size."""

    which: Kind
    attribute: Literal["colour", "noun", "size"]
    to: str


@dataclass(frozen=True)
class Replaced:
    """Each thing of a kind makes way for so many others. What `by` does not name is as before."""

    which: Kind
    by: Kind
    number: int


@dataclass(frozen=True)
class Exchanged:
    """The things of two nouns exchange their colours, or become each other (`noun`)."""

    attribute: Literal["colour", "noun"]
    first: Kind
    second: Kind


Change: TypeAlias = Removed | Added | Multiplied | Turned | Replaced | Exchanged


def number_after(kind: Kind, changes: Sequence[Change], apart: Collection[str | None] = ()) -> Sum:
    """The number of things of a kind after changes, one after another.

    Things of two nouns are taken for different things only if the question itself contrasts them: both nouns are in
    `apart`, or one of them replaces the other. Raises NotUnderstoodError where the number cannot be told.
    """
    if not changes:
        return (Part(Fraction(1), kind),)

    def before(other: Kind) -> Sum:
        return number_after(other, changes[:-1], apart)

    last = changes[-1]
    if not isinstance(last, Exchanged | Replaced):
        _refuse_unclear_nouns(kind, last, apart)
    if isinstance(last, Removed):
        return _after_removal(kind, last, before, is_first=len(changes) == 1)
    if isinstance(last, Added | Multiplied):
        return _after_increase(kind, last, before)
    if isinstance(last, Turned):
        return _after_turning(kind, last, before)
    if isinstance(last, Replaced):
        return _after_replacement(kind, last, before)
    return _after_exchange(kind, last, before)


def _refuse_unclear_nouns(
    kind: Kind, change: Removed | Added | Multiplied | Turned, apart: Collection[str | None]
) -> None:
    """A dog may be an animal, and a picture without laptops may have fewer computers."""
    which = change.which
    becomes = isinstance(change, Turned) and change.attribute == "noun"
    if which.has_another_noun(kind) and not becomes and not {which.noun, kind.noun} <= set(apart):
        raise NotUnderstoodError(f"whether a {which.phrase} counts as a {kind.phrase} cannot be told")


def times(parts: Sum, factor: Fraction | int) -> Sum:
    """A sum, each part of it multiplied."""
    return tuple(Part(part.factor * factor, part.kind, part.place, part.only_if) for part in parts)


def _is_affected(which: Kind, kind: Kind) -> bool:
    """Whether a number of things that is said counts for a kind. Raises NotUnderstoodError where it depends."""
    named_shortly = which.noun is not None and kind.implies(which)  # `pillows` after `white pillows`
    if which.implies(kind) or named_shortly:
        return True
    if which.both(kind) is None:
        return False
    raise NotUnderstoodError(f"how many of the {which.plural} are {kind.plural} is not said")


def _after_increase(kind: Kind, change: Added | Multiplied, before: Before) -> Sum:
    if not _is_affected(change.which, kind):
        return before(kind)
    if isinstance(change, Multiplied):
        return times(before(kind), change.by)
    return (*before(kind), Part(Fraction(change.number or 1)))


def _after_removal(kind: Kind, change: Removed, before: Before, *, is_first: bool) -> Sum:
    if change.but is not None:
        kept = kind.both(change.but)
        return before(kept) if kept is not None else _minus(before(kind), before(kind))
    if change.number is not None:
        gone = (Part(Fraction(change.number)),) if _is_affected(change.which, kind) else ()
        return _minus(before(kind), gone)
    if change.place is not None and not is_first:
        raise NotUnderstoodError("places after another change are not known")
    both = kind.both(change.which)
    return before(kind) if both is None else _minus(before(kind), _gone(kind, both, change, before))


def _gone(kind: Kind, both: Kind, change: Removed, before: Before) -> Sum:
    """The things of a kind that a change removes; `both`: the kind of all that may be among them."""
    if change.place is not None:
        return (Part(Fraction(1), both, change.place),)
    if change.half and change.which != kind:
        raise NotUnderstoodError(f"how many {both.plural} are among the half that is removed is not said")
    return times(before(both), Fraction(1, 2)) if change.half else before(both)


def _minus(parts: Sum, others: Sum) -> Sum:
    return parts + times(others, -1)


def _after_turning(kind: Kind, change: Turned, before: Before) -> Sum:
    wanted = getattr(kind, change.attribute)
    if wanted is None:
        return before(kind)
    if wanted != change.to:
        both = kind.both(change.which)
        return before(kind) if both is None else _minus(before(kind), before(both))
    become = kind.of(**{change.attribute: None}).both(change.which)
    if become is None:
        return before(kind)
    already = kind.both(become)
    return before(kind) + before(become) if already is None else _minus(before(kind) + before(become), before(already))


def _after_replacement(kind: Kind, change: Replaced, before: Before) -> Sum:
    gone = kind.both(change.which)
    left = before(kind) if gone is None else _minus(before(kind), before(gone))
    if kind.has_another_noun(change.by) and kind.has_another_noun(change.which):
        raise NotUnderstoodError(f"whether a {change.by.phrase} counts as a {kind.phrase} cannot be told")
    if kind.both(change.by) is None:
        return left
    said = {key: None for key in ("noun", "colour", "size") if getattr(change.by, key) is not None}
    others = kind.of(**said).both(change.which)
    return left if others is None else left + times(before(others), change.number)


def _after_exchange(kind: Kind, change: Exchanged, before: Before) -> Sum:
    first, second = change.first, change.second
    if change.attribute == "noun":
        other = {first.noun: second.noun, second.noun: first.noun}.get(kind.noun)
        return before(kind) if other is None else before(kind.of(noun=other))
    if kind.colour is None:
        return before(kind)
    result = before(kind)
    for own, theirs in ((first, second), (second, first)):
        had, get = kind.both(own), kind.of(colour=None).both(own)
        if had is not None:
            result = _minus(result, before(had))
        if get is not None:
            gained = before(get)
            condition = theirs.of(colour=kind.colour)
            result += tuple(Part(part.factor, part.kind, part.place, condition) for part in gained)
    return result
