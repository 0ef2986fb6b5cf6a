"""Writes what a question asks as a program in Python over image patches (ViperGPT, C-VQA 4.1)."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from whatif.models.programs.writers.rules_changes import (
    Beyond,
    Nearest,
    NotUnderstoodError,
    Outermost,
    Part,
    Place,
    Region,
    SameColour,
    Sum,
    Turned,
    number_after,
)
from whatif.models.programs.writers.rules_kinds import Kind
from whatif.models.programs.writers.rules_questions import (
    AreThere,
    HowMany,
    IsBackground,
    IsOf,
    IsThere,
    IsWhere,
    Read,
    Simple,
)

_USED = frozenset(("len", "abs", "sorted", "min", "all", "image", "image_patch", "nearest", "distance", "colour"))
_EDGES = {
    "left": "horizontal_center",
    "right": "horizontal_center",
    "top": "vertical_center",
    "bottom": "vertical_center",
}
# Positions grow to the right and upwards.
_HALF = {"left": "< {}", "right": "> {}", "top": "> {}", "bottom": "< {}"}


def python_program(read: Read) -> str:
    """The program of a question. Raises NotUnderstoodError."""
    program = _Program()
    program.answer(read)
    return program.text


def function_of(lines: Iterable[str]) -> str:
    """The lines as the body of the function that answers, after the line that makes the patch of the whole image."""
    body = ["image_patch = ImagePatch(image)", *lines]
    return "def execute_command(image):\n" + "".join(f"    {line}\n" if line else "\n" for line in body)


class _Program:
    """A program that grows line by line; things that were found keep their name."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._names: dict[str, str] = {}

    @property
    def text(self) -> str:
        return function_of(self._lines)

    def answer(self, read: Read) -> None:
        asked = read.asked
        supposed = [f"# If {read.presupposition}:"] if read.presupposition else []
        if isinstance(asked, HowMany):
            self._end(supposed, self._sum(number_after(asked.kind, read.changes)))
        elif isinstance(asked, IsThere) and not read.changes:
            self._lines.append(f"return image_patch.exists({asked.kind.phrase!r})")
        elif isinstance(asked, IsThere):
            self._end(supposed, f"{self._sum(number_after(asked.kind, read.changes))} > 0")
        elif isinstance(asked, AreThere):
            first, second = (
                self._sum(number_after(kind, read.changes, asked.nouns)) for kind in (asked.first, asked.second)
            )
            self._end(supposed, f"{first} {'>' if asked.compares == 'more' else '=='} {second}")
        elif isinstance(asked, IsOf):
            self._is_of(asked, read, supposed)
        else:
            self._lines += _other(asked, supposed)

    def _end(self, supposed: Sequence[str], expression: str) -> None:
        self._lines += [*supposed, f"return {expression}"]

    def _is_of(self, asked: IsOf, read: Read, supposed: Sequence[str]) -> None:
        if read.changes:
            change = read.changes[-1]
            if isinstance(change, Turned) and change.which == asked.kind and len(read.changes) == 1:
                name, new = self._found(asked.kind), f"new_{change.attribute}"
                self._lines += [*supposed, f"{new} = {change.to!r}"]
                self._lines.append(f"return len({name}) > 0 and {new} == {asked.value!r}")
            else:
                self._end(supposed, f"{self._sum(number_after(with_value(asked), read.changes))} > 0")
            return
        name = self._found(asked.kind)
        test = f"patch.verify_property({asked.kind.phrase!r}, {asked.value!r})"
        self._lines.append(f"return len({name}) > 0 and all({test} for patch in {name})")

    def _sum(self, parts: Sum) -> str:
        text = ""
        for part in parts:
            sign = "-" if part.factor < 0 else "+"
            term = self._term(part)
            text += f" {sign} {term}" if text else (f"-{term}" if sign == "-" else term)
        return text or "0"

    def _term(self, part: Part) -> str:
        factor = abs(part.factor)
        if part.kind is None:
            return str(factor)
        name = self._found(part.kind) if part.place is None else self._placed(part.kind, part.place)
        number = f"len({name})"
        if part.only_if is not None:
            number = f"({number} if {self._found(part.only_if)} else 0)"
        return scaled(number, factor)

    def _found(self, kind: Kind) -> str:
        """The name of the things of a kind, found first where they were not yet."""
        return self._named(kind.plural, lambda name: f"{name} = image_patch.find({kind.phrase!r})")

    def _only(self, kind: Kind) -> str:
        """The name of the only thing of a kind."""
        return self._named(f"the {kind.phrase}", lambda name: f"{name} = image_patch.find({kind.phrase!r})[0]")

    def _named(self, words: str, line_of: Callable[[str], str]) -> str:
        """The name of what the words stand for; where it has none yet, it gets one and its line."""
        if words not in self._names:
            name = _identifier(words)
            while name in self._names.values():
                name += "_"
            self._names[words] = name
            self._lines.append(line_of(name))
        return self._names[words]

    def _placed(self, kind: Kind, place: Place) -> str:
        """The name of the things of a kind that are at a place."""
        if isinstance(place, Region):
            part = self._named(place.name, lambda name: f"{name} = image_patch.crop({_corners(place.name)})")
            return self._named(
                f"{kind.plural} in the {place.name}", lambda name: f"{name} = {part}.find({kind.phrase!r})"
            )
        if isinstance(place, Beyond):
            than, among, edge = self._only(place.than), self._found(kind), _EDGES[place.direction]
            test = f"patch.{edge} {_HALF[place.direction].format(f'{than}.{edge}')}"
            words = f"{kind.plural} beyond the {place.than.phrase}"
            return self._named(words, lambda name: f"{name} = [patch for patch in {among} if {test}]")
        if isinstance(place, Outermost):
            return self._outermost(kind, place)
        if isinstance(place, Nearest):
            return self._nearest(kind, place)
        return self._of_the_colour(kind, place)

    def _outermost(self, kind: Kind, place: Outermost) -> str:
        among = self._found(place.of)
        order = f"key=lambda patch: patch.{_EDGES[place.end]}"
        order += ", reverse=True" if place.end in ("right", "top") else ""
        first = self._named(
            f"{place.end}most {place.of.plural}", lambda name: f"{name} = sorted({among}, {order})[:{place.number}]"
        )
        tests = _tests(kind, place.of)
        if not tests:
            return first
        words = f"{kind.plural} among the {place.end}most {place.of.plural}"
        return self._named(words, lambda name: f"{name} = [patch for patch in {first} if {tests}]")

    def _nearest(self, kind: Kind, place: Nearest) -> str:
        anchor, everything = self._only(place.to), self._found(Kind())
        across = f"(patch.horizontal_center - {anchor}.horizontal_center) ** 2"
        up = f"(patch.vertical_center - {anchor}.vertical_center) ** 2"
        self._lines += [
            f"distance = lambda patch: ({across} + {up}) ** 0.5",
            f"others = [patch for patch in {everything} if distance(patch) > {anchor}.width / 4]",
            "nearest = sorted(others, key=distance)[:1]",
        ]
        tests = _tests(kind, Kind())
        words = f"nearest {kind.plural}"
        return (
            self._named(words, lambda name: f"{name} = [patch for patch in nearest if {tests}]") if tests else "nearest"
        )

    def _of_the_colour(self, kind: Kind, place: SameColour) -> str:
        among = self._found(kind)
        subject = f"are the {place.of.plural}" if place.several else f"is the {place.of.phrase}"
        asks = f"What colour {subject}?"
        self._lines.append(f"colour = image_patch.simple_query({asks!r})")
        test = f"patch.verify_property({kind.noun or 'thing'!r}, colour)"
        words = f"{kind.plural} of the same colour"
        return self._named(words, lambda name: f"{name} = [patch for patch in {among} if {test}]")


