"""The prologue of every run: prepares the workspace before anything is scheduled.

Snakemake decides by file times. The prologue therefore moves artifacts that are not fresh, and everything that depends
on them, into the stash. Artifacts of the wanted state that are already in the stash are restored at once, without
a job. The times of fresh artifacts are corrected to follow the order of the graph. Snakemake then selects the right
jobs. When the process ends, moved files that were not recomputed are put back unchanged. So a dry run changes nothing,
and a failed run keeps the old outputs of the jobs that it did not reach.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from whatif.engine.artifacts import verified
from whatif.engine.artifacts.reader import footer_of
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import disk_errors, remove_orphans
from whatif.engine.graph import code_index, folders, run, stash
from whatif.engine.graph.blocks import block_of, is_first
from whatif.engine.graph.freshness import DATA, Condition, State, by_step, inputs_fresh, leftovers, state_of
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job
from whatif.engine.processes import locks

_REASONS = 6  # that a line about a job names


@dataclass
class Prologue:
    """What was found, restored and moved; holds the lock of the checkout until `end` is called."""

    graph: Graph
    lock: BinaryIO
    found: dict[Job, State]
    taken: list[Job] = field(default_factory=list)
    moved: list[stash.Moved] = field(default_factory=list)
    left_over: list[stash.Moved] = field(default_factory=list)

    def end(self, *, only_looked: bool = False) -> None:
        """Puts back files that were moved and not recomputed, and releases the lock.

        If the process `only_looked`, as a dry run does, artifacts taken from the stash are returned to it.
        """
        if only_looked:
            for job in self.taken:
                for path in job.published:
                    path.unlink(missing_ok=True)
                for path in job.outputs.values():
                    stash.put(path)
        worked = not self.moved or any(moved.path.exists() for moved in self.moved)
        for moved in self.moved if worked and not only_looked else [*self.moved, *self.left_over]:
            moved.undo()
        for job in self.graph.jobs:
            if not all(path.exists() for path in job.published) and _holds_what_is_published(job):
                run.publish_files(job)
            elif job.step.folder and not only_looked and job in self.found:
                self._write_folder(job)
        self.lock.close()

    def _write_folder(self, job: Job) -> None:
        """Writes what is missing of the folder of a fresh job, unless an earlier run's process is still at it."""
        if self.found[job].condition is Condition.FRESH and all(path.exists() for path in job.outputs.values()):
            with locks.try_job(job.name) as free:
                if free:
                    folders.publish(job)


def prepare(
    graph: Graph,
    say: Callable[[str], None],
    accept: Callable[[Job], bool] = lambda job: False,
    take_back: Callable[[Job], bool] = lambda job: True,
    of_others: Callable[[Graph], Sequence[Path]] = lambda graph: (),
    *,
    parts_per_job: int = 1,
) -> Prologue:
    """Moves outputs that are not fresh into the stash, restores wanted ones from it, and corrects file times.

    Unfinished outputs are not fresh, except those of jobs for which `accept` returns true. Only the outputs of jobs
    for which `take_back` returns true are restored. Where no artifact is, as in a fresh clone, the text files
    `of_others`, of benchmarks that are no longer selected, are put away too. With several `parts_per_job`, the files of
    a first part are moved while another part of its block is due (`whatif.engine.graph.blocks`).

    Raises WhatifError when another process is planning in this checkout, or when a file cannot be moved.
    """
    prologue = Prologue(graph, locks.hold_checkout(), {})
    try:
        with disk_errors(DATA):
            remove_orphans(DATA)
            contents: dict[Path, str] = {}
            times: dict[Path, int] = {}
            stale: dict[str, list[str]] = {}
            for job in graph.jobs:
                ready = inputs_fresh(job, prologue.found)
                state = state_of(job, contents, ready, accept_unfinished=accept(job))
                if state.condition is not Condition.FRESH:
                    if present := _present(job):
                        # A fresh clone has the published files of jobs that never ran in it.
                        ran = any(path.exists() for path in job.outputs.values())
                        if ran and state.condition is not Condition.UNKNOWN:
                            stale.setdefault(_shortened(state.reasons), []).append(job.name)
                        _clear(job, present, state, prologue, say)
                    if ready and take_back(job) and run.take_back(job, contents, say):
                        prologue.taken.append(job)
                        state = State(Condition.FRESH)
                if state.condition is Condition.FRESH:
                    _mend_times(job, times)
                prologue.found[job] = state
            _clear_first_parts(prologue, parts_per_job)
            _keep_code_versions(graph)
            for reasons, names in stale.items():
                more = f" and {len(names) - 1} more" if len(names) > 1 else ""
                say(f"not fresh: {names[0]}{more}: {reasons}")
            if not any(Path(DATA).rglob("*.parquet")):
                _put_away(of_others(graph), prologue, say)
            _clear_leftovers(prologue, say)
    except BaseException:
        prologue.end()
        raise
    return prologue


