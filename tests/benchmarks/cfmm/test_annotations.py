"""Annotators' questions: exported, written, imported and checked, as a project does it; and what is rejected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.benchmarks.cfmm.coco import COUNT, SCENES, settings, write_coco
from tests.people.imports.files import csv_file, csv_rows
from tests.projects import Project
from whatif.benchmarks.cfmm.annotations import annotated
from whatif.benchmarks.cfmm.settings import WriteSettings
from whatif.benchmarks.cfmm.sources import candidates_of
from whatif.benchmarks.shared.imported_labels import Labelled
from whatif.commands.cli import main
from whatif.engine.errors import WhatifError
from whatif.engine.graph.jobs import Job
from whatif.engine.params.resolution import Resolution
from whatif.people.imports.settings import LabelFile
from whatif.people.picture_tasks import task_id_of

pytestmark = pytest.mark.slow

RULES: Any = ["basic-answer", "first-counterfactual", "basic-option"]


@pytest.fixture
def coco(tmp_path: Path) -> dict[str, Any]:
    return write_coco(tmp_path)


def labelled(folder: Path, *rows: dict[str, Any]) -> list[LabelFile]:
    """A long label file; each row has an item, perhaps an annotator, a decision, and fields."""
    made = [
        {
            "item_id": row["item"],
            "annotator": row.get("by", "ann"),
            "decision": row["says"],
            "time": row.get("time", ""),
            **{f"corrected_{name}": text for name, text in row.get("fields", {}).items()},
        }
        for row in rows
    ]
    path = csv_file(folder / "labels.csv", made)
    return [LabelFile.model_validate({"path": str(path), "format": "long"})]


def imported(
    folder: Path, coco: dict[str, Any], *rows: dict[str, Any], rule: Resolution | None = None, rules: Any = RULES
) -> Labelled:
    own = settings(**coco)
    files = labelled(folder, *rows)
    write = WriteSettings(own, files, rule or Resolution(rule="single"), rules)
    return annotated(candidates_of(own, 0).rows, write, 0)


def reasons(found: Labelled) -> dict[str, tuple[str, str]]:
    return {row["item_id"].lstrip("0"): (row["reason"], row["detail"]) for row in found.rejections}


def test_questions_have_the_right_option_first(tmp_path: Path, coco: dict[str, Any]) -> None:
    found = imported(tmp_path, coco, {"item": "11", "says": "count", "fields": COUNT})
    assert [row["question_id"] for row in found.rows] == ["000000000011-basic", "000000000011-counterfactual"]
    basic, counterfactual = found.rows
    assert (basic["question"], basic["choices"], basic["answer"]) == (COUNT["basic_question"], ["three", "two"], "A")
    assert (counterfactual["choices"], counterfactual["group"]) == (["two", "three"], "count")
    assert json.loads(basic["provenance"]) == {
        "origin": "annotator",
        "same_as_basic": True,
        "second_option": "annotator",
    }
    assert json.loads(counterfactual["provenance"])["same_as_basic"] is False
    assert {reason for reason, _ in reasons(found).values()} == {"not annotated"} and len(found.rejections) == 3


@pytest.mark.parametrize(
    ("fields", "rules", "expected"),
    [
        ({}, RULES, ("three", "basic-answer")),
        ({"counterfactual_answer": "Three"}, RULES, ("two", "basic-option")),
        ({}, ["basic-option", "basic-answer"], ("three", "basic-answer")),
        ({"counterfactual_answer": "four"}, ["basic-option", "basic-answer"], ("two", "basic-option")),
    ],
)
def test_the_rules_give_a_wrong_option_that_nobody_wrote(
    fields: dict[str, str], rules: Any, expected: tuple[str, str], tmp_path: Path, coco: dict[str, Any]
) -> None:
    written = {**COUNT, "counterfactual_option": "", **fields}
    found = imported(tmp_path, coco, {"item": "11", "says": "count", "fields": written}, rules=rules)
    row = found.rows[1]
    assert (row["choices"][1], json.loads(row["provenance"])["second_option"]) == expected
    assert json.loads(row["provenance"])["same_as_basic"] is (row["choices"][0] == "Three")


def test_annotations_that_cannot_be_used(tmp_path: Path, coco: dict[str, Any]) -> None:
    def without(**changes: str) -> dict[str, str]:
        return {**COUNT, **changes}

    found = imported(
        tmp_path,
        coco,
        {"item": "11", "says": "none"},
        {"item": "12", "says": "size", "fields": without(basic_option=" ")},
        {"item": "15", "says": "count", "fields": without(counterfactual_option="Two")},
        {"item": "18", "says": "none", "fields": {"basic_question": "What?"}},
        {"item": "13", "says": "count", "fields": COUNT},  # an image that is not rich enough
    )
    assert found.rows == [] and reasons(found) == {
        "11": ("no category", "the annotator finds no category that fits the image"),
        "12": ("missing field", "basic_option: is empty, but the category is size"),
        "15": ("contradictory field", "counterfactual_option: is the same as counterfactual_answer: two"),
        "18": ("contradictory field", "basic_question: has a text, but the category is none"),
    }
    assert [row["reason"] for row in found.refused_labels] == ["unknown item"]
    same = without(counterfactual_question="How many cups are on the table?")
    assert reasons(imported(tmp_path, coco, {"item": "11", "says": "count", "fields": same}))["11"] == (
        "contradictory field",
        "counterfactual_question: is the same as basic_question: How many cups are on the table?",
    )
    lost = {**COUNT, "counterfactual_answer": "three", "counterfactual_option": ""}
    none = imported(tmp_path, coco, {"item": "11", "says": "count", "fields": lost}, rules=["basic-answer"])
    assert none.rows == [] and reasons(none)["11"][0] == "no second option"
    assert "counterfactual_option: is empty, and none of basic-answer differs from 'three'" in reasons(none)["11"][1]


def test_several_annotators_of_one_image(tmp_path: Path, coco: dict[str, Any]) -> None:
    rows = [
        {"item": "11", "says": "count", "fields": COUNT, "by": "ann", "time": "2024-05-31T14:00:00"},
        {"item": "11", "says": "count", "fields": {**COUNT, "basic_option": "nine"}, "by": "bob", "time": "2024-05-30"},
        {"item": "12", "says": "count", "fields": COUNT, "by": "ann", "time": "2024-05-31T14:00:00"},
        {"item": "12", "says": "color", "fields": COUNT, "by": "bob", "time": "2024-05-31T15:00:00"},
    ]
    with pytest.raises(WhatifError, match="item 000000000011: has 2 judgements, by ann, bob"):
        imported(tmp_path, coco, *rows)
    first = imported(tmp_path, coco, *rows, rule=Resolution(rule="first"))
    assert [row["choices"][1] for row in first.rows if row["variant"] == "basic"] == ["nine", "two"]
    chosen = imported(tmp_path, coco, *rows, rule=Resolution(rule="adjudicated", adjudicator="bob"))
    assert [row["group"] for row in chosen.rows] == ["count", "count", "color", "color"]
    undecided = imported(tmp_path, coco, *rows, rule=Resolution(rule="unanimous"))
    assert undecided.rows == []
    assert reasons(undecided)["11"][0] == "corrections differ"
    assert reasons(undecided)["12"] == ("annotators disagree", "ann: count; bob: color")


def test_photographs_need_annotations_and_finished_items_have_questions(tmp_path: Path, coco: dict[str, Any]) -> None:
    single = Resolution(rule="single")
    with pytest.raises(WhatifError, match="is null, and photographs need questions by people; write the tasks with"):
        annotated([], WriteSettings(settings(**coco), None, single, RULES), 0)
    finished = settings(items="items.json", image_folders=coco["image_folders"])
    with pytest.raises(WhatifError, match=r"the items of extract\.cfmm\.items have questions; set it to null"):
        annotated([], WriteSettings(finished, labelled(tmp_path), single, RULES), 0)


def test_finished_items_become_questions(tmp_path: Path, coco: dict[str, Any]) -> None:
    texts = {
        "basic question": "How many cups are there?",
        "basic answer": "three",
        "counterfactual question": "How many cups would there be if the plate were blue?",
        "counterfactual answer": "three",
        "counterfactual question1": "How many cups would there be if one broke?",
        "counterfactual answer1": "two",
        "counterfactual question3": "How many cups would there be if two were added?",
        "counterfactual answer3": "five",
        "counterfactual option3": "four",
    }
    lone = {key: value for key, value in texts.items() if not key[-1].isdigit()}
    items = [
        {"image": 11, "category": "count", **texts},
        {"image": 12, "category": "count", **lone},  # no text differs from the answer to the basic question
        {"image": 15, "category": "count", **lone, "basic option": "one"},
    ]
    path = tmp_path / "items.json"
    path.write_text(json.dumps(items), encoding="utf-8")
    own = settings(items=str(path), image_folders=coco["image_folders"])
    found = annotated(candidates_of(own, 0).rows, WriteSettings(own, None, Resolution(rule="single"), RULES), 0)
    known = {
        (row["pair_id"].lstrip("0"), row["variant"]): (row["choices"], json.loads(row["provenance"]))
        for row in found.rows
    }
    assert {key: choices for key, (choices, _) in known.items()} == {
        ("11", "basic"): ["three", "two"],
        ("11", "counterfactual1"): ["two", "three"],
        ("11", "counterfactual3"): ["five", "four"],
        ("15", "basic"): ["three", "one"],
        ("15", "counterfactual"): ["three", "one"],
    }
    assert known["11", "basic"][1]["second_option"] == "first-counterfactual"
    assert known["11", "counterfactual3"][1] == {"origin": "file", "same_as_basic": False, "second_option": "file"}
    assert known["15", "counterfactual"][1]["same_as_basic"] is True
    assert {item: reason for item, (reason, _) in reasons(found).items()} == {
        "11-counterfactual": "no second option",
        "12": "no second option",
    }


def test_drawn_scenes_have_computed_questions() -> None:
    own = settings(limit=5)
    candidates = candidates_of(own, 4)
    found = annotated(candidates.rows, WriteSettings(own, None, Resolution(rule="single"), RULES), 4)
    assert len(candidates.rows) == len(candidates.images) == 5 and candidates.rejections == []
    assert len(candidates_of(settings(), 4).rows) == 6 * SCENES.items_per_category
    assert len(found.rows) == 25 and {row["answer"] for row in found.rows} == {"A"}
    assert {row["pair_id"] for row in found.rows} == {row["item_id"] for row in candidates.rows}
    assert all(json.loads(row["provenance"])["origin"] == "scenes" for row in found.rows)


@pytest.fixture
def project(folder: Path) -> Project:
    made = Project(folder, "cfmm")
    made.section("extract").update(write_coco(folder))
    return made


def whatif(*arguments: str) -> str:
    result = CliRunner().invoke(main, list(arguments), prog_name="whatif")
    assert result.exit_code == 0, result.output
    return result.stdout


def steps(project: Project, *names: str) -> list[Job]:
    return [job for job in project.jobs("generate") if job.step.name in names]


def test_from_tasks_to_checked_questions(project: Project) -> None:
    project.make("extract")
    project.write_params()
    assert "write: 4 tasks, 4 labels to give" in whatif(
        "export", "tasks", "cfmm", "write", "--to", "csv", "--of", "annotate"
    )
    corrected = {f"corrected_{name}": text for name, text in COUNT.items()}
    csv_file(Path("written.csv"), [{**row, "label": "count", **corrected} for row in csv_rows("write/tasks.csv")])
    project.generate["annotations"] = "written.csv"
    project.make_jobs(steps(project, "annotate"))
    written = project.rows("generate", "annotated")
    assert len(written) == 8 and len(project.rows("generate", "annotations")) == 4

    assert "check: 8 tasks, 8 labels" in whatif("export", "tasks", "cfmm", "check", "--to", "csv", "--of", "check")
    about = {task_id_of(row["question_id"], project.values["seed"]): row for row in written}
    gone, kept = "000000000011-counterfactual", "000000000012-counterfactual"

    def second_person(row: dict[str, str]) -> dict[str, str]:
        item = about[row["task_id"]]["question_id"]
        assert row["question"] == about[row["task_id"]]["question"]
        if item == gone:
            return {"label": "ambiguous"}
        return {"label": "accept", "corrected_answer": "B" if item == kept else ""}

    csv_file(Path("checked.csv"), [row | second_person(row) for row in csv_rows("check/tasks.csv")])
    project.generate["check"]["labels"] = "checked.csv"
    project.make_jobs(steps(project, "check"))
    checked = {row["question_id"]: row for row in project.rows("generate", "checked")}
    assert len(checked) == 6 and "000000000011-basic" not in checked
    assert checked[kept]["choices"] == ["three", "two"] and checked[kept]["answer"] == "A"
    assert json.loads(checked[kept]["provenance"])["same_as_basic"] is True
    (lost,) = project.rows("generate", "unchecked")
    assert (lost["item_id"], lost["reason"]) == ("000000000011", "ambiguous")


def test_a_project_without_annotations_says_how_to_get_them(project: Project) -> None:
    project.make("extract")
    with pytest.raises(WhatifError, match="`whatif export tasks cfmm FOLDER --of annotate --to TOOL`"):
        project.make_jobs(steps(project, "annotate"))
