"""The released data set is read: every line is a pair or has a reason."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.pictures import png
from tests.released_captions import needs_released_captions, released_captions
from whatif.artifacts.schemas import PAIRS, REJECTIONS
from whatif.artifacts.writer import write_artifact
from whatif.errors import WhatifError
from whatif.formats.coco_counterfactuals import ReleasedPairs, read_released_pairs


def example(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "id": number,
        "caption_0": f"A man on horse {number}",
        "caption_1": f"A woman on horse {number}",
        "image_0": f"{number}_0",
        "image_1": f"{number}_1",
        **changes,
    }


def jpeg(shade: int, size: tuple[int, int] = (8, 8)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, (8 * shade % 256, 0, 0)).save(out, "JPEG")  # 8: closer shades may decode to the same pixels
    return out.getvalue()


def text_of(*examples: Any) -> bytes:
    return "".join(f"{json.dumps(one) if isinstance(one, dict) else one}\n" for one in examples).encode()


FILES = {
    "examples.jsonl": text_of(example(12), example(3)),
    "images/12_0.jpg": jpeg(1),
    "images/12_1.jpg": jpeg(2),
    "images/3_0.jpg": jpeg(3),
    "images/3_1.jpg": jpeg(4),
}


def folder_of(path: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


def zip_of(path: Path, files: dict[str, bytes]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def read(source: Path) -> tuple[ReleasedPairs, dict[str, dict[str, Any]]]:
    kept: dict[str, dict[str, Any]] = {}
    found = read_released_pairs(source, lambda row: kept.update({row["image_id"]: dict(row)}))
    return found, kept


def test_a_folder_is_read(tmp_path: Path) -> None:
    found, kept = read(folder_of(tmp_path, FILES))
    assert [row["pair_id"] for row in found.pairs] == ["12", "3"] and found.rejections == []
    row = found.pairs[0]
    assert (row["candidate"], row["caption_0"], row["subject_0"], row["subject_1"]) == (
        0,
        "A man on horse 12",
        "man",
        "woman",
    )
    assert (row["p"], row["guidance"], row["seed"], row["directional"]) == (0.0, 0.0, 0, None)
    provenance = json.loads(row["provenance"])
    assert provenance["released"] is True and provenance["image_0"] == "12_0"
    assert {"similarity", "perplexity", "human", "relation", "image_id"} <= set(provenance)
    assert provenance["human"] is True
    assert len(kept) == 4
    shown = kept[row["image_id_0"]]
    assert (shown["width"], shown["height"], shown["licence"]) == (8, 8, "CC-BY-4.0")
    assert shown["image"]["bytes"] == FILES["images/12_0.jpg"]
    write_artifact(tmp_path / "pairs.parquet", PAIRS, found.pairs)


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize(
    "form",
    [
        *("zip", "zip in a folder", "nested zip", "data folder", "zip in a zip", "packed zip in a zip in a folder"),
        *("folder of the hub", "folder of the hub with both lists"),
    ],
)
def test_wherever_the_files_are_the_rows_are_the_same(tmp_path: Path, form: str) -> None:
    plain, _ = read(folder_of(tmp_path / "plain", FILES))
    if form == "zip":
        source = zip_of(tmp_path / "all.zip", FILES)
    elif form == "nested zip":
        source = zip_of(
            tmp_path / "all.zip", {f"COCO-Counterfactuals/data/{name}": data for name, data in FILES.items()}
        )
    elif form == "zip in a folder":
        source = tmp_path / "release"
        zip_of(source / "data" / "images.zip", {name: data for name, data in FILES.items() if "images" in name})
        folder_of(source / "data", {"examples.jsonl": FILES["examples.jsonl"]})
    elif "zip in a zip" in form:
        pictures = zipped({name: data for name, data in FILES.items() if "images" in name})
        files = {"data/examples.jsonl": FILES["examples.jsonl"], "data/images.zip": pictures}
        method = zipfile.ZIP_DEFLATED if form.startswith("packed") else zipfile.ZIP_STORED
        source = folder_of(tmp_path / "release", {"all.zip": zipped(files, method)})
        source = source if form.endswith("folder") else source / "all.zip"
    elif form.startswith("folder of the hub"):
        files = {name: data for name, data in FILES.items() if "images" in name}
        listed = {"data/metadata.jsonl": FILES["examples.jsonl"]}
        if form.endswith("both lists"):
            listed = {"metadata.jsonl": text_of(example(1)), "examples.jsonl": FILES["examples.jsonl"]}
        source = folder_of(tmp_path / "hub", {**listed, "data/images.zip": zipped(files)})
    else:
        source = folder_of(tmp_path / "release", {f"data/{name}": data for name, data in FILES.items()})
    before = sorted(tmp_path.rglob("*"))
    found, _ = read(source)
    assert found == plain
    assert sorted(tmp_path.rglob("*")) == before  # nothing is unpacked


def test_names_with_or_without_what_the_bytes_are(tmp_path: Path) -> None:
    files = {
        "examples.jsonl": text_of(
            example(1, image_0="1_0.png", image_1="1_1"), example(2, image_0="images/2_0", image_1="./2_1.jpeg")
        ),
        "1_0.png": png((1, 1, 1)),
        "1_1.PNG": png((1, 1, 2)),
        "x/2_0.jpeg": jpeg(9),
        "x/2_1.jpeg": jpeg(10),
    }
    assert len(read(folder_of(tmp_path, files))[0].pairs) == 2


def test_every_line_that_is_no_pair_has_its_reason(tmp_path: Path) -> None:
    lines = [
        example(12),
        "not json",
        "[1]",
        {"caption_0": "x"},
        example(12),  # again
        example(4),  # no image
        example(5, image_0="12_0", image_1="broken"),
        example(6, image_0="12_0", image_1="large"),
        example(7, caption_1="A man on horse 7."),
        {key: value for key, value in example(8).items() if key != "caption_1"},
        example(9, caption_0=7),
        example(10, caption_0="  "),
        example(11, id=True),
        '{"id": "\\ud800", "caption_0": "a", "caption_1": "b", "image_0": "12_0", "image_1": "12_1"}',
        "",
        example(13, image_0="../../outside"),
        example(14, image_0="/etc/passwd"),
        example(15, image_0=".."),
        example(16, image_0="12_0", image_1="cut"),
    ]
    files = {
        **FILES,
        "examples.jsonl": text_of(*lines),
        "images/broken.jpg": b"no picture",
        "images/large.jpg": jpeg(1, (9, 8)),
        "images/cut.jpg": jpeg(1, (64, 64))[:300],
    }
    (tmp_path / "outside.png").write_bytes(png((0, 0, 0)))
    found, kept = read(folder_of(tmp_path / "deep" / "release", files))
    assert [row["pair_id"] for row in found.pairs] == ["12"] and len(kept) == 2
    assert len(found.rejections) == 17
    assert found.reasons == Counter(
        {
            "not JSON": 2,
            "field missing": 2,
            "duplicate id": 1,
            "picture missing": 4,
            "picture unreadable": 2,
            "pictures of different sizes": 1,
            "captions do not differ": 1,
            "field of another kind": 3,
            "field empty": 1,
        }
    )
    details = {row["item_id"]: row["detail"] for row in found.rejections}
    assert "4_0.jpg" in details["line-000006"] and "line 6" in details["line-000006"]
    assert "8 x 8 and 9 x 8 pixels" in details["line-000008"]
    assert "line 1" in details["line-000005"]
    write_artifact(tmp_path / "rejections.parquet", REJECTIONS, found.rejections)


def test_a_stored_archive_is_read_wherever_it_lies_in_the_other(tmp_path: Path) -> None:
    pictures = {f"{number}_{side}.png": png((number, side, 9)) for number in range(40) for side in (0, 1)}
    lines = text_of(*(example(number) for number in range(40)))
    # A larger file before it, and names of several lengths, so that offsets differ in both files.
    outer = {"readme": bytes(70_000), "a/much/longer/name/of/images.zip": zipped(pictures), "examples.jsonl": lines}
    found, kept = read(zip_of(tmp_path / "all.zip", outer))
    assert found.rejections == [] and len(found.pairs) == 40
    assert {row["image"]["bytes"] for row in kept.values()} == set(pictures.values())


def bomb(size: int) -> bytes:
    return zipped({"images.zip": zipped({"0.png": bytes(size)}), "examples.jsonl": b"{}"}, zipfile.ZIP_DEFLATED)


def test_an_archive_that_grows_out_of_all_proportion_is_not_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bomb.zip").write_bytes(bomb(40 * 1024 * 1024))
    monkeypatch.setattr("tempfile.TemporaryFile", lambda: pytest.fail("the archive was unpacked"))
    with pytest.raises(WhatifError, match=r"bomb\.zip: images\.zip: .* \(would grow from .* to 41,"):
        read(tmp_path / "bomb.zip")


def test_archives_in_archives_take_no_more_room_than_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "all.zip").write_bytes(bomb(1_000_000))
    monkeypatch.setattr("whatif.formats.nested_archives.LARGEST_SPOOLED", 500_000)
    with pytest.raises(WhatifError, match="take more than 500,000 bytes; unpack them"):
        read(tmp_path / "all.zip")


def test_what_an_archive_says_of_its_size_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the outer archive's directory declares a small size for the inner one, no more than that is unpacked."""
    whole = bytearray(bomb(5_000_000))
    entry = zipfile.ZipFile(io.BytesIO(whole)).infolist()[0]
    place = whole.index(b"PK\x01\x02") + 24
    assert int.from_bytes(whole[place : place + 4], "little") == entry.file_size
    whole[place : place + 4] = (1000).to_bytes(4, "little")
    (tmp_path / "liar.zip").write_bytes(whole)
    written: list[int] = []

    class Spool(io.BytesIO):
        def write(self, data: Any) -> int:
            written.append(len(data))
            return super().write(data)

    monkeypatch.setattr("tempfile.TemporaryFile", Spool)
    with pytest.raises(WhatifError, match=r"images\.zip: is not a complete zip archive"):
        read(tmp_path / "liar.zip")
    assert sum(written) <= 1000


