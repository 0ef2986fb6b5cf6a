"""Scenes written in the formats of MS-COCO and VQAv2, and read by the readers of the real files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream
from whatif.formats.coco_annotations import read_captions
from whatif.formats.vqa_v2 import read_vqa
from whatif.world.scene_captions import captions
from whatif.world.scene_files import SceneFiles, image_id_of, write_scene_files
from whatif.world.scene_questions import scene_questions
from whatif.world.scenes import BACKGROUNDS, NOUNS, draw_scene

NUMBERS = range(40, 80)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> SceneFiles:
    return write_scene_files(tmp_path_factory.mktemp("scenes"), "validation", NUMBERS, 0)


def test_names_are_the_official_ones(files: SceneFiles) -> None:
    folder = files.pictures.parent
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.json"))
    assert names == [
        "annotations/captions_val2014.json",
        "annotations/instances_val2014.json",
        "v2_OpenEnded_mscoco_val2014_questions.json",
        "v2_mscoco_val2014_annotations.json",
    ]
    assert sorted(path.name for path in files.pictures.iterdir()) == [
        f"COCO_val2014_{image_id_of('validation', number):012d}.png" for number in NUMBERS
    ]


def test_captions_come_back(files: SceneFiles) -> None:
    read = read_captions(files.captions)
    assert list(read.images) == [image_id_of("validation", number) for number in NUMBERS]
    for number in NUMBERS:
        image = read.images[image_id_of("validation", number)]
        assert (image.width, image.height, image.licence) == (64, 64, "CC0-1.0")
        written = captions(draw_scene("validation", number, 0), 5, stream(0, "scene captions", "validation", number))
        assert [one.caption for one in read.captions if one.image_id == image.image_id] == written


def test_instances_are_where_the_pixels_are(files: SceneFiles) -> None:
    coco = json.loads(files.instances.read_bytes())
    names = {category["id"]: category["name"] for category in coco["categories"]}
    assert list(names.values()) == list(NOUNS)
    images = {image["id"]: image for image in coco["images"]}
    for number in NUMBERS:
        scene, image = draw_scene("validation", number, 0), images[image_id_of("validation", number)]
        pixels = np.asarray(Image.open(files.pictures / image["file_name"]).convert("RGB"))
        drawn = (pixels != BACKGROUNDS[scene.background]).any(axis=2)
        found = [one for one in coco["annotations"] if one["image_id"] == image["id"]]
        assert [names[one["category_id"]] for one in found] == [thing.noun for thing in scene.things]
        for one in found:
            left, top, width, height = one["bbox"]
            inside = drawn[round(top) : round(top + height), round(left) : round(left + width)]
            rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
            assert rows[0] <= 1 and columns[0] <= 1
            assert rows[-1] >= len(inside) - 2 and columns[-1] >= inside.shape[1] - 2
            assert 0.4 * inside.sum() < one["area"] <= inside.sum()
            xs, ys = (np.concatenate([polygon[axis::2] for polygon in one["segmentation"]]) for axis in (0, 1))
            assert np.allclose([xs.min(), ys.min(), np.ptp(xs), np.ptp(ys)], one["bbox"], atol=0.02)


def test_questions_come_back_with_ten_agreeing_answers(files: SceneFiles) -> None:
    read = read_vqa(files.questions, files.annotations)
    assert not read.rejected
    for number in NUMBERS:
        scene = draw_scene("validation", number, 0)
        asked = scene_questions(scene, stream(0, "scene questions", "validation", number))
        found = [one for one in read.questions if one.image_id == image_id_of("validation", number)]
        assert [(one.question, one.answer, one.answer_type, one.question_type) for one in found] == [
            (one.question, one.answer, one.answer_type, one.question_type) for one in asked
        ]
        assert all(one.answers == (one.answer,) * 10 for one in found)


def test_fields_are_those_of_the_published_files(files: SceneFiles) -> None:
    coco = json.loads(files.captions.read_bytes())
    assert set(coco) == {"info", "licenses", "images", "annotations"}
    assert set(coco["images"][0]) >= {"license", "file_name", "height", "width", "id"}
    assert set(coco["annotations"][0]) == {"image_id", "id", "caption"}
    instance = json.loads(files.instances.read_bytes())["annotations"][0]
    assert set(instance) == {"id", "image_id", "category_id", "bbox", "area", "iscrowd", "segmentation"}
    instances = json.loads(files.instances.read_bytes())
    fields = {"segmentation", "area", "iscrowd", "image_id", "bbox", "category_id", "id"}
    assert set(instances["annotations"][0]) == fields
    assert set(instances["categories"][0]) == {"supercategory", "id", "name"}
    questions = json.loads(files.questions.read_bytes())
    assert set(questions) == {"info", "task_type", "data_type", "license", "data_subtype", "questions"}
    assert set(questions["questions"][0]) == {"image_id", "question", "question_id"}
    annotations = json.loads(files.annotations.read_bytes())
    assert set(annotations) == {"info", "license", "data_subtype", "annotations", "data_type"}
    assert set(annotations["annotations"][0]) == {
        "question_type", "multiple_choice_answer", "answers", "image_id", "answer_type", "question_id"
    }  # fmt: skip
    assert annotations["annotations"][0]["answers"][9] | {"answer": ""} == {
        "answer": "", "answer_confidence": "yes", "answer_id": 10
    }  # fmt: skip


def test_the_same_arguments_give_the_same_bytes(files: SceneFiles, tmp_path: Path) -> None:
    folder = files.pictures.parent
    write_scene_files(tmp_path, "validation", NUMBERS, 0)
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert len(written) == len(NUMBERS) + 4
    assert all(path.read_bytes() == (tmp_path / path.relative_to(folder)).read_bytes() for path in written)


def test_splits_share_a_folder_and_no_image_id(tmp_path: Path) -> None:
    ids: set[int] = set()
    for split in ("train", "validation", "test"):
        ids |= set(read_captions(write_scene_files(tmp_path, split, range(3), 0, side=32).captions).images)
    assert len(ids) == 9


def test_what_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="unknown split 'dev'; choose one of train, validation, test"):
        write_scene_files(tmp_path, "dev", range(1), 0)
    with pytest.raises(WhatifError, match="number 1000000; it must be from 0 to 999999"):
        write_scene_files(tmp_path, "train", [1_000_000], 0)
    with pytest.raises(WhatifError, match="side is 8;"):
        write_scene_files(tmp_path, "train", range(1), 0, side=8)
