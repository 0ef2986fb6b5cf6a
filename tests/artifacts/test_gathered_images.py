"""Images that were copied in one pass: the same bytes and licences as in their artifacts, in any order."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pictures import png
from whatif.artifacts.gathered_images import GatheredImages
from whatif.artifacts.images import image_row
from whatif.artifacts.schemas import IMAGES
from whatif.artifacts.writer import write_artifact
from whatif.errors import WhatifError
from whatif.files.image_decoding import UnreadableImageError

ROWS = [image_row(png((shade, 10, 20)), 8, 8, "test", f"licence {shade}") for shade in range(30)]


def written(folder: Path) -> list[Path]:
    """Two artifacts; two images are in both."""
    paths = [folder / "first.parquet", folder / "second.parquet"]
    for path, rows in zip(paths, (ROWS[:17], ROWS[15:]), strict=True):
        in_order = sorted(rows, key=lambda row: str(row["image_id"]))
        write_artifact(path, IMAGES, in_order, role="images", made_from={})
    return paths


def test_images_are_read_in_any_order_and_nothing_is_left(tmp_path: Path) -> None:
    paths = written(tmp_path)
    before = sorted(tmp_path.iterdir())
    wanted = ROWS[2::3]
    with GatheredImages(paths, [row["image_id"] for row in wanted], tmp_path) as images:
        for row in [*wanted[::-1], *wanted]:
            assert images.encoded(row["image_id"]) == row["image"]["bytes"]
            assert images.licences[row["image_id"]] == row["licence"]
        shade = images.get(ROWS[5]["image_id"]).getpixel((0, 0))
        assert shade == (5, 10, 20) and len(images.licences) == len(wanted)
        with pytest.raises(KeyError):
            images.encoded(ROWS[0]["image_id"])
    assert sorted(tmp_path.iterdir()) == before


def test_an_image_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match=r"image f00: is not among the images of .*second.parquet \(1 are missing\)"):
        GatheredImages(written(tmp_path), ["f00", ROWS[0]["image_id"]], tmp_path)


def test_an_image_that_cannot_be_decoded_is_named(tmp_path: Path) -> None:
    damaged = image_row(b"\x89PNG\r\n\x1a\nnothing", 8, 8, "test", "")
    path = tmp_path / "images.parquet"
    write_artifact(path, IMAGES, [damaged], role="images", made_from={})
    wanted = [damaged["image_id"]]
    with GatheredImages([path], wanted, tmp_path) as images, pytest.raises(UnreadableImageError, match=wanted[0]):
        images.get(wanted[0])
