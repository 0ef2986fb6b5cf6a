"""Locks that go with the process that holds them: one a checkout for who plans, one a job for who makes its outputs."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import socket
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from whatif.errors import WhatifError

LOCKS = Path(".whatif/locks")


def hold_checkout() -> BinaryIO:
    """Locks this checkout for the process that plans, until the returned file is closed or the process ends.

    Raises WhatifError saying who holds it and since when.
    """
    LOCKS.mkdir(parents=True, exist_ok=True)
    file = (LOCKS / "checkout.lock").open("a+b")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        holder = file.read().decode("utf-8", "replace").strip() or "another process"
        file.close()
        raise WhatifError(
            f"this checkout is in use: {holder}; wait until it has ended, or work in another clone"
        ) from None
    file.truncate(0)
    now = datetime.now().astimezone().isoformat(timespec="seconds")
    file.write(f"process {os.getpid()} on {socket.gethostname()} since {now}".encode())
    file.flush()
    return file


@contextlib.contextmanager
def hold_job(name: str, say: Callable[[str], None]) -> Iterator[None]:
    """Waits until nobody else makes the outputs of this job, for example one that a killed run left behind."""
    LOCKS.mkdir(parents=True, exist_ok=True)
    with (LOCKS / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.lock").open("a+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say(f"{name}: waits for another process that is making it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
