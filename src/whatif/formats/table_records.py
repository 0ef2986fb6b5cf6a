"""Reads tables as plain records: CSV, TSV, JSON, JSON lines and Excel. Nothing is evaluated."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.cells import PERCENTAGE, checked_row
from whatif.engine.files.csv_reading import NotDelimitedError, delimited_rows
from whatif.engine.files.inputs import LONGEST_LINE, read_bytes, read_gzip
from whatif.engine.files.well_formed import escaped, well_formed_json, well_formed_values

_MOST_NAMED = 20  # columns in a message
_WHOLE = (".json", ".xlsx")  # formats whose rows are not lines
_BY_ID = ("question_id", "response")  # columns of an object of JSON with a text for each key
# A sheet may claim any size, and openpyxl would fill it with empty cells.
_MOST_COLUMNS = 1_000
_MOST_ROWS = 1_048_576  # as in Excel
_LARGEST_WORKBOOK = 1024**3  # bytes, unpacked


@dataclass(frozen=True)
class Record:
    """A row of a table: its fields by column, and its position in the file for messages (`line 3`).

    Reading a field that a spreadsheet changed raises WhatifError (`whatif.engine.files.cells`).
    """

    place: str
    fields: Mapping[str, Any]


def read_records(
    path: Path,
    *,
    things: str = "predictions",
    row: str = "answered question",
    needed: Sequence[str] = (),
    suffix: str | None = None,
) -> tuple[list[str], list[Record]]:
    """The columns of a table, in order, and its rows; the suffix determines the format.

    `things` and `row` say in messages what the file and a row of it contain. Every row has the columns `needed`. A file
    is read as one with the given `suffix`, whatever its name.

    Fields of CSV and TSV are text; the header tells how they are divided (`whatif.engine.files.csv_reading`). Fields of
    JSON and workbooks keep their type. All texts are `well_formed`. The columns of JSON are those of its first object;
    other objects may lack some or have more. A JSON object with a text for each key is a table of `question_id` and
    `response`. All but workbooks may be compressed (`.jsonl.gz`).

    Raises WhatifError with file and place when the suffix is unknown, or when the file is missing, empty, without
    rows, not UTF-8, or not of the format of its suffix, and when it lacks a column.
    """
    kind, is_packed = _kind_of(path) if suffix is None else (suffix, False)
    if kind not in _READERS:
        known = f"{', '.join(_READERS)}; all but .xlsx also as .gz"
        raise WhatifError(f"{path}: {things} are read from {known}; the suffix is `{path.suffix}`")
    data = bytes_of(
        path, things, row, needed, is_packed=is_packed, longest_line=None if kind in _WHOLE else LONGEST_LINE
    )
    columns, records = _READERS[kind](path, data)
    for place, found in [("", columns), *((f"{record.place}: ", record.fields) for record in records)]:
        if lost := [column for column in needed if column not in found]:
            told = f"{things} have {', '.join(needed)}; found: {shown_names(list(found)) or 'none'}"
            raise WhatifError(f"{path}: {place}has no column {lost[0]}; {told}")
    if not records:
        raise WhatifError(f"{path}: has no rows below its header; it needs one for each {row}")
    return columns, records


def bytes_of(
    path: Path,
    things: str,
    row: str,
    needed: Sequence[str] = (),
    *,
    is_packed: bool = False,
    longest_line: int | None = LONGEST_LINE,
) -> bytes:
    """The bytes of a file that is not empty. Raises WhatifError as `read_records`."""
    try:
        data = (read_gzip if is_packed else read_bytes)(path, longest_line=longest_line)
    except FileNotFoundError:
        raise WhatifError(f"{path}: no such file; give the path of a file of {things}") from None
    except OSError as error:
        raise WhatifError(f"{path}: cannot be read ({error.strerror}); give a file of {things}") from error
    if not data.strip():
        columns = f", with {', '.join(needed)}" if needed else ""
        raise WhatifError(f"{path}: is empty; it needs one row for each {row}{columns}")
    return data


def shown_names(columns: Sequence[str]) -> str:
    """The names of columns for a message, not too many."""
    more = len(columns) - _MOST_NAMED
    return ", ".join(columns[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _kind_of(path: Path) -> tuple[str, bool]:
    """The suffix that determines the format, and whether gzip compressed the file (`.jsonl.gz`)."""
    kind = path.suffix.lower()
    inner = path.with_suffix("").suffix.lower()
    return (inner, True) if kind == ".gz" and inner != ".xlsx" else (kind, False)


def decoded(path: Path, data: bytes) -> str:
    """The text of a file in UTF-8. Raises WhatifError with the line of the first byte that is not."""
    try:
        return data.decode("utf-8-sig")  # spreadsheets put a byte order mark before the first column's name
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise WhatifError(
            f"{path}: line {line}: byte {data[error.start]:#04x} is not UTF-8; save the file as UTF-8"
        ) from error


def _csv(path: Path, data: bytes) -> tuple[list[str], list[Record]]:
    expected = "\t" if _kind_of(path)[0] == ".tsv" else ""
    columns: list[str] = []
    records = []
    try:
        for line, fields in delimited_rows(decoded(path, data), expected=expected):
            place = f"line {line}"
            if not columns:
                columns = column_names(path, fields)
                continue
            if len(fields) != len(columns):
                quote = "; put quotes around a text with the delimiter" if len(fields) > len(columns) else ""
                raise WhatifError(
                    f"{path}: {place}: has {len(fields)} fields; it needs {len(columns)}: {shown_names(columns)}{quote}"
                )
            row = dict(zip(columns, fields, strict=True))
            records.append(Record(place, checked_row(f"{path}: {place}", row)))
    except NotDelimitedError as error:
        raise WhatifError(
            f"{path}: line {error.line}: cannot be read ({error}); close the quotes, double those inside a field"
        ) from error
    return columns, records


def column_names(path: Path, fields: Sequence[Any]) -> list[str]:
    """The names in a header; empty cells are columns without a name. Raises WhatifError for a duplicate."""
    columns = ["" if field is None else str(field) for field in fields]
    twice = next((column for column, number in Counter(columns).items() if column and number > 1), None)
    if twice is not None:
        raise WhatifError(f"{path}: column `{twice}` is duplicated; column names must be unique")
    return columns


def _json_lines(path: Path, data: bytes) -> tuple[list[str], list[Record]]:
    records = []
    for number, line in enumerate(decoded(path, data).split("\n"), 1):
        if line.strip():
            records.append(_object(path, f"line {number}", _parsed(path, f"line {number}", line)))
    return list(records[0].fields), records


def _json(path: Path, data: bytes) -> tuple[list[str], list[Record]]:
    text = decoded(path, data)
    values = _parsed(path, "", text)
    if isinstance(values, dict) and values and all(isinstance(value, str) for value in values.values()):
        pairs = well_formed_values(json.loads(text, object_pairs_hook=list))  # of an id that is given twice, both
        named = [dict(zip(_BY_ID, pair, strict=True)) for pair in pairs]
        return list(_BY_ID), [Record(f"entry {number}", fields) for number, fields in enumerate(named, 1)]
    if not isinstance(values, list):
        raise WhatifError(
            f"{path}: holds {_kind(values)}{_first_other(values)}; it needs a list of objects, one for each row, or an "
            "object with a text for each question_id"
        )
    records = [_object(path, f"object {number}", value) for number, value in enumerate(values, 1)]
    return list(records[0].fields) if records else [], records


def _first_other(values: Any) -> str:
    """Where an object of texts has something else, for a message; nothing if it has no texts."""
    texts = values.values() if isinstance(values, dict) else ()
    if not any(isinstance(value, str) for value in texts):
        return ""
    name, value = next((name, value) for name, value in values.items() if not isinstance(value, str))
    return f" whose `{escaped(name[:100])}` is {_kind(value)}"


def _parsed(path: Path, place: str, text: str) -> Any:
    try:
        return well_formed_json(text)
    except (ValueError, RecursionError) as error:  # ValueError: also for integers beyond Python's digit limit
        where = f"{path}: {place}" if place else f"{path}"
        raise WhatifError(f"{where}: is not JSON ({error}); write it with a JSON library") from error


def _object(path: Path, place: str, value: Any) -> Record:
    if not isinstance(value, dict):
        raise WhatifError(f"{path}: {place}: is {_kind(value)}; it needs an object with a name for each field")
    return Record(place, value)


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", type(None): "null", bool: "true or false"}
    return kinds.get(type(value), "a number")


def _workbook(path: Path, data: bytes) -> tuple[list[str], list[Record]]:
    try:
        import openpyxl
    except ImportError as error:
        raise WhatifError(
            f"{path}: a workbook is read with openpyxl, which is not installed; pip install openpyxl, or save it as TSV"
        ) from error
    try:
        # Formulas are kept, so that they are noticed: the file's contents are never evaluated.
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            size = sum(entry.file_size for entry in packed.infolist())
        if size > _LARGEST_WORKBOOK:
            raise WhatifError(
                f"{path}: unpacks to {size:,} bytes; a workbook here has at most {_LARGEST_WORKBOOK:,}; save it as TSV"
            )
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=False)
        rows = list(_rows(path, book.worksheets[0])) if book.worksheets else []
    except WhatifError:
        raise
    except Exception as error:  # a damaged workbook raises different errors from zip, XML and styles
        raise WhatifError(f"{path}: is not an Excel workbook ({type(error).__name__}); save as .xlsx or TSV") from error
    if not rows:
        return [], []
    columns = column_names(path, [_value(cell) for cell in rows[0][1]])
    return columns, [_sheet_row(path, columns, number, cells) for number, cells in rows[1:]]


def _value(cell: Any) -> Any:
    """The value of a cell; in texts, XML's way to write a control character (`_x000D_`) is undone."""
    from openpyxl.utils.escape import unescape

    return unescape(cell.value) if isinstance(cell.value, str) and cell.data_type != "f" else cell.value


