"""Tables 3, 4 and 5 of C-VQA: accuracy on C-VQA-Real by group, ours beside the printed one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.scoring.extract_answer import is_correct
from whatif.scoring.legacy_extraction import legacy
from whatif.statistics import holm
from whatif.tables.c_vqa import PlotRow
from whatif.tables.formats import DisplayTable
from whatif.tables.published_numbers import published
from whatif.tables.twin_cells import alone, number_cells, number_header, signed, unanswered_share
from whatif.tables.twins import VARIANTS, Metrics, Precision, twin_metrics

Row = Mapping[str, Any]

GROUPS = ("direct", "indirect", "boolean")
_PRINTED_GROUPS = {"numerical-direct": "direct", "numerical-indirect": "indirect", "boolean": "boolean"}
CAPTIONS = {
    "3": "C-VQA-Real: accuracy in percent with {level} intervals (C-VQA Table 3).",
    "4": "C-VQA-Real with a step-by-step prompt: accuracy in percent with {level} intervals (C-VQA Table 4).",
    "5": "C-VQA-Real, a random part of each group: accuracy in percent with {level} intervals (C-VQA Table 5).",
}


@dataclass(frozen=True)
class RealTable:
    """One of the tables: its numbers for JSON, and as it is shown."""

    metrics: dict[str, dict[str, Metrics]]
    shown: DisplayTable


def real_table(
    table: str,
    predictions: Iterable[Row],
    questions: Sequence[Row],
    *,
    settings: Precision,
    seed: int,
    names: Mapping[str, str],
) -> RealTable:
    """Table `3`, `4` or `5` from the predictions of the models in `names` (key -> name to print, in that order).

    Several questions share a photograph, so intervals are those of a bootstrap over photographs. Each accuracy stands
    beside the one that the rules of the authors' published scoring give to the same responses (`legacy`), and McNemar's
    p values are corrected over the whole table (Holm).
    """
    rows = list(predictions)
    images = {row["pair_id"]: (row["image_ids"] or [row["pair_id"]])[0] for row in questions}
    metrics = twin_metrics(rows, questions, settings, seed, names, images=images) if names else {}
    earlier = (
        twin_metrics(_by_legacy(rows, questions), questions, settings, seed, names, images=images) if names else {}
    )
    for model, groups in metrics.items():
        for group, numbers in groups.items():
            numbers["legacy"] = {variant: earlier[model][group][variant]["accuracy"] for variant in VARIANTS}
    cells = [(model, group) for model in names for group in GROUPS if group in metrics[model]]
    corrected = holm([metrics[model][group]["mcnemar_p"] for model, group in cells]).p_values
    for (model, group), p in zip(cells, corrected, strict=True):
        metrics[model][group]["mcnemar_p_holm"] = float(f"{p:.4g}")
    return RealTable(metrics, _shown(table, metrics, cells, names, f"{100 * settings.confidence:g}%"))


def plot_rows(
    table: str, metrics: Mapping[str, Mapping[str, Metrics]], names: Mapping[str, str], group: str
) -> list[PlotRow]:
    """Points of one group: the printed systems of a table, then ours."""
    points = [
        PlotRow(system, system, "printed", values["original"], values["counterfactual"])
        for (system, printed_group), values in _printed(table).items()
        if printed_group == group
    ]
    for model, name in names.items():
        if group in metrics.get(model, {}):
            original, counterfactual = (metrics[model][group][variant] for variant in VARIANTS)
            ends = (original["low"], original["high"], counterfactual["low"], counterfactual["high"])
            points.append(PlotRow(model, name, "ours", original["accuracy"], counterfactual["accuracy"], *ends))
    return points


def _by_legacy(predictions: Sequence[Row], questions: Sequence[Row]) -> list[dict[str, Any]]:
    """The same responses, judged by the rules of the authors' published scoring."""
    asked = {row["question_id"]: row for row in questions}
    judged = []
    for row in predictions:
        question = asked[row["question_id"]]
        found = legacy(row["response"] or "", question["answer_kind"], question["question"])
        answered = row["status"] != "error"
        judged.append(
            {
                **row,
                "answer": found.answer,
                "status": found.status if answered else "error",
                "correct": answered and is_correct(found, question["answer"], question["answer_kind"]),
            }
        )
    return judged


def _shown(
    table: str,
    metrics: Mapping[str, Mapping[str, Metrics]],
    cells: Sequence[tuple[str, str]],
    names: Mapping[str, str],
    level: str,
) -> DisplayTable:
    rows = [_printed_row(system, group, values) for (system, group), values in _printed(table).items()]
    for model, group in cells:
        numbers = metrics[model][group]
        before = numbers["legacy"]
        rows.append(
            (
                names[model],
                "ours",
                group,
                str(numbers["pairs"]),
                *number_cells(numbers),
                f"{numbers['mcnemar_p_holm']:.2g}",
                unanswered_share(numbers),
                f"{before['original']:.1f}",
                f"{before['counterfactual']:.1f}",
            )
        )
    header = ("System", "From", "Group", "Pairs", *number_header(level), "Holm p", "Not answered")
    return DisplayTable(
        CAPTIONS[table].format(level=level) + " What was not answered counts as wrong; legacy is the same responses "
        "judged by the rules of the published scoring.",
        (*header, "Legacy original", "Legacy counterfactual"),
        tuple(rows),
        text_columns=3,
    )


def _printed(table: str) -> dict[tuple[str, str], dict[str, float]]:
    values: dict[tuple[str, str], dict[str, float]] = {}
    for row in published("c-vqa", table):
        place = (row["system"], _PRINTED_GROUPS[row["group"]])
        values.setdefault(place, {})[row["variant"]] = float(row["value"])
    return values


def _printed_row(system: str, group: str, values: Mapping[str, float]) -> tuple[str, ...]:
    difference = signed(values["counterfactual"] - values["original"])
    accuracies = (*alone(values["original"]), *alone(values["counterfactual"]))
    return (system, "printed", group, "", *accuracies, difference, "", "", "", "", "", "")
