"""Labels of people in C-VQA-Real: questions that they remove and correct, and the tables of their work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_real.small import LINES, funnel, small
from tests.projects import Project
from whatif.results.reporting.table import from_csv

pytestmark = pytest.mark.slow


@pytest.fixture
def project(project: Project) -> Project:
    return small(project)


def labels_of(project: Project, rows: list[str], **settings: Any) -> None:
    header = "item_id,annotator,decision,corrected_answer,corrected_question"
    (project.folder / "people.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    project.section("verify").update(labels=[{"path": "people.csv", "format": "long"}], **settings)


def test_people_remove_and_correct_questions_in_the_order_of_the_paper(project: Project) -> None:
    project.run("extract", "generate", "filter")
    rows = project.rows("filter", "questions")
    direct, indirect, boolean = dict.fromkeys(row["pair_id"] for row in rows)
    better = "How many cats would there be if only 1 was left?"
    people = [
        f"{direct}-counterfactual,ann,accept,,{better}",
        f"{direct}-counterfactual,bob,accept,,{better}",
        f"{direct}-original,ann,accept,3,",
        f"{indirect},ann,unrelated,,",
        f"{indirect},bob,unrelated,,",
        f"{boolean},ann,accept,maybe,",
        f"{boolean},bob,accept,maybe,",
        "nobody,ann,accept,,",
        f"{direct}-counterfactual,cas,accept,,",
        f"{direct}-counterfactual,cas,ambiguous,,",
    ]
    labels_of(project, people)
    project.run("verify", "evaluate", "aggregate")
    asked = {row["variant"]: row for row in project.rows("verify", "questions")}
    assert (asked["original"]["answer"], asked["counterfactual"]["question"]) == ("3", better)
    assert len(asked) == 2 and asked["original"]["question"] == "How many cats are there?"
    history = project.rows("verify", "corrections")
    assert [(row["item_id"], row["field"], row["before"], row["after"], row["annotators"]) for row in history] == [
        (
            f"{direct}-counterfactual",
            "question",
            f'"{LINES.splitlines()[1].split(",")[3]}"',
            f'"{better}"',
            ["ann", "bob"],
        ),
        (f"{direct}-original", "answer", '"2"', '"3"', ["ann"]),
    ]
    refused = {row["item_id"]: row for row in project.rows("verify", "unchecked")}
    assert {item: row["reason"] for item, row in refused.items()} == {
        indirect: "unrelated",
        boolean: "correction refused",
        "labels-line-000009": "unknown item",
        "labels-line-000010": "given twice, differently",
        "labels-line-000011": "given twice, differently",
    }
    assert "'maybe' cannot be scored; it must be yes or no" in refused[boolean]["detail"]
    checked = [row[1:] for row in funnel() if row[0] == "check"]
    assert checked[:3] == [("in", "", 10), ("out", "", 7), ("rejected", "", 3)]
    assert checked[5:] == [
        ("in", "", 3),
        ("out", "", 1),
        ("rejected", "", 2),
        ("rejected because", "correction refused", 1),
        ("rejected because", "unrelated", 1),
    ]
    agreed = from_csv(project.published("annotator-agreement.csv"))
    assert list(agreed[agreed["measure"] == "agreement"]["value"]) == [100]
    assert set(from_csv(project.published("annotators.csv"))["annotator"]) == {"ann", "bob"}
    assert "corrected the answers of 1 questions and the wording of 1." in project.published("report.md")


def test_labels_of_exported_tasks_are_those_of_the_questions(project: Project) -> None:
    import csv
    import io

    from click.testing import CliRunner

    from whatif.commands.cli import main

    project.run("extract", "generate", "filter")
    options = ["--of", "verify", "--to", "csv", "--annotators", "1", "--seed", str(project.values["seed"])]
    told = CliRunner().invoke(main, ["export", "tasks", "cvqa-real", "tasks", *options])
    assert told.exit_code == 0, told.output
    with Path("tasks/tasks.csv").open(encoding="utf-8", newline="") as file:
        tasks = list(csv.DictReader(file))
    unrelated = next(task for task in tasks if task["question"] == "How many cats are there?")
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(tasks[0]))
    writer.writeheader()
    writer.writerows({**task, "label": "unrelated" if task is unrelated else "accept"} for task in tasks)
    Path("people.csv").write_text(text.getvalue(), encoding="utf-8", newline="")
    project.section("verify").update(labels="people.csv")
    project.run("verify")
    removed = [row for row in project.rows("verify", "unchecked") if row["reason"] == "unrelated"]
    assert len(removed) == 1 and removed[0]["detail"].startswith("original: ")
    people = [row for row in project.rows("verify", "judgements") if row["annotator"] == "1"]
    assert len(people) == len(tasks) == len(project.rows("filter", "questions"))
