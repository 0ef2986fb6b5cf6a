"""My benchmark: counterfactual questions about coloured balls on a shelf."""

from my_benchmark.steps import BENCHMARK

__all__ = ["BENCHMARK"]
