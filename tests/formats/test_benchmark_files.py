"""Benchmarks in the files of others: what is read, and that kept rows are written in the same form."""

from __future__ import annotations

import base64
import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.results.auditing.benchmarks import choices, write_csv, write_jsonl
from whatif.engine.errors import WhatifError
from whatif.formats.benchmark_files import BenchmarkTable, read_benchmark_file
from whatif.formats.benchmark_folders import read_benchmark_folder

ROWS = choices(6)
PICTURE = base64.b64encode(bytes(range(200))).decode()


def kept(table: BenchmarkTable, out: Path, rows: tuple[int, ...] = (0, 2, 5)) -> BenchmarkTable:
    table.write(rows, out)
    return read_benchmark_folder(out) if out.is_dir() else read_benchmark_file(out)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json", ".xlsx", ".parquet"])
def test_kept_rows_are_written_as_they_were(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"all{suffix}"
    if suffix in (".csv", ".tsv"):
        write_csv(path, ROWS, "," if suffix == ".csv" else "\t")
    elif suffix == ".jsonl":
        write_jsonl(path, ROWS)
    elif suffix == ".json":
        path.write_text(json.dumps(ROWS))
    elif suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    else:
        import openpyxl

        book = openpyxl.Workbook()
        book.active.append(list(ROWS[0]))
        for row in ROWS:
            book.active.append([json.dumps(one) if isinstance(one, list) else one for one in row.values()])
        book.save(path)
    table = read_benchmark_file(path)
    again = kept(table, tmp_path / f"kept{suffix}")
    assert list(again.columns) == list(table.columns)
    assert again.rows == [table.rows[place] for place in (0, 2, 5)]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".xlsx"])
def test_text_of_a_benchmark_is_kept_exactly_and_is_no_formula(tmp_path: Path, suffix: str) -> None:
    import openpyxl

    texts = ["=1+1", "'=1", "-5", "@a", "a\tb", *([] if suffix == ".xlsx" else ["a\r=1", "\t=1"])]
    delimiter = "\t" if suffix == ".tsv" else ","
    path = tmp_path / f"all{suffix}"
    if suffix == ".xlsx":
        book = openpyxl.Workbook(write_only=True)
        sheet = book.create_sheet()
        for row in (["question"], *([one] for one in texts)):
            cell = openpyxl.cell.WriteOnlyCell(sheet, row[0])
            cell.data_type = "s"
            sheet.append([cell])
        book.save(path)
    else:
        quoted = "".join(f'"{one}"{delimiter}x\n' for one in texts)
        path.write_text(f"question{delimiter}answer\n{quoted}", encoding="utf-8", newline="")
    table = read_benchmark_file(path)
    again = kept(table, tmp_path / f"kept{suffix}", tuple(range(len(texts))))
    assert [row["question"] for row in again.rows] == [row["question"] for row in table.rows] == texts
    if suffix == ".xlsx":
        cells = openpyxl.load_workbook(tmp_path / "kept.xlsx").active["A"]
        assert {cell.data_type for cell in cells} == {"s"}


@pytest.mark.parametrize(
    "shape",
    [
        {str(row["question_id"]): {name: row[name] for name in row if name != "question_id"} for row in ROWS},
        {"info": {"version": 1}, "questions": ROWS},
    ],
    ids=["by id", "one list"],
)
def test_objects_of_json_are_written_as_they_were(tmp_path: Path, shape: dict[str, Any]) -> None:
    (tmp_path / "all.json").write_text(json.dumps(shape))
    table = read_benchmark_file(tmp_path / "all.json")
    assert [row.get("id", row.get("question_id")) for row in table.rows] == [row["question_id"] for row in ROWS]
    assert [row["question"] for row in table.rows] == [row["question"] for row in ROWS]
    again = kept(table, tmp_path / "kept.json")
    assert again.rows == [table.rows[place] for place in (0, 2, 5)]
    written = json.loads((tmp_path / "kept.json").read_text())
    assert written.get("info") == shape.get("info") and set(written) <= set(shape)


@pytest.mark.parametrize("name", ["pope.json", "pope.jsonl"])
def test_json_lines_have_the_columns_of_all_rows(tmp_path: Path, name: str) -> None:
    rows = [{"question": "How many?", "answer": "2"}, {"question": "Which?", "options": ["a", "b"], "answer": "B"}] * 2
    table = read_benchmark_file(write_jsonl(tmp_path / name, rows))
    assert table.columns == ("question", "answer", "options")
    assert kept(table, tmp_path / f"kept-{name}", (1, 2)).rows == rows[1:3]


