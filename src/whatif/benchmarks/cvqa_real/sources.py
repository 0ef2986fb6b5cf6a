"""The sources of the questions: the released pairs, questions of VQAv2 to be changed, or those about drawn scenes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from whatif.benchmarks.cvqa_real.schemas import COUNTERFACTUAL
from whatif.benchmarks.cvqa_real.settings import NAME, SourceSettings, VqaFiles
from whatif.benchmarks.cvqa_real.source_questions import BY_DESIGN, SourceRows, source_rows
from whatif.benchmarks.shared.tasks import rejection
from whatif.engine.artifacts.images import SortedImages
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.engine.graph.task import Task
from whatif.engine.random_streams import sample

if TYPE_CHECKING:
    from whatif.formats.vqa_v2 import VqaQuestions

NOT_DRAWN, NO_PICTURE = "not drawn", "no picture"  # reasons of rejections
FOLDERS = f"name the folders of COCO's photographs as extract.{NAME}.image_folders in params.yaml"
_SAMPLE = "cvqa-real source questions"  # name of the random sample
_USABLE = (
    "counterfactual questions are made of numerical questions that begin with how many, and of yes-or-no questions; "
    f"see extract.{NAME}.least_agreement"
)

Row = Mapping[str, Any]


def write_source(task: Task[SourceSettings]) -> None:
    """Writes the questions and images of the source in the settings, and what is missing or not used.

    Raises WhatifError when a file or folder cannot be read, when files do not belong together, and when no question or
    no photograph is left.
    """
    if task.settings.questions is not None:
        _write_released(task, task.settings.questions)
    elif task.settings.vqa is not None:
        _write_vqa(task, task.settings.vqa)
    else:
        _write_drawn(task)


def are_released(questions: Iterable[Row]) -> bool:
    """Whether questions of the extract step are finished pairs, as released."""
    return any(row["variant"] == COUNTERFACTUAL for row in questions)


def picture_name(question: Row) -> str:
    """The file name of a question's image."""
    return str(json.loads(question["provenance"])["img_path"])


def _write_released(task: Task[SourceSettings], path: str) -> None:
    """The released pairs, and the photographs of those whose photograph the folders contain."""
    from whatif.formats.c_vqa import read_released
    from whatif.formats.coco_photographs import find_photographs

    questions = read_released(user_path(path))
    if any(question["choices"] for question in questions):
        raise WhatifError(f"{path}: holds multiple-choice questions; C-VQA-Real has open ones")
    names = {picture_name(question) for question in questions}
    photographs = find_photographs(names, [user_path(folder) for folder in task.settings.image_folders])
    task.outputs.write("images", list({row["image_id"]: row for row in photographs.found.values()}.values()))
    missing = [rejection(name, *why) for name, why in photographs.missing.items()]
    task.outputs.write("missing", missing)
    if task.settings.image_folders:  # without folders, models that take no images can be asked
        task.check_losses("photographs", len(photographs.found), missing, remedy=FOLDERS)
    image_ids = {name: [row["image_id"]] for name, row in photographs.found.items()}
    task.outputs.write("questions", [{**q, "image_ids": image_ids.get(picture_name(q), [])} for q in questions])
    task.outputs.write("rejections", [])


def _write_vqa(task: Task[SourceSettings], files: VqaFiles) -> None:
    """Questions of VQAv2; photographs are looked up only for those that are drawn."""
    from whatif.formats.coco_photographs import is_coco_name
    from whatif.formats.vqa_v2 import read_vqa

    settings = task.settings
    if not settings.image_folders:
        raise WhatifError(f"extract.{NAME}.image_folders: is empty; {FOLDERS}")
    vqa = read_vqa(user_path(files.questions), user_path(files.annotations))
    check_that_files_belong_together(vqa, files)
    prefix = f"COCO_{vqa.subtypes[0]}_" if re.fullmatch(r"\w+", vqa.subtypes[0]) else ""
    names = {question.image_id: f"{prefix}{question.image_id:012d}.jpg" for question in vqa.questions}
    for image, name in names.items():
        if not is_coco_name(name):
            raise WhatifError(
                f"{files.questions}: image {image} is no photograph of MS-COCO; its ids have 1 to 12 digits"
            )
    found = source_rows(
        vqa, least_agreement=settings.least_agreement, picture=names.__getitem__, of_image=lambda image: {}
    )
    _check_kept(task, len(found.rows), found.rejections)
    drawn = sample(task.seed, _SAMPLE, (row["pair_id"] for _, row in found.rows), settings.limit)
    for _, row in found.rows:
        if row["pair_id"] not in drawn:
            found.rejections.append(rejection(row["pair_id"], NOT_DRAWN, f"the limit is {settings.limit}"))
    chosen = [(image, row) for image, row in found.rows if row["pair_id"] in drawn]
    image_ids = _photographs(task, {image: picture_name(row) for image, row in chosen})
    _write_questions(task, SourceRows(chosen, found.rejections), image_ids)


