"""Exports counterfactual pairs of captions and images as a configuration of a Hugging Face data set."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from whatif.formats.coco_counterfactuals_folder import chosen_pairs
from whatif.formats.hugging_face_card import Configuration, numbers_table
from whatif.formats.hugging_face_folder import (
    INTEGER,
    NUMBER,
    PICTURE,
    TEXT,
    Columns,
    Pictures,
    picture,
    write_split,
)

Row = Mapping[str, Any]

NUMBERS = ("p", "guidance", "caption_image_0", "caption_image_1", "image_image", "directional")
_COLUMNS: Columns = {
    **dict.fromkeys(("id", "caption_0", "caption_1", "subject_0", "subject_1"), TEXT),
    **dict.fromkeys(("image_0", "image_1"), PICTURE),
    **dict.fromkeys(("image_id_0", "image_id_1", "source_0", "source_1", "licence_0", "licence_1"), TEXT),
    **dict.fromkeys(NUMBERS, NUMBER),
    "seed": INTEGER,
    "provenance": TEXT,
}
_FIELDS = {
    "id": "id of the pair, which is the id of the original caption",
    "caption_0, caption_1": "the original caption and its counterfactual",
    "subject_0, subject_1": "the noun in which they differ",
    "image_0, image_1": "the image of each caption; null where its licence does not allow to publish it",
    "image_id_0, image_id_1": "SHA-256 of the encoded image, also of one that is left out",
    "source_0, source_1": "where each image is from",
    "licence_0, licence_1": "the licence of each image",
    "p": "share of the denoising steps in which both images share their self-attention",
    "guidance": "scale of classifier-free guidance",
    "caption_image_0, caption_image_1": "cosine of the CLIP embeddings of a caption and its image",
    "image_image": "cosine of the CLIP embeddings of both images",
    "directional": "directional similarity: cosine of the change in the captions and the change in the images",
    "seed": "seed of the noise that both images start from",
    "provenance": "JSON: everything else that is known about the pair",
}


def write_pairs(pairs: Iterable[Row], images: Pictures, folder: Path) -> Configuration:
    """Writes the chosen rows of `pairs` with their images to `folder/pairs`; returns the card's description of them.

    Values that are unknown for a pair are null (`p`, `guidance` and `seed` of released pairs).

    Raises WhatifError when there are no pairs, when a pair has several candidates, when an image is in none of the
    image files, and when the folder cannot be written.
    """
    rows = chosen_pairs(pairs, folder)
    write_split(folder / "pairs", rows, lambda row: _record(row, images), _COLUMNS)
    pictures = len({row[f"image_id_{side}"] for row in rows for side in (0, 1)})
    subjects = len({(row["subject_0"].casefold(), row["subject_1"].casefold()) for row in rows})
    return Configuration(
        name="pairs",
        rows=len(rows),
        tasks=("zero-shot-image-classification", "image-to-text"),
        tags=("image-text-matching", "image-text-retrieval"),
        description=(
            f"{len(rows):,} pairs of captions that differ in one noun, each with a pair of images: {pictures:,} "
            f"different images, {subjects:,} different pairs of nouns. Side 0 is the original, side 1 the "
            "counterfactual."
        ),
        columns=_COLUMNS,
        fields=_FIELDS,
        numbers=numbers_table(NUMBERS, [{name: _number(row, name) for name in NUMBERS} for row in rows]),
    )


def _record(row: Row, images: Pictures) -> Row:
    return {
        "id": row["pair_id"],
        **{name: row[name] for name in ("caption_0", "caption_1", "subject_0", "subject_1", "provenance")},
        **{f"image_{side}": picture(images.encoded(row[f"image_id_{side}"])) for side in (0, 1)},
        **{f"image_id_{side}": row[f"image_id_{side}"] for side in (0, 1)},
        **{f"source_{side}": images.of[row[f"image_id_{side}"]].source for side in (0, 1)},
        **{f"licence_{side}": images.of[row[f"image_id_{side}"]].licence for side in (0, 1)},
        **{name: _number(row, name) for name in NUMBERS},
        "seed": None if _is_released(row) else row["seed"],
    }


def _is_released(row: Row) -> bool:
    """Whether a pair comes from a release, which does not record how its images were made."""
    return bool(json.loads(row["provenance"]).get("released"))


def _number(row: Row, column: str) -> float | None:
    if column in ("p", "guidance") and _is_released(row):
        return None
    value: float | None = row[column]
    return value
