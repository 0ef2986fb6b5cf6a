"""Counterfactual questions by rules, and by computation about drawn scenes: every question is written or rejected."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_real.annotators import source_questions
from tests.benchmarks.cvqa_real.small import small
from tests.benchmarks.cvqa_real.vqa import vqa_project
from tests.projects import Project
from whatif.benchmarks.cvqa_real.offline_writers import written_offline
from whatif.benchmarks.cvqa_real.settings import Writers
from whatif.scoring.statistics import Interval
from whatif.world.scenes import draw_scene

pytestmark = pytest.mark.slow

EVERYBODY = Writers(direct=["rules", "gpt"], indirect=["rules", "scenes"], boolean=["rules"])


@pytest.fixture
def drawn(project: Project) -> Project:
    """A project with questions about drawn scenes, as by default."""
    project.select("cvqa-real")
    project.section("extract")["scenes"] = {"number": 30, "side": 64}
    project.make("extract")
    return project


def run_rules(project: Project) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Runs the step of the offline writers; what they wrote, and what they could not change."""
    project.make_jobs(job for job in project.jobs("generate") if job.step.name == "rules")
    return (
        project.rows("generate", "by-rules", "rules"),
        project.rows("generate", "unchanged", "rules"),
    )


def test_questions_about_drawn_scenes(drawn: Project) -> None:
    rows, rejections = run_rules(drawn)
    source = {row["pair_id"]: row for row in drawn.rows("extract", "questions")}
    kinds = Counter(row["group"] for row in source.values())
    asked = {"direct": kinds["numerical"], "indirect": kinds["numerical"], "boolean": kinds["boolean"]}
    lost = Counter(row["item_id"].split("-")[1] for row in rejections)
    written = Counter(row["group"] for row in rows)
    assert {group: written[group] + lost[group] for group in asked} == asked
    assert min(written.values()) > 0.5 * min(asked.values())
    assert {(row["group"], row["writer"]) for row in rows} == {
        ("direct", "rules"),
        ("indirect", "scenes"),
        ("boolean", "rules"),
    }
    for row in rows:
        assert row["written_id"] == f"{row['source_id']}-{row['group']}-{row['writer']}"
        assert (row["examples"], row["attempt"], row["request_key"]) == ([], None, None)
        assert row["question"] != source[row["source_id"]]["question"] and row["step1"] and row["step2"]
        if row["group"] == "boolean":
            assert {row["answer"], source[row["source_id"]]["answer"]} == {"yes", "no"}
        else:
            assert row["answer"].isdecimal()


def test_what_the_scenes_become_is_in_the_provenance(drawn: Project) -> None:
    from whatif.world.scene_answers import answer_in, count_asked
    from whatif.world.scene_changes import changed

    rows, _ = run_rules(drawn)
    source = {row["pair_id"]: row for row in drawn.rows("extract", "questions")}
    of_scenes = [row for row in rows if row["writer"] == "scenes"]
    for row in of_scenes:
        known, original = json.loads(row["provenance"]), source[row["source_id"]]
        assert known["presupposition"] in row["question"]
        assert known["unchanged"] == (row["answer"] == original["answer"])
        place = json.loads(original["provenance"])
        scene = draw_scene(place["split"], place["number"], place["seed"])
        asked = count_asked(original["question"])
        assert asked is not None
        assert str(answer_in(scene, asked)) == original["answer"]
        assert str(answer_in(changed(scene, known["change"]), asked)) == row["answer"]
    assert len({json.loads(row["provenance"])["kind"] for row in of_scenes}) > 2


def test_the_seed_changes_what_is_written_and_the_order_of_the_questions_does_not(drawn: Project) -> None:
    questions = drawn.rows("extract", "questions")
    first = written_offline(questions, EVERYBODY, 1)
    turned = written_offline(questions[::-1], EVERYBODY, 1)
    assert {row["written_id"]: row for row in first[0]} == {row["written_id"]: row for row in turned[0]}
    other = {row["written_id"]: row["question"] for row in written_offline(questions, EVERYBODY, 2)[0]}
    assert any(other.get(row["written_id"]) != row["question"] for row in first[0])


