"""Trains the embedded ViLT: does this caption belong to this image, or to a minimal edit of it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training import word_targets
from training.loop import optimise, pick_device
from training.masking import token_loss
from training.recipes import MatchingRecipe
from training.saving import save_checkpoint
from training.scene_examples import SIDE, Twins, draw_twins, texts_for_tokenizer
from training.scene_facts import PATCH_FACTS, UNTOLD, Labels, patch_facts, true_of
from training.supervision import fact_loss, pixel_values
from training.tower import PATCH, train_tower, wave_positions
from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream

LONGEST = 48  # tokens of a caption
_VOCABULARY = 512
_WIDTH = 112
_SIZES: dict[str, Any] = {
    "hidden_size": _WIDTH,
    "intermediate_size": 4 * _WIDTH,
    "num_hidden_layers": 6,
    "num_attention_heads": 4,
}
_SPECIAL_TOKENS = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>", "mask_token": "<mask>"}
_AMPLITUDE = 0.8  # of the initial position embeddings
_INITIAL_SPREAD = 0.08  # the usual 0.02 is for seven times the width and would make attention uniform at first
_MASKED, _ASKED = 0.3, 0.1  # fractions of a caption's tokens: masked, and predicted unmasked
# Weights of the auxiliary losses: which words are true, what each word refers to, and what the patches show.
_WORDS, _NAMED, _PATCHES = 1.0, 0.5, 0.5
_NAMED_LAYER = 3  # the layer after which references of words are predicted, so that later layers can use them


def train_vilt(recipe: MatchingRecipe, seed: int, threads: int, folder: Path, log: Path) -> list[dict[str, float]]:
    """Trains a `ViltForImageAndTextRetrieval` and saves it in `folder`; returns the log, also written to `log`.

    Its single logit is above 0 for a caption that is true of the image. Its first layers are those of the CLIP beside
    `folder` that `recipe.start` names, if any. A batch of `recipe.train.batch` holds scenes and their edits, each image
    with both captions, in which some words are masked. Three auxiliary losses help, and their heads are discarded: from
    each patch the thing that it shows, which is learned alone at first; the words that are true of the image, where
    words are masked or wrong; and for each noun, colour and size what it refers to in the image.
    """
    import torch

    device = pick_device(threads)
    torch.manual_seed(seed)
    processor, model = build_vilt(seed, None if recipe.start is None else folder.parent / recipe.start)
    tokenizer = processor.tokenizer
    model.to(device)
    no_text = tokenizer("", return_tensors="pt").input_ids.to(device)

    def patch_states(pixels: Any) -> Any:
        patches = embed_patches(model.vilt.embeddings, pixels)
        states = _encode(model.vilt, no_text.expand(len(pixels), -1), None, patches)
        return states.last_hidden_state[:, no_text.shape[1] + 1 :]

    patch_reader, lines = train_tower("vilt", model, patch_states, schedule=recipe.tower, seed=seed, log=log)
    word_reader = torch.nn.Linear(_WIDTH, len(tokenizer)).to(device)
    named_reader = torch.nn.Linear(_WIDTH, word_targets.CHANNELS).to(device)

    def losses(step: int) -> dict[str, Any]:
        twins = draw_twins(max(1, recipe.train.batch // 4), step, seed)
        pictures, captions = both_with_both(len(twins.worded_alike))
        texts = tokenizer(twins.captions, padding=True, return_tensors="pt", return_offsets_mapping=True)
        tokens, attended = texts.input_ids.numpy(), texts.attention_mask.numpy()
        words = masked_pairs(tokens, attended, twins.worded_alike, tokenizer, stream(seed, "words", step))
        with torch.autocast(device.type, torch.bfloat16):
            patches = embed_patches(model.vilt.embeddings, pixel_values(twins.pictures, device))
            outputs = _encode(
                model.vilt,
                torch.from_numpy(words.shown).to(device),
                torch.from_numpy(attended[captions]).to(device),
                patches[pictures],
                output_hidden_states=True,
            )
            logits = model.rank_output(outputs.pooler_output)[:, 0].float()
            by_word = word_reader(outputs.last_hidden_state[:, : tokens.shape[1]])
            by_patch = patch_reader(outputs.last_hidden_state[:, tokens.shape[1] + 1 :])
            rows, columns, named = _named(twins, pictures, captions, texts.offset_mapping.numpy())
            by_name = named_reader(outputs.hidden_states[_NAMED_LAYER][rows, columns])
        true = true_of(twins.told, twins.facts)[captions, pictures] | words.all_masked
        return {
            "matching": torch.nn.functional.binary_cross_entropy_with_logits(
                logits, torch.from_numpy(true).to(device, torch.float32)
            ),
            "words": _WORDS * token_loss(by_word, torch.from_numpy(words.targets).to(device)),
            "named": _NAMED * word_targets.word_losses(by_name.float(), torch.from_numpy(named).to(device)),
            "patches": _PATCHES * fact_loss(by_patch, patch_facts(twins.scenes, SIDE, PATCH)[pictures], PATCH_FACTS),
        }

    readers = [patch_reader, word_reader, named_reader]
    lines = [*lines, *optimise("vilt", [model, *readers], losses, recipe.train, log, before=lines)]
    save_checkpoint(model, processor, folder)
    return lines


def both_with_both(number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices of images and captions of `Twins` of `number` scenes: each scene and its edit, with both captions.

    Two arrays (4 * number,): own, own, then the edit's caption with the scene, and the scene's with the edit.
    """
    own = np.arange(2 * number)
    return np.concatenate([own, own]), np.concatenate([own, np.roll(own, number)])


