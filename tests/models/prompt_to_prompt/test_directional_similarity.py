"""CLIP's similarities against the formula by hand, and the selection of candidates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from whatif.models.prompt_to_prompt.directional_similarity import (
    Thresholds,
    best_candidates,
    lost_pair,
    measured,
    similarities,
)

Row = dict[str, Any]


def unit(*values: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    array = np.array(values, dtype=np.float64)
    return array / np.linalg.norm(array)


def test_directional_similarity_is_equation_1() -> None:
    captions = [unit(1, 0, 0), unit(0, 1, 0)]
    images = [unit(1, 0, 1), unit(0, 1, 2)]
    found = similarities(*(one[None] for one in (*captions, *images)))
    told, shown = captions[1] - captions[0], images[1] - images[0]
    expected = told @ shown / (np.linalg.norm(told) * np.linalg.norm(shown))
    assert found.directional == pytest.approx([expected])
    assert found.caption_image_0 == pytest.approx([2**-0.5])
    assert found.caption_image_1 == pytest.approx([5**-0.5])
    assert found.image_image == pytest.approx([2 / 10**0.5])
    turned = similarities(*(one[None] for one in (*reversed(captions), *images)))
    assert turned.directional == pytest.approx([-expected])


def test_what_does_not_change_has_no_direction() -> None:
    first, second = unit(1, 0)[None], unit(0, 1)[None]
    assert similarities(first, second, first, first).directional.tolist() == [0.0]
    assert similarities(first, first, first, second).directional.tolist() == [0.0]


class Table:
    """Embeddings and images by name; counts what is embedded."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def captions(self, captions: Any) -> Any:
        self.read += list(captions)
        return np.stack([unit(len(caption), 1) for caption in captions])

    def pictures(self, pictures: Any) -> Any:
        return np.stack([unit(len(picture), 2) for picture in pictures])

    def get(self, image_id: str) -> Any:
        return image_id


def test_rows_are_measured_in_order_and_each_caption_is_read_once_at_a_time() -> None:
    rows = [
        {"pair_id": "p", "candidate": n, "caption_0": "a", "caption_1": "bbb", "image_id_0": "x", "image_id_1": "y" * n}
        for n in range(1, 4)
    ]
    table = Table()
    found = list(measured(rows, table, table))
    assert [row["candidate"] for row in found] == [1, 2, 3]
    assert table.read == ["a", "bbb"]
    assert found[1]["caption_image_1"] == pytest.approx(float(unit(3, 1) @ unit(2, 2)))


def row(pair: str, candidate: int, scores: tuple[float, float, float], directional: float) -> Row:
    names = ("caption_image_0", "caption_image_1", "image_image")
    return {
        "pair_id": pair,
        "candidate": candidate,
        "image_id_0": "first",
        "image_id_1": "second",
        **dict(zip(names, scores, strict=True)),
        "directional": directional,
    }


def test_of_what_passes_the_highest_directional_similarity_is_kept_and_all_others_have_a_reason() -> None:
    rows = [
        row("a", 0, (0.3, 0.1, 0.9), 0.9),
        row("a", 1, (0.3, 0.3, 0.6), 0.8),
        row("a", 2, (0.2, 0.2, 0.7), 0.3),  # values equal to the limits pass
        row("a", 3, (0.3, 0.3, 0.9), 0.3),
        row("a", 4, (0.3, 0.3, 0.9), -0.1),
        row("b", 0, (0.3, float("nan"), 0.9), 0.9),
    ]
    (_, best, rejections), (_, none, of_b) = best_candidates(rows, Thresholds(0.2, 0.7, -1))
    assert best is rows[2] and none is None
    assert [(one["item_id"], one["reason"]) for one in (*rejections, *of_b)] == [
        ("a-0000", "picture unlike its caption"),
        ("a-0001", "pictures unlike each other"),
        ("a-0003", "another candidate was better"),
        ("a-0004", "another candidate was better"),
        ("b-0000", "picture unlike its caption"),
    ]
    assert rejections[0]["detail"] == "similarity 0.100 of side 1 is below 0.2"
    assert rejections[3]["detail"] == "directional similarity -0.100; candidate 2 has 0.300"


def test_the_first_reason_counts_and_a_pair_without_candidates_counts_them() -> None:
    rows = [row("a", 0, (0.1, 0.1, 0.1), 0.9), row("a", 1, (0.3, 0.1, 0.1), 0.8), row("a", 2, (0.3, 0.3, 0.1), 0.7)]
    ((pair_id, best, rejections),) = best_candidates(rows, Thresholds(0.2, 0.7, -1))
    assert pair_id == "a" and best is None
    assert [one["detail"] for one in rejections] == [
        "similarity 0.100 of side 0 is below 0.2",
        "similarity 0.100 of side 1 is below 0.2",
        "similarity 0.100 is below 0.7",
    ]
    assert lost_pair("a", rejections) == {
        "item_id": "a",
        "reason": "no candidate is left (picture unlike its caption)",
        "detail": "picture unlike its caption: 2; pictures unlike each other: 1",
    }


def test_a_pair_of_the_same_picture_is_rejected_whatever_the_thresholds() -> None:
    same = {**row("a", 0, (1.0, 1.0, 1.0), 0.9), "image_id_1": "first"}
    ((_, best, rejections),) = best_candidates([same], Thresholds(-1, -1, -1))
    assert best is None
    assert [(one["item_id"], one["reason"]) for one in rejections] == [("a-0000", "same picture")]


def test_pictures_that_change_otherwise_than_their_captions_are_rejected() -> None:
    values = (0.199, 0.2, float("nan"), -0.5)
    rows = [row("a", number, (0.3, 0.3, 0.9), value) for number, value in enumerate(values)]
    ((_, best, rejections),) = best_candidates(rows, Thresholds(0.2, 0.7, 0.2))
    assert best is rows[1]
    assert {one["reason"] for one in rejections} == {"pictures change unlike their captions"}
    assert rejections[0]["detail"] == "directional similarity 0.199 is below 0.2"
