"""The accuracy of each model on all pairs, after that of guessing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from whatif.benchmarks.from_yaml.report import YamlResults
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.pair_measures import (
    ACCURACIES,
    DROPPED,
    MCNEMAR,
    PAIR_MEASURES,
    PAIRS,
    details,
    of_models,
)
from whatif.results.reporting.table import View

_SYSTEM = {"model": "", "name": "Model"}


def _rows(found: YamlResults) -> Iterator[dict[str, Any]]:
    for variant, value in found.chances.items():
        yield {"name": "Chance", "variant": variant, "measure": "accuracy", "value": value}
    yield from of_models(found, *PAIR_MEASURES)


TABLE: Declared[YamlResults] = Declared(
    position=10,
    title="Accuracy",
    identity=("model", "name", "source", "variant", "measure"),
    rows=_rows,
    views=lambda found: (
        View(
            f"{found.title}: accuracy in percent with {found.level} intervals.",
            _SYSTEM,
            (*ACCURACIES, DROPPED, MCNEMAR, PAIRS),
        ),
        details(found.title, _SYSTEM),
    ),
    further=lambda found, table: found.with_judge_and_people(table),
)
