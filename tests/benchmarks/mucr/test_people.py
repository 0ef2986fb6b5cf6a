"""People's answers to the questions of MuCR: from their file to the row `Human`, by the rule of the paper."""

from __future__ import annotations

import pytest

from tests.benchmarks.mucr.asked import Set
from tests.benchmarks.mucr.evaluated import Collected, job_of, write_inputs
from tests.projects import Project
from whatif.benchmarks.mucr.asked_items import IN_TEXT, AskedItems
from whatif.benchmarks.mucr.outcomes import Answerer
from whatif.benchmarks.mucr.people import _in_images
from whatif.benchmarks.mucr.report import attempts_of
from whatif.benchmarks.shared.human_attempts import write_attempts

# The first attempt is right about one question of two, the second about the only one that it answers.
LINES = ["question_id,attempt,answer", "g0-p0-c2e-text,1,{}", "g0-p1-c2e-text,1,{}", "g0-p0-c2e-text,2,{}"]


@pytest.fixture
def project(project: Project) -> Project:
    project.select("mucr")
    return project


def test_the_row_is_over_the_answers_of_all_attempts_together(project: Project) -> None:
    made = Set()
    right = {row["question_id"]: row["answer"] for row in made.questions}
    first, second = right["g0-p0-c2e-text"], right["g0-p1-c2e-text"]
    wrong = next(letter for letter in "ABCD" if letter != second)
    lines = "\n".join(LINES).format(first.lower(), wrong, first)
    (project.folder / "people.csv").write_text(lines, encoding="utf-8")
    project.section("evaluate")["human_attempts"] = ["people.csv"]
    (job,) = (job for job in project.jobs("verify") if job.step.name == "people")
    write_inputs(job, made)
    outputs = Collected()
    write_attempts(job.task(outputs, project.messages.append))  # type: ignore[arg-type]
    assert [(row["attempt"], row["correct"]) for row in outputs.rows["attempts"]] == [
        ("1", True),
        ("2", True),
        ("1", False),
    ]
    asked = AskedItems.of(made.questions, made.items)
    attempts = attempts_of(outputs.rows["attempts"], asked)
    assert attempts is not None
    people = Answerer({}, [(attempts, one) for one in range(len(attempts.systems))])
    answers = people.by_metric(IN_TEXT)["C2E"]
    assert (answers.n, answers.right.mean()) == (3, pytest.approx(2 / 3))
    assert "people.csv" in job.named_sources
    assert job_of(project, "random", "direct").named_sources == {}


def test_without_files_nothing_is_imported(project: Project) -> None:
    assert not [job for job in project.jobs("verify") if job.step.name == "people"]


def test_people_are_shown_each_pair_once_for_each_metric_with_its_images() -> None:
    made = Set()
    shown = _in_images(made.questions, {"items": made.items})
    about = {row["question_id"]: row for row in made.items}
    assert shown and all(len(row["image_ids"]) == 1 for row in shown)
    asked = [(about[row["question_id"]]["pair_id"], about[row["question_id"]]["metric"]) for row in shown]
    assert len(set(asked)) == len(asked)
