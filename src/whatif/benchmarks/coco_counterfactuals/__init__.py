"""COCO-Counterfactuals, generated from captions."""

from whatif.benchmarks.coco_counterfactuals.steps import BENCHMARK

__all__ = ["BENCHMARK"]
