"""The mean with its t interval: of independent values as by scipy, of clusters by a jackknife."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from whatif.statistics import mean_interval

VALUES = [0.1, 0.4, 0.35, 0.8, 0.2]


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_of_independent_values_it_is_the_ordinary_interval(confidence: float) -> None:
    found = mean_interval(VALUES, confidence=confidence)
    low, high = ttest_1samp(VALUES, 0).confidence_interval(confidence)
    assert (found.estimate, found.low, found.high) == pytest.approx((np.mean(VALUES), low, high))
    assert mean_interval(VALUES, list("abcde"), confidence=confidence) == found


def test_repeated_values_of_a_cluster_say_nothing_more() -> None:
    twice = mean_interval([*VALUES, *VALUES], [*"abcde", *"abcde"])
    once = mean_interval(VALUES)
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high))
    as_if_independent = mean_interval([*VALUES, *VALUES])
    assert as_if_independent.high - as_if_independent.low < twice.high - twice.low


def test_clusters_of_unequal_size_by_leaving_one_out() -> None:
    labels = list("aabcc")
    means = [np.mean([v for v, of in zip(VALUES, labels, strict=True) if of != left]) for left in "abc"]
    variance = 2 / 3 * sum((np.mean(VALUES) - one) ** 2 for one in means)
    found = mean_interval(VALUES, labels)
    assert found.high - found.estimate == pytest.approx(4.302653 * math.sqrt(variance), rel=1e-6)


def test_one_cluster_says_nothing_about_others() -> None:
    one = mean_interval([0.5, 0.7], ["a", "a"])
    assert (one.estimate, one.low, one.high) == (pytest.approx(0.6), -math.inf, math.inf)
    none = mean_interval([])
    assert math.isnan(none.estimate) and none.high == math.inf


@pytest.mark.parametrize(
    ("values", "clusters", "confidence", "told"),
    [
        ([1.0, 2.0], ["a"], 0.95, "1 cluster labels for 2 values"),
        ([1.0, math.nan], None, 0.95, "value 1: is not a finite number"),
        ([1.0, 2.0], None, 1.0, "confidence 1.0"),
    ],
)
def test_bad_input(values: list[float], clusters: list[str] | None, confidence: float, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        mean_interval(values, clusters, confidence=confidence)
