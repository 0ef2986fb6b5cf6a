"""MS-COCO's files are read completely, and errors name the place."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from whatif.errors import WhatifError
from whatif.formats.coco_annotations import read_captions

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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", r"is not JSON \(.*\); give an unpacked, complete file of captions in the format of MS-COCO"),
        (b"\xff\xfe\xfa", "is not JSON"),
        (
            b"[]",
            "is not a file of captions in the format of MS-COCO: it needs a list `images`; found: a l",
        ),
        (b"3", "found: 3, not an object"),
        (b'{"questions": []}', "it needs a list `images`; found: questions"),
        (b'{"images": []}', "it needs a list `annotations`; found: images"),
        (b'{"images": [], "annotations": {}}', "it needs a list `annotations`"),
    ],
)
def test_another_file_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "captions.json"
    path.write_bytes(content)
    with pytest.raises(WhatifError, match=message) as raised:
        read_captions(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert "\n" not in str(raised.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match=r"none.json: cannot be read \(No such file or directory\)"):
        read_captions(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda a: a.pop("caption"), r"annotations\[0\] \(id 1\): has no `caption`; it needs a text"),
        (lambda a: a.update(caption=3), r"annotations\[0\] \(id 1\): `caption` is 3; it needs a text"),
        (lambda a: a.update(image_id=8), r"\(id 1\): image 8 is not among the `images` of the file"),
        (lambda a: a.update(image_id=True), r"\(id 1\): `image_id` is true; it needs a whole number"),
        (lambda a: a.update(id=2), r"annotations\[1\] \(id 2\): duplicate id"),
    ],
)
def test_a_bad_caption_is_named(spoil: Callable[[dict[str, Any]], Any], message: str, tmp_path: Path) -> None:
    value = coco()
    spoil(value["annotations"][0])
    with pytest.raises(WhatifError, match=message):
        read_captions(written(tmp_path, value))


@pytest.mark.parametrize(
    ("name", "records", "message"),
    [
        ("images", [3], r"images\[0\]: is 3; it is an object"),
        ("images", [{"id": 7}], r"images\[0\] \(id 7\): has no `file_name`; it needs a text"),
        ("licenses", {}, "`licenses` is an object; it is a list of objects"),
        ("licenses", [{"id": 4}], r"licenses\[0\] \(id 4\): has no `name`; it needs a text"),
    ],
)
def test_bad_pictures_and_licences_are_named(name: str, records: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match=message):
        read_captions(written(tmp_path, {**coco(), name: records}))


@needs_data
def test_all_real_captions_are_read() -> None:
    read = read_captions(Path(os.environ["WHATIF_DATA"]) / "coco" / "captions_val2017.json")
    assert (len(read.images), len(read.captions)) == (5000, 25014)
    assert {one.image_id for one in read.captions} == set(read.images)
    assert read.captions[0].caption == "A black Honda motorcycle parked in front of a garage."
    assert all(image.licence for image in read.images.values())
