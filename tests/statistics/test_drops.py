"""Drops and their differences against enumeration, scipy and the unclustered bootstrap."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from whatif.statistics import (
    Interval,
    difference_of_drops,
    drop,
    mcnemar_exact,
    newcombe,
    paired_difference,
    square_and_add,
)

Answers = npt.NDArray[np.bool_]


def pairs(both: int, lost: int, gained: int, neither: int) -> tuple[Answers, Answers]:
    """Original and counterfactual outcomes with these counts; `lost` were right only in the original."""
    original = [True] * (both + lost) + [False] * (gained + neither)
    counterfactual = [True] * both + [False] * lost + [True] * gained + [False] * neither
    return np.array(original), np.array(counterfactual)


def two_models(number: int, seed: int) -> tuple[tuple[Answers, Answers], tuple[Answers, Answers], list[str]]:
    """Two models' outcomes on pairs of which some share an image, on which outcomes are alike."""
    generator = np.random.default_rng(seed)
    images = generator.integers(0, max(1, number // 2), number)
    hard = generator.random(number)[images]
    sides = [generator.random(number) + hard < ease for ease in (1.5, 1.0, 1.4, 1.1)]
    return (sides[0], sides[1]), (sides[2], sides[3]), [f"{image:05}.jpg" for image in images]


def test_both_units_of_a_drop() -> None:
    made = drop(*pairs(120, 80, 20, 80))
    assert made.absolute.estimate == pytest.approx((140 - 200) / 300)
    assert made.relative.estimate == pytest.approx(-30.0)
    assert made.absolute.low < -0.2 < made.absolute.high < 0
    assert made.relative.low < -30 < made.relative.high < 0


def test_without_clusters_it_is_the_paired_difference() -> None:
    outcomes = pairs(120, 60, 25, 95)
    ours, plain = drop(*outcomes, resamples=20_000), paired_difference(*outcomes, 0.95, 20_000, seed=0)
    assert ours.absolute.estimate == plain.estimate
    assert (ours.absolute.low, ours.absolute.high) == pytest.approx((plain.low, plain.high), abs=0.0035)  # one pair


def test_relative_drop_is_that_of_scipy() -> None:
    original, counterfactual = pairs(120, 60, 25, 95)
    theirs = stats.bootstrap(
        (original.astype(float), counterfactual.astype(float)),
        lambda before, after, axis: 100 * (after.sum(axis=axis) / before.sum(axis=axis) - 1),
        paired=True,
        n_resamples=20_000,
        batch=500,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    ours = drop(original, counterfactual, resamples=20_000).relative
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.6)


def test_relative_to_everything_is_the_absolute_drop_in_percent() -> None:
    made = drop(*pairs(60, 40, 0, 0))
    for end in ("estimate", "low", "high"):
        assert getattr(made.relative, end) == pytest.approx(100 * getattr(made.absolute, end))


def test_an_image_each_is_no_clustering() -> None:
    model_a, model_b, _ = two_models(90, 0)
    assert drop(*model_a, range(90)) == drop(*model_a)
    assert difference_of_drops(model_a, model_b, range(90)) == difference_of_drops(model_a, model_b)


def test_the_same_pair_twice_tells_nothing_new() -> None:
    model_a, model_b, _ = two_models(90, 1)
    twice_a, twice_b = ((np.tile(before, 2), np.tile(after, 2)) for before, after in (model_a, model_b))
    images = list(range(90)) * 2
    assert drop(*twice_a, images) == drop(*model_a)
    assert difference_of_drops(twice_a, twice_b, images) == difference_of_drops(model_a, model_b)


def test_alike_pairs_of_an_image_widen_the_interval() -> None:
    original, counterfactual = pairs(100, 60, 20, 60)
    images = np.arange(240) // 10  # neighbours have the same outcome
    by_pair, by_image = drop(original, counterfactual), drop(original, counterfactual, images)
    assert by_image.absolute.estimate == by_pair.absolute.estimate
    ratio = (by_image.absolute.high - by_image.absolute.low) / (by_pair.absolute.high - by_pair.absolute.low)
    assert ratio == pytest.approx(math.sqrt(10), rel=0.15)


def test_p_is_near_that_of_mcnemar() -> None:
    for lost, gained in ((40, 40), (45, 35), (52, 28)):
        outcomes = pairs(60, lost, gained, 60)
        assert drop(*outcomes).p == pytest.approx(mcnemar_exact(*outcomes), abs=0.05)


def test_p_of_a_difference_is_that_of_all_resamples() -> None:
    model_a = (np.array([True, True, True, False, True]), np.array([False, False, True, False, False]))
    model_b = (np.array([True, False, True, True, True]), np.array([True, False, False, True, True]))
    images = ["a", "a", "b", "c", "d"]
    by_image = [-2, 1, 0, -1]  # change of A minus change of B, summed
    every = [sum(drawn) for drawn in product(by_image, repeat=4)]
    p = 2 * min(np.mean(np.array(every) <= 0), np.mean(np.array(every) >= 0))
    made = difference_of_drops(model_a, model_b, images, resamples=99_999)
    assert made.difference.estimate == pytest.approx(-2 / 5)
    assert made.p == pytest.approx(p, abs=0.005)


def test_difference_is_near_the_analytic_one() -> None:
    model_a, model_b, _ = two_models(3_000, 2)
    changes = (model_a[1].astype(float) - model_a[0]) - (model_b[1].astype(float) - model_b[0])
    made = difference_of_drops(model_a, model_b, resamples=50_000)
    margin = 1.96 * changes.std() / math.sqrt(3_000)
    assert made.difference.estimate == pytest.approx(changes.mean())
    ends = (changes.mean() - margin, changes.mean() + margin)
    assert (made.difference.low, made.difference.high) == pytest.approx(ends, abs=0.001)


def test_difference_is_that_of_the_two_drops_and_turns_its_sign_with_them() -> None:
    model_a, model_b, images = two_models(400, 3)
    made, turned = difference_of_drops(model_a, model_b, images), difference_of_drops(model_b, model_a, images)
    estimates = [drop(*model, images).absolute.estimate for model in (model_a, model_b)]
    assert made.difference.estimate == pytest.approx(estimates[0] - estimates[1])
    assert turned.difference.estimate == -made.difference.estimate
    assert (turned.difference.low, turned.difference.high) == pytest.approx(
        (-made.difference.high, -made.difference.low), abs=0.01
    )


def test_a_model_differs_from_itself_in_nothing() -> None:
    model_a, _, images = two_models(200, 4)
    for clusters in (None, images):
        made = difference_of_drops(model_a, model_a, clusters)
        assert (made.difference.estimate, made.p) == (0.0, 1.0)
        # All differences are alike: what is left to say is how few they are, from both drops' own intervals.
        assert made.difference.low == -made.difference.high < 0


def test_models_that_differ_everywhere_have_the_p_of_the_sign_test() -> None:
    stays, falls = pairs(50, 0, 0, 0), pairs(0, 50, 0, 0)
    made = difference_of_drops(falls, stays, resamples=999)
    assert (made.difference.estimate, made.p) == (-1.0, 2 * 0.5**50)
    assert made.difference.low < -1.0 < made.difference.high < 0


def test_p_of_equal_drops_is_rarely_small() -> None:
    # Both models lose alike on average: of 300 tests at 5%, 15 +- 4 should reject.
    rejected = 0
    for seed in range(300):
        generator = np.random.default_rng(seed)
        images = np.repeat(np.arange(50), 2)
        luck = generator.random((4, 50))[:, images] + 0.2 * generator.random((4, 100))
        before_a, after_a, before_b, after_b = (luck[0] < 0.8, luck[1] < 0.5, luck[2] < 0.8, luck[3] < 0.5)
        rejected += difference_of_drops((before_a, after_a), (before_b, after_b), images, resamples=999).p <= 0.05
    assert 5 <= rejected <= 30


def test_relative_to_nothing_is_not_defined() -> None:
    made = drop(*pairs(0, 0, 4, 6))
    assert math.isnan(made.relative.estimate)
    assert (made.relative.low, made.relative.high) == (-100.0, math.inf)
    assert made.absolute.estimate == pytest.approx(0.4)
    # One right original of 30 is missing from every third resample.
    rare = drop(*pairs(1, 0, 2, 27)).relative
    assert rare.estimate == pytest.approx(200.0)
    assert (rare.low, rare.high) == (-100.0, math.inf)


@pytest.mark.parametrize(
    ("counts", "absolute", "relative", "p"),
    [((9, 0, 0, 0), 0.0, 0.0, 1.0), ((0, 9, 0, 0), -1.0, -100.0, 2 / 2**9)],
)
def test_pairs_that_are_all_alike_have_the_interval_of_the_formula(
    counts: tuple[int, int, int, int], absolute: float, relative: float, p: float
) -> None:
    made = drop(*pairs(*counts), resamples=999)
    assert made.absolute == newcombe(1.0, 1 + absolute, 1 + absolute, 9)
    assert made.absolute.high - made.absolute.low > 0.3
    assert made.relative.estimate == relative
    assert made.relative.high - made.relative.low > 30
    assert made.p == p
    # Another model that loses nothing on the same pairs, and one that changes alike.
    other = difference_of_drops(pairs(*counts), pairs(9, 0, 0, 0), resamples=999)
    assert other.difference == square_and_add(made.absolute, newcombe(1.0, 1.0, 1.0, 9))
    assert other.p == p


def test_one_image_tells_nothing_of_others() -> None:
    outcomes = pairs(2, 2, 0, 0)
    made, difference = drop(*outcomes, ["a"] * 4), difference_of_drops(outcomes, pairs(4, 0, 0, 0), ["a"] * 4)
    assert (made.absolute, made.p) == (Interval(-0.5, -1.0, 1.0), 1.0)
    assert made.relative == Interval(-50.0, -100.0, math.inf)
    assert (difference.difference, difference.p) == (Interval(-0.5, -2.0, 2.0), 1.0)


def test_without_pairs_nothing_is_known() -> None:
    for clusters in (None, list[str]()):
        made, difference = drop([], [], clusters), difference_of_drops(([], []), ([], []), clusters)
        assert all(math.isnan(one.estimate) for one in (made.absolute, made.relative, difference.difference))
        assert (made.absolute.low, made.absolute.high, made.p) == (-1.0, 1.0, 1.0)
        assert (made.relative.low, made.relative.high) == (-100.0, math.inf)
        assert (difference.difference.low, difference.difference.high, difference.p) == (-2.0, 2.0, 1.0)


def test_what_does_not_fit_together_is_refused() -> None:
    one, two = ([True], [False]), ([True, True], [False, True])
    with pytest.raises(ValueError, match="2 original and 1 counterfactual"):
        drop([True, False], [True])
    with pytest.raises(ValueError, match="model A has 1 pairs and model B 2"):
        difference_of_drops(one, two)
    with pytest.raises(ValueError, match="1 cluster labels for 2 questions"):
        drop(*two, ["a"])
    with pytest.raises(ValueError, match="question 1 has no cluster label"):
        difference_of_drops(two, two, ["a", None])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="original: question 1 has outcome None"):
        drop([True, None], [True, False])  # type: ignore[list-item]
