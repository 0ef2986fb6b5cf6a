"""Table 4 of C-VQA: as Table 3, with a step-by-step prompt."""

from __future__ import annotations

from whatif.benchmarks.cvqa_real.report import RealResults
from whatif.benchmarks.cvqa_real.settings import STEP_BY_STEP
from whatif.benchmarks.cvqa_real.tables.table3 import accuracies
from whatif.results.reporting.declared import Made
from whatif.results.reporting.table import Table


def _table(found: RealResults) -> Table:
    names = found.asked(STEP_BY_STEP)
    answered = found.answered(STEP_BY_STEP, names, sampled=[model for model in names if found.is_sampled(model)])
    return accuracies(4, "Step by step", "C-VQA-Real with a step-by-step prompt", answered)


TABLE = Made(12, _table)
