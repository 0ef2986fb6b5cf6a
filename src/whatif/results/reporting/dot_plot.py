"""Dot plots: values with their intervals, one row for each system, and one panel for each measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whatif.results.reporting.svg import new_figure, svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#1b6ca8", "#b5541c", "#4c7d5a", "#8a5a96", "#8f7a1f", "#555555")
GREY = "#8a8a8a"
_SPREAD = 0.5  # height of all dots of a row, where 1 is the distance of two rows
_WIDTH, _ROW, _LABELS = 2.6, 0.32, 2.4  # inches: of a panel, of a row, of the labels


@dataclass(frozen=True)
class Dot:
    """A value in percent, with its interval if it has one."""

    value: float
    low: float | None = None
    high: float | None = None


# Panel -> row -> series -> value. A row or series that a panel lacks has no dot there.
Dots = Mapping[str, Mapping[str, Mapping[str, Dot]]]


def dot_plot(dots: Dots, axis: str, *, chance: float | None = None, hollow: Sequence[str] = ()) -> bytes:
    """An SVG of the dots; the same dots give the same bytes.

    Rows and series are in the order in which they occur first. `axis` describes the values; `chance`, in percent, is a
    dashed line; the dots of the rows in `hollow` are not filled.
    """
    return svg(lambda: _draw(dots, axis, chance, set(hollow)))


def _draw(dots: Dots, axis: str, chance: float | None, hollow: set[str]) -> Figure:
    rows = list(dict.fromkeys(row for panel in dots.values() for row in panel))
    series = list(dict.fromkeys(name for panel in dots.values() for row in panel.values() for name in row))
    panels = max(1, len(dots))
    figure = new_figure(_LABELS + _WIDTH * panels, 1.4 + _ROW * max(1, len(rows)))
    every = figure.subplots(1, panels, sharey=True, squeeze=False)[0]
    for axes, (title, panel) in zip(every, dots.items(), strict=False):
        for row, values in panel.items():
            for name, dot in values.items():
                place = series.index(name)
                axes.errorbar(
                    dot.value,
                    rows.index(row) + _offset(place, len(series)),
                    xerr=None if dot.low is None or dot.high is None else _ends(dot.value, dot.low, dot.high),
                    fmt="o",
                    markersize=4,
                    elinewidth=1,
                    capsize=2,
                    color=COLOURS[place % len(COLOURS)],
                    markerfacecolor="white" if row in hollow else COLOURS[place % len(COLOURS)],
                )
        axes.set_title(title)
    for axes in every:
        if chance is not None:
            axes.axvline(chance, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        axes.set_xlim(-2, 102)
        axes.set_xlabel(axis)
        axes.grid(visible=True, axis="y", color="#e4e4e4", linewidth=0.6)
        axes.set_axisbelow(True)
    every[0].set_yticks(range(len(rows)), rows)
    every[0].set_ylim(max(1, len(rows)) - 0.4, -0.6)
    _legend(figure, series)
    return figure


def _offset(place: int, number: int) -> float:
    """The distance of a dot from the middle of its row."""
    return 0.0 if number < 2 else _SPREAD * (place / (number - 1) - 0.5)


def _ends(value: float, low: float, high: float) -> list[list[float]]:
    return [[max(0.0, value - low)], [max(0.0, high - value)]]


def _legend(figure: Figure, series: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=COLOURS[place % len(COLOURS)], marker="o", markersize=4, linestyle="none", label=name)
        for place, name in enumerate(series)
    ]
    if len(handles) > 1:
        figure.legend(handles=handles, loc="outside upper center", ncols=min(5, len(handles)), frameon=False)
