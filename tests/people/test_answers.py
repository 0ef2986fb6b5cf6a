"""People's answers to questions from label files: how they are read, and which do not count and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from whatif.engine.artifacts.schemas import ATTEMPTS, REJECTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.people.answers import import_answers
from whatif.people.imports.settings import LabelFile
from whatif.people.label_files import TWICE_ALIKE, TWICE_DIFFERENTLY


def question(name: str, kind: str, answer: str, choices: list[str] | None = None) -> dict[str, Any]:
    asked = {"choice": "Which?", "number": "How many cups?", "boolean": "Is it red?", "text": "What is it?"}[kind]
    return {"question_id": name, "question": asked, "answer_kind": kind, "answer": answer, "choices": choices}


QUESTIONS = [
    *(
        question(name, "choice", letter, ["a cup", "a dog", "a hat", "a key"])
        for name, letter in (("c1", "A"), ("c2", "B"))
    ),
    question("n", "number", "3"),
    question("b", "boolean", "yes"),
    question("t", "text", "red"),
]
HEADER = "question_id,attempt,answer"
Found = tuple[list[dict[str, Any]], list[dict[str, str]]]


def read(folder: Path, *lines: str, **files: Any) -> Found:
    """The answers in `people.csv` with these lines, or in several files: name -> text, in the format `answers`."""
    contents = files or {"people.csv": "\n".join([HEADER, *lines])}
    for name, text in contents.items():
        (folder / name).write_text(text, encoding="utf-8")
    return import_answers([LabelFile(path=str(folder / name), format="answers") for name in contents], QUESTIONS, 0)


@pytest.mark.parametrize(
    ("name", "text", "answer", "correct"),
    [
        ("c1", "a", "A", True),
        ("c1", "A cup.", "A", True),
        ("c2", "C", "C", False),
        ("n", "three", "3", True),
        ("n", "3 cups", "3", True),
        ("b", "No", "no", False),
        ("t", "Red", "red", True),
        ("c1", "I cannot tell", "I cannot tell", False),  # wrong, as from a model
        ("c1", "A or B", "A or B", False),
        ("n", "?? or so", "?? or so", False),
    ],
)
def test_an_answer_is_read_and_scored_like_that_of_a_model(
    tmp_path: Path, name: str, text: str, answer: str, correct: bool
) -> None:
    found, refused = read(tmp_path, f"{name},ann,{text}")
    assert found == [{"question_id": name, "attempt": "ann", "answer": answer, "correct": correct}]
    assert refused == []


@pytest.mark.parametrize(
    ("line", "reason", "detail"),
    [
        ("c9,1,A", "unknown item", "question_id is 'c9'"),
        ("c2,1,E", "unknown answer", "answer to c2 is 'E'; give one of A, B, C, D"),
        ("n,1,x", "unknown answer", "answer to n is 'x'; give a number in digits"),
        ("b,1,y", "unknown answer", "answer to b is 'y'; give yes or no"),
        ("c2,,A", "no annotator", "item c2 has a label but no annotator"),
    ],
)
def test_a_row_that_does_not_count_is_named_with_its_line(tmp_path: Path, line: str, reason: str, detail: str) -> None:
    found, (refused,) = read(tmp_path, "c1,1,A", line)
    assert len(found) == 1
    assert (refused["item_id"], refused["reason"]) == ("labels-line-000003", reason)
    assert refused["detail"].startswith("people.csv: line 3: ") and detail in refused["detail"]


def test_an_attempt_may_leave_questions_out(tmp_path: Path) -> None:
    found, refused = read(tmp_path, "c1,1,A", "c2,1,", "n,1,NaN", "c2,2,B")
    assert [(row["question_id"], row["attempt"]) for row in found] == [("c1", "1"), ("c2", "2")]
    assert refused == []


def test_two_answers_of_one_person_count_once_if_they_agree_and_not_at_all_if_they_differ(tmp_path: Path) -> None:
    lines = ["c1,1,A", "c1,1,a cup", "c2,1,A", "c2,1,B"]
    found, refused = read(tmp_path, *lines)
    assert [(row["question_id"], row["answer"]) for row in found] == [("c1", "A")]
    assert [(row["item_id"][-1], row["reason"]) for row in refused] == [
        ("3", TWICE_ALIKE),
        ("4", TWICE_DIFFERENTLY),
        ("5", TWICE_DIFFERENTLY),
    ]
    assert "lines 4, 5 give different values for the same item" in refused[1]["detail"]
    assert read(tmp_path, *reversed(lines))[0] == found


def test_several_files_are_one_set_of_attempts_and_their_rows_fit_the_tables(tmp_path: Path) -> None:
    files = {"b.csv": f"{HEADER}\nc1,2,B\n", "a.csv": f"{HEADER}\nc1,1,A\nc1,2,C\nq,1,A\n"}
    found, refused = read(tmp_path, **files)
    assert [(row["attempt"], row["answer"]) for row in found] == [("1", "A")]
    assert [row["item_id"] for row in refused] == [
        "labels-a.csv-line-000003",
        "labels-a.csv-line-000004",
        "labels-b.csv-line-000002",
    ]
    write_artifact(tmp_path / "a.parquet", ATTEMPTS, found)
    write_artifact(tmp_path / "u.parquet", REJECTIONS, refused)


def test_other_formats_and_words_of_their_own(tmp_path: Path) -> None:
    wide = tmp_path / "wide.csv"
    columns = {"item": "id", "decision": "label_{n}", "adjudicated": "label"}
    wide.write_text("id,label_1,label_2,label\nc1,first,skip,first\nc2,B,C,B\n", encoding="utf-8")
    values = {"first": "A", "skip": "unlabelled"}
    file = LabelFile.model_validate({"path": str(wide), "format": "wide", "columns": columns, "values": values})
    found, refused = import_answers([file], QUESTIONS, 0)
    assert [(row["question_id"], row["attempt"], row["correct"]) for row in found] == [
        ("c1", "label_1", True),
        ("c2", "label_1", True),
        ("c2", "label_2", False),
    ]
    assert [row["reason"] for row in refused] == ["final decision"] * 2, "an adjudicator is no attempt"


def test_a_file_that_is_no_file_of_answers_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match=r"people\.csv: has no column attempt; a file of labels needs it"):
        read(tmp_path, **{"people.csv": "question_id,answer\nc1,A\n"})
    with pytest.raises(WhatifError, match=r"people\.csv: none of its 1 labels is about one of these questions"):
        read(tmp_path, "p9,1,A")
    listed = tmp_path / "ids.json"
    listed.write_text(json.dumps(["c1"]), encoding="utf-8")
    file = LabelFile(path=str(listed), format="rejected-ids", annotator="ann")
    with pytest.raises(WhatifError, match="accepts and rejects items; the decisions here are answers"):
        import_answers([file], QUESTIONS, 0)
