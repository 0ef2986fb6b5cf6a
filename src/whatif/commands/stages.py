"""`whatif extract` to `whatif aggregate`: the jobs of one stage of one benchmark."""

from __future__ import annotations

from collections.abc import Callable

import click

from whatif.errors import WhatifError


def _stage(name: str, *wildcards: str, samples: bool = False) -> Callable[[Callable[..., None]], click.Command]:
    """Makes a stage's command of a function that holds only its help text."""

    def decorate(described: Callable[..., None]) -> click.Command:
        @click.pass_context
        def run_stage(context: click.Context, /, benchmark: str, **chosen: str | None) -> None:
            step, dry_run, limit = (chosen.pop(option, None) for option in ("step", "dry_run", "limit"))
            given = {key: value for key, value in chosen.items() if value is not None}
            if limit is None:
                (estimate_jobs if dry_run else run_jobs)(name, benchmark, given, step)
            elif dry_run:
                raise WhatifError("--limit, --dry-run: give only one; a dry run uses the `limit` of params.yaml")
            else:
                from whatif.commands.pilot import run_pilot

                run_pilot(benchmark, given, int(limit))

        run_stage.__doc__ = described.__doc__
        command: Callable[..., None] = click.argument("benchmark")(run_stage)
        for wildcard in ("step", *wildcards):
            command = click.option(f"--{wildcard}", help=_HELP[wildcard])(command)
        if samples:
            command = click.option("--limit", type=click.IntRange(min=1), help=_HELP["limit"])(command)
            command = click.option("--dry-run", is_flag=True, help=_DRY_RUN)(command)
        return click.command(name)(command)

    return decorate


_HELP = {
    "limit": "Ask --model a pilot sample of this many pairs, and print its accuracy and cost. The answers are stored; "
    "no artifact is written.",
    "step": "Only this step of the stage, where it has several; all of them when not given.",
    "part": "Only this part, for example part-000-of-004; all of them when not given.",
    "model": "Only this model of params.yaml; all of them when not given.",
    "matcher": "Only this model of params.yaml that matches captions and pictures.",
    "encoder": "Only this model of params.yaml that embeds captions and pictures, and searches among them.",
    "variant": "Only this variant of the questions, original or counterfactual.",
    "strategy": "Only this prompting strategy; all of params.yaml when not given.",
}


_DRY_RUN = "Send nothing; print what models behind an endpoint would be asked, with estimated tokens, cost and time."


def run_jobs(stage: str, benchmark: str, chosen: dict[str, str], step_name: str | None) -> None:
    """Runs the jobs of a stage, or of one of its steps, one after another, saying what each did."""
    from whatif import benchmarks
    from whatif.graph.cautions import cautions
    from whatif.graph.run import run
    from whatif.processes.locks import is_planned

    def say(line: str) -> None:
        click.echo(line, err=True)

    graph = benchmarks.graph(benchmarks.load_params())
    steps = graph.steps_of(stage, benchmark, chosen, step_name)
    jobs = [job for step in steps for job in graph.jobs_of(step, chosen)]
    if not is_planned():  # otherwise the process that planned has said it
        for line in cautions(graph, jobs):
            say(line)
    for job in jobs:
        run(job, say)


def estimate_jobs(stage: str, benchmark: str, chosen: dict[str, str], step_name: str | None) -> None:
    """Prints a line for each model behind an endpoint: what its jobs would ask, and about how much that costs."""
    from whatif import benchmarks
    from whatif.benchmarks.shared.dry_run import estimates

    graph = benchmarks.graph(benchmarks.load_params())
    steps = graph.steps_of(stage, benchmark, chosen, step_name)
    lines = list(estimates(job for step in steps for job in graph.jobs_of(step, chosen)))
    for line in lines or ["nothing to ask behind an endpoint; models on this machine cost nothing"]:
        click.echo(line)


@_stage("extract")
def extract() -> None:
    """Read the sources of BENCHMARK: drawn ones, or files and folders that params.yaml names."""


@_stage("generate", "part")
def generate() -> None:
    """Make the counterfactual questions and pictures of BENCHMARK, in parts."""


@_stage("filter", "part")
def filter_() -> None:
    """Apply the automatic filters of BENCHMARK; what is rejected is kept with its reason."""


@_stage("verify")
def verify() -> None:
    """Check the answers and pictures of BENCHMARK; what is left is what models are asked."""


@_stage("evaluate", "part", "model", "strategy", "matcher", "encoder", samples=True)
def evaluate() -> None:
    """Ask the models of params.yaml the questions of BENCHMARK, and let matchers score its captions and pictures."""


@_stage("aggregate", "variant")
def aggregate() -> None:
    """Make the metrics, tables and plots of BENCHMARK, beside the printed numbers."""
