"""The numbers that papers report, one per row, to be shown beside ours.

A benchmark stores its paper's numbers in its folder: `published/table7.csv`, and `published/text.csv` for numbers in
the running text.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.results.reporting.table import PUBLISHED, REPORTED

_FOLDER = "published"


def published(package: str, table: str) -> list[dict[str, str]]:
    """The rows of a reported table, every field as text exactly as reported.

    `package` is the benchmark's package (`__package__`), `table` is `table7` or `text`. Fields: paper, table, system,
    the dimensions of that table, metric, value, std and printed_delta (each empty if not reported), and unit.

    Raises WhatifError when that table was not transcribed.
    """
    file = files(package) / _FOLDER / f"{table}.csv"
    if not file.is_file():
        known = sorted(entry.name.removesuffix(".csv") for entry in (files(package) / _FOLDER).iterdir())
        raise WhatifError(f"{package}: {table} was not transcribed; {_FOLDER}/ has {', '.join(known)}")
    with file.open("r", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def as_reported(row: Mapping[str, str], **place: str) -> dict[str, Any]:
    """A reported row as one of our tables: its system and its number; `place` are the other identifying columns."""
    number = {"value": float(row["value"]), PUBLISHED: row["value"]}
    return {"name": row["system"], "source": REPORTED, **place, **number}
