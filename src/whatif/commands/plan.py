"""`whatif plan`: what a run needs, before anything is there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from whatif.engine.cluster.run_plan import Row

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("benchmarks", nargs=-1, metavar="[BENCHMARK]...")
@click.option("--params", "file", type=_FILE, help="The parameters. Default: params.yaml.")
@click.option("--rates", type=_FILE, help="A file of rates. Without it, only the numbers of jobs are known.")
@click.option("--gpu-hour", type=click.FloatRange(0), help="The price of a GPU hour, instead of that in the rates.")
@click.option("--by-model", is_flag=True, help="Print a line for each model that is asked.")
def plan(
    benchmarks: tuple[str, ...], file: Path | None, rates: Path | None, gpu_hour: float | None, by_model: bool
) -> None:
    """Show the jobs, GPU hours, storage, requests and money that a run of BENCHMARK, or of all in params.yaml, needs.

    Nothing is run or read but the parameters, so their files need not be there. The amounts are products of settings
    and of the rates in a file; what has no rate is `unknown`.

    \b
    whatif plan --params docs/paper-scale.yaml --rates docs/paper-rates.yaml
    whatif plan mucr --rates rates.yaml --gpu-hour 1.5
    """
    from whatif.engine.cluster.run_plan import table
    from whatif.engine.params.whole import PARAMS_FILE

    lines = table(planned(file or Path(PARAMS_FILE), benchmarks, rates, gpu_hour, by_model))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for first, *cells in lines:
        numbers = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        click.echo("  ".join([first.ljust(widths[0]), *numbers]))


def planned(
    file: Path,
    benchmarks: Sequence[str] = (),
    rates_file: Path | None = None,
    gpu_hour: float | None = None,
    by_model: bool = False,
) -> list[Row]:
    """The rows of a plan; see `whatif.engine.cluster.run_plan.plan`."""
    from whatif import benchmarks as installed
    from whatif.engine.cluster.run_plan import Rates
    from whatif.engine.cluster.run_plan import plan as rows_of
    from whatif.engine.params.files import read_settings, read_yaml

    values = read_yaml(file)[0]
    if benchmarks and isinstance(values, dict):
        values = {**values, "benchmarks": list(benchmarks)}
    graph = installed.graph(installed.check_params(values, file))
    rates = Rates() if rates_file is None else read_settings(Rates, rates_file)
    if gpu_hour is not None:
        rates = rates.model_copy(update={"price_per_gpu_hour": gpu_hour})
    return rows_of(graph, rates, installed.in_force(values, file, benchmarks), by_model)
