"""The numbers of result tables that differ between two runs."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from whatif.engine.files.csv_writing import rows_of_people
from whatif.results.comparison.runs import Run
from whatif.results.reporting.table import MEASURE, NUMBERS, RENAMED

_VALUE, _SOURCE, _MODEL, _REPORTED = "value", "source", "model", "reported"


@dataclass(frozen=True)
class Number:
    """One number of a table: the row that it is in, and its value in each run (None where the run lacks it)."""

    row: tuple[tuple[str, str], ...]  # identifying column -> text, without empty ones
    a: float | None
    b: float | None


@dataclass(frozen=True)
class TableChange:
    """The numbers of one table (`BENCHMARK/NAME`) that changed, were added or removed, of `numbers` in all."""

    name: str
    numbers: int
    changed: tuple[Number, ...]
    added: int
    removed: int

    @property
    def largest(self) -> Number:
        """The number that changed most, in the unit of the table; there must be one."""
        return max(self.changed, key=lambda one: abs((one.b or 0.0) - (one.a or 0.0)))


def table_changes(a: Run, b: Run, benchmarks: Iterable[str] = (), models: Iterable[str] = ()) -> list[TableChange]:
    """The tables that both runs have and whose numbers differ, sorted by name. Reported numbers do not count.

    Only tables of these benchmarks and rows of these models count, if any are given.
    """
    only, asked = set(benchmarks), set(models)
    found = []
    for path in sorted(set(a.tables) & set(b.tables)):
        if a.tables[path] == b.tables[path] or (only and path.split("/")[1] not in only):
            continue
        before, after = _numbers(a.tables[path], asked), _numbers(b.tables[path], asked)
        if before is None or after is None:
            continue
        both = [Number(key, before[key], after[key]) for key in before if key in after]
        change = TableChange(
            name="/".join(path.split("/")[1:]).removesuffix(".csv"),
            numbers=len(set(before) | set(after)),
            changed=tuple(one for one in both if one.a != one.b),
            added=len(set(after) - set(before)),
            removed=len(set(before) - set(after)),
        )
        if change.changed or change.added or change.removed:
            found.append(change)
    return found


def tables_of_one(a: Run, b: Run) -> tuple[list[str], list[str]]:
    """The tables that only A has, and those that only B has."""
    sides = (set(a.tables) - set(b.tables), set(b.tables) - set(a.tables))
    first, second = (sorted(path.partition("/")[2].removesuffix(".csv") for path in side) for side in sides)
    return first, second


def _numbers(text: bytes, models: set[str]) -> dict[tuple[tuple[str, str], ...], float | None] | None:
    """The numbers of the column `value` by the texts that identify their rows; None if it is not a tidy table."""
    try:
        rows = rows_of_people(text.decode("utf-8", "replace"))
    except csv.Error:
        return None
    if not rows or _VALUE not in rows[0]:
        return None
    found: dict[tuple[tuple[str, str], ...], float | None] = {}
    seen: Counter[tuple[tuple[str, str], ...]] = Counter()
    for row in rows:
        if row.get(_SOURCE) == _REPORTED or (models and row.get(_MODEL) not in models):
            continue
        key = _identity(row)
        seen[key] += 1
        found[(*key, ("row", str(seen[key]))) if seen[key] > 1 else key] = _number(row[_VALUE])
    return found


def _identity(row: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    named = {**row, MEASURE: RENAMED.get(row[MEASURE], row[MEASURE])} if MEASURE in row else row
    return tuple((name, text) for name, text in named.items() if name not in NUMBERS and text)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
