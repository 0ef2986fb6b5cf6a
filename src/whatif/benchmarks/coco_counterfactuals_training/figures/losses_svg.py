"""The figure of the losses: the validation loss by step, a line for each seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from whatif.benchmarks.coco_counterfactuals_training.results import Results
from whatif.benchmarks.coco_counterfactuals_training.schemas import MIXTURES
from whatif.results.reporting.declared import Figure
from whatif.results.reporting.svg import new_figure, svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

_COLOURS = {"published": "#1b6ca8", "leak-free": "#b5541c"}
_COLUMNS = 4
Curves: TypeAlias = dict[tuple[str, str], dict[tuple[str, str], list[tuple[int, float]]]]


def _losses(losses: Iterable[Mapping[str, Any]], names: Mapping[str, str]) -> bytes:
    """An SVG of the validation loss (nats) by step: a panel for each model and mixture, a thin line for each seed.

    `losses` are rows of the table, `names` the display names of the models by key. A point marks the weights that were
    kept.
    """
    curves: Curves = {}
    kept: dict[tuple[str, str, str, str], tuple[int, float]] = {}
    for row in losses:
        if row["validation_loss"] is None:
            continue
        point = row["step"], row["validation_loss"]
        panel, line = (row["model"], row["mixture"]), (row["division"], row["seed"])
        curves.setdefault(panel, {}).setdefault(line, []).append(point)
        if row["best"]:
            kept[*panel, *line] = point
    models = list(names)
    order = sorted(curves, key=lambda panel: (models.index(panel[0]), MIXTURES.index(panel[1])))
    return svg(lambda: _draw(order, curves, kept, names))


def _draw(
    order: Sequence[tuple[str, str]],
    curves: Curves,
    kept: Mapping[tuple[str, str, str, str], tuple[int, float]],
    names: Mapping[str, str],
) -> Drawing:
    from matplotlib.lines import Line2D

    columns = max(1, min(_COLUMNS, len(order)))
    rows = max(1, -(-len(order) // columns))
    figure = new_figure(2.3 * columns + 0.6, 2.0 * rows + 0.7)
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    several = len({model for model, _ in order}) > 1
    for place, (axes, panel) in enumerate(zip(panels, order, strict=False)):
        for (division, seed), points in curves[panel].items():
            steps, losses = zip(*sorted(points), strict=True)
            axes.plot(steps, losses, color=_COLOURS[division], linewidth=0.7, alpha=0.7)
            if (best := kept.get((*panel, division, seed))) is not None:
                axes.plot(*best, "o", color=_COLOURS[division], markersize=2.5)
        axes.set_title(f"{names[panel[0]]}\n{panel[1]}" if several else panel[1], fontsize=9)
        axes.ticklabel_format(axis="y", useOffset=False)
        if place + columns >= len(order):  # no panel below
            axes.set_xlabel("step")
    for axes in panels[len(order) :]:
        axes.set_visible(False)
    figure.supylabel("validation loss (nats)", fontsize=9)
    shown = [name for name in _COLOURS if any(name == line[0] for lines in curves.values() for line in lines)]
    handles = [Line2D([], [], color=_COLOURS[name], linewidth=0.8, label=f"{name} division") for name in shown]
    kept_mark = Line2D([], [], color="#555555", marker="o", markersize=2.5, linestyle="none", label="weights kept")
    figure.legend(handles=[*handles, kept_mark], loc="outside lower center", ncols=3, frameon=False)
    return figure


FIGURE: Figure[Results] = Figure(lambda found, tables: _losses(found.losses, found.names), above="trainings")
