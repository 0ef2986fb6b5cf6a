"""Rows of artifacts as sequences of mappings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from whatif.engine.artifacts import stored_rows
from whatif.engine.artifacts.schemas import Table, schema_of
from whatif.engine.artifacts.stored_rows import StoredRows, in_order
from whatif.engine.artifacts.writer import write_artifact

ROWS: list[dict[str, Any]] = [
    {"number": number, "pair": pair, "text": text}
    for number, (pair, text) in enumerate([("b", "one"), ("a", "two"), ("b", "three"), ("c", "four"), ("a", "five")])
]
NUMBERED = Table(
    name="numbered",
    version=1,
    key=("number",),
    schema=schema_of(("number", pa.int64()), ("pair", pa.string()), ("text", pa.string())),
    row_group_rows=2,
)


def stored(folder: Path, rows: list[dict[str, Any]], parts: int = 1) -> StoredRows:
    """The rows in some files."""
    size = max(1, -(-len(rows) // parts))
    paths = [folder / f"{part}.parquet" for part in range(parts)]
    for part, path in enumerate(paths):
        write_artifact(path, NUMBERED, rows[part * size : (part + 1) * size])
    return StoredRows(paths, NUMBERED)


@pytest.mark.parametrize("parts", [1, 2])
def test_rows_are_those_of_a_list(tmp_path: Path, parts: int) -> None:
    """Length, items, slices and iteration."""
    rows = stored(tmp_path, ROWS, parts)
    assert len(rows) == 5 and list(rows) == ROWS and list(rows) == ROWS
    assert rows[1] == ROWS[1] and rows[-1] == ROWS[-1] and rows[1:4] == ROWS[1:4]
    assert not stored(tmp_path, [])
    with pytest.raises(IndexError):
        rows[5]


def test_tables_are_row_groups_of_some_columns(tmp_path: Path) -> None:
    rows = stored(tmp_path, ROWS)
    assert [piece.num_rows for piece in rows.tables()] == [2, 2, 1]
    assert pa.concat_tables(rows.tables(["text"])).to_pydict() == {"text": [row["text"] for row in ROWS]}


def test_changed_rows_are_fewer_and_say_so(tmp_path: Path) -> None:
    rows = stored(tmp_path, ROWS, 2).changed(lambda piece: piece.filter(pc.not_equal(piece["pair"], "a")))
    kept = [row for row in ROWS if row["pair"] != "a"]
    assert len(rows) == 3 and list(rows) == kept and rows[-1] == kept[-1]
    assert pa.concat_tables(rows.tables(["pair"])).to_pydict() == {"pair": ["b", "b", "c"]}
    assert list(rows.by("pair")) == [("b", kept[:2]), ("c", kept[2:])]


def test_rows_are_chosen_and_changes_follow_each_other(tmp_path: Path) -> None:
    rows = stored(tmp_path, ROWS, 2).where("pair", {"a", "c", "z"})
    assert list(rows) == [ROWS[1], ROWS[3], ROWS[4]] and next(rows.rows(["text"])) == {"text": "two"}
    assert list(rows.where("text", ["one", "five"])) == [ROWS[4]]
    assert list(rows.where("pair", [])) == []


@pytest.mark.parametrize("together", [1, 2, 3, 100])
@pytest.mark.parametrize("parts", [1, 2])
def test_rows_of_a_value_need_not_be_adjacent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: int, parts: int
) -> None:
    """The values are in the order of their first rows, however many rows are mappings at once."""
    monkeypatch.setattr(stored_rows, "_TOGETHER", together)
    found = list(stored(tmp_path, ROWS, parts).by("pair"))
    assert found == [("b", [ROWS[0], ROWS[2]]), ("a", [ROWS[1], ROWS[4]]), ("c", [ROWS[3]])]
    adjacent = [{**row, "number": number} for number, row in enumerate(sorted(ROWS, key=lambda row: str(row["pair"])))]
    assert [name for name, _ in stored(tmp_path, adjacent, parts).by("pair")] == ["a", "b", "c"]
    assert list(stored(tmp_path, []).by("pair")) == []


def test_sorted_rows_stay_what_they_are(tmp_path: Path) -> None:
    """Others become a sorted list."""
    rows = stored(tmp_path, [{**ROWS[1], "number": 0}, {**ROWS[0], "number": 1}, {**ROWS[3], "number": 2}])
    assert in_order(rows, "pair") is rows
    assert [row["pair"] for row in in_order(ROWS, "pair")] == ["a", "a", "b", "b", "c"]
