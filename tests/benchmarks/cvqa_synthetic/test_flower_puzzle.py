"""Flower puzzles: four regions with exactly the flowers that were asked for, each readable."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import shapely

from tests.world.scenes import flower_pictures, puzzle, puzzle_settings
from whatif.benchmarks.cvqa_synthetic.flower_puzzle import (
    OUTLINE_WIDTH,
    SMALLEST_RADIUS,
    lay_out_flowers,
    outlines_are_distinct,
)
from whatif.engine.errors import WhatifError
from whatif.engine.params.base import Range
from whatif.engine.random_streams import stream

REGIONS = ((True, True), (True, False), (False, True), (False, False))


@pytest.mark.parametrize("number", range(25))
def test_scene_is_what_its_description_promises_by_another_geometry(number: int) -> None:
    text, row = puzzle("flower-recolour", number)
    first, second = (
        shapely.Polygon([(point["x"], point["y"]) for point in polygon["points"]]) for polygon in row["polygons"]
    )
    picture = shapely.box(0, 0, 448, 448)
    assert first.is_valid and second.is_valid and 4 <= len(row["polygons"][0]["points"]) <= 8
    assert tuple(polygon["colour"] for polygon in row["polygons"]) == text.words.colours
    regions = (first & second, first - second, second - first, picture - (first | second))
    for inside, count, region in zip(REGIONS, text.counts, regions, strict=True):
        assert region.geom_type == "Polygon", "every region must be one piece"
        assert region.area >= 0.03 * picture.area
        flowers = [f for f in row["flowers"] if (f["inside_first"], f["inside_second"]) == inside]
        assert len(flowers) == count
        free = region.buffer(-OUTLINE_WIDTH * 448 / 2)
        for flower in flowers:
            assert free.contains(shapely.Point(flower["x"], flower["y"]).buffer(flower["radius"]))
    for position, flower in enumerate(row["flowers"]):
        assert flower["radius"] >= SMALLEST_RADIUS * 448
        for other in row["flowers"][:position]:
            apart = np.hypot(flower["x"] - other["x"], flower["y"] - other["y"])
            assert apart >= (2 + 0.3) * flower["radius"] - 1e-9


def test_same_stream_gives_the_same_scene_and_flowers_are_mixed() -> None:
    assert puzzle("flower-removal", 5) == puzzle("flower-removal", 5)
    assert puzzle("flower-removal", 5) != puzzle("flower-removal", 5, seed=1)
    kinds = [len({flower["image_id"] for flower in puzzle("flower-removal", n)[1]["flowers"]}) for n in range(20)]
    assert max(kinds) <= 5 and np.mean(kinds) > 2


@pytest.mark.parametrize("split", [(1, 1, 1, 1), (0, 0, 0, 1), (1, 0, 0, 0), (0, 1, 1, 0)])
@pytest.mark.parametrize(("size", "most"), [(192, 8), (336, 12), (448, 14)])
def test_every_split_of_flowers_finds_room(split: tuple[int, ...], size: int, most: int) -> None:
    counts = tuple(most if full else 1 for full in split)
    settings = puzzle_settings(image_size=size)
    for number in range(3):
        generator = stream(0, "room", number)
        scene = lay_out_flowers(counts, ("red", "blue"), flower_pictures().image_ids, settings, generator)
        found = [(flower["inside_first"], flower["inside_second"]) for flower in scene["flowers"]]
        assert tuple(found.count(region) for region in REGIONS) == counts


def test_one_flower_picture_is_enough() -> None:
    settings = puzzle_settings()
    scene = lay_out_flowers((3, 3, 3, 3), ("red", "blue"), ["only"], settings, stream(0, "one"))
    assert {flower["image_id"] for flower in scene["flowers"]} == {"only"}


def test_impossible_demands_are_errors_that_name_what_to_lower() -> None:
    settings = puzzle_settings(smallest_gap=2.0, flowers_per_region=Range(low=1, high=40))
    with pytest.raises(WhatifError, match=r"no room for 160 flowers .* lower flowers_per_region.high, smallest_gap"):
        lay_out_flowers((40, 40, 40, 40), ("red", "blue"), ["only"], settings, stream(0, "full"))


def test_outlines_that_run_together_or_cross_too_often_are_not_distinct() -> None:
    square = np.array([(100.0, 100.0), (300.0, 100.0), (300.0, 300.0), (100.0, 300.0)])
    assert outlines_are_distinct(square, square + 90, 448)
    assert not outlines_are_distinct(square, square + np.array((90, 8)), 448), "two edges run side by side"
    assert not outlines_are_distinct(square, square + 250, 448), "no overlap"
    assert not outlines_are_distinct(square, (square - 200) * 0.3 + 200, 448), "one inside the other"
    diamond = np.array([(200.0, 60.0), (340.0, 200.0), (200.0, 340.0), (60.0, 200.0)])
    assert not outlines_are_distinct(square, diamond, 448), "eight crossings"
    sliver = np.array([(60.0, 110.0), (340.0, 60.0), (340.0, 20.0)])
    flat = copy.deepcopy(sliver)
    flat[:, 1] += 30
    assert not outlines_are_distinct(square, flat, 448), "a crossing so flat that it looks like one line"
