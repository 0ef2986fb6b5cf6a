"""Scenes for learning CFMM's categories: every answer is true; and what is measured about them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.world.category_oracle import oracle
from training.assess_categories import assess_categories
from training.category_pictures import category_questions_of, draw_category_pictures
from training.names import EMBEDDED
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.engine.random_streams import stream
from whatif.models import load
from whatif.world.category_items import CATEGORIES
from whatif.world.scenes import split_of

pytestmark = pytest.mark.slow

PICTURES = 80


def test_every_answer_is_true_and_basic_questions_have_no_if() -> None:
    for number, example in enumerate(draw_category_pictures(PICTURES, 3, 96)):
        assert split_of(example.scene.things) == "train" and example.picture.shape == (96, 96, 3)
        asked = {
            question: answer
            for question, answer, *_ in category_questions_of(example, stream(3, number), counterfactual=True)
        }
        assert len(asked) >= 5
        assert asked == {question: oracle(question, example.scene) for question in asked}
        basic = [question for question, *_ in category_questions_of(example, stream(3, number), counterfactual=False)]
        assert len(basic) >= 3 and not any("if" in question.lower().split() for question in basic)


def test_all_categories_and_kinds_of_presuppositions_occur() -> None:
    pictures = draw_category_pictures(PICTURES, 3, 96)
    words = " ".join(
        question
        for number, example in enumerate(pictures)
        for question, *_ in category_questions_of(example, stream(3, number), counterfactual=True)
    )
    for said in ("How many", "What colour", "larger", "Which shape", "left or right", "anything", "mixture", "mirror"):
        assert said in words, said


def test_the_same_seed_gives_the_same_pictures_and_more_begin_with_them() -> None:
    fewer, more, other = (draw_category_pictures(number, seed, 96) for number, seed in ((3, 3), (5, 3), (3, 4)))
    assert [example.scene for example in fewer] == [example.scene for example in more[:3]]
    assert all(np.array_equal(one.picture, two.picture) for one, two in zip(fewer, more, strict=False))
    assert [example.scene for example in fewer] != [example.scene for example in other]


def test_accuracies_are_by_category_beside_blind_baselines() -> None:
    settings = HuggingFaceChat(adapter="hf-chat", checkpoint=str(EMBEDDED / "llava-original"), max_new_tokens=4)
    table = assess_categories(load("hf-chat", settings, 0), items=4, seen=10)
    assert list(table) == list(CATEGORIES)
    for kinds in table.values():
        assert {kind: leaf["n"] for kind, leaf in kinds.items()} == {
            "basic": 4,
            "counterfactual": 16,
            "changes nothing": 4,
        }
        for leaf in kinds.values():
            assert leaf["low"] <= leaf["accuracy"] <= leaf["high"]
            assert 0 <= leaf["majority"] <= 1 and 0 <= leaf["blind"] <= 1
    assert table["color"]["basic"]["accuracy"] >= 0.75
