"""Movement of things in pairs of images: none if only the noun differs, otherwise the true movement."""

from __future__ import annotations

import itertools
from math import log
from typing import ClassVar

import pytest
from PIL import Image

from whatif.world.object_movement import moved_too_far, movement
from whatif.world.scene_image import draw_scene_picture
from whatif.world.scenes import NOUNS, SIZES, Scene, Thing

pytestmark = pytest.mark.slow


def picture(noun: str, size: str = "large", x: float = 0.5, y: float = 0.5) -> Image.Image:
    return draw_scene_picture(Scene("x", "white", (Thing(noun, "red", size, x, y),)))


@pytest.mark.parametrize("size", SIZES)
def test_another_noun_in_the_same_place_has_not_moved(size: str) -> None:
    for one, other in itertools.combinations(NOUNS, 2):
        found = movement(picture(one, size), picture(other, size))
        assert found is not None
        assert found.shift < 0.02 and abs(found.growth) < 0.1, (one, other, found)


@pytest.mark.parametrize(("one", "other"), [("kite", "ball"), ("flag", "house"), ("moon", "moon")])
def test_how_far_a_thing_has_moved_and_grown(one: str, other: str) -> None:
    moved = movement(picture(one, x=0.3, y=0.4), picture(other, x=0.6, y=0.4))
    assert moved is not None and moved.shift == pytest.approx(0.3, abs=0.02)
    grown = movement(picture(one, "small"), picture(other, "large"))
    assert grown is not None and grown.growth == pytest.approx(2 * log(SIZES["large"] / SIZES["small"]), abs=0.15)
    assert movement(picture(one), Image.new("RGB", (64, 64), "white")) is None


class Shown:
    pictures: ClassVar = {
        "here": picture("kite", x=0.4),
        "near": picture("ball", x=0.45),
        "far": picture("ball", x=0.6),
        "nothing": Image.new("RGB", (64, 64), "white"),
    }

    def get(self, image_id: str) -> Image.Image:
        return self.pictures[image_id]


@pytest.mark.parametrize(
    ("other", "most", "detail"),
    [
        ("near", 0.1, None),
        ("far", 0.1, "moved by 0.2"),
        ("far", None, None),
        ("nothing", 0.1, None),
    ],
)
def test_a_pair_whose_thing_moved_is_refused(other: str, most: float | None, detail: str | None) -> None:
    found = moved_too_far(Shown(), most, {"image_id_0": "here", "image_id_1": other})
    if detail is None:
        assert found is None
    else:
        assert found is not None and found[0] == "thing moved" and found[1].startswith(detail)
