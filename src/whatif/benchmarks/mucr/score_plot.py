"""Figures of scores: one row for each reported system (hollow) and each of ours, from the frame of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from whatif.benchmarks.mucr.outcomes import PEOPLE, SCORE
from whatif.benchmarks.mucr.report import CHANCE
from whatif.benchmarks.mucr.schemas import TEXT
from whatif.results.reporting.dot_plot import Dot, dot_plot
from whatif.results.reporting.table import OURS, Table

Row = Mapping[str, Any]


def text_or_images(row: Row) -> str:
    """The series of a score in text or in images."""
    return "text" if row["form"] == TEXT else "images"


def score_plot(
    table: Table,
    panel: Callable[[Row], str],
    series: Callable[[Row], str],
    panels: Sequence[str] = (),
    keep: Callable[[Row], bool] = lambda row: True,
) -> bytes:
    """The scores of a table as an SVG; `panels` are those that are drawn even if they are empty."""
    import pandas as pd

    dots: dict[str, dict[str, dict[str, Dot]]] = {name: {} for name in panels}
    hollow = []
    rows: list[Any] = table.frame[table.frame["measure"] == SCORE].to_dict("records")
    for row in filter(keep, rows):
        label = str(row["name"])
        if row["source"] != OURS:
            label = f"{label} (reported)"
            hollow.append(label)
        elif label == PEOPLE and not row["model"]:
            label = "People"
        ends = () if pd.isna(row["low"]) else (row["low"], row["high"])
        dots.setdefault(panel(row), {}).setdefault(label, {})[series(row)] = Dot(row["value"], *ends)
    return dot_plot(dots, "correct (%); dashed: chance", chance=CHANCE, hollow=hollow)
