"""Pairs of pictures for tests, and the judgements that are made of them."""

from __future__ import annotations

from typing import Any

from tests.pictures import png
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.reader import canonical_json
from whatif.results.publishing.pictures import Picture

LICENCE = "CC0-1.0"


class Pictures:
    """Pictures by id, as `ImageStore` and `PublishedPictures` give them; all of them may be published.

    rows: of `images`; without a source or a licence, those of drawn pictures.
    """

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._bytes = {row["image_id"]: row["image"]["bytes"] for row in rows}
        self.of = {
            row["image_id"]: Picture(row.get("source", "drawn:test"), row.get("licence", LICENCE)) for row in rows
        }

    def encoded(self, image_id: str) -> bytes:
        return bytes(self._bytes[image_id])


def pair(number: int, subjects: tuple[str, str] = ("man", "woman"), **changes: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "pair_id": f"pair-{number:03d}",
        "candidate": 3,
        "caption_0": f"A {subjects[0]} on horse {number}",
        "caption_1": f"A {subjects[1]} on horse {number}",
        "subject_0": subjects[0],
        "subject_1": subjects[1],
        "image_id_0": picture(number, 0)["image_id"],
        "image_id_1": picture(number, 1)["image_id"],
        "p": 0.25,
        "guidance": 7.5,
        "seed": 11,
        "caption_image_0": 0.3,
        "caption_image_1": 0.25,
        "image_image": 0.75,
        "directional": 0.125,
        "provenance": canonical_json({"human": True, "perplexity": 20.5, "relation": None, "similarity": 0.85}),
    }
    return {**row, **changes}


def picture(number: int, side: int) -> dict[str, Any]:
    return image_row(png((number % 256, number // 256, 10 + side)), 8, 8, "drawn:test", LICENCE)


def pictures(numbers: range) -> list[dict[str, Any]]:
    return sorted((picture(n, side) for n in numbers for side in (0, 1)), key=lambda row: str(row["image_id"]))


def judgement(item: str, decision: str, annotator: str = "ann") -> dict[str, Any]:
    return {
        "item_id": item,
        "annotator": annotator,
        "decision": decision,
        "corrected": "{}",
        "comment": "",
        "time": None,
        "seconds": None,
    }
