"""Images of released puzzles in a folder: where they are looked up, and what is said of those that are not good."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.pictures import png
from whatif.engine.errors import WhatifError
from whatif.formats.c_vqa_folder import FoundImages, find_images

RED, BLUE = png((250, 0, 0)), png((0, 0, 250))


def found(folder: Path, *names: str) -> tuple[FoundImages, list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    return find_images(names, folder, rows.append), rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "inner").mkdir()
    return tmp_path / "inner"


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("a.png", "a.png"),
        ("a.png", "C-VQA-Synthetic/a.png"),
        ("C-VQA-Synthetic/a.png", "a.png"),
        ("C-VQA-Synthetic/a.png", "C-VQA-Synthetic/a.png"),
        ("C-VQA-Synthetic/C-VQA-Synthetic/a.png", "a.png"),
        ("images/test/a.png", "images/test/a.png"),
        ("images/a.png", "images\\a.png"),
    ],
)
def test_an_image_is_found_by_its_name_with_and_without_folders(folder: Path, place: str, name: str) -> None:
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    (folder / place).write_bytes(RED)
    result, (row,) = found(folder, name)
    assert result.ids == {name: row["image_id"]} and result.rejections == []
    assert row["image"]["bytes"] == RED and (row["width"], row["source"]) == (8, f"file:{name}")


def test_the_folder_that_the_name_has_comes_first(folder: Path) -> None:
    (folder / "one").mkdir()
    (folder / "one" / "a.png").write_bytes(RED)
    (folder / "a.png").write_bytes(BLUE)
    _, (row,) = found(folder, "one/a.png")
    assert row["image"]["bytes"] == RED


@pytest.mark.parametrize("name", ["../outside.png", "/etc/hostname", "..", "a\0b.png", "x" * 300 + ".png", "C-VQA/.."])
def test_a_name_that_leads_outside_or_can_be_none_is_missing(folder: Path, name: str) -> None:
    (folder.parent / "outside.png").write_bytes(RED)
    result, rows = found(folder, name)
    assert rows == [] and result.ids == {}
    (rejection,) = result.rejections
    assert (rejection["item_id"], rejection["reason"]) == (name, "picture missing")
    assert str(folder) not in rejection["detail"], "the same on every machine"


def test_what_cannot_be_decoded_is_named(folder: Path) -> None:
    (folder / "a.png").write_bytes(RED[:40])
    (folder / "b.png").write_bytes(b"")
    (folder / "c.png").mkdir()
    result, rows = found(folder, "a.png", "b.png", "c.png")
    assert rows == []
    assert {row["item_id"]: row["reason"] for row in result.rejections} == {
        "a.png": "picture unreadable",
        "b.png": "picture unreadable",
        "c.png": "picture missing",
    }


def test_images_with_the_same_pixels_are_one_image(folder: Path) -> None:
    from io import BytesIO

    from PIL import Image

    again = BytesIO()
    with Image.open(BytesIO(RED)) as picture:
        picture.save(again, "PNG", compress_level=0)
    for name, data in (("a.png", RED), ("b.png", again.getvalue()), ("c.png", BLUE), ("d.png", RED)):
        (folder / name).write_bytes(data)
    result, rows = found(folder, "d.png", "c.png", "b.png", "a.png")
    assert [row["source"] for row in rows] == ["file:a.png", "file:c.png"]
    assert result.ids["a.png"] == result.ids["b.png"] == result.ids["d.png"] != result.ids["c.png"]
    assert [(row["item_id"], row["reason"]) for row in result.rejections] == [
        ("b.png", "same picture"),
        ("d.png", "same picture"),
    ]


def test_a_folder_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="gone: no such folder; give the folder of the released images"):
        found(tmp_path / "gone", "a.png")
