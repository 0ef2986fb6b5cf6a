"""What a second person says about questions: corrected answers before and after the options are ordered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.choice_questions import choice_question
from tests.people.imports.files import csv_file
from tests.projects import Project
from whatif.benchmarks.cfmm.schemas import VARIANTS
from whatif.engine.artifacts.schemas import QUESTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError

OPTIONS = {"basic": ["three", "two"], "counterfactual": ["two", "three"]}


def question(item: str, variant: str, answer: str = "A") -> dict[str, Any]:
    choices = OPTIONS.get(variant, ["three", "four"])
    provenance = {"origin": "annotator", "same_as_basic": choices[0] == "three", "second_option": "annotator"}
    return choice_question(
        f"{item}-{variant}",
        item,
        "count",
        variant,
        f"How many cups would be there in {item} {variant}?",
        choices if answer == "A" else choices[::-1],
        answer=answer,
        image_ids=["0" * 64],
        provenance=provenance,
    )


ROWS = [question(item, variant, "AB"[place % 2]) for item in "abc" for place, variant in enumerate(VARIANTS)]


@pytest.fixture
def project(folder: Path) -> Project:
    """A project with questions that are filtered, and with labels about them."""
    made = Project(folder, "cfmm")
    write_artifact(folder / "data/filter/cfmm/questions.parquet", QUESTIONS, ROWS)
    return made


def label(project: Project, *labels: tuple[str, str, str, str]) -> None:
    rows = [
        {"item_id": item, "annotator": "ann", "decision": says, "corrected_answer": letter, "corrected_question": words}
        for item, says, letter, words in labels
    ]
    csv_file(project.folder / "labels.csv", rows)
    project.section("verify")["labels"] = [{"path": "labels.csv", "format": "long"}]


def verified(project: Project) -> dict[str, dict[str, Any]]:
    project.make("verify")
    return {row["question_id"]: row for row in project.rows("verify", "questions")}


def test_the_order_of_the_options_stays_and_the_answers_are_compared_again(project: Project) -> None:
    label(
        project,
        ("a-basic", "accept", "(b)", ""),  # three -> two
        ("b-counterfactual1", "accept", "B", "How many cups would be there if one more came?"),
        ("b-counterfactual2", "accept", "two", ""),
        ("c-counterfactual3", "unrelated", "", ""),
    )
    found = verified(project)
    before = {row["question_id"]: row for row in ROWS}
    assert found["a-basic"]["answer"] == "B" and found["a-basic"]["choices"] == ["three", "two"]
    same = {key: json.loads(row["provenance"])["same_as_basic"] for key, row in found.items()}
    assert {key for key in same if key.startswith("a") and same[key]} == {"a-basic", "a-counterfactual"}
    assert found["b-counterfactual1"]["choices"][1] == "four" and same["b-counterfactual1"] is False
    assert found["b-counterfactual1"]["question"].endswith("if one more came?")
    assert {key for key in found if key.startswith("c")} == {f"c-{name}" for name in VARIANTS[:-1]}
    assert all(found[key] == before[key] for key in found if key.startswith("c"))
    rejections = project.rows("verify", "rejections")
    assert {row["item_id"]: (row["reason"], row["detail"]) for row in rejections} == {
        "b-counterfactual2": (
            "correction refused",
            'answer from "B" to "two": the answer \'two\' is no letter of an option; use A or B',
        ),
        "c-counterfactual3": ("unrelated", "ann: unrelated"),
    }
    changes = project.rows("verify", "corrections")
    assert [(row["item_id"], row["field"], row["after"]) for row in changes] == [
        ("a-basic", "answer", '"B"'),
        ("b-counterfactual1", "answer", '"B"'),
        ("b-counterfactual1", "question", '"How many cups would be there if one more came?"'),
    ]
    assert len(project.rows("verify", "judgements")) == 4


def test_without_labels_nothing_changes(project: Project) -> None:
    assert list(verified(project).values()) == sorted(ROWS, key=lambda row: str(row["question_id"]))


def test_nothing_left_is_an_error(project: Project) -> None:
    label(project, *((item, "reject", "", "") for item in "abc"))
    with pytest.raises(WhatifError, match="verify cfmm: none of 15 questions is left: reject"):
        verified(project)
