"""`whatif graph`: a picture of the rules and how they depend on each other."""

from __future__ import annotations

from pathlib import Path

import click

from whatif.engine.files.project_folder import display_path, typed_path


@click.command("graph")
@click.argument("benchmarks", nargs=-1, metavar="[BENCHMARK]...")
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write. Default: graph.svg.",
)
def graph(benchmarks: tuple[str, ...], svg: Path | None) -> None:
    """Draw the rules of BENCHMARK, or of every benchmark in params.yaml, as an SVG.

    There is a band for each benchmark, a column for each stage, and a box with the number of jobs for each rule. No
    job is run. For the state of each job, see `whatif status`.
    """
    from whatif import benchmarks as installed
    from whatif.engine.files.atomic import write_whole
    from whatif.engine.workflow.rule_graph import rule_graph

    text = rule_graph(installed.graph(installed.load_params()), benchmarks)
    file = svg or typed_path("graph.svg")
    write_whole(file, text.encode())
    click.echo(f"{display_path(file)}: written")
