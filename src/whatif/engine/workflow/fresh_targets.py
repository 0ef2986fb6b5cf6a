"""Targets that were found fresh, recorded with the stamps of everything that affects their freshness.

While all stamps are unchanged, the target is fresh without planning: neither parameters nor footers are read. So only
one stage of `dvc repro` plans, and the later stages return at once. Artifacts are identified by inode, size and time,
which DVC also uses to decide whether it must read an output again. This module imports no heavy packages.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whatif.engine.files.atomic import write_whole
from whatif.engine.files.stamps import code_stamp, identity_or_absent, stamp_or_absent

_FOLDER = Path(".whatif/fresh")


def holds(target: str) -> bool:
    """Whether a target was found fresh and nothing that affects its freshness has changed since."""
    try:
        noted = json.loads((_FOLDER / f"{target}.json").read_text(encoding="utf-8"))
        return (
            noted["code"] == _code([Path(folder) for folder in noted["packages"]])
            and all(stamp_or_absent(Path(path)) == stamp for path, stamp in noted["stamps"].items())
            and all(identity_or_absent(Path(path)) == identity for path, identity in noted["files"].items())
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False  # not recorded, or not by whatif


@dataclass(frozen=True)
class Basis:
    """What decides whether targets are fresh, apart from their own files, as it was before they were checked."""

    packages: Sequence[Path]
    code: str
    stamps: Mapping[str, str]

    @classmethod
    def taken(cls, packages: Sequence[Path], paths: Iterable[Path]) -> Basis:
        """The current stamps of the code of some packages, and of files and folders, which need not exist."""
        return cls(packages, _code(packages), {str(path): stamp_or_absent(path) for path in paths})


def note(target: str, basis: Basis, files: Iterable[Path]) -> None:
    """Records that a target, with all files that it needs, is fresh. Raises WhatifError when writing fails."""
    entry = {
        "packages": [str(folder) for folder in basis.packages],
        "code": basis.code,
        "stamps": dict(basis.stamps),
        "files": {str(path): identity_or_absent(path) for path in files},
    }
    write_whole(_FOLDER / f"{target}.json", json.dumps(entry).encode(), durable=False)


def _code(packages: Sequence[Path]) -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor} {code_stamp(packages)}"
