"""The table of models that were asked each question several times."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from whatif.engine.errors import WhatifError
from whatif.models import Answer
from whatif.results.reporting.rendering import grid
from whatif.results.reporting.repeats import AskedQuestions, numbers_of, repeats
from whatif.results.reporting.sampled_answers import SampledAnswers, sampled_answers
from whatif.scoring.asking import prediction
from whatif.scoring.extraction.answer import extract
from whatif.scoring.majority import as_column, majority

SYSTEM = ("m", "direct")
PLACE = {SYSTEM: {"model": "m", "name": "Model", "source": "ours", "strategy": ""}}
SAMPLE = pa.struct([("answer", pa.string()), ("status", pa.string())])
SCHEMA = pa.schema(
    [*((name, pa.string()) for name in ("question_id", "model", "strategy")), ("samples", pa.list_(SAMPLE))]
)
Row = dict[str, Any]


def question(pair: str, variant: str, answer: str = "3", **more: Any) -> Row:
    return {
        "question_id": f"{pair}-{variant}",
        "pair_id": pair,
        "group": "direct",
        "variant": variant,
        "question": "How many dogs are there?",
        "choices": None,
        "answer": answer,
        "answer_kind": "number",
        "image_ids": [f"image-{pair}"],
        **more,
    }


def predicted(row: Row, *responses: str) -> Row:
    """A prediction from responses, as models are asked; `!` fails."""
    answers = [
        Answer(status="error", reason="failed") if one == "!" else Answer(response=one, request_key=one)
        for one in responses
    ]
    found = [extract(one.response or "", row["answer_kind"], row["question"], row["choices"]) for one in answers]
    _, answer, together = majority(answers, found, row)
    return prediction(row, *SYSTEM, answer, together, samples=as_column(answers, found))


def as_pieces(predictions: list[Row], size: int = 3) -> list[pa.Table]:
    kept = [{name: row[name] for name in SCHEMA.names} for row in predictions]
    for row in kept:
        if row["samples"] is not None:
            row["samples"] = [{name: one[name] for name in ("answer", "status")} for one in row["samples"]]
    return [pa.Table.from_pylist(kept[start : start + size], SCHEMA) for start in range(0, len(kept), size)]


def sampled(predictions: list[Row], questions: list[Row], size: int = 3) -> SampledAnswers:
    return sampled_answers(as_pieces(predictions, size), questions)[SYSTEM]


def cells(questions: list[Row], predictions: list[Row]) -> dict[tuple[str, str, str], tuple[float, int | None]]:
    images = {row["question_id"]: row["image_ids"][0] for row in questions}
    asked = AskedQuestions.of(questions, images, "original")
    table = repeats(sampled_answers(as_pieces(predictions), questions), asked, PLACE, 0.95, "Set")
    assert all(grid(view, table.frame).rows for view in table.views)
    rows = table.frame.to_dict("records")
    return {(row["variant"], row["measure"], row["k"]): row["value"] for row in rows}


QUESTIONS = [question(pair, variant) for pair in ("p1", "p2") for variant in ("original", "counterfactual")]
RESPONSES = {
    "p1-original": ("3", "three", "It is 3.", "4"),
    "p1-counterfactual": ("3", "4", "4.0", "I see cats."),
    "p2-original": ("3", "3", "3", "3"),
    "p2-counterfactual": ("4", "5", "3", "3"),
}
PREDICTIONS = [predicted(row, *RESPONSES[row["question_id"]]) for row in QUESTIONS]


def test_by_hand() -> None:
    found = cells(QUESTIONS, PREDICTIONS)
    original, counterfactual = "original", "counterfactual"
    assert found[original, "accuracy", ""] == 87.5  # of 3/4 and 4/4
    assert found[counterfactual, "accuracy", ""] == 37.5  # of 1/4 and 2/4
    # sqrt((3/16) / 3) / 2, and half the difference of the two means.
    assert found[original, "se_samples", ""] == 12.5
    assert found[original, "se_items", ""] == 12.5
    assert found[original, "decoding_share", ""] == 100
    assert found[original, "agreement", ""] == 75  # 3 of 6 pairs, and all
    assert found[counterfactual, "agreement", ""] == pytest.approx(
        100 / 6, abs=1e-4
    )  # one pair each: 4 and 4.0, 3 and 3
    assert [found[counterfactual, "pass", k] for k in "124"] == [
        37.5,
        pytest.approx(100 * (1 / 2 + 5 / 6) / 2, abs=1e-4),
        100,
    ]
    assert [found[counterfactual, "majority", k] for k in "14"] == [37.5, 50]
    # Two of 3, 4, 4, none: 3 with none. Two of 4, 5, 3, 3: both 3.
    assert found[counterfactual, "majority", "2"] == pytest.approx(100 * (1 / 6 + 1 / 6) / 2, abs=1e-4)
    assert found["", "drop", ""] == 50
    assert found["", "drop_se_items", ""] == 0
    assert ("", "drop_decoding_share", "") not in found  # both pairs drop by 1/2
    assert found[original, "samples", ""] == 4


def test_the_largest_majority_is_what_counts() -> None:
    random = np.random.default_rng(6)
    said = ["3", "three", "4", "5.0", "I see cats.", "3 or 4", "!"]
    chances = [0.3, 0.1, 0.3, 0.1, 0.1, 0.08, 0.02]
    questions = [question(f"p{number}", "original") for number in range(300)]
    predictions = [predicted(row, *random.choice(said, 5, p=chances)) for row in questions]
    answers = sampled(predictions, questions, size=70)
    assert answers.majority_at(5).tolist() == [float(row["correct"]) for row in predictions]
    assert 0 < answers.majority_at(5).mean() < 1
    assert answers.majority_at(1).tolist() == pytest.approx((answers.right_samples / 5).tolist())


def test_right_words_may_be_several_answers() -> None:
    asked = question("p1", "original", "a red bus", answer_kind="text")
    answers = sampled([predicted(asked, "a red bus", "It is a red bus.", "a car")], [asked])
    assert answers.right_samples.tolist() == [2]


def test_a_question_that_was_not_asked_is_in_no_pair() -> None:
    found = cells(QUESTIONS, PREDICTIONS[:3])
    assert found["", "drop", ""] == 50 and found["counterfactual", "accuracy", ""] == 25


def test_a_prediction_without_or_with_other_samples_is_named_in_one_line() -> None:
    shorter = predicted(QUESTIONS[2], "3", "3", "3")
    for size in (1, 4):
        with pytest.raises(WhatifError) as refused:
            sampled([*PREDICTIONS[:2], shorter, PREDICTIONS[3]], QUESTIONS, size)
        assert str(refused.value) == (
            "predictions of m with the strategy direct: question 'p2-original' has 3 samples, and others have 4; "
            "ask the model again"
        )
    missing = PREDICTIONS[1] | {"samples": None}
    with pytest.raises(WhatifError, match="question 'p1-counterfactual' has no samples, and others have 4; ask"):
        sampled([PREDICTIONS[0], missing], QUESTIONS, 1)
    with pytest.raises(WhatifError, match="question 'p1-original' has no samples, and others have 4; ask"):
        sampled([PREDICTIONS[0] | {"samples": None}, PREDICTIONS[1]], QUESTIONS, 1)
    with pytest.raises(WhatifError, match="question 'p2-counterfactual' is not in the questions"):
        sampled(PREDICTIONS, QUESTIONS[:3])


def test_models_that_were_asked_once_are_left_out() -> None:
    once = [row | {"samples": None} for row in PREDICTIONS]
    assert sampled_answers(as_pieces(once), QUESTIONS) == {}


def test_the_values_of_k() -> None:
    assert [numbers_of(n) for n in (2, 5, 8, 9)] == [[1, 2], [1, 2, 4, 5], [1, 2, 4, 8], [1, 2, 4, 8, 9]]


def test_a_million_predictions_take_seconds() -> None:
    """500,000 pairs, of which the same 20,000 predictions are repeated: 5 million samples."""
    random, size, pieces = np.random.default_rng(7), 20_000, 50
    ids = [f"q{number}" for number in range(size * pieces)]
    questions = [{"question_id": name, "answer_kind": "choice", "answer": "ABCD"[n % 4]} for n, name in enumerate(ids)]
    answers = pa.array(random.choice(np.array(["A", "B", "C", "D", None]), 5 * size).tolist(), pa.string())
    status = pa.array(["none" if one is None else "ok" for one in answers.to_pylist()])
    lists = pa.ListArray.from_arrays(
        np.arange(0, 5 * size + 1, 5, dtype=np.int32),
        pa.StructArray.from_arrays([answers, status], fields=list(SAMPLE)),
    )
    tables = [
        pa.table(
            {
                "question_id": ids[start : start + size],
                "model": ["m"] * size,
                "strategy": ["direct"] * size,
                "samples": lists,
            }
        )
        for start in range(0, size * pieces, size)
    ]
    started = time.process_time()
    found = sampled_answers(tables, questions)[SYSTEM]
    numbers = found.majority_at(4).mean(), found.agreement.mean()
    assert time.process_time() - started < 30, json.dumps(numbers)
    assert found.right_samples.mean() == pytest.approx(1, abs=0.02)
