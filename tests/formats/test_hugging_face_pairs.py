"""The data set folder: the datasets library loads it with images, and the card describes its contents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pandas as pd
import pytest
import yaml

from tests.awkward_texts import AWKWARD
from tests.people.pairs import Pictures, pair, picture, pictures
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.formats import hugging_face_folder
from whatif.formats.hugging_face_card import card_header, card_section
from whatif.formats.hugging_face_pairs import write_pairs
from whatif.formats.hugging_face_questions import write_questions

ROWS = [pair(number) for number in range(7)]
IMAGES = Pictures(pictures(range(7)))


def question(number: int, *image_ids: str, **changes: Any) -> dict[str, Any]:
    return {
        "question_id": f"pair-{number // 2:03d}-{('counterfactual', 'original')[number % 2]}",
        "pair_id": f"pair-{number // 2:03d}",
        "group": "direct",
        "variant": ("counterfactual", "original")[number % 2],
        "question": "How many?",
        "choices": None,
        "answer": str(number),
        "answer_kind": "number",
        "image_ids": list(image_ids),
        "provenance": "{}",
        **changes,
    }


def load(folder: Path, cache: Path) -> datasets.Dataset:
    loaded = datasets.load_dataset("parquet", data_files={"test": str(folder / "*.parquet")}, cache_dir=str(cache))
    return loaded["test"]


def test_the_datasets_library_loads_it_with_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hugging_face_folder, "ROWS_OF_A_SHARD", 3)
    folder = tmp_path / "ours"
    assert write_pairs(ROWS[::-1], IMAGES, folder).rows == 7
    assert sorted(path.name for path in (folder / "pairs").iterdir()) == [
        f"test-{shard:05d}-of-00003.parquet" for shard in range(3)
    ]
    found = load(folder / "pairs", tmp_path / "cache")
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
        write_pairs(ROWS, IMAGES, tmp_path / name)
        written.append({path.name: path.read_bytes() for path in (tmp_path / name).rglob("*") if path.is_file()})
    assert written[0] == written[1]


def test_what_the_release_does_not_say_is_null(tmp_path: Path) -> None:
    released = pair(0, p=0.0, guidance=0.0, seed=0, directional=None, provenance=canonical_json({"released": True}))
    write_pairs([released], IMAGES, tmp_path / "ours")
    (record,) = load(tmp_path / "ours" / "pairs", tmp_path / "cache")
    assert (record["p"], record["guidance"], record["seed"], record["directional"]) == (None, None, None, None)
    assert record["image_image"] == 0.75


def test_questions_load_with_one_picture_or_with_several(tmp_path: Path) -> None:
    first, second = ROWS[0]["image_id_0"], ROWS[0]["image_id_1"]
    options = question(1, first, choices=["3", "4"], answer="B", answer_kind="choice")
    described = write_questions([options, question(0, second)], IMAGES, tmp_path / "one")
    assert described.description == "2 questions in 1 pairs about 2 images."
    assert "| direct | counterfactual | number | 1 |" in described.numbers
    found = load(tmp_path / "one" / "questions", tmp_path / "cache")
    assert found["variant"] == ["counterfactual", "original"]
    assert found["choices"] == [None, ["3", "4"]]
    assert [picture.getpixel((0, 0)) for picture in found["image"]] == [(0, 0, 11), (0, 0, 10)]
    write_questions([question(0, first, second), question(2)], IMAGES, tmp_path / "several")
    found = load(tmp_path / "several" / "questions", tmp_path / "cache")
    assert [[picture.getpixel((0, 0)) for picture in shown] for shown in found["images"]] == [
        [(0, 0, 10), (0, 0, 11)],
        [],
    ]


def test_the_card_has_a_header_and_numbers(tmp_path: Path) -> None:
    rows = [*ROWS, pair(8, ("cat", "dog"), directional=None)]
    described = write_pairs(rows, Pictures(pictures(range(9))), tmp_path)
    header = card_header("whatif ours", [described], ["other", "cc0-1.0"], ["en"], {"eval": {"test": "eval/*.parquet"}})
    values = yaml.safe_load(header.split("---\n")[1])
    assert values["license"] == ["cc0-1.0", "other"] and values["pretty_name"] == "whatif ours"
    assert values["size_categories"] == ["n<1K"]
    assert values["configs"] == [
        {"config_name": "pairs", "default": True, "data_files": [{"split": "test", "path": "pairs/test-*.parquet"}]},
        {"config_name": "eval", "data_files": [{"split": "test", "path": "eval/*.parquet"}]},
    ]
    text = "\n".join(card_section(described, "lab/ours"))
    assert 'load_dataset("lab/ours", "pairs", split="test")' in text
    assert "8 pairs of captions" in text and "16 different images, 2 different pairs of nouns" in text
    assert "| `directional` | 7 | 0.1250 | 0.1250 | 0.1250 |" in text
    columns = [column for fields in described.fields for column in fields.split(", ")]
    assert sorted(columns) == sorted(described.columns)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="there are no pairs to write"):
        write_pairs([], IMAGES, tmp_path)
    with pytest.raises(WhatifError, match="there are no questions to write"):
        write_questions([], IMAGES, tmp_path)
    with pytest.raises(KeyError):
        write_pairs([pair(8)], IMAGES, tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert picture(8, 0)["image_id"] not in {row["image_id"] for row in pictures(range(7))}


def test_the_header_is_the_same_when_yaml_reads_it(tmp_path: Path) -> None:
    described = write_pairs(ROWS, IMAGES, tmp_path)
    title = 'no: "whatif" # {ours}'
    header = yaml.safe_load(
        card_header(title, [described], ["other"], ["no", "en"], {"eval": {"no": "eval/no-*.parquet", "1": "eval/1"}})
        .removeprefix("---\n")
        .removesuffix("---\n")
    )
    assert (header["pretty_name"], header["language"]) == (title, ["no", "en"])
    assert [file["split"] for one in header["configs"] for file in one["data_files"]] == ["test", "no", "1"]


def test_awkward_texts_are_the_same_for_datasets_and_pandas(tmp_path: Path) -> None:
    (shown, *_) = pictures(range(1))
    asked = [
        question(
            number, shown["image_id"], question=text, answer=text, choices=[text, "red", text][: number % 4] or None
        )
        for number, text in enumerate(AWKWARD)
    ]
    write_questions(asked, IMAGES, tmp_path)
    captions = [{**ROWS[0], "pair_id": f"{number:03d}", "caption_0": text} for number, text in enumerate(AWKWARD)]
    write_pairs(captions, IMAGES, tmp_path)
    for table, rows, columns in (
        ("questions", asked, ("question_id", "question", "answer", "choices")),
        ("pairs", [{"id": row["pair_id"], **row} for row in captions], ("id", "caption_0")),
    ):
        expected = sorted(([row[name] for name in columns] for row in rows), key=lambda values: str(values[0]))
        read = load(tmp_path / table, tmp_path / "cache")
        assert [[row[name] for name in columns] for row in read.remove_columns(_pictures(read))] == expected
        by_pandas = pd.read_parquet(tmp_path / table, columns=list(columns)).to_numpy().tolist()
        assert [[list(one) if isinstance(one, np.ndarray) else one for one in row] for row in by_pandas] == expected


def _pictures(read: datasets.Dataset) -> list[str]:
    return [name for name, kind in read.features.items() if isinstance(kind, datasets.Image)]
