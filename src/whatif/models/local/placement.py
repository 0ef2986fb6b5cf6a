"""Where the weights of a checkpoint go: to one device, over several (`device_map`), in fewer bits (`quantization`)."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import Any

from whatif.errors import WhatifError
from whatif.params.models import CheckpointSettings, LocalCheckpoint


def placement(settings: LocalCheckpoint, device: Any) -> dict[str, Any]:
    """What `from_pretrained` is told; empty where the model goes to `device` as a whole, after it was loaded.

    Raises WhatifError when a package that is needed is not installed, with how to install it.
    """
    if not isinstance(settings, CheckpointSettings):
        return {}
    if settings.quantization is not None:
        _need(f"quantization: {settings.quantization}", "accelerate", "bitsandbytes")
        return {
            "quantization_config": _bits_and_bytes(settings.quantization, settings.dtype),
            "device_map": settings.device_map or {"": device},  # weights in fewer bits cannot be moved later
        }
    if settings.device_map is not None:
        _need(f"device_map: {settings.device_map}", "accelerate")
        return {"device_map": settings.device_map}
    return {}


def _bits_and_bytes(quantization: str, dtype: str) -> Any:
    """The configuration of transformers; with 4 bits, `dtype` is what is computed in."""
    import torch
    import transformers

    # In every layer of every question it would say that it computes in half precision.
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)
    configuration: Any = transformers.BitsAndBytesConfig
    if quantization == "8bit":
        return configuration(load_in_8bit=True)
    return configuration(load_in_4bit=True, bnb_4bit_compute_dtype=getattr(torch, dtype))


def _need(what: str, *packages: str) -> None:
    lacking = [package for package in packages if find_spec(package) is None]
    if lacking:
        raise WhatifError(f"{what}: needs {' and '.join(lacking)}, not installed here; pip install {' '.join(lacking)}")
