"""Rows looked up by key: the right ones, of row groups that are each read once, and errors that name the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from whatif.engine.artifacts.by_key import RowsByKey
from whatif.engine.artifacts.schemas import REJECTIONS, Table, schema_of
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError

SMALL = Table(
    name="small-groups",
    version=1,
    key=("name",),
    schema=schema_of(("name", pa.string()), ("number", pa.int64())),
    row_group_rows=10,
)
NAMES = [f"n{place:03d}" for place in range(95)]


def parts(folder: Path) -> list[Path]:
    """Two files, with the numbers of the names below 50 and the others."""
    made = []
    for number, places in enumerate((range(50), range(50, 95))):
        path = folder / f"part-{number}.parquet"
        write_artifact(path, SMALL, [{"name": NAMES[place], "number": place} for place in places])
        made.append(path)
    return made


def looked_up(rows: RowsByKey, names: list[str]) -> list[int]:
    found: list[int] = rows.of(names)["number"].to_pylist()
    return found


def test_look_ups_give_exactly_the_rows_with_the_keys(tmp_path: Path) -> None:
    rows = RowsByKey(parts(tmp_path), SMALL, ["name", "number"])
    assert looked_up(rows, NAMES[5:25]) == list(range(5, 25))
    assert looked_up(rows, [NAMES[48], NAMES[52], "n999", NAMES[20]]) == [20, 48, 52]
    assert looked_up(rows, ["n0485"]) == looked_up(rows, []) == []
    assert looked_up(rows, [NAMES[0], NAMES[94]]) == [0, 94]  # backwards, too
    assert looked_up(RowsByKey([], SMALL, ["name", "number"]), NAMES) == []


def test_ascending_look_ups_read_each_row_group_once_and_hold_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = RowsByKey(parts(tmp_path), SMALL, ["name", "number"])
    read: list[Any] = []
    original = RowsByKey._read
    monkeypatch.setattr(RowsByKey, "_read", lambda self, group: read.append(group) or original(self, group))
    for start in range(0, 95, 7):
        assert looked_up(rows, NAMES[start : start + 7]) == list(range(start, min(start + 7, 95)))
        assert len(rows._held) <= 2
    assert len(read) == len(set(read)) == 10


def test_columns_are_those_that_were_asked_for(tmp_path: Path) -> None:
    assert RowsByKey(parts(tmp_path), SMALL, ["name"]).of(NAMES[:3]).to_pylist() == [{"name": one} for one in NAMES[:3]]


def test_another_table_and_a_truncated_file_are_named(tmp_path: Path) -> None:
    other = tmp_path / "other.parquet"
    write_artifact(other, REJECTIONS, [])
    with pytest.raises(WhatifError, match=r"other\.parquet: contains the table rejections/1, but this version reads"):
        RowsByKey([other], SMALL, ["name"])
    first, _ = parts(tmp_path)
    rows = RowsByKey([first], SMALL, ["name", "number"])
    first.write_bytes(first.read_bytes()[:100])
    with pytest.raises(WhatifError, match=r"part-0\.parquet: unreadable"):
        rows.of(NAMES[:1])
