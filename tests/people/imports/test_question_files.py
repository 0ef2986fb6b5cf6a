"""Corrected copies, lists of rejected ids, and chosen images."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.people.imports.files import ITEMS, QUESTIONS, csv_file, decisions, json_file, jsonl_file, read, reasons
from whatif.engine.errors import WhatifError

ORIGINAL: list[dict[str, Any]] = [
    {"item_id": item.item_id, "question": item.fields["question"], "answer": item.fields["answer"]}
    for item in QUESTIONS.by_id.values()
]


def corrected(labels: Any) -> dict[str, dict[str, str]]:
    return {row["item_id"]: json.loads(row["corrected"]) for row in labels.judgements if row["corrected"] != "{}"}


@pytest.mark.parametrize("by", ["items", "parent"])
def test_changed_fields_are_corrections_and_removed_rows_rejections(tmp_path: Path, by: str) -> None:
    copy = [dict(row) for row in ORIGINAL if row["item_id"] not in ("q2", "q5")]
    copy[0]["answer"] = "7"
    copy[1] |= {"question": "How many cats are there?", "answer": " 1 "}
    settings = {} if by == "items" else {"parent": str(csv_file(tmp_path / "parent.csv", ORIGINAL))}
    labels = read(csv_file(tmp_path / "copy.csv", copy[::-1]), "corrected-copy", QUESTIONS, annotator="ann", **settings)
    assert decisions(labels) == {(f"q{n}", "ann"): "reject" if n in (2, 5) else "accept" for n in range(6)}
    assert corrected(labels) == {"q0": {"answer": "7"}, "q1": {"question": "How many cats are there?"}}
    assert (labels.findings, labels.items_without_label) == ([], 0)


def test_columns_of_a_copy_have_any_names(tmp_path: Path) -> None:
    rows = [{"id": row["item_id"], "new query": row["question"], "new answer": "9"} for row in ORIGINAL]
    columns = {"item": "id", "corrected": {"question": "new query", "answer": "new answer"}}
    path = jsonl_file(tmp_path / "copy.jsonl", rows)
    labels = read(path, "corrected-copy", QUESTIONS, annotator="ann", columns=columns)
    assert corrected(labels) == {f"q{n}": {"answer": "9"} for n in range(6)}


def test_what_is_unclear_in_a_copy_is_listed(tmp_path: Path) -> None:
    copy = [dict(row) for row in ORIGINAL]
    copy[0]["answer"] = ""
    copy.append({"item_id": "q77", "question": "x", "answer": "1"})
    copy.append({**copy[3], "answer": "8"})
    labels = read(csv_file(tmp_path / "copy.csv", copy), "corrected-copy", QUESTIONS, annotator="ann")
    assert reasons(labels) == {"emptied field": 1, "given twice, differently": 2, "unknown item": 1}
    assert "line 2: answer is empty, and was '0'; to reject the item" in labels.rejections[0]["detail"]
    assert {item for item, _ in decisions(labels)} == {"q1", "q2", "q4", "q5"}


def test_a_changed_column_that_is_no_field_is_listed(tmp_path: Path) -> None:
    parent = csv_file(tmp_path / "parent.csv", [{**row, "licence": "CC0"} for row in ORIGINAL])
    copy = csv_file(
        tmp_path / "copy.csv", [{**row, "licence": "MIT" if n else "CC0"} for n, row in enumerate(ORIGINAL[:2])]
    )
    labels = read(copy, "corrected-copy", QUESTIONS, annotator="ann", parent=str(parent))
    assert reasons(labels) == {"unknown field": 1}
    assert "'licence' has a new value; the fields that can: question, answer, image" in labels.rejections[0]["detail"]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"item_id": "q1", "title": "x"}], "has none of the fields that can be corrected"),
        ([{"id": "q1", "question": "x"}], "has no column item_id"),
        (
            [{"item_id": "z1", "question": "x", "answer": ""}, {"item_id": "z2", "question": "x"}],
            "line 2: item_id is 'z1'; no row has an id of the items, for example 'q0'; give a copy of it",
        ),
    ],
)
def test_a_copy_of_another_file(tmp_path: Path, rows: list[dict[str, Any]], told: str) -> None:
    path = csv_file(tmp_path / "copy.csv", rows)
    with pytest.raises(WhatifError, match=told):
        read(path, "corrected-copy", QUESTIONS, annotator="ann")


def test_a_row_with_too_many_fields_is_not_a_removed_one(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "copy.csv", ORIGINAL)
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines[:-1], f"{lines[-1]},surplus"]), encoding="utf-8")
    labels = read(path, "corrected-copy", QUESTIONS, annotator="ann")
    assert reasons(labels) == {"too many fields": 1}
    assert {row["decision"] for row in labels.judgements} == {"accept"}


def test_an_empty_copy_does_not_reject_everything(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "copy.csv", [], ["item_id", "question", "answer"])
    with pytest.raises(WhatifError, match="has no rows, so all items would be rejected"):
        read(path, "corrected-copy", QUESTIONS, annotator="ann")


def test_a_parent_with_an_id_twice_is_one_line(tmp_path: Path) -> None:
    parent = csv_file(tmp_path / "parent.csv", [ORIGINAL[0], ORIGINAL[0]])
    with pytest.raises(WhatifError, match="line 3: item_id 'q0' occurs twice"):
        read(csv_file(tmp_path / "c.csv", ORIGINAL), "corrected-copy", QUESTIONS, annotator="a", parent=str(parent))


@pytest.mark.parametrize("suffix", ["txt", "csv", "json", "jsonl"])
def test_rejected_ids_in_every_kind_of_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"ids.{suffix}"
    if suffix == "txt":
        path.write_bytes(b"\xef\xbb\xbfq1\r\n\r\n  q4\r\nq4\r\nq9\r\n")
    elif suffix == "json":
        json_file(path, ["q1", "q4", "q4", "q9"])
    else:
        {"csv": csv_file, "jsonl": jsonl_file}[suffix](path, [{"item_id": name} for name in ("q1", "q4", "q4", "q9")])
    labels = read(path, "rejected-ids", QUESTIONS, annotator="ann")
    assert decisions(labels) == {("q1", "ann"): "reject", ("q4", "ann"): "reject"}
    assert reasons(labels) == {"given twice, alike": 1, "unknown item": 1}
    rest = read(path, "rejected-ids", QUESTIONS, annotator="ann", rest="accept")
    assert decisions(rest) == {(f"q{n}", "ann"): "reject" if n in (1, 4) else "accept" for n in range(6)}


def test_a_rejected_id_with_too_many_fields_is_not_accepted(tmp_path: Path) -> None:
    path = tmp_path / "rejected.csv"
    path.write_text("item_id\nq1\nq2,surplus\n")
    labels = read(path, "rejected-ids", QUESTIONS, annotator="ann", rest="accept")
    assert decisions(labels) == {(f"q{n}", "ann"): "reject" if n == 1 else "accept" for n in (0, 1, 3, 4, 5)}
    assert reasons(labels) == {"too many fields": 1}


def test_a_list_of_other_ids_does_not_accept_everything(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "ids.csv", [{"item_id": "z1"}])
    with pytest.raises(WhatifError, match="none of its ids is known, so all items would be accepted"):
        read(path, "rejected-ids", QUESTIONS, annotator="ann", rest="accept")


def test_formats_of_questions_are_not_for_pairs(tmp_path: Path) -> None:
    path = tmp_path / "ids.txt"
    path.write_text("1000_0-0\n")
    with pytest.raises(
        WhatifError, match="the format rejected-ids accepts and rejects items; the decisions here are caption_0"
    ):
        read(path, "rejected-ids", ITEMS, annotator="ann")


def test_a_chosen_image_corrects_the_image(tmp_path: Path) -> None:
    chosen = ("candidate_a.png", "images/candidate_c.jpg", "candidate_b", "none", "other.png", "")
    rows = [{"item_id": f"q{n}", "annotator": "ann", "chosen": name} for n, name in enumerate(chosen)]
    path = csv_file(tmp_path / "chosen.csv", rows)
    labels = read(path, "chosen-images", QUESTIONS, values={"none": "reject"})
    assert decisions(labels) == {
        ("q0", "ann"): "accept",
        ("q1", "ann"): "accept",
        ("q2", "ann"): "accept",
        ("q3", "ann"): "reject",
    }
    assert corrected(labels) == {"q1": {"image": "id-1-c"}, "q2": {"image": "id-2-b"}}
    assert reasons(labels) == {"unknown image": 1} and len(labels.unlabelled) == 1
    assert "'other.png' is no candidate of item q4: candidate_a, candidate_b" in labels.rejections[0]["detail"]


def test_two_choices_of_an_image_differ(tmp_path: Path) -> None:
    rows = [{"item_id": "q1", "annotator": "ann", "chosen": f"candidate_{one}"} for one in "bc"]
    labels = read(csv_file(tmp_path / "c.csv", rows), "chosen-images", QUESTIONS)
    assert reasons(labels) == {"given twice, differently": 2}
