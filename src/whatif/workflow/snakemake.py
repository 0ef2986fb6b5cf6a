"""What the Snakefile asks: the checked graph, put in order once, and the paths and command of each rule."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from whatif import benchmarks
from whatif.artifacts.reader import canonical_json
from whatif.errors import WhatifError
from whatif.graph.cautions import cautions
from whatif.graph.freshness import Condition, State
from whatif.graph.graph import Graph, Job
from whatif.graph.prologue import prepare
from whatif.graph.steps import OutputOf, Step
from whatif.params.base import STAGES as _IN_ORDER
from whatif.params.whole import PARAMS_FILE

# Stage -> what its rules do, in the order of the pipeline.
STAGES = dict(
    zip(
        _IN_ORDER,
        (
            "sources: images, captions, released questions",
            "counterfactual questions, captions and images, in parts",
            "automatic filters: what is left, and what was rejected for which reason",
            "checks by people or by counting again: the questions that models are asked",
            "one model asked one benchmark: its predictions, or how it matches captions and images",
            "numbers and tables, beside the reported ones",
        ),
        strict=True,
    )
)

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
    executes: Callable[[], bool] = lambda: True,
    dry_run: bool = False,
) -> Graph:
    """The graph of `params.yaml`; `schedules` is true in the one process that plans jobs, which clears the way.

    `executes` is asked when the process ends, whether it ran what was due or only looked, as a dry run does.

    `asked_for` are the targets of the run, none for all of them. What is unfinished is done again when it is itself
    asked for, or everything is: `snakemake evaluate` asks again, `snakemake aggregate` takes the answers that are
    there. So a stage of `dvc.yaml` never changes the outputs of another. In a `dry_run`, a line says of each model with
    prices what its evaluations that are due would cost.

    Raises WhatifError for bad parameters, and for `--config` and `--configfile`, which `dvc repro` would not see.
    """
    import yaml

    graph = benchmarks.graph(benchmarks.load_params())
    if canonical_json(config) != canonical_json(yaml.safe_load(Path(PARAMS_FILE).read_text(encoding="utf-8"))):
        raise WhatifError(
            "--config, --configfile: values given on the command line are not recorded; edit params.yaml instead"
        )
    if schedules:
        asked = jobs_asked_for(graph, asked_for)
        prologue = prepare(graph, say, accepts(graph, asked_for), graph.needed_for(asked).__contains__)
        atexit.register(lambda: prologue.end(only_looked=not executes()))
        for line in cautions(graph, [job for job in asked if prologue.found[job].condition is not Condition.FRESH]):
            say(line)
        if dry_run:
            _say_costs(graph, asked, prologue.found, say)
    return graph


def _say_costs(graph: Graph, asked: Iterable[Job], found: Mapping[Job, State], say: Callable[[str], None]) -> None:
    """A line for each model with prices whose evaluations are due."""
    from whatif.benchmarks.shared.dry_run import estimates, has_prices

    wanted = graph.needed_for(asked)
    for line in estimates([job for job in wanted if has_prices(job) and found[job].condition is not Condition.FRESH]):
        say(line)


def jobs_asked_for(graph: Graph, asked_for: Collection[str]) -> list[Job]:
    """The jobs that a run with these targets names: files, rules, or stages and models; all when it names none."""
    if not asked_for or "all" in asked_for:
        return graph.jobs
    named = targets(graph)
    paths = {path for target in asked_for for path in named.get(target, [target])}
    return [
        job
        for job in graph.jobs
        if job.step.rule in asked_for or not paths.isdisjoint(map(str, (*job.outputs.values(), *job.published)))
    ]


def accepts(graph: Graph, asked_for: Collection[str]) -> Callable[[Job], bool]:
    """Which jobs' unfinished outputs are good enough for a run with these targets: of all that it does not name."""
    asked = {job.name for job in jobs_asked_for(graph, asked_for)}
    return lambda job: job.name not in asked


def inputs_of(graph: Graph, step: Step) -> list[str]:
    """The input patterns of a step's rule.

    A wildcard that the rule has too stays one; of any other, a job reads all values. Patterns take Snakemake a third of
    the time of input functions.
    """
    benchmark = graph.benchmarks[step.benchmark]
    return [path for given in step.inputs.values() for path in _patterns(graph, benchmark.step_of(given), given, step)]


def _patterns(graph: Graph, maker: Step, given: OutputOf, reader: Step) -> list[str]:
    kept = {name: f"{{{name}}}" for name in maker.wildcards if name in reader.wildcards}
    paths = (maker.paths[given.role].format(**{**job.wildcards, **kept}) for job in graph.jobs_of(maker))
    return list(dict.fromkeys(paths))


def outputs_of(step: Step) -> list[str]:
    """The output patterns of a step's rule: artifacts, then text files."""
    return [*step.paths.values(), *step.text_files]


def priority_of(step: Step) -> int:
    """Earlier stages first: long chains of jobs begin early, and independent evaluations fill the other cores."""
    return len(_IN_ORDER) - _IN_ORDER.index(step.stage)


def log_of(step: Step) -> str:
    """Where the rule's jobs write everything that they print."""
    folders = ["logs", step.stage, step.benchmark, *filter(None, [step.name])]
    return "/".join([*folders, *(f"{{{name}}}" for name in step.wildcards)]) + ".log"


def job_of(step: Step) -> str:
    """The arguments of `whatif` that run one job of a step's rule, with the rule's wildcards."""
    siblings = benchmarks.benchmark(step.benchmark).steps_of(step.stage)
    named = [f"--step {step.name or step.stage}"] if len(siblings) > 1 else []
    return " ".join([step.stage, step.benchmark, *named, *(f"--{name} {{{name}}}" for name in step.wildcards)])


def targets(graph: Graph) -> dict[str, list[str]]:
    """Targets of `dvc repro` and `snakemake`: every stage, and `evaluate-MODEL` for each model, with their files."""
    named = {stage: graph.stage_outputs(stage) for stage in _IN_ORDER}
    for model in graph.params.models:
        named[f"evaluate-{model}"] = [
            str(path)
            for job in graph.jobs
            if job.step.stage == "evaluate" and job.model_key == model
            for path in job.outputs.values()
        ]
    return named


def wildcard_patterns(graph: Graph) -> dict[str, str]:
    """The regular expression of each wildcard in the paths of the graph."""
    steps = [step for benchmark in graph.benchmarks.values() for step in benchmark.steps]
    return {one.name: one.pattern for step in steps for one in step.divided_by}
