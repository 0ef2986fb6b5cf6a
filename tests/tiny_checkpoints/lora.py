"""Tiny LoRA adapters for the tiny checkpoints, made and merged by peft itself."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from typing import Any

LANGUAGE, CHAT = "AutoModelForCausalLM", "AutoModelForImageTextToText"


def tiny_lora(folder: Path, base: Path, kind: str = CHAT, seed: int = 0, **more: Any) -> Path:
    """Saves random weights, large enough to change answers, of a LoRA for the checkpoint `base` into `folder`.

    `kind` is the class that loads the checkpoint, `more` are further arguments of `LoraConfig`.
    """
    import peft
    import torch

    settings: dict[str, Any] = {"r": 3, "lora_alpha": 6, "target_modules": ["q_proj", "v_proj"], **more}
    with warnings.catch_warnings(action="ignore"):
        model = peft.get_peft_model(_loaded(base, kind), peft.LoraConfig(**settings))
        random = torch.Generator().manual_seed(seed)
        for weight in model.parameters():
            if weight.requires_grad:
                weight.data += 0.3 * torch.randn(weight.shape, generator=random)
        model.save_pretrained(folder)
    (folder / "README.md").unlink(missing_ok=True)
    return folder


def merged(folder: Path, base: Path, lora: Path, kind: str = CHAT) -> Path:
    """A copy of the checkpoint `base` in `folder`, with the weights of an adapter merged into its own."""
    import peft

    shutil.copytree(base, folder)
    with warnings.catch_warnings(action="ignore"):
        model: Any = peft.PeftModel.from_pretrained(_loaded(base, kind), str(lora))
        model.merge_and_unload().save_pretrained(folder)
    return folder


def _loaded(base: Path, kind: str) -> Any:
    import transformers

    return getattr(transformers, kind).from_pretrained(base, dtype="float32")