def _cell_kind(cell: Any) -> str:
    is_number = isinstance(cell.value, int | float)
    return PERCENTAGE if is_number and "%" in (cell.number_format or "") else str(cell.data_type)


def _sheet_row(path: Path, columns: Sequence[str], number: int, cells: Sequence[Any]) -> Record:
    place = f"row {number}"
    by_column = dict(zip(columns, cells, strict=False))  # a workbook may omit empty cells at the end of a row
    values = {column: _value(by_column[column]) if column in by_column else None for column in columns}
    kinds = {column: _cell_kind(cell) for column, cell in by_column.items()}
    return Record(place, checked_row(f"{path}: {place}", values, kinds))


def _rows(path: Path, sheet: Any) -> Iterator[tuple[int, Sequence[Any]]]:
    """Non-empty rows with their numbers in the sheet."""
    sheet.reset_dimensions()  # ignore the declared size; a row then ends with its last cell
    for number, cells in enumerate(sheet.iter_rows(), 1):
        if number > _MOST_ROWS:
            raise WhatifError(f"{path}: has more than {_MOST_ROWS:,} rows, the maximum of a workbook; save it as TSV")
        if any(cell.value is not None for cell in cells[_MOST_COLUMNS:]):
            raise WhatifError(f"{path}: row {number}: has more than {_MOST_COLUMNS:,} columns; save it as TSV")
        if any(cell.value is not None for cell in cells):
            yield number, cells


_READERS: dict[str, Callable[[Path, bytes], tuple[list[str], list[Record]]]] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".json": _json,
    ".jsonl": _json_lines,
    ".xlsx": _workbook,
}
