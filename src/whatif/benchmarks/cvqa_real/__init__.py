"""C-VQA-Real (C-VQA 3.2)."""

from whatif.benchmarks.cvqa_real.steps import BENCHMARK

__all__ = ["BENCHMARK"]
