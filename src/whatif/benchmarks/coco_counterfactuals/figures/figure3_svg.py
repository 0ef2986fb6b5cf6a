"""Figure 3: the distributions of matching margins, by model."""

from __future__ import annotations

from whatif.benchmarks.coco_counterfactuals.matching_tables import margin_distributions
from whatif.benchmarks.coco_counterfactuals.report import PairResults
from whatif.results.reporting.declared import Figure

FIGURE: Figure[PairResults] = Figure(
    lambda found, tables: margin_distributions(found.margins.values, found.names), above="figure3"
)
