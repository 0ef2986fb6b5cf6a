"""Tasks in which people write counterfactual questions: exported, filled in as in each tool, and imported."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.benchmarks.cvqa_real.annotators import annotation_work, source_questions
from tests.people.exports.round_trips import check_csv, check_label_studio, check_mturk
from tests.people.imports.files import csv_file, read
from whatif.benchmarks.cvqa_real.annotation_tasks import (
    EXAMPLES,
    FIELDS,
    NONE,
    OF_SOURCE_QUESTIONS,
    annotation_items,
    annotation_task_set,
)
from whatif.benchmarks.cvqa_real.schemas import GROUPS
from whatif.engine.errors import WhatifError
from whatif.people.exports.label_studio import label_studio_files
from whatif.people.exports.table import csv_files
from whatif.people.exports.tasks import instructions_html

GUIDE = Path(__file__).parents[3] / "docs" / "cvqa-real-annotation-guide.md"


def test_every_group_and_field_is_in_the_round_trips() -> None:
    judgements = annotation_work().judgements()
    assert {decision for decision, _, _ in judgements.values()} == {*GROUPS, NONE}
    assert {name for _, corrected, _ in judgements.values() for name in json.loads(corrected)} == set(FIELDS)


def test_csv(tmp_path: Path) -> None:
    fields = ",".join(f"corrected_{name}" for name in FIELDS)
    header = check_csv(annotation_work(), tmp_path)
    assert header == f"task_id,annotator,image,question,answer,label,{fields},comment"


@pytest.mark.parametrize("as_json", [False, True])
def test_mturk(as_json: bool, tmp_path: Path) -> None:
    check_mturk(annotation_work(), tmp_path, as_json=as_json)


@pytest.mark.parametrize("form", ["json", "json-min", "csv"])
def test_label_studio(form: str, tmp_path: Path) -> None:
    assert check_label_studio(annotation_work(), tmp_path, form) == [*GROUPS, NONE]


def test_the_fields_appear_with_each_group_and_not_with_none() -> None:
    work = annotation_work()
    view = ElementTree.fromstring(label_studio_files(work.tasks, work.images, None)["labelling-interface.xml"])
    boxes = [box for box in view.iter("View") if box is not view]
    assert [area.get("name") for box in boxes for area in box.iter("TextArea")] == [
        f"corrected_{name}" for name in FIELDS
    ]
    assert {box.get("whenChoiceValue") for box in boxes} == {"direct,indirect,boolean"}


@pytest.mark.parametrize("name", ["101", "101-original"])
def test_a_file_may_name_the_question_or_its_pair(name: str, tmp_path: Path) -> None:
    rows = [{"item_id": name, "annotator": "ann", "decision": "Direct ", "corrected_counterfactual_answer": "three"}]
    found = read(csv_file(tmp_path / "labels.csv", rows), "long", annotation_items(source_questions(5), 0))
    (row,) = found.judgements
    assert (row["item_id"], row["decision"]) == ("101", "direct")
    assert json.loads(row["corrected"]) == {"counterfactual_answer": "3"}


def test_labels_that_do_not_count_are_named(tmp_path: Path) -> None:
    rows = [
        {"item_id": "101", "annotator": "ann", "decision": "both"},
        {"item_id": "999", "annotator": "ann", "decision": "direct"},
        {"item_id": "102", "annotator": "ann", "decision": "", "corrected_counterfactual_question": "What?"},
        {"item_id": "103", "annotator": "ann", "decision": "none"},
    ]
    found = read(csv_file(tmp_path / "labels.csv", rows), "long", annotation_items(source_questions(5), 0))
    assert {row["reason"]: row["detail"] for row in found.rejections} == {
        "unknown label": "labels.csv: line 2: 'both' is not one of direct, indirect, boolean, none (column decision)",
        "unknown item": "labels.csv: line 3: item_id is '999'; an item is for example '100'",
        "correction without decision": "labels.csv: line 4: counterfactual_question has a new value, but decision is "
        "empty",
    }
    assert [row["decision"] for row in found.judgements] == ["none"]


def test_the_released_set_has_its_counterfactual_questions() -> None:
    rows = [{**row, "variant": variant} for row in source_questions(2) for variant in ("original", "counterfactual")]
    for make in (annotation_task_set, annotation_items):
        with pytest.raises(WhatifError, match=r"have their counterfactuals; to write others, set extract\.cvqa"):
            make(rows, 0)


def test_instructions_and_guide_have_an_example_for_each_group() -> None:
    guide = " ".join(GUIDE.read_text(encoding="utf-8").split())
    page = instructions_html(OF_SOURCE_QUESTIONS)
    plain = csv_files(annotation_work().tasks, annotation_work().images)["instructions.txt"].decode()
    assert tuple(EXAMPLES) == GROUPS
    assert [text.partition(". ")[0] for text in OF_SOURCE_QUESTIONS.examples] == ["Direct", "Indirect", "Yes or no"]
    for example in EXAMPLES.values():
        for name in ("question", "answer", *FIELDS):
            wanted = getattr(example, name)
            assert wanted in guide and wanted in page and wanted in plain
        assert " if " in example.counterfactual_question and " if " not in example.question
        assert example.counterfactual_answer not in example.counterfactual_question.lower().split()
