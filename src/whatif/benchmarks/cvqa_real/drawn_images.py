"""What the images of drawn scenes show, for tools that know it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from whatif.models.depicted import Depicted
from whatif.world.depicted_scenes import depicted_scene

Row = Mapping[str, Any]


def depicted_images(questions: Iterable[Row], images: Callable[[], Iterable[Row]]) -> Callable[[str], Depicted | None]:
    """What an image of the `questions` shows, by its id, if it was drawn.

    `images` returns the rows of its table, of which `image_id` and `width` are used; it is called when first needed.
    """
    drawn = {}
    for row in questions:
        known = json.loads(row["provenance"])
        if {"split", "number", "seed"} <= known.keys():
            drawn.update(dict.fromkeys(row["image_ids"], (known["split"], known["number"], known["seed"])))

    @cache
    def sides() -> dict[str, int]:
        return {row["image_id"]: row["width"] for row in images()}

    def depicted(image_id: str) -> Depicted | None:
        return depicted_scene(*drawn[image_id], sides()[image_id]) if image_id in drawn else None

    return depicted
