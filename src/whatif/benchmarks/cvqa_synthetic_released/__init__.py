"""C-VQA-Synthetic as its authors released it."""

from whatif.benchmarks.cvqa_synthetic_released.steps import BENCHMARK

__all__ = ["BENCHMARK"]
