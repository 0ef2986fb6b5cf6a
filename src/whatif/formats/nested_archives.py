"""Opens zip archives inside zip archives without unpacking them to disk."""

from __future__ import annotations

import io
import shutil
import struct
import tempfile
import zipfile
from contextlib import ExitStack
from typing import IO

LARGEST_RATIO = 20  # maximum expansion of a compressed archive; archives of images hardly expand
LARGEST_SPOOLED = 64 * 1024**3  # bytes; total size of the temporary files
_PIECE = 1024 * 1024  # bytes
_LOCAL_HEADER = 30  # bytes before the name of an entry


class NestedArchives:
    """Opens archives inside archives.

    A stored (uncompressed) archive, as archives of images usually are, is read in place. A compressed archive has no
    random access, so it is unpacked to an unnamed temporary file, which disappears with the process.
    """

    def __init__(self, opened: ExitStack) -> None:
        """`opened` closes the files that are opened here."""
        self._opened = opened
        self._spooled = 0

    def open(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> zipfile.ZipFile:
        """Opens the archive that is an entry of another archive.

        Raises zipfile.BadZipFile when the entry is not an archive, is damaged or encrypted, or would expand too much;
        OSError when it cannot be read or the temporary file cannot be written.
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
        with archive.open(entry) as packed:  # yields at most `file_size` bytes
            shutil.copyfileobj(packed, file, _PIECE)
        return file


def _in_place(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> IO[bytes]:
    outer = archive.fp
    assert outer is not None, "the archive is open"
    outer.seek(entry.header_offset)
    header = outer.read(_LOCAL_HEADER)
    if len(header) < _LOCAL_HEADER or not header.startswith(b"PK\x03\x04"):
        raise zipfile.BadZipFile("has no local header")
    # The lengths of name and extra field in the local header may differ from those in the central directory.
    start = entry.header_offset + _LOCAL_HEADER + sum(struct.unpack("<HH", header[26:30]))
    return io.BufferedReader(_Section(outer, start, entry.file_size))


class _Section(io.RawIOBase):
    """A range of bytes of a file, as a file. Reading moves the outer file's position, like any other reader of it."""

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
