"""Paired tests against printed examples, and the bootstrap against scipy's."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from whatif.statistics import mcnemar_exact, paired_difference

Answers = npt.NDArray[np.bool_]


def pairs(both: int, lost: int, gained: int, neither: int) -> tuple[Answers, Answers]:
    """Original and counterfactual outcomes with these counts; `lost` were right only in the original."""
    original = [True] * (both + lost) + [False] * (gained + neither)
    counterfactual = [True] * both + [False] * lost + [True] * gained + [False] * neither
    return np.array(original), np.array(counterfactual)


# Approval of the President's performance in two surveys (Agresti, Categorical Data Analysis, 1990, p. 350). The text
# gives McNemar's statistic 17.36 (p = 3.099e-05 by the normal approximation); the exact two-sided p is the one that
# R's exact2x2 prints for the same table.
APPROVAL = pairs(794, 150, 86, 570)


def test_mcnemar_on_the_approval_ratings() -> None:
    assert mcnemar_exact(*APPROVAL) == pytest.approx(3.716e-05, rel=1e-3)
    assert mcnemar_exact(*APPROVAL[::-1]) == mcnemar_exact(*APPROVAL)


def test_mcnemar_is_near_its_normal_approximation_where_that_holds() -> None:
    # Without the continuity correction, as printed: (150 - 86)^2 / (150 + 86) = 17.3559.
    statistic = (150 - 86) ** 2 / (150 + 86)
    assert round(statistic, 4) == 17.3559
    assert stats.chi2.sf(statistic, 1) == pytest.approx(3.099e-05, rel=1e-3)
    assert mcnemar_exact(*APPROVAL) == pytest.approx(stats.chi2.sf(statistic, 1), rel=0.25)


@pytest.mark.parametrize(
    ("lost", "gained", "p"),
    [(0, 0, 1.0), (5, 5, 1.0), (0, 5, 2 / 2**5), (1, 5, 2 * 7 / 2**6), (2, 7, 2 * (1 + 9 + 36) / 2**9)],
)
def test_mcnemar_counted_by_hand(lost: int, gained: int, p: float) -> None:
    assert mcnemar_exact(*pairs(3, lost, gained, 4)) == pytest.approx(p)


def test_the_bootstrap_is_that_of_scipy() -> None:
    original, counterfactual = pairs(120, 60, 25, 95)
    ours = paired_difference(original, counterfactual, 0.95, 20_000, seed=1)
    changes = counterfactual.astype(float) - original.astype(float)
    theirs = stats.bootstrap(
        (changes,), np.mean, n_resamples=20_000, batch=500, method="percentile", rng=np.random.default_rng(0)
    ).confidence_interval
    assert ours.estimate == pytest.approx((25 - 60) / 300)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.0035)  # one pair of 300


def test_the_interval_is_near_the_analytic_one() -> None:
    # Agresti 10.1.1: the difference of the approval ratings is -0.04 with standard error 0.0095.
    interval = paired_difference(*APPROVAL, 0.95, 50_000, seed=0)
    assert interval.estimate == pytest.approx(-0.04)
    assert (interval.low, interval.high) == pytest.approx((-0.04 - 1.96 * 0.0095, -0.04 + 1.96 * 0.0095), abs=0.001)


def test_pairing_matters() -> None:
    tight = paired_difference(*pairs(100, 10, 0, 100), 0.95, 5_000, seed=0)
    loose = paired_difference(*pairs(50, 60, 50, 50), 0.95, 5_000, seed=0)
    assert tight.estimate == loose.estimate
    assert loose.high - loose.low > 2 * (tight.high - tight.low)


def test_the_same_seed_gives_the_same_interval_and_another_another() -> None:
    first = paired_difference(*APPROVAL, 0.95, 500, seed=7)
    assert paired_difference(*APPROVAL, 0.95, 500, seed=7) == first
    assert paired_difference(*APPROVAL, 0.95, 500, seed=8) != first


@pytest.mark.parametrize(
    ("counts", "estimate"), [((9, 0, 0, 0), 0.0), ((0, 0, 0, 9), 0.0), ((0, 9, 0, 0), -1.0), ((0, 0, 9, 0), 1.0)]
)
def test_pairs_that_are_all_alike_are_as_sure_as_they_are_many(
    counts: tuple[int, int, int, int], estimate: float
) -> None:
    few = paired_difference(*pairs(*counts), 0.95, 200, seed=0)
    many = paired_difference(*pairs(*(100 * count for count in counts)), 0.95, 200, seed=0)
    assert few.estimate == many.estimate == estimate
    assert few.high - few.low > 0.3
    assert 0 < many.high - many.low < 0.01


def test_without_pairs_nothing_is_known() -> None:
    interval = paired_difference([], [], 0.95, 200, seed=0)
    assert math.isnan(interval.estimate)
    assert (interval.low, interval.high) == (-1.0, 1.0)
    assert mcnemar_exact([], []) == 1.0


def test_twins_must_be_as_many() -> None:
    with pytest.raises(ValueError, match="2 original and 1 counterfactual"):
        mcnemar_exact([True, False], [True])
    with pytest.raises(ValueError, match="1 original and 2 counterfactual"):
        paired_difference([True], [True, False], 0.95, 200, seed=0)
