"""Figure 3 of COCO-Counterfactuals: the margin by which the right caption or image scores higher than the wrong one."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whatif.engine.errors import WhatifError
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.precision import Precision, in_percent
from whatif.results.reporting.svg import new_figure, svg
from whatif.results.reporting.table import OURS, Column, Table, View, tidy
from whatif.scoring.match import margins
from whatif.scoring.statistics import clustered_share

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row: TypeAlias = Mapping[str, Any]
Floats: TypeAlias = NDArray[np.float64]

# The paper's names of the margins, by retrieved item: against a random other original, and against a counterfactual.
KINDS = {"image retrieval": ("IR_r", "IR_c"), "text retrieval": ("TR_r", "TR_c")}
MARGINS = tuple(name for pair in zip(*KINDS.values(), strict=True) for name in pair)
_BINS = 60
_TITLE_WIDTH = 32  # characters; a longer name would overlap the name of the next column
_COLOURS = ("#1b6ca8", "#b5541c")
_LABELS = ("random other original (IR_r, TR_r)", "counterfactual (IR_c, TR_c)")


@dataclass(frozen=True)
class MatchingMargins:
    """The values of each model's margins (model -> margin -> values), and the table `figure3`."""

    values: dict[str, dict[str, Floats]]
    table: Table


def matching_margins(
    random: Iterable[Row],
    counterfactual: Iterable[Row],
    *,
    photographs: Mapping[str, str],
    settings: Precision,
    names: Mapping[str, str],
    logits: Mapping[str, float] | None = None,
) -> MatchingMargins:
    """The four margins of 4.2.2 of each model in `names` (key -> display name, in order).

    `random` contains rows of `matches` for `random_pairs`, which give IR_r and TR_r. `counterfactual` contains the rows
    for counterfactual pairs, which give IR_c and TR_c. A margin below 0 is a wrong choice. Measures: `pairs` that were
    scored, and `errors` that could not be scored; the `median` of `n` margins in the unit of the model's score; `below
    zero` in percent of these margins, with an interval; and `equal`, the number of ties. Intervals are by photograph:
    `photographs` maps pair ids to photographs, where there is one. Pairs whose original captions describe the same
    photograph form one cluster.

    `logits` maps models to the factor between their scores and their logits. The table then has the measure `median in
    logits`, too, the unit of the paper's figure for CLIP.

    Raises WhatifError when a row has an unknown model.
    """
    factors = logits or {}
    values: dict[str, dict[str, list[float]]] = {model: {name: [] for name in MARGINS} for model in names}
    clusters: dict[str, dict[str, list[str]]] = {model: {name: [] for name in MARGINS} for model in names}
    errors: dict[str, dict[str, int]] = {model: dict.fromkeys(MARGINS, 0) for model in names}
    for kind, rows in enumerate((random, counterfactual)):
        image_retrieval, text_retrieval = (pair[kind] for pair in KINDS.values())
        for row in rows:
            model, pair_id = row["model"], row["pair_id"]
            if model not in values:
                raise WhatifError(f"matches: model {model!r} is not in params.yaml ({', '.join(values)})")
            if row["status"] != "ok":
                errors[model][image_retrieval] += 1
                errors[model][text_retrieval] += 1
                continue
            of_pair = margins(row)
            values[model][image_retrieval].append(of_pair.image_retrieval[1])
            values[model][text_retrieval].append(of_pair.text_retrieval[1])
            for name in (image_retrieval, text_retrieval):
                clusters[model][name].append(photographs.get(pair_id, pair_id))
    arrays = {model: {name: np.array(of, dtype=np.float64) for name, of in by.items()} for model, by in values.items()}
    found: list[dict[str, Any]] = [
        {"model": model, "name": names[model], "source": OURS, "margin": margin, **row}
        for model in names
        for margin in MARGINS
        if arrays[model][margin].size or errors[model][margin]
        for row in _rows(arrays[model][margin], clusters[model][margin], errors[model][margin], settings.confidence)
    ]
    for row in [one for one in found if one["measure"] == "median" and one["model"] in factors]:
        median = round(factors[row["model"]] * row["value"], 4)
        found.append({**row, "measure": "median in logits", "value": median})
    return MatchingMargins(arrays, _table(found, f"{100 * settings.confidence:g}%", bool(factors)))


