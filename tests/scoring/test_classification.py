"""Micro and macro accuracy, on small cases and on the released predictions of the pre-trained CLIP."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from whatif.formats.class_indices import read_predictions
from whatif.scoring.classification import accuracy, macro_accuracy

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
