"""Table 7 of C-VQA: accuracy on C-VQA-Synthetic, ours beside the printed one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from whatif.errors import WhatifError
from whatif.reporting.formats import DisplayTable
from whatif.reporting.precision import Precision, percent
from whatif.reporting.published_numbers import published
from whatif.reporting.twin_cells import (
    CHOICES,
    READING,
    alone,
    number_cells,
    number_header,
    reading_cells,
    reading_header,
)
from whatif.reporting.twins import (
    ALL,
    STATUSES,
    VARIANTS,
    Metrics,
    Rows,
    TwinAnswers,
    twin_metrics,
)


@dataclass(frozen=True)
class PlotRow:
    """A point of the plot of Table 7, in percent; printed numbers come without intervals."""

    model: str
    name: str
    source: Literal["ours", "printed"]
    original: float
    counterfactual: float
    original_low: float | None = None
    original_high: float | None = None
    counterfactual_low: float | None = None
    counterfactual_high: float | None = None


@dataclass(frozen=True)
class Table7:
    """What becomes of Table 7: numbers for JSON, tables to show (`main`, `groups`, `letters`), points to plot.

    `answers` are what it was made of.
    """

    answers: TwinAnswers
    metrics: dict[str, dict[str, Metrics]]
    tables: dict[str, DisplayTable]
    plot_rows: list[PlotRow]
    chance: float  # percent


def table7(
    predictions: Rows,
    questions: Rows,
    settings: Precision,
    names: Mapping[str, str],
) -> Table7:
    """Table 7 (C-VQA 4.2) from all predictions of all models in `names` (key -> name to print, in that order).

    The paper prints neither intervals nor sample sizes; ours have both, see `twin_metrics` for what is counted how
    and for what raises. Chance is the mean of 1 / number of options, 25% in the paper.

    Raises WhatifError when there is no question, or one has no choices.
    """
    answers = TwinAnswers(predictions, questions, names)
    chance = _chance(answers)
    metrics = twin_metrics(answers, (), settings, names)
    printed = _printed()
    level = f"{100 * settings.confidence:g}%"
    tables = {
        "main": _main(metrics, names, printed, chance, level),
        "groups": _groups(metrics, names, level),
        "letters": _letters(metrics, names),
    }
    return Table7(answers, metrics, tables, [*printed, *_points(metrics, names)], chance)


def _chance(answers: TwinAnswers) -> float:
    if not answers.options.size:
        raise WhatifError("questions: there are none, so there is no Table 7")
    if not answers.options.all():
        question = answers.question_ids[int(np.argmin(answers.options))]
        raise WhatifError(f"question {question}: has no choices; Table 7 is of multiple-choice questions")
    return percent(sum((1 / answers.options).tolist()) / answers.options.size)


def _printed() -> list[PlotRow]:
    values: dict[str, dict[str, float]] = {}
    for row in published("c-vqa", "7"):
        values.setdefault(row["system"], {})[row["variant"]] = float(row["value"])
    return [
        PlotRow(system, system, "printed", value["original"], value["counterfactual"])
        for system, value in values.items()
    ]


def _points(metrics: Mapping[str, Mapping[str, Metrics]], names: Mapping[str, str]) -> list[PlotRow]:
    points = []
    for model, name in names.items():
        original, counterfactual = (metrics[model][ALL][variant] for variant in VARIANTS)
        points.append(
            PlotRow(
                model,
                name,
                "ours",
                original["accuracy"],
                counterfactual["accuracy"],
                original["low"],
                original["high"],
                counterfactual["low"],
                counterfactual["high"],
            )
        )
    return points


def _main(
    metrics: Mapping[str, Mapping[str, Metrics]],
    names: Mapping[str, str],
    printed: Sequence[PlotRow],
    chance: float,
    level: str,
) -> DisplayTable:
    header = ("Model", "From", "Pairs", *number_header(level), *reading_header())

    def without_intervals(name: str, source: str, original: float, counterfactual: float) -> tuple[str, ...]:
        cells = (name, source, "", *alone(original), *alone(counterfactual))
        return (*cells, *[""] * (len(header) - len(cells)))

    def ours(model: str) -> tuple[str, ...]:
        numbers = metrics[model][ALL]
        return (names[model], "ours", str(numbers["pairs"]), *number_cells(numbers), *reading_cells(numbers))

    rows = [without_intervals("Chance", "", chance, chance)]
    for row in printed:
        rows.append(without_intervals(row.name, "printed", row.original, row.counterfactual))
        rows += [ours(model) for model, name in names.items() if name == row.name]
    systems = {row.name for row in printed}
    rows += [ours(model) for model, name in names.items() if name not in systems]
    return DisplayTable(
        f"C-VQA-Synthetic: accuracy in percent with {level} intervals (C-VQA Table 7). "
        f"Printed rows are the paper's, of other pictures. {READING} {CHOICES}",
        header,
        tuple(rows),
        text_columns=2,
    )


def _groups(metrics: Mapping[str, Mapping[str, Metrics]], names: Mapping[str, str], level: str) -> DisplayTable:
    rows = [
        (name, group, str(numbers["pairs"]), *number_cells(numbers), *reading_cells(numbers))
        for model, name in names.items()
        for group, numbers in metrics[model].items()
        if group != ALL
    ]
    return DisplayTable(
        f"C-VQA-Synthetic by template: accuracy in percent with {level} intervals. {READING} {CHOICES}",
        ("Model", "Template", "Pairs", *number_header(level), *reading_header()),
        tuple(rows),
        text_columns=2,
    )


def _letters(metrics: Mapping[str, Mapping[str, Metrics]], names: Mapping[str, str]) -> DisplayTable:
    shares = [metrics[model][ALL]["letters"][variant] for model in names for variant in VARIANTS]
    # Who answered nothing has no shares; all others have one for every letter.
    letters: dict[str, float] = max(shares, key=len, default={})
    unanswered = [status for status in STATUSES if status != "ok"]
    rows = [
        (
            name,
            variant,
            *(f"{metrics[model][ALL]['letters'][variant].get(letter, 0):.1f}" for letter in letters),
            *(str(metrics[model][ALL]["status"][variant][status]) for status in unanswered),
        )
        for model, name in names.items()
        for variant in VARIANTS
    ]
    return DisplayTable(
        "C-VQA-Synthetic: letters chosen, in percent of what was answered, and number of questions that were not.",
        ("Model", "Variant", *letters, *unanswered),
        tuple(rows),
        text_columns=2,
    )
