"""`whatif export results`: the headline numbers of each model in the formats of experiment trackers and of the hub."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatif.engine.errors import WhatifError
from whatif.engine.files.project_folder import display_path

if TYPE_CHECKING:
    from whatif.results.tracking.runs import TrackedRun

TARGETS = ("mlflow", "wandb", "dvclive", "hub")


@click.command("results")
@click.option("--to", "target", type=click.Choice(TARGETS), required=True, help="What to write for.")
@click.option("--output", type=click.Path(path_type=Path), help="Folder to write to. Default: results/ plus --to.")
@click.option("--owner", default="", help="For hub: your name or organisation there, as in `whatif publish`.")
@click.option(
    "--published", type=click.Path(path_type=Path), help="For hub: the folder of data sets that `whatif publish` wrote."
)
def export_results(target: str, output: Path | None, owner: str, published: Path | None) -> None:
    """Write the headline numbers of each model, with intervals, settings, commit and fingerprint. Nothing is sent.

    A run is a model of params.yaml at a commit; one that is there already is not written again. `hub` writes a file for
    the repository of each model that is on the hub.

    \b
    whatif export results --to mlflow
    mlflow ui --backend-store-uri sqlite:///results/mlflow/mlflow.db
    """
    from whatif import benchmarks
    from whatif.engine.graph.environment import made_with
    from whatif.results.reporting.headline_numbers import METRICS
    from whatif.results.tracking.runs import tracked_runs
    from whatif.results.tracking.source import source_of

    if (target == "hub") != bool(owner and published):
        raise WhatifError("--to hub needs --owner and --published, the other formats take neither")
    params = benchmarks.load_params()
    artifacts = made_with(benchmarks.graph(params), params.benchmarks, ("evaluate",))["artifacts"]
    fingerprints = {path: one["fingerprint"] for path, one in artifacts.items()}
    source = source_of(Path())
    runs = tracked_runs(params.models, params.benchmarks, METRICS, source, fingerprints)
    if not runs:
        raise WhatifError(f"{METRICS}: no numbers of the models of params.yaml; `dvc repro` or `snakemake` makes them")
    folder = output or Path("results", target)
    if source.changed_files:
        click.echo(f"{source.changed_files} tracked files differ from commit {source.commit[:8]}; the runs say so")
    if published is not None:
        from whatif.results.tracking.hub_results import write_hub

        for repository, file in (written := write_hub(runs, folder, published, owner)):
            upload = ["hf", "upload", repository, display_path(file), f"{file.parent.name}/{file.name}", "--create-pr"]
            click.echo(shlex.join(upload))
        click.echo(f"{display_path(folder)}: {len(written)} of {len(runs)} models are on the hub and answer its tasks")
        return
    added = _added(target, runs, folder)
    click.echo(f"{display_path(folder)}: runs written: {added}, already there: {len(runs) - added}")


def _added(target: str, runs: list[TrackedRun], folder: Path) -> int:
    """Writes the runs; returns how many were not there yet."""
    if target == "mlflow":
        from whatif.results.tracking.mlflow_store import write_mlflow

        return write_mlflow(runs, folder)
    if target == "wandb":
        from whatif.results.tracking.wandb_offline import write_wandb

        return write_wandb(runs, folder)
    from whatif.results.tracking.dvclive_folders import write_dvclive

    return write_dvclive(runs, folder)
