"""The pictures of C-VQA questions, in a folder, under the names that the released form of the questions gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from whatif.artifacts.images import EncodedPictures
from whatif.errors import WhatifError
from whatif.files.atomic import write_whole
from whatif.formats.c_vqa import picture_name


def named_pictures(questions: Iterable[Mapping[str, Any]], folder: Path) -> dict[str, str | None]:
    """The name of each picture in `folder`, with the picture's id, None where only its name is known.

    Raises WhatifError when a name leads out of the folder, and when one name stands for two pictures.
    """
    named: dict[str, str | None] = {}
    for question in questions:
        name = picture_name(question)
        where = PurePosixPath(name)
        place = f"{folder}: question {question['question_id']}"
        if where.is_absolute() or ".." in where.parts or not where.parts:
            raise WhatifError(f"{place}: the picture's name {name!r} leads out of the folder")
        image_id = next(iter(question["image_ids"]), None)
        if named.setdefault(name, image_id) != image_id:
            raise WhatifError(f"{place}: the picture's name {name!r} already stands for another picture")
    return named


def write_pictures(named: Mapping[str, str | None], images: EncodedPictures, folder: Path) -> int:
    """Writes the pictures that are known; returns how many.

    Raises WhatifError when a picture is in none of the files, and when the folder cannot be written.
    """
    known = {name: image_id for name, image_id in named.items() if image_id is not None}
    for name, image_id in sorted(known.items()):
        write_whole(folder / name, images.encoded(image_id), durable=False)
    return len(known)
