"""Accuracy by template."""

from __future__ import annotations

from whatif.benchmarks.shared.results import TwinResults
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.table import View
from whatif.results.reporting.twin_measures import ACCURACIES, DROPPED, MCNEMAR, PAIRS, TWIN_MEASURES, of_models

TABLE: Declared[TwinResults] = Declared(
    position=30,
    title="By template",
    identity=("model", "name", "source", "template", "variant", "measure"),
    rows=lambda found: of_models(found, *TWIN_MEASURES, by="template"),
    views=lambda found: (
        View(
            f"{found.title} by template: accuracy in percent with {found.level} intervals.",
            {"model": "", "name": "Model", "template": "Template"},
            (*ACCURACIES, DROPPED, MCNEMAR, PAIRS),
        ),
    ),
)
