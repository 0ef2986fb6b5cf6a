"""What this checkout has already verified, so that a file is hashed again only when it was touched.

As git's index does, an entry keeps a file's size and time beside the hash that it had then. While size and time are
the same the hash is believed; otherwise the file is read. One small file an entry, written whole, so that jobs on
many machines can write at the same time.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

INDEX = Path(".whatif/index")


def digest(path: Path, compute: Callable[[], str]) -> str:
    """The hash of a file, from the index while the file is untouched, else computed and remembered."""
    stamp = _stamp(path)
    entry = _entry(path)
    try:
        kept = json.loads(entry.read_text(encoding="utf-8"))
        if kept["stamp"] == stamp:
            return str(kept["digest"])
    except (OSError, ValueError, KeyError):
        pass  # no entry, or one that was cut off: the file itself decides
    value = compute()
    remember(path, value)
    return value


def remember(path: Path, value: str) -> None:
    """Notes the hash that a file has now."""
    entry = _entry(path)
    entry.parent.mkdir(parents=True, exist_ok=True)
    temporary = entry.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(json.dumps({"path": str(path), "stamp": _stamp(path), "digest": value}), encoding="utf-8")
    temporary.replace(entry)


def forget(path: Path) -> None:
    """Drops the entry of a file that is gone."""
    _entry(path).unlink(missing_ok=True)


def source_digest(path: Path) -> str:
    """The hash of a file or folder outside the graph: names and bytes of all files below it."""
    return digest(path, lambda: _hash_tree(path))


def file_digest(path: Path) -> str:
    """The sha256 of a small file, always read."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _hash_tree(path: Path) -> str:
    hasher = hashlib.sha256()
    for file in _files(path):
        hasher.update(f"{file.relative_to(path)}\n".encode())
        with file.open("rb") as opened:
            hasher.update(hashlib.file_digest(opened, "sha256").digest())
    return hasher.hexdigest()


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())


def _stamp(path: Path) -> str:
    """Sizes and times of a file, or of all files below a folder."""
    if path.is_dir():
        lines = [f"{file.relative_to(path)} {_stamp(file)}" for file in _files(path)]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()
    state = path.stat()
    return f"{state.st_size} {state.st_mtime_ns}"


def _entry(path: Path) -> Path:
    return INDEX / f"{hashlib.sha256(str(path).encode()).hexdigest()[:32]}.json"