@pytest.mark.parametrize(
    ("inner", "message"),
    [
        (b"no archive", "is not a complete zip archive"),
        (zipped(FILES)[:-30], "is not a complete zip archive"),
        (b"", "is not a complete zip archive"),
    ],
)
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_damaged_archive_in_an_archive_is_one_line(tmp_path: Path, inner: bytes, message: str, method: int) -> None:
    (tmp_path / "all.zip").write_bytes(zipped({**FILES, "more/images.zip": inner}, method))
    with pytest.raises(WhatifError, match=message) as raised:
        read(tmp_path / "all.zip")
    assert "\n" not in str(raised.value) and "more/images.zip" in str(raised.value)


def test_archives_with_more_files_than_any_data_set_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whatif.formats.released_files.MOST_FILES", 6)
    (tmp_path / "all.zip").write_bytes(zipped({"examples.jsonl": b"{}", "images.zip": zipped({**FILES, "more": b""})}))
    with pytest.raises(WhatifError, match=r"all\.zip: images\.zip: holds more than 6 files"):
        read(tmp_path / "all.zip")


def test_archives_in_archives_in_archives_stay_closed(tmp_path: Path) -> None:
    source = zip_of(tmp_path / "all.zip", {**FILES, "one.zip": zipped({"two.zip": zipped({"5_0.jpg": jpeg(9)})})})
    assert len(read(source)[0].pairs) == 2


