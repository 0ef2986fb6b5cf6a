"""Pictures by id, from several artifacts and with bounded memory."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from PIL import Image

from tests.pictures import png
from whatif.engine.artifacts.gathered_images import GatheredImages
from whatif.engine.artifacts.images import ImageStore, SortedImages, format_of, image_row, suffix_of
from whatif.engine.artifacts.pair_items import SIDES, item_id, pair_and_side
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.artifacts.writer import ArtifactWriter, write_artifact
from whatif.engine.errors import WhatifError
from whatif.engine.files.image_decoding import UnreadableImageError


def row(colour: tuple[int, int, int], mode: str = "RGB") -> dict[str, Any]:
    data = io.BytesIO()
    Image.new("RGB", (3, 2), colour).convert(mode).save(data, "PNG")
    return image_row(data.getvalue(), 3, 2, "test", "CC0-1.0")


ROWS = [row((n, 2 * n, 100)) for n in range(120)]


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """Two artifacts of 100 and 20 pictures and one that repeats some; the first in 4 row groups."""
    small_groups = replace(IMAGES, row_group_rows=25)
    for name, rows in {"a": ROWS[:100], "b": ROWS[100:], "c": ROWS[:5]}.items():
        write_artifact(tmp_path / f"{name}.parquet", small_groups, rows)
    assert pq.ParquetFile(tmp_path / "a.parquet").num_row_groups == 4
    return [tmp_path / f"{name}.parquet" for name in "abc"]


@pytest.mark.parametrize("pictures", [1, 2, 100])
def test_a_full_disk_is_one_line_whenever_it_is_met(
    pictures: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.TemporaryFile", lambda dir: open("/dev/full", "r+b"))  # noqa: PTH123, SIM115
    said = r"images\.parquet: cannot be written \(No space left on device\)"
    with (
        pytest.raises(WhatifError, match=said),
        ArtifactWriter(tmp_path / "images.parquet", IMAGES) as writer,
        SortedImages(writer) as images,
    ):
        for picture in ROWS[:pictures]:
            images.add(picture)
    assert list(tmp_path.iterdir()) == []


def test_every_picture_is_found_under_its_id(paths: list[Path]) -> None:
    store = ImageStore(paths, cached_row_groups=2)
    assert len(store) == 120
    for number, wanted in enumerate(ROWS):
        assert wanted["image_id"] in store
        assert store.encoded(wanted["image_id"]) == wanted["image"]["bytes"]
        picture = store.get(wanted["image_id"])
        assert (picture.mode, picture.size, picture.getpixel((2, 1))) == ("RGB", (3, 2), (number, 2 * number, 100))


def test_the_order_of_ids_is_that_of_the_files_without_repetitions(paths: list[Path]) -> None:
    ids = [str(each["image_id"]) for each in ROWS]
    wanted = [*sorted(ids[:100]), *sorted(ids[100:]), "no file has it"]
    assert ImageStore(paths).in_order([*ids[::-1], *ids[:7], "no file has it"]) == wanted


def test_row_groups_used_last_stay_and_others_go(paths: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    store = ImageStore(paths, cached_row_groups=2)
    ordered = sorted(ROWS[:100], key=lambda each: str(each["image_id"]))
    groups = [ordered[start]["image_id"] for start in (0, 25, 50)]
    read = []
    original = pq.ParquetFile.read_row_group

    def counting(file: Any, number: int, **options: Any) -> Any:
        read.append(number)
        return original(file, number, **options)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", counting)
    for wanted in (groups[0], groups[1], groups[0], groups[2], groups[0], groups[1]):
        store.get(wanted)
    assert read == [0, 1, 2, 1]


@pytest.fixture
def impatient_threads() -> Iterator[None]:
    """Threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("impatient_threads")
def test_threads_share_a_store_that_forgets_what_another_one_wants(paths: list[Path]) -> None:
    store = ImageStore(paths, cached_row_groups=1)
    wanted = [ROWS[number * 37 % 120] for number in range(2_000)]
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda row: store.encoded(row["image_id"]), wanted))
    assert found == [row["image"]["bytes"] for row in wanted]


