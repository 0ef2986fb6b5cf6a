"""Rows of artifacts looked up by key in ascending order, with few row groups in memory at once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from whatif.engine.artifacts.reader import first_line, footer_of, remedy
from whatif.engine.artifacts.schemas import Table
from whatif.engine.errors import WhatifError


@dataclass(frozen=True)
class _Group:
    """A row group of a file, and its lowest and highest key; they are None where the file does not record them."""

    path: Path
    number: int
    lowest: str | None
    highest: str | None

    def overlaps(self, lowest: str, highest: str) -> bool:
        return self.lowest is None or self.highest is None or (self.lowest <= highest and lowest <= self.highest)


class RowsByKey:
    """The rows of some artifacts, by the first column of their table's key, which must be text.

    Look-ups with ascending keys read each row group once: a group stays in memory until a look-up does not touch it.
    Look-ups in another order give the same rows more slowly.
    """

    def __init__(self, paths: Sequence[Path], table: Table, columns: Sequence[str]) -> None:
        """`columns` include the key. Raises WhatifError when a file is no complete artifact of `table`."""
        self._key = table.key[0]
        self._schema = pa.schema([table.schema.field(name) for name in columns])
        self._groups = [group for path in paths for group in _groups(path, table, self._key)]
        self._held: dict[_Group, pa.Table] = {}

    def of(self, keys: Sequence[str]) -> pa.Table:
        """The rows with any of these keys, in the order of the files. Raises WhatifError for an unreadable file."""
        if not keys:
            return self._schema.empty_table()
        wanted = sorted(keys)
        touched = [group for group in self._groups if group.overlaps(wanted[0], wanted[-1])]
        self._held = {group: self._held.get(group) or self._read(group) for group in touched}
        found = [self._between(piece, wanted) for piece in self._held.values()]
        return pa.concat_tables([self._schema.empty_table(), *found])

    def _between(self, piece: pa.Table, wanted: Sequence[str]) -> pa.Table:
        """The rows of a piece with one of these keys; both are sorted."""
        column = piece[self._key]
        first, end = (
            search(range(len(column)), key, key=lambda row: column[row].as_py())
            for search, key in ((bisect_left, wanted[0]), (bisect_right, wanted[-1]))
        )
        some = piece.slice(first, end - first)
        return some.filter(pc.is_in(some[self._key], pa.array(wanted, pa.string())))

    def _read(self, group: _Group) -> pa.Table:
        try:
            with pq.ParquetFile(group.path) as file:
                piece = file.read_row_group(group.number, columns=self._schema.names)
            return piece.select(self._schema.names).cast(self._schema)
        except (pa.ArrowException, OSError, KeyError) as error:
            raise WhatifError(f"{group.path}: unreadable ({first_line(error)}){remedy(group.path)}") from error


def _groups(path: Path, table: Table, key: str) -> list[_Group]:
    footer = footer_of(path)
    if footer.table != table.label:
        raise WhatifError(f"{path}: contains the table {footer.table}, but this version reads {table.label}")
    metadata = pq.read_metadata(path)
    (place,) = [one for one in range(metadata.num_columns) if metadata.schema.column(one).path == key]
    found = []
    for number in range(metadata.num_row_groups):
        kept = metadata.row_group(number).column(place).statistics
        known = kept is not None and kept.has_min_max
        found.append(_Group(path, number, kept.min if known else None, kept.max if known else None))
    return found
