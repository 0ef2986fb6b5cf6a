"""Cells of tables that set original beside counterfactual accuracy."""

from __future__ import annotations

from whatif.tables.twins import VARIANTS, Metrics


def number_header(level: str) -> tuple[str, ...]:
    """Headings of `number_cells`; `level` is that of the intervals, for example `95%`."""
    accuracies = [part for variant in VARIANTS for part in (variant.capitalize(), f"{variant.capitalize()} {level}")]
    return (*accuracies, "Difference", f"Difference {level}", "McNemar p")


def number_cells(numbers: Metrics) -> tuple[str, ...]:
    """Both accuracies and their difference with intervals, and McNemar's p, of one group's `twin_metrics`."""
    cells: list[str] = []
    for variant in VARIANTS:
        accuracy = numbers[variant]
        cells += [f"{accuracy['accuracy']:.1f}", f"{accuracy['low']:.1f} to {accuracy['high']:.1f}"]
    difference = numbers["difference"]
    cells += [signed(difference["points"]), f"{signed(difference['low'])} to {signed(difference['high'])}"]
    return (*cells, f"{numbers['mcnemar_p']:.2g}")


def alone(value: float) -> tuple[str, str]:
    """A number in percent that has no interval."""
    return f"{value:.1f}", ""


def signed(value: float) -> str:
    """A difference in points, with its sign."""
    return f"{round(value, 1) + 0.0:+.1f}"  # adding 0.0 turns -0.0 into 0.0


def unanswered_share(numbers: Metrics) -> str:
    """Share of the questions of both variants that got no answer, in percent."""
    missing = sum(count for side in numbers["status"].values() for status, count in side.items() if status != "ok")
    return f"{100 * missing / (len(VARIANTS) * numbers['pairs']):.1f}"
