"""The numbers of tables need neither scipy.stats nor statsmodels, and are those that these give."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import binom, binomtest, norm, t
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from whatif.scoring.statistics import holm, wilson
from whatif.scoring.statistics.clusters import ClusterTotals
from whatif.scoring.statistics.sign_flips import _negative, sign_flip_p

pytestmark = pytest.mark.slow

HEAVY = ("scipy.stats", "statsmodels", "pandas", "sklearn")


@pytest.mark.process
def test_a_comparison_imports_no_heavy_library() -> None:
    code = (
        "import sys, numpy as np; from whatif.scoring import statistics as of; "
        "one, other, images = [True] * 50 + [False] * 9, [False] * 30 + [True] * 29, np.arange(59) // 2; "
        "made = of.paired_difference(one, other, images); of.difference_of_drops((one, other), (other, one), images); "
        "of.wilson(3, 7); of.clustered_share(one, images); of.mean_interval([1, 2, 4]); "
        f"of.holm([made.p, 0.5]); print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_quantiles_are_those_of_the_distributions() -> None:
    from scipy.special import ndtr, ndtri, stdtr, stdtrit

    shares = np.linspace(0.001, 0.999, 999)
    assert np.array_equal(ndtri(shares), norm.ppf(shares))
    assert all(np.array_equal(stdtrit(freedom, shares), t.ppf(shares, freedom)) for freedom in (1, 2, 7, 1000))
    assert all(np.array_equal(stdtr(freedom, -shares), t.sf(shares, freedom)) for freedom in (1, 2, 7, 1000))
    assert np.array_equal(ndtr(-shares), norm.sf(shares))


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_wilsons_interval_is_that_of_statsmodels(confidence: float) -> None:
    for n in (1, 2, 7.5, 200, 10_000_000):
        for successes in (0, 0.3 * n, n / 2, n):
            wanted = proportion_confint(successes, n, alpha=1 - confidence, method="wilson")
            made = wilson(successes, n, confidence)
            assert (made.low, made.high) == pytest.approx(wanted, abs=1e-14)


@pytest.mark.parametrize("changed", [1, 2, 9, 250, 10_001])
def test_mcnemars_test_is_the_binomial_test(changed: int) -> None:
    for lost in sorted({0, 1, changed // 3, changed // 2}):
        kinds = np.array([[1, -1], [1, 1]])
        made = sign_flip_p(ClusterTotals(kinds, np.array([lost, changed - lost])))
        assert made == pytest.approx(binomtest(lost, changed).pvalue, rel=1e-9)


@pytest.mark.parametrize("clusters", [1, 30, 3000])
def test_signs_have_a_binomial_distribution(clusters: int) -> None:
    wanted = binom.pmf(np.arange(clusters + 1), clusters, 0.5)
    assert _negative(2, clusters, 2 * clusters)[::2] == pytest.approx(wanted, rel=1e-9)


def test_holms_correction_is_that_of_statsmodels() -> None:
    for number in (2, 20):  # each collects garbage in statsmodels, which takes long in a large process
        p_values = (np.random.default_rng(number).random(number) ** 3).tolist()
        rejected, adjusted, *_ = multipletests(p_values, alpha=0.05, method="holm")
        made = holm(p_values)
        assert made.p_values == pytest.approx(tuple(adjusted))
        assert made.rejected == tuple(rejected)
