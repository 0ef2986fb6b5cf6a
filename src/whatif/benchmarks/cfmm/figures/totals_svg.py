"""acc_b, acc_c and acc_plus of each of our systems, with intervals by image.

Shown is the mean over the categories in percent, which is the total divided by their number; a system that was not
asked questions of each category has the mean over its questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from whatif.benchmarks.cfmm.item_views import system_name
from whatif.benchmarks.cfmm.measures import ACCURACIES, ALL, MEAN
from whatif.benchmarks.cfmm.report import Cfmm
from whatif.results.reporting.declared import Figure as Drawn
from whatif.results.reporting.dot_plot import COLOURS, GREY
from whatif.results.reporting.svg import new_figure, svg
from whatif.results.reporting.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _draw(found: Cfmm) -> Figure:
    number = len(found.measured)
    figure = new_figure(7.2, 1.5 + 0.55 * number)
    axes = figure.subplots()
    labels, all_have_means = [], True
    for place, ((model, strategy), rows) in enumerate(found.measured.items()):
        labels.append(system_name(found.names[model], strategy))
        means = {row["measure"]: row for row in rows if row["category"] == MEAN}
        all_have_means &= bool(means)
        shown = means or {row["measure"]: row for row in rows if row["category"] == ALL}
        for side, name in enumerate(ACCURACIES):
            value, low, high = (shown[name][end] for end in ("value", "low", "high"))
            axes.errorbar(
                value,
                place + 0.22 * (side - 1),
                xerr=[[max(0.0, value - low)], [max(0.0, high - value)]],
                fmt="o",
                markersize=4,
                elinewidth=1,
                capsize=2,
                color=COLOURS[side],
                label=name if place == 0 else None,
            )
    for chance in (25, 50):
        axes.axvline(chance, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    axes.set_yticks(range(number), labels)
    axes.set_ylim(number - 0.4, -0.6)
    axes.set_xlim(0, 100)
    told = "mean over categories" if all_have_means else "mean over categories, or over questions without a total"
    axes.set_xlabel(f"{told} (%); dashed: random answers, 50 and 25 for acc_plus")
    if number:
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    return figure


def _figure(found: Cfmm, tables: Mapping[str, Table]) -> bytes:
    return svg(lambda: _draw(found))


FIGURE = Drawn(_figure, above="")
