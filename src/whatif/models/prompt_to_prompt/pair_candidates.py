"""Candidates of a counterfactual pair: two captions drawn repeatedly (COCO-Counterfactuals 3.2, B.1.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from whatif.engine.params.base import Span
from whatif.engine.random_streams import stream
from whatif.models.prompt_to_prompt.image_maker import PictureDrawer

_UNMEASURED = dict.fromkeys(("caption_image_0", "caption_image_1", "image_image", "directional"))


@dataclass(frozen=True)
class Candidate:
    """The settings that make the two images of a candidate, named like the columns of `pairs`."""

    candidate: int
    p: float
    guidance: float
    seed: int


def draw_candidate(pair_id: str, place: int, seed: int, *, p: Span, guidance: Span) -> Candidate:
    """Candidate number `place` of a pair, with uniform random `p` and guidance; depends only on the arguments."""
    generator = stream(seed, "candidate", pair_id, place)
    return Candidate(
        candidate=place,
        p=float(generator.uniform(p.low, p.high)),
        guidance=float(generator.uniform(guidance.low, guidance.high)),
        seed=int(generator.integers(2**31)),
    )


def drawn(
    drawer: PictureDrawer, pair: Mapping[str, Any], candidates: Sequence[Candidate], *, licence: str
) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """For each candidate its row of `pairs`, not yet measured, and the two rows of `images`.

    `pair` holds the columns of `pairs` that all candidates share. Up to `drawer.width` candidates form a batch, without
    candidates of other pairs: nothing depends on the division of pairs into jobs. Raises WhatifError as `drawer` does.
    """
    rows = [{**pair, **asdict(one)} for one in candidates]
    for start in range(0, len(rows), drawer.width):
        run = rows[start : start + drawer.width]
        for row, pictures in zip(run, drawer.draw(run), strict=True):
            images = drawer.images(row, pictures, licence)
            image_ids = {f"image_id_{side}": image["image_id"] for side, image in enumerate(images)}
            yield {**row, **image_ids, **_UNMEASURED}, images
