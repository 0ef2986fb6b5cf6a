"""The headline numbers of a benchmark: those of pairs from its table `paired`, others from its JSON in `metrics/`."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from whatif.engine.errors import WhatifError

METRICS = Path("metrics")
PAIRED = "paired.csv"
MEASURES = ("original", "counterfactual", "drop")  # of a row of `whatif summary` that is about pairs
Numbers = list[tuple[tuple[str, ...], float]]  # the keys of a number, from the outside, and the number


class Measured(NamedTuple):
    """A value with the ends of its interval, None where it has none; `n`: of how many pairs, None if it is not said."""

    value: float
    low: float | None
    high: float | None
    n: int | None


@dataclass(frozen=True)
class PairedNumbers:
    """One of our systems over all groups of pairs: the key of its model, its strategy ("" if there is only one)."""

    model: str
    strategy: str
    measures: dict[str, Measured] = field(default_factory=dict)


class Summary(NamedTuple):
    """What `whatif summary` and `dvc metrics show` say of a benchmark.

    paired: by model, its numbers with the first strategy that has both accuracies and the drop.
    others: by the keys of a row (model, strategy), its numbers of the `measures` of models without pairs.
    """

    paired: dict[str, PairedNumbers]
    measures: list[str]
    others: dict[tuple[str, ...], dict[str, float]]


def summary_of(systems: Iterable[PairedNumbers], numbers: Numbers, headline: Sequence[str]) -> Summary:
    """The summary of a benchmark's systems and of its numbers in JSON.

    headline: the measures to show of models without pairs; the most frequent one if there is nothing else.
    """
    paired: dict[str, PairedNumbers] = {}
    for system in systems:
        if all(name in system.measures for name in MEASURES):
            paired.setdefault(system.model, system)
    unpaired = [(path, number) for path, number in numbers if paired.keys().isdisjoint(path)]
    known = Counter(path[-1] for path, _ in unpaired)
    measures = [measure for measure in headline if measure in known]
    if not paired and not measures:
        measures = [measure for measure, _ in known.most_common(1)]
    others: dict[tuple[str, ...], dict[str, float]] = {}
    for path, number in unpaired:
        if path[-1] in measures:
            others.setdefault(path[:-1], {})[path[-1]] = number
    return Summary(paired, measures, others)


def dvc_numbers(summary: Summary, models: Iterable[str]) -> dict[str, dict[str, float]]:
    """The few numbers of each model that `dvc metrics show` prints, of its first strategy; none if it has none.

    `counterfactual` and `drop` of pairs; their sum is the accuracy on original questions. Otherwise `score`, the first
    of the measures that the model has. DVC makes a column of each key, and more columns do not fit a screen.
    """
    found = {
        model: {name: system.measures[name].value for name in MEASURES[1:]} for model, system in summary.paired.items()
    }
    for whose, numbers in summary.others.items():
        if whose:
            score = next(numbers[measure] for measure in summary.measures if measure in numbers)
            found.setdefault(whose[0], {"score": score})
    return {model: {name: round(number, 2) for name, number in found.get(model, {}).items()} for model in models}


def paired_numbers(file: Path) -> list[PairedNumbers]:
    """Our systems in a table `paired`, in its order, with all measures over all groups; none without the file.

    Raises WhatifError when the file is not such a table.
    """
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            return paired_systems(opened)
    except FileNotFoundError:
        return []
    except (KeyError, ValueError, csv.Error) as error:
        raise WhatifError(f"{file}: is not a table `paired` ({error}); delete it, and `dvc repro` makes it") from None


def paired_systems(lines: Iterable[str]) -> list[PairedNumbers]:
    """The same from the lines of the table as CSV. Raises KeyError, ValueError or csv.Error for another table."""
    from whatif.results.reporting.table import MEASURE, OURS

    found: dict[tuple[str, str], PairedNumbers] = {}
    for row in csv.DictReader(lines):
        if row["source"] == OURS and not row["group"] and row["value"]:
            key = row["model"], row["strategy"]
            n = _number(row["n"])
            measured = Measured(
                float(row["value"]), _number(row["low"]), _number(row["high"]), None if n is None else int(n)
            )
            found.setdefault(key, PairedNumbers(*key)).measures[row[MEASURE]] = measured
    return list(found.values())


def json_numbers(file: Path) -> Numbers | None:
    """The numbers of a file `metrics/BENCHMARK.json` with their keys; None if it does not exist.

    Raises WhatifError when the file is not JSON.
    """
    try:
        return list(numbers_in(json.loads(file.read_text(encoding="utf-8"))))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise WhatifError(f"{file}: is not JSON ({error}); delete it, and `dvc repro` writes it again") from None


def _number(text: str) -> float | None:
    return float(text) if text else None


def numbers_in(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], float]]:
    """The finite numbers in nested mappings, with their keys from the outside."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from numbers_in(inner, (*path, str(key)))
    elif path and isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        yield path, value
