"""Accuracy on originals and their counterfactuals."""

from __future__ import annotations

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
from whatif.results.reporting import answers
from whatif.results.reporting.answers import STATUSES
from whatif.results.reporting.pair_measures import accuracy, each_variant, letters, paired_rows, parts_of
from whatif.results.reporting.question_pairs import BY_RULES, PREDICTION_COLUMNS, QUESTION_COLUMNS, QuestionPairAnswers
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


Cells = dict[str, dict[str, dict[str, Any]]]


def measured(
    predictions: Any,
    questions: Any,
    models: list[str],
    images: dict[str, str] | None = None,
    confidence: float = 0.95,
) -> dict[str, Cells]:
    """Model -> group -> measure, with its variant or letter (`share counterfactual B`) -> the numbers of its row."""
    settings = SETTINGS.model_copy(update={"confidence": confidence})
    parts = parts_of(QuestionPairAnswers(predictions, questions, models), settings, images)
    found: dict[str, Cells] = {}
    for model, groups in parts.items():
        for group, part in groups.items():
            cells = found.setdefault(model, {}).setdefault(group, {})
            for row in (*paired_rows(part), *each_variant(letters)(part)):
                place = [row.pop(name) for name in ("measure", "variant", "answer") if name in row]
                cells[" ".join(place)] = row
    return found


def values(cells: dict[str, dict[str, Any]], variant: str, *measures: str) -> list[Any]:
    """The values of some measures of a variant; None where there is no row."""
    return [cells.get(f"{measure} {variant}", {}).get("value") for measure in measures]


def of(value: float, interval: Interval, **more: float) -> dict[str, float]:
    """A number in percent with its interval, and further numbers of its row."""
    low, high = ends(interval)
    return {"value": value, "low": low, "high": high, **more}


def test_numbers_of_one_group_and_of_all() -> None:
    questions, predictions = a_set({"dots": ("A", "B"), "flowers": ("A", "A")}, size=30)
    found = measured(predictions, questions, ["m"])["m"]
    assert {group: cells["drop"]["n"] for group, cells in found.items()} == {"all": 60, "dots": 30, "flowers": 30}
    everything = found["all"]
    assert everything["accuracy original"] == of(100.0, wilson(60, 60), n=60)
    assert everything["accuracy counterfactual"] == of(50.0, wilson(30, 60), n=60)
    drop = paired_drop([True] * 60, [False] * 30 + [True] * 30)
    p = everything["drop"].pop("p")
    assert everything["drop"] == of(50.0, drop.interval, n=60)
    assert p == pytest.approx(drop.p, rel=1e-3)
    for variant, expected in (("original", [100.0, 0.0, 0.0, 0.0]), ("counterfactual", [50.0, 50.0, 0.0, 0.0])):
        assert [everything[f"share {variant} {letter}"]["value"] for letter in "ABCD"] == expected
    assert found["flowers"]["drop"] == of(0.0, tango(0.0, 0.0, 30), n=30, p=1.0)


def test_intervals_and_p_value_are_of_the_same_images() -> None:
    questions, predictions = a_set({"dots": ("A", "B")}, size=12)
    images = {row["pair_id"]: f"image {number // 6}" for number, row in enumerate(questions)}  # three pairs an image
    found = measured(predictions, questions, ["m"], images)["m"]["all"]
    assert found["drop"]["p"] == 2 / 2**4  # of four images; of twelve pairs 2 / 2**12
    assert found["drop"]["high"] == ends(tango(0.0, 1.0, 4))[1]
    assert found["accuracy counterfactual"]["high"] == ends(wilson(0, 4))[1]


def test_unanswered_counts_as_wrong_and_is_shown() -> None:
    questions = [question(pair, variant) for pair in range(4) for variant in VARIANTS]
    by_pair = {0: ("A", "ok"), 1: (None, "none"), 2: ("A", "ambiguous"), 3: (None, "error")}
    predictions = [
        prediction(asked, *(("A", "ok") if asked["variant"] == "original" else by_pair[int(asked["pair_id"][1:])]))
        for asked in questions
    ]
    found = measured(predictions, questions, ["m"])["m"]["all"]
    assert values(found, "counterfactual", "accuracy", *STATUSES) == [25.0, 1, 1, 1, 1]
    assert values(found, "original", *STATUSES) == [4, 0, 0, 0]
    assert values(found, "counterfactual A", "share") == [100.0]
    assert found["drop"]["n"] == 4


def test_a_pair_counts_only_when_both_questions_are_there() -> None:
    questions, predictions = a_set({"dots": ("A", "A"), "flowers": ("A", "A")}, size=5)
    lost = {"p001-original", "p002-original", "p002-counterfactual", "p007-counterfactual"}
    kept = [row for row in predictions if row["question_id"] not in lost]
    found = measured(kept, questions, ["m"])["m"]
    assert {group: (cells["drop"]["n"], cells["left out"]["value"]) for group, cells in found.items()} == {
        "all": (7, 6),
        "dots": (3, 4),
        "flowers": (4, 2),
    }
    for cells in found.values():
        assert sum(values(cells, "original", *STATUSES)) == cells["drop"]["n"]


