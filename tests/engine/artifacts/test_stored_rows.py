"""Rows of artifacts as sequences of mappings."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from whatif.engine.artifacts import stored_rows
from whatif.engine.artifacts.stored_rows import StoredRows, in_order

ROWS: list[dict[str, Any]] = [
    {"pair": "b", "text": "one"},
    {"pair": "a", "text": "two"},
    {"pair": "b", "text": None},
    {"pair": "c", "text": "four"},
    {"pair": "a", "text": "five"},
]


def test_rows_are_those_of_a_list() -> None:
    """Length, items, slices and iteration."""
    rows = StoredRows(pa.Table.from_pylist(ROWS))
    assert len(rows) == 5 and list(rows) == ROWS and list(rows) == ROWS
    assert rows[1] == ROWS[1] and rows[-1] == ROWS[-1] and list(rows[1:4]) == ROWS[1:4]
    assert not StoredRows(pa.Table.from_pylist([], schema=rows.table.schema))
    with pytest.raises(IndexError):
        rows[5]


@pytest.mark.parametrize("together", [1, 2, 3, 100])
@pytest.mark.parametrize("chunks", [1, 2])
def test_rows_of_a_value_need_not_be_adjacent(monkeypatch: pytest.MonkeyPatch, together: int, chunks: int) -> None:
    """The values are in the order of their first rows, however many rows are mappings at once."""
    monkeypatch.setattr(stored_rows, "_TOGETHER", together)
    parts = [pa.Table.from_pylist(part) for part in ((ROWS,) if chunks == 1 else (ROWS[:2], ROWS[2:]))]
    found = list(StoredRows(pa.concat_tables(parts)).by("pair"))
    assert found == [("b", [ROWS[0], ROWS[2]]), ("a", [ROWS[1], ROWS[4]]), ("c", [ROWS[3]])]
    assert list(StoredRows(parts[0].slice(0, 0)).by("pair")) == []


def test_sorted_rows_stay_what_they_are() -> None:
    """Others become a sorted list."""
    rows = StoredRows(pa.Table.from_pylist([ROWS[1], ROWS[0], ROWS[3]]))
    assert in_order(rows, "pair") is rows
    assert [row["pair"] for row in in_order(ROWS, "pair")] == ["a", "a", "b", "b", "c"]
