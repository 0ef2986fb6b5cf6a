"""Tools that look at pixels: real checkpoints, the embedded ones and tiny ones of other families."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.tiny_checkpoints import tiny_clip
from tests.tiny_checkpoints.detection import tiny_depth_anything, tiny_grounding_dino, tiny_owlvit
from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import HuggingFaceChat, LocalCheckpoint
from whatif.engine.params.programs import Detector as DetectorSettings
from whatif.engine.params.programs import ModelTools
from whatif.models import Answer, Model
from whatif.models.programs.interfaces import ToolError
from whatif.models.programs.tools.checkpoints import CheckpointTools
from whatif.models.programs.tools.depth import DepthEstimator
from whatif.models.programs.tools.detection import Detector, overlap
from whatif.world.scene_image import draw_scene_picture
from whatif.world.scenes import draw_scene

pytestmark = pytest.mark.slow


class Shown:
    """A picture with its pixels."""

    def __init__(self, image_id: str, pixels: Image.Image) -> None:
        self.image_id = image_id
        self.pixels = pixels


def settings(**more: Any) -> ModelTools:
    return ModelTools(
        kind="models",
        detector=DetectorSettings(checkpoint="embedded:owlv2", least_score=0.5),
        query=HuggingFaceChat(adapter="hf-chat", checkpoint="embedded:llava-original", max_new_tokens=8),
        matcher=LocalCheckpoint(checkpoint="embedded:clip"),
        **more,
    )


@pytest.fixture(scope="module")
def tools() -> CheckpointTools:
    return CheckpointTools(settings())


def whole(picture: Shown) -> tuple[float, float, float, float]:
    return (0.0, 0.0, float(picture.pixels.width), float(picture.pixels.height))


def test_the_embedded_tools_see_drawn_scenes(tools: CheckpointTools) -> None:
    right, verified, number = 0, [0, 0], 40
    for place in range(number):
        scene = draw_scene("test", place, 11)
        picture = Shown(f"scene-{place}", draw_scene_picture(scene, 224))
        thing = scene.things[0]
        found = tools.find(picture, whole(picture), f"{thing.colour} {thing.noun}")
        same = [one for one in scene.things if (one.colour, one.noun) == (thing.colour, thing.noun)]
        right += len(found) == len(same)
        assert found == sorted(found)
        assert all(0 <= left < left2 <= 224 and 0 <= top < top2 <= 224 for left, top, left2, top2 in found)
        for box in found[:1]:
            verified[0] += tools.verify_property(picture, box, thing.noun, thing.colour)
            verified[1] += 1
    assert right >= 38
    assert verified[0] >= 0.7 * verified[1]


def test_a_wide_image_is_padded_and_its_boxes_are_in_its_own_pixels(tools: CheckpointTools) -> None:
    scene = draw_scene("test", 0, 11, "one")
    wide = Image.new("RGB", (448, 224), (255, 255, 255))
    wide.paste(draw_scene_picture(scene, 224), (224, 0))
    picture = Shown("wide", wide)
    (box,) = tools.find(picture, (224.0, 0.0, 448.0, 224.0), "thing")
    thing = scene.things[0]
    assert box[0] >= 224
    assert abs((box[0] + box[2]) / 2 - 224 - thing.x * 224) < 20
    assert abs((box[1] + box[3]) / 2 - thing.y * 224) < 20


class Counting:
    """A model whose questions are counted."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    @property
    def identity(self) -> Any:
        return self.model.identity

    def answer(self, questions: Any) -> Any:
        self.asked += [(question.prompt, question.image_ids) for question in questions]
        return self.model.answer(questions)


def test_a_question_is_asked_once_about_each_part_of_an_image(tools: CheckpointTools) -> None:
    kept: list[Counting] = []

    def keep(model: Model) -> Model:
        kept.append(Counting(model))
        return kept[-1]

    tools.store_parts(keep)
    picture = Shown("asked", draw_scene_picture(draw_scene("test", 3, 11), 224))
    first = tools.simple_query(picture, whole(picture), "How many things are there?")
    assert tools.simple_query(picture, whole(picture), "How many things are there?") == first != ""
    tools.simple_query(picture, (0.0, 0.0, 112.4, 224.0), "How many things are there?")
    assert [ids for _, ids in kept[0].asked] == [("asked@0,0,224,224",), ("asked@0,0,113,224",)]


def test_a_model_without_an_answer_is_told_to_the_program(tools: CheckpointTools) -> None:
    class Silent:
        identity = None

        def answer(self, questions: Any) -> Any:
            yield Answer(status="error", reason="no memory")

    tools.store_parts(lambda model: Silent())
    with pytest.raises(ToolError, match="no answer: no memory"):
        tools.simple_query(Shown("s", Image.new("RGB", (8, 8))), (0, 0, 8, 8), "Why?")
    with pytest.raises(ToolError, match="no checkpoint for `depth`"):
        tools.compute_depth(Shown("s", Image.new("RGB", (8, 8))), (0, 0, 8, 8))


@pytest.mark.parametrize("build", [tiny_owlvit, tiny_grounding_dino])
def test_other_detectors(build: Any, tmp_path: Path) -> None:
    folder = build(tmp_path / "checkpoint")
    every = Detector(DetectorSettings(checkpoint=str(folder), least_score=0, largest_overlap=1))
    picture = Image.frombytes("RGB", (90, 60), bytes(number * 37 % 251 for number in range(90 * 60 * 3)))
    boxes = every.find(picture, "the red ball")
    assert boxes == sorted(boxes) == every.find(picture, "the red ball")
    assert boxes and all(0 <= left < right <= 90 and 0 <= top < bottom <= 60 for left, top, right, bottom in boxes)
    apart = Detector(DetectorSettings(checkpoint=str(folder), least_score=0, largest_overlap=0.3))
    few = apart.find(picture, "the red ball")
    assert few and all(overlap(one, other) <= 0.3 for one in few for other in few if one != other)
    none = Detector(DetectorSettings(checkpoint=str(folder), least_score=1))
    assert none.find(picture, "the red ball") == []
    assert every.identity != none.identity


def test_depth(tmp_path: Path) -> None:
    folder = tiny_depth_anything(tmp_path / "depth")
    estimator = DepthEstimator(LocalCheckpoint(checkpoint=str(folder)))
    noise = Image.frombytes("RGB", (60, 40), bytes(number * 53 % 239 for number in range(60 * 40 * 3)))
    assert estimator.median(noise) == estimator.median(noise) <= 0  # it predicts nearness
    assert "files" in estimator.identity


@pytest.mark.parametrize(
    ("build", "load", "words"),
    [
        (tiny_clip, lambda folder: Detector(DetectorSettings(checkpoint=folder)), "'clip' is no detector"),
        (tiny_clip, lambda folder: DepthEstimator(LocalCheckpoint(checkpoint=folder)), "'clip' estimates no depth"),
    ],
)
def test_a_checkpoint_of_another_type(build: Any, load: Any, words: str, tmp_path: Path) -> None:
    build(tmp_path / "clip")
    with pytest.raises(WhatifError, match=words):
        load(str(tmp_path / "clip"))


def test_a_checkpoint_that_lacks_a_file(tmp_path: Path) -> None:
    folder = tiny_depth_anything(tmp_path / "depth")
    (folder / "preprocessor_config.json").unlink()
    with pytest.raises(WhatifError, match="lacks a processor"):
        DepthEstimator(LocalCheckpoint(checkpoint=str(folder)))
    shutil.rmtree(folder)
    with pytest.raises(WhatifError, match="no such folder"):
        DepthEstimator(LocalCheckpoint(checkpoint=str(folder)))
