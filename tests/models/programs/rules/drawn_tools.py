"""Tools that know what is drawn, written for these tests alone: programs are right by two accounts of a picture."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from whatif.models.depicted import Depicted, DepictedThing
from whatif.models.programs.interfaces import ToolError
from whatif.models.programs.writers.rules_kinds import singular
from whatif.world.scene_answers import answer_in, asked_about
from whatif.world.scenes import SIZES, Scene

SIDE = 256.0


class DrawnTools:
    """The tools of one run of a program."""

    def __init__(self, depicted: Depicted) -> None:
        self._depicted = depicted
        self._boxes: list[tuple[float, ...]] = [(0.0, 0.0, float(depicted.width), float(depicted.height))]

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        box = self._boxes[arguments.get("patch", 0)]
        answers: dict[str, Callable[[], Any]] = {
            "image": lambda: {"patch": 0, "box": box},
            "find": lambda: [self._kept(thing.box) for thing in self._inside(box, arguments["name"])],
            "exists": lambda: bool(self._inside(box, arguments["name"])),
            "verify_property": lambda: self._has(box, arguments["name"], arguments["attribute"]),
            "simple_query": lambda: self._depicted.answer(arguments["question"]) or "unknown",
            "crop": lambda: self._kept(tuple(arguments[edge] for edge in ("left", "top", "right", "bottom"))),
        }
        if tool not in answers:
            raise ToolError(f"there is no tool {tool}")
        return answers[tool]()

    def _kept(self, box: tuple[float, ...]) -> dict[str, Any]:
        self._boxes.append(box)
        return {"patch": len(self._boxes) - 1, "box": list(box)}

    def _inside(self, box: tuple[float, ...], name: str) -> list[DepictedThing]:
        """The things of a name whose centres are in a box."""
        left, top, right, bottom = box
        there = [thing for thing in self._depicted.things if _plain(name) in thing.phrases]
        return [
            thing
            for thing in there
            if left <= (thing.box[0] + thing.box[2]) / 2 <= right and top <= (thing.box[1] + thing.box[3]) / 2 <= bottom
        ]

    def _has(self, box: tuple[float, ...], name: str, attribute: str) -> bool:
        wanted = {_plain(attribute), f"{_plain(attribute)} {_plain(name)}", f"{_plain(name)} {_plain(attribute)}"}
        return any(bool(wanted & thing.phrases) for thing in self._inside(box, name) if thing.box == tuple(box))


def depicted_scene(scene: Scene) -> Depicted:
    """What a scene shows."""
    things = []
    for thing in scene.things:
        words = product(("", thing.size), ("", thing.colour), ("", "thing", thing.noun))
        half = SIZES[thing.size] / 2
        edges = ((thing.x - half), (thing.y - half), (thing.x + half), (thing.y + half))
        left, top, right, bottom = (SIDE * edge for edge in edges)
        phrases = frozenset(" ".join(filter(None, named)) for named in words) - {""}
        things.append(DepictedThing(phrases, (left, top, right, bottom)))

    def answer(question: str) -> str | None:
        if found := re.fullmatch(r"What colour (?:is|are) the (\w+)\?", question):
            colours = {thing.colour for thing in scene.things if thing.noun in (found[1], singular(found[1]))}
            return colours.pop() if len(colours) == 1 else None
        asked = asked_about(question)
        return None if asked is None else answer_in(scene, asked)

    return Depicted(int(SIDE), int(SIDE), tuple(things), answer)


def depicted_puzzle(puzzle: Mapping[str, Any]) -> Depicted:
    """What a row of the table `puzzles` shows."""
    things = []
    colours = [polygon["colour"] for polygon in puzzle["polygons"]]
    for flower in puzzle["flowers"]:
        around = [name for name, key in zip(colours, ("inside_first", "inside_second"), strict=True) if flower[key]]
        phrases = {"flower"} | {f"flower inside {name} polygon" for name in around}
        if around:
            phrases.add("flower inside polygon")
        things.append(_disc(phrases, flower, flower["radius"]))
    for circle in puzzle["circles"]:
        things.append(_disc({"circle"}, circle, circle["radius"]))
        things += [_disc({"dot"}, dot, puzzle["dot_radius"]) for dot in circle["dots"]]
    return Depicted(puzzle["image_size"], puzzle["image_size"], tuple(things), lambda question: None)


def _disc(phrases: set[str], place: Mapping[str, float], radius: float) -> DepictedThing:
    x, y = place["x"], place["y"]
    return DepictedThing(frozenset(phrases), (x - radius, y - radius, x + radius, y + radius))


def _plain(words: str) -> str:
    return " ".join(word for word in words.lower().split() if word not in ("a", "an", "the"))
