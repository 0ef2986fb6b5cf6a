"""The prologue of every run: puts the workspace in order before anything is scheduled.

Snakemake decides by the times of files. So what is not fresh is moved out of its way (into the stash), together with
everything after it. What the stash holds of the wanted state is taken back at once, without a job. The times of what is
fresh are brought into the order of the graph. Then Snakemake's own rules give the right jobs. When the process ends,
what was moved and not made anew is put back as it was: a dry run changes nothing, and a run that failed leaves what it
did not come to.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from whatif.artifacts import verified
from whatif.artifacts.reader import footer_of
from whatif.errors import WhatifError
from whatif.files.atomic import disk_errors, remove_orphans
from whatif.graph import code_index, run, stash
from whatif.graph.freshness import DATA, Condition, State, inputs_fresh, leftovers, state_of
from whatif.graph.graph import Graph, Job
from whatif.processes import locks


@dataclass
class Prologue:
    """What was found, taken back and moved; holds the lock of the checkout until `end`."""

    graph: Graph
    lock: BinaryIO
    found: dict[Job, State]
    taken: list[Job] = field(default_factory=list)
    moved: list[stash.Moved] = field(default_factory=list)
    left_over: list[stash.Moved] = field(default_factory=list)

    def end(self, *, only_looked: bool = False) -> None:
        """Puts back what was moved and not made anew, and gives the lock back.

        What was taken from the stash goes back there when the process `only_looked`, as a dry run does.
        """
        if only_looked:
            for job in self.taken:
                for path in job.published:
                    path.unlink(missing_ok=True)
                for path in job.outputs.values():
                    stash.put(path)
        worked = not self.moved or any(moved.path.exists() for moved in self.moved)
        for moved in self.moved if worked else [*self.moved, *self.left_over]:
            moved.undo()
        for job in self.graph.jobs:
            if job.published and job.outputs["files"].exists() and not all(path.exists() for path in job.published):
                run.publish(job)
        self.lock.close()


def prepare(
    graph: Graph,
    say: Callable[[str], None],
    accept: Callable[[Job], bool] = lambda job: False,
    take_back: Callable[[Job], bool] = lambda job: True,
) -> Prologue:
    """Moves what is not fresh into the stash, takes back from there what is due, and mends times that are out of order.

    Unfinished outputs are not fresh, except those of the jobs that `accept` names. Only the jobs that `take_back` names
    are taken back. Raises WhatifError when another process plans in this checkout, or when something cannot be moved.
    """
    prologue = Prologue(graph, locks.hold_checkout(), {})
    try:
        with disk_errors(DATA):
            remove_orphans(DATA)
            contents: dict[Path, str] = {}
            times: dict[Path, int] = {}
            stale: dict[str, list[str]] = {}
            for job in graph.jobs:
                ready = inputs_fresh(graph, job, prologue.found)
                state = state_of(job, contents, ready, accept_unfinished=accept(job))
                if state.condition is not Condition.FRESH:
                    if present := _present(job):
                        if state.condition is not Condition.UNKNOWN:
                            stale.setdefault("; ".join(state.reasons), []).append(job.name)
                        _clear(job, present, state, prologue, say)
                    if ready and take_back(job) and run.take_back(job, contents, say):
                        prologue.taken.append(job)
                        state = State(Condition.FRESH)
                if state.condition is Condition.FRESH:
                    _mend_times(job, times)
                prologue.found[job] = state
            code_index.keep()
            for reasons, names in stale.items():
                more = f" and {len(names) - 1} more" if len(names) > 1 else ""
                say(f"not fresh: {names[0]}{more}: {reasons}")
            for path in leftovers(graph):
                say(f"out of the way: {path}: no longer asked for")
                prologue.left_over.append(stash.put(path))
    except BaseException:
        prologue.end()
        raise
    return prologue


def _clear(job: Job, present: list[Path], state: State, prologue: Prologue, say: Callable[[str], None]) -> None:
    written = _published_hashes(job)
    for path in present:
        if path in state.damaged:
            prologue.moved.append(stash.set_aside(path))
            say(f"set aside: {prologue.moved[-1].place}: {state.damaged[path]}")
        elif path in job.published:
            if verified.file_digest(path) == written.get(str(path)):
                path.unlink()  # written again from the artifact `files`, wherever that is
            else:
                prologue.moved.append(stash.set_aside(path))
    prologue.moved += [stash.put(path) for path in job.outputs.values() if path.exists()]


def _present(job: Job) -> list[Path]:
    return [path for path in (*job.outputs.values(), *job.published) if path.exists()]


def _published_hashes(job: Job) -> dict[str, str]:
    """Path -> sha256 of the text files as they were published; empty when nothing says so."""
    if not job.published:
        return {}
    try:
        return dict(footer_of(job.outputs["files"]).files)
    except WhatifError:
        return {}


def _mend_times(job: Job, times: dict[Path, int]) -> None:
    """Makes every output of a job at least as new as the newest of its inputs, and none from the future."""
    newest = max((times[path] for path in job.input_paths), default=0)
    for path in (*job.outputs.values(), *job.published):
        written = path.stat().st_mtime_ns
        mended = min(max(written, newest), time.time_ns())
        if mended != written:
            os.utime(path, ns=(mended, mended))
            if path.suffix == ".parquet":
                # Just verified by `states`: only the time is new.
                verified.remember(path, footer_of(path).content)
        times[path] = mended
