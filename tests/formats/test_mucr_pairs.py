"""Pairs of the released form and of core captions, in all formats; every bad row is named, and nothing is guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.benchmarks.mucr.released_rows import Row, image_bytes, image_name, pair_row, with_images, write_rows
from whatif.benchmarks.mucr import schemas
from whatif.engine.errors import WhatifError
from whatif.formats.mucr_images import find_image
from whatif.formats.mucr_pairs import CATEGORIES, STYLES, Pairs, read_pairs
from whatif.formats.mucr_records import StoredImage


def group(first: int = 1) -> list[Row]:
    return [pair_row(number) for number in range(first, first + 4)]


def read(folder: Path, rows: list[Row], name: str = "pairs.jsonl") -> Pairs:
    return read_pairs(write_rows(folder / name, rows))


def faults(found: Pairs) -> dict[str, tuple[str, str]]:
    return {fault.item: (fault.reason, fault.detail) for fault in found.faults}


def test_names_are_those_of_the_benchmark() -> None:
    assert schemas.STYLES == STYLES and (*CATEGORIES, "object") == schemas.CATEGORIES


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".csv", ".parquet"])
def test_one_row_for_each_pair_and_style(tmp_path: Path, suffix: str) -> None:
    rows = [styled for number in range(1, 9) for styled in with_images(pair_row(number))]
    found = read(tmp_path, rows, f"pairs{suffix}")
    assert found.faults == []
    assert [pair.pair_id for pair in found.pairs] == [str(number) for number in range(1, 9)]
    first = found.pairs[0]
    assert (first.group_id, found.pairs[4].group_id) == ("group-1", "group-5")
    assert (first.category, first.cue, first.false_cues) == ("human", "water", ("hat", "smoke", "nurse"))
    assert first.cause_caption == "A nurse pours water on the candle 1."
    assert first.explanation == (
        "Cause: the nurse pours water. Effect: the candle smokes. "
        "The causal link between them is that water puts out the flame."
    )
    assert set(first.images) == set(STYLES)
    if suffix == ".parquet":
        assert all(isinstance(image, StoredImage) for images in first.images.values() for image in images)
    else:
        assert first.images["comic"] == ("1-comic-0.png", "1-comic-1.png")


def test_shards_of_a_folder(tmp_path: Path) -> None:
    for shard in (0, 1):
        write_rows(
            tmp_path / f"test-{shard}.parquet", [one for row in group(4 * shard + 1) for one in with_images(row)]
        )
    found = read_pairs(tmp_path)
    assert (len(found.pairs), found.faults) == (8, [])
    stored = found.pairs[7].images["black-white"][1]
    row = find_image(stored, [])
    assert isinstance(row, dict) and (row["width"], row["source"]) == (8, "file:test-1.parquet")


def test_a_row_without_an_id_in_a_folder_is_no_part_of_a_pair(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    changes: list[Row] = [{}, {"label": "cloud"}, {"id": None}, {}]
    rows = [{**row, **change} for row, change in zip(group(), changes, strict=True)]
    write_rows(tmp_path / "data/test-0.parquet", rows)
    whole = [item for item in faults(read_pairs(tmp_path)) if "/" not in item]
    assert whole == ["2", "data: test-0.parquet, row 3"]


def test_lists_of_images_in_parquet(tmp_path: Path) -> None:
    styles = ["comic", "photograph"]
    rows = [{**row, "style": styles} for row in group()]
    for row in rows:
        row |= {f"image_{side}": [image_name(row["id"], style, side) for style in styles] for side in (0, 1)}
    rows[1]["image_1"].pop()
    found = {pair.pair_id: pair.images for pair in read(tmp_path, rows, "pairs.parquet").pairs}
    for place, style in enumerate(styles):
        for side in (0, 1):
            image = find_image(found["4"][style][side], [])
            assert isinstance(image, dict)
            assert image["image"]["bytes"] == image_bytes(rows[3][f"image_{side}"][place])
    assert find_image(found["2"]["photograph"][1], []) == ("picture missing", "no image is named")


def test_classes_that_are_numbers_in_parquet(tmp_path: Path) -> None:
    rows = [{**row, "label": place} for place, row in enumerate(group(), -1)]
    kept = {"info": {"features": {"label": {"names": ["animal", "person", "plant"], "_type": "ClassLabel"}}}}
    table = pa.Table.from_pylist(rows).replace_schema_metadata({"huggingface": json.dumps(kept)})
    pq.write_table(table, tmp_path / "pairs.parquet")
    found = read_pairs(tmp_path / "pairs.parquet")
    assert {pair.pair_id: pair.category for pair in found.pairs} == {"2": "animal", "3": "human", "4": "plant"}
    assert faults(found)["1"] == ("unknown category", f"row 1: label: is '-1'; use one of {', '.join(CATEGORIES)}")
    pq.write_table(table.replace_schema_metadata({"huggingface": '{"info": []}'}), tmp_path / "pairs.parquet")
    assert faults(read_pairs(tmp_path / "pairs.parquet"))["2"][0] == "unknown category"


def test_more_images_than_styles(tmp_path: Path) -> None:
    rows = group()
    rows[0] |= {"style": ["comic"], "image_0": ["a.png", "b.png"], "image_1": ["c.png"]}
    rows[1] |= {"style": ["comic"], "image_0": [{"bytes": None, "path": "a.png"}], "image_1": ["c.png"]}
    found = read(tmp_path, rows)
    assert faults(found) == {"1/style": ("unknown style", "line 1: style: has 1 value, but more images are named")}
    assert [pair.images for pair in found.pairs[:2]] == [{"comic": ("a.png", "c.png")}] * 2


def test_one_row_for_each_pair(tmp_path: Path) -> None:
    images = {"style": "['Photo', 'black_white']", "image_0": [None, "b.png"], "image_1": ["c.png", "d.png"]}
    rows = [{**row, **images} for row in group()]
    found = read(tmp_path, rows)
    assert found.pairs[0].images == {"black-white": ("b.png", "d.png"), "photograph": (None, "c.png")}
    assert read(tmp_path, group()).pairs[0].images == {}


def test_other_words_and_ids(tmp_path: Path) -> None:
    rows = [
        {**row, "id": f"P{row['id']}", "link_id": str([f"p{one}" for one in row["link_id"]]), "label": "Person"}
        for row in group()
    ]
    found = read(tmp_path, rows, "pairs.csv")
    assert (found.faults, [pair.pair_id for pair in found.pairs]) == ([], ["p1", "p2", "p3", "p4"])
    assert {pair.category for pair in found.pairs} == {"human"}


def test_core_captions_with_their_history(tmp_path: Path) -> None:
    history = ["A cat is bored.", {"kind": "captions", "cause": "A cat pushes a vase.", "effect": "A vase is broken."}]
    rows = [
        {"id": row["id"], "group": "fire", "category": "mixture", "cause": row["caption_0"], "effect": row["caption_1"]}
        for row in group()
    ]
    rows[0]["history"] = history
    rows[1]["history"] = json.dumps(history)
    rows[2]["history"] = "none of your business"
    found = read(tmp_path, rows)
    assert found.pairs[0].history == found.pairs[1].history
    assert found.pairs[0].history[0] == {"kind": "idea", "text": "A cat is bored."}
    assert (found.pairs[0].cue, found.pairs[0].explanation, found.pairs[0].group_id) == (None, None, "group-fire")
    assert faults(found) == {"3/history": ("history", "line 3: history: is no JSON list")}


@pytest.mark.parametrize(
    ("changes", "item", "reason", "told"),
    [
        ({"id": None}, "line 2", "id missing", "id: is empty"),
        ({"id": "2/3"}, "line 2", "id", "without `/`"),
        ({"id": 1}, "1", "repeated id", "line 2: id: is also that of line 1"),
        ({"caption_1": float("nan")}, "2", "caption missing", "line 2: caption_1: is empty"),
        ({"caption_1": "NaN"}, "2", "caption missing", "line 2: caption_1: is empty"),
        ({"caption_0": ["a"]}, "2", "field", "line 2: caption_0: is no text"),
        ({"link_id": [["1"]]}, "2", "field", "line 2: link_id: is no text"),
        ({"cue": [["sun"]]}, "2/cue", "field", "line 2: cue: is no text"),
        ({"false_cue": "['dog's fur', 'hat', 'cup']"}, "2/cue", "field", "false_cue: is a list whose quotes are not"),
        ({"causal_reason": "['dog's fur', 'b', 'c']"}, "2/explanation", "field", "causal_reason: is a list whose"),
        ({"caption_1": "a farmer pours water on the candle 1."}, "2", "same captions", "is the same as caption_0"),
        ({"label": "vehicle"}, "2", "unknown category", "'vehicle'; use one of human, animal"),
        ({"label": ""}, "2", "unknown category", "is empty; use one of"),
        ({"style": "oil"}, "2/oil", "unknown style", "'oil' is none of photograph, comic, black-white"),
        ({"image_0": "a.png"}, "2/style", "unknown style", "is empty, but images are named"),
        ({"cue": "hat"}, "2/cue", "two right cues", "has the right cue, too"),
        ({"cue": ["water", "flame"]}, "2/cue", "two right cues", "has 2 values: water, flame"),
        ({"false_cue": ["hat", "smoke"]}, "2/cue", "false cue missing", "has 2 values, not 3"),
        ({"false_cue": ["hat", "hat", "smoke"]}, "2/cue", "false cue twice", "two are the same"),
        ({"causal_reason": ["a", "b"]}, "2/explanation", "explanation without three parts", "has 2 parts, not 3"),
        ({"causal_reason": "water"}, "2/explanation", "explanation without three parts", "has not the three parts"),
        ({"link_id": [1, 3, 77]}, "2/group", "link to nowhere", "'77' is no pair of the file"),
        ({"link_id": [1, 3]}, "2/group", "group without four members", "has 3 members"),
    ],
)
def test_bad_rows(tmp_path: Path, changes: Row, item: str, reason: str, told: str) -> None:
    rows = group()
    rows[1] |= changes
    found = read(tmp_path, rows)
    assert faults(found)[item][0] == reason
    assert told in faults(found)[item][1]
    part = "/" in item
    assert ("2" in {pair.pair_id for pair in found.pairs}) == part
    if part:
        two = next(pair for pair in found.pairs if pair.pair_id == "2")
        assert (two.cue is None, two.explanation is None) == (item == "2/cue", item == "2/explanation")
    if not part or item == "2/group":
        wrong = {pair.pair_id for pair in found.pairs if f"{pair.pair_id}/group" in faults(found)}
        assert wrong == {pair.pair_id for pair in found.pairs}, "the group is not whole any more"


def test_rows_of_a_pair_that_contradict_each_other(tmp_path: Path) -> None:
    rows = [styled for row in group() for styled in with_images(row)]
    rows[1]["cue"] = "flame"
    rows[5]["style"] = "comic"
    found = read(tmp_path, rows)
    assert faults(found)["1"] == ("contradictory rows", "line 2: cue: is not the same as in line 1")
    assert faults(found)["2"] == ("repeated id", "line 6: id: is also that of an earlier row in the style comic")
    assert [pair.pair_id for pair in found.pairs] == ["3", "4"]


def test_several_faults_of_one_item_are_one_row(tmp_path: Path) -> None:
    rows = group()
    rows[0] |= {"id": 2, "label": "x"}
    found = read(tmp_path, rows)
    assert faults(found)["2"][0] == "unknown category"
    assert len({fault.item for fault in found.faults}) == len(found.faults)


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("none.json", None, "no such file"),
        ("none.parquet", None, "no such file"),
        ("bad.parquet", b"PAR1 and no more", "cannot be read as Parquet"),
        ("bad.jsonl", b"{", "is not JSON"),
        ("pairs.txt", b"1", "the suffix is"),
        ("utf16.csv", "id,caption_0\n1,a\n".encode("utf-16"), "is not UTF-8"),
    ],
)
def test_files_that_cannot_be_read(tmp_path: Path, name: str, data: bytes | None, told: str) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(WhatifError, match=told):
        read_pairs(tmp_path / name)
    with pytest.raises(WhatifError, match="has no Parquet file"):
        (tmp_path / "empty").mkdir()
        read_pairs(tmp_path / "empty")


@pytest.mark.parametrize("name", ["../secret.png", "/etc/hostname", "x" * 400, "a\0b.png", "..", ""])
def test_a_name_stays_inside_the_folders(tmp_path: Path, name: Any) -> None:
    (tmp_path / "secret.png").write_bytes(b"x")
    (tmp_path / "images").mkdir()
    found = find_image(name, [tmp_path / "images"])
    assert isinstance(found, tuple) and found[0] == "picture missing"
