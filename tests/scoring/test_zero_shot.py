"""The nearest class prompt: ties, broken images, and embeddings that are equal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.scoring.test_retrieve import Directions
from whatif.scoring.classification import accuracy, macro_accuracy
from whatif.scoring.zero_shot import nearest_prompts, zero_shot


def unit(*rows: list[float]) -> Any:
    found = np.array(rows, dtype=np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_an_image_gets_the_label_of_the_nearest_prompt_and_a_broken_one_none() -> None:
    encoder = Directions({"a cat": 0, "a dog": 90, "one": 40, "two": 50, "three": 80})
    found = zero_shot({"one", "two", "three", "broken"}, {0: "a cat", 7: "a dog"}, encoder, "m", encoder)
    assert found == {"one": 0, "two": 7, "three": 7, "broken": None}


def test_each_image_and_prompt_is_embedded_once() -> None:
    encoder = Directions({"a crane": 10, "a cat": 90, "bird": 0})
    prompts = {0: "a cat", 1: "a crane", 2: "a crane"}
    assert zero_shot(["bird", "bird"], prompts, encoder, "m", encoder) == {"bird": 1}
    assert sorted(encoder.asked) == ["a cat", "a crane", "bird"]


def test_equal_products_go_to_the_smaller_label() -> None:
    encoder = Directions({"left": -30, "right": 30, "middle": 0})
    assert zero_shot(["middle"], {3: "right", 5: "left"}, encoder, "m", encoder) == {"middle": 3}
    # Equal prompts tie exactly, wherever they are among many.
    rng = np.random.default_rng(0)
    prompts = unit(*rng.normal(size=(900, 40)).tolist())
    prompts[777] = prompts[5]
    pictures = np.repeat(prompts[5:6], 1500, axis=0)
    assert set(nearest_prompts(pictures, prompts).tolist()) == {5}


def test_the_result_of_an_image_does_not_depend_on_the_others() -> None:
    rng = np.random.default_rng(1)
    pictures, prompts = (unit(*rng.normal(size=(number, 33)).tolist()) for number in (2500, 100))
    together = nearest_prompts(pictures, prompts)
    assert together.tolist() == [int(np.argmax(prompts @ picture)) for picture in pictures]
    assert nearest_prompts(pictures[-3:], prompts).tolist() == together[-3:].tolist()


def test_a_prompt_whose_embedding_overflowed_is_never_chosen() -> None:
    encoder = Directions({"a cat": float("nan"), "a dog": 90, "one": 0})
    assert zero_shot(["one"], {0: "a cat", 1: "a dog"}, encoder, "m", encoder) == {"one": 1}
    assert zero_shot(["one"], {0: "a cat"}, encoder, "m", encoder) == {"one": None}


def test_micro_accuracy_is_over_images_and_macro_accuracy_over_classes() -> None:
    labels, predicted = np.array([0, 0, 0, 2]), np.array([0, 0, -1, 1])
    assert accuracy(labels, predicted) == 0.5
    assert macro_accuracy(labels, predicted) == pytest.approx((2 / 3 + 0) / 2)
