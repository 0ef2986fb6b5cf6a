"""Image-text retrieval: the ranks at which captions and images find each other (COCO-Counterfactuals 4.2.1).

Every caption is compared with every image, 1.2 billion times for 34,820 of each. Only dual encoders can do that: they
encode each caption and each image once and compare the embeddings. A cross-encoder would have to process all
combinations; it is used for matching (`whatif.scoring.match`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from whatif.engine.artifacts.images import DecodedPictures
from whatif.engine.artifacts.pair_items import SIDES, item_id
from whatif.scoring.embedding import NOT_FINITE, Embedded, Encoder, embed_captions, embed_pictures
from whatif.scoring.exact_ranks import Integers, exact_ranks

Row: TypeAlias = Mapping[str, Any]

COUNTERFACTUALS, HUMAN_EVALUATED, ORIGINALS = SUBSETS = ("counterfactuals", "human-evaluated", "originals")
UNIQUE_CAPTIONS = ", unique captions"  # ending of the name of a subset in which equal captions count once
TEXT_RETRIEVAL, IMAGE_RETRIEVAL = DIRECTIONS = ("text-retrieval", "image-retrieval")


class Item(NamedTuple):
    """A caption and its image."""

    item_id: str
    caption: str
    image_id: str


def counterfactual_items(pairs: Iterable[Row]) -> list[Item]:
    """Both captions of each row of `pairs` with their images; ids as in `whatif.engine.artifacts.pair_items`."""
    return [
        Item(item_id(row["pair_id"], side), row[f"caption_{side}"], row[f"image_id_{side}"])
        for row in pairs
        for side in SIDES
    ]


def human_evaluated_items(pairs: Iterable[Row], correct: Collection[str]) -> list[Item]:
    """Those of `counterfactual_items` that people matched correctly, given by their ids (4.1)."""
    return [item for item in counterfactual_items(pairs) if item.item_id in correct]


def original_items(pairs: Iterable[Row], photographs: Mapping[str, str]) -> list[Item]:
    """The original captions of pairs with the photographs that they were written for: the baseline of 4.2.1.

    `photographs` maps a pair to its image; other pairs are left out. Ids are those of the pairs.
    """
    return [
        Item(row["pair_id"], row["caption_0"], photographs[row["pair_id"]])
        for row in pairs
        if row["pair_id"] in photographs
    ]


def unique_captions(items: Iterable[Item]) -> list[Item]:
    """The first item of each caption, in order: 34,510 of the 34,820 released items, and 17,277 of 17,410 originals."""
    first: dict[str, Item] = {}
    for item in items:
        first.setdefault(item.caption, item)
    return list(first.values())


def with_unique_captions(subsets: Mapping[str, Sequence[Item]]) -> dict[str, Sequence[Item]]:
    """The subsets, and each of them once more with unique captions, as the authors of COCO-Counterfactuals count."""
    return {**subsets, **{f"{name}{UNIQUE_CAPTIONS}": items for name, items in subsets.items()}}


def retrieval(
    subsets: Mapping[str, Sequence[Item]], pictures: DecodedPictures, model_key: str, encoder: Encoder
) -> Iterator[dict[str, Any]]:
    """Rows of `ranks`: both directions of each subset, sorted by key.

    Every item's caption is a query and a candidate, even if other items have the same words. An image is one query and
    one candidate, under the first item's id, even if several items show it (such as photographs with several captions).
    If the name of a subset ends in `UNIQUE_CAPTIONS`, equal captions are one query and one candidate, under the first
    item's id. A caption and an image belong together if any item has these words with this image: so for a duplicate
    caption each of its images is a hit, and for an image every caption with its words. Candidates are in the order of
    ids, which decides ties. Captions and images are embedded once for all subsets.

    An image that cannot be decoded is not a candidate; as a query it is an `error` with its reason, and so is a caption
    without any other image. The same holds for embeddings that overflowed.
    """
    items = [item for subset in subsets.values() for item in subset]
    told = embed_captions({item.caption for item in items}, model_key, encoder)
    seen = embed_pictures({item.image_id for item in items}, pictures, model_key, encoder)
    for name in sorted(subsets):
        yield from _subset(name, sorted(subsets[name]), told, seen, model_key)


def _subset(
    name: str, items: Sequence[Item], told: Embedded, seen: Embedded, model_key: str
) -> Iterator[dict[str, Any]]:
    shown_by: dict[str, str] = {}  # image -> the first item that shows it
    for item in items:
        shown_by.setdefault(item.image_id, item.item_id)
    queries = unique_captions(items) if name.endswith(UNIQUE_CAPTIONS) else items
    captions = [item for item in queries if item.caption in told.place]
    image_ids = [image_id for image_id in shown_by if image_id in seen.place]
    caption_ranks, picture_ranks = exact_ranks(
        told.of([item.caption for item in captions]), seen.of(image_ids), _together(items, captions, image_ids)
    )
    by_item = {item.item_id: int(rank) for item, rank in zip(captions, caption_ranks, strict=True)}
    by_picture = {image_id: int(rank) for image_id, rank in zip(image_ids, picture_ranks, strict=True)}

    def row(direction: str, query_id: str, rank: int | None, reason: str | None) -> dict[str, Any]:
        return {
            "model": model_key,
            "subset": name,
            "direction": direction,
            "query_id": query_id,
            "rank": rank or None,
            "candidates": len(image_ids if direction == IMAGE_RETRIEVAL else captions),
            "status": "ok" if rank else "error",
            "reason": None if rank else reason,
        }

    for item in queries:
        reason = told.reasons.get(item.caption) or f"no picture of it: {seen.reasons.get(item.image_id)}"
        yield row(IMAGE_RETRIEVAL, item.item_id, by_item.get(item.item_id), reason)
    for image_id, query_id in sorted(shown_by.items(), key=lambda shown: shown[1]):
        reason = seen.reasons.get(image_id) or f"no caption of it: {NOT_FINITE}"
        yield row(TEXT_RETRIEVAL, query_id, by_picture.get(image_id), reason)


def _together(items: Iterable[Item], captions: Sequence[Item], image_ids: Sequence[str]) -> Integers:
    """Indices (caption, image) of all pairs that belong together."""
    places = {image_id: place for place, image_id in enumerate(image_ids)}
    of_words: dict[str, list[int]] = {}
    for caption, image_id in dict.fromkeys((item.caption, item.image_id) for item in items):
        if image_id in places:
            of_words.setdefault(caption, []).append(places[image_id])
    right = [(index, place) for index, item in enumerate(captions) for place in of_words.get(item.caption, ())]
    return np.array(right, dtype=np.int64).reshape(-1, 2)
