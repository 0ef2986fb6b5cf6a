"""Released C-VQA files are read as questions, written byte for byte, and errors name the row."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.awkward_texts import AWKWARD
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import QUESTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.engine.language.options import printed_question
from whatif.formats.c_vqa import SYNTHETIC_GROUPS, read_good_rows, read_released, write_released

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


def test_a_field_may_have_line_breaks(tmp_path: Path) -> None:
    broken = REAL_ROW.replace("How many cats?", '"How many\ncats?"')
    assert read_released(written(tmp_path, broken))[0]["question"] == "How many\ncats?"


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
    "pair apart": (
        [own_question("original"), own_question("counterfactual", group="dot-removal")],
        "the questions of a pair have one group, these have dot-maximum and dot-removal",
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


ANOTHER = SYNTHETIC_ROW.replace("puzzle_1", "puzzle_2")
BAD_ROWS = {
    "number of fields": ("puzzle_9.png,How many?,2", "has 3 fields"),
    "empty field": (ANOTHER.replace("puzzle_2.png", " "), "img_path is empty"),
    "unknown type": (ANOTHER.replace("counting_4", "counting_7"), "type `abs_counting_7` is unknown"),
    "unreadable options": (ANOTHER.replace("  D:9", ""), "new query has no readable option list"),
    "repeated option": (ANOTHER.replace("B:11", "B:7"), "new query gives an option twice (7, 7, 3, 9)"),
    "unknown answer": (ANOTHER.replace(",C,", ",E,"), "answer is `E`"),
    "duplicate": (SYNTHETIC_ROW, "img_path `puzzle_1.png` is already used in line 2"),
    "other type": (BOOLEAN_ROW, "type is `boolean`, not one of abs_counting_1"),
}


@pytest.mark.parametrize("reason", BAD_ROWS)
def test_a_bad_row_is_rejected_with_its_line_and_the_others_are_read(tmp_path: Path, reason: str) -> None:
    bad, detail = BAD_ROWS[reason]
    path = written(tmp_path, SYNTHETIC_ROW, bad, ANOTHER)
    released = read_good_rows(path, SYNTHETIC_GROUPS)
    assert [row["pair_id"] for row in released.questions] == ["puzzle_1"] * 2 + ["puzzle_2"] * 2
    (rejection,) = released.rejections
    assert (rejection["item_id"], rejection["reason"]) == ("line-000003", reason)
    assert rejection["detail"].startswith(detail) and str(path) not in rejection["detail"]


def test_the_image_of_a_rejected_row_may_be_used_again(tmp_path: Path) -> None:
    path = written(tmp_path, SYNTHETIC_ROW.replace(",C,", ",E,"), SYNTHETIC_ROW)
    released = read_good_rows(path)
    assert [row["reason"] for row in released.rejections] == ["unknown answer"]
    assert len(released.questions) == 2


def test_a_good_file_is_read_as_by_the_strict_reader(tmp_path: Path) -> None:
    path = written(tmp_path, SYNTHETIC_ROW, REAL_ROW, BOOLEAN_ROW)
    released = read_good_rows(path)
    assert (released.questions, released.rejections) == (read_released(path), [])


def test_a_file_without_rows_has_no_questions(tmp_path: Path) -> None:
    assert read_good_rows(written(tmp_path)).questions == []


@pytest.mark.parametrize(
    ("header", "rows", "message"),
    [
        (HEADER.replace("type", "kind"), (SYNTHETIC_ROW,), "line 1: column `type` is missing"),
        (HEADER, (SYNTHETIC_ROW, f'puzzle_2.png,"{ORIGINAL},C,{COUNTERFACTUAL}'), "line 3: is not CSV"),
    ],
)
def test_a_file_that_is_no_released_file_is_an_error(
    tmp_path: Path, header: str, rows: tuple[str, ...], message: str
) -> None:
    with pytest.raises(WhatifError, match=message):
        read_good_rows(written(tmp_path, *rows, header=header))
