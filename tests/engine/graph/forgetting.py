"""A process that edits source files forgets what it has read of them, as a new one would not know it."""

from __future__ import annotations

import sys

from whatif.engine.graph import code_index


def forget() -> None:
    """What a new process does not know."""
    code_index._opened.clear()
    for name, module in [*sys.modules.items()]:
        for value in vars(module).values() if name.startswith("whatif.engine.graph.") else ():
            if hasattr(value, "cache_clear"):
                value.cache_clear()
