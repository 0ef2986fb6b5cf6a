"""What the Snakefile asks: the checked graph, put in order once, and the paths and command of each rule."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from whatif import benchmarks, params
from whatif.artifacts import canonical_json
from whatif.errors import WhatifError
from whatif.graph.cautions import cautions
from whatif.graph.freshness import Condition, State
from whatif.graph.prologue import prepare
from whatif.graph.steps import STAGES, Graph, Job, Step

# Options of Snakemake that would break a promise of this graph -> what to do instead.
_REFUSED = {
    "touch": "content decides what is fresh, not times; leave it out, and see `whatif status`",
}


def refuse_options(asked: Any) -> None:
    """Raises WhatifError when Snakemake was called with an option that does not go with this graph.

    `asked` are the parsed options of Snakemake's command line; None when it was not called by one.
    """
    for name, instead in _REFUSED.items():
        if getattr(asked, name, False):
            raise WhatifError(f"--{name.replace('_', '-')}: {instead}")


def open_graph(
    config: Mapping[str, Any],
    *,
    schedules: bool,
    say: Callable[[str], None],
    asked_for: Collection[str] = (),
    dry_run: bool = False,
) -> Graph:
    """The graph of `params.yaml`; `schedules` is true in the one process that plans jobs, which clears the way.

    `asked_for` are the targets of the run, none for all of them. What is unfinished is done again when it is itself
    asked for, or everything is: `snakemake evaluate` asks again, `snakemake aggregate` takes the answers that are
    there. So a stage of `dvc.yaml` never changes the outputs of another. In a `dry_run`, a line says of each model with
    prices what its evaluations that are due would cost.

    Raises WhatifError for bad parameters, and for `--config` and `--configfile`, which the other door would not see.
    """
    import yaml

    graph = benchmarks.graph(params.load())
    if canonical_json(config) != canonical_json(yaml.safe_load(Path(params.PARAMS_FILE).read_text(encoding="utf-8"))):
        raise WhatifError(
            "--config, --configfile: values given on the command line are not recorded; edit params.yaml instead"
        )
    if schedules:
        prologue = prepare(graph, say, _accepts(graph, asked_for))
        atexit.register(prologue.end)
        asked = _asked(graph, asked_for)
        due = [job for job, state in prologue.found.items() if state.condition is not Condition.FRESH]
        for line in cautions(graph, [job for job in due if asked is None or not _disjoint(asked, job)]):
            say(line)
        if dry_run:
            _say_costs(graph, prologue.found, say, asked_for)
    return graph


def _say_costs(
    graph: Graph, found: Mapping[Job, State], say: Callable[[str], None], asked_for: Collection[str]
) -> None:
    from whatif.benchmarks.dry_run import estimates, has_prices

    wanted = _wanted(graph, asked_for)
    due = [job for job in wanted if has_prices(job) and found[job].condition is not Condition.FRESH]
    for line in estimates(due):
        say(line)


def _wanted(graph: Graph, asked_for: Collection[str]) -> list[Job]:
    """The jobs that a run with these targets needs, in the order of the graph; all of them without targets."""
    if not asked_for or "all" in asked_for:
        return graph.jobs
    named = targets(graph)
    paths = {path for target in asked_for for path in named.get(target, [target])}
    wanted: set[Job] = set()
    for job in reversed(graph.jobs):
        if not paths.isdisjoint(map(str, (*job.outputs.values(), *job.published))):
            wanted.add(job)
            paths.update(str(path) for role in job.inputs.values() for path in role)
    return [job for job in graph.jobs if job in wanted]


def _accepts(graph: Graph, asked_for: Collection[str]) -> Callable[[Job], bool]:
    """Which jobs' unfinished outputs are good enough for a run with these targets."""
    asked = _asked(graph, asked_for)
    return lambda job: asked is not None and _disjoint(asked, job)


def _asked(graph: Graph, asked_for: Collection[str]) -> set[str] | None:
    """The files that a run with these targets is for; None for all."""
    if not asked_for or "all" in asked_for:
        return None
    named = targets(graph)
    return {path for target in asked_for for path in named.get(target, [target])}


def _disjoint(asked: set[str], job: Job) -> bool:
    return asked.isdisjoint(map(str, job.outputs.values()))


def inputs_of(graph: Graph, step: Step) -> Callable[[Any], list[str]]:
    """The input function of a step's rule."""
    return lambda wildcards: graph.input_paths(step, dict(wildcards.items()))


def outputs_of(step: Step) -> list[str]:
    """The output patterns of a step's rule: artifacts, then text files."""
    return [*(output.path for output in step.outputs.values()), *step.publishes]


def log_of(step: Step) -> str:
    """Where the rule's jobs write what they say."""
    folders = ["logs", step.stage, step.benchmark, *filter(None, [step.name])]
    return "/".join([*folders, *(f"{{{name}}}" for name in step.wildcards)]) + ".log"


def job_of(step: Step) -> str:
    """The arguments of `whatif` that run one job of a step's rule, with the rule's wildcards."""
    named = [f"--step {step.name}"] if step.name else []
    return " ".join([step.stage, step.benchmark, *named, *(f"--{name} {{{name}}}" for name in step.wildcards)])


def targets(graph: Graph) -> dict[str, list[str]]:
    """Names that both doors ask for: every stage, and `evaluate-MODEL` for each model, with their files."""
    named = {stage: graph.stage_outputs(stage) for stage in STAGES}
    for model in graph.params.models:
        named[f"evaluate-{model}"] = [
            str(path)
            for job in graph.jobs
            if job.step.stage == "evaluate" and f"models.{model}" in job.parameters
            for path in job.outputs.values()
        ]
    return named
