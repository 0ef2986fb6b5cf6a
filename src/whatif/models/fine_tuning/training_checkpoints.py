"""The checkpoints of an unfinished training: which are whole, which one to resume from, and which to keep.

A folder `checkpoint-N` holds what the library's Trainer wrote after N steps. Its marker, written last, lists the hashes
of all its files. A checkpoint without a marker, or with other files, was cut off or damaged. It is never used.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any

from whatif.engine.files.atomic import disk_errors, write_whole

WEIGHTS = "model.safetensors"
STATE = "trainer_state.json"
_MARKER = "whole.json"
_NAME = re.compile(r"checkpoint-(\d+)")


def step_of(checkpoint: Path) -> int | None:
    """The number of steps of a checkpoint; None for anything else."""
    matched = _NAME.fullmatch(checkpoint.name)
    return int(matched[1]) if matched else None


def checkpoint_of(folder: Path, step: int) -> Path:
    """The checkpoint after so many steps."""
    return folder / f"checkpoint-{step}"


def mark(checkpoint: Path) -> None:
    """Declares a checkpoint whole. Raises WhatifError when the marker cannot be written."""
    write_whole(checkpoint / _MARKER, json.dumps(_hashes(checkpoint), sort_keys=True).encode())


def is_whole(checkpoint: Path) -> bool:
    """Whether a checkpoint has exactly the files that were declared whole."""
    try:
        marked = json.loads((checkpoint / _MARKER).read_text(encoding="utf-8"))
        return bool(marked) and marked == _hashes(checkpoint)
    except (OSError, ValueError):
        return False


def last_usable(folder: Path) -> Path | None:
    """The last whole checkpoint whose best checkpoint is whole, too; every other one except this best is removed.

    Raises WhatifError when one cannot be removed.
    """
    whole = {step: path for step, path in _by_step(folder).items() if is_whole(path)}
    for step in sorted(whole, reverse=True):
        best = best_step(state_of(whole[step]))
        if best in whole:
            keep_only(folder, {step, best})
            return whole[step]
    keep_only(folder, ())
    return None


def keep_only(folder: Path, steps: Collection[int]) -> None:
    """Removes all other checkpoints; the marker first, so that what is half removed is not whole."""
    for step, checkpoint in _by_step(folder).items():
        if step not in steps:
            with disk_errors(checkpoint):
                (checkpoint / _MARKER).unlink(missing_ok=True)
                shutil.rmtree(checkpoint)


def state_of(checkpoint: Path) -> dict[str, Any]:
    """The Trainer's state at a whole checkpoint: its log, and the step with the lowest validation loss."""
    found: dict[str, Any] = json.loads((checkpoint / STATE).read_text(encoding="utf-8"))
    return found


def best_step(state: dict[str, Any]) -> int:
    """The step with the lowest validation loss."""
    return int(state["best_global_step"])


def hash_of(file: Path) -> str:
    """The SHA-256 of a file of weights."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _hashes(checkpoint: Path) -> dict[str, str]:
    return {
        path.name: hash_of(path) for path in sorted(checkpoint.iterdir()) if path.is_file() and path.name != _MARKER
    }


def _by_step(folder: Path) -> dict[int, Path]:
    found = {step_of(path): path for path in folder.iterdir()} if folder.is_dir() else {}
    return {step: path for step, path in sorted(found.items(), key=lambda item: item[0] or 0) if step is not None}
