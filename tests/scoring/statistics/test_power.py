"""The power of the paired test: exact numbers by hand, and simulations with the test itself."""

from __future__ import annotations

import numpy as np
import pytest

from whatif.scoring.statistics import paired_drop
from whatif.scoring.statistics.power import Design


def test_six_pairs_by_hand() -> None:
    """The exact test at 5% rejects with 6 pairs only if all of them change in the same direction (2 / 2^6 = 0.031)."""
    lost, gained = 0.7, 0.2
    assert Design(gained).power(6, lost - gained) == pytest.approx(lost**6 + gained**6)
    assert Design(gained).power(5, lost - gained) == 0


def test_as_many_pairs_as_are_needed_and_no_fewer() -> None:
    design = Design(0.04)
    needed = design.pairs_needed(0.05, 0.8)
    assert needed is not None
    assert design.power(needed, 0.05) >= 0.8 > design.power(needed - 1, 0.05)
    smallest = design.smallest_drop(needed, 0.8)
    assert smallest == pytest.approx(0.05, abs=2e-4)


def test_pairs_about_one_image_are_worth_less() -> None:
    alone, alike = Design(0.04), Design.with_correlation(0.04, 5, 0.1)
    assert alike.design_effect == pytest.approx(1.4)
    counts = [design.pairs_needed(0.05, 0.8) for design in (alone, alike)]
    assert counts[0] and counts[1]
    assert counts[1] / counts[0] == pytest.approx(1.4, abs=0.1)


def test_the_design_of_answers() -> None:
    original = [True, True, True, False, True, False, True, True]
    counterfactual = [True, False, True, False, False, True, True, False]
    alone = Design.of(original, counterfactual)
    assert (alone.gained, alone.design_effect, alone.pairs_per_image) == (1 / 8, 1, 1)
    # By image the drops are 1, 0, 0 and 1 of 2: their mean's variance by the jackknife is 1/48; that of 8 single pairs,
    # of which 3 are lost and 1 is gained, would be (4 - 8 / 16) / 7 / 8 = 1/16.
    grouped = Design.of(original, counterfactual, [0, 0, 1, 1, 2, 2, 3, 3])
    assert grouped.pairs_per_image == 2
    assert grouped.design_effect == pytest.approx(16 / 48)
    one_answer = Design.of([True] * 4, [True] * 4, [0, 0, 1, 1])
    assert (one_answer.gained, one_answer.design_effect) == (0, 2)


def test_what_is_not_possible() -> None:
    assert Design(0.0).pairs_needed(1e-7, 0.99) is None
    assert Design(0.1).smallest_drop(3, 0.8) is None
    with pytest.raises(ValueError, match="not possible where 40% of pairs are gained; at most 20 is"):
        Design(0.4).power(100, 0.3)
    with pytest.raises(ValueError, match="not possible with 5 pairs an image"):
        Design.with_correlation(0.1, 5, -0.5)
    with pytest.raises(ValueError, match="pairs need both"):
        Design.of([], [])


@pytest.mark.parametrize(
    ("images", "per_image", "gained", "drop", "concentration"),
    [
        (100, 1, 0.05, 0.1, None),
        *(
            pytest.param(*one, marks=pytest.mark.soak)
            for one in (
                (400, 1, 0.03, 0.04, None),
                (60, 4, 0.05, 0.08, 20),
                (150, 5, 0.05, 0.04, 10),
                (30, 4, 0.05, 0.15, 20),
                (40, 10, 0.1, 0.08, 5),
            )
        ),
    ],
)
def test_the_test_finds_the_drop_as_often_as_is_said(
    images: int, per_image: int, gained: float, drop: float, concentration: int | None
) -> None:
    """Within one point, and three standard errors of the simulation."""
    generator = np.random.default_rng(7)
    share = np.array([gained + drop, gained, 1 - 2 * gained - drop])
    correlation = 0.0 if concentration is None else 1 / (concentration + 1)
    runs, found = (2_000 if per_image == 1 and images == 100 else 10_000), 0
    labels = None if per_image == 1 else np.repeat(np.arange(images), per_image)
    for _ in range(runs):
        chances = (
            np.tile(share, (images, 1)) if concentration is None else generator.dirichlet(share * concentration, images)
        )
        drawn = generator.random((images, per_image))
        lost = drawn < chances[:, :1]
        won = ~lost & (drawn < chances[:, :2].sum(axis=1, keepdims=True))
        found += paired_drop(lost.ravel(), won.ravel(), labels).p <= 0.05
    said = Design.with_correlation(gained, per_image, correlation).power(images * per_image, drop)
    assert abs(found / runs - said) < 0.01 + 3 * (said * (1 - said) / runs) ** 0.5
