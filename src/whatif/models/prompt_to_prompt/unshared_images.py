"""Draws candidates again without Prompt-to-Prompt: the same captions, noise and guidance (COCO-Counterfactuals 3.2).

Beside the images with shared attention they show what sharing does, as in Figure 2 of the paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from whatif.engine.params.checkpoints import DiffusionCheckpoint, LocalCheckpoint
from whatif.engine.progress import progress
from whatif.models.prompt_to_prompt.candidate_runs import place_of, runs_of
from whatif.models.prompt_to_prompt.image_maker import PictureMaker, Row


def without_sharing(
    pairs: Sequence[Row], diffusion: DiffusionCheckpoint, clip: LocalCheckpoint, *, what: str = "pairs"
) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """For each of the rows of `pairs` the row without sharing, and its two rows of `images`, in no particular order.

    Neither self-attention nor cross-attention nor the first steps are shared: p is 0. Captions, seed, guidance and the
    candidate's place in a run are those of the pair. Therefore its original image differs from the one with sharing at
    most by rounding, and its counterfactual image only by the sharing. The similarities are measured by `clip`. A row
    depends only on its pair, not on the others. `what` is the label of the progress bar.

    If there are no pairs, no checkpoint is loaded. Raises WhatifError as `PictureMaker` does.
    """
    maker = PictureMaker(diffusion.model_copy(update={"cross_attention": False, "shared_start": 0.0}), clip)
    alone = [{**row, "p": 0.0} for row in pairs]
    placed = ((place_of(row["pair_id"], row["candidate"], maker.width), row) for row in alone)
    drawn = (pair for run in runs_of(placed, maker.width) for pair in _drawn(run, maker, diffusion.licence))
    yield from progress(drawn, len(alone), what, "pair")


def _drawn(
    run: Sequence[dict[str, Any] | None], maker: PictureMaker, licence: str
) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    pictures = maker.draw(run)
    for row, pair, scores in zip(run, pictures, maker.measure(run, pictures), strict=True):
        if row is not None:
            images = maker.images(row, pair, licence)
            ids = {f"image_id_{side}": image["image_id"] for side, image in enumerate(images)}
            yield {**row, **ids, **scores}, images
