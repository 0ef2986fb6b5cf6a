"""What the Snakefile uses: the checked graph in a prepared workspace, and the paths and command of each rule."""

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
from whatif.graph.graph import Graph
from whatif.graph.jobs import Job
from whatif.graph.prologue import prepare
from whatif.graph.steps import OutputOf, Step
from whatif.params.base import STAGES as _IN_ORDER
from whatif.params.whole import PARAMS_FILE

# Stage -> description of what its rules do, in the order of the pipeline.
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
) -> Graph:
    """The graph of `params.yaml`.

    `schedules` is true only in the process that plans jobs; that process also prepares the workspace (`prepare`).
    `executes` is called when the process ends: it returns whether jobs were run, and false after a dry run.

    `asked_for` are the targets of the run; if it is empty, all targets are requested. Unfinished outputs are made again
    only if they are requested themselves: `snakemake evaluate` asks the unanswered questions again, and `snakemake
    aggregate` uses the existing answers. So a stage of `dvc.yaml` never changes the outputs of another stage. A
    `dry_run` prints, for each model with prices, a line with the estimated cost of its evaluations that are due.

    Raises WhatifError for invalid parameters, and for `--config` and `--configfile`, which `dvc repro` would not see.
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
    """Prints a cost estimate for each model with prices whose evaluations are due."""
    from whatif.benchmarks.shared.dry_run import estimates, has_prices

    wanted = graph.needed_for(asked)
    for line in estimates([job for job in wanted if has_prices(job) and found[job].condition is not Condition.FRESH]):
        say(line)


def jobs_asked_for(graph: Graph, asked_for: Collection[str]) -> list[Job]:
    """The jobs that the targets of a run name: files, rules, stages or models; all jobs if there are no targets."""
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
    """Selects the jobs whose unfinished outputs are accepted in a run: all jobs that its targets do not name."""
    asked = {job.name for job in jobs_asked_for(graph, asked_for)}
    return lambda job: job.name not in asked


def inputs_of(graph: Graph, step: Step) -> list[str]:
    """The input patterns of a step's rule.

    Wildcards that the rule also has are kept; for any other wildcard, a job reads all values. Snakemake needs a third
    of the time for patterns that it needs for input functions.
    """
    return [path for given in step.inputs.values() for path in _patterns(graph, given, step)]


def _patterns(graph: Graph, given: OutputOf, reader: Step) -> list[str]:
    maker = graph.maker(reader, given)
    if maker is None:
        return []
    kept = {name: f"{{{name}}}" for name in maker.wildcards if name in reader.wildcards}
    paths = (maker.paths[given.role].format(**{**job.wildcards, **kept}) for job in graph.jobs_of(maker))
    return list(dict.fromkeys(paths))


def outputs_of(step: Step) -> list[str]:
    """The output patterns of a step's rule: artifacts, then text files."""
    return [*step.paths.values(), *step.text_files]


def priority_of(step: Step) -> int:
    """The priority of a step's rule: earlier stages first.

    Long chains of jobs then begin early, and independent evaluations use the remaining cores.
    """
    return len(_IN_ORDER) - _IN_ORDER.index(step.stage)


def log_of(step: Step) -> str:
    """The log file to which the rule's jobs write their output, with wildcards."""
    folders = ["logs", step.stage, step.benchmark, *filter(None, [step.name])]
    return "/".join([*folders, *(f"{{{name}}}" for name in step.wildcards)]) + ".log"


def job_of(graph: Graph, step: Step) -> str:
    """The arguments of `whatif` that run one job of a step's rule, with the rule's wildcards."""
    siblings = graph.benchmarks[step.benchmark].steps_of(step.stage)
    named = [f"--step {step.name or step.stage}"] if len(siblings) > 1 else []
    return " ".join([step.stage, step.benchmark, *named, *(f"--{name} {{{name}}}" for name in step.wildcards)])


def targets(graph: Graph) -> dict[str, list[str]]:
    """The targets of `dvc repro` and `snakemake` and their files: every stage, and `evaluate-MODEL` for each model."""
    named = {stage: graph.stage_outputs(stage) for stage in _IN_ORDER}
    for model in graph.params.models:
        named[f"evaluate-{model}"] = [
            str(path)
            for job in graph.jobs
            if job.step.stage == "evaluate" and job.evaluated_key == model
            for path in job.outputs.values()
        ]
    return named


def wildcard_patterns(graph: Graph) -> dict[str, str]:
    """The regular expression of each wildcard in the paths of the graph."""
    steps = [step for benchmark in graph.benchmarks.values() for step in benchmark.steps]
    return {one.name: one.pattern for step in steps for one in step.divided_by}
