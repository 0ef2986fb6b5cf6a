"""Cells of a table that no longer hold what was entered, because a spreadsheet changed them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, time, timedelta
from typing import Any, NamedTuple

from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import escaped

LONGEST_CELL = 32_767  # characters of a cell; Excel counts in UTF-16, pandas and openpyxl in code points
# What Excel, LibreOffice and Google Sheets save as text for a formula without a value, in the spreadsheet's language
# (`#WERT!`, `#NOM?`), or show for a column that is too narrow. In a workbook, the cell says so.
_ERROR = re.compile(r"\s*(?:#[A-ZÀ-Þ¿¡][A-ZÀ-Þ0-9/_¡]{0,19}[!?]|#N/[AD]|#NV|#GETTING_DATA|#{3,}|Err ?:5[0-9]{2})\s*")
# A cell with a time, as another program writes it: `2024-04-03 00:00:00`, `1 day, 6:00:00`. Answers have no seconds.
_TIME = re.compile(r"\s*(?:-?\d+ days?,? )?(?:\d{4}-\d\d-\d\d[ T])?\d{1,2}:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?\s*")
PERCENTAGE = "%"  # instead of openpyxl's type of a cell: a number that is shown as a percentage
_AS_TEXT = "format the column as text and enter the text again"


class Damage(NamedTuple):
    """What happened to a cell, as the end of `response ...`, and what to do."""

    what: str
    remedy: str


class DamagedRow(Mapping[str, Any]):
    """The cells of a row by column, of which some are damaged: asking for one of these raises WhatifError.

    So a column that nobody reads may have such cells. `raw` are all cells as the file has them.
    """

    def __init__(self, where: str, raw: Mapping[str, Any], damage: Mapping[str, Damage]) -> None:
        self.where = where
        self.raw = raw
        self.damage = damage

    def __getitem__(self, column: str) -> Any:
        if (found := self.damage.get(column)) is not None:
            raise WhatifError(f"{self.where}: {escaped(column[:40])} {found.what}; {found.remedy}")
        return self.raw[column]

    def __contains__(self, column: object) -> bool:
        return column in self.raw

    def __iter__(self) -> Iterator[str]:
        return iter(self.raw)

    def __len__(self) -> int:
        return len(self.raw)


def checked_row(where: str, raw: Mapping[str, Any], kinds: Mapping[str, str] | None = None) -> Mapping[str, Any]:
    """A row by column; a `DamagedRow` if a cell is damaged.

    `where` names the file and the row in messages. `kinds` are openpyxl's types of the cells of a workbook, or
    `PERCENTAGE`.
    """
    kinds = kinds or {}
    found = {column: _damage(value, kinds.get(column, "")) for column, value in raw.items()}
    damage = {column: one for column, one in found.items() if one is not None}
    return DamagedRow(where, raw, damage) if damage else raw


def damage_in(row: Mapping[str, Any], column: str) -> Damage | None:
    """What happened to a cell; None if it is as it was entered."""
    return row.damage.get(column) if isinstance(row, DamagedRow) else None


def raw_row(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """All cells of a row as the file has them."""
    return row.raw if isinstance(row, DamagedRow) else row


def with_cell(row: Mapping[str, Any], column: str, value: Any) -> Mapping[str, Any]:
    """The row with another value in a cell, which is then not damaged."""
    if not isinstance(row, DamagedRow):
        return {**row, column: value}
    damage = {name: one for name, one in row.damage.items() if name != column}
    return DamagedRow(row.where, {**row.raw, column: value}, damage)


def is_cell_time(text: str) -> bool:
    """Whether a text is a date with a time, or a time with seconds, as programs write a cell that holds one."""
    return _TIME.fullmatch(text) is not None


def is_cell_error(text: str) -> bool:
    """Whether a text is what a spreadsheet shows for a formula without a value."""
    return _ERROR.fullmatch(text) is not None


def _damage(value: Any, kind: str) -> Damage | None:
    if kind == "f":
        formula = getattr(value, "text", value)  # openpyxl has objects for formulas of several cells
        shown = f" ({escaped(formula[:40])})" if isinstance(formula, str) else ""
        return Damage(f"is a formula{shown}", _AS_TEXT)
    if isinstance(value, str) and (kind == "e" or is_cell_error(value)):
        return Damage(f"holds the error {escaped(value.strip()[:40])} of a spreadsheet", _AS_TEXT)
    if kind == PERCENTAGE:
        return Damage(f"is {value}, which is shown as a percentage", _AS_TEXT)
    if isinstance(value, date | time | timedelta):
        return Damage(f"is a date or time ({value}), made by a spreadsheet of something else", _AS_TEXT)
    if isinstance(value, str) and _is_cut(value):
        return Damage(f"is cut at {LONGEST_CELL:,} characters, the most that a cell can hold", "give the whole text")
    return None


def _is_cut(text: str) -> bool:
    if not LONGEST_CELL // 2 < len(text) <= LONGEST_CELL:  # a character has one or two units of UTF-16
        return False
    return LONGEST_CELL in (len(text), len(text.encode("utf-16-le", "surrogatepass")) // 2)
