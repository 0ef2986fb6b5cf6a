"""Keeps what models answered, by what they were asked, so that no answer is paid for twice.

A store is one SQLite file that grows and never changes: the first answer to a request stays, whatever comes later.
Any number of processes and threads of one machine may write to it at once, and each answer is on the disk when `put`
returns, whatever kills the writer then. On a file system between machines (NFS, Lustre) locks and shared memory do
not hold: give each machine a store of its own on a local disk and put them together with `whatif responses merge`.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from whatif.artifacts import canonical_json
from whatif.atomic_files import disk_errors, open_temporary
from whatif.errors import WhatifError

DEFAULT_PATH = Path(".whatif/responses.sqlite")
_LAYOUT = 1  # of the tables below; raise it when they change
_BUSY_MILLISECONDS = 60_000  # how long a writer waits for the others
_VARIABLES = 500  # in one statement; older builds of SQLite take 999

_TABLES = (
    "CREATE TABLE IF NOT EXISTS responses (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, "
    "request TEXT NOT NULL, answer TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS runs (number INTEGER PRIMARY KEY AUTOINCREMENT, model TEXT NOT NULL, "
    "hits INTEGER NOT NULL, misses INTEGER NOT NULL)",
    "CREATE TRIGGER IF NOT EXISTS responses_stay BEFORE UPDATE ON responses "
    "BEGIN SELECT RAISE(ABORT, 'a stored answer is never replaced'); END",
    "CREATE TRIGGER IF NOT EXISTS responses_last BEFORE DELETE ON responses "
    "BEGIN SELECT RAISE(ABORT, 'a stored answer is never deleted'); END",
)
# What a model is called when answers are counted; the whole identity is longer than a line.
_MODEL = (
    "trim(coalesce(json_extract(request, '$.identity.adapter'), '') || ' ' || coalesce("
    "json_extract(request, '$.identity.model'), json_extract(request, '$.identity.checkpoint'), ''))"
)


@dataclass(frozen=True)
class Run:
    """How many questions of the last run of a model were answered from the store, and how many were asked."""

    model: str
    hits: int
    misses: int


@dataclass(frozen=True)
class Summary:
    """What a store holds: its size in bytes (with its journal), answers by model, and its last run if there was one."""

    size: int
    answers: Mapping[str, int]
    last_run: Run | None


@dataclass(frozen=True)
class Merged:
    """What came of a merge, in answers: new ones, ones that were there, and among these the ones that said another."""

    added: int
    known: int
    different: int


def store_path() -> Path:
    """Where the answers are kept: the file that the environment variable WHATIF_RESPONSES names, or in `.whatif`."""
    return Path(os.environ.get("WHATIF_RESPONSES") or DEFAULT_PATH)


def request_key(request: Mapping[str, Any]) -> str:
    """The key of a request (identity of the model, prompt, options, image ids): sha256 of its canonical JSON, in hex.

    Raises ValueError for a number that JSON does not know.
    """
    return hashlib.sha256(canonical_json(request).encode()).hexdigest()


class ResponseStore:
    """The answers in the SQLite file at `path`, which is made when it is not there.

    Threads may share one store; a process that is forked off needs its own. Raises WhatifError, naming the file,
    when it cannot be opened or is no store of answers.
    """

    def __init__(self, path: Path = DEFAULT_PATH) -> None:
        self.path = path
        self._lock = threading.Lock()
        with _file_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            # Every statement outside `_transaction` commits itself.
            self._connection = sqlite3.connect(
                path, timeout=_BUSY_MILLISECONDS / 1000, isolation_level=None, check_same_thread=False
            )
        try:
            with _file_errors(path):
                self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; all that was put is in it."""
        self._connection.close()

    def get(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The answers to those of the requests that were answered before, by key."""
        wanted = list(dict.fromkeys(keys))
        found: dict[str, dict[str, Any]] = {}
        for start in range(0, len(wanted), _VARIABLES):
            part = wanted[start : start + _VARIABLES]
            query = f"SELECT key, answer FROM responses WHERE key IN ({','.join('?' * len(part))})"
            with self._lock, _file_errors(self.path):
                rows = self._connection.execute(query, part).fetchall()
            found.update((key, json.loads(answer)) for key, answer in rows)
        return found

    def put(self, key: str, request: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
        """Stores an answer unless there is one, and returns the one that stands.

        Raises ValueError when `key` is not that of `request`, and for the answer of status `error`, which is none.
        """
        if key != request_key(request):
            raise ValueError(f"{key} is not the key of its request")
        if answer.get("status") == "error":
            raise ValueError("an error is no answer: it is not stored, so that the question is asked again")
        row = (key, canonical_json(request), canonical_json(answer))
        with self._transaction():
            self._connection.execute("INSERT INTO responses VALUES (NULL, ?, ?, ?) ON CONFLICT DO NOTHING", row)
            (stands,) = self._connection.execute("SELECT answer FROM responses WHERE key = ?", (key,)).fetchone()
        return dict(json.loads(stands))

    def record_run(self, run: Run) -> None:
        """Notes how many questions of a run were answered from the store, for `summary`."""
        with self._transaction():
            self._connection.execute("INSERT INTO runs VALUES (NULL, ?, ?, ?)", (run.model, run.hits, run.misses))

    def summary(self) -> Summary:
        """How large the store is, how many answers of which model it holds, and what its last run found."""
        with self._lock, _file_errors(self.path):
            counted = self._connection.execute(f"SELECT {_MODEL} m, count(*) FROM responses GROUP BY m ORDER BY m")
            answers = dict(counted.fetchall())
            run = self._connection.execute("SELECT model, hits, misses FROM runs ORDER BY number DESC").fetchone()
        files = [self.path, *(self.path.with_name(self.path.name + end) for end in ("-wal", "-journal"))]
        size = 0
        for file in files:
            with suppress(FileNotFoundError):
                size += file.stat().st_size
        return Summary(size, answers, Run(*run) if run else None)

    def export(self, path: Path) -> int:
        """Writes all answers as lines of JSON (key, request, answer), in the order they came; returns their number.

        The same answers put in the same order give the same bytes. Raises WhatifError when `path` cannot be written.
        """
        number = 0
        with disk_errors(path):
            file, temporary = open_temporary(path)
            with file:
                try:
                    for key, request, answer in rows_of_store(self.path):
                        line = f'{{"key":"{key}","request":{request},"answer":{answer}}}\n'
                        file.write(line.encode())
                        number += 1
                    file.flush()
                    temporary.replace(path)
                except BaseException:
                    temporary.unlink(missing_ok=True)
                    raise
        return number

    def merge(self, paths: Iterable[Path]) -> Merged:
        """Takes in the answers of other stores (.sqlite) and of exported files (.jsonl), each file as a whole or not.

        Where both know a request, the answer that is here stays. Raises WhatifError, naming file and line, when one
        cannot be read, when a key is not that of its request, and when an answer is none.
        """
        added = known = different = 0
        for path in paths:
            rows = _rows_of_export(path) if path.suffix == ".jsonl" else rows_of_store(path)
            with self._transaction():
                for key, request, answer in _checked(rows, path):
                    insert = "INSERT INTO responses VALUES (NULL, ?, ?, ?) ON CONFLICT DO NOTHING"
                    if self._connection.execute(insert, (key, request, answer)).rowcount:
                        added += 1
                    else:
                        known += 1
                        here = self._connection.execute("SELECT answer FROM responses WHERE key = ?", (key,))
                        different += here.fetchone()[0] != answer
        return Merged(added, known, different)

    def _prepare(self) -> None:
        connection = self._connection
        layout = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if layout not in (0, _LAYOUT) or (layout == 0 and tables - {"responses", "runs", "sqlite_sequence"}):
            raise WhatifError(f"{self.path}: is a database of something else; name another file, it will be made")
        _set_journal(connection)
        # An answer costs money or a second of computing, so waiting for the disk (milliseconds) is cheap: with FULL
        # even a power cut takes none, with NORMAL it would take the last ones of a write-ahead log.
        connection.execute("PRAGMA synchronous = FULL")
        if layout == 0:
            with self._transaction():
                for statement in _TABLES:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {_LAYOUT}")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of it or nothing; takes the place of the one writer at once, so that waiting never ends in a deadlock."""
        with self._lock, _file_errors(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def rows_of_store(path: Path) -> Iterator[tuple[str, str, str]]:
    """Key, request and answer of each row of a store, the last two as JSON, in the order they came."""
    if not path.is_file():
        raise WhatifError(f"{path}: no such file")
    with _file_errors(path), closing(sqlite3.connect(path, timeout=_BUSY_MILLISECONDS / 1000)) as connection:
        yield from connection.execute("SELECT key, request, answer FROM responses ORDER BY number")


def _rows_of_export(path: Path) -> Iterator[tuple[str, str, str]]:
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                try:
                    row = json.loads(line)
                    yield row["key"], canonical_json(row["request"]), canonical_json(row["answer"])
                except (ValueError, TypeError, KeyError) as error:
                    raise WhatifError(
                        f"{path}: line {number}: is no stored answer (an object with key, request, answer)"
                    ) from error
    except OSError as error:
        raise WhatifError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise WhatifError(f"{path}: is not UTF-8 (byte {error.start})") from error


def _checked(rows: Iterable[tuple[str, str, str]], path: Path) -> Iterator[tuple[str, str, str]]:
    for number, (key, request, answer) in enumerate(rows, start=1):
        if hashlib.sha256(request.encode()).hexdigest() != key:
            raise WhatifError(f"{path}: row {number}: its key {key} is not that of its request")
        said = json.loads(answer)
        if not isinstance(said, dict) or said.get("status") not in ("ok", "ambiguous", "none"):
            raise WhatifError(f"{path}: row {number}: its answer has no status `ok`, `ambiguous` or `none`")
        yield key, request, answer


def _set_journal(connection: sqlite3.Connection) -> None:
    """A write-ahead log lets readers and the writer work at once; where it cannot be kept, a journal does."""
    try:
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    except sqlite3.OperationalError as error:
        if "locked" in str(error):  # another process is switching to it or writes: it is set, or will be next time
            return
        mode = None
    if mode != "wal":
        connection.execute("PRAGMA journal_mode = DELETE")


@contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    """Turns what SQLite and the file system say about a store into a WhatifError that names it."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise WhatifError(f"{path}: cannot be used as a store of answers ({error})") from error
