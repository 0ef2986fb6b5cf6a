"""Reads presuppositions: the words after `if`, as changes of what an image shows (C-VQA 3.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from whatif.models.programs.writers.rules_changes import (
    Added,
    Beyond,
    Change,
    Exchanged,
    Multiplied,
    Nearest,
    NotUnderstoodError,
    Outermost,
    Place,
    Region,
    Removed,
    Replaced,
    SameColour,
    Turned,
)
from whatif.models.programs.writers.rules_kinds import COLOURS, NUMBERS, SIZES, Kind, kind_of, number_of, predicate_kind

_BE = r"(?:was|were|is|are|had been|have been|got)"
_GONE = (
    rf"(?:{_BE} (?:all )?(?:removed|taken away|taken out|erased|eaten|hidden|covered|invisible|gone|deleted|"
    r"driven away|as transparent as glass|not there|not here|not shown|not visible|sold|thrown away|cut down)"
    r"|disappeared|vanished|left|went away|went home|flew away|swam away|ran away|walked away|drove away|had left)"
)
_COME = (
    rf"(?:{_BE} (?:added|put there|there|here|placed|brought|parked|built|planted|shown|present|"
    r"visible|drawn|seen|set|hung|installed|introduced|included)"
    r"|appeared?|came|arrived|joined(?: them| the [a-z]+)?|showed up|entered|landed)"
)
_WHERE = r"(?: (?:from|to|in|on|at|of|by|into|onto|beside|near|next|here|there|too|as well|also)\b.*)?"
_N = rf"(\d+|{'|'.join(NUMBERS)})"
_NP = (
    r"((?!(?:of|more|other|fewer|less|in|on|at|visible|here|there|to|no)\b)"
    r"(?:(?! (?:and|was|were|is|are|had|that)\b)[a-z' -])+?)"
)
_THEM = r"(?:them|those|these)"
_COLOUR, _SIZE = "|".join(COLOURS), "|".join(SIZES)
_ENDS = {"leftmost": "left", "rightmost": "right", "topmost": "top", "bottommost": "bottom"}
_FURTHER = {
    "further left than": "left",
    "further right than": "right",
    "higher in the image than": "top",
    "lower in the image than": "bottom",
}
_REGION = (
    r"((?:left|right|top|bottom) (?:half|third)|(?:top|bottom) (?:left|right) quarter)(?: of the (?:image|picture))?"
)
_OPPOSITE = {"left": "right", "right": "left", "top": "bottom", "bottom": "top"}


def changes_of(clause: str, asked: Kind) -> tuple[Change, ...]:
    """The changes that a clause presupposes, in their order; `asked` is what `they`, `them` and `it` stand for.

    The clause is in lower case, without `if`. Raises NotUnderstoodError for a clause that no rule reads.
    """
    whole = _read(clause, asked, _WHOLE) or _read(clause, asked, _SIMPLE)
    if whole is not None:
        return (whole,)
    found = []
    for part in re.split(r",? and then |, then |,? and |, ", clause):
        change = _read(part.strip(), asked, _SIMPLE)
        if change is None:
            raise NotUnderstoodError("the presupposition is not understood")
        found.append(change)
        asked = change.which if isinstance(change, (Added, Removed)) and change.which != Kind() else asked
    return tuple(found)


def _read(text: str, asked: Kind, rules: Mapping[str, Callable[..., Change | None]]) -> Change | None:
    for pattern, change_of in rules.items():
        match = re.fullmatch(pattern, text)
        change = change_of(asked, *match.groups()) if match else None
        if change is not None:
            return change
    return None


def _things(words: str, asked: Kind) -> Kind:
    """The kind that a phrase names: `the boxes`, `them`, or every thing where it has no noun."""
    if re.fullmatch(rf"(?:{_THEM}|they|it|all|both)", words.strip()):
        return asked
    kind = kind_of(words)
    if kind is None:
        raise NotUnderstoodError("the presupposition names no things")
    return kind


def _all_gone(asked: Kind, words: str) -> Removed:
    return Removed(_things(words, asked))


def _all_but_gone(asked: Kind, predicate: str) -> Removed:
    return Removed(Kind(), but=predicate_kind(predicate))


def _number_gone(asked: Kind, number: str, words: str | None) -> Removed:
    return Removed(_things(words or "them", asked), number=number_of(number))


def _half_gone(asked: Kind, words: str) -> Removed:
    return Removed(_things(words, asked), half=True)


def _come(asked: Kind, number: str, words: str | None) -> Added:
    return Added(_things(words or "them", asked), number_of(number))


def _some_come(asked: Kind, words: str) -> Added | None:
    return Added(_things(words, asked), None)


def _number_of_things(asked: Kind, times: str, words: str | None) -> Multiplied:
    factors = {"doubled": "2", "twice": "2", "tripled": "3", "three times": "3", "halved": "1/2"}
    return Multiplied(_things(words or "them", asked), Fraction(factors[times]))


def _as_many(asked: Kind, words: str) -> Multiplied:
    return Multiplied(_things(words, asked), Fraction(1))


def _in_another_colour(asked: Kind, words: str) -> Removed | Multiplied:
    """Things of the colour that is asked for are no longer of it; without a colour nothing changes."""
    return _as_many(asked, words) if asked.colour is None else _all_gone(asked, words)


def _at_a_place(place_of: Callable[..., Place]) -> Callable[..., Removed]:
    def change_of(asked: Kind, *words: str | None) -> Removed:
        return Removed(Kind(), place=place_of(*words))

    return change_of


def _kept(side: str, part: str) -> Region:
    """The part that is cut off where only another one is kept."""
    return Region(f"{_OPPOSITE[side]} {part}")


def _of_a_colour(asked: Kind, words: str) -> Removed:
    """What has the colour of the background cannot be seen."""
    of = _things(words, asked)
    if of.colour is not None:
        return Removed(Kind(colour=of.colour))
    return Removed(Kind(), place=SameColour(of, several=of.plural == words))


def _outermost(asked: Kind, number: str | None, end: str, words: str) -> Removed:
    of = _things(words, asked)
    return Removed(of, place=Outermost(_ENDS[end], of, number_of(number or "one") or 1))


def _only(words: str) -> Kind:
    return _things(words, Kind())


def _turned(asked: Kind, words: str, value: str) -> Turned:
    return Turned(_things(words, asked), "colour" if value in COLOURS else "size", value)


def _renamed(asked: Kind, words: str, noun: str) -> Turned | None:
    to = _things(noun, asked)
    return Turned(_things(words, asked), "noun", to.noun) if to.noun and to == Kind(to.noun) else None


def _replaced(asked: Kind, words: str, number: str, by: str) -> Replaced:
    return Replaced(_things(words, asked), _things(by, asked), number_of(number) or 1)


def _in_place_of(asked: Kind, number: str, by: str, words: str) -> Replaced:
    return _replaced(asked, words, number, by)


def _swapped_nouns(asked: Kind, first: str, second: str) -> Exchanged:
    return Exchanged("noun", Kind(first), Kind(second))


def _swapped_colours(asked: Kind, first: str, second: str) -> Exchanged:
    return Exchanged("colour", _things(first, asked), _things(second, asked))


# Whole clauses that contain `and`.
_WHOLE: dict[str, Callable[..., Change | None]] = {
    r"every (\w+) (?:was|were) an? (\w+) and every \2 (?:was|were) an? \1": _swapped_nouns,
    rf"the {_NP} and the {_NP} (?:exchanged|swapped) colou?rs": _swapped_colours,
}
# The first pattern that fits decides, so places come before plain noun phrases.
_SIMPLE: dict[str, Callable[..., Change | None]] = {
    rf"everything that is not (?:an? )?([a-z]+) {_GONE}": _all_but_gone,
    rf"all (?:the )?things that are not ([a-z]+) {_GONE}": _all_but_gone,
    rf"everything ({'|'.join(_FURTHER)}) the {_NP} {_GONE}": _at_a_place(
        lambda words, than: Beyond(_FURTHER[words], _only(than))
    ),
    rf"everything ({_COLOUR}|{_SIZE}) {_GONE}": lambda asked, word: Removed(predicate_kind(word)),
    rf"the thing nearest to the {_NP} {_GONE}": _at_a_place(lambda to: Nearest(_only(to))),
    rf"the (?:{_N} )?({'|'.join(_ENDS)}) {_NP} {_GONE}": _outermost,
    rf"(?:the )?{_REGION} {_BE} (?:covered|painted over|hidden|cut off|removed)": _at_a_place(Region),
    rf"a (?:sheet of paper|cloth|curtain) covered the {_REGION}": _at_a_place(Region),
    rf"the (?:image|picture) {_BE} cropped to its (left|right|top|bottom) (half)": _at_a_place(_kept),
    rf"the background had exactly the colou?r of the {_NP}": _of_a_colour,
    rf"each {_NP} {_BE} replaced (?:by|with) (?:{_N}|an?) {_NP}": lambda asked, which, number, by: _replaced(
        asked, which, number or "one", by
    ),
    rf"all (?:of )?(?:the )?{_NP} {_BE} replaced (?:by|with) {_NP}": lambda asked, which, by: _replaced(
        asked, which, "one", by
    ),
    rf"there {_BE} {_N} {_NP} in place of each {_NP}": _in_place_of,
    rf"(?:(?:every|each|all of the|all the|all|the) )?{_NP} "
    rf"(?:(?:{_BE} (?:all )?(?:painted |coloured |colored |dyed )?)|turned )({_COLOUR}|{_SIZE})": _turned,
    rf"(?:(?:all|each) (?:of )?|the )?{_NP} {_BE} painted in another colou?r": _in_another_colour,
    rf"(?:(?:all|each) (?:of )?|the )?{_NP} (?:{_BE} (?:washed|cleaned)|fell asleep|closed their eyes)": _as_many,
    rf"(?:every|each) {_NP} (?:{_BE}|turned into|became) (an? [a-z]+)": _renamed,
    rf"there {_BE} (twice) as many(?: {_NP})?{_WHERE}": _number_of_things,
    rf"there {_BE} (three times) as many(?: {_NP})?{_WHERE}": _number_of_things,
    rf"(?:the number of )?{_NP} (?:{_BE} )?(doubled|tripled|halved){_WHERE}": lambda asked, words, times: (
        _number_of_things(asked, times, words)
    ),
    rf"the number (?:{_BE} )?(doubled|tripled|halved)": lambda asked, times: _number_of_things(asked, times, None),
    rf"there {_BE} no (?:more )?{_NP}{_WHERE}": _all_gone,
    rf"(?:we|you|they|someone|somebody) (?:removed|took away|erased) {_N} (?:of (?:the )?)?{_NP}{_WHERE}": _number_gone,
    rf"(?:we|you|they|someone|somebody) added {_N} (?:more )?{_NP}{_WHERE}": _come,
    rf"(?:we|you|they|someone|somebody) (?:removed|took away|erased) (?:the|all the|all) {_NP}{_WHERE}": _all_gone,
    rf"(?:there {_BE} )?{_N} (?:fewer|less) {_NP}(?: {_COME})?{_WHERE}": _number_gone,
    rf"half (?:of )?{_NP} {_GONE}{_WHERE}": _half_gone,
    rf"{_N} of (?:the )?{_NP} {_GONE}{_WHERE}": _number_gone,
    rf"(?:another|one more|1 more) {_NP} {_COME}{_WHERE}": lambda asked, words: _come(asked, "one", words),
    rf"there {_BE} (?:another|one more|1 more) {_NP}{_WHERE}": lambda asked, words: _come(asked, "one", words),
    rf"{_N} (?:more|other|extra|additional|new)(?: {_NP})? {_COME}{_WHERE}": _come,
    rf"there {_BE} {_N} (?:more|other|extra|additional){_WHERE}": lambda asked, number: _come(asked, number, None),
    rf"there {_BE} {_N} (?:more|other|extra|additional) {_NP}{_WHERE}": _come,
    rf"{_N} {_NP} {_COME}{_WHERE}": _come,
    rf"{_N} more {_NP} {_BE}(?: (?:in|on|at|by|near|under|beside)\b.*)": _come,
    rf"{_N} (?:more |of them )?{_GONE}{_WHERE}": lambda asked, number: _number_gone(asked, number, None),
    rf"{_N} (?:more )?{_NP} {_GONE}{_WHERE}": _number_gone,
    rf"an? {_NP} {_GONE}{_WHERE}": lambda asked, words: _number_gone(asked, "one", words),
    rf"an? {_NP} {_COME}{_WHERE}": lambda asked, words: _come(asked, "one", words),
    rf"(?:all|every|each|any|both) (?:of )?(?:the )?{_NP} {_GONE}{_WHERE}": _all_gone,
    rf"all (?:of )?{_THEM} {_GONE}{_WHERE}": lambda asked: _all_gone(asked, "them"),
    rf"(the {_NP}|they|it) {_GONE}{_WHERE}": lambda asked, whole, words: _all_gone(asked, words or whole),
    rf"(?:some )?{_NP} {_COME}{_WHERE}": _some_come,
}