def _clear_first_parts(prologue: Prologue, size: int) -> None:
    """Moves the fresh files of first parts that stand for a block of which another part is due."""
    if size == 1:
        return
    due = {block_of(job, size) for job, state in prologue.found.items() if state.condition is not Condition.FRESH}
    for job, state in prologue.found.items():
        if state.condition is Condition.FRESH and is_first(job, size) and block_of(job, size) in due:
            moved = [stash.put(path) for path in job.outputs.values()]
            if job in prologue.taken:
                prologue.taken.remove(job)  # it is back where it was
            else:
                prologue.moved += moved


def _put_away(found: Sequence[Path], prologue: Prologue, say: Callable[[str], None]) -> None:
    """Puts away text files of which no artifact says whether they were edited."""
    counts = Counter(path.parts[1].removesuffix(".json") for path in found)
    for name, number in sorted(counts.items()):
        say(f"out of the way: metrics of {name}: {number:,} file{'s' if number > 1 else ''}: no longer asked for")
    for path in found:
        _set_aside(path, prologue)


def _set_aside(published: Path, prologue: Prologue) -> None:
    prologue.left_over.append(stash.set_aside(published))
    with contextlib.suppress(OSError):
        os.removedirs(published.parent)  # of a benchmark, when it is empty


def _clear_leftovers(prologue: Prologue, say: Callable[[str], None]) -> None:
    """Puts away artifacts that no job makes any more, and the text files that were published from them."""
    found = leftovers(prologue.graph)
    for what in by_step(found):
        say(f"out of the way: {what}: no longer asked for")
    for path in found:
        for published in _published_from(path, prologue.graph):
            _set_aside(published, prologue)
        prologue.left_over.append(stash.put(path))


def _published_from(artifact: Path, graph: Graph) -> list[Path]:
    """The text files that were published from a left-over artifact, as far as they are whatif's own and unedited."""
    kept = {path for job in graph.jobs for path in job.published}
    try:
        written = footer_of(artifact).files
    except WhatifError:
        return []
    found = [(Path(name), digest) for name, digest in written.items()]
    return [
        path
        for path, digest in found
        if path.parts[:1] == ("metrics",)
        and ".." not in path.parts
        and path not in kept
        and path.is_file()
        and verified.file_digest(path) == digest
    ]


def _keep_code_versions(graph: Graph) -> None:
    """Adds the code versions of all jobs to the index, in one process: two seconds. Each job alone takes half a second.

    What cannot be followed is left to the job, which says so.
    """
    for job in graph.jobs:
        with contextlib.suppress(KeyError, ValueError, SyntaxError, OSError):
            code_index.code_version(job.code_roots)
    code_index.keep()


def _shortened(reasons: Sequence[str]) -> str:
    """The first reasons; an artifact of another version may lack dozens of files."""
    more = f"; and {len(reasons) - _REASONS} more" if len(reasons) > _REASONS else ""
    return "; ".join(reasons[:_REASONS]) + more


def _clear(job: Job, present: list[Path], state: State, prologue: Prologue, say: Callable[[str], None]) -> None:
    written = _published_hashes(job)
    for path in dict.fromkeys((*present, *state.damaged)):
        if path in state.damaged:
            prologue.moved.append(stash.set_aside(path))
            say(f"set aside: {prologue.moved[-1].place}: {state.damaged[path]}")
        elif path in job.published:
            if verified.file_digest(path) == written.get(str(path)):
                path.unlink()  # can be written again from the artifact `files`, even from the stash
            else:
                prologue.moved.append(stash.set_aside(path))
    prologue.moved += [stash.put(path) for path in job.outputs.values() if path.exists()]


def _present(job: Job) -> list[Path]:
    return [path for path in (*job.outputs.values(), *job.published) if path.exists()]


def _holds_what_is_published(job: Job) -> bool:
    """Whether an artifact holds the text files of its job, perhaps of other models; one of an older version may not."""
    return all(map(job.is_summary, set(map(Path, _published_hashes(job))).symmetric_difference(job.published)))


def _published_hashes(job: Job) -> dict[str, str]:
    """Path -> sha256 of each text file as published; empty when the artifact `files` cannot be read."""
    if not job.published or not job.outputs["files"].exists():
        return {}
    try:
        return dict(footer_of(job.outputs["files"]).files)
    except WhatifError:
        return {}


def _mend_times(job: Job, times: dict[Path, int]) -> None:
    """Sets the times of a job's outputs: at least as new as its newest input, and not in the future."""
    newest = max((times[path] for path in job.input_paths), default=0)
    for path in (*job.outputs.values(), *job.published):
        written = path.stat().st_mtime_ns
        mended = min(max(written, newest), time.time_ns())
        if mended != written:
            os.utime(path, ns=(mended, mended))
            if path.suffix == ".parquet":
                # `state_of` has just verified the file; only its time has changed.
                verified.remember(path, footer_of(path).content)
        times[path] = mended
