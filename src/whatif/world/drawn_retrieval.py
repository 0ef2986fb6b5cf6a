"""Drawn sets that are searched: held-out scenes with their captions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias

from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream
from whatif.world.drawn_images import scene_row, seed_of
from whatif.world.scene_captions import WORDINGS, full_caption
from whatif.world.scenes import Scene, draw_scene

SceneKind: TypeAlias = Literal["one", "pair", "counted"]
_ATTEMPTS = 20_000  # at another content, before there is taken to be none


def retrieval_scenes(
    data_set: str, number: int, *, captions_per_image: Literal["first", "all"], seed: int, kind: SceneKind = "one"
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Item id, caption and row of `images` of `number` scenes of the split `test`, in the order of their drawing.

    No two scenes have the same content, so each full caption is true of one image only. `first` gives one caption for
    each image in a random wording, `all` gives five, one in each wording, with the same row. An item id is
    `<data set>-<number of the image>-<number of the caption>`. The scenes depend on the name of the data set, the seed
    and the kind alone; a larger `number` adds scenes.

    Raises WhatifError when there are too few scenes of this kind with different content.
    """
    for place, scene in enumerate(_distinct_scenes(data_set, number, kind, seed)):
        image = scene_row(scene)
        start = int(stream(seed, "wording", data_set, place).integers(WORDINGS))
        for caption in range(WORDINGS if captions_per_image == "all" else 1):
            yield f"{data_set}-{place:06d}-{caption}", full_caption(scene, (start + caption) % WORDINGS), image


def _distinct_scenes(data_set: str, number: int, kind: str, seed: int) -> Iterator[Scene]:
    """Scenes that differ in content, wherever their things are."""
    told: set[str] = set()
    drawn = missed = 0
    while len(told) < number:
        scene = draw_scene("test", drawn, seed_of(seed, "retrieval", data_set), kind)
        drawn += 1
        caption = full_caption(scene)
        if caption not in told:
            told.add(caption)
            missed = 0
            yield scene
        elif (missed := missed + 1) == _ATTEMPTS:
            raise WhatifError(
                f"{data_set}: {number:,} scenes of kind {kind} were requested; only {len(told):,} with different "
                "content were found; ask for fewer, or for another kind"
            )
