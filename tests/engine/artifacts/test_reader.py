"""Artifacts: the same bytes always, nothing half-written, and a clear line for every file that is not one."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.pictures import png
from whatif.engine import artifacts
from whatif.engine.artifacts import writer as artifact_writer
from whatif.engine.artifacts.ahead import read_ahead
from whatif.engine.artifacts.images import SortedImages, image_row
from whatif.engine.artifacts.schemas import IMAGES, PREDICTIONS, REJECTIONS
from whatif.engine.artifacts.writer import ArtifactWriter, write_artifact
from whatif.engine.errors import WhatifError


def rows(number: int) -> list[dict[str, str]]:
    return [{"item_id": f"{i:06d}", "reason": f"reason {i % 3}", "detail": "é"} for i in range(number)]


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "rejections.parquet"
    write_artifact(path, REJECTIONS, rows(40_000)[::-1], made_from={"seed": 1})
    footer = artifacts.footer_of(path)
    assert (footer.table, footer.rows) == ("rejections/1", 40_000)
    assert footer.made_from == {"seed": 1}
    table = artifacts.read(path, REJECTIONS)
    assert table.schema.equals(REJECTIONS.schema)
    assert table.to_pylist() == rows(40_000)
    assert [piece.num_rows for piece in artifacts.batches(path, REJECTIONS)] == [16_384, 16_384, 7_232]


def test_rows_are_chosen_by_the_text_of_their_columns(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    write_artifact(path, REJECTIONS, rows(40_000))
    ids = [row["item_id"] for row in rows(40_000)]
    found = artifacts.rows_of(path, REJECTIONS, ["item_id"], only={"item_id": {ids[39_999], ids[3], "nobody's"}})
    assert [row["item_id"] for row in found] == [ids[3], ids[39_999]]
    reasons = {row["reason"] for row in rows(40_000)}
    assert len(list(artifacts.rows_of(path, REJECTIONS, only={"item_id": ids[:10], "reason": reasons}))) == 10
    assert list(artifacts.rows_of(path, REJECTIONS, only={"item_id": []})) == []
    most = [*ids[5:], "nobody's"]  # more than a row group has
    assert [row["item_id"] for row in artifacts.rows_of(path, REJECTIONS, only={"item_id": most})] == ids[5:]


def test_only_some_fields_of_structs_are_read(tmp_path: Path) -> None:
    path = tmp_path / "predictions.parquet"
    sample = {"response": "B it is", "answer": "B", "status": "ok", "request_key": "k"}
    empty = dict.fromkeys(PREDICTIONS.schema.names) | {
        "model": "m",
        "strategy": "direct",
        "status": "ok",
        "correct": True,
    }
    made = [{**empty, "question_id": "q1", "samples": [sample, sample]}, {**empty, "question_id": "q2"}]
    write_artifact(path, PREDICTIONS, made)
    (piece,) = artifacts.batches(path, PREDICTIONS, ["question_id", "samples"], parts={"samples": ("answer", "status")})
    some = {"answer": "B", "status": "ok"}
    assert piece.to_pylist() == [{"question_id": "q1", "samples": [some, some]}, {"question_id": "q2", "samples": None}]


@pytest.mark.parametrize("piece", [1, 7, 1_000, 20_000])
def test_bytes_do_not_depend_on_how_rows_were_handed_over(tmp_path: Path, piece: int) -> None:
    whole, pieces = tmp_path / "whole.parquet", tmp_path / "pieces.parquet"
    every = rows(20_000)
    write_artifact(whole, REJECTIONS, every)
    with ArtifactWriter(pieces, REJECTIONS) as writer:
        for start in range(0, 20_000, piece):
            writer.write(every[start : start + piece])
    assert whole.read_bytes() == pieces.read_bytes()


@pytest.mark.process
def test_bytes_do_not_depend_on_the_hash_seed_or_the_process(tmp_path: Path) -> None:
    script = (
        "from pathlib import Path; from whatif.engine.artifacts.writer import write_artifact\n"
        "from whatif.engine.artifacts.schemas import REJECTIONS\n"
        "made = {name: name for name in {'a', 'b', 'c', 'd'}}\n"
        "rows = [{'item_id': str(i), 'reason': 'r', 'detail': ''} for i in range(100)]\n"
        "import sys; write_artifact(Path(sys.argv[1]), REJECTIONS, rows, made_from=made)"
    )
    written = []
    for seed in ("0", "1", "31337"):
        path = tmp_path / f"{seed}.parquet"
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", script, str(path)], check=True, env=environment)
        written.append(path.read_bytes())
    assert written[0] == written[1] == written[2]


def test_content_is_the_hash_of_the_rows_alone(tmp_path: Path) -> None:
    first, second, third = (tmp_path / f"{n}.parquet" for n in range(3))
    write_artifact(first, REJECTIONS, rows(10), made_from={"seed": 1})
    write_artifact(second, REJECTIONS, rows(10), made_from={"seed": 2})
    write_artifact(third, REJECTIONS, rows(11), made_from={"seed": 1})
    contents = [artifacts.footer_of(path).content for path in (first, second, third)]
    assert contents[0] == contents[1] != contents[2]
    assert artifacts.content_of(first, REJECTIONS) == contents[0]


def test_parts_are_read_as_one_table(tmp_path: Path) -> None:
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    write_artifact(paths[0], REJECTIONS, rows(5)[:2])
    write_artifact(paths[1], REJECTIONS, rows(5)[2:])
    assert artifacts.read(paths, REJECTIONS).to_pylist() == rows(5)
    assert artifacts.read(paths, REJECTIONS, ["item_id"]).column_names == ["item_id"]


def test_the_datasets_library_shows_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets

    path = tmp_path / "images.parquet"
    pictures = [image_row(png((i, 0, 0)), 8, 8, "drawn:test", "CC0-1.0") for i in range(3)]
    write_artifact(path, IMAGES, pictures)
    loaded = datasets.load_dataset("parquet", data_files=str(path), cache_dir=str(tmp_path / "cache"), split="train")
    colours = sorted(loaded[i]["image"].getpixel((0, 0)) for i in range(3))
    assert colours == [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
    assert loaded.column_names == IMAGES.schema.names


def test_pictures_are_written_in_order_of_their_ids_once_each(tmp_path: Path) -> None:
    path = tmp_path / "images.parquet"
    pictures = [image_row(png((i, i, 0)), 8, 8, "drawn:test", "CC0-1.0") for i in range(200)]
    with ArtifactWriter(path, IMAGES) as writer, SortedImages(writer) as images:
        for picture in [*pictures, *pictures[:5]]:
            images.add(picture)
    assert artifacts.read(path, IMAGES).to_pylist() == sorted(pictures, key=lambda row: str(row["image_id"]))
    assert [file.name for file in tmp_path.iterdir()] == ["images.parquet"]


def test_rows_out_of_order_or_twice_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rejections.parquet"
    with pytest.raises(WhatifError, match="item_id = 000001 comes after 000002"), ArtifactWriter(path, REJECTIONS) as w:
        w.write(rows(3)[2:])
        w.write(rows(3)[1:2])
    with pytest.raises(WhatifError, match="item_id = 000001 occurs twice"):
        write_artifact(path, REJECTIONS, [*rows(3), rows(3)[1]])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"item_id": "1", "reason": "r"}, "row 0: detail is missing"),
        ({"item_id": "1", "reason": "r", "detail": "", "odd": 1}, "row 0: odd is not a column"),
        ({"item_id": "1", "reason": "r", "detail": None}, "detail is null in 1 rows"),
        ({"item_id": "1", "reason": ["r"], "detail": ""}, r"row 0: reason is \['r'\]; it must be string"),
        (
            {"item_id": 1, "reason": "r", "detail": ""},
            "does not fit the table `rejections`: row 0: item_id is 1; it must be string",
        ),
    ],
)
def test_rows_that_do_not_fit_are_refused(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    path = tmp_path / "rejections.parquet"
    with pytest.raises(WhatifError, match=message) as error:
        write_artifact(path, REJECTIONS, [row])
    assert str(path) in str(error.value)
    assert not path.exists()


def test_rows_damaged_under_a_whole_footer_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "rejections.parquet"
    write_artifact(path, REJECTIONS, rows(1000))
    data = bytearray(path.read_bytes())
    data[4:400] = bytes(396)
    path.write_bytes(data)
    assert artifacts.content_of(path, REJECTIONS) != artifacts.footer_of(path).content
    with pytest.raises(WhatifError, match="unreadable"):
        artifacts.read(path, REJECTIONS)


@pytest.mark.parametrize("when", ["rows", "footer"])
def test_a_full_disk_leaves_the_old_artifact_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    path = tmp_path / "rejections.parquet"
    write_artifact(path, REJECTIONS, rows(10))
    before = path.read_bytes()
    room = {"rows": 2_000, "footer": 0}[when]
    original = artifact_writer._HashingFile.write

    def write(self: Any, data: Any) -> int:
        if when == "footer" and b"fingerprint" in bytes(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if when == "rows" and self.tell() + len(data) > room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return original(self, data)

    monkeypatch.setattr(artifact_writer._HashingFile, "write", write)
    with pytest.raises(WhatifError, match=r"cannot be written .*No space left on device.*unchanged"):
        write_artifact(path, REJECTIONS, [{**row, "detail": str(n * 7919)} for n, row in enumerate(rows(30_000))])
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["rejections.parquet"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(WhatifError, match=r"file/rejections\.parquet: cannot be written"):
        write_artifact(tmp_path / "file" / "rejections.parquet", REJECTIONS, rows(1))


def test_columns_whose_names_were_exchanged_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "rejections.parquet"
    with ArtifactWriter(path, REJECTIONS) as writer:
        writer.write([{"item_id": "a", "reason": "one", "detail": "two"}])
    whole = artifacts.content_of(path, REJECTIONS)
    data = path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    footer, names = data[start:], [bytes([6]) + name for name in (b"reason", b"detail")]
    assert all(footer.count(name) for name in names)
    exchanged = footer.replace(names[0], b"\0" * 7).replace(names[1], names[0]).replace(b"\0" * 7, names[1])
    path.write_bytes(data[:start] + exchanged)
    assert artifacts.content_of(path, REJECTIONS) != whole


@pytest.mark.parametrize("libraries", [b'["numpy","2.4.6"]', b'{"numpy":2}', b"null"])
def test_a_record_of_libraries_of_another_form_is_refused(tmp_path: Path, libraries: bytes) -> None:
    path = tmp_path / "rejections.parquet"
    with ArtifactWriter(path, REJECTIONS) as writer:
        writer.write([{"item_id": "a", "reason": "one", "detail": "two"}])
    metadata = pq.read_metadata(path).metadata
    rows = pq.read_table(path)
    with pq.ParquetWriter(path, REJECTIONS.schema) as again:
        again.write_table(rows)
        again.add_key_value_metadata(
            {**{name: entry for name, entry in metadata.items() if name != b"ARROW:schema"}, b"libraries": libraries}
        )
    with pytest.raises(WhatifError, match="its footer has no record of texts"):
        artifacts.footer_of(path)


def pieces(number: int, threads: set[str], broken: int | None = None) -> Iterator[int]:
    for piece in range(number):
        threads.add(threading.current_thread().name)
        if piece == broken:
            raise ValueError(f"piece {piece} is broken")
        yield piece


@pytest.mark.parametrize("number", [0, 1, 2, 3, 100])
def test_pieces_come_in_order_from_another_thread(number: int) -> None:
    threads: set[str] = set()
    assert list(read_ahead(pieces(number, threads))) == list(range(number))
    assert threading.current_thread().name not in threads and len(threads) == min(number, 1)


def test_an_error_comes_at_its_piece() -> None:
    found = []
    with pytest.raises(ValueError, match="piece 3 is broken"):
        for piece in read_ahead(pieces(10, set(), broken=3)):
            found.append(piece)  # noqa: PERF402
    assert found == [0, 1, 2]


def test_a_reader_that_stops_early_ends() -> None:
    reading = read_ahead(pieces(1_000, set()))
    assert next(reading) == 0
    reading.close()
    assert list(reading) == []
