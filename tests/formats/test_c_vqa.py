"""Released C-VQA files are read as questions, written byte for byte, and errors name the row."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.awkward_texts import AWKWARD
from whatif import artifacts
from whatif.artifacts.schemas import QUESTIONS
from whatif.artifacts.writer import write_artifact
from whatif.errors import WhatifError
from whatif.formats.c_vqa import SYNTHETIC_GROUPS, read_released, write_released
from whatif.language.options import printed_question

HEADER = "img_path,query,answer,new query,new answer,type"
ORIGINAL = "How many dots are there? Select the correct answer:A:16  B:17  C:12  D:13"
COUNTERFACTUAL = "How many dots would be left if 9 were removed? Select the correct answer:A:7  B:11  C:3  D:9"
SYNTHETIC_ROW = f"puzzle_1.png,{ORIGINAL},C,{COUNTERFACTUAL},A,abs_counting_4"
REAL_ROW = "photo_7.jpg,How many cats?,2,How many cats if one left?,1,direct"
BOOLEAN_ROW = 'photo_7.jpg,Is it off?,yes,"If it was on, would it be off?",no,boolean'


def written(folder: Path, *rows: str, header: str = HEADER) -> Path:
    path = folder / "questions.csv"
    path.write_text("".join(f"{line}\n" for line in (header, *rows)), encoding="utf-8", newline="\n")
    return path


def own_question(variant: str, **changes: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "question_id": f"dot-maximum-0001-{variant}",
        "pair_id": "dot-maximum-0001",
        "group": "dot-maximum",
        "variant": variant,
        "question": "How many dots do a circle contain at most?",
        "choices": ["7", "9", "4", "6"],
        "answer": "D",
        "answer_kind": "choice",
        "image_ids": ["0" * 64],
        "provenance": "{}",
    }
    return {**row, **changes}


def own_pair(**changes: Any) -> list[dict[str, Any]]:
    return [own_question("counterfactual", **changes), own_question("original", **changes)]


def released(name: str) -> Path:
    folder = os.environ.get("WHATIF_DATA")
    if not folder:
        pytest.skip("WHATIF_DATA does not point to the folder with the released C-VQA files")
    return Path(folder) / "c-vqa" / f"C-VQA-{name}_questions.csv"


def test_synthetic_row_becomes_two_multiple_choice_questions(tmp_path: Path) -> None:
    original, counterfactual = read_released(written(tmp_path, SYNTHETIC_ROW))
    assert original == {
        "question_id": "puzzle_1-original",
        "pair_id": "puzzle_1",
        "group": "dot-removal",
        "variant": "original",
        "question": "How many dots are there?",
        "choices": ["16", "17", "12", "13"],
        "answer": "C",
        "answer_kind": "choice",
        "image_ids": [],
        "provenance": '{"img_path":"puzzle_1.png","row":1,"type":"abs_counting_4"}',
    }
    assert counterfactual["question_id"] == "puzzle_1-counterfactual"
    assert counterfactual["question"] == "How many dots would be left if 9 were removed?"
    assert (counterfactual["choices"], counterfactual["answer"]) == (["7", "11", "3", "9"], "A")


def test_real_rows_on_one_picture_are_open_questions_of_two_pairs(tmp_path: Path) -> None:
    questions = read_released(written(tmp_path, REAL_ROW, BOOLEAN_ROW))
    assert [q["pair_id"] for q in questions] == ["photo_7-0001", "photo_7-0001", "photo_7-0002", "photo_7-0002"]
    assert [q["group"] for q in questions] == ["direct", "direct", "boolean", "boolean"]
    assert [q["answer_kind"] for q in questions] == ["number", "number", "boolean", "boolean"]
    assert [q["answer"] for q in questions] == ["2", "1", "yes", "no"]
    assert questions[3]["question"] == "If it was on, would it be off?"
    assert all(q["choices"] is None for q in questions)


@pytest.mark.parametrize(("kind", "group"), SYNTHETIC_GROUPS.items())
def test_every_type_is_its_template_both_ways(tmp_path: Path, kind: str, group: str) -> None:
    source = written(tmp_path, SYNTHETIC_ROW.replace("abs_counting_4", kind))
    questions = read_released(source)
    assert {question["group"] for question in questions} == {group}
    write_released(questions, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == source.read_bytes()


def test_fields_are_text_and_never_evaluated(tmp_path: Path) -> None:
    formula = "=1+1"
    row = REAL_ROW.replace("How many cats?", formula)
    assert read_released(written(tmp_path, row))[0]["question"] == formula


def test_file_saved_by_a_spreadsheet_is_read(tmp_path: Path) -> None:
    path = tmp_path / "questions.csv"
    path.write_bytes(b"\xef\xbb\xbf" + f"{HEADER}\r\n{REAL_ROW}\r\n".encode())
    assert read_released(path) == read_released(written(tmp_path, REAL_ROW))


BAD_FILES = {
    "missing column": (
        (HEADER.replace("new answer", "newer answer"), REAL_ROW),
        ["line 1", "column `new answer` is missing", HEADER],
    ),
    "additional column": ((f"{HEADER},note", f"{REAL_ROW},x"), ["line 1", "note, not img_path,query"]),
    "too few fields": ((HEADER, REAL_ROW, "photo.jpg,How many?,2"), ["line 3", "has 3 fields", "needs 6"]),
    "unknown type": (
        (HEADER, REAL_ROW, SYNTHETIC_ROW.replace("counting_4", "counting_7")),
        ["line 3", "type `abs_counting_7` is unknown", "abs_counting_6, direct, indirect, boolean"],
    ),
    "no option list": (
        (HEADER, SYNTHETIC_ROW.replace(ORIGINAL, "How many dots are there?")),
        ["line 2", "query has no readable option list", "Select the correct answer:A:16  B:17  C:12  D:13"],
    ),
    "options one space apart": (
        (HEADER, SYNTHETIC_ROW.replace("  D:9", " D:9")),
        ["line 2", "new query has no readable option list", "two spaces"],
    ),
    "three options": (
        (HEADER, SYNTHETIC_ROW.replace("  D:9", "")),
        ["line 2", "new query has no readable option list"],
    ),
    "option in words": (
        (HEADER, SYNTHETIC_ROW.replace("D:9", "D:nine")),
        ["line 2", "new query has no readable option list", "whole numbers"],
    ),
    "options without a question": (
        (HEADER, SYNTHETIC_ROW.replace("How many dots are there?", "")),
        ["line 2", "query has no readable option list"],
    ),
    "letter that is no option": (
        (HEADER, SYNTHETIC_ROW.replace(",C,", ",E,")),
        ["line 2", "answer is `E`", "A, B, C or D"],
    ),
    "two letters": ((HEADER, SYNTHETIC_ROW.replace(",A,", ",AB,")), ["line 2", "new answer is `AB`"]),
    "option twice": (
        (HEADER, SYNTHETIC_ROW.replace("B:11", "B:7")),
        ["line 2", "new query gives an option twice (7, 7, 3, 9)"],
    ),
    "puzzle twice": (
        (HEADER, SYNTHETIC_ROW, REAL_ROW, SYNTHETIC_ROW),
        ["line 4", "img_path `puzzle_1.png` is already used in line 2"],
    ),
    "empty field": ((HEADER, REAL_ROW.replace("How many cats?", " ")), ["line 2", "query is empty"]),
    "number in words": (
        (HEADER, REAL_ROW.replace(",2,", ",two,")),
        ["line 2", "answer is `two`", "a direct question needs a whole number"],
    ),
    "neither yes nor no": (
        (HEADER, BOOLEAN_ROW.replace(",no,", ",No,")),
        ["line 2", "new answer is `No`", "`yes` or `no`"],
    ),
    "open quote": ((HEADER, REAL_ROW, REAL_ROW.replace("How many cats?", '"How many')), ["line 3", "is not CSV"]),
    "no rows": ((HEADER,), ["no questions below the header"]),
    "no table at all": (("Dear reader,",), ["line 1", "column `img_path` is missing"]),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_file_is_named_with_line_and_field(tmp_path: Path, case: str) -> None:
    (header, *rows), parts = BAD_FILES[case]
    path = written(tmp_path, *rows, header=header)
    with pytest.raises(WhatifError) as caught:
        read_released(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    for part in parts:
        assert part in message


def test_line_is_counted_from_the_start_of_a_row_with_line_breaks_inside(tmp_path: Path) -> None:
    broken = REAL_ROW.replace("How many cats?", '"How many\ncats?"')
    assert read_released(written(tmp_path, broken))[0]["question"] == "How many\ncats?"
    with pytest.raises(WhatifError, match="line 4: answer is `two`"):
        read_released(written(tmp_path, broken, broken.replace(",2,", ",two,")))


def test_file_that_is_not_utf_8_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "questions.csv"
    path.write_bytes(f"{HEADER}\n{REAL_ROW}\n".encode() + REAL_ROW.replace("cats", "cafés").encode("latin-1"))
    with pytest.raises(WhatifError, match="line 3: byte 0xe9 is not UTF-8; save the file as UTF-8"):
        read_released(path)


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_empty_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "questions.csv"
    path.write_bytes(content)
    with pytest.raises(WhatifError, match=f"{path}: is empty; its first line is {HEADER}"):
        read_released(path)


def test_missing_file_and_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match=r"nowhere\.csv: no such file"):
        read_released(tmp_path / "nowhere.csv")
    with pytest.raises(WhatifError, match="cannot be read"):
        read_released(tmp_path)


def test_own_questions_are_written_in_order_of_pairs_and_read_back(tmp_path: Path) -> None:
    second = own_pair(pair_id="dot-maximum-0002", provenance='{"row":1,"seed":5}')
    first = own_pair(provenance='{"row":9}')  # a row of something else than this file
    path = tmp_path / "new" / "ours.csv"
    write_released([*second, *first], path)
    lines = path.read_text(encoding="utf-8").splitlines()
    question = "How many dots do a circle contain at most? Select the correct answer:A:7  B:9  C:4  D:6,D"
    assert lines == [
        HEADER,
        f"dot-maximum-0001.png,{question},{question},abs_counting_6",
        f"dot-maximum-0002.png,{question},{question},abs_counting_6",
    ]
    columns = ("pair_id", "group", "variant", "question", "choices", "answer", "answer_kind")
    for before, after in zip([*own_pair()[::-1], *second[::-1]], read_released(path), strict=True):
        assert [before[column] for column in columns] == [after[column] for column in columns]


def test_rows_keep_their_place_and_quotes_unless_they_were_changed(tmp_path: Path) -> None:
    quoted = REAL_ROW.replace("How many cats?", '"How many cats?"')
    source = written(tmp_path, BOOLEAN_ROW, quoted, REAL_ROW.replace("photo_7", "photo_1"))
    questions = read_released(source)
    assert json.loads(questions[2]["provenance"])["as_written"] == quoted
    write_released(reversed(questions), tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == source.read_bytes()
    questions[2]["question"] = 'How many "cats"?'
    write_released(questions, tmp_path / "again.csv")
    changed = REAL_ROW.replace("How many cats?", '"How many ""cats""?"')
    assert (tmp_path / "again.csv").read_text(encoding="utf-8").splitlines()[2] == changed


BAD_QUESTIONS: dict[str, tuple[list[dict[str, Any]], str]] = {
    "no original": (own_pair()[:1], "pair dot-maximum-0001: has no original question"),
    "no counterfactual": (own_pair()[1:], "pair dot-maximum-0001: has no counterfactual question"),
    "original twice": ([*own_pair()[1:], *own_pair()[1:]], "duplicate original question"),
    "pair twice": ([*own_pair(), *own_pair()], "duplicate counterfactual question"),
    "unknown variant": ([own_question("factual")], "variant is `factual`; it is one of original, counterfactual"),
    "unknown group": (own_pair(group="dot-minimum"), "group `dot-minimum` is not one of"),
    "twins apart": (
        [own_question("original"), own_question("counterfactual", group="dot-removal")],
        "the twins have different groups, dot-maximum and dot-removal",
    ),
    "letter that is no option": (own_pair(answer="E"), "pair dot-maximum-0001: answer is `E`"),
    "five options": (own_pair(choices=["1", "2", "3", "4", "5"]), "query has no readable option list"),
    "puzzle without options": (own_pair(choices=None), "query has no readable option list"),
    "options of an open question": (
        own_pair(group="direct", answer="6", answer_kind="number"),
        "which a C-VQA file cannot represent",
    ),
}


@pytest.mark.parametrize("case", BAD_QUESTIONS)
def test_what_cannot_be_written_leaves_the_folder_as_it_was(tmp_path: Path, case: str) -> None:
    questions, part = BAD_QUESTIONS[case]
    path = tmp_path / "ours.csv"
    path.write_text("stood here before")
    with pytest.raises(WhatifError) as caught:
        write_released(questions, path)
    assert str(caught.value).startswith(f"{path}: pair dot-maximum-0001: ")
    assert part in str(caught.value)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("ours.csv", "stood here before")]


def test_failed_writing_leaves_the_folder_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full_disk)  # the last step, after everything is written
    path = tmp_path / "ours.csv"
    path.write_text("stood here before")
    with pytest.raises(WhatifError, match=r"ours\.csv: cannot be written \(No space left on device\)"):
        write_released(own_pair(), path)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("ours.csv", "stood here before")]


def test_awkward_questions_are_read_back_as_they_are_or_refused(tmp_path: Path) -> None:
    refused = []
    for text in AWKWARD:
        path = tmp_path / "ours.csv"
        path.unlink(missing_ok=True)
        try:
            write_released(own_pair(question=text), path)
        except WhatifError as told:
            assert "pair dot-maximum-0001" in str(told) and not path.exists()
            refused.append(text)
        else:
            assert [row["question"] for row in read_released(path)] == [text, text]
    assert refused == [""]


def test_only_the_last_option_list_is_one(tmp_path: Path) -> None:
    question = "What does the sign say? Select the correct answer:A:1  B:2 or nothing?"
    write_released(own_pair(question=question), tmp_path / "ours.csv")
    assert {row["question"] for row in read_released(tmp_path / "ours.csv")} == {question}


def test_printed_question_has_two_spaces_between_options() -> None:
    assert printed_question("How many?", ["1", "2"]) == "How many? Select the correct answer:A:1  B:2"
    assert printed_question("How many?", None) == "How many?"


@pytest.mark.parametrize(("name", "pairs"), [("Synthetic", 3000), ("Real", 3144)])
def test_released_file_comes_back_byte_for_byte_through_an_artifact(tmp_path: Path, name: str, pairs: int) -> None:
    source = released(name)
    write_artifact(tmp_path / "questions.parquet", QUESTIONS, read_released(source))
    questions = list(artifacts.rows_of(tmp_path / "questions.parquet", QUESTIONS))
    assert len(questions) == 2 * pairs
    write_released(questions, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == source.read_bytes()
