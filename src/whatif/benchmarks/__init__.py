"""The benchmarks, one folder each, and their discovery."""

from whatif.benchmarks.discovery import (
    benchmark,
    check_params,
    defaults_file,
    graph,
    in_force,
    installed,
    load_params,
    published_by_others,
)

__all__ = [
    "benchmark",
    "check_params",
    "defaults_file",
    "graph",
    "in_force",
    "installed",
    "load_params",
    "published_by_others",
]
