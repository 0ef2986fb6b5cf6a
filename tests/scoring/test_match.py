"""Matching of pairs: margins by the paper's definition, and images that cannot be decoded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from whatif.engine.errors import WhatifError
from whatif.scoring.match import margins, matches, random_pairs, random_partners

SCORES = {"caption_0_image_0": 3.0, "caption_0_image_1": 1.0, "caption_1_image_0": 2.5, "caption_1_image_1": 2.0}


def test_margins_are_those_of_the_paper() -> None:
    margin = margins(SCORES)
    assert margin.image_retrieval == (3.0 - 1.0, 2.0 - 2.5)  # the second is IR_c
    assert margin.text_retrieval == (3.0 - 2.5, 2.0 - 1.0)  # the second is TR_c


class Numbers:
    """A matcher whose score identifies the caption and the image, and images of which one is broken."""

    def match(self, captions: Any, pictures: Any) -> Any:
        return np.array(
            [
                [[len(c) * 10 + len(p) for p in both] for c in told]
                for told, both in zip(captions, pictures, strict=True)
            ]
        )

    def get(self, image_id: str) -> Any:
        if image_id == "broken":
            raise OSError("no picture")
        return image_id


def pair(number: int, image: str) -> dict[str, Any]:
    return {
        "pair_id": f"pair-{number:03d}",
        "caption_0": "a",
        "caption_1": "bb",
        "image_id_0": image,
        "image_id_1": "yyy",
    }


def test_every_pair_has_a_row_in_order_and_a_broken_picture_has_its_reason() -> None:
    pairs = [pair(number, "broken" if number == 70 else "x") for number in range(150)]
    numbers = Numbers()
    rows = list(matches(pairs, numbers, "m", numbers))
    assert [row["pair_id"] for row in rows] == [row["pair_id"] for row in pairs]
    assert {row["pair_id"]: row["reason"] for row in rows if row["status"] == "error"} == {
        "pair-070": "picture cannot be decoded: no picture"
    }
    assert [rows[0][name] for name in SCORES] == [11.0, 13.0, 21.0, 23.0]
    assert list(matches([], numbers, "m", numbers)) == []


def originals(count: int) -> list[dict[str, Any]]:
    """Captions, three of which share an image."""
    return [{"caption_id": f"c{n:03d}", "caption": "w" * (n + 1), "image_id": f"i{n // 3:03d}"} for n in range(count)]


def test_a_random_partner_has_another_image_and_depends_on_seed_and_id_alone() -> None:
    rows = originals(200)
    ids, image_ids = [row["caption_id"] for row in rows], [row["image_id"] for row in rows]
    partners = random_partners(ids, image_ids, 1)
    image_of = dict(zip(ids, image_ids, strict=True))
    assert all(image_of[one] != image_of[other] for one, other in zip(ids, partners, strict=True))
    assert len(set(partners)) > 100
    assert random_partners(ids[::-1], image_ids[::-1], 1) == partners[::-1]
    assert random_partners(ids, image_ids, 2) != partners


def test_every_other_image_is_equally_likely() -> None:
    ids, image_ids = ["a", "b", "c", "d"], ["x", "x", "y", "z"]
    drawn = [random_partners(ids, image_ids, seed) for seed in range(600)]
    assert {of_a for of_a, *_ in drawn} == {"c", "d"}
    counts = {partner: sum(of_c == partner for _, _, of_c, _ in drawn) for partner in "abcd"}
    assert counts["c"] == 0 and all(150 < counts[partner] < 250 for partner in "abd")


def test_random_pairs_of_one_image_are_refused_and_of_none_are_none() -> None:
    with pytest.raises(WhatifError, match="all originals have the same image"):
        random_pairs(originals(3), 0)
    assert random_pairs([], 0) == []


def test_margins_of_a_random_pair_are_those_of_the_random_side() -> None:
    rows = originals(6)
    pairs = random_pairs(rows, 5)
    assert [row["pair_id"] for row in pairs] == [row["caption_id"] for row in rows]
    assert [row["caption_0"] for row in pairs] == [row["caption"] for row in rows]
    numbers = Numbers()
    for pair_row, row in zip(pairs, matches(pairs, numbers, "m", numbers), strict=True):
        told_o, told_r = len(pair_row["caption_0"]), len(pair_row["caption_1"])
        shown = len(pair_row["image_id_1"])
        margin = margins(row)
        assert margin.image_retrieval[1] == 0  # the ids of all images are as long
        assert margin.text_retrieval[1] == (10 * told_r + shown) - (10 * told_o + shown)