def test_other_modes_become_rgb(tmp_path: Path) -> None:
    grey = row((10, 10, 10), "L")
    write_artifact(tmp_path / "grey.parquet", IMAGES, [grey])
    assert ImageStore([tmp_path / "grey.parquet"]).get(grey["image_id"]).getpixel((0, 0)) == (10, 10, 10)


def test_a_missing_picture_is_named_with_where_it_was_looked_for(paths: list[Path]) -> None:
    with pytest.raises(WhatifError, match=r"image 12ab: is not among the 20 images of .*b\.parquet"):
        ImageStore([paths[1]]).get("12ab")
    with pytest.raises(WhatifError, match="is not among the 0 images of no file"):
        ImageStore([]).get("12ab")


@pytest.mark.parametrize(
    ("name", "suffix"), [("png", ".png"), ("jpeg", ".jpg"), ("gif", ".gif"), ("bmp", ".bmp"), ("webp", ".webp")]
)
def test_the_format_is_told_by_the_bytes(name: str, suffix: str) -> None:
    data = io.BytesIO()
    Image.new("RGB", (3, 2)).save(data, name)
    assert (format_of(data.getvalue()), suffix_of(data.getvalue())) == (name, suffix)


@pytest.mark.parametrize("data", [b"", b"RIFF", b"RIFF1234WAVE", b"\x89PNG", b"<svg>"])
def test_what_is_no_known_picture_has_no_suffix(data: bytes) -> None:
    assert (format_of(data), suffix_of(data)) == (None, "")


def test_an_id_is_read_as_it_was_made() -> None:
    for pair_id in ("12", "a-b-0", "-"):
        for side in SIDES:
            assert pair_and_side(item_id(pair_id, side)) == (pair_id, side)


@pytest.mark.parametrize("item", ["p", "-1", "p-2", ""])
def test_what_is_no_picture_of_a_pair(item: str) -> None:
    with pytest.raises(WhatifError, match="is not an image of a pair"):
        pair_and_side(item)


GATHERED = [image_row(png((shade, 10, 20)), 8, 8, "test", f"licence {shade}") for shade in range(30)]


def written(folder: Path) -> list[Path]:
    """Two artifacts; two images are in both."""
    paths = [folder / "first.parquet", folder / "second.parquet"]
    for path, rows in zip(paths, (GATHERED[:17], GATHERED[15:]), strict=True):
        in_order = sorted(rows, key=lambda row: str(row["image_id"]))
        write_artifact(path, IMAGES, in_order, role="images", made_from={})
    return paths


def test_images_are_read_in_any_order_and_nothing_is_left(tmp_path: Path) -> None:
    paths = written(tmp_path)
    before = sorted(tmp_path.iterdir())
    wanted = GATHERED[2::3]
    with GatheredImages(paths, [row["image_id"] for row in wanted], tmp_path) as images:
        for row in [*wanted[::-1], *wanted]:
            assert images.encoded(row["image_id"]) == row["image"]["bytes"]
            assert images.licences[row["image_id"]] == row["licence"]
        shade = images.get(GATHERED[5]["image_id"]).getpixel((0, 0))
        assert shade == (5, 10, 20) and len(images.licences) == len(wanted)
        with pytest.raises(KeyError):
            images.encoded(GATHERED[0]["image_id"])
    assert sorted(tmp_path.iterdir()) == before


def test_an_image_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match=r"image f00: is not among the images of .*second.parquet \(1 are missing\)"):
        GatheredImages(written(tmp_path), ["f00", GATHERED[0]["image_id"]], tmp_path)


def test_an_image_that_cannot_be_decoded_is_named(tmp_path: Path) -> None:
    damaged = image_row(b"\x89PNG\r\n\x1a\nnothing", 8, 8, "test", "")
    path = tmp_path / "images.parquet"
    write_artifact(path, IMAGES, [damaged], role="images", made_from={})
    wanted = [damaged["image_id"]]
    with GatheredImages([path], wanted, tmp_path) as images, pytest.raises(UnreadableImageError, match=wanted[0]):
        images.get(wanted[0])
