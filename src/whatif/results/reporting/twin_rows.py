"""Rows and printed columns of tables that compare original with counterfactual accuracy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from whatif.results.reporting.numerals import count
from whatif.results.reporting.table import DROP, Column
from whatif.results.reporting.twin_answers import BY_RULES, STATUSES, VARIANTS
from whatif.results.reporting.twins import Metrics

READING = (
    "Legacy is the accuracy of the same responses by the rules of the authors' published scoring, VLMEvalKit and "
    "lmms-eval by the rules of these toolkits, without their language model or random choice; extracted is the share "
    "of responses in which one answer was found. A question without an answer counts as wrong: ambiguous, none "
    "and error say how many, and why."
)
CHOICES = (
    "Where options were ranked or a letter was chosen, nothing was extracted, and the accuracy is the same by any "
    "rules. The authors' rules know no choices: where a letter was said in words, legacy is empty."
)

Row = dict[str, Any]


def twin_rows(numbers: Metrics) -> Iterator[Row]:
    """The rows of one group's `twin_metrics`: `variant`, `measure` and numbers.

    `accuracy`, the accuracies by published rules (`legacy`, `vlmevalkit`, `lmms-eval`), `extracted` and the share of
    each status belong to one variant. `drop` belongs to both variants, and its p is that of McNemar's test.
    Accuracies and `extracted` are in percent, the drop is in points, statuses and `left out` are counts.
    """
    pairs = numbers["pairs"]
    for variant in VARIANTS:
        accuracy = numbers[variant]
        yield {
            "variant": variant,
            "measure": "accuracy",
            "value": accuracy["accuracy"],
            "low": accuracy["low"],
            "high": accuracy["high"],
            "n": pairs,
        }
    drop = numbers[DROP]
    yield {
        "measure": DROP,
        "value": drop["points"],
        "low": drop["low"],
        "high": drop["high"],
        "n": pairs,
        "p": numbers["mcnemar_p"],
        **({"p_holm": numbers["mcnemar_p_holm"]} if "mcnemar_p_holm" in numbers else {}),
    }
    for measure in (*BY_RULES, "extracted"):
        for variant in VARIANTS:
            if numbers[measure][variant] is not None:
                yield {"variant": variant, "measure": measure, "value": numbers[measure][variant]}
    for variant in VARIANTS:
        for status in STATUSES:
            yield {"variant": variant, "measure": status, "value": numbers["status"][variant][status], "n": pairs}
    yield {"measure": "left out", "value": numbers["left_out"]}


def headline(numbers: Metrics) -> dict[str, float | int]:
    """The numbers of a group for `dvc metrics diff`: both accuracies in percent, the drop, and the pairs."""
    return {
        **{variant: numbers[variant]["accuracy"] for variant in VARIANTS},
        DROP: numbers[DROP]["points"],
        "pairs": numbers["pairs"],
    }


ACCURACIES = tuple(
    Column(variant.capitalize(), "accuracy", {"variant": variant}, interval=True) for variant in VARIANTS
)
DROPPED = Column("Drop", DROP, interval=True)
PAIRS = Column("Pairs", DROP, number="n")
MCNEMAR = Column("McNemar p", DROP, number="p")
HOLM = Column("Holm p", DROP, number="p_holm")
# How responses were read, with one row per variant.
DETAILS = (
    Column("Legacy", "legacy"),
    Column("VLMEvalKit", "vlmevalkit"),
    Column("lmms-eval", "lmms-eval"),
    Column("Extracted", "extracted"),
    *(Column(status.capitalize(), status, write=count) for status in STATUSES if status != "ok"),
)