def test_writers_change_questions_of_their_groups_only_and_say_what_they_cannot_change() -> None:
    questions = source_questions(6)
    questions[1]["question"], questions[2]["question"] = "How many dogs are there?", "How many are more than that?"
    rows, rejections = written_offline(questions, EVERYBODY, 0)
    ids = {row["written_id"] for row in rows} | {row["item_id"] for row in rejections}
    numerical = {"101", "102", "104", "105"}
    assert ids == {
        *(f"{one}-{rest}" for one in numerical for rest in ("direct-rules", "indirect-rules", "indirect-scenes")),
        *(f"{one}-boolean-rules" for one in ("100", "103")),
    }
    assert len(rows) + len(rejections) == len(ids)
    reasons = {row["item_id"]: (row["reason"], row["detail"]) for row in rejections}
    assert reasons["101-indirect-scenes"] == ("no drawn scene", "the image is a photograph, whose content is not known")
    assert reasons["102-direct-rules"][1] == "How many are more than that? (2)" and reasons["102-direct-rules"][0]


def test_open_writers_leave_the_answer_to_the_image(drawn: Project) -> None:
    from whatif.benchmarks.cvqa_real.shortcut_audit import presupposition_of
    from whatif.scoring.shortcuts.open_answers import MODELS, OpenQuestion, open_shortcuts

    questions = drawn.rows("extract", "questions")
    source = {row["pair_id"]: row for row in questions}
    rows, _ = written_offline(questions, Writers(direct=["open"], boolean=["scenes"]), 0)
    by_rules, _ = written_offline(questions, Writers(direct=["rules"], boolean=["rules"]), 0)

    def found_by_text(written: list[dict[str, Any]], group: str) -> dict[str, Interval]:
        asked = [
            OpenQuestion(one["question"], presupposition_of(one["question"]), one["answer"], before["image_ids"][0])
            for one in written
            if one["group"] == group
            for before in [source[one["source_id"]]]
        ]
        assert len(asked) > 40
        return {one.rule: one.accuracy(0.95) for one in open_shortcuts(asked, variant=group, folds=5, seed=0)}

    for group, less in (("direct", 0.0), ("boolean", 0.3)):
        found, told = found_by_text(rows, group), found_by_text(by_rules, group)
        assert found["question"].estimate < told["question"].estimate - less
    assert all(found[rule].low <= found["most-frequent"].estimate for rule in MODELS)
    of_scenes = [json.loads(row["provenance"])["unchanged"] for row in rows if row["group"] == "boolean"]
    assert 0.3 < sum(of_scenes) / len(of_scenes) < 0.7
    assert written_offline(questions[::-1], Writers(direct=["open"]), 0)[0][::-1] == [
        row for row in rows if row["group"] == "direct"
    ]


def test_open_rules_take_nothing_away_entirely_and_do_not_say_how_many_there_were() -> None:
    from whatif.benchmarks.cvqa_real.rules.rules_writer import open_rewrites
    from whatif.benchmarks.cvqa_real.text_rules import Texts, text_fault
    from whatif.engine.random_streams import stream

    for question in ("How many dogs are there?", "How many red balls are there?", "How many people are wearing hats?"):
        for number in range(10):
            found = open_rewrites(question, str(number), stream(0, question, number))
            if isinstance(found, str):
                assert number == 0 and "wearing" in question
                continue
            for one in found:
                assert int(one.answer) > 0 and int(one.answer) != number
                condition = one.question.partition(" if ")[2]
                assert "all" not in condition.split() and not re.match(r"the (?!number of)", condition)
                assert text_fault(Texts("direct", question, str(number), one.question, one.answer)) is None
    assert open_rewrites("How many dogs are there?", "lots", stream(0, "")) == "the answer is not a whole number"
    assert open_rewrites("Is it?", "2", stream(0, "")) == open_rewrites("Is it?", "3", stream(0, ""))


def test_reasons_can_be_counted(drawn: Project) -> None:
    questions = [
        {**row, "question": f"How many {row['pair_id']} are on top of it?"}
        for row in drawn.rows("extract", "questions")
        if row["group"] == "numerical"
    ]
    _, rejections = written_offline(questions, Writers(indirect=["scenes"]), 0)
    assert len(rejections) == len(questions) > 20
    assert {row["reason"] for row in rejections} == {"not a counting question about the things of a scene"}


def test_photographs(project: Project) -> None:
    vqa_project(project).make("extract")
    rows, rejections = run_rules(project)
    assert {row["written_id"] for row in rows} <= {"1000-direct-rules", "1001-boolean-rules", "2004-boolean-rules"}
    assert {row["item_id"]: row["reason"] for row in rejections}["1000-indirect-scenes"] == "no drawn scene"
    assert len(rows) + len(rejections) == 4 and rows


def test_the_released_set_is_complete(tmp_path: Path) -> None:
    project = small(Project(tmp_path / "released"))
    project.make("extract")
    assert run_rules(project) == ([], [])
