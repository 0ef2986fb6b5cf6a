"""`whatif summary`: a row for each benchmark and model, and where to find all numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatif.engine.files.well_formed import escaped
from whatif.results.reporting.headline_numbers import (
    MEASURES,
    METRICS,
    PAIRED,
    PairedNumbers,
    json_numbers,
    paired_numbers,
    summary_of,
)

if TYPE_CHECKING:
    from whatif.engine.params.model_entries import Kind
    from whatif.engine.params.whole import Params

_NAME = 36  # columns of the name of a model
_PLACES: Mapping[Kind, int] = {"own": 0, "embedded": 1, "rules": 1, "guess": 2}

Row = tuple[str, str, tuple[str, ...]]  # key of a model, its strategy, and the cells


@click.command()
def summary() -> None:
    """Print the accuracy and the drop of each model on each benchmark of params.yaml, and where to find all numbers.

    Models of your own come first, then the embedded checkpoints, then those that guess. The numbers come from
    metrics/BENCHMARK/paired.csv and, where questions are not in pairs, from metrics/BENCHMARK.json. A line for each
    number of that file: `dvc metrics diff --all --no-path --targets metrics/BENCHMARK.json`.
    """
    from whatif import benchmarks

    params = benchmarks.load_params()
    place = own_first(params)
    for name in params.benchmarks:
        for line in lines_of(name, benchmarks.benchmark(name).headline, place):
            click.echo(line)
        click.echo()
    click.echo("Accuracy in percent; drop: original minus counterfactual, in points, with its 95% interval.")
    if any(settings.kind == "embedded" for settings in params.models.values()):
        click.echo("Embedded models know drawn pictures only. They say nothing about reasoning (docs/embedded.md).")
    click.echo("All tables: whatif show BENCHMARK. Every answer: whatif site --open. What is fresh: whatif status.")


def own_first(params: Params) -> Callable[[str], int]:
    """The place of a model, by its key, among those of one benchmark: models of the user's own come first."""
    order = {key: _PLACES[settings.kind] for key, settings in params.models.items()}
    return lambda model: order.get(model, 0)


def lines_of(benchmark: str, headline: Sequence[str], place: Callable[[str], int], folder: Path = METRICS) -> list[str]:
    """The lines of one benchmark, whose tables are in `folder`; models are sorted by `place`.

    headline: the measures to show of models without pairs; the most frequent one if there is nothing else.
    Raises WhatifError when a file of numbers is not valid.
    """
    systems = paired_numbers(folder / benchmark / PAIRED)
    numbers = json_numbers(folder / f"{benchmark}.json")
    if numbers is None:
        return [f"{benchmark}: no results yet; `dvc repro` or `snakemake --cores 2` makes them"]
    paired, measures, found = summary_of(systems, numbers, headline)
    rows, more = [_of_pairs(system) for system in paired.values()], len(systems) - len(paired)
    others = [
        (whose[0] if whose else "", " ".join(whose[1:]), tuple(_shown(of.get(measure)) for measure in measures))
        for whose, of in found.items()
    ]
    heading = f"{benchmark} ({more} more with other strategies: whatif show {benchmark})" if more else benchmark
    lines = [*_table(heading, ("pairs", "original", "counterfactual", "drop [95%]"), rows, place)] if rows else []
    if others:
        lines += _table("" if rows else benchmark, [measure.replace("_", " ") for measure in measures], others, place)
    return lines or [f"{benchmark}: no numbers"]


def _table(heading: str, columns: Sequence[str], rows: Sequence[Row], place: Callable[[str], int]) -> Iterator[str]:
    widths = [max(len(column), *(len(cells[number]) for *_, cells in rows)) for number, column in enumerate(columns)]
    ends = [f"{column:>{width}}" for column, width in zip(columns, widths, strict=True)]
    if len(heading) > _NAME:
        yield heading
        heading = ""
    yield "  ".join([f"{heading:{_NAME}}", *ends])
    for model, strategy, cells in sorted(rows, key=lambda row: place(row[0])):
        name = escaped(f"  {model} {strategy}".rstrip())
        ends = [f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)]
        yield "  ".join([f"{name:{_NAME}}", *ends])


def _of_pairs(system: PairedNumbers) -> Row:
    original, counterfactual, drop = (system.measures[name] for name in MEASURES)
    ends = [end for end in (drop.low, drop.high) if end is not None]
    interval = f" [{', '.join(f'{end:.1f}' for end in ends)}]" if ends else ""
    change = f"{drop.value:.1f}{interval}"
    return (
        system.model,
        system.strategy,
        (f"{drop.n or 0:,}", _shown(original.value), _shown(counterfactual.value), change),
    )


def _shown(number: float | None) -> str:
    return "" if number is None else f"{number:.1f}"
