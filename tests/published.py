"""Published tables, as tests read them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from whatif.reporting.table import from_csv


def numbers(path: Path, **of: str) -> pd.DataFrame:
    """The rows of a tidy CSV whose identifying columns have these values, in order."""
    frame = from_csv(path.read_text(encoding="utf-8"))
    return frame[(frame[list(of)] == pd.Series(of)).all(axis=1)] if of else frame


def funnel(path: Path) -> dict[str, tuple[str, int, int, int]]:
    """Stage -> reasons for rejection, in, out, rejected."""
    found: dict[str, tuple[str, int, int, int]] = {}
    for stage, rows in numbers(path).groupby("stage", sort=False):
        counts = rows.set_index("measure")["value"]
        because = rows[rows["measure"] == "rejected because"]
        why = "; ".join(f"{reason}: {value}" for reason, value in zip(because["reason"], because["value"], strict=True))
        found[str(stage)] = (why or "none", *(int(counts[name]) for name in ("in", "out", "rejected")))
    return found
