"""A dry run of some 10,000 jobs that are all due, beside Snakemake with as many jobs that it is told of itself.

The peer is Snakemake's own share: the same number of jobs in rules of the same shape, in a plain Snakefile without
parameters, graph or freshness.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
_SHARDS = 999  # the most that a part's name has room for
_ASKED = 5  # models
_LIMIT = 60.0  # seconds
# Steps before the questions are asked that are cut into parts; here they wait for each other.
_CHAIN = 5
_PLAIN = """
PARTS = [f"{{index:03d}}" for index in range({shards})]

rule all:
    default_target: True
    input: expand("plain/asked-{{model}}-{{part}}", model=range({asked}), part=PARTS), "plain/chain-{last}-000"

rule start:
    output: "plain/start"
    log: "logs/start"
    shell: "touch {{output}} 2>&1 | tee {{log}}"
"""
_PLAIN_CHAIN = """
rule chain_{number}:
    input: {source}
    output: "plain/chain-{number}-{{part}}"
    log: "logs/chain-{number}-{{part}}"
    shell: "touch {{output}} 2>&1 | tee {{log}}"
"""
_PLAIN_ASKED = """
rule whole:
    input: expand("plain/chain-{last}-{{part}}", part=PARTS)
    output: "plain/whole"
    log: "logs/whole"
    shell: "touch {{output}} 2>&1 | tee {{log}}"

rule asked:
    input: "plain/whole", "plain/chain-0-{{part}}", "plain/chain-1-{{part}}"
    output: "plain/asked-{{model}}-{{part}}"
    log: "logs/asked-{{model}}-{{part}}"
    shell: "touch {{output}} 2>&1 | tee {{log}}"
"""


def measure() -> dict[str, Any]:
    """Seconds of `snakemake --dry-run --quiet rules` with every job due, the freshness prologue included; one core."""
    with tempfile.TemporaryDirectory() as folder:
        ours, plain = Path(folder) / "ours", Path(folder) / "plain"
        _project(ours)
        _plain_project(plain)
        jobs, seconds, cpu = _dry_run(ours)
        peer_jobs, peer_seconds, peer_cpu = _dry_run(plain)
    assert jobs >= 9_900, jobs
    assert abs(jobs - peer_jobs) < 0.01 * jobs, (jobs, peer_jobs)
    # Of the processor, which does not depend on what else the machine does.
    assert cpu < _LIMIT, f"{cpu:.0f} s of at most {_LIMIT:.0f}"
    return {
        "name": "dry-run-10k-jobs",
        "ours": seconds,
        "ours_cpu_seconds": cpu,
        "jobs": jobs,
        "peer": peer_seconds,
        "peer_cpu_seconds": peer_cpu,
        "unit": "s",
        "ratio": peer_seconds / seconds,
        "peer_name": f"snakemake with {peer_jobs} jobs of a plain Snakefile",
    }


def _project(folder: Path) -> None:
    """This checkout's entry points with parameters that make some 10,000 jobs, none of them done."""
    folder.mkdir()
    for name in ("Snakefile", "stages", "profiles", "slurm", "src"):
        (folder / name).symlink_to(ROOT / name)
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    values["benchmarks"] = ["cvqa-synthetic", "coco-counterfactuals"]
    values["generate"]["cvqa-synthetic"]["shards"] = _SHARDS
    values["generate"]["coco-counterfactuals"]["shards"] = _SHARDS
    matchers = {key: model for key, model in values["models"].items() if model["adapter"].endswith("-encoder")}
    values["models"] = {f"model-{number}": {"adapter": "random"} for number in range(_ASKED)} | matchers
    (folder / "params.yaml").write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")


def _plain_project(folder: Path) -> None:
    """As many jobs, in as many parts, without any code of ours."""
    folder.mkdir()
    text = _PLAIN.format(shards=_SHARDS, asked=_ASKED, last=_CHAIN - 1)
    for number in range(_CHAIN):
        source = f'"plain/chain-{number - 1}-{{part}}"' if number else '"plain/start"'
        text += _PLAIN_CHAIN.format(number=number, source=source)
    text += _PLAIN_ASKED.format(last=_CHAIN - 1)
    (folder / "Snakefile").write_text(text, encoding="utf-8")


def _dry_run(folder: Path) -> tuple[int, float, float]:
    """How many jobs Snakemake says that there are, its seconds on the clock, and those of the processor."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    command = ["snakemake", "--dry-run", "--cores", "1", "--quiet", "rules"]
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ended.returncode == 0, ended.stderr[-2000:]
    said = ended.stdout + ended.stderr
    found = re.search(r"^total\s+(\d+)$", said, re.MULTILINE)
    assert found, said[-2000:]
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return int(found.group(1)), seconds, cpu
