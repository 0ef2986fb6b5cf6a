"""Models before their training. Most of the time goes into the texts of their tokenizer, so each is built once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any


@cache
def untrained(build: Callable[[int], tuple[Any, Any]]) -> tuple[Any, Any]:
    """A processor or tokenizer and a model, which no test changes."""
    return build(3)
