"""Writes what a question asks as a program in steps (VisProg, C-VQA 4.1).

Steps find things, count them, cut out parts of the image, ask a model, and compute. They neither sort what they found
nor test it one by one, so a question that needs this has no program in steps.
"""

from __future__ import annotations

from whatif.models.programs.writers.rules_changes import (
    Beyond,
    NotUnderstoodError,
    Part,
    Place,
    Region,
    Sum,
    number_after,
)
from whatif.models.programs.writers.rules_kinds import Kind
from whatif.models.programs.writers.rules_python import scaled, with_value
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

_SIDES = {"left": "LEFTOF", "right": "RIGHTOF", "top": "ABOVE", "bottom": "BELOW"}
_OPPOSITES = {"left of": "right of", "right of": "left of", "above": "below", "below": "above"}


def steps_program(read: Read) -> str:
    """The steps of a question. Raises NotUnderstoodError."""
    asked = read.asked
    steps = Steps()
    if isinstance(asked, HowMany):
        return steps.result(steps.sum(number_after(asked.kind, read.changes)))
    if isinstance(asked, IsThere):
        return steps.result(_yes_if(f"{steps.sum(number_after(asked.kind, read.changes))} > 0"))
    if isinstance(asked, AreThere):
        first, second = (
            steps.sum(number_after(kind, read.changes, asked.nouns)) for kind in (asked.first, asked.second)
        )
        return steps.result(_yes_if(f"{first} {'>' if asked.compares == 'more' else '=='} {second}"))
    if isinstance(asked, IsOf) and read.changes:
        return steps.result(_yes_if(f"{steps.sum(number_after(with_value(asked), read.changes))} > 0"))
    return _asked_of_a_model(steps, asked)


class Steps:
    """Steps that grow line by line; what was counted keeps its variable."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._counts: dict[tuple[str, str], str] = {}
        self._images: dict[tuple[str, str], str] = {}
        self._last = {"BOX": 0, "ANSWER": 0, "IMAGE": 0}

    def count(self, phrase: str, image: str = "IMAGE") -> str:
        """The number of things that are found by a phrase in an image, in braces."""
        if (phrase, image) not in self._counts:
            boxes = self._step("BOX", f"LOC(image={image},object='{_text(phrase)}')")
            self._counts[phrase, image] = self._step("ANSWER", f"COUNT(box={boxes})")
        return f"{{{self._counts[phrase, image]}}}"

    def part(self, region: str) -> str:
        """The image of a region such as `top left quarter`, cut out half by half."""
        image = "IMAGE"
        *sides, share = region.split()
        if share == "third":
            raise NotUnderstoodError("steps cut out halves of an image, but no thirds")
        for side in sides:
            image = self._cut(image, f"LOC(image={image},object='{side.upper()}')", "CROP")
        return image

    def beyond(self, direction: str, than: str) -> str:
        """The image beyond the middle of a thing, in a direction."""
        return self._cut("IMAGE", f"LOC(image=IMAGE,object='{_text(than)}')", f"CROP_{_SIDES[direction]}")

    def sum(self, parts: Sum) -> str:
        """The expression of a sum."""
        text = ""
        for part in parts:
            sign = "-" if part.factor < 0 else "+"
            term = self._term(part)
            text += f" {sign} {term}" if text else (f"-{term}" if sign == "-" else term)
        return text or "0"

    def ask(self, question: str) -> str:
        """The variable with a model's answer about the image."""
        return self._step("ANSWER", f"VQA(image=IMAGE,question='{_text(question)}')")

    def result(self, expression: str) -> str:
        """The program whose result is an expression, or one variable."""
        variable = expression.removeprefix("{").removesuffix("}")
        if not variable.isalnum() or variable.isdecimal():
            variable = self._step("ANSWER", f'EVAL(expr="{expression}")')
        return "\n".join([*self._lines, f"FINAL_RESULT=RESULT(var={variable})"]) + "\n"

    def _term(self, part: Part) -> str:
        if part.kind is None:
            return str(abs(part.factor))
        image = self._image_of(part.place)
        number = self.count(part.kind.phrase, image)
        anchor = part.kind.both(part.place.than) if isinstance(part.place, Beyond) else None
        if anchor is not None:  # the thing at whose middle the image is cut does not count
            number = f"({number} - {self.count(anchor.phrase, image)})"
        if part.only_if is not None:
            number = f"({number} if {self.count(part.only_if.phrase)} > 0 else 0)"
        return scaled(number, abs(part.factor))

    def _image_of(self, place: Place | None) -> str:
        if place is None:
            return "IMAGE"
        if isinstance(place, Region):
            return self.part(place.name)
        if isinstance(place, Beyond):
            return self.beyond(place.direction, place.than.phrase)
        raise NotUnderstoodError("steps cannot sort or compare what they found")

    def _cut(self, image: str, box: str, crop: str) -> str:
        if (box, crop) not in self._images:
            boxes = self._step("BOX", box)
            self._images[box, crop] = self._step("IMAGE", f"{crop}(image={image},box={boxes})")
        return self._images[box, crop]

    def _step(self, kind: str, call: str) -> str:
        variable = f"{kind}{self._last[kind]}"
        self._last[kind] += 1
        self._lines.append(f"{variable}={call}")
        return variable


def _text(words: str) -> str:
    """Words as a text in steps, which an apostrophe would end."""
    return words.replace("'", "\u2019")


def _yes_if(condition: str) -> str:
    return f"'yes' if {condition} else 'no'"


def _asked_of_a_model(steps: Steps, asked: IsBackground | IsWhere | IsOf | Simple) -> str:
    if isinstance(asked, IsBackground):
        if asked.now is not None:
            return steps.result(_yes_if(f"'{asked.now}' == '{asked.colour}'"))
        return steps.result(steps.ask(f"Is the background {asked.colour}?"))
    if isinstance(asked, IsWhere):
        if asked.placed is not None:
            return steps.result(_yes_if(f"'{asked.placed}' == '{asked.relation}'"))
        turned = asked.swapped ^ (asked.mirrored and asked.relation in ("left of", "right of"))
        relation = _OPPOSITES[asked.relation] if turned else asked.relation
        return steps.result(steps.ask(f"Is the {asked.first.phrase} {relation} the {asked.second.phrase}?"))
    if isinstance(asked, IsOf):
        return steps.result(steps.ask(_question_of(asked.kind, asked.value)))
    return steps.result(steps.ask(asked.question))


def _question_of(kind: Kind, value: str) -> str:
    return f"Is the {kind.phrase} {value}?"
