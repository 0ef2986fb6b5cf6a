"""Reads files of stored answers: stores of other machines and exported JSON lines; each row is checked."""

from __future__ import annotations

import hashlib
import itertools
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import check_regular, open_regular
from whatif.models.responses.answer_json import from_json

_LONGEST_ROW = 64 * 1024**2  # bytes maximum length of a line with a question and its answer
LAYOUT = 1  # version of the table of answers; increase it when the table changes
BUSY_SECONDS = 60  # how long a reader waits for a writer
_AT_ONCE = 1_000  # rows; longer reads would make writers wait

Row = tuple[str, str, str]
Span = tuple[int, int]  # numbers of the first and the last of consecutive rows


def rows_of_store(path: Path, without: Iterable[Span] = ()) -> Iterator[Row]:
    """Key, request and answer of each row of a store, the last two as JSON, in the order of storing.

    Rows whose number is in a span of `without` are left out.
    """
    if not path.exists():
        raise WhatifError(f"{path}: no such file")
    query = "SELECT number, key, request, answer FROM responses WHERE number > ? ORDER BY number LIMIT ?"
    spans = list(without)
    last = max((high for low, high in spans if low <= 1), default=0)
    with file_errors(path):
        check_regular(path)  # without opening it, because closing a file releases SQLite's locks on it
    with file_errors(path), closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as connection:
        if connection.execute("PRAGMA user_version").fetchone()[0] > LAYOUT:
            raise WhatifError(f"{path}: is not a store of answers, or from a later version of whatif")
        while rows := connection.execute(query, (last, _AT_ONCE)).fetchall():
            last = rows[-1][0]
            yield from (row[1:] for row in rows if not any(low <= row[0] <= high for low, high in spans))


def rows_of_export(path: Path) -> Iterator[Row]:
    """The same for a file that `export` wrote. Raises WhatifError, naming file and line, when it cannot be read."""
    try:
        with open_regular(path) as file:
            for number in itertools.count(1):
                line = file.readline(_LONGEST_ROW + 1)
                if not line:
                    return
                if len(line) > _LONGEST_ROW:
                    raise WhatifError(f"{path}: line {number}: is longer than {_LONGEST_ROW:,} bytes")
                text = line.decode("utf-8")
                try:
                    row = json.loads(text)
                    yield row["key"], canonical_json(row["request"]), canonical_json(row["answer"])
                except (ValueError, TypeError, KeyError, RecursionError) as error:
                    raise WhatifError(
                        f"{path}: line {number}: is not a stored answer (an object with key, request, answer)"
                    ) from error
    except OSError as error:
        raise WhatifError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise WhatifError(f"{path}: is not UTF-8 (byte {error.start})") from error


def checked_rows(rows: Iterable[Row], path: Path) -> Iterator[Row]:
    """The rows of a file. Raises WhatifError, naming file and row, at the first invalid one."""
    for number, row in enumerate(rows, start=1):
        key, request, answer = row
        if not all(isinstance(part, str) for part in row):
            raise WhatifError(f"{path}: row {number}: is not a stored answer (key, request and answer, each as text)")
        try:
            digest = hashlib.sha256(request.encode()).hexdigest()
            answer.encode()
        except UnicodeEncodeError as error:
            raise WhatifError(
                f"{path}: row {number}: contains a lone surrogate, {error.object[error.start]!a}; replace it by \\ufffd"
            ) from error
        if digest != key:
            raise WhatifError(f"{path}: row {number}: its key {key} does not match its request")
        try:
            identity = json.loads(request)["identity"]
            from_json(json.loads(answer))
        except (KeyError, TypeError):
            identity = None
        except (ValueError, RecursionError) as error:
            raise WhatifError(f"{path}: row {number}: its answer {error}") from error
        if not isinstance(identity, dict):
            raise WhatifError(f"{path}: row {number}: its request does not identify the model (`identity`)")
        yield key, request, answer


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turns errors of SQLite and of the file system into a WhatifError that names the store."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise WhatifError(f"{path}: cannot be used as a store of answers ({error})") from error
