"""The rate of errors for human subjects, by the published rule and by ours (A.3.2)."""

from __future__ import annotations

from whatif.benchmarks.coco_counterfactuals.report import PairResults
from whatif.results.reporting.declared import Made

TABLE: Made[PairResults] = Made(106, lambda found: found.error_subjects[1])
