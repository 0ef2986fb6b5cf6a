"""Runs programs in steps. They are data for this interpreter, so they run in our process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from whatif.engine.params.programs import Limits
from whatif.models.program_runs import Outcome
from whatif.models.programs.interfaces import Box, Finished, ToolError
from whatif.models.programs.steps.expressions import ExpressionError, Value, ValueTypeError, evaluate
from whatif.models.programs.steps.language import IMAGE, Step, StepError, parse_steps
from whatif.models.programs.tool_calls import ToolCalls


@dataclass(frozen=True)
class Patch:
    """A part of the image: its number for the tools, and its box."""

    number: int
    box: Box


Boxes: TypeAlias = tuple[Patch, ...]
StepValue: TypeAlias = Patch | Boxes | Value


def run_steps(code: str, calls: ToolCalls, limits: Limits) -> Finished:
    """Runs a program in steps, and notes each of them in `calls`.

    Of the limits, the number of calls applies; a program has no loops, and the language bounds its length.
    """
    try:
        steps = parse_steps(code)
    except StepError as error:
        return Finished("syntax", reason=str(error))
    run = _Run(calls, limits.calls)
    for step in steps:
        try:
            value = run.value(step)
        except _StoppedError as error:
            return Finished(error.outcome, reason=f"line {step.line}: {error}")
        run.values[step.target] = value
        _note(calls, step, value)
    if isinstance(value, Patch | tuple):
        return Finished(
            "wrong type", reason="the result is a part of the image, and no answer; count it, or ask about it"
        )
    return Finished("ok", value)


def _note(calls: ToolCalls, step: Step, value: StepValue) -> None:
    if isinstance(value, Patch):
        calls.note(step.text, "a part of the image", value.box, ())
    elif isinstance(value, tuple):
        calls.note(step.text, "no box", None, [patch.box for patch in value])
    else:
        calls.note(step.text, value, None, ())


class _StoppedError(Exception):
    """The end of a program at a step."""

    def __init__(self, outcome: Outcome, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome


class _Run:
    """The values of one run, by name."""

    def __init__(self, calls: ToolCalls, most_calls: int) -> None:
        self.values: dict[str, StepValue] = {}
        self._calls = calls
        self._left = most_calls

    def value(self, step: Step) -> StepValue:
        """The value of a step."""
        if IMAGE not in self.values:
            self.values[IMAGE] = _patch(self._call("image"))
        return _STEPS[step.call](self, step.arguments)

    def locate(self, arguments: Mapping[str, str]) -> Boxes:
        """LOC: the things of a name; TOP, BOTTOM, LEFT and RIGHT are the halves of the image."""
        image = self._image(arguments["image"])
        name = arguments["object"].strip()
        if name in _HALVES:
            return (self._cut(image, _HALVES[name](image.box)),)
        return tuple(_patch(found) for found in self._call("find", patch=image.number, name=name))

    def count(self, arguments: Mapping[str, str]) -> int:
        """COUNT: the number of boxes."""
        return len(self._boxes(arguments["box"]))

    def crop(self, arguments: Mapping[str, str]) -> Patch:
        """CROP: the first box. Without a box, the image as it is."""
        image, boxes = self._image(arguments["image"]), self._boxes(arguments["box"])
        return self._cut(image, boxes[0].box) if boxes else image

    def beyond(self, side: str, arguments: Mapping[str, str]) -> Patch:
        """CROP_LEFTOF and the like: what is beyond the middle of the first box. Without a box, the image as it is."""
        image, boxes = self._image(arguments["image"]), self._boxes(arguments["box"])
        if not boxes:
            return image
        left, top, right, bottom = image.box
        thing = boxes[0].box
        across, down = (thing[0] + thing[2]) / 2, (thing[1] + thing[3]) / 2
        parts: dict[str, Box] = {
            "LEFT": (left, top, across, bottom),
            "RIGHT": (across, top, right, bottom),
            "LEFTOF": (left, top, across, bottom),
            "RIGHTOF": (across, top, right, bottom),
            "ABOVE": (left, top, right, down),
            "BELOW": (left, down, right, bottom),
        }
        return self._cut(image, parts[side])

    def ask(self, arguments: Mapping[str, str]) -> str:
        """VQA: what a model says about a part of the image."""
        image = self._image(arguments["image"])
        return str(self._call("simple_query", patch=image.number, question=arguments["question"]))

    def compute(self, arguments: Mapping[str, str]) -> Value:
        """EVAL: the value of an expression."""
        values = {name: one for name, one in self.values.items() if not isinstance(one, Patch | tuple)}
        try:
            return evaluate(arguments["expr"], values)
        except ExpressionError as error:
            raise _StoppedError("syntax", str(error)) from error
        except ValueTypeError as error:
            raise _StoppedError("error", str(error)) from error

    def result(self, arguments: Mapping[str, str]) -> StepValue:
        """RESULT: an earlier value."""
        return self.values[arguments["var"]]

    def _image(self, name: str) -> Patch:
        found = self.values[name]
        if not isinstance(found, Patch):
            raise _StoppedError("error", f"{name} is no image")
        return found

    def _boxes(self, name: str) -> Boxes:
        found = self.values[name]
        if not isinstance(found, tuple):
            raise _StoppedError("error", f"{name} has no boxes; they come from LOC")
        return found

    def _cut(self, image: Patch, box: Box) -> Patch:
        left, top, right, bottom = box
        return _patch(self._call("crop", patch=image.number, left=left, top=top, right=right, bottom=bottom))

    def _call(self, tool: str, **arguments: Any) -> Any:
        self._left -= 1
        if self._left < 0:
            raise _StoppedError("time", "too many calls of tools")
        try:
            return self._calls(tool, arguments)
        except ToolError as error:
            raise _StoppedError("error", str(error)) from error


def _patch(made: Mapping[str, Any]) -> Patch:
    left, top, right, bottom = made["box"]
    return Patch(made["patch"], (left, top, right, bottom))


def _beyond(side: str) -> Callable[[_Run, Mapping[str, str]], StepValue]:
    return lambda run, arguments: run.beyond(side, arguments)


_HALVES: dict[str, Callable[[Box], Box]] = {
    "TOP": lambda box: (box[0], box[1], box[2], (box[1] + box[3]) / 2),
    "BOTTOM": lambda box: (box[0], (box[1] + box[3]) / 2, box[2], box[3]),
    "LEFT": lambda box: (box[0], box[1], (box[0] + box[2]) / 2, box[3]),
    "RIGHT": lambda box: ((box[0] + box[2]) / 2, box[1], box[2], box[3]),
}
_STEPS: dict[str, Callable[[_Run, Mapping[str, str]], StepValue]] = {
    "LOC": _Run.locate,
    "COUNT": _Run.count,
    "CROP": _Run.crop,
    **{f"CROP_{side}": _beyond(side) for side in ("LEFTOF", "RIGHTOF", "LEFT", "RIGHT", "ABOVE", "BELOW")},
    # What is in front or behind cannot be told from a flat image: the thing itself is cut out.
    **{f"CROP_{side}": _Run.crop for side in ("FRONTOF", "INFRONTOF", "INFRONT", "AHEAD", "BEHIND")},
    "VQA": _Run.ask,
    "EVAL": _Run.compute,
    "RESULT": _Run.result,
}
