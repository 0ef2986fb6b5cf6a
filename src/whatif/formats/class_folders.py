"""Reads images from a folder with one folder for each class."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.image_decoding import UnreadableImageError
from whatif.engine.files.well_formed import escaped
from whatif.formats.class_names import LEFT_OUT, ClassifiedImages, choose_classes, read_class_names
from whatif.formats.coco_photographs import photograph

_NUMBER = re.compile(r"^\d{3}\.")  # Caltech256: `001.ak47`
NO_FILE = "no image file"


def read_class_folder(
    path: Path,
    split: str | None = None,
    *,
    classes: Path | None = None,
    leave_out: Sequence[str] = (),
    merge: Mapping[str, str] | None = None,
) -> ClassifiedImages:
    """The images in `path/CLASS/FILE`, or in `path/ONLY_FOLDER/CLASS/FILE`; hidden files are ignored.

    A split is a folder in `path` that contains the folders of the classes. A class has the name of its folder. Where
    all folders begin with three digits and a dot (`002.american-flag`), these are removed and hyphens become spaces.
    The order of the folders' names gives the labels, unless the file `classes` does. Its lines are names of the
    folders; or a folder, white space and a name (`n01440764 tench, Tinca tinca`); or, if no line is the name of a
    folder, as many names as there are folders, in their order.

    Ids are `CLASS/FILE`. Raises WhatifError when there is no such split, when there are no folders, or when `classes`,
    `leave_out` or `merge` do not fit them.
    """
    root, folders = _class_folders(_folder_of(path, split))
    found = _names(folders)
    kept, labels = choose_classes(str(path), found, leave_out, merge or {})
    if classes is not None:
        own = [folder for folder, name in zip(folders, found, strict=True) if name in set(kept)]
        order, kept = _ordered(classes, own, kept)
        labels = [None if label is None else order[label] for label in labels]
    return ClassifiedImages(kept, _images(root, dict(zip(folders, labels, strict=True))))


def _folder_of(path: Path, split: str | None) -> Path:
    if not path.is_dir():
        raise WhatifError(f"{path}: no such folder; give a folder with a folder of images for each class")
    if split is None:
        return path
    known = [escaped(one.name) for one in _visible(path) if one.is_dir()]
    if split not in known:
        raise WhatifError(f"{path}: has no split {split}; its folders are {', '.join(known[:8]) or 'none'}")
    return path / split


def _class_folders(path: Path) -> tuple[Path, list[str]]:
    inside = _visible(path)
    if len(inside) == 1 and inside[0].is_dir() and any(one.is_dir() for one in _visible(inside[0])):
        path, inside = inside[0], _visible(inside[0])
    folders = [one.name for one in inside if one.is_dir()]
    if len(folders) < 2:
        raise WhatifError(f"{path}: has {len(folders)} folders; it needs one folder of images for each class")
    return path, folders


def _visible(folder: Path) -> list[Path]:
    return sorted(one for one in folder.iterdir() if not one.name.startswith("."))


def _names(folders: Sequence[str]) -> list[str]:
    names = [escaped(one) for one in folders]
    if all(_NUMBER.match(one) for one in names):
        return [_NUMBER.sub("", one).replace("-", " ") for one in names]
    return names


def _ordered(path: Path, folders: Sequence[str], names: Sequence[str]) -> tuple[list[int], list[str]]:
    """For each folder its label by the lines of a file; and the names of the classes in order of labels."""
    lines = read_class_names(path)
    places = {_plain(one): place for known in (names, folders) for place, one in enumerate(known)}
    exact = {one: place for place, one in enumerate(folders)}
    pairs = [re.split(r"\s+", line, maxsplit=1) for line in lines]
    if all(len(pair) == 2 and pair[0] in exact for pair in pairs):
        found: list[int | None] = [exact[pair[0]] for pair in pairs]
        lines = [pair[1] for pair in pairs]
    else:
        found = [places.get(_plain(line)) for line in lines]
        if len(lines) == len(folders) and all(one is None for one in found):
            found = list(range(len(lines)))
    for number, place in enumerate(found):
        if place is None:
            raise WhatifError(
                f"{path}: line {number + 1}: {lines[number]!r} is the name of no folder of images; name a folder such "
                f"as {names[0]!r}, or write `{folders[0]} NAME` in each line"
            )
        if place in found[:number]:
            raise WhatifError(f"{path}: line {number + 1}: the folder {folders[place]} is named twice; name each once")
    if missing := sorted(set(range(len(folders))) - set(found)):
        raise WhatifError(
            f"{path}: has no line for the folder {folders[missing[0]]}; add it, or name the class in leave_out"
        )
    labels = {place: label for label, place in enumerate(found)}
    return [labels[place] for place in range(len(folders))], lines


def _plain(name: str) -> str:
    return " ".join(re.split(r"[\s_-]+", name.casefold()))


def _images(
    root: Path, labels: Mapping[str, int | None]
) -> Iterator[tuple[str, int, dict[str, Any] | tuple[str, str]]]:
    for one in _visible(root):
        if one.name not in labels:
            yield escaped(one.name), 0, (NO_FILE, f"{escaped(one.name)} is in the folder of no class")
    for folder, label in labels.items():
        for file in _visible(root / folder):
            item_id = f"{escaped(folder)}/{escaped(file.name)}"
            if label is None:
                yield item_id, 0, (LEFT_OUT, f"the class {escaped(folder)} is left out")
            elif not file.is_file():
                yield item_id, label, (NO_FILE, f"{item_id} is not a file; only files directly in a class folder count")
            else:
                try:
                    yield item_id, label, photograph(file, f"file:{item_id}", "unknown")
                except UnreadableImageError as error:
                    yield item_id, label, ("picture unreadable", f"{item_id}: {error.kind}")
