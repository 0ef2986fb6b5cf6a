"""Benchmarks with text that UTF-8 cannot hold, in every field and form: `whatif audit` writes every output."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.command_line import refused, whatif
from tests.results.auditing.benchmarks import choices
from whatif.commands.notebook import audit_shortcuts
from whatif.formats.benchmark_columns import Named
from whatif.results.auditing.benchmark import read_rows

pytestmark = pytest.mark.slow

HALF, MENDED = "\ud800", "\ufffd"
FIELDS = ("question_id", "question", "choices", "answer", "image_id", "category", "variant", "pair_id", "unused")
OUTPUTS: dict[str, list[str]] = {
    "plain": [],
    "scores": ["--scores", "scores.csv"],
    "scores in Parquet": ["--scores", "scores.parquet"],
    "page": ["--html", "page.html"],
    "pruned": ["--scores", "scores.csv", "--html", "page.html"],
}
Rows = Sequence[dict[str, Any]]


def lines(rows: Rows) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def log(rows: Rows) -> str:
    return lines([{"doc_id": place, "target": row["answer"], "doc": row} for place, row in enumerate(rows)])


def cells(rows: Rows) -> str:
    """CSV, whose options are JSON in a cell; no other cell can hold an escape."""
    quoted = [{**row, "choices": json.dumps(row["choices"])} for row in rows]
    texts = [['"' + str(cell).replace('"', '""') + '"' for cell in row.values()] for row in quoted]
    return "\n".join([",".join(rows[0]), *map(",".join, texts)]).replace(HALF, "") + "\n"


FORMS: dict[str, Callable[[Rows], str]] = {
    "q.jsonl": lines,
    "lines.json": lines,
    "list.json": json.dumps,
    "ids.json": lambda rows: json.dumps({row["question_id"]: row for row in rows}),
    "one-list.json": lambda rows: json.dumps({"questions": list(rows)}),
    "log.jsonl": log,
    "q.csv": cells,
}


def with_halves(field: str, number: int = 16) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {**row, "variant": "original", "pair_id": f"pair {place}", "unused": ""}
        for place, row in enumerate(choices(number, share=1.0))
    ]
    for place, row in enumerate(rows):
        half = HALF if place % 2 else ""
        if field in ("choices", "answer"):
            row["choices"] = [f"{one}{half}" for one in row["choices"]]
            row["answer"] = row["choices"]["ABCD".index(row["answer"])] if field == "answer" else row["answer"]
        elif half:
            row[field] = f"{row[field]}{HALF}"
    return rows


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def audited(name: str, *arguments: str) -> str:
    result = whatif("audit", name, "--folds", "2", *arguments)
    assert result.exit_code == 0, (result.exception, result.stderr)
    return result.stdout


@pytest.mark.parametrize(
    ("field", "form"),
    [
        pytest.param(field, form, marks=() if field == "choices" else pytest.mark.soak)
        for field in FIELDS
        for form in FORMS
        if form != "q.csv" or field in ("choices", "answer")
    ],
)
def test_half_a_surrogate_pair_is_replaced_in_every_field(field: str, form: str) -> None:
    Path(form).write_text(FORMS[form](with_halves(field)), encoding="utf-8")
    audited(form, "--scores", "scores.csv", "--html", "page.html")
    with Path("scores.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == (8 if form == "q.csv" and field == "answer" else 16)
    assert Path("page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    "field", [pytest.param(field, marks=() if field in ("choices", "answer") else pytest.mark.soak) for field in FIELDS]
)
def test_every_output_holds_a_field_with_half_a_surrogate_pair(field: str) -> None:
    Path("q.jsonl").write_text(lines(with_halves(field)), encoding="utf-8")
    for output, arguments in OUTPUTS.items() if field == "question" else [("pruned", OUTPUTS["pruned"])]:
        audited("q.jsonl", *arguments, *(["--prune", "kept.jsonl"] if output == "pruned" else []))
    kept = Path("kept.jsonl").read_text(encoding="utf-8")
    assert MENDED in kept and "\\ud800" not in kept


def test_names_of_columns_and_ids_of_captions() -> None:
    row = {f"caption_0{HALF}": "a dog", "caption_1": "a cat", "id": HALF, f"note{HALF}": HALF}
    Path("captions.jsonl").write_text(lines([{**row, "id": f"{HALF}{place}"} for place in range(8)]))
    said = audited("captions.jsonl", "--pairs", f"caption_0{MENDED},caption_1", "--scores", "s.csv")
    assert f"captions `caption_0{MENDED}`" in said


def test_rows_in_memory() -> None:
    rows = [{"id": f"{HALF}{place}", "one": f"a dog{HALF}", "two": ["a cat", HALF]} for place in range(8)]
    found = read_rows("rows", rows, Named(captions=("one", "two")))
    assert all(MENDED in item.item_id for item in found.items)
    assert {item.question for item in found.items if item.question} == {f"a dog{MENDED}", f"a cat|{MENDED}"}


@pytest.mark.parametrize("output", ["plain", "page", "pruned"])
def test_a_file_whose_name_is_not_utf_8(output: str) -> None:
    name = os.fsdecode(b"\xff.jsonl")
    Path(name).write_text(lines(choices(16)))
    kept = ["--prune", os.fsdecode(b"kept\xff.jsonl")] if output == "pruned" else []
    assert "\\udcff.jsonl: JSONL, 16 questions" in audited(name, *OUTPUTS[output], *kept)
    assert set(audit_shortcuts(name)["set"]) == {"\\udcff.jsonl"}


def test_text_of_parquet_that_is_not_utf_8() -> None:
    data = pa.array([b"q", b"q\xed\xa0\x80"] * 8, pa.binary())
    broken = pa.Array.from_buffers(pa.string(), len(data), data.buffers())
    pq.write_table(pa.table({"question": broken, "answer": ["yes", "no"] * 8}), "q.parquet")
    assert "q.parquet: row 2: column `question`: cannot be read ('utf-8' codec" in refused(whatif("audit", "q.parquet"))


def test_dates_of_parquet_that_python_cannot_hold() -> None:
    days = pa.array([0] * 300 + [4_000_000], pa.date32())
    pq.write_table(pa.table({"question": ["?"] * 301, "answer": ["yes"] * 301, "day": days}), "q.parquet")
    line = refused(whatif("audit", "q.parquet"))
    assert "q.parquet: row 301: column `day`: cannot be read (date value out of range)" in line
