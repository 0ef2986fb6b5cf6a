"""Finds the images of MuCR: files in folders, by their name or path, or bytes in Parquet files."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from whatif.engine.artifacts.images import image_row
from whatif.engine.errors import WhatifError
from whatif.engine.files.image_decoding import UnreadableImageError, decode
from whatif.formats.coco_photographs import photograph
from whatif.formats.file_names import digest_of, is_file, is_inside, named
from whatif.formats.mucr_records import StoredImage, encoded

MISSING, UNREADABLE = "picture missing", "picture unreadable"  # reasons of faults
LICENCE = "unknown"

Found = dict[str, Any] | tuple[str, str]  # a row of `images`, or a reason and its detail


def check_folders(folders: Sequence[Path]) -> None:
    """Raises WhatifError when a folder does not exist."""
    for folder in folders:
        if not folder.is_dir():
            raise WhatifError(f"{folder}: no such folder; give the folders with the images of the pairs")


def find_image(
    image: str | StoredImage | None, folders: Sequence[Path], taken: MutableMapping[str, str] | None = None
) -> Found:
    """The row of `images` of one image, or why there is none.

    A name is looked up in each folder, first with the folders that it has itself, then without. Raises WhatifError when
    it may mean several different files, or a file that another name in `taken` means (`file_names.named`).
    """
    if isinstance(image, StoredImage):
        where = f"{image.path.name}, {image.column}"
        value = encoded(image)
        if isinstance(value, bytes):
            try:
                width, height = decode(value).size
            except UnreadableImageError as error:
                return UNREADABLE, f"{where}: {error.kind}"
            return image_row(value, width, height, f"file:{image.path.name}", LICENCE)
        image = value
    if not image:
        return MISSING, "no image is named"
    path = PurePosixPath(image.replace("\\", "/"))
    names = dict.fromkeys(name for name in (path, PurePosixPath(path.name)) if is_inside(name))
    places = [folder / name for name in names for folder in folders if is_file(folder / name)]
    if not places:
        return MISSING, f"{image[:120]} is in none of the {len(folders)} folders"
    place = Path(
        named(image, [str(place) for place in places], {} if taken is None else taken, digest_of, "the image folders")
    )
    try:
        return photograph(place, f"file:{path.name}", LICENCE)
    except UnreadableImageError as error:
        return UNREADABLE, f"{image[:120]}: {error.kind}"
