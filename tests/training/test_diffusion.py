"""The embedded diffusion pipeline: its scenes and captions, a training of a few steps, and its assessment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from training import assess_diffusion
from training.diffusion import save_pipeline, train_diffusion
from training.diffusion_parts import (
    new_autoencoder,
    new_denoiser,
    new_pipeline,
    new_text_encoder,
    new_tokenizer,
    token_ids,
)
from training.diffusion_scenes import PLACES_APART, caption_words, draw_caption, draw_training_scenes
from training.recipes import DiffusionRecipe, Schedule
from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import DiffusionCheckpoint
from whatif.engine.random_streams import stream
from whatif.models.prompt_to_prompt.pipeline import load_pipeline
from whatif.world.scene_captions import all_captions
from whatif.world.scene_image import draw_scene_picture, square_of
from whatif.world.scenes import Scene, Thing, draw_scene, relation_of, split_of

pytestmark = pytest.mark.training

MOST_BYTES = 7_000_000
LOG_EVERY = 2


def recipe(autoencoder: int, denoiser: int) -> DiffusionRecipe:
    """Of so many steps each."""
    return DiffusionRecipe(
        scenes=20,
        pairs=0.2,
        autoencoder=Schedule(steps=autoencoder, batch=4, learning_rate=1e-3, warmup=2),
        denoiser=Schedule(steps=denoiser, batch=4, learning_rate=2e-3, warmup=2),
    )


@pytest.fixture(scope="module")
def trained(short_logs: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, float]]]:
    folder = tmp_path_factory.mktemp("diffusion")
    return folder / "pipeline", train_diffusion(recipe(6, 8), 3, 1, folder / "pipeline", folder / "log.jsonl")


def test_the_losses_fall(trained: tuple[Path, list[dict[str, float]]]) -> None:
    folder, lines = trained
    assert [json.loads(line) for line in (folder.parent / "log.jsonl").read_text().splitlines()] == lines
    assert [line["step"] for line in lines] == [2, 4, 6, 2, 4, 6, 8]
    assert lines[2]["pixels"] < 0.8 * lines[0]["pixels"]
    assert lines[6]["velocity"] < 0.9 * lines[3]["velocity"]


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    folder, other = tmp_path / "one", tmp_path / "two"
    first, second = (train_diffusion(recipe(2, 2), 3, 1, each, tmp_path / "log.jsonl") for each in (folder, other))
    assert first == second
    files = sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    assert files
    for file in files:
        data = (folder / file).read_bytes()
        assert data == (other / file).read_bytes(), file
        assert str(tmp_path).encode() not in data, f"{file} names the machine's folder"


def test_it_is_an_ordinary_pipeline(trained: tuple[Path, list[dict[str, float]]]) -> None:
    folder = trained[0]
    index = json.loads((folder / "model_index.json").read_text())
    assert index["_class_name"] == "StableDiffusionPipeline"
    assert index["safety_checker"] == [None, None]
    assert sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) <= MOST_BYTES
    pipeline = load_pipeline(DiffusionCheckpoint(checkpoint=str(folder), steps=2))
    assert {weight.dtype for weight in pipeline.unet.parameters()} == {torch.float32}
    picture = pipeline("A red ball.", num_inference_steps=2).images[0]
    assert picture.size == (64, 64)


def test_saving_and_loading_gives_the_same(tmp_path: Path) -> None:
    torch.manual_seed(3)
    tokenizer = new_tokenizer(caption_words())
    pipeline = new_pipeline(tokenizer, new_text_encoder(tokenizer), new_autoencoder(), new_denoiser())
    pipeline.set_progress_bar_config(disable=True)
    save_pipeline(pipeline, tmp_path)
    loaded = load_pipeline(DiffusionCheckpoint(checkpoint=str(tmp_path), steps=2))
    first, second = (
        each.to(torch.float32)(
            ["A red ball.", "A large blue star on a black background."],
            num_inference_steps=3,
            generator=torch.Generator().manual_seed(1),
            output_type="np",
        ).images
        for each in (pipeline, loaded)
    )
    assert np.array_equal(first, second)


def test_scenes_are_of_the_training_split_and_on_the_grid() -> None:
    scenes = draw_training_scenes(200, 0.2, 3)
    assert [scene.kind for scene in scenes].count("pair") == 40
    assert {scene.kind for scene in scenes} == {"one", "pair"}
    assert scenes == draw_training_scenes(200, 0.2, 3)
    for scene in scenes:
        assert split_of(scene.things) == "train"
        assert scene.relation is None or scene.relation == relation_of(*scene.things)
        for thing in scene.things:
            left, top, _ = square_of(thing, 64)
            assert left % PLACES_APART == top % PLACES_APART, "things of a size are alike to the denoiser"
            assert left >= 0 <= top


def test_every_word_of_a_caption_is_known() -> None:
    tokenizer = new_tokenizer(caption_words())
    longest = 0
    for number in range(400):
        for caption in all_captions(draw_scene("test", number, 3)):
            ids = tokenizer(caption).input_ids
            assert tokenizer.unk_token_id not in ids, caption
            longest = max(longest, len(ids))
    assert longest <= tokenizer.model_max_length
    assert tokenizer("A zebra.").input_ids[2] == tokenizer.unk_token_id
    assert token_ids(tokenizer, ["", "A ball."]).shape == (2, tokenizer.model_max_length)


def test_a_tenth_of_the_captions_is_empty_and_most_are_full() -> None:
    scene = draw_training_scenes(1, 0, 3)[0]
    generator = stream(3, "captions")
    drawn = [draw_caption(scene, generator) for _ in range(600)]
    assert 0.06 < drawn.count("") / 600 < 0.14
    assert set(drawn) <= {"", *all_captions(scene)}
    named = (scene.background, scene.things[0].noun, scene.things[0].colour, scene.things[0].size)
    assert sum(all(word in caption for word in named) for caption in drawn) / 600 > 0.75


def test_what_is_assessed_is_the_same_each_time(
    trained: tuple[Path, list[dict[str, float]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assess_diffusion, "STEPS", 2)
    table = assess_diffusion.assess_diffusion(trained[0], samples=4, pairs=2)
    assert table == assess_diffusion.assess_diffusion(trained[0], samples=4, pairs=2)
    assert list(table["captions"]) == ["object", "colour", "background", "all"]
    assert all(share["n"] == 4 for share in table["captions"].values())
    assert json.loads(json.dumps(table)) == table


def test_true_drawings_are_assessed_as_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """With drawings for samples, everything is right and a swap changes nothing outside the thing."""

    def drawn(of: dict[str, Any], caption: str, far: bool = False) -> Any:
        scene = of[caption]
        if far:
            thing = scene.things[0]
            scene = Scene("moved", scene.background, (Thing(thing.noun, thing.colour, thing.size, 0.22, 0.22),))
        return draw_scene_picture(scene)

    known: dict[str, Scene] = {}
    monkeypatch.setattr(
        assess_diffusion,
        "full_caption",
        lambda scene, wording: known.setdefault(scene.scene_id, scene) and scene.scene_id,
    )
    monkeypatch.setattr(
        assess_diffusion,
        "_draw",
        lambda pipeline, captions, seeds: [drawn(known, caption, caption.endswith("-noun")) for caption in captions],
    )
    monkeypatch.setattr(
        assess_diffusion,
        "_draw_pairs",
        lambda pipeline, captions, others, seeds, *, shared, shared_start=0.0: [
            (drawn(known, caption), drawn(known, other)) for caption, other in zip(captions, others, strict=True)
        ],
    )
    monkeypatch.setattr(assess_diffusion, "load_pipeline", lambda settings: None)
    table = assess_diffusion.assess_diffusion(Path("nowhere"), samples=10, pairs=10)
    assert all(share["accuracy"] == 1 for share in table["captions"].values())
    assert all(share["accuracy"] == 1 for share in table["nouns"].values())
    for way, still in (("prompt_to_prompt", 1), ("prompt_to_prompt_with_a_shared_start", 1), ("another_seed", 0)):
        moved = table["movement"][way]
        assert moved["both_nouns_right"]["accuracy"] == 1
        assert (moved["moved_less_than_a_tenth_of_the_side"]["accuracy"] == 1) == bool(still)
        assert (moved["median_shift_in_sides"] < 0.02) == bool(still)
    swaps = table["noun_swaps"]
    assert swaps["right_with_prompt_to_prompt"]["n"] == 10
    assert swaps["right_with_prompt_to_prompt"]["accuracy"] == 1
    assert swaps["mean_change_with_prompt_to_prompt"] == 0
    assert swaps["mean_change_with_another_seed"] > 1
    assert swaps["wilcoxon_p_against_shared_seed"] == 1


def test_a_damaged_pipeline_is_named(trained: tuple[Path, list[dict[str, float]]], tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="nothing-here"):
        assess_diffusion.assess_diffusion(tmp_path / "nothing-here")
