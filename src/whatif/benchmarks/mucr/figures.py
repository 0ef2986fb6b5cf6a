"""Figures 4 to 6, 8, 11 and 14 of MuCR, from the frames of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from whatif.benchmarks.mucr.reported import SMALL, classes
from whatif.benchmarks.mucr.results import PEOPLE, SCORE
from whatif.benchmarks.mucr.schemas import CONTEXT, MAIN_FORM, SCORES, TEXT
from whatif.results.reporting.dot_plot import COLOURS, Dot, dot_plot
from whatif.results.reporting.svg import new_figure, svg
from whatif.results.reporting.table import OURS, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHANCE = 25.0  # percent, of four options
_AXIS = "correct (%); dashed: chance"
_NEXT_TO = "GPT-o1"  # with which Figure 6 compares the small models
Row = Mapping[str, Any]
Panels = dict[str, dict[str, dict[str, Dot]]]


def figure4(categories: Mapping[str, int], styles: Mapping[str, int]) -> bytes:
    """Figure 4, b and c, as an SVG: the shares of categories of pairs, and of styles of pairs of images."""

    def draw() -> Figure:
        figure = new_figure(7.6, 2.9)
        panels = (("pairs by category", categories), ("pairs of images by style", styles))
        for place, (axes, (title, counts)) in enumerate(zip(figure.subplots(1, 2), panels, strict=True)):
            total = sum(counts.values())
            names, shares = list(counts), [100 * number / total if total else 0.0 for number in counts.values()]
            bars = axes.barh(range(len(names)), shares, color=COLOURS[place])
            labels = [f"{share:.1f}% ({counts[name]:,})" for name, share in zip(names, shares, strict=True)]
            axes.bar_label(bars, labels, padding=3, fontsize=8)
            axes.set_yticks(range(len(names)), names)
            axes.invert_yaxis()
            axes.set_xlabel("share (%)")
            axes.set_xlim(0, 1.35 * max(shares, default=0.0) or 1.0)
            axes.set_title(title)
        return figure

    return svg(draw)


def figure5(table6: Table) -> bytes:
    """Figure 5: text and images, of the paper's popular models and people (hollow), and of ours."""
    known = classes()
    rows = [row for row in _scores(table6) if row["source"] == OURS or known[row["name"]] != SMALL]
    return _text_and_images(rows)


def figure6(table6: Table) -> bytes:
    """Figure 6: images, of the paper's small models and the best popular one (hollow), and of our models."""
    known = classes()
    rows = [
        row
        for row in _scores(table6)
        if row["form"] == MAIN_FORM
        and (known[row["name"]] == SMALL or row["name"] == _NEXT_TO if row["source"] != OURS else row["model"])
    ]
    return _text_and_images(rows)


def figure8(styles: Table) -> bytes:
    """Figure 8: C2E of our models and of people by style."""
    return _one_panel("C2E by style", styles, "style")


def figure11(context: Table) -> bytes:
    """Figure 11: how often the chosen effect image is found among its rejected siblings, of ours, beside C2E."""
    panels: Panels = {"chosen image among rejected siblings, and C2E": {}}
    (panel,) = panels.values()
    for row in _scores(context):
        name = "chosen image" if row["metric"] == CONTEXT else row["metric"]
        panel.setdefault(_label(row), {})[name] = _dot(row)
    return dot_plot(panels, _AXIS, chance=CHANCE)


def figure14(language: Table) -> bytes:
    """Figure 14: C2E of our models and of people by language of the question."""
    panels: Panels = {}
    for row in _scores(language):
        panel = panels.setdefault("C2E in text" if row["form"] == TEXT else "C2E in images", {})
        panel.setdefault(_label(row), {})[row["language"]] = _dot(row)
    return dot_plot(panels, _AXIS, chance=CHANCE)


def _text_and_images(rows: Iterable[Row]) -> bytes:
    panels: Panels = {metric: {} for metric in SCORES}
    hollow = []
    for row in rows:
        label = _label(row)
        series = "text" if row["form"] == TEXT else "images"
        panels[row["metric"]].setdefault(label, {})[series] = _dot(row)
        if row["source"] != OURS:
            hollow.append(label)
    return dot_plot(panels, _AXIS, chance=CHANCE, hollow=hollow)


def _one_panel(title: str, table: Table, series: str) -> bytes:
    panels: Panels = {title: {}}
    for row in _scores(table):
        panels[title].setdefault(_label(row), {})[row[series]] = _dot(row)
    return dot_plot(panels, _AXIS, chance=CHANCE)


def _scores(table: Table) -> list[Row]:
    frame = table.frame
    return [dict(row) for _, row in frame[frame["measure"] == SCORE].iterrows()]


def _label(row: Row) -> str:
    """The name of a row; reported ones are marked."""
    if row["source"] != OURS:
        return f"{row['name']} (reported)"
    return "People" if row["name"] == PEOPLE and not row["model"] else str(row["name"])


def _dot(row: Row) -> Dot:
    if pd.isna(row["low"]):
        return Dot(row["value"])
    return Dot(row["value"], row["low"], row["high"])
