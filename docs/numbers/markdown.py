"""Tables in Markdown, and the files that their numbers come from."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def read_json(path: str) -> Any:
    """A JSON file of the project."""
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def markdown(rows: Sequence[Sequence[str]], text_columns: int) -> str:
    """A table whose first row is its header, and whose first `text_columns` columns are text."""
    rule = "|" + "".join("---|" if place < text_columns else "--:|" for place in range(len(rows[0])))
    lines = ["| " + " | ".join(cell.replace("<", r"\<") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], rule, *(re.sub(r"  +", " ", line) for line in lines[1:])])
