"""`whatif extract` to `whatif aggregate`: the jobs of one stage of one benchmark."""

from __future__ import annotations

from collections.abc import Callable

import click


def _stage(name: str, *wildcards: str) -> Callable[[Callable[..., None]], click.Command]:
    """Makes a stage's command of a function that holds only its help text."""

    def decorate(described: Callable[..., None]) -> click.Command:
        @click.pass_context
        def run_stage(context: click.Context, /, benchmark: str, **chosen: str | None) -> None:
            step = chosen.pop("step", None)
            run_jobs(name, benchmark, {key: value for key, value in chosen.items() if value is not None}, step)

        run_stage.__doc__ = described.__doc__
        command: Callable[..., None] = click.argument("benchmark")(run_stage)
        for wildcard in ("step", *wildcards):
            command = click.option(f"--{wildcard}", help=_HELP[wildcard])(command)
        return click.command(name)(command)

    return decorate


_HELP = {
    "step": "Only this step of the stage, where it has several; all of them when not given.",
    "part": "Only this part, for example part-000-of-004; all of them when not given.",
    "model": "Only this model of params.yaml; all of them when not given.",
    "matcher": "Only this model of params.yaml that matches captions and pictures.",
    "encoder": "Only this model of params.yaml that embeds captions and pictures, and searches among them.",
    "strategy": "Only this prompting strategy; all of params.yaml when not given.",
}


def run_jobs(stage: str, benchmark: str, chosen: dict[str, str], step_name: str | None) -> None:
    """Runs the jobs of a stage, or of one of its steps, one after another, saying what each did."""
    from whatif import benchmarks, params
    from whatif.graph.cautions import cautions
    from whatif.graph.locks import is_planned
    from whatif.graph.run import run

    def say(line: str) -> None:
        click.echo(line, err=True)

    graph = benchmarks.graph(params.load())
    steps = graph.steps_of(stage, benchmark, chosen, step_name)
    jobs = [job for step in steps for job in graph.jobs_of(step, chosen)]
    if not is_planned():  # else whoever planned has said it
        for line in cautions(graph, jobs):
            say(line)
    for job in jobs:
        run(job, say)


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


@_stage("evaluate", "part", "model", "strategy", "matcher", "encoder")
def evaluate() -> None:
    """Ask the models of params.yaml the questions of BENCHMARK, and let matchers score its captions and pictures."""


@_stage("aggregate")
def aggregate() -> None:
    """Make the metrics, tables and plots of BENCHMARK, beside the printed numbers."""
