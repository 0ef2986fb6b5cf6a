"""What printed shares, means and deviations say about p-values that are not printed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_ind
from statsmodels.stats.contingency_tables import mcnemar

from whatif.results.contradictions import CANNOT_BE_CHECKED, DOES_NOT_HOLD, HOLDS, WITHIN_ROUNDING, printed
from whatif.results.contradictions.significance import (
    Seeds,
    against_chance,
    better_over_seeds,
    correlation,
    kappa_allows,
    paired_fall,
    random_part,
)


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        ("83.8", "71.4", HOLDS),
        ("40.3", "39.9", DOES_NOT_HOLD),
        ("38.8", "38.8", DOES_NOT_HOLD),
        ("27.7", "29.5", DOES_NOT_HOLD),
        ("67.3", "64.3", CANNOT_BE_CHECKED),
    ],
)
def test_a_fall_is_significant_whatever_the_pairs_or_never_or_unknown(before: str, after: str, verdict: str) -> None:
    assert paired_fall(printed(before), printed(after), 1150, "questions").verdict == verdict


def test_without_a_fall_no_p_value_is_named() -> None:
    """A rise has a p-value of its own, which may be small."""
    rise = paired_fall(printed("27.7"), printed("29.5"), 1130, "questions")
    assert rise.explanation == "From 27.7% to 29.5% of 1,130 questions, no fewer are right: there is no drop."
    fall = paired_fall(printed("40.3"), printed("39.9"), 1150, "questions")
    assert fall.explanation.endswith("at most 5 fewer are right, so p is at least 0.062.")


def test_a_random_sample_may_have_about_the_share_of_all() -> None:
    near, far = (random_part(printed(number), 8706, 17411, 13928, "samples") for number in ("6939", "6900"))
    assert (near.verdict, far.verdict) == (HOLDS, DOES_NOT_HOLD)
    drawn = np.random.default_rng(0).hypergeometric(8706, 17411 - 8706, 13928, size=20_000)
    assert near.low is not None and near.high is not None
    outside = np.mean((drawn < float(near.low)) | (drawn > float(near.high)))
    assert outside == pytest.approx(0.05, abs=0.01)


def test_the_bounds_of_p_contain_those_of_all_possible_pairs() -> None:
    items, before, after = 20, 12, 6
    found = paired_fall(printed("60.0"), printed("30.0"), items, "items")
    values = []
    for worse in range(before - after, min(before, items - after) + 1):
        better = worse - (before - after)
        table = [[before - worse, worse], [better, items - before - better]]
        values.append(float(mcnemar(table, exact=True).pvalue))
    assert float(found.low) == pytest.approx(min(values)) and float(found.high) == pytest.approx(max(values))


def test_an_impossible_percentage_has_no_test() -> None:
    found = paired_fall(printed("33.4"), printed("10.0"), 3, "items")
    assert (found.verdict, found.low) == (CANNOT_BE_CHECKED, None)
    assert against_chance(printed("33.4"), Fraction(1, 4), 3, "at", "items").verdict == CANNOT_BE_CHECKED


@pytest.mark.parametrize(
    ("share", "items", "claim", "verdict"),
    [
        ("17.00", 400, "at", DOES_NOT_HOLD),
        ("21.00", 400, "at", HOLDS),
        ("29.00", 400, "at", HOLDS),
        ("17.00", 400, "below", HOLDS),
        ("17.00", 400, "above", DOES_NOT_HOLD),
        ("54.00", 400, "above", HOLDS),
        ("26.9", 3000, "at", DOES_NOT_HOLD),
        ("25.7", 3000, "at", HOLDS),
    ],
)
def test_a_share_is_above_below_or_at_chance(share: str, items: int, claim: str, verdict: str) -> None:
    found = against_chance(printed(share), Fraction(1, 4), items, claim, "items")
    assert found.verdict == verdict
    exact = binomtest(round(float(printed(share).value) * items / 100), items, 0.25).pvalue
    assert float(found.low) <= exact * (1 + 1e-9) and exact <= float(found.high) * (1 + 1e-9)


def seeds(mean: str, deviation: str) -> Seeds:
    return Seeds(printed(mean), printed(deviation))


def test_means_over_seeds_are_compared_as_their_samples_would_be() -> None:
    one, other = (np.random.default_rng(seed).normal(size=25) for seed in (1, 2))

    def with_moments(sample: np.ndarray, mean: float, deviation: float) -> np.ndarray:
        return (sample - sample.mean()) / sample.std(ddof=1) * deviation + mean

    new, old = with_moments(one, 78.28, 0.4), with_moments(other, 77.90, 0.4)
    exact = ttest_ind(new, old, equal_var=False, alternative="greater").pvalue
    found = better_over_seeds(seeds("78.28", "0.4"), seeds("77.90", "0.4"), 25, significant=True)
    assert found.verdict == HOLDS and float(found.low) < exact < float(found.high)
    assert f"p = {exact:.3f}" in found.explanation or exact < 0.001


def test_rounded_deviations_may_decide_a_test() -> None:
    near = seeds("10.10", "0.2"), seeds("10.00", "0.2")  # p = 0.042, and 0.08 with deviations of 0.25
    assert better_over_seeds(*near, 25, significant=True).verdict == HOLDS
    assert better_over_seeds(*near, 25, significant=False).verdict == WITHIN_ROUNDING
    worse = seeds("9.00", "0.2"), seeds("10.00", "0.2")
    assert better_over_seeds(*worse, 25, significant=True).verdict == DOES_NOT_HOLD
    assert better_over_seeds(*worse, 25, significant=False).verdict == HOLDS


def test_kappa_needs_disagreements_that_the_labels_allow() -> None:
    shares = [printed(text) for text in ("73.18", "13.30", "10.46", "3.06")]
    among = [printed(text) for text in ("47.4", "27.3", "18.6")]
    found = kappa_allows(printed("0.74"), shares, among)
    expected = sum(float(share.value / 100) ** 2 for share in shares)
    assert found.verdict == HOLDS and float(found.low) == pytest.approx(0.26 * (1 - expected))
    # With hardly any agreement, nearly all items have disagreement, and 60% wrong labels in them are too many.
    among = [printed(text) for text in ("20.0", "60.0", "20.0")]
    assert kappa_allows(printed("0.05"), shares, among).verdict == DOES_NOT_HOLD


def test_a_correlation_is_that_of_its_pairs() -> None:
    pairs = [(1.0, 2.0), (2.0, 1.0), (3.0, 4.0), (4.0, 3.0)]  # r = 0.6
    assert correlation(printed("0.60"), pairs, of="r").verdict == HOLDS
    assert correlation(printed("0.61"), pairs, of="r").verdict == DOES_NOT_HOLD
    assert correlation(printed("0.4"), pairs, of="p").verdict == HOLDS
