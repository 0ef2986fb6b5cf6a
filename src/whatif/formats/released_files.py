"""Finds the files of a released data set by name, in a folder or in zip archives, without unpacking them.

The paths inside a data set are untrusted: a name is compared with those of the existing files, so one with `..` or a
leading slash cannot reach any other file.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, Self

from whatif.engine.errors import WhatifError
from whatif.engine.files.image_decoding import LARGEST_PICTURE
from whatif.engine.files.well_formed import escaped
from whatif.formats.file_names import ends_in, named

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


MOST_FILES = 1_000_000  # in all archives
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".PNG", ".JPG", ".JPEG")  # tried if a name has no suffix


class MissingFileError(LookupError):
    """No such file; the message names what was looked for."""


class UnreadableFileError(OSError):
    """The file exists but cannot be read; the message gives the reason."""


class ReleasedFiles:
    """The files of a folder and of the zip archives in it, or of one archive and of the archives in it.

    Archives nested more deeply are not opened. Use as a context manager.

    Raises WhatifError when the folder or archive does not exist, when an archive is damaged or would expand too much,
    and when the archives have more than `MOST_FILES` files.
    """

    def __init__(self, source: Path) -> None:
        self._source = source
        self._files: dict[str, list[tuple[str, int, Callable[[], bytes]]]] = {}  # file name -> its paths
        self._opened = ExitStack()
        self._nested = NestedArchives(self._opened)
        self._number = 0  # of files in archives
        self._taken: dict[str, str] = {}  # path -> the name that means it
        if source.is_dir():
            for path in sorted(source.rglob("*")):
                if path.is_file():
                    self._add(str(path.relative_to(source)), path.stat().st_size, path.read_bytes)
            for path in sorted(source.rglob("*.zip")):
                if path.is_file():
                    self._add_archive(path)
        elif source.is_file():
            self._add_archive(source)
        else:
            raise WhatifError(f"{source}: no such file; give the folder or the zip of a released data set")

    def find(self, name: str, suffixes: tuple[str, ...] = ("",), beside: str = "") -> str:
        """The path of the file with this name and one of `suffixes`, as `named` chooses it.

        A name is first taken as a path from the folder of the file `beside`. Raises MissingFileError that names what
        was looked for, and WhatifError when the name may mean several different files.
        """
        path = PurePosixPath(name.replace("\\", "/"))
        last = path.name
        for fits in (ends_in, lambda *_: True):
            for suffix in suffixes if last else ():
                places = {place: None for place, _, _ in self._files.get(f"{last}{suffix}", ())}
                inside = str(PurePosixPath(beside).parent / f"{path}{suffix}")
                if inside in places:
                    return named(f"{path}{suffix}", [inside], self._taken, self._digest, str(self._source))
                if any(fits(place, f"{path}{suffix}") for place in places):
                    return named(f"{path}{suffix}", list(places), self._taken, self._digest, str(self._source))
        tried = ", ".join(f"{last[:60]}{suffix}" for suffix in suffixes)
        raise MissingFileError(f"none of {tried} is in {self._source.name}")

    def picture(self, name: str, beside: str = "") -> str:
        """The path of an image whose name may lack a suffix. Raises as `find`."""
        return self.find(name, ("", *SUFFIXES), beside)

    def read(self, place: str, largest: int = LARGEST_PICTURE) -> bytes:
        """The bytes of a file. Raises UnreadableFileError when it cannot be read or has more than `largest` bytes."""
        found = next(known for known in self._files[PurePosixPath(place).name] if known[0] == place)
        _, size, read = found
        if size > largest:
            raise UnreadableFileError(f"{escaped(place)} has {size:,} bytes; a file here has {largest:,} at most")
        try:
            return read()
        except (OSError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError) as error:
            raise UnreadableFileError(f"{escaped(place)} cannot be read ({type(error).__name__})") from error

    def _digest(self, place: str) -> str:
        try:
            return hashlib.sha256(self.read(place)).hexdigest()
        except UnreadableFileError:
            return place  # like no other file

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._files))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    def _add(self, place: str, size: int, read: Callable[[], bytes]) -> None:
        if place.startswith("/") or ".." in PurePosixPath(place).parts:
            return  # an entry that would be unpacked outside of the data set
        self._files.setdefault(PurePosixPath(place).name, []).append((place, size, read))

    def _add_archive(self, path: Path) -> None:
        inside = "" if path == self._source else f"{path.relative_to(self._source)}/"
        archive = self._archive(str(path), lambda: self._opened.enter_context(zipfile.ZipFile(path)))
        for entry in self._entries(archive, str(path)):
            place = f"{inside}{_with_slashes(entry)}"
            if not place.lower().endswith(".zip"):
                self._add(place, entry.file_size, partial(archive.read, entry))
                continue
            name = f"{path}: {entry.filename[:120]}"
            nested = self._archive(name, partial(self._nested.open, archive, entry))
            for inner in self._entries(nested, name):
                self._add(f"{place}/{_with_slashes(inner)}", inner.file_size, partial(nested.read, inner))

    def _archive(self, name: str, opened: Callable[[], zipfile.ZipFile]) -> zipfile.ZipFile:
        try:
            return opened()
        except OSError as error:
            self._opened.close()
            raise WhatifError(f"{name}: cannot be opened ({error.strerror or error})") from error
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:
            # A ValueError is raised for a name that does not match the encoding that the archive declares.
            self._opened.close()
            raise WhatifError(f"{name}: is not a complete zip archive ({error}); download it again") from error

    def _entries(self, archive: zipfile.ZipFile, name: str) -> Iterator[zipfile.ZipInfo]:
        """The files of an archive in order of their names."""
        entries = sorted((entry for entry in archive.infolist() if not entry.is_dir()), key=lambda one: one.filename)
        self._number += len(entries)
        if self._number > MOST_FILES:
            self._opened.close()
            raise WhatifError(f"{name}: holds more than {MOST_FILES:,} files; give only the data set")
        return iter(entries)


def _with_slashes(entry: zipfile.ZipInfo) -> str:
    """The path of an entry: old tools of Windows write backslashes."""
    return entry.filename.replace("\\", "/")


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
