"""A folder of DVCLive for each model, for `dvc metrics` and the extension of VS Code."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from whatif.results.tracking.runs import TrackedRun


def write_dvclive(runs: Iterable[TrackedRun], folder: Path) -> int:
    """Writes `folder/MODEL/` with `metrics.json`, `params.yaml` and the files of a run; returns the number of runs.

    What was there is replaced, and the same runs give the same bytes. No experiment is saved, and nothing is sent to
    DVC Studio.
    """
    os.environ["DVC_STUDIO_OFFLINE"] = "true"
    from dvclive import Live

    folder, number = folder.resolve(), 0
    # In a git repository without DVC, the library would initialize DVC.
    with tempfile.TemporaryDirectory() as elsewhere, contextlib.chdir(elsewhere):
        for run in runs:
            place = folder / run.name
            with Live(str(place), save_dvc_exp=False, dvcyaml=None) as live:
                live.log_params({**run.params, "whatif": {**run.tags, "id": run.id}})
                for name, value in run.metrics.items():
                    live.log_metric(name, value, plot=False)
            for name, data in run.files.items():
                (place / name).write_bytes(data)
            number += 1
    return number
