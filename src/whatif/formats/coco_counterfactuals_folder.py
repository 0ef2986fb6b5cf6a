"""Writes counterfactual pairs in the form of the released COCO-Counterfactuals: `examples.jsonl` and `images/`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

from whatif.engine.artifacts.images import EncodedPictures, suffix_of
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.formats.coco_counterfactuals import EXAMPLES

Row = Mapping[str, Any]

IMAGES = "images"
_NUMBER = re.compile(r"0|[1-9][0-9]{0,15}")
_LONGEST_NAME = 120  # bytes; most file systems allow 255 in a file name


def write_released_pairs(pairs: Iterable[Row], images: EncodedPictures, folder: Path) -> int:
    """Writes the chosen rows of `pairs` and their images to a folder; returns the number of pairs.

    `examples.jsonl` (UTF-8, LF) has one line for each pair, in order of ids, with id, caption_0, caption_1, image_0 and
    image_1. An id that is a whole number is written as a number, as in the release. An image is
    `images/<id>_<side>.png` (or the suffix of its format), with unchanged bytes; image_0 is that name without
    `images/`. Characters of an id that are not allowed in file names are percent-encoded.

    Raises WhatifError when there are no pairs, when a pair has several candidates, when an image is in none of the
    image files, when `examples.jsonl` already exists, and when the folder cannot be written.
    """
    rows = chosen_pairs(pairs, folder)
    if (folder / EXAMPLES).exists():
        raise WhatifError(f"{folder / EXAMPLES}: already exists; give another folder")
    lines = []
    for row in rows:
        names = []
        for side in (0, 1):
            data = images.encoded(row[f"image_id_{side}"])
            names.append(f"{file_name(row['pair_id'])}_{side}{suffix_of(data)}")
            write_whole(folder / IMAGES / names[-1], data, durable=False)
        pair_id = row["pair_id"]
        lines.append(
            {
                "id": int(pair_id) if _NUMBER.fullmatch(pair_id) else pair_id,
                "caption_0": row["caption_0"],
                "caption_1": row["caption_1"],
                "image_0": names[0],
                "image_1": names[1],
            }
        )
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    write_whole(folder / EXAMPLES, text.encode())  # written last: if it exists, the folder is complete
    return len(rows)


def chosen_pairs(pairs: Iterable[Row], folder: Path) -> list[Row]:
    """Rows in order of pair_id. Raises WhatifError when there are none or a pair has several candidates."""
    rows = sorted(pairs, key=lambda row: str(row["pair_id"]))
    if not rows:
        raise WhatifError(f"{folder}: there are no pairs to write; give a table with pairs in --pairs")
    for first, second in pairwise(rows):
        if first["pair_id"] == second["pair_id"]:
            raise WhatifError(
                f"{folder}: pair {first['pair_id']} has several candidates; give the table of the chosen pairs"
            )
    return rows


def file_name(pair_id: str) -> str:
    """A pair's id as a file name: different ids give different names, and none points outside the folder."""
    name = quote(pair_id, safe="").replace(".", "%2E")
    if len(name) <= _LONGEST_NAME:
        return name
    return (
        f"{name[: _LONGEST_NAME - 17].rpartition('%')[0] or 'pair'}-{hashlib.sha256(pair_id.encode()).hexdigest()[:16]}"
    )
