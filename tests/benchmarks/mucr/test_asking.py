"""Which questions a model is asked with a strategy, and the examples that a strategy shows."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.benchmarks.mucr.asked import CATEGORIES, Set
from whatif.benchmarks.mucr.evaluation import asked_questions, pilot_sample
from whatif.benchmarks.mucr.examples import example_chooser
from whatif.engine.errors import WhatifError

MADE = Set()
BY_ID = {row["question_id"]: row for row in [*MADE.questions, *MADE.training]}


def kinds(**how: bool) -> Counter[tuple[str, str]]:
    found = asked_questions(MADE.questions, MADE.items, **how)
    return Counter((row["group"], row["variant"]) for row in found)


def test_the_first_strategy_is_asked_all_questions_of_test_groups() -> None:
    assert asked_questions(MADE.questions, MADE.items, first=True) == MADE.questions
    assert kinds(first=True)["C2E", "composite"] == 3 * 8, "in three styles"


def test_the_others_are_asked_what_table_3_compares() -> None:
    assert kinds(first=False) == {("C2E", "composite"): 8, ("CP", "composite"): 8}, "without context"


def test_a_model_without_images_is_asked_text_alone_and_with_the_first_strategy_alone() -> None:
    assert kinds(first=True, takes_images=False) == {("C2E", "text"): 8, ("C2E", "text-zh"): 8, ("CP", "text"): 8}
    assert not kinds(first=False, takes_images=False)


def test_a_pilot_sample_counts_pairs_in_proportion_to_the_categories() -> None:
    sample = pilot_sample(4, MADE.questions, MADE.items, 1, "mucr")
    assert sample is not None and (len(sample.pairs), sample.total) == (4, 8)
    category = {row["pair_id"]: row["category"] for row in MADE.pairs}
    assert Counter(category[pair] for pair in sample.pairs) == dict.fromkeys(CATEGORIES, 2)
    assert pilot_sample(8, MADE.questions, MADE.items, 1, "mucr") is None
    assert pilot_sample(None, MADE.questions, MADE.items, 1, "mucr") is None


def chooser(strategy: str = "one-shot-cot", **changes: Any) -> Any:
    given = {"training": MADE.training, "items": MADE.items, "pairs": MADE.pairs, "seed": 1, **changes}
    return example_chooser(strategy, **given)


@pytest.mark.parametrize("variant", ["text", "composite", "cause-and-composite", "separate", "strip"])
def test_an_example_has_the_metric_and_the_variant_of_the_question_and_its_explanation(variant: str) -> None:
    choose = chooser()
    for question in MADE.questions:
        if question["variant"] == variant:
            (example,) = choose(question)
            metric = "C2E" if question["group"] == "context" else question["group"]
            assert (example["group"], example["variant"]) == (metric, variant)
            assert example["pair_id"].startswith("g2-") and example["example_id"] == example["question_id"]
            assert example["rationale"].startswith(f"Cause: the cup of {example['pair_id']} falls. Effect: ")


def test_all_questions_of_a_pair_have_examples_of_the_same_pair() -> None:
    choose = chooser()
    of_pair: dict[str, set[str]] = {}
    for question in MADE.questions:
        of_pair.setdefault(question["pair_id"], set()).update(one["pair_id"] for one in choose(question))
    assert {len(found) for found in of_pair.values()} == {1}
    assert len(set.union(*of_pair.values())) > 1, "not always the same example"


def test_hints_and_other_languages_have_examples_of_the_same_form() -> None:
    choose = chooser()
    for variant, shown in (("composite-hints", "composite"), ("composite-zh", "composite"), ("text-zh", "text")):
        question = next(row for row in MADE.questions if row["variant"] == variant)
        assert [(one["group"], one["variant"]) for one in choose(question)] == [("C2E", shown)]


def test_another_pair_for_training_does_not_change_the_other_examples() -> None:
    few = [row for row in MADE.training if row["pair_id"] != "g2-p3"]
    changed = 0
    for question in MADE.questions:
        (before,), (after,) = chooser(training=few)(question), chooser()(question)
        changed += before != after
        assert before == after or after["pair_id"] == "g2-p3"
    assert 0 < changed < len(MADE.questions)


def test_an_example_is_never_of_the_same_group() -> None:
    of_one = [row for row in MADE.training if row["pair_id"] == "g2-p0"]
    with pytest.raises(WhatifError, match=r"the train groups have 0; raise verify\.mucr\.questions\.train_share"):
        chooser(training=of_one)(BY_ID["g2-p1-c2e-text"])


def test_a_pair_without_an_explanation_gives_no_reasons_but_an_answer() -> None:
    pairs = [{**row, "explanation": None} for row in MADE.pairs]
    (example,) = chooser("one-shot", pairs=pairs)(MADE.questions[0])
    assert example["rationale"] == ""
    with pytest.raises(WhatifError, match=r"one-shot-cot shows 1 example of its metric and form with an explanation"):
        chooser(pairs=pairs)(MADE.questions[0])


@pytest.mark.parametrize("strategy", ["direct", "vccot"])
def test_other_strategies_show_none(strategy: str) -> None:
    assert chooser(strategy, training=[])(MADE.questions[0]) == ()
