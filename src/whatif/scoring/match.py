"""Image-text matching: does a model find the correct caption and image of two (COCO-Counterfactuals 4.2.2)?"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from whatif.engine.artifacts.images import DecodedPictures
from whatif.engine.errors import WhatifError
from whatif.engine.progress import progress
from whatif.engine.random_streams import stream

if TYPE_CHECKING:
    from whatif.models.local.encoders import Matcher

Row: TypeAlias = Mapping[str, Any]

_PAIRS_AT_ONCE = 64
SCORES = tuple(f"caption_{caption}_image_{image}" for caption in (0, 1) for image in (0, 1))


@dataclass(frozen=True)
class Margins:
    """The score of the correct one of two minus the score of the other: above 0 it was found; a tie is not a success.

    `image_retrieval` and `text_retrieval` hold the margins of the original and of the counterfactual: of its image
    against the other for its caption, and of its caption against the other for its image. The second ones are IR_c and
    TR_c of COCO-Counterfactuals 4.2.2; for `random_pairs` they are IR_r and TR_r.
    """

    image_retrieval: tuple[float, float]
    text_retrieval: tuple[float, float]


def margins(row: Row) -> Margins:
    """The margins of a row of `matches` whose status is `ok`."""
    score = {(caption, image): row[f"caption_{caption}_image_{image}"] for caption in (0, 1) for image in (0, 1)}
    return Margins(
        image_retrieval=(score[0, 0] - score[0, 1], score[1, 1] - score[1, 0]),
        text_retrieval=(score[0, 0] - score[1, 0], score[1, 1] - score[0, 1]),
    )


def random_partners(ids: Sequence[str], image_ids: Sequence[str], seed: int) -> list[str]:
    """For each original the id of another one with a different image, uniformly at random (4.2.2).

    `ids` and `image_ids` have one entry for each original. The partner of an original depends on the seed, its id and
    the set of all originals, not on their order. Raises WhatifError when all have the same image.
    """
    # Items with the same image are adjacent, so that they can be skipped.
    by_image = sorted(zip(image_ids, ids, strict=True))
    first: dict[str, int] = {}
    number: dict[str, int] = {}
    for place, (image_id, _) in enumerate(by_image):
        first.setdefault(image_id, place)
        number[image_id] = number.get(image_id, 0) + 1
    if ids and len(first) < 2:
        raise WhatifError("random pairs: all originals have the same image; two images or more are needed")
    partners = []
    for item_id, image_id in zip(ids, image_ids, strict=True):
        drawn = int(stream(seed, "random partner", item_id).integers(len(by_image) - number[image_id]))
        partners.append(by_image[drawn if drawn < first[image_id] else drawn + number[image_id]][1])
    return partners


def random_pairs(originals: Iterable[Row], seed: int) -> list[dict[str, Any]]:
    """Pairs for `matches` of each original with a random other one, sorted by id: the easy case of 4.2.2.

    `originals` are rows of `captions` with available images. The original (C_o, I_o) is side 0 and the other (C_r,
    I_r) side 1, where a counterfactual pair has its counterfactual. So the margins of side 1 are
    IR_r = G(C_r, I_r) - G(C_r, I_o) and TR_r = G(C_r, I_r) - G(C_o, I_r).
    """
    by_id = {row["caption_id"]: row for row in originals}
    ids = sorted(by_id)
    partners = random_partners(ids, [by_id[item_id]["image_id"] for item_id in ids], seed)
    return [
        {
            "pair_id": item_id,
            "caption_0": by_id[item_id]["caption"],
            "caption_1": by_id[partner]["caption"],
            "image_id_0": by_id[item_id]["image_id"],
            "image_id_1": by_id[partner]["image_id"],
        }
        for item_id, partner in zip(ids, partners, strict=True)
    ]


def matches(
    pairs: Iterable[Row], pictures: DecodedPictures, model_key: str, matcher: Matcher
) -> Iterator[dict[str, Any]]:
    """Rows of `matches`, one for each row of `pairs`, in the same order.

    A pair with an image that cannot be decoded is an `error` with its reason.
    """
    rows = list(pairs)
    shown = iter(progress(rows, len(rows), model_key, "pair"))
    while part := list(itertools.islice(shown, _PAIRS_AT_ONCE)):
        readable, reasons = [], {}
        for row in part:
            try:
                readable.append((row, (pictures.get(row["image_id_0"]), pictures.get(row["image_id_1"]))))
            except OSError as error:
                reasons[row["pair_id"]] = f"picture cannot be decoded: {error}"
        scores: dict[str, Any] = {}
        if readable:
            captions = [(row["caption_0"], row["caption_1"]) for row, _ in readable]
            found = matcher.match(captions, [images for _, images in readable])
            scores = {row["pair_id"]: values for (row, _), values in zip(readable, found, strict=True)}
        for row in part:
            yield _match(row["pair_id"], model_key, scores.get(row["pair_id"]), reasons.get(row["pair_id"]))


def _match(pair_id: str, model_key: str, scores: Any, reason: str | None) -> dict[str, Any]:
    values = [None] * len(SCORES) if scores is None else [float(value) for value in scores.ravel()]
    status = "ok" if scores is not None else "error"
    named = dict(zip(SCORES, values, strict=True))
    return {"pair_id": pair_id, "model": model_key, **named, "status": status, "reason": reason}
