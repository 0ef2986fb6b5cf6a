"""Zip archives that lie in other zip archives, opened without unpacking what is in them."""

from __future__ import annotations

import io
import shutil
import struct
import tempfile
import zipfile
from contextlib import ExitStack
from typing import IO

LARGEST_RATIO = 20  # times that a compressed archive may grow; one of pictures grows hardly at all
LARGEST_SPOOLED = 64 * 1024**3  # bytes of compressed archives that are held in temporary files
_PIECE = 1024 * 1024  # bytes
_LOCAL_HEADER = 30  # bytes before the name of an entry


class NestedArchives:
    """Opens archives inside archives.

    One that is stored as it is, as archives of pictures usually are, is read in its place. One that is compressed
    cannot be read from the middle: it goes into a temporary file without a name, which is gone with the process.
    """

    def __init__(self, opened: ExitStack) -> None:
        """`opened` closes what is opened here."""
        self._opened = opened
        self._spooled = 0

    def open(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> zipfile.ZipFile:
        """The archive that an entry of another one is.

        Raises zipfile.BadZipFile when it is none, is damaged, encrypted, or would grow out of all proportion; OSError
        when it cannot be read or the temporary file cannot be written.
        """
        if entry.flag_bits & 1:
            raise zipfile.BadZipFile("is encrypted")
        stored = entry.compress_type == zipfile.ZIP_STORED and entry.compress_size == entry.file_size
        file = _in_place(archive, entry) if stored else self._unpacked(archive, entry)
        return self._opened.enter_context(zipfile.ZipFile(file))

    def _unpacked(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> IO[bytes]:
        if entry.file_size > LARGEST_RATIO * max(entry.compress_size, _PIECE):
            raise zipfile.BadZipFile(f"would grow from {entry.compress_size:,} to {entry.file_size:,} bytes")
        self._spooled += entry.file_size
        if self._spooled > LARGEST_SPOOLED:
            raise zipfile.BadZipFile(f"the archives in it take more than {LARGEST_SPOOLED:,} bytes; unpack them")
        file = self._opened.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        with archive.open(entry) as packed:  # gives no more than `file_size` bytes, whatever is in it
            shutil.copyfileobj(packed, file, _PIECE)
        return file


def _in_place(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> IO[bytes]:
    outer = archive.fp
    assert outer is not None, "the archive is open"
    outer.seek(entry.header_offset)
    header = outer.read(_LOCAL_HEADER)
    if len(header) < _LOCAL_HEADER or not header.startswith(b"PK\x03\x04"):
        raise zipfile.BadZipFile("has no local header")
    # The lengths of name and extra field in the local header may differ from those in the directory.
    start = entry.header_offset + _LOCAL_HEADER + sum(struct.unpack("<HH", header[26:30]))
    return io.BufferedReader(_Section(outer, start, entry.file_size))


class _Section(io.RawIOBase):
    """Some bytes of a file as a file. It moves the place of the outer file, as every reader of that does."""

    def __init__(self, outer: IO[bytes], start: int, size: int) -> None:
        self._outer, self._start, self._size, self._place = outer, start, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise OSError("a place before the beginning of a file")
        self._place = base + offset
        return self._place

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        wanted = min(len(buffer), max(0, self._size - self._place))
        self._outer.seek(self._start + self._place)
        data = self._outer.read(wanted)
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)
