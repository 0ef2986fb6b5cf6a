"""A dry run of some 10,000 jobs that are all due, beside Snakemake with the same rules in a plain Snakefile.

The peer is Snakemake's own share: rules with the same inputs and outputs, written out without parameters, graph or
freshness.
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from whatif import benchmarks
from whatif.engine.graph.steps import Step
from whatif.engine.workflow.stage_files import log_of

ROOT = Path(__file__).parents[1]
_SHARDS = 999  # the most that a part's name has room for
_ASKED = 5  # models
_LIMIT = 60.0  # seconds
_LEAST_JOBS = 9_900
SMALL = {"_SHARDS": 2, "_ASKED": 1, "_LEAST_JOBS": 20}
_PLAIN_RULE = """
rule {name}:
    input: {inputs}
    output: {outputs}
    log: "{log}"
    shell: "touch {{output}} 2>&1 | tee {{log}}"
"""


def measure() -> dict[str, Any]:
    """Seconds of `snakemake --dry-run --quiet rules` with every job due, the freshness prologue included; one core."""
    with tempfile.TemporaryDirectory() as folder:
        ours, plain = Path(folder) / "ours", Path(folder) / "plain"
        _project(ours)
        _plain_project(plain, ours)
        jobs, seconds, cpu = _dry_run(ours)
        peer_jobs, peer_seconds, peer_cpu = _dry_run(plain)
    assert jobs >= _LEAST_JOBS, jobs
    assert jobs == peer_jobs, (jobs, peer_jobs)
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
    for name in ("Snakefile", "profiles", "slurm", "src", "stages"):
        (folder / name).symlink_to(ROOT / name)
    values = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    values["benchmarks"] = ["cvqa-synthetic", "coco-counterfactuals"]
    values["generate"]["coco-counterfactuals"] = {}
    values["generate"]["cvqa-synthetic"]["shards"] = _SHARDS
    values["generate"]["coco-counterfactuals"]["shards"] = _SHARDS
    matchers = {key: model for key, model in values["models"].items() if model["adapter"].endswith("-encoder")}
    values["models"] = {f"model-{number}": {"adapter": "random"} for number in range(_ASKED)} | matchers
    (folder / "params.yaml").write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")


def _plain_project(folder: Path, ours: Path) -> None:
    """The rules of a project of ours written out: the same files, without any code of ours."""
    folder.mkdir()
    with contextlib.chdir(ours):
        graph = benchmarks.graph(benchmarks.load_params())
    steps = [step for benchmark in graph.benchmarks.values() for step in benchmark.steps]
    values = {_values_of(step, name): given for step in steps for name, given in graph.values(step).items()}
    text = "".join(f"{name} = {given!r}\n" for name, given in values.items())
    made = ", ".join(
        _expanded(path, step, ())
        for step in graph.steps("aggregate")
        for path in (*step.paths.values(), *step.text_files)
    )
    text += f"\nrule all:\n    default_target: True\n    input: {made}\n"
    for step in steps:
        makers = [(graph.maker(step, given), given.role) for given in step.inputs.values()]
        inputs = (_expanded(maker.paths[role], maker, step.wildcards) for maker, role in makers if maker)
        outputs = ", ".join(f'"{path}"' for path in (*step.paths.values(), *step.text_files))
        text += _PLAIN_RULE.format(name=step.rule, inputs=", ".join(inputs), outputs=outputs, log=log_of(step))
    (folder / "Snakefile").write_text(text, encoding="utf-8")


def _expanded(path: str, maker: Step, kept: Sequence[str]) -> str:
    """The words of a Snakefile for all files of a pattern, with the wildcards that the rule has too."""
    every = [name for name in maker.wildcards if name not in kept]
    if not every:
        return f'"{path}"'
    for name in set(maker.wildcards) & set(kept):
        path = path.replace(f"{{{name}}}", f"{{{{{name}}}}}")
    return f'expand("{path}", {", ".join(f"{name}={_values_of(maker, name)}" for name in every)})'


def _values_of(step: Step, wildcard: str) -> str:
    """The name of the list of a wildcard's values; steps share wildcards, but not always their values."""
    return f"{step.rule}_{wildcard}".upper()


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
