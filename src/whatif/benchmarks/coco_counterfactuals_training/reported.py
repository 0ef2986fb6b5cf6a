"""The numbers of Tables 3 to 6, 11 and 12 of COCO-Counterfactuals, and the mixtures that they are of."""

from __future__ import annotations

from collections.abc import Mapping

from whatif.benchmarks.coco_counterfactuals_training.schemas import PRE_TRAINED
from whatif.results.reporting.published_numbers import published

# The training set of a reported row, by its number of training samples and their counterfactual share or number.
_MIXTURES = {
    ("0", "0"): PRE_TRAINED,
    ("13928", "0"): "ms-coco",
    ("13928", "50"): "base",
    ("13928", "6939"): "base",
    ("34820", "60"): "medium",
    ("34820", "20894"): "medium",
    ("41784", "67"): "all",
    ("41784", "27853"): "all",
    ("34313", "20385"): "correct",
}
_WITHHELD_MIXTURES = {"none": PRE_TRAINED, "MS-COCO": "withheld-ms-coco", "COCO-CFs": "withheld-counterfactuals"}


def reported(table: int) -> list[dict[str, str]]:
    """The rows of a reported table, with their `mixture`. Raises WhatifError when the table was not transcribed."""
    return [{**row, "mixture": _mixture(row)} for row in published(__package__, f"table{table}")]


def number(table: int, **wanted: str) -> float:
    """The one reported number with these fields. Raises ValueError when there is none, or more than one."""
    (found,) = (row for row in reported(table) if all(row[name] == text for name, text in wanted.items()))
    return float(found["value"])


def _mixture(row: Mapping[str, str]) -> str:
    if "train_variant" in row:  # Table 6
        return row["train_variant"].replace("none", "")
    if "n_train" not in row:  # Table 5
        return _WITHHELD_MIXTURES[row["train_set"]]
    return _MIXTURES[row["n_train"], row.get("pct_cf") or row["n_train_cf"]]
