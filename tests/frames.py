"""Result tables in memory, as tests read them."""

from __future__ import annotations

from typing import Any

import pandas as pd

from whatif.results.reporting.rendering import WIDTH, grid, to_latex, to_markdown
from whatif.results.reporting.table import Table, from_csv, to_csv
from whatif.scoring.statistics import Interval


def row(table: Table, **of: str) -> pd.Series[Any]:
    """The one row of a table whose identifying columns have these values."""
    frame = table.frame
    found = frame[(frame[list(of)] == pd.Series(of)).all(axis=1)]
    assert len(found) == 1, f"{table.name}: {len(found)} rows of {of}"
    return found.iloc[0]


def value(table: Table, **of: str) -> float | None:
    """The number of the one row of a table with these values; None where it is missing."""
    found = row(table, **of)["value"]
    return None if pd.isna(found) else found


def has(table: Table, **of: str) -> bool:
    """Whether a table has rows with these values."""
    return bool((table.frame[list(of)] == pd.Series(of)).all(axis=1).any())


def printed(table: Table, view: int = 0) -> list[dict[str, str]]:
    """The printed rows of a view, by heading."""
    cells = grid(table.views[view], table.frame)
    return [dict(zip(cells.header, texts, strict=True)) for texts in cells.rows]


def check(table: Table) -> None:
    """A table is read back from its CSV as it was, has LaTeX, and is printed in lines that are not too long."""
    pd.testing.assert_frame_equal(from_csv(to_csv(table.frame)), table.frame)
    assert max(map(len, to_markdown(table).splitlines())) <= WIDTH
    latex = to_latex(table)
    assert 0 < latex.count(r"\begin{table}") == latex.count(r"\end{table}") <= len(table.views)


def ends(interval: Interval, scale: float = 100.0) -> tuple[float, float]:
    """Both ends of an interval as tables have them: in percent, with four digits."""
    return round(scale * interval.low, 4), round(scale * interval.high, 4)
