"""Loads a diffusion pipeline that draws pictures from captions, from a folder or from the hub."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from whatif.errors import WhatifError
from whatif.models.checkpoints import device_of, folder_of
from whatif.models.local_faults import first_line
from whatif.params_models import LocalCheckpoint

_CLASS = "StableDiffusionPipeline"
_INDEX = "model_index.json"
_PARTS = ("unet", "vae", "text_encoder")


def load_pipeline(settings: LocalCheckpoint) -> Any:
    """The StableDiffusionPipeline of a checkpoint, on its device; its safety checker is left out.

    A folder is read without a look at the network, and weights come from safetensors files only.

    Raises WhatifError when the folder is missing or lacks a file, when the checkpoint is another kind of pipeline or
    cannot be loaded, and when the device is not there or too small.
    """
    import diffusers
    import torch

    folder = folder_of(settings.checkpoint)
    if folder is not None:
        if settings.revision is not None:
            raise WhatifError(
                f"checkpoint {folder}: is a folder, which has no revisions; leave out revision ({settings.revision})"
            )
        _check_files(folder)
    device = device_of(settings.device)
    source = settings.checkpoint if folder is None else str(folder)
    try:
        pipeline = getattr(diffusers, _CLASS).from_pretrained(
            source,
            dtype=getattr(torch, settings.dtype),
            revision=settings.revision,
            use_safetensors=True,
            local_files_only=folder is not None,
            safety_checker=None,
            requires_safety_checker=False,
        )
    except Exception as error:  # the libraries raise errors of a dozen kinds, all of them about this checkpoint
        raise WhatifError(f"checkpoint {source}: cannot be loaded: {first_line(error)}") from error
    pipeline.set_progress_bar_config(disable=True)
    try:
        return pipeline.to(device)
    except (RuntimeError, MemoryError) as error:
        raise WhatifError(f"checkpoint {source}: cannot be put on {device}: {first_line(error)}") from error


def _check_files(folder: Path) -> None:
    index = folder / _INDEX
    if not index.is_file():
        raise WhatifError(f"checkpoint {folder}: lacks {_INDEX}, which names the parts of a diffusion pipeline")
    try:
        kind = json.loads(index.read_text(encoding="utf-8"))["_class_name"]
    except (ValueError, KeyError, TypeError) as error:
        raise WhatifError(f"checkpoint {index}: is no index of a pipeline: {first_line(error)}") from error
    if kind != _CLASS:
        raise WhatifError(f"checkpoint {folder}: is a {kind!r}; needed is a {_CLASS}")
    for part in _PARTS:
        weights = [path for path in (folder / part).glob("*.safetensors*") if path.is_file()]
        if not weights:
            raise WhatifError(f"checkpoint {folder / part}: lacks weights (a .safetensors file)")
