"""Files of the same name in several folders of a released data set: each name gets its own file, or an error."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.pictures import png
from whatif.engine.errors import WhatifError
from whatif.engine.files.image_decoding import decode
from whatif.formats.c_vqa_folder import find_images
from whatif.formats.coco_counterfactuals import read_released_pairs
from whatif.formats.image_folders import each_image, find_pictures
from whatif.formats.released_files import MissingFileError, ReleasedFiles

COLOURS = {"train/a.png": (200, 0, 0), "val/a.png": (0, 200, 0), "b.png": (0, 0, 200)}
PICTURES = {name: png(colour) for name, colour in COLOURS.items()}


def released(path: Path, names: list[str], files: dict[str, bytes], *, packed: bool) -> Path:
    pairs = [
        {"id": number, "caption_0": "a cat", "caption_1": "a dog", "image_0": name, "image_1": "b.png"}
        for number, name in enumerate(names)
    ]
    files = {**files, "examples.jsonl": "\n".join(json.dumps(pair) for pair in pairs).encode()}
    if packed:
        with zipfile.ZipFile(path / "set.zip", "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return path / "set.zip"
    for name, data in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


def shown(row: Any) -> Any:
    return decode(row["image"]["bytes"]).getpixel((0, 0))


packings = pytest.mark.parametrize("packed", [True, False], ids=["zip", "folder"])


@packings
@pytest.mark.parametrize("ending", [".png", ""])
@pytest.mark.parametrize("top", ["", "images/"])
def test_each_name_gets_its_own_picture(packed: bool, ending: str, top: str, tmp_path: Path) -> None:
    files = {f"{top}{name}": data for name, data in PICTURES.items()}
    source = released(tmp_path, [f"train/a{ending}", f"val/a{ending}"], files, packed=packed)
    images: dict[str, Any] = {}
    found = read_released_pairs(source, lambda row: images.update({row["image_id"]: row}))
    assert [shown(images[pair["image_id_0"]]) for pair in found.pairs] == [(200, 0, 0), (0, 200, 0)]


@packings
@pytest.mark.parametrize("name", ["a.png", "a", "test/a.png"])
def test_what_may_be_two_pictures_is_refused(packed: bool, name: str, tmp_path: Path) -> None:
    source = released(tmp_path, [name], PICTURES, packed=packed)
    with pytest.raises(WhatifError, match=r"a\.png may be train/a\.png and val/a\.png, which differ") as error:
        read_released_pairs(source, lambda row: None)
    assert "\n" not in str(error.value)


@packings
def test_one_picture_is_not_that_of_two_names(packed: bool, tmp_path: Path) -> None:
    files = {"images/a.png": PICTURES["val/a.png"], "b.png": PICTURES["b.png"]}
    source = released(tmp_path, ["train/a.png", "val/a.png"], files, packed=packed)
    with pytest.raises(WhatifError, match=r"val/a\.png and train/a\.png are both images/a\.png"):
        read_released_pairs(source, lambda row: None)


@packings
def test_folders_that_were_left_out_and_copies_are_no_fault(packed: bool, tmp_path: Path) -> None:
    same = PICTURES["val/a.png"]
    source = released(tmp_path, ["old/val/a.png"], {"x/a.png": same, "y/a.png": same, **PICTURES}, packed=packed)
    with pytest.raises(WhatifError, match="may be"):
        read_released_pairs(source, lambda row: None)
    (tmp_path / "two").mkdir()
    source = released(
        tmp_path / "two",
        ["old/val/a.png"],
        {"x/a.png": same, "y/a.png": same, "b.png": PICTURES["b.png"]},
        packed=packed,
    )
    assert len(read_released_pairs(source, lambda row: None).pairs) == 1


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    released(tmp_path, [], PICTURES, packed=False)
    return [tmp_path / "train", tmp_path / "val"]


def test_image_folders(folders: list[Path]) -> None:
    found = {name: row for (name, _), row in each_image([("val/a.png", ""), ("a.png", "train")], folders)}
    assert shown(found["val/a.png"]) == (0, 200, 0) and shown(found["a.png"]) == (200, 0, 0)
    with pytest.raises(WhatifError, match="which differ"):
        list(each_image([("a.png", "")], folders))
    with pytest.raises(WhatifError, match="which differ"):
        find_pictures(["a.png"], folders)


def test_a_folder_of_released_questions(tmp_path: Path) -> None:
    released(tmp_path, [], PICTURES, packed=False)
    rows: list[Any] = []
    find_images(["train/a.png", "val/a.png"], tmp_path, rows.append)
    assert [shown(row) for row in rows] == [(200, 0, 0), (0, 200, 0)]
    (tmp_path / "flat").mkdir()
    (tmp_path / "flat" / "a.png").write_bytes(PICTURES["val/a.png"])
    with pytest.raises(WhatifError, match="are both"):
        find_images(["train/a.png", "val/a.png"], tmp_path / "flat", rows.append)


@packings
@pytest.mark.parametrize("names", [["train/a.png", "test/a.png"], ["test/a.png", "train/a.png"]])
def test_a_file_beside_the_metadata_is_not_that_of_another_folder(
    packed: bool, names: list[str], tmp_path: Path
) -> None:
    files = {"train/a.png": PICTURES["train/a.png"], "b.png": PICTURES["b.png"]}
    with pytest.raises(WhatifError, match=r"a\.png are both train/a\.png"):
        read_released_pairs(released(tmp_path, names, files, packed=packed), lambda row: None)


def test_pictures_of_captions_in_several_folders(tmp_path: Path) -> None:
    released(tmp_path, [], PICTURES, packed=False)
    found = find_pictures(["train/a.png", "val/a.png"], [tmp_path]).found
    assert {name: shown(row) for name, row in found.items()} == {"train/a.png": (200, 0, 0), "val/a.png": (0, 200, 0)}
    with pytest.raises(WhatifError, match="are both"):
        find_pictures(["train/a.png", "test/a.png"], [tmp_path / "train"])


NAME_139 = "000000000139.jpg"


def test_photographs_of_one_id_in_several_folders(tmp_path: Path) -> None:
    colours = {"original": (200, 0, 0), "edited": (0, 200, 0)}
    for folder, colour in colours.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / NAME_139).write_bytes(png(colour))
    names = [f"{folder}/{NAME_139}" for folder in colours]
    found = [shown(row) for _, row in each_image([(NAME_139, folder) for folder in sorted(colours)], [tmp_path])]
    assert found == [(0, 200, 0), (200, 0, 0)]
    both = [tmp_path / folder for folder in colours]
    for folders in ([tmp_path], both):
        pictures = find_pictures(names, folders).found
        assert [shown(pictures[name]) for name in names] == list(colours.values())
    for name in (NAME_139, f"COCO_val2014_{NAME_139}"):
        with pytest.raises(WhatifError, match="which differ"):
            find_pictures([name], both)


def test_backslashes_in_a_zip_are_folders(tmp_path: Path) -> None:
    """Old tools of Windows write them."""
    path = tmp_path / "set.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("train/a.png", "val/a.png"):
            entry = zipfile.ZipInfo()
            entry.filename = name.replace("/", "\\")
            archive.writestr(entry, PICTURES[name])
        entry = zipfile.ZipInfo()
        entry.filename = "..\\b.png"
        archive.writestr(entry, PICTURES["b.png"])
    with ReleasedFiles(path) as files:
        assert files.read(files.find("val/a.png")) == PICTURES["val/a.png"]
        with pytest.raises(MissingFileError):
            files.find("b.png")
