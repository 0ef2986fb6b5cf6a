"""The names by which label files may call images: the ids of images, and the file names of released ones."""

from __future__ import annotations

from typing import Any

from tests.people.pairs import pair
from whatif.benchmarks.coco_counterfactuals.images import items_of_images
from whatif.engine.artifacts.reader import canonical_json


def released(number: int, pair_id: str, *names: str) -> dict[str, Any]:
    told = {"human": False, "released": True, **{f"image_{side}": name for side, name in enumerate(names)}}
    return pair(number, pair_id=pair_id, provenance=canonical_json(told))


def test_files_of_released_images_are_names_of_items() -> None:
    rows = [released(1, "158956_0", "158956_0_img_0", "images/158956_0_img_1.jpg"), pair(2)]
    names = items_of_images(rows)
    assert names.pop("158956_0_img_0") == "158956_0-0" and names.pop("158956_0_img_1") == "158956_0-1"
    assert sorted(names.values()) == ["158956_0-0", "158956_0-1", "pair-002-0", "pair-002-1"]


def test_a_file_name_that_may_be_that_of_a_pair_is_not_taken() -> None:
    rows = [released(1, "12", "12_0", "12_1"), released(2, "13", "12", "shared"), released(3, "14", "shared", "x")]
    assert {name: item for name, item in items_of_images(rows).items() if len(name) < 64} == {"x": "14-1"}
