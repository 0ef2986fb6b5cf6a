"""`dvc repro` with nothing to do, against `snakemake` with nothing to do, in a finished small project."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
_ROUNDS = 5
SMALL = {"_ROUNDS": 1, "_MODELS": ("random",)}
_MODELS: tuple[str, ...] | None = None  # all that need no checkpoint


def measure() -> dict[str, Any]:
    """Seconds of each entry point, as the median of alternating rounds, and the ratio of the two."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        copy_small(project, _MODELS)
        run(project, "dvc", "repro")
        seconds: dict[str, list[float]] = {"dvc": [], "snakemake": []}
        for _ in range(_ROUNDS):
            seconds["dvc"].append(run(project, "dvc", "repro"))
            seconds["snakemake"].append(run(project, "snakemake", "--cores", "1"))
    ours, peer = (statistics.median(seconds[entry_point]) for entry_point in ("dvc", "snakemake"))
    return {
        "name": "noop-repro",
        "ours": ours,
        "peer": peer,
        "unit": "s",
        "ratio": peer / ours,
        "peer_name": "snakemake with nothing to do",
    }


def copy_small(project: Path, models: Collection[str] | None = None) -> None:
    """The tracked files of this checkout, with few puzzles, and with these models or all that need no checkpoint."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if not name.startswith(("tests/", "docs/", "metrics/", "dvc.lock")) and (ROOT / name).is_file():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, project / name)
    file = project / "params.yaml"
    values = yaml.safe_load(file.read_text(encoding="utf-8"))
    values["generate"]["cvqa-synthetic"].update(puzzles_per_template=4, image_size=224)
    values["benchmarks"] = ["cvqa-synthetic"]
    chosen = {key: model for key, model in values["models"].items() if "checkpoint" not in model}
    values["models"] = {key: model for key, model in chosen.items() if models is None or key in models}
    values["aggregate"]["cvqa-synthetic"] = {"audit_folds": 2}
    file.write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
    run(project, "whatif", "dvc-yaml")  # its stages name the models


def run(project: Path, *command: str) -> float:
    """Seconds that a command takes in a project."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    started = time.perf_counter()
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(project / "src")}
    ended = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, f"{' '.join(command)}: {(ended.stdout + ended.stderr)[-2000:]}"
    return time.perf_counter() - started
