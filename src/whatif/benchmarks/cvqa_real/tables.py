"""Tables 3, 4 and 5 of C-VQA: accuracy on C-VQA-Real by group, ours beside the printed one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.benchmarks.shared.c_vqa_tables import PlotRow
from whatif.reporting.formats import DisplayTable
from whatif.reporting.precision import SMALLEST_P, Precision, p_number, p_text
from whatif.reporting.published_numbers import published
from whatif.reporting.twin_cells import (
    READING,
    alone,
    number_cells,
    number_header,
    reading_cells,
    reading_header,
    signed,
)
from whatif.reporting.twins import VARIANTS, Metrics, twin_metrics
from whatif.statistics import holm

Row = Mapping[str, Any]

GROUPS = ("direct", "indirect", "boolean")
_PRINTED_GROUPS = {"numerical-direct": "direct", "numerical-indirect": "indirect", "boolean": "boolean"}
# Table 4 names systems by other words than Table 3; a model has one name, which is that of Table 3.
_ELSEWHERE = {
    "InstructBLIP-13B": "InstructBLIP (Vicuna-13B)",
    "LLaVA-1.5-13B": "LLaVA-1.5-13B (Vicuna-13B)",
    "MiniGPT-v2-7B": "MiniGPT-v2 (Llama2-Chat-7B)",
}
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
    names: Mapping[str, str],
    sampled: Collection[str] = (),
) -> RealTable:
    """Table `3`, `4` or `5` from the predictions of the models in `names` (key -> name to print, in that order).

    Several questions share a photograph, so intervals are by photograph. Each accuracy stands
    beside the one that the rules of the authors' published scoring give to the same responses (`legacy`), and McNemar's
    p values are corrected over the whole table (Holm). Our rows follow the printed ones of the same system; the keys in
    `sampled` are marked as asked a part.
    """
    images = {row["pair_id"]: (row["image_ids"] or [row["pair_id"]])[0] for row in questions}
    metrics = twin_metrics(predictions, questions, settings, names, images=images) if names else {}
    level = f"{100 * settings.confidence:g}%"
    cells = [(model, group) for model in names for group in GROUPS if group in metrics[model]]
    # The smallest p-value that metrics hold stands for all below it; Holm's factor would make a number of it.
    known = [0.0 if p <= SMALLEST_P else p for p in (metrics[model][group]["mcnemar_p"] for model, group in cells)]
    for (model, group), p in zip(cells, holm(known).p_values, strict=True):
        metrics[model][group]["mcnemar_p_holm"] = p_number(p or 0.0)
    marked = {model: f"{name} (a part)" if model in sampled else name for model, name in names.items()}
    ours = {(model, group): _our_row(marked[model], group, metrics[model][group]) for model, group in cells}
    rows = []
    for (system, group), values in _printed(table).items():
        rows.append(_printed_row(system, group, values))
        of_system = [cell for cell in ours if cell[1] == group and names[cell[0]] == table_3_name(system)]
        rows += [ours.pop(cell) for cell in of_system]
    header = ("System", "From", "Group", "Pairs", *number_header(level), "Holm p", *reading_header())
    caption = f"{CAPTIONS[table].format(level=level)} {READING}"
    return RealTable(metrics, DisplayTable(caption, header, (*rows, *ours.values()), text_columns=3))


def table_3_name(system: str) -> str:
    """The name that Table 3 has for a system of another table, which is the one that a model is to have."""
    return _ELSEWHERE.get(system, system)


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


def _our_row(name: str, group: str, numbers: Metrics) -> tuple[str, ...]:
    cells = (name, "ours", group, str(numbers["pairs"]), *number_cells(numbers), p_text(numbers["mcnemar_p_holm"]))
    return (*cells, *reading_cells(numbers))


def _printed(table: str) -> dict[tuple[str, str], dict[str, float]]:
    values: dict[tuple[str, str], dict[str, float]] = {}
    for row in published("c-vqa", table):
        place = (row["system"], _PRINTED_GROUPS[row["group"]])
        values.setdefault(place, {})[row["variant"]] = float(row["value"])
    return values


def _printed_row(system: str, group: str, values: Mapping[str, float]) -> tuple[str, ...]:
    difference = signed(values["counterfactual"] - values["original"])
    accuracies = (*alone(values["original"]), *alone(values["counterfactual"]))
    return (system, "printed", group, "", *accuracies, difference, "", "", "", *[""] * len(reading_header()))
