"""The bundled site as one zip file, whose bytes follow from its files alone; and its extraction into a folder."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path, PurePosixPath

from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole

BUNDLE = "site.zip"  # beside this module
INDEX = "index.html"
MARK = "whatif-demo.txt"  # in an extracted folder: the digest of the bundle that it is of
_TABLES = "tables"  # the folder of a benchmark with its result tables
_TIME = (1980, 1, 1, 0, 0, 0)  # the first that a zip file can have


def packed(files: Mapping[str, bytes]) -> bytes:
    """A zip file of files by path; the same files give the same bytes with one zlib."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[path])
    return out.getvalue()


def bundle() -> bytes:
    """The zip file that ships with whatif. Raises WhatifError when the installation lacks it."""
    try:
        return resources.files(__package__).joinpath(BUNDLE).read_bytes()
    except FileNotFoundError as error:
        raise WhatifError(
            f"{error.filename}: the bundled results are not installed; in a checkout, `make demo` makes them from the "
            "default run"
        ) from error


def tables_of(benchmark: str) -> dict[str, bytes]:
    """The result tables of a benchmark as CSV, by name. Raises WhatifError for a benchmark that is not bundled."""
    with zipfile.ZipFile(io.BytesIO(bundle())) as archive:
        paths = [PurePosixPath(name) for name in archive.namelist()]
        found = [path for path in paths if path.match(f"*/{_TABLES}/*.csv")]
        if all(path.parts[0] != benchmark for path in found):
            raise WhatifError(
                f"{benchmark}: is not among the bundled results; these are "
                f"{', '.join(sorted({path.parts[0] for path in found}))}"
            )
        return {path.stem: archive.read(str(path)) for path in found if path.parts[0] == benchmark}


def unpack(data: bytes, folder: Path) -> bool:
    """Writes the files of a zip file into a folder, which is made if it does not exist; returns whether it wrote any.

    A folder that already has these files stays as it is, and one with an older bundle is replaced. Raises WhatifError
    for a folder with other files, for a path that leads out of the folder, and when something cannot be written.
    """
    digest = hashlib.sha256(data).hexdigest()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    if folder.exists() and not folder.is_dir():
        raise WhatifError(f"{folder}: is not a folder; give --folder another name")
    mark = folder / MARK
    if mark.is_file():
        told, *paths = mark.read_text(encoding="utf-8", errors="replace").splitlines()
        if told == digest and all((folder / path).is_file() for path in files):
            return False
        _remove(folder, paths)
    elif folder.is_dir() and next(folder.iterdir(), None) is not None:
        raise WhatifError(f"{folder}: has other files; give --folder a new or an empty folder")
    write_whole(mark, "\n".join(["unfinished", *sorted(files), ""]).encode(), durable=False)
    for path, content in files.items():
        write_whole(_inside(folder, path), content, durable=False)
    write_whole(mark, "\n".join([digest, *sorted(files), ""]).encode(), durable=False)
    return True


def _remove(folder: Path, paths: list[str]) -> None:
    """Removes the files of an older bundle; others stay."""
    for path in filter(None, paths):
        _inside(folder, path).unlink(missing_ok=True)


def _inside(folder: Path, path: str) -> Path:
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or not parts.parts:
        raise WhatifError(f"{folder}: the path {path!r} of the bundle leads out of the folder; install whatif again")
    return folder.joinpath(*parts.parts)
