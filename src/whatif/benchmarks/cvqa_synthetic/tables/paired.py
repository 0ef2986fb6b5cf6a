"""The standard measures of pairs, beside the accuracies of C-VQA's Table 7 and their drops."""

from __future__ import annotations

from whatif.benchmarks.cvqa_synthetic.report import Puzzles
from whatif.results.reporting.declared import Made
from whatif.results.reporting.paired import PairedText, paired, paired_systems, reported_rows
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import Table


def _table(found: Puzzles) -> Table:
    accuracies: dict[str, dict[str, float]] = {}
    for row in published("whatif.benchmarks.cvqa_synthetic", "table7"):
        accuracies.setdefault(row["system"], {})[row["variant"]] = float(row["value"])
    reported = [row for system, values in accuracies.items() for row in reported_rows(system, values)]
    text = PairedText(found.title, found.level, group="Template", about=found.reported)
    return paired(paired_systems(found.answers, found.names), found.settings.confidence, text, reported)


TABLE = Made(20, _table)