def check_that_files_belong_together(vqa: VqaQuestions, files: VqaFiles) -> None:
    """Raises WhatifError when files of VQAv2 are of different splits, or when no question has an annotation."""
    where = f"{files.questions} and {files.annotations}"
    asked, annotated = vqa.subtypes
    if asked and annotated and asked != annotated:
        raise WhatifError(
            f"{where}: do not belong together: the questions are of {asked}, the annotations of {annotated}; give both "
            "files of one split"
        )
    if vqa.rejected and not vqa.questions:
        example = vqa.rejected[0]
        raise WhatifError(
            f"{where}: do not belong together: no question has its annotation (question {example.question_id}: "
            f"{example.reason}, {example.detail}); give both files of one split"
        )


def _photographs(task: Task[SourceSettings], names: Mapping[int, str]) -> dict[int, str]:
    """Writes the photographs of these images one by one, and those that are missing; image -> id in `images`."""
    from whatif.formats.coco_photographs import each_photograph

    folders = [user_path(folder) for folder in task.settings.image_folders]
    by_name = {name: image for image, name in names.items()}
    image_ids, missing = {}, []
    with SortedImages(task.outputs.writer("images")) as images:
        for name, found in each_photograph(by_name, folders):
            if isinstance(found, tuple):
                missing.append(rejection(name, *found))
            else:
                images.add(found)
                image_ids[by_name[name]] = str(found["image_id"])
    task.outputs.write("missing", missing)
    task.check_losses("photographs", len(image_ids), missing, remedy=FOLDERS)
    return image_ids


def _write_drawn(task: Task[SourceSettings]) -> None:
    """Questions about drawn scenes, which the provenance names so that they can be drawn again."""
    from whatif.benchmarks.shared.drawn_scenes import SPLIT, read_drawn_scenes

    settings, seed = task.settings, task.seed
    with SortedImages(task.outputs.writer("images")) as images:
        scenes = read_drawn_scenes(images, settings.scenes.number, seed, side=settings.scenes.side)
    found = source_rows(
        scenes.vqa,
        least_agreement=settings.least_agreement,
        picture=scenes.names.__getitem__,
        of_image=lambda image: {"split": SPLIT, "number": scenes.numbers[image], "seed": seed},
    )
    _check_kept(task, len(found.rows), found.rejections)
    task.outputs.write("missing", [])
    _write_questions(task, found, scenes.image_ids)


def _write_questions(task: Task[SourceSettings], found: SourceRows, image_ids: Mapping[int, str]) -> None:
    """Writes the questions whose image is there, and the rejections of all others."""
    rows = [{**row, "image_ids": [image_ids[image]]} for image, row in found.rows if image in image_ids]
    without = [
        rejection(row["pair_id"], NO_PICTURE, f"{picture_name(row)} is in none of the folders, or cannot be decoded")
        for image, row in found.rows
        if image not in image_ids
    ]
    task.outputs.write("questions", rows)
    task.outputs.write("rejections", [*found.rejections, *without])


def _check_kept(task: Task[SourceSettings], kept: int, rejections: Sequence[Row]) -> None:
    """Reports questions that cannot be changed; that VQAv2 also has other questions is no loss, unless none is left."""
    lost = [row for row in rejections if not kept or row["reason"] not in BY_DESIGN]
    task.check_losses("source questions", kept, lost, remedy=_USABLE)
