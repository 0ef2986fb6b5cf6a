"""Drawn images with classes: things, things with their colours, colours, or backgrounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias

from whatif.world.drawn_images import scene_row, seed_of
from whatif.world.scenes import BACKGROUNDS, COLOURS, NOUNS, Scene, draw_scene

Classes: TypeAlias = Literal["things", "coloured-things", "colours", "backgrounds"]

_NAMES: dict[Classes, tuple[str, ...]] = {
    "things": NOUNS,
    "coloured-things": tuple(f"{colour} {noun}" for colour in COLOURS for noun in NOUNS),
    "colours": tuple(COLOURS),
    "backgrounds": tuple(BACKGROUNDS),
}
_CLASS_OF: dict[Classes, Callable[[Scene], str]] = {
    "things": lambda scene: scene.things[0].noun,
    "coloured-things": lambda scene: f"{scene.things[0].colour} {scene.things[0].noun}",
    "colours": lambda scene: scene.things[0].colour,
    "backgrounds": lambda scene: scene.background,
}


def class_names(kind: Classes) -> list[str]:
    """The names of the classes, in the order of their labels from 0."""
    return list(_NAMES[kind])


def classified_scenes(kind: Classes, number: int, seed: int) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Item id, row of `images` and label of `number` scenes of one thing, of the split `test`.

    An image depends on the kind, its number and the seed alone; its class is drawn uniformly.
    """
    labels = {name: label for label, name in enumerate(_NAMES[kind])}
    for place in range(number):
        scene = draw_scene("test", place, seed_of(seed, "classified", kind), "one")
        yield f"{kind}-{place:06d}", scene_row(scene), labels[_CLASS_OF[kind](scene)]
