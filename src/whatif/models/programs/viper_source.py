"""The source of the interface of programs in Python, as the sandbox runs it."""

from __future__ import annotations

import inspect

from whatif.models.programs import viper_interface


def interface_source() -> str:
    """The text of `viper_interface`."""
    return inspect.getsource(viper_interface)
