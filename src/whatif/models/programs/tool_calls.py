"""The calls of one program: their types are checked, patches are kept by number, and each call is recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from whatif.models.program_runs import ToolCall
from whatif.models.programs.interfaces import Box, Picture, ToolError, Toolset

MOST_PATCHES = 10_000  # of one program
MOST_OPTIONS = 100
_LARGEST = 1e6  # pixels
LONGEST_TEXT = 1_000  # characters of a name, an attribute, an option or a question
MOST_RECORDED = 60  # calls: what a program asks in a loop is rarely read further
_RECORDED_TEXT = 300  # characters of the arguments or the value of a recorded call


class ToolCalls:
    """What a program can call, for one picture.

    Patches are numbers, from 0 for the whole picture; a program cannot name a patch that it was not given. `calls` are
    the recorded calls, in order. A call raises ToolError for an unknown tool, missing or superfluous arguments, and
    arguments of a wrong type or beyond the limits; and where a tool cannot answer. Its message is for the program.
    """

    def __init__(self, toolset: Toolset, picture: Picture) -> None:
        self.calls: list[ToolCall] = []
        self._tools = toolset
        self._picture = picture
        self._boxes: list[Box] = []

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """See the class."""
        try:
            value = self._value(tool, arguments)
        except ToolError as error:
            self._record(tool, arguments, f"failed: {error}"[:_RECORDED_TEXT])
            raise
        self._record(tool, arguments, _as_text(value))
        return value

    def _record(self, tool: str, arguments: Mapping[str, Any], value: str) -> None:
        if len(self.calls) < MOST_RECORDED:
            self.calls.append(ToolCall(str(tool)[:40], _as_text(dict(arguments)), value))

    def note(self, step: str, value: Any, part: Box | None, boxes: Sequence[Box]) -> None:
        """Called with each step of a program in steps, its value, and the boxes of it; only a trace keeps them."""

    def box(self, patch: Any) -> Box:
        """The box of a patch. Raises ToolError when there is no such patch."""
        self._make_first()
        if type(patch) is not int or not 0 <= patch < len(self._boxes):
            raise ToolError(f"patch {patch!r:.40} does not exist")
        return self._boxes[patch]

    def _value(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        if not isinstance(tool, str) or tool not in _TOOLS:
            raise ToolError(f"there is no tool {str(tool)[:40]!r}; there are {', '.join(_TOOLS)}")
        expected, call = _TOOLS[tool]
        if set(arguments) != set(expected):
            wanted = ", ".join(expected) or "nothing"
            raise ToolError(f"{tool} takes {wanted}; it was given {', '.join(map(str, arguments))[:80] or 'nothing'}")
        checked = {name: _CHECKS[name](name, value) for name, value in arguments.items() if name != "patch"}
        if "patch" not in expected:
            return call(self, self._whole())
        return call(self, self.box(arguments["patch"]), **checked)

    def _whole(self) -> Box:
        self._make_first()
        return self._boxes[0]

    def _make_first(self) -> None:
        if not self._boxes:
            width, height = self._tools.size(self._picture)
            self._boxes.append((0, 0, width, height))

    def _part(self, box: Box) -> dict[str, Any]:
        """A new patch."""
        if len(self._boxes) >= MOST_PATCHES:
            raise ToolError(f"a program may have {MOST_PATCHES:,} patches")
        self._boxes.append(box)
        return {"patch": len(self._boxes) - 1, "box": list(box)}

    def _image(self, box: Box) -> dict[str, Any]:
        return {"patch": 0, "box": list(box)}

    def _find(self, box: Box, name: str) -> list[dict[str, Any]]:
        return [self._part(found) for found in self._tools.find(self._picture, box, name)]

    def _exists(self, box: Box, name: str) -> bool:
        return self._tools.exists(self._picture, box, name)

    def _verify_property(self, box: Box, name: str, attribute: str) -> bool:
        return self._tools.verify_property(self._picture, box, name, attribute)

    def _best_text_match(self, box: Box, options: list[str]) -> str:
        return self._tools.best_text_match(self._picture, box, options)

    def _simple_query(self, box: Box, question: str) -> str:
        return self._tools.simple_query(self._picture, box, question)

    def _compute_depth(self, box: Box) -> float:
        return self._tools.compute_depth(self._picture, box)

    def _crop(self, box: Box, **edges: float) -> dict[str, Any]:
        """The part of a patch; edges beyond it are moved to it. Raises ToolError when nothing is left."""
        left, top = max(edges["left"], box[0]), max(edges["top"], box[1])
        right, bottom = min(edges["right"], box[2]), min(edges["bottom"], box[3])
        if left >= right or top >= bottom:
            raise ToolError(
                "the crop is empty: left must be below right, and both inside the patch; so must the others"
            )
        return self._part((left, top, right, bottom))


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ToolError(f"{name} must be a text; it is {type(value).__name__}")
    if not value.strip() or len(value) > LONGEST_TEXT:
        raise ToolError(f"{name} must have from 1 to {LONGEST_TEXT:,} characters")
    return value.encode("utf-8", "replace").decode("utf-8")  # without lone surrogates


def _texts(name: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not 0 < len(value) <= MOST_OPTIONS:
        raise ToolError(f"{name} must be a list of 1 to {MOST_OPTIONS} texts")
    return [_text(name, one) for one in value]


def _number(name: str, value: Any) -> float:
    if type(value) not in (int, float) or not abs(value) <= _LARGEST:
        raise ToolError(f"{name} must be a number of pixels; it is {value!r:.40}")
    return float(value)


def _as_text(value: Any) -> str:
    """A value as JSON, shortened; a list keeps its length, which says how many things were found."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str).encode("utf-8", "replace").decode("utf-8")
    if len(text) > _RECORDED_TEXT and isinstance(value, list):
        text = f"a list of {len(value)}: {text}"
    return text if len(text) <= _RECORDED_TEXT else text[: _RECORDED_TEXT - 3] + "..."


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("name", "attribute", "question"), _text),
    "options": _texts,
    **dict.fromkeys(("left", "top", "right", "bottom"), _number),
}
# The arguments of each tool, and what calls it.
_TOOLS: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "image": ((), ToolCalls._image),
    "find": (("patch", "name"), ToolCalls._find),
    "exists": (("patch", "name"), ToolCalls._exists),
    "verify_property": (("patch", "name", "attribute"), ToolCalls._verify_property),
    "best_text_match": (("patch", "options"), ToolCalls._best_text_match),
    "simple_query": (("patch", "question"), ToolCalls._simple_query),
    "compute_depth": (("patch",), ToolCalls._compute_depth),
    "crop": (("patch", "left", "top", "right", "bottom"), ToolCalls._crop),
}
