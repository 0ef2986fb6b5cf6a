"""Reads label files as records of texts: CSV as spreadsheets save it, JSONL, and JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.cells import Damage
from whatif.engine.files.well_formed import well_formed
from whatif.people.imports.labels import Finding, Place
from whatif.people.label_files import listed, read_label_file, text_of

LARGEST_JSON = 1024**3  # bytes of a JSON file, which is read as a whole
_FORMULA = re.compile(r'="(.*)"', re.DOTALL)  # as Excel writes a text that it must not read as a number


@dataclass(frozen=True, slots=True)
class Record:
    """A row of a file: texts by column, of which the names are in lower case."""

    place: Place
    fields: dict[str, str]
    surplus: int = 0  # fields beyond those of the header
    is_gold: bool = False
    damage: Mapping[str, Damage] = field(default_factory=dict)  # column -> what a spreadsheet did to its cell


def read_records(
    path: Path, name: str, kind: str, needed: Sequence[str] = (), *, with_damage: bool = False
) -> list[Record]:
    """The rows of a file: JSONL or a JSON list of objects by the suffix of its name, CSV otherwise.

    `name` is the file's name in places and `kind` describes the expected contents. Raises WhatifError naming the file
    when it cannot be read as such, when a `needed` column is missing from it, and, without `with_damage`, at a cell
    that a spreadsheet changed.
    """
    suffix = path.suffix.lower()
    if suffix not in (".json", ".jsonl", ".ndjson"):
        rows_of_csv = read_label_file(path, needed, file="labels", kind=kind, with_damage=with_damage)
        return [
            Record(
                Place(name, row.line),
                {column: _unwrapped(text) for column, text in row.fields.items()},
                row.surplus,
                damage=row.damage,
            )
            for row in rows_of_csv
        ]
    if suffix == ".json":
        rows = [(Place(name, number, "row"), row) for number, row in enumerate(read_json(path, kind), 1)]
    else:
        rows = [(Place(name, line), row) for line, row in _json_lines(path, kind)]
    records = [Record(place, as_fields(path, place, row)) for place, row in rows]
    check_columns(path, columns_of(records), needed, kind)
    return records


def columns_of(records: Iterable[Record]) -> dict[str, None]:
    """The names of all columns, in the order in which they occur."""
    return dict.fromkeys(column for record in records for column in record.fields)


def check_columns(path: Path, columns: Iterable[str], needed: Sequence[str], kind: str) -> None:
    """Raises WhatifError when a needed column is missing."""
    found = list(columns)
    for column in needed:
        if column.lower() not in found:
            raise WhatifError(f"{path}: has no column {column}; a file of {kind} needs it; found: {listed(found)}")


def read_json(path: Path, kind: str) -> list[Any]:
    """The elements of a JSON file that is a list. Raises WhatifError when it is not."""
    text = text_of(path, f"a file of {kind}", largest=LARGEST_JSON, longest_line=None)
    found = _parsed(text, str(path), kind)
    if not isinstance(found, list):
        raise WhatifError(f"{path}: is not a JSON list; give a list with one entry for each row")
    return found


def as_fields(path: Path, place: Place, row: Any) -> dict[str, str]:
    """A JSON object as texts by name in lower case. Raises WhatifError when it is none, or a name occurs twice."""
    if not isinstance(row, dict):
        raise WhatifError(f"{path}: {place.row}: is not an object; give one object for each label, with its columns")
    fields: dict[str, str] = {}
    for key, value in row.items():
        column = as_text(key).strip().lower()
        if column in fields:
            raise WhatifError(f"{path}: {place.row}: duplicate column {listed([column])}; keep one")
        fields[column] = as_text(value).strip()
    return fields


def as_text(value: Any) -> str:
    """A JSON value as text: null is empty, objects and lists are JSON. Halves of surrogate pairs are replaced."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    return well_formed(text)


def as_one(values: Sequence[str]) -> str:
    """One value as it is; of several a JSON list, which is no decision."""
    return values[0] if len(values) == 1 else json.dumps(list(values), ensure_ascii=False) if values else ""


def too_many_fields(record: Record) -> Finding:
    """The finding about a row with more fields than the header."""
    detail = f"{record.surplus} more than the header has; quote texts that contain commas"
    return Finding(record.place, "too many fields", detail)


def _json_lines(path: Path, kind: str) -> list[tuple[int, Any]]:
    text = text_of(path, f"a file of {kind}")
    lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    return [(number, _parsed(line, f"{path}: line {number}", kind)) for number, line in lines]


def _parsed(text: str, where: str, kind: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        told = str(error)[:100] if isinstance(error, ValueError) else "too many nested brackets"
        raise WhatifError(f"{where}: is not JSON ({told}); give a file of {kind}") from error


def _unwrapped(text: str) -> str:
    formula = _FORMULA.fullmatch(text)
    return formula.group(1).replace('""', '"').strip() if formula else text
