"""Whether artifacts can be fetched: a remote of DVC is configured for this project, and is not a folder elsewhere."""

from __future__ import annotations

import configparser
from pathlib import Path

_CONFIGURATIONS = (Path(".dvc/config"), Path(".dvc/config.local"))


def fetches(what: str) -> str:
    """The part of a sentence that says what `dvc pull` does; empty where there is no remote to pull from."""
    return f"`dvc pull` fetches {what}, " if has_remote() else ""


def has_remote() -> bool:
    """Whether the project names a remote; a local folder that is not there, as in a clone elsewhere, is none."""
    return any(_is_there(url, file.parent) for file in _CONFIGURATIONS for url in _urls(file))


def _urls(file: Path) -> list[str]:
    read = configparser.RawConfigParser(strict=False)
    try:
        read.read(file, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        return []
    names = [name for name in read.sections() if name.strip("'").startswith("remote ")]
    return [read.get(name, "url", fallback="").strip() for name in names]


def _is_there(url: str, base: Path) -> bool:
    """A relative path in a configuration is relative to its folder."""
    return bool(url) and ("://" in url or (base / url).is_dir())
