"""Draws the chosen candidates again from their settings: the images of the benchmark (COCO-Counterfactuals 3.2).

Only one of a hundred candidates per pair is needed as an image, and drawing it twice is cheaper than storing all. Each
candidate keeps its place in a run of the same size, so its bytes are the same as when it was measured, while runs are
filled with chosen candidates.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.progress import progress
from whatif.models.prompt_to_prompt.candidate_runs import place_of, runs_of
from whatif.models.prompt_to_prompt.directional_similarity import Thresholds, candidate_name, refusal
from whatif.models.prompt_to_prompt.image_maker import PictureMaker, Row

WHEN_DRAWN_AGAIN = "when drawn again"  # ends the rejection reason of a chosen candidate


@dataclass(frozen=True)
class ChosenPair:
    """A chosen candidate as drawn: its row of `pairs` and two rows of `images`.

    `rejection` is set if the images differ from the measured ones and are now below a threshold; such a candidate is
    not part of the benchmark.
    """

    row: dict[str, Any]
    images: list[dict[str, Any]]
    rejection: dict[str, Any] | None


def chosen_pictures(
    chosen: Sequence[Row],
    maker: PictureMaker,
    least: Thresholds,
    *,
    licence: str,
    what: str = "chosen pictures",
) -> Iterator[ChosenPair]:
    """Each of the chosen rows of `pairs` with its images, in no particular order; only one run is in memory.

    If the ids match those of the row, the row is unchanged. On another machine a pixel may round to another value:
    then the row gets the new ids, the similarities measured on these images, and `redrawn` true in its provenance, and
    the thresholds are applied again. A pair that fails them is rejected, with the reason and the measured value; no
    other candidate replaces it. `what` is the label of the progress bar.

    Raises WhatifError as `PictureMaker` does.
    """
    placed = ((place_of(row["pair_id"], row["candidate"], maker.width), row) for row in chosen)
    drawn = (pair for run in runs_of(placed, maker.width) for pair in _drawn(run, maker, least, licence))
    yield from progress(drawn, len(chosen), what, "pair")


def _drawn(run: Sequence[Row | None], maker: PictureMaker, least: Thresholds, licence: str) -> Iterator[ChosenPair]:
    pictures = maker.draw(run)
    others = []  # place, row and images of candidates that differ
    for place, row in enumerate(run):
        if row is not None:
            images = maker.images(row, pictures[place], licence)
            if _ids(row) == _ids_of(images):
                yield ChosenPair(dict(row), images, None)
            else:
                others.append((place, row, images))
    measured = maker.measure(run, pictures) if others else []
    for place, row, images in others:
        again = _redrawn(row, images, measured[place])
        found = refusal(again, least)
        yield ChosenPair(again, images, _rejection(again, *found) if found else None)


def _ids(row: Row) -> list[str]:
    return [row["image_id_0"], row["image_id_1"]]


def _ids_of(images: Sequence[Row]) -> list[str]:
    return [image["image_id"] for image in images]


def _redrawn(row: Row, images: Sequence[Row], scores: dict[str, float]) -> dict[str, Any]:
    ids = dict(zip(("image_id_0", "image_id_1"), _ids_of(images), strict=True))
    provenance = canonical_json({**json.loads(row["provenance"]), "redrawn": True})
    return {**row, **ids, **scores, "provenance": provenance}


def _rejection(row: Row, reason: str, detail: str) -> dict[str, Any]:
    said = f"{candidate_name(row)} came out differently when it was drawn again: {detail}"
    return {"item_id": row["pair_id"], "reason": f"{reason} {WHEN_DRAWN_AGAIN}", "detail": said}
