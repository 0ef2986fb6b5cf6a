"""COCO photographs by image id, in folders of 2014 and of 2017."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest
from PIL import Image

from tests.pictures import png
from whatif.errors import WhatifError
from whatif.formats.c_vqa import read_released
from whatif.formats.coco_photographs import coco_image_id, find_photographs


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
    with pytest.raises(WhatifError, match="nowhere: no such folder"):
        find_photographs([], [tmp_path / "nowhere"])


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
