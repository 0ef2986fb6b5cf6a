"""Rows with pictures and attributes: of drawn scenes, or of a user's table in CSV, JSON, JSONL or Parquet.

The header of a CSV file tells whether commas, semicolons or tabs divide its cells. A column whose cells are all numbers
has numbers, as `number_columns` reads them; one whose cells are all JSON lists, such as `["red", "blue"]` or
`[{"colour": "red"}]`, has lists. An empty cell is nothing. A cell that a spreadsheet changed, and numbers that can be
two, are `Damage`: an expression that asks for them fails for the row and says why. In JSON and Parquet, values are what
they are. Attributes are numbers, texts, truth values, lists of these, and lists of objects with such fields.
"""

from __future__ import annotations

import difflib
import json
import keyword
import math
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from whatif.benchmarks.from_yaml.expressions import LONGEST_LIST, NO_VALUE
from whatif.benchmarks.from_yaml.number_columns import AmbiguousNumberError, Number, number_columns
from whatif.benchmarks.from_yaml.settings import DrawnScenes, PictureTable
from whatif.benchmarks.shared.drawn_scenes import SPLIT
from whatif.engine.errors import WhatifError
from whatif.engine.files.cells import Damage, checked_row, damage_in, raw_row
from whatif.engine.files.csv_reading import NotDelimitedError, delimited_rows, delimiter_of
from whatif.engine.files.inputs import LONGEST_LINE, read_bytes, user_path

MOST_ROWS = 1_000_000
_LOOKED_AT = 1_000  # first rows that tell which attributes there are
_READERS = (".csv", ".json", ".jsonl", ".parquet")
_PLAIN = (str, int, float, bool, type(None))
_KNOWN = (*_PLAIN, list)
Row = dict[str, Any]
# What expressions about scenes can name: attribute -> the fields of its elements; None where it is no list.
SCENE_ATTRIBUTES: dict[str, tuple[str, ...] | None] = {
    "objects": ("noun", "colour", "size", "x", "y"),
    "background": None,
}


def table_rows(settings: PictureTable) -> list[Row]:
    """All rows of the table, as attribute -> value. Raises WhatifError when the file cannot be read as a table."""
    path = user_path(settings.file)
    rows = read_file(path, settings.text)
    if not rows:
        raise WhatifError(f"{path}: has no rows")
    if len(rows) > MOST_ROWS:
        raise WhatifError(f"{path}: has {len(rows):,} rows; the most are {MOST_ROWS:,}")
    for column in filter(None, (settings.picture, settings.id)):
        if column not in rows[0]:
            key = "picture" if column == settings.picture else "id"
            alike = difflib.get_close_matches(column, rows[0], 1) or list(rows[0])[:1]
            raise WhatifError(
                f"{path}: has no column {column!r}; its columns are {', '.join(rows[0])}; in extract.table, write "
                f"`{key}: {alike[0]}`, or the column that you mean"
            )
    return rows


def known_attributes(settings: PictureTable) -> dict[str, tuple[str, ...] | None] | None:
    """The attributes of a table as `SCENE_ATTRIBUTES`, from its first rows; None if they cannot be told.

    An attribute that is always nothing in these rows, or whose lists are empty, has no known fields: `()`.
    """
    try:
        rows = read_file(user_path(settings.file), settings.text, first=_LOOKED_AT)
    except WhatifError:
        return None  # extract says what is wrong with the file
    found: dict[str, tuple[str, ...] | None] = {}
    for row in rows:
        for name, value in attributes_of(row).items():
            if isinstance(value, list):
                fields = [key for element in value if isinstance(element, dict) for key in element]
                found[name] = tuple(dict.fromkeys((*(found.get(name) or ()), *fields)))
            else:
                found.setdefault(name, () if value is None else None)
    return found


def pictures_of(row: Mapping[str, Any], column: str) -> list[str]:
    """The paths of a row's pictures, as the table has them; empty if it has none."""
    value = row.get(column)
    names = value if isinstance(value, list) else [value]
    return [name for name in names if isinstance(name, str) and name.strip()]


