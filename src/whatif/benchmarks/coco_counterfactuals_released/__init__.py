"""COCO-Counterfactuals as its authors released it."""

from whatif.benchmarks.coco_counterfactuals_released.steps import BENCHMARK

__all__ = ["BENCHMARK"]
