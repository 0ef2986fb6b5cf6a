"""Table 7: categories of the sampled errors (A.3.1)."""

from __future__ import annotations

from whatif.benchmarks.coco_counterfactuals.errors_table import table7
from whatif.benchmarks.coco_counterfactuals.report import PairResults
from whatif.results.reporting.declared import Made
from whatif.results.reporting.table import Table


def _table(found: PairResults) -> Table:
    categories = {row["item_id"]: row["reason"] for row in found.errors}
    sampled = {item: category for item, category in categories.items() if category}
    return table7(sampled, found.settings, made_by=found.sorted_by, sampled=len(categories))


TABLE: Made[PairResults] = Made(102, _table)
