"""`whatif extract` to `whatif aggregate`: run the jobs of one stage of one benchmark.

The options that select jobs (`--part`, `--model`) are the dimensions by which installed benchmarks divide their steps.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatif.engine.errors import WhatifError

if TYPE_CHECKING:
    from whatif.engine.graph.graph import Graph
    from whatif.engine.graph.jobs import Job

_STEP = "Only this step of the stage, where it has several; all of them by default."
_LIMIT = (
    "Ask --model a pilot sample of this many pairs or items, and print its accuracy and cost. The answers are stored; "
    "no artifact is written."
)
_DRY_RUN = "Send nothing; print what models behind an endpoint would be asked, with estimated tokens, cost and time."


class StageCommand(click.Command):
    """The command of a stage; its options are looked up only when needed, so `whatif --help` imports no benchmark."""

    def __init__(self, name: str, described: str, *, samples: bool = False, dry_runs: bool = False) -> None:
        """`samples`: whether the stage supports pilot samples; `dry_runs`: whether its cost can be estimated."""
        super().__init__(name, callback=self._run, help=described)
        self._samples = samples
        self._dry_runs = dry_runs

    def get_params(self, context: click.Context) -> list[click.Parameter]:
        """The argument, the options of the dimensions, and `--help`."""
        if not self.params:
            self.params = [click.Argument(["benchmark"]), click.Option(["--step"], help=_STEP)]
            self.params += [
                # The name as in messages, `data_set`, works like the usual spelling of an option.
                click.Option(list(dict.fromkeys([f"--{name.replace('_', '-')}", f"--{name}"])), name, help=described)
                for name, described in _dimensions(str(self.name)).items()
            ]
            if self._samples:
                self.params.append(click.Option(["--limit"], type=click.IntRange(min=1), help=_LIMIT))
            if self._dry_runs:
                self.params.append(click.Option(["--dry-run"], is_flag=True, help=_DRY_RUN))
        return super().get_params(context)

    def _run(
        self, benchmark: str, step: str | None, limit: int | None = None, dry_run: bool = False, **chosen: str | None
    ) -> None:
        given = {key: value for key, value in chosen.items() if value is not None}
        if limit is None:
            (estimate_jobs if dry_run else run_jobs)(str(self.name), benchmark, given, step)
        elif dry_run:
            raise WhatifError("--limit, --dry-run: give only one; a dry run uses the `limit` of params.yaml")
        else:
            from whatif.commands.pilot import run_pilot

            run_pilot(benchmark, given, int(limit))


def _dimensions(stage: str) -> dict[str, str]:
    """The wildcards of a stage in all installed benchmarks, each with its help text."""
    from whatif import benchmarks

    found: dict[str, str] = {}
    for name in benchmarks.installed():
        with contextlib.suppress(WhatifError):  # a broken package is an error only where it is used
            steps = benchmarks.benchmark(name).steps_of(stage)
            found.update({one.name: one.help for step in steps for one in step.divided_by})
    return found


def run_jobs(stage: str, benchmark: str, chosen: dict[str, str], step_name: str | None) -> None:
    """Runs the jobs of a stage, or of one of its steps, one after another, and reports the outcome of each."""
    from whatif import benchmarks
    from whatif.engine.cluster.gpus import take_gpus
    from whatif.engine.graph.blocks import made_by
    from whatif.engine.graph.cautions import cautions
    from whatif.engine.processes.locks import is_planned

    def say(line: str) -> None:
        click.echo(line, err=True)

    graph = benchmarks.graph(benchmarks.load_params())
    steps = graph.steps_of(stage, benchmark, chosen, step_name)
    jobs = [job for step in steps for job in graph.jobs_of(step, chosen)]
    blocks = [made_by(graph, job) for job in jobs]
    if not is_planned():  # otherwise the planning process has already printed the warnings
        for line in (*cautions(graph, jobs), *(outdated(graph, jobs) if stage == "evaluate" else ())):
            say(line)
    for block in blocks:
        take_gpus(block[-1], say)
        _run_block(block, say)


def _run_block(jobs: Sequence[Job], say: Callable[[str], None]) -> None:
    """Runs jobs in turn. One that fails does not keep the others from running, but the last: it stands for all of them.

    Raises the first error.
    """
    from whatif.engine.graph.run import run

    errors: list[Exception] = []
    *others, last = jobs
    for job in others:
        try:
            run(job, say)
        except Exception as error:
            say(f"{job.name}: failed: {error}")
            errors.append(error)
    if errors:
        raise errors[0]
    run(last, say)


def outdated(graph: Graph, jobs: list[Job]) -> list[str]:
    """A warning if models would be asked what a run would replace: a line for the first stale job. Writes nothing."""
    from whatif.engine.graph.freshness import Condition, State, inputs_fresh, state_of

    found: dict[Job, State] = {}
    contents: dict[Path, str] = {}
    asking = set(jobs)
    for job in graph.needed_for(jobs):
        if job in asking:
            continue
        found[job] = state_of(job, contents, inputs_fresh(job, found))
        if found[job].condition is Condition.STALE:
            why = f"{job.name} is stale ({found[job].reasons[0]})"
            return [f"warning: {why}, so these questions may change; first run `dvc repro` or `snakemake`"]
    return []


def estimate_jobs(stage: str, benchmark: str, chosen: dict[str, str], step_name: str | None) -> None:
    """Prints a line for each model behind an endpoint: what its jobs would ask, and the estimated cost."""
    from whatif import benchmarks
    from whatif.benchmarks.shared.dry_run import estimates

    graph = benchmarks.graph(benchmarks.load_params())
    steps = graph.steps_of(stage, benchmark, chosen, step_name)
    jobs = [job for step in steps for job in graph.jobs_of(step, chosen)]
    for line in outdated(graph, jobs):
        click.echo(line, err=True)
    for line in list(estimates(jobs)) or ["nothing to ask behind an endpoint; models on this machine cost nothing"]:
        click.echo(line)


extract = StageCommand("extract", "Read the sources of BENCHMARK: drawn ones, or files that params.yaml names.")
generate = StageCommand(
    "generate", "Make the counterfactual questions and images of BENCHMARK, in parts.", dry_runs=True
)
filter_ = StageCommand("filter", "Apply the automatic filters of BENCHMARK; rejections are kept with their reasons.")
verify = StageCommand(
    "verify", "Check the answers and images of BENCHMARK; models are asked what passes.", dry_runs=True
)
evaluate = StageCommand(
    "evaluate",
    "Ask the models of params.yaml the questions of BENCHMARK, and let matchers score its captions and images.",
    samples=True,
    dry_runs=True,
)
aggregate = StageCommand("aggregate", "Make the metrics, tables and plots of BENCHMARK, beside the reported numbers.")
