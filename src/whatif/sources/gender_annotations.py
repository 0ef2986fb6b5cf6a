"""Perceived gender of people in COCO photographs, for the bias analysis of C-VQA 4.3.

The annotations were made by others and say how a person was perceived, not who they are.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from whatif.errors import WhatifError

COLUMNS = ("id", "bb_gender")
GENDERS = ("male", "female")


def single_gender_images(path: Path) -> dict[int, str]:
    """COCO image id -> `male` or `female`, of the images whose people were all perceived as the one or the other.

    The CSV has a row a person, or a row an image, with the columns `id` (of the image) and `bb_gender`; others are
    passed over. An image with people of both genders, or with one whose gender is not given as male or female, is
    left out, as the paper does with images of both.

    Raises WhatifError naming line and field when the file cannot be read so.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise WhatifError(f"{path}: cannot be read as UTF-8 ({error})") from error
    reader = csv.DictReader(text.splitlines())
    for column in COLUMNS:
        if column not in (reader.fieldnames or ()):
            found = ", ".join(reader.fieldnames or ()) or "none"
            raise WhatifError(f"{path}: has no column {column}; it needs {' and '.join(COLUMNS)}, there are {found}")
    people: dict[int, Counter[str]] = {}
    for number, row in enumerate(reader, start=2):
        if not (row["id"] or "").strip().isdecimal():
            raise WhatifError(f"{path}: line {number}: id is {row['id']!r}; it is the number of a COCO image")
        people.setdefault(int(row["id"]), Counter())[(row["bb_gender"] or "").strip().lower()] += 1
    return {image: gender for image, counts in sorted(people.items()) for gender in GENDERS if set(counts) == {gender}}
