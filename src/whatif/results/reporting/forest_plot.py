"""Forest plots: one row for each system, with its drop and the interval, sorted by the drop within each section."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from whatif.results.reporting.numerals import decimal, interval_text
from whatif.results.reporting.paired_answers import ALL
from whatif.results.reporting.svg import new_figure, svg
from whatif.results.reporting.table import DROP, MEASURE, REPORTED

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_OURS, _REPORTED, _GREY = "#1b6ca8", "#b5541c", "#8a8a8a"
_ROW, _LINE, _WIDTH, _LETTER = 0.22, 1.0, 3.4, 0.075  # inches: a row, axis and legend, the plot, a letter of a label
AXIS = "original minus counterfactual accuracy (percentage points)"
_WRITE = decimal(1)


@dataclass(frozen=True)
class Effect:
    """A row of the plot: a number in points, with its interval if it has one.

    section: heading above this row and the others of the section, empty for none.
    """

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    section: str = ""
    reported: bool = False

    @property
    def text(self) -> str:
        """The number with its interval."""
        if self.low is None or self.high is None:
            return _WRITE(self.value)
        return f"{_WRITE(self.value)} ({interval_text(self.low, self.high, _WRITE)})"


def drop_effects(frame: pd.DataFrame, groups: Sequence[str]) -> list[Effect]:
    """The drops in a frame of the table `paired`, of some groups, each of which is a section.

    A label has the strategy, if there is one. The group of all pairs is the empty text. A group without a drop has no
    section.
    """
    import pandas as pd

    drops = frame[(frame[MEASURE] == DROP) & frame["group"].isin(list(groups)) & frame["value"].notna()]
    return [
        Effect(
            f"{row['name']}, {row['strategy']}" if row["strategy"] else row["name"],
            row["value"],
            None if pd.isna(row["low"]) else row["low"],
            None if pd.isna(row["high"]) else row["high"],
            row["group"],
            row["source"] == REPORTED,
        )
        for group in groups
        for row in drops[drops["group"] == group].to_dict("records")
    ]


def drops_figure(frame: pd.DataFrame, title: str) -> bytes:
    """The forest plot of the drops in a frame of the table `paired`; see `forest_plot`.

    If a paper reports drops by group, each of these groups is a section; otherwise the drops are over all pairs.
    """
    reported = frame[(frame[MEASURE] == DROP) & (frame["source"] == REPORTED) & frame["value"].notna()]
    groups = list(dict.fromkeys(reported["group"])) or [ALL]
    return forest_plot(drop_effects(frame, groups), title, AXIS)


def forest_plot(effects: Sequence[Effect], title: str, axis: str) -> bytes:
    """An SVG of the effects; the same effects give the same bytes.

    Sections are in the order in which they occur first; the largest effect of a section is on top. Each row has a line
    of its own, so that labels do not overlap. `axis` describes the numbers.
    """
    return svg(lambda: _draw(in_rows(effects), title, axis))


def in_rows(effects: Sequence[Effect]) -> list[Effect | str]:
    """The rows of the plot from top to bottom: a heading for each section that has one, then its effects."""
    sections = {effect.section: place for place, effect in reversed(list(enumerate(effects)))}
    ordered = sorted(effects, key=lambda one: (sections[one.section], -one.value, one.label, one.reported))
    rows: list[Effect | str] = []
    for section, some in groupby(ordered, key=lambda one: one.section):
        rows += [*([section] if section else []), *some]
    return rows


def _draw(rows: Sequence[Effect | str], title: str, axis: str) -> Figure:
    shown = {place: row for place, row in enumerate(rows) if isinstance(row, Effect)}
    widest = max((len(row.label) + len(row.text) for row in shown.values()), default=0)
    figure = new_figure(_WIDTH + _LETTER * widest, _LINE + _ROW * max(1, len(rows)))
    axes = figure.subplots()
    axes.axvline(0, color=_GREY, linewidth=0.8, zorder=1)
    for place, row in shown.items():
        colour = _REPORTED if row.reported else _OURS
        if row.low is not None and row.high is not None:
            axes.plot([row.low, row.high], [place, place], color=colour, linewidth=1.2, solid_capstyle="butt")
        axes.plot([row.value], [place], "s" if row.reported else "o", color=colour, markersize=4)
    axes.set_xlim(*_ends(list(shown.values())))
    axes.set_ylim(max(1, len(rows)) - 0.4, -0.6)
    labels = axes.set_yticks(range(len(rows)), [row if isinstance(row, str) else row.label for row in rows])
    numbers = axes.secondary_yaxis("right")
    numbers.set_yticks(list(shown), [row.text for row in shown.values()])
    for side in (axes, numbers):
        side.tick_params(axis="y", length=0)
    numbers.spines["right"].set_visible(False)
    axes.spines["left"].set_visible(False)
    for place, tick in enumerate(labels):
        tick.label1.set_parse_math(False)
        if place not in shown:
            tick.label1.set_fontweight("bold")
    axes.grid(visible=True, axis="x", color="#e4e4e4", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(axis)
    axes.set_title(title, parse_math=False)
    _legend(figure, list(shown.values()))
    return figure


def _ends(effects: Sequence[Effect]) -> tuple[float, float]:
    """The ends of the axis in tens: all intervals, and 0."""
    values = [end for one in effects for end in (one.value, one.low, one.high, 0.0) if end is not None]
    low, high = min(values, default=0.0), max(values, default=0.0)
    return 10 * math.floor(low / 10) - 2, 10 * max(math.ceil(high / 10), 1) + 2


def _legend(figure: Figure, effects: Sequence[Effect]) -> None:
    from matplotlib.lines import Line2D

    if len({one.reported for one in effects}) > 1:
        kinds = (("o", _OURS, "measured here"), ("s", _REPORTED, "reported in the paper"))
        handles = [
            Line2D([], [], color=colour, marker=marker, markersize=4, linestyle="none", label=label)
            for marker, colour, label in kinds
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False)
