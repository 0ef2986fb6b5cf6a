"""The released data set is read: every line is a pair or has a reason; and it is written in the same form."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import datasets
import pytest
from PIL import Image

from tests.awkward_texts import AWKWARD
from tests.people.pairs import Pictures, pair, picture, pictures
from tests.pictures import png
from tests.released_captions import needs_released_captions, released_captions
from whatif.engine.artifacts.schemas import PAIRS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.formats.coco_counterfactuals import ReleasedPairs, read_released_pairs
from whatif.formats.coco_counterfactuals_folder import file_name, write_released_pairs

pytestmark = pytest.mark.slow


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
    monkeypatch.setattr("whatif.formats.released_files.LARGEST_SPOOLED", 500_000)
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


@pytest.mark.parametrize("inner", [b"no archive", zipped(FILES)[:-30], b""], ids=["text", "cut off", "empty"])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_damaged_archive_in_an_archive_is_one_line(tmp_path: Path, inner: bytes, method: int) -> None:
    (tmp_path / "all.zip").write_bytes(zipped({**FILES, "more/images.zip": inner}, method))
    with pytest.raises(WhatifError, match=r"more/images\.zip: is not a complete zip archive") as raised:
        read(tmp_path / "all.zip")
    assert "\n" not in str(raised.value)


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


@needs_released_captions
def test_the_list_of_the_hub_is_read_whole_and_all_pictures_are_missing(tmp_path: Path) -> None:
    (tmp_path / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in released_captions()))
    found, _ = read(tmp_path)
    assert found.reasons == {"picture missing": 17_410} and not found.pairs


ROWS = [pair(0), pair(1, pair_id="17"), pair(2, pair_id="../up/17"), pair(3, pair_id="017")]
IMAGES = Pictures(pictures(range(4)))


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "out" / "ours"
    assert write_released_pairs(ROWS[::-1], IMAGES, folder) == 4
    assert {path.parent for path in tmp_path.rglob("*") if path.is_file()} == {folder, folder / "images"}
    lines = [json.loads(line) for line in (folder / "examples.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [set(line) for line in lines] == [{"id", "caption_0", "caption_1", "image_0", "image_1"}] * 4
    assert [line["id"] for line in lines] == ["../up/17", "017", 17, "pair-000"]
    found, kept = read(folder)
    assert found.rejections == []
    columns = ("pair_id", "caption_0", "caption_1", "subject_0", "subject_1", "image_id_0", "image_id_1")
    assert [[row[name] for name in columns] for row in found.pairs] == [
        [row[name] for name in columns] for row in sorted(ROWS, key=lambda row: str(row["pair_id"]))
    ]
    assert set(kept) == {picture(number, side)["image_id"] for number in range(4) for side in (0, 1)}
    again = tmp_path / "again"
    write_released_pairs(ROWS, IMAGES, again)
    assert (again / "examples.jsonl").read_bytes() == (folder / "examples.jsonl").read_bytes()


def test_awkward_captions_are_the_same_for_json_and_datasets(tmp_path: Path) -> None:
    rows = [pair(0, pair_id=f"{number:03d}", caption_0=text) for number, text in enumerate(AWKWARD)]
    write_released_pairs(rows, IMAGES, tmp_path / "ours")
    file = tmp_path / "ours" / "examples.jsonl"
    with file.open(encoding="utf-8", newline="\n") as lines:
        assert [json.loads(line)["caption_0"] for line in lines] == list(AWKWARD)
    found = datasets.load_dataset("json", data_files=str(file), split="train", cache_dir=str(tmp_path / "cache"))
    assert found["caption_0"] == list(AWKWARD)
    assert found["id"] == [row["pair_id"] for row in rows]


def test_a_picture_keeps_its_format(tmp_path: Path) -> None:
    webp = io.BytesIO()
    Image.new("RGB", (8, 8)).save(webp, "WEBP")
    files = {"examples.jsonl": text_of(example(12)), "12_0.webp": webp.getvalue(), "12_1.jpg": jpeg(2)}
    found, kept = read(folder_of(tmp_path / "in", files))
    write_released_pairs(found.pairs, Pictures(list(kept.values())), tmp_path / "out")
    assert (tmp_path / "out" / "images" / "12_0.webp").read_bytes() == webp.getvalue()
    assert (tmp_path / "out" / "images" / "12_1.jpg").read_bytes() == jpeg(2)
    assert [row["image_id_0"] for row in read(tmp_path / "out")[0].pairs] == [found.pairs[0]["image_id_0"]]


def test_ids_become_different_names_that_lead_nowhere() -> None:
    ids = ["a/b", "a%2Fb", "..", ".", "a b", "ü", "x" * 300, "x" * 301, "/etc", "A", "é" * 90]
    names = [file_name(name) for name in ids]
    assert len(set(names)) == len(ids)
    assert all("/" not in name and "." not in name and 0 < len(name.encode()) <= 120 for name in names)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match="there are no pairs to write"):
        write_released_pairs([], IMAGES, tmp_path)
    with pytest.raises(WhatifError, match="pair pair-000 has several candidates"):
        write_released_pairs([pair(0), pair(0, candidate=9)], IMAGES, tmp_path)
    write_released_pairs(ROWS, IMAGES, tmp_path)
    with pytest.raises(WhatifError, match=r"examples\.jsonl: already exists"):
        write_released_pairs(ROWS, IMAGES, tmp_path)
