"""Tables 2 and 13 of COCO-Counterfactuals: recall of image-text retrieval, our results beside the reported ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import pandas as pd

from whatif.engine.artifacts.pair_items import pair_and_side
from whatif.engine.errors import WhatifError
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.precision import Precision, in_percent
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import OURS, PUBLISHED, REPORTED, Column, Table, View, tidy
from whatif.scoring.retrieve import (
    COUNTERFACTUALS,
    DIRECTIONS,
    HUMAN_EVALUATED,
    IMAGE_RETRIEVAL,
    ORIGINALS,
    SUBSETS,
    TEXT_RETRIEVAL,
    UNIQUE_CAPTIONS,
)
from whatif.scoring.statistics import Interval, clustered_share, relative_change

Row: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = list[dict[str, Any]]

# How captions are counted: the rows of a set without the subsets of unique captions, or of one that has both.
Rule: TypeAlias = Literal["rows", "unique captions", "by item"]

DEPTHS = (1, 5, 10)
TITLES = {
    "2": "Table 2: image-text retrieval",
    "13": "Table 13: image-text retrieval by the model that chose the images",
}
_PUBLISHED_SUBSETS = {"COCO-CFs": COUNTERFACTUALS, "human-evaluated COCO-CFs": HUMAN_EVALUATED}
_COUNTED: dict[Rule, str] = {
    "rows": "",
    "unique captions": " Equal captions are one query and one candidate, as in the paper's numbers.",
    "by item": " Every item's caption is a query and a candidate, even if another one has the same words.",
}
_RETRIEVED = {TEXT_RETRIEVAL: "text", IMAGE_RETRIEVAL: "image"}
_IDENTITY = ("model", "name", "source", "subset", "retrieved", "k", "measure", PUBLISHED)


@dataclass
class _Queries:
    """The results of one model in one direction of one subset, by query."""

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
    rule: Rule = "rows",
) -> Table:
    """Table `2` or `13` (4.2.1, A.6) from rows of `ranks` of the models in `names` (key -> display name, in order).

    Measures, by subset and by retrieved item (`text` or `image`):

    - `recall` at `k` in percent of `n` queries;
    - where there are originals, the `change` relative to their recall, in percent. It is missing where the baseline is
      0. An infinite end of its interval is missing;
    - `candidates` that are searched;
    - `errors`: queries without a result, which count as misses.

    `ranks` may have the same subsets twice, the second time with unique captions (`whatif.scoring.retrieve`). The rule
    `unique captions` takes those, and the other rules the rest. The table of the rule `by item` has another name.

    The queries of a pair are clustered, and so are pairs whose original captions describe the same photograph.
    `photographs` maps pair ids to photographs, where there is one; intervals are by photograph. Our rows follow the
    reported rows of the same system.

    Raises WhatifError when a row has an unknown model or subset, when a query occurs twice, or when a query is not an
    item of a pair.
    """
    clusters = _Clusters(photographs, settings.confidence)
    ours: dict[tuple[str, str], Rows] = {}
    for model, of_model in _by_cell(_by_rule(ranks, rule), names).items():
        for subset in (name for name in SUBSETS if name in of_model):
            place = {"model": model, "name": names[model], "source": OURS, "subset": subset}
            ours[model, subset] = [
                {**place, "retrieved": _RETRIEVED[direction], **row}
                for direction in (name for name in DIRECTIONS if name in of_model[subset])
                for row in clusters.rows(
                    subset, of_model[subset][direction], of_model.get(ORIGINALS, {}).get(direction)
                )
            ]
    frame = tidy(_in_order(_reported(table), ours, names), _IDENTITY, ("value", "low", "high", "n"))
    views = _views(table, f"{100 * settings.confidence:g}%", _COUNTED[rule])
    if rule == "by item":
        return Table(f"table{table}-by-item", f"{TITLES[table]}, by item", frame, views)
    return Table(f"table{table}", TITLES[table], frame, views)


def _by_rule(ranks: Iterable[Row], rule: Rule) -> Iterator[Row]:
    for row in ranks:
        if row["subset"].endswith(UNIQUE_CAPTIONS) == (rule == "unique captions"):
            yield {**row, "subset": row["subset"].removesuffix(UNIQUE_CAPTIONS)}


def _in_order(
    reported: Mapping[tuple[str, str], Rows], ours: dict[tuple[str, str], Rows], names: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Reported rows by system and subset, each followed by our rows of the same name, then our other rows."""
    for system in dict.fromkeys(system for system, _ in reported):
        for subset in SUBSETS:
            yield from reported.get((system, subset), [])
            for place in [place for place in ours if names[place[0]] == system and place[1] == subset]:
                yield from ours.pop(place)
    for rows in ours.values():
        yield from rows


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
    """The clusters of the queries, and the settings of the intervals."""

    photographs: Mapping[str, str]
    confidence: float

    def rows(self, subset: str, queries: _Queries, originals: _Queries | None) -> Rows:
        """The rows of one direction of a subset."""
        number = len(queries.ranks)
        of_queries = self._of(subset, queries)
        rows: Rows = []
        for depth in DEPTHS:
            found = queries.found(depth)
            recall = in_percent("value", clustered_share(found, of_queries, confidence=self.confidence))
            rows.append({"k": depth, "measure": "recall", **recall, "n": number})
            if subset != ORIGINALS and originals is not None:
                baseline = originals.found(depth), self._of(ORIGINALS, originals)
                change = relative_change(*baseline, found, of_queries, confidence=self.confidence)
                rows.append({"k": depth, "measure": "change", **_finite(change), "n": number})
        errors = sum(rank is None for rank in queries.ranks.values())
        return [
            *rows,
            {"measure": "candidates", "value": queries.candidates},
            {"measure": "errors", "value": errors, "n": number},
        ]

    def _of(self, subset: str, queries: _Queries) -> list[str]:
        """The photograph of each query, or its pair if there is none; a query of an original has its pair's id."""
        pairs = [query if subset == ORIGINALS else pair_and_side(query)[0] for query in queries.ranks]
        return [self.photographs.get(pair, pair) for pair in pairs]


