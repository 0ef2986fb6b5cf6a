"""The images of CFMM: rich enough, sampled by seed and id, and read only when sampled."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cfmm.coco import RICH, file_name, settings, write_coco
from tests.pictures import png
from whatif.benchmarks.cfmm.schemas import CANDIDATES
from whatif.benchmarks.cfmm.sources import Candidates, candidates_of
from whatif.engine.artifacts.schemas import IMAGES, REJECTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError

needs_data = pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="needs WHATIF_DATA, the folder of real data")


@pytest.fixture
def coco(tmp_path: Path) -> dict[str, Any]:
    return write_coco(tmp_path)


def ids(found: Candidates) -> list[int]:
    return [int(row["item_id"]) for row in found.rows]


def asked_for(found: Candidates) -> set[int]:
    """The sampled photographs, with the one that is missing."""
    return {*ids(found), *(int(row["item_id"]) for row in found.rejections if row["reason"] == "picture missing")}


def test_photographs_with_enough_objects_and_categories(coco: dict[str, Any], tmp_path: Path) -> None:
    found = candidates_of(settings(**coco), 0)
    assert ids(found) == [11, 12, 15, 18]
    assert {int(row["item_id"]): (row["reason"], row["detail"]) for row in found.rejections} == {
        13: ("too few objects", "has 1 annotated objects; least_objects is 3"),
        14: ("too few categories", "has 1 categories; least_categories is 2"),
        16: ("too few objects", "has 0 annotated objects; least_objects is 3"),
        17: ("picture missing", f"{file_name(17)} is in none of the 1 folders"),
    }
    first = found.rows[0]
    assert (first["objects"], first["object_categories"]) == (3, ["cup", "dog", "person"])
    assert first["captions"] == ["Photograph 11 of things.", "=A second caption"]
    assert json.loads(first["provenance"]) == {"coco_image_id": 11, "image": file_name(11)}
    assert {row["image_id"] for row in found.images} == {row["image_id"] for row in found.rows}
    write_artifact(tmp_path / "candidates.parquet", CANDIDATES, found.rows)
    write_artifact(
        tmp_path / "rejections.parquet", REJECTIONS, sorted(found.rejections, key=lambda row: row["item_id"])
    )
    write_artifact(tmp_path / "images.parquet", IMAGES, sorted(found.images, key=lambda row: str(row["image_id"])))


def test_captions_and_the_rule_are_optional(coco: dict[str, Any]) -> None:
    found = candidates_of(settings(**{**coco, "captions": None, "least_objects": 0, "least_categories": 0}), 0)
    assert ids(found) == [11, 12, 13, 14, 15, 16, 18]
    assert all(row["captions"] == [] for row in found.rows)


def test_a_larger_limit_keeps_the_images_of_a_smaller_one(coco: dict[str, Any]) -> None:
    samples = [asked_for(candidates_of(settings(**coco, limit=limit), 3)) for limit in range(1, 7)]
    assert [len(one) for one in samples] == [1, 2, 3, 4, 5, 5] and samples[-1] == set(RICH)
    assert all(one <= other for one, other in itertools.pairwise(samples))
    others = [set(ids(candidates_of(settings(**coco, limit=2), seed))) for seed in range(20)]
    assert len({tuple(sorted(one)) for one in others}) > 2


def test_only_sampled_photographs_are_read(coco: dict[str, Any], tmp_path: Path) -> None:
    (kept,) = ids(candidates_of(settings(**coco, limit=1), 1))
    for path in (tmp_path / "val2014").iterdir():
        if path.name != file_name(kept):
            path.write_bytes(b"no image")
    assert ids(candidates_of(settings(**coco, limit=1), 1)) == [kept]
    everything = candidates_of(settings(**coco), 1)
    assert ids(everything) == [kept]
    assert {row["reason"] for row in everything.rejections} == {
        "picture unreadable",
        "picture missing",
        "too few objects",
        "too few categories",
    }


def item(image: str | int, **changes: Any) -> dict[str, Any]:
    return {
        "image": image,
        "category": "color",
        "basic question": "What color is the disc?",
        "basic answer": "red",
        "counterfactual question": "What color would the disc be if it swapped colors with the paper?",
        "counterfactual answer": "white",
        **changes,
    }


def test_finished_items_name_their_photographs_or_other_files(coco: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "val2014" / "mine.png").write_bytes(png((1, 2, 3)))
    path = tmp_path / "items.json"
    path.write_text(json.dumps([item(13), item("mine.png", id="first"), item(99), item(14, id="second")]))
    given = {"items": str(path), "image_folders": coco["image_folders"]}
    found = candidates_of(settings(**given), 0)
    assert [row["item_id"] for row in found.rows] == ["000000000013", "first", "second"]
    assert [(row["item_id"], row["reason"]) for row in found.rejections] == [("000000000099", "picture missing")]
    assert json.loads(found.rows[1]["provenance"])["questions"]["basic"] == {
        "question": "What color is the disc?",
        "answer": "red",
        "option": None,
    }
    assert {row["source"] for row in found.images} >= {"file:mine.png"}
    some = candidates_of(settings(**given, limit=2), 0)
    assert len(some.rows) + len(some.rejections) == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"items": "items.json"}, "extract.cfmm: items and instances both name the source of the images; set one of"),
        ({"image_folders": []}, "extract.cfmm.image_folders: is empty; name the folders of the photographs"),
        ({"instances": None}, "extract.cfmm.captions: needs the images of extract.cfmm.instances"),
        ({"instances": "none.json"}, "none.json: cannot be read (No such file or directory); give a file of instances"),
        ({"image_folders": ["nowhere"]}, "nowhere: no such folder; give"),
    ],
)
def test_one_line_for_wrong_settings(changes: dict[str, Any], message: str, coco: dict[str, Any]) -> None:
    with pytest.raises(WhatifError) as caught:
        candidates_of(settings(**{**coco, **changes}), 0)
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)


@needs_data
def test_real_photographs() -> None:
    folder = Path(os.environ["WHATIF_DATA"]) / "coco-mini"
    found = candidates_of(
        settings(
            instances=str(folder / "annotations" / "instances_val2017.json"),
            captions=str(folder / "annotations" / "captions_val2017.json"),
            image_folders=[str(folder / "val2017"), str(folder / "train2017")],
        ),
        0,
    )
    assert len(found.rows) + len(found.rejections) == 79 and len(found.rows) > 40
    assert all(row["objects"] >= 3 and len(row["object_categories"]) >= 2 for row in found.rows)
    assert all(len(row["captions"]) >= 5 for row in found.rows)
