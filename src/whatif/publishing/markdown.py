"""Small pieces of Markdown: tables whose cells may hold any text, and values of parameters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from whatif.publishing.private_text import without_folders


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], right: str = "") -> list[str]:
    """The lines of a table, and an empty one; `right` has an `r` for each column that is aligned to the right."""
    marks = ["--:" if place < len(right) and right[place] == "r" else "---" for place in range(len(header))]
    return [_line(header), _line(marks), *map(_line, rows), ""]


def _line(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(cell(one) for one in cells)} |"


def cell(value: Any) -> str:
    """A value in a cell: numbers with thousands separators, text without what would end the cell or begin HTML."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    text = f"{value:.1f}" if isinstance(value, float) else value
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;").strip()


def value_text(value: Any) -> str:
    """A parameter's value as code; only the last name of a path outside the project, which hides local folders."""
    if isinstance(value, list):
        return ", ".join(value_text(one) for one in value) or "none"
    if isinstance(value, str):
        return f"`{without_folders(value)}`"
    return f"`{json.dumps(value)}`"


def interval(value: float, low: float | None, high: float | None, digits: int = 1) -> str:
    """A number with its interval, `25.1 (22.9 to 27.3)`."""
    bounds = "" if low is None or high is None else f" ({low:.{digits}f} to {high:.{digits}f})"
    return f"{value:.{digits}f}{bounds}"