def _finite(change: Interval) -> dict[str, float | None]:
    ends = {"value": change.estimate, "low": change.low, "high": change.high}
    return {name: round(end, 4) if math.isfinite(end) else None for name, end in ends.items()}


def _reported(table: str) -> dict[tuple[str, str], Rows]:
    """The reported numbers by system and subset."""
    found: dict[tuple[str, str], Rows] = {}
    for row in published(__package__, f"table{table}"):
        system, subset = row["system"], _PUBLISHED_SUBSETS[row["dataset"]]
        place = {
            "name": system,
            "source": REPORTED,
            "subset": subset,
            "retrieved": _RETRIEVED[row["direction"]],
            "k": row["metric"].removeprefix("recall@"),
        }
        found.setdefault((system, subset), []).extend(
            {**place, "measure": measure, "value": float(text), PUBLISHED: text}
            for measure, text in (("recall", row["value"]), ("change", row["printed_delta"]))
        )
    return found


def _views(table: str, level: str, counted: str) -> tuple[View, ...]:
    model = {"model": "", "name": "Model"}
    searched = {"subset": "Searched", "retrieved": "Finds"}
    reported = {**model, "source": "From", **searched}
    depths = [(f"R@{depth}", {"k": str(depth)}) for depth in DEPTHS]
    ours = {"source": OURS}
    return (
        View(
            f"Image-text retrieval: recall in percent (COCO-Counterfactuals Table {table}).",
            reported,
            tuple(Column(heading, "recall", of_depth, write=decimal(2)) for heading, of_depth in depths),
            "Recall depends on how many captions and images are searched. Reported rows are the paper's, of other "
            f"images.{counted}",
        ),
        View(
            "Change of recall in percent of that on the original captions and their photographs.",
            reported,
            tuple(Column(heading, "change", of_depth, write=_signed) for heading, of_depth in depths),
            "The change is new / baseline - 1, and is not defined where the baseline is 0. The paper reports no "
            "baselines.",
        ),
        View(
            f"Our recall and its change in percent, with {level} intervals by photograph.",
            {**model, **searched, "k": "k"},
            (
                Column("Recall", "recall", ours, interval=True),
                Column("Change", "change", ours, write=_signed, interval=True),
            ),
            "Where no photograph is known, intervals are by pair.",
        ),
        View(
            "What was searched.",
            {**model, **searched},
            (
                Column("Queries", "errors", number="n"),
                Column("Candidates", "candidates", write=count),
                Column("Errors", "errors", write=count),
            ),
            "A query that is an error is a miss.",
        ),
    )


def _signed(change: float) -> str:
    """Writes a change in whole percent, as the paper does; an unknown end is written as infinite."""
    return "∞" if pd.isna(change) else f"{round(change) + 0:+d}"
