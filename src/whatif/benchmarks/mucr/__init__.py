"""MuCR: a cause and its effect, as siamese images and as text, in groups of four that differ in their cues (MuCR 3)."""

from whatif.benchmarks.mucr.steps import BENCHMARK

__all__ = ["BENCHMARK"]
