"""Shares stored answers between machines over a DVC remote, beside the artifacts that `dvc push` transfers.

Each push adds one file of JSON lines, named by its SHA-256, so any number of machines may push at once and nothing is
overwritten. A small file beside the store records what has been transferred; without it, everything is compared again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.models.responses.files import Span
from whatif.models.responses.store import Merged, ResponseStore


class SharedAnswers:
    """The files of stored answers in a folder of a DVC remote.

    name: of the remote; None for the project's default.
    url: the address of the folder.

    Raises WhatifError, naming the remote, when there is none or its package is not installed. Every method raises it
    when the remote cannot be reached or refuses the request.
    """

    def __init__(self, name: str | None, folder: str) -> None:
        from dvc.exceptions import DvcException
        from dvc.repo import Repo
        from dvc_objects.fs.errors import RemoteMissingDepsError

        try:
            remote = Repo().cloud.get_remote(name, "responses")
            self._fs = remote.fs
            self._folder = remote.fs.join(remote.path, folder)
            self.url = remote.fs.unstrip_protocol(self._folder)
        except (ImportError, RemoteMissingDepsError) as error:
            raise WhatifError(f"{_one_line(error)}, such as with pip install 'dvc[s3]'") from error
        except DvcException as error:
            remedy = "`dvc remote add --default team s3://bucket/folder` sets one"
            raise WhatifError(f"no DVC remote to share answers over ({_one_line(error)}); {remedy}") from error

    def push(self, store: ResponseStore) -> int:
        """Adds a file with the answers that the remote does not have, and returns their number."""
        _, known, spans = self._compared(store)
        last = store.last_number()
        with TemporaryDirectory() as folder:
            file = Path(folder) / "answers.jsonl"
            number = store.export(file, spans)
            if number:
                name = f"{_digest(file)}.jsonl"
                with self._errors():
                    self._fs.makedirs(self._folder)
                    self._fs.put_file(str(file), self._fs.join(self._folder, name))
                known.add(name)
        self._record(store, known, [(1, last)])
        return number

    def pull(self, store: ResponseStore) -> Merged:
        """Merges every file that this store has not merged yet; an answer that the store has is kept."""
        listed, known, spans = self._compared(store)
        total = Merged(0, 0, 0)
        for name in sorted(listed - known):
            with TemporaryDirectory() as folder:
                file = Path(folder) / name
                with self._errors():
                    self._fs.get_file(self._fs.join(self._folder, name), str(file))
                if f"{_digest(file)}.jsonl" != name:
                    raise WhatifError(
                        f"{self.url}/{name}: is not complete; pull again when the machine that pushes it has finished, "
                        "or delete this file and push again there"
                    )
                merged = store.merge([file])
            total += merged
            known.add(name)
            spans += merged.spans
            self._record(store, known, spans)  # after each file, so that a killed pull goes on there
        return total

    def _compared(self, store: ResponseStore) -> tuple[set[str], set[str], list[Span]]:
        """The names of the files there, those of them whose answers are here, and the numbers of these answers' rows.

        The last two are empty if one of these files is gone there: then everything is transferred again.
        """
        with self._errors():
            paths = list(self._fs.find(self._folder))
        listed = {self._fs.name(path) for path in paths if path.endswith(".jsonl")}
        record = _read(store).get(self.url, {"files": [], "spans": []})
        known = set(record["files"])
        return (listed, known, list(map(tuple, record["spans"]))) if known <= listed else (listed, set(), [])

    def _record(self, store: ResponseStore, files: set[str], spans: list[Span]) -> None:
        record = _read(store) | {self.url: {"files": sorted(files), "spans": spans}}
        write_whole(_record_path(store), json.dumps(record).encode(), durable=False)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # each kind of storage has its own
            if isinstance(error, PermissionError):
                remedy = "set the key of an account that may read and write there"
            elif isinstance(error, FileNotFoundError):
                remedy = "create it, or set another address with `dvc remote modify`"
            else:
                remedy = "check its address and server in .dvc/config, and your key"
            raise WhatifError(f"{self.url}: {_one_line(error)}; {remedy}") from error


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()).removesuffix(".") or type(error).__name__


def _record_path(store: ResponseStore) -> Path:
    return store.path.with_name(f"{store.path.name}.shared.json")


def _read(store: ResponseStore) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        found = json.loads(_record_path(store).read_text(encoding="utf-8"))
        if isinstance(found, dict):
            return found
    return {}


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
