"""Rules of ranking on constructed scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from whatif.engine.artifacts.schemas import OPTION_SCORE
from whatif.engine.params.model_entries import RankingRule
from whatif.scoring.ranking_rules import RULES, choices_by, compared, decided

# Sums, tokens, sums without the image, sums after nothing; each rule prefers another option.
SCORES = [
    (-6.0, 6, -5.0, -9.0),  # mean: -1
    (-2.0, 1, -1.0, -3.0),  # sum: -2
    (-8.0, 4, -15.0, -11.0),  # minus without image: +7
    (-9.0, 3, -14.0, -20.0),  # minus without prompt: +11
]
BEST: dict[RankingRule, int] = {"mean": 0, "sum": 1, "minus-without-image": 2, "minus-without-prompt": 3}


def options(scores: Sequence[tuple[float | None, int | None, float | None, float | None]]) -> list[dict[str, Any]]:
    return [
        {
            "log_likelihood": total,
            "tokens": tokens,
            "mean": -1.0 if total is None or tokens is None else total / tokens,
            "at_most": False,
            "without_image": image,
            "without_prompt": prompt,
        }
        for total, tokens, image, prompt in scores
    ]


def column(*rows: list[dict[str, Any]] | None, chunks: int = 1) -> pa.ChunkedArray:
    whole = pa.array(rows, pa.list_(OPTION_SCORE))
    size = math.ceil(len(rows) / chunks)
    return pa.chunked_array([whole.slice(start, size) for start in range(0, len(rows), size)], whole.type)


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_has_its_own_winner(rule: RankingRule) -> None:
    assert choices_by(column(options(SCORES)), rule).tolist() == [BEST[rule]]


def test_for_options_of_one_token_mean_and_sum_agree() -> None:
    generator = np.random.default_rng(0)
    rows = [options([(float(total), 1, None, None) for total in generator.normal(size=4)]) for _ in range(50)]
    found = choices_by(column(*rows), "mean")
    assert found.tolist() == choices_by(column(*rows), "sum").tolist()
    assert set(found.tolist()) == {0, 1, 2, 3}


def test_a_tie_goes_to_the_first() -> None:
    same = options([(-3.0, 1, -1.0, -1.0), (-2.0, 1, -0.5, -0.5), (-2.0, 1, -0.5, -0.5)])
    assert [choices_by(column(same), rule).tolist() for rule in RULES] == [[1], [1], [1], [1]]


def test_a_score_that_is_not_known_decides_nothing() -> None:
    nothing = options([(-1.0, 1, None, None), (-2.0, 1, None, None)])
    partly = options([(-1.0, 1, -2.0, None), (-2.0, 1, None, -1.0)])
    only_means = options([(None, None, None, None), (None, None, None, None)])
    rows = column(options(SCORES), None, nothing, partly, only_means)
    assert {rule: choices_by(rows, rule).tolist() for rule in RULES} == {
        "mean": [0, -1, 0, 0, 0],
        "sum": [1, -1, 0, 0, -1],
        "minus-without-image": [2, -1, -1, -1, -1],
        "minus-without-prompt": [3, -1, -1, -1, -1],
    }


def test_an_upper_bound_does_not_win() -> None:
    known = options([(-3.0, 1, -1.0, -1.0), (-2.0, 1, -3.0, -3.0), (-9.0, 3, -20.0, -20.0)])
    bound = [{**score, "at_most": place == 1} for place, score in enumerate(known)]
    all_bounds = [{**score, "at_most": True} for score in known]
    rows = column(known, None, bound, all_bounds)
    assert {rule: choices_by(rows, rule).tolist() for rule in RULES} == {
        "mean": [1, -1, 0, 1],
        "sum": [1, -1, 0, 1],
        "minus-without-image": [2, -1, -1, -1],
        "minus-without-prompt": [2, -1, -1, -1],
    }


@pytest.mark.parametrize("chunks", [1, 2, 5])
def test_columns_give_what_each_question_gives_alone(chunks: int) -> None:
    generator = np.random.default_rng(1)
    rows: list[list[dict[str, Any]] | None] = []
    for number in range(40):
        count = int(generator.integers(1, 6))
        sums, image, prompt = generator.normal(-8, 3, (3, count)).tolist()
        tokens = generator.integers(1, 5, count).tolist()
        rows.append(options(list(zip(sums, tokens, image, prompt, strict=True))) if number % 7 else None)
    for rule in RULES:
        alone = [int(choices_by(column(row), rule)[0]) for row in rows]
        assert choices_by(column(*rows, chunks=chunks), rule).tolist() == alone
        expected = [-1 if row is None else _by_hand(row, rule) for row in rows]
        assert alone == expected


def _by_hand(row: list[dict[str, Any]], rule: RankingRule) -> int:
    def value(score: dict[str, Any]) -> float:
        if rule == "mean":
            return float(score["log_likelihood"] / score["tokens"])
        condition = {"sum": 0.0, "minus-without-image": score["without_image"]}.get(rule, score["without_prompt"])
        return float(score["log_likelihood"] - condition)

    return max(range(len(row)), key=lambda place: value(row[place]))


def test_no_questions() -> None:
    assert choices_by(pa.chunked_array([], pa.list_(OPTION_SCORE)), "sum").tolist() == []
    assert decided([], {}, "sum") == []


def test_rows_are_decided_again() -> None:
    def row(name: str, **more: Any) -> dict[str, Any]:
        made = {"question_id": name, "choice_scores": options(SCORES), "answer": "A", "status": "ok", "reason": None}
        return {**made, "correct": False, **more}

    rows = [
        row("ranked"),
        row("said", choice_scores=None, answer="C", correct=True),
        row("failed", status="error", reason="too long", answer=None),
        row("without", choice_scores=options([(-1.0, 1, None, -2.0), (-2.0, 1, None, -2.0)]), correct=True),
    ]
    found = decided(rows, {"ranked": "C", "said": "C", "failed": "C", "without": "A"}, "minus-without-image")
    assert [(one["answer"], one["status"], one["correct"]) for one in found] == [
        ("C", "ok", True),
        ("C", "ok", True),
        (None, "error", False),
        (None, "error", False),
    ]
    assert found[2]["reason"] == "too long"
    assert found[3]["reason"] == (
        "rule `minus-without-image` needs `log_likelihood` and `without_image` of every option, which is not known"
    )
    assert rows[0]["answer"] == "A", "the given rows are not changed"
    by_mean = decided(rows, {"ranked": "A", "said": "C", "failed": "C", "without": "A"}, "mean")
    assert [one["correct"] for one in by_mean] == [True, True, False, True]


def test_what_a_rule_compares_is_told_for_each_option() -> None:
    bounded = [{**options(SCORES)[1], "at_most": True}, options(SCORES)[0]]
    unknown = options([(None, None, None, None), SCORES[0]])
    rows = column(options(SCORES), None, bounded, unknown, chunks=2)
    assert compared(rows, "mean") == [
        "A -1.000, B -2.000, C -2.000, D -3.000",
        "",
        "A at most -2.000, B -1.000",
        "A -1.000, B -1.000",
    ]
    images, *_, unknown_sum = compared(rows, "minus-without-image")
    assert (images, unknown_sum) == ("A -1.000, B -1.000, C 7.000, D 5.000", "A nan, B -1.000")
    assert compared(column(None), "mean") == [""]
