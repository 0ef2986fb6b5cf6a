"""Images by name, and photographs of MS-COCO by id, in folders of 2014 and of 2017."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.pictures import png
from whatif.engine.errors import WhatifError
from whatif.formats.c_vqa import read_released
from whatif.formats.coco_photographs import coco_image_id, find_photographs
from whatif.formats.image_folders import each_image, find_pictures


def jpeg(path: Path, colour: tuple[int, int, int]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.open(io.BytesIO(png(colour))).save(path, "JPEG")


def test_names_of_all_releases_say_the_same_id() -> None:
    for name in ("COCO_val2014_000000000139.jpg", "000000000139.jpg", "COCO_train2014_000000000139.jpeg"):
        assert coco_image_id(name) == 139
    for name in ("abs_counting_000001.png", "1.jpg", "01.jpg"):
        with pytest.raises(WhatifError, match="is not a COCO file name"):
            coco_image_id(name)


def test_a_photograph_is_found_by_id_in_any_folder(tmp_path: Path) -> None:
    jpeg(tmp_path / "val2017" / "000000000139.jpg", (1, 2, 3))
    (tmp_path / "val2014").mkdir()
    (tmp_path / "val2014" / "COCO_val2014_000000000140.jpg").write_bytes(b"\xff\xd8 cut off")
    names = [f"COCO_val2014_000000000{n}.jpg" for n in (139, 140, 141)]
    photographs = find_photographs(names, [tmp_path / "val2017", tmp_path / "val2014"])
    assert sorted(photographs.found) == [names[0]]
    row = photographs.found[names[0]]
    assert row["image"]["bytes"] == (tmp_path / "val2017" / "000000000139.jpg").read_bytes()
    assert (row["width"], row["height"], row["source"]) == (8, 8, "coco:000000000139.jpg")
    assert photographs.missing[names[1]][0] == "picture unreadable"
    assert photographs.missing[names[2]] == ("picture missing", f"{names[2]} is in none of the 2 folders")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    nowhere = [tmp_path / "nowhere"]
    for find in (find_photographs, find_pictures, lambda names, folders: list(each_image([("a.jpg", "")], folders))):
        with pytest.raises(WhatifError, match="nowhere: no such folder"):
            find([], nowhere)


@pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="needs WHATIF_DATA, the folder of real data")
def test_released_questions_have_their_photographs_in_coco_mini() -> None:
    data = Path(os.environ["WHATIF_DATA"])
    questions = read_released(data / "c-vqa" / "C-VQA-Real_questions.csv")
    names = [json.loads(row["provenance"])["img_path"] for row in questions]
    photographs = find_photographs(names, [data / "coco-mini" / "val2017", data / "coco-mini" / "train2017"])
    found = {coco_image_id(name) for name in photographs.found}
    assert {139, 54718, 135561, 136334, 244592, 262227, 568290} <= found
    for name, row in photographs.found.items():
        assert coco_image_id(name) == coco_image_id(row["source"].removeprefix("coco:"))
    assert len(photographs.found) + len(photographs.missing) == len(set(names))


def test_names_of_files_and_of_coco(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "cat.png").write_bytes(png((1, 2, 3)))
    (tmp_path / "mine" / "broken.png").write_bytes(png((1, 2, 3))[:40])
    (tmp_path / "secret.png").write_bytes(png((9, 9, 9)))
    jpeg(tmp_path / "val2017" / "000000000139.jpg", (4, 5, 6))
    names = ["cat.png", "COCO_val2014_000000000139.jpg", "broken.png", "gone.png", "../secret.png"]
    pictures = find_pictures(names, [tmp_path / "mine", tmp_path / "val2017"])
    assert sorted(pictures.found) == ["COCO_val2014_000000000139.jpg", "cat.png"]
    assert pictures.found["cat.png"]["source"] == "file:cat.png"
    assert {name: reason for name, (reason, _) in pictures.missing.items()} == {
        "broken.png": "picture unreadable",
        "gone.png": "picture missing",
        "../secret.png": "picture missing",
    }


def told(found: Any) -> str:
    return found[0] if isinstance(found, tuple) else found["source"]


def test_names_numbers_and_photographs_of_other_releases(tmp_path: Path) -> None:
    flickr, coco = tmp_path / "flickr", tmp_path / "coco"
    jpeg(flickr / "1007129816.jpg", (1, 2, 3))
    jpeg(flickr / "7129816.jpg", (3, 2, 1))
    (flickr / "broken.jpg").write_bytes(png((1, 2, 3))[:40])
    jpeg(coco / "val2014" / "COCO_val2014_000000000139.jpg", (4, 5, 6))
    jpeg(coco / "000000000141.jpg", (7, 5, 6))
    (tmp_path / "secret.png").write_bytes(png((9, 9, 9)))
    names = [
        ("1007129816.jpg", ""),
        ("07129816.jpg", ""),
        ("broken.jpg", ""),
        ("gone.jpg", ""),
        ("../secret.png", ""),
        ("COCO_val2014_000000000139.jpg", "val2014"),
        ("000000000139.jpg", ""),
        ("000000000140.jpg", ""),
        ("COCO_val2014_000000000141.jpg", "val2014"),
    ]
    found = {name: told(one) for (name, _), one in each_image([*names, names[0]], [flickr, coco])}
    assert found == {
        "1007129816.jpg": "file:1007129816.jpg",
        "07129816.jpg": "picture missing",  # a number of Flickr's is no id of MS-COCO
        "broken.jpg": "picture unreadable",
        "gone.jpg": "picture missing",
        "../secret.png": "picture missing",
        "COCO_val2014_000000000139.jpg": "coco:COCO_val2014_000000000139.jpg",
        "000000000139.jpg": "coco:COCO_val2014_000000000139.jpg",
        "000000000140.jpg": "picture missing",
        "COCO_val2014_000000000141.jpg": "coco:000000000141.jpg",
    }


def test_a_file_cannot_name_a_folder_outside(tmp_path: Path) -> None:
    jpeg(tmp_path / "secret" / "000000000139.jpg", (1, 2, 3))
    (tmp_path / "mine").mkdir()
    (((_, _), found),) = each_image([("000000000139.jpg", "../secret")], [tmp_path / "mine"])
    assert told(found) == "picture missing"
