"""The contents of the report about training with counterfactuals."""

from __future__ import annotations

from typing import Any

from whatif.results.reporting.table_modules import table_files

TABLES = ("table3", "table4", "table5", "table6", "table11", "table12", "mixtures", "leak", "trainings", "funnel")
REPORTED = tuple(f"{__package__}:published/table{number}.csv" for number in (3, 4, 5, 6, 11, 12))
PUBLISHED = ("report.md", "losses.svg", *table_files(TABLES))
HEADLINE = ("counterfactual_gain", "recomputed_accuracy")
PLOTS: tuple[dict[str, Any], ...] = ()
