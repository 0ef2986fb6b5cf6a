"""The headline numbers of a benchmark: those of pairs from its table `paired`, others from its JSON in `metrics/`."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from whatif.engine.errors import WhatifError

METRICS = Path("metrics")
PAIRED = "paired.csv"
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


def paired_numbers(file: Path) -> list[PairedNumbers]:
    """Our systems in a table `paired`, in its order, with all measures over all groups; none without the file.

    Raises WhatifError when the file is not such a table.
    """
    from whatif.results.reporting.table import MEASURE, OURS

    found: dict[tuple[str, str], PairedNumbers] = {}
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            for row in csv.DictReader(opened):
                if row["source"] == OURS and not row["group"] and row["value"]:
                    key = row["model"], row["strategy"]
                    n = _number(row["n"])
                    measured = Measured(
                        float(row["value"]), _number(row["low"]), _number(row["high"]), None if n is None else int(n)
                    )
                    found.setdefault(key, PairedNumbers(*key)).measures[row[MEASURE]] = measured
    except FileNotFoundError:
        return []
    except (KeyError, ValueError, csv.Error) as error:
        raise WhatifError(f"{file}: is not a table `paired` ({error}); delete it, and `dvc repro` makes it") from None
    return list(found.values())


def json_numbers(file: Path) -> Numbers | None:
    """The numbers of a file `metrics/BENCHMARK.json` with their keys; None if it does not exist.

    Raises WhatifError when the file is not JSON.
    """
    try:
        return list(_numbers((), json.loads(file.read_text(encoding="utf-8"))))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise WhatifError(f"{file}: is not JSON ({error}); delete it, and `dvc repro` writes it again") from None


def _number(text: str) -> float | None:
    return float(text) if text else None


def _numbers(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], float]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _numbers((*path, str(key)), inner)
    elif path and isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        yield path, value
