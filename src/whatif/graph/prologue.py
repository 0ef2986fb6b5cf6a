"""The prologue of both doors: puts the workspace in order before anything is scheduled.

Snakemake decides by the times of files. So what is not fresh is moved out of its way (into the stash), together with
everything after it, and the times of what is fresh are brought into the order of the graph. Then Snakemake's own
rules give the right jobs.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from whatif.artifacts import footer_of
from whatif.graph import stash, verified
from whatif.graph.freshness import Condition, State, leftovers, states
from whatif.graph.steps import Graph, Job

_LOCKS = Path(".snakemake/locks")


def prepare(graph: Graph, say: Callable[[str], None]) -> dict[Job, State]:
    """Stashes what is not fresh, mends times that are out of order, and returns the state that was found.

    While another Snakemake holds the lock of this folder nothing is touched: Snakemake itself will say so.
    """
    found = states(graph)
    if _LOCKS.exists() and any(_LOCKS.iterdir()):
        return found
    times: dict[Path, int] = {}
    for job, state in found.items():
        if state.condition is Condition.FRESH:
            _mend_times(job, times)
        else:
            _clear(job, state, say)
    for path in leftovers(graph):
        stash.put({path.stem: path})
        say(f"stashed {path}: no longer asked for")
    return found


def _clear(job: Job, state: State, say: Callable[[str], None]) -> None:
    for path in sorted(state.damaged):
        say(f"set aside {path} as {stash.set_aside(path)}: {state.reasons[0]}")
    moved = stash.put({role: path for role, path in job.outputs.items() if path not in state.damaged})
    for path in job.published:
        path.unlink(missing_ok=True)  # written again from the artifact `files`
    if moved:
        say(f"stashed {job.name}: {'; '.join(state.reasons)}")


def _mend_times(job: Job, times: dict[Path, int]) -> None:
    """Makes every output of a job at least as new as the newest of its inputs."""
    newest = max((times[path] for paths in job.inputs.values() for path in paths), default=0)
    for path in (*job.outputs.values(), *job.published):
        time = path.stat().st_mtime_ns
        if time < newest:
            os.utime(path, ns=(newest, newest))
            time = newest
            if path.suffix == ".parquet":
                # Just verified by `states`: only the time is new.
                verified.remember(path, footer_of(path).content)
        times[path] = time
