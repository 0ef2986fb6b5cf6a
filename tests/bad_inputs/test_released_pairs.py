"""Released pairs of images: untrusted folders and zips."""

from __future__ import annotations

import io
import json
import os
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bad_inputs.broken_pictures import PNG, encoded
from tests.bad_inputs.outcome import nothing_written, refusal
from whatif.engine.artifacts.images import SortedImages
from whatif.engine.artifacts.schemas import IMAGES, PAIRS, REJECTIONS
from whatif.engine.artifacts.writer import ArtifactWriter, write_artifact
from whatif.formats.coco_counterfactuals import read_released_pairs

GOOD = {"id": "1", "caption_0": "a cat", "caption_1": "a dog", "image_0": "a.png", "image_1": "b.png"}
SMALL = encoded("PNG", (8, 8))
OTHER = encoded("PNG", turned=180)


def line(**changes: Any) -> bytes:
    return json.dumps({**GOOD, **changes}).encode()


def lacks(field: str) -> bytes:
    return json.dumps({key: value for key, value in GOOD.items() if key != field}).encode()


# An invalid line beside a valid one, the reason, and a part of the detail where it says more.
LINES: list[tuple[str, bytes, str] | tuple[str, bytes, str, str]] = [
    ("no JSON", b"{", "not JSON"),
    ("a list", b"[]", "not JSON"),
    ("a number", b"7", "not JSON"),
    ("null", b"null", "not JSON"),
    ("100,000 deep", b"[" * 100_000, "not JSON"),
    ("a number of 5,000 digits", b'{"id": ' + b"9" * 5000 + b"}", "not JSON"),
    ("Latin-1", b'{"id": "\xe9"}', "not JSON"),
    ("null bytes", b"\0" * 20, "not JSON"),
    *((f"no {field}", lacks(field), "field missing") for field in GOOD),
    ("id of another line", line(id="good"), "duplicate id", "id good is that of line 1"),
    ("id of null", line(id=None), "field missing"),
    ("id of a bool", line(id=True), "field of another kind"),
    ("id of an object", line(id={}), "field of another kind"),
    ("id of a float", line(id=1.5), "field of another kind"),
    ("id of spaces", line(id="  "), "field of another kind"),
    ("id of half a surrogate pair", line(id="\ud800"), "field of another kind"),
    ("caption of a number", line(caption_0=7), "field of another kind"),
    ("caption of a list", line(caption_1=["a dog"]), "field of another kind"),
    ("caption of spaces", line(caption_0=" \n"), "field empty"),
    ("caption of half a surrogate pair", line(caption_0="\udfff cat"), "field of another kind"),
    ("captions alike", line(caption_1="a cat"), "captions do not differ"),
    ("picture of a list", line(image_0=["a.png"]), "field of another kind"),
    ("picture of a bool", line(image_0=True), "field of another kind"),
    ("picture of nothing", line(image_0=""), "field empty"),
    ("picture not there", line(image_0="c.png"), "picture missing"),
    ("picture outside", line(image_0="../../../../etc/passwd"), "picture missing"),
    ("picture at the root", line(image_0="/etc/passwd"), "picture missing"),
    ("picture of this folder", line(image_0="."), "picture missing"),
    ("picture of the folder above", line(image_0=".."), "picture missing"),
    ("picture of a share", line(image_0="\\\\host\\share\\x.png"), "picture missing"),
    ("picture of a null character", line(image_0="a.png\0.jpg"), "picture missing"),
    ("picture of half a surrogate pair", line(image_0="\ud800.png"), "field of another kind"),
    ("picture of 10,000 characters", line(image_0="x" * 10_000), "picture missing"),
    ("picture that is the list", line(image_0="examples.jsonl"), "picture unreadable"),
    ("pictures of two sizes", line(image_0="c_small.png"), "pictures of different sizes", "8 x 8 and 32 x 24 pixels"),
]


