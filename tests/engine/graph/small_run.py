"""Runs benchmarks with few items; prints what the jobs executed, as a line of JSON.

Arguments: the folder of the project, and the benchmarks; then one model of each adapter is asked. By default all those
that the shipped `params.yaml` selects.
"""

from __future__ import annotations

import contextlib
import json
import sys
from importlib import import_module
from pathlib import Path
from types import CodeType

from tests.engine.graph.executed import escaped, traced
from tests.projects import Project
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.run import run


def small(folder: Path) -> Project:
    """A project with few items of each benchmark."""
    project = Project(folder)
    extract, generate = project.values["extract"], project.values["generate"]
    generate["cvqa-synthetic"].update(puzzles_per_template=4, shards=1)
    extract["cvqa-real"]["scenes"]["number"] = 12
    extract["scenes"]["number"] = 8
    generate["scenes"]["pairs"] = 4
    extract["coco-counterfactuals"]["scenes"] = 8
    extract["cfmm"]["scenes"]["items_per_category"] = 4
    extract["mucr"]["scenes"]["groups"] = 8
    training = extract["coco-counterfactuals-training"]
    training["scenes"] |= {"pairs": 40, "unpaired": 30}
    for searched in training["retrieval"].values():
        searched["scenes"] = 40
    for recognised in training["classification"].values():
        recognised["number"] = 30
    return project


def escapes_of(graph: Graph) -> tuple[dict[str, str], int]:
    """Definition -> a job that executed it although its code version does not cover it; and how many were executed."""
    escapes: dict[str, str] = {}
    executed = 0
    for job in graph.jobs:
        found: set[CodeType] = set()
        run(traced(job, found), lambda line: None)
        executed += len(found)
        escapes |= dict.fromkeys(escaped(job, found), job.name)
    return escapes, executed


if __name__ == "__main__":
    # An import that is traced takes twice as long.
    for name in ("matplotlib.pyplot", "sklearn.ensemble", "transformers.models.llava.modeling_llava"):
        import_module(name)
    project = small(Path(sys.argv[1]))
    if sys.argv[2:]:
        project.values["benchmarks"] = sys.argv[2:]
        for repeated in ("llava-original", "viper-oracle"):  # others have their adapters
            del project.values["models"][repeated]
        project.values["probes"] = ["other-image", "paraphrased"]
    graph = project.graph
    with contextlib.chdir(project.folder):
        found, executed = escapes_of(graph)
    print(json.dumps({"escapes": dict(sorted(found.items())), "executed": executed}))
