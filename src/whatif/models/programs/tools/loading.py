"""Loads the tools that a model's settings name."""

from __future__ import annotations

from collections.abc import Callable

from whatif.engine.params.programs import OracleTools as OracleSettings
from whatif.engine.params.programs import Tools
from whatif.models.depicted import Depicted
from whatif.models.programs.interfaces import Toolset


def load_tools(settings: Tools, depicted: Callable[[str], Depicted | None]) -> Toolset:
    """The tools; `depicted` returns what a drawn image shows, for those that know it.

    Checkpoints are loaded when a program first needs them. Raises WhatifError when one cannot be loaded.
    """
    if isinstance(settings, OracleSettings):
        from whatif.models.programs.tools.oracle import OracleTools

        return OracleTools(depicted)
    from whatif.models.programs.tools.checkpoints import CheckpointTools

    return CheckpointTools(settings)
