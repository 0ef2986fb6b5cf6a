"""Runs a job: takes its outputs from the stash, or calls the step's function; writes all outputs or none."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal

import pyarrow as pa

from whatif.engine import artifacts, looked_up
from whatif.engine.artifacts import verified
from whatif.engine.artifacts.schemas import FILES, IMAGES
from whatif.engine.artifacts.sorted_files import SortedFiles
from whatif.engine.artifacts.writer import ArtifactWriter, Rows, as_table
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import remove_orphans, write_whole
from whatif.engine.graph import folders, libraries, stash
from whatif.engine.graph.code_version import covers
from whatif.engine.graph.freshness import Condition, Provenance, provenance, state_of
from whatif.engine.graph.jobs import Job
from whatif.engine.graph.steps import PICTURES, TEXT_FILES
from whatif.engine.processes import locks

LOG = Path(".whatif/log.jsonl")

Outcome = Literal["computed", "taken from the stash", "up to date"]


class Outputs:
    """The outputs of a step; they appear in their places only after the step has succeeded."""

    def __init__(self, job: Job, made: Provenance) -> None:
        self._job = job
        self._made = made
        self._libraries = libraries.of(job)
        self._writers: dict[str, ArtifactWriter] = {}
        self._texts: dict[str, bytes] = {}
        self._of_folder: dict[str, SortedFiles] = {}  # by role
        self._unfinished = ""

    def writer(self, role: str) -> ArtifactWriter:
        """The writer of an output, for rows that arrive in batches, sorted by the key."""
        if role not in self._writers:
            self._writers[role] = ArtifactWriter(
                self._job.outputs[role],
                self._job.step.outputs[role],
                role=role,
                made_from=self._made.made_from,
                libraries=self._libraries,
            )
        return self._writers[role]

    def write(self, role: str, rows: Rows) -> None:
        """Writes a complete output from rows in any order."""
        table = self._job.step.outputs[role]
        whole = as_table(rows, table, self._job.outputs[role])
        self.writer(role).write(whole.sort_by([(name, "ascending") for name in table.key]))

    def publish(self, path: str, data: bytes) -> None:
        """Adds a text file; it is stored in the output `files` and also written to `path`.

        Raises ValueError for a file that the step does not declare, and that is not below the folder that it publishes.
        """
        if self._job.step.folder:
            self._add(TEXT_FILES, path, data)
            return
        if Path(path) not in self._job.published:
            raise ValueError(f"{path} is not declared in the step's `publishes`")
        self._texts[path] = data

    def publish_picture(self, path: str, data: bytes) -> None:
        """Adds a picture below the folder that the step publishes; it is stored in the output `pictures`.

        An image of the job's inputs, unchanged, is not stored again: the output has its id.
        Pictures may come in any order, and are not held in memory. Raises ValueError for a path outside the folder.
        """
        self._add(PICTURES, path, data)

    def _add(self, role: str, path: str, data: bytes) -> None:
        folder = self._job.step.folder
        if any(path in files for files in self._of_folder.values()):
            raise ValueError(f"{path} was published twice")
        if role not in self._of_folder:
            self._of_folder[role] = SortedFiles(self.writer(role))
        self._of_folder[role].add(folders.checked_path(folder, path), data)

    def unfinished(self, count: int, reason: str) -> None:
        """Records that `count` questions were given up for a transient reason, so the outputs are not fresh.

        The footers record this outside content and fingerprint, so later steps can still be made from the outputs.
        """
        self._unfinished = f"{count:,} question{'s' if count > 1 else ''} given up: {reason}"

    def finish(self) -> None:
        """Completes every output as a temporary file next to its final path."""
        texts = self._of_folder.get(TEXT_FILES)
        hashes = {path: hashlib.sha256(data).hexdigest() for path, data in self._texts.items()}
        hashes |= texts.hashes if texts else {}
        if missing := sorted(set(self._job.must_publish) - set(hashes)):
            raise ValueError(f"{self._job.name} did not publish {missing[0]}")
        if self._texts:
            rows = [{"path": p, "bytes": data, "sha256": hashes[p]} for p, data in self._texts.items()]
            self.write(TEXT_FILES, rows)
        for role, files in self._of_folder.items():
            files.write(self._image_ids() if role == PICTURES else ())
            files.close()
        for role in self._job.outputs:
            self.writer(role).finish(hashes if role == TEXT_FILES else None, self._unfinished)

    def _image_ids(self) -> Iterator[pa.ChunkedArray]:
        """The SHA-256 of every image that the job reads, in columns."""
        for piece in artifacts.batches(folders.image_paths(self._job), IMAGES, ["image_id"]):
            yield piece["image_id"]

    def commit(self) -> None:
        """Moves all finished outputs to their final paths."""
        for writer in self._writers.values():
            writer.commit()

    def discard(self) -> None:
        """Removes all outputs that were begun."""
        for files in self._of_folder.values():
            files.close()
        for writer in self._writers.values():
            writer.discard()


def run(job: Job, say: Callable[[str], None]) -> Outcome:
    """Makes the outputs of a job, whose inputs must exist.

    Raises WhatifError when an input is missing, is unreadable or was edited. Errors of the step's function propagate.
    In both cases no output has changed.
    """
    with locks.hold_job(job.name, say):
        started = time.monotonic()
        for folder in {path.parent for path in (*job.outputs.values(), *job.published)}:
            remove_orphans(folder)
        made = provenance(job)
        if state_of(job, {}, ready=True).condition is Condition.FRESH:
            outcome: Outcome = "up to date"
        elif stash.take(made.fingerprint, job.outputs):
            outcome = "taken from the stash"
        else:
            _compute(job, made, say)
            outcome = "computed"
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
        publish_files(job)  # a folder is written when the process that plans ends: a dry run leaves it as it is
        _log(job, "taken from the stash", time.monotonic() - started)
    say(f"{job.name}: taken from the stash")
    return True


def _compute(job: Job, made: Provenance, say: Callable[[str], None]) -> None:
    outputs = Outputs(job, made)
    try:
        with looked_up.only(partial(_is_declared, job)):
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


def _is_declared(job: Job, place: str) -> bool:
    """Whether a job's code version covers a function that is looked up by name."""
    return place in job.code_roots or covers(job.code_roots, place)


def publish(job: Job) -> None:
    """Writes a job's text files, and the folder that it publishes, from the artifacts that store them."""
    publish_files(job)
    if job.step.folder:
        folders.publish(job)


def publish_files(job: Job) -> None:
    """Writes the text files that a job declares from the artifact that stores them.

    The files of models that the artifact does not have are removed. It may have those of models that were removed.
    """
    if not job.published:
        return
    gone = set(Path(job.step.summary).glob("*.json")) if job.step.summary else set()
    for row in artifacts.rows_of(job.outputs[TEXT_FILES], FILES):
        path = Path(row["path"])
        if path not in job.published and not job.is_summary(path):
            raise WhatifError(f"{job.outputs['files']}: holds {path}, which {job.name} does not publish")
        if not path.is_file() or path.read_bytes() != row["bytes"]:
            write_whole(path, row["bytes"])
        gone.discard(path)
    for path in gone:
        path.unlink()


def _log(job: Job, outcome: Outcome, seconds: float) -> None:
    line = json.dumps({"job": job.name, "outcome": outcome, "seconds": round(seconds, 3), "pid": os.getpid()})
    with contextlib.suppress(OSError):  # the outputs are complete even if this log line cannot be written
        LOG.parent.mkdir(parents=True, exist_ok=True)
        with LOG.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
