"""Writes Croissant 1.0, the metadata of a data set that hubs and reviewers read, with its responsible-AI extension.

Specifications: http://mlcommons.org/croissant/1.0 and http://mlcommons.org/croissant/RAI/1.0.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from whatif.formats.hugging_face_folder import INTEGER, NUMBER, PICTURE, PICTURES, SPLIT, TEXTS, Columns

CROISSANT = "croissant.json"
VERSION = "http://mlcommons.org/croissant/1.0"
RESPONSIBLE_AI = "http://mlcommons.org/croissant/RAI/1.0"

# The context of the specification.
_CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_PARQUET = "application/x-parquet"
_ENCODINGS = {
    ".parquet": _PARQUET,
    ".md": "text/markdown",
    ".tsv": "text/tab-separated-values",
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/jsonlines",
    ".yaml": "application/yaml",
    ".cff": "application/yaml",
    ".py": "text/x-python",
}

Responsible: TypeAlias = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True)
class PublishedFile:
    """A file of the data set: its path in the folder, the SHA-256 of its bytes, and their number."""

    path: str
    sha256: str
    size: int


@dataclass(frozen=True)
class RecordSet:
    """A table of the data set: its columns with what they mean, and the column that identifies a row."""

    name: str
    description: str
    columns: Columns
    meanings: Mapping[str, str]
    key: str


@dataclass(frozen=True)
class Described:
    """What is said of the data set as a whole; `date` (ISO 8601) and `url` are empty where they are not known.

    responsible: fields of the responsible-AI extension by name, without `rai:`.
    """

    name: str
    description: str
    version: str
    licences: Sequence[str]
    citation: str
    creators: Sequence[str]
    keywords: Sequence[str]
    responsible: Responsible
    date: str = ""
    url: str = ""


def croissant(described: Described, files: Sequence[PublishedFile], tables: Sequence[RecordSet]) -> bytes:
    """The file `croissant.json`: the same description, files and tables give the same bytes.

    Each file is listed with its SHA-256; a table reads all files of its folder.
    """
    content = {
        "@context": dict(_CONTEXT),
        "@type": "sc:Dataset",
        "conformsTo": [VERSION, RESPONSIBLE_AI],
        "name": described.name,
        "description": described.description,
        **({"url": described.url} if described.url else {}),
        "version": described.version,
        **({"datePublished": described.date} if described.date else {}),
        "license": list(described.licences),
        "creator": [{"@type": "sc:Organization", "name": name} for name in described.creators],
        "keywords": list(described.keywords),
        "inLanguage": ["en"],
        "isLiveDataset": False,
        "citeAs": described.citation,
        **{
            f"rai:{name}": value if isinstance(value, str) else list(value)
            for name, value in sorted(described.responsible.items())
        },
        "distribution": [*map(_file, sorted(files, key=lambda file: file.path)), *map(_files_of, tables)],
        "recordSet": [_record_set(table) for table in tables],
    }
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()


def _file(file: PublishedFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path,
        "contentUrl": file.path,
        "contentSize": f"{file.size} B",
        "encodingFormat": encoding(file.path),
        "sha256": file.sha256,
    }


def encoding(path: str) -> str:
    """The media type of a published file."""
    return _ENCODINGS.get(PurePosixPath(path).suffix, "text/plain")


def _files_of(table: RecordSet) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": f"{table.name}-files",
        "name": f"{table.name}-files",
        "description": f"The Parquet files of the table {table.name}.",
        "encodingFormat": _PARQUET,
        "includes": f"{table.name}/{SPLIT}-*.parquet",
    }


def _record_set(table: RecordSet) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.description,
        "key": {"@id": f"{table.name}/{table.key}"},
        "field": [_field(table, column) for column in table.columns],
    }


def _field(table: RecordSet, column: str) -> dict[str, Any]:
    kind = table.columns[column]
    is_picture = kind in (PICTURE, PICTURES)
    data_type = "sc:ImageObject" if is_picture else {NUMBER[0]: "sc:Float", INTEGER[0]: "sc:Integer"}.get(kind[0])
    return {
        "@type": "cr:Field",
        "@id": f"{table.name}/{column}",
        "name": column,
        "description": _meaning(table.meanings, column),
        "dataType": data_type or "sc:Text",
        **({"repeated": True} if kind in (TEXTS, PICTURES) else {}),
        "source": {
            "fileSet": {"@id": f"{table.name}-files"},
            "extract": {"column": column},
            **({"transform": {"jsonPath": "bytes"}} if is_picture else {}),
        },
    }


def _meaning(meanings: Mapping[str, str], column: str) -> str:
    """The meaning of a column; one meaning may be that of several columns (`image_0, image_1`)."""
    return next(text for columns, text in meanings.items() if column in columns.split(", "))
