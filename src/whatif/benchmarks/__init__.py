"""The benchmarks, one folder each, and their discovery."""

from whatif.benchmarks.discovery import benchmark, check_params, graph, installed, load_params

__all__ = ["benchmark", "check_params", "graph", "installed", "load_params"]