def attributes_of(row: Mapping[str, Any]) -> Row:
    """What expressions can name in a row: columns with a name that they can write, and with values that they know."""
    return {
        name: {NO_VALUE: f"{value.what}; {value.remedy}"} if isinstance(value, Damage) else value
        for name, value in row.items()
        if _can_be_named(name) and isinstance(value, (*_KNOWN, Damage))
    }


def _can_be_named(name: str) -> bool:
    """Whether an expression can name a column; Python reads some letters, such as ligatures, as others."""
    return name.isidentifier() and not keyword.iskeyword(name) and unicodedata.normalize("NFKC", name) == name


def defect_of(attributes: Mapping[str, Any]) -> str:
    """Why the attributes of a row cannot be used; empty if they can."""
    for name, value in attributes.items():
        if isinstance(value, dict):  # matters only where an expression asks for it
            continue
        elements = value if isinstance(value, list) else [value]
        if len(elements) > LONGEST_LIST:
            return f"{name}: has {len(elements):,} elements; the most are {LONGEST_LIST:,}"
        for element in elements:
            for field in element.values() if isinstance(element, dict) else [element]:
                if not isinstance(field, _PLAIN):
                    return f"{name}: contains a {type(field).__name__}; elements have numbers, texts and truth values"
                if isinstance(field, float) and not math.isfinite(field):
                    return f"{name}: contains a number that is not finite"
    return ""


def picture_path(name: str, folder: Path) -> Path | None:
    """The file that a table means; None for a path that leaves the folder."""
    path = PurePosixPath(name.replace("\\", "/"))
    return None if path.is_absolute() or ".." in path.parts or "\0" in name else folder / path


def read_file(path: Path, text: Collection[str] = (), first: int | None = None) -> list[Row]:
    """The rows of a file, or the first ones; `text` are columns of CSV that stay text.

    Raises WhatifError when the file cannot be read as a table.
    """
    kind = path.suffix.lower()
    if kind not in _READERS:
        raise WhatifError(f"{path}: is no table that can be read; give a file that ends in {', '.join(_READERS)}")
    readers: Mapping[str, Callable[[], list[Row]]] = {
        ".csv": lambda: _csv(path, text, first),
        ".json": lambda: _json(path)[:first],
        ".jsonl": lambda: _jsonl(path, first),
        ".parquet": lambda: _parquet(path, first),
    }
    try:
        return readers[kind]()
    except OSError as error:
        folder = path.parent if path.parent.is_dir() else Path()
        there = [one.name for one in folder.iterdir() if one.suffix.lower() in _READERS]
        alike = difflib.get_close_matches(path.name, sorted(there), 1) if isinstance(error, FileNotFoundError) else ()
        meant = f"; did you mean `{path.with_name(alike[0])}`?" if alike else ""
        raise WhatifError(f"{path}: cannot be read ({error.strerror or 'it is damaged'}){meant}") from error
    except UnicodeDecodeError as error:
        raise WhatifError(f"{path}: is not UTF-8 (byte {error.start}); save it as UTF-8") from error


