"""Which questions of CFMM are rejected and why, which are not, and the order of the options."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.benchmarks.cfmm import further_questions
from tests.benchmarks.cfmm.good_questions import GOOD, LEAKING
from tests.choice_questions import choice_question
from whatif.benchmarks.cfmm.drawn_items import question_rows
from whatif.benchmarks.cfmm.filters import (
    AMBIGUOUS,
    ASKED_BEFORE,
    EQUAL_OPTIONS,
    LEAKAGE,
    NO_BASIC_QUESTION,
    NO_IF_CLAUSE,
    SAME_AS_BASIC,
    TOO_FEW,
    filtered,
    remedy_for,
)
from whatif.benchmarks.cfmm.schemas import VARIANTS
from whatif.benchmarks.cfmm.settings import FilterCfmm
from whatif.world.category_items import CATEGORIES, draw_item

Row = dict[str, Any]
CASES = [(category, *one) for category, of_category in GOOD.items() for one in of_category]
CASES += [("common", *one) for one in further_questions.GOOD]


def settings_of(**changes: Any) -> FilterCfmm:
    values = {"leakage": True, "longest_answer": 3, "least_counterfactuals": 1, "highest_same_as_basic": 1.0}
    return FilterCfmm.model_validate(values | changes)


def row(  # noqa: PLR0917
    item: str, variant: str, question: str, answer: str, other: str, category: str = "count"
) -> Row:
    more = {"image_ids": ["image"], "provenance": {"origin": "annotator"}}
    return choice_question(f"{item}-{variant}", item, category, variant, question, [answer, other], **more)


def item_of(name: str, *answers: str, category: str = "count", basic: str = "4") -> list[Row]:
    rows = [row(name, "basic", "How many cats are there?", basic, "7", category)]
    for number, (variant, answer) in enumerate(zip(VARIANTS[1:], answers, strict=False)):
        changed = f"If the {('sofa', 'lamp', 'rug', 'door')[number]} broke, how many cats would there be?"
        rows.append(row(name, variant, changed, answer, "7", category))
    return rows


def reasons(rows: list[Row], **changes: Any) -> dict[str, str]:
    """Question -> why it was rejected; every question is in one of the two lists."""
    kept, rejections = filtered(rows, settings_of(**changes), seed=3)
    assert sorted([one["question_id"] for one in kept] + [one["item_id"] for one in rejections]) == sorted(
        one["question_id"] for one in rows
    )
    return {one["item_id"]: one["reason"] for one in rejections}


def test_there_are_enough_questions_to_measure_false_alarms() -> None:
    assert list(GOOD) == list(CATEGORIES)
    assert len(CASES) >= 60 and min(map(len, GOOD.values())) >= 10
    assert len({question for _, _, question, *_ in CASES}) == len(CASES)


@pytest.mark.parametrize(("category", "basic", "question", "answer", "other"), CASES)
def test_a_good_question_is_kept(category: str, basic: str, question: str, answer: str, other: str) -> None:
    rows = [
        row("i", "basic", "What is asked?", basic, "xylophone", category),
        row("i", "counterfactual", question, answer, other, category),
    ]
    assert reasons(rows) == {}


@pytest.mark.parametrize(("basic", "question", "answer", "other", "words"), LEAKING)
def test_a_question_that_gives_its_answer_away_is_rejected(
    basic: str, question: str, answer: str, other: str, words: str
) -> None:
    rows = [row("i", "basic", "What is it?", basic, "xylophone"), row("i", "counterfactual", question, answer, other)]
    kept, rejections = filtered(rows, settings_of(), seed=3)
    assert kept == []
    (found,) = [one for one in rejections if one["item_id"] == "i-counterfactual"]
    assert found["reason"] == LEAKAGE
    assert found["detail"].startswith(f"'{words}' in the if clause ")
    assert found["detail"].endswith(f"gives the answer {answer!r} away")
    assert reasons(rows, leakage=False) == {}


@pytest.mark.parametrize(("basic", "question", "answer", "other"), further_questions.LEAKING)
def test_a_further_question_that_gives_its_answer_away_is_rejected(
    basic: str, question: str, answer: str, other: str
) -> None:
    rows = [row("i", "basic", "What is it?", basic, "xylophone"), row("i", "counterfactual", question, answer, other)]
    assert reasons(rows)["i-counterfactual"] == LEAKAGE


@pytest.mark.parametrize(
    ("question", "answer", "other", "reason"),
    [
        ("How many cats would there be?", "3", "4", NO_IF_CLAUSE),
        ("When a cat leaves, how many cats are there?", "3", "4", NO_IF_CLAUSE),
        ("If a cat left, how many cats would there be?", "3", "three", EQUAL_OPTIONS),
        ("If a cat left, how many cats would there be?", "Three.", " three", EQUAL_OPTIONS),
        ("If a cat slept, who would be awake?", "The dog", "dog", EQUAL_OPTIONS),
        ("If a cat slept, who would be awake?", "the dog on the old red sofa", "a cat", AMBIGUOUS),
        ("If a dog slept, who would be awake?", "a cat", "the dog on the old red sofa", AMBIGUOUS),
        *(
            ("If a cat left, how many cats would there be?", answer, "4", AMBIGUOUS)
            for answer in (
                *("It depends", "depends on the cat", "maybe 3", "Cannot be determined", "can't tell", "unknown"),
                *("3 or 2", "2-3", "2 to 3", "at least 2", "about 5", "several", "a few", "many cats", "either", "5+"),
                *("N/A", "not sure", "Impossible to say", "red/blue", "probably 3", "?", "more than 2", "some"),
                *("unclear", "not visible", "most likely 2", "insufficient information", "none of these"),
            )
        ),
    ],
)
def test_a_question_without_one_certain_answer_is_rejected(question: str, answer: str, other: str, reason: str) -> None:
    rows = [
        row("i", "basic", "How many cats are there?", "4", "7"),
        row("i", "counterfactual", question, answer, other),
    ]
    assert reasons(rows) == {"i-counterfactual": reason, "i-basic": TOO_FEW}


@pytest.mark.parametrize(
    "answer", ["likely", "both", "neither", "none", "the same", "1,000", "-3", "2.5", "half past two", "left and up"]
)
def test_an_unusual_answer_that_is_certain_is_kept(answer: str) -> None:
    rows = item_of("i", answer)
    assert reasons(rows) == {}


def test_a_question_is_asked_once() -> None:
    rows = item_of("i", "1", "2", "3")
    rows[3]["question"] = "if the Sofa broke -- how many cats would there be"
    rows[2]["question"] = "If a lamp broke, how many cats would there be?"
    assert reasons(rows) == {"i-counterfactual2": ASKED_BEFORE}
    other = item_of("j", "1")
    assert reasons([*rows, *other]) == {"i-counterfactual2": ASKED_BEFORE}, "items may share questions"
    rows[2]["question"], rows[1]["choices"] = rows[1]["question"], ["maybe", "7"]
    assert reasons(rows) == {"i-counterfactual": AMBIGUOUS, "i-counterfactual2": ASKED_BEFORE}, "only of those kept"


def test_an_item_needs_its_basic_question() -> None:
    rows = item_of("i", "1", "2")
    rows[0]["choices"] = ["4", "four"]
    assert reasons(rows) == {
        "i-basic": EQUAL_OPTIONS,
        "i-counterfactual": NO_BASIC_QUESTION,
        "i-counterfactual1": NO_BASIC_QUESTION,
    }
    assert set(reasons(rows[1:]).values()) == {NO_BASIC_QUESTION}
    rejections = filtered(rows[1:], settings_of(), seed=3)[1]
    assert {one["detail"] for one in rejections} == {"the basic question of the item is missing"}


@pytest.mark.parametrize(("least", "left"), [(1, True), (2, True), (3, False), (4, False)])
def test_an_item_needs_some_counterfactual_questions(least: int, left: bool) -> None:
    found = reasons(item_of("i", "1", "2", "maybe"), least_counterfactuals=least)
    assert found.pop("i-counterfactual2") == AMBIGUOUS
    assert found == ({} if left else dict.fromkeys(("i-basic", "i-counterfactual", "i-counterfactual1"), TOO_FEW))


def test_answers_that_are_those_of_the_basic_question_are_made_rarer() -> None:
    rows = [one for number in range(20) for one in item_of(f"i{number:02}", "four", "4", "4", "5")]
    rows += [one for number in range(5) for one in item_of(f"s{number}", "1", "4", "4", "5", category="size")]
    kept, rejections = filtered(rows, settings_of(highest_same_as_basic=0.5), seed=3)
    assert {one["reason"] for one in rejections} == {SAME_AS_BASIC}
    assert {one["item_id"][0] for one in rejections} == {"i"}, "half of the other category is just right"
    assert len(rejections) == 40, "of 60 and 20 others, until they are as many"
    assert rejections[0]["detail"] == (
        "60 of the 80 counterfactual questions of the category count have the answer to the basic question"
    )
    assert (kept, rejections) == filtered(rows[::-1], settings_of(highest_same_as_basic=0.5), seed=3)
    assert rejections != filtered(rows, settings_of(highest_same_as_basic=0.5), seed=4)[1]
    notes = [json.loads(one["provenance"]).get("same_as_basic") for one in kept if one["group"] == "count"]
    assert Counter(notes) == {None: 20, True: 20, False: 20}


def test_an_item_that_loses_too_many_of_these_is_rejected_whole() -> None:
    rows = [one for number in range(6) for one in item_of(f"i{number}", "4", "4", "4", "5")]
    rows += [one for number in range(6) for one in item_of(f"j{number}", "1", "2", "3", "5")]
    settings = settings_of(highest_same_as_basic=0.25, least_counterfactuals=4)
    kept, rejections = filtered(rows, settings, seed=3)
    counts = Counter(one["reason"] for one in rejections)
    assert counts[TOO_FEW] == 4 * counts[SAME_AS_BASIC]
    items = {one["pair_id"] for one in kept}
    assert len(kept) == 5 * len(items) and {f"j{number}" for number in range(6)} < items
    lost = 6 - len([one for one in items if one[0] == "i"])
    assert lost == counts[SAME_AS_BASIC] == 3, "9 of 36 is a quarter"


def test_a_set_without_expansion_is_told_to_lower_the_minimum() -> None:
    rows = item_of("i1", "1") + item_of("i2", "2")
    assert set(reasons(rows, least_counterfactuals=4).values()) == {TOO_FEW}
    told = remedy_for(rows, settings_of(least_counterfactuals=4))
    assert told.startswith("no item has more than 1 before the filter: set filter.cfmm.least_counterfactuals to 1")
    assert remedy_for(rows, settings_of()) == "loosen filter.cfmm in params.yaml"


def test_each_letter_is_right_equally_often() -> None:
    rows = [
        one
        for category in ("count", "size")
        for number in range(7)
        for one in item_of(f"{category}{number}", "1", "2", "3", "5", category=category)
    ]
    kept, _ = filtered(rows, settings_of(), seed=3)
    letters = Counter((one["group"], one["variant"], one["answer"]) for one in kept)
    assert len(kept) == len(rows) == 70
    assert sorted(letters.values()) == [3] * 10 + [4] * 10
    before = {one["question_id"]: one["choices"] for one in rows}
    for one in kept:
        right, wrong = before[one["question_id"]]
        assert one["choices"]["AB".index(one["answer"])] == right
        assert sorted(one["choices"]) == sorted([right, wrong])
    assert [one["question_id"] for one in kept] == sorted(before)
    assert kept == filtered(rows[::-1], settings_of(), seed=3)[0]
    assert kept != filtered(rows, settings_of(), seed=4)[0]
    again = filtered(kept, settings_of(), seed=4)[0]
    assert again == filtered(rows, settings_of(), seed=4)[0], "the answer is found at any letter"


@pytest.mark.parametrize("category", CATEGORIES)
def test_no_drawn_question_is_rejected(category: str) -> None:
    rows = [
        one
        for number in range(30)
        for one in question_rows(f"i{number:02}", draw_item("test", category, number, 0), "image")
    ]
    assert reasons(rows, least_counterfactuals=4, highest_same_as_basic=0.5) == {}
