"""Counterfactual pairs written in the form of the released COCO-Counterfactuals: `examples.jsonl` and `images/`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

from whatif.artifacts.images import EncodedPictures, suffix_of
from whatif.errors import WhatifError
from whatif.files.atomic import write_whole
from whatif.formats.coco_counterfactuals import EXAMPLES

Row = Mapping[str, Any]

IMAGES = "images"
_NUMBER = re.compile(r"0|[1-9][0-9]{0,15}")
_LONGEST_NAME = 120  # bytes of a file's name, of which most file systems take 255


def write_released_pairs(pairs: Iterable[Row], images: EncodedPictures, folder: Path) -> int:
    """Writes chosen rows of `pairs` and their pictures into a folder; returns how many pairs.

    `examples.jsonl` (UTF-8, LF) has a line a pair, in order of ids, with id, caption_0, caption_1, image_0 and image_1;
    an id that is a whole number is written as one, as in the release. A picture is `images/<id>_<side>.png` (or
    what else it is), with its bytes as they are; image_0 is that name without `images/`. Ids that are no names of files
    are written with %.

    Raises WhatifError when there are no pairs, when a pair comes with several candidates, when a picture is in none of
    the files, when `examples.jsonl` is there already, and when the folder cannot be written.
    """
    rows = chosen_pairs(pairs, folder)
    if (folder / EXAMPLES).exists():
        raise WhatifError(f"{folder / EXAMPLES}: is there already; give another folder")
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
    write_whole(folder / EXAMPLES, text.encode())  # last: where it is, everything is
    return len(rows)


def chosen_pairs(pairs: Iterable[Row], folder: Path) -> list[Row]:
    """Rows in order of pair_id, each pair once. Raises WhatifError when there are none or one comes twice."""
    rows = sorted(pairs, key=lambda row: str(row["pair_id"]))
    if not rows:
        raise WhatifError(f"{folder}: there are no pairs to write; give a table that has some with --pairs")
    for first, second in pairwise(rows):
        if first["pair_id"] == second["pair_id"]:
            raise WhatifError(
                f"{folder}: pair {first['pair_id']} comes with several candidates; write the pairs that were chosen"
            )
    return rows


def file_name(pair_id: str) -> str:
    """A pair's id as the name of a file: other ids give other names, and none leads out of the folder."""
    name = quote(pair_id, safe="").replace(".", "%2E")
    if len(name) <= _LONGEST_NAME:
        return name
    return (
        f"{name[: _LONGEST_NAME - 17].rpartition('%')[0] or 'pair'}-{hashlib.sha256(pair_id.encode()).hexdigest()[:16]}"
    )
