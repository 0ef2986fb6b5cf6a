"""The benchmarks: one module each, the paper on a page, found by name."""

from __future__ import annotations

import importlib

from whatif.graph.steps import Benchmark, Graph
from whatif.params import Params

MODULES = {
    "coco-counterfactuals": "whatif.benchmarks.coco_counterfactuals",
    "coco-counterfactuals-released": "whatif.benchmarks.coco_counterfactuals_released",
    "cvqa-real": "whatif.benchmarks.cvqa_real",
    "cvqa-synthetic": "whatif.benchmarks.cvqa_synthetic",
    "scenes": "whatif.benchmarks.scenes",
}


def benchmark(name: str) -> Benchmark:
    """The benchmark of a name that `params.yaml` may use."""
    found = importlib.import_module(MODULES[name]).BENCHMARK
    assert isinstance(found, Benchmark)
    return found


def graph(params: Params) -> Graph:
    """The graph of all benchmarks that the parameters name."""
    return Graph(params, [benchmark(name) for name in params.benchmarks])