def _named(
    twins: Twins, pictures: NDArray[np.int64], captions: NDArray[np.int64], offsets: Labels
) -> tuple[list[int], list[int], word_targets.Target]:
    """Rows and tokens of words in the captions, and what each refers to in its image, (words, channels).

    `offsets` (captions, length, 2) gives the range of characters of each token in its caption.
    """
    rows, columns, targets = [], [], []
    for row, (picture, caption) in enumerate(zip(pictures, captions, strict=True)):
        token_of = {int(end): place for place, (_, end) in enumerate(offsets[caption]) if end}
        for character, target in word_targets.word_targets(twins.captions[caption], twins.scenes[picture]):
            rows.append(row)
            columns.append(token_of[character])
            targets.append(target)
    return rows, columns, np.stack(targets)


@dataclass(frozen=True)
class MaskedPairs:
    """Captions in the order of `both_with_both`, with masked words."""

    shown: Labels  # (4n, length)
    targets: Labels  # (4n, length): the tokens of the image's own caption; UNTOLD where none is predicted
    all_masked: NDArray[np.bool_]  # (4n,): whether masks hide every word that is wrong for the image


def masked_pairs(
    tokens: Labels, attended: Labels, worded_alike: Sequence[bool], tokenizer: Any, generator: np.random.Generator
) -> MaskedPairs:
    """Masks words of the captions of `Twins` of n scenes: `tokens` (2n, length), padded where not `attended`.

    Masks only captions of pairs with the same wording and length, and every other one of those, because captions have
    no masks at test time. Words that are masked or wrong for the image are predicted, and some others.
    """
    number = len(worded_alike)
    own = np.concatenate([tokens, tokens])
    shown = np.concatenate([tokens, np.roll(tokens, number, axis=0)])
    lengths = attended.sum(1)
    alike = np.array([*worded_alike, *worded_alike]) & (lengths == np.roll(lengths, number))
    alike = np.concatenate([alike, alike])
    wrong = (shown != own) & alike[:, None]
    draws = generator.random(shown.shape)
    draws[np.isin(shown, tokenizer.all_special_ids)] = 1
    masks = (draws < _MASKED) & (alike & (generator.random(len(shown)) < 0.5))[:, None]
    asked = alike[:, None] & (masks | wrong | (draws > 1 - _ASKED) & (draws < 1))
    return MaskedPairs(
        np.where(masks, tokenizer.mask_token_id, shown),
        np.where(asked, own, UNTOLD),
        alike & ~(wrong & ~masks).any(axis=1),
    )


def embed_patches(embeddings: Any, pixels: Any) -> Any:
    """The patches of images with their positions, (n, 1 + patches, width), the class token first.

    Equals the model's own `visual_embed`, which also shuffles them and processes the images one by one.
    """
    import torch

    patches = embeddings.patch_embeddings(pixels).flatten(2).transpose(1, 2)
    patches = torch.cat([embeddings.cls_token.expand(len(patches), -1, -1), patches], dim=1)
    return patches + embeddings.position_embeddings


