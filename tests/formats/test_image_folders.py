"""Images of caption files, found one at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.formats.test_coco_photographs import jpeg
from tests.pictures import png
from whatif.errors import WhatifError
from whatif.formats.image_folders import each_image


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


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="nowhere: no such folder"):
        list(each_image([("a.jpg", "")], [tmp_path / "nowhere"]))
