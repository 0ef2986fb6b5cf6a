"""Counterfactual vision-language benchmarks: built, versioned and scored by one dependency graph.

What a notebook needs is here: `load` and `tables` for results, the statistics behind them, answer extraction and the
shortcut audit. Each is imported when it is first used, so that `import whatif` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whatif.commands.notebook import StaleNumbers, audit_shortcuts, demo_table, extract_answer, load, tables
    from whatif.engine.errors import WhatifError
    from whatif.scoring.statistics import (
        Interval,
        clustered_share,
        difference_of_drops,
        holm,
        paired_drop,
        tango,
        wilson,
    )
    from whatif.scoring.vqa_accuracy import vqa_accuracy

__version__ = "0.1.0"

__all__ = [
    "Interval",
    "StaleNumbers",
    "WhatifError",
    "audit_shortcuts",
    "clustered_share",
    "demo_table",
    "difference_of_drops",
    "extract_answer",
    "holm",
    "load",
    "paired_drop",
    "tables",
    "tango",
    "vqa_accuracy",
    "wilson",
]

_MODULES = {"WhatifError": "whatif.engine.errors", "vqa_accuracy": "whatif.scoring.vqa_accuracy"}
_MODULES |= dict.fromkeys(
    ("StaleNumbers", "audit_shortcuts", "demo_table", "extract_answer", "load", "tables"), "whatif.commands.notebook"
)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULES.get(name, "whatif.scoring.statistics")), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
