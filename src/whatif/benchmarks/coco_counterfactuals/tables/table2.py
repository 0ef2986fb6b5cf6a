"""Table 2: recall of image-text retrieval by models that did not select the images (4.2.1)."""

from __future__ import annotations

from whatif.benchmarks.coco_counterfactuals.report import PairResults
from whatif.results.reporting.declared import Made

TABLE: Made[PairResults] = Made(88, lambda found: found.recalls["2"])
