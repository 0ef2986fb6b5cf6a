"""Accuracy and letters of the models that ranked options, by each rule of ranking."""

from __future__ import annotations

from whatif.benchmarks.shared.results import PairedResults
from whatif.results.reporting.declared import Made
from whatif.results.reporting.ranking_rules import ranking_rules

TABLE: Made[PairedResults] = Made(
    70, lambda found: ranking_rules(found.answers, found.names, found.settings, found.rule, found.title)
)
