"""Reads captions and instances in the format of MS-COCO, and the images that all of its annotation files list."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from whatif.formats.annotation_files import AnnotationFile

FORMAT = "in the format of MS-COCO"


@dataclass(frozen=True)
class CocoImage:
    """An annotated image; width and height in pixels, `licence` by the name that the file gives it."""

    image_id: int
    file_name: str
    width: int
    height: int
    licence: str | None


@dataclass(frozen=True)
class CocoCaption:
    """A sentence about an image, unchanged from the file."""

    caption_id: int
    image_id: int
    caption: str


@dataclass(frozen=True)
class CocoCaptions:
    """Images by id and captions, both in the order of the file."""

    images: dict[int, CocoImage]
    captions: list[CocoCaption]


def read_captions(path: Path) -> CocoCaptions:
    """Reads a file such as `captions_val2017.json`.

    Raises WhatifError that names the file, the place and the remedy when the file has another format, when a field is
    missing or has another type, when an id is duplicated, and when a caption's image is not in the file.
    """
    file = AnnotationFile(path, f"captions {FORMAT}", ("images", "annotations"))
    images = images_of(file)
    captions: dict[int, CocoCaption] = {}
    for place in range(len(file.records("annotations"))):
        caption_id = new_id(file, "annotations", place, captions)
        image_id = image_id_of(file, place, images)
        captions[caption_id] = CocoCaption(caption_id, image_id, file.value("annotations", place, "caption", str))
    return CocoCaptions(images, list(captions.values()))


def images_of(file: AnnotationFile) -> dict[int, CocoImage]:
    """The images of a file by id, in its order. Raises WhatifError as `read_captions`."""
    licences: dict[int, str] = {}
    for place in range(len(file.records("licenses"))):
        licences[new_id(file, "licenses", place, licences)] = file.value("licenses", place, "name", str)
    images: dict[int, CocoImage] = {}
    for place, record in enumerate(file.records("images")):
        image_id = new_id(file, "images", place, images)
        images[image_id] = CocoImage(
            image_id,
            file.value("images", place, "file_name", str),
            file.value("images", place, "width", int),
            file.value("images", place, "height", int),
            licences.get(file.value("images", place, "license", int)) if "license" in record else None,
        )
    return images


def image_id_of(file: AnnotationFile, place: int, images: dict[int, CocoImage]) -> int:
    """The image of an annotation. Raises WhatifError when the file has no such image."""
    image_id: int = file.value("annotations", place, "image_id", int)
    if image_id not in images:
        raise file.error("annotations", place, f"image {image_id} is not among the `images` of the file")
    return image_id


def new_id(file: AnnotationFile, name: str, place: int, before: Container[int]) -> int:
    """The id of a record. Raises WhatifError when it is one of those `before`."""
    identity: int = file.value(name, place, "id", int)
    if identity in before:
        raise file.error(name, place, "duplicate id; every record needs its own")
    return identity


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
