"""Benchmarks that a project declares in its `pyproject.toml` but that are not installed yet."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from pathlib import Path
from shlex import quote

from whatif.engine.errors import WhatifError
from whatif.engine.files.project_folder import display_path


def check_installed(selected: Collection[str], installed: Collection[str], group: str, root: Path) -> None:
    """Raises WhatifError when a selected benchmark is declared by the project in `root`, but not installed.

    Without this, each of its settings would be reported as an unknown key. `group` is the group of entry points. A file
    that is missing or not TOML declares nothing.
    """
    if missing := [name for name in selected if name not in installed and name in _declared(root, group)]:
        command = f"pip install -e {quote(display_path(root))}"
        raise WhatifError(f"benchmark {missing[0]}: is in this project but not installed; run `{command}`")


def _declared(root: Path, group: str) -> Collection[str]:
    try:
        with (root / "pyproject.toml").open("rb") as file:
            found = tomllib.load(file).get("project", {}).get("entry-points", {}).get(group, {})
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, AttributeError):
        return ()
    return list(found) if isinstance(found, dict) else ()
