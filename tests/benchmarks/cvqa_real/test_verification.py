"""People's checks of written and released pairs, the polishing that is applied, and answers that cannot be scored."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_real.written_pairs import Row, pair, run_step
from tests.projects import Project
from whatif.benchmarks.cvqa_real.verification import cannot_be_scored
from whatif.engine.errors import WhatifError

pytestmark = pytest.mark.slow

RELEASED = Path(os.environ.get("WHATIF_DATA", "")) / "c-vqa" / "C-VQA-Real_questions.csv"
BEFORE = "How many dogs would there be if 2 more dogs was added?"
AFTER = "How many dogs would there be if 2 more dogs were added?"


def written(number: int, answer: str = "3", new_answer: str = "5") -> list[Row]:
    rows, _ = pair(f"{number}-direct-rules", "How many dogs are there?", answer, BEFORE, new_answer)
    notes = {**json.loads(rows[0]["provenance"]), "changes": answer != new_answer, "doubts": []}
    return [{**rows[0], "provenance": json.dumps(notes, sort_keys=True, separators=(",", ":"))}, rows[1]]


@pytest.fixture
def project(folder: Path) -> Project:
    project = Project(folder, "cvqa-real")
    project.values["models"] = {
        "polisher": {"adapter": "api", "model": "polisher", "base_url": "http://127.0.0.1:9", "benchmarks": []}
    }
    return project


def test_without_labels_all_pairs_remain(project: Project) -> None:
    rows = [*written(1), *written(2)]
    run_step(project, "verify", "check", questions=rows)
    assert project.rows("verify", "checked") == rows
    for role in ("judgements", "gold", "corrections"):
        assert project.rows("verify", role) == []
    assert project.rows("verify", "unchecked") == []


def test_people_remove_and_correct_written_pairs(project: Project) -> None:
    people = [
        "item_id,annotator,decision,corrected_answer",
        "1-direct-rules-counterfactual,ann,accept,3",
        "2-direct-rules,ann,unrelated,",
        "9-direct-rules,ann,accept,",
    ]
    (project.folder / "people.csv").write_text("\n".join(people) + "\n", encoding="utf-8")
    project.section("verify")["labels"] = [{"path": "people.csv", "format": "long"}]
    rows = [*written(1), *written(2), *written(3)]
    run_step(project, "verify", "check", questions=rows)
    checked = project.rows("verify", "checked")
    assert {row["question_id"]: row["answer"] for row in checked} == {
        "1-direct-rules-counterfactual": "3",
        "1-direct-rules-original": "3",
    }
    refused = {row["item_id"]: row["reason"] for row in project.rows("verify", "unchecked")}
    assert refused == {
        "2-direct-rules": "unrelated",
        "3-direct-rules": "not judged",
        "labels-line-000004": "unknown item",
    }
    assert [row["item_id"] for row in project.rows("verify", "corrections")] == ["1-direct-rules-counterfactual"]
    assert len(project.rows("verify", "judgements")) == 2
    assert json.loads(checked[0]["provenance"])["changes"] is True  # as the filter wrote it
    run_step(project, "verify", "", checked=checked, polished=[])
    verified = project.rows("verify", "questions")
    assert json.loads(verified[0]["provenance"])["changes"] is False  # people corrected the answer


@pytest.mark.parametrize("answer", ["2.5", "-1", "1234567890", "many"])
def test_a_corrected_answer_that_the_set_cannot_have_is_refused(project: Project, answer: str) -> None:
    rows = (
        "item_id,annotator,decision,corrected_answer",
        f"1-direct-rules,ann,accept,{answer}",
        "2-direct-rules,ann,accept,6",
    )
    (project.folder / "people.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    project.section("verify")["labels"] = [{"path": "people.csv", "format": "long"}]
    run_step(project, "verify", "check", questions=[*written(1), *written(2)])
    assert {row["pair_id"] for row in project.rows("verify", "checked")} == {"2-direct-rules"}
    (refused,) = project.rows("verify", "unchecked")
    assert (refused["item_id"], refused["reason"]) == ("1-direct-rules", "correction refused")
    assert refused["detail"].endswith(f"the answer '{answer}' cannot be scored; it must be a whole number in figures")


def test_labels_of_other_questions_are_one_line(project: Project) -> None:
    (project.folder / "people.csv").write_text("item_id,annotator,decision\nanother,ann,accept\n", encoding="utf-8")
    project.section("verify")["labels"] = [{"path": "people.csv", "format": "long"}]
    with pytest.raises(WhatifError, match=r"^people.csv: none of its 1 labels is about one of these questions"):
        run_step(project, "verify", "check", questions=written(1))


def polished_row(question_id: str, before: str, after: str) -> dict[str, Any]:
    return {"question_id": question_id, "before": before, "after": after, "polisher": "polisher", "request_key": None}


def test_the_polishing_is_applied_and_each_answer_must_be_scored(project: Project) -> None:
    project.section("verify")["polish"] = {"model": "polisher", "prompt_file": None}
    rows = [*written(1), *written(2), *written(3, new_answer="maybe")]
    polished = [
        polished_row("1-direct-rules-counterfactual", BEFORE, AFTER),
        polished_row("2-direct-rules-counterfactual", BEFORE, BEFORE),
    ]
    run_step(project, "verify", "", checked=rows, polished=polished)
    found = {row["question_id"]: row for row in project.rows("verify", "questions")}
    changed = found.pop("1-direct-rules-counterfactual")
    known = json.loads(changed["provenance"])
    assert (changed["question"], known["polished_by"], known["before_polishing"]) == (AFTER, "polisher", BEFORE)
    assert list(found.values()) == rows[1:4]
    assert project.rows("verify", "rejections") == [
        {
            "item_id": "3-direct-rules",
            "reason": "cannot be scored",
            "detail": "counterfactual: the answer 'maybe' cannot be scored; it must be a whole number in figures",
        }
    ]
    checks = project.rows("verify", "answer-checks")
    assert [(row["item_id"], row["annotator"], row["decision"]) for row in checks] == [
        ("1-direct-rules", "automatic:answer", "accept"),
        ("2-direct-rules", "automatic:answer", "accept"),
        ("3-direct-rules", "automatic:answer", "reject"),
    ]


def test_the_polishing_of_other_words_is_one_line(project: Project) -> None:
    project.section("verify")["polish"] = {"model": "polisher", "prompt_file": None}
    stale = [polished_row("1-direct-rules-counterfactual", "How many dogs?", AFTER)]
    told = r"^question 1-direct-rules-counterfactual: 'How many dogs\?' was polished, but the question is 'How many"
    with pytest.raises(WhatifError, match=told):
        run_step(project, "verify", "", checked=written(1), polished=stale)


@pytest.mark.skipif(not RELEASED.is_file(), reason="WHATIF_DATA does not name a folder with the released questions")
def test_released_pairs_stay_as_they_are(project: Project) -> None:
    from whatif.formats.c_vqa import read_released

    rows = sorted(
        ({**row, "image_ids": ["image-1"]} for row in read_released(RELEASED)), key=lambda row: str(row["question_id"])
    )
    assert not any(cannot_be_scored(row) for row in rows)
    run_step(project, "filter", "", questions=rows, written=[])
    assert project.rows("filter", "questions") == rows
    run_step(project, "verify", "check", questions=rows)
    assert project.rows("verify", "checked") == rows
    run_step(project, "verify", "", checked=rows, polished=[])
    assert project.rows("verify", "questions") == rows
    assert len(project.rows("verify", "answer-checks")) == 3144
