"""Rows of the released form of MuCR, and files of them in several formats."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.people.imports.files import jsonl_file
from tests.pictures import png

Row = dict[str, Any]
SUBJECTS = ("nurse", "farmer", "baker", "pilot")
STYLES = ("photograph", "comic", "black-white")


def pair_row(number: int, **changes: Any) -> Row:
    """The row of pair `number` without a style; pairs 1 to 4 are a group, 5 to 8 another."""
    first = (number - 1) // 4 * 4 + 1
    subject = SUBJECTS[(number - 1) % 4]
    return {
        "id": number,
        "caption_0": f"A {subject} pours water on the candle {first}.",
        "caption_1": f"Smoke rises before the {subject} {first}.",
        "link_id": [other for other in range(first, first + 4) if other != number],
        "cue": "water",
        "false_cue": ["hat", "smoke", subject],
        "label": "human",
        "causal_reason": [
            f"Cause: the {subject} pours water.",
            "Effect: the candle smokes.",
            "The causal link between them is that water puts out the flame.",
        ],
    } | changes


def image_name(number: int, style: str, side: int) -> str:
    return f"{number}-{style}-{side}.png"


def with_images(row: Row, styles: Sequence[str] = STYLES) -> list[Row]:
    """The rows of a pair in several styles, with the names of its images."""
    return [
        {**row, "style": style, **{f"image_{side}": image_name(row["id"], style, side) for side in (0, 1)}}
        for style in styles
    ]


def image_bytes(name: str) -> bytes:
    number, rest = name.split("-", 1)
    return png((int(number) * 20 % 256, len(rest) * 9 % 256, 250 if "1.png" in rest else 10))


def write_images(folder: Path, rows: Sequence[Row], *, without: Sequence[str] = ()) -> Path:
    """Writes the images that the rows name into a folder, but for some."""
    folder.mkdir(exist_ok=True, parents=True)
    for name in {row[key] for row in rows for key in ("image_0", "image_1") if row.get(key)} - set(without):
        (folder / name).write_bytes(image_bytes(name))
    return folder


def write_rows(path: Path, rows: Sequence[Row]) -> Path:
    """Writes rows in the format of the suffix; lists in CSV are texts, images in Parquet are bytes."""
    if path.suffix == ".json":
        path.write_text(json.dumps(rows), encoding="utf-8")
    elif path.suffix == ".jsonl":
        jsonl_file(path, rows)
    elif path.suffix == ".csv":
        names = list(dict.fromkeys(key for row in rows for key in row))
        with path.open("w", encoding="utf-8-sig", newline="") as file:  # with a byte order mark
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows({key: str(value) for key, value in row.items()} for row in rows)
    else:
        made = [
            {key: _encoded(value) if key.startswith("image_") else value for key, value in row.items()} for row in rows
        ]
        pq.write_table(pa.Table.from_pylist(made), path, row_group_size=5)
    return path


def _encoded(name: str | list[str]) -> Row | list[Row]:
    if isinstance(name, list):
        return [{"bytes": image_bytes(one), "path": one} for one in name]
    return {"bytes": image_bytes(name), "path": name}
