"""Rows of Parquet and Arrow: the values that are read, and files that are small but decode to much."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from whatif.engine.errors import WhatifError
from whatif.formats import arrow_rows
from whatif.formats.arrow_rows import RowDecoder, read_parquet_rows

TEXTS = pa.table(
    {
        "text": ["a", "b", "a", None],
        "large": pa.array(["a", "b", "a", None], pa.large_string()),
        "list": pa.array([["x", "y"], None, [], ["x", None]], pa.list_(pa.large_string())),
        "fixed": pa.array([["a", "b"], ["c", "d"], None, ["e", "f"]], pa.list_(pa.string(), 2)),
        "structures": pa.array([[{"answer": "yes", "n": 1}], [], None, [{"answer": "no", "n": 2}, None]]),
        "lists": pa.array([[["a"], ["b", "c"]], None, [[]], [None]], pa.list_(pa.list_(pa.string()))),
        "number": pa.array([1.5, None, 2.0, -1.0]),
        "encoded": pa.array(["a", "b", "a", None]).dictionary_encode(),
    }
)


def test_texts_at_any_depth_are_read_as_they_are(tmp_path: Path) -> None:
    pq.write_table(TEXTS, tmp_path / "a.parquet", row_group_size=3)
    assert read_parquet_rows([tmp_path / "a.parquet"]) == (TEXTS.column_names, TEXTS.to_pylist())


def test_texts_that_are_not_stored_as_dictionaries_in_between(tmp_path: Path) -> None:
    """The dictionary of a column has at most a megabyte; the texts after that are stored themselves."""
    texts = [[f"{place}{'x' * 1000}", "short"] for place in range(3000)]
    pq.write_table(pa.table({"list": texts, "text": [one for one, _ in texts]}), tmp_path / "a.parquet")
    _, rows = read_parquet_rows([tmp_path / "a.parquet"])
    assert rows == [{"list": text, "text": text[0]} for text in texts]


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_texts_that_are_stored_as_differences(encoding: str, tmp_path: Path) -> None:
    rows = [{"text": f"text {place}", "list": ["a", f"b {place}"]} for place in range(50)]
    encodings = {"text": encoding, "list.list.element": encoding}
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a", use_dictionary=False, column_encoding=encodings)
    assert read_parquet_rows([tmp_path / "a"])[1] == rows


def test_a_part_of_an_arrow_batch_is_read_as_it_is(tmp_path: Path) -> None:
    [batch] = TEXTS.slice(1, 3).to_batches()
    assert RowDecoder().rows(tmp_path, batch) == TEXTS.to_pylist()[1:]


@pytest.mark.parametrize(
    ("limit", "most", "words"),
    [
        ("MOST_ROWS", 3, "has more than 3 rows when it is decoded"),
        ("MOST_VALUES", 40, "has more than 40 values when it is decoded"),
        ("MOST_VALUES", 3, "row group 1 has 7 values in a column, more than 3"),
        ("MOST_TEXT", 20, "has more than 20 characters of text when it is decoded"),
    ],
)
def test_limits(limit: str, most: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(TEXTS, tmp_path / "a.parquet")
    monkeypatch.setattr(arrow_rows, limit, most)
    with pytest.raises(WhatifError, match=words):
        read_parquet_rows([tmp_path / "a.parquet"])


def test_the_limits_hold_for_all_files_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [tmp_path / name for name in ("a.parquet", "b.parquet")]
    for path in paths:
        pq.write_table(TEXTS, path)
    monkeypatch.setattr(arrow_rows, "MOST_ROWS", 7)
    with pytest.raises(WhatifError, match=r"b\.parquet: has more than 7 rows"):
        read_parquet_rows(paths)


MANY = 2_000_000


def shared(value: pa.Array, number: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(number, "int32")), value)


# Files of up to half a megabyte, which took gigabytes.
SMALL: dict[str, Callable[[], dict[str, pa.Array]]] = {
    "one text in all rows": lambda: {"question": shared(pa.array(["x" * 2000]), MANY)},
    "one text in a list": lambda: {
        "options": pa.ListArray.from_arrays([0, 20_000], shared(pa.array(["x" * 100_000]), 20_000))
    },
    "many zeros": lambda: {"image": pa.array([bytes(300 * 1024**2)])},
    "many numbers": lambda: {"size": pa.array([np.zeros(50_000_000, "int8")], pa.list_(pa.int8()))},
}
MEASURED = """
import sys, pathlib, whatif.formats.arrow_rows as arrow_rows
try:
    print(len(arrow_rows.read_parquet_rows([pathlib.Path(sys.argv[1])])[1]))
except arrow_rows.WhatifError as error:
    print(error)
status = pathlib.Path("/proc/self/status").read_text().splitlines()
print(next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM")))
"""


@pytest.mark.process
@pytest.mark.parametrize("name", SMALL)
def test_a_small_file_that_decodes_to_much_is_refused_before_it_fills_the_memory(name: str, tmp_path: Path) -> None:
    path = tmp_path / "small.parquet"
    pq.write_table(pa.table(SMALL[name]()), path, compression="zstd", write_statistics=False)
    assert path.stat().st_size < 1_000_000
    done = subprocess.run([sys.executable, "-c", MEASURED, path], capture_output=True, text=True, check=True)
    said, megabytes = done.stdout.splitlines()
    assert f"{path}: " in said and "more than" in said
    assert int(megabytes) < 600, said
