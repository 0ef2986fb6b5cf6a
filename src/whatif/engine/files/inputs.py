"""Opens the files that a user names: only regular files, and only up to a stated size.

Reading a named pipe or a device might never end. A refused file raises an OSError with a readable `strerror`, so that
callers report it like a missing file.
"""

from __future__ import annotations

import csv
import errno
import gzip
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, cast

from whatif.engine.errors import WhatifError

LARGEST = 4 * 1024**3  # bytes of a file that is read as a whole; MS-COCO's annotations have half a gigabyte
LARGEST_UNPACKED = 1024**3  # bytes of a compressed file after unpacking
LONGEST_LINE = 16 * 1024**2  # bytes of a line of CSV or JSONL; also characters of a field
_BLOCK = 1024**2
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def user_path(text: str) -> Path:
    """A path as a user writes it, with `~` expanded. Raises WhatifError when there is no such home folder."""
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise WhatifError(f"{text}: there is no such user or home folder; give the full path") from error


def open_regular(path: Path) -> BufferedReader:
    """Opens a regular file for reading. Raises OSError at once when it is not a regular file."""
    try:
        _check_kind(path, path.stat().st_mode)  # before opening: opening a device can have side effects
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:  # a null character or half of a surrogate pair
        raise OSError(errno.EINVAL, "no file can have this name", str(path)) from error
    file = os.fdopen(descriptor, "rb")
    try:
        _check_kind(path, os.fstat(descriptor).st_mode)  # the file may have been replaced
    except OSError:
        file.close()
        raise
    return file


@contextmanager
def long_csv_fields() -> Iterator[None]:
    """Lets `csv` read fields of up to LONGEST_LINE characters; its own limit, which is global, is 131,072."""
    former = csv.field_size_limit(LONGEST_LINE)
    try:
        yield
    finally:
        csv.field_size_limit(former)


def read_bytes(path: Path, largest: int = LARGEST, longest_line: int | None = None) -> bytes:
    """The content of a regular file.

    Raises OSError when it is not a regular file, has more bytes than `largest`, or has a line of more than
    `longest_line` bytes (at least 1 MiB).
    """
    with open_regular(path) as file:
        _check_size(path, file, largest)
        return file.read(largest) if longest_line is None else b"".join(_blocks(path, file, longest_line))


def read_gzip(path: Path, longest_line: int | None = None) -> bytes:
    """The unpacked content of a file that is compressed with gzip; a small file may claim any size.

    Raises OSError as `read_bytes` does, when it is damaged, and when it unpacks to more than LARGEST_UNPACKED.
    """
    try:
        with open_regular(path) as packed, gzip.GzipFile(fileobj=packed) as file:
            blocks, size = [], 0
            for block in _blocks(path, cast(BinaryIO, file), longest_line or 2 * LARGEST_UNPACKED):
                size += len(block)
                if size > LARGEST_UNPACKED:
                    raise OSError(errno.EFBIG, f"it unpacks to more than {LARGEST_UNPACKED:,} bytes", str(path))
                blocks.append(block)
            return b"".join(blocks)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise OSError(errno.EINVAL, f"it is not a complete gzip file: {error}", str(path)) from error


def check_regular(path: Path) -> None:
    """Raises OSError when this is not a regular file, without opening it; for libraries that open files themselves."""
    try:
        _check_kind(path, path.stat().st_mode)
    except ValueError as error:
        raise OSError(errno.EINVAL, "no file can have this name", str(path)) from error


def _check_size(path: Path, file: BufferedReader, largest: int) -> None:
    size = os.fstat(file.fileno()).st_size
    if size > largest:
        raise OSError(errno.EFBIG, f"it has {size:,} bytes; the maximum is {largest:,}", str(path))


def _blocks(path: Path, file: BinaryIO, longest_line: int) -> Iterator[bytes]:
    begun = lines = 0  # bytes of the current line so far, and number of complete lines
    while block := file.read(_BLOCK):
        ends = [place for place in (block.find(b"\n"), block.find(b"\r")) if place >= 0]
        if begun + min(ends, default=len(block)) > longest_line:
            raise OSError(errno.EFBIG, f"line {lines + 1} is longer than {longest_line:,} bytes", str(path))
        lines += block.count(b"\n")
        last = max(block.rfind(b"\n"), block.rfind(b"\r"))
        begun = len(block) - last - 1 if ends else begun + len(block)
        yield block


def _check_kind(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "something else")
        raise OSError(errno.EINVAL, f"it is {kind}, not a regular file", str(path))