def test_names_in_a_zip_are_data(tmp_path: Path) -> None:
    files = {**FILES, "../../12_0.jpg": jpeg(77), "/abs/5_0.jpg": jpeg(78)}
    del files["images/3_1.jpg"]
    source = zip_of(tmp_path / "in" / "all.zip", files)
    found, _ = read(source)
    assert [row["pair_id"] for row in found.pairs] == ["12"]
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["all.zip"]


def test_a_damaged_entry_of_a_zip_is_a_rejected_line(tmp_path: Path) -> None:
    source = zip_of(tmp_path / "all.zip", FILES)
    data = source.read_bytes()
    place = data.index(FILES["images/12_0.jpg"])
    source.write_bytes(data[: place + 200] + bytes([data[place + 200] ^ 255]) + data[place + 201 :])
    found, _ = read(source)
    assert found.reasons == {"picture unreadable": 1} and "BadZipFile" in found.rejections[0]["detail"]


def test_a_picture_that_is_far_too_large_is_not_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in FILES.items():
            archive.writestr(name, data if "12_0" not in name else bytes(65 * 1024 * 1024))
    found, _ = read(tmp_path / "all.zip")
    assert found.reasons == {"picture unreadable": 1} and "at most" in found.rejections[0]["detail"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"other.txt": b"x"},
            r"has no examples\.jsonl and no metadata\.jsonl; give the folder or the zip .* \(found: other\.txt\)",
        ),
        ({"examples.jsonl": b""}, "has no line that is a JSON object"),
        ({"examples.jsonl": b"\xff\xfe\n\n[]\n"}, "has no line that is a JSON object"),
        ({"examples.jsonl": b"", "images.zip": b"PK no"}, r"images\.zip: is not a complete zip archive"),
    ],
)
def test_what_is_no_released_data_set_is_one_line(tmp_path: Path, files: dict[str, bytes], message: str) -> None:
    with pytest.raises(WhatifError, match=message) as raised:
        read(folder_of(tmp_path / "r", files))
    assert "\n" not in str(raised.value)


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="no such file; give the folder or the zip"):
        read(tmp_path / "nothing")


@needs_released_captions
def test_the_list_of_the_hub_is_read_whole_and_all_pictures_are_missing(tmp_path: Path) -> None:
    (tmp_path / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in released_captions()))
    found, _ = read(tmp_path)
    assert found.reasons == {"picture missing": 17_410} and not found.pairs
