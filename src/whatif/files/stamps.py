"""Stamps of files: size and times, which show that a file was touched without reading it.

Imports nothing heavy, because whoever only compares stamps should start at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path


def stamp(path: Path) -> str:
    """Size and times of a file, or of all files below a folder. The time of change reveals a reset modification time.

    Raises FileNotFoundError when there is nothing at the path.
    """
    if path.is_dir():
        lines = [f"{file.relative_to(path)} {stamp(file)}" for file in files_below(path)]
        return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
    state = path.stat()
    return f"{state.st_size} {state.st_mtime_ns} {state.st_ctime_ns}"


def stamp_or_absent(path: Path) -> str:
    """As `stamp`; `absent` when there is nothing at the path."""
    try:
        return stamp(path)
    except (FileNotFoundError, NotADirectoryError):
        return "absent"


def identity_or_absent(path: Path) -> str:
    """Inode, size and time of a file, which is what DVC goes by; `absent` when there is no file at the path.

    The time of change is left out, because DVC changes it: it sets the permissions of each output that it records.
    """
    try:
        state = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    return f"{state.st_ino} {state.st_size} {state.st_mtime_ns}"


def code_stamp(packages: Iterable[Path]) -> str:
    """One stamp of all Python files of some packages."""
    lines = [f"{file} {stamp(file)}" for package in packages for file in sorted(package.rglob("*.py"))]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def files_below(path: Path) -> list[Path]:
    """A file itself, or all files below a folder, through links, sorted."""
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
