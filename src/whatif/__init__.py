"""Counterfactual vision-language benchmarks: built, versioned and scored by one dependency graph."""

__version__ = "0.1.0"
