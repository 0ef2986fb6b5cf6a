"""The association of two outcomes of the same pairs: by hand, and the coverage of its intervals by simulation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from whatif.scoring.statistics import Interval, added, association, phi_of
from whatif.scoring.statistics.clusters import ClusterTotals, cluster_totals
from whatif.scoring.statistics.sign_flips import sign_flip_p, summed_sign_flip_p


def test_counted_by_hand() -> None:
    # Both right 4, only the first 2, only the second 1, neither 3: phi = (4 * 3 - 2 * 1) / sqrt(6 * 4 * 5 * 5).
    first = [True] * 6 + [False] * 4
    second = [True] * 4 + [False] * 2 + [True] + [False] * 3
    found = association(first, second)
    assert found is not None
    assert found.phi.estimate == pytest.approx(10 / 600**0.5)
    assert found.excess.estimate == pytest.approx(0.4 - 0.6 * 0.5)
    assert found.phi.low < found.phi.estimate < found.phi.high
    assert found.phi.estimate == pytest.approx(np.corrcoef(first, second)[0, 1])
    assert phi_of(0.6, 0.5, 0.4) == pytest.approx(10 / 600**0.5)


def test_where_an_outcome_is_always_true_there_is_none() -> None:
    assert association([True] * 4, [True, False, True, False]) is None
    assert association([], []) is None
    assert association([True, False] * 3, [True, False] * 3, [1] * 6) is None  # one image
    assert np.isnan(phi_of(1.0, 0.5, 0.5))


def test_pairs_of_an_image_count_as_one() -> None:
    generator = np.random.default_rng(0)
    first, second = (generator.random(60) < 0.5 for _ in range(2))
    once = association(first, second, list(range(60)), seed=3)
    copied = association(np.repeat(first, 4), np.repeat(second, 4), np.repeat(np.arange(60), 4), seed=3)
    alone = association(np.repeat(first, 4), np.repeat(second, 4), seed=3)
    assert once is not None and copied is not None and alone is not None
    assert once.phi == Interval(copied.phi.estimate, copied.phi.low, copied.phi.high)
    assert alone.phi.high - alone.phi.low < 0.6 * (once.phi.high - once.phi.low)


def test_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="2 outcomes and 1 others"):
        association([True, False], [True])


@pytest.mark.slow
@pytest.mark.parametrize("excess", [-0.06, 0.0, 0.08])
def test_coverage_with_four_pairs_an_image(excess: float) -> None:
    """120 images with four pairs that share the first outcome, as a basic question with four counterfactual ones."""
    generator = np.random.default_rng(7)
    share, right = 0.8, (0.55 + excess / 0.8, 0.55 - excess / 0.2)  # of the second, given the first
    second_share = share * right[0] + (1 - share) * right[1]
    truth = share * right[0] - share * second_share
    images = np.repeat(np.arange(120), 4)
    covered = 0
    for seed in range(400):
        first = generator.random(120) < share
        second = generator.random((120, 4)) < np.where(first, right[0], right[1])[:, None]
        found = association(np.repeat(first, 4), second.reshape(-1), images, resamples=999, seed=seed)
        assert found is not None
        covered += found.excess.low <= truth <= found.excess.high
    assert 0.91 <= covered / 400 <= 0.98


def test_the_sum_of_independent_estimates() -> None:
    assert added([Interval(0.5, 0.2, 0.9), Interval(0.4, 0.0, 0.7)]) == Interval(0.9, 0.4, 1.4)


def test_signs_of_several_strata() -> None:
    def totals(changes: list[int], pairs: int) -> ClusterTotals:
        questions = [pairs] * len(changes)
        clusters = np.repeat(np.arange(len(changes)), questions)
        change = np.concatenate([[step] + [0] * (pairs - 1) for step in changes]).astype(np.int8)
        return cluster_totals([change, change**2], clusters)

    generator = np.random.default_rng(0)
    one, other = [2, 1, -1, 0, 1], [1, 1, 2]
    strata = [totals(one, 4), totals(other, 4)]
    weights = [1 / 20] * 5 + [1 / 12] * 3
    steps = np.array([*one, *other]) * weights
    sums = [abs(np.dot(signs, steps)) for signs in itertools.product((1, -1), repeat=8)]
    exact = np.mean([value >= abs(steps.sum()) - 1e-9 for value in sums])
    assert summed_sign_flip_p(strata, 40_000, generator) == pytest.approx(exact, abs=0.01)
    alone = summed_sign_flip_p(strata[:1], 40_000, generator)
    assert alone == pytest.approx(sign_flip_p(strata[0]), abs=0.01)
