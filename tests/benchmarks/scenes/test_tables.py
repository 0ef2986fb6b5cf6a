"""The tables of the scenes, from answers and scores whose numbers are known."""

from __future__ import annotations

from typing import Any

import pytest

from tests.benchmarks.scenes.scene_results import made_table
from tests.frames import check, has, printed, row, value
from whatif.benchmarks.scenes.report import headline
from whatif.engine.errors import WhatifError

# Four images with two questions each: a number and one to be answered with yes or no.
QUESTIONS = [
    {"question_id": f"q{image}-{group}", "group": group, "image_ids": [f"image-{image}"]}
    for image in range(4)
    for group in ("number", "yes/no")
]
ACCURACY = {"measure": "accuracy"}


def prediction(question: dict[str, Any], correct: bool, status: str = "ok", model: str = "m") -> dict[str, Any]:
    return {"question_id": question["question_id"], "model": model, "correct": correct, "status": status}


def answers(model: str = "m") -> list[dict[str, Any]]:
    """All numbers right; of the others one right, one wrong and two not answered."""
    statuses = iter(["ok", "ok", "none", "error"])
    others = iter([True, False, False, False])
    return [
        prediction(one, True, model=model)
        if one["group"] == "number"
        else prediction(one, next(others), next(statuses), model)
        for one in QUESTIONS
    ]


def test_accuracy_is_by_group_and_over_all_with_what_was_not_answered() -> None:
    made = made_table("accuracy", predictions=answers(), questions=QUESTIONS, names={"m": "M"})
    numbers = {group: row(made, model="m", group=group, measure="accuracy") for group in ("number", "yes/no", "all")}
    assert {group: (one["value"], one["n"]) for group, one in numbers.items()} == {
        "number": (100, 4),
        "yes/no": (25, 4),
        "all": (62.5, 8),
    }
    assert numbers["all"]["low"] < 62.5 < numbers["all"]["high"]
    unanswered = [value(made, group=group, measure="unanswered") for group in ("number", "yes/no", "all")]
    assert unanswered == [0, 2, 2]
    assert [one["Type of answer"] for one in printed(made)] == ["number", "yes/no", "all"]
    assert printed(made)[2]["Accuracy"].startswith("62.5 (") and printed(made)[2]["Not answered"] == "2"
    check(made)


def test_questions_about_one_image_go_together() -> None:
    """An image with both questions right or both wrong tells no more than one question."""
    together = [prediction(one, one["image_ids"] < ["image-2"]) for one in QUESTIONS]
    apart = [{**one, "image_ids": [one["question_id"]]} for one in QUESTIONS]
    by_image, by_question = (
        row(
            made_table("accuracy", predictions=together, questions=asked, names={"m": "M"}),
            group="all",
            measure="accuracy",
        )
        for asked in (QUESTIONS, apart)
    )
    assert by_image["value"] == by_question["value"] == 50
    assert by_image["high"] - by_image["low"] > by_question["high"] - by_question["low"]


def test_a_model_that_was_asked_a_sample_is_judged_by_it_alone() -> None:
    sample = {"q0-number"}
    asked = [one for one in answers() if one["question_id"] in sample]
    names = {"m": "M (pilot sample of 1 question)"}
    made = made_table("accuracy", predictions=asked, questions=QUESTIONS, names=names, sampled={"m": sample})
    assert value(made, group="all", measure="accuracy") == 100
    of_all = row(made, group="all", measure="asked")
    assert (of_all["value"], of_all["n"]) == (1, 8)
    assert not has(made, group="yes/no")
    with pytest.raises(WhatifError, match="model m: has 1 predictions for 8 questions"):
        made_table("accuracy", predictions=asked, questions=QUESTIONS, names=names)


def match(number: int, *, right: bool = True, status: str = "ok", model: str = "m") -> dict[str, Any]:
    """Where it is not right, only the counterfactual image is taken for that of the other caption."""
    scores = {"caption_0_image_0": 3.0, "caption_0_image_1": 1.0, "caption_1_image_0": 0.0, "caption_1_image_1": 2.0}
    if not right:
        scores["caption_1_image_0"] = 2.5
    return {"pair_id": f"p{number}", "model": model, "status": status, **scores}


def test_matching_counts_what_is_found_of_each_pair() -> None:
    rows = [match(0), match(1), match(2, right=False), match(3, status="error")]
    made = made_table("matching", matches=rows, matchers={"m": "M", "unasked": "U"})

    def share(chosen: str, variant: str) -> float | None:
        return value(made, model="m", chosen=chosen, variant=variant, measure="found")

    assert [share("image", variant) for variant in ("original", "counterfactual")] == [75, 50]
    assert [share("caption", variant) for variant in ("original", "counterfactual")] == [75, 75]
    assert share("all four", "") == 50
    pair = row(made, model="m", chosen="all four", measure="found")
    assert pair["n"] == 4 and pair["low"] < 50 < pair["high"]
    assert value(made, model="m", measure="errors") == 1
    assert not has(made, model="unasked", measure="found") and value(made, model="unasked", measure="errors") == 0
    check(made)


def test_the_headline_has_a_handful_of_numbers_of_each_model() -> None:
    answered = made_table("accuracy", predictions=answers(), questions=QUESTIONS, names={"m": "M"})
    rows = [match(0, model="c"), match(1, right=False, model="c")]
    matched = made_table("matching", matches=rows, matchers={"c": "C", "unasked": "U"})
    assert headline(answered.frame, matched.frame) == {
        "m": {"number": 100, "yes/no": 25, "accuracy": 62.5, "questions": 8},
        "c": {
            "image_retrieval": 100,
            "image_retrieval_counterfactual": 50,
            "text_retrieval": 100,
            "text_retrieval_counterfactual": 100,
            "pair": 50,
            "pairs": 2,
        },
    }
