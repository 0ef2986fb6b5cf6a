"""Table 10: altered subjects among the errors (A.3.2)."""

from __future__ import annotations

from whatif.benchmarks.coco_counterfactuals.report import PairResults
from whatif.results.reporting.declared import Made

TABLE: Made[PairResults] = Made(104, lambda found: found.error_subjects[0])
