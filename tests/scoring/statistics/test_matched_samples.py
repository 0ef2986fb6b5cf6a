"""Several measurements of the same items: Cochran's Q test, also by cluster, by hand and as others compute it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from whatif.scoring.statistics.clusters import cluster_totals
from whatif.scoring.statistics.matched_samples import cochran_p, matched_means
from whatif.scoring.statistics.sign_flips import sign_flip_p

# Sums 3, 1, 1; their squared distances from 5/3 add up to 8/3.
RIGHT = np.array([[1, 1, 1, 0], [1, 0, 0, 0], [0, 0, 1, 0]])


def test_cochran_by_hand() -> None:
    # Items are right 2, 1, 2 and 0 times: Q = 3 * 2 * (8/3) / (2 + 2 + 2) = 8/3, with 2 degrees of freedom.
    assert cochran_p(RIGHT, np.arange(4)) == pytest.approx(math.exp(-(8 / 3) / 2))


def test_by_cluster_by_hand() -> None:
    # The first two items share an image: totals (2, 1, 0), (1, 0, 1), (0, 0, 0), whose squared distances from their
    # means add up to 2 + 2/3, so the denominator is half of this and Q = (8/3) / (4/3) = 2.
    assert cochran_p(RIGHT, np.array([5, 5, 1, 2])) == pytest.approx(math.exp(-1))


def test_it_is_the_test_of_statsmodels_and_scipy() -> None:
    pytest.importorskip("statsmodels")
    from statsmodels.stats.contingency_tables import cochrans_q

    generator = np.random.default_rng(1)
    for number, items in ((2, 30), (3, 50), (6, 400)):
        right = (generator.random((number, items)) < generator.random((number, 1))).astype(int)
        assert cochran_p(right, np.arange(items)) == pytest.approx(cochrans_q(right.T).pvalue, rel=1e-9)


def test_two_measurements_of_many_clusters_are_compared_as_pairs_are() -> None:
    generator = np.random.default_rng(2)
    right = (generator.random((2, 6000)) < [[0.5], [0.52]]).astype(np.int8)
    clusters = np.arange(6000) // 3
    change = right[1] - right[0]
    assert cochran_p(right, clusters) == pytest.approx(sign_flip_p(cluster_totals([change], clusters)), abs=0.01)


def test_items_of_a_cluster_count_as_one() -> None:
    copied = np.repeat(RIGHT, 7, axis=1)
    assert cochran_p(copied, np.repeat(np.arange(4), 7)) == pytest.approx(cochran_p(RIGHT, np.arange(4)))
    assert cochran_p(copied, np.arange(28)) < 0.01


@pytest.mark.parametrize(
    ("values", "clusters"), [(np.ones((3, 4)), [0, 1, 2, 3]), (RIGHT, [0, 0, 0, 0]), (np.zeros((2, 0)), [])]
)
def test_nothing_differs(values: np.ndarray, clusters: list[int]) -> None:
    assert cochran_p(values, np.array(clusters, dtype=np.int64)) == 1


def test_the_test_keeps_its_level_where_items_of_an_image_are_alike() -> None:
    generator = np.random.default_rng(3)
    clusters = np.repeat(np.arange(40), 4)
    by_image, by_item = [], []
    for _ in range(1500):
        level = generator.normal(size=(4, 40, 1)) + generator.normal(size=(1, 40, 1))
        right = (level + 0.5 * generator.normal(size=(4, 40, 4)) > 0).reshape(4, -1).astype(np.int8)
        by_image.append(cochran_p(right, clusters) < 0.05)
        by_item.append(cochran_p(right, np.arange(160)) < 0.05)
    assert 0.03 < np.mean(by_image) < 0.07
    assert np.mean(by_item) > 0.2


def test_means_their_spread_and_error() -> None:
    found = matched_means(RIGHT, np.arange(4))
    assert found.means.tolist() == [0.75, 0.25, 0.25]
    assert found.range == 0.5
    # Deviations from 5/12: 1/3, -1/6, -1/6.
    assert found.deviation == pytest.approx(math.sqrt((1 / 9 + 2 / 36) / 2))
    # Each variance is s^2 / n = (n p (1 - p) / (n - 1)) / n = 3/4 * 1/4 / 3.
    assert found.error == pytest.approx(math.sqrt(1 / 16))
    assert found.p == cochran_p(RIGHT, np.arange(4))
    assert math.isnan(matched_means(RIGHT, np.zeros(4, dtype=np.int64)).error)


def test_mistakes_are_errors() -> None:
    with pytest.raises(ValueError, match="1 measurements: a comparison needs two"):
        cochran_p(RIGHT[:1], np.arange(4))
    with pytest.raises(ValueError, match="3 clusters for 4 items"):
        cochran_p(RIGHT, np.arange(3))
    with pytest.raises(ValueError, match="there are no items"):
        matched_means(np.zeros((2, 0)), np.zeros(0, dtype=np.int64))
