"""`whatif power`: how many pairs of questions find a drop, and the smallest drop that those at hand find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import escaped

if TYPE_CHECKING:
    from whatif.scoring.statistics.power import Design

_SHARE = click.FloatRange(0, 50)
_INSIDE = click.FloatRange(0, 100, min_open=True, max_open=True)


@click.command()
@click.argument("benchmark", required=False)
@click.option("--model", "models", multiple=True, help="Only this model; repeat it for several.")
@click.option("--drop", type=_INSIDE, default=5.0, show_default=True, help="The drop to find, in points.")
@click.option("--power", "power_", type=_INSIDE, default=80.0, show_default=True, help="How often, in percent.")
@click.option("--alpha", type=_INSIDE, default=5.0, show_default=True, help="The level of the test, in percent.")
@click.option("--gained", type=_SHARE, help="Pairs of which only the counterfactual question is answered, in percent.")
@click.option("--pairs", type=click.IntRange(1), help="A number of pairs, whose smallest drop is asked for.")
@click.option("--pairs-per-image", type=click.FloatRange(1), default=1.0, show_default=True, help="Pairs of an image.")
@click.option(
    "--correlation",
    type=click.FloatRange(-1, 1),
    default=0.0,
    show_default=True,
    help="How alike changes of answers are within an image.",
)
def power(
    benchmark: str | None,
    *,
    models: tuple[str, ...],
    drop: float,
    power_: float,
    alpha: float,
    gained: float | None,
    pairs: int | None,
    pairs_per_image: float,
    correlation: float,
) -> None:
    """Show how many pairs of questions a test needs to find a drop, and the smallest drop that those at hand find.

    The test is the two-sided paired test of the tables, of original against counterfactual accuracy. Its power depends
    on how often answers change in both directions: a drop is the share of pairs that are lost minus the share that are
    gained. With BENCHMARK, the share of gained pairs, the number of pairs, and how alike pairs about one image are,
    come from the answers of each model; otherwise from the options.

    \b
    whatif power cvqa-synthetic                       # from the answers at hand
    whatif power cfmm --drop 3 --power 90
    whatif power --gained 4 --pairs 500               # from assumptions
    whatif power --gained 4 --pairs-per-image 5 --correlation 0.1
    """
    from whatif.scoring.statistics.power import Design

    if benchmark is None and gained is None:
        raise WhatifError("name a benchmark with results, or give --gained, such as `whatif power --gained 4`")
    if benchmark is not None and (gained is not None or pairs is not None):
        raise WhatifError(f"{benchmark}: its answers say how many are gained; leave out --gained and --pairs")
    designs: list[tuple[str, int | None, Design]]
    if benchmark is not None:
        designs = list(_of_answers(benchmark, models))
    else:
        try:
            designs = [("", pairs, Design.with_correlation((gained or 0) / 100, pairs_per_image, correlation))]
        except ValueError as error:
            raise WhatifError(f"--correlation: {error}") from None
    _print("", ("pairs", "gained %", "design effect", "smallest drop", f"pairs for {drop:g}"))
    for name, number, design in designs:
        smallest = None if number is None else design.smallest_drop(number, power_ / 100, alpha / 100)
        possible = drop / 100 <= design.largest_drop
        needed = design.pairs_needed(drop / 100, power_ / 100, alpha / 100) if possible else None
        _print(
            name,
            (
                "" if number is None else f"{number:,}",
                f"{100 * design.gained:.1f}",
                f"{design.design_effect:.2f}",
                "" if number is None else "none" if smallest is None else f"{100 * smallest:.1f}",
                "none" if needed is None else f"{needed:,}",
            ),
        )
    found = f"found in {power_:g}% of samples (two-sided test at {alpha:g}%)"
    click.echo(f"Drops are in points, original minus counterfactual accuracy, {found}.")


def _print(name: str, cells: Sequence[str]) -> None:
    """One line of the table: at most 100 columns, if the name of the evaluation is not long."""
    widths = (8, 10, 15, 15, 16)
    click.echo(f"{escaped(name):36}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)))


def _of_answers(benchmark: str, models: tuple[str, ...]) -> Iterator[tuple[str, int, Design]]:
    """Name, number of pairs and design of each evaluation of a benchmark. Raises WhatifError without one of pairs."""
    import numpy as np

    from whatif.results.comparison.answered import answered
    from whatif.results.comparison.pair_changes import pairs_of
    from whatif.scoring.statistics.power import Design

    any_pairs = False
    for one in answered(benchmark, models):
        originals, counterfactuals = pairs_of(one.rows, np.arange(len(one.rows)))
        if len(originals):
            any_pairs = True
            images = one.rows.clusters[counterfactuals]
            yield one.name, len(originals), Design.of(one.right[originals], one.right[counterfactuals], images)
    if not any_pairs:
        named = f" of {', '.join(models)}" if models else ""
        raise WhatifError(
            f"{benchmark}: data/evaluate has no answers{named} to pairs of questions; `whatif evaluate {benchmark}` "
            "asks them, and `whatif power --gained 4` takes assumptions"
        )
