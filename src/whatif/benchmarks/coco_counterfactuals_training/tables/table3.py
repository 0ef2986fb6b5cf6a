"""Table 3: retrieval out of domain, after training with and without counterfactuals (5.1)."""

from __future__ import annotations

from whatif.benchmarks.coco_counterfactuals_training.results import COMPARED_MIXTURES
from whatif.benchmarks.coco_counterfactuals_training.retrieval import retrieval

TABLE = retrieval(
    10,
    3,
    "out-of-domain retrieval",
    lambda found: found.settings.out_of_domain,
    COMPARED_MIXTURES,
    sizes={"train_samples": "Samples", "counterfactual_share": "CFs (%)"},  # tells rows of the same words apart
)
