"""Reads instances in the format of MS-COCO: the annotated objects of each image, by category."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from whatif.formats.annotation_files import AnnotationFile
from whatif.formats.coco_annotations import FORMAT, CocoImage, image_id_of, images_of, new_id


@dataclass(frozen=True)
class CocoInstances:
    """Images by id in the order of the file, and the categories of the objects in each, one for each object."""

    images: dict[int, CocoImage]
    objects: dict[int, list[str]]  # image id -> names of categories, in the order of the file; every image has a list


def read_instances(path: Path) -> CocoInstances:
    """Reads a file such as `instances_val2014.json`. A region with a crowd (`iscrowd`) counts as one object.

    Raises WhatifError that names the file, the place and the remedy when the file has another format, when a field is
    missing or has another type, when an id is duplicated, and when the image or the category of an object is not in
    the file.
    """
    file = AnnotationFile(path, f"instances {FORMAT}", ("images", "annotations", "categories"))
    images = images_of(file)
    categories: dict[int, str] = {}
    for place in range(len(file.records("categories"))):
        category_id = new_id(file, "categories", place, categories)
        categories[category_id] = file.value("categories", place, "name", str)
    objects: dict[int, list[str]] = {image_id: [] for image_id in images}
    seen: set[int] = set()
    for place in range(len(file.records("annotations"))):
        seen.add(new_id(file, "annotations", place, seen))
        image_id = image_id_of(file, place, images)
        category_id = file.value("annotations", place, "category_id", int)
        if category_id not in categories:
            raise file.error("annotations", place, f"category {category_id} is not among the `categories` of the file")
        objects[image_id].append(categories[category_id])
    return CocoInstances(images, objects)
