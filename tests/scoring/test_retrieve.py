"""Retrieval of captions and images: what is a hit, what is a candidate, and errors of broken images."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.released_captions import needs_released_captions, released_captions
from tests.tiny_checkpoints import tiny_flava
from whatif.engine.artifacts.schemas import RANKS
from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.models.local.encoders import dual_encoder
from whatif.scoring.retrieve import (
    Item,
    counterfactual_items,
    human_evaluated_items,
    original_items,
    retrieval,
    unique_captions,
    with_unique_captions,
)

PAIRS = [
    {"pair_id": "b", "caption_0": "a cat", "caption_1": "a dog", "image_id_0": "cat", "image_id_1": "dog"},
    {"pair_id": "a", "caption_0": "a cup", "caption_1": "a cat", "image_id_0": "cup", "image_id_1": "cat again"},
]


class Directions:
    """Embeds words and images as directions in a plane, one angle in degrees each; counts its calls."""

    batch_size = 2

    def __init__(self, angles: dict[str, float]) -> None:
        self.angles = angles
        self.asked: list[str] = []

    def captions(self, captions: Sequence[str]) -> Any:
        assert 0 < len(captions) <= self.batch_size
        self.asked += captions
        turned = np.deg2rad([self.angles[caption] for caption in captions])
        return np.stack([np.cos(turned), np.sin(turned)], axis=1)

    pictures = captions

    def get(self, image_id: str) -> Any:
        if image_id.startswith("broken"):
            raise OSError(f"image {image_id}")
        return image_id


def ranks(rows: list[dict[str, Any]], direction: str) -> dict[str, Any]:
    return {row["query_id"]: row["rank"] for row in rows if row["direction"] == direction}


def test_items_of_the_three_subsets() -> None:
    assert [item.item_id for item in counterfactual_items(PAIRS)] == ["b-0", "b-1", "a-0", "a-1"]
    assert human_evaluated_items(PAIRS, {"a-1", "b-0"}) == [
        Item("b-0", "a cat", "cat"),
        Item("a-1", "a cat", "cat again"),
    ]
    assert original_items(PAIRS, {"a": "photograph"}) == [Item("a", "a cup", "photograph")]


def test_every_picture_of_a_caption_that_stands_twice_is_a_hit() -> None:
    encoder = Directions({"a cat": 0, "a dog": 50, "a cup": 90, "cat": 30, "cat again": 2, "dog": 40, "cup": 80})
    rows = list(retrieval({"counterfactuals": counterfactual_items(PAIRS)}, encoder, "m", encoder))
    assert ranks(rows, "image-retrieval") == {"a-0": 1, "a-1": 1, "b-0": 1, "b-1": 1}
    # The image `cat` is nearer to "a dog" than to "a cat", which occurs twice.
    assert ranks(rows, "text-retrieval") == {"a-0": 1, "a-1": 1, "b-0": 2, "b-1": 1}
    assert {row["candidates"] for row in rows} == {4}
    assert [(row["direction"], row["query_id"]) for row in rows] == sorted(
        (row["direction"], row["query_id"]) for row in rows
    )
    assert len(encoder.asked) == len(set(encoder.asked)) == 7
    pa.Table.from_pylist(rows, RANKS.schema)


def test_equal_captions_may_count_once() -> None:
    angles = {"a cat": 0, "a dog": 50, "a cup": 90, "cat": 30, "cat again": 2, "dog": 40, "cup": 80}
    encoder = Directions({**angles, "other": 65, "a bus": 70})
    items = [*counterfactual_items(PAIRS), Item("c-0", "a bus", "other")]
    subsets = with_unique_captions({"counterfactuals": items})
    rows = list(retrieval(subsets, encoder, "m", encoder))
    assert sorted(rows, key=lambda row: (row["subset"], row["direction"], row["query_id"])) == rows
    unique = [row for row in rows if row["subset"] == "counterfactuals, unique captions"]
    # "a cat" is a-1 and b-0. It counts once, under its first id, and both of its images are right.
    assert ranks(unique, "image-retrieval") == {"a-0": 1, "a-1": 1, "b-1": 1, "c-0": 1}
    assert ranks(unique, "text-retrieval") == {"a-0": 1, "a-1": 1, "b-0": 2, "b-1": 1, "c-0": 1}
    assert {row["direction"]: row["candidates"] for row in unique} == {"image-retrieval": 5, "text-retrieval": 4}
    other = [row for row in rows if row["subset"] == "counterfactuals"]
    assert len(ranks(other, "image-retrieval")) == 5 and {row["candidates"] for row in other} == {5}
    assert other == list(retrieval({"counterfactuals": items}, encoder, "m", encoder))


@needs_released_captions
def test_the_released_captions_that_differ() -> None:
    pairs = [{**row, "pair_id": row["id"], **{f"image_id_{n}": "" for n in (0, 1)}} for row in released_captions()]
    items = counterfactual_items(pairs)
    assert (len(items), len(unique_captions(items))) == (34_820, 34_510)
    originals = original_items(pairs, {row["id"]: "" for row in pairs})
    assert (len(originals), len(unique_captions(originals))) == (17_410, 17_277)


def test_a_photograph_with_two_captions_is_one_candidate_and_one_query() -> None:
    encoder = Directions({"one": 0, "two": 60, "three": 100, "shared": 70, "other": 30})
    items = [Item("c", "three", "other"), Item("b", "two", "shared"), Item("a", "one", "shared")]
    rows = list(retrieval({"originals": items}, encoder, "m", encoder))
    assert ranks(rows, "image-retrieval") == {"a": 2, "b": 1, "c": 2}
    assert ranks(rows, "text-retrieval") == {"a": 1, "c": 3}
    assert {row["direction"]: row["candidates"] for row in rows} == {"image-retrieval": 2, "text-retrieval": 3}


def test_of_equal_scores_the_first_by_id_comes_first() -> None:
    encoder = Directions({"one": 0, "two": 0, "x": 0, "y": 0})
    items = [Item("2", "two", "y"), Item("1", "one", "x")]
    rows = list(retrieval({"counterfactuals": items}, encoder, "m", encoder))
    for direction in ("image-retrieval", "text-retrieval"):
        assert ranks(rows, direction) == {"1": 1, "2": 2}


def test_a_broken_picture_is_an_error_and_no_candidate() -> None:
    encoder = Directions({"one": 0, "two": 40, "x": 41, "y": 39})
    items = [Item("1", "one", "broken"), Item("2", "two", "x"), Item("3", "one", "y"), Item("4", "two", "broken 4")]
    rows = list(retrieval({"s": [*items, Item("5", "lost", "broken 5")]}, encoder, "m", Lost(encoder)))
    assert {row["query_id"]: row["reason"] for row in rows if row["direction"] == "text-retrieval"} == {
        "1": "picture cannot be decoded: image broken",
        "2": None,
        "3": None,
        "4": "picture cannot be decoded: image broken 4",
        "5": "picture cannot be decoded: image broken 5",
    }
    assert ranks(rows, "image-retrieval") == {"1": 1, "2": 1, "3": 1, "4": 1, "5": None}
    assert rows[4]["reason"] == "no picture of it: picture cannot be decoded: image broken 5"
    assert {row["status"] for row in rows if row["rank"] is None} == {"error"}
    assert {row["direction"]: row["candidates"] for row in rows} == {"image-retrieval": 2, "text-retrieval": 5}


class Lost(Directions):
    """The same, and a caption that is similar to no other."""

    def __init__(self, known: Directions) -> None:
        super().__init__({**known.angles, "lost": 200})


def test_an_embedding_that_overflowed_is_an_error() -> None:
    encoder = Directions({"one": np.nan, "two": 40, "x": 0, "y": 39})
    rows = list(retrieval({"s": [Item("1", "one", "x"), Item("2", "two", "y")]}, encoder, "m", encoder))
    assert ranks(rows, "image-retrieval") == {"1": None, "2": 1}
    assert ranks(rows, "text-retrieval") == {"1": None, "2": 1}
    assert {row["reason"] for row in rows if row["query_id"] == "1"} == {
        "its embedding holds what is no finite number",
        "no caption of it: its embedding holds what is no finite number",
    }


def test_nothing_can_be_decoded_and_nothing_is_asked() -> None:
    encoder = Directions({"one": 0})
    rows = list(retrieval({"s": [Item("1", "one", "broken")], "t": []}, encoder, "m", encoder))
    assert [(row["direction"], row["rank"], row["candidates"]) for row in rows] == [
        ("image-retrieval", None, 0),
        ("text-retrieval", None, 1),
    ]


def test_what_is_missing_altogether_stops_the_run() -> None:
    class Missing(Directions):
        def get(self, image_id: str) -> Any:
            raise WhatifError(f"image {image_id}: is not among the 0 images of no file")

    with pytest.raises(WhatifError, match="not among"):
        list(retrieval({"s": [Item("1", "one", "x")]}, Missing({}), "m", Directions({"one": 0})))


def test_a_real_encoder_gives_the_ranks_of_its_scores(tmp_path: Path) -> None:
    from PIL import Image

    encoder = dual_encoder(LocalCheckpoint(checkpoint=str(tiny_flava(tmp_path)), batch_size=3))
    pixels = np.random.default_rng(0).integers(0, 256, (8, 40, 40, 3), dtype=np.uint8)
    pictures = {f"p{number}": Image.fromarray(one) for number, one in enumerate(pixels)}
    words = ["how many dots", "yellow", "the answer", "what colour", "flowers inside", "dots", "a", "circles"]
    items = [Item(f"{number}", caption, f"p{number}") for number, caption in enumerate(words)]
    rows = list(retrieval({"s": items}, pictures, "m", encoder))  # type: ignore[arg-type]
    scores = encoder.captions(words) @ encoder.pictures(list(pictures.values())).T
    expected = {str(n): 1 + int((scores[n] > scores[n, n]).sum()) for n in range(8)}
    assert ranks(rows, "image-retrieval") == expected
    assert ranks(rows, "text-retrieval") == {str(n): 1 + int((scores[:, n] > scores[n, n]).sum()) for n in range(8)}
    assert len(set(expected.values())) > 2
