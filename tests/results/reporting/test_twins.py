"""Accuracy on originals and their counterfactual twins."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.frames import ends
from whatif.benchmarks.cvqa_synthetic.settings import AggregatePuzzles
from whatif.engine.artifacts.reader import batches
from whatif.engine.artifacts.schemas import PREDICTIONS, QUESTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.results.reporting import twin_answers
from whatif.results.reporting.twin_answers import BY_RULES, PREDICTION_COLUMNS, QUESTION_COLUMNS
from whatif.results.reporting.twins import twin_metrics
from whatif.scoring.statistics import Interval, paired_drop, tango, wilson

SETTINGS = AggregatePuzzles(confidence=0.95, audit_folds=5)
VARIANTS = ("original", "counterfactual")


def question(pair: int, variant: str, group: str = "dots") -> dict[str, Any]:
    return {
        "question_id": f"p{pair:03d}-{variant}",
        "pair_id": f"p{pair:03d}",
        "group": group,
        "variant": variant,
        "choices": ["1", "2", "3", "4"],
        "answer": "A",
        "answer_kind": "choice",
    }


def prediction(asked: dict[str, Any], letter: str | None, status: str = "ok", model: str = "m") -> dict[str, Any]:
    return {
        "question_id": asked["question_id"],
        "model": model,
        "response": None,
        "choice_scores": None,
        "answer": letter,
        "status": status,
        "correct": status == "ok" and letter == asked["answer"],
    }


def a_set(letters: dict[str, tuple[str, str]], size: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """`size` pairs for each group, answered with the same two letters throughout the group."""
    questions, predictions = [], []
    for start, (group, answered) in enumerate(letters.items()):
        for pair in range(size):
            for variant, letter in zip(VARIANTS, answered, strict=True):
                questions.append(question(start * size + pair, variant, group))
                predictions.append(prediction(questions[-1], letter))
    return questions, predictions


def of(name: str, value: float, interval: Interval) -> dict[str, float]:
    """A number and its interval in percent, as metrics have them."""
    low, high = ends(interval)
    return {name: value, "low": low, "high": high}


def test_numbers_of_one_group_and_of_all() -> None:
    questions, predictions = a_set({"dots": ("A", "B"), "flowers": ("A", "A")}, size=30)
    metrics = twin_metrics(predictions, questions, SETTINGS, ["m"])["m"]
    assert list(metrics) == ["all", "dots", "flowers"]
    assert [metrics[group]["pairs"] for group in metrics] == [60, 30, 30]
    everything = metrics["all"]
    assert everything["original"] == of("accuracy", 100.0, wilson(60, 60))
    assert everything["counterfactual"] == of("accuracy", 50.0, wilson(30, 60))
    drop = paired_drop([True] * 60, [False] * 30 + [True] * 30)
    assert everything["drop"] == of("points", 50.0, drop.interval)
    assert everything["mcnemar_p"] == pytest.approx(drop.p, rel=1e-3)
    assert everything["letters"] == {
        "original": {"A": 100.0, "B": 0.0, "C": 0.0, "D": 0.0},
        "counterfactual": {"A": 50.0, "B": 50.0, "C": 0.0, "D": 0.0},
    }
    assert metrics["flowers"]["drop"] == of("points", 0.0, tango(0.0, 0.0, 30))


def test_intervals_and_p_value_are_of_the_same_images() -> None:
    questions, predictions = a_set({"dots": ("A", "B")}, size=12)
    images = {row["pair_id"]: f"image {number // 6}" for number, row in enumerate(questions)}  # three pairs an image
    metrics = twin_metrics(predictions, questions, SETTINGS, ["m"], images=images)["m"]["all"]
    assert metrics["mcnemar_p"] == 2 / 2**4  # of four images; of twelve pairs 2 / 2**12
    assert metrics["drop"]["high"] == ends(tango(0.0, 1.0, 4))[1]
    assert metrics["counterfactual"]["high"] == ends(wilson(0, 4))[1]


def test_unanswered_counts_as_wrong_and_is_shown() -> None:
    questions = [question(pair, variant) for pair in range(4) for variant in VARIANTS]
    statuses = {0: ("A", "ok"), 1: (None, "none"), 2: ("A", "ambiguous"), 3: (None, "error")}
    predictions = [
        prediction(asked, *(("A", "ok") if asked["variant"] == "original" else statuses[int(asked["pair_id"][1:])]))
        for asked in questions
    ]
    metrics = twin_metrics(predictions, questions, SETTINGS, ["m"])["m"]["all"]
    assert metrics["counterfactual"]["accuracy"] == 25.0
    assert metrics["status"]["original"] == {"ok": 4, "ambiguous": 0, "none": 0, "error": 0}
    assert metrics["status"]["counterfactual"] == {"ok": 1, "ambiguous": 1, "none": 1, "error": 1}
    assert metrics["letters"]["counterfactual"] == {"A": 100.0, "B": 0.0, "C": 0.0, "D": 0.0}
    assert metrics["pairs"] == 4


def test_a_pair_counts_only_when_both_twins_are_there() -> None:
    questions, predictions = a_set({"dots": ("A", "A"), "flowers": ("A", "A")}, size=5)
    lost = {"p001-original", "p002-original", "p002-counterfactual", "p007-counterfactual"}
    kept = [row for row in predictions if row["question_id"] not in lost]
    metrics = twin_metrics(kept, questions, SETTINGS, ["m"])["m"]
    assert {group: (each["pairs"], each["left_out"]) for group, each in metrics.items()} == {
        "all": (7, 6),
        "dots": (3, 4),
        "flowers": (4, 2),
    }
    for each in metrics.values():
        assert sum(each["status"]["original"].values()) == each["pairs"]


def test_a_group_without_a_whole_pair_is_left_out_but_counted() -> None:
    questions, predictions = a_set({"dots": ("A", "A"), "flowers": ("A", "A")}, size=5)
    metrics = twin_metrics(predictions[:10], questions, SETTINGS, ["m"])["m"]
    assert list(metrics) == ["all", "dots"]
    assert metrics["all"]["left_out"] == 10


def test_who_answers_nothing_has_no_letters_and_the_json_no_nan() -> None:
    questions = [question(pair, variant) for pair in range(3) for variant in VARIANTS]
    metrics = twin_metrics([prediction(q, None, "error") for q in questions], questions, SETTINGS, ["m"])
    assert metrics["m"]["all"]["letters"] == {"original": {}, "counterfactual": {}}
    assert metrics["m"]["all"]["original"]["accuracy"] == 0.0
    assert json.loads(json.dumps(metrics, allow_nan=False)) == metrics


def test_the_order_of_rows_changes_nothing() -> None:
    questions, predictions = a_set({"dots": ("A", "B"), "flowers": ("B", "A")}, size=12)
    forward = twin_metrics(predictions, questions, SETTINGS, ["m"])
    assert twin_metrics(predictions[::-1], questions[::-1], SETTINGS, ["m"]) == forward


def test_models_come_in_the_order_asked_for() -> None:
    questions, predictions = a_set({"dots": ("A", "B")}, size=3)
    both = predictions + [{**row, "model": "b"} for row in predictions]
    assert list(twin_metrics(both, questions, SETTINGS, ["m", "b"])) == ["m", "b"]


def test_what_does_not_belong_together_is_refused() -> None:
    questions, predictions = a_set({"dots": ("A", "B")}, size=3)
    with pytest.raises(WhatifError, match=r"model 'm' is not in params.yaml \(other\)"):
        twin_metrics(predictions, questions, SETTINGS, ["other"])
    with pytest.raises(WhatifError, match="predictions of m: question 'p002-original' is not in the questions"):
        twin_metrics(predictions, questions[:4], SETTINGS, ["m"])
    with pytest.raises(WhatifError, match="predictions of other: no pair has answers to both"):
        twin_metrics(predictions, questions, SETTINGS, ["m", "other"])
    with pytest.raises(WhatifError, match="predictions of m: question 'p000-original' is answered twice"):
        twin_metrics(predictions + predictions[:1], questions, SETTINGS, ["m"])


def said(asked: dict[str, Any], response: str | None, status: str, *, correct: bool) -> dict[str, Any]:
    return {**prediction(asked, None, status), "response": response, "correct": correct}


def test_how_responses_were_read_stands_beside_the_accuracy() -> None:
    questions = [
        {**question(pair, variant), "choices": None, "answer_kind": "number", "question": "How many?", "answer": "2"}
        for pair in range(4)
        for variant in VARIANTS
    ]
    of_pair = {
        "p000": ("There are 2.", "ok", True),
        "p001": ("2 or 3", "ambiguous", False),  # of which the published rules take the first
        "p002": ("I cannot tell.", "none", False),
        "p003": (None, "error", False),
    }
    predictions = []
    for asked in questions:
        response, status, correct = of_pair[asked["pair_id"]]
        original = asked["variant"] == "original"
        predictions.append(
            said(asked, "2", "ok", correct=True) if original else said(asked, response, status, correct=correct)
        )
    metrics = twin_metrics(predictions, questions, SETTINGS, ["m"])["m"]["all"]
    assert metrics["counterfactual"]["accuracy"] == 25.0
    assert metrics["legacy"] == {"original": 100.0, "counterfactual": 50.0}
    assert metrics["vlmevalkit"] == {"original": 100.0, "counterfactual": 0.0}  # a sentence is not only a number
    assert metrics["lmms-eval"] == {"original": 100.0, "counterfactual": 25.0}  # the last number
    assert metrics["extracted"] == {"original": 100.0, "counterfactual": pytest.approx(100 / 3, abs=1e-4)}
    assert metrics["status"]["counterfactual"]["error"] == 1


def test_the_rules_of_the_authors_know_no_choices_and_those_of_toolkits_do() -> None:
    questions = [question(0, variant) for variant in VARIANTS]
    ranked = [{**prediction(asked, "A"), "choice_scores": []} for asked in questions]
    in_words = [{**prediction(asked, "A"), "response": "A"} for asked in questions]
    metrics = twin_metrics(ranked, questions, SETTINGS, ["m"])["m"]["all"]
    for measure in BY_RULES:
        assert metrics[measure] == dict.fromkeys(VARIANTS, 100.0)
    assert metrics["extracted"] == dict.fromkeys(VARIANTS)
    metrics = twin_metrics(in_words, questions, SETTINGS, ["m"])["m"]["all"]
    assert metrics["legacy"] == dict.fromkeys(VARIANTS)
    assert metrics["vlmevalkit"] == metrics["lmms-eval"] == dict.fromkeys(VARIANTS, 100.0)
    assert metrics["extracted"] == dict.fromkeys(VARIANTS, 100.0)


def test_artifacts_in_columns_give_what_rows_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both kinds of answers, in pieces smaller than the file, with words that the published rules read."""
    monkeypatch.setattr(twin_answers, "_PIECE", 7)
    questions, predictions = [], []
    for pair in range(12):
        for variant in sorted(VARIANTS):
            kind = {"choices": None, "answer_kind": "number", "answer": "2"} if pair % 2 else {}
            made = {**question(pair, variant, f"g{pair % 3}"), "question": "How many?", "image_ids": [], **kind}
            questions.append({**made, "provenance": "{}"})
            scores = {"log_likelihood": -1.0, "tokens": 1, "mean": -1.0, "at_most": False}
            row = prediction(made, "AB"[pair % 5 % 2])
            if pair % 2:
                row |= {"response": f"There are {pair % 3}.", "answer": str(pair % 3), "correct": pair % 3 == 2}
            else:
                row["choice_scores"] = [scores] * 4
            blank = dict.fromkeys(PREDICTIONS.schema.names)
            predictions.append({**blank, **row, "strategy": "direct"})
    predictions[5] |= {"status": "error", "answer": None, "response": None, "correct": False}
    small = replace(PREDICTIONS, row_group_rows=5)
    write_artifact(tmp_path / "predictions.parquet", small, predictions)
    write_artifact(tmp_path / "questions.parquet", QUESTIONS, questions)
    columns = batches(
        tmp_path / "predictions.parquet",
        PREDICTIONS,
        PREDICTION_COLUMNS,
        encoded=["model", "response", "answer", "status"],
        present=["choice_scores"],
    )
    asked = batches(tmp_path / "questions.parquet", QUESTIONS, QUESTION_COLUMNS)
    found = twin_metrics(columns, asked, SETTINGS, ["m"])
    assert found == twin_metrics(predictions, questions, SETTINGS, ["m"])
    by_ranking, in_words = ([row["correct"] for row in predictions[first::4]] for first in (1, 3))
    assert found["m"]["all"]["original"]["accuracy"] == pytest.approx(100 * sum(by_ranking + in_words) / 12, abs=1e-4)
    assert found["m"]["all"]["legacy"]["original"] == found["m"]["all"]["original"]["accuracy"]
