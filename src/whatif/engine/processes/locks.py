"""Locks that end with the process that holds them: for planning in a checkout, and for making a job's outputs."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.engine.processes import owners

LOCKS = Path(".whatif/locks")
_CHECKOUT = LOCKS / "checkout.lock"
_LAST_RUN = LOCKS.parent / "last-run.json"


def hold_checkout() -> BinaryIO:
    """Locks this checkout for the planning process, until the returned file is closed or the process ends.

    Raises InUseError that names the holder and its start: another planning process, or a `dvc repro` that this process
    is not part of and that may be between two stages.
    """
    file = _opened(_CHECKOUT)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        holder = file.readline().decode("utf-8", "replace").strip() or "another process"
        file.close()
        raise owners.InUseError(holder) from None
    if other := owners.dvc_run(Path.cwd()):
        file.close()
        raise owners.InUseError(str(other))
    sign(file)
    return file


def is_planned() -> bool:
    """Whether a planning process is active in this checkout; it may have started this one."""
    return owners.is_held(_CHECKOUT)


def record_run(command: Sequence[str] | None = None) -> None:
    """Records how this run was started, so that it can be continued after a power failure.

    `command` is the command of this process by default. Call this when jobs begin, so that a dry run does not
    overwrite the record of an interrupted run. A full disk does not stop the run.
    """
    if command is None:
        command = ["dvc", "repro"] if "DVC_STAGE" in os.environ else owners.command_of(sys.orig_argv)
    with contextlib.suppress(WhatifError):
        write_whole(_LAST_RUN, json.dumps(list(command)).encode())


def last_run() -> list[str]:
    """The command of the last run that started jobs in this checkout; empty if there is no record."""
    try:
        command = json.loads(_LAST_RUN.read_text(encoding="utf-8"))
        return command if isinstance(command, list) and all(isinstance(word, str) for word in command) else []
    except (OSError, ValueError):
        return []


def sign(file: BinaryIO, what: str = "") -> None:
    """Writes into the file of a lock who holds it, and since when."""
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    text = f"process {os.getpid()} on {socket.gethostname()} since {now}{what}"
    with contextlib.suppress(OSError):  # on a full disk the lock is held without its holder's name
        os.truncate(file.fileno(), 0)
        os.write(file.fileno(), text.encode())


@contextlib.contextmanager
def hold_job(name: str, say: Callable[[str], None]) -> Iterator[None]:
    """Waits until no other process makes the outputs of this job, for example one left behind by a killed run."""
    with _opened(_of_job(name)) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say(f"{name}: waiting for another process that is making it")
            fcntl.flock(file, fcntl.LOCK_EX)
        sign(file, f" ({name})")
        yield


@contextlib.contextmanager
def try_job(name: str) -> Iterator[bool]:
    """Takes the lock of a job if it is free; yields whether it did."""
    with _opened(_of_job(name)) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        sign(file, f" ({name})")
        yield True


def _of_job(name: str) -> Path:
    return LOCKS / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.lock"


def _opened(lock: Path) -> BinaryIO:
    """Opens the file of a lock. Raises WhatifError in a checkout that cannot be written."""
    try:
        LOCKS.mkdir(parents=True, exist_ok=True)
        return lock.open("a+b")
    except OSError as error:
        raise WhatifError(
            f"{Path.cwd()}: cannot be written ({LOCKS}: {error.strerror}); make it writable, or work in a copy of it"
        ) from error
