"""The relative change of a share between two sets of questions about the same images."""

from __future__ import annotations

import math

import numpy as np
import pytest

from whatif.statistics import drop
from whatif.statistics.relative_change import relative_change


def test_of_the_same_pairs_it_is_the_relative_change_of_the_drop() -> None:
    generator = np.random.default_rng(0)
    before, after = generator.random(400) < 0.7, generator.random(400) < 0.4
    images = [f"i{number // 2}" for number in range(400)]
    change = relative_change(before, images, after, images, seed=1)
    expected = drop(before, after, images, seed=1).relative
    assert change.estimate == pytest.approx(expected.estimate)
    assert change.low == pytest.approx(expected.low, abs=1.5) and change.high == pytest.approx(expected.high, abs=1.5)


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


def test_order_does_not_matter_and_the_seed_does() -> None:
    generator = np.random.default_rng(2)
    right, images = generator.random(80) < 0.5, generator.integers(0, 30, 80)
    other = generator.random(80) < 0.3
    made = relative_change(right, images, other, images, seed=3)
    assert relative_change(right[::-1], images[::-1], other, images, seed=3) == made
    assert relative_change(right, images, other, images, seed=4) != made


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
