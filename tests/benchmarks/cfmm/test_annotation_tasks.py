"""Tasks in which people write questions: exported, filled in as in each tool, and imported; nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.benchmarks.cfmm.annotators import annotation_work, candidates
from tests.people.exports.round_trips import check_csv, check_label_studio, check_mturk
from tests.people.imports.files import csv_file, read
from whatif.benchmarks.cfmm.annotation_tasks import EXAMPLES, FIELDS, NONE, OF_CHECKS, OF_IMAGES, annotation_items
from whatif.formats.cfmm_items import CATEGORIES
from whatif.people.exports.label_studio import label_studio_files
from whatif.people.exports.table import csv_files
from whatif.people.exports.tasks import instructions_html
from whatif.people.question_checks import DECISIONS

GUIDE = Path(__file__).parents[3] / "docs" / "cfmm-annotation-guide.md"


def test_every_decision_and_field_is_in_the_round_trips() -> None:
    judgements = annotation_work().judgements()
    assert {decision for decision, _, _ in judgements.values()} == {*CATEGORIES, NONE}
    assert {name for _, corrected, _ in judgements.values() for name in json.loads(corrected)} == set(FIELDS)


def test_csv(tmp_path: Path) -> None:
    fields = ",".join(f"corrected_{name}" for name in FIELDS)
    header = check_csv(annotation_work(), tmp_path)
    assert header == f"task_id,annotator,image,captions,label,{fields},comment"


@pytest.mark.parametrize("as_json", [False, True])
def test_mturk(as_json: bool, tmp_path: Path) -> None:
    check_mturk(annotation_work(), tmp_path, as_json=as_json)


@pytest.mark.parametrize("form", ["json", "json-min", "csv"])
def test_label_studio(form: str, tmp_path: Path) -> None:
    assert check_label_studio(annotation_work(), tmp_path, form) == [*CATEGORIES, NONE]


def test_a_second_person_can_say_that_a_question_gives_its_answer_away() -> None:
    assert {answer.value for answer in OF_CHECKS.answers} == set(DECISIONS)
    assert "Does it give its answer away?" in instructions_html(OF_CHECKS)


def test_the_fields_appear_with_each_category_and_not_with_none() -> None:
    work = annotation_work()
    view = ElementTree.fromstring(label_studio_files(work.tasks, work.images, None)["labelling-interface.xml"])
    boxes = [box for box in view.iter("View") if box is not view]
    assert [area.get("name") for box in boxes for area in box.iter("TextArea")] == [
        f"corrected_{name}" for name in FIELDS
    ]
    assert {box.get("whenChoiceValue") for box in boxes} == {"count,color,size,shape,direction,common"}


@pytest.mark.parametrize("name", ["COCO_val2014_000000000003.jpg", "000000000003.jpg", "3", "000000000003", "x/3.jpg"])
def test_a_file_may_name_the_photograph(name: str, tmp_path: Path) -> None:
    rows = [{"item_id": name, "annotator": "ann", "decision": "Count ", "corrected_basic_question": "How many?"}]
    found = read(csv_file(tmp_path / "labels.csv", rows), "long", annotation_items(candidates(5), 0))
    (row,) = found.judgements
    assert (row["item_id"], row["decision"]) == ("000000000003", "count")
    assert json.loads(row["corrected"]) == {"basic_question": "How many?"}


def test_labels_that_do_not_count(tmp_path: Path) -> None:
    rows = [
        {"item_id": "000000000001", "annotator": "ann", "decision": "weight"},
        {"item_id": "000000000099", "annotator": "ann", "decision": "count"},
        {"item_id": "000000000002", "annotator": "ann", "decision": "", "corrected_basic_question": "What?"},
        {"item_id": "000000000003", "annotator": "ann", "decision": "none"},
    ]
    found = read(csv_file(tmp_path / "labels.csv", rows), "long", annotation_items(candidates(5), 0))
    assert {row["reason"]: row["detail"] for row in found.rejections} == {
        "unknown label": "labels.csv: line 2: 'weight' is not one of count, color, size, shape, direction, common, "
        "none (column decision)",
        "unknown item": "labels.csv: line 3: item_id is '000000000099'; an item is for example '000000000000'",
        "correction without decision": "labels.csv: line 4: basic_question has a new value, but decision is empty",
    }
    assert [row["decision"] for row in found.judgements] == ["none"]


def test_instructions_and_guide_have_an_example_for_each_category() -> None:
    guide = " ".join(GUIDE.read_text(encoding="utf-8").split())
    page = instructions_html(OF_IMAGES)
    plain = csv_files(annotation_work().tasks, annotation_work().images)["instructions.txt"].decode()
    assert tuple(EXAMPLES) == CATEGORIES
    for example in EXAMPLES.values():
        for name in FIELDS:
            wanted = getattr(example, name)
            assert wanted in guide and wanted in page and wanted in plain
        assert " if " in example.counterfactual_question.lower() and " if " not in example.basic_question.lower()
        assert example.basic_answer != example.basic_option
        assert example.counterfactual_answer != example.counterfactual_option
    assert any(one.basic_answer == one.counterfactual_answer for one in EXAMPLES.values())
