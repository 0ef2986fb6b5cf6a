"""The questions about scenes as items: answers of each model, what a judge found, costs, and the view of scenes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.projects import Project
from whatif.benchmarks.scenes.site_items import PAIRS_GROUP, known_of_pairs, scene_items
from whatif.benchmarks.shared.reports import judged_of
from whatif.engine.artifacts.schemas import JUDGED, PREDICTIONS, QUESTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.graph.jobs import Job
from whatif.results.reporting.items import Item, ItemAnswer

Row = dict[str, Any]
NAMES = {"eyes": "Eyes", "words": "Words"}
QUESTION_IDS = [f"q{number}" for number in range(8)]  # two about each of four scenes


def question(place: int) -> Row:
    return {
        **dict.fromkeys(QUESTIONS.schema.names, ""),
        "question_id": QUESTION_IDS[place],
        "pair_id": QUESTION_IDS[place],
        "group": "yes/no" if place % 2 else "number",
        "variant": "original",
        "question": f"Question {place}?",
        "choices": None,
        "answer": "2",
        "answer_kind": "number",
        "image_ids": [f"scene {place // 2}"],
    }


def prediction(question_id: str, model: str, **changes: Any) -> Row:
    known = {"question_id": question_id, "model": model, "strategy": "plain", "response": "2", "answer": "2"}
    tokens = {"prompt_tokens": 100, "response_tokens": 10}
    return {**dict.fromkeys(PREDICTIONS.schema.names), **known, "status": "ok", "correct": True, **tokens, **changes}


def judged(question_id: str, **changes: Any) -> Row:
    about = {"question_id": question_id, "model": "eyes", "strategy": "plain", "judge": "j", "prompt": "answer"}
    found = {"by_rules": "ambiguous", "status": "ok", "answer": "2", "correct": True}
    return {**dict.fromkeys(JUDGED.schema.names), **about, **found, **changes}


UNCLEAR = {"response": "1 or maybe 2", "answer": None, "status": "ambiguous", "reason": "several", "correct": False}


@pytest.fixture
def job(project: Project) -> Job:
    """The job of the report, with its questions, predictions and judgements written."""
    project.select("scenes")
    entry = {"adapter": "api", "model": "m", "base_url": "http://127.0.0.1:9/v1"}
    prices = {"price_per_million_prompt_tokens": 2.0, "price_per_million_response_tokens": 10.0}
    project.values["models"] = {
        "eyes": {**entry, **prices, "name": "Eyes"},
        "words": {**entry, "takes_images": False, "name": "Words"},
        "j": {**entry, "name": "Reader", "benchmarks": []},
    }
    project.section("evaluate")["judge"] = {"model": "j"}
    project.section("aggregate").update(shown_scenes=2, shown_pairs=2)
    made = project.jobs("aggregate")[-1]
    eyes = [prediction(name, "eyes") for name in QUESTION_IDS]
    eyes[1:4] = [{**row, **UNCLEAR} for row in eyes[1:4]]
    tables: dict[tuple[str, str], list[Row]] = {
        ("questions", ""): [question(place) for place in range(8)],
        ("predictions", "eyes"): eyes,
        ("predictions", "words"): [prediction(QUESTION_IDS[0], "words", response="3", answer="3", correct=False)],
        ("judged", "eyes"): [
            judged(QUESTION_IDS[1]),
            judged(QUESTION_IDS[2], answer="1", correct=False),
            judged(QUESTION_IDS[3], status="none", answer=None, correct=False, reason="finds none"),
        ],
    }
    for role in ("questions", "predictions", "judged"):
        given = made.inputs[role]
        for path, wildcards in zip(given.paths, given.wildcards, strict=True):
            write_artifact(path, given.table, tables.get((role, wildcards.get("model", "")), []))
    return made


def items(job: Job) -> list[Item]:
    task = job.task(None, print)
    questions = task.read("questions").to_pylist()
    return list(scene_items(task, questions, NAMES, 2, judged_of(task, task.settings.judge, questions, NAMES)))


def answers(item: Item) -> dict[str, ItemAnswer]:
    (asked,) = item.questions
    return {one.system: one for one in asked.answers}


def test_each_question_is_an_item_in_the_group_of_its_type(job: Job) -> None:
    found = items(job)
    assert [(item.item_id, item.group) for item in found] == [
        (name, ("number", "yes/no")[place % 2]) for place, name in enumerate(QUESTION_IDS)
    ]
    first = found[0]
    assert (first.title, first.questions[0].text, first.questions[0].right) == ("Question 0?", "Question 0?", "2")
    assert [picture.image_id for picture in first.pictures] == ["scene 0"]
    assert list(answers(first)) == ["Eyes", "Words"] and list(answers(found[1])) == ["Eyes"]
    wrong = answers(first)["Words"]
    assert (wrong.answer, wrong.correct, wrong.cost) == ("3", False, None)
    assert answers(first)["Eyes"].cost == pytest.approx(100 * 2e-6 + 10 * 10e-6)


def test_a_judge_is_named_with_what_it_read_and_replaces_nothing(job: Job) -> None:
    told = [answers(item)["Eyes"] for item in items(job)[:4]]
    assert [one.why for one in told] == [
        "",
        "several; the judge Reader (prompt answer) reads the answer 2, which is right",
        "several; the judge Reader (prompt answer) reads the answer 1, which is wrong",
        "several; the judge Reader (prompt answer): finds none",
    ]
    assert [(one.status, one.answer, one.correct) for one in told[1:]] == [("ambiguous", None, False)] * 3


def test_the_view_has_all_questions_about_some_scenes(job: Job) -> None:
    shown = [item.pictures[0].image_id for item in items(job) if "scenes" in item.views]
    assert shown == ["scene 1", "scene 1", "scene 3", "scene 3"]


def test_pairs_are_a_group_of_their_own_with_the_checkpoints_that_made_them(job: Job) -> None:
    settings = job.task(None, print).settings
    known = known_of_pairs(settings, [{"pair_id": name} for name in "abcd"])
    assert (known.group, sorted(known.views)) == (PAIRS_GROUP, ["b", "d"])
    assert (known.drawn_by, known.measured_by) == ("embedded:diffusion", "embedded:clip")
