"""Offline runs of Weights & Biases, which `wandb sync` uploads."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from time import gmtime, strftime
from typing import Any

from whatif.results.tracking.runs import TrackedRun

PROJECT = "whatif"


def write_wandb(runs: Iterable[TrackedRun], folder: Path) -> int:
    """Writes runs to `folder/offline-run-TIME-ID/`; returns how many were not there yet.

    TIME is that of the commit. The library has no setting for the start of a run: the one inside is that of the export.
    Nothing is sent, whatever the environment says, and nothing about this machine but its platform is recorded. A run
    gets its place once it is complete.
    """
    os.environ["WANDB_ERROR_REPORTING"] = "false"
    import wandb

    folder.mkdir(parents=True, exist_ok=True)
    added = 0
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as scratch:
        os.environ["WANDB_CACHE_DIR"] = scratch  # for its logs
        for run in runs:
            place = folder / f"offline-run-{strftime('%Y%m%d_%H%M%S', gmtime(run.source.seconds))}-{run.id}"
            if place.exists():
                continue
            opened = wandb.init(settings=_settings(wandb, run, scratch), config={**run.params, "whatif": {**run.tags}})
            opened.summary.update(run.metrics)
            for name, data in run.files.items():
                (Path(opened.dir) / name).write_bytes(data)
                opened.save(str(Path(opened.dir) / name), base_path=opened.dir, policy="now")
            opened.finish()
            made = next(Path(scratch, "wandb").glob(f"offline-run-*-{run.id}"))
            for rest in ("logs", "tmp"):
                shutil.rmtree(made / rest, ignore_errors=True)
            made.rename(place)
            added += 1
        wandb.teardown()
    return added


def _settings(wandb: Any, run: TrackedRun, scratch: str) -> Any:
    return wandb.Settings(
        mode="offline",
        root_dir=scratch,
        project=PROJECT,
        run_id=run.id,
        run_name=run.name,
        git_commit=run.source.commit or None,
        git_remote_url=run.source.repository or None,
        reinit="create_new",
        silent=True,
        console="off",
        program="whatif",
        host="",
        disable_git=True,
        disable_code=True,
        disable_job_creation=True,
        save_code=False,
        x_disable_meta=True,
        x_disable_stats=True,
        x_disable_machine_info=True,
        x_save_requirements=False,
    )
