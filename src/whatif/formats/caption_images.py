"""Looks up the images of captions in folders: by file name, and for MS-COCO photographs also by image id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from whatif.errors import WhatifError
from whatif.files.image_decoding import UnreadableImageError
from whatif.formats.coco_photographs import Photographs, find_photographs, is_coco_name, photograph
from whatif.formats.file_names import digest_of, named


def find_pictures(names: Iterable[str], folders: Sequence[Path]) -> Photographs:
    """Looks up images by file name.

    An MS-COCO name also matches the same photograph under its name in another release. An image that is missing
    or cannot be decoded is listed in `missing`.

    Raises WhatifError when a folder does not exist, or when two folders have different files of one name.
    """
    for folder in folders:
        if not folder.is_dir():
            raise WhatifError(f"{folder}: no such folder; give the folders with the images of the captions")
    wanted = sorted(set(names))
    result = find_photographs([name for name in wanted if is_coco_name(name)], folders)
    for name in wanted:
        if is_coco_name(name):
            continue
        # A name is untrusted data: it must not point outside the folder.
        places = [folder / name for folder in folders if Path(name).name == name and (folder / name).is_file()]
        if not places:
            result.missing[name] = ("picture missing", f"{name} is in none of the {len(folders)} folders")
            continue
        place = Path(named(name, [str(place) for place in places], {}, digest_of, "the image folders"))
        try:
            result.found[name] = photograph(place, f"file:{name}", "unknown")
        except UnreadableImageError as error:
            result.missing[name] = ("picture unreadable", f"{name}: {error.kind}")
    return result
