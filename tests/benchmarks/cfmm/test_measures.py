"""Accuracies, changes, association and totals of CFMM, counted by hand, and by image."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa
import pytest

from tests.benchmarks.cfmm.answered import SCHEMA, Precision, Row, answers, item, prediction, question, scores, table
from tests.frames import ends
from whatif.benchmarks.cfmm.item_answers import Asked, ItemAnswers
from whatif.benchmarks.cfmm.measures import ALL, MEAN, TOTAL, measures
from whatif.benchmarks.cfmm.schemas import COUNTERFACTUALS, VARIANTS
from whatif.engine.errors import WhatifError
from whatif.formats.cfmm_items import CATEGORIES
from whatif.scoring.statistics import clustered_share, paired_drop, wilson

Measured = dict[tuple[str, str], Row]  # the row of each category and measure


def of_system(found: ItemAnswers, system: int = 0, **precision: int) -> Measured:
    return {(row["category"], row["measure"]): row for row in measures(found, system, Precision(**precision), 0)}


def measured(questions: list[Row], rows: list[Row]) -> Measured:
    return of_system(ItemAnswers(table(rows), Asked.of(questions, CATEGORIES), [("m", "direct")]))


def test_two_items_by_hand() -> None:
    questions = [*item("a"), *item("b")]
    # a: basic right, of four counterfactual ones two right; b: basic wrong, three right, one without an answer.
    found = measured(questions, answers(questions, "++--+" + "-+++."))
    # Right on the basic question in 4 of 8 pairs, on the counterfactual one in 5, on both in 2.
    expected = {
        "acc_b": (50.0, 2),
        "acc_c": (62.5, 8),
        "acc_plus": (25.0, 8),
        "drop": (50.0 - 62.5, 8),
        "phi": (round((8 * 2 - 4 * 5) / np.sqrt(4 * 4 * 5 * 3), 4), 8),
        "excess": (25.0 - 50.0 * 62.5 / 100, 8),
        "unanswered": (1, None),
    }
    for category in ("count", ALL):
        values = {measure: (row["value"], row.get("n")) for (of, measure), row in found.items() if of == category}
        assert values == expected
    assert found[TOTAL, "acc_b"]["value"] == found[MEAN, "acc_b"]["value"] == 50.0


def test_intervals_are_by_image() -> None:
    random = np.random.default_rng(0)
    questions = [row for number in range(40) for row in item(f"i{number:02d}")]
    signs = "".join("+" if draw < 0.6 else "-" for draw in random.random(len(questions)))
    rows = answers(questions, signs)
    found = measured(questions, rows)
    right = np.array([row["correct"] for row in rows]).reshape(40, 5)
    images = np.repeat(np.arange(40), 4)
    both = right[:, 1:] & right[:, :1]
    drop = paired_drop(np.repeat(right[:, 0], 4), right[:, 1:].reshape(-1), images)
    for measure, interval in {
        "acc_b": wilson(int(right[:, 0].sum()), 40),
        "acc_c": clustered_share(right[:, 1:].reshape(-1), images),
        "acc_plus": clustered_share(both.reshape(-1), images),
        "drop": drop.interval,
    }.items():
        row = found["count", measure]
        assert (row["low"], row["high"]) == ends(interval)
    assert found["count", "drop"]["p"] == drop.p


def test_totals_count_each_category_the_same() -> None:
    questions = [*item("a", "count"), *item("b", "count"), *item("c", "count"), *item("d", "size")]
    found = measured(questions, answers(questions, "+++++" * 3 + "-----"))
    assert [found[TOTAL, name]["value"] for name in ("acc_b", "acc_c", "acc_plus")] == [100.0] * 3
    assert [found[MEAN, name]["value"] for name in ("acc_b", "acc_c", "acc_plus")] == [50.0] * 3
    assert found[ALL, "acc_b"]["value"] == 75.0
    parts = [found[name, "acc_c"] for name in ("count", "size")]
    below = np.hypot(*(part["value"] - part["low"] for part in parts))
    assert found[TOTAL, "acc_c"]["low"] == pytest.approx(100 - below, abs=1e-3)


def test_a_fall_in_every_category_is_found_in_the_total() -> None:
    questions = [row for category in CATEGORIES for number in range(6) for row in item(f"{category}{number}", category)]
    found = measured(questions, answers(questions, "+--+-" * 36))
    drop = found[TOTAL, "drop"]
    assert drop["value"] == 600 * 3 / 4
    assert drop["low"] > 0 and drop["p"] == pytest.approx(1 / 1000)
    assert list(dict.fromkeys(category for category, _ in found)) == [*CATEGORIES, ALL, TOTAL, MEAN]


def test_items_with_fewer_counterfactual_questions_are_compared_with_their_own_basic_ones() -> None:
    questions = [*item("a"), *item("b", variants=VARIANTS[:2])]
    found = measured(questions, answers(questions, "+----" + "--"))
    assert found["count", "acc_b"]["value"] == 50.0
    assert (found["count", "drop"]["value"], found["count", "drop"]["n"]) == (80.0, 5)


def test_a_pilot_sample_has_its_items_alone() -> None:
    questions = [*item("a"), *item("b", "size")]
    asked = Asked.of(questions, CATEGORIES)
    rows = answers(questions[:5], "++++-")
    found = of_system(ItemAnswers(table(rows), asked, [("m", "direct")], {"m": {"a"}}))
    assert list(dict.fromkeys(category for category, _ in found)) == ["count", ALL], "no total of a part"
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
    answered = ItemAnswers(pieces, Asked.of(questions, CATEGORIES), systems)
    found = [of_system(answered, place, resamples=9999) for place in range(len(systems))]
    assert time.process_time() - begun < 20
    assert all(abs(one[ALL, "phi"]["value"]) < 0.1 for one in found)
