"""Stamps of files: size and times, which reveal a modified file without reading it.

This module imports nothing heavy, so that a command that only compares stamps starts quickly.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path


def stamp(path: Path) -> str:
    """Size and times of a file, or of all files below a folder. The change time reveals a reset modification time.

    Raises FileNotFoundError when there is nothing at the path.
    """
    if path.is_dir():
        lines = [f"{file.relative_to(path)} {stamp(file)}" for file in files_below(path)]
        return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
    state = path.stat()
    return f"{state.st_size} {state.st_mtime_ns} {state.st_ctime_ns}"


def stamp_or_absent(path: Path) -> str:
    """Like `stamp`; `absent` when there is nothing at the path."""
    try:
        return stamp(path)
    except (FileNotFoundError, NotADirectoryError):
        return "absent"


def identity_or_absent(path: Path) -> str:
    """Inode, size and modification time of a file, which DVC compares; `absent` when there is no file at the path.

    The change time is omitted, because DVC changes it when it sets the permissions of the outputs that it records.
    """
    try:
        state = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    return f"{state.st_ino} {state.st_size} {state.st_mtime_ns}"


def code_stamp(packages: Iterable[Path]) -> str:
    """A combined stamp of all files of some packages, which are folders or files."""
    lines = [f"{file} {stamp(file)}" for one in packages for file in package_files(one)]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def package_files(package: Path) -> list[Path]:
    """The files of a package, which is a folder or a file, sorted: its code and the data beside it.

    What Python and other tools keep there (`__pycache__`, hidden files) is left out.
    """
    if package.is_file():
        return [package]
    found = (path for path in package.rglob("*") if path.is_file())
    return sorted(path for path in found if not any(map(_is_kept, path.relative_to(package).parts)))


def _is_kept(part: str) -> bool:
    return part.startswith(".") or part == "__pycache__"


def files_below(path: Path) -> list[Path]:
    """The file itself, or all files below a folder, sorted; symbolic links are followed."""
    return sorted(_walk(path, frozenset())) if path.is_dir() else [path]


def _walk(folder: Path, above: frozenset[tuple[int, int]]) -> Iterator[Path]:
    """Files below a folder, following links; a link to a folder that contains it is ignored."""
    state = folder.stat()
    here = (state.st_dev, state.st_ino)
    if here in above:
        return
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, above | {here})
        elif entry.is_file():
            yield entry
