"""Wilson intervals against printed ones."""

from __future__ import annotations

import math

import pytest

from whatif.statistics import newcombe, wilson


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


def test_newcombe_of_a_published_example() -> None:
    """Airway hyper-responsiveness before and after (Fagerland, Lydersen and Laake 2014): 1, 1, 7 and 12 of 21."""
    made = newcombe(2 / 21, 8 / 21, 1 / 21, 21)
    assert (made.estimate, made.low, made.high) == pytest.approx((6 / 21, 0.026, 0.507), abs=1e-3)


def test_without_pairs_nothing_is_known_of_a_difference() -> None:
    made = newcombe(math.nan, math.nan, math.nan, 0)
    assert math.isnan(made.estimate) and (made.low, made.high) == (-1.0, 1.0)
