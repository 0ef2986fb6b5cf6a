"""What results were made with: libraries, commit and fingerprints; and this machine."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from whatif.engine.artifacts.reader import Footer, footer_of
from whatif.engine.graph.graph import Graph
from whatif.engine.params.base import STAGES


def made_with(graph: Graph, benchmarks: Iterable[str], stages: Iterable[str] = STAGES) -> dict[str, Any]:
    """What the artifacts of some benchmarks and stages were made with, for JSON; none of it depends on this machine.

    libraries: of each library that the code uses, the versions that the artifacts name (one, if all were made alike).
    artifacts: the fingerprint of each (of its parameters, inputs and code), the hash of its rows, and their number;
    those that are not there are left out. commit: of the project, None outside git; changed_files: how many tracked
    files differ from it.

    Raises WhatifError when an artifact is unreadable.
    """
    wanted, of_stages = set(benchmarks), set(stages)
    footers: dict[str, Footer] = {}
    for job in graph.jobs:
        if job.step.benchmark in wanted and job.step.stage in of_stages:
            footers |= {str(path): footer_of(path) for path in job.outputs.values() if path.exists()}
    libraries: dict[str, set[str]] = {}
    for footer in footers.values():
        for name, version in footer.libraries.items():
            libraries.setdefault(name, set()).add(version)
    commit = printed_by("git", "rev-parse", "HEAD")
    changed = printed_by("git", "status", "--porcelain", "--untracked-files=no") if commit else ""
    return {
        "commit": commit or None,
        "changed_files": len(changed.splitlines()),
        "libraries": {name: sorted(versions) for name, versions in sorted(libraries.items())},
        "artifacts": {
            path: {"fingerprint": footer.fingerprint, "content": footer.content, "rows": footer.rows}
            for path, footer in sorted(footers.items())
        },
    }


def machine() -> dict[str, Any]:
    """This machine: system, processor, cores, memory in GiB, GPUs, and the version of Python."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    return {
        "system": platform.platform(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gib": round(memory / 2**30, 1) or None,
        "gpus": printed_by("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").splitlines(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()


def printed_by(*command: str) -> str:
    """What a program printed; empty if it is not there or failed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
