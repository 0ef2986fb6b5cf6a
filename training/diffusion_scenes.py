"""Scenes for training the diffusion pipeline: one or two things on a coarse grid, with captions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count, islice

import numpy as np
import numpy.typing as npt

from whatif.engine.progress import progress
from whatif.engine.random_streams import stream
from whatif.world.scene_captions import WORDINGS, captions, full_caption
from whatif.world.scene_layout import LARGEST, STEPS, Place, fits
from whatif.world.scene_words import COUNT_WORDS, plural
from whatif.world.scenes import BACKGROUNDS, COLOURS, NOUNS, SIZES, Scene, draw_scene, relation_of, split_of

SIDE = 64  # pixels of an image
# A caption names no place. If places are as far apart as the denoiser's coarse cells, a thing looks the same in each of
# them, and shapes are learnt several times faster.
PLACES_APART = 8  # pixels
_OTHER_WORDS = "a above an and are background below front in is left of on picture right that the there things to with"
_FULL = 0.9  # fraction of captions that name everything
_EMPTY = 0.1  # fraction of empty captions, for classifier-free guidance


def draw_training_scenes(number: int, pairs: float, seed: int) -> list[Scene]:
    """`number` scenes of the split `train` on the grid; a fraction of `pairs` have two things, the others one."""
    with_two = round(number * pairs)
    kinds = [_on_grid(kind, seed) for kind in ("one", "pair")]
    scenes = [*islice(kinds[0], number - with_two), *islice(kinds[1], with_two)]
    return [scenes[place] for place in stream(seed, "diffusion scenes").permutation(number)]


def draw_pictures(scenes: Sequence[Scene]) -> npt.NDArray[np.uint8]:
    """The images of the scenes, (scenes, 64, 64, 3)."""
    from whatif.world.scene_image import draw_scene_picture

    shown = progress(scenes, len(scenes), "scenes to train on", "scene")
    return np.stack([np.asarray(draw_scene_picture(scene, SIDE)) for scene in shown])


def draw_caption(scene: Scene, generator: np.random.Generator) -> str:
    """A caption of the scene: usually one that names everything, sometimes a shorter one or an empty one."""
    kind = generator.random()
    if kind < _EMPTY:
        return ""
    if kind < _EMPTY + (1 - _EMPTY) * _FULL:
        return full_caption(scene, int(generator.integers(WORDINGS)))
    return captions(scene, 2, generator)[1]


def caption_words() -> list[str]:
    """Every word in captions of scenes, sorted."""
    return sorted({*NOUNS, *map(plural, NOUNS), *COLOURS, *BACKGROUNDS, *SIZES, *COUNT_WORDS, *_OTHER_WORDS.split()})


def _on_grid(kind: str, seed: int) -> Iterator[Scene]:
    """Scenes of a kind with their things moved to the grid, if their captions remain true."""
    for number in count():
        drawn = draw_scene("train", number, seed, kind)
        places = [_nearest((thing.x, thing.y)) for thing in drawn.things]
        things = tuple(replace(thing, x=x, y=y) for thing, (x, y) in zip(drawn.things, places, strict=True))
        if not fits([SIZES[thing.size] for thing in things], places) or split_of(things) != "train":
            continue
        if drawn.relation is None or relation_of(*things) == drawn.relation:
            yield replace(drawn, things=things)


def _nearest(place: Place) -> Place:
    """The nearest place on the grid at which a thing of any size is inside the image."""
    first = int(np.ceil(LARGEST / 2 * STEPS))
    most = (STEPS - 2 * first) // PLACES_APART
    x, y = (
        (first + PLACES_APART * min(most, max(0, round((middle * STEPS - first) / PLACES_APART)))) / STEPS
        for middle in place
    )
    return x, y
