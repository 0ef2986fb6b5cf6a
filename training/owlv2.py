"""Trains the embedded OWLv2: an open-vocabulary detector of the things of scenes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.loop import optimise, pick_device
from training.owlv2_losses import detection_losses, targets_of
from training.owlv2_queries import draw_asked, texts_for_tokenizer
from training.recipes import DetectionRecipe
from training.saving import save_checkpoint
from training.scene_examples import SIDE
from training.scene_facts import PATCH_FACTS, patch_facts
from training.supervision import fact_loss, pixel_values
from training.tower import PATCH, train_tower, wave_positions
from whatif.world.scene_image import draw_scene_picture
from whatif.world.scenes import Scene

LONGEST = 24  # tokens of a query

_VISION_WIDTH, _VISION_LAYERS = 112, 4
_TEXT_WIDTH, _TEXT_LAYERS = 96, 2
_VOCABULARY = 704
_AMPLITUDE = 0.4  # of the initial position embeddings
_DRAWN = (64, 128, 224)  # pixels; larger images are reduced, so that their edges are softer
# The initial scale and shift of the cosines: a patch finds a query with a probability of 2%, as most patches find none.
_INITIAL_SCALE, _INITIAL_SHIFT = 8.0, -0.43


def train_owlv2(recipe: DetectionRecipe, seed: int, threads: int, folder: Path, log: Path) -> list[dict[str, float]]:
    """Trains an OWLv2 and saves it in `folder`; returns the log, also written to `log`.

    First its vision tower alone learns to recognise from each patch the thing that it shows. Then the whole model is
    trained: the patch with the centre of a thing predicts its box and which queries find it. All queries of a batch are
    asked about each of its images.
    """
    import torch

    device = pick_device(threads)
    torch.manual_seed(seed)
    processor, model = build_owlv2()
    model.to(device)
    model.set_attn_implementation("eager")  # as for `clip`: the fused kernels are slow on a CPU
    patch_reader, tower_lines = train_tower(
        "owlv2",
        model.owlv2.vision_model,
        lambda pixels: model.owlv2.vision_model(pixel_values=pixels).last_hidden_state[:, 1:],
        schedule=recipe.tower,
        seed=seed,
        log=log,
    )

    def losses(step: int) -> dict[str, Any]:
        asked = draw_asked(recipe.train.batch, step, seed)
        texts = processor.tokenizer(asked.texts, padding=True, return_tensors="pt").to(device)
        with torch.autocast(device.type, torch.bfloat16):
            grid, seen = model.image_embedder(pixel_values(pictures_as_reduced(asked.scenes), device))
            queries = model.owlv2.text_projection(model.owlv2.text_model(**texts).pooler_output)
            by_patch = patch_reader(seen.last_hidden_state[:, 1:])
        patches = grid.float().flatten(1, 2)
        logits, _ = model.class_predictor(patches, queries.float()[None])
        found = detection_losses(
            logits,
            model.objectness_predictor(patches),
            model.box_predictor(patches, grid),
            targets_of(asked, SIDE // PATCH),
        )
        return {**found, "patches": fact_loss(by_patch, patch_facts(asked.scenes, SIDE, PATCH), PATCH_FACTS)}

    lines = optimise("owlv2", [model, patch_reader], losses, recipe.train, log, before=tower_lines)
    save_checkpoint(model, processor, folder)
    return [*tower_lines, *lines]


def pictures_as_reduced(scenes: Sequence[Scene]) -> NDArray[np.uint8]:
    """(scenes, 64, 64, 3): a third of the scenes are drawn at 64 pixels, the others larger and reduced."""
    from PIL import Image

    pictures = [draw_scene_picture(scene, _DRAWN[place % len(_DRAWN)]) for place, scene in enumerate(scenes)]
    return np.stack([np.asarray(picture.resize((SIDE, SIDE), Image.Resampling.BILINEAR)) for picture in pictures])


def build_owlv2() -> tuple[Any, Any]:
    """An `Owlv2Processor` with its tokenizer, and a new `Owlv2ForObjectDetection` for it."""
    import transformers

    from training.tokenizers import train_clip_tokenizer

    tokenizer = train_clip_tokenizer(texts_for_tokenizer(), _VOCABULARY, LONGEST)
    ends = {name: getattr(tokenizer, name) for name in ("bos_token_id", "eos_token_id", "pad_token_id")}
    config = transformers.Owlv2Config(
        text_config={
            **_tower(_TEXT_WIDTH, _TEXT_LAYERS),
            **ends,
            "vocab_size": len(tokenizer),
            "max_position_embeddings": LONGEST,
        },
        vision_config={**_tower(_VISION_WIDTH, _VISION_LAYERS), "image_size": SIDE, "patch_size": PATCH},
        projection_dim=_TEXT_WIDTH,  # the head compares patches and queries at the width of the text tower
    )
    # The class that needs no torchvision.
    images = transformers.Owlv2ImageProcessorPil(
        size={"height": SIDE, "width": SIDE}, image_mean=[0.5] * 3, image_std=[0.5] * 3
    )
    processor_class: Any = transformers.Owlv2Processor
    model = transformers.Owlv2ForObjectDetection(config)
    _initialise(model)
    return processor_class(images, tokenizer), model


def _initialise(model: Any) -> None:
    """Weights for training from scratch: the library's are meant to be replaced by those of a trained CLIP.

    Its heads begin with a standard deviation of 1, which gives logits in the hundreds.
    """
    import torch

    with torch.no_grad():
        for head in (model.class_head, model.box_head, model.objectness_head):
            for part in head.children():
                if isinstance(part, torch.nn.Linear):
                    part.reset_parameters()
        for part, value in (
            (model.class_head.logit_scale, _INITIAL_SCALE),
            (model.class_head.logit_shift, _INITIAL_SHIFT),
            (model.box_head.dense2, 0.0),
            (model.objectness_head.dense2, _INITIAL_SCALE * _INITIAL_SHIFT),
        ):
            part.weight.zero_()
            part.bias.fill_(value)
        model.owlv2.vision_model.embeddings.position_embedding.weight[1:] = wave_positions(_VISION_WIDTH, _AMPLITUDE)


def _tower(width: int, layers: int) -> dict[str, Any]:
    heads = {"num_attention_heads": 4, "hidden_act": "gelu"}
    return {**heads, "hidden_size": width, "intermediate_size": 4 * width, "num_hidden_layers": layers}
