"""C-VQA-Synthetic (C-VQA 3.3)."""

from whatif.benchmarks.cvqa_synthetic.steps import BENCHMARK

__all__ = ["BENCHMARK"]
