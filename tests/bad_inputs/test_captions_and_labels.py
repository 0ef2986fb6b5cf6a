"""Caption sets, and human labels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bad_inputs.outcome import nothing_written, refusal
from whatif.engine.artifacts.schemas import REJECTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.formats.caption_sets import read_caption_set
from whatif.people.error_categories import read_error_categories

HEADER = b"id,caption,image\n"
CAPTIONS: list[tuple[str, str, bytes, str]] = [
    ("suffix", "c.txt", HEADER, ": is not a caption set"),
    ("empty", "c.csv", b"", ": is empty; it needs one row for each caption, with id, caption"),
    (
        "column missing",
        "c.csv",
        b"id,text\n1,A dog\n",
        ": has no column caption; captions have id, caption; found: id, text",
    ),
    ("field too few", "c.csv", HEADER + b"1\n", ": line 2: has 1 fields; it needs 3: id, caption, image"),
    ("quote in a field", "c.csv", HEADER + b'1,"A dog" a,\n', ": line 2: cannot be read"),
    (
        "field too many",
        "c.csv",
        HEADER + b"1,A dog, a cat,x.jpg\n",
        ": line 2: has 4 fields; it needs 3: id, caption, image; put quotes",
    ),
    ("quote open", "c.csv", HEADER + b'1,"A dog\n', ": line 2: cannot be read"),
    ("id empty", "c.csv", HEADER + b",A dog,\n", ": line 2: its id is empty"),
    ("id twice", "c.csv", HEADER + b"1,A dog,\n1,A cat,\n", ": line 3: duplicate id '1', first at line 2"),
    ("id twice but for line breaks", "c.csv", HEADER + b'"1 2",a,\n"1\n2",b,\n', "first at line 2"),
    ("Latin-1", "c.csv", HEADER + b"1,caf\xe9,\n", ": line 2: byte 0xe9 is not UTF-8"),
    ("line of 16 MiB", "c.csv", HEADER + b"1," + b"x" * (17 * 1024 * 1024), ": cannot be read (line 2 is longer"),
    ("no JSON", "c.jsonl", b"{\n", ": line 1: is not JSON"),
    ("line of a list", "c.jsonl", b"[]\n", ": line 1: is a list; it needs an object"),
    ("caption missing", "c.jsonl", b'{"id": 1, "caption": "a"}\n{"id": 2}', ": line 2: has no column caption"),
    ("caption of a number", "c.jsonl", b'{"id": "1", "caption": 7}\n', ": line 1: its caption is 7"),
    ("id of a bool", "c.jsonl", b'{"id": true, "caption": "x"}\n', ": line 1: its id is true"),
    ("id of an object", "c.jsonl", b'{"id": {}, "caption": "x"}\n', ": line 1: its id is {}"),
    ("image of a number", "c.jsonl", b'{"id": "1", "caption": "x", "image": 7}\n', ": line 1: its image is 7"),
    ("100,000 deep", "c.jsonl", b"[" * 100_000, ": line 1: is not JSON"),
    ("line of 16 MiB", "c.jsonl", b"x" * (17 * 1024 * 1024), ": cannot be read (line 1 is longer"),
    ("COCO of no captions", "c.json", b"[]", ": is not a file of captions"),
]


@pytest.mark.parametrize(
    ("name", "data", "words"), [pytest.param(*rest, id=f"{rest[0]}: {name}") for name, *rest in CAPTIONS]
)
def test_a_caption_set_that_is_none(name: str, data: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with nothing_written(tmp_path):
        line = refusal(lambda: read_caption_set(path))
    assert line.startswith(str(path)) and words in line, line


REJECTED: list[tuple[str, str, str]] = [
    ("empty", "", "empty caption"),
    ("spaces", " \t\n ", "empty caption"),
    ("101 words", "dog " * 101, "caption too long"),
    ("no letters", "12 + 30 = 42", "no Latin letters"),
    ("other letters", "собака", "no Latin letters"),
    ("Chinese", "一只猫在垫子上", "no Latin letters"),
    ("half a surrogate pair", "\ud83d", "no Latin letters"),
    ("null character", "\0", "no Latin letters"),
    ("a terminal's bell", "\a\a", "no Latin letters"),
]


@pytest.mark.parametrize(("caption", "reason"), [pytest.param(*rest, id=name) for name, *rest in REJECTED])
def test_a_caption_that_is_none_is_a_rejected_row(caption: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps({"id": "1", "caption": caption}) + '\n{"id": "2", "caption": "A dog."}\n')
    found = read_caption_set(path)
    assert [one.caption_id for one in found.captions] == ["2"]
    assert [(row["item_id"], row["reason"]) for row in found.rejections] == [("1", reason)]
    write_artifact(tmp_path / "rejections.parquet", REJECTIONS, found.rejections)


@pytest.mark.parametrize(
    ("cells", "reason"),
    [("q,Failure to bind attribute", "unknown item"), ("p1-0,nothing", "unknown category")],
    ids=["unknown item", "unknown category"],
)
def test_a_category_that_is_none_is_a_rejected_row(cells: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "errors.csv"
    path.write_text(f"item_id,category\n{cells}\n")
    assert [row["reason"] for row in read_error_categories(path, ["p1-0"]).rejections] == [reason]
