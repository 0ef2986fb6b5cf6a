"""Targets of each token of a vision tower for its own place in the image, before and beside the answers.

Counting is hardly ever learnt from answers alone: a number contains too little information about its origin. So a
linear head, discarded after training, predicts from each token what is in its place: the insides of polygons, flowers
and dots, or the thing of a scene.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from training.puzzle_examples import PuzzleExample
from training.scene_pictures import ScenePicture
from whatif.world.drawing.palette import POLYGON_COLOURS
from whatif.world.scenes import BACKGROUNDS, COLOURS, NOUNS, SIZES

GRID = 6  # tokens per side
_FINE = 4  # parts per side of a token's place, for the insides of polygons
_CIRCLES = 6
_MOST_IN_A_CIRCLE = 9.0
_POLYGONS = list(POLYGON_COLOURS)
_NOUNS, _COLOURS, _SIZES, _BACKGROUNDS = (list(names) for names in (NOUNS, COLOURS, SIZES, BACKGROUNDS))

# Channels of the head.
INSIDE = slice(0, _FINE * _FINE * len(_POLYGONS))  # whether each part is inside a polygon of each colour
FLOWERS = slice(INSIDE.stop, INSIDE.stop + len(_POLYGONS) + 1)  # flowers here inside each colour; all flowers here
DOTS = slice(
    FLOWERS.stop, FLOWERS.stop + _CIRCLES + 1
)  # dots here of each circle; all dots of the nearest circle (of 9)
THING = slice(DOTS.stop, DOTS.stop + len(_NOUNS) + len(_COLOURS) + len(_SIZES))  # the thing with its centre here
BACKGROUND = slice(THING.stop, THING.stop + len(_BACKGROUNDS))
CHANNELS = BACKGROUND.stop

Targets = npt.NDArray[np.float32]


def dense_targets(example: PuzzleExample | ScenePicture) -> Targets:
    """The head's targets, of shape (36, channels); channels that do not apply to this image are NaN."""
    targets = np.full((GRID * GRID, CHANNELS), np.nan, np.float32)
    if isinstance(example, ScenePicture):
        _scene(example, targets)
    elif example.colours is None:
        _dots(example, targets)
    else:
        _flowers(example, targets)
    return targets


def dense_losses(read: Any, targets: Any) -> dict[str, Any]:
    """The losses of the head by name, for tensors of shape (images, 36, channels)."""
    from torch.nn.functional import binary_cross_entropy_with_logits, mse_loss, smooth_l1_loss

    losses = {}
    for name, channels in (("inside", INSIDE), ("thing", THING), ("background", BACKGROUND)):
        known = ~targets[:, 0, channels.start].isnan()
        if known.any():
            losses[name] = binary_cross_entropy_with_logits(read[known][..., channels], targets[known][..., channels])
    for name, channels in (("flowers", FLOWERS), ("dots", DOTS)):
        known = ~targets[:, 0, channels.start].isnan()
        if known.any():
            found, right = read[known][..., channels], targets[known][..., channels]
            # The sum over the image is the required number: small errors of the same sign in every token would add up.
            losses[name] = 5 * mse_loss(found, right) + 0.05 * smooth_l1_loss(found.sum(dim=1), right.sum(dim=1))
    return losses


def _cells(places: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """The token for each of the places (n, 2)."""
    columns, rows = (np.clip(places, 0, 1 - 1e-6) * GRID).astype(np.int64).T
    return np.asarray(rows * GRID + columns)


def _flowers(example: PuzzleExample, targets: Targets) -> None:
    assert example.colours is not None and example.masks is not None
    inside = np.zeros((len(_POLYGONS), GRID, _FINE, GRID, _FINE), np.float32)
    counts = np.zeros((GRID * GRID, len(_POLYGONS) + 1), np.float32)
    cells = _cells(example.places)
    np.add.at(counts, (cells, np.full(len(cells), len(_POLYGONS))), 1)
    for polygon, colour in enumerate(example.colours):
        inside[_POLYGONS.index(colour)] = example.masks[polygon].reshape(GRID, _FINE, GRID, _FINE)
        inside_it = cells[example.owners[:, polygon] == 1]
        np.add.at(counts, (inside_it, np.full(len(inside_it), _POLYGONS.index(colour))), 1)
    targets[:, INSIDE] = inside.transpose(1, 3, 0, 2, 4).reshape(GRID * GRID, -1)
    targets[:, FLOWERS] = counts


def _dots(example: PuzzleExample, targets: Targets) -> None:
    counts = np.zeros((GRID * GRID, _CIRCLES + 1), np.float32)
    np.add.at(counts, (_cells(example.places), example.owners), 1)
    centres = [example.places[example.owners == circle].mean(axis=0) for circle in range(_CIRCLES)]
    middles = (np.stack(np.meshgrid(np.arange(GRID), np.arange(GRID)), axis=-1).reshape(-1, 2) + 0.5) / GRID
    distances = np.linalg.norm(middles[:, None] - np.stack(centres), axis=-1)
    counts[:, _CIRCLES] = np.array(example.counts)[distances.argmin(axis=1)] / _MOST_IN_A_CIRCLE
    targets[:, DOTS] = counts


def _scene(example: ScenePicture, targets: Targets) -> None:
    scene = example.scene
    here = np.zeros((GRID * GRID, THING.stop - THING.start), np.float32)
    cells = _cells(np.array([(thing.x, thing.y) for thing in scene.things], np.float32))
    for cell, thing in zip(cells, scene.things, strict=True):
        here[cell, _NOUNS.index(thing.noun)] = 1
        here[cell, len(_NOUNS) + _COLOURS.index(thing.colour)] = 1
        here[cell, len(_NOUNS) + len(_COLOURS) + _SIZES.index(thing.size)] = 1
    targets[:, THING] = here
    targets[:, BACKGROUND] = np.array([name == scene.background for name in _BACKGROUNDS], np.float32)
