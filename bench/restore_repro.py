"""`dvc repro` when an earlier parameter value comes back from the stash, beside `snakemake` doing the same.

Both sides restore the same artifacts in one small project. `after_snakemake` is `dvc repro` once Snakemake has restored
them, when nothing is left to do but to record it.
"""

from __future__ import annotations

import re
import resource
import statistics
import tempfile
from pathlib import Path
from typing import Any

from bench.noop_repro import copy_small, run

_ROUNDS = 3
SMALL = {"_ROUNDS": 1, "_MODELS": ("random",)}
_MODELS: tuple[str, ...] | None = None  # all that need no checkpoint
_SEEDS = (2024, 7)


def measure() -> dict[str, Any]:
    """Seconds by the clock, and of the processor, median of rounds taken in turn."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        copy_small(project, _MODELS)
        for seed in _SEEDS:
            _set_seed(project, seed)
            run(project, "dvc", "repro")
        seconds: dict[str, list[tuple[float, float]]] = {"dvc": [], "snakemake": [], "dvc after snakemake": []}
        for _ in range(_ROUNDS):
            _set_seed(project, _SEEDS[0])
            seconds["dvc"].append(_timed(project, "dvc", "repro"))
            _set_seed(project, _SEEDS[1])
            seconds["snakemake"].append(_timed(project, "snakemake", "--cores", "1"))
            seconds["dvc after snakemake"].append(_timed(project, "dvc", "repro"))
    (ours, ours_cpu), (peer, peer_cpu), (after, after_cpu) = (
        (statistics.median(column) for column in zip(*rounds, strict=True)) for rounds in seconds.values()
    )
    return {
        "name": "restore-repro",
        "ours": ours,
        "ours_cpu_seconds": ours_cpu,
        "peer": peer,
        "peer_cpu_seconds": peer_cpu,
        "after_snakemake": after,
        "after_snakemake_cpu_seconds": after_cpu,
        "unit": "s",
        "ratio": peer / ours,
        "peer_name": "snakemake restoring the same artifacts",
    }


def _set_seed(project: Path, seed: int) -> None:
    file = project / "params.yaml"
    text, replaced = re.subn(r"^seed: .*$", f"seed: {seed}", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert replaced == 1
    file.write_text(text, encoding="utf-8")


def _timed(project: Path, *command: str) -> tuple[float, float]:
    """Seconds by the clock and of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = run(project, *command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
