"""The margins that Figure 3 shows: how much higher matchers score the right image or caption (4.2.2)."""

from __future__ import annotations

from whatif.benchmarks.coco_counterfactuals.report import PairResults
from whatif.results.reporting.declared import Made

TABLE: Made[PairResults] = Made(94, lambda found: found.margins.table)
