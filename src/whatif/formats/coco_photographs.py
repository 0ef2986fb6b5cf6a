"""Looks up MS-COCO photographs by image id in folders of any COCO release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from whatif.engine.artifacts.images import image_row
from whatif.engine.errors import WhatifError
from whatif.engine.files.image_decoding import LARGEST_PICTURE, UnreadableImageError, decode
from whatif.engine.files.inputs import read_bytes
from whatif.formats.file_names import digest_of, is_file, is_inside, named

# `COCO_val2014_000000402685.jpg` in the 2014 releases, `000000402685.jpg` in the 2017 releases.
# No other number is one: Flickr30k has `1007129816.jpg`.
_FILE_NAME = re.compile(r"(?:COCO_\w+_)?(\d{12})\.jpe?g", re.IGNORECASE)
LICENCE = "Flickr terms of the photograph, as named in the MS-COCO annotations"


@dataclass(frozen=True)
class Photographs:
    """Rows of `images` by the requested name, and the reasons for the names without an image."""

    found: dict[str, dict[str, Any]]
    missing: dict[str, tuple[str, str]]  # name -> (reason, detail)


def coco_image_id(name: str) -> int:
    """The image id in a COCO file name. Raises WhatifError when the name is not one."""
    match = _FILE_NAME.fullmatch(Path(name).name)
    if not match:
        raise WhatifError(f"{name}: is not a COCO file name such as COCO_val2014_000000402685.jpg")
    return int(match[1])


def is_coco_name(name: str) -> bool:
    """Whether this is the file name of an MS-COCO photograph."""
    return _FILE_NAME.fullmatch(Path(name).name) is not None


def find_photographs(names: Iterable[str], folders: Sequence[Path]) -> Photographs:
    """Looks up photographs by their names, and those of which no file has the name by the image id in it.

    The releases of 2014 and 2017 divide the same photographs differently, so every folder is searched for every
    id. A photograph that is missing or cannot be decoded is listed in `missing`.

    Raises WhatifError when a folder does not exist, a name is not a COCO file name, or files that it may mean differ.
    """
    result = Photographs({}, {})
    for name, found in each_photograph(names, folders):
        if isinstance(found, tuple):
            result.missing[name] = found
        else:
            result.found[name] = found
    return result


def each_photograph(
    names: Iterable[str], folders: Sequence[Path]
) -> Iterator[tuple[str, dict[str, Any] | tuple[str, str]]]:
    """As `find_photographs`, one photograph at a time in order of the names: its row, or why there is none.

    Raises WhatifError as `find_photographs`.
    """
    by_id: dict[int, list[Path]] = {}
    for folder in folders:
        if not folder.is_dir():
            raise WhatifError(f"{folder}: no such folder; give folders of COCO photographs, for example val2017")
        for path in sorted(folder.iterdir()):
            match = _FILE_NAME.fullmatch(path.name)
            if match:
                by_id.setdefault(int(match[1]), []).append(path)
    for name in sorted(set(names)):
        whole = PurePosixPath(name.replace("\\", "/"))
        inside = [folder / whole for folder in folders if is_inside(whole) and is_file(folder / whole)]
        places = dict.fromkeys([*inside, *by_id.get(coco_image_id(name), [])])
        if not places:
            yield name, ("picture missing", f"{name} is in none of the {len(folders)} folders")
            continue
        # Without memory of other names: each release has another name and folder for the same photograph.
        place = Path(named(str(whole), [str(one) for one in places], {}, digest_of, "the image folders"))
        try:
            yield name, photograph(place, f"coco:{place.name}", LICENCE)
        except UnreadableImageError as error:
            yield name, ("picture unreadable", f"{place.name}: {error.kind}")


def photograph(path: Path, source: str, licence: str) -> dict[str, Any]:
    """A row of `images` with the unchanged bytes of the file, which is decoded once as a check.

    Raises UnreadableImageError when it cannot be decoded.
    """
    try:
        data = read_bytes(path, LARGEST_PICTURE)
    except OSError as error:
        raise UnreadableImageError(type(error).__name__, error.strerror or "") from error
    width, height = decode(data).size
    return image_row(data, width, height, source, licence)
