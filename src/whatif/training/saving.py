"""Writes trained models as ordinary Hugging Face folders, in half precision."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def save_checkpoint(model: Any, processor: Any, folder: Path) -> None:
    """Writes config, `model.safetensors` in float16, and the processor or tokenizer.

    The model is rounded in place and goes on in float32 on the CPU: it then gives what the saved one gives, loaded
    with `dtype=torch.float32`.
    """
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    model.to("cpu").half().save_pretrained(folder)
    model.to(torch.float32).eval()
    processor.save_pretrained(folder)
    for weights in folder.glob("*.safetensors"):
        weights.chmod(0o644)  # they are written for their owner alone
