"""Rows of an artifact as a sequence of mappings that are made when they are asked for."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
import pyarrow as pa

_TOGETHER = 2_048  # rows that are mappings at once


class StoredRows(Sequence[dict[str, Any]]):
    """The rows of a table, which takes a tenth of the memory that a list of mappings would.

    A mapping is made each time that its row is asked for, so changing it changes nothing.
    """

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @overload
    def __getitem__(self, place: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> StoredRows: ...
    def __getitem__(self, place: int | slice) -> dict[str, Any] | StoredRows:
        places = range(len(self))[place]
        if isinstance(places, range):
            return StoredRows(self.table.take(pa.array(places, pa.int64())))
        return dict(self.table.slice(places, 1).to_pylist()[0])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for start in range(0, len(self), _TOGETHER):
            yield from self.table.slice(start, _TOGETHER).to_pylist()

    def by(self, column: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Each value of a text column with its rows, in the order of their first rows; these need not be adjacent."""
        code = self.table[column].combine_chunks().dictionary_encode()
        codes = (pa.concat_arrays(code.chunks) if isinstance(code, pa.ChunkedArray) else code).indices.to_numpy()
        order = np.argsort(codes, kind="stable")
        ends: list[int] = [*(np.flatnonzero(np.diff(codes[order])) + 1).tolist(), len(order)] if len(order) else []
        first, waiting = 0, 0
        for place, end in enumerate(ends):
            if end - first >= _TOGETHER or end == len(order):
                rows = self.table.take(pa.array(order[first:end])).to_pylist()
                for last in ends[waiting : place + 1]:
                    some, rows = rows[: last - first], rows[last - first :]
                    yield str(some[0][column]), some
                    first = last
                waiting = place + 1


def in_order(rows: Sequence[Mapping[str, Any]], column: str) -> Sequence[Mapping[str, Any]]:
    """The rows sorted by a text column; the same sequence if they are sorted already."""
    is_sorted = all(before <= after for before, after in itertools.pairwise(str(row[column]) for row in rows))
    return rows if is_sorted else sorted(rows, key=lambda row: str(row[column]))
