"""The accuracy of class predictions: over all images, and as the mean over classes."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Labels: TypeAlias = NDArray[np.integer[Any]]


def accuracy(labels: Labels, predicted: Labels) -> float:
    """The share of images whose predicted label is right (micro accuracy).

    A label is an index from 0. An image without a prediction has -1 and counts as wrong. Raises ValueError when there
    are no images, or not one prediction for each.
    """
    _check(labels, predicted)
    return float(np.count_nonzero(labels == predicted)) / len(labels)


def macro_accuracy(labels: Labels, predicted: Labels) -> float:
    """The mean over classes of the share of their images whose predicted label is right.

    A class without images does not count. Raises ValueError as `accuracy` does.
    """
    _check(labels, predicted)
    images = np.bincount(labels)
    right = np.bincount(labels[labels == predicted], minlength=len(images))
    present = images > 0
    return float(np.mean(right[present] / images[present]))


def _check(labels: Labels, predicted: Labels) -> None:
    if labels.ndim != 1 or labels.shape != predicted.shape or not len(labels):
        raise ValueError(f"labels {labels.shape} and predictions {predicted.shape}: one of each is needed per image")
