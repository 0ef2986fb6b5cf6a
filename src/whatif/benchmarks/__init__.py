"""The benchmarks: one folder each, found by discovery, with the settings and the graph of those that are selected."""

from whatif.benchmarks.discovery import benchmark, check_params, graph, installed, load_params

__all__ = ["benchmark", "check_params", "graph", "installed", "load_params"]
