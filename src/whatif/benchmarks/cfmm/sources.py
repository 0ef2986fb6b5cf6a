"""The images that questions are asked about: of finished items, of MS-COCO, or drawn; rich enough, and sampled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from whatif.benchmarks.cfmm.settings import ExtractCfmm
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.engine.random_streams import sample

if TYPE_CHECKING:
    from whatif.formats.coco_photographs import Photographs

TOO_FEW_OBJECTS, TOO_FEW_CATEGORIES = "too few objects", "too few categories"  # reasons of rejections
_SAMPLE = "cfmm images"  # name of the random sample


@dataclass(frozen=True)
class Candidates:
    """Rows of `images` and of `candidates`, and rows of `rejections` for the images that are not used."""

    images: list[dict[str, Any]] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)  # sorted by item_id
    rejections: list[dict[str, str]] = field(default_factory=list)


def candidates_of(settings: ExtractCfmm, seed: int) -> Candidates:
    """The images of the source in the settings, in order of their ids (CFMM 3.3).

    The rule `least_objects` and `least_categories` applies to photographs. Finished items say nothing about objects,
    and drawn scenes are made for their questions. `limit` items are sampled from those that are left, by seed and id: a
    larger limit keeps the items of a smaller one. Only sampled images are read. An image that is missing or cannot be
    decoded is rejected.

    Raises WhatifError when the settings name two sources, for photographs without folders, and for a file or folder
    that cannot be read.
    """
    if settings.items is not None and settings.instances is not None:
        raise WhatifError(
            "extract.cfmm: items and instances both name the source of the images; set one of them to null"
        )
    if settings.captions is not None and settings.instances is None:
        raise WhatifError("extract.cfmm.captions: needs the images of extract.cfmm.instances; name that file, too")
    if settings.items is None and settings.instances is None:
        return _drawn(settings, seed)
    if not settings.image_folders:
        raise WhatifError("extract.cfmm.image_folders: is empty; name the folders of the photographs")
    rows = _finished(settings) if settings.items is not None else _photographs(settings)
    return _with_images(rows, settings, seed)


def _finished(settings: ExtractCfmm) -> list[dict[str, Any]]:
    """Candidates with the file name of their image; the provenance has the category and the questions."""
    from whatif.formats.cfmm_items import read_items

    rows = []
    for item in read_items(user_path(str(settings.items))):
        questions = {variant: asdict(question) for variant, question in item.questions.items()}
        known = {"category": item.category, "image": item.image, "questions": questions}
        rows.append(_row(item.item_id, item.image, [], [], known))
    return rows


def _photographs(settings: ExtractCfmm) -> list[dict[str, Any]]:
    """Candidates with the file name of their image; item ids are MS-COCO ids of twelve digits."""
    from whatif.formats.coco_annotations import read_captions, read_instances

    found = read_instances(user_path(str(settings.instances)))
    captions: dict[int, list[str]] = {}
    if settings.captions is not None:
        for one in read_captions(user_path(settings.captions)).captions:
            captions.setdefault(one.image_id, []).append(" ".join(one.caption.split()))
    return [
        _row(
            f"{image_id:012d}",
            image.file_name,
            found.objects[image_id],
            captions.get(image_id, []),
            {"image": image.file_name, "coco_image_id": image_id},
        )
        for image_id, image in sorted(found.images.items())
    ]


def _row(
    item_id: str, image: str, objects: Sequence[str], captions: list[str], known: dict[str, Any]
) -> dict[str, Any]:
    """A row of `candidates`, with the name of its image in the place of the image's id."""
    return {
        "item_id": item_id,
        "image_id": image,
        "objects": len(objects),
        "object_categories": sorted(set(objects)),
        "captions": captions,
        "provenance": canonical_json(known),
    }


def _with_images(rows: Iterable[dict[str, Any]], settings: ExtractCfmm, seed: int) -> Candidates:
    """Reads the images of the sampled rows, and puts their ids in the place of their names."""
    chosen, rejections = _rich(rows, settings) if settings.instances is not None else (list(rows), [])
    sampled = sample(seed, _SAMPLE, (row["item_id"] for row in chosen), settings.limit)
    chosen = [row for row in chosen if row["item_id"] in sampled]
    photographs = _looked_up({row["image_id"] for row in chosen}, settings)
    found = Candidates(rejections=rejections)
    for row in chosen:
        image = photographs.found.get(row["image_id"])
        if image is None:
            reason, detail = photographs.missing[row["image_id"]]
            found.rejections.append({"item_id": row["item_id"], "reason": reason, "detail": detail})
        else:
            found.rows.append({**row, "image_id": image["image_id"]})
            found.images.append(image)
    return found


def _looked_up(names: set[str], settings: ExtractCfmm) -> Photographs:
    from whatif.formats.image_folders import find_pictures

    return find_pictures(names, [user_path(folder) for folder in settings.image_folders])


def _drawn(settings: ExtractCfmm, seed: int) -> Candidates:
    """Drawn scenes; only those that are sampled are drawn as images."""
    from whatif.benchmarks.cfmm.drawn_items import candidate_row, drawn_items, image_of

    items = dict(drawn_items(settings.scenes, seed))
    found = Candidates()
    for item_id in sorted(sample(seed, _SAMPLE, items, settings.limit)):
        image = image_of(items[item_id], settings.scenes.side)
        found.images.append(image)
        found.rows.append(candidate_row(item_id, items[item_id], image["image_id"]))
    return found


def _rich(rows: Iterable[dict[str, Any]], settings: ExtractCfmm) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """The rows with enough objects and categories of objects, and rejections of the others."""
    kept: list[dict[str, Any]] = []
    rejections: list[dict[str, str]] = []
    for row in rows:
        categories = len(row["object_categories"])
        if row["objects"] < settings.least_objects:
            told = (
                TOO_FEW_OBJECTS,
                f"has {row['objects']} annotated objects; least_objects is {settings.least_objects}",
            )
        elif categories < settings.least_categories:
            told = (TOO_FEW_CATEGORIES, f"has {categories} categories; least_categories is {settings.least_categories}")
        else:
            kept.append(row)
            continue
        rejections.append({"item_id": row["item_id"], "reason": told[0], "detail": told[1]})
    return kept, rejections
