"""Images that cannot be decoded, wherever images are read: a rejected row for any error of the decoder."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageFile

from tests.bad_inputs.broken_pictures import BROKEN, PNG, encoded
from whatif.benchmarks.cvqa_synthetic.flowers import icons50_flowers
from whatif.engine import artifacts
from whatif.engine.artifacts.images import ImageStore, SortedImages, image_row
from whatif.engine.artifacts.schemas import IMAGES, REJECTIONS
from whatif.engine.artifacts.writer import ArtifactWriter, write_artifact
from whatif.engine.files.image_decoding import UnreadableImageError, decode
from whatif.formats.coco_counterfactuals import read_released_pairs
from whatif.formats.image_folders import find_pictures

CASES = [pytest.param(data, id=name) for name, data in BROKEN.items()]
NAME = "COCO_val2014_000000000007.jpg"


@pytest.mark.parametrize("data", CASES)
def test_a_stored_picture(data: bytes, tmp_path: Path) -> None:
    """The image as a model, a filter or an annotator gets it."""
    row = image_row(data, 8, 8, "test", "CC0-1.0")
    with ArtifactWriter(tmp_path / "images.parquet", IMAGES) as writer, SortedImages(writer) as images:
        images.add(row)
    with pytest.raises(UnreadableImageError) as error:
        ImageStore([tmp_path / "images.parquet"]).get(row["image_id"])
    said = str(error.value)
    assert said.startswith(f"image {row['image_id']} ({len(data)} bytes): ")
    assert " at 0x" not in said and said.isprintable()


@pytest.mark.parametrize("data", CASES)
def test_a_picture_of_icons_50(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "flower").mkdir()
    (tmp_path / "flower/good.png").write_bytes(PNG)
    (tmp_path / "flower/bad.png").write_bytes(data)
    found, rejected = icons50_flowers(tmp_path, ["flower"], 32)
    assert [row["source"] for row in found] == ["icons-50:flower/good.png"]
    assert [(row["item_id"], row["reason"]) for row in rejected] == [("flower/bad.png", "unreadable")]
    assert rejected[0]["detail"] and " at 0x" not in rejected[0]["detail"]
    write_artifact(tmp_path / "rejections.parquet", REJECTIONS, rejected)


@pytest.mark.parametrize("data", CASES)
def test_a_photograph(data: bytes, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(data)
    (tmp_path / "other.jpg").write_bytes(data)
    found = find_pictures([NAME, "other.jpg"], [tmp_path])
    assert not found.found
    assert {name: reason for name, (reason, _) in found.missing.items()} == dict.fromkeys(
        (NAME, "other.jpg"), "picture unreadable"
    )


@pytest.mark.parametrize("data", CASES)
def test_a_picture_of_a_released_pair(data: bytes, tmp_path: Path) -> None:
    line = {"id": "1", "caption_0": "a cat", "caption_1": "a dog", "image_0": "good.png", "image_1": "bad.png"}
    (tmp_path / "examples.jsonl").write_text(json.dumps(line))
    (tmp_path / "good.png").write_bytes(PNG)
    (tmp_path / "bad.png").write_bytes(data)
    released = read_released_pairs(tmp_path, lambda row: None)
    assert not released.pairs and released.reasons == {"picture unreadable": 1}
    write_artifact(tmp_path / "rejections.parquet", REJECTIONS, released.rejections)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "PPM", "ICO", "JPEG2000"])
def test_formats_of_data_sets_are_decoded(kind: str) -> None:
    assert decode(encoded(kind)).mode == "RGB"


RAISED = [RuntimeError, NotImplementedError, SyntaxError, KeyError, ZeroDivisionError, AssertionError, RecursionError]


@pytest.mark.parametrize("kind", RAISED)
def test_whatever_a_decoder_raises(kind: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise kind("line one\nline two")

    monkeypatch.setattr(ImageFile.ImageFile, "load", fail)
    with pytest.raises(UnreadableImageError) as error:
        decode(PNG)
    assert error.value.kind == kind.__name__ and "\n" not in error.value.said


def test_no_memory_is_no_fault_of_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(ImageFile.ImageFile, "load", fail)
    with pytest.raises(MemoryError):
        decode(PNG)


# How a file in a folder is made that is not an image, by the name of the case.
ODD: list[tuple[str, Callable[[Path], object]]] = [
    ("a folder", lambda path: path.mkdir()),
    ("a named pipe", os.mkfifo),
    ("a device", lambda path: path.symlink_to("/dev/zero")),
    ("a link to nothing", lambda path: path.symlink_to("nothing")),
    ("a link to itself", lambda path: path.symlink_to(path.name)),
    ("a link to the folder", lambda path: path.symlink_to(path.parent)),
]


@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in ODD])
def test_what_is_no_file_in_a_folder_of_icons_50(make: Callable[[Path], object], tmp_path: Path) -> None:
    (tmp_path / "flower").mkdir()
    (tmp_path / "flower/good.png").write_bytes(PNG)
    make(tmp_path / "flower/bad.png")
    found, _ = icons50_flowers(tmp_path, ["flower"], 32)
    assert [row["source"] for row in found] == ["icons-50:flower/good.png"]


@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in ODD])
def test_what_is_no_file_in_a_folder_of_photographs(make: Callable[[Path], object], tmp_path: Path) -> None:
    make(tmp_path / NAME)
    make(tmp_path / "other.jpg")
    assert not find_pictures([NAME, "other.jpg"], [tmp_path]).found


@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in ODD])
def test_what_is_no_file_in_a_released_folder(make: Callable[[Path], object], tmp_path: Path) -> None:
    line = {"id": "1", "caption_0": "a cat", "caption_1": "a dog", "image_0": "good.png", "image_1": "bad.png"}
    (tmp_path / "examples.jsonl").write_text(json.dumps(line))
    (tmp_path / "good.png").write_bytes(PNG)
    make(tmp_path / "bad.png")
    make(tmp_path / "more.zip")
    assert read_released_pairs(tmp_path, lambda row: None).reasons == {"picture missing": 1}


NAMES = [b"caf\xe9.png", b"\xff\xfe.png", b"\xed\xa0\x80.png", b"a\nb.png", b"\x1b[2J.png", b"$(id).png"]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_name_that_is_no_text(name: bytes, tmp_path: Path) -> None:
    (tmp_path / "flower").mkdir()
    (tmp_path / "flower" / os.fsdecode(name)).write_bytes(PNG)
    (tmp_path / "flower" / os.fsdecode(b"bad" + name)).write_bytes(b"nothing")
    found, rejected = icons50_flowers(tmp_path, ["flower"], 32)
    assert len(found) == len(rejected) == 1
    assert found[0]["source"].isprintable() and rejected[0]["item_id"].isprintable()
    with ArtifactWriter(tmp_path / "images.parquet", IMAGES) as writer, SortedImages(writer) as images:
        images.add(found[0])
    assert artifacts.footer_of(tmp_path / "images.parquet").rows == 1


def test_a_picture_is_decoded_alike_in_another_order() -> None:
    """Less common formats are recognised from the first image on."""
    assert Image.open(io.BytesIO(PNG)).size == decode(PNG).size
