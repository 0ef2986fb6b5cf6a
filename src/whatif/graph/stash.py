"""The stash: artifacts that are not asked for now, kept by fingerprint, to be taken back when they are due again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from whatif import artifacts
from whatif.errors import WhatifError
from whatif.graph import verified
from whatif.schemas import Table

STASH = Path(".whatif/stash")
SET_ASIDE = Path(".whatif/set-aside")


def put(outputs: Mapping[str, Path]) -> list[Path]:
    """Moves the artifacts of one job (role -> path) into the stash; returns the ones moved.

    What has no readable footer is set aside instead (see `set_aside`).
    """
    moved = []
    for role, path in outputs.items():
        if not path.exists():
            continue
        try:
            fingerprint = artifacts.footer_of(path).fingerprint
        except WhatifError:
            set_aside(path)
            continue
        place = STASH / fingerprint / f"{role}.parquet"
        place.parent.mkdir(parents=True, exist_ok=True)
        path.replace(place)
        os.utime(place)
        os.utime(place.parent)
        verified.forget(path)
        moved.append(path)
    return moved


def set_aside(path: Path) -> Path:
    """Moves a file that somebody edited or that was cut off out of the way, and returns where it lies now."""
    place = SET_ASIDE / path
    number = 0
    while place.exists():
        number += 1
        place = (SET_ASIDE / path).with_name(f"{path.stem}.{number}{path.suffix}")
    place.parent.mkdir(parents=True, exist_ok=True)
    path.replace(place)
    verified.forget(path)
    return place


def take(fingerprint: str, outputs: Mapping[str, Path], tables: Mapping[str, Table]) -> bool:
    """Brings back the artifacts of a job if the stash holds all of them whole; says whether it did."""
    place = STASH / fingerprint
    kept = {role: place / f"{role}.parquet" for role in outputs}
    for role, file in kept.items():
        try:
            if artifacts.content_of(file, tables[role]) != artifacts.footer_of(file).content:
                return False
        except (OSError, WhatifError):
            return False
    for role, path in outputs.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        kept[role].replace(path)
        os.utime(path)
        verified.remember(path, artifacts.footer_of(path).content)
    shutil.rmtree(place)
    return True


def collect(keep_bytes: int) -> tuple[int, int]:
    """Deletes the artifacts that were stashed longest ago until at most `keep_bytes` are left.

    Returns the bytes deleted and the bytes left.
    """
    entries = []
    for folder in STASH.glob("*"):
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        entries.append((folder.stat().st_mtime_ns, folder.name, size, folder))
    left = sum(size for _, _, size, _ in entries)
    deleted = 0
    for _, _, size, folder in sorted(entries, key=lambda entry: entry[:2]):
        if left <= keep_bytes:
            break
        shutil.rmtree(folder)
        deleted += size
        left -= size
    return deleted, left
