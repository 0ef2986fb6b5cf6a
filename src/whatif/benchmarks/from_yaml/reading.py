"""Reads what questions are about: rows with pictures and attributes, of drawn scenes or of a user's table."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from whatif.benchmarks.from_yaml.settings import ExtractRows, PictureTable
from whatif.benchmarks.from_yaml.table_rows import (
    attributes_of,
    defect_of,
    picture_path,
    pictures_of,
    scene_rows,
    table_rows,
)
from whatif.benchmarks.shared.tasks import rejection
from whatif.engine.artifacts.images import image_row
from whatif.engine.errors import WhatifError
from whatif.engine.files.cells import Damage
from whatif.engine.files.image_decoding import LARGEST_PICTURE, UnreadableImageError, decode
from whatif.engine.files.inputs import read_bytes, user_path
from whatif.engine.random_streams import sample

NO_PICTURE, UNREADABLE, BAD_ATTRIBUTE, REPEATED = "no picture", "picture unreadable", "bad attribute", "repeated id"
BAD_CELL = "cell unreadable"
Row = dict[str, Any]
Add = Callable[[Row], None]


def read_rows(settings: ExtractRows, seed: int, add: Add, reject: Add) -> Iterator[Row]:
    """Rows with `row_id`, `image_ids` and `attributes`; `add` receives images, `reject` the rejections of other rows.

    Raises WhatifError when the table or the folder of its pictures cannot be read.
    """
    if settings.table is not None:
        yield from _of_table(settings.table, settings.limit, seed, add, reject)
    elif settings.scenes is not None:
        seen: dict[str, str] = {}
        for image, row in scene_rows(settings.scenes, seed):
            first = seen.setdefault(image["image_id"], row["row_id"])
            if first != row["row_id"]:
                reject(rejection(row["row_id"], "same picture", f"shows the same picture as {first}"))
                continue
            add(image)
            yield {**row, "image_ids": [image["image_id"]]}


def _of_table(table: PictureTable, limit: int | None, seed: int, add: Add, reject: Add) -> Iterator[Row]:
    folder = user_path(table.folder)
    if not folder.is_dir():
        raise WhatifError(f"{folder}: no such folder; give the folder of the pictures as extract.table.folder")
    rows = table_rows(table)
    ids = [_id_of(row, table, number) for number, row in enumerate(rows, start=1)]
    wanted = sample(seed, "rows", ids, limit)
    known: set[str] = set()
    for number, (row_id, row) in enumerate(zip(ids, rows, strict=True), start=1):
        if row_id not in wanted:
            continue
        if row_id in known:
            reject(rejection(f"{row_id} (row {number})", REPEATED, f"row {number}: an earlier row has the id {row_id}"))
            continue
        known.add(row_id)
        unread = {column: cell for column, cell in row.items() if isinstance(cell, Damage)}
        if table.id in unread or table.picture in unread:
            column = table.id if table.id in unread else table.picture
            reject(rejection(row_id, BAD_CELL, f"row {number}: {column} {unread[str(column)].what}"))
            continue
        attributes = attributes_of(row)
        defect = defect_of(attributes)
        if defect:
            reject(rejection(row_id, BAD_ATTRIBUTE, f"row {number}: {defect}"))
            continue
        names = pictures_of(row, table.picture)
        found = [image_at(name, folder, table.licence) for name in names]
        wrong = next((one for one in found if isinstance(one, str)), None)
        if not names or wrong is not None:
            reason = UNREADABLE if wrong and "not in the folder" not in wrong else NO_PICTURE
            reject(rejection(row_id, reason, f"row {number}: {wrong or f'{table.picture} is empty'}"))
            continue
        images = [one for one in found if not isinstance(one, str)]
        for image in images:
            add(image)
        yield {"row_id": row_id, "image_ids": [image["image_id"] for image in images], "attributes": attributes}


def _id_of(row: Row, table: PictureTable, number: int) -> str:
    """The id of a row: its column `id`, or its number among the rows; a long id is shortened to a hash."""
    given = row.get(table.id) if table.id is not None else None
    text = f"row-{number:06d}" if given is None or isinstance(given, Damage) else " ".join(str(given).split())
    return text if len(text) <= 100 else hashlib.sha256(text.encode()).hexdigest()[:24]


def image_at(name: str, folder: Path, licence: str) -> Row | str:
    """A row of `images`, or what is wrong with the picture of this name."""
    path = picture_path(name, folder)
    if path is None:
        return f"{name[:120]} is not in the folder of the pictures"
    try:
        data = read_bytes(path, LARGEST_PICTURE)
        picture = decode(data)
    except UnreadableImageError as error:
        return f"{name[:120]}: {error.kind}"
    except FileNotFoundError:
        return f"{name[:120]} is not in the folder of the pictures"
    except OSError as error:
        return f"{name[:120]}: {error.strerror or type(error).__name__}"
    return image_row(data, *picture.size, f"file:{name}", licence)