def with_value(asked: IsOf) -> Kind:
    """The kind of the things that have the colour or size that is asked for. Raises NotUnderstoodError."""
    attribute = "size" if asked.value in ("small", "large") else "colour"
    if getattr(asked.kind, attribute) not in (None, asked.value):
        raise NotUnderstoodError(f"the question gives the {asked.kind.plural} another {attribute}")
    return asked.kind.of(**{attribute: asked.value})


def scaled(number: str, factor: Fraction) -> str:
    """The text of a positive multiple of a whole number."""
    if factor == 1:
        return number
    return f"{number} // {factor.denominator}" if factor.numerator == 1 else f"{factor.numerator} * {number}"


def _other(asked: IsWhere | IsBackground | Simple, supposed: Sequence[str]) -> list[str]:
    if isinstance(asked, IsWhere):
        return _is_where(asked, supposed)
    if isinstance(asked, IsBackground):
        if asked.now is not None:
            return [*supposed, f"background = {asked.now!r}", f"return background == {asked.colour!r}"]
        return [f'return image_patch.simple_query("Is the background {asked.colour}?") == "yes"']
    query = f"image_patch.simple_query({asked.question!r})"
    return [f'return {query} == "yes"' if asked.yes_no else f"return {query}"]


def _is_where(asked: IsWhere, supposed: Sequence[str]) -> list[str]:
    if asked.placed is not None:
        return [*supposed, f"relation = {asked.placed!r}", f"return relation == {asked.relation!r}"]
    first, second = _identifier(f"the {asked.first.phrase}"), _identifier(f"the {asked.second.phrase}")
    lines = [
        f"{first} = image_patch.find({asked.first.phrase!r})[0]",
        f"{second} = image_patch.find({asked.second.phrase!r})[0]",
        f"across = {first}.horizontal_center - {second}.horizontal_center",
        f"up = {first}.vertical_center - {second}.vertical_center",
    ]
    if asked.swapped:
        lines += [*supposed, "across, up = -across, -up"]
    if asked.mirrored:
        lines += [*supposed, "across = -across"]
    tests = {
        "left of": "across < 0 and abs(across) > abs(up)",
        "right of": "across > 0 and abs(across) > abs(up)",
        "above": "up > 0 and abs(up) >= abs(across)",
        "below": "up < 0 and abs(up) >= abs(across)",
    }
    return [*lines, "# The direction in which the two are further apart counts.", f"return {tests[asked.relation]}"]


