"""Finds many images in folders, one at a time, by file name and for MS-COCO photographs also by image id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.formats.coco_photographs import Photographs, each_photograph, find_photographs, is_coco_name
from whatif.formats.mucr_images import Found, check_folders, find_image


def each_image(names: Iterable[tuple[str, str]], folders: Sequence[Path]) -> Iterator[tuple[tuple[str, str], Found]]:
    """Each (name, folder) once, with its row of `images`, or a reason and its detail.

    A name is looked up in the given folders, first below the folder that belongs to it (which may be empty). An MS-COCO
    name also matches the same photograph in another release. Only one image is in memory at a time.

    Raises WhatifError when a folder does not exist, or when a name may mean several different files.
    """
    check_folders(folders)
    wanted = sorted(set(names))
    below = [folder / inner for inner in sorted({inner for _, inner in wanted if inner}) for folder in folders]
    places = [*folders, *(folder for folder in below if ".." not in folder.parts and folder.is_dir())]
    by_name: dict[str, list[tuple[str, str]]] = {}
    taken: dict[str, str] = {}
    for key in wanted:
        whole = f"{key[1]}/{key[0]}" if key[1] else key[0]
        if is_coco_name(whole):
            by_name.setdefault(whole, []).append(key)
        else:
            yield key, find_image(whole, folders, taken)
    for name, found in each_photograph(by_name, places):
        for key in by_name[name]:
            yield key, found


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
