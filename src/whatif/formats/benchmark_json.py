"""Reads the JSON of anybody's benchmark in the shapes that benchmarks have, and writes rows again in the same shape.

A list of objects; an object of objects by id, as GQA, ScienceQA and SugarCrepe have it; an object with one list of
objects, as SEED-Bench has it; and JSON lines in a file whose name ends in `.json`, as POPE has them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import well_formed_json
from whatif.formats.table_records import bytes_of, decoded

Row = Mapping[str, Any]
_KEY = "id"  # the column for the keys of an object of objects


@dataclass(frozen=True)
class JsonRows:
    """The rows of a file in its order. `places` names each for messages; `dump` writes rows by their numbers."""

    columns: list[str]
    rows: list[Row]
    places: list[str]
    dump: Callable[[Sequence[int]], str]


def read_json_rows(path: Path) -> JsonRows:
    """The rows of a JSON file, with `well_formed` texts.

    The columns are those of all rows, in the order in which they first appear.

    Raises WhatifError when the file is missing, empty, not UTF-8 or not JSON, and when it has no such shape.
    """
    text = decoded(path, bytes_of(path, "a benchmark", "question", longest_line=None))
    try:
        value = well_formed_json(text)
    except (ValueError, RecursionError) as error:  # ValueError: also for integers beyond Python's digit limit
        if (lines := _lines(text)) is None:
            raise WhatifError(f"{path}: is not JSON ({error}); write it with a JSON library") from error
        return _rows(path, lines, "line", json_lines)
    if isinstance(value, list):
        return _rows(path, value, "object", lambda rows: _pretty(list(rows)))
    if isinstance(value, dict) and value and all(isinstance(one, dict) for one in value.values()):
        keys = list(value)
        named = [{**one, _KEY: one.get(_KEY, key)} for key, one in value.items()]
        found = _rows(path, named, "object", json_lines)
        return JsonRows(
            found.columns,
            found.rows,
            [f"object `{key}`" for key in keys],
            lambda kept: _pretty({keys[row]: value[keys[row]] for row in kept}),
        )
    lists = [name for name, one in value.items() if _is_table(one)] if isinstance(value, dict) else []
    if len(lists) != 1:
        several = f" (here are several: {', '.join(lists)})" if lists else ""
        raise WhatifError(
            f"{path}: needs a list of objects, one for each question, an object of such objects by id, or an object "
            f"with one such list{several}; write the questions with their answers as a list"
        )
    return _rows(path, value[lists[0]], "object", lambda rows: _pretty({**value, lists[0]: list(rows)}))


def json_lines(rows: Sequence[Row]) -> str:
    """Rows as JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def all_columns(rows: Sequence[Row]) -> list[str]:
    """The fields of all rows, in the order in which they first appear; a row may lack some."""
    return list(dict.fromkeys(name for row in rows for name in row))


def _rows(path: Path, values: Sequence[Any], thing: str, dump: Callable[[Sequence[Row]], str]) -> JsonRows:
    if not values:
        raise WhatifError(f"{path}: has no rows; it needs one for each question")
    for number, one in enumerate(values, 1):
        if not isinstance(one, dict):
            raise WhatifError(f"{path}: {thing} {number}: is no object; it needs a name for each field")
    places = [f"{thing} {number}" for number in range(1, len(values) + 1)]
    return JsonRows(all_columns(values), list(values), places, lambda kept: dump([values[row] for row in kept]))


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _lines(text: str) -> list[Any] | None:
    """The objects of JSON lines; None if the text is something else."""
    try:
        found = [well_formed_json(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        return None
    return found if all(isinstance(one, dict) for one in found) else None


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
