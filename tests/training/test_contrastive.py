"""The embedded CLIP: its tokenizer, its losses, and a training of a few steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoProcessor, CLIPModel, CLIPProcessor

from tests.training.untrained import untrained
from training.assess_text_image import assess_clip, minimal_edits
from training.contrastive import LONGEST, build_clip, contrastive_loss, train_clip
from training.recipes import ContrastiveRecipe, Schedule
from training.saving import save_checkpoint
from training.scene_examples import draw_twins, texts_for_tokenizer
from training.scene_facts import PATCH_FACTS, UNTOLD, patch_facts, scene_facts, told_facts, true_of
from training.supervision import pixel_values
from training.tokenizers import train_clip_tokenizer, train_tokenizer
from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream
from whatif.world.scene_captions import all_captions, full_caption
from whatif.world.scene_edits import edit
from whatif.world.scenes import NOUNS, OPPOSITES, RELATIONS, draw_scene, split_of

pytestmark = pytest.mark.training

RECIPE = ContrastiveRecipe(
    tower=Schedule(steps=2, batch=8, learning_rate=1e-3, warmup=1),
    train=Schedule(steps=12, batch=8, learning_rate=1e-3, warmup=2),
)


@pytest.fixture(scope="module")
def trained(short_logs: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, float]]]:
    folder = tmp_path_factory.mktemp("clip")
    return folder / "clip", train_clip(RECIPE, 3, 1, folder / "clip", folder / "log.jsonl")


def test_the_loss_falls(trained: tuple[Path, list[dict[str, float]]]) -> None:
    tower, first, *_, last = trained[1]
    assert last["contrastive"] < first["contrastive"]
    for name in ("read_picture", "read_caption"):
        assert last[name] < 0.95 * first[name], name
    assert last["patches"] < 0.9 * tower["patches"]


def test_saving_and_loading_gives_the_same(tmp_path: Path) -> None:
    processor, model = untrained(build_clip)
    save_checkpoint(model, processor, tmp_path)
    loaded = CLIPModel.from_pretrained(tmp_path, dtype=torch.float32)
    processor = CLIPProcessor.from_pretrained(tmp_path)
    assert type(AutoProcessor.from_pretrained(tmp_path)) is CLIPProcessor
    twins = draw_twins(4, 0, 3)
    inputs = processor(text=twins.captions, images=list(twins.pictures), padding=True, return_tensors="pt")
    assert torch.allclose(inputs.pixel_values, pixel_values(twins.pictures, "cpu"), atol=1e-6)
    with torch.inference_mode():
        assert torch.equal(loaded(**inputs).logits_per_image, model(**inputs).logits_per_image)
    assert (tmp_path / "model.safetensors").stat().st_size <= 3_000_000


def test_the_same_seed_gives_the_same_bytes(trained: tuple[Path, list[dict[str, float]]], tmp_path: Path) -> None:
    folder, lines = trained
    assert train_clip(RECIPE, 3, 1, tmp_path / "clip", tmp_path / "log.jsonl") == lines
    for file in folder.iterdir():
        assert file.read_bytes() == (tmp_path / "clip" / file.name).read_bytes(), file.name


def test_what_is_assessed_has_its_n_and_chance(trained: tuple[Path, list[dict[str, float]]]) -> None:
    table = assess_clip(trained[0], recall_among=30, edits_of_each=4)
    assert table == assess_clip(trained[0], recall_among=30, edits_of_each=4)
    assert table["recall"]["picture_of_caption"]["n"] == 30
    assert table["edits"]["pair"]["relation"]["caption"].keys() == {"accuracy", "low", "high", "chance", "n"}
    assert table["edits"]["one and pair"]["all"]["picture"]["n"] == 4 * 9


def test_assessment_is_of_scenes_that_are_not_trained_on() -> None:
    edits = minimal_edits(10)
    assert {split_of(scene.things) for scene in [*edits.scenes, *edits.edited]} == {"test"}
    assert {split_of(scene.things) for scene in draw_twins(40, 0, 3).scenes} == {"train"}
    assert all(one != two for one, two in zip(edits.captions, edits.edited_captions, strict=True))


def test_the_end_of_a_caption_is_where_the_model_looks_for_it() -> None:
    processor, model = untrained(build_clip)
    tokenizer = processor.tokenizer
    assert model.text_model.eos_token_id == tokenizer.eos_token_id == len(tokenizer) - 1
    captions = list(texts_for_tokenizer(300, 9))
    tokens = tokenizer(captions).input_ids
    assert all(row.count(tokenizer.eos_token_id) == 1 and row[-1] == tokenizer.eos_token_id for row in tokens)
    assert max(map(len, tokens)) <= LONGEST
    # Whatever is written, no byte is unknown: the end stands for unknown tokens.
    assert tokenizer("a naïve 漢 ☃ {x}~é").input_ids.count(tokenizer.eos_token_id) == 1
    assert tokenizer.decode(tokenizer("Three Red balls.").input_ids, skip_special_tokens=True) == "three red balls ."


def test_both_captions_of_an_exchange_of_places_have_other_embeddings() -> None:
    processor, model = untrained(build_clip)
    scene = draw_scene("train", 0, 3, "pair")
    captions = [full_caption(it) for it in (scene, edit(scene, "relation", stream(0)))]
    inputs = processor(text=captions, padding=True, return_tensors="pt")
    with torch.inference_mode():
        first, second = model.get_text_features(**inputs).pooler_output
    assert not torch.allclose(first, second, atol=1e-4)


def test_facts_say_what_all_captions_say() -> None:
    twins = draw_twins(60, 1, 3)
    said = [set(all_captions(scene)) for scene in twins.scenes]
    true = true_of(twins.told, twins.facts)
    assert true.tolist() == [[caption in captions for captions in said] for caption in twins.captions]
    assert true.diagonal().all()
    assert true.sum() > len(true)  # some captions are true of more than one


def test_partial_captions_leave_their_facts_out() -> None:
    scene = draw_scene("train", 5, 3, "pair")
    for caption in all_captions(scene):
        named = true_of(told_facts(scene_facts(scene), caption)[None], scene_facts(scene)[None])
        assert named.all()


def test_a_patch_shows_the_thing_in_its_middle() -> None:
    scene = draw_scene("train", 2, 3, "one")
    labels = patch_facts([scene], 64, 8)
    assert labels.shape == (1, 64, len(PATCH_FACTS))
    thing = scene.things[0]
    row, column = int(thing.y * 8), int(thing.x * 8)
    assert labels[0, 8 * row + column, :3].min() > 0
    there = labels[0, :, 1] > 0
    assert 1 <= there.sum() <= 16
    assert (labels[0, ~there] == [UNTOLD, 0, 0, UNTOLD]).all()
    pair = draw_scene("train", 2, 3, "pair")
    assert pair.relation is not None
    placed = dict(zip((thing.noun for thing in pair.things), (pair.relation, OPPOSITES[pair.relation]), strict=True))
    for noun, *_, place in patch_facts([pair], 64, 8)[0].tolist():
        assert (noun == place == UNTOLD) or RELATIONS[place] == placed[NOUNS[noun - 1]]


def test_another_true_caption_is_not_held_against_a_picture() -> None:
    twins = draw_twins(8, 0, 3)
    embeddings = torch.eye(16)
    assert contrastive_loss(embeddings, embeddings, 100.0, twins) < 1e-3
    told = np.full_like(twins.told, UNTOLD)
    none = type(twins)(twins.scenes, twins.captions, twins.facts, told, twins.worded_alike)
    assert contrastive_loss(torch.ones(16, 4), torch.ones(16, 4), 1.0, none) == 0


def test_whole_numbers_are_single_tokens() -> None:
    tokenizer = train_tokenizer(
        ["how many dots are there", "42 43 44"], 420, {"pad_token": "<pad>"}, ["<image>"], whole_numbers=True
    )
    for number in range(100):
        assert len(tokenizer.encode(f" {number}")) == 1
    assert tokenizer.decode(tokenizer.encode("USER: <image>\n7 Dots, 12?")) == "USER: <image>\n7 Dots, 12?"
    with pytest.raises(WhatifError, match="vocabulary_size"):
        train_tokenizer([], 300, {"pad_token": "<pad>"}, whole_numbers=True)
    with pytest.raises(WhatifError, match="bytes need"):
        train_clip_tokenizer([], 300, 48)
