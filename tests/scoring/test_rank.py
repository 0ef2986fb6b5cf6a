"""From questions to predictions by answer ranking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS, QUESTIONS
from whatif.engine.artifacts.writer import ArtifactWriter, write_artifact
from whatif.engine.errors import WhatifError
from whatif.engine.params.models import Baseline
from whatif.models import Answer, Model, OptionScore, Question, load
from whatif.scoring.rank import majority_answers, predictions


def scores(*means: float, tokens: Sequence[int] = ()) -> tuple[OptionScore, ...]:
    counts = tokens or [1] * len(means)
    return tuple(OptionScore(mean * count, count) for mean, count in zip(means, counts, strict=True))


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


class Pictures:
    """A blank image for every id; records which were fetched."""

    def __init__(self) -> None:
        self.fetched: list[str] = []

    def get(self, image_id: str) -> Image.Image:
        self.fetched.append(image_id)
        return Image.new("RGB", (1, 1))

    def encoded(self, image_id: str) -> bytes:
        self.fetched.append(image_id)
        return image_id.encode()


@dataclass
class Answering:
    """Returns the given answers, and records the questions."""

    answers: Sequence[Answer]
    identity: None = None
    asked: Sequence[Question] = ()

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        self.asked = questions
        return iter(self.answers)


def constant(*answers: Answer) -> Model:
    return Answering(answers)


def predicted(questions: Iterable[dict[str, Any]], model: Model, **options: Any) -> list[dict[str, Any]]:
    settings: dict[str, Any] = {"images": Pictures(), "form": "rank-letter", **options}
    return list(predictions(questions, settings.pop("images"), "m", model, **settings))


def asked_by(questions: list[dict[str, Any]], **options: Any) -> Sequence[Question]:
    model = Answering([Answer("A") for _ in questions])
    predicted(questions, model, **options)
    return model.asked


def test_by_letter_the_prompt_is_the_released_one() -> None:
    (asked,) = asked_by([row(0, "original")], form="rank-letter")
    assert asked.prompt == "How many dots are there? Select the correct answer:A:16  B:17  C:12  D:13"
    assert asked.options == ("A", "B", "C", "D")


def test_by_text_the_question_is_open_and_the_options_are_ranked() -> None:
    (asked,) = asked_by([row(0, "original")], form="rank-text")
    assert asked.prompt == "How many dots are there?"
    assert asked.options == ("16", "17", "12", "13")


def test_who_answers_in_words_sees_the_options_and_is_told_to_give_a_letter() -> None:
    (asked,) = asked_by([row(0, "original")], form="words")
    assert asked.prompt == (
        "How many dots are there? Select the correct answer:A:16  B:17  C:12  D:13\nAnswer with one letter."
    )
    assert asked.options == ()


def test_an_open_form_shows_no_options() -> None:
    (asked,) = asked_by([row(0, "original")], form="open")
    assert (asked.prompt, asked.options) == ("How many dots are there?", ())


@pytest.mark.parametrize(
    ("form", "response", "found"),
    [
        ("words", "D", "D"),
        ("words", "The answer is (D).", "D"),
        ("words", "13", "D"),
        ("open", "D", None),
        ("open", "The answer is (D).", None),
        ("open", "13", "D"),
        ("open", "There are 13 dots.", "D"),
        ("rank-text", "D", None),
    ],
)
def test_a_letter_counts_only_where_letters_were_shown(form: str, response: str, found: str | None) -> None:
    (made,) = predicted([row(0, "original", answer="D")], constant(Answer(response=response)), form=form)
    assert (made["answer"], made["correct"]) == (found, found is not None)


def test_pictures_are_fetched_when_looked_at() -> None:
    pictures = Pictures()
    given = asked_by([row(0, "original", image_ids=["x", "y"]), row(1, "original")], images=pictures)
    assert pictures.fetched == []
    assert given[0].image_ids == ("x", "y")
    for _ in range(2):  # they stay decoded for the next question
        assert len(given[0].images()) == 2
    assert pictures.fetched == ["x", "y"]
    assert given[1].encoded_images() == [b"image-1"]
    assert pictures.fetched == ["x", "y", "image-1"]


def test_rows_come_in_order_and_fit_the_table(tmp_path: Path) -> None:
    questions = [row(pair, variant) for pair in (2, 0, 1) for variant in ("original", "counterfactual")]
    write_artifact(tmp_path / "questions.parquet", QUESTIONS, questions)
    made = predicted(reversed(questions), load("random", Baseline(adapter="random"), 0))
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
        Answer(option_scores=scores(-2.0, -1.0, -3.0, -4.0), prompt_tokens=9, response_tokens=4),
        Answer("A"),
        Answer("B", "ambiguous", "two letters", response="B or C"),
        Answer(None, "error", "picture cannot be decoded"),
    )
    made = predicted(questions, answers)
    assert [each["correct"] for each in made] == [True, False, False, False]
    assert [each["status"] for each in made] == ["ok", "ok", "ambiguous", "error"]
    assert made[0]["choice_scores"] == [
        {
            "log_likelihood": value,
            "tokens": 1,
            "mean": value,
            "at_most": False,
            "without_image": None,
            "without_prompt": None,
        }
        for value in (-2.0, -1.0, -3.0, -4.0)
    ]
    assert made[1]["choice_scores"] is None
    assert (made[0]["prompt_tokens"], made[0]["response_tokens"], made[0]["response"]) == (9, 4, None)
    assert (made[2]["reason"], made[2]["response"]) == ("two letters", "B or C")
    assert (made[3]["answer"], made[3]["reason"]) == (None, "picture cannot be decoded")


@pytest.mark.parametrize(
    ("means", "tokens", "answer"),
    [
        ((-2.0, -1.0, -3.0, -4.0), (1, 4, 1, 1), "B"),  # -1.0 per token, although -4.0 in total
        ((-3.0, -2.0, -2.0, -4.0), (2, 2, 2, 2), "B"),  # the first in case of a tie
        ((-3.0, -2.0, -1.0, -1.0), (1, 1, 2, 2), "C"),
    ],
)
def test_the_option_with_the_highest_mean_is_the_stored_answer(
    means: Sequence[float], tokens: Sequence[int], answer: str
) -> None:
    answers = constant(Answer(option_scores=scores(*means, tokens=tokens)))
    assert predicted([row(0, "original")], answers)[0]["answer"] == answer


def test_an_error_chooses_nothing_whatever_its_scores() -> None:
    answers = constant(Answer(status="error", reason="too long", option_scores=scores(-1.0, -2.0, -2.0, -2.0)))
    (made,) = predicted([row(0, "original", answer="A")], answers)
    assert (made["answer"], made["correct"]) == (None, False)


@pytest.mark.parametrize("number", [1, 3])
def test_an_answerer_that_loses_or_adds_answers_is_found_out(number: int) -> None:
    answers = constant(*[Answer("A")] * number)
    with pytest.raises(ValueError, match="zip"):
        predicted([row(0, "original"), row(1, "original")], answers)


def test_majority_answers_by_group_and_variant() -> None:
    questions = [
        *(row(n, "original", "B") for n in range(3)),
        *(row(n, "original", "A") for n in range(3, 5)),
        row(5, "original", "A", group="flowers"),
        *(row(n, "counterfactual", letter) for n, letter in enumerate("DCDC")),
    ]
    assert majority_answers(questions) == {
        ("dots", "original"): "B",
        ("flowers", "original"): "A",
        ("dots", "counterfactual"): "C",
    }


def test_majority_is_the_best_constant_letter_of_the_whole_set() -> None:
    questions = [row(n, "original", letter) for n, letter in enumerate("BBBAACD")]
    majority = load("majority", Baseline(adapter="majority"), 0)
    made = predicted(questions, majority)
    assert sum(each["correct"] for each in made) == 3
    shard = questions[3:]
    alone = predicted(shard, majority)
    known = majority_answers(questions)
    told = predicted(shard, majority, majority=known)
    assert {each["answer"] for each in alone} == {"A"}
    assert told == made[3:]


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"choices": None}, "question p000-original: has no choices"),
        ({"choices": []}, "question p000-original: has no choices"),
        ({"answer": "E"}, "question p000-original: its answer 'E' is not one of A, B, C, D"),
        ({"answer": "16"}, "its answer '16' is not one of A, B, C, D"),
        ({"choices": [str(n) for n in range(27)]}, "has 27 choices"),
    ],
)
def test_questions_that_cannot_be_ranked_are_named(broken: dict[str, Any], message: str) -> None:
    with pytest.raises(WhatifError, match=message):
        predicted([row(0, "original", **broken)], constant())


def test_no_questions_no_predictions() -> None:
    assert predicted([], constant()) == []
