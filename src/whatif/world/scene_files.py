"""Writes scenes in the formats of MS-COCO and VQAv2: images, captions, instances, questions and answers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from whatif.engine.artifacts.images import DRAWN_LICENCE
from whatif.engine.errors import WhatifError
from whatif.engine.files import png
from whatif.engine.files.atomic import write_whole
from whatif.engine.random_streams import stream
from whatif.world.scene_captions import captions
from whatif.world.scene_image import draw_scene_picture, silhouette, square_of
from whatif.world.scene_questions import scene_questions
from whatif.world.scene_shapes import OUTLINES
from whatif.world.scenes import NOUNS, SPLITS, Scene, Thing, draw_scene

DATA_SUBTYPES = {"train": "train2014", "validation": "val2014", "test": "test2014"}
_ANSWERS = 10  # VQAv2 has the answers of ten people; here they all agree
# Image ids of different splits differ, as in MS-COCO; other ids are an image id followed by two digits.
_IMAGES_OF_A_SPLIT = 1_000_000
_RECORDS_OF_AN_IMAGE = 100
_INFO = {
    "description": "Scenes drawn by whatif",
    "url": "",
    "version": "1.0",
    "year": 2014,
    "contributor": "whatif",
    "date_created": "",
}
_LICENCE = {"id": 1, "name": DRAWN_LICENCE, "url": "https://creativecommons.org/publicdomain/zero/1.0/"}


@dataclass(frozen=True)
class SceneFiles:
    """The paths of the files of one split; `pictures` is a folder."""

    pictures: Path
    captions: Path
    instances: Path
    questions: Path
    annotations: Path


def scene_files(folder: Path, split: str) -> SceneFiles:
    """The paths of a split's files in a folder, by their official names. Raises WhatifError for an unknown split."""
    if split not in DATA_SUBTYPES:
        raise WhatifError(f"scenes: unknown split {split!r}; choose one of {', '.join(DATA_SUBTYPES)}")
    subtype = DATA_SUBTYPES[split]
    return SceneFiles(
        folder / subtype,
        folder / "annotations" / f"captions_{subtype}.json",
        folder / "annotations" / f"instances_{subtype}.json",
        folder / f"v2_OpenEnded_mscoco_{subtype}_questions.json",
        folder / f"v2_mscoco_{subtype}_annotations.json",
    )


def image_id_of(split: str, number: int) -> int:
    """The image id of scene `number`: its last six digits are the number. Raises WhatifError if it is out of range."""
    if not 0 <= number < _IMAGES_OF_A_SPLIT:
        raise WhatifError(f"scenes: number {number}; it must be from 0 to {_IMAGES_OF_A_SPLIT - 1}")
    return (list(SPLITS).index(split) + 1) * _IMAGES_OF_A_SPLIT + number


def write_scene_files(
    folder: Path,
    split: str,
    numbers: Iterable[int],
    seed: int,
    *,
    side: int = 64,
    captions_each: int = 5,
    kind: str | None = None,
) -> SceneFiles:
    """Writes scenes by number; the same arguments give the same bytes, even if the folder is not empty.

    All scenes are of one `kind` (`one`, `counted`, `pair`); by default kinds are mixed.

    Images are PNG of `side` x `side` pixels. Raises WhatifError for an unknown split, a number or a side out of
    range, and when a file cannot be written.
    """
    files = scene_files(folder, split)
    subtype = DATA_SUBTYPES[split]
    images: list[dict[str, Any]] = []
    captioned: list[dict[str, Any]] = []
    instances: list[dict[str, Any]] = []
    questions: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for number in numbers:
        scene = draw_scene(split, number, seed, kind)
        image_id = image_id_of(split, number)
        name = f"COCO_{subtype}_{image_id:012d}.png"
        write_whole(files.pictures / name, png.encode(draw_scene_picture(scene, side)), durable=False)
        images.append(_image(image_id, name, side))
        captioned += _captions(scene, image_id, captions_each, stream(seed, "scene captions", split, number))
        instances += [_instance(thing, image_id, place, side) for place, thing in enumerate(scene.things)]
        asked = _questions(scene, image_id, stream(seed, "scene questions", split, number))
        questions += [question for question, _ in asked]
        annotations += [annotation for _, annotation in asked]
    coco = {"info": _INFO, "licenses": [_LICENCE], "images": images}
    vqa = {"info": _INFO, "license": _LICENCE, "data_type": "mscoco", "data_subtype": subtype}
    _write(files.captions, {**coco, "annotations": captioned})
    _write(files.instances, {**coco, "annotations": instances, "categories": _categories()})
    _write(files.questions, {**vqa, "task_type": "Open-Ended", "questions": questions})
    _write(files.annotations, {**vqa, "annotations": annotations})
    return files


def _image(image_id: int, name: str, side: int) -> dict[str, Any]:
    return {
        "license": _LICENCE["id"],
        "file_name": name,
        "coco_url": "",
        "height": side,
        "width": side,
        "date_captured": "",
        "flickr_url": "",
        "id": image_id,
    }


def _captions(scene: Scene, image_id: int, number: int, generator: np.random.Generator) -> list[dict[str, Any]]:
    first = image_id * _RECORDS_OF_AN_IMAGE
    return [
        {"image_id": image_id, "id": first + place, "caption": caption}
        for place, caption in enumerate(captions(scene, number, generator))
    ]


def _instance(thing: Thing, image_id: int, place: int, side: int) -> dict[str, Any]:
    """Polygons and box follow the outline; the area is that of the drawn pixels; all in pixels."""
    left, top, diameter = square_of(thing, side)
    polygons = [
        [round(value, 2) for x, y in polygon for value in (left + (x + 1) / 2 * diameter, top + (y + 1) / 2 * diameter)]
        for polygon in OUTLINES[thing.noun]
    ]
    x, y = ([value for polygon in polygons for value in polygon[axis::2]] for axis in (0, 1))
    box = [min(x), min(y), round(max(x) - min(x), 2), round(max(y) - min(y), 2)]
    area = int(np.asarray(silhouette(thing.noun, diameter), np.int64).sum()) / 255
    return {
        "segmentation": polygons,
        "area": round(area, 2),
        "iscrowd": 0,
        "image_id": image_id,
        "bbox": box,
        "category_id": NOUNS.index(thing.noun) + 1,
        "id": image_id * _RECORDS_OF_AN_IMAGE + place,
    }


def _categories() -> list[dict[str, Any]]:
    return [{"supercategory": "thing", "id": place, "name": noun} for place, noun in enumerate(NOUNS, 1)]


def _questions(
    scene: Scene, image_id: int, generator: np.random.Generator
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Pairs of a question and its annotation."""
    pairs = []
    for place, asked in enumerate(scene_questions(scene, generator)):
        identity = {"image_id": image_id, "question_id": image_id * _RECORDS_OF_AN_IMAGE + place}
        answers = [
            {"answer": asked.answer, "answer_confidence": "yes", "answer_id": number}
            for number in range(1, _ANSWERS + 1)
        ]
        annotation = {
            "question_type": asked.question_type,
            "multiple_choice_answer": asked.answer,
            "answers": answers,
            **identity,
            "answer_type": asked.answer_type,
        }
        pairs.append(({**identity, "question": asked.question}, annotation))
    return pairs


def _write(path: Path, value: dict[str, Any]) -> None:
    write_whole(path, json.dumps(value, separators=(",", ":")).encode() + b"\n")
