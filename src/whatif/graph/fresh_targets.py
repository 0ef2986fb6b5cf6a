"""Targets that were found fresh, noted with the stamps of everything that decides it.

While all stamps are the same, the target is fresh without a plan: neither parameters nor footers are read. So one stage
of `dvc repro` plans, and the stages after it return at once. As in the index of verified files, sizes and times only
save reading what nobody touched. Imports nothing heavy.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whatif.atomic_files import write_whole
from whatif.graph.stamps import code_stamp, stamp_or_absent

_FOLDER = Path(".whatif/fresh")


def holds(target: str) -> bool:
    """Whether a target was found fresh and nothing that decides it has been touched since."""
    try:
        noted = json.loads((_FOLDER / f"{target}.json").read_text(encoding="utf-8"))
        packages, stamps = [Path(folder) for folder in noted["packages"]], dict(noted["stamps"])
        if noted["code"] != _code(packages):
            return False
        return all(stamp_or_absent(Path(path)) == stamp for path, stamp in stamps.items())
    except (OSError, ValueError, KeyError, TypeError):
        return False  # not noted, or not by us


@dataclass(frozen=True)
class Basis:
    """What decides whether targets are fresh, besides their own files, as it was before they were looked at."""

    packages: Sequence[Path]
    code: str
    stamps: Mapping[str, str]

    @classmethod
    def taken(cls, packages: Sequence[Path], paths: Iterable[Path]) -> Basis:
        """The stamps, as of now, of the code of some packages and of files and folders that may be there or not."""
        return cls(packages, _code(packages), _stamps(paths))


def note(target: str, basis: Basis, files: Iterable[Path]) -> None:
    """Notes that a target, with all files that it needs, is fresh. Raises WhatifError when that cannot be written."""
    entry = {
        "packages": [str(folder) for folder in basis.packages],
        "code": basis.code,
        "stamps": {**basis.stamps, **_stamps(files)},
    }
    write_whole(_FOLDER / f"{target}.json", json.dumps(entry).encode(), durable=False)


def _stamps(paths: Iterable[Path]) -> dict[str, str]:
    return {str(path): stamp_or_absent(path) for path in paths}


def _code(packages: Sequence[Path]) -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor} {code_stamp(packages)}"
