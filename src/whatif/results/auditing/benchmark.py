"""A benchmark that is audited: its table, what its columns were taken as, and its items."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import well_formed, well_formed_values
from whatif.formats.benchmark_columns import Columns, Named, described, recognised
from whatif.formats.benchmark_files import SUFFIXES, BenchmarkTable, read_benchmark_file
from whatif.formats.benchmark_folders import read_benchmark_folder
from whatif.formats.table_records import shown_names
from whatif.results.auditing.items import Item, read_items


@dataclass(frozen=True)
class Benchmark:
    """A table with its items in order of their ids, and notes on how they were read."""

    table: BenchmarkTable
    columns: Columns
    items: Sequence[Item]
    notes: Sequence[str]

    @property
    def recognised(self) -> str:
        """What was taken as what, in one line."""
        return described(self.columns)

    def write(self, kept: Iterable[Item], out: Path) -> None:
        """Writes the rows of these items in the form of the input, in its order.

        A row with several questions, or without a question that can be audited, is written unless one of its items was
        dropped.
        """
        rows = {item.row for item in self.items} - {item.row for item in kept}
        self.table.write([row for row in range(len(self.table.rows)) if row not in rows], out)


def read_benchmark(
    path: Path,
    named: Named = Named(),  # noqa: B008 - a frozen value
    *,
    kind: str | None = None,
    seed: int = 0,
    clusters: str = "",
    config: str | None = None,
    split: str | None = None,
) -> Benchmark:
    """Reads a file or a folder. `named` are the columns that are not recognised, or not rightly.

    Raises WhatifError when it cannot be read, or holds nothing that can be audited.
    """
    if path.is_dir():
        table = read_benchmark_folder(path, config=config, split=split)
    elif config or split:
        raise WhatifError(f"{path}: is not a folder, so it has no --config and no --split")
    elif not path.suffix and not path.is_file():
        raise WhatifError(f"{path}: no such file or folder; give {', '.join(SUFFIXES)} or a Hugging Face folder")
    else:
        table = read_benchmark_file(path)
    if clusters and clusters not in table.columns:
        raise WhatifError(f"{path}: has no column `{clusters}`; the columns are {shown_names(table.columns)}")
    columns = recognised(path, table.columns, table.rows, named)
    found = read_items(path, table.rows, columns, kind=kind, seed=seed, clusters=clusters)
    return Benchmark(table, columns, found.items, found.notes)


def read_rows(name: str, rows: Sequence[Mapping[str, Any]], named: Named = Named(), **how: Any) -> Benchmark:  # noqa: B008
    """The benchmark in rows that are in memory; `how` as for `read_benchmark`. Raises WhatifError as it does."""
    rows = [{well_formed(str(column)): _plain(value) for column, value in row.items()} for row in rows]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    if not rows:
        raise WhatifError(f"{name}: no rows; the audit needs one for each question")

    def refuse(kept: Sequence[int], out: Path) -> None:
        raise WhatifError(f"{out}: rows in memory are not written; select them by the kept items")

    places = [f"row {number}" for number in range(1, len(rows) + 1)]
    table = BenchmarkTable(Path(name), "rows", tuple(columns), rows, places, refuse)
    found_columns = recognised(name, columns, rows, named)
    found = read_items(name, rows, found_columns, **how)
    return Benchmark(table, found_columns, found.items, found.notes)


def _plain(value: Any) -> Any:
    """A value of a data frame as Python's own, with `well_formed` texts; None where it is missing."""
    value = value.tolist() if hasattr(value, "tolist") else value
    missing = type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and math.isnan(value))
    return None if missing else well_formed_values(value)
