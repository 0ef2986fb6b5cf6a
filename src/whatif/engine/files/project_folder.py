"""The folder of the project: found from any folder inside it, with the paths that a user typed there.

Commands run in the project's folder, so every path of the graph is relative to it. A path that the user typed is
relative to the folder where it was typed, and messages show paths relative to that folder, too.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from whatif.engine.errors import WhatifError

PARAMS_FILE = "params.yaml"
_OF_THE_GRAPH = frozenset({"data", "logs", "metrics", "site", ".whatif"})
_LONGEST = 1_000_000  # bytes of a params.yaml that are searched for `benchmarks:`


@dataclass
class _Below:
    """A folder of a project in which the user called a command."""

    root: Path
    folder: Path
    typed: set[str] = field(default_factory=set)  # relative to the root


_BELOW: ContextVar[_Below | None] = ContextVar("_BELOW", default=None)


def project_folder(start: Path) -> Path | None:
    """The folder of the project that contains `start`, or `start` itself; None outside a project.

    The nearest folder with a `params.yaml`. In a folder above `start`, the file must have the key `benchmarks`, because
    other tools use the same name.
    """
    start = Path(os.path.abspath(start))  # noqa: PTH100  # links are kept, as a shell shows them
    if (start / PARAMS_FILE).is_file():
        return start
    return next((folder for folder in start.parents if _selects_benchmarks(folder / PARAMS_FILE)), None)


def _selects_benchmarks(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return any(line.startswith(b"benchmarks:") for line in opened.read(_LONGEST).splitlines())
    except OSError:
        return False


def check_project() -> None:
    """Raises WhatifError when the working directory is not the folder of a project."""
    if not Path(PARAMS_FILE).exists():
        raise WhatifError(
            f"no project here: neither this folder nor one above it has a {PARAMS_FILE}; make a project with "
            "`whatif new my-benchmark`, or go to the folder of one"
        )


@contextlib.contextmanager
def in_project_folder() -> Iterator[None]:
    """Changes to the folder of the project while a command runs; changes nothing outside a project."""
    try:
        folder = Path.cwd()
    except OSError:  # it was deleted
        folder = None
    root = project_folder(folder) if folder is not None else None
    if folder is None or root is None or root == folder:
        yield
        return
    token = _BELOW.set(_Below(root, folder))
    try:
        with contextlib.chdir(root):
            yield
    finally:
        _BELOW.reset(token)


def typed_path(path: str | os.PathLike[str]) -> Path:
    """The path, relative to the project's folder, of a file that the user typed or that is written where the user is.

    Absolute paths, and those that begin with `~`, stay as they are.
    """
    below = _BELOW.get()
    text = os.fspath(path)
    if below is None or Path(text).is_absolute() or text.startswith("~"):
        return Path(text)
    found = os.path.relpath(below.folder / text, below.root)
    below.typed.add(found)
    return Path(found)


def display_path(path: str | os.PathLike[str]) -> str:
    """A path as the user would type it, from one that is relative to the project's folder."""
    below = _BELOW.get()
    text = os.fspath(path)
    if below is None or Path(text).is_absolute():
        return text
    return os.path.relpath(below.root / text, below.folder)


def displayed(line: str) -> str:
    """A message with paths as the user would type them: the one that it begins with, and every typed one.

    `params.yaml:3: ...` begins with a path. A typed path that is a mere word is not looked for inside of a message.
    """
    below = _BELOW.get()
    if below is None:
        return line
    first, colon, rest = line.partition(":")
    if colon and _is_path(first, below):
        return f"{display_path(first)}:{_with_typed(rest, below)}"
    return _with_typed(line, below)


def _with_typed(text: str, below: _Below) -> str:
    typed = [path for path in sorted(below.typed, key=len, reverse=True) if "/" in path or "." in path.strip(".")]
    if not typed:
        return text
    whole = rf"(?<![\w./-])(?:{'|'.join(map(re.escape, typed))})(?![\w-])"
    return re.sub(whole, lambda found: display_path(found[0]), text)


def _is_path(text: str, below: _Below) -> bool:
    """Whether a text is a path relative to the project's folder: a typed one, one that exists, or one of the graph."""
    top = text.partition("/")[0]
    return text in below.typed or (top != text and top in _OF_THE_GRAPH) or (below.root / text).exists()
