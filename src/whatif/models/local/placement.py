"""Placement of a checkpoint's weights: on one device, over several (`device_map`), quantised (`quantization`)."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import CheckpointSettings, LocalCheckpoint


def placement(settings: LocalCheckpoint, device: Any) -> dict[str, Any]:
    """Arguments of `from_pretrained`; empty if the model is moved to `device` as a whole after loading.

    Raises WhatifError when a required package is not installed, with the command that installs it.
    """
    if not isinstance(settings, CheckpointSettings):
        return {}
    if settings.quantization is not None:
        _need(f"quantization: {settings.quantization}", "accelerate", "bitsandbytes")
        return {
            "quantization_config": _bits_and_bytes(settings.quantization, settings.dtype),
            "device_map": settings.device_map or {"": device},  # quantised weights cannot be moved later
        }
    if settings.device_map is not None:
        _need(f"device_map: {settings.device_map}", "accelerate")
        return {"device_map": settings.device_map}
    return {}


def _bits_and_bytes(quantization: str, dtype: str) -> Any:
    """The configuration of transformers; with 4 bits, `dtype` is the data type of the computation."""
    import torch
    import transformers

    # Otherwise it reports for every layer and question that it computes in half precision.
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)
    configuration: Any = transformers.BitsAndBytesConfig
    if quantization == "8bit":
        return configuration(load_in_8bit=True)
    return configuration(load_in_4bit=True, bnb_4bit_compute_dtype=getattr(torch, dtype))


def _need(what: str, *packages: str) -> None:
    lacking = [package for package in packages if find_spec(package) is None]
    if lacking:
        raise WhatifError(f"{what}: requires {' and '.join(lacking)}; run pip install {' '.join(lacking)}")
