"""Oracle tools agree with the drawn scenes and puzzles that they know."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import pytest

from whatif.benchmarks.cvqa_synthetic.depicted_puzzles import DrawnPuzzles, depicted_puzzle
from whatif.benchmarks.cvqa_synthetic.questions import GROUPS, TEMPLATES
from whatif.benchmarks.cvqa_synthetic_released.program_worlds import drawn_worlds
from whatif.benchmarks.cvqa_synthetic_released.wording import Reading
from whatif.models.programs.interfaces import ToolError
from whatif.models.programs.tools.oracle import UNKNOWN, OracleTools
from whatif.world.depicted_scenes import depicted
from whatif.world.scene_words import plural
from whatif.world.scenes import COLOURS, NOUNS, SIZES, draw_scene


class Picture:
    """A picture whose pixels are not needed."""

    def __init__(self, image_id: str) -> None:
        self.image_id = image_id

    @property
    def pixels(self) -> Any:
        raise AssertionError("oracle tools need no pixels")


def test_scenes() -> None:
    for number in range(16):
        scene = draw_scene("test", number, 3)
        tools, picture = OracleTools(lambda image_id, scene=scene: depicted(scene, 224)), Picture("scene")  # type: ignore[misc]
        whole = (0.0, 0.0, 224.0, 224.0)
        assert tools.size(picture) == (224, 224)
        for size, colour, noun in itertools.product(("", *SIZES), ("", *COLOURS), ("", *NOUNS)):
            there = [
                thing
                for thing in scene.things
                if (size in ("", thing.size)) and (colour in ("", thing.colour)) and (noun in ("", thing.noun))
            ]
            name = " ".join(filter(None, (size, colour, plural(noun) if noun else "things")))
            assert len(tools.find(picture, whole, f"the {name}")) == len(there), name
            assert tools.exists(picture, whole, name) is bool(there)
        for thing, box in zip(scene.things, depicted(scene, 224).things, strict=True):
            assert tools.verify_property(picture, box.box, thing.noun, thing.colour)
            other = next(colour for colour in COLOURS if colour != thing.colour)
            assert not tools.verify_property(picture, box.box, thing.noun, other)
            assert tools.best_text_match(picture, box.box, [other, thing.colour]) == thing.colour
        assert tools.simple_query(picture, whole, "How many things are there?") == str(len(scene.things))
        assert tools.simple_query(picture, whole, "Is the background black?") == (
            "yes" if scene.background == "black" else "no"
        )
        assert tools.simple_query(picture, whole, "Why?") == UNKNOWN


@pytest.mark.parametrize("group", GROUPS)
def test_puzzles(group: str) -> None:
    flowers = TEMPLATES[group].subject == "flowers"
    reading = Reading(group, "red" if flowers else None, "blue" if flowers else None, None)
    for world in drawn_worlds(reading, 3, 5, "pair"):
        puzzle: Mapping[str, Any] = {**world.puzzle, "image_id": "puzzle"}
        tools, picture = OracleTools(DrawnPuzzles(lambda puzzle=puzzle: [puzzle])), Picture("puzzle")  # type: ignore[misc]
        side = float(puzzle["image_size"])
        whole = (0.0, 0.0, side, side)
        if flowers:
            for name, places in _places(puzzle).items():
                assert len(tools.find(picture, whole, name)) == places, name
            inside = [
                tools.verify_property(picture, box, "flower", "inside the red polygon")
                for box in tools.find(picture, whole, "flower")
            ]
            assert sum(inside) == _places(puzzle)["flowers inside red polygons"]
        else:
            found = [len(tools.find(picture, box, "dot")) for box in tools.find(picture, whole, "circle")]
            assert sorted(found) == sorted(len(circle["dots"]) for circle in puzzle["circles"])
            assert tools.simple_query(picture, whole, "How many dots are there?") == str(sum(found))
        assert len(depicted_puzzle(puzzle).things) > 6


def _places(puzzle: Mapping[str, Any]) -> dict[str, int]:
    """Names of things in a flower puzzle, and how many there are."""
    first = [flower["inside_first"] for flower in puzzle["flowers"]]
    second = [flower["inside_second"] for flower in puzzle["flowers"]]
    both = list(zip(first, second, strict=True))
    return {
        "flowers": len(first),
        "red polygons": 1,
        "polygon": 2,
        "flowers inside red polygons": sum(first),
        "flower outside the red polygon": len(first) - sum(first),
        "flower inside a blue polygon": sum(second),
        "flower inside a polygon": sum(one or other for one, other in both),
        "flower outside all polygons": sum(not one and not other for one, other in both),
        "flower inside a red polygon and a blue polygon": sum(one and other for one, other in both),
    }


def test_an_image_that_was_not_drawn() -> None:
    tools = OracleTools(lambda image_id: None)
    with pytest.raises(ToolError, match="not a drawn image"):
        tools.find(Picture("photograph"), (0, 0, 1, 1), "dog")
