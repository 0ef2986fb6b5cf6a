"""Finished items of CFMM in JSON, JSONL and CSV, and one line about what is wrong with a file."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from whatif.engine.errors import WhatifError
from whatif.formats.cfmm_items import ItemQuestion, photograph_name, read_items

ITEM = {
    "image": "COCO_val2014_000000000042.jpg",
    "category": "count",
    "basic question": "How many cups are on the table?",
    "basic answer": "three",
    "counterfactual question": "How many cups would be on the table if one fell off?",
    "counterfactual answer": "two",
    **{
        f"counterfactual question{n}": f"How many cups would there be if somebody put down {n} more?" for n in (1, 2, 3)
    },
    **{f"counterfactual answer{n}": str(3 + n) for n in (1, 2, 3)},
}


def as_json(folder: Path, *items: Any) -> Path:
    path = folder / "items.json"
    path.write_text(json.dumps(list(items)), encoding="utf-8")
    return path


def as_jsonl(folder: Path, *items: Any) -> Path:
    path = folder / "items.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    return path


def as_csv(folder: Path, *items: Any) -> Path:
    path = folder / "items.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(key for item in items for key in item)))
        writer.writeheader()
        writer.writerows(items)
    return path


@pytest.mark.parametrize("write", [as_json, as_jsonl, as_csv])
@pytest.mark.parametrize(
    "spelling", [str, lambda key: key.replace(" ", "_"), str.upper, lambda key: f" {key.title()} "]
)
def test_the_keys_of_the_paper_in_any_spelling(write: Any, spelling: Any, tmp_path: Path) -> None:
    (item,) = read_items(write(tmp_path, {spelling(key): value for key, value in ITEM.items()}))
    assert (item.item_id, item.category, item.image) == ("000000000042", "count", "COCO_val2014_000000000042.jpg")
    assert list(item.questions) == ["basic", "counterfactual", *(f"counterfactual{n}" for n in (1, 2, 3))]
    assert item.questions["basic"] == ItemQuestion("How many cups are on the table?", "three", None)
    assert item.questions["counterfactual2"].answer == "5"


def test_options_ids_and_numbers(tmp_path: Path) -> None:
    given = {
        **{key: value for key, value in ITEM.items() if not key.endswith(("2", "3"))},
        "image": 42,
        "id": "cups",
        "Category": "Colour",
        "basic option": 4,
        "counterfactual option1": "seven",
        "counterfactual_question2": None,
        "note": ["ignored"],
    }
    del given["category"]
    other = {**ITEM, "image": "photos/my cup.png", "category": "common sense"}
    cups, mine = sorted(read_items(as_json(tmp_path, other, given)), key=lambda item: item.item_id)
    assert (cups.item_id, cups.image, cups.category) == ("cups", "000000000042.jpg", "color")
    assert cups.questions["basic"].option == "4" and cups.questions["counterfactual1"].option == "seven"
    assert list(cups.questions) == ["basic", "counterfactual", "counterfactual1"]
    assert (mine.item_id, mine.image, mine.category) == ("my cup", "photos/my cup.png", "common")


def test_names_of_photographs() -> None:
    assert photograph_name("402685") == "000000402685.jpg"
    assert photograph_name(r"val2014\COCO_val2014_000000402685.jpg") == "val2014/COCO_val2014_000000402685.jpg"
    assert photograph_name("1234567890123") == "1234567890123"  # too long for an id


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in ITEM.items() if name != key}


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (without("image"), "object 2: image is missing; give the name of an image file or an MS-COCO id"),
        ({**ITEM, "image": "folder/.."}, "object 2: image: folder/.. names no file"),
        (without("category"), "object 2: category is missing; use one of count, color, size, shape, direction, common"),
        ({**ITEM, "category": "weight"}, "object 2: category is 'weight'; use one of count, color"),
        (without("basic answer"), "object 2: basic answer is missing or empty; an item has basic question and basic a"),
        ({**ITEM, "counterfactual question": " "}, "object 2: counterfactual question is missing or empty"),
        (without("counterfactual answer3"), "object 2: counterfactual answer3 is missing or empty"),
        ({**ITEM, "counterfactual option1": "4"}, "object 2: counterfactual option1 is the same as counterfactual"),
        ({**ITEM, "counterfactual qestion1": "?"}, "object 2: unknown key counterfactual qestion1; the keys are basic"),
        ({**ITEM, "counterfactual question4": "?"}, "object 2: unknown key counterfactual question4"),
        ({**ITEM, "Basic_Question": "What?"}, "object 2: basic question is given twice; keep one"),
        ({**ITEM, "basic answer": True}, "object 2: basic answer is true or false; write it as a text"),
        ({**ITEM, "basic answer": ["two"]}, "object 2: basic answer is a list; write it as a text"),
        ({**ITEM, "basic question": "why " * 600}, "object 2: basic question has 2,399 characters; the maximum is"),
        (ITEM, "object 2: id: 000000000042 is also that of object 1; an image with several items needs an id for each"),
        ({**ITEM, "id": "a/b"}, "object 2: id: a/b cannot be used"),
        ("text", "object 2: is a text; it needs an object"),
    ],
)
def test_one_line_names_file_row_and_key(item: Any, message: str, tmp_path: Path) -> None:
    path = as_json(tmp_path, ITEM, item)
    with pytest.raises(WhatifError) as caught:
        read_items(path)
    assert str(caught.value).startswith(f"{path}: {message}"), str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("items.json", b"", "is empty; it needs one row for each item"),
        ("items.json", b"{}", "holds an object; it needs a list of objects, one for each row"),
        ("items.json", b"[", "is not JSON"),
        ("items.csv", b"image,category\n", "has no rows below its header; it needs one for each item"),
        ("items.csv", b"image,category\n\xff,count\n", "line 2: byte 0xff is not UTF-8"),
        ("items.csv", b"image,category\n1,count,3\n", "line 2: has 3 fields; it needs 2"),
        ("items.jsonl", b'{"image": 1}\n{\n', "line 2: is not JSON"),
        ("items.txt", b"x", "items are read from .csv, .tsv, .json, .jsonl"),
    ],
)
def test_files_that_hold_no_items(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(WhatifError) as caught:
        read_items(path)
    assert message in str(caught.value) and str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="no such file; give the path of a file of items"):
        read_items(tmp_path / "none.json")
