"""The first training stage of vision towers: from each patch of an image, the thing that it shows, and its place.

Nothing else teaches shapes as fast: an image has as many labels as patches, whereas a caption is one label.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from training.loop import optimise
from training.recipes import Schedule
from training.scene_examples import SIDE, pictures_of
from training.scene_facts import PATCH_FACTS, patch_facts
from training.supervision import fact_loss, fact_reader, pixel_values
from whatif.world.scenes import draw_scene

PATCH = 8  # pixels
_FASTEST, _SLOWEST = 2.0, 0.2  # radians from patch to patch


def train_tower(
    name: str,
    model: Any,
    patch_states: Callable[[Any], Any],
    *,
    schedule: Schedule,
    seed: int,
    log: Path,
    patch: int = PATCH,
) -> tuple[Any, list[dict[str, float]]]:
    """Trains the part of `model` that `patch_states` uses; returns the patch reader and the log.

    `patch_states` maps images (n, 3, 64, 64) from -1 to 1 to states (n, patches, width), row by row; a patch has
    `patch` pixels a side. Half of the
    scenes have counted things, which have the most things, and half are pairs, in which each thing has a position
    relative to the other. A tower that does not learn positions here never learns them later: images with exchanged
    things keep nearly the same embedding.
    """
    import torch

    device = next(model.parameters()).device
    reader = fact_reader(patch_states(torch.zeros(1, 3, SIDE, SIDE, device=device)).shape[-1], PATCH_FACTS).to(device)

    def losses(step: int) -> dict[str, Any]:
        numbers = range(step * schedule.batch, (step + 1) * schedule.batch)
        scenes = [draw_scene("train", number, seed, ("pair", "counted")[number % 2]) for number in numbers]
        with torch.autocast(device.type, torch.bfloat16):
            logits = reader(patch_states(pixel_values(pictures_of(scenes), device)))
        return {"patches": fact_loss(logits, patch_facts(scenes, SIDE, patch), PATCH_FACTS)}

    return reader, optimise(f"{name}, tower", [model, reader], losses, schedule, log)


def wave_positions(width: int, amplitude: float, patch: int = PATCH) -> Any:
    """Initial position embeddings of patches, (patches, width), row by row: vertical waves, then horizontal waves.

    `amplitude` should be similar to that of the initial patch embeddings. With random positions a model learns late, if
    at all, which of two things is on the left.
    """
    import torch

    across = SIDE // patch
    angles = np.arange(across)[:, None] * np.geomspace(_FASTEST, _SLOWEST, width // 4)
    waves = amplitude * np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    rows, columns = np.repeat(waves, across, axis=0), np.tile(waves, (across, 1))
    return torch.from_numpy(np.concatenate([rows, columns], axis=1)).float()
