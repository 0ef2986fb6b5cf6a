"""Drawn scenes as rows of the table `images`, and whole numbers that seed them."""

from __future__ import annotations

from typing import Any

from whatif.engine.artifacts.images import DRAWN_LICENCE, image_row
from whatif.engine.files import png
from whatif.engine.random_streams import stream
from whatif.world.scene_image import draw_scene_picture
from whatif.world.scenes import Scene

SIDE = 64  # pixels; the embedded models' image size


def scene_row(scene: Scene, side: int = SIDE) -> dict[str, Any]:
    """The row of `images` for a drawing of the scene, `side` pixels wide and high."""
    return image_row(png.encode(draw_scene_picture(scene, side)), side, side, f"drawn:{scene.scene_id}", DRAWN_LICENCE)


def seed_of(seed: int, *names: str) -> int:
    """A seed for `draw_scene` that depends only on `seed` and the names: other scenes for each purpose."""
    return int(stream(seed, "scenes of", *names).integers(2**31))
