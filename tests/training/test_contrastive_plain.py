"""The embedded CLIP without edits: its examples, its size, and a training of a few steps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from training.contrastive_plain import train_clip_plain
from training.names import EMBEDDED
from training.recipes import PlainContrastiveRecipe, Schedule
from training.scene_examples import draw_singles
from training.scene_facts import true_of
from whatif.world.scene_captions import all_captions, short_caption
from whatif.world.scenes import BACKGROUNDS, COLOURS, draw_scene, split_of

RECIPE = PlainContrastiveRecipe(
    whole=0.5,
    tower=Schedule(steps=1, batch=8, learning_rate=1e-3, warmup=1),
    train=Schedule(steps=12, batch=8, learning_rate=1e-3, warmup=2),
)


def test_captions_without_colours_are_true() -> None:
    for number in range(20):
        for kind in ("one", "pair"):
            scene = draw_scene("train", number, 3, kind)
            for size in (True, False):
                caption = short_caption(scene, number % 5, size=size)
                assert caption in all_captions(scene)
                assert not set(caption.lower().strip(".").split()) & {*COLOURS, *BACKGROUNDS}
    with pytest.raises(ValueError, match="counted things need their colours"):
        short_caption(draw_scene("train", 0, 3, "counted"), 0, size=True)


@pytest.mark.parametrize("whole", [0.0, 0.5, 1.0])
def test_the_examples_are_scenes_to_train_with_and_none_is_the_edit_of_another(whole: float) -> None:
    batch = draw_singles(200, 1, 3, whole=whole)
    assert {split_of(scene.things) for scene in batch.scenes} == {"train"}
    assert [scene.kind for scene in batch.scenes[:4]] == ["one", "pair", "one", "pair"]
    assert true_of(batch.told, batch.facts).diagonal().all()
    named = sum(any(colour in caption.lower().split() for colour in COLOURS) for caption in batch.captions)
    assert abs(named / 200 - whole) < 0.15
    places = [tuple((thing.x, thing.y) for thing in scene.things) for scene in batch.scenes if scene.kind == "pair"]
    assert len(set(places)) == len(places)


@pytest.mark.training
@pytest.mark.usefixtures("short_logs")
def test_the_loss_falls_and_the_same_seed_gives_the_same_weights(tmp_path: Path) -> None:
    weights = []
    for name in ("first", "second"):
        folder = tmp_path / name
        _, first, _, last = train_clip_plain(RECIPE, 3, 1, folder, tmp_path / f"{name}.jsonl")
        assert last["contrastive"] < 0.95 * first["contrastive"]
        weights.append((folder / "model.safetensors").read_bytes())
    assert weights[0] == weights[1]


def test_the_shipped_checkpoint_is_small_and_has_room_to_improve() -> None:
    folder = EMBEDDED / "clip-plain"
    assert sum(file.stat().st_size for file in folder.iterdir()) < 1_500_000
    accuracies = json.loads((folder / "accuracy.json").read_text(encoding="utf-8"))
    for side in ("caption_of_picture", "picture_of_caption"):
        assert 0.2 < accuracies["recall"][side]["accuracy"] < 0.7
