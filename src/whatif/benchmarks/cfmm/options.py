"""The right and the wrong options of a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatif.engine.language.options import LETTERS

Row = Mapping[str, Any]


def right_option(row: Row) -> str:
    """The text of the right option of a row of `questions`."""
    return str(row["choices"][LETTERS.index(row["answer"])])


def wrong_options(row: Row) -> list[str]:
    """The texts of the other options, in order."""
    right = LETTERS.index(row["answer"])
    return [str(text) for place, text in enumerate(row["choices"]) if place != right]
