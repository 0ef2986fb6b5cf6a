"""The cluster bootstrap against every resample there is."""

from __future__ import annotations

from collections import Counter
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from scipy import stats

from whatif.scoring.statistics import bootstrap
from whatif.scoring.statistics.bootstrap import percentile_interval, resampled_totals
from whatif.scoring.statistics.clusters import ClusterTotals, Floats

# Four images: one right of three questions, one of one, none of two, two of two.
IMAGES = [(3, 1), (1, 1), (2, 0), (2, 2)]
TOTALS = ClusterTotals(np.array(sorted(IMAGES)), np.ones(4, dtype=np.int64))
ALL_RESAMPLES = Counter(
    (sum(size for size, _ in drawn), sum(right for _, right in drawn)) for drawn in product(IMAGES, repeat=4)
)


def drawn_totals(resamples: int, seed: int = 0) -> Floats:
    return resampled_totals(TOTALS, resamples, np.random.default_rng(seed)).astype(np.float64)


def test_totals_are_drawn_as_often_as_among_all_resamples() -> None:
    drawn = Counter((int(size), int(right)) for size, right in drawn_totals(100_000))
    assert set(drawn) == set(ALL_RESAMPLES)
    expected = [100_000 * number / 4**4 for number in ALL_RESAMPLES.values()]
    assert stats.chisquare([drawn[totals] for totals in ALL_RESAMPLES], expected).pvalue > 0.01


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95])
def test_ends_are_the_quantiles_of_all_resamples(confidence: float) -> None:
    every = sorted(right / size for (size, right), number in ALL_RESAMPLES.items() for _ in range(number))
    tail = (1 - confidence) / 2
    drawn = drawn_totals(99_999)
    accuracies = drawn[:, 1] / drawn[:, 0]
    interval = percentile_interval(5 / 8, accuracies, accuracies, confidence)
    assert (interval.low, interval.high) == (every[int(256 * tail)], every[-1 - int(256 * tail)])


def test_memory_is_bounded_without_changing_what_is_drawn() -> None:
    whole = drawn_totals(1_000)
    with patch.object(bootstrap, "_CELLS", 12):
        assert [part.stop - part.start for part in bootstrap.parts(7, 4)] == [3, 3, 1]
        assert [part.stop - part.start for part in bootstrap.parts(2, 100)] == [1, 1]
        assert np.array_equal(drawn_totals(1_000), whole)


@pytest.mark.parametrize(
    ("resamples", "confidence", "rank"),
    [(9_999, 0.95, 250), (999, 0.9, 50), (99, 0.99, None), (39, 0.95, 1), (38, 0.95, None)],
)
def test_ends_are_ordered_values(resamples: int, confidence: float, rank: int | None) -> None:
    values = np.random.default_rng(0).permutation(np.arange(1.0, resamples + 1))
    if rank is None:
        with pytest.raises(ValueError, match=f"{resamples} resamples are too few for"):
            percentile_interval(0.0, values, values, confidence)
    else:
        interval = percentile_interval(0.0, values, values, confidence)
        assert (interval.low, interval.high) == (rank, resamples + 1 - rank)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(ValueError, match="must lie between 0 and 1"):
        percentile_interval(0.0, np.zeros(99), np.zeros(99), confidence)
