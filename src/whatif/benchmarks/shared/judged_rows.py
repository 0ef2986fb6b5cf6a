"""What a judge changes in the results of a benchmark: further rows and views of its table of accuracies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.graph.task import Task
from whatif.results.reporting.answers import System
from whatif.results.reporting.judged import ACCURACY, COMPARED_DROP, JUDGE, READINGS, Judged, judge_views
from whatif.results.reporting.precision import in_percent, p_number
from whatif.results.reporting.question_pairs import VARIANTS
from whatif.results.reporting.table import DROP, MEASURE, Column, Table, with_rows
from whatif.scoring.judging import response_of
from whatif.scoring.statistics import clustered_share, paired_drop

Row: TypeAlias = Mapping[str, Any]
Right: TypeAlias = dict[str, bool]  # question_id -> whether its answer is right
_PAIR = set(VARIANTS)
_COLUMNS = ["question_id", "model", "strategy", "response", "correct"]


def with_judged_rows(
    task: Task[Any],
    table: Table,
    judged: Judged | None,
    questions: Sequence[Row],
    places: Mapping[System, Row],
    *,
    confidence: float,
    clusters: Mapping[str, str] | None = None,
) -> Table:
    """A table with the accuracies without and with the judge, what it found, and its agreement with people.

    Without a judge it stays as it is. The rows are of the systems that answered in words; `places` are the identifying
    columns of each, with `model` and `name`. Accuracies are by variant, in percent of the questions that were asked,
    with intervals by cluster (question_id -> cluster, by default the images of a question). A set of original and
    counterfactual questions has the drop as well.
    """
    if judged is None:
        return table
    by_id = {str(row["question_id"]): row for row in questions}
    if clusters is None:
        clusters = {name: "+".join(row["image_ids"]) or row["pair_id"] for name, row in by_id.items()}
    rows: list[Row] = []
    for system, (without, with_) in _answers(task, judged, places).items():
        place, of_system = places[system], judged.of([system[0]], system[1])
        for reading, right in zip(READINGS, (without, with_), strict=True):
            rows += [
                {**place, JUDGE: reading, **row} for row in _compared(right, by_id, clusters, confidence=confidence)
            ]
        rows += [{**place, **row} for row in of_system.counts(system[0], set(without))]
    by_strategy: dict[str, dict[str, Row]] = {}
    for (model, strategy), place in places.items():
        by_strategy.setdefault(strategy, {})[model] = place
    for strategy, models in by_strategy.items():
        names = {model: str(place["name"]) for model, place in models.items()}
        one = judged.of(models, strategy)
        for row in one.agreements(names, "All models", by_id, confidence, clusters):
            rows.append({**models.get(row["model"], _of_all(models)), **row})
    return _beside(table, rows, judged, {row["variant"] for row in questions}, f"{100 * confidence:g}%")


def _answers(task: Task[Any], judged: Judged, places: Mapping[System, Row]) -> dict[System, tuple[Right, Right]]:
    """Which answers of each system are right, without and with the judge, if it answered any question in words."""
    decided = {response_of(row): bool(row["correct"]) for row in judged.rows if row["status"] == "ok"}
    found: dict[System, tuple[Right, Right]] = {system: ({}, {}) for system in places}
    in_words = set()
    for piece in artifacts.batches(task.paths("predictions"), PREDICTIONS, _COLUMNS, present=["response"]):
        for row in piece.to_pylist():
            system = (row["model"], row["strategy"])
            if system in found:
                without, with_ = found[system]
                without[row["question_id"]] = row["correct"]
                with_[row["question_id"]] = decided.get(response_of(row), row["correct"])
                in_words |= {system} if row["response"] else set()
    return {system: right for system, right in found.items() if system in in_words}


def _compared(
    right: Right, questions: Mapping[str, Row], clusters: Mapping[str, str], *, confidence: float
) -> Iterator[dict[str, Any]]:
    """The accuracy of one system by variant, and the drop if there are original and counterfactual questions."""
    by_variant: dict[str, list[str]] = {}
    for name in right:
        by_variant.setdefault(questions[name]["variant"], []).append(name)
    for variant, ids in sorted(by_variant.items()):
        share = clustered_share([right[one] for one in ids], [clusters[one] for one in ids], confidence=confidence)
        yield {"variant": variant, MEASURE: ACCURACY, **in_percent("value", share), "n": len(ids)}
    if set(by_variant) == _PAIR:
        first, second = ({questions[one]["pair_id"]: one for one in by_variant[variant]} for variant in VARIANTS)
        pairs = [(first[pair], second[pair]) for pair in first if pair in second]
        before, after = ([right[pair[side]] for pair in pairs] for side in (0, 1))
        drop = paired_drop(before, after, [clusters[one] for one, _ in pairs], confidence=confidence)
        numbers = {**in_percent("value", drop.interval), "n": len(pairs), "p": p_number(drop.p)}
        yield {MEASURE: COMPARED_DROP, **numbers}


def _of_all(models: Mapping[str, Row]) -> Row:
    """The identifying columns of all models together: what they have in common."""
    first, *others = models.values()
    return {name: value for name, value in first.items() if all(one[name] == value for one in others)}


def _beside(table: Table, rows: Sequence[Row], judged: Judged, variants: set[str], level: str) -> Table:
    """The table with these rows at its end, and the views of the judge."""
    drop = (Column(DROP.capitalize(), COMPARED_DROP, interval=True),) if variants == _PAIR else ()
    order = [variant for variant in VARIANTS if variant in variants] or sorted(variants)
    columns = (*(Column(one.capitalize(), ACCURACY, {"variant": one}, interval=True) for one in order), *drop)
    group = {"strategy": "Strategy"} if "strategy" in table.frame.columns else {}
    views = judge_views(judged, columns, {"model": "", "name": "Model"}, group, level)
    return with_rows(table, rows, (JUDGE, "variant"), views, ("p",))
