"""Measures how well the embedded diffusion pipeline follows captions, and how little else a noun swap changes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from training.accuracies import share
from whatif.engine.params.checkpoints import DiffusionCheckpoint
from whatif.engine.random_streams import stream
from whatif.models.prompt_to_prompt.attention import PairRequest, generate_pairs
from whatif.models.prompt_to_prompt.pipeline import load_pipeline
from whatif.world.object_movement import movement
from whatif.world.scene_captions import WORDINGS, full_caption
from whatif.world.scene_edits import edit
from whatif.world.scene_recognition import recognise
from whatif.world.scenes import BACKGROUNDS, COLOURS, NOUNS, Scene, draw_scene

SAMPLES = 240
PAIRS = 120
STEPS = 25
GUIDANCE = 2.0
SHARED = 0.8  # fraction of the steps with shared self-attention (Prompt-to-Prompt)
START = 0.35  # fraction of the steps in which both images of a pair are the same
NEAR = 0.1  # fraction of the image's side; a smaller movement counts as none
_TOGETHER = 30  # images or pairs in a batch
_SEED = 20_24
_BORDER = 2  # pixels margin that things never reach
_EDGE = 3  # pixels around a thing that belong to its soft edges
_DIFFERENT = 30.0  # minimum distance of a thing's pixel from the background, in 8-bit RGB

Pixels = npt.NDArray[np.float64]


def assess_diffusion(folder: Path, samples: int = SAMPLES, pairs: int = PAIRS) -> dict[str, Any]:
    """Measures the images that the pipeline in `folder` draws for captions of the split `test`, by `recognise`.

    `captions`: of images for full captions of one thing, the fraction in which the thing, its colour, the background
    and all three are correct, each with n, Wilson interval and chance. `noun_swaps`: for captions with a swapped noun,
    the mean change of a pixel (0 to 255) outside both things of the pair, that is, outside the squares around the
    original's thing and the one that Prompt-to-Prompt puts in its place. Nothing should change elsewhere. Measured for
    Prompt-to-Prompt with a shared seed, for a shared seed alone, and for another seed, always over the same pixels,
    with the two-sided p-value of Wilcoxon's paired test, over pairs whose original shows the thing.
    `movement`: how far the things of a pair move, and how much they grow, for Prompt-to-Prompt alone, with a shared
    start, and for another seed. `nouns`: the fraction of correct things by noun.

    Repeated runs on one machine give the same result. Raises WhatifError when the pipeline cannot be loaded.
    """
    pipeline = load_pipeline(DiffusionCheckpoint(checkpoint=str(folder), steps=STEPS))
    swaps, moved = _noun_swaps(pipeline, pairs)
    captions, nouns = _captions_drawn(pipeline, samples)
    return {"captions": captions, "noun_swaps": swaps, "movement": moved, "nouns": nouns}


def _captions_drawn(pipeline: Any, number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fractions of correct things, colours, backgrounds and all three; and of correct things by noun."""
    scenes = [draw_scene("test", place, _SEED, "one") for place in range(number)]
    captions = [full_caption(scene, place % WORDINGS) for place, scene in enumerate(scenes)]
    pictures = _draw(pipeline, captions, [_seed("captions", place) for place in range(number)])
    right = np.array([_is_right(scene, picture) for scene, picture in zip(scenes, pictures, strict=True)])
    chances = {"object": 1 / len(NOUNS), "colour": 1 / len(COLOURS), "background": 1 / len(BACKGROUNDS)}
    table = {name: share(right[:, place], chance=chance) for place, (name, chance) in enumerate(chances.items())}
    asked = np.array([scene.things[0].noun for scene in scenes])
    nouns = {noun: share(right[asked == noun, 0], chance=chances["object"]) for noun in sorted(set(asked.tolist()))}
    return {**table, "all": share(np.all(right, axis=1), chance=float(np.prod(list(chances.values()))))}, nouns


