"""CFMM items of scenes: answers are right, options are exchangeable, presuppositions do what their flags say."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

import numpy as np
import pytest

from tests.world.category_oracle import SINGULAR, oracle, parts
from whatif.engine.errors import WhatifError
from whatif.world.category_items import CATEGORIES, CategoryItem, CategoryQuestion, draw_item
from whatif.world.category_knowledge import PROPERTIES
from whatif.world.category_texts import QUESTIONS, leaks, unchanged_places
from whatif.world.scene_words import COUNT_WORDS
from whatif.world.scenes import NOUNS, SPLITS, split_of

pytestmark = pytest.mark.slow

ITEMS = 350  # of each category
FOUR_ERRORS = 4.0


@cache
def drawn() -> list[CategoryItem]:
    """Items of the split that is drawn fastest; all splits are drawn alike."""
    return [draw_item("train", category, number, 3) for category in CATEGORIES for number in range(ITEMS)]


@cache
def seen() -> Counter[tuple[str, str]]:
    """How often each answer is right in other items."""
    others = [draw_item("train", category, number, 9) for category in CATEGORIES for number in range(150)]
    return Counter((item.category, question.answer) for item, question in asked(others))


def asked(items: list[CategoryItem]) -> Iterator[tuple[CategoryItem, CategoryQuestion]]:
    for item in items:
        for question in (item.basic, *item.counterfactuals):
            yield item, question


def test_every_answer_is_true() -> None:
    for item, question in asked(drawn()):
        assert oracle(question.question, item.scene) == question.answer, (question, item.scene)


def test_the_options_differ_and_the_four_questions_do() -> None:
    for item in drawn():
        assert len({question.question for question in item.counterfactuals}) == QUESTIONS
        assert all(question.answer != question.other for question in (item.basic, *item.counterfactuals))


def test_each_counterfactual_question_is_the_basic_one_in_the_conditional_with_one_clause() -> None:
    for item in drawn():
        assert not re.search(r"\bif\b", item.basic.question, re.IGNORECASE)
        basic, _ = parts(item.basic.question)
        for question in item.counterfactuals:
            core, clause = parts(question.question)
            assert clause and "," not in clause and len(re.findall(r"\bif\b", question.question.lower())) == 1
            assert re.fullmatch(r"[A-Z][A-Za-z0-9, ]+\?", question.question)
            assert content(core) == content(basic), question.question


CONDITIONAL = {"is", "are", "be", "there", "would", "can", "could", "do", "does"}


def content(core: str) -> set[str]:
    """The words of a core question without those that the conditional changes."""
    return set(core.split()) - CONDITIONAL


def test_flags_say_what_the_answers_say() -> None:
    for item in drawn():
        assert item.basic.same_as_basic and not item.basic.changes_nothing
        for question in item.counterfactuals:
            assert question.same_as_basic == (question.answer == item.basic.answer) == question.changes_nothing


def test_no_clause_contains_an_option() -> None:
    for _, question in asked(drawn()):
        words = [SINGULAR.get(word, word) for word in re.findall(r"\w+", parts(question.question)[1].lower())]
        for option in (question.answer, question.other):
            named = {option, f"{option}r", *([COUNT_WORDS[int(option)]] if option in tuple("123456789") else [])}
            assert not named & set(words), question


@pytest.mark.parametrize(
    ("clause", "option", "leaking"),
    [
        ("two of the cups were removed", "2", True),
        ("two of the cups were removed", "12", False),
        ("the red cups were removed", "cup", True),
        ("both boxes were removed", "box", True),
        ("the cup were larger", "large", True),
        ("the two things swapped places", "left", False),
    ],
)
def test_leaks_are_found(clause: str, option: str, leaking: bool) -> None:
    assert leaks(clause, option) == leaking


@pytest.mark.parametrize("unchanged", [0.0, 0.25, 0.4, 0.5, 1.0])
def test_the_share_that_changes_nothing_is_exact_and_even_over_the_places(unchanged: float) -> None:
    places = [place for number in range(200) for place in unchanged_places(number, unchanged)]
    assert len(places) == round(200 * QUESTIONS * unchanged)
    assert all(places.count(place) == round(200 * unchanged) for place in range(QUESTIONS))
    for category, number in product(CATEGORIES, range(3)):
        item = draw_item("train", category, number, 8, unchanged=unchanged)
        nothing = {place for place, question in enumerate(item.counterfactuals) if question.changes_nothing}
        assert nothing == unchanged_places(number, unchanged)


def test_an_item_depends_on_its_arguments_alone() -> None:
    for category in CATEGORIES:
        again = [draw_item("train", category, number, 3) for number in (5, 2)]
        first = CATEGORIES.index(category) * ITEMS
        assert again == [drawn()[first + 5], drawn()[first + 2]]
        assert draw_item("train", category, 5, 4) != again[0]


def test_scenes_are_in_their_split_and_named_after_it() -> None:
    for split, category in product(SPLITS, CATEGORIES):
        items = [draw_item(split, category, number, 3) for number in range(4)]
        assert all(split_of(item.scene.things) == split for item in items)
        assert [item.scene.scene_id for item in items] == [f"{category}-{split}-3-{number:06d}" for number in range(4)]


def test_the_basic_answer_is_the_wrong_option_where_it_can_be() -> None:
    for category, number in product(CATEGORIES, range(12)):
        exchangeable, basic = (
            draw_item("train", category, number, 3, options=options) for options in ("exchangeable", "basic")
        )
        assert (basic.basic, basic.scene) == (exchangeable.basic, exchangeable.scene)
        for one, other in zip(basic.counterfactuals, exchangeable.counterfactuals, strict=True):
            assert one.question == other.question and one.answer == other.answer
            assert one.other == (other.other if one.same_as_basic else basic.basic.answer)


def test_a_rationale_ends_with_the_answer_and_repeats_the_presupposition() -> None:
    for item, question in asked(drawn()):
        assert question.rationale.endswith(f"So the answer is {question.answer}.")
        clause = parts(question.question)[1]
        assert f"If {clause}, " in question.rationale if clause else " would " not in question.rationale
        assert ("still" in question.rationale) == (bool(clause) and question.same_as_basic)
        assert re.fullmatch(r"([A-Z][^.]*\. ?)+", question.rationale)
        assert not re.search(r"\ba [aeiou]", question.rationale) or " a u" not in question.rationale
        assert item.scene.scene_id not in question.rationale


def test_every_category_has_all_its_answers() -> None:
    answers = {category: Counter[str]() for category in CATEGORIES}
    for item, question in asked(drawn()):
        answers[item.category][question.answer] += 1
    assert set(answers["shape"]) == set(NOUNS)
    assert set(answers["size"]) == {"small", "large", "smaller", "larger"}
    assert set(answers["direction"]) == {"left", "right", "above", "below"}
    assert set(answers["common"]) == {"yes", "no"}
    assert {"green", "white", "cyan"} < set(answers["color"])
    assert set("0123456789") <= set(answers["count"])


def test_properties_are_certain_and_about_known_nouns() -> None:
    for known in PROPERTIES.values():
        assert not set(known.yes) & set(known.no) and {*known.yes, *known.no} <= set(NOUNS)


# Each prefers one option: the smaller key. Equal keys count as half right.
BLIND: dict[str, Callable[[CategoryItem, str], float | str]] = {
    "longer": lambda _, option: -len(option),
    "smaller number": lambda _, option: int(option) if option.isdecimal() else 0,
    "first in the alphabet": lambda _, option: option,
    "more frequent": lambda item, option: -seen()[item.category, option],
    "one of the basic options": lambda item, option: -(option in (item.basic.answer, item.basic.other)),
    "most often among the item's options": lambda item, option: (
        -sum(option in (q.answer, q.other) for q in (item.basic, *item.counterfactuals))
    ),
    "in the question": lambda item, option: option not in item.basic.question,
}


@pytest.mark.parametrize("rule", list(BLIND))
@pytest.mark.parametrize("category", [*CATEGORIES, "all"])
def test_no_rule_without_the_image_beats_a_coin(rule: str, category: str) -> None:
    """The mean over items differs from a half by less than four standard errors, which are over items."""
    shares = []
    for item in drawn():
        if category in (item.category, "all"):
            questions = (item.basic, *item.counterfactuals)
            keys = [(BLIND[rule](item, one.answer), BLIND[rule](item, one.other)) for one in questions]
            shares.append(np.mean([0.5 if right == wrong else float(right < wrong) for right, wrong in keys]))
    error = float(np.std(shares)) / math.sqrt(len(shares))
    assert abs(float(np.mean(shares)) - 0.5) <= FOUR_ERRORS * error + 1e-9


def test_a_rule_that_knows_the_basic_answer_is_not_blind() -> None:
    """The statistics above would notice a difference: this rule has seen the right option of the basic question."""
    counterfactual = [
        0.5 if item.basic.answer not in (one.answer, one.other) else float(one.answer != item.basic.answer)
        for item in drawn()
        for one in item.counterfactuals
    ]
    assert np.mean(counterfactual) > 0.55


def test_a_classifier_of_words_beats_no_coin() -> None:
    """Trained on the words of half of the items, with every pair of a question's word and an option."""
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.linear_model import LogisticRegression

    def features(item: CategoryItem, one: CategoryQuestion, option: str) -> dict[str, float]:
        words = {item.category, *re.findall(r"\w+", one.question.lower())}
        return {f"{word} {option}": 1.0 for word in words} | {option: 1.0}

    sides = np.random.default_rng(0).permuted(np.arange(len(drawn())) % 2)
    hasher = FeatureHasher(2**14)
    rows: list[list[list[dict[str, float]]]] = [[], []]
    for item, side in zip(drawn(), sides, strict=True):
        for one in (item.basic, *item.counterfactuals):
            rows[side].append([features(item, one, one.answer), features(item, one, one.other)])
    learnt, tested = (
        hasher.transform([row[0] for row in half]) - hasher.transform([row[1] for row in half]) for half in rows
    )
    signs = np.random.default_rng(1).choice([-1, 1], learnt.shape[0])
    model = LogisticRegression(C=0.1, fit_intercept=False, max_iter=300).fit(
        learnt.multiply(signs[:, None]).tocsr(), signs
    )
    right = (tested @ model.coef_[0] > 0).reshape(-1, 1 + QUESTIONS).mean(axis=1)
    assert abs(right.mean() - 0.5) < FOUR_ERRORS * right.std() / math.sqrt(len(right))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"category": "colour"}, "unknown category 'colour'; choose one of count, color"),
        ({"split": "nosuch"}, "unknown split 'nosuch'"),
        ({"options": "nosuch"}, "unknown options 'nosuch'; choose exchangeable or basic"),
        ({"unchanged": 1.5}, "unchanged is 1.5; it must be a share from 0 to 1"),
    ],
)
def test_mistakes_are_a_line(arguments: dict[str, object], message: str) -> None:
    values: dict[str, object] = {"split": "train", "category": "count", "number": 0, "seed": 0, **arguments}
    with pytest.raises(WhatifError, match=message):
        draw_item(**values)  # type: ignore[arg-type]
