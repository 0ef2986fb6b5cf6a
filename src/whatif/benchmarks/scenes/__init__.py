"""Questions and image pairs of the embedded scenes."""

from whatif.benchmarks.scenes.steps import BENCHMARK

__all__ = ["BENCHMARK"]
