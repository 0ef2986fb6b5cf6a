"""Released C-VQA files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad_inputs.outcome import nothing_written, refusal
from whatif.artifacts.schemas import QUESTIONS
from whatif.artifacts.writer import write_artifact
from whatif.formats.c_vqa import read_released

HEADER = b"img_path,query,answer,new query,new answer,type\n"
ROW = b"photo_7.jpg,How many cats?,2,How many cats if one left?,1,direct\n"
OPTIONS = b"Which? Select the correct answer:A:16  B:17  C:12  D:13"
CHOICE = b"puzzle_1.png," + OPTIONS + b",C," + OPTIONS + b",A,abs_counting_4\n"

CASES: list[tuple[str, bytes, str]] = [
    ("empty", b"", ": is empty"),
    ("header alone", HEADER, "no questions below the header"),
    ("another file", b"a,b\n1,2\n", "line 1: column `img_path` is missing"),
    ("no header", ROW, "line 1: column `img_path` is missing"),
    ("column missing", b"img_path,query,answer,new query,new answer\n" + ROW, "column `type` is missing"),
    ("Latin-1", HEADER + b"p.jpg,caf\xe9,1,q,2,direct\n", ": line 2: byte 0xe9 is not UTF-8"),
    ("UTF-16", (HEADER + ROW).decode().encode("utf-16"), "is not UTF-8"),
    ("field too many", HEADER + ROW[:-1] + b",x\n", "line 2: has 7 fields; it needs 6"),
    ("field too few", HEADER + b"photo_7.jpg,q\n", "line 2: has 2 fields; it needs 6"),
    ("quote open", HEADER + b'photo_7.jpg,"q\n', "line 2: is not CSV"),
    ("quote in a field", HEADER + b'photo_7.jpg,"q"x,1,q,2,direct\n', "line 2: is not CSV"),
    ("question empty", HEADER + b"photo_7.jpg, ,2,q,1,direct\n", "line 2: query is empty"),
    ("picture empty", HEADER + b",q,2,q,1,direct\n", "line 2: img_path is empty"),
    ("unknown type", HEADER + ROW.replace(b"direct", b"os.system"), "line 2: type `os.system` is unknown"),
    ("answer of words", HEADER + ROW.replace(b",2,", b",two,"), "line 2: answer is `two`; a direct question needs"),
    ("answer negative", HEADER + ROW.replace(b",2,", b",-2,"), "line 2: answer is `-2`"),
    ("options missing", HEADER + CHOICE.replace(b"A:16", b"A=16"), "line 2: query has no readable option list"),
    (
        "letter beyond the options",
        HEADER + CHOICE.replace(b",C,", b",E,"),
        "line 2: answer is `E`",
    ),
    ("line of 16 MiB", HEADER + b"x" * (17 * 1024 * 1024), ": cannot be read (line 2 is longer than 16,777,216 bytes)"),
    ("field of 200,000 characters", HEADER + b'p.jpg,"' + b"x" * 200_000 + b'",1,q,2,direct\n', "line 2: is not CSV"),
    ("a zip", b"PK\3\4" + bytes(range(128, 256)), "is not UTF-8"),
    ("null bytes", b"\0" * 64, "line 1: column `img_path` is missing"),
]


@pytest.mark.parametrize(("data", "words"), [pytest.param(*rest, id=name) for name, *rest in CASES])
def test_a_released_file_that_is_none(data: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "questions.csv"
    path.write_bytes(data)
    with nothing_written(tmp_path):
        line = refusal(lambda: read_released(path))
    assert line.startswith(f"{path}: ") and words in line, line


@pytest.mark.parametrize("name", ["../../../etc/passwd", "/etc/passwd", "..", "a\0b", "\u202ejpg.exe", "x" * 5000])
def test_a_name_of_a_picture_is_only_a_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / "questions.csv"
    path.write_bytes(HEADER + f'"{name}",How many cats?,2,How many if one left?,1,direct\n'.encode())
    questions = read_released(path)
    write_artifact(tmp_path / "out.parquet", QUESTIONS, questions)
    assert {entry.name for entry in tmp_path.iterdir()} == {"questions.csv", "out.parquet"}
    assert all("/" not in question["pair_id"] for question in questions)