def _encode(vilt: Any, tokens: Any, mask: Any, patches: Any, **options: Any) -> Any:
    """The outputs for texts (n, length), without padding if `mask` is None, and images from `embed_patches`."""
    import torch

    mask = torch.ones_like(tokens) if mask is None else mask
    seen = torch.ones(patches.shape[:2], dtype=torch.long, device=patches.device)
    return vilt(input_ids=tokens, attention_mask=mask, image_embeds=patches, pixel_mask=seen, **options)


def build_vilt(seed: int, start: Path | None = None) -> tuple[Any, Any]:
    """A `ViltProcessor` with its tokenizer, and a new `ViltForImageAndTextRetrieval` for it.

    `start` is a folder with a CLIP of the same width, whose vision tower becomes the first layers. Raises WhatifError
    when it does not exist.
    """
    import torch
    import transformers

    from training.tokenizers import train_tokenizer

    tokenizer = train_tokenizer(
        texts_for_tokenizer(4000, seed), _VOCABULARY, _SPECIAL_TOKENS, framed=True, longest=LONGEST
    )
    config = transformers.ViltConfig(
        **_SIZES,
        vocab_size=len(tokenizer),
        pad_token_id=tokenizer.pad_token_id,
        max_position_embeddings=LONGEST,
        initializer_range=_INITIAL_SPREAD,
        image_size=SIDE,
        patch_size=PATCH,
    )
    settings: dict[str, Any] = {
        "size": {"shortest_edge": SIDE},
        "size_divisor": PATCH,
        "image_mean": [0.5] * 3,
        "image_std": [0.5] * 3,
    }
    processor_class: Any = transformers.ViltProcessor
    processor = processor_class(transformers.ViltImageProcessorPil(**settings), tokenizer)
    model = transformers.ViltForImageAndTextRetrieval(config)
    # With zero positions, as the class initialises them, all patches would be alike.
    torch.nn.init.normal_(model.vilt.embeddings.cls_token, std=config.initializer_range)
    with torch.no_grad():
        model.vilt.embeddings.position_embeddings[:, 1:] = wave_positions(_WIDTH, _AMPLITUDE)
    if start is not None:
        _take_over(start, model.vilt)
    return processor, model


def _take_over(start: Path, vilt: Any) -> None:
    """Initialises a ViLT with the vision tower of the CLIP in `start`; ViLT itself started from a ViT (ViLT 3.1).

    CLIP normalises its embeddings, which ViLT does not; their usual spread replaces that of each patch.
    """
    import torch
    import transformers

    if not start.is_dir():
        raise WhatifError(f"{start}: no such checkpoint to start from; make it with `whatif train {start.name}`")
    clip_class: Any = transformers.CLIPModel
    options = {"local_files_only": True, "dtype": torch.float32}
    tower = clip_class.from_pretrained(start, trust_remote_code=False, **options).vision_model
    theirs, ours, norm = tower.embeddings, vilt.embeddings, tower.pre_layrnorm
    with torch.no_grad():
        scenes = pixel_values(draw_twins(32, 0, 0).pictures, "cpu")
        spread = theirs(scenes).std(-1).mean()

        def normalised(values: Any) -> Any:  # (..., width)
            return (values - values.mean(-1, keepdim=True)) / spread * norm.weight

        projection = ours.patch_embeddings.projection
        projection.weight.copy_(normalised(theirs.patch_embedding.weight.movedim(0, -1)).movedim(-1, 0))
        projection.bias.zero_()
        ours.position_embeddings.copy_(normalised(theirs.position_embedding.weight) + norm.bias)
        ours.cls_token.copy_(normalised(theirs.class_embedding))
        ours.token_type_embeddings.weight[1] = 0
        for layer, one in zip(vilt.encoder.layer, tower.encoder.layers, strict=False):
            for mine, its in (
                (layer.layernorm_before, one.layer_norm1),
                (layer.attention.attention.query, one.self_attn.q_proj),
                (layer.attention.attention.key, one.self_attn.k_proj),
                (layer.attention.attention.value, one.self_attn.v_proj),
                (layer.attention.output.dense, one.self_attn.out_proj),
                (layer.layernorm_after, one.layer_norm2),
                (layer.intermediate.dense, one.mlp.fc1),
                (layer.output.dense, one.mlp.fc2),
            ):
                mine.load_state_dict(its.state_dict())
