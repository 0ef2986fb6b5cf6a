"""Table 12: retrieval in domain, after training with and without counterfactuals (A.5)."""

from __future__ import annotations

from whatif.benchmarks.coco_counterfactuals_training.reported import number
from whatif.benchmarks.coco_counterfactuals_training.results import COMPARED_MIXTURES
from whatif.benchmarks.coco_counterfactuals_training.retrieval import retrieval


def _means() -> str:
    without, half = (number(12, mixture=mixture, metric="mean") for mixture in ("ms-coco", "base"))
    return (
        "The paper says that counterfactuals also help in-domain retrieval; with half of the samples counterfactual, "
        f"its mean is {half:.2f}, below the {without:.2f} without any."
    )


TABLE = retrieval(60, 12, "in-domain retrieval", lambda found: found.settings.in_domain, COMPARED_MIXTURES, note=_means)
