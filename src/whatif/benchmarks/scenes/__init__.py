"""The benchmark of the embedded scenes: questions and image pairs."""

from whatif.benchmarks.scenes.steps import BENCHMARK

__all__ = ["BENCHMARK"]
