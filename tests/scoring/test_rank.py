"""From questions to predictions by answer ranking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from whatif import artifacts
from whatif.artifact_writer import ArtifactWriter, write_artifact
from whatif.errors import WhatifError
from whatif.models import Answerer, ChoiceAnswer, ChoiceQuestion, load
from whatif.params import Baseline
from whatif.schemas import PREDICTIONS, QUESTIONS
from whatif.scoring import majority_letters, predictions


def row(pair: int, variant: str, answer: str = "A", **more: Any) -> dict[str, Any]:
    return {
        "question_id": f"p{pair:03d}-{variant}",
        "pair_id": f"p{pair:03d}",
        "group": "dots",
        "variant": variant,
        "question": "How many dots are there?",
        "choices": ["16", "17", "12", "13"],
        "answer": answer,
        "answer_kind": "choice",
        "image_ids": [f"image-{pair}"],
        "provenance": "{}",
        **more,
    }


def no_picture(image_id: str) -> Image.Image:
    raise AssertionError(f"{image_id} was fetched")


def constant(*answers: ChoiceAnswer) -> Answerer:
    return lambda questions: iter(answers)


def asked_by(questions: list[dict[str, Any]], **options: Any) -> list[ChoiceQuestion]:
    """What an answerer is given."""
    given: list[ChoiceQuestion] = []

    def answer(asked: Sequence[ChoiceQuestion]) -> Iterator[ChoiceAnswer]:
        given.extend(asked)
        return (ChoiceAnswer("A") for _ in asked)

    list(predictions(questions, options.pop("images", no_picture), "m", answer, **options))
    return given


def test_by_letter_the_prompt_is_the_released_one() -> None:
    (asked,) = asked_by([row(0, "original")], rank="letter")
    assert asked.prompt == "How many dots are there? Select the correct answer:A:16  B:17  C:12  D:13"
    assert asked.options == ("A", "B", "C", "D")


def test_by_text_the_question_is_open_and_the_options_are_ranked() -> None:
    (asked,) = asked_by([row(0, "original")], rank="text")
    assert asked.prompt == "How many dots are there?"
    assert asked.options == ("16", "17", "12", "13")


def test_pictures_are_fetched_when_looked_at(tmp_path: Path) -> None:
    fetched: list[str] = []

    def fetch(image_id: str) -> Image.Image:
        fetched.append(image_id)
        return Image.new("RGB", (1, 1))

    given = asked_by([row(0, "original", image_ids=["x", "y"]), row(1, "original")], rank="letter", images=fetch)
    assert fetched == []
    assert len(given[0].images()) == 2
    assert fetched == ["x", "y"]
    given[1].images()
    assert fetched == ["x", "y", "image-1"]


def test_rows_come_in_order_and_fit_the_table(tmp_path: Path) -> None:
    questions = [row(pair, variant) for pair in (2, 0, 1) for variant in ("original", "counterfactual")]
    write_artifact(tmp_path / "questions.parquet", QUESTIONS, questions)
    answerer = load("random", Baseline(adapter="random"), 0)
    made = list(predictions(reversed(questions), no_picture, "random", answerer, rank="letter"))
    with ArtifactWriter(tmp_path / "predictions.parquet", PREDICTIONS) as writer:
        for each in made:
            writer.write([each])
    stored = artifacts.read(tmp_path / "predictions.parquet", PREDICTIONS).to_pylist()
    assert [each["question_id"] for each in stored] == sorted(q["question_id"] for q in questions)
    assert stored == made
    assert {each["strategy"] for each in stored} == {"direct"}


def test_only_the_right_letter_with_status_ok_is_correct() -> None:
    questions = [row(n, "original", answer="B") for n in range(4)]
    answers = constant(
        ChoiceAnswer("B", choice_scores=(-2.0, -1.0, -3.0, -4.0), prompt_tokens=9, response_tokens=4),
        ChoiceAnswer("A"),
        ChoiceAnswer("B", "ambiguous", "two letters", response="B or C"),
        ChoiceAnswer(None, "error", "picture cannot be decoded"),
    )
    made = list(predictions(questions, no_picture, "m", answers, rank="letter"))
    assert [each["correct"] for each in made] == [True, False, False, False]
    assert [each["status"] for each in made] == ["ok", "ok", "ambiguous", "error"]
    assert made[0]["choice_scores"] == [-2.0, -1.0, -3.0, -4.0]
    assert (made[0]["prompt_tokens"], made[0]["response_tokens"], made[0]["response"]) == (9, 4, None)
    assert (made[2]["reason"], made[2]["response"]) == ("two letters", "B or C")
    assert (made[3]["answer"], made[3]["reason"]) == (None, "picture cannot be decoded")


@pytest.mark.parametrize("number", [1, 3])
def test_an_answerer_that_loses_or_adds_answers_is_found_out(number: int) -> None:
    answers = constant(*[ChoiceAnswer("A")] * number)
    with pytest.raises(ValueError, match="zip"):
        list(predictions([row(0, "original"), row(1, "original")], no_picture, "m", answers, rank="letter"))


def test_majority_letters_by_group_and_variant() -> None:
    questions = [
        *(row(n, "original", "B") for n in range(3)),
        *(row(n, "original", "A") for n in range(3, 5)),
        row(5, "original", "A", group="flowers"),
        *(row(n, "counterfactual", letter) for n, letter in enumerate("DCDC")),
    ]
    assert majority_letters(questions) == {
        ("dots", "original"): "B",
        ("flowers", "original"): "A",
        ("dots", "counterfactual"): "C",
    }


def test_majority_is_the_best_constant_letter_of_the_whole_set() -> None:
    questions = [row(n, "original", letter) for n, letter in enumerate("BBBAACD")]
    answerer = load("majority", Baseline(adapter="majority"), 0)
    made = list(predictions(questions, no_picture, "majority", answerer, rank="letter"))
    assert sum(each["correct"] for each in made) == 3
    shard = questions[3:]
    alone = list(predictions(shard, no_picture, "majority", answerer, rank="letter"))
    known = majority_letters(questions)
    told = list(predictions(shard, no_picture, "majority", answerer, rank="letter", majority=known))
    assert {each["answer"] for each in alone} == {"A"}
    assert told == made[3:]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"choices": None}, "question p000-original: has no choices"),
        ({"choices": []}, "question p000-original: has no choices"),
        ({"answer": "E"}, "question p000-original: its answer 'E' is none of A, B, C, D"),
        ({"answer": "16"}, "its answer '16' is none of A, B, C, D"),
        ({"choices": [str(n) for n in range(27)]}, "has 27 choices"),
    ],
)
def test_questions_that_cannot_be_ranked_are_named(broken: dict[str, Any], message: str) -> None:
    with pytest.raises(WhatifError, match=message):
        list(predictions([row(0, "original", **broken)], no_picture, "m", constant(), rank="letter"))


def test_no_questions_no_predictions() -> None:
    assert list(predictions([], no_picture, "m", constant(), rank="letter")) == []
