"""Targets that were found fresh, noted with the stamps of everything that decides it.

While all stamps are the same, the target is fresh without a plan: neither parameters nor footers are read. So one stage
of `dvc repro` plans, and the stages after it return at once. Artifacts are told by inode, size and time, as DVC itself
tells whether it must read an output again. Imports nothing heavy.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whatif.files.atomic import write_whole
from whatif.files.stamps import code_stamp, identity_or_absent, stamp_or_absent

_FOLDER = Path(".whatif/fresh")


def holds(target: str) -> bool:
    """Whether a target was found fresh and nothing that decides it has been touched since."""
    try:
        noted = json.loads((_FOLDER / f"{target}.json").read_text(encoding="utf-8"))
        return (
            noted["code"] == _code([Path(folder) for folder in noted["packages"]])
            and all(stamp_or_absent(Path(path)) == stamp for path, stamp in noted["stamps"].items())
            and all(identity_or_absent(Path(path)) == identity for path, identity in noted["files"].items())
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
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
        return cls(packages, _code(packages), {str(path): stamp_or_absent(path) for path in paths})


def note(target: str, basis: Basis, files: Iterable[Path]) -> None:
    """Notes that a target, with all files that it needs, is fresh. Raises WhatifError when that cannot be written."""
    entry = {
        "packages": [str(folder) for folder in basis.packages],
        "code": basis.code,
        "stamps": dict(basis.stamps),
        "files": {str(path): identity_or_absent(path) for path in files},
    }
    write_whole(_FOLDER / f"{target}.json", json.dumps(entry).encode(), durable=False)


def _code(packages: Sequence[Path]) -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor} {code_stamp(packages)}"
