"""The agreement of the annotators of images, beside the reported one (4.1)."""

from __future__ import annotations

from whatif.benchmarks.coco_counterfactuals.report import PairResults
from whatif.results.reporting.declared import Made

TABLE: Made[PairResults] = Made(12, lambda found: found.agreed)
