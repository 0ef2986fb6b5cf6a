"""Reads artifacts: Parquet files whose footers describe the rows and what they were made from.

The footer of an artifact carries

- `table`: name and version of its schema, for example `questions/1`;
- `content`: a hash of the encoded rows, which can be checked without decoding them;
- `fingerprint` and `made_from`: what the rows were computed from (see `whatif.engine.graph`);
- `unfinished` (rare): why these rows are incomplete, although nothing in `made_from` has changed;
- `libraries`: the versions of the libraries that may have decided the rows; others are reported, and nothing is stale.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from whatif.engine.artifacts.schemas import TABLES, Table
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import check_regular

_MAGIC = b"PAR1"


@dataclass(frozen=True)
class Footer:
    """The metadata in the footer of an artifact, read without its rows."""

    table: str
    content: str
    rows: int
    role: str = ""  # which output of its step it is
    fingerprint: str = ""
    made_from: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)  # file published from a `files` table -> SHA-256
    unfinished: str = ""  # why running the job again may give other rows; empty if it cannot
    libraries: Mapping[str, str] = field(default_factory=dict)  # library that the code uses -> its version at that time


def footer_of(path: Path) -> Footer:
    """The footer of an artifact, read in about 30 microseconds.

    Raises WhatifError when the file is not a Parquet file, is truncated, was not written by whatif, or has another
    record of what it was made from than the one whose hash is its fingerprint.
    """
    try:
        check_regular(path)
        metadata = pq.read_metadata(path)
    except FileNotFoundError:
        raise WhatifError(f"{path}: no such artifact; `whatif status` lists what is missing") from None
    except (pa.ArrowException, OSError) as error:
        raise WhatifError(f"{path}: is not a complete Parquet file ({first_line(error)}){remedy(path)}") from error
    entries = metadata.metadata or {}
    try:
        if not _is_fingerprint(entries[b"fingerprint"].decode(), entries[b"made_from"]):
            raise WhatifError(
                f"{path}: was altered: what it says it was made from does not have its fingerprint{remedy(path)}"
            )
        return Footer(
            table=entries[b"table"].decode(),
            content=entries[b"content"].decode(),
            rows=metadata.num_rows,
            role=entries[b"role"].decode(),
            fingerprint=entries[b"fingerprint"].decode(),
            made_from=json.loads(entries[b"made_from"]),
            files=json.loads(entries[b"files"]),
            unfinished=entries.get(b"unfinished", b"").decode(),
            libraries=_texts(entries.get(b"libraries", b"{}")),
        )
    except (KeyError, ValueError) as error:
        raise WhatifError(
            f"{path}: its footer has no {first_line(error)}, so it was not written by whatif{remedy(path)}"
        ) from error


def _texts(entry: bytes) -> dict[str, str]:
    """A record of texts by name. Raises ValueError for anything else."""
    found = json.loads(entry)
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise ValueError("record of texts")
    return found


def fingerprint_of(made_from: Mapping[str, Any]) -> str:
    """The hash of everything that an artifact was made from."""
    return hashlib.sha256(canonical_json(made_from).encode()).hexdigest()


def _is_fingerprint(fingerprint: str, made_from: bytes) -> bool:
    """Whether it is that of a stored `made_from`; an artifact outside the graph has neither."""
    return fingerprint == (hashlib.sha256(made_from).hexdigest() if made_from != b"{}" else "")


def content_of(path: Path, table: Table | None = None) -> str:
    """The hash of the encoded rows in the file; it differs from the hash in the footer if the file was edited.

    `table` defaults to the table that the footer names. Raises WhatifError when the file is not a complete Parquet file
    or contains a table that this version does not know.
    """
    if table is None:
        label = footer_of(path).table
        if label not in TABLES:
            raise WhatifError(f"{path}: contains the table {label}, which this version of whatif cannot read")
        table = TABLES[label]
    hasher = content_hasher(table)
    if not pq.read_schema(path).equals(table.schema):
        hasher.update(b"other columns")  # their names are outside the hashed bytes
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - 8))
        tail = file.read(8)
        if len(tail) < 8 or tail[4:] != _MAGIC:
            raise WhatifError(f"{path}: is not a complete Parquet file{remedy(path)}")
        left = size - 8 - int(struct.unpack("<I", tail[:4])[0])
        if left < 0:
            raise WhatifError(f"{path}: is not a complete Parquet file{remedy(path)}")
        file.seek(0)
        while left > 0:
            block = file.read(min(left, 1 << 20))
            hasher.update(block)
            left -= len(block)
    return str(hasher.hexdigest())


def read(paths: Path | Sequence[Path], table: Table, columns: Sequence[str] | None = None) -> pa.Table:
    """All rows of an artifact, or of all its parts, sorted by key.

    Raises WhatifError, naming the file, when a file is unreadable or truncated, or has another table or version.
    """
    pieces = list(batches(paths, table, columns))
    schema = table.schema if columns is None else pa.schema([table.schema.field(name) for name in columns])
    return pa.concat_tables(pieces) if pieces else schema.empty_table()


def batches(
    paths: Path | Sequence[Path],
    table: Table,
    columns: Sequence[str] | None = None,
    *,
    encoded: Sequence[str] = (),
    present: Sequence[str] = (),
    parts: Mapping[str, Sequence[str]] | None = None,
) -> Iterator[pa.Table]:
    """The rows of artifacts, one row group at a time, so that memory does not grow with the number of rows.

    Text columns in `encoded` are returned as dictionary codes, which is many times faster for repeated values. Columns
    in `present` are replaced by a bool that tells whether the value is not null, read from one of their leaves. A
    column in `parts`, whose values are lists of structs, has only the named fields of them.
    """
    within = {} if parts is None else parts
    kinds = {**dict.fromkeys(encoded, pa.dictionary(pa.int32(), pa.string())), **dict.fromkeys(present, pa.bool_())}
    kinds |= {name: _with_fields(table.schema.field(name).type, some) for name, some in within.items()}
    for path in [paths] if isinstance(paths, Path) else paths:
        footer = footer_of(path)
        if footer.table != table.label:
            raise WhatifError(
                f"{path}: contains the table {footer.table}, but this version reads {table.label}{remedy(path)}"
            )
        fields = table.schema if columns is None else [table.schema.field(n) for n in columns]
        schema = pa.schema([field.with_type(kinds.get(field.name, field.type)) for field in fields])
        try:
            with pq.ParquetFile(path, read_dictionary=list(encoded)) as file:
                some = bool(present or within)
                leaves = _leaves(file, schema.names, present, within) if some else list(columns) if columns else None
                for group in range(file.num_row_groups):
                    piece = file.read_row_group(group, columns=leaves)
                    for name in present:
                        piece = piece.set_column(piece.schema.get_field_index(name), name, piece[name].is_valid())
                    yield piece.select(schema.names).cast(schema)
        except (pa.ArrowException, OSError, KeyError) as error:
            raise WhatifError(f"{path}: unreadable ({first_line(error)}){remedy(path)}") from error


def _with_fields(kind: pa.ListType, names: Sequence[str]) -> pa.ListType:
    """A type of lists of structs with only these of their fields."""
    return pa.list_(pa.struct([kind.value_type.field(name) for name in names]))


def _leaves(
    file: pq.ParquetFile, names: Sequence[str], present: Sequence[str], parts: Mapping[str, Sequence[str]]
) -> list[str]:
    """The paths of all leaves of the columns `names`; for columns in `present`, only the smallest leaf.

    For columns in `parts`, only the leaves of the named fields.
    """
    found: dict[str, list[str]] = {}
    sizes: dict[str, int] = {}
    for place in range(file.metadata.num_columns):
        leaf = file.schema.column(place).path
        found.setdefault(leaf.split(".")[0], []).append(leaf)
        groups = range(file.num_row_groups)
        sizes[leaf] = sum(file.metadata.row_group(group).column(place).total_uncompressed_size for group in groups)
    some = {name: [min(found[name], key=sizes.__getitem__)] for name in present}
    some |= {name: [leaf for leaf in found[name] if leaf.rpartition(".")[2] in parts[name]] for name in parts}
    return [leaf for name in names for leaf in some.get(name, found[name])]


def rows_of(
    paths: Path | Sequence[Path],
    table: Table,
    columns: Sequence[str] | None = None,
    *,
    only: Mapping[str, Iterable[str]] | None = None,
) -> Iterator[dict[str, Any]]:
    """The rows as mappings from column to value, one row group in memory at a time.

    `only` selects rows by column: the text must be among the given ones. Selecting a few of millions of rows is cheap.
    """
    wanted = {name: set(texts) for name, texts in (only or {}).items()}
    arrays: dict[str, pa.Array] = {}
    for piece in batches(paths, table, columns):
        chosen = piece
        for name, texts in wanted.items():
            if len(texts) <= chosen.num_rows:
                if name not in arrays:
                    arrays[name] = pa.array(sorted(texts), pa.string())
                chosen = chosen.filter(pc.is_in(chosen[name], arrays[name]))
            else:  # `is_in` would read all texts again for each row group
                chosen = chosen.filter(pa.array([text in texts for text in chosen[name].to_pylist()], pa.bool_()))
        yield from chosen.to_pylist()


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces: the same value always gives the same text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def content_hasher(table: Table) -> Any:
    """A hasher for the encoded rows of a table: all bytes of the file before the footer."""
    # Names and types are in the footer, not in the hashed bytes, but they are part of the content.
    return hashlib.sha256(f"{table.label}\n{table.schema.to_string()}\n".encode())


def remedy(path: Path) -> str:
    """What to do about a broken file. Artifacts of the graph can be made again; other files may not be artifacts."""
    is_ours = path.parts[:1] == ("data",)
    return "; delete it, and the next run makes it again" if is_ours else "; give an artifact of whatif (.parquet)"


def first_line(error: BaseException) -> str:
    """The first line of an error's message, or the name of its class if it has no message."""
    return (str(error) or type(error).__name__).splitlines()[0]
