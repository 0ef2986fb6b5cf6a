"""CFMM: a basic question and four counterfactual ones about each image, in six categories (CFMM 3)."""

from whatif.benchmarks.cfmm.steps import BENCHMARK

__all__ = ["BENCHMARK"]
