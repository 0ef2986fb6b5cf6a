"""Stores the answers of models by their requests, so that no answer is paid for twice.

A store is one SQLite file to which answers are only added: the first answer to a request is kept. Any number of
processes and threads of one machine may write to it at once. When `put` returns, the answer is on disk in this file,
even if the writer is killed afterwards, and a copy of the file alone is complete. Several machines may share a store if
their file system's locks work across machines (NFS 4, GPFS, Lustre mounted with `flock`). Otherwise give each machine
its own store on a local disk, and combine them with `whatif responses merge`.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import disk_errors, open_temporary, write_whole
from whatif.engine.files.inputs import check_regular
from whatif.models.responses.answer_json import from_json
from whatif.models.responses.files import LAYOUT, Span, checked_rows, file_errors, rows_of_export, rows_of_store

DEFAULT_PATH = Path(".whatif/responses.sqlite")
_BUSY_SECONDS = 60  # how long a writer waits for the others
_VARIABLES = 500  # in one statement; older builds of SQLite allow 999

_TABLE = (
    "CREATE TABLE IF NOT EXISTS responses (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, "
    "request TEXT NOT NULL, answer TEXT NOT NULL)",
    "CREATE TRIGGER IF NOT EXISTS responses_stay BEFORE UPDATE ON responses "
    "BEGIN SELECT RAISE(ABORT, 'a stored answer is never replaced'); END",
    "CREATE TRIGGER IF NOT EXISTS responses_last BEFORE DELETE ON responses "
    "BEGIN SELECT RAISE(ABORT, 'a stored answer is never deleted'); END",
)


@dataclass(frozen=True)
class Run:
    """How many questions of a run were answered from the store, and how many were asked."""

    model: str
    hits: int
    misses: int


@dataclass(frozen=True)
class Summary:
    """A store's size in bytes (with its journal), its number of answers by model, and its last run, if any."""

    size: int
    answers: Mapping[str, int]
    last_run: Run | None


@dataclass(frozen=True)
class Merged:
    """The numbers of answers in a merge: new ones, known ones, and known ones that differ.

    The time that an answer took is not compared. `spans` are the numbers of the new rows of each file.
    """

    added: int
    known: int
    different: int
    spans: tuple[Span, ...] = field(default=(), compare=False)

    def __add__(self, other: Merged) -> Merged:
        numbers = (self.added + other.added, self.known + other.known, self.different + other.different)
        return Merged(*numbers, (*self.spans, *other.spans))


def store_path() -> Path:
    """The path of the store: the environment variable WHATIF_RESPONSES, by default a file in `.whatif`."""
    return Path(os.environ.get("WHATIF_RESPONSES") or DEFAULT_PATH)


def request_key(request: Mapping[str, Any]) -> str:
    """The key of a request (identity of the model, prompt, options, image ids): sha256 of its canonical JSON, in hex.

    Raises ValueError for a number that JSON cannot represent.
    """
    return hashlib.sha256(canonical_json(request).encode()).hexdigest()


def model_label(identity: Mapping[str, Any]) -> str:
    """A model's name in counts of answers: its adapter, and its model, checkpoint or the digest of its files."""
    files = identity.get("files")
    named = identity.get("model") or identity.get("checkpoint") or (f"files {files[:12]}" if files else "")
    return f"{identity.get('adapter', '')} {named}".strip()


