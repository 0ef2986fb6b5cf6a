"""Cells of tables that set original beside counterfactual accuracy."""

from __future__ import annotations

from whatif.reporting.precision import p_text
from whatif.reporting.twins import VARIANTS, Metrics


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
    return (*cells, p_text(numbers["mcnemar_p"]))


READING = (
    "Legacy is the accuracy of the same responses by the rules of the authors' published scoring; extracted is the "
    "share of responses in which one answer was found; errors, which have no response, are counted apart. Without an "
    "answer a question counts as wrong."
)
CHOICES = (
    "The published rules know no choices: where options were ranked or a letter was chosen, nothing was extracted and "
    "legacy is the same accuracy; where a letter was said in words there is none."
)


def reading_header() -> tuple[str, ...]:
    """Headings of `reading_cells`."""
    return tuple(f"{what} {variant}" for what in ("Legacy", "Extracted", "Errors") for variant in VARIANTS)


def reading_cells(numbers: Metrics) -> tuple[str, ...]:
    """How one group's responses were read, by variant: legacy accuracy, extraction rate, number of errors."""
    rates = [numbers[what][variant] for what in ("legacy", "extracted") for variant in VARIANTS]
    errors = [str(numbers["status"][variant]["error"]) for variant in VARIANTS]
    return (*("" if rate is None else f"{rate:.1f}" for rate in rates), *errors)


def alone(value: float) -> tuple[str, str]:
    """A number in percent that has no interval."""
    return f"{value:.1f}", ""


def signed(value: float) -> str:
    """A difference in points, with its sign."""
    return f"{round(value, 1) + 0.0:+.1f}"  # adding 0.0 turns -0.0 into 0.0
