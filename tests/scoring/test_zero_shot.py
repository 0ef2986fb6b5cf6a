"""Zero-shot classification: the nearest class prompt, and micro and macro accuracy."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.scoring.test_retrieve import Directions
from whatif.formats.class_indices import read_predictions
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


# Of the pre-trained CLIP (COCO-Counterfactuals, first row of Table 4): classes, images, and accuracy in percent.
REPORTED = {
    "cifar10": (10, 10_000, 88.80),
    "cifar100": (100, 10_000, 64.17),
    "food101": (101, 25_250, 84.17),
    "caltech101": (100, 8_677, 90.32),
    "caltech256": (257, 30_607, 83.43),
    "imagenet": (1_000, 50_000, 59.25),
}
MACRO = {"caltech101": 89.50, "caltech256": 85.93}  # where classes differ in their numbers of images


def test_micro_and_macro_accuracy_differ_where_classes_differ_in_size() -> None:
    labels = np.array([0, 0, 0, 0, 1, 3])
    predicted = np.array([0, 0, 0, 2, 1, -1])
    assert accuracy(labels, predicted) == pytest.approx(4 / 6)
    assert macro_accuracy(labels, predicted) == pytest.approx((3 / 4 + 1 + 0) / 3)  # class 2 has no images


@pytest.mark.parametrize(("labels", "predicted"), [([], []), ([1, 2], [1]), ([[1]], [[1]])])
@pytest.mark.parametrize("measure", [accuracy, macro_accuracy])
def test_each_image_needs_a_prediction(measure, labels: list[int], predicted: list[int]) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="one of each is needed per image"):
        measure(np.array(labels, np.int64), np.array(predicted, np.int64))


@pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="WHATIF_DATA is not set")
@pytest.mark.parametrize("data_set", REPORTED)
def test_the_reported_accuracies_are_those_of_the_released_predictions(data_set: str) -> None:
    classes, images, reported = REPORTED[data_set]
    folder = Path(os.environ["WHATIF_DATA"]) / "coco-counterfactuals" / "clip"
    labels, predicted = read_predictions(
        folder / f"predictions_{data_set}.npy", folder / f"groundtruth_{data_set}.npy", classes, "classes"
    )
    assert len(labels) == images
    assert len(np.unique(labels)) == classes
    assert round(100 * accuracy(labels, predicted), 2) == reported
    assert round(100 * macro_accuracy(labels, predicted), 2) == MACRO.get(data_set, reported)
