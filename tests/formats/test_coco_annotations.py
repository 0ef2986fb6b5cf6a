"""MS-COCO's files are read completely, and errors name the place."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from whatif.engine.errors import WhatifError
from whatif.formats.coco_annotations import read_captions, read_instances

needs_data = pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="needs WHATIF_DATA, the folder of real data")


def coco() -> dict[str, Any]:
    return {
        "info": {},
        "licenses": [{"id": 4, "name": "Attribution License", "url": ""}],
        "images": [{"id": 7, "file_name": "000000000007.jpg", "width": 640, "height": 427, "license": 4}],
        "annotations": [{"id": 1, "image_id": 7, "caption": "A dog."}, {"id": 2, "image_id": 7, "caption": "A cat."}],
    }


def written(folder: Path, value: Any) -> Path:
    path = folder / "annotations.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_captions_are_read(tmp_path: Path) -> None:
    read = read_captions(written(tmp_path, coco()))
    assert [(one.caption_id, one.image_id, one.caption) for one in read.captions] == [
        (1, 7, "A dog."),
        (2, 7, "A cat."),
    ]
    image = read.images[7]
    assert (image.file_name, image.width, image.height) == ("000000000007.jpg", 640, 427)
    assert image.licence == "Attribution License"


@needs_data
def test_all_real_captions_are_read() -> None:
    read = read_captions(Path(os.environ["WHATIF_DATA"]) / "coco" / "captions_val2017.json")
    assert (len(read.images), len(read.captions)) == (5000, 25014)
    assert {one.image_id for one in read.captions} == set(read.images)
    assert read.captions[0].caption == "A black Honda motorcycle parked in front of a garage."
    assert all(image.licence for image in read.images.values())


def objects() -> dict[str, Any]:
    return {
        "images": [
            {"id": 7, "file_name": "000000000007.jpg", "width": 640, "height": 427},
            {"id": 3, "file_name": "000000000003.jpg", "width": 64, "height": 42},
        ],
        "categories": [{"id": 1, "name": "person"}, {"id": 18, "name": "dog", "supercategory": "animal"}],
        "annotations": [
            {"id": 1, "image_id": 7, "category_id": 18, "iscrowd": 0, "segmentation": [[1.5, 2.0]]},
            {"id": 2, "image_id": 7, "category_id": 1, "iscrowd": 1},
            {"id": 9, "image_id": 7, "category_id": 18, "iscrowd": 0},
        ],
    }


def test_objects_are_read_by_image(tmp_path: Path) -> None:
    read = read_instances(written(tmp_path, objects()))
    assert read.objects == {7: ["dog", "person", "dog"], 3: []}
    assert [image.file_name for image in read.images.values()] == ["000000000007.jpg", "000000000003.jpg"]


def remove(name: str, place: int, field: str) -> Callable[[dict[str, Any]], None]:
    return lambda value: value[name][place].pop(field)


def change(name: str, place: int, field: str, to: Any) -> Callable[[dict[str, Any]], None]:
    return lambda value: value[name][place].update({field: to})


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda value: value.pop("categories"), "is not a file of instances in the format of MS-COCO: it needs a list"),
        (remove("annotations", 1, "category_id"), r"annotations\[1\] \(id 2\): has no `category_id`; it needs a whole"),
        (change("annotations", 0, "category_id", 5), r"annotations\[0\] \(id 1\): category 5 is not among the `cat"),
        (change("annotations", 0, "image_id", 8), r"annotations\[0\] \(id 1\): image 8 is not among the `images`"),
        (change("annotations", 2, "id", 1), r"annotations\[2\] \(id 1\): duplicate id"),
        (change("categories", 1, "id", 1), r"categories\[1\] \(id 1\): duplicate id"),
        (change("categories", 0, "name", 4), r"categories\[0\] \(id 1\): `name` is 4; it needs a text"),
    ],
)
def test_errors_name_the_place(damage: Callable[[dict[str, Any]], None], message: str, tmp_path: Path) -> None:
    value = objects()
    damage(value)
    with pytest.raises(WhatifError, match=message) as caught:
        read_instances(written(tmp_path, value))
    assert "\n" not in str(caught.value)


@needs_data
def test_real_instances() -> None:
    folder = Path(os.environ["WHATIF_DATA"]) / "coco-mini" / "annotations"
    read = read_instances(folder / "instances_val2017.json")
    raw = json.loads((folder / "instances_val2017.json").read_bytes())
    assert len(read.images) == len(raw["images"]) == 79
    assert sum(map(len, read.objects.values())) == len(raw["annotations"])
    assert {name for names in read.objects.values() for name in names} <= {one["name"] for one in raw["categories"]}
