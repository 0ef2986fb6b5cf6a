"""What the image of a puzzle shows, for tools that know it: flowers and polygons, or dots in circles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from whatif.models.depicted import Depicted, DepictedThing

_HOW_MANY = re.compile(
    r"how many (flower|dot|circle|polygon)s(?: are there| can be seen| are visible)?(?: in the image)?"
)
Puzzle = Mapping[str, Any]


class DrawnPuzzles:
    """Returns the content of the image of a puzzle by its id. `puzzles` are read when the first image is asked for."""

    def __init__(self, puzzles: Callable[[], Iterable[Puzzle]]) -> None:
        self._puzzles = puzzles
        self._by_image: dict[str, Puzzle] | None = None

    def __call__(self, image_id: str) -> Depicted | None:
        """None for another image."""
        if self._by_image is None:
            self._by_image = {puzzle["image_id"]: puzzle for puzzle in self._puzzles()}
        return depicted_puzzle(self._by_image[image_id]) if image_id in self._by_image else None


def depicted_puzzle(puzzle: Puzzle) -> Depicted:
    """The content of the image of a puzzle.

    A flower is described by the polygons that it is inside of (`flower inside red polygon`) and outside of. No other
    tool can tell this (C-VQA 4.2).
    """
    things = (*_polygons(puzzle), *_flowers(puzzle), *_circles(puzzle))
    numbers = {noun: sum(noun in thing.phrases for thing in things) for noun in ("flower", "dot", "circle", "polygon")}

    def answer(question: str) -> str | None:
        found = _HOW_MANY.fullmatch(question.strip().lower().rstrip("? "))
        return None if found is None else str(numbers[found[1]])

    side = int(puzzle["image_size"])
    return Depicted(side, side, things, answer)


def _polygons(puzzle: Puzzle) -> Iterator[DepictedThing]:
    for polygon in puzzle["polygons"]:
        across, down = ([point[axis] for point in polygon["points"]] for axis in ("x", "y"))
        phrases = frozenset({"polygon", f"{polygon['colour']} polygon"})
        yield DepictedThing(phrases, (min(across), min(down), max(across), max(down)))


def _flowers(puzzle: Puzzle) -> Iterator[DepictedThing]:
    colours = [polygon["colour"] for polygon in puzzle["polygons"]]
    for flower in puzzle["flowers"]:
        is_inside = (flower["inside_first"], flower["inside_second"])
        inside = [colour for colour, yes in zip(colours, is_inside, strict=True) if yes]
        outside = [colour for colour in colours if colour not in inside]
        phrases = {"flower", *_where("inside", inside), *_where("outside", outside)}
        yield DepictedThing(frozenset(phrases), _square(flower, flower["radius"]))


def _where(side: str, colours: Sequence[str]) -> Iterator[str]:
    """The phrases for a flower on one side of polygons of these colours."""
    for colour in colours:
        yield f"flower {side} {colour} polygon"
    if colours if side == "inside" else len(colours) == 2:  # inside any polygon, or outside all
        yield f"flower {side} polygon"
    for first, second in (colours, reversed(colours)) if len(colours) == 2 else ():
        yield f"flower {side} {first} and {second} polygon"
        yield f"flower {side} {first} polygon and {second} polygon"


def _circles(puzzle: Puzzle) -> Iterator[DepictedThing]:
    for circle in puzzle["circles"]:
        yield DepictedThing(frozenset({"circle"}), _square(circle, circle["radius"]))
        for dot in circle["dots"]:
            yield DepictedThing(frozenset({"dot"}), _square(dot, puzzle["dot_radius"]))


def _square(middle: Mapping[str, float], radius: float) -> tuple[float, float, float, float]:
    return middle["x"] - radius, middle["y"] - radius, middle["x"] + radius, middle["y"] + radius
