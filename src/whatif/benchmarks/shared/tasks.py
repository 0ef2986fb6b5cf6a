"""Functions that benchmarks of pairs of questions share: pairs, judgements, rejections, and the end of the funnel."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.graph.dimensions import Dimension
from whatif.engine.graph.task import Task
from whatif.engine.params.model_entries import Limit
from whatif.results.reporting.funnel import FunnelStage

# The labels of the axes of a scatter plot.
OF_ACCURACIES = ("Accuracy on original questions (%)", "Accuracy on counterfactual questions (%)")


def pairs_of(questions: Iterable[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Pair ids with their two questions, which are adjacent in order of question_id."""
    for pair_id, pair in itertools.groupby(questions, key=lambda row: str(row["pair_id"])):
        yield pair_id, list(pair)


def by_pair(rows: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The questions of each pair; pairs are in the order of their first question.

    They need not be adjacent: in the order of question ids, those of the writer `a` enclose those of `a-mini`.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(str(row["pair_id"]), []).append(row)
    return found


def judgement(pair_id: str, check: str, defects: Sequence[str]) -> dict[str, Any]:
    """A row of `judgements` by the automatic check of this name."""
    return {
        "item_id": pair_id,
        "annotator": f"automatic:{check}",
        "decision": "reject" if defects else "accept",
        "corrected": "{}",
        "comment": "; ".join(defects),
        "time": None,
        "seconds": None,
    }


def write_shortcuts(task: Task[Any], sets: Mapping[str, Iterable[Mapping[str, Any]]], folds: int, **how: Any) -> None:
    """Writes the table `shortcuts` of the job's variant, for each named set of questions; `how` is that of `audit`."""
    from whatif.scoring.shortcuts.audit import audit

    variants = [task.wildcards["variant"]]
    found = [
        {"set": name, **asdict(shortcut)}
        for name, rows in sets.items()
        for shortcut in audit(rows, folds=folds, seed=task.seed, variants=variants, **how)
    ]
    task.outputs.write("shortcuts", found)


def scatter_plot(
    title: str, x_label: str, y_label: str, *, file: str = "accuracy.csv", **columns: str
) -> dict[str, str]:
    """What `dvc plots` shows of a file: a point with a label for each model (.dvc/plots/models.json)."""
    return {
        "file": file,
        "template": "models",
        "x": "original",
        "y": "counterfactual",
        **columns,
        "x_label": x_label,
        "y_label": y_label,
        "title": title,
    }


def names_of(task: Task[Any], dimension: Dimension) -> dict[str, str]:
    """The display names of the models of a dimension, by key; a name that several have is followed by the key.

    So no two are equal: figures find answers by the name.
    """
    names = {key: fields["name"] or key for key, fields in task.shown_models(dimension).items()}
    counts = Counter(names.values())
    return {key: name if counts[name] == 1 else f"{name} ({key})" for key, name in names.items()}


def limits_of(task: Task[Any], dimension: Dimension, keys: Iterable[str]) -> dict[str, Limit]:
    """The number of pairs of each benchmark that some models are asked, or a file with their ids; None: all."""
    return {key: task.shown_models(dimension)[key].get("limit") for key in keys}


def rows_in(paths: Sequence[Path]) -> int:
    """The number of rows of some artifacts, from their footers."""
    return sum(artifacts.footer_of(path).rows for path in paths)


def with_predictions(task: Task[Any], dimension: Dimension, **only: str) -> list[str]:
    """The keys of the models with a prediction; a model whose file has no response here has none.

    `only` gives values of further wildcards, for example `strategy="direct"`.
    """
    return [key for key, paths in task.paths_by(dimension, "predictions", **only).items() if rows_in(paths)]


def evaluation_stage(
    paths: Sequence[Path], name: str, asked: int | None = None, *, not_in_sample: int = 0
) -> FunnelStage:
    """The stage of the funnel in which one model was asked: questions answered, and questions not answered, by status.

    `asked` is the number of questions; it defaults to the number of predictions. `not_in_sample` of the questions were
    left out of a pilot sample. If a model has no predictions at all, its file has no recorded responses.
    """
    counts: Counter[str] = Counter()
    for piece in artifacts.batches(paths, PREDICTIONS, ["status"], encoded=["status"]):
        for status in pc.value_counts(piece["status"].cast(pa.string())).to_pylist():
            counts[status["values"]] += status["counts"]
    answered = counts.pop("ok", 0)
    came_in = answered + counts.total() if asked is None else asked
    if came_in and not answered and not counts:
        counts["no response in its file"] = came_in
    elif not_in_sample:
        counts["not in the pilot sample"] = not_in_sample
    return FunnelStage(f"evaluate {name}", "questions", came_in, answered, dict(sorted(counts.items())))


def evaluation_stages(
    task: Task[Any],
    dimension: Dimension,
    strategies: Sequence[str],
    total: Callable[[str], int],
    left_out: Callable[[str, str], int],
) -> Iterator[FunnelStage]:
    """The stages in which models were asked with several strategies.

    total: model -> its number of questions. left_out: model and strategy -> how many of these no pilot sample has.
    """
    for model in task.shown_models(dimension):
        for strategy in strategies:
            paths = task.paths_by(dimension, "predictions", strategy=strategy).get(model)
            if paths is not None:
                name = f"{model} {strategy}"
                yield evaluation_stage(paths, name, total(model), not_in_sample=left_out(model, strategy))


def keep_pairs(task: Task[Any], rejected: Mapping[str, dict[str, Any]], *, remedy: str = "") -> None:
    """Writes the questions of pairs that were not rejected, and the rejections, which `rejected` has by pair.

    Raises WhatifError, with the `remedy`, when no pair is left.
    """
    kept = 0
    for pair_id, pair in pairs_of(task.rows("questions")):
        if pair_id not in rejected:
            kept += 1
            task.outputs.writer("questions").write(pair)
    refused = [rejected[pair_id] for pair_id in sorted(rejected)]
    task.outputs.write("rejections", refused)
    task.check_losses("pairs", kept, refused, remedy=remedy)


def rejection(item_id: str, reason: str, detail: str) -> dict[str, Any]:
    """A row of `rejections`."""
    return {"item_id": item_id, "reason": reason, "detail": detail}
