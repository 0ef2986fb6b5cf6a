"""The form of the released data set, written and read back."""

from __future__ import annotations

import io
import json
from pathlib import Path

import datasets
import pytest
from PIL import Image

from tests.awkward_texts import AWKWARD
from tests.formats.test_coco_counterfactuals import example, folder_of, jpeg, read, text_of
from tests.verification.pairs import Pictures, pair, picture, pictures
from whatif.errors import WhatifError
from whatif.formats.coco_counterfactuals_folder import file_name, write_released_pairs

ROWS = [pair(0), pair(1, pair_id="17"), pair(2, pair_id="../up/17"), pair(3, pair_id="017")]
IMAGES = Pictures(pictures(range(4)))


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "out" / "ours"
    assert write_released_pairs(ROWS[::-1], IMAGES, folder) == 4
    assert {path.parent for path in tmp_path.rglob("*") if path.is_file()} == {folder, folder / "images"}
    lines = [json.loads(line) for line in (folder / "examples.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [set(line) for line in lines] == [{"id", "caption_0", "caption_1", "image_0", "image_1"}] * 4
    assert [line["id"] for line in lines] == ["../up/17", "017", 17, "pair-000"]
    found, kept = read(folder)
    assert found.rejections == []
    columns = ("pair_id", "caption_0", "caption_1", "subject_0", "subject_1", "image_id_0", "image_id_1")
    assert [[row[name] for name in columns] for row in found.pairs] == [
        [row[name] for name in columns] for row in sorted(ROWS, key=lambda row: str(row["pair_id"]))
    ]
    assert set(kept) == {picture(number, side)["image_id"] for number in range(4) for side in (0, 1)}
    again = tmp_path / "again"
    write_released_pairs(ROWS, IMAGES, again)
    assert (again / "examples.jsonl").read_bytes() == (folder / "examples.jsonl").read_bytes()


def test_awkward_captions_are_the_same_for_json_and_datasets(tmp_path: Path) -> None:
    rows = [pair(0, pair_id=f"{number:03d}", caption_0=text) for number, text in enumerate(AWKWARD)]
    write_released_pairs(rows, IMAGES, tmp_path / "ours")
    file = tmp_path / "ours" / "examples.jsonl"
    with file.open(encoding="utf-8", newline="\n") as lines:
        assert [json.loads(line)["caption_0"] for line in lines] == list(AWKWARD)
    found = datasets.load_dataset("json", data_files=str(file), split="train", cache_dir=str(tmp_path / "cache"))
    assert found["caption_0"] == list(AWKWARD)
    assert found["id"] == [row["pair_id"] for row in rows]


def test_a_picture_keeps_its_format(tmp_path: Path) -> None:
    webp = io.BytesIO()
    Image.new("RGB", (8, 8)).save(webp, "WEBP")
    files = {"examples.jsonl": text_of(example(12)), "12_0.webp": webp.getvalue(), "12_1.jpg": jpeg(2)}
    found, kept = read(folder_of(tmp_path / "in", files))
    write_released_pairs(found.pairs, Pictures(list(kept.values())), tmp_path / "out")
    assert (tmp_path / "out" / "images" / "12_0.webp").read_bytes() == webp.getvalue()
    assert (tmp_path / "out" / "images" / "12_1.jpg").read_bytes() == jpeg(2)
    assert [row["image_id_0"] for row in read(tmp_path / "out")[0].pairs] == [found.pairs[0]["image_id_0"]]


def test_ids_become_different_names_that_lead_nowhere() -> None:
    ids = ["a/b", "a%2Fb", "..", ".", "a b", "ü", "x" * 300, "x" * 301, "/etc", "A", "é" * 90]
    names = [file_name(name) for name in ids]
    assert len(set(names)) == len(ids)
    assert all("/" not in name and "." not in name and 0 < len(name.encode()) <= 120 for name in names)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="there are no pairs to write"):
        write_released_pairs([], IMAGES, tmp_path)
    with pytest.raises(WhatifError, match="pair pair-000 has several candidates"):
        write_released_pairs([pair(0), pair(0, candidate=9)], IMAGES, tmp_path)
    write_released_pairs(ROWS, IMAGES, tmp_path)
    with pytest.raises(WhatifError, match=r"examples\.jsonl: already exists"):
        write_released_pairs(ROWS, IMAGES, tmp_path)
