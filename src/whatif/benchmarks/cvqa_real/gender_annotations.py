"""Perceived gender of people in COCO photographs, for the bias analysis of C-VQA 4.3.

The annotations were made by others and record how a person was perceived, not who they are.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.formats.coco_photographs import coco_image_id, is_coco_name
from whatif.formats.table_records import read_records

COLUMNS = ("id", "bb_gender")
GENDERS = ("male", "female")
BOTH, UNSURE = "both", "unsure"  # images that the analysis excludes
_NEITHER = ("", BOTH, UNSURE, "unknown")  # images with one of these are left out


def perceived_genders(path: Path) -> dict[int, str]:
    """COCO image id -> `male`, `female`, `both` or `unsure`, for every annotated image, in ascending order of the ids.

    The CSV has one row per person or per image, with the columns `id` (of the image) and `bb_gender`; other columns are
    ignored. An image is `unsure` if the gender of a person is not given as male or female and it does not have both.

    Raises WhatifError naming line and field when the file cannot be read, and for any other value of gender, such as
    `M`, because such images would be left out silently.
    """
    people: dict[int, set[str]] = {}
    _, records = read_records(
        path, things="annotations of perceived gender", row="person or image", needed=COLUMNS, suffix=".csv"
    )
    for record in records:
        image, gender = (record.fields[column].strip() for column in COLUMNS)
        where = f"{path}: {record.place}"
        if not (image.isdecimal() and len(image) <= 18):
            raise WhatifError(f"{where}: id is {image[:40]!r}; it must be the number of a COCO image")
        if gender.lower() not in (*GENDERS, *_NEITHER):
            raise WhatifError(
                f"{where}: bb_gender is {gender[:40]!r}; it must be {', '.join(GENDERS)}, {', '.join(_NEITHER[1:])} "
                "or empty"
            )
        people.setdefault(int(image), set()).add(gender.lower())
    return _of_images(people)


def _of_images(people: Mapping[int, Collection[str]]) -> dict[int, str]:
    found = {}
    for image, genders in sorted(people.items()):
        one = [gender for gender in GENDERS if set(genders) == {gender}]
        has_both = BOTH in genders or set(GENDERS) <= set(genders)
        found[image] = one[0] if one else BOTH if has_both else UNSURE
    return found


def coco_image_of(question: Mapping[str, Any]) -> int | None:
    """The id of the COCO photograph that a row of `questions` asks about; None for other images, such as scenes."""
    name = json.loads(question["provenance"]).get("img_path")
    return coco_image_id(name) if isinstance(name, str) and is_coco_name(name) else None


def genders_of(questions: Iterable[Mapping[str, Any]], genders: Mapping[int, str]) -> dict[str, str]:
    """image_id -> `male` or `female`, for the images of questions that show people of one gender (C-VQA 4.3).

    genders: by COCO image id, as from `perceived_genders`.
    """
    found: dict[str, str] = {}
    for question in questions:
        image = coco_image_of(question)
        if image is not None and question["image_ids"] and genders.get(image) in GENDERS:
            found[question["image_ids"][0]] = genders[image]
    return found
