"""Tables 2 and 13 of COCO-Counterfactuals: recall of image-text retrieval, ours beside the printed one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from whatif.artifacts.pair_items import pair_and_side
from whatif.errors import WhatifError
from whatif.reporting.formats import DisplayTable
from whatif.reporting.precision import Precision, in_percent
from whatif.reporting.published_numbers import published
from whatif.scoring.retrieve import (
    COUNTERFACTUALS,
    DIRECTIONS,
    HUMAN_EVALUATED,
    ORIGINALS,
    SUBSETS,
)
from whatif.statistics import clustered_share
from whatif.statistics.relative_change import relative_change

Row: TypeAlias = Mapping[str, Any]
Metrics: TypeAlias = dict[str, Any]

DEPTHS = (1, 5, 10)
_PRINTED_SUBSETS = {"COCO-CFs": COUNTERFACTUALS, "human-evaluated COCO-CFs": HUMAN_EVALUATED}
_CELLS = tuple((direction, depth) for direction in DIRECTIONS for depth in DEPTHS)
_CAPTION = (
    "Image-text retrieval (COCO-Counterfactuals Table {table}): recall in percent with {level} intervals by "
    "photograph (by pair, where none is known); in parentheses the change relative to the original "
    "captions and their photographs, new / baseline - 1. Recall depends on how many captions and pictures are "
    "searched. Printed rows are the paper's, of other pictures; it prints no baselines."
)


@dataclass(frozen=True)
class RecallTable:
    """Numbers for JSON (model -> subset -> direction -> what), and the table to show."""

    metrics: dict[str, dict[str, dict[str, Metrics]]]
    shown: DisplayTable


@dataclass
class _Queries:
    """What one model found in one direction of one subset, by query."""

    ranks: dict[str, int | None] = field(default_factory=dict)
    candidates: int = 0

    def found(self, depth: int) -> list[bool]:
        return [rank is not None and rank <= depth for rank in self.ranks.values()]


def recall_table(
    table: str,
    ranks: Iterable[Row],
    *,
    photographs: Mapping[str, str],
    settings: Precision,
    names: Mapping[str, str],
) -> RecallTable:
    """Table `2` or `13` (4.2.1, A.6) from rows of `ranks` of the models in `names` (key -> name to print, in order).

    Of each subset and direction the metrics are `queries`, `candidates`, `errors` and `recall@1`, `@5` and `@10`: in
    percent with the ends of its interval, and where there are originals its `change` relative to theirs in percent
    (null where the baseline is 0, or an end is infinite). A query that is an error is a miss.

    The queries of a pair go together, and so do pairs whose original captions describe the same photograph. So
    `photographs` gives the photograph of a pair, by pair id, where it has one; intervals are by photograph. Our rows
    follow the printed ones of the same system.

    Raises WhatifError when a row is of an unknown model or subset, a query is there twice, or it is no item of a pair.
    """
    clusters = _Clusters(photographs, settings.confidence)
    metrics = {
        model: {
            subset: {
                direction: clusters.metrics(subset, found, of_model.get(ORIGINALS, {}).get(direction))
                for direction, found in sorted(of_model[subset].items())
            }
            for subset in SUBSETS
            if subset in of_model
        }
        for model, of_model in _by_cell(ranks, names).items()
    }
    return RecallTable(metrics, _shown(table, metrics, names, f"{100 * settings.confidence:g}%"))


def _by_cell(ranks: Iterable[Row], names: Mapping[str, str]) -> dict[str, dict[str, dict[str, _Queries]]]:
    cells: dict[str, dict[str, dict[str, _Queries]]] = {model: {} for model in names}
    for row in ranks:
        if row["model"] not in cells:
            raise WhatifError(f"ranks: model {row['model']!r} is not in params.yaml ({', '.join(cells)})")
        if row["subset"] not in SUBSETS or row["direction"] not in DIRECTIONS:
            raise WhatifError(
                f"ranks of {row['model']}: no subset {row['subset']!r} with direction {row['direction']!r}; subsets "
                f"are {', '.join(SUBSETS)}, directions {' and '.join(DIRECTIONS)}"
            )
        queries = cells[row["model"]].setdefault(row["subset"], {}).setdefault(row["direction"], _Queries())
        if row["query_id"] in queries.ranks:
            raise WhatifError(f"ranks of {row['model']}: query {row['query_id']!r} of {row['subset']} is there twice")
        queries.ranks[row["query_id"]] = row["rank"]
        queries.candidates = row["candidates"]
    return cells


@dataclass(frozen=True)
class _Clusters:
    """Which queries go together, and how intervals are made."""

    photographs: Mapping[str, str]
    confidence: float

    def metrics(self, subset: str, queries: _Queries, originals: _Queries | None) -> Metrics:
        metrics: Metrics = {
            "queries": len(queries.ranks),
            "candidates": queries.candidates,
            "errors": sum(rank is None for rank in queries.ranks.values()),
        }
        of_queries = self._of(subset, queries)
        for depth in DEPTHS:
            found = queries.found(depth)
            metrics[f"recall@{depth}"] = in_percent(
                "recall", clustered_share(found, of_queries, confidence=self.confidence)
            )
            if subset != ORIGINALS and originals is not None:
                baseline = originals.found(depth), self._of(ORIGINALS, originals)
                change = relative_change(*baseline, found, of_queries, confidence=self.confidence)
                ends = {"percent": change.estimate, "low": change.low, "high": change.high}
                metrics[f"recall@{depth}"]["change"] = {name: _finite(value) for name, value in ends.items()}
        return metrics

    def _of(self, subset: str, queries: _Queries) -> list[str]:
        """The photograph, or else the pair, of each query; queries of originals have the id of their pair."""
        pairs = [query if subset == ORIGINALS else pair_and_side(query)[0] for query in queries.ranks]
        return [self.photographs.get(pair, pair) for pair in pairs]


def _finite(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None


def _shown(table: str, metrics: Mapping[str, Metrics], names: Mapping[str, str], level: str) -> DisplayTable:
    rows: list[tuple[str, ...]] = []
    ours = {
        (model, subset): _our_row(names[model], subset, of)
        for model in metrics
        for subset, of in metrics[model].items()
    }
    printed = _printed(table)
    systems = dict.fromkeys(system for system, _ in printed)
    for system in systems:
        for subset in SUBSETS:
            if (system, subset) in printed:
                rows.append(_printed_row(system, subset, printed[system, subset]))
            same = [place for place in ours if names[place[0]] == system and place[1] == subset]
            rows += [ours.pop(place) for place in same]
    header = ("Model", "From", "Searched", "Captions", "Pictures", "Errors")
    recalls = [part for direction, depth in _CELLS for part in (_heading(direction, depth), level)]
    caption = _CAPTION.format(table=table, level=level)
    return DisplayTable(caption, (*header, *recalls), (*rows, *ours.values()), text_columns=3)


def _heading(direction: str, depth: int) -> str:
    return f"{direction.replace('-', ' ').capitalize()} R@{depth}"


def _our_row(name: str, subset: str, of_subset: Mapping[str, Metrics]) -> tuple[str, ...]:
    # What a direction searches are the queries of the other one, but for errors.
    searched = [str(of_subset[direction]["candidates"]) if direction in of_subset else "" for direction in DIRECTIONS]
    errors = sum(numbers["errors"] for numbers in of_subset.values())
    cells: list[str] = []
    for direction, depth in _CELLS:
        recall = of_subset.get(direction, {}).get(f"recall@{depth}")
        cells += ["", ""] if recall is None else _recall_cells(recall)
    return (name, "ours", subset, *searched, str(errors), *cells)


def _recall_cells(recall: Metrics) -> tuple[str, str]:
    change = recall.get("change", {}).get("percent")
    shown = f"{recall['recall']:.2f}" + ("" if change is None else f" ({_whole(change)}%)")
    return shown, f"{recall['low']:.1f} to {recall['high']:.1f}"


def _whole(change: float | None) -> str:
    """A change in percent as the paper prints it; an end that is not known as an open one."""
    return "∞" if change is None else f"{round(change) + 0:+d}"


def _printed(table: str) -> dict[tuple[str, str], dict[tuple[str, int], str]]:
    cells: dict[tuple[str, str], dict[tuple[str, int], str]] = {}
    for row in published("coco-cf", table):
        place = row["direction"], int(row["metric"].removeprefix("recall@"))
        shown = f"{row['value']} ({row['printed_delta']}%)"
        cells.setdefault((row["system"], _PRINTED_SUBSETS[row["dataset"]]), {})[place] = shown
    return cells


def _printed_row(system: str, subset: str, values: Mapping[tuple[str, int], str]) -> tuple[str, ...]:
    cells = [part for place in _CELLS for part in (values[place], "")]
    return (system, "printed", subset, "", "", "", *cells)


def changes_table(metrics: Mapping[str, Metrics], names: Mapping[str, str], settings: Precision) -> DisplayTable:
    """The changes in the metrics of `recall_table`, of one table or several, with their intervals: a row a subset.

    Changes are relative to the recall on originals; a model or a subset without them has no row.
    """
    rows = []
    for model, of_model in metrics.items():
        for subset, of_subset in of_model.items():
            found = [
                of_subset.get(direction, {}).get(f"recall@{depth}", {}).get("change") for direction, depth in _CELLS
            ]
            if any(found):
                rows.append(
                    (names[model], subset, *("" if change is None else _change_cell(change) for change in found))
                )
    caption = (
        "Change of recall in percent of that on original captions and photographs, with "
        f"{100 * settings.confidence:g}% intervals by the photographs of both."
    )
    header = ("Model", "Searched", *(_heading(direction, depth) for direction, depth in _CELLS))
    return DisplayTable(caption, header, tuple(rows), text_columns=2)


def _change_cell(change: Metrics) -> str:
    if change["percent"] is None:
        return "baseline 0"
    return f"{_whole(change['percent'])} ({_whole(change['low'])} to {_whole(change['high'])})"
