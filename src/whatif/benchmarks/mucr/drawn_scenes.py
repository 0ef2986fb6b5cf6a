"""The images of pairs of the drawn world, drawn from what their provenance says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from whatif.benchmarks.mucr.schemas import SIDES

if TYPE_CHECKING:
    from whatif.world.causal_pairs import CausalPair

_SCENES = "scenes"  # the origin of pairs of the drawn world


class NoDrawnSceneError(ValueError):
    """A pair is not of the drawn world; the message says where it is from."""


def scene_image(pair: Mapping[str, Any], style: str, sentence: str, side: int, variation: int) -> tuple[bytes, str]:
    """The PNG of candidate `variation` of a cause or effect (`sentence`), `side` pixels wide, and its source.

    Raises NoDrawnSceneError when the pair is not of the drawn world.
    """
    from whatif.engine.files import png
    from whatif.world.causal_image import draw_causal_picture

    drawn = _drawn_pair(pair)
    scene = drawn.cause_scene if sentence == SIDES[0] else drawn.effect_scene
    return png.encode(draw_causal_picture(scene, style, side, variation)), f"drawn:{scene.scene_id}"


def _drawn_pair(pair: Mapping[str, Any]) -> CausalPair:
    known = json.loads(pair["provenance"])
    if known.get("origin") != _SCENES:
        raise NoDrawnSceneError(f"the pair is of the origin {known.get('origin')!r}, not of the drawn world")
    found: CausalPair = _group(known["split"], known["number"], known["seed"])[known["place"]]
    if found.pair_id != pair["pair_id"]:
        raise ValueError(f"{pair['pair_id']}: its provenance is that of {found.pair_id}")
    return found


@lru_cache(maxsize=16)
def _group(split: str, number: int, seed: int) -> tuple[CausalPair, ...]:
    from whatif.world.causal_pairs import draw_group

    return draw_group(split, number, seed)
