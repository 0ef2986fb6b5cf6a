"""The folder that a step publishes (`Step.folder`): what whatif wrote there, and how it is written again.

The artifacts `files` and `pictures` hold the whole folder, except pictures that are images of the job's inputs: these
are stored there alone, and named by their hash. So it is neither an output for Snakemake nor for DVC, nor in git: where
it is missing, as after a clone, nothing is due, and it is written from the artifacts. A record in `.whatif/published`
has the hash and size of each file that whatif wrote. So a file that belongs to other artifacts, such as those of
another commit, is not mistaken for one that someone edited, and pictures need not be read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Set
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from whatif.engine import artifacts
from whatif.engine.artifacts import verified
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import remove_orphans, write_whole
from whatif.engine.graph import stash
from whatif.engine.graph.jobs import Job
from whatif.engine.graph.steps import PICTURES, TEXT_FILES

RECORDS = Path(".whatif/published")
KEPT = frozenset({"comparisons"})  # folders that commands write below it (`whatif diff --site`)

Record: TypeAlias = Mapping[str, tuple[str, int]]  # path -> SHA-256 and bytes of a file as whatif wrote it


def checked_path(folder: str, path: str) -> str:
    """A path that a step publishes below its folder. Raises ValueError for any other path."""
    parts = PurePosixPath(path).parts
    if str(PurePosixPath(path)) != path or parts[:1] != (folder,) or len(parts) == 1 or ".." in parts:
        raise ValueError(f"{path} is not a path below {folder}/")
    if parts[1] in KEPT or any(part.startswith(".") for part in parts):
        raise ValueError(f"{path} is a path that {folder}/ keeps for other files")
    return path


def edited(job: Job, written: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """The text files of the folder that someone edited, and what to say; `written` has the SHA-256 of each by path."""
    record = _record(job)
    for name, digest in written.items():
        path = Path(name)
        if path.is_file() and _is_edited(path, digest, record):
            yield path, f"{path} was edited"


def text_paths(job: Job) -> list[Path]:
    """The text files of the folder; none if the step publishes no folder or its artifact is not there."""
    if not job.step.folder or not job.outputs[TEXT_FILES].exists():
        return []
    return [Path(name) for name in artifacts.footer_of(job.outputs[TEXT_FILES]).files]


def choose_pictures(job: Job, *, copied: bool) -> None:
    """Decides, until the next call, whether the folder gets copies of its pictures; without a call, it does."""
    if copied:
        _without_pictures(job).unlink(missing_ok=True)
    else:
        write_whole(_without_pictures(job), b"", durable=False)


def publish(job: Job, say: Callable[[str], None] = lambda line: None) -> int:
    """Makes the folder what the artifacts of the job say; returns the number of files that were written.

    Only files that differ or are missing are written. Edited files, and files that whatif did not write, are set aside;
    those of earlier artifacts are deleted. Folders in `KEPT` stay as they are. A picture is compared by its size.

    Pictures whose images are not among the inputs now are left out; `say` gets their number. Raises WhatifError when an
    artifact is missing or unreadable, or when a file cannot be written.
    """
    folder = Path(job.step.folder)
    record = _record(job)
    copied = not _without_pictures(job).exists()
    wanted = {PICTURES: _wanted(job, PICTURES) if copied else {}, TEXT_FILES: _wanted(job, TEXT_FILES)}
    remove_orphans(folder)
    present = _present(folder)
    due = {
        PICTURES: [name for name, digest in wanted[PICTURES].items() if not _has(present, name, record, digest)],
        TEXT_FILES: [name for name, digest in wanted[TEXT_FILES].items() if _digest(Path(name)) != digest],
    }
    every = {**wanted[PICTURES], **wanted[TEXT_FILES]}
    surplus = sorted(set(present) - set(every))
    if not surplus and not any(due.values()):
        now = {name: (digest, present.get(name, 0)) for name, digest in every.items()}
        if record != now:
            _keep(job, now)
        return 0
    copies = _wanted(job, PICTURES) if surplus and not copied else {}
    for name in (*surplus, *due[TEXT_FILES]):
        path = Path(name)
        if name in copies and (_has(present, name, record, copies[name]) or _digest(path) == copies[name]):
            continue  # a full disk may have ended the run that wrote it, before it was noted
        if path.is_file() and (name not in record or _is_edited(path, wanted[TEXT_FILES].get(name, ""), record)):
            say(f"set aside: {stash.set_aside(path).place}: {path} was edited, or whatif did not write it")
    for name in surplus:
        Path(name).unlink(missing_ok=True)
        verified.forget(Path(name))
    made = {name: entry for name, entry in record.items() if name in every}
    # Until the folder is complete, a file may be the old or the new one; neither is edited.
    _keep(job, made)
    written = 0
    for role in (PICTURES, TEXT_FILES):  # pages last: they name pictures
        for name, digest, data in _contents(job, role, set(due[role])):
            write_whole(Path(name), data, durable=False)
            made[name] = (digest, len(data))
            written += 1
            if role == TEXT_FILES:
                verified.remember(Path(name), digest)
    if left := sum(map(len, due.values())) - written:
        say(f"{folder}/ lacks {left:,} pictures: their images are not in the artifacts that {folder} was made from")
    _keep(job, made)
    _remove_empty(folder)
    return written


def _contents(job: Job, role: str, due: Set[str]) -> Iterator[tuple[str, str, bytes]]:
    """Path, SHA-256 and bytes of the files that are due; pictures whose images are not there are left out."""
    of_inputs: dict[str, list[str]] = {}  # paths by image
    for row in artifacts.rows_of(job.outputs[role], job.step.outputs[role]) if due else ():
        if row["path"] in due and row["bytes"] is None:
            of_inputs.setdefault(row["sha256"], []).append(row["path"])
        elif row["path"] in due:
            yield row["path"], row["sha256"], row["bytes"]
    paths = [path for path in image_paths(job) if path.exists()] if of_inputs else []
    for row in artifacts.rows_of(paths, IMAGES, ["image_id", "image"], only={"image_id": of_inputs}):
        image_id, data = row["image_id"], row["image"]["bytes"]
        if image_id in of_inputs and hashlib.sha256(data).hexdigest() == image_id:
            for name in of_inputs.pop(image_id):
                yield name, image_id, data


def image_paths(job: Job) -> list[Path]:
    """The artifacts of images that a job reads."""
    return [path for given in job.inputs.values() if given.table == IMAGES for path in given.paths]


def _wanted(job: Job, role: str) -> dict[str, str]:
    """Path -> SHA-256 of each file in one of the artifacts."""
    rows = artifacts.rows_of(job.outputs[role], job.step.outputs[role], ["path", "sha256"])
    return {row["path"]: row["sha256"] for row in rows}


def _present(folder: Path) -> dict[str, int]:
    """Path -> bytes of each file below the folder, without links and without what is kept."""
    found: dict[str, int] = {}
    waiting = [str(folder)] if folder.is_dir() else []
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if not (Path(entry.path).parent == folder and entry.name in KEPT):
                        waiting.append(entry.path)
                elif not (entry.name.startswith(".") and entry.name.endswith(".tmp")):
                    found[entry.path] = entry.stat(follow_symlinks=False).st_size
    return found


def _has(present: Mapping[str, int], name: str, record: Record, digest: str) -> bool:
    return name in present and record.get(name) == (digest, present[name])


def _is_edited(path: Path, digest: str, record: Record) -> bool:
    """Whether a text file is neither the wanted one nor the one that whatif wrote earlier."""
    found = _digest(path)
    return found != digest and found != record.get(str(path), ("", 0))[0]


def _digest(path: Path) -> str:
    """The SHA-256 of a text file; empty if there is none."""
    try:
        return verified.digest(path, lambda: verified.file_digest(path))
    except OSError:
        return ""


def _remove_empty(folder: Path) -> None:
    for below, _, _ in os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):  # it has files
            Path(below).rmdir()


def _record(job: Job) -> dict[str, tuple[str, int]]:
    """What whatif wrote; empty if nothing was noted, in which case pictures are written again."""
    try:
        noted: dict[str, Any] = json.loads(_place(job).read_text(encoding="utf-8"))
        return {str(name): (str(digest), int(size)) for name, (digest, size) in noted.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _keep(job: Job, record: Record) -> None:
    with contextlib.suppress(WhatifError):  # the record only saves writing pictures again
        write_whole(_place(job), json.dumps(record, sort_keys=True).encode(), durable=False)


def _place(job: Job) -> Path:
    return RECORDS / f"{job.step.folder}.json"


def _without_pictures(job: Job) -> Path:
    """The file that is there where the folder gets no pictures."""
    return RECORDS / f"{job.step.folder}.without-pictures"