def _rows(values: Floats, clusters: list[str], errors: int, confidence: float) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"measure": "pairs", "value": values.size}, {"measure": "errors", "value": errors}]
    if values.size:
        below = clustered_share(values < 0, clusters, confidence=confidence)
        rows += [
            {"measure": "median", "value": round(float(np.median(values)), 6), "n": values.size},
            {"measure": "below zero", **in_percent("value", below), "n": values.size},
            {"measure": "equal", "value": int(np.sum(values == 0)), "n": values.size},
        ]
    return rows


def _table(rows: list[dict[str, Any]], level: str, has_logits: bool) -> Table:
    logits = (Column("Median in logits", "median in logits", write=decimal(2)),) if has_logits else ()
    units = (
        " The scores of a dual encoder are cosines; its logits, the unit of the paper's figure, are these times the "
        "scale that its checkpoint was trained to."
        if has_logits
        else ""
    )
    view = View(
        f"Differences of matching scores, with {level} intervals by photograph (COCO-Counterfactuals Figure 3).",
        {"model": "", "name": "Model", "margin": "Margin"},
        (
            Column("Pairs", "pairs", write=count),
            Column("Median", "median", write=decimal(4)),
            *logits,
            Column("Below 0 (%)", "below zero", interval=True),
            Column("Equal", "equal", write=count),
            Column("Errors", "errors", write=count),
        ),
        "The score of the right caption and image minus that with another image (IR) or another caption (TR), of a "
        "random other original (r) or of the counterfactual pair (c). Below 0 the wrong one is scored higher: in "
        "percent of the pairs that could be scored. Where no photograph is known, intervals are by pair. The paper "
        f"reports no numbers.{units}",
    )
    identity = ("model", "name", "source", "margin", "measure")
    frame = tidy(rows, identity, ("value", "low", "high", "n"))
    return Table("figure3", "Figure 3: image-text matching", frame, (view,))


def margin_distributions(values: Mapping[str, Mapping[str, Floats]], names: Mapping[str, str]) -> bytes:
    """Figure 3 as an SVG: a column of panels per model, image retrieval above text retrieval, in percent of the pairs.

    Each panel shows the margins of random pairs beside those of counterfactual pairs, in the same bins. Scales differ
    between models, because their scores have different units. The same values give the same bytes.
    """
    return svg(lambda: _draw(values, names))


def _draw(values: Mapping[str, Mapping[str, Floats]], names: Mapping[str, str]) -> Figure:
    figure = new_figure(max(4.0, 3.2 * len(values)), 5.2)
    panels = figure.subplots(len(KINDS), max(1, len(values)), squeeze=False)
    if not values:
        panels[0][0].set_title("no model was asked")
    for column, (model, of_model) in enumerate(values.items()):
        for line, pair in enumerate(KINDS.values()):
            _panel(panels[line][column], [of_model[name] for name in pair])
        name = "\n".join(textwrap.wrap(names[model], _TITLE_WIDTH, break_on_hyphens=False))
        panels[0][column].set_title(name, parse_math=False)
    for of_kind, kind in zip(panels, KINDS, strict=True):
        of_kind[0].set_ylabel(f"{kind}\npercent of pairs")
    for axes in panels[-1]:
        axes.set_xlabel("score of the right one\nminus that of the other")
    handles = panels[0][0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=2, frameon=False)
    return figure


def _panel(axes: Axes, both: list[Floats]) -> None:
    together = np.concatenate(both)
    # Zero is an edge of a bin. Otherwise the bin around zero would contain both right and wrong choices.
    low, high = (float(min(together.min(), 0)), float(max(together.max(), 0))) if together.size else (0.0, 0.0)
    width = (high - low) / _BINS or 1.0
    edges = width * np.arange(np.floor(low / width) - 1, np.ceil(high / width) + 2)
    for values, colour, label in zip(both, _COLOURS, _LABELS, strict=True):
        counts = np.histogram(values, edges)[0] * 100 / max(1, values.size)
        axes.stairs(counts, edges, fill=True, alpha=0.35, color=colour)
        axes.stairs(counts, edges, color=colour, label=label)
    axes.axvline(0, color="#8a8a8a", linewidth=0.8)
