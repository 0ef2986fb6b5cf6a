"""Chooses the file that a name in a data set means, where several files have the same last part of a path."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, MutableMapping, Sequence
from pathlib import Path, PurePosixPath

from whatif.engine.errors import WhatifError
from whatif.engine.files.image_decoding import LARGEST_PICTURE
from whatif.engine.files.inputs import read_bytes
from whatif.engine.files.well_formed import escaped


def named(
    name: str, places: Sequence[str], taken: MutableMapping[str, str], digest: Callable[[str], str], where: str
) -> str:
    """The path among `places`, which all end in the last part of `name`, of the file that the name means.

    It is the only path that has the parts of the whole name at its end, or the one that is the name itself. A path that
    lacks folders of the name is chosen if there is no other, and if no other name means it: then the name's folders
    were left out. Files with the same content count as one. `taken` keeps what each path was chosen for, `digest` is
    the content of a path.

    Raises WhatifError when several different files remain, or when two different names mean the same file.
    """
    whole = [place for place in places if ends_in(place, name)]
    exact = [place for place in whole if ends_in(name, place)]
    found = exact or whole or list(places)
    if len(found) > 1 and len({digest(place) for place in found}) > 1:
        listed = " and ".join(escaped(place[:120]) for place in found[:2])
        raise WhatifError(
            f"{where}: {escaped(name[:120])} may be {listed}, which differ; name files with their folders"
        )
    before = taken.setdefault(found[0], name)
    if not (ends_in(found[0], name) and ends_in(found[0], before)) and not ends_in(name, before):
        raise WhatifError(
            f"{where}: {escaped(name[:120])} and {escaped(before[:120])} are both {escaped(found[0][:120])}; "
            "put each into the folder of its name"
        )
    return found[0]


def ends_in(place: str, name: str) -> bool:
    """Whether the last folders and the file of a path are those of a name."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return PurePosixPath(place.replace("\\", "/")).parts[-len(parts) :] == parts


def digest_of(path: str) -> str:
    """The content of a file, for `named`; its path if it cannot be read."""
    try:
        return hashlib.sha256(read_bytes(Path(path), LARGEST_PICTURE)).hexdigest()
    except OSError:
        return path


def is_inside(name: PurePosixPath) -> bool:
    """Whether a name, which is untrusted data, stays inside a folder."""
    return bool(name.name) and not name.is_absolute() and ".." not in name.parts


def is_file(path: Path) -> bool:
    """Whether a path, which may be made of untrusted data, is that of a file."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that is too long, or has a null character
        return False
