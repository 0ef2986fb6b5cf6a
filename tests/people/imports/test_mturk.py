"""Results of a batch of Amazon Mechanical Turk."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.people.imports.files import PAIRS, QUESTIONS, TASKS, csv_file, decisions, read
from whatif.engine.errors import WhatifError

# fmt: off
BATCH = [
    "HITId", "HITTypeId", "Title", "Description", "Keywords", "Reward", "CreationTime", "MaxAssignments",
    "RequesterAnnotation", "AssignmentDurationInSeconds", "AutoApprovalDelayInSeconds", "Expiration",
    "NumberOfSimilarHITs", "LifetimeInSeconds", "AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime",
    "SubmitTime", "AutoApprovalTime", "ApprovalTime", "RejectionTime", "RequesterFeedback", "WorkTimeInSeconds",
    "LifetimeApprovalRate", "Last30DaysApprovalRate", "Last7DaysApprovalRate",
]
# fmt: on


def assignment(
    number: int, worker: str, data: dict[str, str], answers: dict[str, str], **changes: str
) -> dict[str, str]:
    """A row as MTurk writes it: 27 columns of its own, Input.*, Answer.*, Approve and Reject."""
    own = {
        "HITId": f"3HIT{number}",
        "Title": 'Which caption describes the image better?, "quickly"',
        "Reward": "$0.10",
        "AssignmentId": f"3ASSIGNMENT{number}{worker}",
        "WorkerId": worker,
        "AssignmentStatus": "Approved",
        "AcceptTime": "Tue Mar 05 10:20:50 PST 2024",
        "SubmitTime": "Tue Mar 05 10:21:02 PST 2024",
        "WorkTimeInSeconds": "12",
        "LifetimeApprovalRate": "100% (3/3)",
    }
    row = {**dict.fromkeys(BATCH, ""), **own}
    row |= {f"Input.{name}": value for name, value in data.items()}
    row |= {f"Answer.{name}": value for name, value in answers.items()}
    return {**row, "Approve": "", "Reject": "", **changes}


def batch(path: Path, rows: list[dict[str, str]]) -> Path:
    """A file as MTurk writes it: all cells in quotes, line endings CRLF."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(dict.fromkeys(key for row in rows for key in row)), quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(out.getvalue(), encoding="utf-8", newline="")
    return path


def answers(decision: str, how: str) -> dict[str, str]:
    """The same answer in the ways in which MTurk forms return it."""
    if how == "column":
        return {"decision": decision}
    if how == "radio columns":
        return {f"decision.{one}": str(one == decision).lower() for one in ("1", "2", "both", "neither")}
    given: Any = {
        "task answers": decision,
        "crowd radio group": {one: one == decision for one in ("1", "2", "both", "neither")},
        "crowd classifier": {"label": decision},
    }[how]
    return {"taskAnswers": json.dumps([{"decision": given, "comment": "ok"}])}


@pytest.mark.parametrize("how", ["column", "radio columns", "task answers", "crowd radio group", "crowd classifier"])
def test_answers_of_every_form(tmp_path: Path, how: str) -> None:
    rows, expected = [], {}
    for number, task in enumerate(TASKS[:6]):
        for worker, decision in (("A2QJP5BZ7B523H", "1"), ("A2G7F16RAOFTXG", ("2", "both", "neither")[number % 3])):
            rows.append(assignment(number, worker, {"task_id": task.task_id}, answers(decision, how)))
            meant = f"caption_{task.sides[int(decision) - 1]}" if decision.isdecimal() else decision
            expected[task.item_id, worker] = meant
    labels = read(batch(tmp_path / "Batch_2754096_batch_results.csv", rows), "mturk")
    assert decisions(labels) == expected and labels.findings == []
    assert {(row["time"], row["seconds"]) for row in labels.judgements} == {("2024-03-05T10:21:02-08:00", 12.0)}


def test_rejected_assignments_are_listed_and_not_counted(tmp_path: Path) -> None:
    data = {"task_id": TASKS[0].task_id}
    rows = [
        assignment(1, "A", data, {"decision": "1"}, AssignmentStatus="Rejected"),
        assignment(1, "B", data, {"decision": "1"}, AssignmentStatus="Submitted", Reject="too fast"),
        assignment(1, "C", data, {"decision": "1"}, AssignmentStatus="Submitted"),
        assignment(1, "D", data, {"decision": ""}),
    ]
    labels = read(batch(tmp_path / "batch.csv", rows), "mturk")
    assert set(decisions(labels)) == {(TASKS[0].item_id, "C")}
    assert labels.counts == {"counted": 1, "unlabelled": 1, "rejected assignment": 2}
    assert [row["detail"] for row in labels.rejections] == [
        "batch.csv: line 2: assignment '3ASSIGNMENT1A': its AssignmentStatus is Rejected",
        "batch.csv: line 3: assignment '3ASSIGNMENT1B': its column Reject has 'too fast'",
    ]


