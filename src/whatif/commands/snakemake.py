"""What the Snakefile uses: the checked graph in a prepared workspace, its targets, and the paths that rules read."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from whatif import benchmarks
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.cluster.resources import RESOURCES_FILE
from whatif.engine.errors import WhatifError
from whatif.engine.graph.blocks import is_first, parts_per_job
from whatif.engine.graph.cautions import cautions
from whatif.engine.graph.freshness import Condition, State
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job
from whatif.engine.graph.prologue import prepare
from whatif.engine.graph.steps import Step
from whatif.engine.params.base import STAGES
from whatif.engine.params.whole import PARAMS_FILE
from whatif.engine.workflow.stage_files import check_stage_files

# Snakemake options that would break a guarantee of this graph -> what to do instead.
_REFUSED = {
    "touch": "content decides what is fresh, not times; leave it out, and see `whatif status`",
}


def refuse_options(asked: Any) -> None:
    """Raises WhatifError when Snakemake was called with an option that is incompatible with this graph.

    `asked` are the parsed options of Snakemake's command line, or None if Snakemake was not called from one.
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
    executes: Callable[[], bool] = lambda: True,
    dry_run: bool = False,
    most_jobs: int | None = None,
) -> tuple[Graph, int]:
    """The graph of `params.yaml`, and how many parts one job makes so that there are at most `most_jobs`.

    `schedules` is true only in the process that plans jobs; that process also prepares the workspace (`prepare`).
    `executes` is called when the process ends: it returns whether jobs were run, and false after a dry run.

    `asked_for` are the targets of the run; if it is empty, all targets are requested. Unfinished outputs are made again
    only if they are requested themselves: `snakemake evaluate` asks the unanswered questions again, and `snakemake
    aggregate` uses the existing answers. So a stage of `dvc.yaml` never changes the outputs of another stage. A
    `dry_run` prints, for each model with prices, a line with the estimated cost of its evaluations that are due.

    Raises WhatifError for invalid parameters, for rules in `stages/` that are not those of the graph, and for
    `--config` and `--configfile`, which `dvc repro` would not see.
    """
    import yaml

    graph = benchmarks.graph(benchmarks.load_params())
    together = parts_per_job(graph.jobs, most_jobs or len(graph.jobs))
    if canonical_json(config) != canonical_json(yaml.safe_load(Path(PARAMS_FILE).read_text(encoding="utf-8"))):
        raise WhatifError(
            "--config, --configfile: values given on the command line are not recorded; edit params.yaml instead"
        )
    if schedules:
        check_stage_files(graph)
        asked = jobs_asked_for(graph, asked_for)
        needed = graph.needed_for(asked).__contains__
        prologue = prepare(
            graph, say, accepts(graph, asked_for), needed, benchmarks.published_by_others, parts_per_job=together
        )
        atexit.register(lambda: prologue.end(only_looked=not executes()))
        for line in cautions(graph, [job for job in asked if prologue.found[job].condition is not Condition.FRESH]):
            say(line)
        if together > 1:
            say(f"{len(graph.jobs):,} jobs: up to {together} parts are made as one (`most_jobs` in {RESOURCES_FILE})")
        if dry_run:
            _say_costs(graph, asked, prologue.found, say)
    return graph, together


def _say_costs(graph: Graph, asked: Iterable[Job], found: Mapping[Job, State], say: Callable[[str], None]) -> None:
    """Prints a cost estimate for each model with prices whose evaluations are due."""
    from whatif.benchmarks.shared.dry_run import estimates, has_prices

    wanted = graph.needed_for(asked)
    for line in estimates([job for job in wanted if has_prices(job) and found[job].condition is not Condition.FRESH]):
        say(line)


def jobs_asked_for(graph: Graph, asked_for: Collection[str]) -> list[Job]:
    """The jobs that the targets of a run name: files, rules, stages or models; all jobs if there are no targets."""
    if not asked_for or "all" in asked_for:
        return graph.jobs
    named = jobs_by_target(graph)
    asked = {job for target in asked_for for job in named.get(target, ())}
    others = set(asked_for) - set(named)
    return [
        job
        for job in graph.jobs
        if job in asked or (others and (job.step.rule in others or not others.isdisjoint(_files(job))))
    ]


def accepts(graph: Graph, asked_for: Collection[str]) -> Callable[[Job], bool]:
    """Selects the jobs whose unfinished outputs are accepted in a run: all jobs that its targets do not name."""
    asked = {job.name for job in jobs_asked_for(graph, asked_for)}
    return lambda job: job.name not in asked


def paths_of(graph: Graph, pattern: str, kept: Collection[str] = (), together: int = 1) -> list[str]:
    """The files of an output pattern, for all values of its wildcards except those that are kept as wildcards.

    There are none if no selected benchmark has the pattern. Of so many parts that are made `together`, the files of the
    first are given. Snakemake needs a third of the time for patterns that it needs for input functions.
    """
    found = (
        path.format(**{**job.wildcards, **{name: f"{{{name}}}" for name in kept}})
        for step in (step for benchmark in graph.benchmarks.values() for step in benchmark.steps)
        for path in step.paths.values()
        if path == pattern
        for job in graph.jobs_of(step)
        if is_first(job, together)
    )
    return list(dict.fromkeys(found))


def inputs_from_others(graph: Graph, step: Step, together: int = 1) -> list[str]:
    """What a step's rule reads of other benchmarks: none of those that are not selected, or not needed."""
    makers = ((graph.maker(step, given), given.role) for given in step.inputs.values() if given.benchmark)
    read = dict.fromkeys((maker, role) for maker, role in makers if maker is not None)
    return [
        path
        for maker, role in read
        for path in paths_of(graph, maker.paths[role], set(maker.wildcards) & set(step.wildcards), together)
    ]


def jobs_by_target(graph: Graph) -> dict[str, list[Job]]:
    """The targets of `dvc repro` and `snakemake`, and their jobs: every stage, and `evaluate-MODEL` for each model."""
    named: dict[str, list[Job]] = {stage: [] for stage in STAGES}
    named |= {f"evaluate-{model}": [] for model in graph.params.models}
    for job in graph.jobs:
        named[job.step.stage].append(job)
        if job.step.stage == "evaluate" and f"evaluate-{job.evaluated_key}" in named:
            named[f"evaluate-{job.evaluated_key}"].append(job)
    return named


def targets(graph: Graph, together: int = 1) -> dict[str, list[str]]:
    """The files of each target; of so many parts that are made `together`, those of the first."""
    return {
        target: [path for job in jobs if is_first(job, together) for path in _files(job)]
        for target, jobs in jobs_by_target(graph).items()
    }


def _files(job: Job) -> list[str]:
    return [str(path) for path in (*job.outputs.values(), *job.published)]


def wildcard_patterns(graph: Graph) -> dict[str, str]:
    """The regular expression of each wildcard in the paths of the graph."""
    steps = [step for benchmark in graph.benchmarks.values() for step in benchmark.steps]
    return {one.name: one.pattern for step in steps for one in step.divided_by}
