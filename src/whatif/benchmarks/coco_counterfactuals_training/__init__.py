"""Training with counterfactuals (COCO-Counterfactuals 5)."""

from whatif.benchmarks.coco_counterfactuals_training.steps import BENCHMARK

__all__ = ["BENCHMARK"]
