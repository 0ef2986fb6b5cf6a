"""The images of C-VQA in a folder, under the names in the released question files: found (C-VQA 3.3), or written."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from whatif.engine.artifacts.images import EncodedPictures, image_row
from whatif.engine.artifacts.pair_items import SAME_PICTURE
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.engine.files.image_decoding import LARGEST_PICTURE, UnreadableImageError, decode
from whatif.engine.files.inputs import read_bytes
from whatif.formats.c_vqa import picture_name
from whatif.formats.file_names import digest_of, named

MISSING, UNREADABLE = "picture missing", "picture unreadable"  # reasons of rejections
DATA_SET = "C-VQA-Synthetic"  # the folder of the images in the released archive
LICENCE = "unknown"


@dataclass(frozen=True)
class FoundImages:
    """Image ids by name, and rows of `rejections` for names without an image of their own.

    A name whose image has the same pixels as an earlier one has a row, too, and the id of the earlier one.
    """

    ids: dict[str, str] = field(default_factory=dict)
    rejections: list[dict[str, Any]] = field(default_factory=list)


def find_images(names: Iterable[str], folder: Path, add: Callable[[dict[str, Any]], None]) -> FoundImages:
    """Looks up images by name; `add` receives the row of `images` of each different one, in order of the names.

    A name is looked up with the folders that it has itself, then without, in `folder` and in folders `C-VQA-Synthetic`
    inside it: an archive may have been unpacked into a folder of its own name. Each image is decoded once, as a check.

    Raises WhatifError when the folder does not exist, or when a name may mean several different files.
    """
    if not folder.is_dir():
        raise WhatifError(f"{folder}: no such folder; give the folder of the released images, {DATA_SET}")
    result = FoundImages()
    first: dict[str, str] = {}  # digest of the pixels -> name
    taken: dict[str, str] = {}  # path -> name

    def reject(name: str, reason: str, detail: str) -> None:
        result.rejections.append({"item_id": name, "reason": reason, "detail": detail})

    for name in sorted(set(names)):
        places = [str(place) for place in _places(name, folder)]
        if not places:
            reject(name, MISSING, f"{name[:120]} is not in the folder of the images")
            continue
        path = Path(named(name, places, taken, digest_of, str(folder)))
        try:
            data = read_bytes(path, LARGEST_PICTURE)
            picture = decode(data)
        except UnreadableImageError as error:
            reject(name, UNREADABLE, f"{name[:120]}: {error.kind}")
            continue
        except OSError as error:
            reject(name, UNREADABLE, f"{name[:120]}: {error.strerror or type(error).__name__}")
            continue
        pixels = hashlib.sha256(f"{picture.size}".encode() + picture.tobytes()).hexdigest()
        if pixels in first:
            result.ids[name] = result.ids[first[pixels]]
            reject(name, SAME_PICTURE, f"{name[:120]} has the same pixels as {first[pixels][:120]}")
            continue
        first[pixels] = name
        row = image_row(data, *picture.size, f"file:{name}", LICENCE)
        result.ids[name] = row["image_id"]
        add(row)
    return result


def _places(name: str, folder: Path) -> Iterator[Path]:
    """The files that may be meant by a name, which is untrusted data and must stay inside the folder."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or not path.name:
        return
    for place in (folder, folder / DATA_SET, folder / DATA_SET / DATA_SET):
        for inside in dict.fromkeys((path, PurePosixPath(path.name))):
            try:
                if (place / inside).is_file():
                    yield place / inside
            except (OSError, ValueError):  # a name that is too long, or has a null character
                return


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