@pytest.mark.parametrize("packed", [False, True], ids=["folder", "zip"])
@pytest.mark.parametrize(
    ("bad", "reason", "detail"), [pytest.param(*rest, *[""][len(rest) - 2 :], id=name) for name, *rest in LINES]
)
def test_a_line_that_is_no_pair_is_a_rejected_row(
    bad: bytes, reason: str, detail: str, packed: bool, tmp_path: Path
) -> None:
    files = {"examples.jsonl": line(id="good") + b"\n" + bad, "a.png": PNG, "b.png": OTHER, "c_small.png": SMALL}
    source = tmp_path / "source"
    if packed:
        with zipfile.ZipFile(source, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
    else:
        source.mkdir()
        for name, data in files.items():
            (source / name).write_bytes(data)
    with ArtifactWriter(tmp_path / "images.parquet", IMAGES) as writer, SortedImages(writer) as images:
        released = read_released_pairs(source, images.add)
    assert [row["pair_id"] for row in released.pairs] == ["good"]
    (rejected,) = released.rejections
    assert (rejected["item_id"], rejected["reason"]) == ("line-000002", reason)
    assert rejected["detail"].startswith("line 2: ") and detail in rejected["detail"] and len(rejected["detail"]) < 600
    write_artifact(tmp_path / "rejections.parquet", REJECTIONS, released.rejections)
    write_artifact(tmp_path / "pairs.parquet", PAIRS, released.pairs)


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "."), data)
    return out.getvalue()


WHOLE = zipped(examples__jsonl=line(), a__png=PNG, b__png=OTHER)


def with_name(old: bytes, new: bytes, flag: int = 0) -> bytes:
    """The archive with the name of an entry replaced by one of the same length, and its UTF-8 flag set."""
    data = bytearray(WHOLE.replace(old, new))
    for signature, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = data.find(signature)
        while at >= 0:
            data[at + place + 1] |= flag
            at = data.find(signature, at + 1)
    return bytes(data)


ARCHIVES: list[tuple[str, bytes, str]] = [
    ("empty", b"", ": is not a complete zip archive"),
    ("text", b"id,caption", ": is not a complete zip archive"),
    ("cut off", WHOLE[:200], ": is not a complete zip archive"),
    ("without its directory", WHOLE[: WHOLE.rfind(b"PK\1\2")], ": is not a complete zip archive"),
    ("end alone", b"PK\5\6" + b"\xff" * 18, ": is not a complete zip archive"),
    ("name that is no UTF-8", with_name(b"a.png", b"\xff\xfe\xff\xfe\xff", flag=8), ": is not a complete zip archive"),
    ("nothing in it", zipped(), ": has no examples.jsonl"),
    ("another list", zipped(captions__jsonl=line()), ": has no examples.jsonl and no metadata.jsonl; give the folder"),
    ("names of another list", zipped(captions__jsonl=line()), "(found: captions.jsonl)"),
    ("list that is no UTF-8", zipped(examples__jsonl=b"\xff\xfe\n\n[]\n"), "has no line that is a JSON object"),
    ("list empty", zipped(examples__jsonl=b""), "examples.jsonl has no line that is a JSON object"),
    ("list of no objects", zipped(examples__jsonl=b"7\n[]\n"), "examples.jsonl has no line that is a JSON object"),
    ("list cut off", zipped(examples__jsonl=b'{"id"'), "examples.jsonl has no line that is a JSON object"),
]


@pytest.mark.parametrize(("data", "words"), [pytest.param(*rest, id=name) for name, *rest in ARCHIVES])
def test_an_archive_that_is_none(data: bytes, words: str, tmp_path: Path) -> None:
    source = tmp_path / "released.zip"
    source.write_bytes(data)
    with nothing_written(tmp_path):
        said = refusal(lambda: read_released_pairs(source, lambda row: None))
    assert said.startswith(str(source)) and words in said, said


@pytest.mark.parametrize(("data", "words"), [pytest.param(*rest, id=name) for name, *rest in ARCHIVES[:6]])
def test_an_archive_that_is_none_in_a_folder(data: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "examples.jsonl").write_bytes(line())
    (tmp_path / "images.zip").write_bytes(data)
    said = refusal(lambda: read_released_pairs(tmp_path, lambda row: None))
    assert said.startswith(str(tmp_path / "images.zip")) and words in said, said


# Field -> its format, and its place in the directory and before the entry.
_FIELDS = {"flag": ("<H", 8, 6), "method": ("<H", 10, 8), "crc": ("<I", 16, 14), "size": ("<I", 24, 22)}


