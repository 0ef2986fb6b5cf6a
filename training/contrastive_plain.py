"""Trains the embedded CLIP that has seen no minimal edits, and not for long: the one to train with counterfactuals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from training.contrastive import LARGEST_SCALE, ClipSizes, build_clip, contrastive_loss
from training.loop import optimise, pick_device
from training.recipes import PlainContrastiveRecipe
from training.saving import save_checkpoint
from training.scene_examples import draw_singles
from training.supervision import pixel_values
from training.tower import train_tower

# Large patches make it fast: 16 in an image, not 64 as for `clip`.
_SIZES = ClipSizes(64, 3, 64, 2, projection=64, vocabulary=704, patch=16, amplitude=0.2)


def train_clip_plain(
    recipe: PlainContrastiveRecipe, seed: int, threads: int, folder: Path, log: Path
) -> list[dict[str, float]]:
    """Trains a small CLIP and saves it in `folder`; returns the log, also written to `log`.

    First its vision tower alone learns to recognise from each patch the thing that it shows. Then the whole model is
    trained with the contrastive loss alone, on batches of scenes without edits. Most captions omit the colours, which
    would otherwise be learnt long before the nouns. It is stopped early: retrieval and recognition have room to improve
    in both directions.
    """
    import torch

    device = pick_device(threads)
    torch.manual_seed(seed)
    processor, model = build_clip(seed, _SIZES)
    model.to(device)
    model.set_attn_implementation("eager")  # as for `clip`: the fused kernels are slow on a CPU
    _, tower_lines = train_tower(
        "clip-plain",
        model.vision_model,
        lambda pixels: model.vision_model(pixel_values=pixels).last_hidden_state[:, 1:],
        schedule=recipe.tower,
        seed=seed,
        log=log,
        patch=_SIZES.patch,
    )

    def losses(step: int) -> dict[str, Any]:
        with torch.no_grad():
            model.logit_scale.clamp_(max=LARGEST_SCALE)
        batch = draw_singles(recipe.train.batch, step, seed, whole=recipe.whole)
        texts = processor.tokenizer(batch.captions, padding=True, return_tensors="pt").to(device)
        with torch.autocast(device.type, torch.bfloat16):
            seen = model.get_image_features(pixel_values=pixel_values(batch.pictures, device)).pooler_output.float()
            read = model.get_text_features(**texts).pooler_output.float()
        seen, read = (torch.nn.functional.normalize(each, dim=-1) for each in (seen, read))
        return {"contrastive": contrastive_loss(seen, read, model.logit_scale.exp(), batch)}

    lines = optimise("clip-plain", [model], losses, recipe.train, log, before=tower_lines)
    save_checkpoint(model, processor, folder)
    return [*tower_lines, *lines]
