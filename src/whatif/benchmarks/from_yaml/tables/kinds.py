"""Accuracy by the kinds of pairs that the templates compute; pairs without a kind are left out."""

from __future__ import annotations

from whatif.benchmarks.from_yaml.report import YamlResults
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.pair_measures import ACCURACIES, DROPPED, MCNEMAR, PAIR_MEASURES, PAIRS, of_models
from whatif.results.reporting.table import View

TABLE: Declared[YamlResults] = Declared(
    position=40,
    title="By kind",
    identity=("model", "name", "source", "kind", "variant", "measure"),
    rows=lambda found: of_models(found.by_kind, *PAIR_MEASURES, by="kind"),
    views=lambda found: (
        View(
            f"{found.title} by kind: accuracy in percent with {found.level} intervals.",
            {"model": "", "name": "Model", "kind": "Kind"},
            (*ACCURACIES, DROPPED, MCNEMAR, PAIRS),
            "The expression `kind` of a template says which kind a pair is; models do not see it.",
        ),
    ),
)
