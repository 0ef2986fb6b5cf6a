"""Corrections are applied with their history, and what would not be right afterwards is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.people.test_resolution import judged
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import CORRECTIONS, REJECTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.people.corrections import Applied, apply_corrections
from whatif.people.items import Row
from whatif.people.resolution import resolve

FIELDS = ("question", "choices", "answer")


def question(number: int, answer: str = "A", **changes: Any) -> dict[str, Any]:
    row = {"question_id": f"q-{number}", "question": "How many?", "choices": ["1", "2", "3"], "answer": answer}
    return {**row, **changes}


def is_a_letter(row: Row) -> str | None:
    """A real rule of choices: the answer is the letter of one of them."""
    letters = "ABCDEFG"[: len(row["choices"])]
    return None if row["answer"] in letters else f"the answer {row['answer']!r} is not one of {', '.join(letters)}"


def applied(rows: list[dict[str, Any]], *judgements: dict[str, Any]) -> Applied:
    return apply_corrections(rows, resolve(judgements).corrections, fields=FIELDS, check=is_a_letter)


def test_who_changed_what_from_which_to_which(tmp_path: Path) -> None:
    rows = [question(0), question(1), question(2)]
    found = applied(
        rows,
        judged("ben", "accept", item="q-1", answer="B", choices=["1", "2"]),
        judged("ann", "accept", item="q-1", answer="B", choices=["1", "2"]),
        judged("cat", "accept", item="q-1"),
        judged("ann", "accept", item="q-2"),
    )
    assert found.rows == [question(0), question(1, "B", choices=["1", "2"]), question(2)]
    assert found.rejections == []
    assert found.corrections == [
        {"item_id": "q-1", "field": "answer", "annotators": ["ann", "ben"], "before": '"A"', "after": '"B"'},
        {
            "item_id": "q-1",
            "field": "choices",
            "annotators": ["ann", "ben"],
            "before": '["1","2","3"]',
            "after": '["1","2"]',
        },
    ]
    assert rows[1] == question(1)  # the given rows are left as they are
    write_artifact(tmp_path / "corrections.parquet", CORRECTIONS, found.corrections)
    assert list(artifacts.rows_of(tmp_path / "corrections.parquet", CORRECTIONS)) == found.corrections


def test_what_cannot_be_scored_is_refused_with_all_its_corrections(tmp_path: Path) -> None:
    found = applied(
        [question(0), question(1), question(2), question(3)],
        judged("ann", "accept", item="q-0", answer="E", question="How few?"),
        judged("ann", "accept", item="q-1", image_ids=["x"]),
        judged("ann", "accept", item="q-2", answer=2),
        judged("ann", "accept", item="q-3", choices=[1, 2, 3]),
        judged("ann", "accept", item="q-9", answer="B"),
    )
    assert found.rows == [] and found.corrections == []
    assert [(row["item_id"], row["reason"], row["detail"]) for row in found.rejections] == [
        (
            "q-0",
            "correction refused",
            'answer from "A" to "E", question from "How many?" to "How few?": the answer \'E\' is not one of A, B, C',
        ),
        (
            "q-1",
            "correction refused",
            "image_ids: ann corrected it, but only answer, choices, question may be corrected",
        ),
        ("q-2", "correction refused", "answer: ann made it 2, a number; it must be text"),
        ("q-3", "correction refused", "choices: ann made it [1,2,3], a list of a number; it must be a list of text"),
        ("q-9", "unknown item", "answer: corrected, but the item is not in the table"),
    ]
    write_artifact(tmp_path / "rejections.parquet", REJECTIONS, found.rejections)


def test_what_is_equal_already_is_not_in_the_history_and_not_checked() -> None:
    odd = question(0, "Z")  # would be refused if it was checked
    found = applied([odd], judged("ann", "accept", item="q-0", answer="Z"))
    assert found == Applied([odd], [], [])
