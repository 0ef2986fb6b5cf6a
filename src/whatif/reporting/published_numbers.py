"""Numbers as printed in the four papers, one a row, to stand beside ours."""

from __future__ import annotations

import csv
from importlib.resources import files

from whatif.errors import WhatifError

_FOLDER = files("whatif.reporting") / "published"


def published(paper: str, table: str) -> list[dict[str, str]]:
    """The rows of a printed table, every field as text exactly as printed.

    `paper` is `c-vqa`, `cfmm`, `mucr` or `coco-cf`; `table` is its number, or `text` for numbers that stand in the
    running text. Fields: paper, table, system, the dimensions of that table, metric, value, std (empty when none is
    printed), printed_delta (the same) and unit.

    Raises WhatifError when that table was not transcribed.
    """
    name = _file_name(paper, table)
    if name not in known_tables():
        raise WhatifError(f"published table {paper} {table}: not transcribed; known are {', '.join(known_tables())}")
    with (_FOLDER / name).open("r", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def known_tables() -> list[str]:
    """File names of all transcribed tables, sorted."""
    return sorted(entry.name for entry in _FOLDER.iterdir() if entry.name.endswith(".csv"))


def _file_name(paper: str, table: str) -> str:
    return f"{paper}_text.csv" if table == "text" else f"{paper}_table{table}.csv"
