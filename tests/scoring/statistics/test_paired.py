"""McNemar's test and paired differences against printed examples."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from whatif.scoring.statistics import Difference, Interval, paired_difference, paired_drop

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
    assert paired_difference(*APPROVAL).p == pytest.approx(3.716e-05, rel=1e-3)
    assert paired_difference(*APPROVAL[::-1]).p == paired_difference(*APPROVAL).p


def test_mcnemar_is_near_its_normal_approximation_where_that_holds() -> None:
    # Without the continuity correction, as printed: (150 - 86)^2 / (150 + 86) = 17.3559.
    statistic = (150 - 86) ** 2 / (150 + 86)
    assert round(statistic, 4) == 17.3559
    assert stats.chi2.sf(statistic, 1) == pytest.approx(3.099e-05, rel=1e-3)
    assert paired_difference(*APPROVAL).p == pytest.approx(stats.chi2.sf(statistic, 1), rel=0.25)


@pytest.mark.parametrize(
    ("lost", "gained", "p"),
    [(0, 0, 1.0), (5, 5, 1.0), (0, 5, 2 / 2**5), (1, 5, 2 * 7 / 2**6), (2, 7, 2 * (1 + 9 + 36) / 2**9)],
)
def test_mcnemar_counted_by_hand(lost: int, gained: int, p: float) -> None:
    assert paired_difference(*pairs(3, lost, gained, 4)).p == pytest.approx(p)


def test_the_interval_is_near_the_analytic_one() -> None:
    # Agresti 10.1.1: the difference of the approval ratings is -0.04 with standard error 0.0095.
    interval = paired_difference(*APPROVAL).interval
    assert interval.estimate == pytest.approx(-0.04)
    assert (interval.low, interval.high) == pytest.approx((-0.04 - 1.96 * 0.0095, -0.04 + 1.96 * 0.0095), abs=5e-4)


def test_pairing_matters() -> None:
    tight = paired_difference(*pairs(100, 10, 0, 100)).interval
    loose = paired_difference(*pairs(50, 60, 50, 50)).interval
    assert tight.estimate == loose.estimate
    assert loose.high - loose.low > 2 * (tight.high - tight.low)


def test_an_image_each_is_no_clustering() -> None:
    assert paired_difference(*APPROVAL, range(1600)) == paired_difference(*APPROVAL)


def test_alike_pairs_of_an_image_widen_the_interval() -> None:
    outcomes = pairs(100, 60, 20, 60)
    by_pair, by_image = (paired_difference(*outcomes, images).interval for images in (None, np.arange(240) // 10))
    assert by_image.estimate == by_pair.estimate
    ratio = (by_image.high - by_image.low) / (by_pair.high - by_pair.low)
    assert ratio == pytest.approx(math.sqrt(10) * stats.t.ppf(0.975, 23) / 1.96, rel=0.08)


def test_the_same_pair_twice_tells_nothing_new() -> None:
    original, counterfactual = pairs(120, 60, 25, 95)
    once = paired_difference(original, counterfactual)
    twice = paired_difference(np.tile(original, 2), np.tile(counterfactual, 2), list(range(300)) * 2)
    assert twice.p == once.p
    assert twice.interval.estimate == once.interval.estimate
    ends = (twice.interval.low, twice.interval.high)
    assert ends == pytest.approx((once.interval.low, once.interval.high), abs=0.002)


@pytest.mark.parametrize(
    ("counts", "estimate"), [((9, 0, 0, 0), 0.0), ((0, 0, 0, 9), 0.0), ((0, 9, 0, 0), -1.0), ((0, 0, 9, 0), 1.0)]
)
def test_pairs_that_are_all_alike_are_as_sure_as_there_are_images(
    counts: tuple[int, int, int, int], estimate: float
) -> None:
    few = paired_difference(*pairs(*counts)).interval
    many = paired_difference(*pairs(*(100 * count for count in counts))).interval
    assert few.estimate == many.estimate == estimate
    assert few.high - few.low > 0.25
    assert 0 < many.high - many.low < 0.01
    assert paired_difference(*pairs(*(100 * count for count in counts)), np.arange(900) // 100).interval == few


def test_one_image_tells_nothing_of_others() -> None:
    assert paired_difference(*pairs(2, 2, 0, 0), ["a"] * 4) == Difference(Interval(-0.5, -1.0, 1.0), 1.0)


def test_without_pairs_nothing_is_known() -> None:
    for clusters in (None, list[str]()):
        nothing = paired_difference([], [], clusters)
        assert math.isnan(nothing.interval.estimate)
        assert (nothing.interval.low, nothing.interval.high, nothing.p) == (-1.0, 1.0, 1.0)


def test_a_drop_is_the_difference_with_the_other_sign_and_its_ends_exchanged() -> None:
    drop, difference = paired_drop(*APPROVAL), paired_difference(*APPROVAL)
    assert drop.p == difference.p
    ends = (drop.interval.estimate, drop.interval.low, drop.interval.high)
    expected = (-difference.interval.estimate, -difference.interval.high, -difference.interval.low)
    assert ends == pytest.approx(expected)
    assert paired_drop([True, True], [True, False]).interval.estimate == 0.5
    with pytest.raises(ValueError, match="2 original and 1 counterfactual"):
        paired_drop([True, False], [True])


def test_what_does_not_fit_together_is_refused() -> None:
    two = ([True, True], [False, True])
    with pytest.raises(ValueError, match="2 before and 1 after"):
        paired_difference([True, False], [True])
    with pytest.raises(ValueError, match="1 before and 2 after"):
        paired_difference([True], [True, False])
    with pytest.raises(ValueError, match="1 cluster labels for 2 questions"):
        paired_difference(*two, ["a"])
    with pytest.raises(ValueError, match="before: question 1 has outcome None"):
        paired_difference([True, None], [True, False])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="must lie between 0 and 1"):
        paired_difference(*two, confidence=95)
