"""Runs a job: takes its outputs from the stash, or calls the step's function; writes all outputs or none."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from whatif import artifacts
from whatif.artifacts import verified
from whatif.artifacts.schemas import FILES
from whatif.artifacts.writer import ArtifactWriter, Rows, as_table
from whatif.errors import WhatifError
from whatif.files.atomic import write_whole
from whatif.graph import stash
from whatif.graph.freshness import Condition, Provenance, provenance, state_of
from whatif.graph.jobs import Job
from whatif.processes import locks

LOG = Path(".whatif/log.jsonl")

Outcome = Literal["computed", "taken from the stash", "up to date"]


class Outputs:
    """The outputs of a step; they appear in their places only after the step has succeeded."""

    def __init__(self, job: Job, made: Provenance) -> None:
        self._job = job
        self._made = made
        self._writers: dict[str, ArtifactWriter] = {}
        self._texts: dict[str, bytes] = {}
        self._unfinished = ""

    def writer(self, role: str) -> ArtifactWriter:
        """The writer of an output, for rows that arrive in batches, sorted by the key."""
        if role not in self._writers:
            self._writers[role] = ArtifactWriter(
                self._job.outputs[role],
                self._job.step.outputs[role],
                role=role,
                fingerprint=self._made.fingerprint,
                made_from=self._made.made_from,
            )
        return self._writers[role]

    def write(self, role: str, rows: Rows) -> None:
        """Writes a complete output from rows in any order."""
        table = self._job.step.outputs[role]
        whole = as_table(rows, table, self._job.outputs[role])
        self.writer(role).write(whole.sort_by([(name, "ascending") for name in table.key]))

    def publish(self, path: str, data: bytes) -> None:
        """Adds a text file; it is stored in the output `files` and also written to `path`."""
        if path not in self._job.step.text_files:
            raise ValueError(f"{path} is not declared in the step's `publishes`")
        self._texts[path] = data

    def unfinished(self, count: int, reason: str) -> None:
        """Records that `count` questions were given up for a transient reason, so the outputs are not fresh.

        The footers record this outside content and fingerprint, so later steps can still be made from the outputs.
        """
        self._unfinished = f"{count:,} question{'s' if count > 1 else ''} given up: {reason}"

    def finish(self) -> None:
        """Completes every output as a temporary file next to its final path."""
        if missing := sorted(set(self._job.step.text_files) - set(self._texts)):
            raise ValueError(f"{self._job.name} did not publish {missing[0]}")
        hashes = {path: hashlib.sha256(data).hexdigest() for path, data in self._texts.items()}
        if self._texts:
            rows = [{"path": p, "bytes": data, "sha256": hashes[p]} for p, data in self._texts.items()]
            self.write("files", rows)
        for role in self._job.outputs:
            self.writer(role).finish(hashes if role == "files" else None, self._unfinished)

    def commit(self) -> None:
        """Moves all finished outputs to their final paths."""
        for writer in self._writers.values():
            writer.commit()

    def discard(self) -> None:
        """Removes all outputs that were begun."""
        for writer in self._writers.values():
            writer.discard()


def run(job: Job, say: Callable[[str], None]) -> Outcome:
    """Makes the outputs of a job, whose inputs must exist.

    Raises WhatifError when an input is missing, is unreadable or was edited. Errors of the step's function propagate.
    In both cases no output has changed.
    """
    with locks.hold_job(job.name, say):
        started = time.monotonic()
        made = provenance(job)
        if state_of(job, {}, ready=True).condition is Condition.FRESH:
            outcome: Outcome = "up to date"
        elif stash.take(made.fingerprint, job.outputs):
            outcome = "taken from the stash"
        else:
            _compute(job, made, say)
            outcome = "computed"
        if job.published:
            publish(job)
        seconds = time.monotonic() - started
        _log(job, outcome, seconds)
        say(f"{job.name}: {outcome} in {seconds:.1f} s")
        return outcome


def take_back(job: Job, contents: dict[Path, str], say: Callable[[str], None]) -> bool:
    """Restores the outputs of a job from the stash if it holds them; returns whether it did.

    None of the outputs may exist, and the inputs must be fresh. Does not wait: returns False if another process is
    running the job. `contents` holds the hashes of the inputs; those of the outputs are added to it.
    """
    if stash.is_empty():  # as in a fresh clone: saves the provenance of every job, which follows the source
        return False
    with locks.try_job(job.name) as free:
        started = time.monotonic()
        if not free or not stash.take(provenance(job, contents).fingerprint, job.outputs):
            return False
        contents.update({path: artifacts.footer_of(path).content for path in job.outputs.values()})
        if job.published:
            publish(job)
        _log(job, "taken from the stash", time.monotonic() - started)
    say(f"{job.name}: taken from the stash")
    return True


def _compute(job: Job, made: Provenance, say: Callable[[str], None]) -> None:
    outputs = Outputs(job, made)
    try:
        job.step.function(job.task(outputs, say))
        outputs.finish()
    except BaseException:
        outputs.discard()
        raise
    for path in job.outputs.values():
        if path.exists():
            stash.put(path)  # made with other parameters; restored when those are used again
    outputs.commit()
    for path in job.outputs.values():
        verified.remember(path, artifacts.footer_of(path).content)


def publish(job: Job) -> None:
    """Writes a job's text files from the artifact that stores them."""
    for row in artifacts.rows_of(job.outputs["files"], FILES):
        path = Path(row["path"])
        if path not in job.published:
            raise WhatifError(f"{job.outputs['files']}: holds {path}, which {job.name} does not publish")
        if not path.is_file() or path.read_bytes() != row["bytes"]:
            write_whole(path, row["bytes"])


def _log(job: Job, outcome: Outcome, seconds: float) -> None:
    line = json.dumps({"job": job.name, "outcome": outcome, "seconds": round(seconds, 3), "pid": os.getpid()})
    with contextlib.suppress(OSError):  # the outputs are complete even if this log line cannot be written
        LOG.parent.mkdir(parents=True, exist_ok=True)
        with LOG.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
