"""Accuracies, changes, association and totals of CFMM, counted by hand, and by image."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa
import pytest

from tests.benchmarks.cfmm.answered import SCHEMA, Precision, Row, answers, item, prediction, question, scores, table
from whatif.benchmarks.cfmm.item_answers import Asked, ItemAnswers
from whatif.benchmarks.cfmm.measures import ALL, Measures, measures
from whatif.benchmarks.cfmm.schemas import COUNTERFACTUALS, VARIANTS
from whatif.engine.errors import WhatifError
from whatif.formats.cfmm_items import CATEGORIES
from whatif.scoring.statistics import clustered_share, paired_drop, wilson


def measured(
    questions: list[Row], rows: list[Row], systems: tuple[tuple[str, str], ...] = (("m", "direct"),)
) -> Measures:
    found = ItemAnswers(table(rows), Asked.of(questions, CATEGORIES), systems)
    return measures(found, Precision(), 0)[0]


def test_two_items_by_hand() -> None:
    questions = [*item("a"), *item("b")]
    # a: basic right, of four counterfactual ones two right; b: basic wrong, three right, one without an answer.
    found = measured(questions, answers(questions, "++--+" + "-+++."))
    scores_of = found.scores["count"]
    assert (scores_of.items, scores_of.pairs, scores_of.unanswered) == (2, 8, 1)
    estimates = {name: interval.estimate for name, interval in scores_of.accuracies.items()}
    assert estimates == pytest.approx({"acc_b": 1 / 2, "acc_c": 5 / 8, "acc_plus": 2 / 8})
    assert scores_of.drop.interval.estimate == pytest.approx(4 / 8 - 5 / 8)
    # Right on the basic question in 4 of 8 pairs, on the counterfactual one in 5, on both in 2.
    assert scores_of.association is not None
    assert scores_of.association.excess.estimate == pytest.approx(2 / 8 - 4 / 8 * 5 / 8)
    assert scores_of.association.phi.estimate == pytest.approx((8 * 2 - 4 * 5) / np.sqrt(4 * 4 * 5 * 3))
    assert found.scores[ALL] == scores_of
    assert found.totals is not None and found.totals.accuracies["acc_b"].estimate == 1 / 2


def test_intervals_are_by_image() -> None:
    random = np.random.default_rng(0)
    questions = [row for number in range(40) for row in item(f"i{number:02d}")]
    signs = "".join("+" if draw < 0.6 else "-" for draw in random.random(len(questions)))
    rows = answers(questions, signs)
    found = measured(questions, rows).scores["count"]
    right = np.array([row["correct"] for row in rows]).reshape(40, 5)
    images = np.repeat(np.arange(40), 4)
    assert found.accuracies["acc_b"] == wilson(int(right[:, 0].sum()), 40)
    assert found.accuracies["acc_c"] == clustered_share(right[:, 1:].reshape(-1), images)
    both = right[:, 1:] & right[:, :1]
    assert found.accuracies["acc_plus"] == clustered_share(both.reshape(-1), images)
    assert found.drop == paired_drop(np.repeat(right[:, 0], 4), right[:, 1:].reshape(-1), images)


def test_totals_count_each_category_the_same() -> None:
    questions = [*item("a", "count"), *item("b", "count"), *item("c", "count"), *item("d", "size")]
    found = measured(questions, answers(questions, "+++++" * 3 + "-----"))
    assert found.totals is not None
    assert {name: one.estimate for name, one in found.totals.accuracies.items()} == {
        "acc_b": 1.0,
        "acc_c": 1.0,
        "acc_plus": 1.0,
    }
    assert found.scores[ALL].accuracies["acc_b"].estimate == 3 / 4
    parts = [found.scores[name].accuracies["acc_c"] for name in ("count", "size")]
    below = np.hypot(*(part.estimate - part.low for part in parts))
    assert found.totals.accuracies["acc_c"].low == pytest.approx(1.0 - below)


def test_a_fall_in_every_category_is_found_in_the_total() -> None:
    questions = [row for category in CATEGORIES for number in range(6) for row in item(f"{category}{number}", category)]
    found = measured(questions, answers(questions, "+--+-" * 36))
    assert found.totals is not None
    drop = found.totals.drop
    assert drop.interval.estimate == pytest.approx(6 * 3 / 4)
    assert drop.interval.low > 0 and drop.p == pytest.approx(1 / 1000)
    assert list(found.scores) == [*CATEGORIES, ALL]


def test_items_with_fewer_counterfactual_questions_are_compared_with_their_own_basic_ones() -> None:
    questions = [*item("a"), *item("b", variants=VARIANTS[:2])]
    found = measured(questions, answers(questions, "+----" + "--")).scores["count"]
    assert found.pairs == 5
    assert found.accuracies["acc_b"].estimate == 1 / 2
    assert found.drop.interval.estimate == pytest.approx(4 / 5)


def test_a_pilot_sample_has_its_items_alone() -> None:
    questions = [*item("a"), *item("b", "size")]
    asked = Asked.of(questions, CATEGORIES)
    rows = answers(questions[:5], "++++-")
    found = measures(ItemAnswers(table(rows), asked, [("m", "direct")], {"m": {"a"}}), Precision(), 0)[0]
    assert found.totals is None and list(found.scores) == ["count", ALL]
    with pytest.raises(WhatifError, match="predictions of m with the strategy direct: there are 5 for 10 questions"):
        ItemAnswers(table(rows), asked, [("m", "direct")])


def test_another_rule_of_ranking_decides_again() -> None:
    questions = item("a", variants=VARIANTS[:2])
    known = {"without_image": -0.5}
    rows = [
        prediction(questions[0]["question_id"], choice_scores=scores(-1.0, -2.0, **known)),
        prediction(
            questions[1]["question_id"],
            choice_scores=[*scores(-1.0, without_image=-0.5), *scores(-1.2, without_image=-2.0)],
        ),
    ]
    found = ItemAnswers(table(rows), Asked.of(questions), [("m", "direct")])
    assert found.rank_by("mean") == [] and found.right.tolist() == [[True, True]]
    assert found.rank_by("minus-without-prompt") == [("m", "direct")] and found.right.all()
    assert found.rank_by("minus-without-image") == [] and found.right.tolist() == [[True, False]]
    assert found.letter.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("questions", "told"),
    [
        ([], "questions: there are none"),
        (item("a", variants=COUNTERFACTUALS), "item a: has no basic question"),
        ([question("a", "original")], "question a-original: its variant 'original' is not one of basic, "),
        ([question("a", "basic", answer="C")], "its answer 'C' is no letter of an option"),
        ([question("a", "basic"), question("a", "basic", question_id="x")], "item a: has two basic questions"),
    ],
)
def test_questions_that_make_no_items_are_refused(questions: list[Row], told: str) -> None:
    with pytest.raises(WhatifError, match=told):
        Asked.of(questions)


def test_predictions_that_do_not_fit_are_refused() -> None:
    questions = item("a")
    asked, whole = Asked.of(questions), answers(questions, "+++++")
    for rows, told in (
        ([*whole, prediction("b-basic")], "question 'b-basic' is not in the questions"),
        ([*whole, prediction("a-basic")], "question 'a-basic' is answered twice"),
        ([*whole, prediction("a-basic", model="other")], "is of a system that was not evaluated"),
    ):
        with pytest.raises(WhatifError, match=told):
            ItemAnswers(table(rows), asked, [("m", "direct")])
        halves = [*table(rows[:3]), *table(rows[3:])]
        with pytest.raises(WhatifError, match=told):
            ItemAnswers(halves, asked, [("m", "direct")])


@pytest.mark.slow
def test_a_set_of_the_papers_size_and_its_21_systems_takes_seconds() -> None:
    random = np.random.default_rng(0)
    questions = [row for place in range(1200) for row in item(f"i{place:04d}", CATEGORIES[place % 6])]
    systems = [(f"m{model}", strategy) for model in range(7) for strategy in ("direct", "one-shot", "one-shot-cot")]
    ids = [row["question_id"] for row in questions]
    pieces = []
    for model, strategy in systems:
        right = random.random(len(ids)) < 0.7
        pieces.append(
            pa.table(
                {
                    "question_id": ids,
                    "model": [model] * len(ids),
                    "strategy": [strategy] * len(ids),
                    "choice_scores": [scores(-1.0, -1.5 if one else -0.5) for one in right],
                    "answer": ["A" if one else "B" for one in right],
                    "status": ["ok"] * len(ids),
                    "correct": right,
                },
                schema=SCHEMA,
            )
        )
    begun = time.process_time()
    found = measures(ItemAnswers(pieces, Asked.of(questions, CATEGORIES), systems), Precision(resamples=9999), 0)
    assert time.process_time() - begun < 20
    assert len(found) == 21
    for one in found:
        assert one.scores[ALL].association is not None
        assert abs(one.scores[ALL].association.phi.estimate) < 0.1
