"""Counterfactual questions by people: exported, written, imported and checked; every row that is refused is named."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_real.annotators import source_questions
from tests.benchmarks.cvqa_real.small import small
from tests.benchmarks.cvqa_real.vqa import vqa_project
from tests.command_line import whatif
from tests.people.imports.files import csv_file
from tests.projects import Project
from whatif.benchmarks.cvqa_real.annotations import annotated
from whatif.benchmarks.shared.imported_labels import Labelled
from whatif.engine.errors import WhatifError
from whatif.engine.params.resolution import Resolution
from whatif.people.imports.settings import LabelFile

SINGLE = Resolution(rule="single")
QUESTION, ANSWER = "counterfactual_question", "counterfactual_answer"
FEWER = {QUESTION: "How many dogs would there be if one left?", ANSWER: "3"}
ASLEEP = {QUESTION: "Would there be a dog if it had run away?", ANSWER: "no"}


def said(item: str, decision: str, fields: dict[str, str] | None = None, **more: str) -> dict[str, str]:
    corrected = {f"corrected_{name}": text for name, text in (fields or {}).items()}
    return {"item_id": item, "annotator": "ann", "decision": decision, **corrected, **more}


def imported(folder: Path, *rows: dict[str, str], rule: Resolution = SINGLE, number: int = 6) -> Labelled:
    columns = {key: "" for row in rows for key in row}
    path = csv_file(folder / "labels.csv", [{**columns, **row} for row in rows])
    files = [LabelFile.model_validate({"path": str(path), "format": "long"})]
    return annotated(source_questions(number), files, rule, 0)


def reasons(found: Labelled) -> dict[str, tuple[str, str]]:
    return {row["item_id"]: (row["reason"], row["detail"]) for row in found.rejections}


def test_a_written_question_has_the_parts_of_the_paper(tmp_path: Path) -> None:
    steps = {"step1": "  One dog\nleaves ", "step2": "The answer would be 4-1=3"}
    found = imported(
        tmp_path,
        said("104", "direct", {**FEWER, **steps, ANSWER: "Three"}),
        said("103", "boolean", {**ASLEEP, ANSWER: "No."}),
    )
    boolean, direct = found.rows
    assert direct == {
        "written_id": "104-direct-people",
        "source_id": "104",
        "group": "direct",
        "writer": "people",
        "question": FEWER[QUESTION],
        "answer": "3",
        "step1": "One dog leaves",
        "step2": "The answer would be 4-1=3",
        "examples": [],
        "attempt": None,
        "request_key": None,
        "provenance": "{}",
    }
    assert (boolean["written_id"], boolean["answer"], boolean["step1"]) == ("103-boolean-people", "no", None)
    assert {reason for reason, _ in reasons(found).values()} == {"not annotated"}
    assert len(found.rows) + len(found.rejections) == 6


@pytest.mark.parametrize(
    ("row", "reason", "detail"),
    [
        (("101", "boolean", ASLEEP), "group does not fit", "the question is numerical; choose direct or indirect"),
        (("103", "direct", FEWER), "group does not fit", "the group is direct, but the question is boolean; choose b"),
        (("103", "indirect", FEWER), "group does not fit", "choose boolean"),
        (("101", "direct", {**FEWER, ANSWER: "some"}), "answer of another form", "is 'some'; it must be a whole numb"),
        (("101", "direct", {**FEWER, ANSWER: "2.5"}), "answer of another form", "is '2.5'; it must be a whole number"),
        (("101", "indirect", {**FEWER, ANSWER: "-1"}), "answer of another form", "is '-1'; it must be a whole number"),
        (("101", "direct", {**FEWER, ANSWER: "yes"}), "answer of another form", "is 'yes'; it must be a whole number"),
        (("103", "boolean", {**ASLEEP, ANSWER: "maybe"}), "answer of another form", "it must be yes or no"),
        (("101", "direct", {**FEWER, QUESTION: " "}), "missing field", "counterfactual_question: is empty, but the"),
        (("101", "direct", {QUESTION: "How many dogs?"}), "missing field", "counterfactual_answer: is empty"),
        (("101", "none", {}), "no counterfactual question", "does not fit, or cannot be changed"),
        (("101", "none", FEWER), "contradictory field", "counterfactual_answer: has a text, but the decision is none"),
        (
            ("101", "direct", {**FEWER, QUESTION: "how many dogs are there in 1 ?"}),
            "contradictory field",
            "counterfactual_question: is the same as the question",
        ),
    ],
)
def test_annotations_that_cannot_be_used(
    row: tuple[str, str, dict[str, str]], reason: str, detail: str, tmp_path: Path
) -> None:
    found = imported(tmp_path, said(*row))
    item = row[0]
    assert found.rows == [] and len(found.rejections) == 6
    assert reasons(found)[item][0] == reason and detail in reasons(found)[item][1]


@pytest.mark.parametrize("answer", ["0", "zero", "None."])
def test_the_answer_may_be_0(answer: str, tmp_path: Path) -> None:
    found = imported(tmp_path, said("104", "indirect", {**FEWER, ANSWER: answer}))
    assert [row["answer"] for row in found.rows] == ["0"]


def test_of_several_people_one_is_chosen_by_the_rule(tmp_path: Path) -> None:
    other = {QUESTION: "How many dogs would there be if two came?", ANSWER: "6"}
    rows = [
        said("104", "direct", FEWER, time="2024-05-31T14:00:00"),
        said("104", "direct", other, annotator="bob", time="2024-05-30T14:00:00"),
        said("102", "direct", FEWER),
        said("102", "indirect", FEWER, annotator="bob"),
    ]
    with pytest.raises(WhatifError, match="item 102: has 2 judgements, by ann, bob"):
        imported(tmp_path, *rows)
    first = imported(tmp_path, *rows[:2], rule=Resolution(rule="first"))
    assert [row["answer"] for row in first.rows] == ["6"]
    undecided = imported(tmp_path, *rows, rule=Resolution(rule="unanimous"))
    assert undecided.rows == []
    assert {reasons(undecided)[item][0] for item in ("102", "104")} == {"annotators disagree", "corrections differ"}


@pytest.fixture
def project(project: Project) -> Project:
    return vqa_project(project)


def run_annotate(project: Project) -> list[str]:
    """Runs the step that imports what people wrote; what it said."""
    return project.make_jobs(job for job in project.jobs("generate") if job.step.name == "annotate")


def test_from_tasks_to_written_questions(project: Project) -> None:
    project.make("extract")
    project.write_params()
    told = whatif("export", "tasks", "cvqa-real", "write", "--to", "csv", "--of", "annotate")
    assert told.stdout.startswith("write: 3 tasks, 3 labels to give: "), told.output
    with Path("write/tasks.csv").open(encoding="utf-8", newline="") as file:
        tasks = list(csv.DictReader(file))
    written: dict[str, Any] = {
        "How many cats are there?": ("indirect", "How many cats would there be if the sofa were empty?", "1"),
        "Is the cat asleep?": ("boolean", "Would the cat be asleep if it had been woken up?", "no"),
        "Are the dogs wet?": ("direct", "Would the dogs be wet if they had swum?", "yes"),
    }
    for row in tasks:
        group, question, answer = written[row["question"]]
        row |= {"label": group, f"corrected_{QUESTION}": question, f"corrected_{ANSWER}": answer}
    csv_file(Path("written.csv"), tasks)
    project.generate["annotations"] = "written.csv"
    run_annotate(project)
    rows = project.rows("generate", "annotated", "annotate")
    assert [(row["written_id"], row["answer"]) for row in rows] == [
        ("1000-indirect-people", "1"),
        ("1001-boolean-people", "no"),
    ]
    lost = project.rows("generate", "unannotated", "annotate")
    assert [(row["item_id"], row["reason"]) for row in lost] == [("2004", "group does not fit")]
    assert len(project.rows("generate", "annotations", "annotate")) == 3


def test_without_annotations_nobody_was_asked(project: Project) -> None:
    project.make("extract")
    run_annotate(project)
    for role in ("annotated", "annotations", "unannotated"):
        assert project.rows("generate", role, "annotate") == []


def test_rows_that_are_refused_are_named_and_a_file_of_other_questions_is_an_error(project: Project) -> None:
    project.make("extract")
    good = said("1001", "boolean", ASLEEP)
    csv_file(Path("written.csv"), [good, said("1001x", "boolean", ASLEEP)])
    project.generate["annotations"] = [{"path": "written.csv", "format": "long"}]
    said_by_run = run_annotate(project)
    assert any("1 of 2 labels are not counted: unknown item (1)" in line for line in said_by_run)
    lost = {row["item_id"]: row["reason"] for row in project.rows("generate", "unannotated", "annotate")}
    assert lost == {"1000": "not annotated", "2004": "not annotated", "labels-line-000003": "unknown item"}
    assert not any("annotated questions" in line for line in said_by_run)  # that seeds are few is no loss
    csv_file(Path("written.csv"), [{**good, "item_id": "7"}])
    with pytest.raises(WhatifError, match="none of its 1 labels is about one of these source questions"):
        run_annotate(project)
    csv_file(Path("written.csv"), [said("1001", "none")])
    with pytest.raises(WhatifError, match=r"none of 1 annotated questions is left: no counterfactual question \(1\)"):
        run_annotate(project)


def test_the_released_questions_take_no_annotations(tmp_path: Path) -> None:
    project = small(Project(tmp_path / "released"))
    project.make("extract")
    csv_file(project.folder / "written.csv", [said("1001", "boolean", ASLEEP)])
    project.generate["annotations"] = [{"path": str(project.folder / "written.csv"), "format": "long"}]
    with pytest.raises(WhatifError, match="the released questions have their counterfactuals"):
        run_annotate(project)
