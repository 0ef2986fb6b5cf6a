"""Clustered accuracy against a published survey, statsmodels and scipy."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from scipy import stats

from whatif.statistics import Interval, cluster_bootstrap, cluster_robust, wilson

# R's survey package, data set `apiclus1`: all schools of 15 of the 757 school districts of California, by district
# the number of elementary, high and middle schools. `svymean(~stype, dclus1)` of the package's examples prints
# stypeE 0.786885 (SE 0.0463), stypeH 0.076503 (0.0268), stypeM 0.136612 (0.0296).
DISTRICTS = {
    61: (10, 0, 3),
    135: (34, 0, 0),
    178: (2, 1, 1),
    197: (10, 0, 3),
    255: (13, 0, 3),
    406: (2, 0, 0),
    413: (1, 0, 0),
    437: (2, 1, 1),
    448: (9, 1, 2),
    510: (16, 2, 3),
    568: (4, 4, 1),
    637: (8, 1, 2),
    716: (30, 3, 4),
    778: (1, 0, 1),
    815: (2, 1, 1),
}


def schools(kind: int) -> tuple[list[bool], list[int]]:
    """Whether each school is of this kind, and its district."""
    each = [
        (kind == other, district)
        for district, row in DISTRICTS.items()
        for other in range(3)
        for _ in range(row[other])
    ]
    return [is_kind for is_kind, _ in each], [district for _, district in each]


def answers(images: int, seed: int, spread: float = 0.3) -> tuple[list[bool], list[int]]:
    """One to four questions an image; images differ in how hard they are."""
    generator = np.random.default_rng(seed)
    sizes = generator.integers(1, 5, images)
    chances = generator.beta(spread, spread, images)
    return (generator.random(sizes.sum()) < np.repeat(chances, sizes)).tolist(), np.repeat(
        np.arange(images), sizes
    ).tolist()


@pytest.mark.parametrize(
    ("kind", "share", "standard_error"), [(0, 0.786885, 0.0463), (1, 0.076503, 0.0268), (2, 0.136612, 0.0296)]
)
def test_robust_error_of_the_school_districts(kind: int, share: float, standard_error: float) -> None:
    robust = cluster_robust(*schools(kind))
    assert round(robust.interval.estimate, 6) == share
    # The survey's error is smaller, because 15 of only 757 districts were drawn.
    assert round(robust.standard_error * math.sqrt(1 - 15 / 757), 4) == standard_error
    assert robust.degrees_of_freedom == 14


def test_robust_error_by_hand() -> None:
    # Accuracy 2/4; image a has 2 right where 1.5 are expected, b none where 0.5 is: 2/1 (0.5^2 + 0.5^2) / 4^2 = 1/16.
    robust = cluster_robust([True, True, False, False], ["a", "a", "a", "b"])
    assert (robust.interval, robust.standard_error, robust.degrees_of_freedom) == (Interval(0.5, 0.0, 1.0), 0.25, 1)


@pytest.mark.parametrize("seed", range(3))
def test_robust_interval_is_that_of_statsmodels(seed: int) -> None:
    from statsmodels.regression.linear_model import OLS

    correct, images = answers(60, seed)
    fit = OLS(np.array(correct, dtype=float), np.ones(len(correct))).fit(
        cov_type="cluster", cov_kwds={"groups": np.array(images)}, use_t=True
    )
    for confidence in (0.9, 0.95):
        robust = cluster_robust(correct, images, confidence=confidence)
        assert robust.standard_error == pytest.approx(fit.bse[0], rel=1e-12)
        low, high = fit.conf_int(1 - confidence)[0]
        assert (robust.interval.low, robust.interval.high) == pytest.approx((low, high), rel=1e-12)


def test_bootstrap_is_that_of_scipy() -> None:
    correct, images = answers(80, 0)
    sizes = np.bincount(images)
    right = np.bincount(images, weights=correct)
    theirs = stats.bootstrap(
        (right, sizes),
        lambda right, sizes, axis: right.sum(axis=axis) / sizes.sum(axis=axis),
        paired=True,
        n_resamples=20_000,
        batch=1_000,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    ours = cluster_bootstrap(correct, images, resamples=20_000)
    assert ours.estimate == sum(correct) / len(correct)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.004)


def test_an_image_each_is_the_unclustered_result() -> None:
    correct = [True] * 130 + [False] * 70
    robust = cluster_robust(correct, range(200))
    margin = float(stats.t.ppf(0.975, 199) * stats.sem(correct))
    assert robust.standard_error == pytest.approx(stats.sem(correct), rel=1e-12)
    assert (robust.interval.low, robust.interval.high) == pytest.approx((0.65 - margin, 0.65 + margin), rel=1e-12)
    # The bootstrap of single questions is binomial; its ends are so many right answers of 200.
    low, high = (float(stats.binom.ppf(tail, 200, 0.65)) / 200 for tail in (0.025, 0.975))
    ours = cluster_bootstrap(correct, range(200), resamples=99_999)
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=0.0051)


def test_the_same_question_twice_tells_nothing_new() -> None:
    correct, images = answers(50, 1)
    assert cluster_bootstrap(correct * 2, images * 2) == cluster_bootstrap(correct, images)
    once, twice = cluster_robust(correct, images), cluster_robust(correct * 2, images * 2)
    assert twice.standard_error == pytest.approx(once.standard_error, rel=1e-12)
    assert cluster_robust(correct * 2, range(2 * len(correct))).standard_error < 0.75 * once.standard_error


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    # By symmetry the chance of a right answer is 1/2. Of 300 intervals of 95%, 285 +- 4 should hold it; those that
    # take questions of an image for independent hold it less often.
    held = {"bootstrap": 0, "robust": 0, "unclustered": 0}
    for seed in range(300):
        correct, images = answers(60, 100 + seed)
        intervals = {
            "bootstrap": cluster_bootstrap(correct, images, resamples=999, seed=seed),
            "robust": cluster_robust(correct, images).interval,
            "unclustered": wilson(sum(correct), len(correct)),
        }
        for name, interval in intervals.items():
            held[name] += interval.low <= 0.5 <= interval.high
    assert 270 <= held["bootstrap"] <= 296
    assert 270 <= held["robust"] <= 296
    assert held["unclustered"] < 260


@pytest.mark.parametrize("correct", [True, False])
def test_all_alike_is_as_sure_as_there_are_clusters(correct: bool) -> None:
    of_three = wilson(3 * correct, 3)
    assert of_three.high - of_three.low > 0.5
    assert cluster_bootstrap([correct] * 6, [1, 1, 2, 3, 3, 3]) == of_three
    robust = cluster_robust([correct] * 6, [1, 1, 2, 3, 3, 3])
    assert (robust.interval, robust.standard_error) == (of_three, 0.0)
    half = cluster_bootstrap([True, False] * 4, [1, 1, 2, 2, 3, 3, 4, 4])
    assert half == wilson(2, 4)


def test_one_image_tells_nothing_of_others() -> None:
    correct, images = [True, True, False, True], ["a"] * 4
    assert cluster_bootstrap(correct, images) == Interval(0.75, 0.0, 1.0)
    robust = cluster_robust(correct, images)
    assert (robust.interval, robust.degrees_of_freedom) == (Interval(0.75, 0.0, 1.0), 0)
    assert math.isnan(robust.standard_error)


def test_without_questions_nothing_is_known() -> None:
    for interval in (cluster_bootstrap([], []), cluster_robust([], []).interval):
        assert math.isnan(interval.estimate)
        assert (interval.low, interval.high) == (0.0, 1.0)


def test_missing_clusters_are_not_ignored() -> None:
    for function in (cluster_bootstrap, cluster_robust):
        with pytest.raises(ValueError, match="needs the image of every question"):
            function([True, False], None)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="question 1 has no cluster label"):
            function([True, False], ["a", ""])


def test_confidence_is_a_share() -> None:
    for function in (cluster_bootstrap, cluster_robust):
        with pytest.raises(ValueError, match="must lie between 0 and 1"):
            function([True, False], ["a", "b"], confidence=95)


def test_a_benchmark_takes_less_than_a_second() -> None:
    correct, images = answers(1_200, 2)  # 3,000 questions
    cluster_bootstrap(correct, images, resamples=99)
    start = time.perf_counter()
    cluster_bootstrap(correct, images, resamples=9_999)
    assert time.perf_counter() - start < 1
