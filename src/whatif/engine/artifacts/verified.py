"""An index of the files that this checkout has verified, so that a file is hashed again only after a modification.

As in git's index, an entry has a file's size and times together with its hash. While size and times are the same, the
hash is trusted; otherwise the file is read. Each entry is one small file that is written atomically, so jobs on many
machines can write at the same time. The index only saves time: if an entry cannot be written (full disk, no
permission), the old entry does not match any more, and the file is hashed again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from whatif.engine import artifacts
from whatif.engine.errors import WhatifError
from whatif.engine.files import atomic as atomic_files
from whatif.engine.files.atomic import write_whole
from whatif.engine.files.inputs import open_regular
from whatif.engine.files.stamps import files_below, stamp

INDEX = Path(".whatif/index")


def verified_footer(path: Path) -> artifacts.Footer:
    """The footer of an artifact, after checking that its rows are unchanged.

    Raises WhatifError when the file is not an artifact or was edited after it was written.
    """
    footer = artifacts.footer_of(path)
    if digest(path, lambda: artifacts.content_of(path)) != footer.content:
        raise WhatifError(f"{path}: was edited: its rows differ from those that were written")
    return footer


def digest(path: Path, compute: Callable[[], str]) -> str:
    """The hash of a file: from the index if the file is unmodified, otherwise computed and stored in the index."""
    now = stamp(path)
    kept = _read(path)
    if kept and kept["stamp"] == now:
        return kept["digest"]
    value = compute()
    # With the earlier stamp: a file that changes while it is read will be read again.
    _write(path, now, value)
    return value


def remember(path: Path, value: str) -> None:
    """Stores the hash of a file that was just written or moved by this process."""
    _write(path, stamp(path), value)


def move(source: Path, target: Path, times: tuple[int, int] | None = None) -> None:
    """Moves a file and its index entry, if the file is unmodified.

    `times` are the new access and modification times in nanoseconds; default: the current time.
    """
    entry = _read(source)
    known = entry["digest"] if entry and entry["stamp"] == stamp(source) else None
    atomic_files.move(source, target)
    os.utime(target, ns=times or (time.time_ns(), time.time_ns()))
    forget(source)
    if known is not None:
        remember(target, known)


def forget(path: Path) -> None:
    """Removes the entry of a file that no longer exists."""
    with contextlib.suppress(OSError):
        _entry(path).unlink()


def source_digest(path: Path) -> str:
    """The hash of a file or folder outside the graph: names and bytes of all files below it, following links.

    Raises WhatifError when it cannot be read or is neither a regular file nor a folder.
    """
    try:
        return digest(path, lambda: _hash_tree(path))
    except OSError as error:
        raise WhatifError(f"{error.filename or path}: cannot be read ({error.strerror})") from error


def file_digest(path: Path) -> str:
    """The SHA-256 of a small file, which is always read."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _hash_tree(path: Path) -> str:
    hasher = hashlib.sha256()
    for file in files_below(path):
        hasher.update(os.fsencode(f"{file.relative_to(path)}\n"))  # a file name need not be UTF-8
        with open_regular(file) as opened:
            hasher.update(hashlib.file_digest(opened, "sha256").digest())
    return hasher.hexdigest()


def _read(path: Path) -> dict[str, str] | None:
    """The entry of a file; None if there is no valid entry, so that the file is read."""
    try:
        kept = json.loads(_entry(path).read_text(encoding="utf-8"))
        return {"stamp": str(kept["stamp"]), "digest": str(kept["digest"])}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(path: Path, stamped: str, value: str) -> None:
    entry = {"path": os.fspath(path), "stamp": stamped, "digest": value}
    with contextlib.suppress(WhatifError):
        write_whole(_entry(path), json.dumps(entry).encode(), durable=False)


def _entry(path: Path) -> Path:
    return INDEX / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:32]}.json"
