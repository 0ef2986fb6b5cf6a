"""The embedded OWLv2: its queries, targets and losses, a training of a few steps, and what the shipped one finds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForZeroShotObjectDetection, AutoProcessor, Owlv2ForObjectDetection, Owlv2Processor

from training.assess_owlv2 import assess_owlv2
from training.names import EMBEDDED
from training.owlv2 import LONGEST, build_owlv2, pictures_as_reduced, train_owlv2
from training.owlv2_finder import Finder, kept, overlap
from training.owlv2_losses import box_of, detection_losses, focal_loss, generalised_overlap, targets_of
from training.owlv2_queries import (
    KINDS,
    WORDINGS,
    Asked,
    Query,
    changed,
    draw_asked,
    found,
    query_of,
    texts_for_tokenizer,
)
from training.recipes import DetectionRecipe, Schedule
from training.saving import save_checkpoint
from whatif.engine.random_streams import stream
from whatif.world.scene_image import draw_scene_picture
from whatif.world.scenes import NOUNS, Scene, Thing, draw_scene, split_of

SHIPPED = EMBEDDED / "owlv2"
BALL, CUP, BOX = (
    Thing("ball", "red", "large", 0.28125, 0.28125),
    Thing("cup", "blue", "small", 0.75, 0.25),
    Thing("box", "red", "small", 0.5, 0.8125),
)
SCENE = Scene("drawn by hand", "white", (BALL, CUP, BOX))


def test_a_query_finds_the_things_that_have_all_its_attributes() -> None:
    assert [thing.noun for thing in SCENE.things if Query(colour="red").finds(thing)] == ["ball", "box"]
    assert [thing.noun for thing in SCENE.things if Query("ball", "red", "small").finds(thing)] == []
    assert all(Query().finds(thing) for thing in SCENE.things)
    for number in range(40):
        things = draw_scene("train", number, 3).things
        queries = [query_of(things[0], kind) for kind in KINDS]
        assert found(queries, things)[:, 0].all()
        assert found(queries, things).tolist() == [[query.finds(thing) for thing in things] for query in queries]
        others = [changed(query, stream(3, "others", number)) for query in queries]
        assert [query.finds(things[0]) for query in others] == [not attributes for attributes in KINDS.values()]


def test_queries_are_worded_with_articles_and_in_the_plural() -> None:
    texts = [Query("box", "orange").text(wording) for wording in range(WORDINGS)]
    assert texts == ["orange box", "an orange box", "the orange box", "orange boxes", "the orange boxes"]
    assert Query(size="small").text(3, "object") == "small objects"
    # 16 nouns and two words for any, with or without 7 colours and 2 sizes; the plural of `fish` is the same word.
    assert len(set(texts_for_tokenizer())) == 18 * 8 * 3 * WORDINGS - 8 * 3 * 2


def test_the_batches_are_scenes_to_train_with_and_differ_by_step() -> None:
    asked = draw_asked(24, 1, 3)
    assert {split_of(scene.things) for scene in asked.scenes} == {"train"}
    assert len(set(asked.texts)) == len(asked.texts) == len(asked.queries) > 24
    assert asked == draw_asked(24, 1, 3) != draw_asked(24, 2, 3)
    assert found(asked.queries, [thing for scene in asked.scenes for thing in scene.things]).any(axis=1).mean() > 0.6


def test_a_thing_belongs_to_the_patch_with_its_centre() -> None:
    asked = Asked([SCENE], [Query("ball"), Query(colour="red"), Query()], ["ball", "red thing", "thing"])
    targets = targets_of(asked, 8)
    # Rows of eight patches: the centres are in patches 2, 6 and 4 from the left and in rows 2, 2 and 6.
    assert np.flatnonzero(targets.here[0]).tolist() == [18, 22, 52]
    assert np.flatnonzero(targets.found[0, :, 0]).tolist() == [18]
    assert np.flatnonzero(targets.found[0, :, 1]).tolist() == [18, 52]
    assert np.flatnonzero(targets.found[0, :, 2]).tolist() == [18, 22, 52]
    # The cup's centre lies on the edges of four patches, so none of them is background; the ball's is near two edges.
    assert {13, 14, 21, 22} <= set(np.flatnonzero(targets.near[0]))
    assert targets.boxes[0, 13].tolist() == pytest.approx(box_of(CUP))
    assert not targets.near[0, [0, 20, 36, 63]].any()


def test_perfect_predictions_cost_nothing_and_patches_near_a_centre_do_not_count() -> None:
    asked = draw_asked(6, 0, 3)
    targets = targets_of(asked, 8)
    right = torch.from_numpy(targets.found).float() * 60 - 30
    here, boxes = torch.from_numpy(targets.here).float() * 60 - 30, torch.from_numpy(targets.boxes)
    losses = detection_losses(right, here, boxes, targets)
    assert all(float(loss) == pytest.approx(0, abs=1e-5) for loss in losses.values())
    beside = torch.from_numpy(targets.near & ~targets.here)
    assert beside.any()
    assert float(detection_losses(right, here.where(~beside, 30), boxes, targets)["objectness"]) < 1e-5
    assert float(detection_losses(-right, here, boxes + 0.1, targets)["queries"]) > 1
    assert float(detection_losses(right, here, boxes + 0.1, targets)["distance"]) == pytest.approx(2, abs=1e-4)


def test_the_focal_loss_is_small_for_easy_targets() -> None:
    logits, right = torch.tensor([2.0, -2.0, 0.0]), torch.tensor([True, False, True])
    easy = (1 - 0.8808) ** 2 * 0.1269
    assert float(focal_loss(logits, right)) == pytest.approx((2 * easy + 0.25 * 0.6931) / 2, abs=1e-4)


def test_overlaps_of_boxes() -> None:
    unit = torch.tensor([[0.5, 0.5, 1.0, 1.0]])
    half, apart = torch.tensor([[0.25, 0.5, 0.5, 1.0]]), torch.tensor([[2.5, 0.5, 1.0, 1.0]])
    assert float(generalised_overlap(unit, unit)) == pytest.approx(1)
    assert float(generalised_overlap(unit, half)) == pytest.approx(0.5)
    assert float(generalised_overlap(unit, apart)) == pytest.approx(-1 / 3)
    assert overlap(np.array([0, 0, 1, 1.0]), np.array([0.5, 0, 1.5, 1])) == pytest.approx(1 / 3)
    assert overlap(np.array([0, 0, 1, 1.0]), np.array([2.0, 2, 3, 3])) == 0


def test_of_two_boxes_of_a_thing_the_better_one_counts() -> None:
    candidates = np.array([[0, 0, 0.4, 0.4, 0.9], [0.02, 0, 0.42, 0.4, 0.8], [0.6, 0, 1, 0.4, 0.5], [0, 0, 1, 1, 0.1]])
    assert kept(candidates, 0.3)[:, 4].tolist() == [0.9, 0.5]
    assert kept(candidates, 0.3, largest_overlap=0.95)[:, 4].tolist() == [0.9, 0.8, 0.5]
    assert kept(candidates, 0.95).shape == (0, 5)


def recipe(tower: int, train: int) -> DetectionRecipe:
    stages = (Schedule(steps=steps, batch=8, learning_rate=2e-3, warmup=2) for steps in (tower, train))
    return DetectionRecipe(tower=next(stages), train=next(stages))


@pytest.mark.training
@pytest.mark.usefixtures("short_logs")
def test_the_losses_fall(tmp_path: Path) -> None:
    _, first, _, last = train_owlv2(recipe(2, 12), 3, 1, tmp_path / "owlv2", tmp_path / "log.jsonl")
    for loss in ("queries", "objectness", "distance", "overlap"):
        assert last[loss] < first[loss], loss


@pytest.mark.training
def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    one, two = (train_owlv2(recipe(1, 2), 3, 1, folder, tmp_path / "log.jsonl") for folder in folders)
    assert one == two
    for file in folders[0].iterdir():
        assert file.read_bytes() == (folders[1] / file.name).read_bytes(), file.name


@pytest.mark.training
def test_saving_and_loading_gives_the_same(tmp_path: Path) -> None:
    torch.manual_seed(3)
    processor, model = build_owlv2()
    save_checkpoint(model, processor, tmp_path)
    loaded = AutoModelForZeroShotObjectDetection.from_pretrained(tmp_path, dtype=torch.float32)
    processor = AutoProcessor.from_pretrained(tmp_path)
    assert type(loaded) is Owlv2ForObjectDetection and type(processor) is Owlv2Processor
    scenes = [draw_scene("train", number, 3) for number in range(3)]
    pictures = [draw_scene_picture(scene, side) for scene, side in zip(scenes, (64, 128, 224), strict=True)]
    inputs = processor(images=pictures, text=[["red ball", "thing"]] * 3, return_tensors="pt")
    reduced = torch.from_numpy(pictures_as_reduced(scenes)).permute(0, 3, 1, 2) / 127.5 - 1
    assert float((inputs.pixel_values - reduced).abs().mean()) < 0.005
    with torch.inference_mode():
        assert torch.equal(loaded(**inputs).logits, model(**inputs).logits)


def test_the_tokenizer_has_the_words_of_scenes_and_cuts_what_is_longer() -> None:
    tokenizer = AutoProcessor.from_pretrained(SHIPPED, local_files_only=True).tokenizer
    for noun in NOUNS:
        # A start, `the`, size, colour, noun, an end: no word is in pieces.
        assert len(tokenizer(f"the large orange {noun}").input_ids) <= 7
    assert tokenizer("ball").input_ids[0] > 0  # the model takes 0 for a query that is only padding
    assert len(tokenizer("a sentence with words that no scene has " * 4, truncation=True).input_ids) == LONGEST


@pytest.mark.training
@pytest.mark.process
def test_it_loads_offline_without_torchvision_and_finds_the_things_of_a_scene(tmp_path: Path) -> None:
    picture = tmp_path / "scene.png"
    draw_scene_picture(SCENE, 224).save(picture)
    code = f"""
