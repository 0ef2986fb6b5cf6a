"""People beside models: simulated people of known accuracy answer exported tasks, and the tables say what they did."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_synthetic.small import BEFORE_MODELS, small
from tests.benchmarks.from_yaml.files import SCENES
from tests.benchmarks.from_yaml.files import project as yaml_project
from tests.projects import Project, Row
from whatif import benchmarks
from whatif.engine.artifacts.images import ImageStore
from whatif.engine.random_streams import stream
from whatif.people.exports.table import csv_files
from whatif.people.exports.tasks import assigned
from whatif.results.reporting.people import AGREEMENT, ATTEMPTS, CEILING, NUMBER, SHARED
from whatif.results.reporting.table import from_csv
from whatif.scoring.statistics import clustered_share
from whatif.scoring.statistics.pair_agreement import krippendorff_alpha

pytestmark = pytest.mark.slow

ACCURACY = {"1": 0.95, "2": 0.8, "3": 0.6}
Said = dict[str, dict[str, str]]  # question -> person -> answer


def answer_of(question: Row, person: str, seed: int = 3) -> str:
    """The answer of a person, who is right about a known share of the questions."""
    draw = stream(seed, "person", person, question["question_id"])
    if draw.random() < ACCURACY[person]:
        return str(question["answer"])
    others = [letter for letter in "ABCD"[: len(question["choices"])] if letter != question["answer"]]
    return others[int(draw.integers(len(others)))]


def filled_in(project: Project, name: str, questions: list[Row], images: list[Path]) -> tuple[str, Said]:
    """The exported CSV as people fill it in, two of three for each of some questions, and what they said."""
    tasks = benchmarks.benchmark(name).people["answer"].tasks(questions, project.values["seed"])
    shared = assigned(tasks, annotators=2, people=3, share=0.75, by_everybody=(), seed=project.values["seed"])
    files = csv_files(shared, ImageStore(images))
    by_task = {task.task_id: task.item_id for task in tasks.tasks}
    by_id = {row["question_id"]: row for row in questions}
    text = files["tasks.csv"].decode()
    assert "answer" not in text.partition("\n")[0], "people do not see the right answer"
    rows = list(csv.DictReader(io.StringIO(text)))
    said: Said = {}
    for place, row in enumerate(rows):
        item = by_task[row["task_id"]]
        if place % 5:  # the others are left empty
            row["label"] = said.setdefault(item, {})[row["annotator"]] = answer_of(by_id[item], row["annotator"])
    filled = io.StringIO()
    writer = csv.DictWriter(filled, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return filled.getvalue(), said


def measured(rows: list[dict[str, Any]], **of: str) -> dict[str, tuple[Any, ...]]:
    """Measure -> (value, low, high, n) of the rows with these identifying columns."""
    return {
        row["measure"]: tuple(row[number] for number in ("value", "low", "high", "n"))
        for row in rows
        if all(row[key] == value for key, value in of.items())
    }


def share(right: list[bool], clusters: list[str], n: int) -> tuple[Any, ...]:
    found = clustered_share(right, clusters, confidence=0.95)
    return (*(pytest.approx(100 * one, abs=1e-4) for one in (found.estimate, found.low, found.high)), n)


def check(found: list[dict[str, Any]], questions: list[Row], said: Said, project: Project, model: str) -> None:
    """The rows of each variant are what follows from what people said, computed here from the beginning."""
    gold = {row["question_id"]: row["answer"] for row in questions}
    image = {row["question_id"]: "+".join(row["image_ids"]) for row in questions}
    right_of_model: Mapping[str, bool] = {
        row["question_id"]: row["correct"] for row in project.rows("evaluate", "predictions") if row["model"] == model
    }
    for variant in ("original", "counterfactual"):
        ids = [row["question_id"] for row in questions if row["variant"] == variant and row["question_id"] in said]
        answers = [(one, answer) for one in ids for answer in said[one].values()]
        people = measured(found, name="Humans", variant=variant)
        accuracy = share([answer == gold[one] for one, answer in answers], [image[one] for one, _ in answers], len(ids))
        assert people["accuracy"] == people[SHARED] == accuracy
        agreed = []
        for one in ids:
            counts = Counter(said[one].values()).most_common()
            alone = len(counts) == 1 or counts[0][1] > counts[1][1]
            agreed.append(alone and counts[0][0] == gold[one])
        ceiling = share(agreed, [image[one] for one in ids], len(ids))
        assert people[CEILING] == ceiling
        assert people[ATTEMPTS][0] == pytest.approx(len(answers) / len(ids), abs=1e-4)
        assert people[NUMBER][0] == len({who for one in ids for who in said[one]}) == 3
        several = [list(said[one].values()) for one in ids if len(said[one]) > 1]
        alpha = krippendorff_alpha(several, seed=project.values["seed"])
        assert alpha is not None and 0.2 < alpha.estimate < 1
        assert people[AGREEMENT] == (
            *(pytest.approx(one, abs=1e-4) for one in (alpha.estimate, alpha.low, alpha.high)),
            len(several),
        )
        of_model = measured(found, model=model, variant=variant)
        shared = share([right_of_model[one] for one in ids], [image[one] for one in ids], len(ids))
        assert (of_model[SHARED], of_model[CEILING]) == (shared, ceiling)


def table(project: Project, name: str) -> list[dict[str, Any]]:
    return list(from_csv(project.published(f"{name}.csv")).to_dict("records"))


def answered(project: Project, name: str, main: str, images: str) -> None:
    """Makes the tables of a benchmark with people's answers, whose questions models were asked, and checks them."""
    questions = project.rows("verify", "questions")
    text, said = filled_in(project, name, questions, project.paths(images, "images"))
    (project.folder / "tasks.csv").write_text(text, encoding="utf-8")
    section = project.values.setdefault("evaluate", {}).setdefault(name, {})
    section["human_attempts"] = [{"path": "tasks.csv", "format": "whatif"}]
    project.make_jobs(job for job in project.jobs("verify") if job.step.name == "people")
    project.run_jobs(project.jobs("aggregate"))
    check(table(project, main), questions, said, project, "random")
    assert "| Humans" in project.published(f"{main}.md").partition("people answered")[0], "in the first printed table"
    assert project.funnel()["people"][1:3] == (sum(map(len, said.values())),) * 2


def test_people_answer_puzzles(project: Project) -> None:
    small(project).section("aggregate")["audit_folds"] = 2
    project.make(*BEFORE_MODELS, "evaluate")
    answered(project, "cvqa-synthetic", "table7", "generate")


def test_people_answer_a_benchmark_in_a_yaml_file_and_leave_no_trace_without_their_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    project = yaml_project(tmp_path, SCENES)
    project.make(*BEFORE_MODELS, "evaluate", "aggregate")
    before = project.everything()
    answered(project, "small", "accuracy", "extract")
    del project.values["evaluate"]["small"]
    project.run_jobs(project.jobs("aggregate"))
    after = project.everything()
    assert {name: after[name] for name in before} == before
    assert {name.partition("small/")[2] for name in after.keys() - before.keys()} == {
        f"{role}/all.parquet" for role in ("attempts", "uncounted")
    }
