"""Images of puzzles: the same bytes for the same row, redrawn at any size, nothing in the file but pixels."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from tests.benchmarks.cvqa_synthetic.recount import recount_puzzle
from tests.world.scenes import flower_pictures, puzzle, puzzle_settings
from whatif.benchmarks.cvqa_synthetic.flowers import drawn_flowers
from whatif.benchmarks.cvqa_synthetic.puzzle_image import FlowerPictures, dot_puzzle_colours, draw_puzzle
from whatif.benchmarks.cvqa_synthetic.questions import GROUPS
from whatif.engine.errors import WhatifError
from whatif.engine.files import png
from whatif.engine.random_streams import stream
from whatif.world.drawing.palette import DOT_PUZZLE_COLOURS, POLYGON_COLOURS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("group", GROUPS)
def test_same_row_gives_the_same_bytes_whatever_was_drawn_before(group: str) -> None:
    _, row = puzzle(group, 7)
    data = draw_puzzle(row, FlowerPictures(drawn_flowers(96)))
    assert data == draw_puzzle(row, flower_pictures())
    picture = Image.open(io.BytesIO(data))
    assert (picture.format, picture.mode, picture.size, picture.info) == ("PNG", "RGB", (448, 448), {})
    assert data.count(b"IHDR") == data.count(b"IDAT") == data.count(b"IEND") == 1


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("size", [448, 672, 1000])
def test_a_stored_scene_shows_the_same_answers_at_another_size(group: str, size: int) -> None:
    for number in range(5):
        text, row = puzzle(group, number)
        data = draw_puzzle(row, flower_pictures(), size)
        assert Image.open(io.BytesIO(data)).size == (size, size)
        scaled = _scaled(row, size / 448)
        assert recount_puzzle(data, scaled) == (text.original.number, text.counterfactual.number)


@pytest.mark.parametrize("group", GROUPS)
def test_small_pictures_can_be_counted_too(group: str) -> None:
    settings = puzzle_settings(image_size=192, smallest_gap=0.0)
    for number in range(10):
        text, row = puzzle(group, number, settings)
        answers = text.original.number, text.counterfactual.number
        assert recount_puzzle(draw_puzzle(row, flower_pictures()), row) == answers


def _scaled(row: dict[str, object], scale: float) -> dict[str, object]:
    polygons = [
        {**polygon, "points": [{axis: scale * place for axis, place in point.items()} for point in polygon["points"]]}
        for polygon in row["polygons"]  # type: ignore[attr-defined]
    ]
    return {**row, "polygons": polygons}


def test_colours_of_dot_puzzles_vary_and_belong_to_the_puzzle() -> None:
    colours = [dot_puzzle_colours(f"pair-{number}") for number in range(200)]
    assert set(colours) == set(DOT_PUZZLE_COLOURS)
    assert colours == [dot_puzzle_colours(f"pair-{number}") for number in range(200)]
    for outline, dot in DOT_PUZZLE_COLOURS:
        assert np.linalg.norm(np.subtract(outline, dot)) > 80
        assert max(min(outline), min(dot)) < 130, "must stand out on white"


def test_colours_of_polygons_are_far_apart() -> None:
    colours = np.array(list(POLYGON_COLOURS.values()), float)
    apart = np.linalg.norm(colours[:, None] - colours, axis=2) + 1000 * np.eye(len(colours))
    assert list(POLYGON_COLOURS) == ["purple", "red", "black", "orange", "green", "yellow", "blue", "pink"]
    assert apart.min() > 75


def test_a_missing_flower_picture_is_named() -> None:
    _, row = puzzle("flower-recolour", 0)
    with pytest.raises(WhatifError, match=rf"flower image {row['flowers'][0]['image_id']}: "):
        draw_puzzle(row, FlowerPictures([]))


def test_encoder_keeps_every_pixel_and_refuses_other_modes() -> None:
    for shape in ((1, 1, 3), (7, 13, 3), (64, 5, 3)):
        pixels = stream(0, "pixels", *shape).integers(0, 256, shape, dtype=np.uint8)
        assert np.array_equal(np.asarray(Image.open(io.BytesIO(png.encode(Image.fromarray(pixels))))), pixels)
    with pytest.raises(ValueError, match="mode RGBA"):
        png.encode(Image.new("RGBA", (2, 2)))
