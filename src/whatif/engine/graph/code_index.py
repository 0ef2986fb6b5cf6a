"""The index of code versions: caches the results of `code_version` between processes until a source file changes.

Reading and following the source of the whole package takes about a second, and every job and every plan needs the
result. As in the index of verified files, the sizes and times of the files show whether the result is still valid.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.engine.files.stamps import code_stamp
from whatif.engine.graph import code_version as source
from whatif.engine.graph.further_packages import folders

_FOLDER = Path(".whatif/code-versions")


@dataclass
class _Index:
    """The versions found in some packages, by the requested roots."""

    place: Path
    stamp: str
    versions: dict[str, source.Followed]
    changed: bool = False


_opened: dict[Path, _Index] = {}


def code_version(roots: Iterable[str]) -> dict[str, str]:
    """The same as `whatif.engine.graph.code_version.code_version`, read from the index while the source is unchanged.

    Raises KeyError when a root does not exist.
    """
    return dict(_followed(roots).code)


def libraries(roots: Iterable[str]) -> tuple[str, ...]:
    """The installed packages that the code of some roots uses, sorted. Raises KeyError as `code_version` does."""
    return _followed(roots).libraries


def _followed(roots: Iterable[str]) -> source.Followed:
    asked = tuple(roots)
    index = _index_of(asked)
    key = " ".join(asked)
    if key not in index.versions:
        index.versions[key] = source.followed(asked)
        index.changed = True
    return index.versions[key]


def keep() -> None:
    """Writes the versions found by this process to the index; if that fails, the next process computes them again."""
    for index in _opened.values():
        if index.changed:
            with contextlib.suppress(WhatifError):
                versions = {key: asdict(found) for key, found in index.versions.items()}
                text = json.dumps({"stamp": index.stamp, "versions": versions})
                write_whole(index.place, text.encode(), durable=False)
            index.changed = False


def package_folders(roots: Iterable[str]) -> list[Path]:
    """The folders, or files, of the packages whose code is followed from some roots."""
    return [folder for package in source.packages(roots) for folder in folders(package)]


def _index_of(roots: tuple[str, ...]) -> _Index:
    folders = package_folders(roots)
    place = (_FOLDER / f"{'-'.join(folder.name for folder in folders)}.json").absolute()
    if place not in _opened:
        # The stamp is taken before any source is read, so the next process detects edits made in the meantime.
        stamp = f"{sys.version_info.major}.{sys.version_info.minor} {code_stamp(folders)}"
        _opened[place] = _Index(place, stamp, _read(place, stamp))
    return _opened[place]


def _read(place: Path, stamp: str) -> dict[str, source.Followed]:
    try:
        kept = json.loads(place.read_text(encoding="utf-8"))
        versions = kept["versions"] if kept["stamp"] == stamp else {}
        return {key: source.Followed(dict(one["code"]), tuple(one["libraries"])) for key, one in versions.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}  # no index, or not written by whatif
