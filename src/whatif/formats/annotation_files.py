"""JSON annotation files in the format of MS-COCO and VQAv2: an object with lists of records, checked by field."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import read_bytes
from whatif.engine.files.well_formed import well_formed

_KINDS = {int: "a whole number", str: "a text", list: "a list", dict: "an object"}


class AnnotationFile:
    """A parsed annotation file. Errors raised by `records` and `value` name the file and the record."""

    def __init__(self, path: Path, kind: str, lists: Sequence[str]) -> None:
        """Reads a file of the given kind that contains `lists`. Raises WhatifError when it does not."""
        self._path = path
        try:
            parsed = json.loads(read_bytes(path))
        except OSError as error:
            raise WhatifError(f"{path}: cannot be read ({error.strerror}); give a file of {kind}") from error
        except (ValueError, RecursionError) as error:  # ValueError: bytes that are not UTF-8, too
            raise WhatifError(f"{path}: is not JSON ({error}); give an unpacked, complete file of {kind}") from error
        for name in lists:
            if not isinstance(parsed, dict) or not isinstance(parsed.get(name), list):
                found = ", ".join(map(str, parsed)) if isinstance(parsed, dict) else f"{_named(parsed)}, not an object"
                raise WhatifError(
                    f"{path}: is not a file of {kind}: it needs a list `{name}`; found: {found or 'nothing'}"
                )
        self._parsed = parsed

    def records(self, name: str) -> list[dict[str, Any]]:
        """The records of a list, or none if it is missing. Raises WhatifError when a record is not an object."""
        records: list[dict[str, Any]] = self._parsed.get(name, [])
        if not isinstance(records, list):
            raise WhatifError(f"{self._path}: `{name}` is {_named(records)}; it is a list of objects")
        for place, record in enumerate(records):
            if not isinstance(record, dict):
                raise self.error(name, place, f"is {_named(record)}; it is an object")
        return records

    def stated(self, name: str) -> str:
        """A text beside the lists, for example `data_subtype`; empty if the file does not state it."""
        value = self._parsed.get(name)
        return well_formed(value) if isinstance(value, str) else ""

    def value(self, name: str, place: int, field: str, kind: type) -> Any:
        """A field of a record. Raises WhatifError when it is missing or has another type."""
        record = self._parsed[name][place]
        if field not in record:
            raise self.error(name, place, f"has no `{field}`; it needs {_KINDS[kind]}")
        value = record[field]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.error(name, place, f"`{field}` is {_named(value)}; it needs {_KINDS[kind]}")
        return well_formed(value) if isinstance(value, str) else value

    def error(self, name: str, place: int, finding: str) -> WhatifError:
        """The error to raise for a record: names the file, the list, the index and, if it has one, the id."""
        record = self._parsed[name][place]
        identity = record.get("id", record.get("question_id")) if isinstance(record, dict) else None
        known = "" if identity is None else f" (id {identity})"
        return WhatifError(f"{self._path}: {name}[{place}]{known}: {finding}")


def _named(value: Any) -> str:
    """A value as short text on one line, for messages."""
    if isinstance(value, (list, dict)):
        return _KINDS[type(value)]
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
