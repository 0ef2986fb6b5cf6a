"""The data set folder: the datasets library loads it with its pictures, and the card says what it holds."""

from __future__ import annotations

import json
from pathlib import Path

import datasets
import pytest
import yaml

from tests.verification.pairs import Pictures, pair, picture, pictures
from whatif.artifacts import canonical_json
from whatif.errors import WhatifError
from whatif.sources import hugging_face_pairs
from whatif.sources.hugging_face_card import data_card
from whatif.sources.hugging_face_pairs import write_hugging_face_pairs

ROWS = [pair(number) for number in range(7)]
IMAGES = Pictures(pictures(range(7)))


def load(folder: Path, cache: Path) -> datasets.Dataset:
    loaded = datasets.load_dataset(str(folder), cache_dir=str(cache))
    assert list(loaded) == ["test"]
    return loaded["test"]


def test_the_datasets_library_loads_it_with_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hugging_face_pairs, "PAIRS_OF_A_SHARD", 3)
    folder = tmp_path / "ours"
    assert write_hugging_face_pairs(ROWS[::-1], IMAGES, folder, licences=["CC0-1.0"]) == 7
    assert sorted(path.name for path in (folder / "data").iterdir()) == [
        f"test-{shard:05d}-of-00003.parquet" for shard in range(3)
    ]
    found = load(folder, tmp_path / "cache")
    assert isinstance(found.features["image_0"], datasets.Image)
    assert found["id"] == [row["pair_id"] for row in ROWS]
    for record, row, number in zip(found, ROWS, range(7), strict=True):
        for side in (0, 1):
            assert record[f"image_{side}"].getpixel((0, 0)) == (number, 0, 10 + side)
            assert record[f"caption_{side}"] == row[f"caption_{side}"]
            assert record[f"subject_{side}"] == row[f"subject_{side}"]
        assert (record["p"], record["guidance"], record["seed"]) == (0.25, 7.5, 11)
        assert json.loads(record["provenance"])["perplexity"] == 20.5


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    written = []
    for name in ("a", "b"):
        write_hugging_face_pairs(ROWS, IMAGES, tmp_path / name, licences=["CC0-1.0"])
        written.append({path.name: path.read_bytes() for path in (tmp_path / name).rglob("*") if path.is_file()})
    assert written[0] == written[1]


def test_what_the_release_does_not_say_is_null(tmp_path: Path) -> None:
    released = pair(0, p=0.0, guidance=0.0, seed=0, directional=None, provenance=canonical_json({"released": True}))
    write_hugging_face_pairs([released], IMAGES, tmp_path / "ours", licences=["CC-BY-4.0"])
    (record,) = load(tmp_path / "ours", tmp_path / "cache")
    assert (record["p"], record["guidance"], record["seed"], record["directional"]) == (None, None, None, None)
    assert record["image_image"] == 0.75


@pytest.mark.parametrize(
    ("licences", "named"),
    [
        (["CC0-1.0"], ["cc0-1.0"]),
        (["CC-BY-4.0", "CC0-1.0"], ["cc-by-4.0", "cc0-1.0"]),
        (["Flickr"], ["other"]),
        ([], ["other"]),
    ],
)
def test_the_card_has_a_header_numbers_and_licence(licences: list[str], named: list[str]) -> None:
    rows = [*ROWS, pair(9, ("cat", "dog"), directional=None)]
    card = data_card(rows, licences=licences)
    _, header, text = card.split("---\n", 2)
    values = yaml.safe_load(header)
    assert values["license"] == named and values["pretty_name"] == "COCO-Counterfactuals"
    assert values["size_categories"] == ["n<1K"]
    assert values["configs"][0]["data_files"] == [{"split": "test", "path": "data/test-*.parquet"}]
    assert "8 pairs of captions" in text and "16 pictures, 2 different pairs of altered subjects" in text
    assert "| `directional` | 7 | 0.1250 | 0.1250 | 0.1250 |" in text
    for licence in licences:
        assert licence in text
    assert "{{" not in card


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="there are no pairs to write"):
        write_hugging_face_pairs([], IMAGES, tmp_path, licences=[])
    with pytest.raises(KeyError):
        write_hugging_face_pairs([pair(8)], IMAGES, tmp_path, licences=[])
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert picture(8, 0)["image_id"] not in {row["image_id"] for row in pictures(range(7))}
    write_hugging_face_pairs(ROWS, IMAGES, tmp_path, licences=[])
    with pytest.raises(WhatifError, match=r"README\.md: is there already"):
        write_hugging_face_pairs(ROWS, IMAGES, tmp_path, licences=[])
