"""What a step of contrastive training costs on a device: `python -m bench.contrastive_steps [DEVICE] [SIZE] [STEPS]`.

Trains a CLIP from random weights on drawn images, in float32 and, on a GPU, in mixed precision, and prints pairs a
second, seconds a step, and the most memory. DEVICE is `cuda` by default, SIZE `base` (ViT-B/32, 224 x 224 pixels,
batches of 128 as in the paper) or `tiny`, STEPS 100.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.contrastive_pairs import pairs
from whatif.engine.params.contrastive_training import ContrastiveTraining
from whatif.models.fine_tuning.contrastive_samples import PreparedImages
from whatif.models.fine_tuning.contrastive_training import Training, check_trainable, train
from whatif.models.local.checkpoints import device_of

_WARM = 10  # steps of the short training
_GIB = 1024**3
_PRECISIONS = ("float32", "bfloat16", "float16")


@dataclass(frozen=True)
class Size:
    """A CLIP and its batches. `tower` are further settings of both encoders; None: the library's ViT-B/32."""

    side: int
    batch: int
    images: int
    tower: dict[str, int] | None = None


SIZES = {
    "base": Size(side=224, batch=128, images=512),
    "tiny": Size(
        side=64,
        batch=8,
        images=16,
        tower={"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2},
    ),
}


def measure_steps(device: str, size: Size, steps: int, precision: Any) -> dict[str, float]:
    """Pairs a second, seconds a step and the most memory in GiB: of the GPU, otherwise of the process so far.

    The difference between a long and a short training, so loading, evaluation and saving do not count. Raises
    WhatifError when the precision needs a GPU, and when a batch does not fit into memory.
    """
    import torch

    recipe = ContrastiveTraining(
        batch_size=size.batch, validation_batch_size=size.batch, epochs=1, evaluate_every=None, precision=precision
    )
    check_trainable("random", device, "float32", recipe)
    placed = device_of(device)
    samples, images = pairs(size.images, size.side)
    seconds = []
    for number in (_WARM, _WARM, _WARM + steps):  # the first one also imports and reserves
        model, processor = _clip(size)
        model.to(placed)
        prepared = PreparedImages(images, processor)
        prepared.readable(samples)
        chosen = [samples[place % len(samples)] for place in range(number * size.batch)]
        training = Training(f"{precision}, {number} steps", chosen, samples[: size.batch], recipe, 107)
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            train(model, prepared, training, Path(folder))
            seconds.append(time.perf_counter() - began)
    a_step = (seconds[2] - seconds[1]) / steps
    if placed.type == "cuda":
        memory = torch.cuda.max_memory_allocated(placed)
        torch.cuda.reset_peak_memory_stats(placed)
    else:
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"pairs_per_second": size.batch / a_step, "seconds_per_step": a_step, "memory_gib": memory / _GIB}


def _clip(size: Size) -> tuple[Any, Any]:
    """A CLIP with random weights, with the tokeniser of the embedded one."""
    import torch
    import transformers

    from whatif.engine.files.named_folders import named_path

    torch.manual_seed(0)
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(
        named_path("embedded:clip"), local_files_only=True, trust_remote_code=False
    )
    ends = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    text = {**(size.tower or {}), **ends, "pad_token_id": tokenizer.pad_token_id}
    vision = {**(size.tower or {}), "image_size": size.side, "patch_size": 32}
    model = transformers.CLIPModel(transformers.CLIPConfig(text_config=text, vision_config=vision))
    images = transformers.CLIPImageProcessorPil(size={"shortest_edge": size.side}, crop_size=size.side)
    return model, transformers.CLIPProcessor(images, tokenizer)


def main(device: str = "cuda", size: str = "base", steps: str = "100") -> None:
    """Measures every precision that the device has, and prints a line for each."""
    if size not in SIZES or not steps.isdigit() or int(steps) < 1:
        sys.exit(f"contrastive_steps: SIZE is one of {', '.join(SIZES)}, and STEPS a number from 1")
    print(f"{'precision':12}{'pairs/s':>12}{'s/step':>10}{'GiB':>8}")
    for precision in _PRECISIONS if device.startswith("cuda") else _PRECISIONS[:1]:
        found = measure_steps(device, SIZES[size], int(steps), precision)
        print(
            f"{precision:12}{found['pairs_per_second']:12.1f}{found['seconds_per_step']:10.4f}{found['memory_gib']:8.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
