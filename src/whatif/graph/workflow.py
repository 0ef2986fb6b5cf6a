"""What the Snakefile asks: the checked graph, put in order once, and the paths and command of each rule."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from whatif import benchmarks, params
from whatif.artifacts import canonical_json
from whatif.errors import WhatifError
from whatif.graph.prologue import prepare
from whatif.graph.steps import STAGES, Graph, Step


def open_graph(config: Mapping[str, Any], *, schedules: bool, say: Callable[[str], None]) -> Graph:
    """The graph of `params.yaml`; `schedules` is true in the one process that plans jobs, which clears the way.

    Raises WhatifError for bad parameters, and for `--config`, which the other door would not see.
    """
    import yaml

    graph = benchmarks.graph(params.load())
    if canonical_json(config) != canonical_json(yaml.safe_load(Path(params.PARAMS_FILE).read_text(encoding="utf-8"))):
        raise WhatifError("--config: values given on the command line are not recorded; edit params.yaml instead")
    if schedules:
        atexit.register(prepare(graph, say).end)
    return graph


def inputs_of(graph: Graph, step: Step) -> Callable[[Any], list[str]]:
    """The input function of a step's rule."""
    return lambda wildcards: graph.input_paths(step, dict(wildcards.items()))


def outputs_of(step: Step) -> list[str]:
    """The output patterns of a step's rule: artifacts, then text files."""
    return [*(output.path for output in step.outputs.values()), *step.publishes]


def log_of(step: Step) -> str:
    """Where the rule's jobs write what they say."""
    return "/".join(["logs", step.stage, step.benchmark, *(f"{{{name}}}" for name in step.wildcards)]) + ".log"


def job_of(step: Step) -> str:
    """The arguments of `whatif` that run one job of a step's rule, with the rule's wildcards."""
    return " ".join([step.stage, step.benchmark, *(f"--{name} {{{name}}}" for name in step.wildcards)])


def targets(graph: Graph) -> dict[str, list[str]]:
    """Names that both doors ask for: every stage, and `evaluate-MODEL` for each model, with their files."""
    named = {stage: graph.stage_outputs(stage) for stage in STAGES}
    for model in graph.params.models:
        named[f"evaluate-{model}"] = [
            str(path)
            for job in graph.jobs
            if job.step.stage == "evaluate" and job.wildcards.get("model") == model
            for path in job.outputs.values()
        ]
    return named
