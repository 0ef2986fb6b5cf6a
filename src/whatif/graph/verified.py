"""What this checkout has already verified, so that a file is hashed again only when it was touched.

As git's index does, an entry keeps a file's size and times beside the hash that it had then. While they are the same
the hash is believed; otherwise the file is read. One small file an entry, written whole, so that jobs on many machines
can write at the same time. The index only saves time: an entry that cannot be written (a full disk, no permission)
leaves one that is not believed or none, and the file is hashed again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from whatif import artifacts
from whatif.atomic_files import write_whole
from whatif.errors import WhatifError
from whatif.input_files import open_regular

INDEX = Path(".whatif/index")


def verified_footer(path: Path) -> artifacts.Footer:
    """The footer of an artifact whose rows are the ones that were written.

    Raises WhatifError when the file is no artifact, or was edited since it was written.
    """
    footer = artifacts.footer_of(path)
    if digest(path, lambda: artifacts.content_of(path)) != footer.content:
        raise WhatifError(f"{path}: was edited: its rows are not those that were written")
    return footer


def digest(path: Path, compute: Callable[[], str]) -> str:
    """The hash of a file, from the index while the file is untouched, else computed and remembered."""
    stamp = _stamp(path)
    try:
        kept = json.loads(_entry(path).read_text(encoding="utf-8"))
        if kept["stamp"] == stamp:
            return str(kept["digest"])
    except (OSError, ValueError, KeyError, TypeError):
        pass  # no entry, or one that is not ours: the file itself decides
    value = compute()
    # With the stamp from before: what changes while it is read will be read again.
    _write(path, stamp, value)
    return value


def remember(path: Path, value: str) -> None:
    """Notes the hash that a file, just written or moved by us, has now."""
    _write(path, _stamp(path), value)


def forget(path: Path) -> None:
    """Drops the entry of a file that is gone."""
    with contextlib.suppress(OSError):
        _entry(path).unlink()


def source_digest(path: Path) -> str:
    """The hash of a file or folder outside the graph: names and bytes of all files below it, through links.

    Raises WhatifError when it cannot be read, or is neither a regular file nor a folder.
    """
    try:
        return digest(path, lambda: _hash_tree(path))
    except OSError as error:
        raise WhatifError(f"{error.filename or path}: cannot be read ({error.strerror})") from error


def file_digest(path: Path) -> str:
    """The sha256 of a small file, always read."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _hash_tree(path: Path) -> str:
    hasher = hashlib.sha256()
    for file in _files(path):
        hasher.update(os.fsencode(f"{file.relative_to(path)}\n"))  # a name need not be UTF-8
        with open_regular(file) as opened:
            hasher.update(hashlib.file_digest(opened, "sha256").digest())
    return hasher.hexdigest()


def _files(path: Path) -> list[Path]:
    return sorted(_walk(path, frozenset())) if path.is_dir() else [path]


def _walk(folder: Path, above: frozenset[tuple[int, int]]) -> Iterator[Path]:
    """Files below a folder, following links; a link back to a folder that we are in is passed over."""
    state = folder.stat()
    here = (state.st_dev, state.st_ino)
    if here in above:
        return
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, above | {here})
        elif entry.is_file():
            yield entry


def _stamp(path: Path) -> str:
    """Sizes and times of a file, or of all files below a folder. The time of change shows a reset time of writing."""
    if path.is_dir():
        lines = [f"{file.relative_to(path)} {_stamp(file)}" for file in _files(path)]
        return hashlib.sha256(os.fsencode("\n".join(lines))).hexdigest()
    state = path.stat()
    return f"{state.st_size} {state.st_mtime_ns} {state.st_ctime_ns}"


def _write(path: Path, stamp: str, value: str) -> None:
    entry = {"path": os.fspath(path), "stamp": stamp, "digest": value}
    with contextlib.suppress(WhatifError):
        write_whole(_entry(path), json.dumps(entry).encode(), durable=False)


def _entry(path: Path) -> Path:
    return INDEX / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:32]}.json"
