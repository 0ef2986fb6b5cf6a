"""Flower images: those that we draw can be told from polygons, those of Icons-50 survive whatever is in a folder."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image, ImageDraw
from scipy import ndimage

from whatif.benchmarks.cvqa_synthetic.flowers import drawn_flowers, icons50_flowers
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.artifacts.writer import ArtifactWriter
from whatif.engine.errors import WhatifError
from whatif.world.drawing.palette import POLYGON_COLOURS

pytestmark = pytest.mark.slow

SIZE = 96


@pytest.fixture(scope="module")
def flowers() -> list[dict[str, Any]]:
    return drawn_flowers(SIZE)


def _rgba(row: dict[str, Any]) -> Image.Image:
    picture = Image.open(io.BytesIO(row["image"]["bytes"]))
    assert (picture.format, picture.mode, picture.size) == ("PNG", "RGBA", (row["width"], row["height"]))
    return picture


def _alpha(row: dict[str, Any]) -> npt.NDArray[np.uint8]:
    return np.asarray(_rgba(row))[..., 3]


def _distance_from_middle(size: int) -> npt.NDArray[np.float64]:
    offset = np.arange(size) + 0.5 - size / 2
    return np.asarray(np.hypot(offset, offset[:, None]))


def test_drawn_flowers_are_many_and_different(flowers: list[dict[str, Any]], tmp_path: Path) -> None:
    kinds = {row["source"].removeprefix("drawn:").split("-")[0] for row in flowers}
    assert len(kinds) >= 6 and len(flowers) == 24
    assert len({row["image_id"] for row in flowers}) == len({row["source"] for row in flowers}) == len(flowers)
    assert {row["licence"] for row in flowers} == {"CC0-1.0"}
    assert flowers == drawn_flowers(SIZE)
    ordered = sorted(flowers, key=lambda row: str(row["image_id"]))
    with ArtifactWriter(tmp_path / "flowers.parquet", IMAGES) as writer:
        writer.write(ordered)
    assert artifacts.read(tmp_path / "flowers.parquet", IMAGES).num_rows == len(flowers)


@pytest.mark.parametrize("size", [96, 16, 512])
def test_drawn_flowers_are_one_piece_in_the_middle_of_the_inscribed_circle(size: int) -> None:
    for row in drawn_flowers(size):
        alpha = _alpha(row)
        _, pieces = ndimage.label(alpha >= 128, np.ones((3, 3)))
        assert pieces == 1, row["source"]
        assert not alpha[_distance_from_middle(size) > size / 2 + 0.75].any(), row["source"]
        rows, columns = np.nonzero(alpha >= 128)
        middle = (rows.min() + rows.max() + 1) / 2, (columns.min() + columns.max() + 1) / 2
        assert np.abs(np.array(middle) - size / 2).max() <= 0.06 * size, row["source"]
        assert np.ptp(rows) + 1 > 0.75 * size, row["source"]


@pytest.mark.parametrize("diameter", [20, 28, 44, 96])
def test_no_colour_of_a_drawn_flower_is_near_that_of_a_polygon(flowers: list[dict[str, Any]], diameter: int) -> None:
    colours = np.array(list(POLYGON_COLOURS.values()))
    for row in flowers:
        flower = _rgba(row).resize((diameter, diameter), Image.Resampling.LANCZOS)
        on_white = Image.new("RGB", flower.size, "white")
        on_white.paste(flower, (0, 0), flower)
        seen = np.asarray(on_white).reshape(-1, 1, 3).astype(float)
        assert np.linalg.norm(seen - colours, axis=2).min() > 40, row["source"]


def _blossom(colour: str, size: tuple[int, int] = (120, 90), mode: str = "RGBA") -> Image.Image:
    picture = Image.new(mode, size, "white" if mode == "RGB" else (0, 0, 0, 0))
    ImageDraw.Draw(picture).ellipse((30, 20, 79, 69), fill=colour)
    return picture


def _png_that_claims(side: int) -> bytes:
    header = b"IHDR" + struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)
    start = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    return start + struct.pack(">I", 64) + b"IDAT" + bytes(68)


@pytest.fixture
def icons50(tmp_path: Path) -> Path:
    for name in ("flower", "bird"):
        (tmp_path / name / "apple").mkdir(parents=True)
    _blossom("teal").save(tmp_path / "flower" / "b.png")
    _blossom("teal").save(tmp_path / "flower" / "apple" / "same.png", compress_level=0)
    _blossom("brown", mode="RGB").save(tmp_path / "flower" / "c.jpg", quality=95)
    _blossom("teal").convert("P").save(tmp_path / "flower" / "palette.gif")
    whole = (tmp_path / "flower" / "b.png").read_bytes()
    (tmp_path / "flower" / "cut.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "flower" / "empty.png").write_bytes(b"")
    (tmp_path / "flower" / "notes.txt").write_text("not a picture")
    (tmp_path / "flower" / "vast.png").write_bytes(_png_that_claims(60_000))
    (tmp_path / "flower" / "large.png").write_bytes(_png_that_claims(11_000))
    (tmp_path / "flower" / ".DS_Store").write_bytes(b"hidden")
    Image.new("RGB", (30, 30), "white").save(tmp_path / "flower" / "white.png")
    _blossom("navy").save(tmp_path / "bird" / "a.png")
    return tmp_path


def test_icons50_takes_what_can_be_read_and_says_why_the_rest_cannot(icons50: Path) -> None:
    images, rejections = icons50_flowers(icons50, ["flower"], 64)
    assert [row["source"] for row in images] == [
        "icons-50:flower/apple/same.png",
        "icons-50:flower/c.jpg",
        "icons-50:flower/palette.gif",
    ]
    reasons = {row["item_id"]: row["reason"] for row in rejections}
    assert reasons == {
        "flower/b.png": "duplicate",
        "flower/cut.png": "unreadable",
        "flower/empty.png": "unreadable",
        "flower/large.png": "unreadable",
        "flower/notes.txt": "unreadable",
        "flower/vast.png": "unreadable",
        "flower/white.png": "blank",
    }
    details = {row["item_id"]: row["detail"] for row in rejections}
    assert details["flower/b.png"] == "shows the same as icons-50:flower/apple/same.png"
    assert "decompression bomb" in details["flower/vast.png"] and "decompression bomb" in details["flower/large.png"]
    assert not any(str(icons50) in detail or " at 0x" in detail or "\n" in detail for detail in details.values())
    assert icons50_flowers(icons50, ["flower", "flower"], 64) == (images, rejections)


def test_icons50_pictures_fill_the_inscribed_circle(icons50: Path) -> None:
    images, _ = icons50_flowers(icons50, ["bird", "flower"], 64)
    assert len(images) == 4
    for row in images:
        alpha = _alpha(row)
        assert not alpha[_distance_from_middle(64) > 32].any()
        rows, columns = np.nonzero(alpha > 128)
        assert min(np.ptp(rows), np.ptp(columns)) >= 56, "a disc should nearly fill the circle"


def test_missing_folder_class_or_pictures_are_errors_that_say_what_is_there(icons50: Path, tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match=r"nowhere: no such folder"):
        icons50_flowers(tmp_path / "nowhere", ["flower"], 64)
    with pytest.raises(WhatifError, match=r"no class folder `tree`; .* can name bird, flower"):
        icons50_flowers(icons50, ["flower", "tree"], 64)
    (icons50 / "bird" / "a.png").write_bytes(b"broken")
    with pytest.raises(WhatifError, match=r"no readable image in bird \(1 files rejected\)"):
        icons50_flowers(icons50, ["bird"], 64)
