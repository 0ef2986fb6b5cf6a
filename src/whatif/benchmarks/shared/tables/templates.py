"""Accuracy by template."""

from __future__ import annotations

from whatif.benchmarks.shared.results import PairedResults
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

_BY = {"model": "", "name": "Model", "template": "Template"}

TABLE: Declared[PairedResults] = Declared(
    position=30,
    title="By template",
    identity=("model", "name", "source", "template", "variant", "measure"),
    rows=lambda found: of_models(found, *PAIR_MEASURES, by="template"),
    views=lambda found: (
        View(
            f"{found.title} by template: accuracy in percent with {found.level} intervals.",
            _BY,
            (*ACCURACIES, DROPPED, MCNEMAR, PAIRS),
            found.ranked_by,
        ),
        details(f"{found.title} by template", _BY),
    ),
)