def patched(entry: str, **fields: int) -> bytes:
    """An archive whose directory has other values for an entry: `size` unpacked, `method`, `flag`, `crc`."""
    data = bytearray(WHOLE)
    at = data.find(b"PK\1\2")
    while data[at + 46 : at + 46 + len(entry)] != entry.encode():
        at = data.find(b"PK\1\2", at + 1)
    local = struct.unpack_from("<I", data, at + 42)[0]
    for name, value in fields.items():
        form, here, there = _FIELDS[name]
        struct.pack_into(form, data, at + here, value)
        struct.pack_into(form, data, local + there, value)
    return bytes(data)


def bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("examples.jsonl", line())
        archive.writestr("b.png", OTHER)
        with archive.open("a.png", "w") as entry:
            for _ in range(200):
                entry.write(b"\0" * 1_000_000)
    return out.getvalue()


def link() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("examples.jsonl", line())
        archive.writestr("b.png", OTHER)
        entry = zipfile.ZipInfo("a.png")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    return out.getvalue()


def named(name: str, data: bytes = PNG) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("examples.jsonl", line())
        archive.writestr("b.png", OTHER)
        archive.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


# An archive with an unreadable image, and the reason and detail of its pair.
ENTRIES: list[tuple[str, Callable[[], bytes], str, str]] = [
    ("a bomb of 200 MB", bomb, "picture unreadable", "a.png has 200,000,000 bytes; a file here has 67,108,864 at most"),
    ("4 GB, it says", lambda: patched("a.png", size=2**32 - 2), "picture unreadable", "a.png has 4,294,967,294 bytes"),
    ("less than it says", lambda: patched("a.png", size=10), "picture unreadable", "a.png"),
    ("a wrong checksum", lambda: patched("a.png", crc=7), "picture unreadable", "a.png cannot be read (BadZipFile)"),
    ("a password", lambda: patched("a.png", flag=1), "picture unreadable", "a.png cannot be read (RuntimeError)"),
    ("unknown packing", lambda: patched("a.png", method=99), "picture unreadable", "(NotImplementedError)"),
    ("packed otherwise", lambda: patched("a.png", method=14), "picture unreadable", "a.png cannot be read"),
    ("a symbolic link", link, "picture unreadable", "a.png: UnidentifiedImageError"),
    ("a folder of that name", lambda: named("a.png/", b""), "picture missing", "none of a.png"),
    ("the name of another", lambda: named("xa.png"), "picture missing", "none of a.png"),
]


@pytest.mark.parametrize(("make", "reason", "detail"), [pytest.param(*rest, id=name) for name, *rest in ENTRIES])
def test_an_entry_that_is_no_picture_is_a_rejected_row(
    make: Callable[[], bytes], reason: str, detail: str, tmp_path: Path
) -> None:
    source = tmp_path / "released.zip"
    source.write_bytes(make())
    with nothing_written(tmp_path):
        (rejected,) = read_released_pairs(source, lambda row: None).rejections
    assert rejected["reason"] == reason and detail in rejected["detail"], rejected


@pytest.mark.parametrize(
    "name", ["../../a.png", "/a.png", "C:\\a.png", "x/../../../a.png", "~/a.png", "a\0b/a.png", "\x1b[2J/a.png"]
)
def test_a_name_in_an_archive_leads_nowhere(name: str, tmp_path: Path) -> None:
    """Files in the archive are found by the last part of their name, and nothing is unpacked."""
    source = tmp_path / "in" / "released.zip"
    source.parent.mkdir()
    source.write_bytes(named(name))
    with nothing_written(tmp_path):
        read = read_released_pairs(source, lambda row: None)
    assert len(read.pairs) + len(read.rejections) == 1


def test_an_entry_twice_is_read_once(tmp_path: Path) -> None:
    source = tmp_path / "released.zip"
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(source, "w") as archive:
        archive.writestr("examples.jsonl", line())
        archive.writestr("b.png", OTHER)
        archive.writestr("a.png", PNG)
        archive.writestr("a.png", b"no picture")
    assert len(read_released_pairs(source, lambda row: None).pairs) == 1


def test_a_line_of_a_gigabyte_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "examples.jsonl").touch()
    os.truncate(tmp_path / "examples.jsonl", 2**30 + 1)
    said = refusal(lambda: read_released_pairs(tmp_path, lambda row: None))
    assert said == f"{tmp_path}: examples.jsonl has 1,073,741,825 bytes; a file here has 1,073,741,824 at most"
