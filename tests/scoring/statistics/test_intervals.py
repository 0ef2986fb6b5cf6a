"""Wilson intervals against printed ones, and Tango's against the score test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import xlogy
from scipy.stats import chi2

from whatif.scoring.statistics import tango, wilson


# Newcombe, "Two-sided confidence intervals for the single proportion: comparison of seven methods", Statistics in
# Medicine 17 (1998) 857-872, Table I, method 3 (score without continuity correction), 95%.
@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_examples_of_newcombe(successes: int, n: int, low: float, high: float) -> None:
    interval = wilson(successes, n, 0.95)
    assert interval.estimate == successes / n
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


@pytest.mark.parametrize(("confidence", "z"), [(0.90, 1.6448536269514722), (0.99, 2.5758293035489004)])
def test_other_levels_solve_the_score_equation(confidence: float, z: float) -> None:
    interval = wilson(37, 150, confidence)
    for end in (interval.low, interval.high):
        assert abs(37 / 150 - end) == pytest.approx(z * math.sqrt(end * (1 - end) / 150), abs=1e-12)


def test_none_and_all_end_exactly_at_0_and_1() -> None:
    for n in range(1, 200):
        none, everything = wilson(0, n, 0.95), wilson(n, n, 0.95)
        assert (none.estimate, none.low, everything.estimate, everything.high) == (0.0, 0.0, 1.0, 1.0)
        assert none.high == pytest.approx(1 - everything.low)
        assert 0 < none.high < 1


def test_without_observations_nothing_is_known() -> None:
    interval = wilson(0, 0)
    assert math.isnan(interval.estimate)
    assert (interval.low, interval.high) == (0.0, 1.0)


@pytest.mark.parametrize(("successes", "n", "confidence"), [(-1, 3, 0.95), (4, 3, 0.95), (1, 3, 0.0), (1, 3, 1.0)])
def test_what_cannot_be_is_refused(successes: int, n: int, confidence: float) -> None:
    with pytest.raises(ValueError, match="must lie between"):
        wilson(successes, n, confidence)


def restricted_deviance(lost: int, gained: int, n: int, difference: float) -> float:
    """Score statistic of a true difference by brute force: the likeliest `lost` share that allows it, searched for."""

    def minus_log_likelihood(share: float) -> float:
        shares = np.array([share, share + difference, 1 - 2 * share - difference])
        return -float(xlogy([lost, gained, n - lost - gained], np.maximum(shares, 1e-300)).sum())

    bounds = (max(0.0, -difference), (1 - difference) / 2)
    share = float(minimize_scalar(minus_log_likelihood, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x)
    variance = (2 * share + difference - difference**2) / n
    return ((gained - lost) / n - difference) ** 2 / variance


@pytest.mark.parametrize(("lost", "gained", "n"), [(7, 1, 21), (1, 7, 21), (60, 25, 300), (3, 0, 40), (0, 12, 20)])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_ends_of_a_difference_are_where_the_score_test_just_rejects(
    lost: int, gained: int, n: int, confidence: float
) -> None:
    made = tango(lost / n, gained / n, n, confidence)
    assert made.estimate == pytest.approx((gained - lost) / n)
    assert made.low < made.estimate < made.high
    critical = chi2.ppf(confidence, 1)
    for end in (made.low, made.high):
        assert restricted_deviance(lost, gained, n, end) == pytest.approx(critical, rel=1e-4)


@pytest.mark.parametrize(("lost", "gained"), [(10, 2), (10, 3), (9, 2), (30, 16), (30, 17), (30, 18)])
def test_a_difference_leaves_out_0_exactly_when_mcnemar_rejects(lost: int, gained: int) -> None:
    made = tango(lost / 100, gained / 100, 100)
    rejected = (lost - gained) ** 2 / (lost + gained) > chi2.ppf(0.95, 1)
    assert (made.high < 0) == rejected
    turned = tango(gained / 100, lost / 100, 100)
    assert (turned.low, turned.high) == pytest.approx((-made.high, -made.low))


@pytest.mark.parametrize("n", [1, 2, 30, 3_000, 10**7])
def test_a_difference_of_pairs_that_are_all_alike_has_a_width(n: int) -> None:
    chi_square = chi2.ppf(0.95, 1)
    same = tango(0.0, 0.0, n)
    assert (same.low, same.high) == pytest.approx((-chi_square / (n + chi_square), chi_square / (n + chi_square)))
    lost, gained = tango(1.0, 0.0, n), tango(0.0, 1.0, n)
    assert (lost.estimate, lost.low, gained.estimate, gained.high) == (-1.0, -1.0, 1.0, 1.0)
    assert lost.high == pytest.approx(-gained.low)
    assert -1 < lost.high < 1


def test_without_pairs_nothing_is_known_of_a_difference() -> None:
    made = tango(math.nan, math.nan, 0)
    assert math.isnan(made.estimate) and (made.low, made.high) == (-1.0, 1.0)


@pytest.mark.parametrize(
    ("lost", "gained", "confidence"), [(-0.1, 0.5, 0.95), (0.6, 0.5, 0.95), (0.1, 0.1, 0.0), (0.1, 0.1, 1.0)]
)
def test_shares_that_cannot_be_are_refused(lost: float, gained: float, confidence: float) -> None:
    with pytest.raises(ValueError, match="must"):
        tango(lost, gained, 10, confidence)
