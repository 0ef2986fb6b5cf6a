"""Counterfactual vision-language benchmarks: built, versioned and scored by one dependency graph."""