def test_several_items_in_a_hit(tmp_path: Path) -> None:
    data = {f"image_{place}": PAIRS[place]["pair_id"] + "-1" for place in (1, 2)}
    rows = [assignment(1, "A", data, {"choice_1": "own", "choice_2": "both"})]
    columns = {"item": "Input.image_{n}", "decision": "Answer.choice_{n}"}
    labels = read(batch(tmp_path / "b.csv", rows), "mturk", columns=columns, values={"own": "own", "both": "both"})
    assert decisions(labels) == {
        (PAIRS[1]["pair_id"] + "-1", "A"): "caption_1",
        (PAIRS[2]["pair_id"] + "-1", "A"): "both",
    }


@pytest.mark.parametrize("columns", [{}, {"columns": {"corrected": {"answer": "Answer.corrected_answer"}}}])
def test_corrections_from_forms_of_our_layout_and_of_another(tmp_path: Path, columns: dict[str, Any]) -> None:
    rows = [assignment(1, "A", {"task_id": "q1"}, {"decision": "accept", "corrected_answer": "7"})]
    (row,) = read(batch(tmp_path / "b.csv", rows), "mturk", QUESTIONS, **columns).judgements
    assert (row["decision"], row["corrected"]) == ("accept", '{"answer":"7"}')


@pytest.mark.parametrize(
    ("text", "time", "comment"),
    [
        ("Thu Oct 09 07:30:20 UTC 2025", "2025-10-09T07:30:20+00:00", ""),
        ("Tue Jul 16 01:00:00 PDT 2019", "2019-07-16T01:00:00-07:00", ""),
        ("Tue Jul 16 01:00:00 XYZ 2019", None, "(time: Tue Jul 16 01:00:00 XYZ 2019)"),
        ("Tue Feb 31 01:00:00 UTC 2019", None, "(time: Tue Feb 31 01:00:00 UTC 2019)"),
    ],
)
def test_times(tmp_path: Path, text: str, time: str | None, comment: str) -> None:
    row = assignment(1, "A", {"task_id": TASKS[0].task_id}, {"decision": "1"}, SubmitTime=text)
    (judgement,) = read(batch(tmp_path / "b.csv", [row]), "mturk").judgements
    assert (judgement["time"], judgement["comment"]) == (time, comment)


BAD: list[tuple[str, dict[str, str], dict[str, str], str]] = [
    ("status", {"decision": "1"}, {"AssignmentStatus": "Done"}, "line 2: AssignmentStatus is 'Done'; it is Submitted"),
    ("JSON", {"taskAnswers": "[{"}, {}, "line 2: Answer.taskAnswers is '[{', which is not JSON; download the batch"),
    ("list", {"taskAnswers": "[7]"}, {}, "line 2: Answer.taskAnswers has '7'; it is a list of objects"),
    ("deep", {"taskAnswers": "[" * 100_000}, {}, "which is not JSON"),
    ("no decision", {"colour": "1"}, {}, "has no column Answer.decision; a file of labels of images needs it"),
]


@pytest.mark.parametrize(("given", "changes", "told"), [pytest.param(*rest, id=name) for name, *rest in BAD])
def test_a_batch_that_cannot_be_read_is_one_line(
    tmp_path: Path, given: dict[str, str], changes: dict[str, str], told: str
) -> None:
    path = batch(tmp_path / "b.csv", [assignment(1, "A", {"task_id": TASKS[0].task_id}, given, **changes)])
    with pytest.raises(WhatifError) as raised:
        read(path, "mturk")
    assert str(raised.value).startswith(f"{path}: ") and told in str(raised.value) and "\n" not in str(raised.value)


def test_another_csv_is_no_batch(tmp_path: Path) -> None:
    path = csv_file(tmp_path / "b.csv", [{"WorkerId": "A", "Answer.decision": "1"}])
    with pytest.raises(WhatifError, match="has no column HITId; a file of results of a batch of MTurk needs it"):
        read(path, "mturk")
