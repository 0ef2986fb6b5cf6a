"""Images of caption sets, found by name, and for COCO also by image id."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.formats.test_coco_photographs import jpeg
from tests.pictures import png
from whatif.errors import WhatifError
from whatif.formats.caption_images import find_pictures


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


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="nowhere: no such folder"):
        find_pictures(["cat.png"], [tmp_path / "nowhere"])
