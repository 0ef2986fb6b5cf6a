"""Rows about drawn scenes: the picture of each, and the things in it as attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from whatif.benchmarks.from_yaml.settings import DrawnScenes
from whatif.benchmarks.shared.drawn_scenes import SPLIT

# What expressions about scenes can name: attribute -> the fields of its elements; None where it is no list.
SCENE_ATTRIBUTES: dict[str, tuple[str, ...] | None] = {
    "objects": ("noun", "colour", "size", "x", "y"),
    "background": None,
}


def scene_rows(settings: DrawnScenes, seed: int) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Of each scene: a row of `images`, and the id and the attributes of the row.

    x and y are the centre of a thing, as fractions of the image's side; y grows downwards. No embedded checkpoint was
    trained on these scenes.
    """
    from whatif.world.drawn_images import scene_row
    from whatif.world.scenes import draw_scene

    for number in range(settings.number):
        scene = draw_scene(SPLIT, number, seed, settings.kind)
        objects = [
            {"noun": thing.noun, "colour": thing.colour, "size": thing.size, "x": thing.x, "y": thing.y}
            for thing in scene.things
        ]
        attributes = {"objects": objects, "background": scene.background}
        yield scene_row(scene, settings.side), {"row_id": scene.scene_id, "attributes": attributes}
