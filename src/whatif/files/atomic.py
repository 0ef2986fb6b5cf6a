"""Files that appear whole or not at all, whatever kills the writer: written beside their place, then renamed.

A temporary file has a name of its own and is locked while its writer lives, so two writers never share one, and what
a killed writer left behind can be told from what is being written now.
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

from whatif.errors import WhatifError


def open_temporary(path: Path) -> tuple[BinaryIO, Path]:
    """A new locked file beside `path`, to be renamed to it while it is still open. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    file = temporary.open("xb")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file, temporary


def write_whole(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Puts `data` at `path`, replacing what is there only when all of it is written.

    `durable` waits for the disk, so that a power cut finds the old file or the new one. Raises WhatifError, naming
    the path, when it cannot be written; then what stood there is untouched.
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
    """Renames a file, across file systems too; its times stay. Raises OSError."""
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


def remove_orphans(folder: Path, pattern: str = ".*.tmp") -> list[Path]:
    """Deletes temporary files below a folder whose writer is gone; returns them. Those of ours begin with a dot."""
    removed = []
    for temporary in filter(Path.is_file, folder.rglob(pattern)):
        with contextlib.suppress(OSError), temporary.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while the writer lives
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
        raise WhatifError(f"{path}: cannot be written ({reason}); what stood there before is untouched") from error
