"""The gap between groups of images against enumeration, scipy's permutation test and simulation."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from whatif.scoring.statistics import GroupGap, Interval, group_gap, paired_difference, square_and_add
from whatif.scoring.statistics.clusters import mean_and_variance

pytestmark = pytest.mark.slow


def answers(males: int, females: int, seed: int, lost: tuple[float, float] = (0.3, 0.5)) -> dict[str, Any]:
    """One or two pairs an image; of right originals this share is lost in each group."""
    generator = np.random.default_rng(seed)
    pairs = generator.integers(1, 3, males + females)
    images = np.repeat(np.arange(males + females), pairs)
    female = images >= males
    original = generator.random(len(images)) < 0.7
    kept = generator.random(len(images)) >= np.where(female, lost[1], lost[0])
    return {
        "original": original,
        "counterfactual": original & kept,
        "images": [f"COCO_val2014_{image:012}.jpg" for image in images],
        "groups": np.where(female, "female", "male").tolist(),
    }


def changes(males: list[int], females: list[int], **settings: Any) -> GroupGap:
    """The gap of images with one pair each, given as original right minus counterfactual right."""
    both = np.array(males + females)
    groups = ["male"] * len(males) + ["female"] * len(females)
    return group_gap(both > 0, both < 0, range(len(both)), groups, **settings)


def test_the_formula_of_c_vqa() -> None:
    data = answers(510, 207, 0)  # as many images as in C-VQA 4.3
    made = group_gap(**data)
    diffs = []
    for group in ("male", "female"):
        chosen = np.array(data["groups"]) == group
        diffs.append(np.mean(data["original"][chosen]) - np.mean(data["counterfactual"][chosen]))
    assert (made.first.estimate, made.second.estimate) == pytest.approx(tuple(diffs))
    assert made.gap.estimate == pytest.approx(diffs[0] - diffs[1])
    assert made.bias == pytest.approx(abs(diffs[0] - diffs[1]))
    assert made.images == (510, 207)
    assert made.gap.low < made.gap.estimate < made.gap.high


def test_a_group_has_the_interval_of_its_drop() -> None:
    data = answers(200, 150, 1)
    made = group_gap(**data, resamples=99)
    for interval, group in ((made.first, "male"), (made.second, "female")):
        chosen = np.array(data["groups"]) == group
        images = np.array(data["images"])[chosen]
        alone = paired_difference(data["original"][chosen], data["counterfactual"][chosen], images).interval
        expected = (-alone.estimate, -alone.high, -alone.low)
        assert (interval.estimate, interval.low, interval.high) == pytest.approx(expected)


def test_interval_of_the_gap_is_near_the_analytic_one() -> None:
    data = answers(2_000, 1_000, 2)
    made = group_gap(**data, resamples=99)
    assert made.gap == square_and_add(made.first, made.second)
    half_widths = [(interval.high - interval.low) / 2 for interval in (made.first, made.second)]
    assert (made.gap.high - made.gap.low) / 2 == pytest.approx(math.hypot(*half_widths), rel=0.003)


def test_p_is_that_of_all_relabellings() -> None:
    # Images as (pairs, lost); the first three are of the first group.
    images = [(2, 2), (1, 1), (1, 0), (2, 0), (1, 0), (3, 1), (1, -1)]

    def studentised(first: tuple[int, ...]) -> float:
        sides = [[images[i] for i in range(7) if (i in first) == inside] for inside in (True, False)]
        (mean, variance), (other, other_variance) = (
            mean_and_variance(np.array(s), np.ones(len(s), int)) for s in sides
        )
        return abs(float((mean - other) / np.sqrt(variance + other_variance)))

    every = [studentised(first) for first in combinations(range(7), 3)]
    p = np.mean(np.array(every) >= every[0] - 1e-9)
    rows = [
        (i, change)
        for i, (pairs, lost) in enumerate(images)
        for change in ([np.sign(lost)] * abs(lost) + [0] * (pairs - abs(lost)))
    ]
    made = group_gap(
        [change > 0 for _, change in rows],
        [change < 0 for _, change in rows],
        [i for i, _ in rows],
        ["male" if i < 3 else "female" for i, _ in rows],
        resamples=50_000,
    )
    assert 0.05 < p < 0.95
    assert made.p == pytest.approx(p, abs=0.007)


@pytest.mark.filterwarnings("ignore:Precision loss")  # scipy's, of relabellings in which a group is all alike
@pytest.mark.parametrize(
    ("males", "females"),
    [([1, 1, 0, 1, -1], [0, 0, -1, 0, 0, 1]), ([1, 1, 1, 0, 1, 1], [0, 0, 0, -1, 1]), ([0, 1, 0], [0, 0, 1, 1, -1])],
)
def test_p_is_that_of_scipy_when_images_have_one_pair(males: list[int], females: list[int]) -> None:
    # Then the gap over its error is Welch's t; scipy enumerates all relabellings.
    theirs = stats.permutation_test(
        (males, females),
        lambda one, other, axis: abs(stats.ttest_ind(one, other, axis=axis, equal_var=False).statistic),
        alternative="greater",
        vectorized=True,
    )
    assert theirs.null_distribution.size == math.comb(len(males) + len(females), len(males))
    assert changes(males, females, resamples=50_000).p == pytest.approx(theirs.pvalue, abs=0.007)


def test_p_of_equal_diffs_is_rarely_small_though_groups_are_unlike() -> None:
    # A large group that hardly changes and a small one that changes in both directions: both diffs are 0 on average.
    # A permutation test of the gap itself rejects in three of ten samples; of 300 at 5%, 15 +- 4 should.
    generator = np.random.default_rng(5)
    rejected = 0
    for seed in range(300):
        males = generator.choice([-1, 0, 1], 200, p=[0.03, 0.94, 0.03]).tolist()
        females = generator.choice([-1, 0, 1], 40, p=[0.4, 0.2, 0.4]).tolist()
        rejected += changes(males, females, resamples=999, seed=seed).p <= 0.05
    assert 5 <= rejected <= 30


def test_a_gap_that_is_there_is_found() -> None:
    made = group_gap(**answers(510, 207, 3, lost=(0.2, 0.6)))
    assert made.gap.high < 0
    assert made.p == 1 / 10_000  # no relabelling comes near, and the labels themselves count


def test_the_other_way_round_turns_the_sign() -> None:
    data = answers(120, 80, 4)
    made, turned = group_gap(**data), group_gap(**data, names=("female", "male"))
    assert turned.gap.estimate == -made.gap.estimate
    assert turned.bias == made.bias
    assert (turned.first, turned.second) == (made.second, made.first)  # each group has its own stream
    assert turned.p == pytest.approx(made.p, abs=0.02)


def test_groups_that_are_alike_have_no_gap() -> None:
    made = changes([1, 0, 0, 1], [0, 1, 1, 0])
    assert (made.gap.estimate, made.bias, made.p) == (0.0, 0.0, 1.0)


def test_images_that_are_all_alike_are_as_sure_as_they_are_many() -> None:
    same = changes([0] * 8, [0] * 5)
    assert (same.first.estimate, same.gap.estimate, same.p) == (0.0, 0.0, 1.0)
    assert same.first.low < 0 < same.first.high
    assert same.second.high - same.second.low > same.first.high - same.first.low  # of fewer images
    assert same.gap == square_and_add(same.first, same.second)
    apart = changes([1] * 8, [0] * 6)
    assert (apart.first.estimate, apart.first.high, apart.gap.estimate) == (1.0, 1.0, 1.0)
    assert apart.first.low < 0.7
    assert apart.gap == square_and_add(apart.first, apart.second)
    # Of the 3,003 relabellings only the true one separates the groups so.
    assert apart.p == pytest.approx(1 / math.comb(14, 6), abs=1e-3)


def test_too_few_images_tell_nothing() -> None:
    one = changes([1], [0, 0, 1])
    assert one.gap.estimate == pytest.approx(2 / 3)
    assert (one.gap.low, one.gap.high, one.p) == (-2.0, 2.0, 1.0)
    assert (one.first, one.images) == (Interval(1.0, -1.0, 1.0), (1, 3))
    none = changes([], [0, 1])
    assert math.isnan(none.first.estimate) and math.isnan(none.gap.estimate) and math.isnan(none.bias)
    assert (none.p, none.images) == (1.0, (0, 2))
    assert changes([], []).images == (0, 0)


def test_what_does_not_fit_together_is_refused() -> None:
    right, wrong, images, groups = [True, True], [False, True], ["a", "b"], ["male", "female"]
    with pytest.raises(ValueError, match="image 'a' is in both groups, 'male' and 'female'"):
        group_gap(right, wrong, ["a", "a"], groups)
    with pytest.raises(ValueError, match="pair 1 is of group 'Female', not 'male' or 'female'"):
        group_gap(right, wrong, images, ["male", "Female"])
    with pytest.raises(ValueError, match="question 1 has no cluster label"):
        group_gap(right, wrong, ["a", ""], groups)
    with pytest.raises(ValueError, match="2 original and 2 counterfactual answers, 2 images, 1 groups"):
        group_gap(right, wrong, images, ["male"])
    with pytest.raises(ValueError, match="groups to compare are both 'male'"):
        group_gap(right, wrong, images, groups, names=("male", "male"))
