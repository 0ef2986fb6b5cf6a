"""Published tables, as tests read them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from whatif.results.reporting.table import from_csv

if TYPE_CHECKING:
    from tests.projects import Project


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


def funnel_lines(project: Project) -> dict[str, list[str]]:
    """The published funnel: `<stage>, <unit>` -> `<reason, or what is counted> <number>`, in order."""
    found: dict[str, list[str]] = {}
    for line in project.published("funnel.csv").splitlines()[1:]:
        stage, unit, measure, reason, number = line.split(",")
        found.setdefault(f"{stage}, {unit}", []).append(f"{reason or measure} {number}")
    return found
