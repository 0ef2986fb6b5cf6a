"""Writes a Hugging Face data set folder: Parquet shards with images that `datasets.load_dataset` reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from whatif.engine.artifacts.schemas import IMAGE
from whatif.engine.artifacts.writer import CODEC, CODEC_LEVEL
from whatif.engine.files.atomic import disk_errors, open_temporary

Row = Mapping[str, Any]

CARD = "README.md"
SPLIT = "test"
ROWS_OF_A_SHARD = 2_000
_ROWS_AT_ONCE = 64  # rows whose images are in memory at once; also the size of a row group

# Column types: the Arrow type, and the feature type of the datasets library.
TEXT = (pa.string(), {"_type": "Value", "dtype": "string"})
TEXTS = (pa.list_(pa.string()), {"_type": "List", "feature": TEXT[1]})
NUMBER = (pa.float64(), {"_type": "Value", "dtype": "float64"})
INTEGER = (pa.int64(), {"_type": "Value", "dtype": "int64"})
PICTURE = (IMAGE, {"_type": "Image"})
PICTURES = (pa.list_(IMAGE), {"_type": "List", "feature": PICTURE[1]})

Columns = Mapping[str, tuple[pa.DataType, dict[str, Any]]]


class Picture(Protocol):
    """What is known of a picture: where it is from, and its licence."""

    @property
    def source(self) -> str: ...

    @property
    def licence(self) -> str: ...


class Pictures(Protocol):
    """The pictures that rows show, by id, with the bytes of those that are published."""

    of: Mapping[str, Any]

    def encoded(self, image_id: str) -> bytes | None: ...


def write_split(folder: Path, rows: Sequence[Row], record: Callable[[Row], Row], columns: Columns) -> None:
    """Writes one split as `test-00000-of-00002.parquet`, ...: the same rows give the same bytes.

    `record` turns a row into the values of `columns`, images included; it is called for a few rows at a time. Progress
    is reported on standard error. Raises WhatifError when the folder cannot be written. Errors of `record` are passed
    on, and no partial shard is left.
    """
    import pyarrow.parquet as pq

    from whatif.engine.progress import progress

    schema = schema_of(columns)
    shards = -(-len(rows) // ROWS_OF_A_SHARD)
    records = progress(map(record, rows), len(rows), f"publish {folder.parent.name} {folder.name}", "row")
    for shard in range(shards):
        path = folder / f"{SPLIT}-{shard:05d}-of-{shards:05d}.parquet"
        here = min(ROWS_OF_A_SHARD, len(rows) - shard * ROWS_OF_A_SHARD)
        with disk_errors(path):
            file, temporary = open_temporary(path)
            with file:
                try:
                    with pq.ParquetWriter(file, schema, compression=CODEC, compression_level=CODEC_LEVEL) as writer:
                        for start in range(0, here, _ROWS_AT_ONCE):
                            piece = [dict(one) for one in islice(records, min(_ROWS_AT_ONCE, here - start))]
                            writer.write_table(pa.Table.from_pylist(piece, schema))
                    if shard == shards - 1:
                        next(records, None)  # ends the report of progress
                    file.flush()
                    temporary.replace(path)
                except BaseException:
                    temporary.unlink(missing_ok=True)
                    raise


def schema_of(columns: Columns) -> pa.Schema:
    """The Arrow schema of these columns, with their types for the datasets library in its metadata."""
    features = {name: feature for name, (_, feature) in columns.items()}
    return pa.schema(
        [(name, kind) for name, (kind, _) in columns.items()],
        metadata={"huggingface": json.dumps({"info": {"features": features}})},
    )


def picture(data: bytes | None) -> dict[str, Any] | None:
    """A value for a column of images; null for a picture that is left out."""
    return None if data is None else {"bytes": data, "path": None}
