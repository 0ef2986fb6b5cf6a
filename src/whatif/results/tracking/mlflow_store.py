"""Runs in a local store of MLflow: a SQLite database, because MLflow now refuses to use its store of files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from whatif.results.tracking.runs import TrackedRun

DATABASE, EXPERIMENT, ID = "mlflow.db", "whatif", "whatif.id"


def write_mlflow(runs: Iterable[TrackedRun], folder: Path) -> int:
    """Adds runs to `folder/mlflow.db`, with their files in `folder/artifacts`; returns how many were not there yet.

    A run is found again by its tag `whatif.id`. It begins and ends when its commit was made. Nothing is sent: MLflow's
    telemetry is switched off.
    """
    os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
    os.environ.setdefault("MLFLOW_LOGGING_LEVEL", "WARNING")  # it tells each table that it makes
    from mlflow.entities import Metric, Param, RunTag
    from mlflow.tracking import MlflowClient

    folder.mkdir(parents=True, exist_ok=True)
    client = MlflowClient(f"sqlite:///{(folder / DATABASE).resolve()}")
    known = client.get_experiment_by_name(EXPERIMENT)
    artifacts = (folder / "artifacts").resolve().as_uri()
    experiment = known.experiment_id if known else client.create_experiment(EXPERIMENT, artifacts)
    added = 0
    for run in runs:
        found = client.search_runs([experiment], f"tags.`{ID}` = '{run.id}'")
        if any(one.info.status == "FINISHED" for one in found):
            continue
        for one in found:  # of an export that was interrupted
            client.delete_run(one.info.run_id)
        time = run.source.seconds * 1000 or None
        created = client.create_run(experiment, time, run_name=run.name)
        number, at = created.info.run_id, created.info.start_time
        tags = {f"whatif.{name}": text for name, text in run.tags.items()} | {ID: run.id}
        if run.source.commit:  # MLflow's own names, which its pages show as the version
            tags |= {"mlflow.source.git.commit": run.source.commit, "mlflow.source.name": "whatif"}
        if run.source.repository:
            tags["mlflow.source.git.repoURL"] = run.source.repository
        client.log_batch(
            number,
            [Metric(name, value, at, 0) for name, value in run.metrics.items()],
            [Param(name, str(value)) for name, value in run.params.items()],
            [RunTag(name, text) for name, text in tags.items()],
        )
        for name, data in run.files.items():
            client.log_text(number, data.decode(), name)
        client.set_terminated(number, end_time=time)
        added += 1
    return added
