"""Means over questions that were asked several times, and the share of decoding in their variance."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from whatif.scoring.statistics import clustered_share, paired_drop, wilson
from whatif.scoring.statistics.means import mean_interval
from whatif.scoring.statistics.repeated_samples import (
    decoding_variance,
    error_by_cluster,
    mean_share,
    pass_at_k,
    repeated_drop,
    repeated_share,
)


def test_pass_at_k_by_hand_and_by_all_subsets() -> None:
    # 1 of 4 is right: 1/4, 1 - C(3,2)/C(4,2) = 1/2, and 1 with all four.
    assert [pass_at_k(np.array([1]), 4, k)[0] for k in (1, 2, 4)] == [0.25, 0.5, 1.0]
    for right, k in itertools.product(range(8), range(1, 8)):
        outcomes = [True] * right + [False] * (7 - right)
        subsets = [any(some) for some in itertools.combinations(outcomes, k)]
        assert pass_at_k(np.array([right]), 7, k)[0] == pytest.approx(np.mean(subsets), abs=1e-12)


def test_pass_at_k_is_the_published_product() -> None:
    def published(n: int, c: int, k: int) -> float:  # figure 3 of Chen et al. 2021
        return 1.0 if n - c < k else float(1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1)))

    found = {(c, k): pass_at_k(np.array([c]), 200, k)[0] for c in (0, 1, 17, 150, 200) for k in (1, 10, 100, 200)}
    assert found == pytest.approx({(c, k): published(200, c, k) for c, k in found})


@pytest.mark.parametrize(("right", "k"), [([1], 0), ([1], 5), ([5], 2), ([-1], 2)])
def test_impossible_numbers_are_refused(right: list[int], k: int) -> None:
    with pytest.raises(ValueError, match="must lie between"):
        pass_at_k(np.array(right), 4, k)


def test_the_variance_of_decoding_is_that_of_a_mean() -> None:
    outcomes = [1, 0, 0, 1, 1]
    assert decoding_variance(np.array([3]), 5)[0] == pytest.approx(np.var(outcomes, ddof=1) / 5)
    with pytest.raises(ValueError, match="needs two"):
        decoding_variance(np.array([1]), 1)


def test_the_error_by_cluster_is_that_of_other_intervals() -> None:
    random = np.random.default_rng(1)
    values, clusters = random.random(60), random.integers(0, 17, 60)
    interval = mean_interval(values.tolist(), [str(one) for one in clusters])
    from scipy.stats import t

    freedom = len(set(clusters.tolist())) - 1
    assert error_by_cluster(values, clusters) == pytest.approx(
        (interval.high - interval.estimate) / t.ppf(0.975, freedom)
    )
    own = np.arange(60)
    assert error_by_cluster(values, own) == pytest.approx(values.std(ddof=1) / math.sqrt(60))
    assert math.isnan(error_by_cluster(values, np.zeros(60, dtype=np.int64)))


def test_the_error_of_equal_clusters_is_that_of_statsmodels() -> None:
    """With clusters of equal size, the jackknife is the sandwich estimator times G / (G - 1)."""
    import statsmodels.api as sm

    random = np.random.default_rng(2)
    values, clusters = random.random(60), np.repeat(np.arange(20), 3)
    model = sm.OLS(values, np.ones(60))
    fitted = model.fit(cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False})
    assert error_by_cluster(values, clusters) == pytest.approx(float(fitted.bse[0]) * math.sqrt(20 / 19))


def test_a_share_of_whole_outcomes_has_the_usual_interval() -> None:
    flags, clusters = np.array([1, 0, 1, 1, 0, 1.0]), np.array([0, 0, 1, 1, 2, 3])
    assert mean_share(flags, clusters) == clustered_share(flags == 1, clusters)
    assert mean_share(flags, np.arange(6)) == wilson(4, 6)
    equal = mean_share(np.full(6, 0.5), clusters)  # no variance: as many questions as images
    assert equal == wilson(2, 4)
    assert (mean_share(np.full(2, 0.5), np.zeros(2, dtype=np.int64)).low) == 0.0


def test_two_questions_by_hand() -> None:
    """4 samples: 1 and 3 right. Means 1/4 and 3/4; each has the variance of decoding (3/16) / 3 = 1/16."""
    found = repeated_share(np.array([1, 3]), 4, np.arange(2))
    assert found.interval.estimate == 0.5
    assert found.decoding_error == pytest.approx(math.sqrt(2 / 16) / 2)
    assert found.error == pytest.approx(0.25)  # s^2 / 2 = (1/8) / 2
    assert found.decoding_share == pytest.approx(0.5)


def test_a_drop_by_hand() -> None:
    """3 pairs of 2 samples: drops 1 - 1/2, 1/2 - 0 and 1 - 1."""
    right = np.array([2, 1, 1, 0, 2, 2])
    found = repeated_drop(right, 2, np.array([0, 2, 4]), np.array([1, 3, 5]), np.arange(3))
    assert found.interval.estimate == pytest.approx(1 / 3)
    assert found.error == pytest.approx(np.std([0.5, 0.5, 0], ddof=1) / math.sqrt(3))
    assert found.decoding_error == pytest.approx(math.sqrt(0.25 + 0.25) / 3)  # two questions of which half is right
    assert found.decoding_share == 1.0  # (1/18) / (1/36), at most 1


def test_a_question_in_several_pairs_is_drawn_once() -> None:
    """The original of both pairs is half right: its noise moves both drops together."""
    right = np.array([1, 2, 0])
    found = repeated_drop(right, 2, np.array([0, 0]), np.array([1, 2]), np.arange(2))
    assert found.decoding_error == pytest.approx(0.5)  # sqrt((2/2)^2 * 1/4)


def test_samples_that_do_not_differ_give_the_drop_of_one() -> None:
    original, counterfactual = np.array([True, True, False, True]), np.array([True, False, False, False])
    right = 5 * np.concatenate([original, counterfactual]).astype(np.int64)
    for images in (np.arange(4), np.array([0, 0, 1, 2])):
        found = repeated_drop(right, 5, np.arange(4), np.arange(4, 8), images)
        assert found.interval == paired_drop(original, counterfactual, images).interval
        assert (found.decoding_error, found.decoding_share) == (0, 0)


def test_the_components_are_those_of_a_simulation() -> None:
    """Errors estimated from one set, on average, and the spread of the drop over many sets and many repetitions."""
    random, pairs, n = np.random.default_rng(3), 60, 4
    estimates, errors, noises, within = [], [], [], []
    for _ in range(1500):
        shared = random.beta(2, 2, pairs // 2).repeat(2)  # two pairs an image
        chances = np.concatenate([shared, 0.7 * shared])
        ends = np.arange(pairs), np.arange(pairs, 2 * pairs), np.arange(pairs).repeat(1) // 2
        first = random.binomial(n, chances)
        found = repeated_drop(first, n, *ends)
        again = repeated_drop(random.binomial(n, chances), n, *ends)
        estimates.append(found.interval.estimate)
        errors.append(found.error**2)
        noises.append(found.decoding_error**2)
        within.append((found.interval.estimate - again.interval.estimate) ** 2 / 2)
    assert np.mean(errors) == pytest.approx(np.var(estimates), rel=0.1)
    assert np.mean(noises) == pytest.approx(np.mean(within), rel=0.1)


def test_how_often_the_interval_covers_the_true_drop() -> None:
    random, hits = np.random.default_rng(4), 0
    for _ in range(1000):
        shared = random.beta(1, 3, 30).repeat(2)
        right = random.binomial(3, np.concatenate([shared, 0.5 * shared]))
        found = repeated_drop(right, 3, np.arange(60), np.arange(60, 120), np.arange(60) // 2).interval
        hits += found.low <= 0.125 <= found.high
    assert 0.93 <= hits / 1000 <= 0.97


def test_nothing_to_measure_is_refused() -> None:
    empty = np.zeros(0, dtype=np.int64)
    with pytest.raises(ValueError, match="no pairs"):
        repeated_drop(np.array([1, 2]), 2, empty, empty, empty)
    with pytest.raises(ValueError, match="no questions"):
        mean_share(np.zeros(0), empty)
    one_image = repeated_drop(np.array([1, 2]), 2, np.array([0]), np.array([1]), np.array([0]))
    assert (one_image.interval.low, one_image.interval.high) == (-1, 1)
    assert math.isnan(one_image.decoding_share)
