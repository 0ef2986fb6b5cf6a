"""Scenes of the split `train` for training a vision-language model: small images and their questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from whatif.engine.progress import progress
from whatif.world.scenes import Scene, draw_scene

_DRAWN_FINER = 2  # images are drawn this many times larger, then reduced like a processor does


@dataclass(frozen=True)
class ScenePicture:
    """A scene and its image."""

    picture: npt.NDArray[np.uint8]  # (side, side, 3)
    scene: Scene


def draw_scenes(number: int, seed: int, side: int) -> list[ScenePicture]:
    """The first `number` scenes of the split `train`, at `side` pixels."""
    examples = []
    for place in progress(range(number), number, "scenes to train on", "scene"):
        scene = draw_scene("train", place, seed)
        examples.append(ScenePicture(reduced_picture(scene, side), scene))
    return examples


def reduced_picture(scene: Scene, side: int) -> npt.NDArray[np.uint8]:
    """The image of a scene, (side, side, 3), drawn larger and reduced."""
    from PIL import Image

    from whatif.world.scene_image import draw_scene_picture

    picture = draw_scene_picture(scene, _DRAWN_FINER * side)
    return np.asarray(picture.resize((side, side), Image.Resampling.BICUBIC))


def scene_questions_of(example: ScenePicture, generator: np.random.Generator) -> list[tuple[str, str]]:
    """Questions about a scene, with answers."""
    from whatif.world.scene_questions import scene_questions

    return [(asked.question, asked.answer) for asked in scene_questions(example.scene, generator)]
