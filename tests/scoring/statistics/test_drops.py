"""Differences of drops against scipy and the jackknife."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from tests.scoring.statistics.test_paired import Answers, pairs
from whatif.scoring.statistics import Difference, Interval, difference_of_drops, paired_drop, square_and_add, tango


def two_models(number: int, seed: int) -> tuple[tuple[Answers, Answers], tuple[Answers, Answers], list[str]]:
    """Two models' outcomes on pairs of which some share an image, on which outcomes are alike."""
    generator = np.random.default_rng(seed)
    images = generator.integers(0, max(1, number // 2), number)
    hard = generator.random(number)[images]
    sides = [generator.random(number) + hard < ease for ease in (1.5, 1.0, 1.4, 1.1)]
    return (sides[0], sides[1]), (sides[2], sides[3]), [f"{image:05}.jpg" for image in images]


def test_without_clusters_it_is_the_paired_t_test_of_scipy() -> None:
    model_a, model_b, _ = two_models(90, 0)
    drops = [model[0].astype(int) - model[1] for model in (model_a, model_b)]
    theirs = stats.ttest_rel(*drops)
    for clusters in (None, range(90)):
        made = difference_of_drops(model_a, model_b, clusters, confidence=0.9)
        assert made.p == pytest.approx(theirs.pvalue)
        low, high = theirs.confidence_interval(0.9)
        assert (made.interval.low, made.interval.high) == pytest.approx((low, high))


def test_the_same_pair_twice_tells_nothing_new() -> None:
    model_a, model_b, _ = two_models(90, 1)
    twice_a, twice_b = ((np.tile(before, 2), np.tile(after, 2)) for before, after in (model_a, model_b))
    once, twice = difference_of_drops(model_a, model_b), difference_of_drops(twice_a, twice_b, list(range(90)) * 2)
    assert twice.p == pytest.approx(once.p)
    assert (twice.interval.low, twice.interval.high) == pytest.approx((once.interval.low, once.interval.high))


def test_by_image_it_is_the_jackknife() -> None:
    model_a, model_b, images = two_models(40, 5)
    labels = np.array(images)
    change = (model_a[1].astype(int) - model_a[0]) - (model_b[1].astype(int) - model_b[0])
    names = sorted(set(images))
    without = np.array([change[labels != name].mean() for name in names])
    error = math.sqrt((len(names) - 1) / len(names) * float(((change.mean() - without) ** 2).sum()))
    made = difference_of_drops(model_a, model_b, images)
    assert made.p == pytest.approx(2 * stats.t.sf(abs(change.mean()) / error, len(names) - 1))
    margin = stats.t.ppf(0.975, len(names) - 1) * error
    assert made.interval.high - made.interval.low == pytest.approx(2 * margin)


def test_difference_is_near_the_analytic_one() -> None:
    model_a, model_b, _ = two_models(3_000, 2)
    changes = (model_a[0].astype(float) - model_a[1]) - (model_b[0].astype(float) - model_b[1])
    made = difference_of_drops(model_a, model_b)
    margin = 1.96 * changes.std() / math.sqrt(3_000)
    assert made.interval.estimate == pytest.approx(changes.mean())
    ends = (changes.mean() - margin, changes.mean() + margin)
    assert (made.interval.low, made.interval.high) == pytest.approx(ends, abs=0.001)


def test_difference_is_that_of_the_two_drops_and_turns_its_sign_with_them() -> None:
    model_a, model_b, images = two_models(400, 3)
    made, turned = difference_of_drops(model_a, model_b, images), difference_of_drops(model_b, model_a, images)
    estimates = [paired_drop(*model, images).interval.estimate for model in (model_a, model_b)]
    assert made.interval.estimate == pytest.approx(estimates[0] - estimates[1])
    assert turned.interval.estimate == -made.interval.estimate
    assert (turned.interval.low, turned.interval.high) == pytest.approx((-made.interval.high, -made.interval.low))


def test_a_model_differs_from_itself_in_nothing() -> None:
    model_a, _, images = two_models(200, 4)
    for clusters in (None, images):
        made = difference_of_drops(model_a, model_a, clusters)
        assert (made.interval.estimate, made.p) == (0.0, 1.0)
        # All differences are alike: what is left to say is how few they are, from both drops' own intervals.
        assert made.interval.low == -made.interval.high < 0


def test_models_that_differ_alike_everywhere_have_the_interval_of_both_drops() -> None:
    made = difference_of_drops(pairs(0, 9, 0, 0), pairs(9, 0, 0, 0))
    assert made.interval == square_and_add(tango(0.0, 1.0, 9), tango(0.0, 0.0, 9))


def test_models_that_differ_everywhere_have_the_p_of_the_sign_test() -> None:
    stays, falls = pairs(50, 0, 0, 0), pairs(0, 50, 0, 0)
    made = difference_of_drops(falls, stays)
    assert (made.interval.estimate, made.p) == (1.0, 2 * 0.5**50)
    assert 0 < made.interval.low < 1.0 < made.interval.high


def test_p_of_equal_drops_is_rarely_small() -> None:
    # Both models lose alike on average: of 300 tests at 5%, 15 +- 4 should reject.
    rejected = 0
    for seed in range(300):
        generator = np.random.default_rng(seed)
        images = np.repeat(np.arange(50), 2)
        luck = generator.random((4, 50))[:, images] + 0.2 * generator.random((4, 100))
        before_a, after_a, before_b, after_b = (luck[0] < 0.8, luck[1] < 0.5, luck[2] < 0.8, luck[3] < 0.5)
        rejected += difference_of_drops((before_a, after_a), (before_b, after_b), images).p <= 0.05
    assert 5 <= rejected <= 30


def test_one_image_tells_nothing_of_others() -> None:
    made = difference_of_drops(pairs(2, 2, 0, 0), pairs(4, 0, 0, 0), ["a"] * 4)
    assert made == Difference(Interval(0.5, -2.0, 2.0), 1.0)


def test_without_pairs_nothing_is_known() -> None:
    for clusters in (None, list[str]()):
        made = difference_of_drops(([], []), ([], []), clusters)
        assert math.isnan(made.interval.estimate)
        assert (made.interval.low, made.interval.high, made.p) == (-2.0, 2.0, 1.0)


def test_what_does_not_fit_together_is_refused() -> None:
    one, two = ([True], [False]), ([True, True], [False, True])
    with pytest.raises(ValueError, match="model A has 1 pairs and model B 2"):
        difference_of_drops(one, two)
    with pytest.raises(ValueError, match="question 1 has no cluster label"):
        difference_of_drops(two, two, ["a", None])  # type: ignore[arg-type]
