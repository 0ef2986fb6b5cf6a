"""The mean with its t interval, and the relative change of a share between two sets about the same images."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.stats import ttest_1samp

from whatif.scoring.statistics import mean_interval, relative_change

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


def test_the_standard_error_is_that_of_the_delta_method() -> None:
    generator = np.random.default_rng(0)
    before, after = generator.random(400) < 0.7, generator.random(400) < 0.4
    change = relative_change(before, range(400), after, range(400))
    ratio = after.mean() / before.mean()
    assert change.estimate == pytest.approx(100 * (ratio - 1))
    error = stats.sem(after / after.mean() - before / before.mean())
    margin = stats.t.ppf(0.975, 399) * error
    expected = [100 * (ratio * math.exp(end) - 1) for end in (-margin, margin)]
    assert (change.low, change.high) == pytest.approx(expected)


def test_questions_of_an_image_go_together() -> None:
    generator = np.random.default_rng(3)
    before, after = generator.random(100) < 0.7, generator.random(100) < 0.4
    once = relative_change(before, range(100), after, range(100))
    thrice = relative_change(
        np.repeat(before, 3), np.repeat(range(100), 3), np.repeat(after, 3), np.repeat(range(100), 3)
    )
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))


def test_sets_of_unlike_size_and_what_they_have_in_common() -> None:
    generator = np.random.default_rng(1)
    easy = generator.random(300) < 0.5
    images = [f"i{number}" for number in range(300)]
    twice = np.repeat(easy, 2) & (generator.random(600) < 0.9)
    common = relative_change(easy, images, twice, np.repeat(images, 2))
    apart = relative_change(easy, images, twice, [f"j{number // 2}" for number in range(600)])
    assert common.estimate == apart.estimate == pytest.approx(100 * (twice.mean() / easy.mean() - 1))
    assert common.low < common.estimate < common.high < 0
    assert common.high - common.low < 0.5 * (apart.high - apart.low)


def test_a_baseline_of_nothing_right_has_no_change() -> None:
    images = ["a", "b", "c", "d"]
    change = relative_change([False] * 4, images, [True] * 4, images)
    assert math.isnan(change.estimate) and (change.low, change.high) == (-100.0, math.inf)


def test_one_cluster_says_nothing_and_alike_ones_have_the_ends_of_their_shares() -> None:
    assert relative_change([True], ["a"], [True], ["a"]).high == math.inf
    images = [f"i{number}" for number in range(50)]
    change = relative_change([True] * 50, images, [True] * 50, images)
    assert change.estimate == 0 and -10 < change.low < 0 < change.high < 10
    nothing = relative_change([True] * 50, images, [False] * 50, images)
    assert nothing.estimate == nothing.low == -100 and -95 < nothing.high < -80


def test_labels_must_be_as_many_as_outcomes() -> None:
    with pytest.raises(ValueError, match="1 cluster labels for 2 questions"):
        relative_change([True, False], ["a"], [True], ["b"])
    with pytest.raises(ValueError, match=r"other: question 0 has outcome .*2"):
        relative_change([True, False], ["a", "b"], [2], ["b"])  # type: ignore[list-item]
