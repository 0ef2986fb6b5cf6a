"""The tables of the embedded world: answers by type of question, and matching of captions and pictures."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from whatif.errors import WhatifError
from whatif.reporting.formats import DisplayTable
from whatif.scoring.match import margins
from whatif.statistics import Interval, clustered_share, wilson

Row: TypeAlias = Mapping[str, Any]
Metrics: TypeAlias = dict[str, dict[str, dict[str, float | int]]]

ALL = "all"
# Name in the metrics -> heading: what is found among the two of a pair.
MATCHING = {
    "image_retrieval": "picture of the original caption",
    "image_retrieval_counterfactual": "picture of the counterfactual caption",
    "text_retrieval": "caption of the original picture",
    "text_retrieval_counterfactual": "caption of the counterfactual picture",
    "pair": "all four",
}


@dataclass(frozen=True)
class Scores:
    """Numbers for machines (model -> what -> share, ends of its interval, n) and the same for people."""

    metrics: Metrics
    table: DisplayTable


def accuracy(
    predictions: Iterable[Row],
    questions: Sequence[Row],
    *,
    names: Mapping[str, str],
    confidence: float,
    sampled: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> Scores:
    """Accuracy of each model by group of question and over all, with intervals by picture.

    `names` gives the printed name of each model's key, in the order of the rows; `sampled` gives the ids of the
    questions of a model that was asked only some: its cells say how many. What was not answered is wrong, and counted
    beside (`unanswered`). Raises WhatifError when a model lacks a prediction.
    """
    by_id = {row["question_id"]: row for row in questions}
    given: dict[str, dict[str, Row]] = {key: {} for key in names}
    for row in predictions:
        given[row["model"]][row["question_id"]] = row
    groups = sorted({row["group"] for row in questions})
    metrics: Metrics = {}
    for key, rows in given.items():
        asked = set(sampled.get(key, by_id))
        if set(rows) != asked:
            raise WhatifError(f"model {key}: has {len(rows):,} predictions for {len(asked):,} questions; ask it again")
        metrics[key] = {}
        for group in (*groups, ALL):
            ids = [name for name, row in by_id.items() if group in (row["group"], ALL) and name in asked]
            if not ids:
                continue
            interval = clustered_share(
                [rows[name]["correct"] for name in ids],
                ["+".join(by_id[name]["image_ids"]) for name in ids],
                confidence=confidence,
            )
            unanswered = sum(rows[name]["status"] != "ok" for name in ids)
            metrics[key][group] = {**_numbers(interval, len(ids)), "unanswered": unanswered}
    counts = {group: sum(group in (row["group"], ALL) for row in questions) for group in (*groups, ALL)}
    header = ("Model", *(f"{group} (n = {counts[group]:,})" for group in (*groups, ALL)), "Not answered")
    shown = tuple(
        (
            names[key],
            *(_asked_cell(metrics[key].get(group), key in sampled) for group in (*groups, ALL)),
            str(metrics[key][ALL]["unanswered"]),
        )
        for key in names
    )
    caption = (
        f"Accuracy (%) on open questions about scenes, by VQAv2's type of answer, with {100 * confidence:g}% intervals "
        "by picture."
    )
    return Scores(metrics, DisplayTable(caption, header, shown))


def matching(matches: Iterable[Row], *, names: Mapping[str, str], confidence: float) -> Scores:
    """How often each matcher finds the right one of two (COCO-Counterfactuals 4.2.2), with Wilson intervals.

    A pair that could not be scored is wrong in everything, and counted beside (`errors`).
    """
    right: dict[str, list[dict[str, bool]]] = {key: [] for key in names}
    errors = dict.fromkeys(names, 0)
    for row in matches:
        right[row["model"]].append(found(row))
        errors[row["model"]] += row["status"] != "ok"
    metrics: Metrics = {
        key: {
            name: _numbers(wilson(sum(one[name] for one in rows), len(rows), confidence), len(rows))
            for name in MATCHING
            if rows
        }
        for key, rows in right.items()
    }
    header = ("Model", "Pairs", *(heading.capitalize() for heading in MATCHING.values()), "Errors")
    shown = tuple(
        (
            names[key],
            str(len(right[key])),
            *(_cell(metrics[key][name]) if right[key] else "" for name in MATCHING),
            str(errors[key]),
        )
        for key in names
    )
    caption = (
        f"How often (%) the right one of two is scored higher, with {100 * confidence:g}% Wilson intervals; "
        "by chance 50, and less for all four together."
    )
    return Scores(metrics, DisplayTable(caption, header, shown))


def found(row: Row) -> dict[str, bool]:
    """What a row of `matches` finds, by the names of `MATCHING`; nothing where the pair was not scored."""
    if row["status"] != "ok":
        return dict.fromkeys(MATCHING, False)
    margin = margins(row)
    values = [value > 0 for value in (*margin.image_retrieval, *margin.text_retrieval)]
    return dict(zip(MATCHING, [*values, all(values)], strict=True))


def _numbers(interval: Interval, n: int) -> dict[str, float | int]:
    ends = {"accuracy": interval.estimate, "low": interval.low, "high": interval.high}
    return {**{name: round(value, 6) for name, value in ends.items()}, "n": n}


def _asked_cell(numbers: Mapping[str, float | int] | None, of_sample: bool) -> str:
    if numbers is None:
        return ""  # none of these questions is in the sample
    return f"{_cell(numbers)}, n = {numbers['n']:,}" if of_sample else _cell(numbers)


def _cell(numbers: Mapping[str, float | int]) -> str:
    value, low, high = (100 * numbers[name] for name in ("accuracy", "low", "high"))
    return f"{value:.1f} ({low:.1f} to {high:.1f})"