class ResponseStore:
    """The answers in the SQLite file at `path`, which is created if it does not exist.

    Threads may share one store; a forked process needs its own. A file that is not writable can be read; only storing a
    new answer then fails. Raises WhatifError, naming the file, when it cannot be opened or is not a store of answers.
    """

    def __init__(self, path: Path = DEFAULT_PATH) -> None:
        self.path = path
        self._lock = threading.Lock()
        with file_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                check_regular(path)
            # Every statement outside `_transaction` is committed on its own.
            self._connection = sqlite3.connect(
                path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        try:
            with file_errors(path):
                self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; all stored answers are in it."""
        self._connection.close()

    def get(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The stored answers to those of the requests that have one, by key.

        Raises WhatifError, naming file and key, for an invalid answer.
        """
        wanted = list(dict.fromkeys(keys))
        found: dict[str, dict[str, Any]] = {}
        for start in range(0, len(wanted), _VARIABLES):
            part = wanted[start : start + _VARIABLES]
            query = f"SELECT key, answer FROM responses WHERE key IN ({','.join('?' * len(part))})"
            with self._lock, file_errors(self.path):
                rows = self._connection.execute(query, part).fetchall()
            found.update((key, self._answer(key, answer)) for key, answer in rows)
        return found

    def known(self, keys: Iterable[str]) -> set[str]:
        """Those of the requests that have an answer, without reading the answers, which may be large."""
        wanted = list(dict.fromkeys(keys))
        found: set[str] = set()
        for start in range(0, len(wanted), _VARIABLES):
            part = wanted[start : start + _VARIABLES]
            query = f"SELECT key FROM responses WHERE key IN ({','.join('?' * len(part))})"
            with self._lock, file_errors(self.path):
                found.update(key for (key,) in self._connection.execute(query, part))
        return found

    def put(self, key: str, request: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
        """Stores an answer unless there is one, and returns the stored one. Raises ValueError as `put_all` does."""
        return self.put_all([(key, request, answer)])[key]

    def put_all(self, rows: Sequence[tuple[str, Mapping[str, Any], Mapping[str, Any]]]) -> dict[str, dict[str, Any]]:
        """Stores answers (key, request, answer) to new requests in one transaction; returns the stored answers.

        Raises ValueError when a key does not match its request, and for an answer of status `error`, which is never
        stored.
        """
        for key, request, answer in rows:
            if key != request_key(request):
                raise ValueError(f"{key} does not match its request")
            if answer.get("status") == "error":
                raise ValueError("an error is not an answer: it is not stored, so that the question is asked again")
        keys = [key for key, _, _ in rows]
        standing = self.get(keys)  # answers never change, so reading needs no lock
        new = [(key, canonical_json(request), canonical_json(a)) for key, request, a in rows if key not in standing]
        if not new:
            return standing
        with self._transaction():
            insert = "INSERT INTO responses VALUES (NULL, ?, ?, ?) ON CONFLICT DO NOTHING"
            self._connection.executemany(insert, new)
        return self.get(keys)  # another process may have been first

    def record_run(self, run: Run) -> None:
        """Records what the last run found in the store, for `summary`.

        Written to a separate file, so that a run that asked nothing leaves the store unchanged; skipped if that file
        cannot be written.
        """
        with suppress(WhatifError):
            write_whole(self._last_run, json.dumps(asdict(run)).encode(), durable=False)

    def summary(self) -> Summary:
        """The size of the store, its number of answers by model, and what its last run found."""
        query = "SELECT json_extract(request, '$.identity'), count(*) FROM responses GROUP BY 1"
        with self._lock, file_errors(self.path):
            counted = self._connection.execute(query).fetchall()
        answers: dict[str, int] = {}
        for identity, number in counted:
            label = model_label(json.loads(identity))
            answers[label] = answers.get(label, 0) + number
        files = [self.path, self.path.with_name(f"{self.path.name}-journal")]
        size = 0
        for file in files:
            with suppress(FileNotFoundError):
                size += file.stat().st_size
        run = None
        with suppress(OSError, ValueError, TypeError):  # none yet, or written by another version
            run = Run(**json.loads(self._last_run.read_text(encoding="utf-8")))
        return Summary(size, dict(sorted(answers.items())), run)

    def last_number(self) -> int:
        """The number of the last row, 0 without any: a later answer has a higher one."""
        with file_errors(self.path):
            return int(self._connection.execute("SELECT coalesce(max(number), 0) FROM responses").fetchone()[0])

    def export(self, path: Path, without: Iterable[Span] = ()) -> int:
        """Writes all answers as JSON lines (key, request, answer), in the order of storing; returns their number.

        Rows whose number is in a span of `without` are left out. The same answers stored in the same order give the
        same bytes. Raises WhatifError when `path` cannot be written.
        """
        number = 0
        with disk_errors(path):
            file, temporary = open_temporary(path)
            with file:
                try:
                    for key, request, answer in rows_of_store(self.path, without):
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
        """Adds the answers of other stores (.sqlite) and exported files (.jsonl); each file completely or not at all.

        The existing answer to a request is kept. Raises WhatifError, naming file and line, when a file cannot be read,
        when a key does not match its request, and when an answer is invalid.
        """
        total = Merged(0, 0, 0)
        for path in paths:
            rows = rows_of_export(path) if path.suffix == ".jsonl" else rows_of_store(path)
            added = known = different = 0
            with self._transaction():
                before = self.last_number()
                for key, request, answer in checked_rows(rows, path):
                    insert = "INSERT INTO responses VALUES (NULL, ?, ?, ?) ON CONFLICT DO NOTHING"
                    if self._connection.execute(insert, (key, request, answer)).rowcount:
                        added += 1
                    else:
                        known += 1
                        here = self._connection.execute("SELECT answer FROM responses WHERE key = ?", (key,))
                        different += _without_time(here.fetchone()[0]) != _without_time(answer)
                span = (before + 1, self.last_number())
            total += Merged(added, known, different, (span,))
        return total

    def _prepare(self) -> None:
        connection = self._connection
        layout = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if layout not in (0, LAYOUT) or (layout == 0 and tables - {"responses", "sqlite_sequence"}):
            raise WhatifError(
                f"{self.path}: is not a store of answers, or from a later version of whatif; give another path"
            )
        if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
            # A store of an earlier version may have rows in a write-ahead log. The mode cannot be changed while another
            # process has the file open; the next process will change it.
            with suppress(sqlite3.OperationalError):
                connection.execute("PRAGMA journal_mode = DELETE")
        # An answer costs money, or half a second of computing for many of them, so waiting for the disk is cheap. With
        # EXTRA no answer is lost in a power failure; with less, a journal may return and undo the last transaction.
        connection.execute("PRAGMA synchronous = EXTRA")
        if layout == 0:
            with self._transaction():
                for statement in _TABLE:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {LAYOUT}")

    @property
    def _last_run(self) -> Path:
        return self.path.with_name(f"{self.path.name}.last-run.json")

    def _answer(self, key: str, text: str) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = json.loads(text)
            from_json(answer)
        except (ValueError, TypeError, RecursionError) as error:
            raise WhatifError(
                f"{self.path}: the answer to {key} {error}; export the store, remove this line, and merge the rest "
                "into a new store"
            ) from error
        return answer

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """A transaction; takes the write lock at once, so that waiting cannot end in a deadlock."""
        with self._lock, file_errors(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def _without_time(answer: str) -> dict[str, Any]:
    """An answer without the time that it took."""
    fields: dict[str, Any] = json.loads(answer)
    fields.pop("seconds", None)
    return fields
