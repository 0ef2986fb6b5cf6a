"""Fleiss' kappa against examples worked out by hand, and what happens where it is not defined."""

from __future__ import annotations

import numpy as np
import pytest

from whatif.engine.random_streams import stream
from whatif.scoring.statistics.agreement import agreement, cohen_kappa, fleiss_kappa, label_shares

# Of 14 raters and five labels, the worked example of Fleiss 1971 in its common form: kappa is 0.210.
FLEISS = [
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
]


def spelled(counts: list[tuple[int, ...]]) -> list[list[str]]:
    return [[label for label, count in zip("abcde", row, strict=False) for _ in range(count)] for row in counts]


def test_kappa_by_hand() -> None:
    # Agreeing pairs of labels: 1, 1/3, 1, 1/3, in the mean 2/3. Both labels are half of all: 1/2 by chance.
    # (2/3 - 1/2) / (1 - 1/2) = 1/3.
    found = fleiss_kappa(spelled([(3, 0), (2, 1), (0, 3), (1, 2)]))
    assert found is not None and found.estimate == pytest.approx(1 / 3)
    assert found.low <= 1 / 3 <= found.high
    published = fleiss_kappa(spelled(FLEISS))
    assert published is not None and published.estimate == pytest.approx(0.210, abs=5e-4)


def test_the_interval_is_that_of_images_drawn_again() -> None:
    """The same bootstrap, done the long way: draw images, count labels, compute kappa."""
    from statsmodels.stats.inter_rater import fleiss_kappa as kappa_of

    generator = stream(1, "images")
    counts = np.array([generator.multinomial(3, (0.6, 0.3, 0.1)) for _ in range(80)])
    counts[:50] = np.array([3, 0, 0])
    counts[50:60] = np.array([0, 3, 0])
    found = fleiss_kappa(spelled([tuple(map(int, row)) for row in counts]), resamples=4999)
    slow = [kappa_of(counts[generator.integers(0, 80, 80)]) for _ in range(2000)]
    assert found is not None
    assert found.low == pytest.approx(float(np.quantile(slow, 0.025)), abs=0.02)
    assert found.high == pytest.approx(float(np.quantile(slow, 0.975)), abs=0.02)
    assert found.high - found.low > 0.15


def test_neither_order_of_images_nor_of_labels_nor_their_names_matter() -> None:
    rated = spelled(FLEISS)
    turned = [[{"a": "z", "b": "y"}.get(label, label) for label in image[::-1]] for image in rated]
    first = fleiss_kappa(rated, resamples=999)
    assert fleiss_kappa(rated[::-1], resamples=999) == first
    second = fleiss_kappa(turned, resamples=999)
    assert first is not None and second is not None and second.estimate == pytest.approx(first.estimate)


def test_a_constant_rating_has_no_kappa() -> None:
    assert fleiss_kappa([["a", "a", "a"]] * 5) is None
    found = agreement([["a", "a", "a"]] * 5)
    assert found.kappa is None and found.unanimous is not None and found.unanimous.estimate == 1.0
    assert found.disputed == 0


def test_a_resample_without_kappa_widens_the_interval() -> None:
    """Of two images with one label each, half of all resamples have one label alone."""
    found = fleiss_kappa([["a", "a", "a"], ["b", "b", "b"]], resamples=999)
    assert found is not None and (found.estimate, found.low, found.high) == (pytest.approx(1.0), -1.0, 1.0)
    single = fleiss_kappa([["a", "a", "b"]])
    assert single is not None and (single.low, single.high) == (-1.0, 1.0)


def test_what_kappa_cannot_be_of() -> None:
    for ratings in ([], [["a", "b"], ["a"]], [["a"]]):
        with pytest.raises(ValueError, match="same number of labels"):
            fleiss_kappa(ratings)
    with pytest.raises(ValueError, match="two or more"):
        agreement([], raters=1)


def test_images_with_another_number_of_labels_are_left_out() -> None:
    found = agreement([["a", "a", "b"], ["a", "a", "a"], ["a", "b"], ["a"], ["a", "b", "a", "b"]], resamples=999)
    assert (found.images, found.disputed) == (2, 1)
    assert found.unanimous is not None and found.unanimous.estimate == 0.5
    nothing = agreement([["a"]])
    assert (nothing.images, nothing.kappa, nothing.unanimous, nothing.disputed) == (0, None, None, 0)


def test_labels_of_images_with_disagreement_alone_are_shared_out() -> None:
    rated = [["right", "right", "right"], ["right", "wrong", "both"], ["wrong", "wrong", "both"]]
    assert label_shares(rated, ("right", "wrong", "neither", "both")) == {
        "right": (1, 6),
        "wrong": (3, 6),
        "neither": (0, 6),
        "both": (2, 6),
    }


def test_cohens_kappa_is_that_of_another_library_and_its_interval_covers_it() -> None:
    from sklearn.metrics import cohen_kappa_score

    generator = stream(3, "two raters")
    first = [str(label) for label in generator.integers(0, 4, 200)]
    second = [one if generator.random() < 0.6 else str(generator.integers(0, 5)) for one in first]
    found = cohen_kappa(first, second)
    assert found is not None and found.estimate == pytest.approx(cohen_kappa_score(first, second))
    assert 0.4 < found.low < found.estimate < found.high < 0.8
    wider = cohen_kappa(first, second, confidence=0.99)
    assert wider is not None and wider.low < found.low and found.high < wider.high


def test_the_interval_of_cohens_kappa_covers_the_kappa_of_the_population() -> None:
    # Both read `a` or `b`, each half of the time, and agree on 80%: kappa is (0.8 - 0.5) / (1 - 0.5) = 0.6.
    generator = stream(4, "coverage of kappa")
    covered = 0
    for _ in range(400):
        first = generator.random(100) < 0.5
        second = np.where(generator.random(100) < 0.8, first, ~first)
        found = cohen_kappa(*([("b", "a")[int(one)] for one in side] for side in (first, second)))
        covered += found is not None and found.low <= 0.6 <= found.high
    assert 0.92 <= covered / 400 <= 0.98


def test_cohens_kappa_by_hand_and_where_it_is_not_defined() -> None:
    found = cohen_kappa(["1", "none", "2", "none"], ["1", "none", "none", "no"])
    assert found is not None and found.estimate == pytest.approx(3 / 11)
    assert cohen_kappa(["a", "a"], ["a", "a"]) is None
    same = cohen_kappa(["a", "b"], ["a", "b"])
    assert same is not None and (same.low, same.estimate, same.high) == (1, 1, 1)
    opposed = cohen_kappa(["a", "b"], ["b", "a"])
    assert opposed is not None and opposed.estimate == -1 and opposed.low == -1
    no_labels: list[str] = []
    for first, second in ((no_labels, no_labels), (["a"], ["a", "b"])):
        with pytest.raises(ValueError, match="both raters"):
            cohen_kappa(first, second)
