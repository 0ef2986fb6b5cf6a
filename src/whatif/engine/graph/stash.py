"""The stash: artifacts that are not needed now, stored by fingerprint and restored when they are needed again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from whatif.engine import artifacts
from whatif.engine.artifacts import verified
from whatif.engine.errors import WhatifError

STASH = Path(".whatif/stash")
SET_ASIDE = Path(".whatif/set-aside")


@dataclass(frozen=True)
class Moved:
    """A file that was moved, with what is needed to restore it unchanged."""

    path: Path
    place: Path
    times: tuple[int, int]  # of last access and last modification, in nanoseconds

    def undo(self) -> None:
        """Restores the file unless its path is occupied again or it has been taken from `place` in the meantime."""
        if self.place.exists() and not self.path.exists():
            verified.move(self.place, self.path, self.times)
            with suppress(OSError):
                self.place.parent.rmdir()


def is_empty() -> bool:
    """Whether nothing is in the stash."""
    try:
        with os.scandir(STASH) as entries:
            return next(entries, None) is None
    except OSError:
        return True


def put(path: Path) -> Moved:
    """Moves an artifact into the stash; a file that is not an artifact, or has no fingerprint, is set aside instead."""
    try:
        footer = artifacts.footer_of(path)
    except WhatifError:
        return set_aside(path)
    if not footer.fingerprint or not footer.role:
        return set_aside(path)
    return _move(path, STASH / footer.fingerprint / f"{footer.role}.parquet")


def set_aside(path: Path) -> Moved:
    """Moves an edited or truncated file into the folder `SET_ASIDE`, where the user can find it."""
    place = SET_ASIDE / path
    number = 0
    while place.exists():
        number += 1
        place = (SET_ASIDE / path).with_name(f"{path.stem}.{number}{path.suffix}")
    return _move(path, place)


def _move(path: Path, place: Path) -> Moved:
    state = path.stat()
    verified.move(path, place)
    os.utime(place.parent)
    return Moved(path, place, (state.st_atime_ns, state.st_mtime_ns))


def holds(fingerprint: str, outputs: Mapping[str, Path]) -> bool:
    """Whether the stash has all artifacts of a job (role -> path), undamaged and finished."""
    for role in outputs:
        file = STASH / fingerprint / f"{role}.parquet"
        try:
            footer = artifacts.footer_of(file)
            if (footer.role, footer.fingerprint) != (role, fingerprint) or footer.unfinished:
                return False
            if verified.digest(file, partial(artifacts.content_of, file)) != footer.content:
                return False
        except (OSError, WhatifError):
            return False
    return True


def take(fingerprint: str, outputs: Mapping[str, Path]) -> bool:
    """Restores the artifacts of a job (role -> path) if the stash holds all of them undamaged; returns whether it did.

    Unfinished artifacts stay in the stash, and the job runs again.
    """
    if not holds(fingerprint, outputs):
        return False
    folder = STASH / fingerprint
    for role, path in outputs.items():
        verified.move(folder / f"{role}.parquet", path)
    shutil.rmtree(folder, ignore_errors=True)
    return True


def collect(keep_bytes: int) -> tuple[int, int]:
    """Deletes stashed and set-aside files, oldest first, until at most `keep_bytes` are left.

    Returns the bytes deleted and the bytes left.
    """
    entries = []
    for place in [*STASH.glob("*"), *(file for file in SET_ASIDE.rglob("*") if file.is_file())]:
        files = [place] if place.is_file() else [file for file in place.rglob("*") if file.is_file()]
        entries.append((place.stat().st_mtime_ns, str(place), sum(file.stat().st_size for file in files), place))
    left = sum(size for _, _, size, _ in entries)
    deleted = 0
    for _, _, size, place in sorted(entries):
        if left <= keep_bytes:
            break
        for file in [place] if place.is_file() else place.rglob("*"):
            verified.forget(file)
        if place.is_dir():
            shutil.rmtree(place, ignore_errors=True)
        else:
            place.unlink(missing_ok=True)
        deleted += size
        left -= size
    return deleted, left
