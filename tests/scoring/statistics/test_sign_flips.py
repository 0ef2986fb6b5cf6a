"""The test of paired differences by image: against all choices of signs, its normal form, and simulation."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from tests.scoring.statistics.coverage import MAIN, OTHERS, Design, rejections, standard_error
from whatif.scoring.statistics import paired_difference, sign_flips
from whatif.scoring.statistics.clusters import ClusterTotals
from whatif.scoring.statistics.sign_flips import sign_flip_p

pytestmark = pytest.mark.slow


def totals(changes: npt.ArrayLike) -> ClusterTotals:
    """Clusters that change by so much each."""
    kinds, counts = np.unique(np.asarray(changes, dtype=np.int64), return_counts=True)
    return ClusterTotals(np.stack([np.full(len(kinds), 9), kinds], axis=1), counts)


def of_all_signs(changes: list[int]) -> float:
    """By its definition: the share of all choices of signs that are at least as far from 0."""
    sums = [abs(sum(chosen)) for chosen in itertools.product(*((size, -size) for size in changes))]
    return sum(one >= abs(sum(changes)) for one in sums) / len(sums)


@pytest.mark.parametrize("seed", range(20))
def test_it_counts_all_choices_of_signs(seed: int) -> None:
    generator = np.random.default_rng(seed)
    changes = generator.integers(-3, 5, generator.integers(1, 13)).tolist()
    assert sign_flip_p(totals(changes)) == pytest.approx(of_all_signs(changes), rel=1e-12)


def test_counted_by_hand() -> None:
    # Signs of 2, 1, 1 give 4, 2, 2, 0 and their negatives: only all of one sign reach 4, six of eight reach 2.
    assert sign_flip_p(totals([2, 1, 1])) == pytest.approx(2 / 8)
    assert sign_flip_p(totals([2, 1, -1])) == pytest.approx(6 / 8)
    assert sign_flip_p(totals([2, -1, -1, 0, 0])) == 1.0


@pytest.mark.parametrize("size", [1, 4])
def test_clusters_that_change_by_the_same_number_are_mcnemars_pairs(size: int) -> None:
    changes = [-size] * 19 + [size] * 6 + [0] * 40
    assert sign_flip_p(totals(changes)) == stats.binomtest(6, 25).pvalue


def test_one_image_tells_nothing_and_many_pairs_of_few_images_little() -> None:
    assert sign_flip_p(totals([-50])) == 1.0
    assert sign_flip_p(totals([-50, -40, -30])) == pytest.approx(2 / 8)
    assert paired_difference([True] * 120, [False] * 120, np.arange(120) // 40).p == pytest.approx(2 / 8)


def test_p_values_far_in_the_tail_are_not_lost() -> None:
    assert sign_flip_p(totals([-1] * 500 + [-2] * 400)) == pytest.approx(2 * 0.5**900, rel=1e-9)


def test_many_clusters_have_the_normal_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """The statistic of Yang, Sun and Hardin (2010); the exact p-value is a little larger, as sums are whole numbers."""
    changes = np.rint(np.random.default_rng(0).normal(0.05, 1.8, 10_000)).astype(np.int64)
    exact = sign_flip_p(totals(changes))
    monkeypatch.setattr(sign_flips, "_LARGEST_TAIL", 1_000)
    normal = sign_flip_p(totals(changes))
    assert normal == pytest.approx(stats.chi2.sf(changes.sum() ** 2 / (changes**2).sum(), 1))
    assert 1 < exact / normal < 1.03


@pytest.mark.parametrize("design", [MAIN, *OTHERS], ids=lambda design: design.name)
def test_equal_accuracies_are_rejected_no_oftener_than_it_says(design: Design) -> None:
    samples = 1_000
    for images in (30, 60):
        found = rejections(design, images, samples)
        assert found.by_image <= 5 + 2 * standard_error(samples)
        assert found.by_image > 1


def test_pairs_of_an_image_are_not_independent() -> None:
    """Why the test is by image: as if pairs were independent, it rejects equal accuracies three times as often."""
    found = rejections(Design(1, 10, 0.3), 60, 1_000)
    assert found.by_pair > 12 > 2 * found.by_image
    # The interval and the p-value say the same of nearly all samples.
    assert found.against_the_interval < 1
