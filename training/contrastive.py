"""Trains the embedded CLIP on images and captions of scenes and of their minimal edits, in the same batch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.loop import optimise, pick_device
from training.recipes import ContrastiveRecipe
from training.saving import save_checkpoint
from training.scene_examples import SIDE, Described, draw_twins, texts_for_tokenizer
from training.scene_facts import FACTS, PATCH_FACTS, patch_facts, true_of
from training.supervision import fact_loss, fact_reader, pixel_values
from training.tower import PATCH, train_tower, wave_positions

LONGEST = 48  # tokens of a caption

_INITIAL_SCALE = 2.3  # log of the scale of the cosines; CLIP's 2.66 is for larger batches
LARGEST_SCALE = 4.6052  # as in CLIP: a scale of 100


@dataclass(frozen=True)
class ClipSizes:
    """The sizes of a CLIP: widths and numbers of layers of its towers, and those of its inputs and outputs."""

    vision_width: int
    vision_layers: int
    text_width: int
    text_layers: int
    projection: int
    vocabulary: int
    patch: int  # pixels
    amplitude: float  # of the initial position embeddings


_SIZES = ClipSizes(112, 4, 96, 2, projection=96, vocabulary=704, patch=PATCH, amplitude=0.4)
# Weights of the auxiliary losses: facts read from the embeddings, and from the patches.
_READ, _PATCHES = 2.0, 1.0


def train_clip(recipe: ContrastiveRecipe, seed: int, threads: int, folder: Path, log: Path) -> list[dict[str, float]]:
    """Trains a CLIP and saves it in `folder`; returns the log, also written to `log`.

    First its vision tower alone learns to recognise from each patch the thing that it shows. Then the whole model is
    trained on batches of `recipe.train.batch` images, half of them scenes and half an edit of each. Beside the
    contrastive loss there are two auxiliary ones: the patches' loss, and a reader shared by images and captions that
    predicts from their embeddings the content of the scene, and which thing is on the left or on top. The contrastive
    loss alone initially learns nouns and colours rather than relations; the reader provides a gradient for relations.
    The readers are discarded.
    """
    import torch

    device = pick_device(threads)
    torch.manual_seed(seed)
    processor, model = build_clip(seed)
    model.to(device)
    model.set_attn_implementation("eager")  # twice as fast as the fused kernels, whose backward pass is slow on a CPU
    patch_reader, tower_lines = train_tower(
        "clip",
        model.vision_model,
        lambda pixels: model.vision_model(pixel_values=pixels).last_hidden_state[:, 1:],
        schedule=recipe.tower,
        seed=seed,
        log=log,
    )
    reader = fact_reader(_SIZES.projection, FACTS).to(device)

    def losses(step: int) -> dict[str, Any]:
        with torch.no_grad():
            model.logit_scale.clamp_(max=LARGEST_SCALE)
        twins = draw_twins(max(1, recipe.train.batch // 2), step, seed)
        texts = processor.tokenizer(twins.captions, padding=True, return_tensors="pt").to(device)
        with torch.autocast(device.type, torch.bfloat16):
            seen = model.vision_model(pixel_values=pixel_values(twins.pictures, device))
            read = model.text_model(**texts)
            pictures = model.visual_projection(seen.pooler_output).float()
            captions = model.text_projection(read.pooler_output).float()
            by_patch = patch_reader(seen.last_hidden_state[:, 1:])
        pictures, captions = (torch.nn.functional.normalize(each, dim=-1) for each in (pictures, captions))
        labels = patch_facts(twins.scenes, SIDE, PATCH)
        # Scales the reader's inputs to the length that its initial weights expect.
        root = _SIZES.projection**0.5
        return {
            "contrastive": contrastive_loss(pictures, captions, model.logit_scale.exp(), twins),
            "read_picture": _READ * fact_loss(reader(pictures * root), twins.facts, FACTS),
            "read_caption": _READ * fact_loss(reader(captions * root), twins.told, FACTS),
            "patches": _PATCHES * fact_loss(by_patch, labels, PATCH_FACTS),
        }

    lines = optimise("clip", [model, reader, patch_reader], losses, recipe.train, log, before=tower_lines)
    save_checkpoint(model, processor, folder)
    return [*tower_lines, *lines]


def contrastive_loss(pictures: Any, captions: Any, scale: Any, batch: Described) -> Any:
    """The symmetric loss of CLIP over unit embeddings (m, width) of images and of their captions.

    A caption that is also true of another image of the batch is not used as a negative for it.
    """
    import torch

    true = torch.from_numpy(true_of(batch.told, batch.facts)).to(captions.device)
    own = torch.arange(len(captions), device=captions.device)
    true[own, own] = False
    logits = (scale * captions @ pictures.T).masked_fill(true, -torch.inf)
    entropy = torch.nn.functional.cross_entropy
    return (entropy(logits, own) + entropy(logits.T, own)) / 2


def build_clip(seed: int, sizes: ClipSizes = _SIZES) -> tuple[Any, Any]:
    """A `CLIPProcessor` with its tokenizer, and a new `CLIPModel` for it."""
    import torch
    import transformers

    from training.tokenizers import train_clip_tokenizer

    tokenizer = train_clip_tokenizer(texts_for_tokenizer(4000, seed), sizes.vocabulary, LONGEST)
    ends = {name: getattr(tokenizer, name) for name in ("bos_token_id", "eos_token_id", "pad_token_id")}
    config = transformers.CLIPConfig(
        text_config={
            **_tower(sizes.text_width, sizes.text_layers),
            **ends,
            "vocab_size": len(tokenizer),
            "max_position_embeddings": LONGEST,
        },
        vision_config={
            **_tower(sizes.vision_width, sizes.vision_layers),
            "image_size": SIDE,
            "patch_size": sizes.patch,
        },
        projection_dim=sizes.projection,
        logit_scale_init_value=_INITIAL_SCALE,
    )
    images = transformers.CLIPImageProcessorPil(
        size={"shortest_edge": SIDE}, crop_size=SIDE, image_mean=[0.5] * 3, image_std=[0.5] * 3
    )
    processor_class: Any = transformers.CLIPProcessor
    model = transformers.CLIPModel(config)
    with torch.no_grad():
        model.vision_model.embeddings.position_embedding.weight[1:] = wave_positions(
            sizes.vision_width, sizes.amplitude, sizes.patch
        )
    return processor_class(images, tokenizer), model


def _tower(width: int, layers: int) -> dict[str, Any]:
    heads = {"num_attention_heads": 4, "hidden_act": "gelu"}
    return {**heads, "hidden_size": width, "intermediate_size": 4 * width, "num_hidden_layers": layers}
