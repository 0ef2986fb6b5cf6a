"""Writes a folder as a whole: in a folder beside it first, and over an earlier version only if nobody changed that."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import disk_errors, temporary_folder, write_whole

SUMS = "SHA256SUMS"  # in the form that `sha256sum --check` reads
_OURS = (".git", ".gitattributes", ".huggingface", ".cache")  # what git and the hub's tools keep in a clone
_UNFINISHED = ".whatif-unfinished"  # marks a folder whose files are being replaced


@contextlib.contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A folder to write into, whose files replace those of `folder` when the block ends; otherwise it is unchanged.

    `SHA256SUMS` lists the files. What git keeps in `folder` stays. Raises WhatifError, before anything is written, when
    `folder` holds something else than whatif wrote, and when a file cannot be written.
    """
    earlier = _earlier(folder)
    with contextlib.ExitStack() as made:
        with disk_errors(folder):
            staging = made.enter_context(temporary_folder(folder.parent)) / folder.name
            staging.mkdir()
        yield staging
        sums = digests(staging)
        listed = "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items()))
        write_whole(staging / SUMS, listed.encode())
        with disk_errors(folder):
            _replace(staging, folder, earlier, {*sums, SUMS})


def digests(folder: Path) -> dict[str, str]:
    """Path -> SHA-256 of each file in a folder."""
    return {str(path.relative_to(folder)): _digest(path) for path in sorted(folder.rglob("*")) if path.is_file()}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _earlier(folder: Path) -> set[str]:
    """The files of an earlier version. Raises WhatifError when the folder holds anything else."""
    if not folder.exists() and not folder.is_symlink():
        return set()
    if not folder.is_dir():
        raise WhatifError(f"{folder}: is not a folder; give another one")
    present = {
        str(path.relative_to(folder)): path
        for path in sorted(folder.rglob("*"))
        if (path.is_file() or path.is_symlink()) and path.relative_to(folder).parts[0] not in _OURS
    }
    listed = _sums(folder / SUMS)
    if _UNFINISHED in present:  # an interrupted run of whatif left it, after it had found only its own files
        return set(present)
    for name, path in present.items():
        if name != SUMS and name not in listed:
            raise WhatifError(f"{path}: was not written by `whatif publish`; move it away, or give another folder")
        if name != SUMS and _digest(path) != listed[name]:
            raise WhatifError(
                f"{path}: was edited since `whatif publish` wrote it; move it away, or give another folder"
            )
    return set(present)


def _sums(path: Path) -> Mapping[str, str]:
    if not path.is_file():
        return {}
    lines = (line.partition("  ") for line in path.read_text(encoding="utf-8", errors="replace").splitlines())
    return {name: digest for digest, _, name in lines}


def _replace(staging: Path, folder: Path, earlier: set[str], wanted: set[str]) -> None:
    if not folder.exists():
        staging.rename(folder)
        return
    mark = folder / _UNFINISHED
    mark.touch()
    for name in sorted(earlier - wanted):
        (folder / name).unlink(missing_ok=True)
    for name in sorted(wanted):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (staging / name).replace(target)
    for below, _, _ in os.walk(folder, topdown=False):
        if Path(below) != folder and Path(below).relative_to(folder).parts[0] not in _OURS:
            with contextlib.suppress(OSError):  # it has files
                Path(below).rmdir()
    mark.unlink(missing_ok=True)
