"""Keeps what models answered, by what they were asked, so that no answer is paid for twice.

A store is one SQLite file that grows and never changes: the first answer to a request stays, whatever comes later.
Any number of processes and threads of one machine may write to it at once, and each answer is on the disk, in this
file, when `put` returns, whatever kills the writer then: a copy of the file alone is whole. Between machines
that holds where their file system keeps locks for all of them (NFS 4, GPFS, Lustre mounted with `flock`). Elsewhere
give each machine a store of its own on a local disk and put them together with `whatif responses merge`.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from whatif.artifacts.reader import canonical_json
from whatif.errors import WhatifError
from whatif.files.atomic import disk_errors, open_temporary, write_whole
from whatif.files.inputs import check_regular
from whatif.models.responses.answer_json import from_json
from whatif.models.responses.files import LAYOUT, checked_rows, file_errors, rows_of_export, rows_of_store

DEFAULT_PATH = Path(".whatif/responses.sqlite")
_BUSY_SECONDS = 60  # how long a writer waits for the others
_VARIABLES = 500  # in one statement; older builds of SQLite take 999

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
    """How many questions of a run of a model were answered from the store, and how many were asked."""

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
    """What came of a merge, in answers: new ones, ones that were there, and among these the ones that said another.

    The time that an answer took is no part of what it said.
    """

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


def model_label(identity: Mapping[str, Any]) -> str:
    """What a model is called where answers are counted: its adapter, and model, checkpoint or digest of its files."""
    files = identity.get("files")
    named = identity.get("model") or identity.get("checkpoint") or (f"files {files[:12]}" if files else "")
    return f"{identity.get('adapter', '')} {named}".strip()


class ResponseStore:
    """The answers in the SQLite file at `path`, which is made when it is not there.

    Threads may share one store; a process that is forked off needs its own. A file that cannot be written is read;
    only an answer that is not in it yet fails then. Raises WhatifError, naming the file, when it cannot be opened or
    is no store of answers.
    """

    def __init__(self, path: Path = DEFAULT_PATH) -> None:
        self.path = path
        self._lock = threading.Lock()
        with file_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                check_regular(path)
            # Every statement outside `_transaction` commits itself.
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
        """Closes the file; all that was put is in it."""
        self._connection.close()

    def get(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The answers to those of the requests that were answered before, by key.

        Raises WhatifError, naming file and key, for an answer that is none.
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

    def put(self, key: str, request: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
        """Stores an answer unless there is one, and returns the one that stands. Raises ValueError as `put_all`."""
        return self.put_all([(key, request, answer)])[key]

    def put_all(self, rows: Sequence[tuple[str, Mapping[str, Any], Mapping[str, Any]]]) -> dict[str, dict[str, Any]]:
        """Stores answers (key, request, answer), all or none, unless there are some; returns those that stand, by key.

        Raises ValueError when a key is not that of its request, and for the answer of status `error`, which is none.
        """
        for key, request, answer in rows:
            if key != request_key(request):
                raise ValueError(f"{key} is not the key of its request")
            if answer.get("status") == "error":
                raise ValueError("an error is no answer: it is not stored, so that the question is asked again")
        keys = [key for key, _, _ in rows]
        standing = self.get(keys)  # what never changes needs no lock to be read
        new = [(key, canonical_json(request), canonical_json(a)) for key, request, a in rows if key not in standing]
        if not new:
            return standing
        with self._transaction():
            insert = "INSERT INTO responses VALUES (NULL, ?, ?, ?) ON CONFLICT DO NOTHING"
            self._connection.executemany(insert, new)
        return self.get(keys)  # another process may have been first

    def record_run(self, run: Run) -> None:
        """Notes what the last run found in the store, for `summary`.

        In a file beside it, so that a run that asked nothing leaves the store as it was; where none can be written,
        nowhere.
        """
        with suppress(WhatifError):
            write_whole(self._last_run, json.dumps(asdict(run)).encode(), durable=False)

    def summary(self) -> Summary:
        """How large the store is, how many answers of which model it holds, and what its last run found."""
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
        with suppress(OSError, ValueError, TypeError):  # none yet, or one that another version wrote
            run = Run(**json.loads(self._last_run.read_text(encoding="utf-8")))
        return Summary(size, dict(sorted(answers.items())), run)

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
        cannot be read, when a key is not that of its request, and when an answer is none or of other types.
        """
        added = known = different = 0
        for path in paths:
            rows = rows_of_export(path) if path.suffix == ".jsonl" else rows_of_store(path)
            with self._transaction():
                for key, request, answer in checked_rows(rows, path):
                    insert = "INSERT INTO responses VALUES (NULL, ?, ?, ?) ON CONFLICT DO NOTHING"
                    if self._connection.execute(insert, (key, request, answer)).rowcount:
                        added += 1
                    else:
                        known += 1
                        here = self._connection.execute("SELECT answer FROM responses WHERE key = ?", (key,))
                        different += _said(here.fetchone()[0]) != _said(answer)
        return Merged(added, known, different)

    def _prepare(self) -> None:
        connection = self._connection
        layout = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if layout not in (0, LAYOUT) or (layout == 0 and tables - {"responses", "sqlite_sequence"}):
            raise WhatifError(f"{self.path}: is a database of something else; name another file, it will be made")
        if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
            # Of a store made by an earlier version: rows in a write-ahead log are not in the file. While another
            # process has it open it cannot be changed; the next one does.
            with suppress(sqlite3.OperationalError):
                connection.execute("PRAGMA journal_mode = DELETE")
        # An answer costs money, or many of them half a second of computing, so waiting for the disk is cheap: with
        # EXTRA even a power cut takes none, with less it may bring back the journal that undoes the last one.
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
                f"{self.path}: the answer to {key} {error}; export the store, take out this line, and merge the rest "
                "into a new one"
            ) from error
        return answer

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of it or nothing; takes the place of the one writer at once, so that waiting never ends in a deadlock."""
        with self._lock, file_errors(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


def _said(answer: str) -> dict[str, Any]:
    """An answer without the time that it took."""
    fields: dict[str, Any] = json.loads(answer)
    fields.pop("seconds", None)
    return fields
