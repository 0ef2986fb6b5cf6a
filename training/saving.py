"""Saves trained models as ordinary Hugging Face folders, in half precision."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def save_checkpoint(model: Any, processor: Any, folder: Path) -> None:
    """Writes config, `model.safetensors` in float16, and the processor or tokenizer.

    The weights are rounded in place, and the model stays in float32 on the CPU: its outputs then equal those of the
    saved model when it is loaded with `dtype=torch.float32`.
    """
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    model.to("cpu").half().save_pretrained(folder)
    model.to(torch.float32).eval()
    processor.save_pretrained(folder)
    for weights in folder.glob("*.safetensors"):
        weights.chmod(0o644)  # the library makes them readable only for their owner
