"""Released C-VQA files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad_inputs.outcome import nothing_written, refusal
from whatif.engine.artifacts.schemas import QUESTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.formats.c_vqa import read_released

HEADER = b"img_path,query,answer,new query,new answer,type\n"
ROW = b"photo_7.jpg,How many cats?,2,How many cats if one left?,1,direct\n"
OPTIONS = b"Which? Select the correct answer:A:16  B:17  C:12  D:13"
BROKEN = ROW.replace(b"How many cats?", b'"How many\ncats?"')
CHOICE = b"puzzle_1.png," + OPTIONS + b",C," + OPTIONS + b",A,abs_counting_4\n"

CASES: list[tuple[str, bytes, str]] = [
    (
        "empty",
        b"",
        ": is empty; it needs one row for each pair, with img_path, query, answer, new query, new answer, type",
    ),
    ("blank", b"\n \n", ": is empty; it needs one row for each pair, with img_path"),
    ("header alone", HEADER, "no questions below the header"),
    ("another file", b"a,b\n1,2\n", "line 1: column `img_path` is missing"),
    ("no header", ROW, "line 1: column `img_path` is missing"),
    ("column missing", b"img_path,query,answer,new query,new answer\n" + ROW, "line 1: column `type` is missing"),
    ("column too many", HEADER[:-1] + b",note\n" + ROW, ",type,note, not img_path,query"),
    ("Latin-1", HEADER + ROW + b"p.jpg,caf\xe9,1,q,2,direct\n", "line 3: byte 0xe9 is not UTF-8; save the file as"),
    ("UTF-16", (HEADER + ROW).decode().encode("utf-16"), "is not UTF-8"),
    ("field too many", HEADER + ROW[:-1] + b",x\n", "line 2: has 7 fields; it needs 6"),
    ("field too few", HEADER + b"photo_7.jpg,q\n", "line 2: has 2 fields; it needs 6"),
    ("quote open", HEADER + b'photo_7.jpg,"q\n', "line 2: is not CSV"),
    ("quote in a field", HEADER + b'photo_7.jpg,"q"x,1,q,2,direct\n', "line 2: is not CSV"),
    ("question empty", HEADER + b"photo_7.jpg, ,2,q,1,direct\n", "line 2: query is empty"),
    ("picture empty", HEADER + b",q,2,q,1,direct\n", "line 2: img_path is empty"),
    ("unknown type", HEADER + ROW.replace(b"direct", b"os.system"), "line 2: type `os.system` is unknown"),
    ("types in the message", HEADER + ROW.replace(b"direct", b"x"), "abs_counting_6, direct, indirect, boolean"),
    ("answer of words", HEADER + ROW.replace(b",2,", b",two,"), "line 2: answer is `two`; a direct question needs"),
    ("answer negative", HEADER + ROW.replace(b",2,", b",-2,"), "line 2: answer is `-2`"),
    (
        "neither yes nor no",
        HEADER + ROW.replace(b"1,direct", b"No,boolean").replace(b"2", b"yes"),
        "is `No`; a boolean",
    ),
    ("options missing", HEADER + CHOICE.replace(b"A:16", b"A=16"), "line 2: query has no readable option list"),
    ("no list", HEADER + CHOICE.replace(OPTIONS, b"Which?", 1), "is `<question> Select the correct answer:A:16"),
    ("options one space apart", HEADER + CHOICE.replace(b"  D:13,A", b" D:13,A"), "new query has no readable option"),
    ("three options", HEADER + CHOICE.replace(b"  D:13,A", b",A"), "line 2: new query has no readable option list"),
    ("option in words", HEADER + CHOICE.replace(b"D:13,A", b"D:nine,A"), "new query has no readable option list"),
    ("options without a question", HEADER + CHOICE.replace(b"Which? ", b"", 1), "line 2: query has no readable option"),
    ("letter beyond the options", HEADER + CHOICE.replace(b",C,", b",E,"), "line 2: answer is `E`"),
    ("two letters", HEADER + CHOICE.replace(b",A,", b",AB,"), "line 2: new answer is `AB`"),
    ("option twice", HEADER + CHOICE.replace(b"B:17  C:12  D:13,A", b"B:16  C:12  D:13,A"), "twice (16, 16, 12, 13)"),
    ("puzzle twice", HEADER + CHOICE + ROW + CHOICE, "line 4: img_path `puzzle_1.png` is already used in line 2"),
    ("line of a row after line breaks", HEADER + BROKEN + BROKEN.replace(b",2,", b",two,"), "line 4: answer is `two`"),
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
