"""Atomic writing of files: a file is written under a temporary name and then renamed, so it is never incomplete.

Each temporary file has a unique name and is locked while its writer is alive. So two writers never share one, and the
remains of a killed writer can be distinguished from a file that is being written.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from whatif.engine.errors import WhatifError


def open_temporary(path: Path) -> tuple[BinaryIO, Path]:
    """Opens a new locked file beside `path`, to be renamed to `path` while it is open. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
        file = temporary.open("xb")
        fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink:
            return file, temporary
        file.close()  # before it was locked, another process took it for the remains of a killed writer


def write_whole(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Writes `data` to `path`; an existing file is replaced only after all data is written.

    `durable` waits for the disk, so that either the old or the new file survives a power failure. Raises WhatifError,
    naming the path, when the data cannot be written; an existing file is then unchanged.
    """
    with disk_errors(path):
        file, temporary = open_temporary(path)
        with file:
            try:
                file.write(data)
                file.flush()
                if durable:
                    os.fsync(file.fileno())
                temporary.replace(path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise


def move(source: Path, target: Path) -> None:
    """Moves a file, also to another file system; its times are kept. Raises OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        source.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        file, temporary = open_temporary(target)
        with file, source.open("rb") as opened:
            shutil.copyfileobj(opened, file)
            file.flush()
            os.fsync(file.fileno())
            shutil.copystat(source, temporary)
            temporary.replace(target)
        source.unlink()


@contextlib.contextmanager
def temporary_folder(parent: Path) -> Iterator[Path]:
    """A new folder in `parent`, removed at the end. Those that killed processes left there are removed first.

    Raises OSError.
    """
    for left in parent.glob(".whatif-*.tmp"):
        with contextlib.suppress(OSError), _locked(left):
            shutil.rmtree(left)
    with contextlib.ExitStack() as lock:
        while True:
            folder = parent / f".whatif-{os.getpid()}-{secrets.token_hex(4)}.tmp"
            folder.mkdir(parents=True)
            try:
                lock.enter_context(_locked(folder))
            except (BlockingIOError, FileNotFoundError):
                continue  # before it was locked, another process took it for the remains of a killed one
            if folder.is_dir():
                break
            lock.pop_all().close()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Holds the lock of a folder. Raises OSError while another process holds it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def remove_orphans(folder: Path, pattern: str = ".*.tmp") -> list[Path]:
    """Deletes temporary files below a folder if their writers have ended; returns them. Ours begin with a dot."""
    removed = []
    for temporary in filter(Path.is_file, folder.rglob(pattern)):
        with contextlib.suppress(OSError), temporary.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while the writer is alive
            temporary.unlink()
            removed.append(temporary)
    return removed


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turns a failure to write (disk full, no permission) into a WhatifError that names the file."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error) or type(error).__name__
        raise WhatifError(f"{path}: cannot be written ({reason}); an existing file is unchanged") from error
