"""Captions with drawn images for the measurements of contrastive training."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping

from PIL import Image

from whatif.engine.files import png
from whatif.models.fine_tuning.contrastive_samples import Sample
from whatif.world.scene_captions import full_caption
from whatif.world.scene_image import draw_scene_picture
from whatif.world.scenes import draw_scene


class Encoded:
    """Images by id, as PNG bytes; each `get` decodes one, as the store of a job does."""

    def __init__(self, images: Mapping[str, bytes]) -> None:
        self.images = images

    def in_order(self, image_ids: Iterable[str]) -> list[str]:
        """The ids, each once."""
        return sorted(set(image_ids))

    def get(self, image_id: str) -> Image.Image:
        """The decoded image as RGB."""
        return Image.open(io.BytesIO(self.images[image_id])).convert("RGB")


def pairs(number: int, side: int, *, first: int = 0) -> tuple[list[Sample], Encoded]:
    """So many scenes of `side` x `side` pixels with their full captions."""
    scenes = [draw_scene("train", place, 0) for place in range(first, first + number)]
    images = {str(place): png.encode(draw_scene_picture(scene, side)) for place, scene in enumerate(scenes, first)}
    return [Sample(full_caption(scene, place % 5), str(place)) for place, scene in enumerate(scenes, first)], Encoded(
        images
    )
