"""`dvc repro` of a whole project, against the same with each job as a new process: both must make the same bytes."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.noop_repro import ROOT, copy_small, run
from whatif.commands.job_server import VARIABLE

SMALL = {"_MODELS": ("random",)}
_MODELS: tuple[str, ...] | None = None  # the default project, with all of its models


def measure() -> dict[str, Any]:
    """Seconds of one run each, in an empty project."""
    with tempfile.TemporaryDirectory() as folder:
        ours, peer = Path(folder) / "forked", Path(folder) / "new"
        for project in (ours, peer):
            if _MODELS is None:
                subprocess.run(["git", "clone", "--quiet", str(ROOT), str(project)], check=True)
            else:
                copy_small(project, _MODELS)
        seconds = run(ours, "dvc", "repro", "--quiet")
        with patch.dict("os.environ", {VARIABLE: "no"}):
            seconds_of_peer = run(peer, "dvc", "repro", "--quiet")
        assert _lock(ours) == _lock(peer), "the two runs made different bytes"
        shutil.rmtree(peer)
    return {
        "name": "repro",
        "ours": seconds,
        "peer": seconds_of_peer,
        "unit": "s",
        "ratio": seconds_of_peer / seconds,
        "peer_name": "each job as a new process",
    }


def _lock(project: Path) -> bytes:
    return (project / "dvc.lock").read_bytes()
