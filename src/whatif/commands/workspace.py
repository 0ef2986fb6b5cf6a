"""`whatif status` and `whatif gc`: report what is fresh or stale, and limit the size of the stash."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatif.engine.errors import WhatifError
from whatif.engine.files.project_folder import check_project

if TYPE_CHECKING:
    from whatif.engine.graph.freshness import State
    from whatif.engine.graph.jobs import Job

_COLOURS = {"fresh": "green", "stale": "yellow", "unknown": "cyan", "missing": "red"}
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object: path -> condition and reasons.")
@click.option("--all", "every_file", is_flag=True, help="List every file, including fresh ones and those left over.")
@click.option("--check", is_flag=True, help="End with exit code 1 if anything is not fresh.")
def status(as_json: bool, every_file: bool, check: bool) -> None:
    """List the jobs that are not fresh, with the reasons.

    Stale: parameters, inputs or code changed since the files were made. Missing: a file does not exist. Unknown: an
    earlier job is not fresh. This command changes nothing; the next `dvc repro` or `snakemake` runs these jobs.
    """
    from whatif import benchmarks
    from whatif.engine.graph.freshness import by_step, leftovers, states
    from whatif.engine.graph.libraries import changes

    graph = benchmarks.graph(benchmarks.load_params())
    found = states(graph)
    if as_json:
        click.echo(json.dumps(_as_json(found), indent=2))
    else:
        for job, state in found.items():
            _print_job(job, state, every_file)
        left_over = leftovers(graph)
        for what in map(str, left_over) if every_file else by_step(left_over):
            click.echo(f"{'left over':9} {what}: no longer part of the graph")
        for line in changes(job for job, state in found.items() if state.condition == "fresh"):
            click.echo(f"warning: {line}", err=True)
        counts = {name: sum(state.condition == name for state in found.values()) for name in _COLOURS}
        click.echo(", ".join(f"{number} {name}" for name, number in counts.items() if number) + " (jobs)")
    if check and any(state.condition != "fresh" for state in found.values()):
        raise SystemExit(1)


def _as_json(found: dict[Job, State]) -> dict[str, dict[str, object]]:
    return {
        str(path): {"condition": state.condition.value, "reasons": list(state.reasons), "job": job.name}
        for job, state in found.items()
        for path in (*job.outputs.values(), *job.published)
    }


def _print_job(job: Job, state: State, every_file: bool) -> None:
    """Prints a job if it is not fresh, or every file of it, with the reasons."""
    from whatif.engine.graph.freshness import Condition
    from whatif.engine.workflow.stage_files import log_of

    if state.condition is Condition.FRESH and not every_file:
        return
    condition = click.style(f"{state.condition.value:9}", fg=_COLOURS[state.condition.value])
    files = [*job.outputs.values(), *job.published]
    for line in files if every_file else [job.name]:
        click.echo(f"{condition} {line}")
    # The conditions `unknown` and `missing` already say that an earlier job is not fresh or that all files are missing.
    whole = state.condition is Condition.MISSING and len(state.reasons) == len(files)
    for reason in state.reasons if every_file or not (whole or state.condition is Condition.UNKNOWN) else []:
        click.echo(f"{'':9}   {reason}")
    log = Path(log_of(job.step).format(**job.wildcards))
    if state.condition is not Condition.FRESH and log.exists():
        click.echo(f"{'':9}   log of its last run: {log}")


@click.command()
@click.option("--keep", default="10G", show_default=True, help="Maximum size of the stash: a number with K, M, G or T.")
def gc(keep: str) -> None:
    """Delete the oldest artifacts from the stash until its size is at most --keep.

    The stash contains artifacts of earlier parameter values, so that going back to them needs no computation.
    """
    from whatif.engine.graph.stash import collect

    check_project()
    deleted, left = collect(_bytes(keep))
    click.echo(f"deleted {deleted / 1e6:.1f} MB, {left / 1e6:.1f} MB remain in the stash")


def _bytes(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)B?", text.strip(), re.IGNORECASE)
    if not match:
        raise WhatifError(f"--keep {text}: is not a size; give a number with a unit, for example 500M or 10G")
    return int(float(match[1]) * _UNITS[match[2].upper()])
