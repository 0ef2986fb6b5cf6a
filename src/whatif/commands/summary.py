"""`whatif summary`: prints a line of headline numbers for each benchmark, and where to find all numbers."""

from __future__ import annotations

import json
import math
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from whatif.engine.errors import WhatifError

_METRICS = Path("metrics")
_WIDTH = 100  # columns
_MOST = 8  # maximum number of values shown per measure


@click.command()
def summary() -> None:
    """Print a line of headline numbers for each benchmark of params.yaml, and where to find the other numbers.

    The numbers come from metrics/BENCHMARK.json, which `dvc metrics show` prints in full.
    """
    from whatif import benchmarks

    for name in benchmarks.load_params().benchmarks:
        numbers = headline(_METRICS / f"{name}.json", benchmarks.benchmark(name).headline)
        click.echo(textwrap.fill(f"{name}: {numbers}", _WIDTH, subsequent_indent="    "))
    click.echo("All numbers: metrics/BENCHMARK/report.md, whatif show BENCHMARK. What is fresh and why: whatif status.")


def headline(file: Path, measures: Sequence[str] = ()) -> str:
    """The numbers of some measures in a metrics file, each with the name of its model.

    For example: `counterfactual llava-original 22.9, random 24.8`. If none of `measures` is in the file, the most
    frequent measure is shown. If the file does not exist, the text explains how to make it. Raises WhatifError when the
    file is not valid JSON.
    """
    try:
        leaves = list(_numbers((), json.loads(file.read_text(encoding="utf-8"))))
    except FileNotFoundError:
        return f"{file} is not there yet; `dvc repro` or `snakemake --cores 2` makes it"
    except ValueError as error:
        raise WhatifError(f"{file}: is not JSON ({error}); delete it, and `dvc repro` writes it again") from None
    if not leaves:
        return "no numbers"
    known = Counter(path[-1] for path, _ in leaves)
    shown = [measure for measure in measures if measure in known] or [known.most_common(1)[0][0]]
    return "; ".join(_of_measure(measure, leaves) for measure in shown)


def _of_measure(measure: str, leaves: Sequence[tuple[tuple[str, ...], float]]) -> str:
    alike = [(" ".join(path[:-1]), number) for path, number in leaves if path[-1] == measure]
    shown = ", ".join(f"{whose} {number:.4g}".strip() for whose, number in alike[:_MOST])
    more = f" and {len(alike) - _MOST} more" if len(alike) > _MOST else ""
    return f"{measure.replace('_', ' ')} {shown}{more}"


def _numbers(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], float]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _numbers((*path, str(key)), inner)
    elif path and isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        yield path, value