def _csv(path: Path, text: Collection[str], first: int | None) -> list[Row]:
    content = read_bytes(path, longest_line=LONGEST_LINE).decode("utf-8-sig")
    try:
        lines = list(islice(delimited_rows(content), None if first is None else first + 1))
    except NotDelimitedError as error:
        raise WhatifError(f"{path}:{error.line}: not valid CSV: {error}") from error
    header = [name for _, names in lines[:1] for name in names]
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise WhatifError(f"{path}: two columns are called {twice!r}; rename one")
    rows = []
    for number, (line, fields) in enumerate(lines[1:], start=1):
        if len(fields) != len(header):
            raise WhatifError(f"{path}: row {number} has {len(fields)} cells, the header has {len(header)}")
        rows.append(checked_row(f"{path}: line {line}", dict(zip(header, fields, strict=True))))
    cells = {name: [damage_in(row, name) or raw_row(row)[name].strip() for row in rows] for name in header}
    filled = {name: [cell for cell in of_column if cell and isinstance(cell, str)] for name, of_column in cells.items()}
    numbers = number_columns({name: of for name, of in filled.items() if name not in text}, delimiter_of(content))
    columns = {name: _column(cells[name], filled[name], numbers.get(name), name in text) for name in header}
    return [dict(zip(header, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _column(
    cells: Sequence[str | Damage],
    filled: Sequence[str],
    numbers: Sequence[Number] | AmbiguousNumberError | None,
    is_text: bool,
) -> list[Any]:
    """The values of a column of CSV: numbers, lists or texts, of one kind for all of its cells; None for empty ones."""
    read: Iterable[Any] = filled
    if isinstance(numbers, AmbiguousNumberError):
        read = [Damage(str(numbers), "or list the column in extract.table.text")] * len(filled)
    elif numbers is not None:
        read = numbers
    elif not is_text and filled and all(cell.startswith("[") for cell in filled):
        lists = list(map(_list, filled))
        read = filled if None in lists else lists
    values = iter(read)
    return [cell if isinstance(cell, Damage) else next(values) if cell else None for cell in cells]


def _list(cell: str) -> list[Any] | None:
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def _json(path: Path) -> list[Row]:
    try:
        found = json.loads(content := read_bytes(path))
        if b"\\u" in content:
            json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise WhatifError(f"{path}: has half of a character (a surrogate); remove it") from error
    except (ValueError, RecursionError) as error:
        raise WhatifError(f"{path}: not valid JSON") from error
    values = list(found.values()) if isinstance(found, dict) else [found]
    lists = [value for value in values if isinstance(value, list)]
    if len(lists) != 1 or not all(isinstance(row, dict) for row in lists[0]):
        raise WhatifError(f"{path}: must be a list of objects, or an object in which one key has such a list")
    rows: list[Row] = lists[0]
    return rows


def _jsonl(path: Path, first: int | None) -> list[Row]:
    content = read_bytes(path, longest_line=LONGEST_LINE).decode("utf-8-sig")
    return list(islice(_objects(path, content), first))


def _objects(path: Path, content: str) -> Iterator[Row]:
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if "\\u" in line:
                json.dumps(row, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise WhatifError(f"{path}:{number}: has half of a character (a surrogate); remove it") from error
        except (ValueError, RecursionError) as error:
            raise WhatifError(f"{path}:{number}: not valid JSON") from error
        if not isinstance(row, dict):
            raise WhatifError(f"{path}:{number}: must be an object, such as {{'picture': 'a.png', 'colour': 'red'}}")
        yield row


def _parquet(path: Path, first: int | None) -> list[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from whatif.engine.files.inputs import check_regular

    check_regular(path)
    try:
        with pq.ParquetFile(path) as file:
            if first is not None:
                batch = next(file.iter_batches(first), None)
                return [] if batch is None else list(batch.to_pylist())
            if file.metadata.num_rows > MOST_ROWS:
                raise WhatifError(f"{path}: has {file.metadata.num_rows:,} rows; the most are {MOST_ROWS:,}")
            return list(file.read().to_pylist())
    except pa.ArrowException as error:
        raise WhatifError(f"{path}: is no Parquet file that can be read") from error


def scene_rows(settings: DrawnScenes, seed: int) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Of each scene: a row of `images`, and the id and the attributes of the row.

    x and y are the centre of a thing, as fractions of the image's side; y grows downwards. No embedded checkpoint was
    trained on these scenes.
    """
    from whatif.world.drawn_images import scene_row
    from whatif.world.scenes import draw_scene

    for number in range(settings.number):
        scene = draw_scene(SPLIT, number, seed, settings.kind)
        objects = [
            {"noun": thing.noun, "colour": thing.colour, "size": thing.size, "x": thing.x, "y": thing.y}
            for thing in scene.things
        ]
        attributes = {"objects": objects, "background": scene.background}
        yield scene_row(scene, settings.side), {"row_id": scene.scene_id, "attributes": attributes}
