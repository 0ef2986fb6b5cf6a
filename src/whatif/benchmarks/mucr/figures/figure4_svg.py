"""Figure 4, b and c: the shares of categories of pairs, and of styles of pairs of images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whatif.benchmarks.mucr.results import Results
from whatif.benchmarks.mucr.set_counts import SetCounts, set_counts
from whatif.results.reporting.declared import Figure
from whatif.results.reporting.dot_plot import COLOURS
from whatif.results.reporting.svg import new_figure, svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


def _drawn(counts: SetCounts) -> bytes:
    def draw() -> Drawing:
        figure = new_figure(7.6, 2.9)
        panels = (("pairs by category", counts.categories), ("pairs of images by style", counts.styles))
        for place, (axes, (title, numbers)) in enumerate(zip(figure.subplots(1, 2), panels, strict=True)):
            total = sum(numbers.values())
            names, shares = list(numbers), [100 * number / total if total else 0.0 for number in numbers.values()]
            bars = axes.barh(range(len(names)), shares, color=COLOURS[place])
            labels = [f"{share:.1f}% ({numbers[name]:,})" for name, share in zip(names, shares, strict=True)]
            axes.bar_label(bars, labels, padding=3, fontsize=8)
            axes.set_yticks(range(len(names)), names)
            axes.invert_yaxis()
            axes.set_xlabel("share (%)")
            axes.set_xlim(0, 1.35 * max(shares, default=0.0) or 1.0)
            axes.set_title(title)
        return figure

    return svg(draw)


FIGURE: Figure[Results] = Figure(lambda found, tables: _drawn(set_counts(found)), above="set")
