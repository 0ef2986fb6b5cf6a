"""Looks up the images of captions in folders: by file name, and for MS-COCO photographs also by image id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.formats.coco_photographs import Photographs, find_photographs, is_coco_name
from whatif.formats.mucr_images import find_image


def find_pictures(names: Iterable[str], folders: Sequence[Path]) -> Photographs:
    """Looks up images by file name, which may have folders.

    An MS-COCO name also matches the same photograph under its name in another release. An image that is missing
    or cannot be decoded is listed in `missing`.

    Raises WhatifError when a folder does not exist, when a name may mean several different
    files, and when two names mean one file.
    """
    for folder in folders:
        if not folder.is_dir():
            raise WhatifError(f"{folder}: no such folder; give the folders with the images of the captions")
    wanted = sorted(set(names))
    taken: dict[str, str] = {}
    result = find_photographs([name for name in wanted if is_coco_name(name)], folders)
    for name in wanted:
        if is_coco_name(name):
            continue
        found = find_image(name, folders, taken)
        if isinstance(found, tuple):
            result.missing[name] = found
        else:
            result.found[name] = found
    return result
