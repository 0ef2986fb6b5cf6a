"""Holm's correction against published examples."""

from __future__ import annotations

import math
from itertools import permutations

import pytest

from whatif.scoring.statistics import holm

pytestmark = pytest.mark.slow


# The example of the step-down procedure in Wikipedia, "Holm-Bonferroni method": at 0.05 only H1 and H4 are rejected.
def test_four_hypotheses() -> None:
    made = holm([0.01, 0.04, 0.03, 0.005])
    assert made.p_values == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert made.rejected == (True, False, False, True)


# Documentation of stdlib's `padjust`, which follows R's `p.adjust(p, "holm")`.
def test_the_example_of_padjust() -> None:
    made = holm([0.319, 0.201, 0.4, 0.374, 0.113])
    assert made.p_values == pytest.approx((0.957, 0.804, 0.957, 0.957, 0.565))
    assert not any(made.rejected)


# Ten p-values with the adjusted ones of R's multtest, from the tests of statsmodels (stats/tests/test_multi.py).
def test_the_values_of_multtest() -> None:
    p_values = [0.8385413676, 0.6421939238, 0.6808459476, 0.9678338243, 0.7162693824, 0.1770969527]
    made = holm([*p_values, 5.23656777208e-05, 0.0202732688798, 0.00028140506198, 0.0149877310796])
    assert made.p_values[:6] == (1.0,) * 6
    assert made.p_values[6:] == pytest.approx((5.23656777e-04, 0.14191288216, 2.53264556e-03, 0.11990184864))
    assert made.rejected == (False,) * 6 + (True, False, True, False)


# Benjamini and Hochberg (1995), 3.1, thrombolysis: procedures that control the familywise error rate at 0.05
# (Bonferroni's and Hochberg's, between which Holm's lies) reject the three smallest of 15.
def test_the_thrombolysis_trial() -> None:
    p_values = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    made = holm([*p_values, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0])
    assert made.rejected == (True,) * 3 + (False,) * 12
    assert made.p_values[:4] == pytest.approx((0.0015, 0.0056, 0.0247, 0.114))


def test_order_does_not_matter() -> None:
    p_values = (0.01, 0.04, 0.03, 0.005)
    adjusted = dict(zip(p_values, holm(p_values).p_values, strict=True))
    for other in permutations(p_values):
        assert holm(other).p_values == tuple(adjusted[p] for p in other)


def test_what_is_missing_stays_in_its_place_and_does_not_count() -> None:
    made = holm([None, 0.01, math.nan, 0.04, 0.03, None, 0.005])
    assert (made.p_values[0], made.p_values[5]) == (None, None)
    assert math.isnan(made.p_values[2] or 0.0)
    assert [made.p_values[place] for place in (1, 3, 4, 6)] == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert made.rejected == (False, True, False, False, False, False, True)


def test_none_and_one() -> None:
    assert (holm([]).p_values, holm([]).rejected) == ((), ())
    assert (holm([None]).p_values, holm([None]).rejected) == ((None,), (False,))
    assert (holm([0.04]).p_values, holm([0.04]).rejected) == ((0.04,), (True,))


def test_alpha_decides() -> None:
    p_values = [0.01, 0.04, 0.03, 0.005]
    assert [sum(holm(p_values, alpha).rejected) for alpha in (0.01, 0.025, 0.05, 0.1)] == [0, 1, 2, 4]


def test_what_is_no_probability_is_refused() -> None:
    for wrong in (-0.1, 1.1, math.inf):
        with pytest.raises(ValueError, match=r"p-value 1 is .* must lie within 0 and 1"):
            holm([0.5, wrong])
    with pytest.raises(ValueError, match="alpha 5"):
        holm([0.5], 5)
