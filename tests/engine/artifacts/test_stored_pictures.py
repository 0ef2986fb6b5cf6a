"""Pictures read out of artifacts: the right bytes by path, and what is missing or damaged."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.schemas import IMAGES, PICTURE_FILES, REJECTIONS
from whatif.engine.artifacts.stored_pictures import StoredPictures
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError

DATA = {f"site/bench/pictures/{number:04}.png": f"picture {number}".encode() for number in range(1_000)}
OTHER = b"another"


def name_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write_pictures(folder: Path, data: dict[str, bytes], without: set[bytes]) -> Path:
    """The pictures of a site, without the bytes of some of them."""
    rows = [
        {"path": path, "bytes": None if one in without else one, "sha256": name_of(one)} for path, one in data.items()
    ]
    write_artifact(folder / "pictures.parquet", PICTURE_FILES, sorted(rows, key=lambda row: str(row["path"])))
    return folder / "pictures.parquet"


def write_images(path: Path, data: set[bytes]) -> Path:
    rows = [image_row(one, 1, 1, "drawn:x", "CC0-1.0") for one in data]
    write_artifact(path, IMAGES, sorted(rows, key=lambda row: str(row["image_id"])))
    return path


@pytest.fixture
def paths(tmp_path: Path) -> tuple[Path, list[Path]]:
    """Every second picture is an image, and these are in three artifacts."""
    images = list(DATA.values())[::2]
    parts = [write_images(tmp_path / f"images-{part}.parquet", set(images[part::3])) for part in range(3)]
    return write_pictures(tmp_path, DATA, set(images)), parts


def test_every_picture_is_found_with_its_hash_in_any_order(paths: tuple[Path, list[Path]]) -> None:
    stored = StoredPictures(*paths)
    for path in sorted(DATA, key=lambda path: name_of(path.encode())):
        assert (stored.data(path), stored.digest(path)) == (DATA[path], name_of(DATA[path]))


@pytest.mark.parametrize("path", ["", "a", "site/bench/pictures/0500", "site/bench/pictures/0500.png2", "z"])
def test_another_path_is_no_picture(paths: tuple[Path, list[Path]], path: str) -> None:
    stored = StoredPictures(*paths)
    assert stored.data(path) is None and stored.digest(path) is None


def test_pictures_whose_images_are_not_there_are_left_out_until_they_are(paths: tuple[Path, list[Path]]) -> None:
    pictures, parts = paths
    away = parts[1].rename(parts[1].with_name("away"))
    stored = StoredPictures(pictures, parts)
    lacking = [path for path in DATA if stored.data(path) is None]
    assert lacking == list(DATA)[2::6] and all(map(stored.digest, lacking))
    away.rename(parts[1])
    assert [stored.data(path) for path in lacking] == [DATA[path] for path in lacking]


def test_artifacts_of_another_run_are_opened_again(paths: tuple[Path, list[Path]], tmp_path: Path) -> None:
    stored = StoredPictures(*paths)
    path = next(iter(DATA))
    assert stored.data(path) == DATA[path]
    write_pictures(tmp_path, {path: OTHER}, set())
    assert (stored.data(path), stored.digest(path)) == (OTHER, name_of(OTHER))
    assert stored.data(list(DATA)[1]) is None


def test_a_picture_with_another_hash_is_not_shown(tmp_path: Path) -> None:
    rows = [{"path": "site/a.png", "bytes": OTHER, "sha256": name_of(b"first")}]
    write_artifact(tmp_path / "pictures.parquet", PICTURE_FILES, rows)
    assert StoredPictures(tmp_path / "pictures.parquet", []).data("site/a.png") is None


def test_another_table_and_a_truncated_file_are_named(paths: tuple[Path, list[Path]], tmp_path: Path) -> None:
    pictures, (first, *_) = paths
    write_artifact(tmp_path / "other.parquet", REJECTIONS, [])
    with pytest.raises(WhatifError, match=r"other\.parquet: contains the table rejections/1, but this version reads"):
        StoredPictures(pictures, [tmp_path / "other.parquet"]).data("a")
    first.write_bytes(first.read_bytes()[:100])
    with pytest.raises(WhatifError, match=r"images-0\.parquet: is not a complete Parquet file"):
        StoredPictures(pictures, [first]).data("a")
