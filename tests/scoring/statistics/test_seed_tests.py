"""Means, deviations and t-tests over seeds, beside scipy's own functions on the values."""

from __future__ import annotations

import pytest
from scipy import stats

from whatif.scoring.statistics.seed_tests import correlation, from_summaries, gain, over_seeds

BETTER = {"a": 62.0, "b": 63.5, "c": 61.0, "d": 64.0}
BASELINE = {"a": 60.0, "b": 61.0, "c": 60.5, "d": 60.0}


def test_the_mean_has_a_deviation_with_n_minus_1_and_a_t_interval() -> None:
    found = over_seeds(list(BETTER.values()), 0.9)
    assert found.mean == 62.625 and found.seeds == 4
    assert found.deviation == pytest.approx(stats.tstd(list(BETTER.values())))
    wanted = stats.ttest_1samp(list(BETTER.values()), 0).confidence_interval(0.9)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((wanted.low, wanted.high))


def test_one_seed_has_no_deviation_and_no_test() -> None:
    assert over_seeds([3.0]) == over_seeds([3.0], 0.5)
    assert over_seeds([3.0]).deviation is None and over_seeds([3.0]).interval is None
    found = gain({"a": 2.0}, {"a": 1.0})
    assert (found.difference, found.p, found.paired, found.paired_p) == (1.0, None, None, None)
    with pytest.raises(ValueError, match="needs at least one"):
        over_seeds([])
    with pytest.raises(ValueError, match="confidence 1"):
        over_seeds([1.0, 2.0], 1)


def test_the_tests_are_one_tailed_unpaired_by_welch_and_paired_by_seed() -> None:
    found = gain(BETTER, BASELINE)
    one, other = list(BETTER.values()), list(BASELINE.values())
    assert found.p == pytest.approx(stats.ttest_ind(one, other, equal_var=False, alternative="greater").pvalue)
    paired = stats.ttest_rel(one, other, alternative="greater")
    assert found.paired_p == pytest.approx(paired.pvalue)
    assert found.paired is not None and found.paired.mean == pytest.approx(found.difference)
    worse = gain(BASELINE, BETTER)
    assert worse.p == pytest.approx(1 - (found.p or 0)) and worse.paired_p == pytest.approx(1 - (found.paired_p or 0))


def test_only_common_seeds_are_paired() -> None:
    found = gain(BETTER, {**BASELINE, "z": 10.0})
    assert found.paired is not None and found.paired.seeds == 4 and found.paired.mean != found.difference
    assert gain(BETTER, {"y": 1.0, "z": 2.0}).paired is None


def test_what_does_not_vary_is_not_tested() -> None:
    found = gain({"a": 0.3, "b": 0.3}, {"a": 0.1, "b": 0.1})
    assert found.p is None and found.paired_p is None and found.paired is not None
    # 0.1 + 0.2 - 0.2 is not exactly 0.3 - 0.2: rounding is no variation.
    assert gain({"a": 0.1 + 0.2, "b": 0.3}, {"a": 0.2, "b": 0.2}).paired_p is None


def test_printed_means_and_deviations_are_enough() -> None:
    one = from_summaries((62.625, 1.37689, 4), (60.375, 0.478714, 4))
    assert one == pytest.approx(gain(BETTER, BASELINE).p, rel=1e-3)
    assert from_summaries((1.0, 0.0, 25), (0.5, 0.0, 25)) is None


def test_a_correlation_needs_four_pairs_that_vary() -> None:
    assert correlation([1, 2, 3], [1, 2, 4]) is None
    assert correlation([1, 1, 1, 1], [1, 2, 3, 4]) is None
    found = correlation([1, 2, 3, 4], [1, 3, 2, 4])
    assert found is not None and found[0].estimate == pytest.approx(0.8) and found[0].low < 0.8 < found[0].high
