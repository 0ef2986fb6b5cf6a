"""The report of CFMM from the artifacts of all steps: its files, its funnel and its items."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cfmm.answered import Row, item, prediction, question, scores
from tests.benchmarks.report_inputs import (
    SAMPLED,
    WRITER,
    Whole,
    full,
    judgement,
    rejection,
    repeated,
    report_of,
    write_inputs,
)
from tests.pictures import png
from tests.projects import Project
from tests.published import funnel_lines
from whatif.benchmarks.cfmm.schemas import BASIC, EXPANDED
from whatif.benchmarks.cfmm.steps import aggregate
from whatif.benchmarks.shared.pilots import pilot_of
from whatif.engine import artifacts
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.graph.jobs import Job
from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.reporting.table import from_csv

pytestmark = pytest.mark.slow

IMAGES = [image_row(png((20 * place, 60, 90)), 8, 8, f"drawn:{place}", "CC0-1.0") for place in range(12)]
ITEMS = {f"{category}-{number}": category for category in CATEGORIES for number in (0, 1)}


def rows() -> list[Row]:
    """Two items of each category; `<script>` in a question is for the site to escape."""
    found: list[Row] = []
    for place, (name, category) in enumerate(ITEMS.items()):
        found += item(name, category, image_ids=[IMAGES[place]["image_id"]])
    found[0]["question"] = "How many <script>?"
    return found


def reply(item_id: str, status: str) -> Row:
    empty = dict.fromkeys(["reason", "request_key", "prompt_tokens", "response_tokens", "finish"])
    return {"item_id": item_id, "attempt": 0, "model": "w", "prompt": "p", "response": "{}", "status": status, **empty}


def written(model: str, strategy: str, asked: list[Row]) -> list[Row]:
    """The first model ranks options, and is right about basic questions alone with the strategy `direct`."""
    found = []
    for row in asked:
        right = model == "chance" or row["variant"] == BASIC or strategy != "direct"
        letter, ranked = ("A", scores(-1.0, -2.0)) if right else ("B", scores(-2.0, -1.0))
        choice_scores = ranked if model == "eyes" else None
        made = prediction(
            row["question_id"], model, strategy, answer=letter, correct=right, choice_scores=choice_scores
        )
        found.append(full(made))
    return found


def selected(project: Project) -> Project:
    project.select("cfmm")
    project.values["models"] = {
        "eyes": {"adapter": "first-option", "name": "BLIP2 (OPT)", "limit": 6},
        "chance": {"adapter": "random", "name": "Random"},
        "writer": WRITER,
    }
    project.generate["expansion"] = {"model": "writer"}
    project.section("evaluate")["strategies"] = ["direct", "one-shot"]
    return project


def made_inputs(project: Project, **others: list[Row]) -> Job:
    """Writes the artifacts that the last job reads, and returns it."""
    questions = rows()
    first = [row for row in questions if row["variant"] not in EXPANDED]
    lost = item("lost", "count", image_ids=[IMAGES[0]["image_id"]])
    extra = [question("odd", BASIC), question("odd", "counterfactual")]
    empty: Row = {"object_categories": [], "captions": [], "provenance": "{}"}
    tables: dict[str, list[Any]] = {
        "images": sorted(IMAGES, key=lambda row: str(row["image_id"])),
        "candidates": [
            {"item_id": name, "image_id": "i", "objects": 3, **empty} for name in [*ITEMS, "lost", "nothing", "odd"]
        ],
        "poor": [rejection("poor", "too few objects")],
        "annotated": [*first, *lost[:2], *extra],
        "annotations": [],
        "unannotated": [rejection("nothing", "no category"), rejection("count-0-x", "no second option")],
        "checked": [*first, *lost[:2]],
        "checks": [judgement("odd-basic", "p", "accept")],
        "unchecked": [rejection("odd-basic", "rejected")],
        "expanded": [row for row in questions if row["variant"] in EXPANDED],
        "replies": [reply(name, "ok") for name in ITEMS] + [reply("lost", "refused")],
        "refused expansions": [
            rejection("lost", "not in the format"),
            rejection("count-0-counterfactual1", "no second option"),
        ],
        "filtered": [rejection(row["question_id"], "too few counterfactual questions") for row in lost[:2]],
        "filtered questions": questions,
        "refused": [],
        "judgements": [],
        "gold": [],
        "questions": questions,
    }
    pilot = pilot_of(6, questions, project.values["seed"], "cfmm")
    assert pilot is not None

    def predictions(of: Mapping[str, str]) -> list[Row]:
        asked = [row for row in questions if of["model"] == "chance" or row["pair_id"] in pilot.pairs]
        made = written(of["model"], of["strategy"], asked)
        return [*map(repeated, made)] if "decoding" in project.values["models"][of["model"]] else made

    def shortcuts(of: Mapping[str, str]) -> list[Row]:
        return [{"set": "ours", "variant": of["variant"], "rule": "letter", "choice": "A", "right": 6, "n": 12}]

    return write_inputs(project, tables | others, {"predictions": predictions, "shortcuts": shortcuts})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """The report of the artifacts as they are; no test changes it."""
    project = selected(Project(tmp_path_factory.mktemp("whole")))
    job = made_inputs(project)
    return project, job, report_of(project, job, aggregate.function)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """The report with labels of people, another rule and one item of each category; no test changes it."""
    project = selected(Project(tmp_path_factory.mktemp("judged")))
    project.section("aggregate").update(shown_items=1, rule="sum")
    people = [judgement(row["question_id"], person, "accept") for row in rows()[:4] for person in ("p1", "p2")]
    project.section("evaluate")["human_attempts"] = ["people.csv"]
    attempts = [  # about the first item: one person is right about everything, the other about the basic question
        {"question_id": row["question_id"], "attempt": who, "answer": letter, "correct": letter == "A"}
        for row in rows()[:5]
        for who, letter in (("p1", "A"), ("p2", "A" if row["variant"] == BASIC else "B"))
    ]
    job = made_inputs(project, judgements=people, attempts=attempts)
    return project, job, report_of(project, job, aggregate.function)


def test_all_files_are_published_and_the_headline_has_each_system(whole: Whole) -> None:
    project, job, _ = whole
    assert [path for path in job.published if not (project.folder / path).is_file()] == []
    numbers = project.metrics
    assert numbers["eyes"]["direct"]["acc_b"] == 100.0 and numbers["eyes"]["direct"]["acc_c"] == 0.0
    assert numbers["eyes"]["one-shot"]["acc_c"] == 100.0 and numbers["eyes"]["direct"]["items"] == 6
    assert numbers["chance"]["direct"]["total_acc_plus"] == 600.0
    report = project.published("report.md")
    assert "pilot sample of 6" in report
    figures = re.findall(r"!\[.*?\]\((.*?)\)", report)
    assert figures == ["totals.svg", "paired.svg", "figure4.svg", "funnel.svg"]
    assert all(project.published(figure).startswith("<?xml") for figure in figures)
    points = project.published("accuracy.csv").splitlines()
    assert points[0].startswith("model,name,source,original,counterfactual,")
    assert len(points) == 1 + 21 + 2 + 2 * ("total_acc_b" in numbers["eyes"]["direct"])


def test_the_funnel_accounts_for_every_image_item_and_question(whole: Whole) -> None:
    assert funnel_lines(whole[0]) == {
        "extract, images": ["in 16", "out 15", "rejected 1", "too few objects 1"],
        "annotate, items": ["in 15", "out 14", "rejected 1", "no category 1"],
        "annotate, questions": ["in 29", "out 28", "rejected 1", "no second option 1"],
        "check, labels": ["in 1", "out 1", "rejected 0"],
        "check, questions": ["in 28", "out 26", "rejected 2", "rejected 2"],
        "expand, items": ["in 13", "out 12", "rejected 1", "not in the format 1"],
        "expand, questions": ["in 37", "out 36", "rejected 1", "no second option 1"],
        "filter, questions": ["in 62", "out 60", "rejected 2", "too few counterfactual questions 2"],
        "verify, questions": ["in 60", "out 60", "rejected 0"],
        "evaluate chance direct, questions": ["in 60", "out 60", "rejected 0"],
        "evaluate chance one-shot, questions": ["in 60", "out 60", "rejected 0"],
        "evaluate eyes direct, questions": ["in 60", "out 30", "rejected 30", "not in the pilot sample 30"],
        "evaluate eyes one-shot, questions": ["in 60", "out 30", "rejected 30", "not in the pilot sample 30"],
    }


def test_items_have_all_questions_with_their_options_and_answers(whole: Whole) -> None:
    items = {row["item_id"]: row for row in whole[2].rows["items"]}
    assert sorted(items) == sorted(ITEMS) and all(row["group"] == ITEMS[name] for name, row in items.items())
    asked = items["count-0"]["questions"]
    assert [one["label"] for one in asked] == [
        "basic",
        "counterfactual",
        *(f"counterfactual {number}, added" for number in (2, 3, 4)),
    ]
    assert [one["side"] for one in asked] == ["original"] + ["counterfactual"] * 4
    assert asked[0]["text"] == "How many <script>?"  # the site escapes
    assert (asked[0]["choices"], asked[0]["right"]) == (["two", "four"], "two (A)")
    assert len({picture["image_id"] for row in items.values() for picture in row["pictures"]}) == len(ITEMS)
    sampled = "BLIP2 (OPT) (pilot sample of 6 items)"
    every = [
        (answer["system"], one["side"], answer["answer"], answer["correct"], answer["why"])
        for row in items.values()
        for one in row["questions"]
        for answer in one["answers"]
    ]
    assert len(every) == 2 * 60 + 2 * 30
    ranked = {answer for answer in every if answer[0] == f"{sampled}, 0-shot"}
    assert ranked == {
        (f"{sampled}, 0-shot", "original", "two (A)", True, "ranked by mean: A -1.000, B -2.000"),
        (f"{sampled}, 0-shot", "counterfactual", "four (B)", False, "ranked by mean: A -2.000, B -1.000"),
    }
    unranked = {answer[1:] for answer in every if answer[0] == "Random, 1-shot ICL"}
    assert unranked == {("original", "two (A)", True, ""), ("counterfactual", "three (A)", True, "")}


def test_views_show_items_of_each_category(judged: Whole) -> None:
    rows = judged[2].rows
    views = {row["view"]: row["text"] for row in rows["views"]}
    assert list(views) == ["figure-2", "figure-3"] and "None was found" in views["figure-3"]
    shown = [row["group"] for row in rows["items"] if row["views"] == ["figure-2"]]
    assert sorted(shown) == sorted(CATEGORIES)


def test_another_rule_is_named(judged: Whole) -> None:
    project = judged[0]
    assert project.metrics["eyes"]["direct"]["acc_c"] == 0.0
    assert "Ranked options are compared by sum." in project.published("table3.md")


def test_people_are_beside_the_models_on_the_questions_that_they_answered(judged: Whole) -> None:
    frame = from_csv(judged[0].published("table2.csv")).to_dict("records")
    category = ITEMS[rows()[0]["pair_id"]]
    found = {
        (row["name"], row["strategy"], row["measure"], row["variant"]): (row["value"], row["n"])
        for row in frame
        if row["category"] == category and row["source"] == "ours"
    }
    assert found["Humans", "", "acc_b", "basic"] == (100.0, 1)
    assert found["Humans", "", "acc_c", "counterfactual"] == (50.0, 4)
    for name, strategy in (("Humans", ""), ("Random", "direct"), ("Random", "one-shot")):
        assert found[name, strategy, "ceiling", "basic"] == (100.0, 1)
        assert found[name, strategy, "ceiling", "counterfactual"] == (0.0, 4), "a tie is no majority"
    assert found["Random", "direct", "accuracy where people answered", "counterfactual"] == (100.0, 4)


def test_judgements_of_people_have_their_tables(judged: Whole) -> None:
    project = judged[0]
    assert "p1" in project.published("annotators.md")
    assert "verify,labels,in,,8" in project.published("funnel.csv")


def test_wrong_answers_after_reasons_are_shown_and_a_rule_without_its_scores_is_marked(folder: Path) -> None:
    project = selected(Project(folder))
    project.section("aggregate").update(shown_items=1, rule="minus-without-image")
    job = made_inputs(project)
    given = job.inputs["predictions"]
    for path, wildcards in zip(given.paths, given.wildcards, strict=True):
        if wildcards["model"] == "chance" and wildcards["strategy"] == "one-shot":
            answers = artifacts.read(path, PREDICTIONS).to_pylist()
            for row in answers:
                if row["question_id"] in ("color-1-counterfactual2", "shape-0-basic"):  # the basic one does not count
                    turn = {"response": "It is <b>two</b>.", "request_key": None}
                    row.update(answer="B", correct=False, earlier_turns=[turn])
                if row["question_id"] == "size-0-counterfactual":
                    row.update(earlier_turns=[{"response": "So it is right.", "request_key": None}])
            write_artifact(path, PREDICTIONS, answers)
    (item,) = [row for row in report_of(project, job, aggregate.function).rows["items"] if "figure-3" in row["views"]]
    assert item["item_id"] == "color-1"
    assert item["notes"] == ["Wrong about a counterfactual question after reasons: Random, 1-shot ICL."]
    turns = [answer["turns"] for one in item["questions"] for answer in one["answers"] if answer["turns"]]
    assert turns == [["It is <b>two</b>."]]
    assert "ranked by mean" in " ".join(project.published("totals.md").split())


def test_a_model_with_several_samples_has_the_table_of_repeats(project: Project) -> None:
    selected(project).values["models"]["eyes"] = {**SAMPLED, "limit": 6}
    project.section("evaluate")["strategies"] = ["direct", "one-shot"]
    job = made_inputs(project)
    report_of(project, job, aggregate.function)
    assert [path for path in job.published if not (project.folder / path).is_file()] == []
    rows = from_csv((project.folder / "metrics/cfmm/repeats.csv").read_text(encoding="utf-8"))
    found = {
        (row["strategy"], row["variant"], row["measure"], row["k"]): (row["value"], row["n"])
        for row in rows.to_dict("records")
    }
    assert set(rows["model"]) == {"eyes"}
    assert found["direct", BASIC, "accuracy", ""] == (66.6667, 6)
    assert found["direct", "counterfactual", "accuracy", ""] == (33.3333, 6)
    assert [found["direct", BASIC, "majority", k][0] for k in "13"] == [66.6667, 100]
    assert [found["direct", "counterfactual1", "pass", k][0] for k in "123"] == [33.3333, 66.6667, 100]
    assert found["direct", "", "drop", ""] == (33.3333, 24)  # four pairs of each item
    assert found["one-shot", "", "drop", ""] == (0, 24)
