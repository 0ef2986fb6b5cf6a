"""Table 4 of C-VQA: as Table 3, with a step-by-step prompt."""

from __future__ import annotations

from whatif.benchmarks.cvqa_real.report import RealResults
from whatif.benchmarks.cvqa_real.settings import STEP_BY_STEP
from whatif.benchmarks.cvqa_real.tables.table3 import accuracies
from whatif.results.reporting.declared import Made
from whatif.results.reporting.table import Table


def _table(found: RealResults) -> Table:
    what, models = f"{found.title} with a step-by-step prompt", found.asked(STEP_BY_STEP)
    return accuracies(found, 4, "Step by step", what, strategy=STEP_BY_STEP, models=models, sampled=found.sampled)


TABLE = Made(12, _table)
