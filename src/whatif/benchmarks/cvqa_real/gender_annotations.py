"""Perceived gender of people in COCO photographs, for the bias analysis of C-VQA 4.3.

The annotations were made by others and record how a person was perceived, not who they are.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from whatif.errors import WhatifError
from whatif.files.inputs import LONGEST_LINE, read_bytes

COLUMNS = ("id", "bb_gender")
GENDERS = ("male", "female")
_NEITHER = ("", "both", "unsure", "unknown")  # images with one of these are left out


def single_gender_images(path: Path) -> dict[int, str]:
    """COCO image id -> `male` or `female`, for the images in which all people were perceived as the same gender.

    The CSV has one row per person or per image, with the columns `id` (of the image) and `bb_gender`; other columns are
    ignored. An image with people of both genders, or with a person whose gender is not given as male or female, is
    left out, as the paper does with images of both.

    Raises WhatifError naming line and field when the file cannot be read, and for any other value of gender, such as
    `M`, because such images would be left out silently.
    """
    try:
        text = read_bytes(path, longest_line=LONGEST_LINE).decode("utf-8-sig")
    except OSError as error:
        raise WhatifError(
            f"{path}: cannot be read ({error.strerror}); give a CSV with {' and '.join(COLUMNS)}"
        ) from error
    except UnicodeDecodeError as error:
        raise WhatifError(f"{path}: cannot be read as UTF-8 ({error})") from error
    try:
        return _single(_people(path, csv.DictReader(io.StringIO(text, newline=""))))
    except csv.Error as error:
        raise WhatifError(
            f"{path}: is not CSV ({error}); it needs one row per person with {' and '.join(COLUMNS)}"
        ) from error


def _people(path: Path, reader: csv.DictReader[str]) -> dict[int, set[str]]:
    """COCO image id -> the genders of its people."""
    for column in COLUMNS:
        if column not in (reader.fieldnames or ()):
            found = ", ".join(reader.fieldnames or ()) or "none"
            raise WhatifError(f"{path}: has no column {column}; it needs {' and '.join(COLUMNS)}; found: {found}")
    people: dict[int, set[str]] = {}
    for row in reader:
        image, gender = ((row[column] or "").strip() for column in COLUMNS)
        where = f"{path}: line {reader.line_num}"
        if not (image.isdecimal() and len(image) <= 18):
            raise WhatifError(f"{where}: id is {image[:40]!r}; it must be the number of a COCO image")
        if gender.lower() not in (*GENDERS, *_NEITHER):
            raise WhatifError(
                f"{where}: bb_gender is {gender[:40]!r}; it must be {', '.join(GENDERS)}, {', '.join(_NEITHER[1:])} "
                "or empty"
            )
        people.setdefault(int(image), set()).add(gender.lower())
    return people


def _single(people: Mapping[int, set[str]]) -> dict[int, str]:
    return {image: gender for image, found in sorted(people.items()) for gender in GENDERS if found == {gender}}
