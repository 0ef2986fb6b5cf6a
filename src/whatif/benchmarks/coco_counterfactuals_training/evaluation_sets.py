"""The sets on which trained models are evaluated: captions with images, and images with classes (5.1, 5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from whatif.benchmarks.coco_counterfactuals_training.settings import ClassificationSet, RetrievalSet
from whatif.benchmarks.shared.tasks import rejection
from whatif.engine.artifacts.images import SortedImages
from whatif.engine.files.inputs import user_path
from whatif.formats.captioned_images import read_captioned_images
from whatif.formats.class_folders import read_class_folder
from whatif.formats.class_names import LEFT_OUT, ClassifiedImages, class_prompt, repeated_names
from whatif.formats.class_shards import is_sharded, read_class_shards
from whatif.formats.image_folders import each_image

if TYPE_CHECKING:
    from whatif.engine.graph.task import Task

Row: TypeAlias = dict[str, Any]


def write_retrieval_sets(task: Task[dict[str, RetrievalSet]]) -> None:
    """Writes the captions and images of all retrieval sets; only one image is in memory at a time.

    Raises WhatifError when a set has no usable caption, and as the readers of its files do.
    """
    rows: list[Row] = []
    rejections: list[Row] = []
    with SortedImages(task.outputs.writer("retrieval-images")) as images:
        for data_set, settings in sorted(task.settings.items()):
            before, refused = len(rows), len(rejections)
            if settings.scenes is not None:
                rows.extend(_drawn_captions(data_set, settings, task.seed, images))
            else:
                _add_captions(data_set, settings, images, rows, rejections)
            task.check_losses(
                f"captions of {data_set}",
                len(rows) - before,
                rejections[refused:],
                remedy=f"check the file and the folders of retrieval.{data_set}",
            )
    task.outputs.write("retrieval", rows)
    task.outputs.write("retrieval-rejections", rejections)


def write_classification_set(task: Task[dict[str, ClassificationSet]]) -> None:
    """Writes the classes, prompts and images of one data set; only a few images are in memory at a time.

    Raises WhatifError when no image is left, and as the readers of its files do.
    """
    data_set = task.wildcards["data_set"]
    settings = task.settings[data_set]
    found = _classified(settings, task.seed)
    if twice := repeated_names(found.names):
        task.say(
            f"note: {task.name}: {len(found.names):,} classes have {len(set(found.names)):,} names; repeated: "
            f"{', '.join(twice[:5])}"
        )
    rows: list[Row] = []
    rejections: list[Row] = []
    with SortedImages(task.outputs.writer("labelled-images")) as images:
        for item_id, label, image in found.images:
            if isinstance(image, tuple):
                rejections.append(rejection(f"{data_set}/{item_id}", *image))
                continue
            images.add(image)
            rows.append({"data_set": data_set, "item_id": item_id, "image_id": image["image_id"], "label": label})
    lost = [row for row in rejections if row["reason"] != LEFT_OUT]
    task.check_losses("images", len(rows), lost, remedy=f"check the files of classification.{data_set}")
    shown = {row["label"] for row in rows}
    if empty := [name for label, name in enumerate(found.names) if label not in shown]:
        task.say(
            f"note: {task.name}: {len(empty):,} of {len(found.names):,} classes have no image: {', '.join(empty[:5])}"
        )
    task.outputs.write("classes", _class_rows(data_set, found.names, settings))
    task.outputs.write("labelled", rows)
    task.outputs.write("labelled-rejections", rejections)


def _drawn_captions(data_set: str, settings: RetrievalSet, seed: int, images: SortedImages) -> Iterator[Row]:
    from whatif.world.drawn_retrieval import retrieval_scenes

    assert settings.scenes is not None
    scenes = retrieval_scenes(
        data_set,
        settings.scenes,
        captions_per_image=settings.captions_per_image,
        seed=seed,
        kind=settings.kind,
    )
    for item_id, caption, image in scenes:
        images.add(image)
        yield {"data_set": data_set, "item_id": item_id, "caption": caption, "image_id": image["image_id"]}


def _add_captions(
    data_set: str, settings: RetrievalSet, images: SortedImages, rows: list[Row], rejections: list[Row]
) -> None:
    assert settings.captions is not None
    read = read_captioned_images(user_path(settings.captions), settings.split)
    rejections += [{**row, "item_id": f"{data_set}/{row['item_id']}"} for row in read.rejections]
    captions = {(one.name, one.folder): one.captions for one in read.images}
    for (name, folder), image in each_image(captions, [user_path(one) for one in settings.image_folders]):
        named = f"{folder}/{name}" if folder else name
        if isinstance(image, tuple):
            rejections.append(rejection(f"{data_set}/{named}", *image))
            continue
        images.add(image)
        texts: Iterable[str] = captions[name, folder]
        for number, caption in enumerate(texts):
            if number and settings.captions_per_image == "first":
                break
            row = {"item_id": f"{named}-{number}", "caption": caption, "image_id": image["image_id"]}
            rows.append({"data_set": data_set, **row})


def _classified(settings: ClassificationSet, seed: int) -> ClassifiedImages:
    if settings.drawn is not None:
        from whatif.world.drawn_classes import class_names, classified_scenes

        assert settings.number is not None
        scenes = classified_scenes(settings.drawn, settings.number, seed)
        return ClassifiedImages(class_names(settings.drawn), ((item, label, image) for item, image, label in scenes))
    assert settings.images is not None
    path = user_path(settings.images)
    chosen: Mapping[str, Any] = {
        "classes": None if settings.classes is None else user_path(settings.classes),
        "leave_out": settings.leave_out,
        "merge": settings.merge,
    }
    if is_sharded(path):
        return read_class_shards(path, settings.split, label_column=settings.label_column, **chosen)
    return read_class_folder(path, settings.split, **chosen)


def _class_rows(data_set: str, names: Iterable[str], settings: ClassificationSet) -> list[Row]:
    return [
        {
            "data_set": data_set,
            "label": label,
            "name": name,
            "prompt": class_prompt(name, settings.prompt, settings.names),
        }
        for label, name in enumerate(names)
    ]
