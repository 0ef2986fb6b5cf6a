"""Imports the libraries of the tests while artifacts are read, since both take a second on a large run."""

from __future__ import annotations

import importlib
import threading

_MODULES = ("scipy.special", "scipy.optimize")


def begin() -> None:
    """Begins the imports in a thread; whoever imports one of them meanwhile waits for it."""
    threading.Thread(target=_import, daemon=True).start()


def _import() -> None:
    for name in _MODULES:
        importlib.import_module(name)
