"""Reads the rows of a file of MuCR: JSON, JSONL, CSV, TSV, Excel, or Parquet of Hugging Face with images as bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import check_regular
from whatif.formats.mucr_texts import one_text, several_texts
from whatif.formats.table_records import Record, read_records

PARQUET = ".parquet"


@dataclass(frozen=True)
class StoredImage:
    """An image in a Parquet file, as bytes that are read only when they are needed.

    In a column of lists, it is all images of a row, of which `place` is one.
    """

    path: Path
    row_group: int
    row: int  # in the row group
    column: str
    is_list: bool = False
    place: int = 0  # in the list


ImageName = str | StoredImage


def read_rows(path: Path) -> list[Record]:
    """The rows of a file, or of the Parquet files in a folder. Cells with images of Parquet are `StoredImage`.

    Raises WhatifError with file and place when it cannot be read or has no rows.
    """
    if path.is_dir():
        shards = sorted(path.rglob(f"*{PARQUET}"))
        if not shards:
            raise WhatifError(f"{path}: has no Parquet file; give a file of pairs, or a folder with Parquet files")
        return [
            Record(f"{': '.join(shard.relative_to(path).parts)}, {record.place}", record.fields)
            for shard in shards
            for record in _parquet(shard)
        ]
    if path.suffix.lower() == PARQUET:
        return _parquet(path)
    return read_records(path, things="caption pairs", row="pair")[1]


def image_names(value: Any) -> list[ImageName | None]:
    """The images in a cell, in the order of the styles of its row."""
    if value is None or isinstance(value, StoredImage):
        return [value]
    if isinstance(value, str) and value.strip().startswith("["):
        return list(several_texts(value)) or [None]
    return [_name(one) for one in value] if isinstance(value, list | tuple) else [_name(value)]


def _name(value: Any) -> str | None:
    if isinstance(value, Mapping):  # as the datasets library writes it in JSON
        value = value.get("path")
    try:
        return one_text(value)
    except ValueError:
        return None


def image_at(side: Sequence[ImageName | None], place: int) -> ImageName | None:
    """The image of the style at this place; a list of stored images is one value."""
    if len(side) == 1 and isinstance(side[0], StoredImage) and side[0].is_list:
        return replace(side[0], place=place)
    return side[place] if place < len(side) else None


def encoded(image: StoredImage) -> bytes | str | None:
    """The bytes of a stored image, or the name of its file where the cell has only a path; None if it is empty.

    Images are read by row groups, of which the last two are kept: ask for them in the order of the rows. Raises
    WhatifError when the file cannot be read any more.
    """
    value = _row_group(image.path, image.row_group, image.column)[image.row]
    if image.is_list:
        value = value[image.place] if value is not None and image.place < len(value) else None
    return (value.get("bytes") or value.get("path")) if isinstance(value, dict) else value


def _parquet(path: Path) -> list[Record]:
    import pyarrow.parquet as pq

    records: list[Record] = []

    def read() -> None:
        check_regular(path)
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise WhatifError(f"{path}: column `{twice}` is duplicated; column names must be unique")
            kinds = {field.name: field.type for field in file.schema_arrow}
            images = {name: one != kind for name, kind in kinds.items() if _has_images(one := _item_kind(kind))}
            texts = [name for name in names if name not in images]
            classes = _class_names(file.schema_arrow.metadata)
            for group in range(file.num_row_groups):
                for row, fields in enumerate(file.read_row_group(group, columns=texts).to_pylist()):
                    stored = {name: StoredImage(path, group, row, name, is_list) for name, is_list in images.items()}
                    named = {name: _class_name(fields[name], classes[name]) for name in texts if name in classes}
                    records.append(Record(f"row {len(records) + 1}", {**fields, **named, **stored}))

    _reading(path, read)
    if not records:
        raise WhatifError(f"{path}: has no rows; it needs one for each pair")
    return records


def _class_names(metadata: Mapping[bytes, bytes] | None) -> dict[str, list[Any]]:
    """Column -> the names of its classes, where the datasets library stores classes as numbers (`ClassLabel`)."""
    try:
        features = json.loads((metadata or {}).get(b"huggingface", b"{}"))["info"]["features"]
        return {name: list(one["names"]) for name, one in features.items() if one.get("_type") == "ClassLabel"}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}  # other files have no such metadata, or of another form


def _class_name(value: Any, names: Sequence[Any]) -> Any:
    return names[value] if isinstance(value, int) and 0 <= value < len(names) else value


def _item_kind(kind: Any) -> Any:
    """The type of the items of a column of lists; otherwise the type itself."""
    import pyarrow as pa

    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    return kind.value_type if is_list else kind


def _has_images(kind: Any) -> bool:
    """Whether a column has images: bytes, or a struct with bytes, as the datasets library writes them."""
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return bool(kind.get_field_index("bytes") >= 0)
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


@lru_cache(maxsize=2)
def _row_group(path: Path, group: int, column: str) -> Sequence[Any]:
    import pyarrow.parquet as pq

    found: list[Any] = []

    def read() -> None:
        with pq.ParquetFile(path) as file:
            found.extend(file.read_row_group(group, columns=[column]).column(column).to_pylist())

    _reading(path, read)
    return found


def _reading(path: Path, read: Callable[[], None]) -> None:
    import pyarrow as pa

    try:
        read()
    except FileNotFoundError:
        raise WhatifError(f"{path}: no such file; give the path of a file of caption pairs") from None
    except WhatifError:
        raise
    except (pa.ArrowException, OSError) as error:
        first = str(error).partition("\n")[0]
        raise WhatifError(f"{path}: cannot be read as Parquet ({first}); download it again") from error
