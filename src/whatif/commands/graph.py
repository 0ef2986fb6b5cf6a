"""`whatif graph`: a picture of the rules and how they depend on each other."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("graph")
@click.argument("benchmarks", nargs=-1, metavar="[BENCHMARK]...")
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("graph.svg"),
    show_default=True,
    help="File to write.",
)
def graph(benchmarks: tuple[str, ...], svg: Path) -> None:
    """Draw the rules of BENCHMARK, or of every benchmark in params.yaml, as an SVG.

    There is a band for each benchmark, a column for each stage, and a box with the number of jobs for each rule. No
    job is run. For the state of each job, see `whatif status`.
    """
    from whatif import benchmarks as installed
    from whatif.files.atomic import write_whole
    from whatif.workflow.rule_graph import rule_graph

    text = rule_graph(installed.graph(installed.load_params()), benchmarks)
    write_whole(svg, text.encode())
    click.echo(f"{svg}: written")