def _noun_swaps(pipeline: Any, number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Pairs by Prompt-to-Prompt, the same without shared attention, and counterfactuals from other noise.

    The table of changes beside the things, and the table of movements.
    """
    scenes = [draw_scene("test", number + place, _SEED, "one") for place in range(number)]
    swapped = [edit(scene, "noun", stream(_SEED, "swap", place)) for place, scene in enumerate(scenes)]
    captions, others = (
        [full_caption(scene, place % WORDINGS) for place, scene in enumerate(each)] for each in (scenes, swapped)
    )
    seeds = [_seed("pairs", place) for place in range(number)]
    with_attention, with_seed = (_draw_pairs(pipeline, captions, others, seeds, shared=each) for each in (SHARED, 0.0))
    with_other_seed = _draw(pipeline, others, [_seed("other noise", place) for place in range(number)])
    with_start = _draw_pairs(pipeline, captions, others, seeds, shared=SHARED, shared_start=START)
    ways = {
        "prompt_to_prompt": with_attention,
        "prompt_to_prompt_with_a_shared_start": with_start,
        "another_seed": [(pair[0], other) for pair, other in zip(with_attention, with_other_seed, strict=True)],
    }
    moved = {way: _moved(pairs, scenes, swapped) for way, pairs in ways.items()}
    changes = []
    right = []
    for place, scene in enumerate(scenes):
        original = with_attention[place][0]
        if recognise(original).noun != scene.things[0].noun:
            continue
        outside = _outside_thing(_pixels(original)) & _outside_thing(_pixels(with_attention[place][1]))
        drawn = (with_attention[place][1], with_seed[place][1], with_other_seed[place])
        changes.append([float(np.abs(_pixels(each) - _pixels(original))[outside].mean()) for each in drawn])
        right.append([_is_right(swapped[place], each) for each in drawn[:2]])
    return _compared(np.array(changes).reshape(-1, 3), np.all(np.array(right).reshape(-1, 2, 3), axis=2)), moved


def _moved(pairs: Sequence[tuple[Any, Any]], scenes: Sequence[Scene], swapped: Sequence[Scene]) -> dict[str, Any]:
    """Movement of the things of pairs: the fraction with both nouns correct, and their movement and growth."""
    found = [
        movement(*pair) if all(_is_right(*each)[0] for each in zip(both, pair, strict=True)) else None
        for pair, *both in zip(pairs, scenes, swapped, strict=True)
    ]
    right = [each for each in found if each is not None]
    shifts, growths = np.array([each.shift for each in right]), np.array([abs(each.growth) for each in right])
    if not right:
        return {"pairs_with_both_nouns_right": 0}
    return {
        "both_nouns_right": share(np.array([each is not None for each in found]), chance=1 / len(NOUNS) ** 2),
        "moved_less_than_a_tenth_of_the_side": share(shifts < NEAR),
        "median_shift_in_sides": round(float(np.median(shifts)), 4),
        "median_change_of_area": round(float(np.expm1(np.median(growths))), 4),
    }


def _compared(changes: Pixels, right: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """The table of noun swaps, from the changes of (pairs, 3) and whether counterfactuals are right (pairs, 2)."""
    from scipy.stats import wilcoxon

    if not len(changes):
        return {"pairs_whose_original_is_right": 0}
    with_attention, with_seed, with_other_seed = changes.T
    # Ties carry no information about the direction; without any difference there is no test.
    unequal = with_attention != with_seed
    p = float(wilcoxon(with_attention[unequal], with_seed[unequal]).pvalue) if unequal.any() else 1.0
    chance = 1 / (len(NOUNS) * len(COLOURS) * len(BACKGROUNDS))
    return {
        "right_with_prompt_to_prompt": share(right[:, 0], chance=chance),
        "right_with_shared_seed": share(right[:, 1], chance=chance),
        "less_change_than_with_shared_seed": share(with_attention[unequal] < with_seed[unequal], chance=0.5),
        "mean_change_with_prompt_to_prompt": round(float(with_attention.mean()), 4),
        "mean_change_with_shared_seed": round(float(with_seed.mean()), 4),
        "mean_change_with_another_seed": round(float(with_other_seed.mean()), 4),
        "times_less_than_with_another_seed": _times_less(with_attention, with_other_seed),
        "times_less_than_with_shared_seed": _times_less(with_attention, with_seed),
        "wilcoxon_p_against_shared_seed": float(f"{p:.3g}"),
    }


def _times_less(less: Pixels, more: Pixels) -> float | None:
    """The ratio of the means; None if nothing changes at all."""
    return round(float(more.mean() / less.mean()), 2) if less.any() else None


def _draw(pipeline: Any, captions: Sequence[str], seeds: Sequence[int]) -> list[Any]:
    """An image of each caption, from noise with its own seed, by the plain pipeline."""
    import torch

    pictures: list[Any] = []
    for start in range(0, len(captions), _TOGETHER):
        part = slice(start, start + _TOGETHER)
        generators = [torch.Generator().manual_seed(seed) for seed in seeds[part]]
        drawn = pipeline(list(captions[part]), num_inference_steps=STEPS, guidance_scale=GUIDANCE, generator=generators)
        pictures += drawn.images
    return pictures


def _draw_pairs(
    pipeline: Any,
    captions: Sequence[str],
    others: Sequence[str],
    seeds: Sequence[int],
    *,
    shared: float,
    shared_start: float = 0.0,
) -> list[tuple[Any, Any]]:
    requests = [
        PairRequest(caption, other, seed, shared, GUIDANCE, cross_attention=True, shared_start=shared_start)
        for caption, other, seed in zip(captions, others, seeds, strict=True)
    ]
    pairs = []
    for start in range(0, len(requests), _TOGETHER):
        pairs += generate_pairs(pipeline, requests[start : start + _TOGETHER], STEPS)
    return pairs


def _is_right(scene: Scene, picture: Any) -> list[bool]:
    """Whether thing, colour and background match the scene."""
    found = recognise(picture)
    thing = scene.things[0]
    return [found.noun == thing.noun, found.colour == thing.colour, found.background == scene.background]


def _outside_thing(pixels: Pixels) -> npt.NDArray[np.bool_]:
    """The pixels outside the smallest square around everything that is not background: (side, side)."""
    rim = np.ones(pixels.shape[:2], np.bool_)
    rim[_BORDER:-_BORDER, _BORDER:-_BORDER] = False
    background = np.median(pixels[rim], axis=0)
    rows, columns = np.nonzero(np.linalg.norm(pixels - background, axis=2) > _DIFFERENT)
    outside = np.ones(pixels.shape[:2], np.bool_)
    if len(rows):
        middle = (rows.min() + rows.max()) / 2, (columns.min() + columns.max()) / 2
        reach = max(np.ptp(rows), np.ptp(columns)) / 2 + _EDGE
        top, left = (max(0, round(float(each - reach))) for each in middle)
        bottom, right = (round(float(each + reach)) + 1 for each in middle)
        outside[top:bottom, left:right] = False
    return outside


def _pixels(picture: Any) -> Pixels:
    return np.asarray(picture.convert("RGB"), np.float64)


def _seed(*names: str | int) -> int:
    return int(stream(_SEED, *names).integers(2**31))
