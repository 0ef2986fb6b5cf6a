"""What the images show is what the answers say, counted from pixels."""

from __future__ import annotations

import copy

import pytest

from tests.benchmarks.cvqa_synthetic.recount import outline_errors, recount_puzzle
from tests.world.scenes import flower_pictures, puzzle
from whatif.benchmarks.cvqa_synthetic.puzzle_image import draw_puzzle
from whatif.benchmarks.cvqa_synthetic.questions import GROUPS, TEMPLATES

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("group", GROUPS)
def test_pixels_give_the_answers_of_both_questions(group: str) -> None:
    for number in range(60):
        text, row = puzzle(group, number)
        counted = recount_puzzle(draw_puzzle(row, flower_pictures()), row)
        assert counted == (text.original.number, text.counterfactual.number), row["pair_id"]


@pytest.mark.parametrize("group", [group for group in GROUPS if TEMPLATES[group].subject == "flowers"])
def test_outlines_are_painted_along_the_stored_polygons_in_their_colours(group: str) -> None:
    for number in range(12):
        _, row = puzzle(group, number)
        assert outline_errors(draw_puzzle(row, flower_pictures()), row) == []


def test_outline_check_finds_a_polygon_that_is_not_the_one_that_is_painted() -> None:
    _, row = puzzle("flower-recolour", 0)
    picture = draw_puzzle(row, flower_pictures())
    moved = copy.deepcopy(row)
    moved["polygons"][0]["points"][0]["x"] += 6
    swapped = copy.deepcopy(row)
    swapped["polygons"].reverse()
    for polygon, other in zip(swapped["polygons"], row["polygons"], strict=True):
        polygon["colour"] = other["colour"]
    assert outline_errors(picture, moved)
    assert outline_errors(picture, swapped)


@pytest.mark.parametrize("group", ["flower-removal-other", "dot-columns"])
def test_recount_notices_one_thing_more(group: str) -> None:
    text, row = puzzle(group, 1)
    fewer = copy.deepcopy(row)
    if row["flowers"]:
        fewer["flowers"].remove(next(flower for flower in row["flowers"] if flower["inside_first"]))
    else:
        fewer["circles"][0]["dots"].pop()
    assert recount_puzzle(draw_puzzle(fewer, flower_pictures()), row)[0] == text.original.number - 1
