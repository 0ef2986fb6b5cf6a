"""Plots accuracy on original questions against accuracy on counterfactual questions, one point per model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from whatif.results.reporting.labels import Label, height_for, place_labels
from whatif.results.reporting.question_pairs import VARIANTS
from whatif.results.reporting.svg import new_figure, svg
from whatif.results.reporting.table import REPORTED, to_csv

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = {"ours": "#1b6ca8", "reported": "#b5541c"}
_MARKERS = {"ours": "o", "reported": "s"}
_LABELS = {"ours": "measured here", "reported": "reported in the paper"}
_GREY = "#8a8a8a"
_SIDE, _AROUND = 6.4, 1.4  # inches: of the figure without its names, of what is above and below the axes


@dataclass(frozen=True)
class Point:
    """A point of the plot, in percent; reported numbers have no intervals."""

    model: str
    name: str
    source: str
    original: float
    counterfactual: float
    original_low: float | None = None
    original_high: float | None = None
    counterfactual_low: float | None = None
    counterfactual_high: float | None = None


def accuracy_points(frame: pd.DataFrame) -> list[Point]:
    """The points of a tidy frame with the columns of `pair_measures`: reported ones first, otherwise in its order.

    There is one point for each model or reported system with an accuracy on both variants; rows of another source are
    left out. `frame` must contain exactly one group.
    """
    import pandas as pd

    found: dict[tuple[str, str, str], dict[str, float]] = {}
    for row in frame[(frame["measure"] == "accuracy") & frame["source"].isin(_COLOURS)].to_dict("records"):
        numbers = found.setdefault((row["model"], row["name"], row["source"]), {})
        numbers[row["variant"]] = row["value"]
        if not pd.isna(row["low"]):
            numbers |= {f"{row['variant']}_low": row["low"], f"{row['variant']}_high": row["high"]}
    points = [
        Point(model or name, name, source, **numbers)
        for (model, name, source), numbers in found.items()
        if numbers.keys() >= set(VARIANTS)  # people may have answered questions of one variant alone
    ]
    return sorted(points, key=lambda point: point.source != REPORTED)


def points_csv(points: Sequence[Point]) -> bytes:
    """The points as CSV, one per row, for `dvc plots`."""
    import pandas as pd

    return to_csv(pd.DataFrame(points, columns=[field.name for field in fields(Point)])).encode()


def accuracy_scatter(rows: Sequence[Point], chance: float | None, title: str) -> bytes:
    """An SVG of the rows, whose accuracies and `chance` are in percent; the same rows give the same bytes.

    `chance` is None for open questions, which have no chance level.

    A model below the diagonal does worse on counterfactual questions than on their originals. Pale bars behind the
    points show the intervals of rows that have one. Names are in a column beside the plot (`labels`).
    """
    return svg(lambda: _draw(rows, chance, title))


def _draw(rows: Sequence[Point], chance: float | None, title: str) -> Figure:
    side = max(_SIDE, _AROUND + height_for(len(rows)) / 72)
    figure = new_figure(side, side)
    axes = figure.subplots()
    _frame(axes, rows, chance, title)
    for row in rows:
        _point(axes, row)
    _legend(figure, rows, with_chance=chance is not None)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # names are placed beside the axes of the current layout
    place_labels(axes, [Label(row.name, row.original, row.counterfactual, _COLOURS[row.source]) for row in rows])
    return figure


def _frame(axes: Axes, rows: Sequence[Point], chance: float | None, title: str) -> None:
    values = [end for row in rows for end in (row.original, row.counterfactual, *_ends(row))]
    if chance is not None:
        values.append(chance)
    values = values or [50.0]
    margin = max(3.0, 0.12 * (max(values) - min(values)))
    limits = (max(0.0, min(values) - margin), min(100.0, max(values) + margin))
    axes.set(xlim=limits, ylim=limits, aspect="equal", title=title)
    axes.set_xlabel("accuracy on original questions (%)")
    axes.set_ylabel("accuracy on counterfactual questions (%)")
    axes.axline((0, 0), slope=1, color=_GREY, linewidth=1, zorder=1)
    if chance is not None:
        axes.axvline(chance, color=_GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        axes.axhline(chance, color=_GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)


def _point(axes: Axes, row: Point) -> None:
    marker, colour = _MARKERS[row.source], _COLOURS[row.source]
    # A point at 0 or 100 is drawn whole.
    axes.plot(row.original, row.counterfactual, marker, color=colour, markersize=5, zorder=3, clip_on=False)
    axes.errorbar(
        row.original,
        row.counterfactual,
        xerr=_bar(row.original, row.original_low, row.original_high),
        yerr=_bar(row.counterfactual, row.counterfactual_low, row.counterfactual_high),
        fmt="none",
        ecolor=_COLOURS[row.source],
        elinewidth=0.8,
        alpha=0.5,
        zorder=2,
    )


def _bar(value: float, low: float | None, high: float | None) -> list[list[float]] | None:
    if low is None or high is None:
        return None
    return [[max(0.0, value - low)], [max(0.0, high - value)]]


def _legend(figure: Figure, rows: Sequence[Point], *, with_chance: bool) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=_COLOURS[source], marker=_MARKERS[source], linestyle="none", label=_LABELS[source])
        for source in _LABELS
        if any(row.source == source for row in rows)
    ]
    if any(row.original_low is not None for row in rows):
        handles.append(Line2D([], [], color=_COLOURS["ours"], alpha=0.5, linewidth=0.8, label="interval"))
    handles.append(Line2D([], [], color=_GREY, linewidth=1, label="no difference"))
    if with_chance:
        handles.append(Line2D([], [], color=_GREY, linewidth=0.8, linestyle=(0, (4, 3)), label="chance"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)


def _ends(row: Point) -> list[float]:
    """The ends of both bars; each is the point itself if there is no interval."""
    ends = (row.original_low, row.original_high, row.counterfactual_low, row.counterfactual_high)
    middle = (row.original, row.original, row.counterfactual, row.counterfactual)
    return [value if end is None else end for end, value in zip(ends, middle, strict=True)]
