"""Takes out of published text what is private: names of annotators, and folders of the machine that made the data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from whatif.engine.artifacts import canonical_json


def pseudonyms(people: Iterable[str]) -> dict[str, str]:
    """Name of an annotator -> `annotator-1`, `annotator-2`, ..., in the order of the names."""
    return {name: f"annotator-{number}" for number, name in enumerate(sorted(set(people)), start=1)}


def without_private(provenance: str, names: Mapping[str, str]) -> str:
    """A JSON object without names of annotators and without folders outside the project.

    A text that is exactly a name becomes its pseudonym, also as a key; of a path outside the project, only the file's
    name is left.
    """
    return canonical_json(_cleaned(json.loads(provenance), names))


def _cleaned(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {names.get(key, key): _cleaned(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [_cleaned(one, names) for one in value]
    return names.get(value, without_folders(value)) if isinstance(value, str) else value


def without_folders(text: str) -> str:
    """A path outside the project as the name of its file alone; any other text unchanged."""
    if "\n" in text:
        return text
    if text.startswith("/") and PurePosixPath(text).name and not text.startswith("//"):
        return PurePosixPath(text).name
    if text.startswith(("~/", "../")):
        return PurePosixPath(text).name
    path = PureWindowsPath(text)
    return path.name if path.drive and path.root else text
