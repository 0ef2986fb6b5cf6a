"""Writes the images of C-VQA questions to a folder, under the file names of the released questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from whatif.engine.artifacts.images import EncodedPictures
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.formats.c_vqa import picture_name


def named_pictures(questions: Iterable[Mapping[str, Any]], folder: Path) -> dict[str, str | None]:
    """File name -> image id for each image in `folder`; None where only the name is known.

    Raises WhatifError when a name points outside the folder, and when two images have the same name.
    """
    named: dict[str, str | None] = {}
    for question in questions:
        name = picture_name(question)
        where = PurePosixPath(name)
        place = f"{folder}: question {question['question_id']}"
        if where.is_absolute() or ".." in where.parts or not where.parts:
            raise WhatifError(f"{place}: the image's name {name!r} points outside the folder")
        image_id = next(iter(question["image_ids"]), None)
        if named.setdefault(name, image_id) != image_id:
            raise WhatifError(f"{place}: the name {name!r} is already used for another image")
    return named


def write_pictures(named: Mapping[str, str | None], images: EncodedPictures, folder: Path) -> int:
    """Writes the images whose id is known; returns how many.

    Raises WhatifError when an image is in none of the image files, and when the folder cannot be written.
    """
    known = {name: image_id for name, image_id in named.items() if image_id is not None}
    for name, image_id in sorted(known.items()):
        write_whole(folder / name, images.encoded(image_id), durable=False)
    return len(known)