def _tests(kind: Kind, given: Kind) -> str:
    """The test whether a patch of a given kind is of another kind, too; empty where it is so by its words."""
    if given.implies(kind):
        return ""
    if kind.noun is not None and given.noun is None:
        return f"patch.exists({kind.phrase!r})"
    values = [getattr(kind, key) for key in ("size", "colour") if getattr(kind, key) != getattr(given, key)]
    return " and ".join(f"patch.verify_property({kind.noun or 'thing'!r}, {value!r})" for value in values)


def _corners(region: str) -> str:
    """The left, lower, right and upper edge of a region, as arguments."""
    words = region.split()
    share = {"half": 2, "third": 3, "quarter": 2}[words[-1]]
    edges = {"left": "0", "lower": "0", "right": "image_patch.width", "upper": "image_patch.height"}
    for side in words[:-1]:
        size = "width" if side in ("left", "right") else "height"
        near, far = f"image_patch.{size} / {share}", f"image_patch.{size} * {share - 1} / {share}"
        cut = {"left": ("right", near), "right": ("left", far), "bottom": ("upper", near), "top": ("lower", far)}[side]
        edges[cut[0]] = cut[1] if "* 1 /" not in cut[1] else near
    return ", ".join(edges.values())


def _identifier(words: str) -> str:
    name = re.sub(r"\W+", "_", words).strip("_").removeprefix("the_")
    return f"{name}_" if keyword.iskeyword(name) or name in _USED or not name.isidentifier() else name
