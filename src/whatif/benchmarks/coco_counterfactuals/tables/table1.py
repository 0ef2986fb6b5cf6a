"""Table 1: what people saw in the images (COCO-Counterfactuals 4.1)."""

from __future__ import annotations

from whatif.benchmarks.coco_counterfactuals.report import PairResults
from whatif.results.reporting.declared import Made

TABLE: Made[PairResults] = Made(10, lambda found: found.labelled)