def test_pictures_are_digests_and_are_written_whole(tmp_path: Path) -> None:
    rows = [{"id": place, "image": {"bytes": bytes([place // 2]), "path": None}, "question": "?"} for place in range(4)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    table = read_benchmark_file(tmp_path / "a.parquet")
    pictures = [row["image"] for row in table.rows]
    assert pictures[0] == pictures[1] != pictures[2] == pictures[3] and all(len(one) == 24 for one in pictures)
    table.write([1, 3], tmp_path / "b.parquet")
    assert pq.read_table(tmp_path / "b.parquet").to_pylist() == [rows[1], rows[3]]


def test_a_picture_of_vlmevalkit_moves_to_the_first_kept_row_that_refers_to_it(tmp_path: Path) -> None:
    rows = [
        {"index": "7", "image": PICTURE, "question": "a", "A": "1", "B": "2", "answer": "A"},
        {"index": "8", "image": "7", "question": "b", "A": "1", "B": "2", "answer": "B"},
        {"index": "9", "image": "7", "question": "c", "A": "1", "B": "2", "answer": "B"},
    ]
    table = read_benchmark_file(write_csv(tmp_path / "a.tsv", rows, "\t"))
    assert table.source == "VLMEvalKit" and len({row["image"] for row in table.rows}) == 1
    table.write([1, 2], tmp_path / "b.tsv")
    with (tmp_path / "b.tsv").open(newline="") as file:
        written = list(csv.DictReader(file, delimiter="\t"))
    assert [(row["index"], row["image"]) for row in written] == [("8", PICTURE), ("9", "8")]


def test_a_log_of_lmms_eval_has_the_fields_of_its_questions(tmp_path: Path) -> None:
    log = [
        {"doc_id": 0, "doc": {"question": "How many?", "options": ["1", "2"]}, "target": "B", "input": "prompt"},
        {"doc_id": 1, "target": "A", "input": "x", "accuracy": {"question_id": "q1", "group": "g", "score": 1.0}},
    ]
    table = read_benchmark_file(write_jsonl(tmp_path / "log.jsonl", log))
    assert table.source == "lmms-eval log of samples"
    assert table.rows[0]["question"] == "How many?" and table.rows[1]["group"] == "g"
    assert {"question", "options", "target", "input", "question_id"} <= set(table.columns)


CARD = """---
configs:
- config_name: one
  data_files:
  - split: test
    path: one/test-*.parquet
- config_name: two
  data_files:
  - {split: train, path: two/train.parquet}
  - {split: validation, path: two/validation.parquet}
---
# A data set
"""


def folder(path: Path, files: dict[str, list[dict[str, Any]]], card: str | None = None) -> Path:
    for name, rows in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows), path / name)
    if card is not None:
        (path / "README.md").write_text(card)
    return path


def test_a_folder_of_the_hub_by_its_card(tmp_path: Path) -> None:
    names = ("one/test-0.parquet", "one/test-1.parquet", "two/train.parquet", "two/validation.parquet")
    data = folder(tmp_path / "data", {name: ROWS[place : place + 2] for place, name in enumerate(names)}, CARD)
    with pytest.raises(WhatifError, match="has the configurations one, two; name one with --config"):
        read_benchmark_folder(data)
    both = read_benchmark_folder(data, config="one")
    assert both.rows == [*ROWS[0:2], *ROWS[1:3]] and "split test" in both.source
    assert read_benchmark_folder(data, config="two").rows == ROWS[3:5]
    assert read_benchmark_folder(data, config="two", split="train").rows == ROWS[2:4]
    with pytest.raises(WhatifError, match="has no split x; it has train, validation"):
        read_benchmark_folder(data, config="two", split="x")
    both.write([0, 3], tmp_path / "out")
    assert pq.read_table(tmp_path / "out/one/test-0.parquet").to_pylist() == [ROWS[0], ROWS[2]]
    assert "This copy holds 2 rows of the split test" in (tmp_path / "out/README.md").read_text()


def test_the_default_configuration_of_a_card_is_read(tmp_path: Path) -> None:
    card = CARD.replace("- config_name: two\n", "- config_name: two\n  default: true\n")
    files = {"one/test-0.parquet": ROWS[:1], "two/validation.parquet": ROWS[1:], "two/train.parquet": ROWS[:2]}
    assert read_benchmark_folder(folder(tmp_path / "data", files, card)).rows == ROWS[1:]


def test_a_folder_without_a_card_by_the_names_of_its_files(tmp_path: Path) -> None:
    names = ("data/train-00000-of-00001.parquet", "data/test-00000-of-00001.parquet")
    data = folder(tmp_path / "data", {name: ROWS[place : place + 1] for place, name in enumerate(names)})
    table = read_benchmark_folder(data)
    assert table.rows == ROWS[1:2]
    assert kept(table, tmp_path / "out", (0,)).rows == ROWS[1:2]


def test_a_card_cannot_name_files_outside_its_folder(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "secret.parquet")
    card = "---\nconfigs:\n- config_name: default\n  data_files: ../secret.parquet\n---\n"
    with pytest.raises(WhatifError, match="leaves the folder"):
        read_benchmark_folder(folder(tmp_path / "data", {"a.parquet": ROWS}, card))


@pytest.mark.parametrize("splits", [False, True])
def test_what_save_to_disk_has_written(tmp_path: Path, splits: bool) -> None:
    datasets = pytest.importorskip("datasets")
    made = datasets.Dataset.from_list(ROWS)
    whole = datasets.DatasetDict({"train": made.select([0]), "test": made}) if splits else made
    whole.save_to_disk(tmp_path / "saved")
    table = read_benchmark_folder(tmp_path / "saved")
    assert table.rows == ROWS and table.source.startswith("data set of save_to_disk")
    table.write([1, 4], tmp_path / "out")
    loaded = datasets.load_from_disk(tmp_path / "out")
    assert (loaded["test"] if splits else loaded).to_list() == [ROWS[1], ROWS[4]]
