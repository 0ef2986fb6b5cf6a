"""Table 13: recall of image-text retrieval by the model that selected the images (A.6)."""

from __future__ import annotations

from whatif.benchmarks.coco_counterfactuals.report import PairResults
from whatif.results.reporting.declared import Made

TABLE: Made[PairResults] = Made(90, lambda found: found.recalls["13"])
