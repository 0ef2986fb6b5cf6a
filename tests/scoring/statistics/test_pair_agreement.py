"""Agreement against published worked examples, against libraries, and against the same bootstrap done item by item."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest

from tests.scoring.statistics.test_agreement import FLEISS, spelled
from whatif.engine.random_streams import stream
from whatif.scoring.statistics import wilson
from whatif.scoring.statistics.agreement import cohen_kappa, fleiss_kappa
from whatif.scoring.statistics.pair_agreement import krippendorff_alpha, pair_agreement, resampled_cohen_kappa

pytestmark = pytest.mark.slow

# Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), example C: four observers, twelve units, with
# missing labels; alpha is 0.743. Example A: two observers, ten units, two labels; alpha is 0.095.
FOUR_OBSERVERS = (
    "1 2 3 3 2 1 4 1 2 * * *",
    "1 2 3 3 2 2 4 1 2 5 * 3",
    "* 3 3 3 2 3 4 2 2 5 1 *",
    "1 2 3 3 2 4 4 1 2 5 1 *",
)
TWO_OBSERVERS = ("0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0")
# Cohen 1960, two raters of 200 items: kappa is 0.492.
COHEN = ((88, 14, 18), (10, 40, 10), (2, 6, 12))


def units(observers: Sequence[str]) -> list[list[str]]:
    return [[label for label in unit if label != "*"] for unit in zip(*(row.split() for row in observers), strict=True)]


def pairs_of(table: Sequence[Sequence[int]]) -> tuple[list[str], list[str]]:
    cells = [("abc"[i], "abc"[j]) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return [one for one, _ in cells], [other for _, other in cells]


def different(labels: Sequence[str]) -> int:
    """The number of ordered pairs of different labels."""
    return sum(one != other for one, other in permutations(labels, 2))


def some_ratings(items: int, seed: int = 5) -> list[list[str]]:
    """Items with one to four labels, of which 70% are the right one."""
    generator = stream(seed, "ratings")
    made = []
    for _ in range(items):
        truth = generator.choice(4, p=(0.42, 0.38, 0.14, 0.06))
        labels = [truth if generator.random() < 0.7 else generator.integers(4) for _ in range(generator.integers(1, 5))]
        made.append(["abcd"[label] for label in labels])
    return made


def test_published_examples_of_alpha() -> None:
    for observers, alpha in ((FOUR_OBSERVERS, 0.743), (TWO_OBSERVERS, 0.095)):
        found = krippendorff_alpha(units(observers), resamples=999)
        assert found is not None and found.estimate == pytest.approx(alpha, abs=5e-4)
        assert found.low < alpha < found.high


def test_alpha_by_its_definition_over_all_pairs() -> None:
    """Disagreeing pairs within items, each with weight 1 / (labels - 1), against those of all pairs of labels."""
    rated = some_ratings(60)
    usable = [item for item in rated if len(item) > 1]
    everything = [label for item in usable for label in item]
    n = len(everything)
    within = sum(different(item) for item in usable)
    weighted = sum(different(item) / (len(item) - 1) for item in usable)
    among_all = different(everything) / (n * (n - 1))
    found = krippendorff_alpha(rated, resamples=999)
    assert found is not None and found.estimate == pytest.approx(1 - weighted / n / among_all)
    share = pair_agreement(rated, resamples=999)
    pairs = sum(len(item) * (len(item) - 1) for item in usable)
    assert share is not None and share.estimate == pytest.approx(1 - within / pairs)


def test_alpha_is_nearly_fleiss_kappa_if_all_items_have_the_same_number_of_labels() -> None:
    """With n labels in all, alpha is 1 - (1 - kappa) (n - 1) / n."""
    rated = spelled(FLEISS)
    kappa, alpha = fleiss_kappa(rated, resamples=999), krippendorff_alpha(rated, resamples=999)
    assert kappa is not None and alpha is not None
    assert alpha.estimate == pytest.approx(1 - (1 - kappa.estimate) * 139 / 140)


def test_cohen_kappa_is_the_published_one_and_that_of_scikit_learn() -> None:
    from sklearn.metrics import cohen_kappa_score

    first, second = pairs_of(COHEN)
    found = resampled_cohen_kappa(first, second)
    assert found is not None and found.estimate == pytest.approx(0.492, abs=5e-4)
    assert found.low < 0.492 < found.high
    generator = stream(3, "labels")
    for kinds in (2, 3, 5):
        one, other = (["abcde"[label] for label in generator.integers(kinds, size=40)] for _ in range(2))
        made = resampled_cohen_kappa(one, other, resamples=999)
        assert made is not None and made.estimate == pytest.approx(cohen_kappa_score(one, other))
        normal = cohen_kappa(one, other)
        assert normal is not None and normal.estimate == pytest.approx(made.estimate)


def test_intervals_are_those_of_items_drawn_again() -> None:
    """The same bootstrap, done the long way with other code."""
    from sklearn.metrics import cohen_kappa_score

    rated = some_ratings(120)
    generator = np.random.default_rng(2)
    slow_alpha, slow_share = [], []
    for _ in range(600):
        drawn = [rated[place] for place in generator.integers(0, len(rated), len(rated))]
        slow_alpha.append(krippendorff_alpha(drawn, resamples=99, confidence=0.9).estimate)
        slow_share.append(pair_agreement(drawn, resamples=99, confidence=0.9).estimate)
    first, second = pairs_of(COHEN)
    places = generator.integers(0, 200, (600, 200))
    slow_kappa = [cohen_kappa_score(np.array(first)[drawn], np.array(second)[drawn]) for drawn in places]
    # Items with one label do not count, so the long way has a random number of items that do: it varies a little more.
    for found, slow in (
        (krippendorff_alpha(rated), slow_alpha),
        (pair_agreement(rated), slow_share),
        (resampled_cohen_kappa(first, second), slow_kappa),
    ):
        assert found is not None and found.high - found.low > 0.1
        assert found.low == pytest.approx(float(np.quantile(slow, 0.025)), abs=0.03)
        assert found.high == pytest.approx(float(np.quantile(slow, 0.975)), abs=0.03)


def test_order_and_names_do_not_matter() -> None:
    rated = some_ratings(50)
    turned = [[{"a": "z"}.get(label, label) for label in item[::-1]] for item in rated[::-1]]
    for measure in (krippendorff_alpha, pair_agreement):
        assert measure(rated[::-1], resamples=999) == measure(rated, resamples=999)
        assert measure(turned, resamples=999).estimate == pytest.approx(measure(rated, resamples=999).estimate)
        assert measure(rated, resamples=999, seed=1) != measure(rated, resamples=999)


def test_where_a_measure_is_not_defined() -> None:
    assert krippendorff_alpha([["a"], ["b"], []]) is None and pair_agreement([["a"], ["b"], []]) is None
    assert krippendorff_alpha([["a", "a"]] * 5) is None
    assert resampled_cohen_kappa(["a"] * 5, ["a"] * 5) is None and resampled_cohen_kappa([], []) is None
    for found in (krippendorff_alpha([["a", "b"]]), resampled_cohen_kappa(["a"], ["b"])):
        assert found is not None and (found.estimate, found.low, found.high) == (0.0, -1.0, 1.0)
    assert pair_agreement([["a", "a"]] * 20) == wilson(20, 20)
    assert pair_agreement([["a", "b"]] * 20) == wilson(0, 20)
    # Half of all resamples of these two items have one label alone.
    for both in (krippendorff_alpha([["a", "a"], ["b", "b"]]), resampled_cohen_kappa(["a", "b"], ["a", "b"])):
        assert both is not None and (both.estimate, both.low, both.high) == (1.0, -1.0, 1.0)
    with pytest.raises(ValueError, match="must be of the same items"):
        resampled_cohen_kappa(["a"], [])
