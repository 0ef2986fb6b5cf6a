"""Rows of artifacts as a sequence of mappings that are read when they are asked for."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whatif.engine.artifacts.reader import batches, footer_of
from whatif.engine.artifacts.schemas import Table

_TOGETHER = 2_048  # rows that are mappings at once

Row = dict[str, Any]


class StoredRows(Sequence[Row]):
    """The rows of artifacts, of which one row group is in memory: they are read again for each iteration.

    A mapping is made each time that its row is asked for, so changing it changes nothing. Single rows are found by
    reading all before them.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        table: Table,
        columns: Sequence[str] | None = None,
        change: Callable[[pa.Table], pa.Table] | None = None,
    ) -> None:
        """`change` leaves rows out, or changes values; it is given each row group with its `columns`, all by default.

        Raises WhatifError when a file is no complete artifact; reading raises as `batches` does.
        """
        self._paths, self._table, self._columns, self._change = paths, table, columns, change
        self._stored = sum(footer_of(path).rows for path in paths)

    def changed(self, change: Callable[[pa.Table], pa.Table]) -> StoredRows:
        """The rows after a change, which follows an earlier one."""
        earlier = self._change
        both = change if earlier is None else lambda piece: change(earlier(piece))
        return StoredRows(self._paths, self._table, self._columns, both)

    def where(self, column: str, values: Iterable[str]) -> StoredRows:
        """The rows with one of these texts in a column."""
        wanted = pa.array(sorted(values), pa.string())
        return self.changed(lambda piece: piece.filter(pc.is_in(piece[column], wanted)))

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Tables of consecutive rows, with all columns by default."""
        if self._change is None:
            yield from batches(self._paths, self._table, columns or self._columns)
        else:
            for piece in map(self._change, batches(self._paths, self._table, self._columns)):
                yield piece if columns is None else piece.select(columns)

    @cached_property
    def _number(self) -> int:
        return self._stored if self._change is None else sum(piece.num_rows for piece in self.tables())

    def __len__(self) -> int:
        return self._number

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        places = range(len(self))[place]
        if isinstance(places, range):
            return list(self)[place]
        return next(itertools.islice(self, places, None))

    def __iter__(self) -> Iterator[Row]:
        return self.rows()

    def rows(self, columns: Sequence[str] | None = None) -> Iterator[Row]:
        """The rows, with all columns by default."""
        for piece in self.tables(columns):
            for start in range(0, piece.num_rows, _TOGETHER):
                yield from piece.slice(start, _TOGETHER).to_pylist()

    def by(self, column: str) -> Iterator[tuple[str, list[Row]]]:
        """Each value of a text column with its rows, in the order of their first rows.

        If the rows of a value are not adjacent, all rows are in memory.
        """
        values = pa.chunked_array([piece[column] for piece in self.tables([column])], pa.string())
        rows = iter(self) if _adjacent(values) else self._together(values)
        for value, of_value in itertools.groupby(rows, lambda row: row[column]):
            yield str(value), list(of_value)

    def _together(self, values: pa.ChunkedArray) -> Iterator[Row]:
        """All rows, those of a value after its first."""
        codes = pa.concat_arrays(values.chunks).dictionary_encode().indices.to_numpy()
        order = np.argsort(codes, kind="stable")
        whole = pa.concat_tables(self.tables()).combine_chunks()
        for start in range(0, len(order), _TOGETHER):
            yield from whole.take(pa.array(order[start : start + _TOGETHER])).to_pylist()


def _adjacent(values: pa.ChunkedArray) -> bool:
    """Whether equal values stand beside each other."""
    changes = pc.sum(pc.not_equal(values[1:], values[:-1])).as_py() or 0
    return not len(values) or changes + 1 == pc.count_distinct(values, mode="all").as_py()


def in_order(rows: Sequence[Mapping[str, Any]], column: str) -> Sequence[Mapping[str, Any]]:
    """The rows sorted by a text column; the same sequence if they are sorted already."""
    is_sorted = all(before <= after for before, after in itertools.pairwise(str(row[column]) for row in rows))
    return rows if is_sorted else sorted(rows, key=lambda row: str(row[column]))
