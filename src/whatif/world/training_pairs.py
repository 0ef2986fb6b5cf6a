"""Drawn pairs to train with: a caption with its photograph, and its minimal edit with an image of each side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from whatif.engine.artifacts.pair_items import SIDES, item_id
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.random_streams import stream
from whatif.people.consensus import AUTOMATIC
from whatif.world.drawn_images import scene_row, seed_of
from whatif.world.scene_captions import WORDINGS, full_caption
from whatif.world.scene_edits import edit
from whatif.world.scenes import Scene, draw_scene, one_of

JUDGE = f"{AUTOMATIC}drawing"
_SPLIT = "train"
# How often each property is edited. Nouns are most frequent, as in the paper, where nothing else is.
_EDITS = ("noun",) * 4 + ("colour",) * 2 + ("background",)


@dataclass(frozen=True)
class TrainingPair:
    """Rows of `original_samples`, `pairs`, `judgements` (one for each side) and `images`."""

    original: dict[str, Any]
    photograph: dict[str, Any]
    pair: dict[str, Any]
    images: list[dict[str, Any]]
    judgements: list[dict[str, Any]]


def training_pairs(number: int, *, captions_per_image: int, wrong: float, seed: int) -> Iterator[TrainingPair]:
    """`number` pairs of scenes of one thing, of the split `train`, in the order of their ids.

    The photograph is a scene. `captions_per_image` pairs share it, and each has its caption in another wording. The
    image of side 0 is another drawing of that caption: the thing is in another place. That of side 1 is the same scene
    with another noun, colour or background, and its caption differs in this word. An image shows something else with
    the probability `wrong`: what the other side tells, or another thing. The judgements say which caption each image
    shows. Pair `scene-000012_1` has caption 1 of photograph 12. A pair depends on its id, `wrong` and the seed alone.
    """
    for pair_id, scene, photograph, wording in _photographs("scene", number, captions_per_image, seed):
        yield _pair(pair_id, scene, photograph, wording, wrong=wrong, seed=seed)


def unpaired_originals(
    number: int, *, captions_per_image: int, seed: int
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """`number` rows of `original_samples` without a pair, in the order of their ids, each with its photograph's row.

    As the originals of `training_pairs`, of other photographs; their ids begin with `unpaired`.
    """
    for caption_id, scene, photograph, wording in _photographs("unpaired", number, captions_per_image, seed):
        caption = full_caption(scene, wording)
        yield {"caption_id": caption_id, "caption": caption, "image_id": photograph["image_id"]}, photograph


def _photographs(
    name: str, number: int, captions_per_image: int, seed: int
) -> Iterator[tuple[str, Scene, dict[str, Any], int]]:
    """The id and the wording of each caption of photographs, with the scene and the row of its photograph."""
    for place in range(number):
        shared, caption = divmod(place, captions_per_image)
        if caption == 0:
            scene = draw_scene(_SPLIT, shared, seed_of(seed, "photographs", name), "one")
            photograph = scene_row(scene)
            start = int(stream(seed, "wording", name, shared).integers(WORDINGS))
        yield f"{name}-{shared:06d}_{caption}", scene, photograph, (start + caption) % WORDINGS


def _pair(
    pair_id: str, scene: Scene, photograph: dict[str, Any], wording: int, *, wrong: float, seed: int
) -> TrainingPair:
    generator = stream(seed, "pair", pair_id)
    place = draw_scene(_SPLIT, 0, seed_of(seed, "places", pair_id), "one").things[0]
    first = replace(
        scene, scene_id=f"{pair_id}-0", things=tuple(replace(thing, x=place.x, y=place.y) for thing in scene.things)
    )
    what = one_of(_EDITS, generator)
    sides = (first, replace(edit(first, what, generator), scene_id=f"{pair_id}-1"))
    pair: dict[str, Any] = {
        "pair_id": pair_id,
        "candidate": 0,
        **dict.fromkeys(("p", "guidance"), 0.0),
        "seed": 0,
        **dict.fromkeys(("caption_image_0", "caption_image_1", "image_image", "directional")),
        "provenance": canonical_json({"edit": what, "image_id": photograph["image_id"]}),
    }
    images, judgements = [], []
    for side in SIDES:
        shown, decision = _shown(sides, side, wrong, generator)
        images.append(scene_row(replace(shown, scene_id=sides[side].scene_id)))
        judgements.append(_judgement(item_id(pair_id, side), decision, shown))
        pair[f"caption_{side}"] = full_caption(sides[side], wording)
        pair[f"subject_{side}"] = _property(sides[side], what)
        pair[f"image_id_{side}"] = images[side]["image_id"]
    original = {"caption_id": pair_id, "caption": pair["caption_0"], "image_id": photograph["image_id"]}
    return TrainingPair(original, photograph, pair, images, judgements)


def _shown(sides: tuple[Scene, Scene], side: int, wrong: float, generator: np.random.Generator) -> tuple[Scene, str]:
    """What the image of a side shows, and the caption that is true of it."""
    is_wrong, shows_other, number = generator.random() < wrong, generator.random() < 0.5, int(generator.integers(2**31))
    if not is_wrong:
        return sides[side], f"caption_{side}"
    if shows_other:
        return sides[1 - side], f"caption_{1 - side}"
    nouns = {one.things[0].noun for one in sides}
    others = (draw_scene(_SPLIT, place, number, "one") for place in count())
    return next(one for one in others if one.things[0].noun not in nouns), "neither"


def _property(scene: Scene, what: str) -> str:
    return scene.background if what == "background" else str(getattr(scene.things[0], what))


def _judgement(item: str, decision: str, shown: Scene) -> dict[str, Any]:
    thing = shown.things[0]
    return {
        "item_id": item,
        "annotator": JUDGE,
        "decision": decision,
        "corrected": "{}",
        "comment": f"{thing.size} {thing.colour} {thing.noun}, {shown.background} background",
        "time": None,
        "seconds": None,
    }
