"""Dots with their intervals, as the figures of MuCR show scores, from the frames of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from whatif.benchmarks.mucr.results import CHANCE, PEOPLE, SCORE
from whatif.benchmarks.mucr.schemas import SCORES, TEXT
from whatif.results.reporting.dot_plot import Dot, dot_plot
from whatif.results.reporting.table import OURS, Table

if TYPE_CHECKING:
    pass

AXIS = "correct (%); dashed: chance"
Row = Mapping[str, Any]
Panels = dict[str, dict[str, dict[str, Dot]]]


def text_and_images(rows: Iterable[Row]) -> bytes:
    panels: Panels = {metric: {} for metric in SCORES}
    hollow = []
    for row in rows:
        name = label(row)
        series = "text" if row["form"] == TEXT else "images"
        panels[row["metric"]].setdefault(name, {})[series] = dot(row)
        if row["source"] != OURS:
            hollow.append(name)
    return dot_plot(panels, AXIS, chance=CHANCE, hollow=hollow)


def one_panel(title: str, table: Table, series: str) -> bytes:
    panels: Panels = {title: {}}
    for row in scores(table):
        panels[title].setdefault(label(row), {})[row[series]] = dot(row)
    return dot_plot(panels, AXIS, chance=CHANCE)


def scores(table: Table) -> list[Row]:
    frame = table.frame
    return [dict(row) for _, row in frame[frame["measure"] == SCORE].iterrows()]


def label(row: Row) -> str:
    """The name of a row; reported ones are marked."""
    if row["source"] != OURS:
        return f"{row['name']} (reported)"
    return "People" if row["name"] == PEOPLE and not row["model"] else str(row["name"])


def dot(row: Row) -> Dot:
    if pd.isna(row["low"]):
        return Dot(row["value"])
    return Dot(row["value"], row["low"], row["high"])
