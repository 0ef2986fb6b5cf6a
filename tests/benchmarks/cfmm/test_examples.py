"""Files of examples with their reasons: read with their images, and one line about what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cfmm.coco import file_name, settings, write_coco
from tests.people.imports.files import csv_file, jsonl_file
from whatif.benchmarks.cfmm.examples import examples_of, read_examples
from whatif.benchmarks.cfmm.schemas import EXAMPLES
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError

ROW = {
    "example_id": "e1",
    "category": "color",
    "image": file_name(11),
    "question": "What color would the disc be if it were painted like the paper?",
    "option_a": "red",
    "option_b": "white",
    "answer": "B",
    "rationale": "The paper is white. So a disc that is painted like it is white.",
}


def written(folder: Path, *rows: dict[str, Any], name: str = "examples.csv") -> Path:
    return (jsonl_file if name.endswith(".jsonl") else csv_file)(folder / name, rows)


@pytest.mark.parametrize("name", ["examples.csv", "examples.jsonl"])
def test_examples_and_their_images(name: str, tmp_path: Path) -> None:
    coco = write_coco(tmp_path)
    other = {**ROW, "example_id": "e0", "category": "Count", "image": "12", "answer": "a", "option_a": "2"}
    path = written(tmp_path, ROW, other, {**ROW, "example_id": "e2"}, name=name)
    found = examples_of(settings(**coco, examples=str(path)), 0)
    assert [(row["example_id"], row["group"], row["answer"]) for row in found.rows] == [
        ("e0", "count", "A"),
        ("e1", "color", "B"),
        ("e2", "color", "B"),
    ]
    assert found.rows[1]["choices"] == ["red", "white"] and found.rows[1]["rationale"] == ROW["rationale"]
    assert found.rows[1]["image_ids"] == found.rows[2]["image_ids"] != found.rows[0]["image_ids"]
    assert len(found.images) == 2 and {row["source"] for row in found.images} == {
        f"coco:{file_name(11)}",
        f"coco:{file_name(12)}",
    }
    write_artifact(tmp_path / "examples.parquet", EXAMPLES, found.rows)
    write_artifact(tmp_path / "images.parquet", IMAGES, found.images)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"rationale": ""}, "line 3: rationale is missing or empty; an example has example_id, category, image"),
        ({"category": "weight"}, "line 3: category is 'weight'; use one of count, color"),
        ({"answer": "white"}, "line 3: answer is 'white'; use A or B, the letter of the right option"),
        ({"option_b": "Red"}, "line 3: option_b is the same as option_a; give two different options"),
        ({"example_id": "e1"}, "line 3: example_id e1 is also that of {path}: line 2; give another one"),
        ({"image": "none.png"}, "line 3: image: picture missing: none.png is in none of the 1 folders; every example"),
        ({"image": "../../etc/passwd"}, "line 3: image: picture missing: ../../etc/passwd is in none"),
    ],
)
def test_one_line_names_file_row_and_column(row: dict[str, str], message: str, tmp_path: Path) -> None:
    coco = write_coco(tmp_path)
    path = written(tmp_path, ROW, {**ROW, "example_id": "e2", **row})
    with pytest.raises(WhatifError) as caught:
        read_examples(path, [Path(folder) for folder in coco["image_folders"]])
    assert str(caught.value).startswith(f"{path}: {message.format(path=path)}"), str(caught.value)
    assert "\n" not in str(caught.value)


def test_columns_and_folders_are_needed(tmp_path: Path) -> None:
    path = written(tmp_path, {key: value for key, value in ROW.items() if key != "rationale"})
    with pytest.raises(WhatifError, match="has no column rationale; examples have example_id, "):
        read_examples(path, [tmp_path])
    with pytest.raises(WhatifError, match=r"name the folders as extract\.cfmm\.image_folders"):
        read_examples(written(tmp_path, ROW), [])
    with pytest.raises(WhatifError, match=r"none\.csv: no such file; give the path of a file of examples"):
        read_examples(tmp_path / "none.csv", [tmp_path])