import json, socket, sys
sys.modules["torchvision"] = None
def refuse(*arguments): raise OSError("no network in this test")
socket.socket.connect = refuse
from pathlib import Path
from PIL import Image
from training.owlv2_finder import Finder, kept
texts = ["red ball", "ball", "thing", "red thing", "large red ball", "a blue cup", "green balls", "the star"]
found = Finder(Path({str(SHIPPED.resolve())!r})).candidates([Image.open({str(picture)!r}).convert("RGB")], [texts])
print(json.dumps([kept(candidates, 0.5).tolist() for candidates in found[0]]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    boxes = json.loads(done.stdout.splitlines()[-1])
    assert [len(one) for one in boxes] == [1, 1, 3, 2, 1, 1, 0, 0]
    for thing, box in ((BALL, boxes[0][0]), (CUP, boxes[5][0])):
        x, y, width, _ = box_of(thing)
        assert box[:4] == pytest.approx([x - width / 2, y - width / 2, x + width / 2, y + width / 2], abs=0.04)


def test_pictures_that_are_not_square_are_padded_at_the_right_and_below() -> None:
    picture = draw_scene_picture(SCENE, 224).crop((0, 0, 224, 112))
    candidates = Finder(SHIPPED).candidates([picture], [["blue cup"]])[0][0]
    (box,) = kept(candidates, 0.3)
    assert box[:4] == pytest.approx([0.63, 0.13, 0.87, 0.37], abs=0.06)


@pytest.mark.training
def test_the_measure_has_a_share_for_every_kind_of_query() -> None:
    table = assess_owlv2(SHIPPED, scenes=30, puzzles=4, to_choose=20)
    assert set(KINDS) < set(table["scenes"]) and len(table["scenes"]) == 2 * len(KINDS) - 1
    for kind in KINDS:
        assert table["scenes"][kind]["count"]["accuracy"] > 0.8
        assert min(table["scenes"][kind][name]["accuracy"] for name in ("precision", "recall")) > 0.9
    assert table["scenes"]["other colour and noun"]["count"]["accuracy"] > 0.8
    assert table["crops"]["half of a scene"]["accuracy"] > 0.8
    assert table["puzzles"]["dots"]["dot"]["found on average"] < table["puzzles"]["dots"]["there on average"]


def test_the_shipped_checkpoint_is_small_and_counts_well() -> None:
    assert (SHIPPED / "model.safetensors").stat().st_size < 2_200_000
    accuracies = json.loads((SHIPPED / "accuracy.json").read_text(encoding="utf-8"))
    for kind in ("noun", "colour and noun", "thing"):
        assert accuracies["scenes"][kind]["count"]["accuracy"] > 0.9, kind
