"""Captions and instances of MS-COCO, or of whatever comes in its format."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from whatif.formats.annotation_files import AnnotationFile

_FORMAT = "in the format of MS-COCO"
_LARGEST_NUMBER = 10**12  # pixels; whole numbers of JSON may be beyond every float


@dataclass(frozen=True)
class CocoImage:
    """A picture that the annotations are about; sides in pixels, `licence` the name that the file gives it."""

    image_id: int
    file_name: str
    width: int
    height: int
    licence: str | None


@dataclass(frozen=True)
class CocoCaption:
    """A sentence about a picture, as it stands in the file."""

    caption_id: int
    image_id: int
    caption: str


@dataclass(frozen=True)
class CocoInstance:
    """A thing in a picture. In pixels: `box` is left, top, width and height; each of `polygons` is x, y, x, y, ...

    A crowd is outlined otherwise (run lengths) and has no polygons here.
    """

    instance_id: int
    image_id: int
    category: str
    box: tuple[float, float, float, float]
    area: float
    polygons: tuple[tuple[float, ...], ...]
    is_crowd: bool


@dataclass(frozen=True)
class CocoCaptions:
    """Pictures by id and captions, both in the order of the file."""

    images: dict[int, CocoImage]
    captions: list[CocoCaption]


@dataclass(frozen=True)
class CocoInstances:
    """Pictures by id, names of categories by id, and instances, in the order of the file."""

    images: dict[int, CocoImage]
    categories: dict[int, str]
    instances: list[CocoInstance]


def read_captions(path: Path) -> CocoCaptions:
    """Reads a file such as `captions_val2017.json`.

    Raises WhatifError naming the file, the place and what would be right: when it is no such file, when a field is
    missing or of another kind, when an id comes twice, and when the picture of a caption is not in the file.
    """
    file = AnnotationFile(path, f"captions {_FORMAT}", ("images", "annotations"))
    images = _images(file)
    captions: dict[int, CocoCaption] = {}
    for place in range(len(file.records("annotations"))):
        caption_id = _new_id(file, "annotations", place, captions)
        image_id = _image_id(file, place, images)
        captions[caption_id] = CocoCaption(caption_id, image_id, file.value("annotations", place, "caption", str))
    return CocoCaptions(images, list(captions.values()))


def read_instances(path: Path) -> CocoInstances:
    """Reads a file such as `instances_val2017.json`. Raises WhatifError as `read_captions` does."""
    file = AnnotationFile(path, f"instances {_FORMAT}", ("images", "annotations", "categories"))
    images = _images(file)
    categories: dict[int, str] = {}
    for place in range(len(file.records("categories"))):
        category_id = _new_id(file, "categories", place, categories)
        categories[category_id] = file.value("categories", place, "name", str)
    instances: dict[int, CocoInstance] = {}
    for place in range(len(file.records("annotations"))):
        instance_id = _new_id(file, "annotations", place, instances)
        instances[instance_id] = _instance(file, place, instance_id, images, categories)
    return CocoInstances(images, categories, list(instances.values()))


def _images(file: AnnotationFile) -> dict[int, CocoImage]:
    licences: dict[int, str] = {}
    for place in range(len(file.records("licenses"))):
        licences[_new_id(file, "licenses", place, licences)] = file.value("licenses", place, "name", str)
    images: dict[int, CocoImage] = {}
    for place, record in enumerate(file.records("images")):
        image_id = _new_id(file, "images", place, images)
        images[image_id] = CocoImage(
            image_id,
            file.value("images", place, "file_name", str),
            file.value("images", place, "width", int),
            file.value("images", place, "height", int),
            licences.get(file.value("images", place, "license", int)) if "license" in record else None,
        )
    return images


def _instance(
    file: AnnotationFile, place: int, instance_id: int, images: dict[int, CocoImage], categories: dict[int, str]
) -> CocoInstance:
    image_id = _image_id(file, place, images)
    category_id = file.value("annotations", place, "category_id", int)
    if category_id not in categories:
        raise file.error("annotations", place, f"category {category_id} is not among the `categories` of the file")
    box = file.value("annotations", place, "bbox", list)
    if len(box) != 4 or not all(_is_number(value) for value in box):
        raise file.error("annotations", place, f"`bbox` is {box}; it is left, top, width and height in pixels")
    is_crowd = file.value("annotations", place, "iscrowd", int) == 1
    polygons = () if is_crowd else _polygons(file, place)
    area = file.value("annotations", place, "area", float)
    if not _is_number(area):
        raise file.error("annotations", place, "`area` is no number of pixels")
    left, top, width, height = map(float, box)
    return CocoInstance(
        instance_id, image_id, categories[category_id], (left, top, width, height), float(area), polygons, is_crowd
    )


def _polygons(file: AnnotationFile, place: int) -> tuple[tuple[float, ...], ...]:
    polygons = file.value("annotations", place, "segmentation", list)
    for polygon in polygons:
        if not isinstance(polygon, list) or len(polygon) % 2 or not all(_is_number(value) for value in polygon):
            raise file.error("annotations", place, "`segmentation` is no list of polygons; each is x, y, x, y, ...")
    return tuple(tuple(map(float, polygon)) for polygon in polygons)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= _LARGEST_NUMBER


def _image_id(file: AnnotationFile, place: int, images: dict[int, CocoImage]) -> int:
    image_id: int = file.value("annotations", place, "image_id", int)
    if image_id not in images:
        raise file.error("annotations", place, f"image {image_id} is not among the `images` of the file")
    return image_id


def _new_id(file: AnnotationFile, name: str, place: int, before: Container[int]) -> int:
    identity: int = file.value(name, place, "id", int)
    if identity in before:
        raise file.error(name, place, "the id is there twice; each has one of its own")
    return identity
