"""The store of trained weights, `.whatif/trained/KEY/`: the same training is done once.

A finished training keeps its best weights and its log. An unfinished one keeps its checkpoints, and continues from
them. So a changed evaluation trains nothing again, and an interrupted job loses the steps since its last checkpoint.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import disk_errors, remove_orphans, write_whole
from whatif.engine.processes.locks import hold_job
from whatif.models.fine_tuning import training_checkpoints as checkpoints
from whatif.models.fine_tuning.contrastive_samples import PreparedImages
from whatif.models.fine_tuning.contrastive_training import Training, train

TRAINED = Path(".whatif/trained")
_VERSION = 1  # raise it when the same samples, recipe and seed give other weights
_FINISHED = "finished.json"  # written last, with the hash of the weights
_UNFINISHED = "checkpoints"
_DIGITS = 32


@dataclass(frozen=True)
class Trained:
    """A finished training: the rows of its log (`contrastive_training.train`), and why samples were left out."""

    rows: list[dict[str, Any]]
    left_out: dict[str, int]


def key_of(training: Training, identity: Mapping[str, Any]) -> str:
    """What decides the weights: the checkpoint, the samples in their order, the recipe and the seed."""
    made_from = {
        "version": _VERSION,
        "checkpoint": identity,
        "train": training.train,
        "validation": training.validation,
        "recipe": training.recipe.model_dump(mode="json"),
        "seed": training.seed,
    }
    return hashlib.sha256(canonical_json(made_from).encode()).hexdigest()[:_DIGITS]


def trained(
    model: Any,
    start: Mapping[str, Any],
    images: PreparedImages,
    training: Training,
    identity: Mapping[str, Any],
    *,
    say: Callable[[str], None],
) -> Trained:
    """Gives the model the weights of a training: stored ones, or those that the training makes now.

    `start` are the weights of the checkpoint that `identity` describes. Samples whose image cannot be decoded are left
    out and counted. A second process that asks for the same training waits for the first. Raises WhatifError as
    `train` does.
    """
    key = key_of(training, identity)
    folder = TRAINED / key
    with hold_job(f"training {key}", say):
        remove_orphans(folder)
        if (known := _finished(folder)) is not None:
            model.load_state_dict(_read(folder / checkpoints.WEIGHTS))
            return known
        model.load_state_dict(start)
        kept, unreadable = images.readable(training.train)
        checked, also = images.readable(training.validation)
        readable = replace(training, train=kept, validation=checked)
        rows = train(model, images, readable, folder / _UNFINISHED)
        made = Trained(rows, dict(sorted((unreadable + also).items())))
        _finish(folder, made)
        return made


def _finished(folder: Path) -> Trained | None:
    """What a finished training left; None when it is unfinished or damaged, so that it is done again."""
    try:
        known = json.loads((folder / _FINISHED).read_text(encoding="utf-8"))
        if known["weights"] != checkpoints.hash_of(folder / checkpoints.WEIGHTS):
            return None
        found = Trained(known["rows"], known["left_out"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    shutil.rmtree(folder / _UNFINISHED, ignore_errors=True)  # after a kill between the last two steps of `_finish`
    return found


def _finish(folder: Path, made: Trained) -> None:
    """Keeps the best weights and the log, then removes the checkpoints. A kill in between loses nothing."""
    best = next(row["step"] for row in made.rows if row["best"])
    source = checkpoints.checkpoint_of(folder / _UNFINISHED, best) / checkpoints.WEIGHTS
    target = folder / checkpoints.WEIGHTS
    with disk_errors(target):
        temporary = folder / f".{checkpoints.WEIGHTS}.{os.getpid()}.tmp"
        with suppress(FileNotFoundError):
            temporary.unlink()
        try:
            temporary.hardlink_to(source)  # the same bytes, not a copy
        except OSError:  # this file system has no hard links
            shutil.copyfile(source, temporary)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(target)
    finished = {"weights": checkpoints.hash_of(target), "rows": made.rows, "left_out": made.left_out}
    write_whole(folder / _FINISHED, json.dumps(finished, indent=1).encode())
    shutil.rmtree(folder / _UNFINISHED, ignore_errors=True)


def _read(path: Path) -> dict[str, Any]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        weights: dict[str, Any] = load_file(path)
    except (OSError, SafetensorError) as error:
        raise WhatifError(f"{path}: cannot be read ({error}); delete its folder to train again") from error
    return weights
