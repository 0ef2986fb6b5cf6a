"""Scenes for training, each with a minimal edit: images, captions and facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from training.scene_facts import Labels, scene_facts, told_facts
from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream
from whatif.world.scene_captions import WORDINGS, captions, full_caption, short_caption
from whatif.world.scene_edits import EDITS, edit
from whatif.world.scene_image import draw_scene_picture
from whatif.world.scenes import Scene, draw_scene, one_of

SIDE = 64  # pixels; the embedded models' image size
_WEIGHTS = {"noun": 2, "relation": 8, "count": 3}  # of edits that are harder to distinguish; the others have 1
_UNRELATED = 0.15  # fraction of scenes paired with another scene instead of an edit
_PARTIAL = 0.2  # fraction of scenes and edits with separate captions, which may omit things


@dataclass(frozen=True)
class Described:
    """`m` scenes with a caption of each."""

    scenes: list[Scene]
    captions: list[str]
    facts: Labels  # (m, facts) of the scenes
    told: Labels  # (m, facts) of the captions

    @property
    def pictures(self) -> NDArray[np.uint8]:
        """(m, 64, 64, 3)."""
        return pictures_of(self.scenes)


@dataclass(frozen=True)
class Twins(Described):
    """`n` scenes and then the edit of each, in the same order: 2n images and captions.

    `worded_alike` marks the pairs whose captions are both full and have the same wording.
    """

    worded_alike: list[bool]


def draw_twins(number: int, step: int, seed: int) -> Twins:
    """The `number` scenes of a training step, from the split `train`, each with an edit; every step has new ones."""
    generator = stream(seed, "twins", step)
    scenes = [draw_scene("train", step * number + place, seed) for place in range(number)]
    others, first, second, alike = [], [], [], []
    for scene in scenes:
        unrelated, partial = generator.random(2) < (_UNRELATED, _PARTIAL)
        other = scenes[int(generator.integers(number))] if unrelated else edited(scene, generator)
        wording = int(generator.integers(WORDINGS))
        one, two = (_some_caption(it, generator) if partial else full_caption(it, wording) for it in (scene, other))
        others.append(other)
        first.append(one)
        second.append(two)
        alike.append(not partial and scene.kind == other.kind and not unrelated)
    both, said = [*scenes, *others], [*first, *second]
    return Twins(both, said, *_facts_of(both, said), alike)


def draw_singles(number: int, step: int, seed: int, *, whole: float) -> Described:
    """The `number` scenes of a training step, from the split `train`, without edits; every step has new ones.

    Half of them have one thing, half are pairs. The share `whole` of the captions names everything; the others name
    nouns and the relation, and half of those the sizes.
    """
    generator = stream(seed, "singles", step)
    scenes, said = [], []
    for place in range(number):
        scene = draw_scene("train", step * number + place, seed, ("one", "pair")[place % 2])
        wording, is_whole, with_size = int(generator.integers(WORDINGS)), *(generator.random(2) < (whole, 0.5))
        scenes.append(scene)
        said.append(full_caption(scene, wording) if is_whole else short_caption(scene, wording, size=bool(with_size)))
    return Described(scenes, said, *_facts_of(scenes, said))


def edited(scene: Scene, generator: np.random.Generator) -> Scene:
    """A minimal edit; properties that are hard to distinguish are edited more often."""
    what = one_of([name for name in EDITS[scene.kind] for _ in range(_WEIGHTS.get(name, 1))], generator)
    try:
        return edit(scene, what, generator)
    except WhatifError:  # no room for another count or size
        return edit(scene, "background", generator)


def caption_batch(number: int, step: int, seed: int) -> list[str]:
    """The `number` captions of a training step, full and partial, of scenes of the split `train`."""
    generator = stream(seed, "captions", step)
    return [_some_caption(draw_scene("train", step * number + place, seed), generator) for place in range(number)]


def texts_for_tokenizer(number: int, seed: int) -> Iterator[str]:
    """Two captions of each of `number` training scenes: enough to contain every word of the scenes."""
    generator = stream(seed, "tokenizer")
    for place in range(number):
        yield from captions(draw_scene("train", place, seed), 2, generator)


def pictures_of(scenes: Sequence[Scene]) -> NDArray[np.uint8]:
    """(scenes, 64, 64, 3)."""
    return np.stack([np.asarray(draw_scene_picture(scene, SIDE)) for scene in scenes])


def _facts_of(scenes: Sequence[Scene], said: Sequence[str]) -> tuple[Labels, Labels]:
    """Facts of the scenes, and those that their captions tell."""
    facts = np.stack([scene_facts(scene) for scene in scenes])
    return facts, np.stack([told_facts(of_scene, caption) for of_scene, caption in zip(facts, said, strict=True)])


def _some_caption(scene: Scene, generator: np.random.Generator) -> str:
    """A full caption or one that may omit a part, with equal probability."""
    return captions(scene, 2, generator)[int(generator.random() < 0.5)]