def test_a_group_without_a_whole_pair_is_left_out_but_counted() -> None:
    questions, predictions = a_set({"dots": ("A", "A"), "flowers": ("A", "A")}, size=5)
    found = measured(predictions[:10], questions, ["m"])["m"]
    assert list(found) == ["all", "dots"]
    assert found["all"]["left out"]["value"] == 10


def test_who_answers_nothing_chose_no_letter() -> None:
    questions = [question(pair, variant) for pair in range(3) for variant in VARIANTS]
    found = measured([prediction(q, None, "error") for q in questions], questions, ["m"])["m"]["all"]
    assert found["share original A"] == {"value": 0.0, "n": 0}
    assert found["accuracy original"]["value"] == 0.0


def test_the_order_of_rows_changes_nothing() -> None:
    questions, predictions = a_set({"dots": ("A", "B"), "flowers": ("B", "A")}, size=12)
    forward = measured(predictions, questions, ["m"])
    assert measured(predictions[::-1], questions[::-1], ["m"]) == forward


def test_models_come_in_the_order_asked_for() -> None:
    questions, predictions = a_set({"dots": ("A", "B")}, size=3)
    both = predictions + [{**row, "model": "b"} for row in predictions]
    assert list(measured(both, questions, ["m", "b"])) == ["m", "b"]


def test_what_does_not_belong_together_is_refused() -> None:
    questions, predictions = a_set({"dots": ("A", "B")}, size=3)
    with pytest.raises(WhatifError, match=r"is of a system that was not evaluated"):
        measured(predictions, questions, ["other"])
    with pytest.raises(WhatifError, match="predictions of m: question 'p002-original' is not in the questions"):
        measured(predictions, questions[:4], ["m"])
    with pytest.raises(WhatifError, match="predictions of other: no pair has answers to both"):
        measured(predictions, questions, ["m", "other"])
    with pytest.raises(WhatifError, match="predictions of m: question 'p000-original' is answered twice"):
        measured(predictions + predictions[:1], questions, ["m"])


def test_the_same_answers_in_other_groups() -> None:
    questions, predictions = a_set({"dots": ("A", "B"), "flowers": ("A", "A")}, size=2)
    by_template = QuestionPairAnswers(predictions, questions, ["m"])
    kinds = {"p000": "first", "p001": "", "p002": "", "p003": "first"}
    found = parts_of(by_template.grouped(kinds), SETTINGS)["m"]
    assert {kind: (len(part.pairs), part.questions) for kind, part in found.items()} == {
        "all": (4, 8),
        "": (2, 4),
        "first": (2, 4),
    }
    assert [row["value"] for row in each_variant(accuracy)(found["first"])] == [100.0, 50.0]
    assert by_template.questions.groups == ["dots", "flowers"]


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
    found = measured(predictions, questions, ["m"])["m"]["all"]
    assert values(found, "counterfactual", "accuracy", "error") == [25.0, 1]
    rules = tuple(BY_RULES)
    # Of "2 or 3", the authors' rules take the first and lmms-eval the last; a sentence is not only a number.
    assert values(found, "original", *rules) == [100.0, 100.0, 100.0]
    assert values(found, "counterfactual", *rules) == [50.0, 0.0, 25.0]
    assert values(found, "original", "extraction_rate") == [100.0]
    assert values(found, "counterfactual", "extraction_rate") == [pytest.approx(100 / 3, abs=1e-4)]


def test_the_rules_of_the_authors_know_no_choices_and_those_of_toolkits_do() -> None:
    questions = [question(0, variant) for variant in VARIANTS]
    ranked = [{**prediction(asked, "A"), "choice_scores": []} for asked in questions]
    in_words = [{**prediction(asked, "A"), "response": "A"} for asked in questions]
    of_ranked = measured(ranked, questions, ["m"])["m"]["all"]
    of_words = measured(in_words, questions, ["m"])["m"]["all"]
    for variant in VARIANTS:
        assert values(of_ranked, variant, *BY_RULES, "extraction_rate") == [100.0, 100.0, 100.0, None]
        assert values(of_words, variant, *BY_RULES, "extraction_rate") == [None, 100.0, 100.0, 100.0]


def test_artifacts_in_columns_give_what_rows_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both kinds of answers, in pieces smaller than the file, with words that the published rules read."""
    monkeypatch.setattr(answers, "_PIECE", 7)
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
    found = measured(columns, asked, ["m"])
    assert found == measured(predictions, questions, ["m"])
    by_ranking, in_words = ([row["correct"] for row in predictions[first::4]] for first in (1, 3))
    accuracy_of, legacy = values(found["m"]["all"], "original", "accuracy", "legacy")
    assert accuracy_of == legacy == pytest.approx(100 * sum(by_ranking + in_words) / 12, abs=1e-4)
