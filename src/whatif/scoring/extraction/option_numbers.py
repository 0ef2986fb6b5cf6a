"""Options that are numbers, perhaps with a unit (`50 km/h`), or things with a number (`picture 3`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from whatif.language.number_words import canonical, in_digits

_FORM = re.compile(r"(?P<before>[^\d-]*)(?P<number>-?\d[\d, ]*(?:\.\d+)?)(?P<after>\D*)")
_QUANTIFIER = re.compile(r"\A\W*(?:all|only|just|exactly)\b(?: of)?(?: the)?")
_UNITS = (
    r"\b(?:degrees?|celsius|dollars?|euros?|pounds?|cents?|percent|points?|minutes?|hours?|seconds?|meters?|metres?)\b"
)
ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]


@dataclass(frozen=True)
class Numbered:
    """What all options share around their number, and these numbers, in the order of the options."""

    before: str
    after: str
    numbers: tuple[str, ...]

    @property
    def is_named(self) -> bool:
        """Whether the number belongs to a name: `picture 3`."""
        return re.search(r"[a-z]", self.before) is not None

    def without_units(self, text: str) -> str:
        """A text without the options' unit, so that only the number counts."""
        text = in_digits(text)
        for unit in (self.before.strip(), self.after.strip()):
            if unit:
                text = re.sub(rf"(?<!\w){re.escape(unit)}(?!\w)", " ", text)
        if self.before.strip() or self.after.strip():
            text = re.sub(_UNITS, " ", text)
        text = re.sub(r"\b(?:minus|negative) (?=\d)", "-", text)
        return re.sub(r"[$€£°] ?", "", text)

    def named_in(self, text: str) -> set[int]:
        """The places of options that a text names by their number or as `the third picture`."""
        noun = re.escape(self.before.strip())
        said = in_digits(text)
        numbers = {canonical(found) for found in re.findall(rf"\b(?<!not )(?<!not the ){noun}s? (\d+)\b", said)}
        numbers |= set(re.findall(rf"\b{noun}s? \d+ (?:and|or|,|/) (\d+)\b", said))
        for found in re.findall(rf"\b({'|'.join(ORDINALS)}|last)(?: of the (?:\w+ )?)? ?{noun}s?\b", said):
            numbers.add(self.numbers[-1] if found == "last" else str(ORDINALS.index(found) + 1))
        if alone := re.fullmatch(r"\W*(\d+)\W*", said):
            numbers.add(canonical(alone[1]))
        return {self.numbers.index(number) for number in numbers if number in self.numbers}


def numbered(choices: Sequence[str]) -> Numbered | None:
    """The numbers of options that differ in nothing else; None if they do."""
    found = [_FORM.fullmatch(_QUANTIFIER.sub("", in_digits(choice)).strip(" .")) for choice in choices]
    forms = [one for one in found if one]
    if len(forms) < len(choices):
        return None
    shared = {(one["before"].strip(), re.sub(r"s\b", "", one["after"].strip())) for one in forms}
    numbers = tuple(canonical(one["number"].strip(" ,")) for one in forms)
    if len(shared) > 1 or len(set(numbers)) < len(numbers):
        return None
    return Numbered(forms[0]["before"], forms[0]["after"], numbers)
