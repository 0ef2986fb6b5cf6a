"""The embedded ViLT: what it is trained on, and a training of a few steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import ViltForImageAndTextRetrieval, ViltProcessor

from tests.training.untrained import untrained
from training.assess_text_image import assess_vilt
from training.contrastive import build_clip
from training.matching import both_with_both, build_vilt, embed_patches, masked_pairs, train_vilt
from training.recipes import MatchingRecipe, Schedule
from training.saving import save_checkpoint
from training.scene_examples import draw_twins
from training.scene_facts import UNTOLD
from training.supervision import pixel_values
from training.tower import wave_positions
from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream

pytestmark = pytest.mark.training

LOG_EVERY = 1


def recipe(tower: int, train: int) -> MatchingRecipe:
    stages = (Schedule(steps=steps, batch=4, learning_rate=2e-3, warmup=2) for steps in (tower, train))
    return MatchingRecipe(tower=next(stages), train=next(stages))


@pytest.fixture(scope="module")
def trained(short_logs: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, float]]]:
    folder = tmp_path_factory.mktemp("vilt")
    return folder / "vilt", train_vilt(recipe(2, 14), 3, 1, folder / "vilt", folder / "log.jsonl")


def test_the_losses_fall(trained: tuple[Path, list[dict[str, float]]]) -> None:
    tower, _, *lines = trained[1]
    for name in ("words", "named"):  # matching improves hundreds of steps later
        first, last = (_mean_loss(name, half) for half in (lines[:7], lines[7:]))
        assert last < 0.95 * first, name
    assert _mean_loss("patches", lines[7:]) < 0.4 * tower["patches"], "it counts half in the second stage"


def test_saving_and_loading_gives_the_same(tmp_path: Path) -> None:
    processor, model = untrained(build_vilt)
    save_checkpoint(model, processor, tmp_path)
    loaded = ViltForImageAndTextRetrieval.from_pretrained(tmp_path, dtype=torch.float32)
    inputs = _inputs(ViltProcessor.from_pretrained(tmp_path))
    scores = []
    with torch.inference_mode():
        for each in (model, loaded):
            torch.manual_seed(0)  # fixes the order of patches
            scores.append(each(**inputs).logits)
    assert torch.equal(*scores)
    assert (tmp_path / "model.safetensors").stat().st_size <= 3_000_000


def test_training_sees_what_the_processor_gives() -> None:
    """Embedded by the model itself, the patches are the same in another order, which later layers do not see."""
    processor, model = untrained(build_vilt)
    inputs = _inputs(processor)
    with torch.inference_mode():
        scores = model(**inputs).logits
        patches = embed_patches(model.vilt.embeddings, pixel_values(draw_twins(4, 0, 3).pictures, "cpu"))
        texts = {"input_ids": inputs.input_ids, "attention_mask": inputs.attention_mask}
        mask = torch.ones(patches.shape[:2], dtype=torch.long)
        assert torch.allclose(model(**texts, image_embeds=patches, pixel_mask=mask).logits, scores, atol=1e-5)
    assert scores.std() > 0


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    one, two = (train_vilt(recipe(1, 2), 3, 1, folder, tmp_path / "log.jsonl") for folder in folders)
    assert one == two
    for file in folders[0].iterdir():
        assert file.read_bytes() == (folders[1] / file.name).read_bytes(), file.name


def test_no_two_places_have_the_same_waves() -> None:
    waves = wave_positions(96, 1.0)
    assert waves.shape == (64, 96)
    apart = torch.cdist(waves, waves) + 99 * torch.eye(64)
    assert apart.min() > 1
    assert torch.equal(waves[:8, :48], waves[:1, :48].expand(8, -1))  # a row has the same first half


def test_each_picture_meets_both_captions() -> None:
    pictures, captions = both_with_both(3)
    met = set(zip(pictures.tolist(), captions.tolist(), strict=True))
    assert len(met) == 12
    assert all(picture % 3 == caption % 3 for picture, caption in met)


def test_what_is_masked_or_wrong_is_asked_for() -> None:
    tokenizer = untrained(build_vilt)[0].tokenizer
    captions = ["A red ball.", "A red ball."] * 50 + ["A red fish.", "A large red ball."] * 50
    texts = tokenizer(captions, padding=True, return_tensors="np")
    tokens, attended = texts.input_ids, texts.attention_mask
    words = masked_pairs(tokens, attended, [True] * 100, tokenizer, stream(0))
    own = np.concatenate([tokens, tokens])
    asked = words.targets != UNTOLD
    assert (words.targets[asked] == own[asked]).all()
    assert asked[words.shown == tokenizer.mask_token_id].all()
    fishes = words.shown[200:300:2]  # the captions of fishes, with the images of balls
    wrong = fishes != own[200:300:2]
    assert wrong.any(axis=1).all() and asked[200:300:2][wrong].all()
    noun = tokens[100] != tokens[0]
    hidden = (fishes[:, noun] == tokenizer.mask_token_id).all(axis=1)
    assert 0 < hidden.sum() < 50
    assert (words.all_masked[200:300:2] == hidden).all()
    assert words.all_masked[:200:2].all()  # nothing is wrong for their own image
    assert not asked[1::2].any()  # captions of different lengths differ everywhere
    assert (words.shown[1:200:2] == tokens[1::2]).all() and not words.all_masked[1::2].any()
    assert not (masked_pairs(tokens, attended, [False] * 100, tokenizer, stream(0)).targets != UNTOLD).any()


def test_it_starts_from_the_tower_of_a_clip(tmp_path: Path) -> None:
    processor, clip = untrained(build_clip)
    save_checkpoint(clip, processor, tmp_path / "clip")
    _, model = build_vilt(3, tmp_path / "clip")
    pixels = pixel_values(draw_twins(8, 0, 3).pictures, "cpu")
    with torch.inference_mode():
        theirs = clip.vision_model.pre_layrnorm(clip.vision_model.embeddings(pixels))
        ours = embed_patches(model.vilt.embeddings, pixels)
    likeness = torch.nn.functional.cosine_similarity(theirs[:, 1:], ours[:, 1:], dim=-1)
    assert likeness.min() > 0.99
    first, its = model.vilt.encoder.layer[0], clip.vision_model.encoder.layers[0]
    assert torch.equal(first.intermediate.dense.weight, its.mlp.fc1.weight)
    assert torch.equal(first.attention.attention.key.bias, its.self_attn.k_proj.bias)
    with pytest.raises(WhatifError, match="make it with `whatif train nosuch`"):
        build_vilt(3, tmp_path / "nosuch")


def test_what_is_assessed_has_its_n_and_chance(trained: tuple[Path, list[dict[str, float]]]) -> None:
    table = assess_vilt(trained[0], edits_of_each=3)
    assert table == assess_vilt(trained[0], edits_of_each=3)
    assert table["judgements"]["n"] == 2 * 3 * 13
    assert table["edits"]["one and pair"]["all"]["caption"]["chance"] == 0.5


def _mean_loss(name: str, lines: list[dict[str, float]]) -> float:
    """Over the steps that have it: where nothing is masked, no words are predicted."""
    return float(np.mean([line[name] for line in lines if line[name]]))


def _inputs(processor: ViltProcessor) -> Any:
    twins = draw_twins(4, 0, 3)
    return processor(list(twins.pictures), twins.captions, padding=True, return_tensors="pt")
