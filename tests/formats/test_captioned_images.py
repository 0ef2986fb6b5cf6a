"""Captions with their images: Karpathy's and MS-COCO's JSON, tables, splits, and records that cannot be used."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import pytest

from whatif.engine.errors import WhatifError
from whatif.formats.captioned_images import CaptionedImage, read_captioned_images

NEEDS_DATA = pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="WHATIF_DATA is not set")


def written(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def karpathy(path: Path) -> Path:
    records = [
        {"filename": "1.jpg", "split": "test", "sentences": [{"raw": " A dog\nruns. "}, {"raw": "A dog."}]},
        {"filename": "2.jpg", "split": "train", "sentences": [{"raw": "A cat."}]},
        {"filename": "3.jpg", "split": "test", "filepath": "val2014", "sentences": [{"raw": ""}, {"raw": "A bus."}]},
        {"filename": "4.jpg", "split": "restval", "sentences": [{"raw": "A cup."}]},
        {"filename": None, "split": "test", "sentences": [{"raw": "A mug."}]},
        {"filename": "6.jpg", "split": "test", "sentences": []},
        {"filename": "7.jpg", "split": "test"},
        {"filename": "8.jpg", "split": "test", "sentences": [{"raw": 7}]},
    ]
    return written(path, {"dataset": "flickr30k", "images": records})


def test_karpathys_json_by_split(tmp_path: Path) -> None:
    path = karpathy(tmp_path / "dataset.json")
    found = read_captioned_images(path, "test")
    assert found.images == [
        CaptionedImage("1.jpg", "", ("A dog runs.", "A dog.")),
        CaptionedImage("3.jpg", "val2014", ("A bus.",)),
    ]
    assert [(row["item_id"], row["reason"]) for row in found.rejections] == [
        ("images[2], caption 0", "empty caption"),
        ("images[4]", "no file name"),
        ("images[5]", "no caption"),
        ("images[6]", "no caption"),
        ("images[7], caption 0", "empty caption"),
    ]
    assert [one.name for one in read_captioned_images(path, "restval").images] == ["4.jpg"]


def test_a_split_must_exist_and_be_chosen_where_there_are_several(tmp_path: Path) -> None:
    path = karpathy(tmp_path / "dataset.json")
    with pytest.raises(WhatifError, match=r"dataset.json: has no split dev; there are restval, test, train"):
        read_captioned_images(path, "dev")
    with pytest.raises(WhatifError, match=r"has the splits restval, test, train; set `split` to one of them"):
        read_captioned_images(path, None)
    table = written(tmp_path / "all.csv", "image,caption\n1.jpg,A dog.\n")
    with pytest.raises(WhatifError, match=r"all.csv: has no splits, but the split test is asked for"):
        read_captioned_images(table, "test")


def test_ms_coco_keeps_the_order_of_its_captions(tmp_path: Path) -> None:
    image = {"id": 139, "file_name": "000000000139.jpg", "width": 8, "height": 8}
    bare = {"id": 140, "file_name": "000000000140.jpg", "width": 8, "height": 8}
    captions = [{"id": 9, "image_id": 139, "caption": "First. "}, {"id": 2, "image_id": 139, "caption": "Second."}]
    found = read_captioned_images(
        written(tmp_path / "captions.json", {"images": [image, bare], "annotations": captions}), None
    )
    assert found.images == [CaptionedImage("000000000139.jpg", "", ("First.", "Second."))]
    assert [(row["item_id"], row["reason"]) for row in found.rejections] == [("image 140", "no caption")]


@NEEDS_DATA
def test_real_photographs_have_five_captions_or_more() -> None:
    path = Path(os.environ["WHATIF_DATA"]) / "coco-mini" / "annotations" / "captions_val2017.json"
    found = read_captioned_images(path, None)
    assert len(found.images) == 79
    assert all(len(one.captions) >= 5 for one in found.images)
    assert found.rejections == []


def test_a_csv_of_the_hub_has_lists_as_json(tmp_path: Path) -> None:
    with (tmp_path / "flickr.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["raw", "sentids", "split", "filename", "img_id"])
        out.writerow([json.dumps(["Two men, outside.", "Men."]), "[0, 1]", "test", "10.jpg", "0"])
        out.writerow(["['not JSON']", "[2]", "test", "11.jpg", "1"])
        out.writerow([json.dumps(["A tree."]), "[3]", "train", "12.jpg", "2"])
    found = read_captioned_images(tmp_path / "flickr.csv", "test")
    assert found.images == [CaptionedImage("10.jpg", "", ("Two men, outside.", "Men."))]
    (refused,) = found.rejections
    assert (refused["item_id"], refused["reason"]) == ("line 3", "no caption")
    assert "11.jpg" in refused["detail"]


def test_rows_of_an_image_are_one_image(tmp_path: Path) -> None:
    path = written(tmp_path / "all.csv", "image,caption\na.jpg,One.\nb.jpg,[Two]\na.jpg,Three.\n,Four.\n")
    found = read_captioned_images(path, None)
    assert found.images == [CaptionedImage("a.jpg", "", ("One.", "Three.")), CaptionedImage("b.jpg", "", ("[Two]",))]
    assert found.rejections == [{"item_id": "line 5", "reason": "no file name", "detail": 'the image is ""'}]


def test_jsonl_has_texts_or_lists(tmp_path: Path) -> None:
    lines = [
        {"image": "a.jpg", "captions": ["One.", "Two."]},
        {"image": "b.jpg", "captions": "Three."},
        {"image": ["c.jpg"], "captions": "Four."},
        {"image": "d.jpg", "captions": {"en": "Five."}},
        {"image": "e.jpg"},
    ]
    path = written(tmp_path / "all.jsonl", "\n".join(map(json.dumps, lines)))
    found = read_captioned_images(path, None)
    assert [one.captions for one in found.images] == [("One.", "Two."), ("Three.",)]
    assert [(row["item_id"], row["reason"]) for row in found.rejections] == [
        ("line 3", "no file name"),
        ("line 4", "no caption"),
        ("line 5", "no caption"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "finding"),
    [
        ("a.txt", "x", r"a.txt: captions are read from .json, .csv, .tsv, .jsonl; the suffix is `.txt`"),
        ("a.csv", "id,text\n1,A dog.\n", r"a.csv: needs an image's file name .*; it has the columns id, text"),
        ("a.json", '{"images": [{"id": 1}]}', r"a.json: has neither `annotations`, as in MS-COCO, nor images with"),
        ("a.json", "[]", r"a.json: is not a file of captions of images"),
        ("a.jsonl", '{"image": "a"', r"a.jsonl: line 1: is not JSON"),
        ("a.csv", "image,caption\na.jpg,A,dog\n", r"a.csv: line 2: has 3 fields; it needs 2"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, name: str, content: str, finding: str) -> None:
    with pytest.raises(WhatifError, match=finding):
        read_captioned_images(written(tmp_path / name, content), None)
