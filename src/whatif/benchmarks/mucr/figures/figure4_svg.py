"""Figure 4 of MuCR, b and c: the shares of categories of pairs, and of styles of pairs of images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from whatif.benchmarks.mucr.outcomes import ALL
from whatif.benchmarks.mucr.report import Mucr
from whatif.results.reporting.declared import Figure as Drawn
from whatif.results.reporting.dot_plot import COLOURS
from whatif.results.reporting.svg import new_figure, svg
from whatif.results.reporting.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _draw(table: Table) -> Figure:
    figure = new_figure(7.6, 2.9)
    panels = (
        ("pairs by category", "category", "pairs of category"),
        ("pairs of images by style", "style", "chosen"),
    )
    for place, (axes, (title, column, measure)) in enumerate(zip(figure.subplots(1, 2), panels, strict=True)):
        rows = table.frame[table.frame["measure"] == measure].to_dict("records")
        counts = {row[column]: int(row["value"]) for row in rows if row[column] != ALL and row["value"]}
        total = sum(counts.values())
        shares = [100 * number / total if total else 0.0 for number in counts.values()]
        bars = axes.barh(range(len(counts)), shares, color=COLOURS[place])
        labels = [f"{share:.1f}% ({number:,})" for number, share in zip(counts.values(), shares, strict=True)]
        axes.bar_label(bars, labels, padding=3, fontsize=8)
        axes.set_yticks(range(len(counts)), list(counts))
        axes.invert_yaxis()
        axes.set_xlabel("share (%)")
        axes.set_xlim(0, 1.35 * max(shares, default=0.0) or 1.0)
        axes.set_title(title)
    return figure


def _figure(found: Mucr, tables: Mapping[str, Table]) -> bytes:
    return svg(lambda: _draw(tables["set"]))


FIGURE = Drawn(_figure, above="set")
